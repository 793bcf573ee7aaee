/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: the processor's counters, by perf_event_open(2).
 *
 *	pmu_events.c     names → encodings: the kernel's own, raw codes, PMU/TERMS/, libpfm4
 *	pmu_counters.c   descriptors, and what they say
 *	pmu_threads.c    what each thread had counted when it ended
 *	pmu_born.c       counters of each thread's own, where the kernel does not tell that
 *	pmu_run.c        a program, a process or CPUs, from begin to end
 *	pmu_markers.c    what libtakt-marker wrote
 */
#ifndef TAKT_EVENTS_PMU_H
#define TAKT_EVENTS_PMU_H

#include <sys/types.h>

#include "base/base.h"

#define PMU_EVENTS_MAX 64u /* at once; libtakt-marker has room for as many */

/* As perf_event_open() takes it. */
struct pmu_event {
	const char *name; /* as it was asked for */
	uint32_t type;
	uint64_t config, config1, config2;
	bool user_only;	 /* without what the kernel does */
	bool is_uncore;	 /* counts for a socket, whoever runs */
	bool is_core;	 /* counts in the core's own counters */
	int cpu;	 /* of an uncore event: where to open it */
};

/* A counter: times for which it was wanted, and did count. */
struct pmu_reading {
	uint64_t value, enabled_ns, running_ns;
};

/* What is to be counted where. */
struct pmu_options {
	const struct pmu_event *events;
	uint32_t event_count;
	const int *cpus;	/* ascending as given: threads are pinned to them in turn */
	uint32_t cpu_count;	/* 0: not pinned; of `per_cpu` all that are online */
	bool per_cpu;
	pid_t attach;		/* 0: a program */
	double interval_seconds; /* 0: no timeline */
	void (*timeline)(void *context, const struct pmu_reading *readings, double begin_seconds,
			 double seconds);
	void *context;
	char *const *variables; /* the program's environment; NULL: this process' */
	volatile int *signal;	/* sent to the program; ends what was attached to */
};

/* A thread, a CPU, or a thread in a region: as many readings as there are events. */
struct pmu_row {
	const char *region; /* NULL: all */
	uint32_t number;    /* of the thread, main is 0; or CPU */
	pid_t thread;	    /* 0 of CPUs and regions */
	bool untold;	    /* a thread that the kernel told no figures of */
	uint64_t entries;
	double seconds;	    /* NaN: not known */
	struct pmu_reading *readings;
};

/* In the arena that it was made in. */
struct pmu_result {
	struct pmu_row *rows;
	uint32_t row_count;
	double seconds;
	int exit_status, signal;
	uint64_t lost_rows; /* threads whose ends could not be read in time */
	bool late_rows;	    /* threads' begins are in that of thread 0 */
	bool robbed;	    /* others took counters: figures are too low */
	bool user_only;	    /* the kernel permits no more */
};

/* Whether a PMU of the kernel's is a core's: "cpu", "cpu_core", "armv8_pmuv3_0", … */
bool takt_pmu_is_core(const char *name);
/* Whether this machine has one of a core. */
bool takt_pmu_exists(void);
/* "NAME:u": without what the kernel does. */
bool takt_pmu_is_user_only(const char *name);
/* False if there is nothing of that name; reported. In `arena`. */
TAKT_MUST_CHECK enum takt_status takt_pmu_event_find(const char *name, struct takt_arena *arena,
						     struct takt_diag *diag,
						     struct pmu_event *ret_event);
TAKT_MUST_CHECK enum takt_status takt_pmu_run(char *const *argv, const struct pmu_options *options,
					      struct takt_arena *arena, struct takt_diag *diag,
					      struct pmu_result *ret_result);

/* ---- pmu_counters.c ---- */

/* Descriptors by event, then by CPU or task: -1 where there is none. */
struct pmu_counters {
	int *descriptors;
	uint32_t event_count, place_count;
	bool user_only;
	bool by_thread;	/* places are CPUs of one task and its children, whose ends are told */
};

struct pmu_place {
	pid_t task; /* -1: whoever runs */
	int cpu;    /* -1: wherever it runs */
};

/* How to count a program and its children. */
enum pmu_mode {
	PMU_AS_IT_RUNS, /* it does, or whoever runs */
	PMU_ON_EXEC,	/* once it executes another program */
	PMU_BY_THREAD,	/* the same, and threads' ends are told; all must fit the counters */
	PMU_OF_THREAD,	/* from now on, without its children; all must fit the counters */
};

/*
 * Whether threads can be told apart: where two tasks with the same inherited counters take turns,
 * the kernel swaps their figures by the order of lists, which is the same for both only if all
 * counters are of one kind and never take turns themselves. Where each thread needs counters of its
 * own besides (pmu_born.c), all of them have to fit.
 */
bool takt_pmu_counters_by_thread(const struct pmu_options *options);
TAKT_MUST_CHECK enum takt_status takt_pmu_counters_open(const struct pmu_options *options,
							const struct pmu_place *places,
							uint32_t place_count, enum pmu_mode mode,
							struct takt_diag *diag,
							struct pmu_counters *ret_counters);
void takt_pmu_counters_close(struct pmu_counters *counters);
/* A descriptor; -1 with errno. */
int takt_pmu_counter_open(const struct pmu_event *event, const struct pmu_place *place,
			  enum pmu_mode mode, bool user_only);
/* Zero if there is none, or it counts nothing as others have its counter. */
struct pmu_reading takt_pmu_counter_read(int descriptor);
/*
 * Adds what was counted at another place. A counter of a task on one CPU is wanted while the task
 * runs on others too, and these times are mixed up when tasks swap their counters; but those that
 * count by thread never take turns: they are wanted for as long as they run.
 */
void takt_pmu_reading_add(struct pmu_reading *sum, const struct pmu_reading *reading,
			  bool by_thread);
/* False if somebody else took a counter away that does not take turns. */
bool takt_pmu_counters_are_kept(const struct pmu_counters *counters);
/* Of all places, and of one. */
struct pmu_reading takt_pmu_counters_sum(const struct pmu_counters *counters, uint32_t event);
struct pmu_reading takt_pmu_counters_read(const struct pmu_counters *counters, uint32_t event,
					  uint32_t place);

/* ---- pmu_threads.c ---- */

struct pmu_threads;

/*
 * Reads along what ends; NULL if the kernel offers no memory for it: then all is one row. The
 * options stay the caller's.
 */
struct pmu_threads *takt_pmu_threads_new(const struct pmu_options *options,
					 const struct pmu_counters *counters);
void takt_pmu_threads_free(struct pmu_threads *threads);
/* Waits for `ending`, for something to drain, or for as long as that. */
void takt_pmu_threads_wait(struct pmu_threads *threads, int ending, int milliseconds);
/* Whether rows lack what threads did before they were seen. */
bool takt_pmu_threads_are_late(const struct pmu_threads *threads);
void takt_pmu_threads_drain(struct pmu_threads *threads);
/*
 * Rows of those that ended, by thread; `lost`: how many records found no room. Of all threads, the
 * main one with them, the kernel does not tell of the one that ends with what takt opened itself:
 * the main one, unless threads that took turns have swapped it.
 */
struct pmu_row *takt_pmu_threads_rows(struct pmu_threads *threads, struct takt_arena *arena,
				      uint32_t *ret_count, uint64_t *ret_lost);

/* ---- pmu_born.c ---- */

/*
 * Whether this kernel tells what a task had counted when it ends: Linux 5.13 and those after it
 * did not, for years (its events had been taken from the task before it was asked whose they are).
 */
bool takt_pmu_ends_are_told(void);

struct pmu_born;

struct pmu_born *takt_pmu_born_new(const struct pmu_options *options, bool user_only);
void takt_pmu_born_free(struct pmu_born *born);
/* A thread was created: gets counters of its own, unless it has them. */
void takt_pmu_born_add(struct pmu_born *born, pid_t thread);
/* Rows of those that there were, in that order; those that had ended before are `lost`. */
struct pmu_row *takt_pmu_born_rows(const struct pmu_born *born, struct takt_arena *arena,
				   uint32_t *ret_count, uint64_t *ret_lost);

/* ---- pmu_markers.c ---- */

/* For the environment of a program: its events. */
char *takt_pmu_markers_events(const struct pmu_options *options, bool user_only,
			      struct takt_arena *arena);
/* Appends rows; a file that is not there is a program without regions. */
TAKT_MUST_CHECK enum takt_status takt_pmu_markers_read(const char *name, const char *text,
						       size_t size_bytes, uint32_t event_count,
						       struct takt_arena *arena,
						       struct takt_diag *diag,
						       struct pmu_result *result);

/* ---- pfm_module.c: libpfm4, in a module of its own ---- */

struct pfm_encoding {
	uint32_t type;
	uint64_t config, config1, config2;
};

/* NULL on success, else why not. */
typedef const char *(*pfm_encode_function)(const char *name, struct pfm_encoding *ret_encoding);

#endif
