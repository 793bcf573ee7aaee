/* SPDX-License-Identifier: MIT */
/*
 * events: counts what a program does. A group (data/groups) names events and defines metrics as
 * formulas of them; a backend counts the events: `pmu` with the processor's counters, `emulate` by
 * observing each instruction that runs under qemu.
 *
 * Every figure states its origin: counted (each event was observed), modelled (by a cache or branch
 * predictor model), timed (by a clock), or computed from such figures by a formula.
 */
#ifndef TAKT_EVENTS_H
#define TAKT_EVENTS_H

#include "cache/cache.h"
#include "events/unit.h"
#include "trace/trace.h"

/* ---- formula.c: arithmetic on names, with units ---- */

/*
 * A formula consists of + - * / ( ), numbers, names, min() and max(). A unit may follow a number:
 * "64 B". Division by zero gives NaN.
 */
struct events_formula;

/* The caller numbers the names: `find` returns an index, or -1 for an unknown name. */
struct events_names {
	int (*find)(const void *context, const char *name, size_t size_bytes);
	const void *context;
};

/* An error in a text, and its position there, in bytes. */
struct events_problem {
	const char *what;
	size_t at, size;
};

/* Parse a formula. Returns NULL and fills *ret_problem on error. */
const struct events_formula *takt_events_formula_parse(const char *text, size_t size_bytes,
						       const struct events_names *names,
						       struct takt_arena *arena,
						       struct events_problem *ret_problem);
/*
 * Evaluate a formula. `values` and `origins` are indexed by name; values are in base units: B, not
 * MB.
 */
double takt_events_formula_value(const struct events_formula *formula, const double *values);
uint32_t takt_events_formula_origins(const struct events_formula *formula, const uint32_t *origins);
/* Compute the unit of a formula's value. Returns false if it adds figures of different units. */
bool takt_events_formula_unit(const struct events_formula *formula, const struct events_unit *units,
			      struct events_unit *ret_unit, struct events_problem *ret_problem);

/* ---- library.c: families of cores with their events and groups ---- */

/* An event that a backend can count. */
struct events_event {
	const char *name;
	struct events_unit unit;
	const char *unit_text;
	const char *encoding; /* "cpu/event=0x51,umask=0x1/" (encoding.c); NULL for `emulate` */
	const char *source;   /* tag of the source that documents it */
	const char *what;     /* description, or "" */
	uint32_t origins;     /* enum takt_count_origin */
};

/* A file whose text has not been parsed yet. */
struct events_text {
	const char *path, *text;
	size_t size_bytes;
};

/* The event that counts the µops that a group of ports executes. */
struct events_port {
	/* Port names as in the core files, "p23"; "all": all µops that are executed. */
	const char *ports;
	const char *event;
	uint32_t line;
};

struct events_family {
	const char *name, *title, *isa;
	/* Names of core models; none: the family exists only for others to refer to. */
	const char *const *cores;
	uint32_t core_count;
	const char *like; /* family to search for what this one lacks; NULL: none */
	const char *path;
	const struct events_event *events;
	uint32_t event_count;
	const struct events_port *ports; /* none: no event counts µops by port */
	uint32_t port_count;
};

struct events_library {
	struct takt_arena *arena;
	const struct events_family *families; /* the user's own come first */
	uint32_t family_count;
	const struct events_text *groups; /* each path ends in FAMILY/NAME.group */
	uint32_t group_count;
};

/*
 * Open the built-in families and groups and, unless `directory` is NULL, those below that directory
 * (docs/formats/events.md).
 */
TAKT_MUST_CHECK enum takt_status takt_events_library_open(const char *directory,
							  struct takt_arena *arena,
							  struct takt_diag *diag,
							  struct events_library *ret_library);
/* Find a family by its name, or by the name of one of its cores. Return NULL if there is none. */
const struct events_family *takt_events_family_find(const struct events_library *library,
						    const char *name);
const struct events_family *takt_events_family_of_core(const struct events_library *library,
						       const char *core);
/* Find a family by its own name or a core's. Reports an error and returns NULL if there is none. */
const struct events_family *takt_events_family_named(const struct events_library *library,
						     const char *name, struct takt_diag *diag);
/*
 * Find an event or a group in the family, or in the families it is like. Return NULL if there is
 * none.
 */
const struct events_event *takt_events_event_find(const struct events_library *library,
						  const struct events_family *family,
						  const char *name);
const struct events_text *takt_events_group_text(const struct events_library *library,
						 const struct events_family *family,
						 const char *name);
/* Return the names of all groups of a family, sorted, in the library's arena. */
const char *const *takt_events_group_names(const struct events_library *library,
					   const struct events_family *family, uint32_t *ret_count);

/* ---- group.c ---- */

struct events_group_event {
	const char *name;    /* name in the formulas */
	const char *counter; /* name of an event of the family */
	uint32_t line, column;
};

struct events_group_metric {
	const char *name, *unit_text;
	const char *text; /* text of the formula */
	struct events_unit unit;
	const struct events_formula *formula;
	uint32_t line, column; /* position of the formula */
};

/*
 * Predefined names in formulas, numbered after the group's events: `time` in seconds, `line` in
 * bytes; the group's metrics follow them.
 */
enum events_given { EVENTS_TIME, EVENTS_LINE, EVENTS_GIVEN_COUNT };

/* A parsed group; its strings and arrays live in the arena given to takt_events_group_parse(). */
struct events_group {
	const char *name, *title, *prose, *path;
	const struct events_group_event *events;
	const struct events_group_metric *metrics;
	uint32_t event_count, metric_count;
};

TAKT_MUST_CHECK enum takt_status takt_events_group_parse(const char *path, const char *text,
							 size_t size_bytes,
							 struct takt_arena *arena,
							 struct takt_diag *diag,
							 const struct events_group **ret_group);
/* Find a group, parse it and check it. */
TAKT_MUST_CHECK enum takt_status takt_events_group_open(const struct events_library *library,
							const struct events_family *family,
							const char *name, struct takt_diag *diag,
							const struct events_group **ret_group);

/* ---- oracle.c: the sink that counts what instructions do ---- */

/*
 * Events of the oracle, counted per thread in struct oracle_counts. Loads and stores are counted as
 * the instructions specify them: a gather is one load, and a vector has all its elements, whatever
 * the mask. Caches and TLBs are modelled without prefetching, and separately for each thread, the
 * third level included, so that no count depends on how threads interleaved. Distinct lines are
 * counted over the whole run; what the first thread did before it created others counts as shared
 * with nobody. In regions, the counts of distinct and of shared lines are 0.
 * X(field, event name, unit, origin, description)
 */
#define ORACLE_WIDTHS 4u /* vector widths: 1 element, 128, 256, 512 bits */
#define ORACLE_EVENT_LIST(X)                                                                       \
	X(insns, "INSTRUCTIONS", "", COUNTED,                                                      \
	  "instructions completed; one with rep counts as one")                                    \
	X(loads, "LOADS", "", COUNTED, "reads of memory by instructions; a vector counts as one")  \
	X(load_bytes, "LOAD_BYTES", "B", COUNTED, "bytes read by instructions")                    \
	X(stores, "STORES", "", COUNTED, "writes to memory by instructions")                       \
	X(store_bytes, "STORE_BYTES", "B", COUNTED, "bytes written by instructions")               \
	X(nt_stores, "NT_STORES", "", COUNTED, "non-temporal stores, which STORES contains")       \
	X(nt_store_bytes, "NT_STORE_BYTES", "B", COUNTED, "bytes written by non-temporal stores")  \
	X(branches, "BRANCHES", "", COUNTED, "jumps, calls, returns and conditional branches")     \
	X(conditional, "BRANCHES_CONDITIONAL", "", COUNTED, "conditional branches")                \
	X(taken, "BRANCHES_TAKEN", "", COUNTED, "conditional branches that were taken")            \
	X(missed, "BRANCHES_MISSED", "", MODELLED,                                                 \
	  "branches that the core's predictor would mispredict")                                   \
	X(calls, "CALLS", "", COUNTED, "calls")                                                    \
	X(syscalls, "SYSCALLS", "", COUNTED, "system calls")                                       \
	X(futexes, "FUTEXES", "", COUNTED, "futex system calls")                                   \
	X(atomics, "ATOMICS", "", COUNTED, "locked or exclusive instructions")                     \
	X(pauses, "PAUSES", "", COUNTED, "pause and yield instructions of waiting threads")        \
	X(divides, "DIVIDES", "", COUNTED, "divisions and square roots, of integers and floats")   \
	X(gathers, "GATHERS", "", COUNTED, "gathers and scatters")                                 \
	X(fp32_ops[0], "FP32_SCALAR", "", COUNTED, "operations on scalar floats; an FMA is two")   \
	X(fp32_ops[1], "FP32_128", "", COUNTED,                                                    \
	  "operations on floats in 128-bit vectors, by element")                                   \
	X(fp32_ops[2], "FP32_256", "", COUNTED,                                                    \
	  "operations on floats in 256-bit vectors, by element")                                   \
	X(fp32_ops[3], "FP32_512", "", COUNTED,                                                    \
	  "operations on floats in 512-bit vectors, by element")                                   \
	X(fp64_ops[0], "FP64_SCALAR", "", COUNTED, "operations on scalar doubles; an FMA is two")  \
	X(fp64_ops[1], "FP64_128", "", COUNTED,                                                    \
	  "operations on doubles in 128-bit vectors, by element")                                  \
	X(fp64_ops[2], "FP64_256", "", COUNTED,                                                    \
	  "operations on doubles in 256-bit vectors, by element")                                  \
	X(fp64_ops[3], "FP64_512", "", COUNTED,                                                    \
	  "operations on doubles in 512-bit vectors, by element")                                  \
	X(fp_insns, "FP_INSTRUCTIONS", "", COUNTED, "instructions with floating-point operations") \
	X(lines_touched, "LINES_TOUCHED", "", COUNTED, "distinct cache lines")                     \
	X(line_bytes_used, "LINE_BYTES_USED", "B", COUNTED,                                        \
	  "distinct bytes accessed in the lines touched")                                          \
	X(l1_in, "L1_LINES_IN", "", MODELLED, "lines into the first data cache")                   \
	X(l1_out, "L1_LINES_OUT", "", MODELLED, "dirty lines out of the first data cache")         \
	X(l2_in, "L2_LINES_IN", "", MODELLED, "lines into the second cache")                       \
	X(l2_out, "L2_LINES_OUT", "", MODELLED, "dirty lines out of the second cache")             \
	X(l3_in, "L3_LINES_IN", "", MODELLED, "lines from memory")                                 \
	X(l3_out, "L3_LINES_OUT", "", MODELLED, "lines to memory: dirty lines and NT_LINES")       \
	X(nt_lines, "NT_LINES", "", MODELLED, "lines written to memory by non-temporal stores")    \
	X(shared_lines, "SHARED_LINES_WRITTEN", "", COUNTED,                                       \
	  "lines this thread and another accessed, one of them writing")                           \
	X(falsely_shared_lines, "FALSELY_SHARED_LINES", "", COUNTED,                               \
	  "SHARED_LINES_WRITTEN in which the threads have no byte in common")                      \
	X(tlb_walks, "TLB_WALKS", "", MODELLED, "page walks: translations that no TLB has")

struct oracle_counts {
	uint64_t insns, loads, load_bytes, stores, store_bytes, nt_stores, nt_store_bytes;
	uint64_t branches, conditional, taken, missed, calls, syscalls, futexes, atomics, pauses;
	uint64_t divides, gathers, fp32_ops[ORACLE_WIDTHS], fp64_ops[ORACLE_WIDTHS], fp_insns;
	uint64_t lines_touched, line_bytes_used, l1_in, l1_out, l2_in, l2_out, l3_in, l3_out;
	uint64_t nt_lines;
	uint64_t shared_lines, falsely_shared_lines, tlb_walks;
};

/*
 * Kinds of stride between consecutive accesses of one instruction: 0, ±1 element, within a line,
 * others that repeat, and others that do not.
 */
enum oracle_stride {
	STRIDE_NONE,
	STRIDE_UNIT,
	STRIDE_LINE,
	STRIDE_FAR,
	STRIDE_ERRATIC,
	STRIDE_COUNT
};

/* Memory accesses of one instruction, summed over all threads. */
struct oracle_access {
	uint32_t block; /* number of a block that contains the instruction */
	uint16_t insn;	/* index of the instruction in the block */
	bool store;
	uint64_t count, bytes;
	uint64_t strides[STRIDE_COUNT];
	uint64_t address; /* address of the last access that was counted, in any thread */
	/*
	 * Modelled misses of each cache level; 0 without a model. A non-temporal store misses every
	 * level once for each line.
	 */
	uint64_t misses[CACHE_LEVELS_MAX];
	uint64_t split; /* accesses that cross the end of a line */
	/*
	 * Loads for which one of the last stores wrote all of the bytes (forwarded); wrote only
	 * part of them, so nothing can be forwarded (unforwarded); or loads whose address differs
	 * by a multiple of 4 KiB from that of one of the very last stores, and so looks like it
	 * (aliased).
	 */
	uint64_t forwarded, unforwarded, aliased;
};

#define ORACLE_BLOCK_THREADS 32u

/* Executions of a block, in all threads. */
struct oracle_block {
	const uint64_t *runs_of;     /* runs in each of the first ORACLE_BLOCK_THREADS threads */
	uint64_t alone;		     /* runs in the first thread before it created others */
	uint64_t runs;		     /* complete runs, in all threads */
	uint64_t missed;	     /* modelled mispredictions of the branch at its end */
	struct oracle_counts counts; /* counts of one run that do not depend on addresses */
};

/* Accesses of one thread to a line. */
struct oracle_line_user {
	uint32_t thread;
	uint32_t block;		   /* number of a block that made many of the accesses */
	uint64_t accesses, stores; /* numbers of accesses, not of transfers between caches */
	uint64_t read, written;	   /* bit masks of the bytes */
};

/* A line that several threads accessed, at least one of them writing. */
struct oracle_line {
	uint64_t address;
	bool truly;   /* two threads accessed the same byte, and one of them wrote it */
	bool falsely; /* two threads have no byte in common, and one of them wrote */
	uint32_t threads, writers;
	uint64_t accesses, stores; /* sums over all threads */
	/* The threads with the most accesses, in descending order. */
	struct oracle_line_user users[4];
};

/*
 * Pages of the distinct lines that a thread accessed while there were other threads. A page (4 KiB)
 * belongs to the thread that wrote to it first: the first thread if it wrote while it was alone, or
 * else the only thread that writes to it. If several do, the first writer is unknown.
 */
struct oracle_placement {
	uint64_t lines; /* distinct lines in pages that any thread writes */
	/* Lines in pages whose first writer is unknown, or not among the first threads. */
	uint64_t unplaced;
	/* Lines in pages that belong to each of the first threads. */
	uint64_t of[ORACLE_BLOCK_THREADS];
	/*
	 * Block that used most of the lines in other threads' pages, and block that first wrote
	 * most of those pages; set only if one block has the majority.
	 */
	uint32_t user, writer;
};

/*
 * Number of the block that called an allocator for some memory, and of the block that called the
 * function of that one.
 */
struct oracle_allocation {
	uint32_t block, caller;
	bool has_caller;
};

struct oracle_options {
	/* Core whose caches and predictor are modelled; NULL: none. */
	const struct takt_model *model;
	bool lines, strides; /* also count per line and per instruction, which is slower */
	bool heap; /* also record the callers of allocators; needs the functions of blocks */
};

struct oracle;

/*
 * Create an oracle. `isa` decodes the dictionary's guest. All arguments must outlive the oracle;
 * `next` is the sink that gets the trace next, or NULL.
 */
struct oracle *takt_oracle_new(const struct trace_dictionary *dictionary,
			       const struct takt_isa *isa, const struct oracle_options *options,
			       struct trace_sink *next);
void takt_oracle_free(struct oracle *oracle);
struct trace_sink *takt_oracle_sink(struct oracle *oracle);
/*
 * Complete the counts. Call it after the last block of the trace, before any of the functions
 * below.
 */
void takt_oracle_finish(struct oracle *oracle);
uint32_t takt_oracle_thread_count(const struct oracle *oracle);
const struct oracle_counts *takt_oracle_thread(const struct oracle *oracle, uint32_t thread);
/*
 * Regions delimited by markers (include/takt/marker.h), in the order they were first named or
 * entered.
 */
uint32_t takt_oracle_region_count(const struct oracle *oracle);
const char *takt_oracle_region_name(const struct oracle *oracle, uint32_t region);
const struct oracle_counts *takt_oracle_region(const struct oracle *oracle, uint32_t region,
					       uint32_t thread, uint64_t *ret_entries);
/*
 * Return accesses or lines, those with the most accesses first; NULL and 0 if they were not asked
 * for.
 */
const struct oracle_access *takt_oracle_accesses(const struct oracle *oracle, size_t *ret_count);
const struct oracle_line *takt_oracle_lines(const struct oracle *oracle, size_t *ret_count);
/* Return the placement of a thread's lines; all 0 if lines were not asked for. */
struct oracle_placement takt_oracle_placement(const struct oracle *oracle, uint32_t thread);
/*
 * Find the code that allocated the memory at an address, inferred from what allocators write
 * (oracle_heap.c). Returns false if no allocator returned it, or if that is not known, as is always
 * so for logs.
 */
bool takt_oracle_allocation(const struct oracle *oracle, uint64_t address,
			    struct oracle_allocation *ret_allocation);
/* Return what a block did; false if it never ran. */
bool takt_oracle_block(const struct oracle *oracle, uint32_t number,
		       struct oracle_block *ret_block);
/* Return the number of accesses that lines lack because there was no room for more lines. */
uint64_t takt_oracle_left_out(const struct oracle *oracle);
/*
 * Return the number of executed instructions that cannot be decoded; they count only as
 * instructions.
 */
uint64_t takt_oracle_undecoded(const struct oracle *oracle);

/* ---- emulate.c: a program under the oracle ---- */

struct emulate_options {
	struct oracle_options oracle;
	/*
	 * If the oracle's options have no model, called to open one for the guest's instruction
	 * set; a NULL result ends the run, and must have been reported.
	 */
	const struct takt_model *(*open_model)(void *context, const char *isa);
	const char *log_path; /* trace log to read instead of running a program; or NULL */
	/* Trace options for the same run; NULL: only count. */
	const struct takt_trace_options *trace;
	/*
	 * Called when all threads have ended, with the oracle's results, and blocks with their
	 * functions and lines.
	 */
	void (*look)(void *context, const struct oracle *oracle,
		     const struct trace_dictionary *dictionary);
	void *context;
};

/*
 * Run a program, or read a log, under the oracle. The totals are the trace's: how the program
 * ended, and the profile if it was asked for.
 */
TAKT_MUST_CHECK enum takt_status takt_emulate(char *const *argv,
					      const struct emulate_options *options,
					      struct takt_diag *diag,
					      struct takt_trace_totals **ret_totals);

/* ---- count.c ---- */

/* True if the processor's counters can count the groups and events of the options; runs nothing. */
bool takt_events_can_count(const struct takt_count_options *options, struct takt_diag *diag);

/* ---- watch.c: events of one process, counted from outside ---- */

struct events_watch;

/*
 * Find the events on this machine and try each of them; NOT_FOUND or UNAVAILABLE, with the cause,
 * if one cannot be counted. `events` need not outlive the call.
 */
TAKT_MUST_CHECK enum takt_status takt_events_watch_new(const struct events_event *const *events,
						       uint32_t count, struct takt_diag *diag,
						       struct events_watch **ret_watch);
/* Free the watch; NULL is allowed. */
void takt_events_watch_free(struct events_watch *watch);
/*
 * Attach the watch to this process instead of another, with all counters stopped. Returns false if
 * that is not permitted.
 */
bool takt_events_watch_open(struct events_watch *watch, int process);
/* Start these counters and stop all others, which keep their values. */
bool takt_events_watch_select(struct events_watch *watch, uint32_t first, uint32_t count);
/*
 * Read these counters into `ret_values`, indexed by event; false if one of the events got no
 * counter.
 */
bool takt_events_watch_read(struct events_watch *watch, uint32_t first, uint32_t count,
			    double *ret_values);

#endif
