/* SPDX-License-Identifier: MIT */
/* Pairs of instructions that may become one µop, and the code of which such pairs consist. */
#ifndef TAKT_LEARN_FUSING_H
#define TAKT_LEARN_FUSING_H

#include "learn/learn.h"

#define LEARN_NO_RESTRICTION UINT8_MAX

struct learn_pair {
	const char *first, *second; /* as the report names them */
	enum takt_fuse_role role;   /* of the first: TAKT_FUSE_JUMP, _FIRST or _LOAD */
	uint16_t conditions;	    /* of jumps that the result stands for */
	uint8_t restriction; /* kind of the first one's operands, of enum takt_fuse_not, if that is
			      * in question; or LEARN_NO_RESTRICTION */
	uint8_t set;	     /* pairs without a jump: those of one set are a line of a core file */
	bool is_sample;	     /* if no sample of a set fuses, its other pairs are taken not to */
	bool varies_first;   /* the second is that of another pair of the set, which fuses */
};

/* A copy of a pair; its instructions do not wait for those of other copies. */
struct learn_pair_copy {
	struct learn_pair_insn {
		uint8_t bytes[TAKT_X86_LENGTH_MAX];
		size_t size_bytes; /* 0: there is none */
	} before, first, second;   /* `before` sets registers so that a jump is not taken */
};

/* Return a pair of an instruction set, those with jumps first; NULL: there are no more. */
const struct learn_pair *learn_x86_pair(uint32_t index);
const struct learn_pair *learn_aarch64_pair(uint32_t index);
/*
 * Make copy number `index` of a pair, with the second instruction of the pair `behind`. False: the
 * instructions cannot be encoded.
 */
bool learn_x86_pair_copy(const struct learn_pair *pair, const struct learn_pair *behind,
			 uint32_t index, struct learn_pair_copy *ret_copy);
bool learn_aarch64_pair_copy(const struct learn_pair *pair, const struct learn_pair *behind,
			     uint32_t index, struct learn_pair_copy *ret_copy);
/* Add what comes once before all copies of an x86-64 pair: 16 bytes, or nothing. */
void learn_x86_pair_start(const struct learn_pair *pair, struct learn_code *code);

#endif
