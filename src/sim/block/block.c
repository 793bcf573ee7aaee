/* SPDX-License-Identifier: MIT */
/* Builds a program, instruction by instruction, in arrays that grow in the arena. */
#include <string.h>

#include "sim/block/block.h"

struct builder {
	const struct sim_block *source;
	struct takt_arena *arena;
	struct sim_program *program;
	bool loop, no_micro_fusion;
	struct takt_writers names;
	struct sim_insn *insns;
	struct sim_uop *uops;
	struct sim_source *sources;
	struct sim_result *results;
	struct sim_memory *memories;
	struct sim_memory_edge *edges;
	uint32_t insn_count, uop_count, source_count, result_count, memory_count, edge_count;
	uint32_t uop_capacity, source_capacity, result_capacity, memory_capacity;
};

/* An array of a builder. */
struct array {
	void **items;
	uint32_t *count, *capacity;
	size_t size_bytes; /* of an element */
};

/* Append elements, perhaps none, to an array, which may move; after that it is not NULL. */
static uint32_t append(struct takt_arena *arena, const struct array *array, const void *added,
		       uint32_t added_count)
{
	uint32_t first = *array->count;

	if (!*array->items || first + added_count > *array->capacity) {
		*array->capacity = (first + added_count + 1) * 2;
		*array->items = takt_arena_grow(arena, *array->items, first, *array->capacity,
						array->size_bytes);
	}
	if (added_count)
		memcpy((char *)*array->items + first * array->size_bytes, added,
		       added_count * array->size_bytes);
	*array->count += added_count;
	return first;
}

#define APPEND(builder, items, item, added, added_count)                                           \
	append((builder)->arena,                                                                   \
	       &(const struct array){(void **)&(builder)->items, &(builder)->item##_count,         \
				     &(builder)->item##_capacity, sizeof(*(builder)->items)},      \
	       added, added_count)

static void add_record(struct builder *builder, struct sim_record *record)
{
	struct sim_insn *made = &builder->insns[builder->insn_count++];
	struct sim_flow *flow = &record->flow;

	for (unsigned m = 0; m < flow->memory_count; m++)
		if (flow->memories[m].store)
			flow->memories[m].store_index += builder->program->store_count;
	builder->program->store_count += record->insn.store_count;
	*made = record->insn;
	made->uops = APPEND(builder, uops, uop, record->uops.uops, record->uops.count);
	made->sources = APPEND(builder, sources, source, flow->sources, flow->source_count);
	made->results = APPEND(builder, results, result, flow->results, flow->result_count);
	made->memories = APPEND(builder, memories, memory, flow->memories, flow->memory_count);
	builder->program->length_bytes += made->length_bytes;
	builder->program->slots += made->mite_slots + made->microcode_slots;
}

static void add_insn(struct builder *builder, uint32_t i, bool fused)
{
	const struct sim_block *block = builder->source;
	const struct sim_record_source source = {
		.insn = &block->block->insns[i],
		.second = fused ? &block->block->insns[i + 1] : NULL,
		.timing = &block->timings[i],
		.second_timing = fused ? &block->timings[i + 1] : NULL,
		.no_micro_fusion = builder->no_micro_fusion,
	};
	struct sim_record record;

	sim_record_make(builder->program, &source, &builder->names, &record);
	record.insn.insn = i;
	add_record(builder, &record);
	takt_writers_step(&builder->names, source.insn);
	if (fused)
		takt_writers_step(&builder->names, source.second);
}

/* ---- memory dependences ------------------------------------------------------------------ */

/* Return the record that holds instruction `insn` of the block. */
static const struct sim_insn *made_of(const struct builder *builder, uint32_t insn)
{
	uint32_t after;

	TAKT_BISECT(after, builder->insn_count, builder->insns[after].insn <= insn);
	return &builder->insns[after ? after - 1 : 0];
}

static void add_edge(struct builder *builder, const struct takt_memory_edge *edge)
{
	const struct sim_insn *store = made_of(builder, edge->store);
	const struct sim_insn *load = made_of(builder, edge->load);
	struct sim_memory *loaded = &builder->memories[load->memories + edge->load_memory];
	const struct sim_memory *stored = &builder->memories[store->memories + edge->store_memory];

	if (edge->load_memory >= load->memory_count || edge->store_memory >= store->memory_count ||
	    !loaded->load || !stored->store)
		return;
	if (!loaded->edge_count)
		loaded->first_edge = builder->edge_count;
	loaded->edge_count++;
	builder->edges[builder->edge_count++] = (struct sim_memory_edge){
		.store_index = stored->store_index,
		.iterations = edge->iterations,
		.fails = edge->overlap != TAKT_OVERLAP_CONTAINED,
		.renamed = takt_memory_edge_is_renamed(
			builder->program->model, builder->source->block, edge, builder->loop)};
	if (stored->non_temporal_cycles > builder->program->non_temporal_cycles)
		builder->program->non_temporal_cycles = stored->non_temporal_cycles;
	if (edge->iterations > builder->program->max_distance)
		builder->program->max_distance = edge->iterations;
}

/* Set the banks of loads, on cores where loads of one bank wait for each other. */
static void set_banks(struct builder *builder)
{
	for (uint32_t i = 0; i < builder->insn_count; i++) {
		const struct sim_insn *insn = &builder->insns[i];

		for (struct sim_uop *uop = &builder->uops[insn->uops], *end = uop + insn->uop_count;
		     uop < end; uop++)
			if (uop->kind == SIM_UOP_LOAD) {
				uop->banks = builder->memories[insn->memories + uop->memory].banks;
				if (uop->banks)
					uop->choice = SIM_CHOICE_OTHER;
			}
	}
}

static uint32_t memory_ports(const struct takt_model *model)
{
	struct takt_access_ports access;

	takt_model_access_ports(model, false, 8, false, &access);
	return access.load | access.store_address | access.store_data;
}

/*
 * True if the jump after `insn`, which comes next, is at the beginning of a line, which keeps it
 * from fusing. In copies it lies elsewhere each time, which is ignored.
 */
static bool begins_line(const struct builder *builder, const struct sim_options *options,
			const struct takt_insn *insn)
{
	uint64_t address = options->placed
				   ? insn->address
				   : options->alignment_bytes + builder->program->length_bytes;

	return builder->loop && !builder->program->params->fuse_across_lines &&
	       (address + insn->length_bytes) % TAKT_LINE_BYTES == 0;
}

/* Find the addresses of the records of a block whose instructions are placed. */
static void find_addresses(const struct builder *builder)
{
	const struct takt_insn *insns = builder->source->block->insns;
	uint64_t *addresses = TAKT_NEW_ARRAY(builder->arena, builder->insn_count, uint64_t);

	for (uint32_t i = 0; i < builder->insn_count; i++)
		addresses[i] = insns[builder->insns[i].insn].address;
	builder->program->addresses = addresses;
}

/* Find the two schedulers that take what loads or stores in one half of a cycle's slots each. */
static void find_halves(struct sim_program *program)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < program->scheduler_count && found < SIM_HALVES; i++) {
		const struct takt_scheduler *scheduler = &program->schedulers[i];

		if (scheduler->ports & ~program->memory_ports ||
		    __builtin_popcount(scheduler->ports) < 2)
			continue;
		program->half_ports[found++] = scheduler->ports;
		program->half_entries = scheduler->entries;
	}
	if (found < SIM_HALVES)
		memset(program->half_ports, 0, sizeof(program->half_ports));
}

static void find_schedulers(struct sim_program *program)
{
	uint32_t memory = program->memory_ports;

	program->schedulers = takt_model_schedulers(program->model, &program->scheduler_count);
	program->scheduler_least = UINT32_MAX;
	for (uint32_t i = 0; i < program->scheduler_count; i++) {
		const struct takt_scheduler *scheduler = &program->schedulers[i];

		if (scheduler->entries < program->scheduler_least)
			program->scheduler_least = scheduler->entries;
		if (scheduler->ports & memory && scheduler->ports & ~memory)
			program->schedulers_mixed = true;
		if (!scheduler->queue_entries)
			continue;
		program->queued_ports |= scheduler->ports;
		program->queued_entries += scheduler->entries;
		program->queued_places += scheduler->entries + (uint32_t)scheduler->queue_entries;
	}
	if (program->params->memory_scheduler_halves)
		find_halves(program);
}

void sim_program_init(struct sim_program *program, const struct takt_model *model)
{
	program->model = model;
	program->params = takt_model_params(model);
	program->in_order = takt_sim_is_in_order(program->params);
	program->branch_ports = takt_model_class_ports(model, TAKT_CLASS_BRANCH);
	program->alu_ports = takt_model_class_ports(model, TAKT_CLASS_INT);
	program->alu_count = (uint32_t)__builtin_popcount(program->alu_ports);
	program->memory_ports = memory_ports(model);
	find_schedulers(program);
	program->alu_schedulers = sim_schedulers_of(program, program->alu_ports);
}

/* Trim the program; explanations name sources that have always been ready, too. */
static void trim(struct builder *builder, const struct sim_options *options)
{
	const struct sim_tables tables = {builder->insns,   builder->insn_count, builder->uops,
					  builder->sources, builder->results,	 builder->memories};
	bool *used = TAKT_NEW_ARRAY(builder->arena, SIM_PART_COUNT, bool);

	sim_tables_trim(&tables, options->ret_stalls != NULL, used);
	builder->program->used = used;
}

const struct sim_program *sim_program_new(const struct sim_block *source,
					  const struct sim_options *options,
					  struct takt_arena *arena)
{
	uint32_t count = source->block->count;
	struct sim_program *program = TAKT_NEW(arena, struct sim_program);
	struct builder builder = {.source = source,
				  .arena = arena,
				  .program = program,
				  .loop = options->loop,
				  .no_micro_fusion = options->no_micro_fusion};

	sim_program_init(program, source->model);
	takt_writers_init(&builder.names, program->params);
	builder.insns = TAKT_NEW_ARRAY(arena, count, struct sim_insn);
	for (uint32_t i = 0; i < count; i++) {
		bool fused = i + 1 < count && source->fused[i + 1] &&
			     !begins_line(&builder, options, &source->block->insns[i]);

		add_insn(&builder, i, fused);
		i += fused;
	}
	sim_lines_find(source, options->pointer_shift_bytes, program->params, builder.insns,
		       builder.insn_count, builder.memories);
	if (program->params->loads_per_bank)
		set_banks(&builder);
	builder.edges = TAKT_NEW_ARRAY(arena, source->edge_count, struct sim_memory_edge);
	for (uint32_t e = 0; e < source->edge_count; e++)
		add_edge(&builder, &source->edges[e]);
	if (options->placed)
		find_addresses(&builder);
	trim(&builder, options);
	program->insns = builder.insns;
	program->insn_count = builder.insn_count;
	program->uops = builder.uops;
	program->sources = builder.sources;
	program->results = builder.results;
	program->memories = builder.memories;
	program->edges = builder.edges;
	return program;
}
