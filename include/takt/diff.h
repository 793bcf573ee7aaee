/* SPDX-License-Identifier: MIT */
/*
 * Differences between two traces.
 */
#ifndef TAKT_DIFF_API_H
#define TAKT_DIFF_API_H

#include <takt/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Figures that a comparison is made of. X(enumerator, word) */
#define TAKT_DIFF_BY_LIST(X)                                                                       \
	X(TAKT_DIFF_CYCLES, "cycles")                                                              \
	X(TAKT_DIFF_INSNS, "instructions")

enum takt_diff_by {
#define X(name, word) name,
	TAKT_DIFF_BY_LIST(X)
#undef X
		TAKT_DIFF_BY_COUNT
};

/* Reasons other than the program's code that make two traces differ. X(enumerator, word) */
#define TAKT_DIFFERENCE_LIST(X)                                                                    \
	X(TAKT_DIFFERS_ISA, "isa")                                                                 \
	X(TAKT_DIFFERS_PROGRAM, "program")                                                         \
	X(TAKT_DIFFERS_ARGUMENTS, "arguments")                                                     \
	X(TAKT_DIFFERS_CORE, "core")                                                               \
	X(TAKT_DIFFERS_OPTIONS, "options")                                                         \
	X(TAKT_DIFFERS_VERSION, "version")                                                         \
	X(TAKT_DIFFERS_KILLED, "killed")                                                           \
	X(TAKT_DIFFERS_STATUS, "status")                                                           \
	X(TAKT_DIFFERS_PARTIAL, "partial")

enum takt_difference {
#define X(name, word) name,
	TAKT_DIFFERENCE_LIST(X)
#undef X
		TAKT_DIFFERENCE_COUNT
};

TAKT_API const char *takt_difference_word(enum takt_difference difference);
/*
 * True if two traces differ in this; a part of a sentence that names the difference is then
 * appended to `text`. What one of them does not know counts as equal: takt_diff_write_unknown()
 * appends what that is.
 */
TAKT_API bool takt_diff_differs(const struct takt_trace_totals *before,
				const struct takt_trace_totals *after, enum takt_diff_by by,
				enum takt_difference difference, struct takt_text *text);
TAKT_API bool takt_diff_write_unknown(const struct takt_trace_totals *totals, enum takt_diff_by by,
				      struct takt_text *text);

/*
 * Blocks at the same place of a function before and after: either one block with equal code, or all
 * blocks between two such.
 */
struct takt_diff_part {
	bool same; /* true if the code is equal except for addresses in it */
	const struct takt_trace_block *const *before, *const *after;
	uint32_t before_count, after_count;
	struct takt_trace_weight before_weight, after_weight;
};

/*
 * A function of either trace. Functions are matched by name and file, else by name, else by name
 * without GCC's suffixes.
 */
struct takt_diff_function {
	const struct takt_trace_function *before, *after; /* NULL: it did not run, or does not
							   * exist */
	const struct takt_diff_part *parts; /* the parts that changed, largest change first */
	uint32_t part_count;
};

struct takt_diff {
	const struct takt_trace_totals *before, *after;
	enum takt_diff_by by; /* what is compared; INSNS if the traces have no cycles */
	/*
	 * Half width of the 95 % confidence interval of the change in cycles, if either trace is a
	 * sample or has layouts; else 0.
	 */
	double half_width_cycles;
	const struct takt_diff_function *functions; /* the functions that changed, largest change
						     * first */
	uint32_t function_count;
};

/* Compare two traces, which must outlive the result. Fails if only one of them has cycles. */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_diff_new(const struct takt_trace_totals *before, const struct takt_trace_totals *after,
	      enum takt_diff_by by, struct takt_diag *diag, struct takt_diff **ret_diff);
TAKT_API void takt_diff_free(struct takt_diff *diff);
/* Return the figure that is compared: cycles or instructions. */
TAKT_API uint64_t takt_diff_figure(const struct takt_diff *diff,
				   const struct takt_trace_weight *weight);
TAKT_API uint64_t takt_diff_total(const struct takt_diff *diff,
				  const struct takt_trace_totals *totals);

#ifdef __cplusplus
}
#endif

#endif
