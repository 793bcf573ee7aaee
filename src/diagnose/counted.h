/* SPDX-License-Identifier: MIT */
/*
 * What the processor's counters say of a program: metrics of groups, by their names, which are the
 * same in all families of cores. A figure that no group has is NaN.
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
	/* In base units: 1, bytes, bytes per second, operations. */
	double figures[COUNTED_COUNT];
	const char *events[COUNTED_COUNT]; /* that each is made of, between blanks; "" */
	uint32_t origins[COUNTED_COUNT];
	double insns, cycles, seconds; /* of all threads; NaN: not counted */
	const char *insns_event;       /* or "" */
	const char *core, *family;
	double *operations; /* by thread; NULL: threads were not told apart */
	uint32_t thread_count;
};

/* counted.c: the result of a run with groups. In the arena. */
TAKT_MUST_CHECK enum takt_status takt_diagnose_counted(const struct takt_count_result *result,
						       struct takt_arena *arena,
						       struct takt_diag *diag,
						       struct counted *ret_counted);
/* pmu.c: groups that can be counted here, in the arena; 0: there are no counters. */
uint32_t takt_diagnose_pmu_groups(const struct takt_diagnose_options *options,
				  struct takt_arena *arena, const char *const **ret_groups);
/* With them; UNAVAILABLE if there are none, with what would work. */
TAKT_MUST_CHECK enum takt_status takt_diagnose_pmu(char *const *argv, char *const *variables,
						   const struct takt_diagnose_options *options,
						   const char *const *groups, uint32_t group_count,
						   struct takt_diag *diag,
						   struct takt_count_result **ret_result);
/* signatures_counted.c: fills findings and patterns. */
void takt_diagnose_judge_counted(const struct counted *counted,
				 const struct diagnose_measure *measure,
				 const struct takt_diagnose_options *options,
				 struct diagnose_report *report);

#endif
