/* SPDX-License-Identifier: MIT */
/*
 * trace: whole programs as they ran. A source (a live guest under qemu, or a log) delivers each
 * block once, and records per thread (record.h). The sequencer turns records into executed blocks:
 *one for each executed block, with its memory accesses and the address where control went next. A
 * sink receives the executed blocks.
 *
 * Threads are independent: a sink gets the blocks of each thread in order, in batches.
 */
#ifndef TAKT_TRACE_H
#define TAKT_TRACE_H

#include <sys/types.h>

#include "input/input.h"
#include "isa/isa.h"
#include "sim/sim.h"
#include "trace/blocks/record.h"

#define TRACE_INSNS_MAX 512	     /* instructions of a block */
#define TRACE_THREADS_MAX (1u << 18) /* threads of a trace from begin to end, not at once */

struct trace_guest;

/* ---- markers of libtakt-marker (docs/formats/events.md, "Markers") ---- */

/*
 * Markers reach a trace as system calls that no kernel has. Their number is
 * 0x5A000000 | operation << 16 | value. The operations are 0: the value's low byte is the next
 * character of a name; 1: the name is complete, and is that of region `value`; 2 and 3: region
 * `value` begins and ends in this thread.
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

/* Kinds of control flow of a block's last instruction. */
enum trace_flow {
	TRACE_FLOW_NEXT,   /* no branch, or a trap or system call */
	TRACE_FLOW_BRANCH, /* conditional branch */
	TRACE_FLOW_JUMP,   /* unconditional direct jump */
	TRACE_FLOW_CALL,   /* direct call */
	TRACE_FLOW_INDIRECT,
	TRACE_FLOW_INDIRECT_CALL,
	TRACE_FLOW_RETURN,
};

/* A file that contains code that ran. */
struct trace_file {
	const char *path;
	const uint8_t *build_id;
	uint32_t build_id_bytes; /* 0: none */
};

struct trace_function {
	const char *name;
	uint64_t file_offset, size_bytes; /* a size of 0: unknown */
	uint32_t file;
	bool made_up; /* takt made the name up: the file has no symbol for it */
};

/* The source line of the instructions from `insn` up to the next row's. */
struct trace_line {
	uint32_t insn;
	uint32_t line; /* 0: unknown */
	const char *file;
};

/* A translated block of the guest; the fields that every execution needs come first. */
struct trace_block {
	uint64_t address, end;		 /* addresses of the first byte and after the last */
	uint64_t target;		 /* branch target, if `flow` is BRANCH, JUMP or CALL */
	struct trace_block_stats *stats; /* counts of the profile (profile.h), once it ran */
	uint32_t number;
	uint32_t function; /* number; 0: none */
	uint16_t insn_count;
	int16_t last_access; /* the last instruction that certainly accesses memory, or -1 */
	uint8_t flow;	     /* enum trace_flow */
	bool repeats;	     /* its last instruction is a string instruction with rep */
	bool known;	     /* `last_access` has been determined */
	bool ran;
	bool entry; /* it is the first block of its function */
	uint16_t line_count;
	uint32_t file;		/* number; 0: none */
	uint64_t file_offset;	/* offset of the first byte in the file */
	const uint8_t *lengths; /* bytes of each instruction */
	const uint8_t *bytes;
	const struct trace_line *lines; /* NULL: unknown, or not looked up yet */
};

/*
 * Anonymous memory, other than stacks, that the program got by brk or mmap. Of several mappings
 * that overlap, the last one counts.
 */
struct trace_mapping {
	uint64_t begin, end;
};

struct trace_dictionary {
	const struct trace_guest *guest;
	/* Set when a program under qemu has ended; a log has no mappings. */
	const struct trace_mapping *mappings;
	uint32_t mapping_count;
	struct trace_block **blocks;
	uint32_t count, capacity;
	struct trace_file *files; /* by number from 1 on, as `functions` are; entry 0 is unused */
	struct trace_function *functions;
	uint32_t file_count, function_count; /* including entry 0, which stands for none */
	uint32_t file_capacity, function_capacity;
	/* Path and cause of the first file that exists but could not be read for its names, or
	 * NULL. */
	const char *unread_path, *unread_cause;
	struct takt_arena arena;
};

void takt_trace_dictionary_init(struct trace_dictionary *dictionary,
				const struct trace_guest *guest);
void takt_trace_dictionary_release(struct trace_dictionary *dictionary);
/*
 * Return the size in bytes of the block at the start of `data` (struct trace_block_header and what
 * follows it), or 0 if it is incomplete or invalid.
 */
size_t takt_trace_block_size(const uint8_t *data, size_t size_bytes);
/* Add a copy of a file or function; return its number, or 0 if there are too many. */
uint32_t takt_trace_dictionary_add_file(struct trace_dictionary *dictionary,
					const struct trace_file *file);
uint32_t takt_trace_dictionary_add_function(struct trace_dictionary *dictionary,
					    const struct trace_function *function);
/*
 * Add the block at the start of `data`. Return its size as takt_trace_block_size() does, or 0 if
 * the block names a file or function that is not in the dictionary.
 */
size_t takt_trace_dictionary_add(struct trace_dictionary *dictionary, const uint8_t *data,
				 size_t size_bytes);
uint64_t takt_trace_insn_address(const struct trace_block *block, uint32_t insn);
/*
 * Return the index of the last instruction that certainly accesses memory, or -1. The block is
 * decoded at the first call only.
 */
int takt_trace_block_last_access(const struct trace_dictionary *dictionary,
				 struct trace_block *block);
/*
 * Return the index of the first instruction after `after` that certainly accesses memory, or the
 * block's insn_count if there is none.
 */
uint32_t takt_trace_block_next_access(const struct trace_dictionary *dictionary,
				      const struct trace_block *block, int after);

/* ---- sequencer.c: records to executed blocks ---- */

enum trace_outcome { TRACE_NO_BRANCH, TRACE_TAKEN, TRACE_NOT_TAKEN };

/* One execution of a block. */
struct executed_block {
	const struct trace_block *block;
	const uint64_t *accesses; /* access records; valid during the call */
	uint32_t access_count;
	uint16_t insn_count;   /* instructions completed; an interrupted block completes fewer */
	uint8_t outcome;       /* enum trace_outcome */
	bool first;	       /* the block did not run before, in any thread */
	bool interrupted;      /* the instruction after the completed ones began, and faulted */
	bool diverted;	       /* a signal came: next_address is not where the block leads */
	bool continues;	       /* the first instruction is the string instruction that the
				* previous block ended with, at its next element */
	uint64_t next_address; /* address that runs next; 0: the thread ended, or unknown */
};

struct trace_sink {
	void (*executed)(struct trace_sink *sink, uint32_t thread,
			 const struct executed_block *executed);
	void (*syscall)(struct trace_sink *sink, uint32_t thread, uint64_t number);
	/* Called before all other calls for the thread. */
	void (*thread_start)(struct trace_sink *sink, uint32_t thread);
	void (*thread_end)(struct trace_sink *sink, uint32_t thread);
};

struct trace_thread;

/* Threads are numbered in the order of their creation. */
struct trace_sequencer {
	struct trace_dictionary *dictionary;
	struct trace_sink *sink;
	bool has_accesses;
	struct trace_thread **threads;
	uint32_t thread_count, thread_capacity;
};

void takt_trace_sequencer_init(struct trace_sequencer *sequencer,
			       struct trace_dictionary *dictionary, struct trace_sink *sink,
			       bool has_accesses);
void takt_trace_sequencer_release(struct trace_sequencer *sequencer);
/*
 * Process the next records of one thread; the blocks they name must be in the dictionary. Return
 * the number of records processed: processing stops after the end of the thread and before an
 * invalid record.
 */
size_t takt_trace_sequencer_feed(struct trace_sequencer *sequencer, uint32_t thread,
				 const uint64_t *records, size_t count);
/* Finish the blocks that run and end all threads, as no more records will come. */
void takt_trace_sequencer_end(struct trace_sequencer *sequencer);
/* Return the block that a thread is executing, or NULL. */
const struct trace_block *takt_trace_sequencer_block(const struct trace_sequencer *sequencer,
						     uint32_t thread);
/*
 * Save the sequencer's state to a checkpoint, or load it into a new sequencer with the same blocks.
 * All functions named …_pack() work so.
 */
void takt_trace_sequencer_pack(struct trace_sequencer *sequencer, struct takt_pack *pack);

/* ---- totals.c: the sink that counts instructions, accesses and branches ---- */

struct trace_counter {
	struct trace_sink sink; /* first, so that it is one */
	struct takt_trace_counts *threads;
	uint32_t count, capacity;
	uint64_t distinct_blocks;
};

void takt_trace_counter_init(struct trace_counter *counter);
void takt_trace_counter_release(struct trace_counter *counter);
void takt_trace_counter_pack(struct trace_counter *counter, struct takt_pack *pack);
/* Copy the words of a command line into `totals`; freed with it. */
void takt_trace_totals_set_command(struct takt_trace_totals *totals, const char *const *words,
				   uint32_t count);
/* Write the names of a mask of ports: "p0 p1". */
void takt_trace_write_ports(const struct takt_trace_totals *totals, uint32_t ports,
			    struct takt_text *text);
/* Keep copies of the names of the core's ports. */
void takt_trace_totals_set_ports(struct takt_trace_totals *totals, const char *const *names,
				 uint32_t count);
/* Sum the threads of each process of `totals`, which has both. */
void takt_trace_totals_sum_processes(struct takt_trace_totals *totals);
/* Move the counts into `totals`. */
void takt_trace_counter_finish(struct trace_counter *counter, struct takt_trace_totals *totals);

/* ---- places.c: functions and source lines of files ---- */

struct trace_places;

/*
 * Files are opened when they are first asked for. If `only_name` is not NULL, files of other names
 * are ignored.
 */
struct trace_places *takt_trace_places_new(struct trace_dictionary *dictionary,
					   const char *only_name);
void takt_trace_places_free(struct trace_places *places);
/* Return the number of the function at an offset of a file; add it to the dictionary if new. */
uint32_t takt_trace_places_function(struct trace_places *places, uint32_t file,
				    uint64_t file_offset);
/* Find the source lines of all blocks that ran and have none. */
void takt_trace_places_find_lines(struct trace_places *places);
/* Read the build-id of a file into `bytes`, of TRACE_BUILD_ID_MAX bytes; return its size. */
#define TRACE_BUILD_ID_MAX 64u
uint32_t takt_trace_build_id(const char *path, uint8_t *bytes);

/* ---- context.c: call stacks, and regions ---- */

#define TRACE_NODES_MAX (1u << 17)   /* nodes of the call tree */
#define TRACE_REGION_NODES_MAX 4096u /* nodes of the region tree: combinations of open regions */
#define TRACE_REGIONS_MAX 1024u

enum { TRACE_NODE_ROOT, TRACE_NODE_OTHER };

/* The place in the call tree and in the region tree that an executed block belongs to. */
struct trace_spot {
	uint32_t node, region;		/* node indices; 0: the root, no region */
	const struct trace_block *from; /* the block before it in the same call, or NULL */
};

struct trace_context_node {
	uint32_t parent, function, depth;
};

struct trace_region_node {
	uint32_t parent, region;
};

struct trace_region {
	const char *name;
	uint64_t address; /* address of the marker that defines it, else 0 */
	uint64_t entries;
};

struct trace_context;

TAKT_MUST_CHECK enum takt_status takt_trace_context_new(const struct trace_dictionary *dictionary,
							const char *const *regions,
							uint32_t region_count,
							struct takt_diag *diag,
							struct trace_context **ret_context);
void takt_trace_context_free(struct trace_context *context);
/* context_execute() in context.h handles the next block of a thread. */
void takt_trace_context_syscall(struct trace_context *context, uint32_t thread, uint64_t number);
void takt_trace_context_thread_end(struct trace_context *context, uint32_t thread);
/* Return the current nodes and regions; valid until the next block. */
const struct trace_context_node *takt_trace_context_nodes(const struct trace_context *context,
							  uint32_t *ret_count);
const struct trace_region_node *takt_trace_context_region_nodes(const struct trace_context *context,
								uint32_t *ret_count);
const struct trace_region *takt_trace_context_regions(const struct trace_context *context,
						      uint32_t *ret_count);
/* Return how many times a function was called. */
uint64_t takt_trace_context_calls(const struct trace_context *context, uint32_t function);

/* ---- profile.c, result.c: instructions and cycles of each part of the program ---- */

/*
 * Sink that counts instructions and passes each block on to `next`. With timing, the timing sink
 * receives the blocks instead: it notes each one here, and charges its cycles when it has retired.
 */
struct trace_profile {
	struct trace_sink sink;	 /* first, so that it is one */
	struct trace_sink *next; /* or NULL */
	struct trace_dictionary *dictionary;
	struct trace_context *context;
	struct trace_block_stats **chunks; /* by block number, PROFILE_CHUNK to a chunk */
	uint32_t chunk_count;
	struct trace_edges *edges; /* edges beyond the two that trace_block_stats.next holds */
	struct trace_node_stats *nodes;
	uint32_t node_capacity;
	struct trace_region_stats *regions;
	bool insns; /* the result lists the instructions of each block */
};

/* Only `regions` and `insns` of the options are used. */
TAKT_MUST_CHECK enum takt_status takt_trace_profile_init(struct trace_profile *profile,
							 struct trace_dictionary *dictionary,
							 const struct takt_trace_options *options,
							 struct takt_diag *diag);
void takt_trace_profile_release(struct trace_profile *profile);
/*
 * Count an executed block; call it once for each, in program order. Return the cookie to charge
 * the block's cycles to; it is never 0.
 */
uint64_t takt_trace_profile_note(struct trace_profile *profile, uint32_t thread,
				 const struct executed_block *executed);
/* True if the cookie, which comes from a checkpoint, can be one of takt_trace_profile_note(). */
bool takt_trace_profile_knows(const struct trace_profile *profile, uint64_t cookie);
/* Add charges to a block, `times` over. Charges of cookie 0 are dropped. */
void takt_trace_profile_charge(struct trace_profile *profile, uint64_t cookie,
			       const struct sim_charges *charges, uint32_t times);
void takt_trace_profile_syscall(struct trace_profile *profile, uint32_t thread, uint64_t number);
void takt_trace_profile_thread_end(struct trace_profile *profile, uint32_t thread);
/* Multiply all cycles charged so far, which are those of a sample, by `factor`. */
void takt_trace_profile_scale(struct trace_profile *profile, double factor);
void takt_trace_profile_pack(struct trace_profile *profile, struct takt_pack *pack);

/* Weights by which the cycles of a block are shared among its instructions. */
struct trace_shares {
	const uint64_t *(*of_block)(const struct trace_shares *shares, uint32_t block);
};

/*
 * Make the result. If `shares` is NULL, or of_block() returns NULL for a block, all instructions
 * of a block get equal shares of its cycles. The cycles of all blocks add up to
 * `losses`, those of the program by loss, unless that is NULL.
 */
struct takt_trace_profile *takt_trace_profile_finish(struct trace_profile *profile,
						     const struct trace_shares *shares,
						     const uint64_t *losses);
void takt_trace_result_free(const struct takt_trace_profile *result);

/* ---- sinks.c: observers in other modules ---- */

/* A module that uses this one and receives the executed blocks, too. */
struct trace_observer {
	/*
	 * Called before all blocks, once the dictionary knows the guest. Returns a sink that passes
	 * the blocks on to `next`, or NULL after an error that it has reported.
	 */
	struct trace_sink *(*begin)(struct trace_observer *observer,
				    struct trace_dictionary *dictionary, struct trace_sink *next,
				    struct takt_diag *diag);
	/* Called when all threads have ended, and blocks that ran have functions and lines. */
	void (*end)(struct trace_observer *observer, const struct trace_dictionary *dictionary);
};

/* Trace a program as takt_trace_run() does, with an observer. */
TAKT_MUST_CHECK enum takt_status takt_trace_observe(char *const *argv,
						    const struct takt_trace_options *options,
						    struct trace_observer *observer,
						    struct takt_diag *diag,
						    struct takt_trace_totals **ret_totals);
/* Read a log with an observer. */
TAKT_MUST_CHECK enum takt_status takt_trace_observe_log(const char *path,
							const struct takt_trace_options *options,
							struct trace_observer *observer,
							struct takt_diag *diag,
							struct takt_trace_totals **ret_totals);

/* ---- fault.c: the instruction that ended a program ---- */

#define TRACE_FAULT_BYTES_MAX 16u

struct trace_fault {
	uint32_t block, insn; /* number of the block, and index of the instruction in it */
	uint32_t size_bytes;  /* bytes in `bytes`: the instruction may have fewer or more */
	uint8_t bytes[TRACE_FAULT_BYTES_MAX];
};

/*
 * Find the instruction that the program could not execute, after SIGILL has ended it while its
 * threads ran. False if it cannot be determined.
 */
bool takt_trace_fault_find(const struct trace_sequencer *sequencer, struct trace_fault *ret_fault);
/* True if `fault` names an instruction of the dictionary. */
bool takt_trace_fault_is_valid(const struct trace_dictionary *dictionary,
			       const struct trace_fault *fault);
/* Describe the fault as text, with its function and line if known; see takt_trace_fault_free(). */
const struct takt_trace_fault *takt_trace_fault_describe(const struct trace_dictionary *dictionary,
							 const struct trace_fault *fault);
void takt_trace_fault_free(const struct takt_trace_fault *fault);

/* ---- guest.c: programs that can be traced, and how to run them ---- */

struct trace_guest {
	const char *name; /* instruction set: "x86-64", "aarch64", "riscv64" */
	uint16_t machine; /* e_machine of its ELF files */
	const char *qemu;
	const char *libraries; /* folder of the guest's libraries in Debian's cross compilers */
	uint32_t syscall_sigreturn;
};

/* Return the guest with that name, or NULL. */
const struct trace_guest *takt_trace_guest_find(const char *name, size_t size_bytes);
/* Return the instruction set that decodes the guest's code, or NULL if takt has none. */
const struct takt_isa *takt_trace_guest_isa(const struct trace_guest *guest);
/*
 * Find `program` as a shell would, and the guest that runs it. *ret_path is allocated in `arena`.
 */
TAKT_MUST_CHECK enum takt_status
takt_trace_guest_open(const char *program, struct takt_arena *arena, struct takt_diag *diag,
		      const char **ret_path, const struct trace_guest **ret_guest);

/* A program under qemu. */
struct trace_guest_program {
	const struct trace_guest *guest;
	const char *path;
	char *const *argv;
	const char *plugin_arguments;
};

/* Make the command line that runs the program under qemu with the plugin, ended by NULL. */
TAKT_MUST_CHECK enum takt_status takt_trace_guest_command(const struct trace_guest_program *program,
							  struct takt_arena *arena,
							  struct takt_diag *diag, char ***ret_argv);

/* ---- log_write.c, log_read.c: logs, as docs/formats/traces.md describes them ---- */

struct trace_log_header {
	const char *guest;
	bool has_accesses;
};

struct trace_log_writer;

TAKT_MUST_CHECK enum takt_status takt_trace_log_create(const char *path,
						       const struct trace_log_header *header,
						       struct takt_diag *diag,
						       struct trace_log_writer **ret_writer);
/*
 * Append blocks; call it before the first record that names them. Errors are reported by
 * takt_trace_log_close().
 */
void takt_trace_log_add_blocks(struct trace_log_writer *writer, const void *data,
			       size_t size_bytes);
/*
 * Append the files and functions from these numbers on; call it before the first block that names
 * them.
 */
void takt_trace_log_add_names(struct trace_log_writer *writer,
			      const struct trace_dictionary *dictionary, uint32_t first_file,
			      uint32_t first_function);
/* Append the source lines of all blocks; call it after all records. */
void takt_trace_log_add_lines(struct trace_log_writer *writer,
			      const struct trace_dictionary *dictionary);
/* Append the command line of the program; call it right after the header. */
void takt_trace_log_add_command(struct trace_log_writer *writer, const char *const *words,
				uint32_t count);
/* Append the instruction that ended the program by SIGILL; call it after everything else. */
void takt_trace_log_add_fault(struct trace_log_writer *writer, const struct trace_fault *fault);
void takt_trace_log_add_records(struct trace_log_writer *writer, uint32_t thread,
				const uint64_t *records, size_t count);
/* Write what is buffered and how the program ended, and free the writer. */
TAKT_MUST_CHECK enum takt_status takt_trace_log_close(struct trace_log_writer *writer,
						      const struct takt_trace_totals *totals,
						      struct takt_diag *diag);
/* Free the writer, and leave the log incomplete. */
void takt_trace_log_abandon(struct trace_log_writer *writer);

/*
 * Destination of takt_trace_log_read(), which reads a log into a sink; `totals` gets the guest and
 * how it ended, from the log. It also initializes the dictionary, which the caller must release
 * if its guest is set.
 */
struct trace_log_target {
	struct trace_dictionary *dictionary;
	struct trace_sink *sink; /* may be set by `begin` */
	/* Called once the dictionary knows the guest, before all blocks; or NULL. */
	enum takt_status (*begin)(struct trace_log_target *target, struct takt_diag *diag);
	bool names; /* look up the functions and lines that the log lacks in the program's files */
	struct trace_log_watch *watch; /* or NULL */
};

/* Callbacks that stop a replay before the log's end, or begin it in the middle of the log. */
struct trace_log_watch {
	size_t begin; /* offset of the frame to begin with: records before it are left out */
	/*
	 * Called only if `begin` is not 0, when everything before that frame is in the dictionary
	 * and no record was processed yet.
	 */
	enum takt_status (*resume)(struct trace_log_watch *watch,
				   struct trace_sequencer *sequencer);
	/* Called after records; `at` is the offset of the next frame. False: stop. */
	bool (*goes_on)(struct trace_log_watch *watch, struct trace_sequencer *sequencer,
			size_t at);
};

TAKT_MUST_CHECK enum takt_status takt_trace_log_read(const uint8_t *data, size_t size_bytes,
						     const char *name,
						     struct trace_log_target *target,
						     struct takt_diag *diag,
						     struct takt_trace_totals *totals);

/* ---- layout_totals.c: cycles over layouts ---- */

/*
 * Return half the width of the 95 % confidence interval of the mean of `cycles`, or of the mean of
 * what `less` is less than them if it is not NULL: layout by layout, as both have the same ones.
 * ret_deviation: the standard deviation from layout to layout, or NULL.
 */
double takt_trace_layouts_error(const uint64_t *cycles, const uint64_t *less, uint32_t count,
				double *ret_deviation);
void takt_trace_layouts_totals_free(const struct takt_trace_layouts *layouts);

/* ---- result_record.c: results, declared (base/record.h) ---- */

#define TAKT_TRACE_RESULT_SCHEMA "takt-trace-1"

struct takt_view;
struct takt_value;

extern const struct takt_record takt_trace_totals_record, takt_trace_course_record,
	takt_trace_function_record, takt_trace_block_record, takt_trace_sample_record,
	takt_trace_seen_record, takt_trace_process_record, takt_trace_layouts_record,
	takt_trace_counts_record, takt_trace_dependence_record;

/* Give the name of each loss (`entry` of struct takt_field). */
bool takt_trace_loss_entry(const struct takt_view *view, const void *record, uint32_t index,
			   const char **ret_key, struct takt_value *ret_value);

/* ---- result_read.c: result files, as docs/formats/results.md describes them ---- */

/* Read a result; free it with takt_trace_result_close(). */
TAKT_MUST_CHECK enum takt_status takt_trace_result_read(const uint8_t *data, size_t size_bytes,
							const char *name, struct takt_diag *diag,
							struct takt_trace_totals **ret_totals);

/* ---- diff_blocks.c: matching the blocks of two versions of a function ---- */

#define TRACE_NO_MATCH UINT32_MAX

/* Blocks of a function, by offset and size. */
struct trace_block_list {
	const struct takt_trace_block *const *blocks;
	uint32_t count;
};

/* Return a hash of the block's code without what changes when the code moves. */
uint64_t takt_trace_code_hash(const char *guest, const struct takt_trace_block *block);
/*
 * Set for each block of lists[0] the index of the same block in lists[1], or TRACE_NO_MATCH. As
 * many blocks are matched as their order allows.
 */
void takt_trace_blocks_match(const char *const guests[2], const struct trace_block_list lists[2],
			     struct takt_arena *arena, uint32_t *ret_matches);

/* A descriptor of a new process: the file `path`, or a descriptor of this process if it is NULL. */
struct trace_spawn_file {
	int descriptor;
	const char *path;
	/* Flags of open(). Without a path: 1 + the descriptor's number here; 0: the same number. */
	int flags;
};

/*
 * Start a program by posix_spawnp(). Signals that takt may ignore or catch have their default
 * action in it. `variables` is its environment; NULL: that of this process. Return 0 or an error
 * number.
 */
int takt_trace_spawn(char *const *argv, char *const *variables,
		     const struct trace_spawn_file *files, size_t file_count, pid_t *ret_process);

#endif
