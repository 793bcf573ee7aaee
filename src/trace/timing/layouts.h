/* SPDX-License-Identifier: MIT */
/*
 * layouts: places for a program's code, drawn at random, so that cycles can be predicted over many
 * layouts instead of the one that a linker happened to make (Curtsinger, Berger, "Stabilizer",
 * ASPLOS 2013, for measurements).
 *
 * Code is moved in pieces: a function up to its first loop, and from the first instruction of each
 * loop to that of the next. A piece's place depends on the seed, the layout's number, the
 * function's name, and the code at the loop's beginning; it does not depend on the address. So in
 * two versions of a program, whatever is the same in both has the same places in each layout, and
 * the difference of the two is only what the change does.
 *
 * In a line of 64 bytes the places of a piece are a Latin hypercube sample (McKay, Beckman, Conover
 * 1979): over all layouts they are evenly spread, in an order of its own for each piece.
 */
#ifndef TAKT_TRACE_LAYOUTS_H
#define TAKT_TRACE_LAYOUTS_H

#include "trace/trace.h"

struct trace_layouts;

/* Place of a block in a layout: offsets to add to its addresses. Sums are modulo 2^64. */
struct layout_shift {
	/*
	 * For caches: the block stays in its page, or goes to the next. The upper 16 bits of the
	 * sum distinguish pieces that are moved to the same lines of a page.
	 */
	uint64_t fetch;
	/* For the op cache, the predecoder and the predictor: the page is drawn, too. */
	uint64_t code;
};

struct trace_layouts *trace_layouts_new(const struct trace_dictionary *dictionary, uint32_t count,
					uint64_t seed);
void trace_layouts_free(struct trace_layouts *layouts);
/* Note a block that is about to be timed, in the order of the thread; call it once for each. */
void trace_layouts_note(struct trace_layouts *layouts, uint32_t thread,
			const struct executed_block *executed);
/*
 * Return the number of the piece that a block belongs to now; it changes if a loop is found. Piece
 * 0 is code without a function, which is not moved. The block must have been noted.
 */
uint32_t trace_layouts_piece(const struct trace_layouts *layouts, const struct trace_block *block);
struct layout_shift trace_layouts_shift(const struct trace_layouts *layouts, uint32_t piece,
					uint32_t layout);
/*
 * Return what to add, for the predictor, to the address of the block that runs next, and to that
 * after the block that was noted last.
 */
uint64_t trace_layouts_next(const struct trace_layouts *layouts, uint32_t layout);
uint64_t trace_layouts_behind(const struct trace_layouts *layouts, uint32_t layout);
/* Return the bytes, a multiple of 64, by which stacks, or all other data, are shifted. */
uint64_t trace_layouts_data(const struct trace_layouts *layouts, bool stack, uint32_t layout);

#endif
