/* SPDX-License-Identifier: MIT */
/* Streams: executed blocks are fed in, cycles come out. */
#include <stdlib.h>
#include <string.h>

#include "sim/front/fetch.h"
#include "sim/stream/stream.h"

/* No instruction keeps the core busy for so many cycles in which it does something. */
#define STUCK_STEPS (1u << 18)
#define BUFFERED 64u /* items that are there before the core runs on, if there is no memo */

/* ---- running ---------------------------------------------------------------------------- */

static uint32_t pending(const struct sim_stream *stream)
{
	return stream->replay->tail - stream->replay->next;
}

/* Charge an item; if its instructions are fused, they share it equally. */
static void charge_item(struct sim_stream *stream, uint32_t item, enum sim_loss loss,
			uint64_t parts)
{
	const struct sim_dynamic *dynamic = sim_dynamic(stream->replay, item);
	struct sim_flight *flight = &stream->flights[dynamic->step & stream->replay->mask];
	uint64_t *insns = &flight->block->insn_parts[dynamic->insn];
	bool fused = stream->code->program.insns[dynamic->record].flags & SIM_INSN_FUSED;

	flight->parts[loss] += parts;
	insns[0] += parts - (fused ? parts / 2 : 0);
	if (fused)
		insns[1] += parts / 2;
}

void sim_stream_charge(struct sim_stream *stream, uint32_t item, enum sim_loss loss,
		       uint64_t cycles)
{
	uint32_t items = loss == SIM_LOSS_RETIRING ? (uint32_t)cycles : 1;
	uint64_t spent = loss == SIM_LOSS_RETIRING ? 1 : cycles, parts = spent * SIM_CYCLE_PARTS;

	/* The first has what cannot be divided. */
	charge_item(stream, item, loss, parts - parts / items * (items - 1));
	for (uint32_t i = 1; i < items; i++)
		charge_item(stream, item + i, loss, parts / items);
	stream->totals.losses[loss] += spent;
	stream->totals.cycles += spent;
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
						      flight->parts);
	}
}

static uint64_t skip_idle(struct sim_core *core)
{
	uint64_t idle = sim_idle_cycles(core);

	if (idle)
		sim_core_skip(core, idle);
	return idle;
}

void sim_stream_cycle(struct sim_stream *stream)
{
	struct sim_core *core = stream->core;
	uint32_t oldest = core->iterations_retired, slots = core->rob_head;
	uint32_t committed = core->stores_committed, renamed = core->rob_tail;
	enum sim_loss loss = SIM_LOSS_RETIRING;
	uint64_t cycles = 1;

	sim_core_step(core);
	slots = core->rob_head - slots;
	stream->totals.uops += slots;
	if (!slots) {
		loss = sim_loss_of(core);
		if (committed == core->stores_committed && renamed == core->rob_tail &&
		    !stream->no_skip)
			cycles += skip_idle(core);
	}
	if (slots && core->iterations_retired - oldest > 1)
		cycles = core->iterations_retired - oldest;
	sim_stream_charge(stream, oldest, loss, cycles);
	if (stream->memo_works)
		sim_memo_charge(stream->memo, oldest, loss, cycles);
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
	if (last && step->taken)
		dynamic->flags |= SIM_DYNAMIC_TAKEN;
	if (last && step->mispredicted)
		dynamic->flags |= SIM_DYNAMIC_MISSED;
	if (insn->memory_count)
		sim_facts_find(&stream->facts, insn, accesses, access_count, prefetches, dynamic);
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
	if (stream->flight_tail - stream->flight_head > stream->replay->mask)
		takt_sim_stream_drain(stream); /* executions without instructions */
	stream->flights[stream->flight_tail++ & stream->replay->mask] = (struct sim_flight){
		.block = step->block,
		.cookie = step->cookie,
		.end = stream->replay->tail + count,
		.insn_count = step->insn_count,
	};
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

/* ---- rests ----------------------------------------------------------------------------------- */

void takt_sim_stream_rest(struct sim_stream *stream, uint32_t cycles, uint64_t cookie)
{
	const uint64_t parts[SIM_LOSS_COUNT] = {[SIM_LOSS_SYSTEM] =
							(uint64_t)cycles * SIM_CYCLE_PARTS};

	takt_sim_stream_drain(stream);
	if (cycles) {
		sim_core_skip(stream->core, cycles);
		sim_commit_all(stream->core);
	}
	stream->totals.cycles += cycles;
	stream->totals.losses[SIM_LOSS_SYSTEM] += cycles;
	if (stream->options.sink)
		stream->options.sink->retired(stream->options.sink, cookie, parts);
}

void takt_sim_stream_totals(const struct sim_stream *stream, struct sim_stream_totals *ret_totals)
{
	*ret_totals = stream->totals;
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
