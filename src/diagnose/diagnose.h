/* SPDX-License-Identifier: MIT */
/*
 * diagnose: which performance patterns a program shows. It runs once under the oracle, which
 * counts, while a core's caches, predictor and pipeline are modelled; and natively, if it can,
 * on a clock. What was seen is put together by place: a loop, or a function without loops.
 * Each pattern has a signature that follows from what it is (docs/commands/diagnose.md).
 *
 *	gather.c     oracle, blocks and profile → evidence
 *	places.c     blocks → loops and functions
 *	names.c      addresses → variables: ELF symbols, DWARF types
 *	timed.c      native runs
 *	loops.c      hot loops by themselves: takt_analyze()
 *	trust.c      events that are not to be believed
 *	signatures*.c, thresholds.def   evidence → findings
 *	text.c       diagnoses as text and JSON
 */
#ifndef TAKT_DIAGNOSE_H
#define TAKT_DIAGNOSE_H

#include "sim/sim.h"
#include "validate/validate.h"

/* ---- thresholds.c ---- */

struct diagnose_thresholds {
#define X(field, name, usual, meaning) double field;
#include "diagnose/thresholds.def"
#undef X
};

/* The usual ones but for "NAME=VALUE"; reports what is wrong. */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_thresholds_read(const char *const *settings, uint32_t count, struct takt_diag *diag,
			      struct diagnose_thresholds *ret_thresholds);

/* ---- trust.c ---- */

/* A table for the core whose caches are modelled, or whose counters count. */
struct diagnose_trust {
	const struct takt_trust *table; /* NULL: all is believed */
	const char *core;
};

/* Whether a table (NULL: none) is about such a run at all; else bad input, reported. */
TAKT_MUST_CHECK enum takt_status takt_diagnose_trust_open(const struct takt_trust *table,
							  const char *backend, const char *isa,
							  const char *core, struct takt_diag *diag,
							  struct diagnose_trust *ret_trust);
/* Fills what the table says of the events that the evidence is made of. */
void takt_diagnose_trust_apply(const struct diagnose_trust *trust, struct takt_evidence *evidence);
/* Whether a part of the table is of another core's caches, and does not count. */
bool takt_diagnose_trust_skips(const struct diagnose_trust *trust);

/* ---- what was seen ---- */

/* A source line; NULL or 0: not known. */
struct diagnose_source {
	const char *function, *file;
	uint32_t line;
	uint64_t file_offset; /* of the instruction, in its executable or library */
};

struct diagnose_block {
	uint64_t address, end, target; /* target: of a branch or jump, else 0 */
	struct diagnose_source source; /* of its first instruction */
	uint32_t function;	       /* number */
	uint32_t number;
	bool waits; /* its function waits for other threads, or locks */
	uint64_t runs, missed;
	/* By thread; of the first not what it did before it made others. */
	uint64_t runs_of[ORACLE_BLOCK_THREADS];
	struct oracle_counts counts; /* of one run */
	double busy_cycles;	     /* of one run: units that divide or gather */
	uint64_t cycles, losses[TAKT_TRACE_LOSSES];
	uint32_t place; /* index */
};

/* Who asked for some memory on the heap; inferred. */
struct diagnose_allocation {
	bool known;
	struct diagnose_source call, caller; /* of its function; all 0: not known */
};

struct diagnose_access {
	struct diagnose_allocation allocation; /* of what it accessed last */
	struct oracle_access counts;
	uint64_t address; /* of the instruction */
	struct diagnose_source source;
	uint32_t place;
};

/* A loop without the loops in it, or what of a function is in no loop. */
struct diagnose_place {
	uint64_t begin, end;
	uint32_t function;
	bool loop;
	struct diagnose_source source;
	struct oracle_counts counts; /* of all its runs */
	uint64_t missed;
	double busy_cycles;
	/* At least as many as memory and the third level need for their lines. */
	uint64_t cycles, losses[TAKT_TRACE_LOSSES];
	/* Sums of its accesses. */
	uint64_t accesses, bytes, misses[CACHE_LEVELS_MAX], strides[STRIDE_COUNT];
	uint64_t miss_strides[STRIDE_COUNT]; /* accesses that missed, by their stride's kind */
	uint64_t load_wait_cycles;	     /* of loads that missed, one after the other */
	uint64_t loads, split, forwarded, unforwarded, aliased;
};

struct diagnose_line {
	struct oracle_line line;
	struct diagnose_source sources[4];	   /* of its users */
	struct diagnose_allocation allocations[4]; /* of what they used of it */
	bool waits[4];
};

/* A mapping of a file, as far as it is known: where its first byte would be. */
struct diagnose_image {
	const char *path;
	uint64_t block_address, block_offset; /* of one of its blocks */
};

#define DIAGNOSE_FLOAT_EVENTS                                                                      \
	"FP32_SCALAR FP32_128 FP32_256 FP32_512 FP64_SCALAR FP64_128 FP64_256 FP64_512"

struct diagnose_seen {
	struct takt_arena arena; /* all that is here */
	const struct takt_model *model;
	const struct trace_guest *guest;
	struct diagnose_block *blocks; /* by address */
	struct diagnose_place *places; /* most cycles first */
	struct diagnose_access *accesses;
	struct diagnose_line *lines;
	struct diagnose_image *images;
	struct oracle_counts *threads;
	struct oracle_placement *placements;	 /* by thread */
	struct diagnose_source *users, *writers; /* by thread: of lines in pages of others */
	uint64_t *useful;			 /* by thread: work, without waiting */
	const char *work;			 /* what that is, in words */
	const char *work_events;		 /* that it is made of */
	uint32_t block_count, place_count, access_count, line_count, image_count, thread_count;
	struct oracle_counts all;
	uint64_t cycles, losses[TAKT_TRACE_LOSSES];
	uint64_t waiting_insns; /* of blocks that wait */
	uint64_t left_out;
	const struct takt_trace_profile *profile; /* the totals' */
	const struct takt_timed_run *runs;
	uint32_t run_count;
};

/* ---- gather.c ---- */

/* Finds the guest and the core. The arena of `seen` is the caller's to release, on failure too. */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_find_model(char *const *argv, const struct takt_diagnose_options *options,
			 struct diagnose_seen *seen, struct takt_diag *diag);
/* Runs the program, after that. */
TAKT_MUST_CHECK enum takt_status takt_diagnose_gather(char *const *argv, char *const *variables,
						      const struct takt_diagnose_options *options,
						      struct takt_diag *diag,
						      struct diagnose_seen *seen,
						      struct takt_trace_totals **ret_totals);
/* places.c: fills places, and `place` of blocks and accesses. */
void takt_diagnose_find_places(struct diagnose_seen *seen);

/* ---- loops.c ---- */

/* In the arena; NULL if the place is no loop, or its commonest way goes through one in it. */
const struct takt_loop_figures *takt_diagnose_loop(const struct diagnose_seen *seen,
						   const struct diagnose_place *place,
						   struct takt_arena *arena);

/* ---- names.c ---- */

/* What is at an address: "counters[1].right", in the arena; NULL if it is in no file's memory. */
const char *takt_diagnose_variable(const struct diagnose_seen *seen, uint64_t address,
				   struct takt_arena *arena);

/* ---- timed.c ---- */

/* Runs with each number of threads; the runs are in the arena. */
TAKT_MUST_CHECK enum takt_status
takt_diagnose_time(char *const *argv, const struct takt_diagnose_options *options,
		   struct takt_arena *arena, struct takt_diag *diag,
		   struct takt_timed_run **ret_runs, uint32_t *ret_count);
/* The numbers in "1,2,4"; 0 if it is none, reported. */
uint32_t takt_diagnose_thread_counts(const char *list, struct takt_diag *diag, uint32_t counts[16]);
/* With "{threads}" replaced, unless it is 0. */
char **takt_diagnose_arguments(char *const *argv, uint32_t threads, struct takt_arena *arena);
/* The environment of runs with so many threads (0: as it is), in the arena. */
char **takt_diagnose_environment(const struct takt_diagnose_options *options, uint32_t threads,
				 struct takt_arena *arena);

/* ---- signatures.c ---- */

struct diagnose_report {
	struct takt_diagnosis diagnosis; /* first, so that it is one */
	struct takt_arena arena;
	struct takt_finding *findings;
	struct takt_pattern *patterns;
	uint32_t finding_capacity;
};

/* What a run is judged by. */
struct diagnose_measure {
	struct diagnose_thresholds thresholds;
	struct diagnose_trust trust;
	uint32_t nodes; /* memories that threads are spread over in blocks */
};

/* Fills findings and patterns. */
void takt_diagnose_judge(const struct diagnose_seen *seen, const struct diagnose_measure *measure,
			 const struct takt_diagnose_options *options,
			 struct diagnose_report *report);

#endif
