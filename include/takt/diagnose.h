/* SPDX-License-Identifier: MIT */
/*
 * Performance patterns that a program shows.
 */
#ifndef TAKT_DIAGNOSE_API_H
#define TAKT_DIAGNOSE_API_H

#include <takt/count.h>
#include <takt/trace.h>
#include <takt/trust.h>

#ifdef __cplusplus
extern "C" {
#endif

/* AUTO: PMU if there are counters and the machine can run the program, else EMULATE. */
enum takt_diagnose_backend {
	TAKT_DIAGNOSE_EMULATE,
	TAKT_DIAGNOSE_PMU,
	TAKT_DIAGNOSE_AUTO,
};

/* Zero-initialise, then set what is needed. */
struct takt_diagnose_options {
	/*
	 * As in struct takt_trace_core: the core whose caches, predictor and pipeline are modelled.
	 */
	const struct takt_model *(*model)(void *context, const char *isa);
	enum takt_diagnose_backend backend;
	void *context;
	const char *threads; /* "1,2,4": run it with these numbers of threads; NULL: run it as
			      * it is */
	/*
	 * Environment variable that sets the number of threads; NULL: "OMP_NUM_THREADS".
	 * "{threads}" in the arguments is replaced by the number, too.
	 */
	const char *threads_variable;
	const char *const *thresholds; /* "NAME=VALUE": replaces a default threshold */
	uint32_t threshold_count;
	double memory_gbs; /* memory bandwidth of all cores together, in GB/s; 0: unknown */
	/*
	 * Events that this table does not trust are no evidence. NULL: all are trusted. A table of
	 * another backend or instruction set is bad input.
	 */
	const struct takt_trust *trust;
	uint32_t numa_nodes;  /* NUMA nodes that threads are spread over in blocks; 0: as many
			       * as this machine has */
	bool no_timing;	      /* do not also run the program natively */
	uint32_t rounds;      /* rounds of each timed run; 0: 3 */
	bool sample;	      /* simulate only samples */
	bool all_figures;     /* include the figures of signatures that do not hold */
	volatile int *signal; /* as in struct takt_trace_options */
	TAKT_RESERVED;
};

/* A figure that supports a pattern or speaks against it. */
struct takt_evidence {
	const char *what, *unit;
	double value;
	uint32_t origins;      /* bits of enum takt_count_origin */
	const char *threshold; /* name of the threshold; NULL: the figure decides nothing */
	double limit;
	bool below;		/* true: figures below the limit support the pattern; false:
				 * figures from the limit on */
	const char *reference;	/* what the figure is compared with; "" if nothing */
	const char *events;	/* events it is computed from, separated by blanks; "": none that
				 * is validated */
	double error;		/* largest relative error of those events in the trust table;
				 * NaN: unknown */
	const char *distrusted; /* one of the events that is not trusted, so that the figure
				 * decides nothing; NULL: none */
};

enum takt_pattern_state { TAKT_PATTERN_CLEAR, TAKT_PATTERN_FOUND, TAKT_PATTERN_UNSEEN };

/* A pattern at a place, or of the whole program. */
struct takt_finding {
	const char *pattern; /* "false-sharing" */
	const char *title;
	bool holds;	   /* false only if all figures were asked for, or if it is
			    * doubted */
	bool doubted;	   /* the only evidence against it is from events that are not
			    * trusted */
	const char *place; /* "function, file:line"; "": the whole program */
	double share;	   /* share of the modelled cycles of the program; NaN: unknown */
	const struct takt_evidence *evidence;
	uint32_t evidence_count;
	const char *const *details; /* source lines, variables */
	uint32_t detail_count;
	const char *suggestion;
};

/* The verdict on one pattern. The record has all patterns, whether found or not. */
struct takt_pattern {
	const char *pattern, *title;
	enum takt_pattern_state verdict;
	const char *unseen;	/* what this run cannot show of the pattern; "" if nothing */
	const char *distrusted; /* the verdict is UNSEEN because this event is not trusted; NULL:
				 * for no such reason */
};

/*
 * Results of takt_analyze() for the hot path through a loop, taken alone: all data in the first
 * cache, all branches predicted correctly. Cycles are per iteration.
 */
struct takt_loop_figures {
	uint64_t iterations;   /* number of times that an iteration began */
	double run_cycles;     /* cycles in the run, with misses and mispredicted branches;
				* modelled */
	double hot_path_share; /* share of the loop's instructions that are on the hot path */
	uint32_t calls;	       /* calls on the hot path, which are left out of the analysis */
	double cycles;	       /* simulated */
	double ports_cycles, front_end_cycles, issue_cycles, carried_cycles; /* bounds */
	const char *limit;	/* as in struct takt_analysis */
	const char *bottleneck; /* the most important sentence of it; "" if there is none */
	const char *relaxed;	/* the most effective change of the code, or else the most
				 * effective relaxation: "one more port like p5"; or "" */
	const char *advice;	/* how to make the change, or what is known of it; or "" */
	double relaxed_cycles;	/* cycles with that relaxation; NaN: none helps */
};

/* A loop without its inner loops, or the part of a function outside all loops. */
struct takt_place_figures {
	const char *place;
	double share; /* share of the program's cycles */
	uint64_t insns, cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles by category */
	uint64_t misses[3];		    /* misses of its accesses, in each level of caches */
	double line_use; /* share of the bytes of each fetched line that are accessed;
			  * NaN: no lines */
	uint64_t float_insns, float_operations, scalar_operations;
	const struct takt_loop_figures *loop; /* NULL: it is not a loop, or was not analyzed */
};

/* The program run natively on this machine. */
struct takt_timed_run {
	uint32_t threads;      /* number of threads asked for; 0: none */
	double seconds;	       /* time of the shortest round */
	double cpu_seconds;    /* CPU time of all its threads in that round */
	uint32_t most_threads; /* largest number of threads that existed at once */
};

struct takt_diagnosis {
	const char *backend;		    /* "emulate", "pmu" */
	const char *program, *guest, *core; /* core: "" if the counters' core is unknown */
	uint64_t insns, cycles; /* of all threads; modelled cycles, or counted ones with pmu */
	uint32_t thread_count;
	/*
	 * Shares of the distinct lines of all threads: those in pages that another thread was the
	 * first to write, and those in pages of which the first writer is unknown. NaN: one thread.
	 */
	double foreign_lines, unplaced_lines;
	const struct takt_finding *findings; /* most cycles first */
	const struct takt_pattern *patterns;
	const struct takt_place_figures *places; /* the places that were examined, most cycles
						  * first */
	const struct takt_timed_run *runs;
	const char *const *notes; /* what a reader has to know */
	uint32_t finding_count, pattern_count, place_count, run_count, note_count;
	int exit_status, signal; /* of the program, as in takt_trace_totals */
	const char *killed;	 /* text of takt_trace_write_killed(); "" if no signal killed
				  * it */
	const char *core_choice; /* by what the core was chosen, as from takt_model_choice(); or
				  * NULL */
};

TAKT_API TAKT_MUST_CHECK enum takt_status takt_diagnose(char *const *argv,
							const struct takt_diagnose_options *options,
							struct takt_diag *diag,
							struct takt_diagnosis **ret_diagnosis);
TAKT_API void takt_diagnosis_free(struct takt_diagnosis *diagnosis);
TAKT_API void takt_write_diagnosis(const struct takt_diagnosis *diagnosis, enum takt_format format,
				   struct takt_text *text);
/*
 * True if numbers of threads and thresholds are valid; errors are reported. takt_diagnose() checks
 * them as well.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_diagnose_options_check(const struct takt_diagnose_options *options, struct takt_diag *diag);

/* A threshold of the patterns: its name in the options, and the figure that is compared with it. */
struct takt_threshold {
	const char *name, *meaning;
	double usual; /* value unless another is set */
};

/* All thresholds; they are constant. */
struct takt_threshold_listing {
	const struct takt_threshold *thresholds;
	uint32_t threshold_count;
};

TAKT_API struct takt_threshold_listing takt_thresholds(void);
/* Write all thresholds, as text or as JSON: name, usual value, meaning. */
TAKT_API void takt_write_thresholds(struct takt_text *text);
TAKT_API void takt_write_thresholds_json(const struct takt_threshold_listing *listing,
					 struct takt_text *text);

#ifdef __cplusplus
}
#endif

#endif
