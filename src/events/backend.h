/* SPDX-License-Identifier: MIT */
/*
 * backend: the interface between takt_count() and what counts. A plan lists the events to count; a
 * backend fills in the counts of each thread (or CPU); result.c computes metrics from them.
 */
#ifndef TAKT_EVENTS_BACKEND_H
#define TAKT_EVENTS_BACKEND_H

#include "events/events.h"

/* ---- encoding.c ---- */

/*
 * True for "PMU/TERM,…/". PMU is a name below /sys/bus/event_source/devices, or the common name of
 * several devices without their numbers (uncore_imc_0, …), whose counts are added up; "cpu" is the
 * core's, whatever its device is called. A term without a number is an event that the kernel knows.
 */
bool takt_events_is_encoding(const char *text);

/* ---- plan.c: what to count ---- */

/* A group, and the position of its events in the plan. */
struct events_plan_group {
	const struct events_group *group;
	const uint32_t *events; /* index in the plan, by index in the group's events */
};

struct events_plan {
	const struct takt_count_options *options;
	struct events_library library;
	const struct events_family *family;
	const struct takt_model *model; /* model of the core, or NULL */
	/* Events of the groups and single events, each once. */
	const struct events_event *const *events;
	const struct events_plan_group *groups;
	uint32_t event_count, group_count;
	const char *note; /* says what of the defaults is left out; NULL: nothing is */
};

/* Choose the family, groups and events by the options and the core, in the arena. */
TAKT_MUST_CHECK enum takt_status
takt_events_plan_new(const struct takt_count_options *options, const char *family,
		     const struct takt_model *model, struct takt_arena *arena,
		     struct takt_diag *diag, struct events_plan *ret_plan);

/* Add a note that names the events most similar to an unknown name. */
void takt_events_note_nearest(const struct events_library *library,
			      const struct events_family *family, const char *name,
			      struct takt_diag *diag);

/* ---- what a backend returns ---- */

/* Counts of a thread or CPU, over the whole run (region NULL) or in a region. */
struct events_part {
	const char *region;
	uint32_t thread;
	uint64_t entries;
	double seconds; /* NaN: not timed */
	double *values; /* counts by index in the plan, in the events' units; NaN: not counted */
	double *shares; /* share of the time in which each event was counted; NULL: always */
};

/*
 * Counts of a run, in the caller's arena. All parts of a region are adjacent; those without a
 * region come first.
 */
struct events_counts {
	struct events_part *parts;
	uint32_t part_count;
	const char *core;	 /* name of the core, or NULL */
	const char *core_choice; /* by what it was chosen, as from takt_model_choice() */
	const char *const *notes;
	uint32_t note_count;
	double seconds;	   /* NaN: not timed */
	double line_bytes; /* line size of the caches whose lines were counted */
	int exit_status, signal;
};

/* ---- result.c ---- */

/* Build a result; it copies all that it needs. */
struct takt_count_result *takt_events_result_new(const struct events_plan *plan,
						 const struct events_counts *counts);
/* Report to the options' timeline what was counted since its last report. */
void takt_events_tell(const struct events_plan *plan, const struct events_counts *counts);

/* ---- count_emulate.c, count_pmu.c: the backends ---- */

/*
 * Run `argv`, or what the options say instead, and count the plan's events. All that is returned is
 * in the arena; *ret_counts is zero before, but for `line_bytes` and for `seconds`, which is NaN.
 */
TAKT_MUST_CHECK enum takt_status
takt_events_emulate(char *const *argv, const struct events_plan *plan, struct takt_arena *arena,
		    struct takt_diag *diag, struct events_counts *ret_counts);
TAKT_MUST_CHECK enum takt_status takt_pmu_count(char *const *argv, const struct events_plan *plan,
						struct takt_arena *arena, struct takt_diag *diag,
						struct events_counts *ret_counts);
/* True if the machine has the plan's events and permits counting them. */
bool takt_pmu_can_count(const struct events_plan *plan, struct takt_arena *arena,
			struct takt_diag *diag);
/* Return the events that emulation counts. */
uint32_t takt_events_emulate_events(struct takt_arena *arena,
				    const struct events_event **ret_events);

#endif
