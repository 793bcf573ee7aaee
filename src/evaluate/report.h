/* SPDX-License-Identifier: MIT */
/*
 * report: all results for one core, as its writers (text, JSON, SVG) need them. Private to
 * evaluate.
 */
#ifndef TAKT_EVALUATE_REPORT_H
#define TAKT_EVALUATE_REPORT_H

#include "evaluate/evaluate.h"

#define REPORT_TOOLS_MAX 16
#define REPORT_AGES (EVALUATE_LIFETIMES + 1) /* of coverage: limits of age, then the claims */

/* A benchmark that was measured. */
struct report_case {
	const char *name;				    /* "gemm gcc O2 -DTILE=8" */
	const char *kernel, *compiler, *strategy, *options; /* the parts of its name */
	const char *file;		    /* shared library, below the directory of results */
	double measured;		    /* cycles of a call */
	double miss_share;		    /* share of these cycles that cache misses would take */
	double predicted[REPORT_TOOLS_MAX]; /* cycles by tool; NaN: no prediction */
	bool asked[REPORT_TOOLS_MAX];
	const char *bottleneck; /* largest stall causes of the whole run, or "" */
	bool memory_bound;	/* predicted much faster without dependences through memory */
};

/* Sets of benchmarks that errors are reported for. */
enum report_set {
	REPORT_FULL,   /* data fit the first-level cache: misses take up to 15 % of the cycles */
	REPORT_PRUNED, /* those of the full set that are not memory_bound */
	REPORT_STRICT, /* misses take up to 1 % */
	REPORT_SET_COUNT
};

struct report_tool {
	const struct evaluate_predictor *predictor;
	const char *skipped; /* why the tool was not run; NULL: it was, or has not been tried */
	/* Benchmarks of the full set that the tool was run on, and those without a prediction. */
	size_t asked, failures;
	double cpu_seconds;
	struct evaluate_errors errors[REPORT_SET_COUNT];
	double whiskers[REPORT_SET_COUNT][2]; /* 5 % and 95 % quantiles of signed errors */
	/* First quartile, median and third quartile of signed errors. */
	double boxes[REPORT_SET_COUNT][3];
};

struct report_counts {
	int64_t compiled, built, same, failed, not_counted, measured, disturbed, agreeing, insns;
	double spread; /* median over benchmarks of the spread between repeats, as a fraction */
	const char *clock, *cpu;
};

/* Sums over all benchmarks of struct evaluate_coverage. */
struct report_coverage {
	double pairs, found, weight, found_weight;
};

struct report {
	struct takt_arena arena;
	const char *directory; /* where the results and the benchmarks are */
	const char *core, *core_choice,
		*core_doubt; /* as takt_model_choice() and _doubt() return */
	struct report_counts counts;
	struct report_case *cases; /* sorted by number of the benchmark */
	size_t case_count, set_counts[REPORT_SET_COUNT];
	/* Tools that were run or skipped, in the order of takt_evaluate_predictors. */
	struct report_tool tools[REPORT_TOOLS_MAX];
	size_t tool_count;
	/* Errors of the by-block tool that is nearest for each benchmark. */
	struct evaluate_errors best;
	/* Indexed by paths, entry values and age limit. */
	struct report_coverage coverage[2][2][REPORT_AGES];
	/* Indices of cases that are among the `worst_count` worst of every static tool. */
	uint32_t *bad;
	size_t bad_count, worst_count, bad_under, bad_memory_bound;
};

/* Return the row of a predictor, or NULL. */
const struct report_tool *report_tool(const struct report *report, const char *name);

void report_write_text(const struct report *report, struct takt_text *text);
void report_write_json(const struct report *report, struct takt_text *text);
void report_write_svg(const struct report *report, struct takt_text *text);

/* The form of struct evaluate_errors. (report_json.c) */
extern const struct takt_record report_errors_record;

#endif
