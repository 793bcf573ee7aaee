/* SPDX-License-Identifier: MIT */
/*
 * memory: stores whose value a later load of the block, or of the next iteration,
 * certainly reads: same symbolic address, and the load within the stored bytes.
 * Addresses are symbol + constant, followed through mov, lea, and additions of
 * constants; any other result is a new symbol. A store to an address that cannot be
 * compared is taken not to interfere. Private to depend.
 */
#ifndef TAKT_DEPEND_MEMORY_H
#define TAKT_DEPEND_MEMORY_H

#include "depend/depend.h"

/* For memory operand m of instruction i, at i × TAKT_MEMORIES_MAX + m. */
struct takt_forward {
	uint32_t store_insn; /* UINT32_MAX: none */
	uint8_t store_slot;
	uint8_t iterations;
};

/* NULL if the block has no load, or no store, that could matter. */
const struct takt_forward *takt_forwards_find(const struct takt_block *block, bool loop,
					      struct takt_arena *arena);

#endif
