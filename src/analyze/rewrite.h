/* SPDX-License-Identifier: MIT */
/*
 * rewrite: a changed block, as a programmer or compiler would write it: unrolled, with several
 * accumulators, with values kept in registers, or with other instructions. It is simulated like any
 * other block.
 */
#ifndef TAKT_ANALYZE_REWRITE_H
#define TAKT_ANALYZE_REWRITE_H

#include "analyze/chains.h"

#define TAKT_CHAINS_MAX 16u
#define TAKT_KEPT_MAX 16u
/* Iterations over which a value is kept in registers at most. */
#define TAKT_KEPT_ITERATIONS_MAX 4u

/* A loaded value that is kept in a register since it was stored. */
struct takt_kept {
	uint32_t store, load, producer; /* instructions; `producer` makes the stored value */
	uint32_t iterations;		/* between the store and the load */
	uint8_t data_slot;		/* operand of the producer that is the value */
	uint8_t value_slot;		/* operand of the load that is in memory */
	bool only_copies;		/* the load does nothing else: it is left out */
	bool is_accumulator;		/* one instruction loads, changes and stores the value */
	bool store_is_dropped;		/* the address never changes: stored after the loop */
};

struct takt_rewrite {
	uint32_t copies;       /* of the block; at least 1 */
	uint32_t accumulators; /* for each chain; 1: as it is */
	const struct takt_chain *chains;
	uint32_t chain_count;
	const struct takt_kept *kept;
	uint32_t kept_count;
	const takt_form_key *forms; /* other forms of the instructions; NULL: as they are; 0: as
				     * it is */
	bool widens;		    /* `forms` have vectors of twice the width: a copy does the work
				     * of two iterations */
};

/*
 * Simulate the block so changed. *ret_cycles is per iteration of the block as it was. False if the
 * change cannot be made: there are too few registers, or the block becomes too long.
 */
bool takt_rewrite_simulate(const struct takt_work *work, const struct takt_rewrite *rewrite,
			   struct takt_arena *arena, double *ret_cycles);
/* True if the rest of an unrolled loop does not need this instruction: it only counts. */
bool takt_insn_is_overhead(const struct takt_prepared *prepared, uint32_t insn);

/* keep.c: list the loaded values that can be kept in registers; return how many. */
uint32_t takt_kept_list(const struct takt_work *work, struct takt_kept ret_kept[TAKT_KEPT_MAX]);

#endif
