/* SPDX-License-Identifier: MIT */
/* Finds what the issue slots of a cycle are spent on, and for how long nothing changes. */
#include "sim/front/fetch.h"
#include "sim/stream/losses.h"
#include "sim/stream/stream_source.h"

#define BUSY_CYCLES 16u /* cycles to come by which ports are judged */

/* ---- words ----------------------------------------------------------------------------------- */

const char *takt_sim_loss_word(enum sim_loss loss)
{
	static const char *const words[] = {
#define X(name, word, top_down, limit) word,
		SIM_LOSS_LIST(X)
#undef X
	};

	return words[loss];
}

enum sim_top_down takt_sim_loss_top_down(enum sim_loss loss)
{
	static const uint8_t all[] = {
#define X(name, word, top_down, limit) top_down,
		SIM_LOSS_LIST(X)
#undef X
	};

	return (enum sim_top_down)all[loss];
}

enum sim_limit takt_sim_loss_limit(enum sim_loss loss)
{
	static const uint8_t all[] = {
#define X(name, word, top_down, limit) limit,
		SIM_LOSS_LIST(X)
#undef X
	};

	return (enum sim_limit)all[loss];
}

const char *takt_sim_top_down_word(enum sim_top_down top_down)
{
	static const char *const words[] = {
#define X(name, word, first) word,
		SIM_TOP_DOWN_LIST(X)
#undef X
	};

	return words[top_down];
}

enum sim_top_down_first takt_sim_top_down_first(enum sim_top_down top_down)
{
	static const uint8_t all[] = {
#define X(name, word, first) first,
		SIM_TOP_DOWN_LIST(X)
#undef X
	};

	return (enum sim_top_down_first)all[top_down];
}

const char *takt_sim_top_down_first_word(enum sim_top_down_first first)
{
	static const char *const words[] = {
#define X(name, word) word,
		SIM_TOP_DOWN_FIRST_LIST(X)
#undef X
	};

	return words[first];
}

/* ---- the front end --------------------------------------------------------------------------- */

/*
 * True if the next instruction to be renamed is the first on the correct path after a
 * misprediction, which may not be known yet.
 */
static bool is_after_miss(const struct sim_core *core)
{
	const struct sim_replay *replay = core->replay;
	uint32_t next = core->iterations_renamed;

	if (replay->open == SIM_NEVER)
		return true;
	if (next != replay->tail)
		return sim_dynamic(replay, next)->flags & SIM_DYNAMIC_AFTER_MISS;
	return !core->front_end->ended && next &&
	       sim_dynamic(replay, next - 1)->flags & SIM_DYNAMIC_MISSED;
}

static bool is_beyond_l1(enum sim_loss loss)
{
	return loss == SIM_LOSS_L2 || loss == SIM_LOSS_L3 || loss == SIM_LOSS_MEMORY;
}

/*
 * Return what kept the oldest slot from being done when rename stopped, which is before anything
 * retires in a cycle; RETIRING: nothing did, or there was none.
 */
static enum sim_loss late_of(const struct sim_core *core, uint32_t oldest)
{
	const struct sim_rob_slot *slot = &core->rob[oldest % SIM_ROB_MAX];

	return oldest == core->rob_tail || slot->done < core->cycle ? SIM_LOSS_RETIRING
								    : (enum sim_loss)slot->late;
}

/*
 * Return the first slot that is not done yet: what fills the scheduler waits for that or for later
 * ones, even if the oldest slot of all is done and only has to retire. It has a reason to be late,
 * as all before it are done.
 */
static uint32_t first_waiting(const struct sim_core *core, uint32_t oldest)
{
	while (oldest != core->rob_tail && late_of(core, oldest) == SIM_LOSS_RETIRING)
		oldest++;
	return oldest;
}

/* Return the loss of slots after a mispredicted branch; if that waits for a miss, the miss's. */
static enum sim_loss loss_after_miss(const struct sim_core *core, uint32_t oldest)
{
	enum sim_loss late = late_of(core, oldest);

	return core->replay->open == SIM_NEVER && is_beyond_l1(late) ? late : SIM_LOSS_BRANCH;
}

/* Return the part of the front end that the µop queue is empty for. */
static enum sim_loss front_end_loss(const struct sim_core *core)
{
	const struct sim_front_end *front_end = core->front_end;
	const struct sim_replay *replay = core->replay;
	const struct sim_predecoder *predecoder = &front_end->predecoder;

	if (sim_microcode_is_busy(&front_end->microcode))
		return SIM_LOSS_MICROCODE;
	if (!sim_fetch_has_next(front_end) && replay->next != replay->tail) {
		if (sim_dynamic(replay, replay->next)->late_cycles)
			return SIM_LOSS_FETCH;
		if (replay->open > core->cycle)
			return SIM_LOSS_TAKEN;
	}
	if (front_end->path != SIM_PATH_DECODERS)
		return SIM_LOSS_OP_CACHE;
	return predecoder->head != predecoder->tail - predecoder->staged ? SIM_LOSS_DECODE
									 : SIM_LOSS_PREDECODE;
}

/* ---- the back end ---------------------------------------------------------------------------- */

/* Return a bit for each of the next BUSY_CYCLES in which the port is free. */
static uint32_t free_soon(const struct sim_core *core, unsigned port)
{
	uint64_t cycle = core->cycle + 1;
	unsigned shift = cycle % 64, word = cycle / 64 % SIM_WINDOW_WORDS;
	uint64_t bits = core->ports.reserved[word][port] >> shift;

	if (shift > 64 - BUSY_CYCLES)
		bits |= core->ports.reserved[(word + 1) % SIM_WINDOW_WORDS][port] << (64 - shift);
	return (uint32_t)~bits & ((1u << BUSY_CYCLES) - 1);
}

/*
 * Return the busy ports and units. A port that has work for each of the next cycles, but for one at
 * most, is what a full buffer waits for, even if the oldest instruction executes right now.
 */
static uint32_t busy_ports(const struct sim_core *core)
{
	uint32_t busy = 0;

	for (uint32_t rest = core->ports.reserving; rest; rest &= rest - 1) {
		uint32_t gaps = free_soon(core, (unsigned)__builtin_ctz(rest));

		if (!(gaps & (gaps - 1)))
			busy |= rest & -rest;
	}
	return busy;
}

/* Return the ports that are free in the fewest of the next cycles. */
static uint32_t busiest_ports(const struct sim_core *core)
{
	int least = BUSY_CYCLES;
	uint32_t busiest = 0;

	for (uint32_t rest = core->ports.reserving; rest; rest &= rest - 1) {
		int gaps = __builtin_popcount(free_soon(core, (unsigned)__builtin_ctz(rest)));

		if (gaps < least)
			busiest = 0;
		if (gaps < least || (gaps == least && busiest))
			busiest |= rest & -rest;
		least = gaps < least ? gaps : least;
	}
	return busiest;
}

/* True if the store queue is full of stores that have retired and wait to be written. */
static bool waits_for_stores(const struct sim_core *core)
{
	return core->stop == SIM_STALL_STORE_QUEUE &&
	       2 * core->stores_retired >= core->stores_in_flight;
}

static enum sim_loss store_loss(const struct sim_core *core)
{
	uint32_t oldest = core->stores_committed % SIM_ROB_MAX;

	return core->stores_retired && core->replay->commit_cycles[oldest] > core->cycle
		       ? SIM_LOSS_STORE_MISS
		       : SIM_LOSS_COMMIT;
}

/* Return why a buffer of the back end is full. */
static enum sim_loss back_end_loss(const struct sim_core *core, uint32_t oldest,
				   uint32_t *ret_ports)
{
	enum sim_loss late;

	if (waits_for_stores(core))
		return store_loss(core);
	late = late_of(core, core->program->in_order ? core->rob_tail - 1 : oldest);
	if (late == SIM_LOSS_RETIRING && core->stop == SIM_STALL_SCHEDULER)
		late = late_of(core, first_waiting(core, oldest));
	if (is_beyond_l1(late) || late == SIM_LOSS_FORWARD_FAIL || late == SIM_LOSS_MICROCODE)
		return late;
	*ret_ports = busy_ports(core);
	if (!*ret_ports && late == SIM_LOSS_PORTS)
		*ret_ports = busiest_ports(core);
	if (*ret_ports)
		return SIM_LOSS_PORTS;
	if (late == SIM_LOSS_RETIRING)
		return SIM_LOSS_RETIRE;
	return late == SIM_LOSS_PORTS ? SIM_LOSS_INTEGER : late;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Return why rename stopped. */
static enum sim_loss loss_of(const struct sim_core *core, uint32_t oldest, uint32_t *ret_ports)
{
	enum sim_stall stop = core->stop;

	/* While no more code comes, the oldest µop in flight decides. */
	if (stop == SIM_STALL_NONE && core->front_end->ended && oldest != core->rob_tail)
		return back_end_loss(core, oldest, ret_ports);
	if (stop == SIM_STALL_NONE)
		return is_after_miss(core) ? loss_after_miss(core, oldest) : front_end_loss(core);
	if (stop == SIM_STALL_ROB || stop == SIM_STALL_SCHEDULER || stop == SIM_STALL_LOAD_QUEUE ||
	    stop == SIM_STALL_STORE_QUEUE)
		return back_end_loss(core, oldest, ret_ports);
	if (stop == SIM_STALL_SERIALIZE)
		return SIM_LOSS_SERIALIZE;
	/* Else groups of slots that do not fit, and merges. */
	return stop == SIM_STALL_BRANCH ? SIM_LOSS_TAKEN : SIM_LOSS_RENAME;
}

void sim_charge_find(const struct sim_core *core, const struct sim_cycle_start *start,
		     struct sim_charge *ret_charge)
{
	uint32_t width = (uint32_t)core->params->issue_width, owed = start->owed;
	uint32_t renamed = core->rob_tail - start->renamed;
	uint32_t used = owed + renamed < width ? owed + renamed : width;
	uint32_t heavy = owed + core->heavy_slots < used ? owed + core->heavy_slots : used;
	uint32_t ports = 0;

	*ret_charge = (struct sim_charge){.retiring = SIM_CYCLE_PARTS};
	if (used < width)
		ret_charge->retiring = (uint16_t)(used ? SIM_CYCLE_PARTS * used / width : 0);
	if (heavy)
		ret_charge->heavy = (uint16_t)(SIM_CYCLE_PARTS * heavy / width);
	if (used == width)
		return;
	ret_charge->loss = (uint8_t)loss_of(core, start->oldest, &ports);
	ret_charge->ports = ports;
}

/* ---- the next event ------------------------------------------------------------------------- */

static uint64_t sooner(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

/* Return when rename's reason to stop may be gone, except by retirement or writes of stores. */
static uint64_t next_rename(const struct sim_core *core)
{
	uint64_t dispatch;

	if (core->stop != SIM_STALL_SCHEDULER)
		return SIM_NEVER;
	if (core->program->in_order)
		return core->dispatched_last - (uint64_t)core->params->rename_to_dispatch_cycles;
	if (core->ports.furthest > core->cycle + SIM_RESERVED_CYCLES)
		return core->ports.furthest - SIM_RESERVED_CYCLES;
	dispatch = sim_ports_next(core);
	return dispatch == SIM_NEVER ? dispatch : dispatch + 1; /* it has left a cycle later */
}

static uint64_t next_commit(const struct sim_core *core)
{
	uint32_t store = core->stores_committed % SIM_ROB_MAX;
	uint64_t next = core->replay->commit_cycles[store];

	if (!core->stores_retired)
		return SIM_NEVER;
	if (core->other_line[store] && core->line_change > next)
		next = core->line_change;
	if ((!core->same_piece[store] || core->split[store]) && core->pieces_written > next + 1)
		next = core->pieces_written - 1;
	if (core->writes_from > next)
		next = core->writes_from;
	return next;
}

static uint64_t next_fetch(const struct sim_core *core)
{
	const struct sim_replay *replay = core->replay;

	if (sim_front_end_has_next(core->front_end) || replay->open == SIM_NEVER)
		return SIM_NEVER;
	if (replay->next == replay->tail) /* the next item is not known yet, or there is none */
		return replay->open > core->cycle ? replay->open : SIM_NEVER;
	return sim_replay_open(replay);
}

static bool may_repeat(enum sim_stall stop)
{
	return stop == SIM_STALL_NONE || stop == SIM_STALL_ROB || stop == SIM_STALL_LOAD_QUEUE ||
	       stop == SIM_STALL_STORE_QUEUE || stop == SIM_STALL_SERIALIZE ||
	       stop == SIM_STALL_SCHEDULER;
}

/* Called after a cycle in which nothing was renamed, retired or written to the cache. */
uint64_t sim_idle_cycles(const struct sim_core *core)
{
	uint64_t next = SIM_NEVER;

	if (!may_repeat(core->stop) || core->slots_owed ||
	    !sim_front_end_is_idle(core->front_end, &core->queue))
		return 0;
	if (core->stop == SIM_STALL_NONE && core->queue.head != core->queue.tail)
		return 0; /* it came in this very cycle */
	next = sooner(next_rename(core), next_commit(core));
	next = sooner(next, next_fetch(core));
	if (core->rob_head != core->rob_tail)
		next = sooner(next, core->rob[core->rob_head % SIM_ROB_MAX].done);
	return next == SIM_NEVER || next <= core->cycle + 1 ? 0 : next - core->cycle - 1;
}
