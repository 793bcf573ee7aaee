/* SPDX-License-Identifier: MIT */
/*
 * relax: the block once more on a core that is better in one thing. A trial says in
 * which; trials.c lists those that may matter, relax.c simulates them, advice.c puts
 * them into words.
 */
#ifndef TAKT_ANALYZE_RELAX_H
#define TAKT_ANALYZE_RELAX_H

#include "analyze/work.h"

enum takt_trial_kind {
	TAKT_TRIAL_PORT,          /* one more port like `ports`, which are alike to this block */
	TAKT_TRIAL_PIPELINED,     /* the unit `ports` takes new work each cycle */
	TAKT_TRIAL_LATENCY,       /* half of it, for instructions of `insn_class` */
	TAKT_TRIAL_LOAD,          /* a cycle less */
	TAKT_TRIAL_FRONT_END,     /* fetch and decoding half as wide again */
	TAKT_TRIAL_ISSUE,         /* rename and retirement likewise */
	TAKT_TRIAL_RETIRE,
	TAKT_TRIAL_ROB,           /* buffers of twice the size */
	TAKT_TRIAL_SCHEDULER,
	TAKT_TRIAL_LOAD_QUEUE,
	TAKT_TRIAL_STORE_QUEUE,
	TAKT_TRIAL_COMMIT,        /* stores written to the cache, one a cycle more */
	TAKT_TRIAL_MEMORY,        /* no memory dependences */
	TAKT_TRIAL_FORWARD,       /* stores forward to whatever reads them */
	TAKT_TRIAL_MOVES,         /* every move that may be is eliminated */
	TAKT_TRIAL_ALIGNMENT,     /* the block at `alignment_bytes` of a line */
};

struct takt_trial {
	enum takt_trial_kind kind;
	uint32_t ports;           /* mask */
	uint8_t insn_class;       /* enum takt_insn_class */
	uint32_t alignment_bytes;
	double promise;           /* the part of the cycles it may have to do with, 0 to 1 */
	double cycles;            /* simulated */
};

#define TAKT_TRIALS_MAX 192u

/* trials.c: what could matter to this block, the most promising first. */
uint32_t takt_trials_list(const struct takt_work *work, bool full,
			  struct takt_trial ret_trials[TAKT_TRIALS_MAX]);
/* True if the trial has to do with the instruction. */
bool takt_trial_concerns(const struct takt_work *work, const struct takt_trial *trial,
			 uint32_t insn);
/* Latency of the instruction's results from the registers it reads; 0 if from none. */
uint32_t takt_trial_latency(const struct takt_steps *steps, uint32_t insn);
/* The parameter that a trial changes, and its new value in `params`; NULL if none. */
int32_t *takt_trial_param(enum takt_trial_kind kind, struct takt_core_params *params);
void takt_trial_set_params(const struct takt_trial *trial, struct takt_core_params *params);

/* advice.c: a trial in the words of the record. */
void takt_trial_describe(struct takt_work *work, const struct takt_trial *trial,
			 struct takt_relaxation *ret_relaxation);

#endif
