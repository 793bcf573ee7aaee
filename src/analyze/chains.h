/* SPDX-License-Identifier: MIT */
/* chains: what kind of recurrence carries a value from iteration to iteration. */
#ifndef TAKT_ANALYZE_CHAINS_H
#define TAKT_ANALYZE_CHAINS_H

#include "analyze/work.h"

enum takt_chain_kind {
	TAKT_CHAIN_OTHER,     /* each iteration needs the result of the one before */
	TAKT_CHAIN_REDUCTION, /* one register takes up values by an associative operation, and is
			       * not read otherwise: several accumulators do as well */
	TAKT_CHAIN_COUNTER,   /* a constant is added to a register */
	TAKT_CHAIN_POINTER,   /* what is loaded is the next address */
	TAKT_CHAIN_MEMORY,    /* a stored value is loaded again */
};

struct takt_chain {
	enum takt_chain_kind kind;
	uint8_t location;   /* REDUCTION: the accumulator's register */
	bool is_floating;   /* REDUCTION: another order of the operations rounds differently */
	uint32_t def_count; /* defs of the recurrence */
	const uint32_t *defs;
};

/* chains.c */
void takt_chain_find(const struct takt_work *work, const struct takt_bounds_recurrence *recurrence,
		     struct takt_chain *ret_chain);
/* Return a chain's description for reports, or "" if there is nothing to say. */
const char *takt_chain_text(enum takt_chain_kind kind);
/* True if an instruction adds a constant to a general register, and does nothing else. */
bool takt_insn_counts(const struct takt_insn *insn, uint8_t *ret_location, int64_t *ret_addend);
/* Return an instruction's access that reads a register, other than for an address; or NULL. */
const struct takt_access *takt_insn_reads(const struct takt_insn *insn, uint8_t location);
const struct takt_access *takt_insn_writes(const struct takt_insn *insn, uint8_t location);

/* associative.c: operations whose operands may be taken in any order. */

/*
 * True if operand `slot` of the instruction can be an accumulator. Operations of one group, such as
 * additions and subtractions, may share an accumulator.
 */
bool takt_insn_accumulates(const struct takt_insn *insn, uint8_t slot, uint8_t *ret_group,
			   bool *ret_is_floating);

#endif
