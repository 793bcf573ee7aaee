/* SPDX-License-Identifier: MIT */
/* live: guests that run under qemu with the plugin, as a source of records. */
#ifndef TAKT_TRACE_LIVE_H
#define TAKT_TRACE_LIVE_H

#include <sys/types.h>

#include "trace/live/feed.h"
#include "trace/watch.h"

/* A thread's ring, and how far takt has read it. */
struct trace_live_ring {
	uint32_t ring;	 /* 1 + its index in the feed; 0: none yet */
	uint32_t thread; /* the thread whose records come, in the whole trace */
	uint64_t read, written;
};

/*
 * A program of a process that is followed: one from fork to exec, exit or death. What it numbers,
 * blocks, files and threads, has other numbers in the trace, which the arrays hold.
 */
struct trace_program {
	uint32_t index;		 /* among the programs of struct trace_live */
	uint32_t number, parent; /* as in its slot; see feed.h */
	enum feed_begin begin;
	pid_t process;
	int handle;		/* descriptor of the process; -1: none */
	uint32_t slot;		/* FEED_NO_SLOT: all is read */
	bool replaced, running; /* another program took its place; it still ran in the end */
	enum feed_lost lost;
	int exit_status; /* -1: unknown */
	char *command, *lost_path;
	uint32_t *blocks, *files, *threads;
	uint32_t block_count, block_capacity, file_count, file_capacity;
	uint32_t thread_count, thread_capacity;
	uint32_t path_at; /* offset in the slot's paths of the first path not read yet */
	uint64_t dictionary_read;
	struct trace_live_ring *rings; /* [virtual processor] */
	uint32_t ring_count;
};

struct trace_live {
	struct feed_area *area;
	int descriptor; /* descriptor of the area's memory, which the guest inherits */
	pid_t process;
	bool takes_stdout; /* the log goes to standard output, the program's output to stderr */
	bool follows;	   /* follow children */
	bool native;	   /* the tracer of native.h runs the program, and not qemu */
	double signalled_seconds;	   /* time at which a signal was last passed on, or 0 */
	struct trace_sequencer *sequencer; /* gets all records */
	struct trace_log_writer *log;	   /* gets them, too; or NULL */
	struct trace_pace *pace;	   /* reports progress; or NULL */
	struct trace_places *places;	   /* looks up the functions of blocks; or NULL */
	struct trace_program **programs;   /* in the order in which takt met them */
	uint32_t program_count, program_capacity;
	struct trace_program *by_slot[FEED_SLOTS];
	double reserved_seconds[FEED_SLOTS]; /* since when a slot is reserved; 0: it is not */
	uint8_t ring_owned[FEED_RINGS];
	uint32_t *thread_programs; /* [thread of the trace] index of its program */
	uint32_t thread_count, thread_capacity;
	struct takt_map blocks; /* blocks by hash, so that programs share them */
	struct trace_mapping *mappings;
	uint32_t mapping_count, mapping_capacity;
	uint64_t checked_insns;
	const char *failure;		    /* why the trace is invalid, or NULL */
	uint64_t chunk[FEED_CHUNK_RECORDS]; /* copy of records, which the guest cannot change */
};

TAKT_MUST_CHECK enum takt_status takt_trace_live_open(struct takt_diag *diag,
						      struct trace_live *live);
/* Initialize what the processes share, which is zero. */
void takt_trace_live_init(struct trace_live *live, void *memory);
void takt_trace_live_close(struct trace_live *live);
TAKT_MUST_CHECK enum takt_status takt_trace_live_start(struct trace_live *live, char *const *argv,
						       char *const *variables,
						       struct takt_diag *diag);
/*
 * Read what the plugins have written so far. `last` says that the guest's first process has ended,
 * so that nothing is waited for. Sets *ret_any if anything was read. False: the contents are
 * invalid.
 */
bool takt_trace_live_poll(struct trace_live *live, bool last, bool *ret_any);
/*
 * Read until the process has ended, even after an error; *ret_wait_status says how it ended, as
 * waitpid() has it.
 */
TAKT_MUST_CHECK enum takt_status takt_trace_live_read(struct trace_live *live, volatile int *signal,
						      struct takt_diag *diag, int *ret_wait_status);
/* Let the processes that outlive the first one run on without being traced. */
void takt_trace_live_leave(struct trace_live *live);
/* Tell the plugin which words run a program under qemu: those before "-0". */
void takt_trace_live_set_launch(struct trace_live *live, char *const *command);

/* ---- programs.c: the programs that are followed, and their slots ---- */

/* Meet the programs that have begun; false if the feed is invalid. */
bool live_meet_programs(struct trace_live *live);
/* True if the program's process has ended. */
bool live_has_ended(const struct trace_program *program);
/* True if a process or program that it makes may still begin. */
bool live_is_awaited(const struct trace_live *live, const struct trace_program *program);
/* Return the number of the program's thread in the trace; false if there are too many. */
bool live_find_thread(struct trace_live *live, struct trace_program *program, uint64_t number,
		      uint32_t *ret_thread);
/* End a program of which all is read, and free its slot. */
void live_close_program(struct trace_live *live, struct trace_program *program);
void live_free_programs(struct trace_live *live);
/* Describe all programs in `totals`. */
void live_list_programs(const struct trace_live *live, struct takt_trace_totals *totals);

/* ---- live.c ---- */

/* Read the program's blocks that are in its slot now; false if they are invalid. */
bool live_read_dictionary(struct trace_live *live, struct trace_program *program);

#endif
