/* SPDX-License-Identifier: MIT */
/* report: all that was found, of one core, for those who write it down. Private to evaluate. */
#ifndef TAKT_EVALUATE_REPORT_H
#define TAKT_EVALUATE_REPORT_H

#include "evaluate/evaluate.h"

#define REPORT_TOOLS_MAX 16

/* A benchmark that was measured. */
struct report_case {
	const char *name;		    /* "gemm gcc O2 -DTILE=8" */
	double measured;		    /* cycles */
	double miss_share;		    /* of them, that cache misses would take */
	double predicted[REPORT_TOOLS_MAX]; /* cycles; NaN: none */
	bool asked[REPORT_TOOLS_MAX];
	const char *bottleneck;		    /* what the whole run's cycles go to, or "" */
	bool memory_bound; /* much faster, were it not for dependences through memory */
};

/* Which of them. */
enum report_set {
	REPORT_FULL,   /* data are in the first cache: misses take up to 15 % */
	REPORT_PRUNED, /* of these, what is not memory_bound */
	REPORT_STRICT, /* misses take up to 1 % */
	REPORT_SET_COUNT
};

struct report_tool {
	const struct evaluate_predictor *predictor;
	const char *skipped; /* why it was not asked; NULL: it was, or nobody tried */
	size_t asked, failures; /* of the full set; the latter of the former */
	double cpu_seconds;
	struct evaluate_errors errors[REPORT_SET_COUNT];
	double whiskers[REPORT_SET_COUNT][2]; /* 5 % and 95 % of signed errors */
	double boxes[REPORT_SET_COUNT][3];    /* quartiles and median of these */
};

struct report_counts {
	int64_t compiled, built, same, failed, not_counted, measured, disturbed, agreeing, insns;
	double spread; /* median of the repeats */
	const char *clock, *cpu;
};

/* Sums over benchmarks of struct evaluate_coverage. */
struct report_coverage {
	double pairs, found, weight, found_weight;
};

struct report {
	struct takt_arena arena;
	const char *core, *core_doubt; /* as takt_model_doubt() */
	struct report_counts counts;
	struct report_case *cases; /* by name */
	size_t case_count, set_counts[REPORT_SET_COUNT];
	struct report_tool
		tools[REPORT_TOOLS_MAX]; /* as in their table; without predictions none */
	size_t tool_count;
	struct evaluate_errors best; /* of the tools by block the best for each benchmark */
	/* By paths, entry values, lifetime; the last lifetime is that of claims. */
	struct report_coverage coverage[2][2][EVALUATE_LIFETIMES + 1];
	/* Cases, by index, among the worst of each static tool; and of how many that is. */
	uint32_t *bad;
	size_t bad_count, worst_count, bad_under, bad_memory_bound;
};

TAKT_MUST_CHECK enum takt_status report_read(const struct takt_evaluation *evaluation,
					     const struct takt_model *model, struct takt_diag *diag,
					     struct report *ret_report);
bool report_has(const struct report_case *one, enum report_set set);
/* The row of a predictor, or NULL. */
const struct report_tool *report_tool(const struct report *report, const char *name);

/* Part of the text. */
void report_write_targets(const struct report *report, struct takt_text *text);
void report_write_text(const struct report *report, struct takt_text *text);
void report_write_json(const struct report *report, struct takt_text *text);
void report_write_svg(const struct report *report, struct takt_text *text);

#endif
