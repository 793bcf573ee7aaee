/* SPDX-License-Identifier: MIT */
/*
 * branch: whether a core would have predicted where control goes. Branches come in program
 * order and without time. A tagged geometric predictor (TAGE: Seznec, Michaud, JILP 2006) for
 * directions, levels of branch target buffers, a return stack and a table of indirect targets
 * by history; what the first level expects behind a branch. Sizes are the core's.
 */
#ifndef TAKT_BRANCH_H
#define TAKT_BRANCH_H

#include "model/model.h"

enum branch_kind {
	BRANCH_CONDITIONAL,
	BRANCH_JUMP,          /* to one target */
	BRANCH_CALL,
	BRANCH_INDIRECT,
	BRANCH_INDIRECT_CALL,
	BRANCH_RETURN,
};

struct branch {
	uint64_t address, end; /* of the instruction; behind it, where a call returns to */
	uint64_t next;         /* where control went: `end` if not taken */
	enum branch_kind kind;
	bool taken;
};

enum branch_verdict {
	BRANCH_PREDICTED,
	BRANCH_LATE,      /* the target came late: out of a slower buffer or the decoder, or
			   * because another branch was expected */
	BRANCH_MISSED,    /* found out when it executes: the pipeline begins anew */
};

struct branch_counts {
	uint64_t branches[6], missed[6]; /* by kind */
	uint64_t late;
};

struct branch_predictor;

/*
 * Cold. One block of memory without pointers in it: takt_branch_bytes() of it can be written
 * to a checkpoint and read back. Freed with free().
 */
struct branch_predictor *takt_branch_new(const struct takt_core_params *params);
size_t takt_branch_bytes(const struct branch_predictor *predictor);
/* Goes on from such a block, wherever it was; false if it is not one of the same sizes. */
bool takt_branch_restore(struct branch_predictor *predictor, const void *block, size_t bytes);
/* Predicts, and learns what was right. `ret_late_cycles` is set if it is late. */
enum branch_verdict takt_branch_next(struct branch_predictor *predictor,
				     const struct branch *branch, uint32_t *ret_late_cycles);
const struct branch_counts *takt_branch_counts(const struct branch_predictor *predictor);

#endif
