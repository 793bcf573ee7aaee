/* SPDX-License-Identifier: MIT */
/*
 * events: what a program did, counted. A group (data/groups) names events and says by formulas
 * what follows from them; a backend counts the events: `pmu` by the processor's counters,
 * `emulate` by looking at each instruction that runs under qemu.
 *
 *	library.c             families of cores: the files of their events and groups
 *	table.c, encoding.c   text → events: names, units, how the processor is told
 *	group.c, formula.c, unit.c   text → group: events, metrics, units, prose
 *	oracle*.c             the sink of a trace that counts; lines, strides, sharing
 *	emulate.c             a program's run with it
 *	pmu*.c                perf_event_open (pmu.h)
 *	count.c, plan.c, result.c    a run with groups → takt_count_result (backend.h)
 *
 * Origins: a figure is counted (each event seen), modelled (a cache model's), timed (a clock's),
 * or made of such by a formula, and says so.
 */
#ifndef TAKT_EVENTS_H
#define TAKT_EVENTS_H

#include "cache/cache.h"
#include "events/unit.h"
#include "trace/trace.h"

/* ---- formula.c: arithmetic on names, with units ---- */

/*
 * + - * / ( ) numbers names, min() max(); a number may have a unit behind it: "64 B". Division
 * by zero gives NaN.
 */
struct events_formula;

/* Names are numbered by the caller: `find` returns an index, or -1. */
struct events_names {
	int (*find)(const void *context, const char *name, size_t size_bytes);
	const void *context;
};

/* What is wrong with a text, and where in it. */
struct events_problem {
	const char *what;
	size_t at, size;
};

/* NULL with the problem. */
const struct events_formula *takt_events_formula_parse(const char *text, size_t size_bytes,
						       const struct events_names *names,
						       struct takt_arena *arena,
						       struct events_problem *ret_problem);
/* All by index of the name. Values are in base units: B, not MB. */
double takt_events_formula_value(const struct events_formula *formula, const double *values);
uint32_t takt_events_formula_origins(const struct events_formula *formula, const uint32_t *origins);
/* False if what is added has different units. */
bool takt_events_formula_unit(const struct events_formula *formula, const struct events_unit *units,
			      struct events_unit *ret_unit, struct events_problem *ret_problem);

/* ---- library.c: families of cores with their events and groups ---- */

/* An event that a backend can count. */
struct events_event {
	const char *name;
	struct events_unit unit;
	const char *unit_text;
	const char *encoding; /* "cpu/event=0x51,umask=0x1/": encoding.c; NULL for `emulate` */
	const char *source;   /* its tag */
	const char *what;     /* or "" */
	uint32_t origins;     /* enum takt_count_origin */
	uint32_t line;
};

/* A file that was not read yet. */
struct events_text {
	const char *path, *text;
	size_t size_bytes;
};

/* Which event counts the µops of which ports. */
struct events_port {
	const char *ports; /* names as the cores' files have them, "p23"; "all" that issue */
	const char *event;
	uint32_t line;
};

struct events_family {
	const char *name, *title, *isa;
	const char *const *cores; /* names of models; none: it is there for others to be like */
	uint32_t core_count;
	const char *like;	  /* where to look for what is not in this one; NULL: nowhere */
	const char *path;
	const struct events_event *events;
	uint32_t event_count;
	const struct events_port *ports; /* none: nothing counts them */
	uint32_t port_count;
};

struct events_library {
	struct takt_arena *arena;
	const struct events_family *families; /* the user's own first */
	uint32_t family_count;
	const struct events_text *groups;     /* path: FAMILY/NAME.group at its end */
	uint32_t group_count;
};

/* The built-in ones and, unless NULL, those below a directory (docs/formats.md). */
TAKT_MUST_CHECK enum takt_status takt_events_library_open(const char *directory,
							  struct takt_arena *arena,
							  struct takt_diag *diag,
							  struct events_library *ret_library);
/* NULL if there is none. */
const struct events_family *takt_events_family_find(const struct events_library *library,
						    const char *name);
const struct events_family *takt_events_family_of_core(const struct events_library *library,
						       const char *core);
/* By its name or one of its cores'; NULL if there is none, reported. */
const struct events_family *takt_events_family_named(const struct events_library *library,
						     const char *name, struct takt_diag *diag);
/* In the family or those it is like; NULL if there is none. */
const struct events_event *takt_events_event_find(const struct events_library *library,
						  const struct events_family *family,
						  const char *name);
const struct events_text *takt_events_group_text(const struct events_library *library,
						 const struct events_family *family,
						 const char *name);
/* Names of all groups of a family, sorted, in the library's arena. */
const char *const *takt_events_group_names(const struct events_library *library,
					   const struct events_family *family,
					   uint32_t *ret_count);

/* ---- group.c ---- */

struct events_group_event {
	const char *name;    /* as formulas use it */
	const char *counter; /* an event of the family */
	uint32_t line, column;
};

struct events_group_metric {
	const char *name, *unit_text;
	const char *text; /* of the formula */
	struct events_unit unit;
	const struct events_formula *formula;
	uint32_t line, column; /* of the formula */
};

/* Names in formulas behind the events': `time` in seconds, `line` in bytes; then come metrics. */
enum events_given { EVENTS_TIME, EVENTS_LINE, EVENTS_GIVEN_COUNT };

/* In the arena it was read into. */
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
/* Whether the family has its events, and formulas have the units of their metrics. */
bool takt_events_group_check(const struct events_library *library,
			     const struct events_family *family, const struct events_text *text,
			     const struct events_group *group, struct takt_diag *diag);
/* Found, read and checked. */
TAKT_MUST_CHECK enum takt_status takt_events_group_open(const struct events_library *library,
							const struct events_family *family,
							const char *name, struct takt_diag *diag,
							const struct events_group **ret_group);

/* ---- oracle.c: the sink that counts what instructions do ---- */

/*
 * Per thread, in struct oracle_counts. Loads and stores are those that instructions say: a
 * gather is one, whatever its mask, and vectors have all their elements, whatever the mask.
 * Caches and TLBs fetch what is asked for, and are each thread's own, the third level too:
 * so nothing depends on how threads ran beside each other. Lines are sets over the whole run;
 * what the first thread did before it made others is shared with nobody. Regions have neither
 * distinct lines nor shared ones: 0. X(field, event name, unit, origin, what it is)
 */
#define ORACLE_WIDTHS 4u /* 1 element, 128, 256, 512 bits */
#define ORACLE_EVENT_LIST(X)                                                                       \
	X(insns, "INSTRUCTIONS", "", COUNTED, "completed; rep is one")                             \
	X(loads, "LOADS", "", COUNTED, "instructions' reads of memory; a vector is one")           \
	X(load_bytes, "LOAD_BYTES", "B", COUNTED, "read")                                          \
	X(stores, "STORES", "", COUNTED, "writes of memory")                                       \
	X(store_bytes, "STORE_BYTES", "B", COUNTED, "written")                                     \
	X(nt_stores, "NT_STORES", "", COUNTED, "non-temporal ones among STORES")                   \
	X(nt_store_bytes, "NT_STORE_BYTES", "B", COUNTED, "written by them")                       \
	X(branches, "BRANCHES", "", COUNTED, "jumps, calls, returns and conditional branches")     \
	X(conditional, "BRANCHES_CONDITIONAL", "", COUNTED, "conditional branches")                \
	X(taken, "BRANCHES_TAKEN", "", COUNTED, "conditional branches that were taken")            \
	X(missed, "BRANCHES_MISSED", "", MODELLED, "that the core's predictor would miss")         \
	X(calls, "CALLS", "", COUNTED, "calls")                                                    \
	X(syscalls, "SYSCALLS", "", COUNTED, "system calls")                                       \
	X(futexes, "FUTEXES", "", COUNTED, "futex system calls")                                   \
	X(atomics, "ATOMICS", "", COUNTED, "locked or exclusive instructions")                     \
	X(pauses, "PAUSES", "", COUNTED, "pause, yield: of threads that wait")                     \
	X(divides, "DIVIDES", "", COUNTED, "divisions and square roots, integer and not")          \
	X(gathers, "GATHERS", "", COUNTED, "gathers and scatters")                                 \
	X(fp32_ops[0], "FP32_SCALAR", "", COUNTED, "operations on single floats; fma is two")      \
	X(fp32_ops[1], "FP32_128", "", COUNTED, "operations, by elements, in 128-bit vectors")     \
	X(fp32_ops[2], "FP32_256", "", COUNTED, "the same in 256-bit vectors")                     \
	X(fp32_ops[3], "FP32_512", "", COUNTED, "the same in 512-bit vectors")                     \
	X(fp64_ops[0], "FP64_SCALAR", "", COUNTED, "operations on single doubles; fma is two")     \
	X(fp64_ops[1], "FP64_128", "", COUNTED, "operations, by elements, in 128-bit vectors")     \
	X(fp64_ops[2], "FP64_256", "", COUNTED, "the same in 256-bit vectors")                     \
	X(fp64_ops[3], "FP64_512", "", COUNTED, "the same in 512-bit vectors")                     \
	X(fp_insns, "FP_INSTRUCTIONS", "", COUNTED, "instructions that have such operations")      \
	X(lines_touched, "LINES_TOUCHED", "", COUNTED, "distinct cache lines")                     \
	X(line_bytes_used, "LINE_BYTES_USED", "B", COUNTED, "distinct bytes in them")              \
	X(l1_in, "L1_LINES_IN", "", MODELLED, "lines into the first data cache")                   \
	X(l1_out, "L1_LINES_OUT", "", MODELLED, "dirty lines out of it")                           \
	X(l2_in, "L2_LINES_IN", "", MODELLED, "lines into the second cache")                       \
	X(l2_out, "L2_LINES_OUT", "", MODELLED, "dirty lines out of it")                           \
	X(l3_in, "L3_LINES_IN", "", MODELLED, "lines from memory")                                 \
	X(l3_out, "L3_LINES_OUT", "", MODELLED, "lines to memory: dirty ones, NT_LINES")           \
	X(nt_lines, "NT_LINES", "", MODELLED, "lines that NT_STORES wrote past the caches")        \
	X(shared_lines, "SHARED_LINES_WRITTEN", "", COUNTED,                                       \
	  "lines this thread and another accessed, one of them writing")                           \
	X(falsely_shared_lines, "FALSELY_SHARED_LINES", "", COUNTED,                               \
	  "those shared so with a thread that has no byte in common with what the other wrote")     \
	X(tlb_walks, "TLB_WALKS", "", MODELLED, "translations that no TLB has")

struct oracle_counts {
	uint64_t insns, loads, load_bytes, stores, store_bytes, nt_stores, nt_store_bytes;
	uint64_t branches, conditional, taken, missed, calls, syscalls, futexes, atomics, pauses;
	uint64_t divides, gathers, fp32_ops[ORACLE_WIDTHS], fp64_ops[ORACLE_WIDTHS], fp_insns;
	uint64_t lines_touched, line_bytes_used, l1_in, l1_out, l2_in, l2_out, l3_in, l3_out;
	uint64_t nt_lines;
	uint64_t shared_lines, falsely_shared_lines, tlb_walks;
};

/* Strides between consecutive accesses of one instruction: 0, ±1 element, within a line,
 * others that repeat, and those that do not. */
enum oracle_stride { STRIDE_NONE, STRIDE_UNIT, STRIDE_LINE, STRIDE_FAR, STRIDE_ERRATIC,
		     STRIDE_COUNT };

/* What one instruction did to memory, in all threads. */
struct oracle_access {
	uint32_t block;	 /* number of one that has it */
	uint16_t insn;	 /* in it */
	bool store;
	uint64_t count, bytes;
	uint64_t strides[STRIDE_COUNT];
	uint64_t lines, bytes_used; /* distinct */
	uint64_t address; /* of the last access that was counted, in any thread */
	/* Modelled: in each level; 0 without a model. What is stored past the caches misses all
	 * of them once for each line. */
	uint64_t misses[CACHE_LEVELS_MAX];
	uint64_t split;		    /* across a line's end */
	/*
	 * Of loads: one of the last stores wrote all of the bytes; or a part of them, so nothing
	 * can be forwarded; or the address is a multiple of 4 KiB away from that of one of the very last,
	 * which looks like it.
	 */
	uint64_t forwarded, unforwarded, aliased;
};

#define ORACLE_BLOCK_THREADS 32u

/* What a block did, in all threads. */
struct oracle_block {
	const uint64_t *runs_of; /* of each of the first ORACLE_BLOCK_THREADS threads */
	uint64_t alone; /* of the first thread, before it made others */
	uint64_t runs;	/* complete ones */
	uint64_t missed; /* modelled: branches at its end */
	struct oracle_counts counts; /* of one run: what does not depend on addresses */
};

/* What a thread did to a line. */
struct oracle_line_user {
	uint32_t thread;
	uint32_t block; /* the number of one that did much of it */
	uint64_t accesses, stores; /* counts, not transfers */
	uint64_t read, written;	   /* bytes */
};

/* A line that several threads accessed, at least one of them writing. */
struct oracle_line {
	uint64_t address;
	bool truly;   /* two of them have a byte in common that one wrote */
	bool falsely; /* two have none, and one wrote */
	uint32_t threads, writers;
	uint64_t accesses, stores; /* of all threads */
	struct oracle_line_user users[4]; /* that did most, in this order */
};

/*
 * Where the distinct lines are that a thread accessed while there were others. A page (4 KiB)
 * belongs to the thread that wrote to it first: that is the first one if it did while it was
 * alone, or else the only one that writes to it. If several do, nothing says which was first.
 */
struct oracle_placement {
	uint64_t lines;	   /* in pages that are written at all */
	uint64_t unplaced; /* in pages of which that is not known */
	uint64_t of[ORACLE_BLOCK_THREADS]; /* in those of each of the first threads */
	/* Numbers of blocks that most lines of others' pages were used, and their pages first
	 * written by, if any has the majority. */
	uint32_t user, writer;
};

/* Numbers of the block that called an allocator for some memory, and of the one that called its
 * function. */
struct oracle_allocation {
	uint32_t block, caller;
	bool has_caller;
};

struct oracle_options {
	const struct takt_model *model; /* whose caches and predictor are modelled; NULL: none */
	bool lines, strides; /* also per line and per instruction: slower */
	bool heap; /* also who asked for memory; needs functions of blocks */
};

struct oracle;

/* `isa` decodes the dictionary's guest. All stay while the oracle is there; `next` may be NULL. */
struct oracle *takt_oracle_new(const struct trace_dictionary *dictionary, const struct takt_isa *isa,
			       const struct oracle_options *options, struct trace_sink *next);
void takt_oracle_free(struct oracle *oracle);
struct trace_sink *takt_oracle_sink(struct oracle *oracle);
/* After the last step, before all that follows. */
void takt_oracle_finish(struct oracle *oracle);
uint32_t takt_oracle_thread_count(const struct oracle *oracle);
const struct oracle_counts *takt_oracle_thread(const struct oracle *oracle, uint32_t thread);
/* Regions by markers (include/takt/marker.h), in the order they were first named or entered. */
uint32_t takt_oracle_region_count(const struct oracle *oracle);
const char *takt_oracle_region_name(const struct oracle *oracle, uint32_t region);
const struct oracle_counts *takt_oracle_region(const struct oracle *oracle, uint32_t region,
					       uint32_t thread, uint64_t *ret_entries);
/* Most accesses first; NULL and 0 if they were not asked for. */
const struct oracle_access *takt_oracle_accesses(const struct oracle *oracle, size_t *ret_count);
const struct oracle_line *takt_oracle_lines(const struct oracle *oracle, size_t *ret_count);
/* All 0 if lines were not asked for. */
struct oracle_placement takt_oracle_placement(const struct oracle *oracle, uint32_t thread);
/*
 * Who asked for the memory at an address: inferred from what allocators write (oracle_heap.c).
 * False if it is none of theirs, or not known, as always of logs.
 */
bool takt_oracle_allocation(const struct oracle *oracle, uint64_t address,
			    struct oracle_allocation *ret_allocation);
/* False if it never ran. */
bool takt_oracle_block(const struct oracle *oracle, uint32_t number, struct oracle_block *ret_block);
/* Accesses that are missing in lines and strides, because there is no room for more lines. */
uint64_t takt_oracle_left_out(const struct oracle *oracle);
/* Instructions that ran and cannot be decoded: they count as instructions and nothing else. */
uint64_t takt_oracle_undecoded(const struct oracle *oracle);

/* ---- emulate.c: a program under the oracle ---- */

struct emulate_options {
	struct oracle_options oracle;
	/* If that has no model: asked for one, by the guest's name; NULL gives up, reported. */
	const struct takt_model *(*open_model)(void *context, const char *isa);
	const char *log_path; /* instead of a program; or NULL */
	const struct takt_trace_options *trace; /* of the same run; NULL: nothing but counts */
	/* All threads have ended: the oracle's results, and blocks with functions and lines. */
	void (*look)(void *context, const struct oracle *oracle,
		     const struct trace_dictionary *dictionary);
	void *context;
};

/* The totals are the trace's: how the program ended, and the profile if it was asked for. */
TAKT_MUST_CHECK enum takt_status takt_emulate(char *const *argv,
					      const struct emulate_options *options,
					      struct takt_diag *diag,
					      struct takt_trace_totals **ret_totals);

/* ---- count.c ---- */

/* Whether the processor's counters have the groups and events of the options; nothing is run. */
bool takt_events_can_count(const struct takt_count_options *options, struct takt_diag *diag);

/* ---- watch.c: events of one process, counted from outside ---- */

struct events_watch;

/*
 * Finds the events on this machine and tries them; NOT_FOUND or UNAVAILABLE, with the cause, if
 * one cannot be counted. The events need not outlive it.
 */
TAKT_MUST_CHECK enum takt_status takt_events_watch_new(const struct events_event *const *events,
						       uint32_t count, struct takt_diag *diag,
						       struct events_watch **ret_watch);
/* NULL is fine. */
void takt_events_watch_free(struct events_watch *watch);
/* Counts this process instead of another, for now nothing of it; false if that is not allowed. */
bool takt_events_watch_open(struct events_watch *watch, int process);
/* Only these count from now on; others keep what they have. */
bool takt_events_watch_select(struct events_watch *watch, uint32_t first, uint32_t count);
/* Fills those of `ret_values`, by event; false if one found no counter free. */
bool takt_events_watch_read(struct events_watch *watch, uint32_t first, uint32_t count,
			    double *ret_values);

#endif
