/* SPDX-License-Identifier: MIT */
/*
 * trace: whole programs as they ran. A source (a live guest under qemu, or a log) gives
 * blocks, each once, and records per thread (record.h); the stepper makes steps of them, one
 * for each block that ran, with its accesses and where control went; a sink takes the steps.
 *
 *	live.c, log_read.c, import.c → stepper.c → sink: totals.c, profile.c, timing.c
 *	live.c, import.c → log_write.c → file or pipe → log_read.c
 *	places.c: names for where blocks come from; context.c: who called whom
 *
 * Threads are independent: a sink sees each one's steps in order, in batches.
 */
#ifndef TAKT_TRACE_H
#define TAKT_TRACE_H

#include <sys/types.h>
#include <stdio.h>

#include "isa/isa.h"
#include "trace/record.h"

#define TRACE_INSNS_MAX 512	     /* of a block */
#define TRACE_THREADS_MAX (1u << 18) /* that a trace has from begin to end */

struct trace_guest;

/* ---- what libtakt-marker tells (docs/formats.md, "Markers") ---- */

/*
 * Markers reach a trace as system calls that no kernel has: the number is
 * 0x5A000000 | operation << 16 | value, with operation 0: the value's low byte is the next
 * character of a name; 1: the name is complete, and is of region `value`; 2 and 3: that region
 * begins and ends in this thread.
 */
#define MARKER_SYSCALL 0x5A000000u
#define MARKER_VALUES 65536u
#define MARKER_NAME_BYTES_MAX 256u
enum marker_operation { MARKER_NAME, MARKER_DEFINE, MARKER_START, MARKER_STOP };

static inline bool trace_is_marker(uint64_t syscall)
{
	return syscall >> 18 == MARKER_SYSCALL >> 18;
}

/* ---- dictionary.c: blocks by number ---- */

/* Of the last instruction of a block. */
enum trace_flow {
	TRACE_FLOW_NEXT,   /* no branch, or a trap or system call */
	TRACE_FLOW_BRANCH, /* conditional */
	TRACE_FLOW_JUMP,   /* to one target */
	TRACE_FLOW_CALL,   /* the same, and comes back */
	TRACE_FLOW_INDIRECT,
	TRACE_FLOW_INDIRECT_CALL,
	TRACE_FLOW_RETURN,
};

/* A file that code comes from. */
struct trace_file {
	const char *path;
	const uint8_t *build_id;
	uint32_t build_id_bytes; /* 0: none */
};

struct trace_function {
	const char *name;
	uint64_t file_offset, size_bytes; /* a size of 0: not known */
	uint32_t file;
	bool made_up; /* the name is no symbol */
};

/* From this instruction on, up to the next row. */
struct trace_line {
	uint32_t insn;
	uint32_t line; /* 0: not known */
	const char *file;
};

/* What each step needs first. */
struct trace_block {
	uint64_t address, end;	/* of the first byte; behind the last */
	uint64_t target;	/* of BRANCH, JUMP and CALL */
	struct trace_block_stats *stats; /* the profile's (profile.h), once it ran */
	uint32_t number;
	uint32_t function; /* number; 0: none */
	uint16_t insn_count;
	int16_t last_access; /* the last instruction that certainly accesses memory, or -1 */
	uint8_t flow;	     /* enum trace_flow */
	bool repeats;	     /* its last instruction is a string instruction with rep */
	bool known;	     /* last_access was looked for */
	bool ran;
	bool entry; /* its function begins with it */
	uint16_t line_count;
	uint32_t file; /* number; 0: none */
	uint64_t file_offset;	/* of the first byte */
	const uint8_t *lengths; /* of each instruction */
	const uint8_t *bytes;
	const struct trace_line *lines; /* NULL: not known, or not yet */
};

/* Memory of no file that a program asked the kernel for, but stacks; the last one counts. */
struct trace_mapping {
	uint64_t begin, end;
};

struct trace_dictionary {
	const struct trace_guest *guest;
	/* When a program under qemu has ended; logs have none. */
	const struct trace_mapping *mappings;
	uint32_t mapping_count;
	struct trace_block **blocks;
	uint32_t count, capacity;
	struct trace_file *files; /* from 1 on, as numbered; so are functions */
	struct trace_function *functions;
	uint32_t file_count, function_count; /* with the 0, which is none */
	uint32_t file_capacity, function_capacity;
	struct takt_arena arena;
};

void takt_trace_dictionary_init(struct trace_dictionary *dictionary,
				const struct trace_guest *guest);
void takt_trace_dictionary_release(struct trace_dictionary *dictionary);
/*
 * How many bytes the block at the start of `data` has (struct trace_block_header and what
 * follows it); 0 if it is not complete or makes no sense.
 */
size_t takt_trace_block_size(const uint8_t *data, size_t size_bytes);
/* Copy what they are given; return the number, or 0 if there are too many. */
uint32_t takt_trace_dictionary_add_file(struct trace_dictionary *dictionary,
					const struct trace_file *file);
uint32_t takt_trace_dictionary_add_function(struct trace_dictionary *dictionary,
					    const struct trace_function *function);
/* Adds it; returns the same, or 0 if it names a file or function that is not there. */
size_t takt_trace_dictionary_add(struct trace_dictionary *dictionary, const uint8_t *data,
				 size_t size_bytes);
uint64_t takt_trace_insn_address(const struct trace_block *block, uint32_t insn);
/* The last instruction that certainly accesses memory, or -1; decodes the block once. */
int takt_trace_block_last_access(const struct trace_dictionary *dictionary,
				 struct trace_block *block);
/* The first one after instruction `after`; the block's insn_count if there is none. */
uint32_t takt_trace_block_next_access(const struct trace_dictionary *dictionary,
				      const struct trace_block *block, int after);

/* ---- stepper.c: records to steps ---- */

enum trace_outcome { TRACE_NO_BRANCH, TRACE_TAKEN, TRACE_NOT_TAKEN };

/* A block that ran. */
struct trace_step {
	const struct trace_block *block;
	const uint64_t *accesses; /* records; valid during the call */
	uint32_t access_count;
	uint16_t insn_count;   /* that ran: fewer than the block has if it was interrupted */
	uint8_t outcome;       /* enum trace_outcome */
	bool first;	       /* the block did not run before, in any thread */
	bool interrupted;      /* the instruction behind them began, and faulted */
	bool diverted;	       /* a signal came: next_address is not where the block leads */
	bool continues;	       /* its first instruction is the string instruction that the
				* step before ended with, at its next element: not new */
	uint64_t next_address; /* where the thread went on; 0: it ended, or that is not known */
};

struct trace_sink {
	void (*step)(struct trace_sink *sink, uint32_t thread, const struct trace_step *step);
	void (*syscall)(struct trace_sink *sink, uint32_t thread, uint64_t number);
	void (*thread_start)(struct trace_sink *sink, uint32_t thread); /* before all else of it */
	void (*thread_end)(struct trace_sink *sink, uint32_t thread);
};

struct trace_thread;

/* Threads are numbered in the order of their creation. */
struct trace_stepper {
	struct trace_dictionary *dictionary;
	struct trace_sink *sink;
	bool has_accesses;
	struct trace_thread **threads;
	uint32_t thread_count, thread_capacity;
};

void takt_trace_stepper_init(struct trace_stepper *stepper, struct trace_dictionary *dictionary,
			     struct trace_sink *sink, bool has_accesses);
void takt_trace_stepper_release(struct trace_stepper *stepper);
/*
 * The next records of one thread, all of whose blocks are in the dictionary. Returns how many
 * were taken: up to the thread's end, or to one that makes no sense.
 */
size_t takt_trace_stepper_feed(struct trace_stepper *stepper, uint32_t thread,
			       const uint64_t *records, size_t count);
/* All that was fed is all there is: threads that run have ended. */
void takt_trace_stepper_end(struct trace_stepper *stepper);
/* The block that a thread is in; NULL: none. */
const struct trace_block *takt_trace_stepper_block(const struct trace_stepper *stepper,
						   uint32_t thread);
/* Whether the last thing that some thread did was the system call `number`. */
bool takt_trace_stepper_ends_in(const struct trace_stepper *stepper, uint64_t number);
/* Its state, out of it or into a new one with the same blocks; so it is with all below. */
void takt_trace_stepper_pack(struct trace_stepper *stepper, struct takt_pack *pack);

/* ---- totals.c: the sink that counts ---- */

struct trace_counter {
	struct trace_sink sink; /* first, so that it is one */
	struct takt_trace_counts *threads;
	uint32_t count, capacity;
	uint64_t distinct_blocks;
};

void takt_trace_counter_init(struct trace_counter *counter);
void takt_trace_counter_release(struct trace_counter *counter);
void takt_trace_counter_pack(struct trace_counter *counter, struct takt_pack *pack);
/* Copies the words of a command line; freed with the totals. */
void takt_trace_totals_set_command(struct takt_trace_totals *totals, const char *const *words,
				   uint32_t count);
/* Moves what it has counted into `totals`. */
void takt_trace_counter_finish(struct trace_counter *counter, struct takt_trace_totals *totals);

/* ---- places.c: functions and source lines of files ---- */

struct trace_places;

/* Files are opened when they are first asked for, those with this name only unless it is NULL. */
struct trace_places *takt_trace_places_new(struct trace_dictionary *dictionary,
					   const char *only_name);
void takt_trace_places_free(struct trace_places *places);
/* The function around a place in a file; adds it to the dictionary if it is new. */
uint32_t takt_trace_places_function(struct trace_places *places, uint32_t file,
				    uint64_t file_offset);
/* Finds the source lines of all blocks that ran and have none. */
void takt_trace_places_find_lines(struct trace_places *places);
/* The build-id of a file; `bytes` has room for TRACE_BUILD_ID_MAX. Returns its size. */
#define TRACE_BUILD_ID_MAX 64u
uint32_t takt_trace_build_id(const char *path, uint8_t *bytes);
/* As C++ has it, in the arena; `symbol` itself if it is none of C++, or it cannot be done. */
const char *takt_trace_demangle(const char *symbol, struct takt_arena *arena);

/* ---- context.c: functions as they call each other, and regions ---- */

#define TRACE_NODES_MAX (1u << 17)  /* functions in stacks of calls that are told apart */
#define TRACE_REGION_NODES_MAX 4096u /* combinations of regions */
#define TRACE_REGIONS_MAX 1024u

enum { TRACE_NODE_ROOT, TRACE_NODE_OTHER };

/* Where a step belongs. */
struct trace_spot {
	uint32_t node, region;	       /* index of a node, each 0: the root, no region */
	const struct trace_block *from; /* that ran before it in the same call, or NULL */
};

struct trace_context_node {
	uint32_t parent, function, depth;
};

struct trace_region_node {
	uint32_t parent, region;
};

struct trace_region {
	const char *name;
	uint64_t address; /* of a marker, else 0 */
	uint64_t entries;
};

struct trace_context;

TAKT_MUST_CHECK enum takt_status takt_trace_context_new(const struct trace_dictionary *dictionary,
							const char *const *regions,
							uint32_t region_count,
							struct takt_diag *diag,
							struct trace_context **ret_context);
void takt_trace_context_free(struct trace_context *context);
/* The next step of a thread: context.h */
void takt_trace_context_syscall(struct trace_context *context, uint32_t thread, uint64_t number);
void takt_trace_context_thread_end(struct trace_context *context, uint32_t thread);
/* What there is now; valid until the next step. */
const struct trace_context_node *takt_trace_context_nodes(const struct trace_context *context,
							  uint32_t *ret_count);
const struct trace_region_node *takt_trace_context_region_nodes(const struct trace_context *context,
								uint32_t *ret_count);
const struct trace_region *takt_trace_context_regions(const struct trace_context *context,
						      uint32_t *ret_count);
/* How often a function was entered. */
uint64_t takt_trace_context_calls(const struct trace_context *context, uint32_t function);

/* ---- profile.c, result.c: what each part of the program took ---- */

/*
 * The sink counts instructions and passes on to `next`. With timing, another sink takes the
 * steps, notes each one, and charges it when it has retired.
 */
struct trace_profile {
	struct trace_sink sink;	 /* first, so that it is one */
	struct trace_sink *next; /* or NULL */
	struct trace_dictionary *dictionary;
	struct trace_context *context;
	struct trace_block_stats **chunks; /* by number of the block */
	uint32_t chunk_count;
	struct trace_edges *edges; /* to more than two blocks */
	struct trace_node_stats *nodes;
	uint32_t node_capacity;
	struct trace_region_stats *regions;
};

/* `options` as to regions. */
TAKT_MUST_CHECK enum takt_status takt_trace_profile_init(struct trace_profile *profile,
							 struct trace_dictionary *dictionary,
							 const struct takt_trace_options *options,
							 struct takt_diag *diag);
void takt_trace_profile_release(struct trace_profile *profile);
/* Each step once, in its order. Returns what to charge cycles to; never 0. */
uint64_t takt_trace_profile_note(struct trace_profile *profile, uint32_t thread,
				 const struct trace_step *step);
/* By enum sim_loss, in parts of cycles (SIM_CYCLE_PARTS). Cookie 0 is nobody's: none gets it. */
void takt_trace_profile_charge(struct trace_profile *profile, uint64_t cookie,
			       const uint64_t parts[TAKT_TRACE_LOSSES]);
void takt_trace_profile_syscall(struct trace_profile *profile, uint32_t thread, uint64_t number);
void takt_trace_profile_thread_end(struct trace_profile *profile, uint32_t thread);
/* All cycles charged so far were those of a sample: makes them so many times as many. */
void takt_trace_profile_scale(struct trace_profile *profile, double factor);
void takt_trace_profile_pack(struct trace_profile *profile, struct takt_pack *pack);

/* The cycles of each instruction of a block, by which its cycles are shared among them. */
struct trace_shares {
	const uint64_t *(*of_block)(const struct trace_shares *shares, uint32_t block);
};

/* `shares` may be NULL, and so may what it returns: then instructions are all alike. */
struct takt_trace_profile *takt_trace_profile_finish(struct trace_profile *profile,
						     const struct trace_shares *shares);
void takt_trace_result_free(const struct takt_trace_profile *result);

/* ---- sinks.c: whoever else looks on ---- */

/* A room further right that wants the steps, too. */
struct trace_observer {
	/*
	 * Before all steps, once the dictionary knows the guest: what takes them and passes them on
	 * to `next`, or NULL, reported.
	 */
	struct trace_sink *(*begin)(struct trace_observer *observer,
				    struct trace_dictionary *dictionary, struct trace_sink *next,
				    struct takt_diag *diag);
	/* All threads have ended; blocks that ran have functions and lines. */
	void (*end)(struct trace_observer *observer, const struct trace_dictionary *dictionary);
};

/* As takt_trace_run(). */
TAKT_MUST_CHECK enum takt_status takt_trace_observe(char *const *argv,
						    const struct takt_trace_options *options,
						    struct trace_observer *observer,
						    struct takt_diag *diag,
						    struct takt_trace_totals **ret_totals);
/* The same of a log. */
TAKT_MUST_CHECK enum takt_status
takt_trace_observe_log(const char *path, const struct takt_trace_options *options,
		       struct trace_observer *observer, struct takt_diag *diag,
		       struct takt_trace_totals **ret_totals);

/* ---- fault.c: the instruction that ended a program ---- */

#define TRACE_FAULT_BYTES_MAX 16u

struct trace_fault {
	uint32_t block, insn; /* numbers */
	uint32_t size_bytes;  /* of `bytes`; may be more than the instruction has, or fewer */
	uint8_t bytes[TRACE_FAULT_BYTES_MAX];
};

/*
 * Of a program that SIGILL has ended, whose threads did not: what it could not execute. False if
 * that cannot be told.
 */
bool takt_trace_fault_find(const struct trace_stepper *stepper, struct trace_fault *ret_fault);
/* False if it names no instruction of the dictionary. */
bool takt_trace_fault_is_valid(const struct trace_dictionary *dictionary,
			       const struct trace_fault *fault);
/* As text, with what is known of its place; freed by takt_trace_fault_free(). */
const struct takt_trace_fault *
takt_trace_fault_describe(const struct trace_dictionary *dictionary,
			  const struct trace_fault *fault);
void takt_trace_fault_free(const struct takt_trace_fault *fault);

/* ---- guest.c: which programs, and how to run them ---- */

struct trace_guest {
	const char *name; /* of the instruction set: "x86-64", "aarch64", "riscv64" */
	uint16_t machine; /* in ELF files */
	const char *qemu;
	const char *libraries; /* where Debian's cross compilers have the guest's */
	uint32_t syscall_execve, syscall_execveat, syscall_sigreturn;
};

/* NULL if there is none of that name. */
const struct trace_guest *takt_trace_guest_find(const char *name, size_t size_bytes);
/* To decode it; NULL if nothing is known that could. */
const struct takt_isa *takt_trace_guest_isa(const struct trace_guest *guest);
/* `program` as a shell would find it, in `arena`, and what kind it is. */
TAKT_MUST_CHECK enum takt_status
takt_trace_guest_open(const char *program, struct takt_arena *arena, struct takt_diag *diag,
		      const char **ret_path, const struct trace_guest **ret_guest);
/* The command line that runs it under the plugin, ended by NULL. */
TAKT_MUST_CHECK enum takt_status takt_trace_guest_command(const struct trace_guest *guest,
							  const char *path, char *const *argv,
							  const char *plugin_arguments,
							  struct takt_arena *arena,
							  struct takt_diag *diag, char ***ret_argv);

/* ---- log_write.c, log_read.c: logs, as docs/formats.md has them ---- */

struct trace_log_header {
	const char *guest;
	bool has_accesses;
};

struct trace_log_writer;

TAKT_MUST_CHECK enum takt_status takt_trace_log_create(const char *path,
						       const struct trace_log_header *header,
						       struct takt_diag *diag,
						       struct trace_log_writer **ret_writer);
/* The same into a stream, which becomes the writer's; `name` is for messages. */
struct trace_log_writer *takt_trace_log_start(FILE *file, const char *name,
					      const struct trace_log_header *header);
/* Blocks before the first record that names them. Errors show when it is closed. */
void takt_trace_log_add_blocks(struct trace_log_writer *writer, const void *data,
			       size_t size_bytes);
/* Files and functions before the first block that names them: those from `first` on. */
void takt_trace_log_add_names(struct trace_log_writer *writer,
			      const struct trace_dictionary *dictionary, uint32_t first_file,
			      uint32_t first_function);
/* The lines of all blocks, behind all records. */
void takt_trace_log_add_lines(struct trace_log_writer *writer,
			      const struct trace_dictionary *dictionary);
/* The command line that ran, and what ended the program by SIGILL; behind the header, at the end. */
void takt_trace_log_add_command(struct trace_log_writer *writer, const char *const *words,
				uint32_t count);
void takt_trace_log_add_fault(struct trace_log_writer *writer, const struct trace_fault *fault);
void takt_trace_log_add_records(struct trace_log_writer *writer, uint32_t thread,
				const uint64_t *records, size_t count);
/* Writes what is left, and how it ended; frees the writer. */
TAKT_MUST_CHECK enum takt_status takt_trace_log_close(struct trace_log_writer *writer,
						      const struct takt_trace_totals *totals,
						      struct takt_diag *diag);
/* Frees it without making the log complete. */
void takt_trace_log_abandon(struct trace_log_writer *writer);

/*
 * Reads a log into a sink; `totals` gets what the log says of the guest and its end. Inits the
 * dictionary, which is the caller's to release if that was done (its guest is set).
 */
struct trace_log_target {
	struct trace_dictionary *dictionary;
	struct trace_sink *sink; /* may be set by `begin` */
	/* Called once the dictionary knows the guest, before all steps; or NULL. */
	enum takt_status (*begin)(struct trace_log_target *target, struct takt_diag *diag);
	bool names; /* look for functions and lines that the log does not have */
	struct trace_log_watch *watch; /* or NULL */
};

/* Who stops a replay before the log's end, or begins it in its middle. */
struct trace_log_watch {
	size_t begin; /* offset of the frame to begin with: records before it are left out */
	/* All before that frame is in the dictionary; nothing was fed. Only if `begin` is not 0. */
	enum takt_status (*resume)(struct trace_log_watch *watch, struct trace_stepper *stepper);
	/* After records; `at`: of the next frame. Returns whether to go on. */
	bool (*goes_on)(struct trace_log_watch *watch, struct trace_stepper *stepper, size_t at);
};

TAKT_MUST_CHECK enum takt_status takt_trace_log_read(const uint8_t *data, size_t size_bytes,
						     const char *name,
						     struct trace_log_target *target,
						     struct takt_diag *diag,
						     struct takt_trace_totals *totals);

/* ---- result_read.c: results as docs/formats.md has them ---- */

/* For takt_trace_result_close(). */
TAKT_MUST_CHECK enum takt_status takt_trace_result_read(const uint8_t *data, size_t size_bytes,
							const char *name, struct takt_diag *diag,
							struct takt_trace_totals **ret_totals);

/* ---- diff_blocks.c: which blocks of two functions are the same ---- */

#define TRACE_NO_MATCH UINT32_MAX

/* Blocks of a function, by offset and size. */
struct trace_block_list {
	const struct takt_trace_block *const *blocks;
	uint32_t count;
};

/* Of the code, without what changes when it moves. */
uint64_t takt_trace_code_hash(const char *guest, const struct takt_trace_block *block);
/*
 * For each block before, the index of the same block after, or TRACE_NO_MATCH: as many as can
 * be matched without changing their order.
 */
void takt_trace_blocks_match(const char *const guests[2], const struct trace_block_list lists[2],
			     struct takt_arena *arena, uint32_t *ret_matches);

/* A descriptor of a new process: the file `path`, or, if that is NULL, one of this process'. */
struct trace_spawn_file {
	int descriptor;
	const char *path;
	int flags; /* of open(); without a path 1 + the number that it has here, or 0: the same */
};

/*
 * posix_spawnp() of a program in which signals are as they are by default that takt may ignore or
 * catch. `variables`: its environment; NULL: this process'. An error number, or 0.
 */
int takt_trace_spawn(char *const *argv, char *const *variables,
		     const struct trace_spawn_file *files, size_t file_count, pid_t *ret_process);

#endif
