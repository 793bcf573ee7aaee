/* SPDX-License-Identifier: MIT */
/* Making a program: instruction by instruction, in arrays that grow in the arena. */
#include <string.h>

#include "sim/program.h"

#define LINE_BYTES 64u

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

/* Appends `count` elements; `*items` may move. */
static uint32_t append(struct takt_arena *arena, void **items, uint32_t *count, uint32_t *capacity,
		       const void *added, uint32_t added_count, size_t size_bytes)
{
	uint32_t first = *count;

	if (first + added_count > *capacity) {
		*capacity = (first + added_count) * 2;
		*items = takt_arena_grow(arena, *items, first, *capacity, size_bytes);
	}
	if (added_count)
		memcpy((char *)*items + first * size_bytes, added, added_count * size_bytes);
	*count += added_count;
	return first;
}

#define APPEND(builder, items, item, added, added_count)                                     \
	append((builder)->arena, (void **)&(builder)->items, &(builder)->item##_count,       \
	       &(builder)->item##_capacity, added, added_count, sizeof(*(builder)->items))

/* ---- flags ---------------------------------------------------------------------------- */

static bool touches_rsp(const struct takt_insn *insn, bool stack_engine)
{
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->location == TAKT_LOC_RSP &&
		    !(access->flags & TAKT_STACK_ENGINE) == !stack_engine)
			return true;
	}
	return false;
}

static bool writes_high8(const struct takt_insn *insn)
{
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->flags & TAKT_WRITE && access->location >= TAKT_LOC_HIGH8 &&
		    access->location < TAKT_LOC_VECTOR)
			return true;
	}
	return false;
}

/* Its encoding has the bits that else announce an index byte. */
static bool pops_index_register(const struct takt_insn *insn)
{
	if (insn->rsp_delta <= 0 || !(insn->flags & TAKT_INSN_LOADS))
		return false;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->slot == TAKT_SLOT_1 && access->flags & TAKT_WRITE &&
		    (access->location == TAKT_LOC_RSP || access->location == TAKT_LOC_RSP + 8))
			return true;
	}
	return false;
}

static uint32_t insn_flags(const struct takt_model *model, const struct takt_insn *insn,
			   const struct takt_timing *timing)
{
	const struct takt_core_params *params = takt_model_params(model);
	bool pops_index = params->pop_index_complex && pops_index_register(insn);
	const struct {
		bool holds;
		uint32_t flag;
	} table[] = {
		{insn->flags & TAKT_INSN_BRANCH, SIM_INSN_BRANCH},
		{takt_model_may_fuse(model, insn), SIM_INSN_MAY_FUSE},
		{insn->flags & TAKT_INSN_LCP, SIM_INSN_LCP},
		{timing->flags & TAKT_TIMING_COMPLEX || pops_index, SIM_INSN_COMPLEX},
		{pops_index && params->pop_index_ends_group, SIM_INSN_ENDS_GROUP},
		{timing->ms > 0, SIM_INSN_MICROCODE},
		{touches_rsp(insn, true), SIM_INSN_RSP_IMPLICIT},
		/* What is added to rsp at rename goes into the stack engine's offset. */
		{touches_rsp(insn, false) &&
			 !takt_is_renamed_addition(params, insn),
		 SIM_INSN_RSP_EXPLICIT},
		{writes_high8(insn), SIM_INSN_HIGH8_WRITE},
		{takt_insn_has_wide_immediate(insn), SIM_INSN_EXTRA_SLOT},
		{timing->flags & TAKT_TIMING_ZERO, SIM_INSN_ZERO},
		{timing->flags & TAKT_TIMING_ELIM, SIM_INSN_MOVE},
		{insn->flags & TAKT_INSN_SERIALIZING, SIM_INSN_SERIALIZING},
		{timing->flags & TAKT_TIMING_ELIM && insn->flags & TAKT_INSN_VECTOR,
		 SIM_INSN_VECTOR_MOVE},
		{timing->flags & TAKT_TIMING_ELIM && insn->accesses[0].size_bytes == 8,
		 SIM_INSN_WIDE_MOVE},
	};
	uint32_t flags = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(table); i++)
		if (table[i].holds)
			flags |= table[i].flag;
	return flags;
}

/* ---- one instruction ------------------------------------------------------------------- */

static void set_decoding(struct sim_insn *made, const struct takt_insn *insn,
			 const struct takt_insn *branch, const struct takt_timing *timing)
{
	unsigned decoded = takt_timing_decoded_slots(timing);

	made->mite_slots = (uint8_t)(decoded < UINT8_MAX ? decoded : UINT8_MAX);
	made->microcode_slots = (uint16_t)takt_timing_microcode_slots(timing);
	made->constant_count =
		(uint8_t)(insn->constant_count + (branch ? branch->constant_count : 0));
	made->issue_slots = timing->slots ? timing->slots : 1;
	if (insn->flags & TAKT_INSN_SERIALIZING)
		made->serial_cycles = (uint16_t)((timing->rthroughput_hundredths + 50u) / 100u);
	made->simple_decoders = timing->simple_decoders;
	made->first_length_bytes = insn->length_bytes;
	made->length_bytes = insn->length_bytes;
	made->opcode_offset_bytes = insn->opcode_offset_bytes;
	if (branch) {
		made->length_bytes = (uint8_t)(insn->length_bytes + branch->length_bytes);
		made->second_opcode_offset_bytes = branch->opcode_offset_bytes;
	}
}

/* Ports of a move that rename could not eliminate: those of the row for one register. */
static uint32_t move_ports(const struct takt_model *model, const struct takt_insn *insn)
{
	struct takt_insn same = *insn;
	struct takt_timing_storage storage;
	struct takt_timing timing;

	same.flags |= TAKT_INSN_SAME;
	takt_model_timing(model, &same, &storage, &timing);
	return timing.uops_count ? timing.uops[0].ports : takt_model_class_ports(model, TAKT_CLASS_INT);
}

/* A slot for every µop that takes a port. */
static uint16_t unfused_slots(const struct sim_insn *made, const struct sim_uops *uops)
{
	unsigned count = 0;

	for (unsigned i = 0; i < uops->count; i++)
		count += uops->uops[i].ports != 0;
	return (uint16_t)(count > made->issue_slots ? count : made->issue_slots);
}

/* Sources in the order of their groups. */
static void sort_sources(struct sim_flow *flow)
{
	for (unsigned end = 1; end < flow->source_count; end++) {
		struct sim_source source = flow->sources[end];
		unsigned at = end;

		for (; at && flow->sources[at - 1].group > source.group; at--)
			flow->sources[at] = flow->sources[at - 1];
		flow->sources[at] = source;
	}
}

/* How many sources are of groups below this one. */
static unsigned sources_below(const struct sim_flow *flow, unsigned group)
{
	unsigned count = 0;

	while (count < flow->source_count && flow->sources[count].group < group)
		count++;
	return count;
}

uint16_t sim_schedulers_of(const struct sim_program *program, uint32_t ports)
{
	unsigned mask = 0;

	for (uint32_t i = 0; i < program->scheduler_count; i++)
		if (program->schedulers[i].ports & ports)
			mask |= 1u << i;
	return (uint16_t)mask;
}

static void complete_uops(const struct sim_program *program, const struct sim_flow *flow,
			  struct sim_uops *uops)
{
	for (unsigned i = 0; i < uops->count; i++) {
		struct sim_uop *uop = &uops->uops[i];
		unsigned group = uop->group, end = group + 1u;

		if (uop->kind != SIM_UOP_COMPUTE) {
			group = SIM_GROUP_ADDRESS + uop->memory;
			end = group + 1u;
		} else if (uop->group == SIM_GROUP_ALL) {
			group = 0;
			end = SIM_GROUP_ADDRESS;
		}
		uop->schedulers = sim_schedulers_of(program, uop->ports);
		uop->first_source = (uint16_t)sources_below(flow, group);
		uop->source_count = (uint8_t)(sources_below(flow, end) - uop->first_source);
	}
}

static uint8_t free_groups(const struct sim_flow *flow, const struct sim_uops *uops)
{
	unsigned groups = (1u << flow->group_count) - 1;

	for (unsigned i = 0; i < uops->count; i++)
		if (uops->uops[i].kind == SIM_UOP_COMPUTE && uops->uops[i].group < SIM_GROUPS_MAX)
			groups &= ~(1u << uops->uops[i].group);
	return (uint8_t)groups;
}

static void add_flow(struct builder *builder, struct sim_insn *made, const struct takt_insn *insn,
		     const struct takt_timing *timing, const struct takt_timing *branch)
{
	struct sim_flow flow;
	struct sim_uops uops;

	sim_uops_find(builder->source->model, insn, timing, branch, &uops);
	sim_flow_find(builder->source->model, insn, timing, &builder->names, uops.compute_count,
		      &flow);
	if (builder->no_micro_fusion)
		made->issue_slots = unfused_slots(made, &uops);
	sim_uops_arrange(&uops, &flow, made->issue_slots);
	sort_sources(&flow);
	complete_uops(builder->program, &flow, &uops);
	made->uops = APPEND(builder, uops, uop, uops.uops, uops.count);
	made->uop_count = (uint16_t)uops.count;
	made->sources = APPEND(builder, sources, source, flow.sources, flow.source_count);
	made->source_count = (uint8_t)flow.source_count;
	made->results = APPEND(builder, results, result, flow.results, flow.result_count);
	made->result_count = (uint8_t)flow.result_count;
	made->group_count = (uint8_t)flow.group_count;
	for (unsigned g = 0; g < flow.group_count; g++)
		made->group_ends[g] = (uint8_t)sources_below(&flow, g + 1);
	made->free_groups = free_groups(&flow, &uops);
	memcpy(made->lead_cycles, flow.lead_cycles, sizeof(made->lead_cycles));
	memcpy(made->done_cycles, flow.done_cycles, sizeof(made->done_cycles));
	for (unsigned m = 0; m < flow.memory_count; m++)
		if (flow.memories[m].store)
			flow.memories[m].store_index = builder->program->store_count++;
	made->memories = APPEND(builder, memories, memory, flow.memories, flow.memory_count);
	made->memory_count = (uint8_t)flow.memory_count;
}

static void add_insn(struct builder *builder, uint32_t i, bool fused)
{
	const struct sim_block *source = builder->source;
	const struct takt_insn *insn = &source->block->insns[i];
	const struct takt_insn *branch = fused ? insn + 1 : NULL;
	struct sim_insn *made = &builder->insns[builder->insn_count++];

	made->insn = i;
	made->flags = insn_flags(source->model, insn, &source->timings[i]);
	if (fused)
		made->flags |= SIM_INSN_FUSED | SIM_INSN_BRANCH;
	set_decoding(made, insn, branch, &source->timings[i]);
	if (made->flags & SIM_INSN_MOVE)
		made->move_ports = move_ports(source->model, insn);
	add_flow(builder, made, insn, &source->timings[i],
		 fused ? &source->timings[i + 1] : NULL);
	builder->program->length_bytes += made->length_bytes;
	builder->program->slots += made->mite_slots + made->microcode_slots;
	takt_writers_step(&builder->names, insn);
	if (branch)
		takt_writers_step(&builder->names, branch);
}

/* ---- memory dependences ------------------------------------------------------------------ */

/* The made instruction that holds instruction `insn` of the block. */
static const struct sim_insn *made_of(const struct builder *builder, uint32_t insn)
{
	uint32_t low = 0, high = builder->insn_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (builder->insns[middle].insn <= insn)
			low = middle;
		else
			high = middle;
	}
	return &builder->insns[low];
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
	builder->edges[builder->edge_count++] =
		(struct sim_memory_edge){.store_index = stored->store_index,
					 .iterations = edge->iterations,
					 .fails = edge->overlap != TAKT_OVERLAP_CONTAINED,
					 .renamed = takt_memory_edge_is_renamed(
						 builder->program->params, builder->source->block, edge,
						 builder->loop)};
	if (edge->iterations > builder->program->max_distance)
		builder->program->max_distance = edge->iterations;
}

/* On cores where loads wait for each other's parts of the cache. */
static void set_banks(struct builder *builder)
{
	for (uint32_t i = 0; i < builder->insn_count; i++) {
		const struct sim_insn *insn = &builder->insns[i];

		for (struct sim_uop *uop = &builder->uops[insn->uops],
				    *end = uop + insn->uop_count;
		     uop < end; uop++)
			if (uop->kind == SIM_UOP_LOAD)
				uop->banks = builder->memories[insn->memories + uop->memory].banks;
	}
}

static uint32_t memory_ports(const struct takt_model *model)
{
	struct takt_access_ports access;

	takt_model_access_ports(model, false, 8, false, &access);
	return access.load | access.store_address | access.store_data;
}

/* Whether the jump behind `insn`, which comes next, is at the beginning of a line that keeps
 * it from fusing. In copies it lies elsewhere each time, and is let go. */
static bool begins_line(const struct builder *builder, const struct sim_options *options,
			const struct takt_insn *insn)
{
	return builder->loop && !builder->program->params->fuse_across_lines &&
	       (options->alignment_bytes + builder->program->length_bytes + insn->length_bytes) %
			       LINE_BYTES == 0;
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
	}
}

const struct sim_program *sim_program_new(const struct sim_block *source,
					  const struct sim_options *options,
					  struct takt_arena *arena)
{
	uint32_t count = source->block->count;
	struct sim_program *program = TAKT_NEW(arena, struct sim_program);
	struct builder builder = {.source = source, .arena = arena, .program = program,
				  .loop = options->loop,
				  .no_micro_fusion = options->no_micro_fusion};

	program->model = source->model;
	program->params = takt_model_params(source->model);
	program->in_order = takt_sim_is_in_order(program->params);
	program->port_count = takt_model_port_count(source->model);
	program->alu_ports = takt_model_class_ports(source->model, TAKT_CLASS_INT);
	program->alu_count = (uint32_t)__builtin_popcount(program->alu_ports);
	program->memory_ports = memory_ports(source->model);
	find_schedulers(program);
	program->alu_schedulers = sim_schedulers_of(program, program->alu_ports);
	takt_writers_init(&builder.names, program->params);
	builder.insns = TAKT_NEW_ARRAY(arena, count, struct sim_insn);
	for (uint32_t i = 0; i < count; i++) {
		bool fused = i + 1 < count && source->fused[i + 1] &&
			     !begins_line(&builder, options, &source->block->insns[i]);

		add_insn(&builder, i, fused);
		i += fused;
	}
	sim_lines_find(source->block, options->pointer_shift_bytes, builder.insns,
		       builder.insn_count, builder.memories);
	if (program->params->loads_per_bank)
		set_banks(&builder);
	builder.edges = TAKT_NEW_ARRAY(arena, source->edge_count, struct sim_memory_edge);
	for (uint32_t e = 0; e < source->edge_count; e++)
		add_edge(&builder, &source->edges[e]);
	program->insns = builder.insns;
	program->insn_count = builder.insn_count;
	program->uops = builder.uops;
	program->sources = builder.sources;
	program->results = builder.results;
	program->memories = builder.memories;
	program->edges = builder.edges;
	return program;
}
