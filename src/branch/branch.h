/* SPDX-License-Identifier: MIT */
/*
 * branch: a model of a core's branch predictor, which says of each branch whether the core would
 * have predicted it. Branches come in program order and without time. The predictor consists of
 * a tagged geometric one (TAGE: Seznec, Michaud, JILP 2006) for directions, levels of branch
 * target buffers, a return stack, tables of indirect targets by history, a next-target table
 * (which taken branch follows a taken branch), and one of indirect branches with a single target.
 * All sizes come from the core's parameters.
 */
#ifndef TAKT_BRANCH_H
#define TAKT_BRANCH_H

#include "model/model.h"

enum branch_kind {
	BRANCH_CONDITIONAL,
	BRANCH_JUMP, /* unconditional, to a fixed target */
	BRANCH_CALL,
	BRANCH_INDIRECT,
	BRANCH_INDIRECT_CALL,
	BRANCH_RETURN,
};

struct branch {
	uint64_t address, end; /* of the instruction, and of what follows it: a call's return */
	uint64_t next;	       /* address where control went: `end` if not taken */
	enum branch_kind kind;
	bool taken;
};

enum branch_verdict {
	BRANCH_PREDICTED,
	BRANCH_LATE,   /* the target came late: from a slower buffer or the decoder, or
			* because the next-target table expected another branch */
	BRANCH_MISSED, /* mispredicted: noticed at execution, and the pipeline restarts */
};

struct branch_counts {
	uint64_t branches[6], missed[6]; /* by kind */
	uint64_t late;
};

struct branch_predictor;

/*
 * Return a predictor that has seen no branch yet. It is one block of memory without pointers:
 * its takt_branch_bytes() bytes can be written to a checkpoint and read back. Free it with free().
 */
struct branch_predictor *takt_branch_new(const struct takt_core_params *params);
size_t takt_branch_bytes(const struct branch_predictor *predictor);
/* Restore the state from a block that was saved; false if that predictor had other sizes. */
bool takt_branch_restore(struct branch_predictor *predictor, const void *block, size_t bytes);
/* Predict a branch, then learn its outcome. `ret_late_cycles` is set if the verdict is LATE. */
enum branch_verdict takt_branch_next(struct branch_predictor *predictor,
				     const struct branch *branch, uint32_t *ret_late_cycles);
/*
 * True if the last taken branch was indirect, and has had one target only after the branches
 * before it: where a core keeps such targets (branch_known_target_entries), they are not late.
 */
bool takt_branch_target_known(const struct branch_predictor *predictor);
const struct branch_counts *takt_branch_counts(const struct branch_predictor *predictor);

#endif
