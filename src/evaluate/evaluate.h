/* SPDX-License-Identifier: MIT */
/*
 * evaluate: predictors against measurement on whole kernels, as CesASMe (Bastian, Pompougnac,
 * Dutilleul, Rastello, 2024) does it. The interface is takt.h's.
 *
 *	kernels.c  kernel files and their variants → benchmarks
 *	build.c    compiled, checked, same code found → DIR/bin/
 *	graph.c    qemu's blocks → blocks
 *	counts.c   one run under qemu each → blocks and how often they ran; dynamics.c and
 *	           entry.c: dependences through memory, cache misses, registers
 *	measure.c  cycles of a call on this machine
 *	predict.c  cycles by each predictor (predictors.c): Σ executions × cycles of the block, or
 *	           of whole paths (paths.c, path_cost.c)
 *	coverage.c what of the dependences is found without running it
 *	report*.c  errors and ranks (statistics.c) as text, JSON and box plots
 *
 * Between these stands a database in SQLite, DIR/results.db (store.c): each step does what
 * has no row there yet, so that all can be interrupted, and come back to.
 */
#ifndef TAKT_EVALUATE_H
#define TAKT_EVALUATE_H

#include <sqlite3.h>

#include "depend/depend.h"

#define EVALUATE_CALLS 2 /* of the kernel in a run under qemu */

struct takt_evaluation {
	const char *directory, *kernels; /* `kernels` may be NULL after the first step */
	struct takt_arena arena;
	uint32_t shard, shard_count;
	const char *predictor; /* or NULL */
	bool small, again;
	void (*progress)(void *context, const char *line);
	void *context;
	sqlite3 *database;
};

/* Formats a line for whoever watches. */
void takt_evaluate_say(const struct takt_evaluation *evaluation, const char *format, ...)
	TAKT_PRINTF(2, 3);

/* ---- store.c ---- */

TAKT_MUST_CHECK enum takt_status takt_store_open(struct takt_evaluation *evaluation,
						 struct takt_diag *diag);
void takt_store_close(struct takt_evaluation *evaluation);
/* Attaches another evaluation's database as `other`, if it is one. */
TAKT_MUST_CHECK enum takt_status takt_store_attach(struct takt_evaluation *evaluation,
						   const char *path, struct takt_diag *diag);
/*
 * A statement whose parameters are, by a letter each: 's' const char *, 'i' int64_t,
 * 'd' double, 'b' const void * and size_t. NULL, reported, if the database refuses.
 */
sqlite3_stmt *takt_store_query(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			       const char *sql, const char *types, ...);
/* The same, run to its end. */
TAKT_MUST_CHECK enum takt_status takt_store_run(const struct takt_evaluation *evaluation,
						struct takt_diag *diag, const char *sql,
						const char *types, ...);
/* Steps on; false at the end, and after an error, which is reported. */
bool takt_store_next(const struct takt_evaluation *evaluation, struct takt_diag *diag,
		     sqlite3_stmt *statement);
/* Numbers of benchmarks that a query has, in this shard; in the evaluation's arena. */
TAKT_MUST_CHECK enum takt_status takt_store_list(struct takt_evaluation *evaluation,
						 struct takt_diag *diag, sqlite3_stmt *statement,
						 int64_t **ret_ids, size_t *ret_count);
/*
 * Checks that nothing was measured on another processor than `cpu`, in the evaluation's own
 * measurements and in those of an attached database, whose word is taken if `cpu` is NULL:
 * figures of two machines in one folder would be compared as if they were of one.
 */
TAKT_MUST_CHECK enum takt_status takt_store_check_cpu(struct takt_evaluation *evaluation,
						      struct takt_diag *diag, const char *cpu);
/* Column as text in the arena. */
const char *takt_store_text(struct takt_arena *arena, sqlite3_stmt *statement, int column);

/* ---- kernels.c ---- */

/* A set of options to compile with. */
struct evaluate_strategy {
	const char *name, *flags[6]; /* ended by NULL */
};

struct evaluate_compiler {
	const char *name, *flags[6];
};

struct evaluate_benchmark {
	const char *kernel, *options; /* "gemm", "-DREAL=float -DTILE=8" */
	const struct evaluate_compiler *compiler;
	const struct evaluate_strategy *strategy;
};

/* All there are, or one of each kernel, sorted: the same wherever it is called. */
TAKT_MUST_CHECK enum takt_status takt_kernels_list(struct takt_evaluation *evaluation,
						   struct takt_diag *diag,
						   struct evaluate_benchmark **ret_benchmarks,
						   size_t *ret_count);

/* ---- program.c: other programs ---- */

/*
 * Runs argv[0], ended by NULL, `input` its standard input, for at most so many seconds. What
 * it says goes to `output`. Returns its exit status; -1 if there was none.
 */
int takt_program_run(const char *const *argv, const char *input, double seconds,
		     struct takt_text *output);
/* Whether there is such a program in PATH. */
bool takt_program_exists(const char *name);

/* ---- counts.c ---- */

struct evaluate_block {
	uint64_t offset; /* from the start of the memory page in which the kernel starts */
	const uint8_t *bytes;
	uint32_t size_bytes;
	uint64_t executions;
};

/* How often `to` followed `from`: indices of blocks. */
struct evaluate_edge {
	uint32_t from, to;
	uint64_t count;
};

/* Blocks by offset; edges by both. */
struct evaluate_graph {
	const struct evaluate_block *blocks;
	const struct evaluate_edge *edges;
	size_t block_count, edge_count;
};

/*
 * What qemu translated, as blocks: split at each place where one begins, joined where only
 * qemu saw an end. `blocks` overlap and are sorted by offset. In the arena.
 */
struct evaluate_graph takt_blocks_split(const struct evaluate_graph *graph,
					struct takt_arena *arena);

/* The block that is around an offset. */
uint32_t takt_graph_block_at(const struct evaluate_graph *graph, uint64_t offset);

/* A path without its directories: trace options' named_file. */
const char *takt_counts_file_name(const char *path);
/* Which of the functions is the kernel of the library at `path`; UINT32_MAX: it did not run. */
uint32_t takt_counts_find_kernel(const struct takt_trace_profile *profile, const char *path);
/* Where benchmark `id` was built; NULL, reported, if nobody knows. */
char *takt_counts_path(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		       struct takt_arena *arena);

/* ---- dynamics.c: accesses to memory ---- */

#define EVALUATE_LIFETIMES 4	    /* any age; 1024 instructions; 512; OWN */
#define EVALUATE_OWN 3		    /* 512, and nothing but this block ran in between */
#define EVALUATE_RECENT 2	    /* 512 */
#define EVALUATE_SAMPLE_ACCESSES 64 /* of a block */
#define EVALUATE_ENTRY_VALUES 16
#define EVALUATE_WINDOW 512 /* instructions between a store and a load, at most */

/* `reader` read what `writer` wrote: places in the kernel. */
struct evaluate_dependence {
	uint32_t writer, reader;
	uint64_t counts[EVALUATE_LIFETIMES]; /* not longer ago than each */
};

struct evaluate_access {
	uint64_t address;
	uint32_t insn; /* its place */
	bool store;
};

/* One execution of a block. */
struct evaluate_sample {
	struct evaluate_access accesses[EVALUATE_SAMPLE_ACCESSES];
	uint32_t access_count;
};

struct evaluate_dynamics {
	uint64_t page_offset, entry; /* of the kernel's start: given */
	uint64_t calls;		     /* seen */
	uint64_t accesses, misses;   /* in the last call; of a cache of 32 KiB */
	const struct evaluate_dependence *dependences;
	size_t dependence_count;
	struct evaluate_sample *samples; /* one for each block */
};

/* From the log of a run of a library's kernel. In the arena. */
TAKT_MUST_CHECK enum takt_status takt_dynamics_read(const char *log, const char *library,
						    const struct evaluate_graph *graph,
						    struct takt_arena *arena,
						    struct takt_diag *diag,
						    struct evaluate_dynamics *result);

/* ---- entry.c ---- */

/* Of a register, before the block at `offset`. */
struct evaluate_entry {
	uint64_t offset;
	struct takt_entry_value value;
};

/* What can be told of registers when the block began; returns how many. */
uint32_t takt_entry_values_find(const struct evaluate_block *block,
				const struct evaluate_sample *sample,
				struct takt_entry_value ret_values[EVALUATE_ENTRY_VALUES]);

/* ---- predictors.c ---- */

#define EVALUATE_LINE_BYTES 64

/* One benchmark at a time. */
struct evaluate_code {
	char *path, *runner; /* the library, and who calls its kernel */
	struct evaluate_graph graph;
	uint64_t base; /* that offsets were from, when it ran */
	const struct evaluate_dependence *dependences;
	const struct evaluate_entry *entries;
	size_t dependence_count, entry_count;
	struct takt_arena *arena; /* of this benchmark */
	const struct takt_model *model;
	const char *scratch;	     /* path of files, without the end of its name */
	struct takt_predictor **own; /* for each place in a line, made when first needed */
	struct takt_bench **bench;   /* likewise */
};

/*
 * load.c: the blocks and edges of a benchmark, and its path; clears the arena. Then its dependences
 * and entry values. False, reported, if the database refuses.
 */
bool takt_code_load(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		    struct evaluate_code *code);
bool takt_code_load_dynamics(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			     int64_t id, struct evaluate_code *code);

struct evaluate_predictor {
	const char *name;
	const char *program;		       /* that it needs, or NULL */
	struct takt_predictor_options options; /* of takt's own */
	bool by_block;			       /* knows nothing of what follows what */
	bool whole_run;			       /* by qemu */
	bool host;			       /* of this machine's core only */
	/* Cycles of a call of the kernel, and what they go to if it knows; NaN, and why, if it
	 * has none. The remark lives in the arena. */
	double (*predict)(const struct evaluate_predictor *predictor,
			  const struct evaluate_code *code, const char **ret_remark);
	double (*block)(const struct evaluate_predictor *predictor,
			const struct evaluate_code *code, const struct evaluate_block *block,
			const char **ret_remark); /* for takt_blocks_lift() */
};

/* Σ executions × cycles of each block by itself. */
double takt_blocks_lift(const struct evaluate_predictor *predictor,
			const struct evaluate_code *code, const char **ret_remark);
/* takt's own, for code that starts there. */
struct takt_predictor *takt_code_predictor(const struct evaluate_predictor *predictor,
					   const struct evaluate_code *code, uint64_t offset);

extern const struct evaluate_predictor takt_evaluate_predictors[];
extern const size_t takt_evaluate_predictor_count;

/* ---- paths.c, path_cost.c: what follows what ---- */

#define EVALUATE_PATHS_MAX 8 /* of a loop */

struct evaluate_step {
	uint32_t block; /* that control came to */
	uint32_t loop;	/* which is in this one, run to its end; 0: none */
	uint32_t exit;	/* the block that control left from */
};

/* From a loop's head back to it, or out. */
struct evaluate_path {
	struct evaluate_step *steps;
	uint32_t step_count;
	uint64_t count;
	bool back;
};

struct evaluate_loop {
	uint32_t head, around; /* block; the loop that it is in */
	bool *inside;	       /* by block */
	uint32_t size;	       /* blocks */
	uint64_t iterations, entries;
	struct evaluate_path paths[EVALUATE_PATHS_MAX];
	uint32_t path_count;
};

/* Loop 0 is the kernel: from its start to its end. In the arena. */
struct evaluate_loop *takt_paths_find(const struct evaluate_graph *graph, struct takt_arena *arena,
				      size_t *ret_count);
/*
 * What runs, in short, as loops: calls `visit` with the blocks of each, inner ones first, the whole
 * kernel last. Returns the cycles of a call, if `visit` returns those of an iteration.
 */
double takt_paths_visit(const struct evaluate_code *code,
			double (*visit)(void *context, const uint32_t *blocks, size_t count),
			void *context);
/* A predictor: cycles of a call. */
double takt_paths_cycles(const struct evaluate_predictor *predictor,
			 const struct evaluate_code *code, const char **ret_remark);

/* ---- adapters.c ---- */

double takt_blocks_mca(const struct evaluate_predictor *predictor, const struct evaluate_code *code,
		       const char **ret_remark);
double takt_block_osaca(const struct evaluate_predictor *predictor,
			const struct evaluate_code *code, const struct evaluate_block *block,
			const char **ret_remark);
double takt_block_uica(const struct evaluate_predictor *predictor, const struct evaluate_code *code,
		       const struct evaluate_block *block, const char **ret_remark);
double takt_block_measure(const struct evaluate_predictor *predictor,
			  const struct evaluate_code *code, const struct evaluate_block *block,
			  const char **ret_remark);

/* ---- coverage.c ---- */

/* Of EVALUATE_LIFETIMES, and last: those that `takt deps` claims, and which of them are true. */
struct evaluate_coverage {
	size_t pairs[EVALUATE_LIFETIMES + 1], found[EVALUATE_LIFETIMES + 1];
	double weight[EVALUATE_LIFETIMES + 1], found_weight[EVALUATE_LIFETIMES + 1]; /* by count */
};

/* Dependences of the run, between blocks that matter; of single blocks, or all. */
void takt_coverage_find(const struct evaluate_code *code, bool paths, bool with_entry_values,
			struct evaluate_coverage *ret_coverage);

/* ---- statistics.c ---- */

struct evaluate_pair {
	double measured, predicted;
};

struct evaluate_errors {
	size_t count;
	double mean, median, quartiles[2]; /* of |predicted - measured| / measured */
	double tau;			   /* Kendall's, b: ties count for neither */
	double under;			   /* share predicted too low */
	double mean_interval[2];	   /* of the mean, 95 %, by bootstrap */
};

/* NaN where there is nothing to tell. Reorders nothing. */
struct evaluate_errors takt_statistics_errors(const struct evaluate_pair *pairs, size_t count);
/* Of predicted / measured - 1: quartiles with the median between; 5 % and 95 %. */
void takt_statistics_box(const struct evaluate_pair *pairs, size_t count, double ret_box[3],
			 double ret_whiskers[2]);

#endif
