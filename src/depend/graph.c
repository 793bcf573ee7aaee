/* SPDX-License-Identifier: MIT */
/*
 * Builds the graph. A first pass numbers the defs and finds each location's last writer; a
 * second one gives every def of an instruction an edge from the writer of each operand that the
 * instruction reads, with the latency of that operand pair.
 */
#include "depend/fast_load.h"

#define SLOT_END TAKT_SLOT_ANY /* slot of a pseudo def */

/* Reads of an instruction at most. Only a load of bytes from many stores has more; those that do
 * not fit are dropped, since they make it wait no longer than the rest. */
#define READS_MAX (TAKT_PARTS_MAX * TAKT_ACCESSES_MAX + 16u)

struct read {
	uint32_t def;	     /* def of the writer; TAKT_NO_DEF: live-in */
	uint16_t iterations; /* number of iterations since it was written */
	uint8_t slot, location;
	bool is_address;
	int32_t adjust_cycles;		       /* added to the latency: store forwarding, rsp */
	const struct takt_memory_edge *memory; /* the dependence on a store, or NULL */
};

struct builder {
	const struct takt_model *model;
	const struct takt_core_params *params;
	const struct takt_block *block;
	const struct takt_timing *timings;
	const struct takt_graph_options *options;
	struct takt_arena *arena;
	struct takt_memory_dependences memory;
	uint32_t next_memory_edge; /* first edge to this instruction's loads or later ones */
	uint32_t *insn_defs;	   /* first def of each instruction, insn count + 1 */
	struct takt_def *defs;
	struct takt_edge *edges;
	uint32_t *first_edge;
	uint32_t def_count, edge_count;
	struct takt_memory_edge *memory_edges;
	uint32_t memory_edge_count;
	struct read reads[READS_MAX];
	uint32_t read_count;
};

static bool is_flag_group(uint8_t location)
{
	return location == TAKT_LOC_CF || location == TAKT_LOC_OF || location == TAKT_LOC_SZAP;
}

/* ---- first pass: defs ----------------------------------------------------------- */

/* Add a def. All flag groups of an instruction are one def: they have the same latency. */
static uint32_t add_def(struct builder *builder, uint32_t insn, const struct takt_access *access)
{
	for (uint32_t def = builder->insn_defs[insn]; def < builder->def_count; def++)
		if (is_flag_group(access->location) && is_flag_group(builder->defs[def].location))
			return def;
	builder->defs[builder->def_count] = (struct takt_def){insn, access->slot, access->location};
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

/* Number the defs, and leave the last writers at the end of the block in `writers`. */
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

			if (!(access->flags & TAKT_WRITE) ||
			    takt_access_is_renamed_away(builder->params, access))
				continue;
			def = add_def(builder, i, access);
			if (access->location)
				takt_writers_set(writers, insn, access, def);
			else if (takt_is_pair(insn))
				add_def(builder, i, access);
		}
		if (builder->def_count == builder->insn_defs[i] && !builder->options->lean)
			builder->defs[builder->def_count++] =
				(struct takt_def){i, SLOT_END, TAKT_LOC_NONE};
		takt_writers_step(writers, insn);
	}
	builder->insn_defs[block->count] = builder->def_count;
}

/* ---- second pass: reads --------------------------------------------------------- */

static void add_read(struct builder *builder, const struct read *read)
{
	if (builder->read_count < READS_MAX)
		builder->reads[builder->read_count++] = *read;
}

/*
 * Return the cycles to add to the latency of a load whose value comes from a store. Rows give
 * the two halves of the way: the store's from register to memory, the load's from memory to
 * register; their sum is the round trip. If a load's row has one latency for all operands, that
 * is the latency from the address: the cache access in it is then replaced by the load's half
 * of a forwarding.
 */
static int forward_adjustment(const struct builder *builder, uint32_t i, uint8_t slot)
{
	const struct takt_core_params *params = builder->params;
	const struct takt_insn *insn = &builder->block->insns[i];
	bool vector = insn->flags & (TAKT_INSN_VECTOR | TAKT_INSN_X87);

	if (takt_timing_knows_memory(&builder->timings[i], slot))
		return 0;
	return takt_core_forward_cycles(params, insn) - TAKT_STORE_CYCLES -
	       (vector ? params->load_latency_vector : params->load_latency_int);
}

static bool is_renamed(const struct builder *builder, const struct takt_memory_edge *edge)
{
	return takt_memory_edge_is_renamed(builder->model, builder->block, edge,
					   builder->options->repeats);
}

static void read_memory(struct builder *builder, uint32_t i, const struct takt_access *access)
{
	const struct takt_memory_dependences *memory = &builder->memory;

	for (uint32_t e = builder->next_memory_edge;
	     e < memory->edge_count && memory->edges[e].load == i; e++) {
		const struct takt_memory_edge *edge = &memory->edges[e];
		struct takt_access stored = {.location = TAKT_LOC_NONE, .slot = edge->store_slot};
		struct read read = {.def = find_def(builder, edge->store, &stored),
				    .iterations = edge->iterations,
				    .slot = access->slot,
				    .memory = edge};
		int adjust = forward_adjustment(builder, i, access->slot) +
			     (int)takt_non_temporal_cycles(&builder->block->insns[edge->store],
							   &builder->timings[edge->store],
							   edge->store_slot);

		if (edge->load_slot != access->slot || read.def == TAKT_NO_DEF ||
		    is_renamed(builder, edge))
			continue;
		if (takt_is_pair(&builder->block->insns[edge->store]))
			read.def += edge->store_memory;
		if (edge->overlap != TAKT_OVERLAP_CONTAINED)
			adjust += builder->params->store_forward_fail_cycles;
		read.adjust_cycles = adjust;
		add_read(builder, &read);
	}
}

static void read_register(struct builder *builder, const struct takt_writers *writers,
			  const struct takt_insn *insn, const struct takt_access *access)
{
	uint8_t parts[TAKT_PARTS_MAX];
	unsigned count = takt_parts_read(writers, insn, access, parts);
	int delay = 0;

	if (access->location == insn->isa->stack_location && builder->params->stack_engine)
		delay = (int)takt_rsp_delay(writers, insn, access);
	for (unsigned i = 0; i < count; i++) {
		struct takt_writer writer = writers->at[parts[i]];
		bool known = false;

		for (unsigned before = 0; before < i; before++)
			known |= writers->at[parts[before]].def == writer.def;
		if (!known)
			add_read(builder, &(struct read){.def = writer.def,
							 .iterations = writer.iteration,
							 .slot = access->slot,
							 .location = takt_part_location(parts[i]),
							 .is_address = access->flags & TAKT_ADDRESS,
							 .adjust_cycles = delay});
	}
}

/* Add a read for each load from a fixed address: it waits for no register, but takes time. */
static void read_fixed_addresses(struct builder *builder, const struct takt_insn *insn)
{
	static const struct read address = {
		.def = TAKT_NO_DEF, .slot = TAKT_SLOT_BASE, .is_address = true};

	for (unsigned m = 0; m < insn->memory_count; m++)
		if (insn->memories[m].read && !insn->memories[m].base && !insn->memories[m].index)
			add_read(builder, &address);
}

static void gather_reads(struct builder *builder, const struct takt_writers *writers, uint32_t i)
{
	const struct takt_insn *insn = &builder->block->insns[i];

	builder->read_count = 0;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (!takt_access_reads(writers, insn, access) ||
		    takt_access_is_cut(&builder->timings[i], access))
			continue;
		if (access->location)
			read_register(builder, writers, insn, access);
		else
			read_memory(builder, i, access);
	}
	if (!builder->options->lean)
		read_fixed_addresses(builder, insn);
}

/* ---- second pass: edges ---------------------------------------------------------- */

/* True for a floating-point addition whose result reaches other such additions a cycle earlier
 * than it reaches other instructions. */
static bool is_forwarding_addition(const struct builder *builder, uint32_t i)
{
	const struct takt_timing *timing = &builder->timings[i];
	uint32_t adders = takt_model_class_ports(builder->model, TAKT_CLASS_FP_ADD);
	bool by_adders = false;

	if (!builder->params->fp_add_forward_cycles ||
	    builder->block->insns[i].insn_class != TAKT_CLASS_FP_ADD || timing->uop_total > 2)
		return false;
	for (unsigned u = 0; u < timing->uops_count; u++)
		by_adders |= timing->uops[u].ports == adders;
	return by_adders && takt_timing_latency(timing, TAKT_SLOT_1 + 1, TAKT_SLOT_1) ==
				    (uint32_t)builder->params->fp_add_forward_cycles;
}

/* True for an instruction for AES or GF(2^8) on the multipliers' ports. */
static bool is_crypto(const struct builder *builder, uint32_t i)
{
	const struct takt_timing *timing = &builder->timings[i];
	uint32_t multipliers = takt_model_class_ports(builder->model, TAKT_CLASS_FP_MUL);
	bool by_multipliers = false;

	if (builder->params->crypto_leave_cycles <= 0 ||
	    builder->block->insns[i].insn_class != TAKT_CLASS_CRYPTO || timing->uop_total > 2)
		return false;
	for (unsigned u = 0; u < timing->uops_count; u++)
		by_multipliers |= timing->uops[u].ports == multipliers;
	return by_multipliers;
}

/* Return the cycles by which an instruction has the result later that it reads of a kind which it
 * does not belong to. */
static int64_t behind_other_kind(const struct builder *builder, uint32_t i, const struct read *read)
{
	uint32_t from = read->def < builder->def_count ? builder->defs[read->def].insn : i;

	if (from == i || read->memory)
		return 0;
	if (is_crypto(builder, from) && !is_crypto(builder, i))
		return builder->params->crypto_leave_cycles;
	return builder->params->fp_add_forward_cycles && is_forwarding_addition(builder, from) &&
	       !is_forwarding_addition(builder, i);
}

/* Return the extra cycles of an address that is read: those of the instruction's slowest load. */
static uint32_t address_extra(const struct builder *builder, const struct takt_insn *insn,
			      const struct read *read)
{
	uint32_t most = 0;

	for (unsigned m = 0; read->is_address && m < insn->memory_count; m++) {
		uint32_t cycles = takt_address_extra_cycles(builder->params, &insn->memories[m]);

		most = cycles > most ? cycles : most;
	}
	return most;
}

static uint32_t pair_latency(const struct builder *builder, uint32_t i, const struct read *read,
			     const struct takt_def *def)
{
	const struct takt_timing *timing = &builder->timings[i];
	const struct takt_insn *insn = &builder->block->insns[i];
	int64_t latency;

	if (timing->flags & TAKT_TIMING_ELIM || def->slot == SLOT_END)
		return 0;
	if (def->slot == TAKT_SLOT_1 && takt_is_renamed_addition(builder->params, insn))
		return 0;
	latency = def->location ? takt_timing_latency(timing, read->slot, def->slot)
				: takt_stored_latency(insn, timing, read->slot, def->slot);
	if (read->memory)
		latency = takt_locked_latency(insn, timing, read->slot, (uint32_t)latency);
	latency += read->adjust_cycles + behind_other_kind(builder, i, read);
	latency += address_extra(builder, insn, read);
	return latency < 0 ? 0 : latency > UINT16_MAX ? UINT16_MAX : (uint32_t)latency;
}

static void add_edge(struct builder *builder, const struct read *read, uint32_t to,
		     uint32_t latency_cycles)
{
	builder->edges[builder->edge_count++] =
		(struct takt_edge){.from = read->def,
				   .to = to,
				   .latency_cycles = (uint16_t)latency_cycles,
				   .iterations = read->iterations,
				   .source_slot = read->slot,
				   .location = read->location};
}

#define BOTH_HALVES UINT8_MAX

/* Return the half (0 or 1) of a load or store pair to which an operand belongs, or BOTH_HALVES. */
static uint8_t half_of_slot(uint8_t slot)
{
	return slot <= TAKT_SLOT_1 + 1 ? slot : BOTH_HALVES;
}

static uint8_t half_of_def(const struct builder *builder, uint32_t def)
{
	const struct takt_def *defs = builder->defs;

	if (defs[def].location)
		return half_of_slot(defs[def].slot);
	return def > 0 && defs[def - 1].insn == defs[def].insn && !defs[def - 1].location;
}

/* True if the read and the def are different halves of a pair, so that they are independent. */
static bool is_other_half(const struct builder *builder, const struct read *read, uint32_t def)
{
	uint8_t wanted = half_of_def(builder, def);
	uint8_t half = read->memory ? read->memory->load_memory : half_of_slot(read->slot);

	return wanted != BOTH_HALVES && half != BOTH_HALVES && half != wanted;
}

/*
 * True if the def is a pointer that the instruction advances (rsi of lodsb, rsp of push without
 * a stack engine, a written-back base): it depends on nothing but its old value. The pointer of
 * a repeated string instruction also depends on the count.
 */
static bool is_pointer_advance(const struct takt_insn *insn, const struct takt_def *def)
{
	const unsigned all = TAKT_ADDRESS | TAKT_READ | TAKT_WRITE;

	if (def->slot == TAKT_SLOT_BASE)
		return takt_writeback_location(insn) == def->location;
	if (def->slot != TAKT_SLOT_IMPLICIT + def->location ||
	    takt_form_unpack(insn->form).flags & (TAKT_FORM_REP | TAKT_FORM_REPNE))
		return false;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->location == def->location && (access->flags & all) == all)
			return access->flags & TAKT_STACK_ENGINE ||
			       insn->insn_class == TAKT_CLASS_STRING;
	}
	return false;
}

/* Add an edge from no def, so that a result without sources has its latency, too. */
static void add_constant_edge(struct builder *builder, uint32_t i, uint32_t to)
{
	static const struct read nothing = {.def = TAKT_NO_DEF, .slot = TAKT_SLOT_ANY};
	const struct takt_def *def = &builder->defs[to];

	if (!(builder->timings[i].flags & TAKT_TIMING_ZERO) && def->slot != SLOT_END)
		add_edge(builder, &nothing, to, pair_latency(builder, i, &nothing, def));
}

/* True if the row has a latency other than 0 from one of the operands read to the def. */
static bool has_latency(const struct builder *builder, uint32_t i, const struct takt_def *def)
{
	for (uint32_t r = 0; r < builder->read_count; r++)
		if (!builder->reads[r].is_address &&
		    takt_timing_latency(&builder->timings[i], builder->reads[r].slot, def->slot))
			return true;
	return false;
}

/* True if the def does not depend on the read: its latency is 0, but others of the row are not. */
static bool is_no_source(const struct builder *builder, uint32_t i, const struct read *read,
			 const struct takt_def *def)
{
	const struct takt_timing *timing = &builder->timings[i];

	return def->location && !read->is_address && !read->memory &&
	       !(timing->flags & TAKT_TIMING_ELIM) &&
	       !takt_timing_latency(timing, read->slot, def->slot) && has_latency(builder, i, def);
}

static void add_edges(struct builder *builder, uint32_t i)
{
	const struct takt_insn *insn = &builder->block->insns[i];
	bool exchange = takt_insn_is_exchange(insn), pair = takt_is_pair(insn);

	for (uint32_t d = builder->insn_defs[i]; d < builder->insn_defs[i + 1]; d++) {
		const struct takt_def *def = &builder->defs[d];
		bool advances = is_pointer_advance(insn, def);

		builder->first_edge[d] = builder->edge_count;
		for (uint32_t r = 0; r < builder->read_count; r++) {
			const struct read *read = &builder->reads[r];
			uint32_t latency;

			if ((exchange && read->slot == def->slot) ||
			    (advances && read->location != def->location) ||
			    (pair && is_other_half(builder, read, d)) ||
			    (builder->options->lean && read->def == TAKT_NO_DEF))
				continue;
			latency = advances ? 1 : pair_latency(builder, i, read, def);
			if (latency || !is_no_source(builder, i, read, def))
				add_edge(builder, read, d, latency);
		}
		if (!builder->read_count && !builder->options->lean)
			add_constant_edge(builder, i, d);
	}
}

/* Append the memory edges that rename serves: they are in no read, but belong in the list. */
static void add_renamed_edges(struct builder *builder, uint32_t i)
{
	const struct takt_memory_dependences *memory = &builder->memory;
	int cycles = builder->params->store_forward_renamed_cycles - TAKT_STORE_CYCLES;

	for (uint32_t e = builder->next_memory_edge;
	     e < memory->edge_count && memory->edges[e].load == i; e++) {
		if (!is_renamed(builder, &memory->edges[e]))
			continue;
		builder->memory_edges[builder->memory_edge_count] = memory->edges[e];
		builder->memory_edges[builder->memory_edge_count++].latency_cycles =
			(uint16_t)cycles;
	}
}

static void add_memory_edges(struct builder *builder, uint32_t i)
{
	for (uint32_t r = 0; r < builder->read_count; r++) {
		const struct read *read = &builder->reads[r];
		uint32_t most = 0;

		if (!read->memory)
			continue;
		for (uint32_t d = builder->insn_defs[i]; d < builder->insn_defs[i + 1]; d++) {
			uint32_t latency = pair_latency(builder, i, read, &builder->defs[d]);

			most = latency > most ? latency : most;
		}
		builder->memory_edges[builder->memory_edge_count] = *read->memory;
		builder->memory_edges[builder->memory_edge_count++].latency_cycles = (uint16_t)most;
	}
	add_renamed_edges(builder, i);
}

/* Allocate room for an edge of every (read, def) pair. */
static void allocate_edges(struct builder *builder)
{
	const struct takt_memory_dependences *memory = &builder->memory;
	size_t most = 0;
	uint32_t e = 0;

	for (uint32_t i = 0; i < builder->block->count; i++) {
		const struct takt_insn *insn = &builder->block->insns[i];
		size_t reads = 1u + insn->memory_count;

		/* Parts of a register may have writers of their own. */
		for (unsigned a = 0; a < insn->access_count; a++)
			reads += insn->accesses[a].location < TAKT_LOC_VECTOR ? TAKT_PARTS_MAX
				 : insn->accesses[a].flags & TAKT_READ	      ? 1
									      : 0;
		for (; e < memory->edge_count && memory->edges[e].load == i; e++)
			reads++;
		most += (builder->insn_defs[i + 1] - builder->insn_defs[i]) * reads;
	}
	builder->edges = TAKT_NEW_ARRAY(builder->arena, most, struct takt_edge);
	builder->first_edge = TAKT_NEW_ARRAY(builder->arena, builder->def_count + 1, uint32_t);
	builder->memory_edges =
		TAKT_NEW_ARRAY(builder->arena, memory->edge_count, struct takt_memory_edge);
}

static void find_memory_dependences(struct builder *builder)
{
	const struct takt_graph_options *options = builder->options;
	struct takt_memory_options memory = {.loop = options->loop,
					     .window_instructions =
						     (uint32_t)builder->params->rob_entries,
					     .entry_values = options->entry_values,
					     .entry_value_count = options->entry_value_count,
					     .streams = options->streams};

	if (!options->no_memory_dependences)
		takt_memory_dependences_find(builder->block, &memory, builder->arena,
					     &builder->memory);
}

static void connect(struct builder *builder, struct takt_writers *writers)
{
	const struct takt_block *block = builder->block;

	allocate_edges(builder);
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];

		while (builder->next_memory_edge < builder->memory.edge_count &&
		       builder->memory.edges[builder->next_memory_edge].load < i)
			builder->next_memory_edge++;
		gather_reads(builder, writers, i);
		add_edges(builder, i);
		if (!builder->options->lean)
			add_memory_edges(builder, i);
		for (unsigned a = 0; a < insn->access_count; a++) {
			const struct takt_access *access = &insn->accesses[a];

			if (access->flags & TAKT_WRITE && access->location &&
			    !takt_access_is_renamed_away(builder->params, access))
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
	struct takt_writers writers;

	takt_writers_init(&writers, builder.params);
	number_defs(&builder, &writers);
	if (options->loop)
		takt_writers_next_iteration(&writers);
	else
		takt_writers_init(&writers, builder.params);
	find_memory_dependences(&builder);
	connect(&builder, &writers);
	*ret_graph = (struct takt_graph){.defs = builder.defs,
					 .def_count = builder.def_count,
					 .edges = builder.edges,
					 .first_edge = builder.first_edge,
					 .edge_count = builder.edge_count,
					 .memory_edges = builder.memory_edges,
					 .memory_edge_count = builder.memory_edge_count,
					 .memory = builder.memory,
					 .insn_count = block->count};
	if (builder.params->load_latency_fast)
		takt_fast_loads_apply(builder.params, block, timings, ret_graph, builder.edges);
}
