/* SPDX-License-Identifier: MIT */
/*
 * Code in the front end: slots from decoders and microcode, op cache lines and windows, and copies
 * in the loop buffer.
 */
#include "model/model.h"

/* Cores without separate figures have rows that give all slots to decoders and microcode both. */
uint32_t takt_timing_decoded_slots(const struct takt_timing *timing)
{
	uint32_t decoded = timing->mite ? timing->mite : 1;

	if (timing->ms && decoded + timing->ms > timing->slots)
		decoded = timing->slots > timing->ms ? (uint32_t)timing->slots - timing->ms : 1;
	return decoded < UINT8_MAX ? decoded : UINT8_MAX;
}

uint32_t takt_timing_microcode_slots(const struct takt_timing *timing)
{
	uint32_t decoded = takt_timing_decoded_slots(timing);
	uint32_t left = timing->slots > decoded ? timing->slots - decoded : 0;
	bool no_figures = timing->mite >= timing->slots;

	/* Measured figures may add up to more than is issued (uiCA paper: laminated µops). */
	return no_figures && left < timing->ms ? left : timing->ms;
}

/* ---- lines ------------------------------------------------------------- */

uint64_t takt_cache_window_end(const struct takt_core_params *params, uint64_t address)
{
	uint64_t bytes;

	if (params->op_cache_window_bytes <= 0)
		return UINT64_MAX;
	bytes = (uint64_t)params->op_cache_window_bytes;
	if (!(bytes & (bytes - 1)))
		return (address | (bytes - 1)) + 1; /* as everywhere: divisions are slow */
	return address - address % bytes + bytes;
}

bool takt_cache_line_add(const struct takt_core_params *params, struct takt_cache_line *line,
			 const struct takt_code_item *item, uint64_t address)
{
	if (takt_cache_line_continue(params, line, item, address))
		return true;
	*line = (struct takt_cache_line){
		.window_end =
			takt_cache_window_end(params, takt_cache_address(params, item, address)),
		.slots = item->slots,
		.constants = item->constants,
		.open = !item->microcode,
	};
	return false;
}

/* ---- windows ----------------------------------------------------------- */

#define ERRATUM_BYTES 32
#define HALVES_BYTES 64
#define BLOCK_BYTES 16 /* block of the predecoder, for the rule of length-changing prefixes */

/* Count the items that start in the same aligned block of `bytes` as the first. */
static uint32_t count_together(const struct takt_code_item *items, uint32_t count, uint64_t address,
			       uint64_t bytes)
{
	uint64_t end = (address / bytes + 1) * bytes;
	uint32_t i = 0;

	for (; i < count && address < end; i++)
		address += items[i].length_bytes;
	return i;
}

/* Return the first branch that touches the end of 32 bytes; `count` if none does. */
static uint32_t erratum_at(const struct takt_code_item *items, uint32_t count, uint64_t address)
{
	uint32_t i = 0;

	for (; i < count; i++) {
		uint64_t end = address + items[i].length_bytes;

		if (items[i].branch && address / ERRATUM_BYTES != end / ERRATUM_BYTES)
			break;
		address = end;
	}
	return i;
}

/* True if the last item of the first 16 bytes waits, and at least two of the second 16 bytes. */
static bool waits_too_often(const struct takt_code_item *items, uint32_t count, uint64_t address)
{
	bool last_waits = false;
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (address / BLOCK_BYTES % 2 == 0)
			last_waits = items[i].waits_for_next;
		else
			waiting += items[i].waits_for_next;
		address += items[i].length_bytes;
	}
	return last_waits && waiting >= 2;
}

static enum takt_uncached window_uncached(const struct takt_core_params *params,
					  const struct takt_code_item *items, uint32_t count,
					  uint64_t address)
{
	struct takt_cache_line line = {0};
	int32_t lines = 0;

	if (params->jcc_erratum && erratum_at(items, count, address) < count)
		return TAKT_UNCACHED_BRANCH;
	if (params->length_change_cycles > 0 && waits_too_often(items, count, address))
		return TAKT_UNCACHED_LENGTH;
	if (params->op_cache_window_lines <= 0)
		return TAKT_UNCACHED_NOT;
	for (uint32_t i = 0; i < count; i++) {
		lines += !takt_cache_line_add(params, &line, &items[i], address);
		address += items[i].length_bytes;
	}
	return lines <= params->op_cache_window_lines ? TAKT_UNCACHED_NOT : TAKT_UNCACHED_LINES;
}

static uint64_t length_of(const struct takt_code_item *items, uint32_t count)
{
	uint64_t length = 0;

	for (uint32_t i = 0; i < count; i++)
		length += items[i].length_bytes;
	return length;
}

/* Mark all of an aligned block of 64 bytes as not cached if one of its windows is not. */
static void spread_over_halves(const struct takt_code_item *items, uint32_t count, uint64_t address,
			       bool *cached)
{
	for (uint32_t i = 0, together; i < count; i += together) {
		bool all = true;

		together = count_together(&items[i], count - i, address, HALVES_BYTES);
		for (uint32_t k = i; k < i + together; k++)
			all = all && cached[k];
		for (uint32_t k = i; k < i + together; k++)
			cached[k] = all;
		address += length_of(&items[i], together);
	}
}

enum takt_uncached takt_code_uncached(const struct takt_core_params *params,
				      const struct takt_code_item *items, uint32_t count,
				      uint64_t address, uint32_t *ret_item)
{
	enum takt_uncached why = TAKT_UNCACHED_NOT;

	*ret_item = 0;
	if (params->op_cache_width <= 0 || params->op_cache_window_bytes <= 0)
		return why;
	for (uint32_t i = 0, together; i < count; i += together) {
		together = count_together(&items[i], count - i, address,
					  (uint64_t)params->op_cache_window_bytes);
		why = window_uncached(params, &items[i], together, address);
		*ret_item = i;
		if (why == TAKT_UNCACHED_BRANCH)
			*ret_item += erratum_at(&items[i], together, address);
		if (why != TAKT_UNCACHED_NOT)
			break;
		address += length_of(&items[i], together);
	}
	return why;
}

void takt_code_find_cached(const struct takt_core_params *params,
			   const struct takt_code_item *items, uint32_t count, uint64_t address,
			   bool *ret_cached)
{
	bool exists = params->op_cache_width > 0 && params->op_cache_window_bytes > 0;
	uint64_t window_bytes = exists ? (uint64_t)params->op_cache_window_bytes : 1;
	uint64_t here = address;

	for (uint32_t i = 0, together; i < count; i += together) {
		bool cached;

		together = count_together(&items[i], count - i, here, window_bytes);
		cached = exists &&
			 window_uncached(params, &items[i], together, here) == TAKT_UNCACHED_NOT;
		for (uint32_t k = i; k < i + together; k++)
			ret_cached[k] = cached;
		here += length_of(&items[i], together);
	}
	if (params->op_cache_both_halves)
		spread_over_halves(items, count, address, ret_cached);
}

/* ---- the loop buffer --------------------------------------------------- */

#define COPIES_DIGITS 8

uint32_t takt_loop_buffer_copies(const struct takt_core_params *params, uint32_t slots)
{
	int64_t entries = params->queue_entries, size = slots;
	int32_t digits = params->loop_buffer_copies, longest = params->loop_buffer_longest;
	uint32_t copies = 1;

	if (!params->loop_buffer || slots == 0 || size > (longest > 0 ? longest : entries))
		return 0;
	if (slots <= COPIES_DIGITS) {
		for (uint32_t i = slots; i < COPIES_DIGITS; i++)
			digits /= 10;
		copies = digits > 0 ? (uint32_t)(digits % 10) : 1;
	} else if (size <= params->loop_buffer_sixfold) {
		copies = 6;
	} else if (size <= params->loop_buffer_fourfold) {
		copies = 4;
	} else if (size <= params->loop_buffer_thrice) {
		copies = 3;
	} else if (size <= params->loop_buffer_twice) {
		copies = 2;
	}
	while (copies > 1 && size * copies > entries)
		copies--;
	return copies > 0 ? copies : 1;
}
