/* SPDX-License-Identifier: MIT */
/*
 * The sandboxed child, and the memory it shares with the parent: one sealed memfd, laid out
 * as below. The parent writes machine code into its own view; the child, which has
 * unmapped everything else, can execute it but not write it. A command names a list of
 * entries; the runner (host.h) runs them in turn, `repeat` times over, and stores the ticks
 * of each run in RESULTS.
 *
 *   offset in memfd and from the child's random base        parent  child
 *   CODE      runner page, then generated code              rw      r x
 *   CONTROL   struct takt_child_control: the command        rw      r
 *   RESULTS   struct takt_child_results                     rw      rw
 *   STACK     the runner's stack and the signal stack       -       rw
 *   TEMPLATE  the contents of each page before a run        rw      r
 *   PAGES     the pages mapped at faulting addresses        rw      -
 *   CLOCK     perf_event's page (not in the memfd)          -       r
 *
 * A block can find out where its own code is, so it can reach whatever lies at a known distance
 * from there. On x86-64 RESULTS therefore lie at another random address, which only the base of
 * segment gs holds while a block runs: straight-line code that passed check.c can neither read
 * that base nor use it. CONTROL cannot be written, so that such code cannot divert the runner
 * either. Code that does more (a decoder may err) is contained by what follows: each block has a
 * process of its own, for which the memory above is cleared, and figures that no processor
 * reaches are refused (rounds.c).
 */
#ifndef TAKT_MEASURE_CHILD_H
#define TAKT_MEASURE_CHILD_H

#include <sys/types.h>

#include "measure/measure.h"

#define TAKT_PAGE_BYTES 4096u

/* This machine's architecture in a sandbox's filter of system calls (<linux/audit.h>). */
#if defined(__x86_64__)
#define TAKT_AUDIT_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define TAKT_AUDIT_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define TAKT_AUDIT_ARCHITECTURE 0 /* no system call has it: all are forbidden */
#endif

#define TAKT_CHILD_CPU_SECONDS_MAX 3600u

#define TAKT_CHILD_CODE 0u
#define TAKT_CHILD_CODE_BYTES 0x40000u
#define TAKT_CHILD_RUNNER_BYTES TAKT_PAGE_BYTES /* at the start of CODE */
#define TAKT_CHILD_CONTROL 0x40000u
#define TAKT_CHILD_CONTROL_BYTES TAKT_PAGE_BYTES
#define TAKT_CHILD_RESULTS 0x41000u
#define TAKT_CHILD_RESULTS_BYTES 0x20000u
#define TAKT_CHILD_STACK 0x61000u
#define TAKT_CHILD_STACK_BYTES 0x10000u /* upper half: signals */
#define TAKT_CHILD_TEMPLATE 0x71000u
/*
 * Pages of memory, mapped in turn: a block that uses more addresses finds the first pages again.
 * All of them have room in a first-level cache of 32 KiB. One page for all addresses would not do:
 * caches that predict their way from the linear address miss a line that was last used by another
 * address.
 */
#define TAKT_CHILD_PAGES 0x78000u
#define TAKT_CHILD_PAGE_COUNT 8u /* a power of two, so that the filter can tell their offsets */
#define TAKT_CHILD_MEMFD_BYTES 0x80000u
#define TAKT_CHILD_CLOCK 0x80000u
#define TAKT_CHILD_BYTES 0x81000u

/* True if RESULTS lie apart from the rest of the layout, at an address of their own. */
#if defined(__x86_64__)
#define TAKT_CHILD_RESULTS_HIDDEN true
#else
#define TAKT_CHILD_RESULTS_HIDDEN false
#endif

#define TAKT_RUNS_MAX 8
#define TAKT_SAMPLES_MAX 4096 /* repeat * run_count at most */
#define TAKT_PAGES_MAX 1024   /* pages mapped on a fault at most */
#define TAKT_STEPS_MAX 256    /* instructions traced at most */
#define TAKT_STEP_REGISTERS 18
#define TAKT_CHILD_LOWEST_ADDRESS 0x10000 /* addresses below are offsets from a null pointer */

/* Registers before a traced instruction executes, in the order in which the kernel saves them. */
struct takt_step_state {
	uint64_t registers[TAKT_STEP_REGISTERS];
};

enum takt_child_flag {
	TAKT_CHILD_MAP_FAULTS = 1, /* a fault on an unmapped page maps a page there */
	TAKT_CHILD_TRACE = 2,	   /* SIGTRAP logs a step and continues */
	TAKT_CHILD_GS_IN_USE = 4,  /* the block uses gs; fs keeps the results' address meanwhile */
};

/* End of a command. Every end but DONE also ends the child. */
enum takt_child_end {
	TAKT_CHILD_RUNNING = 0,
	TAKT_CHILD_DONE,
	TAKT_CHILD_SIGNAL, /* the runner's handler reports a signal that it cannot resolve */
	TAKT_CHILD_KILLED, /* killed by the kernel: a system call (SIGSYS), a broken stack, … */
	TAKT_CHILD_LATE,   /* the time limit passed */
};

/* Flags of the only mmap that the sandbox allows, which has one of PAGES' offsets and its length.
 */
#define TAKT_CHILD_MAP_HOW (MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE)

/* CONTROL and RESULTS. The runners address the fields of both structures by offsetof. */
struct takt_child_control {
	uint32_t command; /* futex: the number of the command, raised by the parent */
	uint32_t flags;	  /* enum takt_child_flag, for this command */
	uint32_t run_count, repeat;
	uint32_t hold; /* futex: the new process waits while its counters are opened */
	uint64_t run_entries[TAKT_RUNS_MAX];  /* offsets of the runs from the base */
	uint64_t run_restores[TAKT_RUNS_MAX]; /* nonzero: a block's run, its pages are filled before
						 it */
};

struct takt_child_results {
	uint64_t self;	/* the address of this structure in the child */
	uint32_t reply; /* futex: the number of the last command that was carried out */
	uint32_t end;	/* enum takt_child_end */
	uint32_t page_count, step_count;
	uint32_t fp_control, fp_state; /* scratch: floating-point controls before and after a run */
	uint32_t fp_raised;	       /* exceptions in blocks' runs so far, in the ISA's bits */
	uint64_t start_ticks, end_ticks; /* clock at the begin and the end of the current run */
	uint64_t saved[8];		 /* the runner's own registers */
	uint64_t signal, signal_code, fault_address, fault_ip;
	uint64_t pages[TAKT_PAGES_MAX];	  /* pages mapped; at the start, ranges to unmap as pairs */
	uint64_t ticks[TAKT_SAMPLES_MAX]; /* [repeat][run_count] */
	struct takt_step_state steps[TAKT_STEPS_MAX];
};

struct takt_child_options {
	uint32_t cpu;	       /* number of the CPU to which the child is pinned */
	enum takt_clock clock; /* not AUTO */
};

/* Addresses from `begin` up to, but not including, `end`. */
struct takt_child_range {
	uint64_t begin, end;
};

#define TAKT_CHILD_SYSTEM_RANGES 15

/* Number of namespaces (user, network, IPC) that all children share; -1 stands for one that could
 * not be made. */
#define TAKT_CHILD_NAMESPACES 3

struct takt_child {
	struct takt_child_options options;
	int memfd;
	int namespaces[TAKT_CHILD_NAMESPACES];
	uint8_t *view;			    /* the parent's mapping of the memfd */
	struct takt_child_control *control; /* in `view` */
	struct takt_child_results *results; /* in `view` */
	uint64_t base, results_base;	    /* the child's addresses of the layout and of RESULTS */
	/*
	 * The kernel's own mappings, which may be sealed and hold nothing of ours, and the end of
	 * the address space in use. They do not change while the parent lives.
	 */
	struct takt_child_range system[TAKT_CHILD_SYSTEM_RANGES];
	size_t system_count;
	uint64_t user_end;
	pid_t pid;		  /* 0: none; the next command starts one */
	uint32_t commands;	  /* number of commands given to this process */
	int killed_by, exit_code; /* after TAKT_CHILD_KILLED: the signal or 0, exit code */
	const struct takt_counters *counters; /* or NULL */
	bool is_counted;		      /* the counters are attached to this process */
};

/* Open a child and try to start it. */
TAKT_MUST_CHECK enum takt_status takt_child_open(const struct takt_child_options *options,
						 struct takt_diag *diag,
						 struct takt_child *ret_child);
void takt_child_close(struct takt_child *child);
/* End the process; the next command starts a new one. */
void takt_child_kill(struct takt_child *child);
/*
 * Carry out the command in `control` (flags, run_*, repeat), starting a process if there is
 * none. Return DONE or, if it failed, another end; the process is gone then.
 */
enum takt_child_end takt_child_command(struct takt_child *child, double time_limit_seconds);

/* ---- pieces of it ------------------------------------------------------ */

/*
 * Return a descriptor of the same file that is none of the standard ones, or -1; the given one is
 * closed if it is a standard one. A program may run with its standard output closed, and what is
 * written there must not end up in a file opened since.
 */
int takt_descriptor_raise(int descriptor);

/* Descriptors of the child; it has no others. */
enum { TAKT_CHILD_MEMFD = 0, TAKT_CHILD_CLOCK_FD = 1 };

/* Exit codes of a child that does not reach the runner: its addresses were taken, or the system
 * refused a part of the sandbox. */
enum { TAKT_CHILD_EXIT_TAKEN = 3, TAKT_CHILD_EXIT_REFUSED };

/* Turn the calling, new process into the child. (enter.c) */
__attribute__((noreturn)) void takt_child_enter(const struct takt_child *child, pid_t parent);

/*
 * Open namespaces for the children of a measurer. New ones for each child would cost more than all
 * the rest, and the kernel would dismantle the old ones while the next block is measured. Without
 * the right to make them, or without /proc, all are -1. (namespaces.c)
 */
void takt_namespaces_open(int *ret_namespaces);
void takt_namespaces_close(int *namespaces);
/* Move the calling process into the namespaces that are not -1. */
void takt_namespaces_join(const int *namespaces);

/*
 * Lock the child in, after it has its mappings and descriptors: forbid all system calls except
 * those of the runner at `base`. True if that worked. (sandbox.c)
 */
bool takt_sandbox_enter(uint64_t base, pid_t parent, bool reads_clock);

/* Open a cycle counter for the calling process; -1 with errno if there is none. (clock.c) */
int takt_clock_open(void);
/* Return the best clock for AUTO; for another clock, return it if it is available, else AUTO. */
enum takt_clock takt_clock_choose(enum takt_clock wanted);

#endif
