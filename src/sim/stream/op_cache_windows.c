/* SPDX-License-Identifier: MIT */
/* The op cache of a trace: sets of windows, of which the least recently used is replaced. */
#include <string.h>

#include "sim/stream/op_cache_windows.h"

#define LINES_MAX (1 << 16)
#define ERRATUM_BYTES 32u
#define HALVES_BYTES 64u
#define PREDECODED_BYTES 16u

static uint32_t clamp(int32_t value, int32_t least, int32_t most)
{
	return (uint32_t)(value < least ? least : value > most ? most : value);
}

void sim_windows_init(struct sim_windows *windows, const struct takt_core_params *params,
		      struct takt_arena *arena)
{
	*windows = (struct sim_windows){.params = params};
	if (params->op_cache_width <= 0 || params->op_cache_window_bytes <= 0)
		return;
	windows->bytes = (uint32_t)params->op_cache_window_bytes;
	windows->ways = clamp(params->op_cache_ways, 1, SIM_WAYS_MAX);
	windows->sets = clamp(params->op_cache_lines, 1, LINES_MAX) / windows->ways;
	windows->sets += !windows->sets;
	windows->entries =
		TAKT_NEW_ARRAY(arena, (size_t)windows->sets * SIM_WAYS_MAX, struct sim_window);
}

/* Divisions are slow, and nearly all of these are by powers of two. */
static inline uint64_t remainder_of(uint64_t number, uint32_t divisor)
{
	return divisor & (divisor - 1) ? number % divisor : number & (divisor - 1);
}

static inline uint64_t quotient_of(uint64_t number, uint32_t divisor)
{
	return divisor & (divisor - 1) ? number / divisor : number >> __builtin_ctz(divisor);
}

static struct sim_window *set_of(const struct sim_windows *windows, uint64_t number)
{
	return &windows->entries[(size_t)remainder_of(number, windows->sets) * SIM_WAYS_MAX];
}

static struct sim_window *find(struct sim_windows *windows, uint64_t number)
{
	struct sim_window *set = set_of(windows, number);
	uint8_t *hint = &windows->hints[number % SIM_WINDOW_HINTS];

	if (set[*hint].number == number)
		return &set[*hint];
	for (uint32_t way = 0; way < windows->ways; way++) {
		if (set[way].number != number)
			continue;
		*hint = (uint8_t)way;
		return &set[way];
	}
	return NULL;
}

static bool is_refused(struct sim_windows *windows, uint64_t number)
{
	const struct sim_window *window = find(windows, number);

	return window && window->refused;
}

/*
 * True if the window is cached; on some cores the other half of 64 bytes must not be one that
 * cannot be.
 */
static bool look_up(struct sim_windows *windows, uint64_t number)
{
	struct sim_window *window = find(windows, number);

	windows->found = window;
	if (!window)
		return false;
	window->used = ++windows->uses;
	windows->settled = window->refused;
	if (window->refused)
		return false;
	return !windows->params->op_cache_both_halves || windows->bytes * 2 != HALVES_BYTES ||
	       !is_refused(windows, ((number - 1) ^ 1) + 1);
}

/* ---- filling ------------------------------------------------------------------------------ */

/* Ages are compared without branches, which could not be predicted. */
static struct sim_window *oldest_of(const struct sim_windows *windows, struct sim_window *set)
{
	uint32_t oldest = 0, most = 0;

	for (uint32_t way = 0; way < windows->ways; way++) {
		uint32_t age = set[way].number ? windows->uses - set[way].used + 1 : 0;

		oldest = age > most ? way : oldest;
		most = age > most ? age : most;
	}
	return most ? &set[oldest] : NULL;
}

/*
 * Remove the least recently used windows until the set has room for `lines` more; return an entry.
 */
static struct sim_window *make_room(const struct sim_windows *windows, struct sim_window *set,
				    uint32_t lines)
{
	struct sim_window *free = NULL;
	uint32_t taken = 0;

	for (uint32_t way = 0; way < windows->ways; way++) {
		taken += set[way].lines;
		free = set[way].number ? free : &set[way];
	}
	while (!free || taken + lines > windows->ways) {
		struct sim_window *oldest = oldest_of(windows, set);

		if (!oldest)
			return &set[0]; /* a window with more lines than there are */
		taken -= oldest->lines;
		memset(oldest, 0, sizeof(*oldest));
		free = oldest;
	}
	return free;
}

/* End the run through the window. One that was refused stays so as long as it is known. */
static void finish(struct sim_windows *windows)
{
	struct sim_window *window;
	const struct sim_window_run *run = &windows->run;
	int32_t most = windows->params->op_cache_window_lines;
	bool refused = run->refused || (most > 0 && run->lines > (uint32_t)most);
	uint32_t lines = run->lines < windows->ways ? run->lines : windows->ways;

	if (!windows->number || windows->settled)
		return;
	window = windows->found ? find(windows, windows->number) : NULL;
	if (window) {
		window->refused |= refused;
		return;
	}
	window = make_room(windows, set_of(windows, windows->number), lines);
	*window = (struct sim_window){.number = windows->number,
				      .used = ++windows->uses,
				      .lines = (uint8_t)lines,
				      .refused = refused};
}

static void begin(struct sim_windows *windows, uint64_t number)
{
	windows->number = number;
	windows->settled = false;
	windows->hit = look_up(windows, number);
	windows->settled |= windows->hit;
	windows->run.refused = windows->run.last_waits = false;
	windows->run.line.open = false;
	windows->run.lines = windows->run.waiting = 0;
}

/* Note what keeps a window's code from being cached, as in takt_code_find_cached(). */
static void note(const struct takt_core_params *params, struct sim_window_run *run,
		 const struct takt_code_item *item, uint64_t address)
{
	uint64_t end = address + item->length_bytes;

	run->lines += !takt_cache_line_add(params, &run->line, item, address);
	if (params->jcc_erratum && item->branch && address / ERRATUM_BYTES != end / ERRATUM_BYTES)
		run->refused = true;
	if (params->length_change_cycles <= 0)
		return;
	if (address / PREDECODED_BYTES % 2 == 0)
		run->last_waits = item->waits_for_next;
	else
		run->waiting += item->waits_for_next;
	if (run->last_waits && run->waiting >= 2)
		run->refused = true;
}

/* ---- windows of blocks ---------------------------------------------------------------------- */

void sim_window_describe(const struct takt_core_params *params, const struct takt_code_item *items,
			 const uint32_t *records, uint32_t count, uint64_t address,
			 struct sim_code_window *ret_window)
{
	struct sim_window_run run = {0};
	uint64_t begin = address, end_bytes;

	for (uint32_t i = 0; i < count; i++) {
		const struct takt_code_item *item = &items[records[i]];

		note(params, &run, item, address);
		address += item->length_bytes;
	}
	end_bytes = run.line.window_end - begin;
	ret_window->known = run.line.slots <= UINT16_MAX && run.line.constants <= UINT16_MAX &&
			    run.lines <= UINT8_MAX && run.waiting <= UINT8_MAX &&
			    end_bytes <= UINT16_MAX;
	ret_window->slots = (uint16_t)run.line.slots;
	ret_window->constants = (uint16_t)run.line.constants;
	ret_window->end_bytes = (uint16_t)end_bytes;
	ret_window->lines = (uint8_t)run.lines;
	ret_window->waiting = (uint8_t)run.waiting;
	ret_window->refused = run.refused;
	ret_window->last_waits = run.last_waits;
	ret_window->open = run.line.open;
}

static struct sim_window_run described(const struct sim_code_window *window, uint64_t address)
{
	return (struct sim_window_run){
		.line = {.window_end = address + window->end_bytes,
			 .slots = window->slots,
			 .constants = window->constants,
			 .open = window->open},
		.lines = window->lines,
		.waiting = window->waiting,
		.refused = window->refused,
		.last_waits = window->last_waits,
	};
}

void sim_windows_learn(struct sim_windows *windows, const struct takt_code_item *items,
		       const struct sim_code_block *block, uint32_t index, uint32_t count,
		       bool entered)
{
	const struct sim_code_window *window = &block->windows[index];
	bool last = index + 1 == block->window_count;
	uint32_t behind = last ? block->record_count : window[1].record;
	uint64_t address = block->address + window->offset_bytes, number;

	if (sim_windows_is_settled(windows, address))
		return;
	number = quotient_of(address, windows->bytes) + 1;
	if ((entered && !index) || number != windows->number) {
		finish(windows);
		begin(windows, number);
		if (!windows->settled && behind <= count && window->known) {
			windows->run = described(window, address);
			return;
		}
	}
	behind = behind < count ? behind : count;
	for (uint32_t i = window->record; i < behind && !windows->settled; i++) {
		const struct takt_code_item *item = &items[block->records[i]];

		note(windows->params, &windows->run, item, address);
		address += item->length_bytes;
	}
}

/* ---- single records ------------------------------------------------------------------------- */

bool sim_windows_enter(struct sim_windows *windows, const struct takt_code_item *item,
		       uint64_t address, bool entered)
{
	uint64_t number;

	if (!windows->bytes)
		return false;
	number = quotient_of(address, windows->bytes) + 1;
	if (entered || number != windows->number) {
		finish(windows);
		begin(windows, number);
	}
	if (!windows->settled)
		note(windows->params, &windows->run, item, address);
	return windows->hit;
}
