/* SPDX-License-Identifier: MIT */
/*
 * Dependences within an instruction: which source each result waits for. A row of a timing file
 * gives a latency for each pair of source and destination; an instruction of several µops has as
 * many points at which sources can enter. Sources whose latencies to all destinations agree form a
 * group, one µop waits for each group, and a result is ready when every group's µop has been
 * dispatched and its latency has passed. (uiCA, section 4.2, builds chains of µops to the same
 * end.)
 *
 * depend's graph.c looks at the same operands with another question: which instruction's result
 * each one is. Here only its name matters, since rename finds the result cycle by cycle. What both
 * have to know of an operand, its names and whether it is read at all, is in depend's names.c.
 */
#include <string.h>

#include "sim/block/block.h"

#define DESTINATIONS_MAX 8u

struct vector {
	uint16_t cycles[DESTINATIONS_MAX]; /* latency to each destination; SIM_NO_LATENCY */
};

struct finder {
	const struct takt_model *model;
	const struct takt_core_params *params;
	uint8_t step; /* location of an address register with writeback; or none */
	bool pair;    /* takt_is_pair() */
	const struct takt_insn *insn;
	const struct takt_timing *timing;
	const struct takt_writers *names;
	unsigned compute_count; /* computing µops, less the one for writeback */
	bool exchange;
	bool renamed_addition; /* operand 1 is ready as soon as the source is */
	struct sim_flow *flow;
	uint8_t destinations[DESTINATIONS_MAX]; /* operand slots; STORED + m are at stored[m] */
	unsigned destination_count;
	/* Destination of the value stored to each memory operand; -1. */
	int stored[TAKT_MEMORIES_MAX];
	/* Latencies of each value source. */
	struct vector vectors[TAKT_ACCESSES_MAX * TAKT_PARTS_MAX];
	struct vector groups[SIM_GROUPS_MAX];
};

/* True if the access is a write of the address register with writeback. */
static bool is_step(const struct finder *finder, const struct takt_access *access)
{
	return finder->step && access->slot == TAKT_SLOT_BASE && access->flags & TAKT_WRITE;
}

static int memory_of_slot(const struct takt_insn *insn, uint8_t slot)
{
	for (int m = 0; m < insn->memory_count; m++)
		if (insn->memories[m].slot == slot && !insn->memories[m].address_only)
			return m;
	return -1;
}

/* ---- destinations ------------------------------------------------------------------ */

static int destination_of(struct finder *finder, uint8_t slot)
{
	for (unsigned d = 0; d < finder->destination_count; d++)
		if (finder->destinations[d] == slot)
			return (int)d;
	if (finder->destination_count == DESTINATIONS_MAX)
		return (int)DESTINATIONS_MAX - 1;
	finder->destinations[finder->destination_count] = slot;
	return (int)finder->destination_count++;
}

/* Add the stored values of a pair: each is a destination of its own, though of one operand. */
static void add_stored_halves(struct finder *finder)
{
	for (unsigned m = 0; m < TAKT_MEMORIES_MAX; m++) {
		finder->stored[m] = (int)finder->destination_count;
		finder->destinations[finder->destination_count++] = finder->insn->memories[m].slot;
	}
}

static void find_destinations(struct finder *finder)
{
	const struct takt_insn *insn = finder->insn;

	for (unsigned m = 0; m < TAKT_MEMORIES_MAX; m++)
		finder->stored[m] = -1;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];
		int m = access->location ? -1 : memory_of_slot(insn, access->slot);

		if (!(access->flags & TAKT_WRITE) ||
		    takt_access_is_renamed_away(finder->params, access) || is_step(finder, access))
			continue;
		if (m >= 0 && finder->pair)
			add_stored_halves(finder);
		else if (m >= 0)
			finder->stored[m] = destination_of(finder, access->slot);
		else if (access->location)
			(void)destination_of(finder, access->slot);
	}
}

static bool is_stored(const struct finder *finder, unsigned destination)
{
	for (unsigned m = 0; m < TAKT_MEMORIES_MAX; m++)
		if (finder->stored[m] == (int)destination)
			return true;
	return false;
}

static uint32_t latency_to(const struct finder *finder, uint8_t source, unsigned destination)
{
	uint8_t slot = finder->destinations[destination];

	return is_stored(finder, destination)
		       ? takt_stored_latency(finder->insn, finder->timing, source, slot)
		       : takt_timing_latency(finder->timing, source, slot);
}

/* ---- memory ------------------------------------------------------------------------- */

/* Return the latency from the address to the destination, by the slowest of its registers. */
static uint32_t address_latency(const struct finder *finder, const struct takt_memory *memory,
				uint8_t destination)
{
	uint32_t cycles = 0;
	bool found = false;

	for (unsigned a = 0; a < finder->insn->access_count; a++) {
		const struct takt_access *access = &finder->insn->accesses[a];
		uint32_t latency;

		if (!(access->flags & TAKT_ADDRESS) ||
		    (access->location != memory->base && access->location != memory->index))
			continue;
		latency = takt_timing_latency(finder->timing, access->slot, destination);
		if (!found || latency > cycles)
			cycles = latency;
		found = true;
	}
	return found ? cycles : takt_timing_latency(finder->timing, TAKT_SLOT_BASE, destination);
}

/* Return the largest latency from a register to the destination; -1 if no register is read. */
static int register_latency(const struct finder *finder, uint8_t destination)
{
	int cycles = -1;

	for (unsigned a = 0; a < finder->insn->access_count; a++) {
		const struct takt_access *access = &finder->insn->accesses[a];
		int latency;

		if (!access->location || access->flags & TAKT_ADDRESS ||
		    !takt_access_reads(finder->names, finder->insn, access))
			continue;
		latency = (int)takt_timing_latency(finder->timing, access->slot, destination);
		cycles = latency > cycles ? latency : cycles;
	}
	return cycles;
}

/* Return the row's latency from memory back to memory, less the cycles of forwarding. */
static uint32_t way_around(const struct finder *finder, const struct takt_memory *memory)
{
	const struct takt_core_params *params = finder->params;
	int forward = takt_core_forward_cycles(params, finder->insn) - TAKT_STORE_CYCLES;
	int whole = (int)takt_timing_latency(finder->timing, memory->slot, memory->slot);

	return whole > forward ? (uint32_t)(whole - forward) : UINT32_MAX;
}

/*
 * Return the part of the latency from the address to the destination that comes after the load. The
 * latency from registers is exact; but to a register it is at most what the latency from the
 * address leaves, which is an upper bound. The operand that is combined with the loaded value may
 * have a longer latency of its own (aesdec's state on some cores, adc's flags).
 */
static uint32_t compute_part(const struct finder *finder, const struct takt_memory *memory,
			     uint32_t load_cycles, unsigned destination)
{
	uint8_t slot = finder->destinations[destination];
	uint32_t whole = address_latency(finder, memory, slot);
	int by_register = register_latency(finder, slot);
	uint32_t cycles = whole > load_cycles ? whole - load_cycles : 0;
	uint32_t most = UINT32_MAX;
	bool stored = is_stored(finder, destination);
	bool locked = finder->insn->flags & TAKT_INSN_LOCKED;

	if (finder->compute_count && !cycles)
		cycles = stored ? 1 + TAKT_STORE_CYCLES : 1;
	if (!stored && !locked && takt_timing_knows_memory(finder->timing, memory->slot))
		most = cycles;
	else if (memory->write && slot == memory->slot && !locked)
		most = way_around(finder, memory);
	if (by_register >= 0)
		cycles = (uint32_t)by_register < most ? (uint32_t)by_register : most;
	return takt_locked_latency(finder->insn, finder->timing, memory->slot, cycles);
}

static unsigned register_destination(const struct finder *finder)
{
	for (unsigned d = 0; d < finder->destination_count; d++)
		if (!is_stored(finder, d))
			return d;
	return 0;
}

/*
 * Return the cycles from the store's value to the loaded one: the row's whole latency less that of
 * computing.
 */
static uint16_t forward_latency(const struct finder *finder, const struct takt_memory *memory,
				uint32_t load_cycles)
{
	const struct takt_core_params *params = finder->params;
	uint32_t whole, rest;
	unsigned destination = 0;

	if (!takt_timing_knows_memory(finder->timing, memory->slot) || !finder->destination_count)
		return (uint16_t)(takt_core_forward_cycles(params, finder->insn) -
				  TAKT_STORE_CYCLES);
	/* Prefer the value's latency back to memory, if there is one: flags have another. */
	for (unsigned d = 0; d < finder->destination_count; d++)
		if (finder->destinations[d] == memory->slot)
			destination = d;
	if (finder->destinations[destination] != memory->slot)
		destination = register_destination(finder);
	whole = takt_timing_latency(finder->timing, memory->slot,
				    finder->destinations[destination]);
	rest = compute_part(finder, memory, load_cycles, destination);
	return (uint16_t)(whole > rest ? whole - rest : 0);
}

/* True if it is a load of older cores that may be a cycle faster (see depend). */
static bool may_be_fast(const struct takt_core_params *params, const struct takt_memory *memory)
{
	return params->load_latency_fast && memory->base && !memory->index && !memory->segment &&
	       memory->displacement >= 0 && memory->displacement < 2048;
}

static void describe_memory(struct finder *finder, unsigned m)
{
	const struct takt_core_params *params = finder->params;
	const struct takt_memory *memory = &finder->insn->memories[m];
	struct sim_memory *described = &finder->flow->memories[m];
	bool vector = finder->insn->flags & (TAKT_INSN_VECTOR | TAKT_INSN_X87);
	struct takt_access_ports access;
	uint32_t load_cycles;

	takt_model_access_ports(finder->model, vector, memory->size_bytes, memory->index != 0,
				&access);
	load_cycles = access.load_latency_cycles;
	if (!finder->compute_count && finder->destination_count && memory->read &&
	    finder->stored[m] < 0 && !is_stored(finder, register_destination(finder)))
		load_cycles = address_latency(finder, memory,
					      finder->destinations[register_destination(finder)]);
	*described = (struct sim_memory){.load_cycles = (uint16_t)load_cycles,
					 .load = memory->read && !memory->address_only,
					 .store = memory->write && !memory->address_only,
					 .fast = may_be_fast(params, memory)};
	if (described->load)
		described->address_cycles = (uint8_t)takt_address_extra_cycles(params, memory);
	described->bytes = (uint8_t)(memory->size_bytes < 255 ? memory->size_bytes : 255);
	if (described->store) {
		described->non_temporal_cycles = (uint16_t)takt_non_temporal_cycles(
			finder->insn, finder->timing, memory->slot);
		described->renamed_cycles =
			(uint8_t)takt_renamed_store_cycles(params, finder->insn, memory);
	}
	if (described->load)
		described->forward_cycles = forward_latency(finder, memory, load_cycles);
}

/* ---- sources ------------------------------------------------------------------------ */

static void add_source(struct finder *finder, uint8_t part, uint8_t group,
		       const struct vector *vector)
{
	struct sim_flow *flow = finder->flow;

	if (flow->source_count == TAKT_COUNT_OF(flow->sources))
		return;
	if (vector)
		finder->vectors[flow->source_count] = *vector;
	flow->sources[flow->source_count++] = (struct sim_source){.part = part, .group = group};
}

/* True if a pair's operand 1 or 2, or its memory `half`, has no part in the destination. */
static bool is_other_half(const struct finder *finder, unsigned half, unsigned destination)
{
	if (!finder->pair || half > 1)
		return false;
	if (is_stored(finder, destination))
		return finder->stored[half] != (int)destination;
	return finder->destinations[destination] <= TAKT_SLOT_1 + 1 &&
	       finder->destinations[destination] != TAKT_SLOT_1 + half;
}

/* Return a register's latency to each destination. */
static struct vector register_vector(const struct finder *finder, const struct takt_access *access)
{
	struct vector vector;

	for (unsigned d = 0; d < DESTINATIONS_MAX; d++) {
		uint32_t cycles = SIM_NO_LATENCY;

		if (d < finder->destination_count &&
		    !(finder->exchange && finder->destinations[d] == access->slot) &&
		    !is_other_half(finder, access->slot, d))
			cycles = latency_to(finder, access->slot, d);
		if (cycles != SIM_NO_LATENCY && is_stored(finder, d))
			cycles = cycles > TAKT_STORE_CYCLES ? cycles - TAKT_STORE_CYCLES : 0;
		if (finder->renamed_addition && finder->destinations[d] == TAKT_SLOT_1)
			cycles = 0;
		vector.cycles[d] = (uint16_t)cycles;
	}
	return vector;
}

static struct vector loaded_vector(const struct finder *finder, unsigned m)
{
	const struct takt_memory *memory = &finder->insn->memories[m];
	struct vector vector;

	for (unsigned d = 0; d < DESTINATIONS_MAX; d++) {
		uint32_t cycles = SIM_NO_LATENCY;

		if (d < finder->destination_count && !is_other_half(finder, m, d)) {
			cycles = compute_part(finder, memory, finder->flow->memories[m].load_cycles,
					      d);
			if (is_stored(finder, d))
				cycles =
					cycles > TAKT_STORE_CYCLES ? cycles - TAKT_STORE_CYCLES : 0;
		}
		vector.cycles[d] = (uint16_t)cycles;
	}
	return vector;
}

static void add_registers(struct finder *finder, const struct takt_access *access, uint8_t group)
{
	struct vector vector = register_vector(finder, access);
	uint8_t parts[TAKT_PARTS_MAX];
	unsigned count = takt_parts_read(finder->names, finder->insn, access, parts);

	for (unsigned i = 0; i < count; i++) {
		add_source(finder, parts[i], group, &vector);
		finder->flow->sources[finder->flow->source_count - 1].merges =
			count > 1 && takt_location_is_high8(parts[i]);
		finder->flow->sources[finder->flow->source_count - 1].is_byte =
			count == 1 && takt_location_is_high8(parts[i]);
	}
}

/* Add a register of an address to the group of its memory operand; a pointer may serve two. */
static void add_address(struct finder *finder, const struct takt_access *access)
{
	for (unsigned m = 0; m < finder->insn->memory_count; m++) {
		const struct takt_memory *memory = &finder->insn->memories[m];

		if (access->location == memory->base || access->location == memory->index)
			add_registers(finder, access,
				      (uint8_t)(memory->address_only ? 0 : SIM_GROUP_ADDRESS + m));
	}
}

static void add_loaded(struct finder *finder, unsigned m)
{
	struct vector vector = loaded_vector(finder, m);

	add_source(finder, (uint8_t)(SIM_PART_LOADED + m), 0, &vector);
}

static void find_sources(struct finder *finder)
{
	const struct takt_insn *insn = finder->insn;

	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];
		int m;

		if (!takt_access_reads(finder->names, insn, access))
			continue;
		if (access->flags & TAKT_ADDRESS) {
			add_address(finder, access);
			/* A pointer that is updated (rsi of lodsb) depends on itself. */
			if (access->flags & TAKT_WRITE &&
			    !takt_access_is_renamed_away(finder->params, access) &&
			    !is_step(finder, access))
				add_registers(finder, access, 0);
			continue;
		}
		if (takt_access_is_cut(finder->timing, access))
			continue;
		m = access->location ? -1 : memory_of_slot(insn, access->slot);
		if (m >= 0) {
			add_loaded(finder, (unsigned)m);
			if (finder->pair)
				add_loaded(finder, 1);
		} else if (access->location &&
			   !takt_access_is_renamed_away(finder->params, access)) {
			add_registers(finder, access, 0);
		}
	}
}

/* ---- groups -------------------------------------------------------------------------- */

/* Drop latencies of 0 among others that are not 0: they say that there is no dependence. */
static void drop_zero_latencies(struct finder *finder)
{
	struct sim_flow *flow = finder->flow;

	for (unsigned d = 0; d < finder->destination_count; d++) {
		uint16_t most = 0;

		for (unsigned s = 0; s < flow->source_count; s++)
			if (flow->sources[s].group < SIM_GROUP_ADDRESS &&
			    finder->vectors[s].cycles[d] != SIM_NO_LATENCY &&
			    finder->vectors[s].cycles[d] > most)
				most = finder->vectors[s].cycles[d];
		for (unsigned s = 0; s < flow->source_count && most && !is_stored(finder, d); s++)
			if (!finder->vectors[s].cycles[d])
				finder->vectors[s].cycles[d] = SIM_NO_LATENCY;
	}
}

static unsigned largest(const struct finder *finder, const struct vector *vector)
{
	unsigned most = 0;

	for (unsigned d = 0; d < finder->destination_count; d++)
		if (vector->cycles[d] != SIM_NO_LATENCY && vector->cycles[d] > most)
			most = vector->cycles[d];
	return most;
}

static bool same_vector(const struct finder *finder, const struct vector *left,
			const struct vector *right)
{
	return !memcmp(left->cycles, right->cycles,
		       finder->destination_count * sizeof(left->cycles[0]));
}

/* True if no result depends on the source: the flags that shifts only pass on. */
static bool is_unused(const struct finder *finder, const struct vector *vector)
{
	for (unsigned d = 0; d < finder->destination_count; d++)
		if (vector->cycles[d] != SIM_NO_LATENCY)
			return false;
	return finder->destination_count > 0;
}

/*
 * Collect the different vectors, fewest cycles first, and return their number. Those beyond `room`
 * are left out; their sources join the last group.
 */
static unsigned sort_vectors(struct finder *finder, struct vector *sorted, unsigned room)
{
	unsigned count = 0;

	for (unsigned s = 0; s < finder->flow->source_count; s++) {
		const struct vector *vector = &finder->vectors[s];
		unsigned at = 0;
		bool known = false;

		if (finder->flow->sources[s].group >= SIM_GROUP_ADDRESS ||
		    is_unused(finder, vector))
			continue;
		for (unsigned i = 0; i < count && !known; i++)
			known = same_vector(finder, &sorted[i], vector);
		if (known || count == room)
			continue;
		while (at < count && largest(finder, &sorted[at]) <= largest(finder, vector))
			at++;
		memmove(&sorted[at + 1], &sorted[at], (count - at) * sizeof(*sorted));
		sorted[at] = *vector;
		count++;
	}
	return count;
}

static void lower_to(struct finder *finder, struct vector *group, const struct vector *vector)
{
	for (unsigned d = 0; d < finder->destination_count; d++)
		if (vector->cycles[d] < group->cycles[d])
			group->cycles[d] = vector->cycles[d];
}

/* Return how much earlier than its group a source is needed: the least over the destinations. */
static uint8_t extra_of(const struct finder *finder, const struct vector *group,
			const struct vector *vector)
{
	unsigned extra = UINT8_MAX;
	bool found = false;

	for (unsigned d = 0; d < finder->destination_count; d++) {
		unsigned more;

		if (vector->cycles[d] == SIM_NO_LATENCY || group->cycles[d] == SIM_NO_LATENCY)
			continue;
		more = (unsigned)(vector->cycles[d] - group->cycles[d]);
		extra = more < extra ? more : extra;
		found = true;
	}
	return (uint8_t)(found ? extra : 0);
}

static void assign_groups(struct finder *finder, const struct vector *sorted, unsigned count)
{
	struct sim_flow *flow = finder->flow;

	for (unsigned s = 0; s < flow->source_count; s++) {
		unsigned group = 0;

		if (flow->sources[s].group >= SIM_GROUP_ADDRESS)
			continue;
		if (is_unused(finder, &finder->vectors[s])) {
			flow->sources[s].group = SIM_GROUP_UNUSED;
			continue;
		}
		while (group + 1 < count &&
		       !same_vector(finder, &sorted[group], &finder->vectors[s]))
			group++;
		if (group >= flow->group_count)
			group = flow->group_count - 1;
		flow->sources[s].group = (uint8_t)group;
		flow->sources[s].extra_cycles =
			extra_of(finder, &finder->groups[group], &finder->vectors[s]);
	}
}

static void find_groups(struct finder *finder)
{
	struct vector sorted[TAKT_ACCESSES_MAX + 1];
	struct sim_flow *flow = finder->flow;
	unsigned count = sort_vectors(finder, sorted, TAKT_ACCESSES_MAX);
	unsigned room = SIM_GROUPS_MAX - (finder->step != TAKT_LOC_NONE);
	unsigned most = finder->compute_count ? finder->compute_count : room;

	most = most < room ? most : room;
	flow->group_count = count < most ? count : most;
	if (!flow->group_count)
		flow->group_count = 1;
	for (unsigned g = 0; g < flow->group_count; g++)
		for (unsigned d = 0; d < DESTINATIONS_MAX; d++)
			finder->groups[g].cycles[d] = SIM_NO_LATENCY;
	for (unsigned i = 0; i < count; i++)
		lower_to(finder, &finder->groups[i < flow->group_count ? i : flow->group_count - 1],
			 &sorted[i]);
	assign_groups(finder, sorted, count);
}

/* Give results that depend on no source the latency of the µop. */
static void complete_groups(struct finder *finder)
{
	for (unsigned d = 0; d < finder->destination_count; d++) {
		bool reached = false;

		for (unsigned g = 0; g < finder->flow->group_count; g++)
			reached |= finder->groups[g].cycles[d] != SIM_NO_LATENCY;
		if (!reached && finder->compute_count)
			finder->groups[0].cycles[d] =
				(uint16_t)latency_to(finder, TAKT_SLOT_ANY, d);
	}
}

static void find_leads(struct finder *finder)
{
	struct sim_flow *flow = finder->flow;

	for (unsigned g = 0; g < flow->group_count; g++) {
		unsigned least = SIM_NO_LATENCY;
		bool crosses = false;

		for (unsigned d = 0; g && d < finder->destination_count; d++) {
			unsigned own = finder->groups[g].cycles[d];
			unsigned main_cycles = finder->groups[0].cycles[d];

			if (own == SIM_NO_LATENCY || main_cycles == SIM_NO_LATENCY)
				continue;
			if (own <= main_cycles)
				crosses = true;
			else if (own - main_cycles < least)
				least = own - main_cycles;
		}
		if (crosses)
			least = SIM_NO_LATENCY;
		flow->lead_cycles[g] = (uint16_t)least;
		flow->done_cycles[g] = (uint16_t)largest(finder, &finder->groups[g]);
		if (!flow->done_cycles[g])
			flow->done_cycles[g] = 1;
	}
}

/* Give a writeback to the address register the last group, and a µop if there is one. */
static void add_step(struct finder *finder)
{
	const uint32_t cycles = takt_timing_latency(finder->timing, TAKT_SLOT_BASE, TAKT_SLOT_BASE);
	struct sim_flow *flow = finder->flow;
	unsigned group = flow->group_count;
	struct sim_result *result;

	if (!finder->step || flow->result_count == TAKT_COUNT_OF(flow->results))
		return;
	add_source(finder, finder->step, (uint8_t)group, NULL);
	result = &flow->results[flow->result_count++];
	*result = (struct sim_result){.part = finder->step};
	for (unsigned g = 0; g < SIM_GROUPS_MAX; g++)
		result->latency_cycles[g] = SIM_NO_LATENCY;
	result->latency_cycles[group] = (uint16_t)cycles;
	flow->lead_cycles[group] = SIM_NO_LATENCY;
	flow->done_cycles[group] = (uint16_t)(cycles ? cycles : 1);
	flow->group_count++;
}

/* ---- results ------------------------------------------------------------------------- */

static void add_result(struct finder *finder, uint8_t part, int destination, bool from_load)
{
	struct sim_flow *flow = finder->flow;
	struct sim_result *result;

	if (flow->result_count == TAKT_COUNT_OF(flow->results) || destination < 0)
		return;
	result = &flow->results[flow->result_count++];
	*result = (struct sim_result){.part = part, .from_load = from_load};
	for (unsigned g = 0; g < SIM_GROUPS_MAX; g++)
		result->latency_cycles[g] = g < flow->group_count
						    ? finder->groups[g].cycles[destination]
						    : SIM_NO_LATENCY;
}

static void find_results(struct finder *finder)
{
	const struct takt_insn *insn = finder->insn;
	bool from_load = takt_is_plain_load(insn, finder->timing);

	for (unsigned m = 0; m < TAKT_MEMORIES_MAX; m++)
		add_result(finder, (uint8_t)(SIM_PART_STORED + m), finder->stored[m], false);
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];
		uint8_t parts[TAKT_PARTS_MAX];
		unsigned count;

		if (!(access->flags & TAKT_WRITE) || !access->location ||
		    takt_access_is_renamed_away(finder->params, access) || is_step(finder, access))
			continue;
		count = takt_parts_written(finder->names, insn, access, parts);
		for (unsigned i = 0; i < count; i++)
			add_result(finder, parts[i], destination_of(finder, access->slot),
				   from_load && !(access->flags & TAKT_ADDRESS));
	}
}

void sim_flow_find(const struct takt_model *model, const struct takt_insn *insn,
		   const struct takt_timing *timing, const struct takt_writers *names,
		   unsigned compute_count, struct sim_flow *ret_flow)
{
	struct finder finder = {
		.model = model,
		.params = takt_model_params(model),
		.insn = insn,
		.timing = timing,
		.names = names,
		.step = takt_writeback_location(insn),
		.pair = takt_is_pair(insn),
		.compute_count = compute_count,
		.exchange = takt_insn_is_exchange(insn),
		.renamed_addition = takt_is_renamed_addition(takt_model_params(model), insn),
		.flow = ret_flow,
	};

	ret_flow->source_count = ret_flow->result_count = 0;
	if (finder.step && compute_count)
		finder.compute_count--;
	ret_flow->memory_count = insn->memory_count;
	find_destinations(&finder);
	for (unsigned m = 0; m < insn->memory_count; m++)
		describe_memory(&finder, m);
	find_sources(&finder);
	if (!(timing->flags & TAKT_TIMING_ELIM))
		drop_zero_latencies(&finder);
	find_groups(&finder);
	complete_groups(&finder);
	find_leads(&finder);
	find_results(&finder);
	add_step(&finder);
}
