/* SPDX-License-Identifier: MIT */
/*
 * timing: the sink that simulates each thread's blocks in a pipeline of its own, with caches and a
 * branch predictor if they are wanted. The cycles of a block are known when it has retired, and
 * are then charged to its block and call in the profile.
 */
#ifndef TAKT_TRACE_TIMING_H
#define TAKT_TRACE_TIMING_H

#include "branch/branch.h"
#include "cache/cache.h"
#include "isa/llvm.h"
#include "sim/sim.h"
#include "trace/timing/intervals.h"
#include "trace/timing/layouts.h"
#include "trace/timing/sample.h"
#include "trace/trace.h"

struct trace_profile;

/* window.c: the part of a thread's run that a timeline shows. */
struct trace_window {
	struct takt_trace_window wanted; /* a count of 0: no window */
	const struct trace_dictionary *dictionary;
	uint64_t fed; /* instructions of the thread that entered its pipeline */
	bool begun;
	struct takt_timeline *timeline; /* set once the end of the window or thread is reached */
};

struct trace_timing_options {
	const struct takt_model *model;
	bool cache, branch;	    /* if not: every access hits L1, every branch is predicted;
				     * takt_trace_timing_init() clears `cache` if the core's caches are
				     * not known */
	bool needs_cache;	    /* that is an error */
	bool sample;		    /* simulate parts only */
	uint64_t seed;		    /* seeds the random numbers that choose these parts */
	uint32_t syscall_cycles;    /* cycles of each system call */
	uint32_t syscall_sigreturn; /* number of the system call that ends a signal handler */
	bool no_memo;	     /* simulate everything; do not reuse results for repeated code */
	uint32_t memo_check; /* one in this many reused results is simulated as a check */
	/*
	 * Places of the code, and the number of the layout; NULL: where it ran. The timing of
	 * layout 0 is the `next` of that of layout 1, and so on: it comes first.
	 */
	struct trace_layouts *layouts;
	uint32_t layout;
};

/* Cycles and µops of a thread that has ended. */
struct trace_timing_result {
	struct sim_stream_totals totals; /* estimated, if it is a sample */
	double cycles, half_width;	 /* estimate of a sample, without system calls */
	uint64_t units, measured_cycles;
};

/* An instruction that ends in another line of code than the one before it. */
struct timing_fetch {
	uint16_t insn;
	uint16_t length_bytes;
	uint32_t offset_bytes; /* from the block's begin */
};

/* The translation of a block to simulated code, made when the block first runs. */
struct trace_timing_block {
	struct sim_code_block *code;
	uint8_t branch_kind;   /* enum branch_kind of the last instruction */
	uint8_t branch_bytes;  /* its length */
	bool branches;	       /* the last instruction is a control transfer */
	uint8_t element_bytes; /* element size of the string instruction at the end, or 0 */
	uint8_t string_kind;   /* of that instruction: enum takt_string_kind */
	uint16_t unknown;      /* instructions that cannot be decoded: timed as nop */
	uint16_t defaults;     /* instructions timed by the defaults of their class */
	uint16_t fetch_count;
	const struct timing_fetch *fetches; /* without layouts; in the timing's arena */
	bool *non_temporal; /* one per instruction: true for non-temporal stores; or NULL */
	struct takt_vector_use vector_use;
	uint32_t piece;			  /* piece of code that it was placed with (layouts.h) */
	uint32_t vectors;		  /* settings at the begin; see struct timing_vectors */
	uint32_t vectors_behind;	  /* settings at the end, if the block changes them */
	struct trace_timing_block *other; /* translation for other settings, if it differs */
};

/*
 * The settings (LMUL, SEW) of RISC-V vector units that occurred, each once, by number; 0 is
 * unknown. The cycles of a vector instruction depend on them, so that one block may have several
 * translations.
 */
struct timing_vectors {
	struct takt_llvm_settings *list;
	uint32_t count, capacity; /* 0, 0: the instruction set has no such settings */
};

/* A translated block, by its number in the code. */
struct timing_translated {
	uint32_t number; /* number of the block in the dictionary */
	uint32_t vectors;
};

struct trace_timing_thread;

struct trace_timing {
	struct trace_sink sink; /* first, so that it is one */
	struct sim_stream_sink retired;
	struct trace_shares shares; /* cycles of each instruction of a block */
	struct trace_sink *next;    /* gets all calls, before this sink handles them */
	struct trace_timing *first; /* the timing of layout 0; it notes what runs in the profile */
	struct trace_timing_options options;
	struct trace_profile *profile; /* or NULL */
	struct sim_code *code;
	struct cache_shape shape;
	struct trace_timing_block *blocks; /* by block number */
	uint32_t block_capacity;
	struct timing_translated *translated;
	uint32_t translated_count, translated_capacity;
	struct timing_vectors vectors;
	struct trace_timing_thread **threads; /* NULL: the thread has ended */
	struct trace_timing_result *results;  /* results of the threads that have ended */
	uint32_t thread_count, thread_capacity, result_capacity;
	struct takt_arena scratch, fetches;
	struct trace_intervals intervals; /* of the run; empty with layouts */
	uint32_t interval_thread;	  /* the thread that was timed last */
	struct cache_counts cache_counts; /* sum of all threads that have ended */
	struct branch_counts branch_counts;
	struct sim_memo_counts memo_counts;
	struct sim_stream_access *accesses; /* accesses of the current block */
	struct sim_stream_prefetch *prefetches;
	uint32_t access_capacity, prefetch_capacity, prefetch_count;
	struct trace_window window;
	uint32_t weight; /* factor, in the profile, of the cycles that retire now */
	uint64_t simulated_insns;
	uint64_t unknown_insns, default_insns; /* simulated: undecodable; by class defaults */
	uint64_t unsettled_insns; /* simulated under unknown settings of the vector unit */
	bool stuck; /* a pipeline that was resumed made no progress: its checkpoint is wrong */
};

/*
 * Begin to record when the window's first instruction comes near; called before each block that
 * enters the pipeline of the window's thread.
 */
void timing_window_execute(struct trace_timing *timing, struct sim_stream *stream,
			   const struct sim_stream_step *executed);
/* Make the timeline, if the window has begun and the timeline is not made yet. */
void timing_window_finish(struct trace_timing *timing, struct sim_stream *stream);

#define TIMING_HELD_MAX 64u

/* A block that ends in a string instruction, held back until all its elements have come. */
struct timing_held {
	struct sim_stream_step executed;
	struct sim_stream_access accesses[TIMING_HELD_MAX];
	struct sim_stream_fetch fetches[TRACE_INSNS_MAX];
	uint64_t elements, miss_cycles; /* miss_cycles: of all elements but the first */
	uint64_t lines;			/* lines that were prefetched from memory for them */
	uint32_t number;		/* number of the block */
	uint8_t element_bytes;		/* see struct trace_timing_block */
	uint8_t string_kind;
	bool waits;
};

#define TIMING_SIGNALS_MAX 8u /* nested signal handlers whose end restores the settings */

struct trace_timing_thread {
	uint32_t number;
	uint32_t vectors; /* current settings of the vector unit */
	/* Settings of the code that signal handlers interrupted, outermost first. */
	uint32_t interrupted[TIMING_SIGNALS_MAX], interrupted_count;
	struct sim_stream *stream;
	struct cache_hierarchy *cache; /* NULL: not wanted */
	struct branch_predictor *predictor;
	uint64_t line;		   /* cache line of code that was fetched last */
	struct layout_shift shift; /* of the block that runs */
	uint64_t stack; /* address of the first access, which is to the stack; 0: none yet */
	uint64_t cookie;
	struct sim_stream_fetch fetches[TRACE_INSNS_MAX];
	struct timing_held held;
	struct sample sample;
	struct sim_stream_totals unit_start, unit; /* at the unit's start; sum of all units */
	uint64_t system_cycles;
	struct sim_stream_totals in_intervals; /* what the intervals have of this thread */
};

/* Return UNAVAILABLE if the core's file lacks parameters that the options need. */
TAKT_MUST_CHECK enum takt_status takt_trace_timing_init(struct trace_timing *timing,
							const struct trace_timing_options *options,
							struct trace_sink *next,
							struct trace_profile *profile,
							struct takt_diag *diag);
void takt_trace_timing_release(struct trace_timing *timing);
/*
 * Return the translation of a block for vector settings `vectors`; it is made when it is first
 * asked for.
 */
const struct trace_timing_block *
trace_timing_block(struct trace_timing *timing, const struct trace_block *from, uint32_t vectors);
/* The same, without a call for a block that has its only translation. */
static inline const struct trace_timing_block *
timing_block_of(struct trace_timing *timing, const struct trace_block *from, uint32_t vectors)
{
	if (from->number < timing->block_capacity && !timing->options.layouts) {
		const struct trace_timing_block *block = &timing->blocks[from->number];

		if (block->code && !block->vector_use.depends)
			return block;
	}
	return trace_timing_block(timing, from, vectors);
}

/* Describe the branch that ends a block; false if there is none, or nothing to predict of it. */
static inline bool timing_branch(const struct trace_timing_block *block,
				 const struct executed_block *executed, struct branch *ret_branch)
{
	const struct trace_block *from = executed->block;
	uint64_t next = executed->next_address;

	if (!block->branches || !next || executed->insn_count < from->insn_count)
		return false;
	*ret_branch = (struct branch){
		.address = from->end - block->branch_bytes,
		.end = from->end,
		.next = next,
		.kind = (enum branch_kind)block->branch_kind,
		.taken = next != from->end,
	};
	return true;
}

void timing_blocks_free(struct trace_timing *timing);
/* Create the state of a thread, with an empty pipeline. */
struct trace_timing_thread *timing_thread_new(struct trace_timing *timing, uint32_t number);
/* Make room for threads up to this number; new entries are NULL. */
void timing_reserve_threads(struct trace_timing *timing, uint32_t number);
void takt_trace_timing_pack(struct trace_timing *timing, const struct trace_dictionary *dictionary,
			    struct takt_pack *pack);
/*
 * Decode the instructions of a block. Return the number of instructions that cannot be decoded;
 * nops take their place.
 */
uint16_t timing_decode(const struct takt_isa *isa, const struct trace_block *from,
		       struct takt_insn *insns);

/* timing_learn.c: update caches and predictor for a block that is not simulated. */
void timing_learn(struct trace_timing *timing, struct trace_timing_thread *thread,
		  const struct executed_block *executed);

/* Return the causes of cycles that are known of the whole run so far. */
void timing_find_causes(const struct trace_timing *timing, const struct trace_timing_thread *thread,
			double ret_causes[SAMPLE_CAUSES]);

/* timing_vectors.c */
void timing_vectors_init(struct timing_vectors *vectors, const struct takt_isa *isa);
/*
 * Set the forms of the first `insn_count` instructions as the settings `before` them say. Return
 * the settings after them.
 */
uint32_t timing_vectors_apply(struct trace_timing *timing, struct takt_insn *insns,
			      uint32_t insn_count, uint32_t before,
			      struct takt_vector_use *ret_use);
/* Update the thread's vector settings after a block, if the instruction set has any. */
void timing_vectors_execute(struct trace_timing *timing, struct trace_timing_thread *thread,
			    const struct executed_block *executed);
/* Restore the vector settings of the code that a signal handler interrupted. */
void timing_vectors_return(struct trace_timing_thread *thread);
void timing_vectors_pack(struct timing_vectors *vectors, struct takt_pack *pack);

/* layout_totals.c */

/*
 * Fill in the means over all layouts, instead of takt_trace_timing_finish(). What the first timing
 * counted becomes the mean, too.
 */
struct takt_trace_layouts *trace_layouts_finish(struct trace_timing *const *timings, uint32_t count,
						struct takt_trace_counts *threads,
						uint32_t thread_count);

/* Fill in the µops, cycles and losses of each thread, when all threads have ended. */
void takt_trace_timing_finish(struct trace_timing *timing, struct takt_trace_counts *counts);

#endif
