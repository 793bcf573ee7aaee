/* SPDX-License-Identifier: MIT */
/*
 * relax: simulations of the block on a core that is better in one respect. A trial names that
 * respect; trials.c lists the trials that may matter, relax.c simulates them, and advice.c
 * describes them in words.
 */
#ifndef TAKT_ANALYZE_RELAX_H
#define TAKT_ANALYZE_RELAX_H

#include "analyze/work.h"

enum takt_trial_kind {
	TAKT_TRIAL_PORT,      /* add one more port like `ports`, which this block uses alike */
	TAKT_TRIAL_PIPELINED, /* the unit `ports` accepts new work in each cycle */
	TAKT_TRIAL_LATENCY,   /* half the latency of instructions of `insn_class` */
	TAKT_TRIAL_LOAD,      /* loads are a cycle faster */
	TAKT_TRIAL_FRONT_END, /* wider fetch and decoding, without their penalties; see
			       * widen_front_end() */
	TAKT_TRIAL_ISSUE,     /* rename and issue half as wide again */
	TAKT_TRIAL_RETIRE,
	TAKT_TRIAL_ROB, /* a reorder buffer of twice the size; likewise the three buffers
			 * below */
	TAKT_TRIAL_SCHEDULER,
	TAKT_TRIAL_LOAD_QUEUE,
	TAKT_TRIAL_STORE_QUEUE,
	TAKT_TRIAL_COMMIT,    /* one more store written to the cache in each cycle */
	TAKT_TRIAL_MEMORY,    /* no memory dependences */
	TAKT_TRIAL_FORWARD,   /* stores forward to every load that reads them */
	TAKT_TRIAL_MOVES,     /* every move that may be eliminated is eliminated */
	TAKT_TRIAL_ALIGNMENT, /* the block starts at offset `alignment_bytes` of a line */
};

struct takt_trial {
	enum takt_trial_kind kind;
	uint32_t ports;	    /* mask of ports, for the first two kinds */
	uint8_t insn_class; /* enum takt_insn_class */
	uint32_t alignment_bytes;
	double promise; /* share of the cycles that the trial may affect, 0 to 1 */
	double cycles;	/* simulated cycles per iteration */
};

#define TAKT_TRIALS_MAX 192u

/* trials.c: list the trials that could matter to this block, the most promising first. */
uint32_t takt_trials_list(const struct takt_work *work, bool full,
			  struct takt_trial ret_trials[TAKT_TRIALS_MAX]);
/* True if the trial affects the instruction directly. */
bool takt_trial_concerns(const struct takt_work *work, const struct takt_trial *trial,
			 uint32_t insn);
/* Return the largest latency from a register that the instruction reads; 0 if it reads none. */
uint32_t takt_trial_latency(const struct takt_prepared *prepared, uint32_t insn);
/* Return the parameter in `params` that a trial changes; NULL if it changes none. */
int32_t *takt_trial_param(enum takt_trial_kind kind, struct takt_core_params *params);
void takt_trial_set_params(const struct takt_trial *trial, struct takt_core_params *params);

/* relax.c: make the core of a trial; takt_model_close() closes it. */
struct takt_model *takt_trial_change_model(const struct takt_model *model,
					   const struct takt_trial *trial);

/* advice.c: write a trial that changes parameters of the core alone. */
void takt_trial_write(const struct takt_model *model, const struct takt_trial *trial,
		      struct takt_text *text);
/* Describe a trial in the words of the record. */
void takt_trial_describe(struct takt_work *work, const struct takt_trial *trial,
			 struct takt_relaxation *ret_relaxation);

#endif
