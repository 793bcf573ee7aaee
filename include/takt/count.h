/* SPDX-License-Identifier: MIT */
/*
 * Events of a program, counted by the processor or by looking at each instruction.
 */
#ifndef TAKT_COUNT_API_H
#define TAKT_COUNT_API_H

#include <takt/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Origins of a figure; for a metric, the union of its events' origins. */
enum takt_count_origin {
	TAKT_COUNTED = 1 << 0,	/* each one was seen */
	TAKT_MODELLED = 1 << 1, /* taken from a model of caches or branch prediction */
	TAKT_TIMED = 1 << 2,	/* measured by a clock */
};

enum takt_count_backend { TAKT_COUNT_PMU, TAKT_COUNT_EMULATE };

struct takt_count_result;

/* Zero-initialise, then set what is needed. */
struct takt_count_options {
	const char *const *groups; /* names of metric groups or of events; none: as perf stat */
	enum takt_count_backend backend;
	uint32_t group_count;
	const char *group_dir; /* directory of the user's groups; NULL: the built-in ones */
	const struct takt_model *model; /* selects the caches to model, and the family of groups */
	/*
	 * If `model` is NULL: called with the instruction set when a core is needed, as in struct
	 * takt_trace_core. NULL: no core.
	 */
	const struct takt_model *(*open_model)(void *context, const char *isa);
	void *model_context;
	const char *log_path;	 /* emulate: a log of `takt trace` to read instead of running a
				  * program; or NULL */
	bool timed;		 /* emulate: run the program once more, natively, to measure its
				  * time */
	const char *cpus;	 /* "0,2-3": pin threads to these CPUs, in this order; pmu with
				  * `per_cpu`: count on these CPUs */
	bool per_cpu;		 /* pmu: count on CPUs, whatever runs there, instead of in the
				  * program */
	int attach_pid;		 /* pmu: process to attach to; 0: run a program */
	double interval_seconds; /* length of each interval of the timeline; 0: no timeline */
	/* Called after each interval with what was counted in it. */
	void (*timeline)(void *context, const struct takt_count_result *result);
	void *timeline_context;
	volatile int *signal;	/* as in struct takt_trace_options */
	char *const *variables; /* the program's environment, as in struct takt_trace_options */
	TAKT_RESERVED;
};

struct takt_count_event {
	const char *name, *unit;
	const char *description;
	uint32_t origins; /* bits of enum takt_count_origin */
};

struct takt_count_metric {
	const char *group, *name, *unit;
	const char *formula;
	uint32_t origins;
};

/* Counts of a thread (or CPU), in total or in one region. */
struct takt_count_part {
	const char *region;    /* NULL: the total */
	uint32_t thread;       /* number of the thread, in order of creation; with `per_cpu`,
				* the CPU */
	uint64_t entries;      /* number of times the region was entered */
	double seconds;	       /* NaN if no clock was read, as under emulation */
	const double *events;  /* by index of the event; NaN: not counted */
	const double *shares;  /* share of the time in which each event was counted; below 1 it
				* was multiplexed, and its figure is scaled up */
	const double *metrics; /* by index of the metric, in its unit; NaN: unknown */
};

struct takt_count_result {
	const char *backend; /* "pmu", "emulate" */
	const char *core;    /* core whose caches are modelled or whose counters are read;
			      * NULL: none */
	const char *family;  /* family of the groups */
	const struct takt_count_event *events;
	const struct takt_count_metric *metrics;
	/* First the totals of all threads, then the parts of each region, by thread. */
	const struct takt_count_part *parts;
	/*
	 * Sums over all threads: first of the totals, then of each region. Metrics are computed
	 * from summed events.
	 */
	const struct takt_count_part *sums;
	uint32_t event_count, metric_count, part_count, sum_count, thread_count;
	const char *const *notes; /* what a reader has to know: multiplexing, what is missing */
	uint32_t note_count;
	bool per_cpu;		 /* true: parts are CPUs, not threads */
	double seconds;		 /* time that the program ran; NaN: unknown */
	int exit_status, signal; /* of the program, as in takt_trace_totals */
	const char *core_choice; /* by what the core was chosen, as from takt_model_choice(); or
				  * NULL */
};

/*
 * Run `argv` (or attach) and count. TAKT_UNAVAILABLE, with a message that says what would work, if
 * there are no counters.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_count(char *const *argv,
						     const struct takt_count_options *options,
						     struct takt_diag *diag,
						     struct takt_count_result **ret_result);
TAKT_API void takt_count_result_free(struct takt_count_result *result);

TAKT_API void takt_write_count(const struct takt_count_result *result, enum takt_format format,
			       struct takt_text *text);

/* Subjects of a listing. */
enum takt_count_listing_kind {
	TAKT_COUNT_LIST_FAMILIES, /* all families, with the names of their groups */
	TAKT_COUNT_LIST_FAMILY,	  /* a family, with its groups and events */
	TAKT_COUNT_LIST_GROUP,	  /* a group, with its events and metrics */
};

struct takt_count_listed_event {
	const char *alias; /* name in the formulas of its group; NULL: the event is not a group's */
	const char *name, *unit, *description;
	const char *encoding; /* as in "cpu/event=0x51,umask=0x1/"; NULL: it is emulated */
	uint32_t origins;     /* bits of enum takt_count_origin */
};

struct takt_count_listed_group {
	const char *name;
	const char *title;	 /* NULL in TAKT_COUNT_LIST_FAMILIES */
	const char *description; /* in TAKT_COUNT_LIST_GROUP, like all that follows; else NULL */
	const struct takt_count_listed_event *events;
	const struct takt_count_metric *metrics;
	uint32_t event_count, metric_count;
};

struct takt_count_listed_family {
	const char *name, *title;
	const char *const *cores; /* that count as this family does */
	const struct takt_count_listed_group *groups;
	const struct takt_count_listed_event *events; /* in TAKT_COUNT_LIST_FAMILY */
	uint32_t core_count, group_count, event_count;
};

struct takt_count_listing {
	enum takt_count_listing_kind kind;
	const struct takt_count_listed_family *families;
	uint32_t family_count; /* 1, unless all are listed */
};

/*
 * List all families (`family` is NULL), the groups of one, which may be named by a core, or a group
 * of it. `group_dir` is as in struct takt_count_options. Free the listing with
 * takt_count_listing_free().
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_count_listing_open(const char *family, const char *group, const char *group_dir,
			struct takt_diag *diag, struct takt_count_listing **ret_listing);
TAKT_API void takt_count_listing_free(struct takt_count_listing *listing);
/* Write a listing as JSON. */
TAKT_API void takt_write_count_listing_json(const struct takt_count_listing *listing,
					    struct takt_text *text);
/*
 * The same as text: list the groups of a family (NULL: of all), with events and formulas if `name`
 * is one of the groups.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_count_list(const char *family, const char *name,
							  const char *group_dir,
							  struct takt_diag *diag,
							  struct takt_text *text);
/*
 * Check that all groups can be read, that their events exist, and that their formulas have the
 * units of their metrics. Appends how many there are.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_count_check(const char *group_dir, struct takt_diag *diag, struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
