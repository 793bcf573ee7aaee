/* SPDX-License-Identifier: MIT */
/*
 * Analysis of one region: cycles per iteration, bounds, stall causes, dependences, advice; and
 * the timeline of its first iterations.
 */
#ifndef TAKT_ANALYSIS_API_H
#define TAKT_ANALYSIS_API_H

#include <takt/code.h>
#include <takt/dependences.h>
#include <takt/model.h>

#ifdef __cplusplus
extern "C" {
#endif

enum takt_mode {
	TAKT_MODE_AUTO, /* loop if the region ends in a branch back to its start, else unroll */
	TAKT_MODE_LOOP,
	TAKT_MODE_UNROLL, /* copies of the block follow each other, without a final branch */
};

/* The set of relaxations (struct takt_relaxation) that is simulated. */
enum takt_sensitivity {
	TAKT_SENSITIVITY_SHORT, /* the most promising ones, within a budget */
	TAKT_SENSITIVITY_FULL,	/* all of them */
	TAKT_SENSITIVITY_NONE,
};

struct takt_paths_options;
struct takt_path_loop;

/* The value of a register. */
struct takt_register_value {
	const char *name; /* "rax", "xmm3", "mxcsr" */
	uint64_t value;	  /* value of each 64-bit lane */
};

struct takt_analysis_options {
	bool bounds_only; /* no simulation: the headline is the largest bound */
	enum takt_mode mode;
	uint32_t alignment;	 /* 1 + the block's offset in a 64-byte line; 0: as its address
				  * says */
	bool all_alignments;	 /* simulate all 64 offsets and fill aligned_cycles */
	uint32_t iterations_max; /* iterations after which the search for a steady state ends; 0:
				  * the default */
	enum takt_sensitivity sensitivity;
	/*
	 * Source iterations per execution of the block, for unrolled loops; 0 means 1. Only the
	 * headline is divided by it: all other figures are per block execution, and the writers
	 * show both.
	 */
	double unroll_factor;
	bool fixed; /* split µops equally over their ports instead of optimally */
	bool no_memory_dependences;
	bool memory_streams; /* fill memory_streams and page_aliases of the record */
	bool overwrites;     /* fill overwrites of the record */
	/*
	 * Values of general registers on entry of the loop, if known. All other registers are
	 * assumed to be unrelated to each other.
	 */
	const struct takt_register_value *entry_values;
	size_t entry_value_count;
	enum takt_syntax print_syntax; /* syntax of x86-64 instruction texts; AUTO means Intel */
	/*
	 * Iterations with which loops are entered (predict.h; of it `iterations` and `loops`):
	 * `execution` of the record says what a whole execution takes. NULL: it is not looked at.
	 * Needs a simulation.
	 */
	const struct takt_paths_options *trips;
	TAKT_RESERVED_LESS(1);
};

/* Origins of figures; reports show the word beside a figure. X(enumerator, word, text) */
#define TAKT_ORIGIN_LIST(X)                                                                        \
	X(TAKT_ORIGIN_NONE, "none", "no figure")                                                   \
	X(TAKT_ORIGIN_MEASURED, "measured", "measured by takt, where the source says")             \
	X(TAKT_ORIGIN_PUBLISHED, "published", "published measurement")                             \
	X(TAKT_ORIGIN_VENDOR, "vendor", "vendor documentation")                                    \
	X(TAKT_ORIGIN_MODEL, "model", "a compiler's scheduling model")                             \
	X(TAKT_ORIGIN_INFERRED, "inferred", "composed from other forms")                           \
	X(TAKT_ORIGIN_SIMULATED, "simulated", "simulated")                                         \
	X(TAKT_ORIGIN_ESTIMATED, "estimated", "class default or estimate")

enum takt_origin {
#define X(name, word, text) name,
	TAKT_ORIGIN_LIST(X)
#undef X
		TAKT_ORIGIN_COUNT
};

TAKT_API const char *takt_origin_word(enum takt_origin origin);

#define TAKT_PORTS_MAX 32

/* One instruction of the analysed block. Cycles are per block execution. */
struct takt_analysis_insn {
	uint64_t address;
	uint8_t length_bytes;
	uint32_t line;	  /* source line; 0: unknown */
	const char *file; /* source file; NULL: unknown */
	const char *text; /* the user's own line if the input is text and the line has at
			   * most 200 bytes, else the disassembly */
	const char *form;
	const char *note;      /* "fused with next", "zero idiom", … or "" */
	uint16_t uops;	       /* µops on ports; the second instruction of a fused pair has those
				* of both */
	uint16_t slots;	       /* issue slots; 0 if fused with the instruction before */
	double latency_cycles; /* largest latency of all operand pairs that occur, including the
				* load's */
	double lcd_cycles;     /* its part of loop_carried_cycles; 0 if it is not on the worst
				* recurrence */
	double cp_cycles;      /* its part of the critical path */
	double stall_cycles;   /* its part of simulated_cycles */
	bool on_loop_carried, on_critical_path;
	double port_cycles[TAKT_PORTS_MAX];
	enum takt_origin origin;
	bool unknown; /* true if the default of its class is used */
};

struct takt_bounds {
	double ports_cycles;	    /* exact optimum of all assignments of µops to ports */
	double fixed_ports_cycles;  /* with µops split equally, as in the tables of the OSACA
				     * paper */
	double front_end_cycles;    /* bound of the slowest part before rename */
	const char *front_end_part; /* that slowest part: "predecoder", "decoders", "op cache",
				     * … */
	double issue_cycles;
	double loop_carried_cycles; /* maximum cycle ratio of the dependence graph; 0 without a
				     * recurrence */
	double critical_path_cycles;
	/*
	 * The critical path as published tables define it: each result waits for all operands read.
	 */
	double instruction_path_cycles;
};

/* One stall cause: what simulated cycles are lost to. */
struct takt_stall {
	const char *cause; /* "port", "latency", "reorder buffer", … */
	const char *text;  /* "a port that other µops keep busy" */
	const char *port;  /* name of the port, or "" */
	double cycles;
	const uint32_t *insns;	   /* indices of the instructions that the cycles are lost to, most
				    * cycles first */
	const double *insn_cycles; /* cycles lost to each of them */
	uint32_t insn_count;
};

/*
 * Result of a simulation in which one thing is better and all else the same. Cycles are per block
 * execution, and never more than the analysis's own.
 */
struct takt_relaxation {
	const char *what;   /* "one more port like p5" */
	const char *advice; /* what kind of recurrence it is about, if no change of code shortens
			     * that, or where to align; or "" */
	double cycles;
	const uint32_t *insns; /* indices of the instructions concerned, the most important
				* first */
	uint32_t insn_count;
};

/*
 * A change of the code that helps. It was made to the block and simulated: the cycles are those of
 * the changed code, per execution of the block as it is.
 */
struct takt_code_change {
	const char *what; /* "4 accumulators instead of 1, in a loop unrolled 4 times" */
	const char *how;  /* what to write, or an option of compilers */
	double cycles;
	const uint32_t *insns; /* indices of the instructions concerned; none: all */
	uint32_t insn_count;
};

/* A loop inside of a nest (TAKT_REGION_NEST). */
struct takt_inner_loop {
	const char *region_name;
	double cycles;	/* of one iteration, with the loops that are inside of it in turn; NaN if
			 * the trips of one of these are unknown */
	uint64_t trips; /* iterations each time that it is entered; 0: unknown */
};

/*
 * A loop that is entered and left, in cycles from the first in which its code can execute: with an
 * empty pipeline at the start, and a mispredicted branch at the end. Cycles are per entry.
 */
struct takt_execution {
	uint64_t iterations; /* of the block, each time that it is entered; 0: nothing is known */
	const char *trips;   /* origin of the iterations: "given", "code" or "assumed" */
	/* NaN of a nest, and of code that is no loop. */
	double cycles;	       /* of all that follows */
	double endless_cycles; /* iterations of the endless loop */
	double fill_cycles;    /* more, until the last instruction has retired; less than 0 if the
				* first iterations are faster */
	double exit_cycles;    /* more, until code after the mispredicted exit can execute */
	/*
	 * The same loop, those around it, from the inside out, and the function: cycles with the
	 * code around it and with branches predicted. Empty if the function is not known.
	 */
	const struct takt_path_loop *around;
	uint32_t around_count;
};

struct takt_analysis {
	const char *arch, *arch_title;
	const char *arch_doubt; /* why the core may be another one, as from takt_model_doubt();
				 * or NULL */
	const char *isa;	/* "x86-64", "aarch64", "llvm:…" */
	const char *region_name;
	enum takt_mode mode; /* the mode used: LOOP or UNROLL */
	double unroll_factor;
	double cycles_per_iteration; /* the headline, per source iteration: simulated or, with
				      * bounds_only, the largest bound except the critical path */
	const char *limit;	     /* "ports", "issue", "loop-carried dependence", … */
	struct takt_bounds bounds;   /* per block execution, as all figures below */
	bool fixed;		     /* port_cycles and the headline assume that µops are split
				      * equally */
	uint32_t issue_slots, issue_width;
	double simulated_cycles;   /* NaN with bounds_only */
	uint32_t simulated_period; /* iterations after which they retire alike again; 0: none was
				    * found, and the cycles are a mean */
	uint32_t alignment_bytes;  /* offset of the block in a 64-byte line */
	const struct takt_stall *stalls; /* worst first; their cycles sum to simulated_cycles */
	uint32_t stall_count;
	const double *aligned_cycles; /* cycles at each of the 64 offsets in a line; NULL unless
				       * asked for */
	const struct takt_relaxation *relaxations; /* fewest cycles first */
	uint32_t relaxation_count;
	bool relaxations_complete; /* false: only the most promising were simulated */
	uint32_t port_count;
	const char *port_names[TAKT_PORTS_MAX];
	bool port_pseudo[TAKT_PORTS_MAX];
	double port_cycles[TAKT_PORTS_MAX];
	const struct takt_analysis_insn *insns;
	uint32_t insn_count;
	const struct takt_recurrence
		*recurrences; /* recurrences within 5 % of the worst, worst first */
	uint32_t recurrence_count;
	bool recurrences_truncated;
	const struct takt_dependence *dependences; /* sorted by `to`, then by `from` */
	uint32_t dependence_count;
	const struct takt_memory_dependence *memory_dependences;
	uint32_t memory_dependence_count;
	const struct takt_memory_stream *memory_streams; /* filled only if asked for */
	uint32_t memory_stream_count;
	const struct takt_page_alias *page_aliases;
	uint32_t page_alias_count;
	const struct takt_overwrite *overwrites; /* filled only if asked for */
	uint32_t overwrite_count;
	const char *const *bottlenecks; /* sentences, most important first */
	uint32_t bottleneck_count;
	const char *const *notes;
	uint32_t note_count;
	const char *arch_choice; /* by what the core was chosen, as from takt_model_choice(); or
				  * NULL */
	const struct takt_code_change *changes; /* fewest cycles first */
	uint32_t change_count;
	const struct takt_inner_loop *inner_loops; /* of a nest, by address */
	uint32_t inner_loop_count;
	double nest_cycles;   /* of a nest: cycles of an iteration with all loops inside; NaN if
			       * their trips are unknown, and for other regions */
	const uint8_t *bytes; /* of all instructions, one after the other; NULL: unknown */
	struct takt_execution execution; /* only with options.trips */
	uint32_t lacking_count;		 /* instructions of ISA extensions that the core lacks */
};

TAKT_API TAKT_MUST_CHECK enum takt_status
takt_analyze(const struct takt_model *model, const struct takt_code *code, size_t region_index,
	     const struct takt_analysis_options *options, struct takt_diag *diag,
	     struct takt_analysis **ret_analysis);
TAKT_API void takt_analysis_free(struct takt_analysis *analysis);

/* ---- timeline --------------------------------------------------------- */

/* The simulated pipeline in the first iterations. Times are in cycles, from 0 on. */

#define TAKT_NO_PORT 255
#define TAKT_NO_INDEX UINT32_MAX

struct takt_timeline_uop {
	const char *kind;    /* "compute", "load", "store address", "store data", "merge" */
	uint32_t slot;	     /* index into the timeline's slots */
	uint8_t port, unit;  /* indices into the analysis's port_names, or TAKT_NO_PORT */
	uint32_t ready;	     /* cycle in which the operands are ready and the µop is in the
			      * scheduler */
	uint32_t dispatched; /* cycle in which it goes to its port */
	uint32_t done;
	uint32_t source;      /* index of the µop whose value it waited for; TAKT_NO_INDEX:
			       * none */
	const char *location; /* location of that value: "rax", "ymm0", "flags", "memory" */
	uint32_t store;	      /* of a load: index of the µop of the store whose value it waits
			       * for; TAKT_NO_INDEX: none */
};

/* An issue slot of an instruction, or one that rename inserts before it. */
struct takt_timeline_slot {
	uint32_t insn; /* index into the analysis's insns */
	uint32_t iteration;
	uint32_t first_uop, uop_count;
	uint32_t queued, renamed, done, retired;
	bool inserted;
};

/*
 * The way of a slot into the queue. An instruction that was not decoded, but came out of the op
 * cache or the loop buffer, is fetched, predecoded and queued in the same cycle.
 */
struct takt_timeline_fetch {
	const char *source;  /* "decoders", "op cache", "loop buffer", "microcode" */
	uint32_t fetched;    /* cycle in which the predecoder takes the instruction's first byte */
	uint32_t predecoded; /* cycle in which the instruction waits for the decoders */
};

struct takt_timeline_cycle {
	const char *stop;      /* why rename accepted no more µops */
	const char *front_end; /* why the front end delivered no more µops */
};

struct takt_timeline {
	const struct takt_analysis *analysis; /* names, instructions and bounds; without simulated
					       * figures */
	uint32_t iterations; /* complete iterations; fewer than requested if they are too
			      * long */
	bool is_part;	     /* the instructions are part of a program's run, with earlier ones
			      * still in flight */
	const struct takt_timeline_slot *slots; /* in program order, as are the µops */
	uint32_t slot_count;
	const struct takt_timeline_uop *uops;
	uint32_t uop_count;
	const struct takt_timeline_cycle *cycles;
	uint32_t cycle_count;
	const struct takt_timeline_fetch *fetches; /* by slot */
};

TAKT_API TAKT_MUST_CHECK enum takt_status
takt_timeline_new(const struct takt_model *model, const struct takt_code *code, size_t region_index,
		  const struct takt_analysis_options *options, uint32_t iterations,
		  struct takt_diag *diag, struct takt_timeline **ret_timeline);
TAKT_API void takt_timeline_free(struct takt_timeline *timeline);

#ifdef __cplusplus
}
#endif

#endif
