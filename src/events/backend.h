/* SPDX-License-Identifier: MIT */
/*
 * backend: what is between takt_count() and who counts. A plan says which events are wanted; a
 * backend fills in what each thread (or CPU) did; result.c makes metrics of it.
 */
#ifndef TAKT_EVENTS_BACKEND_H
#define TAKT_EVENTS_BACKEND_H

#include "events/events.h"

/* ---- encoding.c ---- */

#define EVENTS_TERMS_MAX 12u

struct events_term {
	const char *name;
	uint64_t value;
	bool has_value; /* else it is the name of an event that the kernel knows */
};

/*
 * `pmu` is a name below /sys/bus/event_source/devices, or that of several without their
 * numbers (uncore_imc_0, …), which are added up; "cpu" is the core's whatever it is called.
 */
struct events_encoding {
	const char *pmu;
	uint32_t term_count;
	struct events_term terms[EVENTS_TERMS_MAX];
};

struct events_config {
	uint64_t config, config1;
};

/* False if the text is none. */
bool takt_events_encoding_parse(const char *text, struct takt_arena *arena,
				struct events_encoding *ret_encoding);
/* Of a core's event on x86-64 or AArch64, without asking the kernel; false if it cannot be. */
bool takt_events_encoding_config(const struct events_encoding *encoding, const char *isa,
				 struct events_config *ret_config);

/* ---- plan.c: what is wanted ---- */

/* A group and where its events are in the plan. */
struct events_plan_group {
	const struct events_group *group;
	const uint32_t *events; /* index in the plan, by index in the group */
};

struct events_plan {
	const struct takt_count_options *options;
	struct events_library library;
	const struct events_family *family;
	const struct takt_model *model;		  /* or NULL */
	const struct events_event *const *events; /* each once; the groups', and single ones */
	const struct events_plan_group *groups;
	uint32_t event_count, group_count;
};

/* Families, groups and events by the options and the core. In the arena. */
TAKT_MUST_CHECK enum takt_status
takt_events_plan_new(const struct takt_count_options *options, const char *family,
		     const struct takt_model *model, struct takt_arena *arena,
		     struct takt_diag *diag, struct events_plan *ret_plan);

/* Names of events like one that is not there. */
void takt_events_note_nearest(const struct events_library *library,
			      const struct events_family *family, const char *name,
			      struct takt_diag *diag);

/* ---- what a backend returns ---- */

/* A thread, or CPU, in all (region NULL) or in a region. */
struct events_part {
	const char *region;
	uint32_t thread;
	uint64_t entries;
	double seconds; /* NaN: not timed */
	double *values; /* by index in the plan, in the events' units; NaN: not counted */
	double *shares; /* of the time each was counted; NULL: all of it */
};

/* In the arena of whoever counts. All of a region stand together, those of none first. */
struct events_counts {
	struct events_part *parts;
	uint32_t part_count;
	const char *core; /* or NULL */
	const char *const *notes;
	uint32_t note_count;
	double seconds;	   /* NaN: not timed */
	double line_bytes; /* of the caches whose lines were counted */
	int exit_status, signal;
};

/* ---- result.c ---- */

/* Copies all it needs. */
struct takt_count_result *takt_events_result_new(const struct events_plan *plan,
						 const struct events_counts *counts);
/* Tells the options' timeline what was counted since it was told last. */
void takt_events_tell(const struct events_plan *plan, const struct events_counts *counts);

/* ---- count_emulate.c, pmu.c: who counts ---- */

/*
 * Run `argv`, or what the options say instead, and count what the plan wants. What they return is
 * in the arena; ret_counts is zero before, but for `seconds`, NaN, and `line_bytes`.
 */
TAKT_MUST_CHECK enum takt_status
takt_events_emulate(char *const *argv, const struct events_plan *plan, struct takt_arena *arena,
		    struct takt_diag *diag, struct events_counts *ret_counts);
TAKT_MUST_CHECK enum takt_status takt_pmu_count(char *const *argv, const struct events_plan *plan,
						struct takt_arena *arena, struct takt_diag *diag,
						struct events_counts *ret_counts);
/* Whether the machine has the plan's events, and permits to count them. */
bool takt_pmu_can_count(const struct events_plan *plan, struct takt_arena *arena,
			struct takt_diag *diag);
/* The events of emulation. */
uint32_t takt_events_emulate_events(struct takt_arena *arena,
				    const struct events_event **ret_events);

#endif
