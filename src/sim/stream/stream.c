/* SPDX-License-Identifier: MIT */
/* Streams: executed blocks are fed in, cycles come out. */
#include <stdlib.h>
#include <string.h>

#include "sim/front/fetch.h"
#include "sim/stream/stream.h"

/* No instruction keeps the core busy for this many cycles in which it does something. */
#define STUCK_STEPS (1u << 18)
/*
 * Ports share what is lost at several of them; up to 12 ports share a part of a cycle without a
 * remainder. 64 bits suffice for 2.5e12 cycles.
 */
#define SHARES_PER_PART 27720u
#define BUFFERED 64u /* items that are there before the core runs on, if there is no memo */

/* ---- running ---------------------------------------------------------------------------- */

static uint32_t pending(const struct sim_stream *stream)
{
	return stream->replay->tail - stream->replay->next;
}

static void add_parts(struct sim_charges *charges, unsigned loss, uint32_t parts)
{
	charges->parts[loss] += parts;
	charges->losses |= (uint32_t)1 << loss;
}

/* The parts of cycles that an item gets of a charge. */
struct share {
	uint32_t light, heavy, lost;
};

/*
 * Charge an item; if its instructions are fused, they share it equally. Parts of instructions are
 * counted in halves: a charge that a memo has joined from several must give the same as these did.
 */
static inline void charge_item(struct sim_stream *stream, uint32_t item,
			       const struct sim_charge *charge, struct share share)
{
	const struct sim_dynamic *dynamic = sim_dynamic(stream->replay, item);
	struct sim_flight *flight = &stream->flights[dynamic->step & stream->replay->mask];
	uint64_t *insns = &flight->block->insn_parts[dynamic->insn];
	uint32_t parts = share.light + share.heavy + share.lost;
	uint32_t second = dynamic->flags & SIM_DYNAMIC_FUSED ? parts : 0;

	if (share.light)
		add_parts(&flight->charges, SIM_LOSS_RETIRING, share.light);
	if (share.heavy)
		add_parts(&flight->charges, SIM_LOSS_HEAVY, share.heavy);
	if (share.lost) {
		add_parts(&flight->charges, charge->loss, share.lost);
		if (charge->ports)
			sim_ports_vote(&flight->charges.ports, &flight->charges.port_parts,
				       charge->ports, share.lost);
	}
	insns[0] += 2 * (uint64_t)parts - second;
	if (second)
		insns[1] += second;
}

/*
 * Add the charge to the totals. Each of its ports gets the same number of shares, in proportion to
 * what was lost: a charge that a memo has joined from several must give the same as these did.
 */
static void add_totals(struct sim_stream_totals *totals, const struct sim_charge *charge,
		       const struct share *share)
{
	uint64_t shares;

	totals->losses[SIM_LOSS_RETIRING] += share->light;
	totals->losses[SIM_LOSS_HEAVY] += share->heavy;
	totals->losses[charge->loss] += share->lost;
	totals->cycles += charge->cycles;
	if (!charge->ports)
		return;
	shares = (uint64_t)share->lost *
		 (SHARES_PER_PART / (uint32_t)__builtin_popcount(charge->ports));
	for (uint32_t rest = charge->ports; rest; rest &= rest - 1)
		totals->ports[__builtin_ctz(rest)] += shares;
}

void sim_stream_charge(struct sim_stream *stream, uint32_t item, const struct sim_charge *charge)
{
	struct share all = {.light = (uint32_t)charge->retiring - charge->heavy,
			    .heavy = charge->heavy,
			    .lost = SIM_CYCLE_PARTS * charge->cycles - charge->retiring};
	struct share each, first = all;
	uint32_t others = charge->items - 1u;

	add_totals(&stream->totals, charge, &all);
	if (others) {
		each = (struct share){all.light / charge->items,
				      all.heavy ? all.heavy / charge->items : 0,
				      all.lost ? all.lost / charge->items : 0};
		/* The first has what cannot be divided. */
		first.light -= each.light * others;
		first.heavy -= each.heavy * others;
		first.lost -= each.lost * others;
		for (uint32_t i = 1; i <= others; i++)
			charge_item(stream, item + i, charge, each);
	}
	charge_item(stream, item, charge, first);
}

/* Forget what was charged; most losses are 0. */
static void clear_charges(struct sim_charges *charges)
{
	for (uint32_t rest = charges->losses; rest; rest &= rest - 1)
		charges->parts[__builtin_ctz(rest)] = 0;
	charges->losses = charges->ports = 0;
	charges->port_parts = 0;
}

void sim_stream_tell(struct sim_stream *stream)
{
	uint32_t retired = stream->core->iterations_retired;

	while (stream->flight_head != stream->flight_tail) {
		struct sim_flight *flight =
			&stream->flights[stream->flight_head & stream->replay->mask];

		if ((int32_t)(retired - flight->end) < 0)
			return;
		stream->flight_head++;
		stream->totals.insns += flight->insn_count;
		if (stream->options.sink)
			stream->options.sink->retired(stream->options.sink, flight->cookie,
						      &flight->charges);
		clear_charges(&flight->charges);
	}
}

/*
 * Skip the cycles in which nothing happens, and return how many they are. All are charged for what
 * keeps the first one from it; if they are not skipped, that is noted for them.
 */
static uint64_t skip_idle(struct sim_stream *stream, const struct sim_charge *made)
{
	uint64_t idle = sim_idle_cycles(stream->core);

	if (stream->no_skip) {
		stream->idle_until = stream->core->cycle + idle;
		stream->idle_charge = *made;
		return 0;
	}
	if (idle)
		sim_core_skip(stream->core, idle);
	return idle;
}

static void charge(struct sim_stream *stream, uint32_t item, const struct sim_charge *charge)
{
	sim_stream_charge(stream, item, charge);
	if (stream->memo_works)
		sim_memo_charge(stream->memo, item, charge);
}

/* Charge the cycle just simulated, and `idle` ones like it. */
static void charge_cycles(struct sim_stream *stream, uint32_t item, struct sim_charge *made,
			  uint64_t idle)
{
	for (; idle >= SIM_CHARGE_CYCLES_MAX; idle -= SIM_CHARGE_CYCLES_MAX) {
		struct sim_charge part = {.items = 1,
					  .loss = made->loss,
					  .ports = made->ports,
					  .cycles = SIM_CHARGE_CYCLES_MAX};

		charge(stream, item, &part);
	}
	made->cycles = (uint16_t)(1 + idle);
	charge(stream, item, made);
}

void sim_stream_cycle(struct sim_stream *stream)
{
	struct sim_core *core = stream->core;
	const struct sim_cycle_start start = {core->rob_head, core->rob_tail, core->slots_owed};
	uint32_t oldest = core->iterations_retired, committed = core->stores_committed;
	uint32_t items, slots;
	struct sim_charge made;
	uint64_t idle = 0;

	sim_core_step(core);
	slots = core->rob_head - start.oldest;
	stream->totals.uops += slots;
	if (core->cycle <= stream->idle_until) {
		made = stream->idle_charge;
	} else {
		sim_charge_find(core, &start, &made);
		if (!slots && committed == core->stores_committed &&
		    start.renamed == core->rob_tail)
			idle = skip_idle(stream, &made);
	}
	items = core->iterations_retired - oldest;
	made.items = (uint8_t)(slots && items > 1 ? items : 1);
	charge_cycles(stream, oldest, &made, idle);
	if (stream->recording)
		sim_recording_cycle(stream);
	if (oldest != core->iterations_retired) {
		stream->stuck_steps = 0;
		sim_stream_tell(stream);
	} else if (++stream->stuck_steps == STUCK_STEPS) {
		stream->stuck = true;
	}
}

/* Simulate what was fed, except for as many items as a cycle may need. */
static void make_place(struct sim_stream *stream)
{
	sim_memo_leave(stream);
	while (pending(stream) >= stream->lookahead && !stream->stuck)
		sim_stream_cycle(stream);
}

bool takt_sim_stream_is_stuck(const struct sim_stream *stream)
{
	return stream->stuck;
}

void takt_sim_stream_drain(struct sim_stream *stream)
{
	make_place(stream);
	while (stream->core->iterations_retired != stream->replay->tail && !stream->stuck) {
		sim_front_end_set_ended(stream->core->front_end, !pending(stream));
		sim_stream_cycle(stream);
	}
	sim_front_end_set_ended(stream->core->front_end, false);
}

/* ---- feeding ------------------------------------------------------------------------------ */

static bool has_place(const struct sim_stream *stream)
{
	return stream->replay->tail - stream->core->iterations_retired <= stream->replay->mask;
}

/* A position in an execution of a block. */
struct feeding {
	const struct sim_stream_step *step;
	uint64_t address;
	uint32_t insn, access, fetch, prefetch;
	uint32_t late_cycles;
};

static uint16_t clamp16(uint32_t value)
{
	return (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
}

/* Take the accesses of instructions before `end`, and return their number. */
static uint32_t take_accesses(struct feeding *feeding, uint32_t end)
{
	const struct sim_stream_step *step = feeding->step;
	uint32_t first = feeding->access;

	while (feeding->access < step->access_count && step->accesses[feeding->access].insn < end)
		feeding->prefetch += step->accesses[feeding->access++].prefetches;
	return feeding->access - first;
}

static void take_fetches(struct feeding *feeding, uint32_t end)
{
	const struct sim_stream_step *step = feeding->step;

	for (; feeding->fetch < step->fetch_count && step->fetches[feeding->fetch].insn < end;
	     feeding->fetch++)
		feeding->late_cycles += step->fetches[feeding->fetch].cycles;
}

static uint8_t flags_of(struct sim_stream *stream, const struct feeding *feeding, uint32_t record)
{
	unsigned flags = stream->missed ? SIM_DYNAMIC_AFTER_MISS : 0;

	if (sim_windows_next(&stream->windows, &sim_code_items(stream->code)[record],
			     feeding->address, stream->entered))
		flags |= SIM_DYNAMIC_CACHED;
	stream->entered = stream->missed = false;
	return (uint8_t)flags;
}

/* Feed one record of the execution; `last`: the last one that ran. */
static void feed(struct sim_stream *stream, struct feeding *feeding, uint32_t record, bool last)
{
	const struct sim_stream_step *step = feeding->step;
	const struct sim_insn *insn = &stream->code->program.insns[record];
	uint32_t end = feeding->insn + (insn->flags & SIM_INSN_FUSED ? 2 : 1);
	const struct sim_stream_access *accesses =
		step->access_count ? step->accesses + feeding->access : NULL;
	const struct sim_stream_prefetch *prefetches =
		step->prefetches ? step->prefetches + feeding->prefetch : NULL;
	uint32_t access_count = take_accesses(feeding, end);
	struct sim_dynamic *dynamic = sim_dynamic(stream->replay, stream->replay->tail);

	if (stream->recording)
		sim_recording_feed(stream, step->block, feeding->insn, end - feeding->insn);
	take_fetches(feeding, end);
	dynamic->address = feeding->address;
	dynamic->record = record;
	dynamic->step = stream->flight_tail - 1;
	dynamic->extra_cycles = last ? step->extra_cycles : 0;
	dynamic->insn = (uint16_t)feeding->insn;
	dynamic->late_cycles = clamp16(feeding->late_cycles);
	dynamic->flags = flags_of(stream, feeding, record);
	if (insn->flags & SIM_INSN_FUSED)
		dynamic->flags |= SIM_DYNAMIC_FUSED;
	if (last && step->taken)
		dynamic->flags |= SIM_DYNAMIC_TAKEN;
	if (last && step->mispredicted)
		dynamic->flags |= SIM_DYNAMIC_MISSED;
	if (insn->memory_count)
		sim_facts_find(&stream->facts, insn, accesses, access_count, prefetches, dynamic);
	if (stream->facts.tracks_registers)
		sim_facts_write(&stream->facts, insn);
	feeding->address += insn->length_bytes;
	feeding->insn = end;
	feeding->late_cycles = 0;
	if (stream->memo_works)
		sim_memo_feed(stream, dynamic);
	stream->replay->tail++;
}

/* Return how many records that many instructions are; a pair counts even if only its first ran. */
static uint32_t records_of(const struct sim_stream *stream, const struct sim_stream_step *step)
{
	const struct sim_code_block *block = step->block;
	uint32_t count = 0;

	if (step->insn_count >= block->insn_count)
		return block->record_count;
	for (uint32_t insns = 0; insns < step->insn_count; count++) {
		uint32_t flags = stream->code->program.insns[block->records[count]].flags;

		insns += flags & SIM_INSN_FUSED ? 2 : 1;
	}
	return count;
}

static void begin_flight(struct sim_stream *stream, const struct sim_stream_step *step,
			 uint32_t count)
{
	struct sim_flight *flight;

	if (stream->flight_tail - stream->flight_head > stream->replay->mask)
		takt_sim_stream_drain(stream); /* executions without instructions */
	flight = &stream->flights[stream->flight_tail++ & stream->replay->mask];
	flight->block = step->block;
	flight->cookie = step->cookie;
	flight->end = stream->replay->tail + count;
	flight->insn_count = step->insn_count;
}

void takt_sim_stream_step(struct sim_stream *stream, const struct sim_stream_step *step)
{
	struct feeding feeding = {
		.step = step, .address = step->block->address, .late_cycles = stream->late_cycles};
	uint32_t count;

	if (stream->stuck)
		return;
	count = records_of(stream, step);
	begin_flight(stream, step, count);
	for (uint32_t i = 0; i < count; i++) {
		if (!has_place(stream))
			make_place(stream);
		if (stream->stuck)
			return;
		feed(stream, &feeding, step->block->records[i], i + 1 == count);
	}
	/* Microcode keeps what follows from being fetched while it runs. */
	stream->late_cycles = step->late_cycles + step->extra_cycles;
	stream->entered |= step->taken || step->mispredicted;
	stream->missed |= step->mispredicted;
	if (!count)
		sim_stream_tell(stream);
	if (stream->memo && sim_memo_step(stream, step))
		return;
	if (pending(stream) < stream->lookahead + BUFFERED)
		return;
	while (pending(stream) >= stream->lookahead && !stream->stuck)
		sim_stream_cycle(stream);
}

/* ---- learning ------------------------------------------------------------------------------- */

void takt_sim_stream_learn(struct sim_stream *stream, const struct sim_stream_step *step)
{
	const struct sim_code_block *block = step->block;
	uint32_t count = records_of(stream, step);

	for (uint32_t i = 0; i < block->window_count && block->windows[i].record < count; i++)
		sim_windows_learn(&stream->windows, sim_code_items(stream->code), block, i, count,
				  stream->entered);
	if (count)
		stream->entered = false;
	stream->entered |= step->taken || step->mispredicted;
}

/* ---- rests ----------------------------------------------------------------------------------- */

void takt_sim_stream_rest(struct sim_stream *stream, uint32_t cycles, uint64_t cookie)
{
	const uint64_t parts = (uint64_t)cycles * SIM_CYCLE_PARTS;
	const struct sim_charges charges = {.parts = {[SIM_LOSS_SYSTEM] = parts},
					    .losses = (uint32_t)1 << SIM_LOSS_SYSTEM};

	takt_sim_stream_drain(stream);
	if (cycles) {
		sim_core_skip(stream->core, cycles);
		sim_commit_all(stream->core);
	}
	stream->totals.cycles += cycles;
	stream->totals.losses[SIM_LOSS_SYSTEM] += parts;
	if (stream->options.sink)
		stream->options.sink->retired(stream->options.sink, cookie, &charges);
}

void takt_sim_stream_totals(const struct sim_stream *stream, struct sim_stream_totals *ret_totals)
{
	*ret_totals = stream->totals;
	for (unsigned i = 0; i < TAKT_PORTS_MAX; i++)
		ret_totals->ports[i] /= SHARES_PER_PART;
}

/* ---- setting up -------------------------------------------------------------------------------
 */

/*
 * Return a ring size with which a full ring has all items that a cycle needs: as many can be ahead
 * of the pipeline.
 */
static uint32_t ring_size(const struct sim_stream *stream)
{
	const struct takt_core_params *params = stream->core->params;
	uint32_t predecoded = stream->core->front_end->predecoder.capacity + 2;
	uint32_t wanted = (uint32_t)params->rob_entries + (uint32_t)params->queue_entries +
			  predecoded + stream->lookahead + SIM_CHUNK_ROOM;
	uint32_t size = 1;

	while (size < wanted)
		size *= 2;
	return size;
}

struct sim_stream *takt_sim_stream_new(struct sim_code *code,
				       const struct sim_stream_options *options)
{
	struct sim_stream *stream = takt_xcalloc(1, sizeof(*stream));
	struct takt_arena *arena = &stream->arena;
	struct sim_core *core = sim_core_new_empty(&code->program, arena);
	uint32_t size;

	stream->code = code;
	stream->options = *options;
	stream->core = core;
	stream->replay = sim_replay_new(core, arena);
	stream->replay->misses.most = options->misses_max;
	stream->replay->misses.memory_cycles = options->memory_cycles;
	stream->replay->misses.line_cycles = options->memory_line_cycles;
	memcpy(stream->replay->misses.level_cycles, options->level_cycles,
	       sizeof(options->level_cycles));
	core->front_end = sim_front_end_new_trace(&code->program, sim_code_items(code),
						  &stream->replay->source, arena);
	stream->lookahead = sim_front_end_lookahead(core->front_end);
	size = ring_size(stream);
	stream->replay->dynamics = TAKT_NEW_ARRAY(arena, size, struct sim_dynamic);
	stream->replay->mask = size - 1;
	stream->flights = TAKT_NEW_ARRAY(arena, size, struct sim_flight);
	sim_facts_init(&stream->facts, &code->program);
	sim_windows_init(&stream->windows, core->params, arena);
	if (!options->no_memo)
		stream->memo = sim_memo_new(stream);
	return stream;
}

void takt_sim_stream_free(struct sim_stream *stream)
{
	if (!stream)
		return;
	sim_memo_free(stream);
	takt_arena_release(&stream->arena);
	free(stream);
}
