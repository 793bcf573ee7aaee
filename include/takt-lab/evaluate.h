/* SPDX-License-Identifier: MIT */
/*
 * Predictors against measurement, on whole kernels.
 *
 * A part of the laboratory: the command uses it, the library does not offer it.
 */
#ifndef TAKT_LAB_EVALUATE_H
#define TAKT_LAB_EVALUATE_H

#include <takt/model.h>

/* Zero-initialise, then set what is needed. */
struct takt_evaluation_options {
	const char *directory; /* directory of all results; each phase is resumed where it
				* stopped */
	const char *kernels;   /* directory of the kernels' sources; needed only to build */
	const char *kernel;    /* file of the only kernel to build, which may be anywhere; NULL:
				* all files in `kernels` */
	bool small;	       /* build one benchmark of each kernel */
	uint32_t shard, shard_count; /* do only part `shard`, from 1 on, of this many; 0: all */
	const char *predictor;	     /* name of the only predictor to run; NULL: all that are
				      * installed */
	bool again;		     /* repeat predictions that exist, as after a change of a
				      * model */
	/* Called for each benchmark with a line on what was done; NULL if not wanted. */
	void (*progress)(void *context, const char *line);
	void *context;
};

struct takt_evaluation;

TAKT_MUST_CHECK enum takt_status takt_evaluation_open(const struct takt_evaluation_options *options,
						      struct takt_diag *diag,
						      struct takt_evaluation **ret_evaluation);
void takt_evaluation_close(struct takt_evaluation *evaluation);
/* Compile and check all variants, and keep those whose code differs from all others'. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_build(struct takt_evaluation *evaluation,
						       struct takt_diag *diag);
/* Run each benchmark under qemu to find which blocks ran, and how often. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_count(struct takt_evaluation *evaluation,
						       struct takt_diag *diag);
/* Measure the benchmarks on this machine. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_measure(struct takt_evaluation *evaluation,
							 struct takt_diag *diag);
/* Predict the benchmarks with all installed predictors. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_predict(struct takt_evaluation *evaluation,
							 const struct takt_model *model,
							 struct takt_diag *diag);
/* Import the results of another directory, such as a shard's, without its compiled benchmarks. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_merge(struct takt_evaluation *evaluation,
						       const char *directory,
						       struct takt_diag *diag);

enum takt_evaluation_format {
	TAKT_EVALUATION_TEXT, /* the tables of the CesASMe paper, with its figures */
	TAKT_EVALUATION_JSON, /* the same, and each benchmark */
	TAKT_EVALUATION_SVG,  /* box plots */
};

/* Write the results of the evaluation, for one core. */
TAKT_MUST_CHECK enum takt_status takt_evaluation_write(const struct takt_evaluation *evaluation,
						       const struct takt_model *model,
						       enum takt_evaluation_format format,
						       struct takt_diag *diag,
						       struct takt_text *text);

/*
 * Return the cycles of an iteration in OSACA's results, the text that its option --yaml-out writes:
 * the larger of its two bounds, the busiest port and the loop-carried dependence. NaN if they lack
 * one of these.
 */
double takt_osaca_cycles(const char *results);

#endif
