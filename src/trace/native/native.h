/* SPDX-License-Identifier: MIT */
/*
 * native: a program on the processor itself, single-stepped by ptrace, as a source of records. A
 * process that takt forks, the tracer, starts the program, steps each of its threads, and writes
 * into the shared memory of feed.h what qemu's plugin would: blocks, accesses and system calls. So
 * takt reads both in the same way (live.h).
 *
 * An instruction counts when the stop after it shows that it ran: only then its records are
 * written, with addresses computed from the registers before it.
 */
#ifndef TAKT_TRACE_NATIVE_H
#define TAKT_TRACE_NATIVE_H

#include <sys/types.h>
#include <sys/user.h>

#include "trace/live/live.h"
#include "trace/native/operands.h"

/* ---- native.c: the tracer as a process ---- */

/* True if programs of this guest can run on this machine natively, and takt can step them. */
bool native_can_run(const struct trace_guest *guest);
/*
 * Start the tracer as the live guest's process; it ends as the program does. `path` is the
 * program's file.
 */
TAKT_MUST_CHECK enum takt_status native_start(struct trace_live *live, const char *path,
					      char *const *argv,
					      const struct takt_trace_options *options,
					      struct takt_diag *diag);

/* ---- feed_write.c: rings and slots, as the plugin writes them ---- */

void native_ring_add(struct feed_area *area, struct feed *feed, struct feed_ring *ring,
		     uint64_t record);
/* Reserve a slot for a program that `parent` makes; FEED_NO_SLOT if there is none. */
uint32_t native_slot_reserve(struct feed_area *area, const struct feed *parent);
/* Find a ring for a thread of the program, and set its number among the running ones. */
struct feed_ring *native_ring_open(struct feed_area *area, struct feed *feed,
				   uint32_t *ret_processor);
/* Add an entry to the program's dictionary; waits until takt has made room. */
void native_dictionary_add(struct feed_area *area, struct feed *feed, const void *data,
			   size_t size_bytes);

/* ---- mappings.c: the files that code comes from ---- */

struct native_mapping {
	uint64_t begin, end, offset;
	uint32_t file;	 /* number in the feed; 0: none */
	bool changeable; /* the code can change without a system call: writable, or shared */
};

struct native_mappings {
	struct native_mapping *items; /* by ascending address */
	uint32_t count, capacity;
	bool stale; /* the program has changed its mappings since they were read */
};

/* Read the mappings of a process again if they are stale. */
void native_mappings_update(struct native_mappings *mappings, pid_t process, struct feed *feed);
/* Return the mapping of an address, or NULL. */
const struct native_mapping *native_mappings_find(const struct native_mappings *mappings,
						  uint64_t address);

/* ---- code.c: blocks of a program, by address ---- */

struct native_block {
	uint64_t address;
	uint32_t number, size_bytes;
	uint32_t generation; /* of the program's code when the bytes were last compared */
	uint16_t insn_count;
	bool changeable;
	bool repeats;
	uint8_t *bytes;
	struct native_insn *insns;
	struct native_block *older; /* of the same address, with other bytes */
};

#define NATIVE_STOPS_MAX 4u /* breakpoints that a processor has */

/* A program of a process, as struct trace_program is for takt. */
struct native_program {
	struct feed_area *area;
	struct feed *feed;
	pid_t process;
	uint32_t running, threads; /* threads that run; all so far */
	uint32_t generation;
	uint32_t block_count;
	struct takt_map blocks; /* by address */
	struct native_mappings mappings;
	bool lost; /* it has become a program that is not followed */
	/* Addresses at which its threads stop while they run at full speed. */
	uint64_t stops[NATIVE_STOPS_MAX];
	uint32_t stop_count;
	bool stops_known; /* they are those of the wanted functions, and not the program's entry */
	struct native_program *next;
};

void native_program_init(struct native_program *program, struct feed_area *area, uint32_t slot,
			 pid_t process);
void native_program_release(struct native_program *program);
/* Return the block that begins at an address, or NULL: no code can be read there. */
const struct native_block *native_block_find(struct native_program *program, uint64_t address);
/* Return a block of one instruction at the address, which the processor does not execute. */
const struct native_block *native_block_single(struct native_program *program, uint64_t address);
/* True if the code of an instruction of the block is still what it was. */
bool native_block_holds(const struct native_program *program, const struct native_block *block,
			uint64_t address, uint32_t insn);

/* ---- step.c: what one instruction of a thread is and did ---- */

struct native_thread {
	pid_t thread; /* 0: free */
	struct native_program *program;
	struct feed_ring *ring;
	uint32_t processor; /* number among the program's running threads */
	const struct native_block *block;
	uint32_t insn;	/* the block's instruction that comes next */
	bool enters;	/* the block's record is not written yet */
	bool is_known;	/* `block` and `insn` are those at the registers' address */
	bool uncertain; /* the next stop may come before any instruction has run */
	bool restarts;	/* the next stop may be after a system call that began again */
	bool whole_rep; /* the string instruction runs to its end, up to a breakpoint */
	bool waits;	/* stopped, and not known yet whose thread it is */
	int signal;	/* to be delivered with the next step; 0: none */
	struct user_regs_struct registers;
	uint32_t access_count;
	struct native_access accesses[NATIVE_ACCESSES_MAX];
	struct native_registers prepared; /* those that the accesses were computed from */
	/* If only parts of the program are traced: see parts.c. */
	bool unseen;	      /* it runs at full speed, outside of all parts */
	bool armed;	      /* the processor's breakpoints are at the program's stops */
	uint64_t part_return; /* address and stack pointer with which the function returns */
	uint64_t part_stack;
	uint32_t handlers;	  /* handlers of signals that run within the part */
	uint32_t window_left;	  /* instructions of the window yet to run; 0: no window */
	uint64_t unseen_since_ns; /* processor time of the thread when it was last seen */
};

/* Prepare the instruction at the thread's registers: find its code, compute its accesses. */
void native_step_prepare(struct native_thread *thread, bool has_accesses);
/* Write that the prepared instruction ran; `thread->registers` are those after it. */
void native_step_commit(struct native_thread *thread);
/*
 * Take the tracer's trap flag out of r11, where the kernel leaves the flags: after a system call
 * that has returned, and not in a new program.
 */
void native_step_hide_trap(struct native_thread *thread);
/* Write that the prepared instruction began and faulted. */
void native_step_fault(struct native_thread *thread, int signal);
/* True if the prepared instruction is a system call. */
bool native_step_is_syscall(const struct native_thread *thread);
const struct native_insn *native_step_insn(const struct native_thread *thread);

/* ---- parts.c: parts of a program that are traced ---- */

/* Let a thread run at full speed; its registers are known. */
void native_part_leave(struct native_thread *thread);
/* Begin the part of a thread that has stopped at a function's first instruction. */
void native_part_enter_function(struct native_thread *thread);
/* Begin a window of `insns` instructions. */
void native_part_enter_window(struct native_thread *thread, uint32_t insns);
/* Take note of an instruction that ran, or of a handler that begins; true if the part has ended. */
bool native_part_advance(struct native_thread *thread, bool begins_handler);
/* Add the thread's time at full speed to the area's sum. */
void native_part_count_time(struct native_thread *thread);
/* True if the thread is running, and is not blocked in the kernel. */
bool native_part_is_running(const struct native_thread *thread);
/* Let a new program's threads stop at its entry, where its libraries are loaded. */
void native_part_await_entry(struct native_program *program);
/* Find the functions among the files that the program has mapped. */
void native_part_find_functions(struct native_program *program,
				const struct takt_trace_parts *parts);
/* True if the processor stops at its breakpoints, which is tried once with a process of our own. */
bool native_breakpoints_work(void);
/* Put the breakpoints of a thread, or remove them; false if the kernel or the processor refuses. */
bool native_part_arm(struct native_thread *thread);
void native_part_disarm(struct native_thread *thread);

/* ---- tracer.c ---- */

struct native_task {
	struct feed_area *area;
	const char *path;
	char *const *argv, *const *variables;
	bool has_accesses;
	const struct takt_trace_parts *parts; /* to be traced; NULL: the whole program */
};

/* Run the program to its end, and return how it ended, as waitpid() has it. */
int native_trace(const struct native_task *task);

#endif
