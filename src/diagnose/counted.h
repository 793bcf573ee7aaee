/* SPDX-License-Identifier: MIT */
/*
 * Figures of a program from the processor's counters: metrics of groups, found by their names,
 * which are the same in all families of cores. A figure that no group has is NaN.
 */
#ifndef TAKT_DIAGNOSE_COUNTED_H
#define TAKT_DIAGNOSE_COUNTED_H

#include "diagnose/diagnose.h"

enum counted_figure {
#define X(enumerator, metric) enumerator,
#include "diagnose/counted.def"
#undef X
	COUNTED_COUNT
};

struct counted {
	/* Figures in base units: 1, bytes, bytes per second, operations. */
	double figures[COUNTED_COUNT];
	/* Events that each figure is computed from, separated by blanks; or "". */
	const char *events[COUNTED_COUNT];
	uint32_t origins[COUNTED_COUNT];
	double insns, cycles, seconds; /* sums over all threads; NaN: not counted */
	const char *core, *family;
	/* Floating-point operations by thread; NULL: threads could not be told apart. */
	double *operations;
	uint32_t thread_count;
};

/* counted.c: read the figures from the result of a run with groups, in the arena. */
TAKT_MUST_CHECK enum takt_status takt_diagnose_counted(const struct takt_count_result *result,
						       struct takt_arena *arena,
						       struct takt_diag *diag,
						       struct counted *ret_counted);
/* Groups that can be counted on this machine; none: there are no counters. */
struct diagnose_groups {
	const char *const *names;
	uint32_t count;
};

/* pmu.c: list the groups, in the arena. */
struct diagnose_groups takt_diagnose_pmu_groups(const struct takt_diagnose_options *options,
						struct takt_arena *arena);
/*
 * Run a program and count the groups. UNAVAILABLE if there are none, with a note on what would
 * work.
 */
TAKT_MUST_CHECK enum takt_status takt_diagnose_pmu(char *const *argv, char *const *variables,
						   const struct takt_diagnose_options *options,
						   const struct diagnose_groups *groups,
						   struct takt_diag *diag,
						   struct takt_count_result **ret_result);
/* signatures_counted.c: fill findings and patterns. */
void takt_diagnose_judge_counted(const struct counted *counted,
				 const struct diagnose_measure *measure,
				 const struct takt_diagnose_options *options,
				 struct diagnose_report *report);

#endif
