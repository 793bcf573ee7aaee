/* SPDX-License-Identifier: MIT */
/*
 * Checks of a stream that was loaded from a file, which may have been made to do harm: whatever the
 * simulation uses as an index, a size or a truth value must be one. A state that passes may still
 * be one that no run leads to; then the cycles are wrong, or the core makes no progress, which
 * sim_stream_cycle() notices.
 */
#include <string.h>

#include "sim/front/fetch.h"
#include "sim/stream/stream.h"

#define CYCLE_MAX ((uint64_t)1 << 60) /* later than any run ends */
#define AHEAD_MAX ((uint64_t)1 << 34) /* longer than anything that a core waits for */
#define OWED_MAX UINT16_MAX

#define BOOLS(array) takt_are_bools((array), TAKT_COUNT_OF(array), sizeof(bool))
/* The member of all structs of an array. */
#define BOOLS_OF(array, count, member) takt_are_bools(&(array)->member, (count), sizeof(*(array)))

static bool kinds_fit(const struct sim_core *core)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(core->values); i++)
		if (core->values[i].far > SIM_FORWARDS_CRYPTO)
			return false;
	return true;
}

static bool core_bools_fit(const struct sim_core *core)
{
	const bool *const single[] = {
		&core->loop,
		&core->context.eliminated,
		&core->rsp_shifted,
		&core->failed_behind,
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(single); i++)
		if (!takt_are_bools(single[i], 1, 1))
			return false;
	return BOOLS_OF(core->values, TAKT_COUNT_OF(core->values), from_load) &&
	       BOOLS_OF(core->values, TAKT_COUNT_OF(core->values), dirty) && kinds_fit(core) &&
	       BOOLS_OF(core->rob, SIM_ROB_MAX, ends_iteration) && BOOLS(core->same_piece) &&
	       BOOLS(core->other_line) && BOOLS(core->narrow) && BOOLS(core->split) &&
	       BOOLS_OF(core->queue.entries, SIM_QUEUE_ENTRIES_MAX, break_after);
}

static bool front_end_bools_fit(const struct sim_front_end *fetch)
{
	const bool *const single[] = {
		&fetch->next.taken,
		&fetch->next.cached,
		&fetch->entered,
		&fetch->started,
		&fetch->ended,
		&fetch->ideal,
		&fetch->windows,
		&fetch->microcode_was_last,
		&fetch->predecoder.in_block,
		&fetch->predecoder.second,
		&fetch->predecoder.holds,
		&fetch->predecoder.held_taken,
		&fetch->op_cache.line.open,
		&fetch->op_cache.window.entered,
		&fetch->op_cache.window.beside,
		&fetch->op_cache.window.ahead,
		&fetch->op_cache.window.crossed,
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(single); i++)
		if (!takt_are_bools(single[i], 1, 1))
			return false;
	return true;
}

static bool stream_bools_fit(const struct sim_stream *stream)
{
	const struct sim_windows *windows = &stream->windows;
	const bool *const single[] = {
		&windows->hit,
		&windows->run.refused,
		&windows->run.last_waits,
		&windows->settled,
		&windows->found,
		&windows->run.line.open,
		&stream->entered,
		&stream->missed,
		&stream->replay->bypass.waited,
		&stream->replay->bypass.delayed,
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(single); i++)
		if (!takt_are_bools(single[i], 1, 1))
			return false;
	return BOOLS_OF(windows->entries, (size_t)windows->sets * SIM_WAYS_MAX, refused);
}

/* ---- what a new stream has, too ---------------------------------------------------------------
 */

void sim_stream_fixed(const struct sim_stream *stream, struct sim_stream_fixed *ret_fixed)
{
	const struct sim_core *core = stream->core;
	const struct sim_front_end *fetch = core->front_end;
	const struct sim_misses *misses = &stream->replay->misses;
	const uint64_t values[SIM_STREAM_FIXED] = {
		core->queue.capacity,
		fetch->predecoder.capacity,
		stream->facts.bank_bytes,
		misses->most,
		misses->memory_cycles,
		misses->line_cycles,
		misses->level_cycles[1],
		misses->level_cycles[2],
		misses->level_cycles[3],
		core->store_ring,
		(uint64_t)core->moves[0].capacity,
		(uint64_t)core->moves[1].capacity,
		fetch->loop_buffer.copies,
		*(const uint8_t *)&stream->facts.tracks_registers,
		*(const uint8_t *)&core->loop,
		*(const uint8_t *)&fetch->ideal,
		*(const uint8_t *)&fetch->windows,
	};

	memcpy(ret_fixed->values, values, sizeof(values));
}

/* ---- times ------------------------------------------------------------------------------------
 */

static bool is_soon(const struct sim_core *core, uint64_t time)
{
	return time <= core->cycle + AHEAD_MAX;
}

static bool times_fit(const struct sim_core *core)
{
	const struct sim_replay *replay = core->replay;
	const uint64_t times[] = {
		core->dispatched_last, core->serialized,
		core->line_change,     core->pieces_written,
		core->failed_ready,    core->last_retired,
		core->writes_from,     core->done_last,
		core->older_done,      replay->bypass.addresses_known,
	};

	if (core->cycle > CYCLE_MAX || (replay->open != SIM_NEVER && !is_soon(core, replay->open)))
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(times); i++)
		if (!is_soon(core, times[i]))
			return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(core->values); i++)
		if (!is_soon(core, core->values[i].ready))
			return false;
	for (size_t p = 0; p < SIM_LOAD_PORTS_MAX; p++)
		for (size_t i = 0; i < SIM_LOAD_WAITS_MAX; i++)
			if (!is_soon(core, core->load_waits[p][i]))
				return false;
	for (size_t i = 0; i < SIM_GROUPS_MAX; i++)
		if (!is_soon(core, core->context.dispatched[i]))
			return false;
	for (size_t i = 0; i < SIM_ROB_MAX; i++)
		if (!is_soon(core, core->rob[i].done) || !is_soon(core, replay->commit_cycles[i]))
			return false;
	for (uint32_t i = 0; i <= replay->store_mask; i++)
		if (!is_soon(core, core->stores[i].source_ready) ||
		    !is_soon(core, core->stores[i].value_ready) ||
		    !is_soon(core, core->stores[i].address_ready) ||
		    !is_soon(core, core->stores[i].older_done))
			return false;
	return true;
}

static bool misses_fit(const struct sim_core *core)
{
	const struct sim_misses *misses = &core->replay->misses;

	if (misses->count > SIM_MISSES)
		return false;
	for (uint32_t i = 0; i < misses->count; i++)
		if (!is_soon(core, misses->under_way[i].begin) ||
		    !is_soon(core, misses->under_way[i].end))
			return false;
	return true;
}

/* ---- items ------------------------------------------------------------------------------------
 */

static bool facts_fit(const struct sim_dynamic *dynamic)
{
	for (unsigned m = 0; m < TAKT_MEMORIES_MAX; m++)
		if (dynamic->facts[m].banks >> SIM_BANKS)
			return false;
	return true;
}

/* True if what the item costs can be charged to an instruction of an execution. */
static bool is_charged(const struct sim_stream *stream, const struct sim_dynamic *dynamic)
{
	const struct sim_flight *flight = &stream->flights[dynamic->step & stream->replay->mask];
	bool fused = dynamic->flags & SIM_DYNAMIC_FUSED ||
		     stream->code->program.insns[dynamic->record].flags & SIM_INSN_FUSED;

	return dynamic->step - stream->flight_head < stream->flight_tail - stream->flight_head &&
	       dynamic->insn + (uint32_t)fused < flight->block->insn_count;
}

static bool items_fit(const struct sim_stream *stream)
{
	const struct sim_replay *replay = stream->replay;
	uint32_t first = stream->core->iterations_retired, count = replay->tail - first;

	if (count > replay->mask + 1 || replay->tail - replay->next > count)
		return false;
	/* Any of the ring may be looked up by a number that is not in flight. */
	for (uint32_t i = 0; i <= replay->mask; i++)
		if (replay->dynamics[i].record >= stream->code->insns.count ||
		    !facts_fit(&replay->dynamics[i]))
			return false;
	for (uint32_t i = first; i != replay->tail; i++)
		if (!is_charged(stream, sim_dynamic(replay, i)))
			return false;
	return true;
}

static bool flights_fit(const struct sim_stream *stream)
{
	struct sim_stream_sink *sink = stream->options.sink;

	for (uint32_t i = stream->flight_head; i != stream->flight_tail; i++) {
		const struct sim_flight *flight = &stream->flights[i & stream->replay->mask];

		if (flight->insn_count > flight->block->insn_count ||
		    (sink && sink->knows && !sink->knows(sink, flight->cookie)))
			return false;
	}
	return true;
}

/* ---- the front end ----------------------------------------------------------------------------
 */

static uint32_t slots_of(const struct sim_stream *stream, uint32_t insn)
{
	const struct sim_insn *record = &stream->code->program.insns[insn];

	return (uint32_t)record->mite_slots + record->microcode_slots;
}

static bool queue_fits(const struct sim_stream *stream)
{
	const struct sim_queue *queue = &stream->core->queue;

	if (queue->tail - queue->head > SIM_QUEUE_ENTRIES_MAX)
		return false;
	for (uint32_t i = queue->head; i != queue->tail; i++) {
		const struct sim_queue_entry *entry = &queue->entries[i % SIM_QUEUE_ENTRIES_MAX];

		if (entry->insn >= stream->code->insns.count ||
		    entry->slot >= slots_of(stream, entry->insn))
			return false;
	}
	/* Rename is in the middle of an instruction, or begins one. */
	return queue->head == queue->tail || stream->core->context.insn ||
	       queue->entries[queue->head % SIM_QUEUE_ENTRIES_MAX].slot == 0;
}

static bool predecoder_fits(const struct sim_stream *stream)
{
	const struct sim_predecoder *predecoder = &stream->core->front_end->predecoder;
	uint32_t count = predecoder->tail - predecoder->head;

	if (count > SIM_PREDECODED_MAX || predecoder->staged > count ||
	    (predecoder->holds && predecoder->held.insn >= stream->code->insns.count))
		return false;
	for (uint32_t i = predecoder->head; i != predecoder->tail; i++)
		if (predecoder->queue[i % SIM_PREDECODED_MAX].insn >= stream->code->insns.count)
			return false;
	return true;
}

static bool front_end_fits(const struct sim_stream *stream)
{
	const struct sim_front_end *fetch = stream->core->front_end;
	const struct sim_microcode *microcode = &fetch->microcode;
	uint32_t count = (uint32_t)stream->code->insns.count, slots;

	if ((fetch->path != SIM_PATH_DECODERS && fetch->path != SIM_PATH_OP_CACHE) ||
	    (fetch->next.insn >= count && fetch->next.insn != SIM_ITEM_NONE))
		return false;
	if (fetch->op_cache.ahead > fetch->limits.op_cache_ahead)
		return false;
	if (fetch->op_cache.slot && (fetch->next.insn == SIM_ITEM_NONE ||
				     fetch->op_cache.slot >= slots_of(stream, fetch->next.insn)))
		return false;
	if (!microcode->left)
		return true;
	slots = microcode->insn < count ? slots_of(stream, microcode->insn) : 0;
	return microcode->left <= slots && microcode->slot <= slots - microcode->left;
}

/* ---- behind the queue -------------------------------------------------------------------------
 */

static bool is_zero(const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i])
			return false;
	return true;
}

/* True if reservations end with the last: a search for a free cycle else has no end. */
static bool reservations_fit(const struct sim_core *core)
{
	const struct sim_ports *ports = &core->ports;
	uint64_t present = core->cycle ? core->cycle - 1 : 0, word;
	uint64_t last = ports->furthest > present ? ports->furthest : present;

	if (last - present > SIM_WINDOW_CYCLES - 128)
		return false;
	for (word = last / 64 + 1; word < present / 64 + SIM_WINDOW_WORDS; word++) {
		unsigned at = word % SIM_WINDOW_WORDS;

		if (!is_zero(ports->reserved[at], TAKT_PORTS_MAX) ||
		    !is_zero(ports->banks[0][at], SIM_BANKS) ||
		    !is_zero(ports->banks[1][at], SIM_BANKS) ||
		    !is_zero(ports->lost[at], SIM_HALVES))
			return false;
	}
	return true;
}

static bool ports_fit(const struct sim_core *core)
{
	const struct sim_ports *ports = &core->ports;

	if (ports->set_count > TAKT_COUNT_OF(ports->sets_in_cycle) ||
	    core->half_first >= SIM_HALVES)
		return false;
	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
		if (ports->last_used[p] >= TAKT_PORTS_MAX)
			return false;
	return reservations_fit(core);
}

/* True if the loads and stores in flight are those of the reorder buffer and the retired stores. */
static bool accesses_fit(const struct sim_core *core)
{
	uint32_t loads = 0, stores = core->stores_retired;
	uint32_t in_flight = core->stores_renamed - core->stores_committed;

	if (stores > SIM_ROB_MAX || core->rob_tail - core->rob_head > SIM_ROB_MAX)
		return false;
	for (uint32_t i = core->rob_head; i != core->rob_tail; i++) {
		loads += core->rob[i % SIM_ROB_MAX].loads;
		stores += core->rob[i % SIM_ROB_MAX].stores;
	}
	return in_flight <= SIM_ROB_MAX && stores == in_flight &&
	       core->stores_in_flight == in_flight && core->loads_in_flight == loads;
}

static bool core_fits(const struct sim_core *core)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(core->values); i++)
		if (core->values[i].shared >= SIM_SHARED_MAX)
			return false;
	for (size_t i = 0; i < SIM_ROB_MAX; i++)
		if (core->rob[i].late >= SIM_LOSS_COUNT)
			return false;
	return accesses_fit(core) && core->slots_owed <= OWED_MAX;
}

bool sim_stream_fits(const struct sim_stream *stream, const struct sim_stream_fixed *fixed)
{
	const struct sim_core *core = stream->core;
	struct sim_stream_fixed there;

	sim_stream_fixed(stream, &there);
	if (memcmp(&there, fixed, sizeof(there)) != 0 || !core_bools_fit(core) ||
	    !front_end_bools_fit(core->front_end) || !stream_bools_fit(stream))
		return false;
	/* A stream that knows no instructions cannot have any in flight. */
	if (!stream->code->insns.count)
		return stream->replay->tail == core->iterations_retired &&
		       stream->replay->next == stream->replay->tail &&
		       core->queue.head == core->queue.tail &&
		       core->front_end->predecoder.head == core->front_end->predecoder.tail &&
		       !core->front_end->predecoder.holds && !core->front_end->microcode.left &&
		       core->front_end->next.insn == SIM_ITEM_NONE;
	return times_fit(core) && misses_fit(core) && flights_fit(stream) && items_fit(stream) &&
	       queue_fits(stream) && predecoder_fits(stream) && front_end_fits(stream) &&
	       ports_fit(core) && core_fits(core);
}
