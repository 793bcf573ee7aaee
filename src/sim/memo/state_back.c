/* SPDX-License-Identifier: MIT */
/* The state behind the queue as bytes: rename, ports, retirement, stores. */
#include <string.h>

#include "sim/memo/state.h"

/* ---- rename -------------------------------------------------------------------------------- */

/*
 * Return how long after the present a µop arrives at the schedulers at the earliest; times before
 * that make no difference.
 */
static int32_t earliest_arrival(const struct sim_coder *coder)
{
	return 1 + coder->core->params->rename_to_dispatch_cycles;
}

/*
 * Write or read a moment that is 0 until it is known, which is different from any time before the
 * present.
 */
static uint64_t code_known(struct sim_coder *coder, uint64_t cycle, int32_t least)
{
	if (!sim_state_number(coder, cycle != 0))
		return 0;
	return sim_state_moment(coder, cycle, least);
}

/*
 * Write or read the instruction that rename is in the middle of; without one, nothing of it
 * matters.
 */
static void code_context(struct sim_coder *coder, uint32_t first)
{
	struct sim_core *core = coder->core;
	struct sim_context *context = &core->context;
	bool within = sim_state_number(coder, !coder->reading && sim_is_within(context));

	core->iterations_renamed = first;
	context->iteration = first - !within;
	if (!within) {
		context->insn = &core->program->insns[0];
		context->next_slot = UINT16_MAX;
		return;
	}
	context->insn = &core->program->insns[sim_record_of(coder, first)];
	SIM_STATE(coder, context->next_slot);
	SIM_STATE(coder, context->next_uop);
	SIM_STATE(coder, context->eliminated);
	for (unsigned g = 0; g < context->insn->group_count; g++)
		context->dispatched[g] =
			code_known(coder, context->dispatched[g], -SIM_LATE_MAX - SIM_STALE_CYCLES);
	for (unsigned m = 0; m < context->insn->memory_count; m++) {
		struct sim_value *value = &core->values[SIM_PART_LOADED + m];

		value->ready = sim_state_moment(coder, value->ready, -SIM_STALE_CYCLES);
	}
}

/* Write or read which scheduler for half of the slots takes the first half of the next cycle's. */
static void code_half(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;

	if (!core->program->half_ports[0])
		return;
	core->half_first = sim_half_next(core);
	core->half_sent = 0;
	core->half_cycle = SIM_NEVER;
	SIM_STATE(coder, core->half_first);
}

static void code_order(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;
	int32_t least = earliest_arrival(coder);

	SIM_STATE(coder, core->slots_owed);
	code_half(coder);
	core->serialized = sim_state_moment(coder, core->serialized, least - 1);
	if (!core->program->in_order)
		return;
	core->dispatched_last = sim_state_moment(coder, core->dispatched_last, least - 1);
	SIM_STATE(coder, core->slots_early);
}

enum value_flag {
	VALUE_FROM_LOAD = 1 << 0,
	VALUE_DIRTY = 1 << 1,
	VALUE_SHARED = 1 << 2,
	VALUE_FAR = 1 << 3, /* times enum sim_forwards, of values that have become ready lately */
	VALUE_FAR_MASK = 3 << 3,
	VALUE_WAITED = 1 << 5,
	VALUE_FLAGS = 6, /* number of the bits */
};

static unsigned value_flags(const struct sim_core *core, const struct sim_value *value)
{
	return (value->from_load && core->params->load_latency_fast ? VALUE_FROM_LOAD : 0u) |
	       (value->dirty ? VALUE_DIRTY : 0u) | (value->shared ? VALUE_SHARED : 0u);
}

static void write_values(struct sim_coder *coder)
{
	const struct sim_core *core = coder->core;
	unsigned last = 0;

	for (unsigned part = 0; part < SIM_PART_LOADED; part++) {
		const struct sim_value *value = &core->values[part];
		unsigned flags = value_flags(core, value);
		int64_t after = (int64_t)(value->ready - coder->now) + SIM_STALE_CYCLES;
		uint64_t waited;

		if (after <= 0 && !flags)
			continue;
		sim_state_number(coder, part + 1 - last);
		last = part + 1;
		waited = sim_value_waited(value, coder->now + (uint64_t)earliest_arrival(coder));
		flags |= after > 0 ? value->far * (unsigned)VALUE_FAR : 0u;
		flags |= waited ? VALUE_WAITED : 0u;
		sim_state_number(coder, (after > 0 ? (uint64_t)after : 0) << VALUE_FLAGS | flags);
		if (value->shared)
			sim_state_number(coder, value->shared);
		if (waited)
			sim_state_number(coder, waited);
	}
	sim_state_number(coder, 0);
}

static void read_values(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;
	unsigned part = 0, step;

	core->dirty_count = 0;
	memset(core->values, 0, sizeof(core->values));
	while ((step = (unsigned)sim_state_number(coder, 0))) {
		struct sim_value *value = &core->values[(part += step) - 1];
		uint64_t word = sim_state_number(coder, 0);

		value->ready = coder->now + (word >> VALUE_FLAGS);
		value->ready =
			value->ready > SIM_STALE_CYCLES ? value->ready - SIM_STALE_CYCLES : 0;
		value->from_load = word & VALUE_FROM_LOAD;
		value->dirty = word & VALUE_DIRTY;
		value->far = (uint8_t)((word & VALUE_FAR_MASK) / VALUE_FAR);
		core->dirty_count += value->dirty;
		if (word & VALUE_SHARED)
			value->shared = (uint8_t)sim_state_number(coder, 0);
		if (word & VALUE_WAITED)
			value->waited = (uint8_t)sim_state_number(coder, 0);
	}
}

static void code_bytes(struct sim_coder *coder, uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0, end; i < count; i = end + 1) {
		for (end = i; !coder->reading && end < count && !bytes[end]; end++)
			;
		end = i + (unsigned)sim_state_number(coder, end - i);
		if (coder->reading)
			memset(bytes + i, 0, end - i);
		if (end < count)
			SIM_STATE(coder, bytes[end]);
	}
}

static void code_moves(struct sim_coder *coder, struct sim_moves *moves)
{
	unsigned window = (unsigned)coder->core->params->move_elimination_window_cycles;

	if (moves->capacity < 0)
		return;
	SIM_STATE(coder, moves->live);
	SIM_STATE(coder, moves->eliminated);
	code_bytes(coder, moves->references, SIM_SHARED_MAX);
	for (unsigned back = 0; back < (window ? window : 1) && back < SIM_HISTORY; back++) {
		SIM_STATE(coder, moves->live_before[(coder->now - back) % SIM_HISTORY]);
		SIM_STATE(coder, moves->eliminated_before[(coder->now - back - 1) % SIM_HISTORY]);
	}
}

/* ---- ports --------------------------------------------------------------------------------- */

/* A ring of words with a bit for each cycle, `stride` words apart. */
struct ring {
	uint64_t *words;
	unsigned stride;
};

/* Return 64 bits from the cycle on. */
static uint64_t bits_at(struct ring ring, uint64_t cycle)
{
	uint64_t word = cycle / 64;
	unsigned shift = cycle % 64;
	uint64_t low = ring.words[word % SIM_WINDOW_WORDS * ring.stride] >> shift;

	return shift ? low | ring.words[(word + 1) % SIM_WINDOW_WORDS * ring.stride] << (64 - shift)
		     : low;
}

static void put_bits(struct ring ring, uint64_t cycle, uint64_t bits)
{
	uint64_t word = cycle / 64;
	unsigned shift = cycle % 64;

	ring.words[word % SIM_WINDOW_WORDS * ring.stride] |= bits << shift;
	if (shift)
		ring.words[(word + 1) % SIM_WINDOW_WORDS * ring.stride] |= bits >> (64 - shift);
}

/* Write a ring; bits before `first` no longer matter. */
static void write_ring(struct sim_coder *coder, struct ring ring, unsigned name, uint64_t first)
{
	uint64_t end = coder->core->ports.furthest;

	for (uint64_t at = coder->now; at < end; at += 64) {
		uint64_t bits = bits_at(ring, at);

		if (first > at)
			bits &= first - at < 64 ? UINT64_MAX << (first - at) : 0;
		if (!bits)
			continue;
		sim_state_number(coder, name + 1);
		sim_state_number(coder, (at - coder->now) / 64);
		sim_state_number(coder, bits);
	}
}

static struct ring ring_of(struct sim_ports *ports, unsigned name)
{
	unsigned bank = name - TAKT_PORTS_MAX, half = bank - 2 * SIM_BANKS;

	if (name < TAKT_PORTS_MAX)
		return (struct ring){&ports->reserved[0][name], TAKT_PORTS_MAX};
	if (name >= TAKT_PORTS_MAX + 2 * SIM_BANKS)
		return (struct ring){&ports->lost[0][half], SIM_HALVES};
	return (struct ring){&ports->banks[bank / SIM_BANKS][0][bank % SIM_BANKS], SIM_BANKS};
}

static void write_reserved(struct sim_coder *coder)
{
	struct sim_ports *ports = &coder->core->ports;

	/* Busy ports and units are what cycles are charged to, even before anything can arrive. */
	for (unsigned name = 0; name < TAKT_PORTS_MAX; name++)
		write_ring(coder, ring_of(ports, name), name, coder->now);
	for (unsigned name = TAKT_PORTS_MAX; name < TAKT_PORTS_MAX + 2 * SIM_BANKS + SIM_HALVES;
	     name++)
		write_ring(coder, ring_of(ports, name), name,
			   coder->now + (uint64_t)earliest_arrival(coder));
	sim_state_number(coder, 0);
}

static void read_reserved(struct sim_coder *coder)
{
	struct sim_ports *ports = &coder->core->ports;
	uint64_t first = coder->since / 64, last = ports->furthest / 64;
	unsigned name;

	last = last < first ? first : last;
	for (uint64_t word = first; word <= last; word++)
		sim_ports_clear(ports, word % SIM_WINDOW_WORDS);
	ports->furthest = coder->now;
	ports->reserving = 0;
	while ((name = (unsigned)sim_state_number(coder, 0))) {
		uint64_t at = coder->now + 64 * sim_state_number(coder, 0),
			 bits = sim_state_number(coder, 0);
		uint64_t end = at + 64 - (unsigned)__builtin_clzll(bits);

		put_bits(ring_of(ports, name - 1), at, bits);
		if (name <= TAKT_PORTS_MAX) {
			put_bits((struct ring){ports->any, 1}, at, bits);
			ports->reserving |= (uint32_t)1 << (name - 1);
		}
		if (end > ports->furthest)
			ports->furthest = end;
	}
}

static void code_ports(struct sim_coder *coder)
{
	struct sim_ports *ports = &coder->core->ports;
	uint32_t turns = 0;

	SIM_STATE(coder, ports->used);
	SIM_STATE(coder, ports->pending_all);
	if (coder->reading) {
		memset(ports->pending, 0, sizeof(ports->pending));
		memset(ports->at_start, 0, sizeof(ports->at_start));
		memset(ports->last_used, 0, sizeof(ports->last_used));
	}
	for (uint32_t rest = ports->used; rest; rest &= rest - 1) {
		unsigned p = (unsigned)__builtin_ctz(rest);

		SIM_STATE(coder, ports->pending[p]);
		if (coder->core->params->port_choice >= 10)
			SIM_STATE(coder, ports->at_start[p]);
	}
	/*
	 * Slots begin anew with each cycle, except those of it that an instruction has already
	 * taken.
	 */
	for (unsigned i = 0; i < SIM_SLOTS_SEEN && coder->core->params->port_choice == 12; i++)
		if (coder->core->slots_owed || coder->core->program->in_order)
			SIM_STATE(coder, ports->slot_kinds[i]);
	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
		turns |= (uint32_t)(ports->last_used[p] != 0) << p;
	SIM_STATE(coder, turns);
	for (; turns; turns &= turns - 1)
		SIM_STATE(coder, ports->last_used[__builtin_ctz(turns)]);
	if (coder->reading)
		read_reserved(coder);
	else
		write_reserved(coder);
}

/* ---- retirement and the cache -------------------------------------------------------------- */

enum rob_flag {
	ROB_ENDS = 1 << 0,
	ROB_LOADS = 1 << 1, /* one load; ROB_STORES: one store; ROB_COUNTS: their numbers follow */
	ROB_STORES = 1 << 2,
	ROB_COUNTS = 1 << 3,
	ROB_LATE_SHIFT = 4,
};

static void write_rob(struct sim_coder *coder)
{
	const struct sim_core *core = coder->core;

	for (uint32_t i = core->rob_head; i != core->rob_tail; i++) {
		const struct sim_rob_slot *slot = &core->rob[i % SIM_ROB_MAX];
		uint64_t done = slot->done > coder->now + 1 ? slot->done - coder->now - 1 : 0;
		bool counts = slot->loads > 1 || slot->stores > 1;

		sim_state_number(coder, done);
		sim_state_number(
			coder,
			(slot->ends_iteration ? ROB_ENDS : 0u) | (slot->loads ? ROB_LOADS : 0u) |
				(slot->stores ? ROB_STORES : 0u) | (counts ? ROB_COUNTS : 0u) |
				(slot->done > coder->now ? (unsigned)slot->late << ROB_LATE_SHIFT
							 : 0u));
		if (counts)
			sim_state_number(coder, (unsigned)slot->loads << 8 | slot->stores);
	}
}

static void read_rob(struct sim_coder *coder, uint32_t count)
{
	struct sim_core *core = coder->core;

	core->rob_tail = core->rob_head + count;
	core->done_last = coder->now;
	for (uint32_t i = core->rob_head; i != core->rob_tail; i++) {
		struct sim_rob_slot *slot = &core->rob[i % SIM_ROB_MAX];
		uint64_t done = coder->now + 1 + sim_state_number(coder, 0);
		unsigned flags = (unsigned)sim_state_number(coder, 0), counts;

		*slot = (struct sim_rob_slot){.done = done,
					      .ends_iteration = flags & ROB_ENDS,
					      .late = (uint8_t)(flags >> ROB_LATE_SHIFT)};
		counts = (flags & ROB_LOADS ? 1u << 8 : 0u) | (flags & ROB_STORES ? 1u : 0u);
		if (flags & ROB_COUNTS)
			counts = (unsigned)sim_state_number(coder, 0);
		slot->loads = (uint8_t)(counts >> 8);
		slot->stores = (uint8_t)counts;
		if (done > core->done_last)
			core->done_last = done;
	}
}

static void code_rob(struct sim_coder *coder)
{
	uint32_t count = coder->core->rob_tail - coder->core->rob_head;

	SIM_STATE(coder, count);
	if (coder->reading)
		read_rob(coder, count);
	else
		write_rob(coder);
}

/* Write or read what brings the line of a store that has not retired. */
static void code_line(struct sim_coder *coder, uint32_t store)
{
	struct sim_replay *replay = coder->core->replay;

	SIM_STATE(coder, replay->store_cycles[store]);
	SIM_STATE(coder, replay->store_lines[store]);
	if (replay->store_lines[store])
		replay->store_items[store] = sim_state_item(coder, replay->store_items[store]);
}

/* Write or read the stores on their way to the cache. */
/* Write or read when waiting loads leave their ports; nothing of a port where none waits. */
static void code_load_waits(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;
	int32_t most = core->params->load_port_blocked;

	if (most > (int32_t)SIM_LOAD_WAITS_MAX)
		most = SIM_LOAD_WAITS_MAX;
	for (unsigned p = 0; p < SIM_LOAD_PORTS_MAX; p++) {
		uint64_t *leave = core->load_waits[p];
		int32_t count = 0;

		while (count < most && leave[count] > coder->now)
			count++;
		SIM_STATE(coder, count);
		for (int32_t i = 0; i < most; i++)
			leave[i] = i < count ? sim_state_moment(coder, leave[i], 0) : 0;
	}
}

static void code_store_queue(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;
	struct sim_replay *replay = core->replay;
	uint32_t count = core->stores_renamed - core->stores_committed;
	bool narrows = core->params->narrow_store_cycles > 0;

	SIM_STATE(coder, count);
	SIM_STATE(coder, core->stores_retired);
	SIM_STATE(coder, core->loads_in_flight);
	SIM_STATE(coder, core->stores_in_flight);
	core->stores_renamed = core->stores_committed + count;
	code_load_waits(coder);
	core->line_change = sim_state_moment(coder, core->line_change, 1);
	/* If stores across lines take several commits, the next cycle differs from those before.
	 */
	core->pieces_written = sim_state_moment(coder, core->pieces_written,
						core->params->split_store_commits > 1 ? 0 : 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t store = (core->stores_committed + i) % SIM_ROB_MAX;
		unsigned flags = (core->same_piece[store] ? 1u : 0u) |
				 (narrows && core->other_line[store] ? 2u : 0u) |
				 (narrows && core->narrow[store] ? 4u : 0u) |
				 (core->split[store] ? 8u : 0u);

		SIM_STATE(coder, flags);
		core->same_piece[store] = flags & 1;
		core->other_line[store] = flags & 2;
		core->narrow[store] = flags & 4;
		core->split[store] = flags & 8;
		if (i >= core->stores_retired)
			code_line(coder, store);
		replay->commit_cycles[store] =
			i < core->stores_retired
				? sim_state_moment(coder, replay->commit_cycles[store], 1)
				: 0;
	}
}

/* Return the number of the next store to be renamed. */
static uint32_t next_store(const struct sim_coder *coder)
{
	const struct sim_core *core = coder->core;

	for (uint32_t i = core->context.iteration + 1; i != coder->tail; i++) {
		const struct sim_dynamic *dynamic = sim_dynamic(core->replay, i);

		if (core->program->insns[dynamic->record].memory_count)
			return dynamic->first_store;
	}
	return coder->store;
}

/*
 * Return the earliest times of a store that matter: a load may have its value so many cycles after
 * the store had it, more if forwarding fails; and for so long it holds up others that fail.
 */
static int32_t earliest_stored(const struct sim_coder *coder)
{
	const struct takt_core_params *params = coder->core->params;

	return -SIM_LATE_MAX - params->store_forward_fail_cycles -
	       params->store_forward_fail_older_cycles - sim_failed_cycles(params);
}

static void code_store(struct sim_coder *coder, struct sim_store *store)
{
	struct sim_core *core = coder->core;
	const struct takt_core_params *params = core->params;
	uint32_t queued = store->queued - core->stores_committed;
	int32_t least = earliest_stored(coder);

	SIM_STATE(coder, queued);
	store->queued = core->stores_committed + queued;
	store->value_ready = code_known(coder, store->value_ready, least);
	store->address_ready = code_known(coder, store->address_ready, least);
	if (params->store_forward_fail_older_cycles)
		store->older_done = code_known(coder, store->older_done, least);
	store->source_ready = code_known(coder, store->source_ready,
					 -SIM_STALE_CYCLES - params->store_forward_renamed_cycles);
}

/* Write or read the stores that a load may still refer to. */
static void code_stores(struct sim_coder *coder, uint32_t next)
{
	struct sim_core *core = coder->core;
	uint32_t mask = core->replay->store_mask, back = 1;

	for (uint32_t i = 0; coder->reading && i <= mask; i++)
		core->stores[i].number = next + (1u << 31);
	for (;; back++) {
		struct sim_store *store;
		uint32_t skip = back;

		for (; !coder->reading && skip <= mask + 1; skip++)
			if (sim_replay_store(core, next - skip))
				break;
		back += (uint32_t)sim_state_number(coder, skip - back);
		if (back > mask + 1)
			return;
		store = &core->stores[(next - back) & mask];
		store->number = next - back;
		code_store(coder, store);
	}
}

/* Write or read the last load whose forwarding failed. */
static void code_failed(struct sim_coder *coder, uint32_t next)
{
	struct sim_core *core = coder->core;
	int32_t failed_cycles = sim_failed_cycles(core->params);
	uint32_t stores = next - core->failed_stores;
	int64_t after = (int64_t)(core->failed_ready - coder->now) + failed_cycles;

	if (!sim_state_number(coder, after > 0)) {
		core->failed_ready = 0;
		core->failed_stores = next;
		return;
	}
	SIM_STATE(coder, after);
	SIM_STATE(coder, stores);
	core->failed_ready = (uint64_t)((int64_t)coder->now + after - failed_cycles);
	core->failed_stores = next - stores;
}

/* Write or read when all is done that is older than the next store. */
static void code_older(struct sim_coder *coder)
{
	struct sim_core *core = coder->core;
	uint32_t stores = core->stores_renamed - core->older_stores;

	if (!core->params->store_forward_fail_older_cycles)
		return;
	SIM_STATE(coder, stores);
	core->older_stores = core->stores_renamed - stores;
	core->older_done = code_known(coder, core->older_done, earliest_stored(coder));
}

/* Write or read which loads wait for the addresses of stores, and since when these are known. */
static void code_bypass(struct sim_coder *coder)
{
	struct sim_bypass *bypass = &coder->core->replay->bypass;

	if (!coder->core->params->store_bypass_flush_cycles)
		return;
	bypass->addresses_known = sim_state_moment(
		coder, bypass->addresses_known,
		earliest_arrival(coder) - 1 - coder->core->params->store_bypass_wait_cycles);
	SIM_STATE(coder, bypass->wait_count);
	for (unsigned word = 0; word < TAKT_COUNT_OF(bypass->waits); word++) {
		if (!bypass->wait_count)
			bypass->waits[word] = 0;
		else
			SIM_STATE(coder, bypass->waits[word]);
		for (uint64_t rest = bypass->waits[word]; rest; rest &= rest - 1) {
			unsigned entry = word * 64 + (unsigned)__builtin_ctzll(rest);

			SIM_STATE(coder, bypass->loads[entry].place);
			SIM_STATE(coder, bypass->loads[entry].left);
		}
	}
}

/* ---- all of it ----------------------------------------------------------------------------- */

void sim_state_back_end(struct sim_coder *coder, uint32_t first)
{
	struct sim_core *core = coder->core;
	uint32_t store;

	if (coder->reading)
		read_values(coder);
	else
		write_values(coder);
	code_context(coder, first);
	code_order(coder);
	SIM_STATE(coder, core->rsp_shifted);
	code_moves(coder, &core->moves[0]);
	code_moves(coder, &core->moves[1]);
	code_ports(coder);
	code_rob(coder);
	code_store_queue(coder);
	store = next_store(coder);
	code_stores(coder, store);
	code_failed(coder, store);
	code_older(coder);
	code_bypass(coder);
}
