/* SPDX-License-Identifier: MIT */
/*
 * timing: the sink that sends every thread's steps through a pipeline of its own, with caches
 * and a branch predictor in front of it if they are wanted. What a step costs comes back when
 * it has retired, and is charged to its place in the profile.
 */
#ifndef TAKT_TRACE_TIMING_H
#define TAKT_TRACE_TIMING_H

#include "branch/branch.h"
#include "cache/cache.h"
#include "isa/llvm.h"
#include "sim/sim.h"
#include "trace/sample.h"
#include "trace/trace.h"

struct trace_profile;

/* window.c: a part of a thread's run of which a timeline is made. */
struct trace_window {
	struct takt_trace_window wanted; /* a count of 0: none */
	const struct trace_dictionary *dictionary;
	uint64_t fed;                   /* instructions of the thread, to its pipeline */
	bool begun;
	struct takt_timeline *timeline; /* once its end, or the thread's, was reached */
};

struct trace_timing_options {
	const struct takt_model *model;
	bool cache, branch;       /* else every access hits L1, every branch is foreseen */
	bool sample;              /* simulate parts only */
	uint64_t seed;            /* that chooses them */
	uint32_t syscall_cycles;  /* of each system call */
	uint32_t syscall_sigreturn; /* the number of the one that ends a signal's handler */
	bool no_memo;             /* all is simulated, though the same may have been before */
	uint32_t memo_check;      /* of what is not, one in so many is */
};

/* What a thread took that has ended. */
struct trace_timing_result {
	struct sim_stream_totals totals; /* estimated, if it is a sample */
	double cycles, half_width;       /* of a sample: without system calls */
	uint64_t units, measured_cycles;
};

/* What the code of a block is, found when it first runs. */
struct trace_timing_block {
	struct sim_code_block *code;
	uint8_t branch_kind;      /* enum branch_kind of the last instruction */
	bool branches;            /* it is a control transfer */
	uint8_t element_bytes;    /* of the string instruction it ends in, or 0 */
	bool copies;              /* that one moves or stores in long pieces */
	uint16_t unknown;         /* instructions that cannot be decoded: timed as nop */
	uint16_t defaults;        /* known by their class only */
	bool *past;               /* of each instruction: it stores past the caches; NULL: none */
	struct takt_vector_use vector_use;
	uint32_t vectors;         /* settings at its begin; see struct timing_vectors */
	uint32_t vectors_behind;  /* if it sets them */
	struct trace_timing_block *other; /* under other settings, if that makes a difference */
};

/*
 * What vector units of RISC-V were set to (LMUL, SEW), each once, by number: 0 is not known. How
 * long a vector instruction takes depends on it, so that a block may be several.
 */
struct timing_vectors {
	struct takt_llvm_settings *list;
	uint32_t count, capacity; /* 0, 0: instructions of the set do not depend on settings */
};

/* A translated block, by its number in the code. */
struct timing_translated {
	uint32_t number; /* in the dictionary */
	uint32_t vectors;
};

struct trace_timing_thread;

struct trace_timing {
	struct trace_sink sink;   /* first, so that it is one */
	struct sim_stream_sink retired;
	struct trace_shares shares; /* the cycles of each instruction */
	struct trace_sink *next;  /* gets all that this one gets, first */
	struct trace_timing_options options;
	struct trace_profile *profile; /* or NULL */
	struct sim_code *code;
	struct cache_shape shape;
	struct trace_timing_block *blocks; /* by number */
	uint32_t block_capacity;
	struct timing_translated *translated;
	uint32_t translated_count, translated_capacity;
	struct timing_vectors vectors;
	struct trace_timing_thread **threads; /* NULL: has ended */
	struct trace_timing_result *results;  /* of those that have */
	uint32_t thread_count, thread_capacity;
	struct takt_arena scratch;
	struct cache_counts cache_counts;     /* of all threads */
	struct branch_counts branch_counts;
	struct sim_memo_counts memo_counts;
	struct sim_stream_access *accesses; /* of the step at hand */
	uint32_t access_capacity;
	struct trace_window window;
	uint32_t weight;          /* of what retires now, in the profile */
	uint64_t simulated_insns;
	uint64_t unknown_insns, default_insns; /* of those */
	uint64_t unsettled_insns; /* as well: under unknown settings of the vector unit */
};

/* Before each step that the pipeline of the window's thread is fed with. */
void timing_window_step(struct trace_timing *timing, struct sim_stream *stream,
			const struct sim_stream_step *step);
/* Makes the timeline, if there is something, and it was not done. */
void timing_window_finish(struct trace_timing *timing, struct sim_stream *stream);

#define TIMING_HELD_MAX 64u

/* A step that ends in a string instruction, kept until all its elements have come. */
struct timing_held {
	struct sim_stream_step step;
	struct sim_stream_access accesses[TIMING_HELD_MAX];
	struct sim_stream_fetch fetches[TRACE_INSNS_MAX];
	uint64_t elements, miss_cycles; /* misses: of the elements behind the first */
	uint32_t number;                /* of the block */
	uint8_t element_bytes;          /* as in struct trace_timing_block */
	bool copies;
	bool waits;
};

#define TIMING_SIGNALS_MAX 8u /* handlers within each other whose end restores settings */

struct trace_timing_thread {
	uint32_t number;
	uint32_t vectors; /* settings now */
	uint32_t interrupted[TIMING_SIGNALS_MAX], interrupted_count; /* those that signals met */
	struct sim_stream *stream;
	struct cache_hierarchy *cache; /* NULL: not wanted */
	struct branch_predictor *predictor;
	uint64_t line; /* of code that was fetched last */
	uint64_t cookie;
	struct sim_stream_fetch fetches[TRACE_INSNS_MAX];
	struct timing_held held;
	struct sample sample;
	struct sim_stream_totals unit_start, unit; /* of the unit at hand; sum of all */
	uint64_t system_cycles;
};

/* UNAVAILABLE if the core's file lacks what the options want. */
TAKT_MUST_CHECK enum takt_status takt_trace_timing_init(struct trace_timing *timing,
							const struct trace_timing_options *options,
							struct trace_sink *next,
							struct trace_profile *profile,
							struct takt_diag *diag);
void takt_trace_timing_release(struct trace_timing *timing);
/* Blocks are translated when they first run, and under settings that they first run under. */
const struct trace_timing_block *trace_timing_block(struct trace_timing *timing,
						    const struct trace_block *from,
						    uint32_t vectors);
void timing_blocks_free(struct trace_timing *timing);
/* An empty pipeline, and all that belongs to it. */
struct trace_timing_thread *timing_thread_new(struct trace_timing *timing, uint32_t number);
/* Makes room for threads up to this one; new ones are NULL. */
void timing_reserve_threads(struct trace_timing *timing, uint32_t number);
void takt_trace_timing_pack(struct trace_timing *timing, const struct trace_dictionary *dictionary,
			    struct takt_pack *pack);
/* The instructions of a block; returns how many of them nops stand in for. */
uint16_t timing_decode(const struct takt_isa *isa, const struct trace_block *from,
		       struct takt_insn *insns);

/* timing_vectors.c */
void timing_vectors_init(struct timing_vectors *vectors, const struct takt_isa *isa);
/* Sets the first `insn_count` decoded instructions' forms; returns the settings behind them. */
uint32_t timing_vectors_apply(struct trace_timing *timing, struct takt_insn *insns,
			      uint32_t insn_count, uint32_t before,
			      struct takt_vector_use *ret_use);
/* After the step: what the thread's vector unit is set to. */
void timing_vectors_step(struct trace_timing *timing, struct trace_timing_thread *thread,
			 const struct trace_step *step);
/* A signal's handler has ended: what it interrupted goes on under its own settings. */
void timing_vectors_return(struct trace_timing_thread *thread);
void timing_vectors_pack(struct timing_vectors *vectors, struct takt_pack *pack);

/* All threads have ended: fills in the µops, cycles and losses of each. */
void takt_trace_timing_finish(struct trace_timing *timing, struct takt_trace_counts *counts);

#endif
