/* SPDX-License-Identifier: MIT */
/*
 * Whole programs: under qemu, from a log, or from what other tools recorded.
 */
#ifndef TAKT_TRACE_API_H
#define TAKT_TRACE_API_H

#include <takt/analysis.h>
#include <takt/code.h>
#include <takt/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_LAYOUTS_MAX 256

/* Parts of a core that are taken to be ideal instead of modelled: bits of takt_trace_core.ideal. */
#define TAKT_IDEAL_CACHES 1u   /* every access hits the first-level cache */
#define TAKT_IDEAL_BRANCHES 2u /* every branch is predicted correctly */

/*
 * The core that executes the program, and how much of it is simulated: the pipeline, caches, TLBs
 * and branch prediction, unless `ideal` excepts some. A core whose caches are not known is
 * simulated without them.
 */
struct takt_trace_core {
	/*
	 * Called once the program's instruction set is known: "x86-64", "aarch64" or "riscv64".
	 * Returns the core, which the caller keeps, or NULL to give up.
	 */
	const struct takt_model *(*model)(void *context, const char *isa);
	void *context;
	bool cache;		 /* fail if the core's caches are not known */
	bool branch;		 /* not used: branch prediction is simulated unless `ideal` says
				  * otherwise */
	bool sample;		 /* simulate only samples, and report the confidence interval */
	uint64_t seed;		 /* selects the samples */
	uint32_t syscall_cycles; /* cycles of each system call; 0: 300 */
	/*
	 * Simulate every piece of the program again. By default, the effect of a piece on the core
	 * is remembered and reused when the same piece meets the core in the same state, which
	 * changes no cycle count. Samples are always simulated without this memo.
	 */
	bool no_memo;
	uint32_t memo_check; /* one of this many remembered pieces is simulated nevertheless
			      * and compared; 0: 1000 */
	uint64_t ideal;	     /* what is not modelled: TAKT_IDEAL_CACHES, TAKT_IDEAL_BRANCHES */
	/*
	 * Simulate this many layouts, at most TAKT_LAYOUTS_MAX, drawn at random by `seed`: places
	 * of functions and loops, and of the stack against other data. All cycles are means over
	 * them, and totals.layouts says how far the layouts differ. 0: code and data are where they
	 * were when the program ran.
	 */
	uint64_t layouts;
	TAKT_RESERVED;
};

/* A range of one thread's instructions, counted from its start. */
struct takt_trace_window {
	uint32_t thread, count;
	uint64_t from;
};

/* Progress of a run or a replay. */
struct takt_trace_progress {
	double seconds;	    /* seconds since it began */
	double share;	    /* share of the log that was read; negative: unknown, since it is
			     * a run */
	double first_share; /* share at which it began: above 0 after a checkpoint */
	uint64_t insns, first_insns; /* instructions so far, and when it began */
};

/* Backends: they run a program and see its instructions. */
enum takt_trace_backend {
	/* qemu; and then the processor itself, from the program's begin, if qemu cannot execute an
	 * instruction that this processor has, and nothing outside has changed by then. */
	TAKT_TRACE_BACKEND_AUTO,
	TAKT_TRACE_BACKEND_QEMU,
	TAKT_TRACE_BACKEND_NATIVE, /* the processor itself, single-stepped; x86-64 only */
};

/* Parts of a native run to trace. Outside of them, the program runs at full speed and unseen. */
struct takt_trace_parts {
	/*
	 * Functions by their symbols, each from its entry to its return, with all that it calls:
	 * at most 4, or windows if there are none.
	 */
	const char *const *functions;
	uint32_t function_count;
	uint32_t window_insns; /* instructions of each window of a thread */
	uint32_t gap_ms;       /* milliseconds from one window to the next, on average */
	TAKT_RESERVED;
};

struct takt_trace_options {
	const struct takt_trace_core *core; /* NULL: nothing is timed */
	bool blocks_only; /* trace no memory accesses: faster, and loads and stores are
			   * 0 */
	bool check;	  /* let qemu count the instructions one by one as well; slow */
	/*
	 * File to write a log of the run to; NULL: none. "-" is standard output: the program's
	 * standard output then is the caller's standard error.
	 */
	const char *log_path;
	bool profile; /* fill totals.profile: cycles and instructions by place in the
		       * program */
	/*
	 * Read symbols and lines only from files with this name, which is faster; NULL: from all
	 * files.
	 */
	const char *named_file;
	/*
	 * Regions to be summed separately, each "WHAT" or "NAME=WHAT": a function's symbol, an
	 * address range "0xSTART-0xEND", or "markers" for the code between IACA's byte markers.
	 */
	const char *const *regions;
	uint32_t region_count;
	/*
	 * The program gets the signal whose number is stored here, perhaps by a signal handler.
	 * NULL if not wanted. Waiting ends with any signal that the caller handles. A replay ends
	 * at the signal and sets totals.stopped_by.
	 */
	volatile int *signal;
	/* Environment of the program, "NAME=VALUE", ended by NULL; NULL: that of this process. */
	char *const *variables;
	/*
	 * For replays: the file that keeps their state. It is written every 30 s (or every
	 * checkpoint_insns instructions, if that is not 0) and before a signal ends the replay. If
	 * the file exists, the replay is resumed from it; at the end it is removed. NULL: none.
	 */
	const char *checkpoint_path;
	uint64_t checkpoint_insns;
	/*
	 * Instructions to record in totals.timeline, at most 4096; only if all is simulated. NULL:
	 * none.
	 */
	const struct takt_trace_window *window;
	/* Called five times a second with the progress; NULL: not called. */
	void (*progress)(void *context, const struct takt_trace_progress *progress);
	void *progress_context;
	bool no_children; /* trace the first program only: neither processes that it makes nor
			   * programs that it becomes */
	bool insns;	  /* with `profile`: fill takt_trace_block.insns */
	bool dependences; /* fill totals.dependences; not with a checkpoint */
	/* With `core`: fill totals.sensitivity; not with layouts, a window or a checkpoint. */
	bool sensitivity;
	uint32_t backend; /* enum takt_trace_backend */
	/* With TAKT_TRACE_BACKEND_NATIVE, and without a log; NULL: trace the whole program. */
	const struct takt_trace_parts *parts;
	TAKT_RESERVED;
};

/*
 * Number of categories that the issue slots of a program's cycles are divided into, such as
 * "retiring", "op cache", "ports", "load latency", "memory". docs/commands/trace.md explains each.
 */
#define TAKT_TRACE_LOSSES 26u

TAKT_API const char *takt_trace_loss_name(uint32_t loss);

/*
 * Categories of top-down analysis, which sum up losses: each of level 1 ("retiring", "bad
 * speculation", "frontend bound", "backend bound"), followed by those of level 2 that it consists
 * of. Cycles of system calls are in none of them.
 */
#define TAKT_TRACE_CATEGORIES 11u

TAKT_API const char *takt_trace_category_name(uint32_t category);
/* Return the level, 1 or 2. */
TAKT_API uint32_t takt_trace_category_level(uint32_t category);
/* Return the category of that level, 1 or 2, that the loss belongs to; NULL: none. */
TAKT_API const char *takt_trace_loss_category(uint32_t loss, uint32_t level);
/* Return the cycles of a category. */
TAKT_API uint64_t takt_trace_category_cycles(const uint64_t losses[TAKT_TRACE_LOSSES],
					     uint32_t category);
/* Return a signal's name: "SIGSEGV"; "signal 70" for one without a name. */
TAKT_API const char *takt_signal_name(int signal);

/* Counts of one thread, or of all. */
struct takt_trace_counts {
	uint64_t insns;	      /* completed instructions; a string instruction with rep counts
			       * once */
	uint64_t repeats;     /* elements of string instructions beyond the first, and their
			       * final check of the count */
	uint64_t interrupted; /* instructions that began and faulted; not included in
			       * `insns` */
	uint64_t blocks;      /* blocks executed, except those that only repeat a string
			       * instruction */
	uint64_t loads, load_bytes, stores, store_bytes; /* an access to a vector counts once */
	uint64_t taken, not_taken;			 /* conditional branches */
	uint64_t syscalls;
	/* On a core; 0 without one. */
	uint64_t uops, cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles by category; they add up to `cycles` */
	/* Those of the category "ports", by port, in the order of the totals' port_names. */
	uint64_t port_cycles[TAKT_PORTS_MAX];
};

/*
 * Cost of a part of the program. A cycle in which nothing retires is charged to the oldest
 * instruction that has not retired; instructions that retire in the same cycle share it. All 0
 * without a core.
 */
struct takt_trace_weight {
	uint64_t insns; /* completed instructions */
	uint64_t cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles by category; they add up to `cycles` except
					     * for rounding */
	/*
	 * Mask of the ports that most cycles of the category "ports" are due to, and how many more
	 * these are than those due to all others.
	 */
	uint32_t busy_ports;
	uint64_t busy_port_cycles;
};

/* A function that ran. Sorted by name and file, those without a name last. */
struct takt_trace_function {
	const char *name;    /* demangled; "FILE+0x1234" for one without symbol */
	const char *symbol;  /* symbol as in the file; NULL: none */
	const char *file;    /* the executable or library; NULL: code generated at run time */
	uint64_t address;    /* address at which it first ran */
	uint64_t size_bytes; /* 0: unknown */
	uint64_t calls;	     /* number of times it was entered, by calls and by jumps to its
			      * start */
	struct takt_trace_weight self;
	uint64_t total_insns, total_cycles; /* including all functions that it called */
};

/* An instruction of a block, and its part of the block's cycles. */
struct takt_trace_insn {
	uint32_t offset;  /* bytes from the start of the block */
	uint32_t line;	  /* source line; 0: unknown */
	const char *file; /* source file; NULL: unknown */
	uint64_t cycles;
};

/* A basic block that ran. Sorted by function, offset and size. Blocks may overlap. */
struct takt_trace_block {
	uint64_t address;
	uint64_t offset;   /* offset in the function; the address if there is no function */
	uint32_t function; /* index of the function */
	uint32_t insn_count, size_bytes;
	const uint8_t *bytes;
	uint64_t executions; /* a repeating string instruction counts once */
	struct takt_trace_weight weight;
	/* Its instructions, insn_count of them; NULL unless takt_trace_options.insns is set. */
	const struct takt_trace_insn *insns;
};

/* An edge: block `to` followed block `from` in the same call of a function. Sorted by both. */
struct takt_trace_edge {
	uint32_t from, to; /* indices of blocks */
	uint64_t count;
};

/* A source line. Sorted by file and number. The lines of a block share the block's cycles. */
struct takt_trace_line {
	const char *file;
	uint32_t line;
	struct takt_trace_weight weight;
};

/* A loop in a function, without the functions it calls. Sorted by function and offset. */
struct takt_trace_loop {
	uint32_t function;	  /* index of the function */
	uint32_t depth;		  /* nesting depth; 1: inside no other loop */
	uint64_t address, offset; /* of its first instruction: address, and offset in the
				   * function */
	const char *file;	  /* source file; NULL: unknown */
	uint32_t line;
	uint64_t entries;		 /* number of times the loop was entered from outside */
	uint64_t iterations;		 /* number of times the first instruction ran */
	struct takt_trace_weight weight; /* including the loops inside it */
};

/*
 * A region, including all functions called inside it. In the order of the options; markers last, in
 * the order in which they first ran.
 */
struct takt_trace_region {
	const char *name;
	uint64_t entries; /* of a function's symbol: recursive calls count too */
	struct takt_trace_weight weight;
};

/* A node of the call tree: a function as called from one particular stack of callers. */
struct takt_trace_node {
	uint32_t parent;	/* index of the caller's node, less than its own; node 0 is the
				 * root */
	const char *name;	/* name of the function; "(other)": all beyond the nodes that are
				 * kept apart */
	uint64_t insns, cycles; /* without the functions it calls */
};

struct takt_trace_profile {
	const struct takt_trace_function *functions;
	const struct takt_trace_block *blocks;
	const struct takt_trace_edge *edges; /* empty in a result that was read from a file */
	const struct takt_trace_line *lines;
	const struct takt_trace_loop *loops;
	const struct takt_trace_region *regions;
	const struct takt_trace_node *nodes;
	uint32_t function_count, block_count, edge_count;
	uint32_t line_count, loop_count, region_count, node_count;
	struct takt_trace_weight no_line; /* cost of code whose source line is unknown */
};

/* Return the block at the address that ran most often; NULL: none did. */
TAKT_API const struct takt_trace_block *
takt_trace_hottest_block(const struct takt_trace_profile *profile, uint64_t address);
/* Return the block that followed the profile's block most often; NULL: none did. */
TAKT_API const struct takt_trace_block *
takt_trace_hottest_successor(const struct takt_trace_profile *profile,
			     const struct takt_trace_block *block);

/* Counts of the models of caches and TLBs, summed over all threads. */
struct takt_trace_caches {
	uint64_t accesses[3];	     /* accesses by kind: fetches of lines, loads, stores */
	uint64_t misses[3][3];	     /* misses by kind of access, in L1, L2 and L3 */
	uint64_t write_backs[3];     /* lines written back from each level */
	uint64_t non_temporal_lines; /* lines written to memory by non-temporal stores */
	uint64_t prefetches, useful_prefetches;
	uint64_t tlb_misses[3]; /* translations that miss the first level, by kind: fetches,
				 * loads, stores */
	uint64_t page_walks[3]; /* translations that miss both levels, by kind */
};

/* Kinds of branch: conditional branches, jumps, calls, indirect jumps, indirect calls, returns. */
#define TAKT_TRACE_BRANCHES 6u

struct takt_trace_branches {
	uint64_t executed[TAKT_TRACE_BRANCHES], missed[TAKT_TRACE_BRANCHES];
	uint64_t late; /* branches predicted correctly, but too late */
};

/* The part of the program that was simulated, and the uncertainty that follows. */
struct takt_trace_sample {
	double half_width_cycles; /* half width of the 95 % confidence interval of all cycles */
	uint64_t units;		  /* sampling units that were measured */
	uint64_t simulated_insns;
};

/* Cycles over layouts of code and data that were drawn at random. */
struct takt_trace_layouts {
	uint32_t count; /* at least 1 */
	uint64_t seed;	/* equal seeds and counts draw equal layouts */
	/* Half width of the 95 % confidence interval of the mean; with one layout it is 0. */
	double half_width_cycles;
	double deviation_cycles; /* standard deviation from layout to layout */
	const uint64_t *cycles;	 /* of each layout; their mean is that of the totals */
};

/* Work that was reused from the memo instead of simulated. */
struct takt_trace_memo {
	uint64_t insns;
	uint64_t pieces, hits;	 /* pieces of the program; those of them that were found in the
				  * memo */
	uint64_t checked, wrong; /* hits that were checked; those that differed, which is an error
				  * in takt: cycles may be off */
};

/* The instruction at which SIGILL ended a program. */
struct takt_trace_fault {
	const char *insn;      /* text of the instruction; NULL: takt cannot decode it */
	const char *extension; /* extension that it belongs to: "avx512f_512"; NULL: unknown */
	const char *bytes;     /* its bytes in hexadecimal, as far as they are known */
	const char *place;     /* location: "work+0x12, work.c:34 (program+0x1162)" */
	uint64_t address;
	bool lacking; /* true: the emulator lacks an instruction that processors have;
		       * false: no processor executes it, or takt does not know it */
};

/* Cost of a part of the run between two moments. */
struct takt_trace_interval {
	uint64_t insns; /* completed instructions */
	uint64_t cycles;
	uint64_t losses[TAKT_TRACE_LOSSES]; /* cycles by category; they add up to `cycles` */
};

/* Parts of a program that were traced while the rest ran at full speed, and is in no figure. */
struct takt_trace_seen {
	uint64_t parts;	       /* entries into the functions, or windows */
	uint32_t window_insns; /* instructions of a window; 0: the parts are functions */
	double unseen_seconds; /* processor time of all threads outside of the parts */
};

/* Origin of a program: it was started, its process is a fork of another, or it came by exec. */
enum takt_trace_process_begin {
	TAKT_TRACE_BEGIN_START,
	TAKT_TRACE_BEGIN_FORK,
	TAKT_TRACE_BEGIN_EXEC
};

/* End of a program. */
enum takt_trace_process_end {
	TAKT_TRACE_END_EXIT,
	TAKT_TRACE_END_SIGNAL, /* a signal killed it */
	TAKT_TRACE_END_EXEC,   /* another program took its place, which follows in the list */
	TAKT_TRACE_END_LOST,   /* another one took its place that could not be followed */
	TAKT_TRACE_END_RUNNING /* it still ran when the first process had ended */
};

/* Counts of one program of one process, from fork or exec to exec or its end. */
struct takt_trace_process {
	const char *command; /* its command line, the words separated by blanks */
	uint32_t parent;     /* index of the program that made it; its own for the first one */
	enum takt_trace_process_begin begin;
	enum takt_trace_process_end end;
	int exit_status; /* -1: unknown */
	/* The program that took its place and was not followed, and why; NULL: there is none. */
	const char *lost_path, *lost_cause;
	uint32_t thread_count;
	struct takt_trace_counts counts; /* of all its threads */
};

/* An instruction of a program. */
struct takt_trace_place {
	const char *function; /* demangled; NULL: unknown */
	const char *binary;   /* the executable or library; NULL: code generated at run time */
	uint64_t address;     /* address at which it ran */
	uint64_t offset;      /* offset in the function; the address if there is none */
	const char *file;     /* source file; NULL: unknown */
	uint32_t line;	      /* source line; 0: unknown */
};

/* A dependence through memory: `load` read what `store` had written, in the same thread. */
struct takt_trace_dependence {
	struct takt_trace_place store, load;
	/*
	 * True if both are in the same function and fewer than 64 iterations are between them:
	 * `iterations` is how often the store ran again before the load, and one more if the load
	 * is not at a higher address. In a loop, this is the distance in iterations.
	 */
	bool is_loop;
	uint32_t iterations;
	uint64_t count;	      /* number of loads */
	uint64_t whole;	      /* those that read nothing else */
	uint64_t least_insns; /* instructions from the store to the load: the least distance */
	double mean_insns;
};

struct takt_trace_dependences {
	const struct takt_trace_dependence *rows; /* those with the most loads first */
	uint32_t row_count;
	uint64_t loads, fed_loads; /* all loads; those that read what a store had written */
	/* Stores and loads that were not followed, as the program has too much of everything. */
	uint64_t left_out;
};

/* Cycles of the program on a core that is better in one respect. */
struct takt_trace_what_if {
	const char *what; /* "a reorder buffer of 448 entries instead of 224" */
	uint64_t cycles;  /* of all threads */
};

/* Whatever could be better about the core, that which saves most first. */
struct takt_trace_sensitivity {
	const struct takt_trace_what_if *rows;
	uint32_t row_count;
};

struct takt_trace_totals {
	/*
	 * Only comparable if equal: the program and its arguments, in the order of the command
	 * line; the version of takt that computed the figures; a digest of the core's data. NULL or
	 * 0: unknown, as in results and logs of older versions.
	 */
	const char *const *command;
	uint32_t command_count;
	const char *version;
	uint64_t core_digest;
	const char *guest; /* "x86-64", "aarch64" or "riscv64" */
	bool blocks_only;
	struct takt_trace_counts all;
	const struct takt_trace_counts *threads; /* in the order of their creation */
	uint32_t thread_count;
	uint64_t distinct_blocks; /* number of different blocks executed, by address and bytes */
	int exit_status;	  /* exit status of the program; -1 if a signal ended it */
	int signal;		  /* signal that ended the program, or 0 */
	const struct takt_trace_fault *fault; /* the faulting instruction, after SIGILL; NULL:
					       * unknown */
	bool became_other;	/* true if a process became a program by exec that is not followed:
				 * what that did is not counted */
	uint32_t processes;	/* processes that the program and its children created which are
				 * not followed: nothing they did is counted */
	int stopped_by;		/* signal that ended the replay, so that all figures cover only a
				 * part; 0: none */
	uint64_t checked_insns; /* instructions begun, as counted by qemu: insns + repeats +
				 * interrupted; 0 unless asked for */
	const char *core;	/* the core that was simulated; NULL: none, and cycles are 0 */
	/* Path and cause of the first file whose names could not be read, though it exists; NULL:
	 * none. */
	const char *unread_path, *unread_cause;
	const char *core_doubt; /* why the core may be another one, as from takt_model_doubt();
				 * or NULL */
	const struct takt_trace_caches *caches;	    /* NULL: caches were not simulated */
	const struct takt_trace_branches *branches; /* NULL: branch prediction was not simulated */
	const struct takt_trace_sample *sample;	    /* NULL: everything was simulated */
	const struct takt_trace_memo *memo;	    /* NULL: no memo was used */
	/*
	 * Timed instructions that takt cannot decode, which are timed as nops; and those that have
	 * no row in the core's timing file, which are timed as the default of their class.
	 */
	uint64_t unknown_insns, default_insns;
	/*
	 * RISC-V: timed vector instructions whose LMUL and SEW are unknown because vsetvl read them
	 * from a register. They take as long as LLVM says for unknown LMUL and SEW.
	 */
	uint64_t unsettled_insns;
	uint32_t syscall_cycles; /* cycles charged for each system call */
	const char *settings;	 /* options that affect the cycles, such as "--ideal=caches"; or
				  * "" */
	double clock_ghz;	 /* clock of the core, to convert cycles to time; 0: unknown */
	const struct takt_trace_profile *profile; /* NULL: not asked for */
	uint64_t left_out; /* of an import: instructions, or runs between branches, whose
			    * code is in no binary */
	struct takt_timeline *timeline; /* NULL: not asked for, or the run ended before the
					 * window */
	/* Parts of the model that the cycles include; results of older versions: by options. */
	bool models_caches, models_branches;
	const char *core_choice; /* why this core was simulated, as a phrase: "named by the
				  * caller"; NULL: unknown, or no core */
	/*
	 * Programs of all processes that were followed, in the order in which they began; 0: not
	 * known, as of imports. `all` is their sum, although they may have run at the same time.
	 */
	const struct takt_trace_process *process_list;
	uint32_t process_count;
	const uint32_t *thread_processes; /* index in the list for each thread; NULL: all 0 */
	const char *const *port_names;	  /* of the core's ports and units; NULL: not known */
	uint32_t port_count;
	const struct takt_trace_layouts *layouts; /* NULL: where the program ran was simulated */
	/* "native" if the processor itself ran the program; NULL: qemu did, or it is not known, as
	 * of logs. */
	const char *backend;
	/* Phrase that says why the program ran natively although nobody asked for it; NULL: it did
	 * not. */
	const char *native_cause;
	const struct takt_trace_dependences *dependences; /* NULL: not asked for */
	const struct takt_trace_sensitivity *sensitivity; /* NULL: not asked for */
	/*
	 * Successive parts of the run with the same number of instructions, but for the last one;
	 * threads are one after the other, in pieces, as the trace has them. Their cycles add up
	 * to all cycles, except for rounding; in a sample, each is estimated from what was
	 * simulated in it. Each ends some cycles earlier or later if a replay was interrupted.
	 * NULL: without a core, with layouts, and in a result that was read from a file.
	 */
	const struct takt_trace_interval *intervals;
	uint32_t interval_count;
	const struct takt_trace_seen *seen; /* NULL: the whole program was traced */
};

/*
 * Run `argv[0]`, found in PATH as by a shell, with the arguments that follow it, ended by NULL,
 * under qemu's user mode, and count what it does. It has the caller's standard streams; it gets
 * signals as it would without takt, with SIGINT, SIGQUIT and SIGPIPE at their defaults. Processes
 * that it makes, and programs that they become, are followed until the first process ends.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status takt_trace_run(char *const *argv,
							 const struct takt_trace_options *options,
							 struct takt_diag *diag,
							 struct takt_trace_totals **ret_totals);
enum takt_trace_kind {
	TAKT_TRACE_AUTO,    /* detect the kind from the content */
	TAKT_TRACE_LOG,	    /* a log that takt wrote */
	TAKT_TRACE_LISTING, /* assembly text */
	TAKT_TRACE_HEX,	    /* bytes of instructions, one instruction per line */
	TAKT_TRACE_LACKEY,  /* output of valgrind --tool=lackey --trace-mem=yes */
	TAKT_TRACE_PERF,    /* output of perf script -F brstack */
};

struct takt_trace_import_options {
	const char *isa; /* instruction set of listings and bytes; NULL: that of a
			  * binary, or x86-64 */
	enum takt_trace_kind kind;
	enum takt_syntax syntax;     /* syntax of x86-64 listings */
	const char *const *binaries; /* ELF files of the program: "FILE" or "FILE@HEX_ADDRESS" */
	size_t binary_count;
	TAKT_RESERVED;
};

/*
 * Compute the same totals from a log, or from another tool's record of a run
 * (docs/formats/traces.md, "Traces of other tools"). `path` "-" is standard input. Either of the
 * options may be NULL.
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_trace_import(const char *path, const struct takt_trace_options *options,
		  const struct takt_trace_import_options *others, struct takt_diag *diag,
		  struct takt_trace_totals **ret_totals);

TAKT_API void takt_trace_totals_free(struct takt_trace_totals *totals);
/*
 * Append how a signal killed the program, as part of a sentence: "killed by SIGILL at work+0x12
 * (program+0x1162): …"; nothing if no signal did.
 */
TAKT_API void takt_trace_write_killed(const struct takt_trace_totals *totals,
				      struct takt_text *text);
/*
 * Append which parts of the program the figures lack, one sentence per line; nothing if they lack
 * none.
 */
TAKT_API void takt_trace_write_missing(const struct takt_trace_totals *totals,
				       struct takt_text *text);

/*
 * Read totals from a file that takt_write_trace_json() wrote: of the profile, only functions and
 * blocks. Close them by takt_trace_result_close().
 */
TAKT_API TAKT_MUST_CHECK enum takt_status
takt_trace_result_open(const char *path, struct takt_diag *diag,
		       struct takt_trace_totals **ret_totals);
TAKT_API void takt_trace_result_close(struct takt_trace_totals *totals);
/*
 * True if the file looks like a result; false if it cannot be read. True for "-", standard input,
 * and for pipes, which are not read.
 */
TAKT_API bool takt_trace_is_result(const char *path);

#ifdef __cplusplus
}
#endif

#endif
