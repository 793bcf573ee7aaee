/* SPDX-License-Identifier: MIT */
/*
 * evaluate: predictors against measurement on whole kernels, with the method of CesASMe (Bastian,
 * Pompougnac, Dutilleul, Rastello, 2024). The interface is in takt-lab/evaluate.h.
 *
 * The stages communicate through an SQLite database, DIR/results.db (store.c): each stage does
 * the work that has no row there yet, so every stage can be interrupted and resumed.
 */
#ifndef TAKT_EVALUATE_H
#define TAKT_EVALUATE_H

#include "analyze/analyze.h"
#include "base/database.h"
#include "depend/depend.h"
#include "input/input.h"

#include "takt-lab/evaluate.h"

#define EVALUATE_CALLS 2 /* calls of the kernel in a run under qemu */

struct takt_evaluation {
	const char *directory, *kernels; /* `kernels` may be NULL after the build stage */
	struct takt_arena arena;
	uint32_t shard, shard_count;
	const char *kernel;    /* file of the only kernel to build; NULL: all of `kernels` */
	const char *predictor; /* the only predictor to run; NULL: all */
	bool small, again;
	void (*progress)(void *context, const char *line);
	void *context;
	sqlite3 *database;
	bool created; /* the directory did not exist before */
};

/* Format a line of progress and pass it to the caller's `progress`, if there is one. */
void takt_evaluate_say(const struct takt_evaluation *evaluation, const char *format, ...)
	TAKT_PRINTF(2, 3);

/* ---- store.c ---- */

TAKT_MUST_CHECK enum takt_status takt_store_open(struct takt_evaluation *evaluation,
						 struct takt_diag *diag);
/* Close the results; a directory that was created for them is removed if no benchmark came in. */
void takt_store_close(struct takt_evaluation *evaluation);
/* Attach another evaluation's database as `other`; fail if the file is not one. */
TAKT_MUST_CHECK enum takt_status takt_store_attach(struct takt_evaluation *evaluation,
						   const char *path, struct takt_diag *diag);
/*
 * Prepare a statement and bind its parameters, whose types are given by a letter each:
 * 's' const char *, 'i' int64_t, 'd' double, 'b' const void * and size_t. Return NULL, reported,
 * if the database refuses.
 */
sqlite3_stmt *takt_store_query(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			       const char *sql, const char *types, ...);
/* Prepare a statement as takt_store_query() does, and run it to its end. */
TAKT_MUST_CHECK enum takt_status takt_store_run(const struct takt_evaluation *evaluation,
						struct takt_diag *diag, const char *sql,
						const char *types, ...);
/* Advance to the next row; return false at the end and after an error, which is reported. */
bool takt_store_next(const struct takt_evaluation *evaluation, struct takt_diag *diag,
		     sqlite3_stmt *statement);
/* Return the benchmark numbers in the first column of a query's rows, in the evaluation's arena. */
TAKT_MUST_CHECK enum takt_status takt_store_list(struct takt_evaluation *evaluation,
						 struct takt_diag *diag, sqlite3_stmt *statement,
						 int64_t **ret_ids, size_t *ret_count);
/*
 * Check that nothing was measured on another processor than `cpu`, in the evaluation's own
 * measurements and in those of an attached database, whose word is taken if `cpu` is NULL:
 * figures of two machines in one folder would be compared as if they were of one.
 */
TAKT_MUST_CHECK enum takt_status takt_store_check_cpu(struct takt_evaluation *evaluation,
						      struct takt_diag *diag, const char *cpu);
/* Return a column as text, copied into the arena. */
const char *takt_store_text(struct takt_arena *arena, sqlite3_stmt *statement, int column);

/* ---- kernels.c ---- */

/* A named set of options to compile with. */
struct evaluate_strategy {
	const char *name, *flags[6]; /* ended by NULL */
};

struct evaluate_compiler {
	const char *name, *flags[6];
};

struct evaluate_benchmark {
	const char *kernel, *options; /* "gemm", "-DREAL=float -DTILE=8" */
	const char *source;	      /* path of the kernel's file */
	const struct evaluate_compiler *compiler;
	const struct evaluate_strategy *strategy;
};

/* List all benchmarks, or one of each kernel; the order is the same on every machine. */
TAKT_MUST_CHECK enum takt_status takt_kernels_list(struct takt_evaluation *evaluation,
						   struct takt_diag *diag,
						   struct evaluate_benchmark **ret_benchmarks,
						   size_t *ret_count);

/* ---- subprocess.c: other programs ---- */

/*
 * Run argv (ended by NULL) with `input` as its standard input, for at most `seconds`. Its standard
 * output and standard error are appended to `output`. Return its exit status, or -1 if it did not
 * start or did not exit by itself.
 */
int takt_program_run(const char *const *argv, const char *input, double seconds,
		     struct takt_text *output);

/* ---- counts.c ---- */

/*
 * Turn the blocks that qemu translated into basic blocks: split wherever another one begins, joined
 * where only qemu saw an end. The `blocks` given may overlap; those returned are sorted by offset
 * and are in the arena.
 */
struct takt_flow_counts takt_blocks_split(const struct takt_flow_counts *graph,
					  struct takt_arena *arena);

/* Return the index of the block that contains an offset. */
uint32_t takt_graph_block_at(const struct takt_flow_counts *graph, uint64_t offset);

/* Return a path without its directories, as the trace options' named_file wants it. */
/* Find the function that is the kernel of the library at `path`; UINT32_MAX: it did not run. */
uint32_t takt_counts_find_kernel(const struct takt_trace_profile *profile, const char *path);
/* Return the path of benchmark `id`'s library; NULL, reported, if the database does not have it. */
char *takt_counts_path(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		       struct takt_arena *arena);

/* ---- dynamics.c: accesses to memory ---- */

/* Age limits of dependences, by index: none; 1024 instructions; 512; OWN. */
#define EVALUATE_LIFETIMES 4
#define EVALUATE_OWN 3 /* index: 512 instructions, and only the reader's block ran in between */
#define EVALUATE_SAMPLE_ACCESSES 64 /* accesses kept of a block's sampled execution */
#define EVALUATE_ENTRY_VALUES 16
#define EVALUATE_WINDOW 512 /* instructions between a store and a load, at most */

/* The load `reader` read what the store `writer` wrote; both are offsets as in takt_flow_block. */
struct evaluate_dependence {
	uint32_t writer, reader;
	/* Number of reads by age limit, each with the younger ones. */
	uint64_t counts[EVALUATE_LIFETIMES];
};

struct evaluate_access {
	uint64_t address;
	uint32_t insn; /* offset of the instruction, as in takt_flow_block */
	bool store;
};

/* The accesses of one execution of a block, in program order. */
struct evaluate_sample {
	struct evaluate_access accesses[EVALUATE_SAMPLE_ACCESSES];
	uint32_t access_count;
};

struct evaluate_dynamics {
	uint64_t page_offset, entry; /* offset of the kernel's start in its page; input */
	uint64_t calls;		     /* calls of the kernel seen */
	uint64_t accesses, misses;   /* in the last call, of a cache of 32 KiB */
	const struct evaluate_dependence *dependences;
	size_t dependence_count;
	struct evaluate_sample *samples; /* one for each block */
};

/* Read the log of a run of the library's kernel. `result` points into the arena. */
TAKT_MUST_CHECK enum takt_status takt_dynamics_read(const char *log, const char *library,
						    const struct takt_flow_counts *graph,
						    struct takt_arena *arena,
						    struct takt_diag *diag,
						    struct evaluate_dynamics *result);

/* ---- entry.c ---- */

/* The value of a register on entry to the block at `offset`. */
struct evaluate_entry {
	uint64_t offset;
	struct takt_entry_value value;
};

/* Infer the values of registers on entry to a block from its accesses; return their number. */
uint32_t takt_entry_values_find(const struct takt_flow_block *block,
				const struct evaluate_sample *sample,
				struct takt_entry_value ret_values[EVALUATE_ENTRY_VALUES]);

/* ---- predictors.c ---- */

/* The benchmark at hand, and what predictors need to predict it. */
struct evaluate_code {
	char *path, *runner; /* paths of the library, and of the program that calls its kernel */
	struct takt_flow_counts graph;
	uint64_t base; /* address in the run that offsets are relative to */
	const struct evaluate_dependence *dependences;
	const struct evaluate_entry *entries;
	size_t dependence_count, entry_count;
	struct takt_arena *arena; /* memory of this benchmark's data; cleared for the next one */
	const struct takt_model *model;
	const char *scratch; /* path prefix of temporary files, to which a suffix is added */
	/* takt's predictors by offset of the code in a cache line, made when first needed */
	struct takt_predictor **own;
	struct takt_measurer **bench; /* opened when first needed */
};

/*
 * load.c: load a benchmark's path, blocks and edges, clearing the arena; then, with
 * takt_code_load_dynamics(), its dependences and entry values. Return false, reported, if the
 * database refuses.
 */
bool takt_code_load(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		    struct evaluate_code *code);
bool takt_code_load_dynamics(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			     int64_t id, struct evaluate_code *code);

struct evaluate_predictor {
	const char *name;
	const char *program;		       /* program in PATH that it needs, or NULL */
	struct takt_predictor_options options; /* of takt's own predictors */
	bool by_block; /* predicts each block alone, without the blocks around it */
	bool host;     /* only works for the core of this machine */
	/*
	 * Return the cycles of a call of the kernel, with the stall causes in *ret_remark if it
	 * knows them; NaN, with the reason in *ret_remark, if it has no prediction. The remark
	 * lives in the arena.
	 */
	double (*predict)(const struct evaluate_predictor *predictor,
			  const struct evaluate_code *code, const char **ret_remark);
	double (*block)(const struct evaluate_predictor *predictor,
			const struct evaluate_code *code, const struct takt_flow_block *block,
			const char **ret_remark); /* cycles of one block, which are summed */
};

extern const struct evaluate_predictor takt_evaluate_predictors[];
extern const size_t takt_evaluate_predictor_count;

/* ---- repeats.c ---- */

#define EVALUATE_REPEATS_MAX 9 /* measurements of one kernel */

struct evaluate_repeats {
	double cycles[EVALUATE_REPEATS_MAX]; /* of the good measurements */
	uint32_t count;
};

/* Add a good measurement; one beyond the most is ignored. */
void takt_repeats_add(struct evaluate_repeats *repeats, double cycles);
/*
 * True if the least can be believed: there are three or more, and another one is at most 2 % above
 * it. The spread is that of these: the greatest divided by the least, less 1.
 */
bool takt_repeats_agree(const struct evaluate_repeats *repeats, double *ret_spread);

/* ---- adapters.c ---- */

double takt_blocks_mca(const struct evaluate_predictor *predictor, const struct evaluate_code *code,
		       const char **ret_remark);
double takt_block_osaca(const struct evaluate_predictor *predictor,
			const struct evaluate_code *code, const struct takt_flow_block *block,
			const char **ret_remark);
double takt_block_uica(const struct evaluate_predictor *predictor, const struct evaluate_code *code,
		       const struct takt_flow_block *block, const char **ret_remark);
double takt_block_measure(const struct evaluate_predictor *predictor,
			  const struct evaluate_code *code, const struct takt_flow_block *block,
			  const char **ret_remark);

/* ---- coverage.c ---- */

/* Dependences by age limit; the last entry: those `takt deps` claims, and how many are true. */
struct evaluate_coverage {
	size_t pairs[EVALUATE_LIFETIMES + 1], found[EVALUATE_LIFETIMES + 1];
	/* The same numbers, each pair weighted by its count. */
	double weight[EVALUATE_LIFETIMES + 1], found_weight[EVALUATE_LIFETIMES + 1];
};

/* Compare a run's dependences between frequent blocks with those found statically. */
void takt_coverage_find(const struct evaluate_code *code, bool paths, bool with_entry_values,
			struct evaluate_coverage *ret_coverage);

/* ---- statistics.c ---- */

struct evaluate_pair {
	double measured, predicted;
};

struct evaluate_errors {
	size_t count;
	double mean, median, quartiles[2]; /* of |predicted - measured| / measured */
	double tau;			   /* Kendall's tau-b: pairs with a tie count for neither */
	double under;			   /* share of benchmarks predicted too low */
	double mean_interval[2];	   /* 95 % confidence interval of the mean, by bootstrap */
};

/* Return the errors; figures without data are NaN. Leaves the pairs in their order. */
struct evaluate_errors takt_statistics_errors(const struct evaluate_pair *pairs, size_t count);
/* Find the quartiles and median, and the 5 % and 95 % quantiles, of predicted / measured - 1. */
void takt_statistics_box(const struct evaluate_pair *pairs, size_t count, double ret_box[3],
			 double ret_whiskers[2]);

/* Form of the JSON (base/record.h). */
extern const struct takt_schema takt_evaluate_schema;

#endif
