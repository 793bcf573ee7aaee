/* SPDX-License-Identifier: MIT */
/*
 * diagnose: finds the performance patterns that a program shows. The program runs once under the
 * oracle, which counts, while a core's caches, predictor and pipeline are modelled; and natively,
 * if possible, for its run time. Observations are summed by place: a loop, or a function without
 * its loops. Each pattern has a signature that follows from its definition
 * (docs/commands/diagnose.md).
 */
#ifndef TAKT_DIAGNOSE_H
#define TAKT_DIAGNOSE_H

#include "sim/sim.h"
#include "trust/trust.h"

/* ---- thresholds.c ---- */

struct diagnose_thresholds {
#define X(field, name, usual, meaning) double field;
#include "diagnose/thresholds.def"
#undef X
};

/* Return the usual thresholds, changed by settings "NAME=VALUE"; reports errors. */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_thresholds_read(const char *const *settings, uint32_t count, struct takt_diag *diag,
			      struct diagnose_thresholds *ret_thresholds);

/* ---- trust.c ---- */

/* A trust table, and the core whose caches are modelled, or whose counters count. */
struct diagnose_trust {
	const struct takt_trust *table; /* NULL: all events are trusted */
	const char *core;
};

/*
 * Check that a table (NULL: none) applies to such a run; if not, report an error and return
 * TAKT_BAD_INPUT.
 */
TAKT_MUST_CHECK enum takt_status takt_diagnose_trust_open(const struct takt_trust *table,
							  const char *backend, const char *isa,
							  const char *core, struct takt_diag *diag,
							  struct diagnose_trust *ret_trust);
/* Fill in what the table says about the events that the evidence is computed from. */
void takt_diagnose_trust_apply(const struct diagnose_trust *trust, struct takt_evidence *evidence);
/* True if a part of the table is about another core's caches, and is ignored. */
bool takt_diagnose_trust_skips(const struct diagnose_trust *trust);

/* ---- observations ---- */

/* A source line; NULL or 0: unknown. */
struct diagnose_source {
	const char *function, *file;
	uint32_t line;
	uint64_t file_offset; /* offset of the instruction in its executable or library */
};

struct diagnose_block {
	uint64_t address, end, target; /* `target` is that of a branch or jump at its end, else 0 */
	struct diagnose_source source; /* source line of its first instruction */
	uint32_t function;	       /* number of the function */
	bool waits; /* its function waits for other threads, or locks and unlocks */
	uint64_t runs, missed;
	/* Runs by thread, without those of the first thread before it created others. */
	uint64_t runs_of[ORACLE_BLOCK_THREADS];
	struct oracle_counts counts; /* counts of one run */
	double busy_cycles; /* cycles of one run in which units that divide or gather are busy */
	uint64_t cycles, losses[TAKT_TRACE_LOSSES];
	uint32_t busy_ports; /* as in struct takt_trace_weight, with `busy_port_cycles` */
	uint64_t busy_port_cycles;
	uint32_t place; /* index in `places` */
};

/* The code that allocated some memory on the heap; inferred. */
struct diagnose_allocation {
	bool known;
	/* The call of the allocator, and the call of the function that it is in; all 0: unknown. */
	struct diagnose_source call, caller;
};

struct diagnose_access {
	struct diagnose_allocation allocation; /* allocation of the memory that it accessed last */
	struct oracle_access counts;
	uint64_t address; /* address of the instruction */
	struct diagnose_source source;
	uint32_t place;
};

/* A place: a loop without the loops inside it, or the part of a function that is in no loop. */
struct diagnose_place {
	uint64_t begin, end;
	uint32_t function;
	bool loop;
	struct diagnose_source source;
	struct oracle_counts counts; /* counts of all its runs */
	uint64_t missed;
	double busy_cycles;
	/* Cycles, at least as many as memory and the third level need to deliver its lines. */
	uint64_t cycles, losses[TAKT_TRACE_LOSSES];
	uint32_t busy_ports;
	uint64_t busy_port_cycles;
	/* Sums over its accesses. */
	uint64_t accesses, bytes, misses[CACHE_LEVELS_MAX], strides[STRIDE_COUNT];
	uint64_t miss_strides[STRIDE_COUNT]; /* accesses that missed, by kind of stride */
	/* Cycles that the loads that missed would take one after the other. */
	uint64_t load_wait_cycles;
	uint64_t loads, split, forwarded, unforwarded, aliased;
};

struct diagnose_line {
	struct oracle_line line;
	struct diagnose_source sources[4];	   /* source line of each user */
	struct diagnose_allocation allocations[4]; /* allocation of the bytes that each uses */
	bool waits[4];
};

/*
 * A mapping of a file, as far as it is known: from these follows the address of the file's first
 * byte.
 */
struct diagnose_image {
	const char *path;
	uint64_t block_address, block_offset; /* address and offset of one of its blocks */
};

#define DIAGNOSE_FLOAT_EVENTS                                                                      \
	"FP32_SCALAR FP32_128 FP32_256 FP32_512 FP64_SCALAR FP64_128 FP64_256 FP64_512"

struct diagnose_seen {
	struct takt_arena arena; /* memory of everything here */
	const struct takt_model *model;
	const struct trace_guest *guest;
	struct diagnose_block *blocks; /* blocks in the order of addresses */
	struct diagnose_place *places; /* places, those with the most cycles first */
	struct diagnose_access *accesses;
	struct diagnose_line *lines;
	struct diagnose_image *images;
	struct oracle_placement *placements; /* placements by thread */
	/*
	 * By thread: source lines of the block that uses, and the one that first wrote, most lines
	 * in pages of other threads.
	 */
	struct diagnose_source *users, *writers;
	uint64_t *useful;	 /* work by thread, without waiting */
	const char *work;	 /* description of that work */
	const char *work_events; /* events that the work is computed from */
	uint32_t block_count, place_count, access_count, line_count, image_count, thread_count;
	struct oracle_counts all;
	uint64_t cycles, losses[TAKT_TRACE_LOSSES];
	uint64_t waiting_insns; /* instructions of blocks that wait */
	uint64_t left_out;
	const struct takt_trace_profile *profile; /* the profile, which belongs to the totals */
	const struct takt_timed_run *runs;
	uint32_t run_count;
};

/* ---- gather.c ---- */

/* Find the guest and the core. The caller must release the arena of `seen`, also on failure. */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_find_model(char *const *argv, const struct takt_diagnose_options *options,
			 struct diagnose_seen *seen, struct takt_diag *diag);
/* Run the program; takt_diagnose_find_model() must have succeeded. */
TAKT_MUST_CHECK enum takt_status takt_diagnose_gather(char *const *argv, char *const *variables,
						      const struct takt_diagnose_options *options,
						      struct takt_diag *diag,
						      struct diagnose_seen *seen,
						      struct takt_trace_totals **ret_totals);
/* places.c: fill places, and `place` of blocks and accesses. */
void takt_diagnose_find_places(struct diagnose_seen *seen);

/* ---- loops.c ---- */

/*
 * Analyse a loop, in the arena; NULL if the place is not a loop, or if its hot path goes through a
 * loop inside it.
 */
const struct takt_loop_figures *takt_diagnose_loop(const struct diagnose_seen *seen,
						   const struct diagnose_place *place,
						   struct takt_arena *arena);

/* ---- names.c ---- */

/*
 * Return the name of the variable at an address, "counters[1].right", in the arena; NULL if no
 * file's memory contains the address.
 */
const char *takt_diagnose_variable(const struct diagnose_seen *seen, uint64_t address,
				   struct takt_arena *arena);

/* ---- timed.c ---- */

/* Time runs with each number of threads; the runs are in the arena. */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_time(char *const *argv, const struct takt_diagnose_options *options,
		   struct takt_arena *arena, struct takt_diag *diag,
		   struct takt_timed_run **ret_runs, uint32_t *ret_count);
/*
 * Parse the numbers in "1,2,4". Returns their count; 0, with an error, if the text is not such a
 * list.
 */
uint32_t takt_diagnose_thread_counts(const char *list, struct takt_diag *diag, uint32_t counts[16]);
/* Return the arguments with "{threads}" replaced by the number, unless that is 0. */
char **takt_diagnose_arguments(char *const *argv, uint32_t threads, struct takt_arena *arena);
/* Return the environment of runs with that many threads (0: unchanged), in the arena. */
char **takt_diagnose_environment(const struct takt_diagnose_options *options, uint32_t threads,
				 struct takt_arena *arena);

/* ---- signatures.c ---- */

struct diagnose_report {
	struct takt_diagnosis diagnosis; /* first, so that a pointer to it is one to the whole */
	struct takt_arena arena;
	struct takt_finding *findings;
	struct takt_pattern *patterns;
	uint32_t finding_capacity;
};

/* The criteria by which a run is judged. */
struct diagnose_measure {
	struct diagnose_thresholds thresholds;
	struct diagnose_trust trust;
	uint32_t nodes; /* NUMA nodes that threads are assumed to be spread over in blocks */
};

/* Fill findings and patterns. */
void takt_diagnose_judge(const struct diagnose_seen *seen, const struct diagnose_measure *measure,
			 const struct takt_diagnose_options *options,
			 struct diagnose_report *report);

#endif
