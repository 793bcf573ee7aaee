/* SPDX-License-Identifier: MIT */
/*
 * The graph. A first pass numbers the defs and finds each location's last writer; a
 * second one gives every def of an instruction an edge from the writer of everything the
 * instruction reads, with the latency of that operand pair.
 */
#include <string.h>

#include "depend/memory.h"
#include "depend/names.h"

/* Loads with a larger displacement do not take the short path to the cache. */
#define FAST_LOAD_DISPLACEMENT_MAX 2047
/* Additions that rename can do: constants of eleven bits. */
#define RENAMED_ADDEND_MIN (-1024)
#define RENAMED_ADDEND_MAX 1023
#define SLOT_END 255u /* a pseudo def: where an instruction without results ends */

struct read {
	struct takt_writer writer;
	uint8_t slot, location;
	bool is_address;
	int16_t adjust_cycles; /* of the latency: short path, store forwarding */
};

struct builder {
	const struct takt_model *model;
	const struct takt_core_params *params;
	const struct takt_block *block;
	const struct takt_timing *timings;
	const struct takt_graph_options *options;
	struct takt_arena *arena;
	const struct takt_forward *forwards;
	uint32_t *insn_defs; /* first def of each instruction, insn count + 1 */
	struct takt_def *defs;
	struct takt_edge *edges;
	uint32_t *first_edge;
	uint32_t def_count, edge_count;
	struct takt_memory_edge *memory_edges;
	uint32_t memory_edge_count;
	struct read reads[2 * TAKT_ACCESSES_MAX];
	uint32_t read_count;
};

/* rsp + constant by push, pop, call, ret: ready whenever rsp is. */
static bool is_renamed_away(const struct builder *builder, const struct takt_access *access)
{
	return access->flags & TAKT_STACK_ENGINE && builder->params->stack_engine;
}

static bool is_flag_group(uint8_t location)
{
	return location == TAKT_LOC_CF || location == TAKT_LOC_OF || location == TAKT_LOC_SZAP;
}

/* ---- first pass: defs ----------------------------------------------------------- */

/* All flag groups of an instruction are one def: they have one latency. */
static uint32_t add_def(struct builder *builder, uint32_t insn, const struct takt_access *access)
{
	for (uint32_t def = builder->insn_defs[insn]; def < builder->def_count; def++)
		if (is_flag_group(access->location) && is_flag_group(builder->defs[def].location))
			return def;
	builder->defs[builder->def_count] =
		(struct takt_def){insn, access->slot, access->location};
	return builder->def_count++;
}

static uint32_t find_def(const struct builder *builder, uint32_t insn,
			 const struct takt_access *access)
{
	for (uint32_t def = builder->insn_defs[insn]; def < builder->insn_defs[insn + 1]; def++) {
		const struct takt_def *have = &builder->defs[def];

		if (have->slot == access->slot &&
		    (have->location == access->location ||
		     (is_flag_group(have->location) && is_flag_group(access->location))))
			return def;
	}
	return TAKT_NO_DEF;
}

/* Numbers the defs; leaves in `writers` who wrote what last. */
static void number_defs(struct builder *builder, struct takt_writers *writers)
{
	const struct takt_block *block = builder->block;
	size_t most = 0;

	for (uint32_t i = 0; i < block->count; i++)
		most += block->insns[i].access_count + 1u;
	builder->defs = TAKT_NEW_ARRAY(builder->arena, most, struct takt_def);
	builder->insn_defs = TAKT_NEW_ARRAY(builder->arena, block->count + 1, uint32_t);
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];

		builder->insn_defs[i] = builder->def_count;
		for (unsigned a = 0; a < insn->access_count; a++) {
			const struct takt_access *access = &insn->accesses[a];
			uint32_t def;

			if (!(access->flags & TAKT_WRITE) || is_renamed_away(builder, access))
				continue;
			def = add_def(builder, i, access);
			if (access->location)
				takt_writers_set(writers, insn, access, def);
		}
		if (builder->def_count == builder->insn_defs[i] && !builder->options->lean)
			builder->defs[builder->def_count++] =
				(struct takt_def){i, SLOT_END, TAKT_LOC_NONE};
		takt_writers_step(writers, insn);
	}
	builder->insn_defs[block->count] = builder->def_count;
}

/* ---- second pass: reads --------------------------------------------------------- */

static void add_read(struct builder *builder, struct takt_writer writer,
		     const struct takt_access *access, uint8_t location, int adjust_cycles)
{
	if (builder->read_count == TAKT_COUNT_OF(builder->reads))
		return;
	builder->reads[builder->read_count++] =
		(struct read){.writer = writer,
			      .slot = access->slot,
			      .location = location,
			      .is_address = access->flags & TAKT_ADDRESS,
			      .adjust_cycles = (int16_t)adjust_cycles};
}

static const struct takt_memory *memory_of_slot(const struct takt_insn *insn, uint8_t slot,
						unsigned *ret_index)
{
	for (unsigned m = 0; m < insn->memory_count; m++)
		if (insn->memories[m].slot == slot && !insn->memories[m].address_only) {
			*ret_index = m;
			return &insn->memories[m];
		}
	return NULL;
}

/* A load of a whole general register, and nothing else. */
static bool is_plain_load(const struct takt_insn *insn)
{
	return insn->insn_class == TAKT_CLASS_MOVE && insn->flags & TAKT_INSN_LOADS &&
	       !(insn->flags & (TAKT_INSN_STORES | TAKT_INSN_VECTOR | TAKT_INSN_X87));
}

/*
 * The short path of older cores: a load whose base came straight from a load, with a
 * small displacement and no index, is a cycle faster (uiCA paper, section 4).
 */
static int fast_load_adjustment(const struct builder *builder, const struct takt_insn *insn,
				const struct takt_access *access, struct takt_writer writer)
{
	const struct takt_core_params *params = builder->params;
	const struct takt_memory *memory = insn->memories;

	if (!params->load_latency_fast || access->slot != TAKT_SLOT_BASE ||
	    writer.def == TAKT_NO_DEF || !(insn->flags & TAKT_INSN_LOADS) ||
	    insn->flags & (TAKT_INSN_INDEXED | TAKT_INSN_VECTOR) || memory->displacement < 0 ||
	    memory->displacement > FAST_LOAD_DISPLACEMENT_MAX)
		return 0;
	if (!is_plain_load(&builder->block->insns[builder->defs[writer.def].insn]))
		return 0;
	return params->load_latency_fast - params->load_latency_int;
}

static bool has_pair_from(const struct takt_timing *timing, uint8_t slot)
{
	for (unsigned i = 0; i < timing->latency_count; i++)
		if (timing->latencies[i].source == slot)
			return true;
	return false;
}

/*
 * A load's value that comes from a store. uops.info measures both halves of the way
 * (value → memory in the store's row, memory → result in the load's), so their sum is
 * right; where the load's row lacks its half, the core's forwarding time makes it up.
 */
static void read_memory(struct builder *builder, uint32_t i, const struct takt_access *access)
{
	const struct takt_insn *insn = &builder->block->insns[i];
	const struct takt_forward *forward;
	struct takt_access stored = {.location = TAKT_LOC_NONE};
	struct takt_writer writer;
	unsigned m = 0;
	int adjust = 0;

	if (!builder->forwards || !memory_of_slot(insn, access->slot, &m))
		return;
	forward = &builder->forwards[i * TAKT_MEMORIES_MAX + m];
	if (forward->store_insn == UINT32_MAX)
		return;
	stored.slot = forward->store_slot;
	writer = (struct takt_writer){find_def(builder, forward->store_insn, &stored),
				      forward->iterations};
	if (writer.def == TAKT_NO_DEF)
		return;
	if (!has_pair_from(&builder->timings[i], access->slot))
		adjust = builder->params->store_forward_cycles -
			 (int)builder->timings[forward->store_insn].latency_default -
			 (int)builder->timings[i].latency_default;
	add_read(builder, writer, access, TAKT_LOC_NONE, adjust);
}

static void read_register(struct builder *builder, const struct takt_writers *writers,
			  const struct takt_insn *insn, const struct takt_access *access)
{
	uint8_t location = takt_location_read(writers, insn, access);
	uint8_t high8 = takt_location_high8(writers, location, access->size_bytes);
	struct takt_writer writer = writers->at[location];

	add_read(builder, writer, access, location,
		 fast_load_adjustment(builder, insn, access, writer));
	if (high8 && writers->at[high8].def != writer.def)
		add_read(builder, writers->at[high8], access, high8, 0);
}

static void gather_reads(struct builder *builder, const struct takt_writers *writers, uint32_t i)
{
	const struct takt_insn *insn = &builder->block->insns[i];
	bool cut = builder->timings[i].flags & (TAKT_TIMING_ZERO | TAKT_TIMING_BREAKS);

	builder->read_count = 0;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (!(access->flags & TAKT_READ)) {
			/* ah inside rax: a write of it keeps the rest where it has no name of its own. */
			if (access->location < TAKT_LOC_HIGH8 ||
			    access->location >= TAKT_LOC_VECTOR || writers->high8_renamed)
				continue;
		}
		/* sbb of a register with itself still waits for the carry. */
		if (cut && !(access->flags & TAKT_ADDRESS) && access->slot != TAKT_SLOT_FLAGS)
			continue;
		if (access->location)
			read_register(builder, writers, insn, access);
		else
			read_memory(builder, i, access);
	}
}

/* ---- second pass: edges ---------------------------------------------------------- */

static uint32_t pair_latency(const struct builder *builder, uint32_t i, const struct read *read,
			     const struct takt_def *def)
{
	const struct takt_timing *timing = &builder->timings[i];
	const struct takt_insn *insn = &builder->block->insns[i];
	int64_t latency;
	struct takt_affine affine;

	if (timing->flags & TAKT_TIMING_ELIM || def->slot == SLOT_END)
		return 0;
	if (builder->params->immediate_add_elimination && takt_insn_is_affine(insn, &affine) &&
	    affine.immediate_add && affine.addend >= RENAMED_ADDEND_MIN &&
	    affine.addend <= RENAMED_ADDEND_MAX && def->slot == TAKT_SLOT_1)
		return 0;
	latency = (int64_t)takt_timing_latency(timing, read->slot, def->slot) + read->adjust_cycles;
	return latency < 0 ? 0 : latency > UINT16_MAX ? UINT16_MAX : (uint32_t)latency;
}

static void add_edges(struct builder *builder, uint32_t i)
{
	bool exchange = takt_insn_is_exchange(&builder->block->insns[i]);

	for (uint32_t d = builder->insn_defs[i]; d < builder->insn_defs[i + 1]; d++) {
		const struct takt_def *def = &builder->defs[d];

		builder->first_edge[d] = builder->edge_count;
		for (uint32_t r = 0; r < builder->read_count; r++) {
			const struct read *read = &builder->reads[r];

			if (exchange && read->slot == def->slot)
				continue;
			builder->edges[builder->edge_count++] = (struct takt_edge){
				.from = read->writer.def,
				.to = d,
				.latency_cycles =
					(uint16_t)pair_latency(builder, i, read, def),
				.iterations = read->writer.iteration,
				.source_slot = read->slot,
				.location = read->location};
		}
	}
}

static void add_memory_edges(struct builder *builder, uint32_t i)
{
	for (uint32_t r = 0; r < builder->read_count; r++) {
		const struct read *read = &builder->reads[r];
		uint32_t most = 0;

		if (read->location != TAKT_LOC_NONE)
			continue;
		for (uint32_t d = builder->insn_defs[i]; d < builder->insn_defs[i + 1]; d++) {
			uint32_t latency = pair_latency(builder, i, read, &builder->defs[d]);

			most = latency > most ? latency : most;
		}
		builder->memory_edges[builder->memory_edge_count++] = (struct takt_memory_edge){
			.store = builder->defs[read->writer.def].insn,
			.load = i,
			.iterations = read->writer.iteration,
			.latency_cycles = (uint16_t)most};
	}
}

/* Room for every (read, def) pair. */
static void allocate_edges(struct builder *builder)
{
	size_t most = 0, memories = 0;

	for (uint32_t i = 0; i < builder->block->count; i++) {
		const struct takt_insn *insn = &builder->block->insns[i];

		/* A read may split in two: rax and ah. */
		most += (size_t)(builder->insn_defs[i + 1] - builder->insn_defs[i]) *
			insn->access_count * 2;
		memories += insn->memory_count;
	}
	builder->edges = TAKT_NEW_ARRAY(builder->arena, most, struct takt_edge);
	builder->first_edge = TAKT_NEW_ARRAY(builder->arena, builder->def_count + 1, uint32_t);
	builder->memory_edges = TAKT_NEW_ARRAY(builder->arena, memories, struct takt_memory_edge);
}

static void connect(struct builder *builder, struct takt_writers *writers)
{
	const struct takt_block *block = builder->block;

	allocate_edges(builder);
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];

		gather_reads(builder, writers, i);
		add_edges(builder, i);
		if (!builder->options->lean)
			add_memory_edges(builder, i);
		for (unsigned a = 0; a < insn->access_count; a++) {
			const struct takt_access *access = &insn->accesses[a];

			if (access->flags & TAKT_WRITE && access->location &&
			    !is_renamed_away(builder, access))
				takt_writers_set(writers, insn, access,
						 find_def(builder, i, access));
		}
		takt_writers_step(writers, insn);
	}
	builder->first_edge[builder->def_count] = builder->edge_count;
}

void takt_graph_build(const struct takt_model *model, const struct takt_block *block,
		      const struct takt_timing *timings, const struct takt_graph_options *options,
		      struct takt_arena *arena, struct takt_graph *ret_graph)
{
	struct builder builder = {.model = model,
				  .params = takt_model_params(model),
				  .block = block,
				  .timings = timings,
				  .options = options,
				  .arena = arena};
	struct takt_writers writers = {.high8_renamed = builder.params->high8_renamed};

	memset(writers.at, 0xff, sizeof(writers.at)); /* TAKT_NO_DEF */
	for (unsigned i = 0; i < TAKT_LOC_COUNT; i++)
		writers.at[i].iteration = 0;
	number_defs(&builder, &writers);
	if (options->loop) {
		takt_writers_next_iteration(&writers);
	} else {
		memset(writers.at, 0xff, sizeof(writers.at));
		for (unsigned i = 0; i < TAKT_LOC_COUNT; i++)
			writers.at[i].iteration = 0;
		writers.x87_top = 0;
	}
	if (!options->no_memory_dependences)
		builder.forwards = takt_forwards_find(block, options->loop, arena);
	connect(&builder, &writers);
	*ret_graph = (struct takt_graph){.defs = builder.defs,
					 .def_count = builder.def_count,
					 .edges = builder.edges,
					 .first_edge = builder.first_edge,
					 .edge_count = builder.edge_count,
					 .memory_edges = builder.memory_edges,
					 .memory_edge_count = builder.memory_edge_count,
					 .insn_count = block->count};
}
