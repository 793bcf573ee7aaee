/* SPDX-License-Identifier: MIT */
/*
 * Private header of the module: counts with the processor's counters, through perf_event_open(2).
 */
#ifndef TAKT_EVENTS_PMU_H
#define TAKT_EVENTS_PMU_H

#include <sys/types.h>

#include "base/base.h"

#define PMU_EVENTS_MAX 64u /* events counted at once; libtakt-marker has room for as many */

/* An event as perf_event_open() takes it. */
struct pmu_event {
	const char *name; /* name that the user gave */
	uint32_t type;
	uint64_t config, config1, config2;
	bool user_only; /* does not count the kernel's work */
	bool is_uncore; /* counts for a whole socket, whichever task runs */
	bool is_core;	/* uses the core's own counters */
	int cpu;	/* of an uncore event: the CPU to open it on */
};

/* Value of a counter, with the times for which it was enabled and for which it did count. */
struct pmu_reading {
	uint64_t value, enabled_ns, running_ns;
};

/* Events to count, and the program, process or CPUs to count them in. */
struct pmu_options {
	const struct pmu_event *events;
	uint32_t event_count;
	const int *cpus; /* in the order given; threads are pinned to them in turn */
	/* 0: threads are not pinned; with `per_cpu`: all CPUs that are online */
	uint32_t cpu_count;
	bool per_cpu;
	pid_t attach;		 /* process to attach to; 0: run a program */
	double interval_seconds; /* interval of the timeline; 0: none */
	void (*timeline)(void *context, const struct pmu_reading *readings, double begin_seconds,
			 double seconds);
	void *context;
	char *const *variables; /* the program's environment; NULL: this process's */
	/* Signal to forward to the program; ends counting of an attached process. */
	volatile int *signal;
};

/* Counts of a thread, a CPU, or a thread in a region, with one reading per event. */
struct pmu_row {
	const char *region; /* NULL: the whole run */
	uint32_t number;    /* number of the thread (main is 0) or of the CPU */
	pid_t thread;	    /* kernel's id of the thread; 0 for CPUs and regions */
	bool unreported;    /* the kernel reported no counts of this thread */
	uint64_t entries;
	double seconds; /* NaN: unknown */
	struct pmu_reading *readings;
};

/* Result of a run; its rows live in the arena given to the function that made it. */
struct pmu_result {
	struct pmu_row *rows;
	uint32_t row_count;
	double seconds;
	int exit_status, signal;
	uint64_t lost_rows; /* threads whose final counts could not be read in time */
	bool late_rows;	    /* the row of thread 0 includes the beginnings of other threads */
	bool robbed;	    /* other users took counters away: figures are too low */
	bool user_only;	    /* the kernel permits counting only of user code */
};

/* True if a PMU of this name in the kernel is a core's: "cpu", "cpu_core", "armv8_pmuv3_0", … */
bool takt_pmu_is_core(const char *name);
/* True if the kernel of this machine has a core's PMU. */
bool takt_pmu_exists(void);
/* True if the name ends in ":u": the kernel's own work is not counted. */
bool takt_pmu_is_user_only(const char *name);
/*
 * True if libpfm4's names of events can be looked up; else the reason is reported: its module is
 * missing, or takt runs with privileges and the environment would have a say in libpfm4.
 */
bool takt_pmu_has_pfm(struct takt_diag *diag);
/* Find an event by its name, in `arena`. Reports an error if there is none. */
TAKT_MUST_CHECK enum takt_status takt_pmu_event_find(const char *name, struct takt_arena *arena,
						     struct takt_diag *diag,
						     struct pmu_event *ret_event);
TAKT_MUST_CHECK enum takt_status takt_pmu_run(char *const *argv, const struct pmu_options *options,
					      struct takt_arena *arena, struct takt_diag *diag,
					      struct pmu_result *ret_result);

/* ---- pmu_counters.c ---- */

struct perf_event_attr;

/* Descriptors of counters, by event, then by place (CPU or task); -1 where there is none. */
struct pmu_counters {
	int *descriptors;
	uint32_t event_count, place_count;
	bool user_only;
	/*
	 * Places are the CPUs of one task; the kernel reports the final counts of it and its
	 * children.
	 */
	bool by_thread;
};

struct pmu_place {
	pid_t task; /* -1: any task */
	int cpu;    /* -1: any CPU */
};

/* Ways to count a program and its children. */
enum pmu_mode {
	/* From now on: the task with its children, or whichever task runs on the CPU. */
	PMU_AS_IT_RUNS,
	PMU_ON_EXEC, /* from its next exec() on */
	/*
	 * As PMU_ON_EXEC, and the kernel reports threads' final counts; all events must fit the
	 * counters.
	 */
	PMU_BY_THREAD,
	PMU_OF_THREAD, /* from now on, without its children; all events must fit the counters */
};

/*
 * True if threads can be told apart. When two tasks with the same inherited counters take turns,
 * the kernel swaps their counts by the order of its lists of counters, which is the same in both
 * only if all counters are of one kind and are never multiplexed. Where each thread needs counters
 * of its own as well (pmu_born.c), all of them have to fit at once.
 */
bool takt_pmu_counters_by_thread(const struct pmu_options *options);
TAKT_MUST_CHECK enum takt_status takt_pmu_counters_open(const struct pmu_options *options,
							const struct pmu_place *places,
							uint32_t place_count, enum pmu_mode mode,
							struct takt_diag *diag,
							struct pmu_counters *ret_counters);
void takt_pmu_counters_close(struct pmu_counters *counters);
/* Fill in the event and the modes of the processor that count; all else is zero. */
void takt_pmu_attributes_init(struct perf_event_attr *attributes, const struct pmu_event *event,
			      bool user_only);
/* Open a counter. Returns its descriptor, or -1 with errno. */
int takt_pmu_counter_open(const struct pmu_event *event, const struct pmu_place *place,
			  enum pmu_mode mode, bool user_only);
/*
 * Read a counter; zero if there is none, or if it does not count because others hold its counter.
 */
struct pmu_reading takt_pmu_counter_read(int descriptor);
/*
 * Add the reading of another place. A counter of a task on one CPU is enabled also while the task
 * runs on other CPUs, and these times get mixed up when tasks swap their counters; but counters by
 * thread are never multiplexed: they are enabled for as long as they run.
 */
void takt_pmu_reading_add(struct pmu_reading *sum, const struct pmu_reading *reading,
			  bool by_thread);
/* True unless some other user took away a counter that is never multiplexed. */
bool takt_pmu_counters_are_kept(const struct pmu_counters *counters);
/* Return the reading of an event, summed over all places, or at one place. */
struct pmu_reading takt_pmu_counters_sum(const struct pmu_counters *counters, uint32_t event);
struct pmu_reading takt_pmu_counters_read(const struct pmu_counters *counters, uint32_t event,
					  uint32_t place);

/* ---- pmu_threads.c ---- */

struct pmu_threads;

/*
 * Begin to collect the final counts of threads; NULL if the kernel offers no memory for that: then
 * the whole run is one row. The options stay the caller's.
 */
struct pmu_threads *takt_pmu_threads_new(const struct pmu_options *options,
					 const struct pmu_counters *counters);
void takt_pmu_threads_free(struct pmu_threads *threads);
/* Wait until `ending` is readable, there is something to drain, or the time is over. */
void takt_pmu_threads_wait(struct pmu_threads *threads, int ending, int milliseconds);
/* True if rows lack what threads did before they were noticed. */
bool takt_pmu_threads_are_late(const struct pmu_threads *threads);
void takt_pmu_threads_drain(struct pmu_threads *threads);
/*
 * Return the rows of threads that ended, by thread; `lost` is the number of records that found no
 * room. If these are all threads, the main one among them, one is missing: the kernel does not
 * report the thread that ends with the counters that takt opened itself. That is the main one,
 * unless threads that took turns have swapped their counters.
 */
struct pmu_row *takt_pmu_threads_rows(struct pmu_threads *threads, struct takt_arena *arena,
				      uint32_t *ret_count, uint64_t *ret_lost);

/* ---- pmu_born.c ---- */

/*
 * True if this kernel reports the final counts of a task when it ends. Linux 5.13 and the versions
 * of some years after it did not: the events had been detached from the task before the kernel
 * asked whose they were.
 */
bool takt_pmu_ends_are_reported(void);

struct pmu_born;

struct pmu_born *takt_pmu_born_new(const struct pmu_options *options, bool user_only);
void takt_pmu_born_free(struct pmu_born *born);
/* Open counters for a thread that was created, unless it has them already. */
void takt_pmu_born_add(struct pmu_born *born, pid_t thread);
/*
 * Return the rows of the threads added, in that order; threads that had ended before they could be
 * counted are `lost`.
 */
struct pmu_row *takt_pmu_born_rows(const struct pmu_born *born, struct takt_arena *arena,
				   uint32_t *ret_count, uint64_t *ret_lost);

/* ---- pmu_markers.c ---- */

/* Return the value of the environment variable that gives a marked program its events. */
char *takt_pmu_markers_events(const struct pmu_options *options, bool user_only,
			      struct takt_arena *arena);
/* Append the rows of regions. An empty text means that the program has no regions. */
TAKT_MUST_CHECK enum takt_status
takt_pmu_markers_read(const char *name, struct takt_word text, uint32_t event_count,
		      struct takt_arena *arena, struct takt_diag *diag, struct pmu_result *result);

/* ---- pfm_module.c: libpfm4, in a module of its own ---- */

struct pfm_encoding {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* Encode an event; returns NULL on success, else the reason for failure. */
typedef const char *(*pfm_encode_function)(const char *name, struct pfm_encoding *ret_encoding);

#endif
