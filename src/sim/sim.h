/* SPDX-License-Identifier: MIT */
/*
 * sim: the pipeline simulator. The in-order half (fetch to rename, retire) goes cycle by cycle; the
 * out-of-order half is resolved at rename: a µop's dispatch is the first cycle its port is free
 * after its operands are ready, and since µops are renamed in program order, that is what an
 * oldest-first scheduler picks. See docs/architecture/sim.md.
 */
#ifndef TAKT_SIM_H
#define TAKT_SIM_H

#include "depend/depend.h"

/* A block and what earlier modules found out about it. */
struct sim_block {
	const struct takt_model *model;
	const struct takt_block *block;
	const struct takt_timing *timings; /* one for each instruction */
	const bool *fused; /* for each instruction: it is macro-fused with the one before */
	const struct takt_memory_edge *edges; /* memory dependences */
	uint32_t edge_count;
	/* Registers of which the value at entry is known, and so the place of what they point to.
	 */
	const struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
};

enum sim_uop_kind {
	SIM_UOP_COMPUTE,
	SIM_UOP_LOAD,
	SIM_UOP_STORE_ADDRESS,
	SIM_UOP_STORE_DATA,
};

/* Causes for which a cycle is lost (stall causes). X(enumerator, word, text) */
#define SIM_STALL_LIST(X)                                                                          \
	X(SIM_STALL_NONE, "nothing", "nothing")                                                    \
	X(SIM_STALL_LATENCY, "latency", "latency of instructions")                                 \
	X(SIM_STALL_LOAD, "load latency", "latency of loads from the cache")                       \
	X(SIM_STALL_FORWARD, "store forwarding", "latency of store forwarding")                    \
	X(SIM_STALL_FORWARD_FAIL, "failed forwarding", "failed store forwarding")                  \
	X(SIM_STALL_PORT, "port", "a port that other µops keep busy")                              \
	X(SIM_STALL_UNIT, "unit", "a busy unit that is not pipelined")                             \
	X(SIM_STALL_BANK, "cache bank", "cache bank conflicts")                                    \
	X(SIM_STALL_PREDECODE, "predecode", "the predecoder")                                      \
	X(SIM_STALL_LENGTH_CHANGE, "length-changing prefix", "length-changing prefixes")           \
	X(SIM_STALL_DECODE, "decode", "the decoders")                                              \
	X(SIM_STALL_OP_CACHE, "op cache", "the op cache")                                          \
	X(SIM_STALL_LOOP_BUFFER, "loop buffer", "the loop buffer")                                 \
	X(SIM_STALL_MICROCODE, "microcode", "the microcode sequencer")                             \
	X(SIM_STALL_RENAME, "rename", "width of rename")                                           \
	X(SIM_STALL_BRANCH, "taken branches", "taken branches, whose number per cycle is limited") \
	X(SIM_STALL_MERGE, "merge", "merges of partially written registers")                       \
	X(SIM_STALL_SERIALIZE, "serialize", "serializing instructions")                            \
	X(SIM_STALL_ROB, "reorder buffer", "full reorder buffer")                                  \
	X(SIM_STALL_SCHEDULER, "scheduler", "full scheduler")                                      \
	X(SIM_STALL_LOAD_QUEUE, "load queue", "full load queue")                                   \
	X(SIM_STALL_STORE_QUEUE, "store queue", "full store queue")                                \
	X(SIM_STALL_COMMIT, "store commit", "commit of stores to the cache")                       \
	X(SIM_STALL_RETIRE, "retire", "width of retirement")

enum sim_stall {
#define X(name, word, text) name,
	SIM_STALL_LIST(X)
#undef X
		SIM_STALL_COUNT
};

const char *takt_stall_word(enum sim_stall wait);
const char *takt_stall_text(enum sim_stall wait);

#define SIM_PORT_NONE 255

/* One stall cause; shares are sorted by cycles, most first. Cycles are per iteration. */
struct sim_stall_share {
	enum sim_stall cause;
	uint8_t port; /* the port, if the cause is PORT or UNIT; else SIM_PORT_NONE */
	double cycles;
	const uint32_t *insns; /* instructions responsible for it (those that take long, hold the
				* port, come late from the front end …), most cycles first */
	const double *insn_cycles; /* cycles of each of `insns`; they sum to `cycles` */
	uint32_t insn_count;
};

/*
 * Breakdown of an iteration's cycles in the steady state: the chain of last-arriving events, walked
 * backwards, each cycle of which has one cause. A part of the chain that leads through a full
 * buffer counts for that buffer, whatever it waits for meanwhile. All shares sum to `cycles`, the
 * simulated cycles per iteration.
 */
struct sim_stalls {
	double cycles;
	const struct sim_stall_share *shares;
	uint32_t share_count;
	bool exact; /* the chain was seen to repeat */
};

struct sim_known;

struct sim_options {
	bool loop;		      /* the block ends in a branch to its start; else copies of it
				       * follow each other */
	bool placed;		      /* each instruction is at its own address, where fetch finds
				       * it: control goes to whatever instruction comes next */
	uint32_t alignment_bytes;     /* offset of the block's start in its 64-byte line */
	uint32_t pointer_shift_bytes; /* registers point this far after the middle of a 64-byte
				       * line */
	/* Parts of the core that are left out, to see what they contribute. */
	bool ideal_front_end, no_micro_fusion;
	uint32_t iterations_max; /* iterations after which the search for a steady state ends; 0:
				  * the default */
	struct sim_stalls *ret_stalls; /* if not NULL: filled with the stall causes, in the arena */
	/* If not NULL: blocks of the same core whose figures need not be found again. */
	struct sim_known *known;
};

struct sim_summary {
	double cycles; /* cycles per iteration, in the steady state */
	/*
	 * Iterations retire alike after this many; 0: no repetition was seen, and `cycles` is the
	 * slope over the second half.
	 */
	uint32_t period_iterations;
	uint64_t simulated_cycles;
	uint32_t simulated_iterations;
};

/* ---- life of each µop, for timelines ---- */

#define SIM_TRACE_NONE UINT32_MAX

/* A µop of a trace. Times are cycles from 0 on. */
struct sim_trace_uop {
	enum sim_uop_kind kind;
	uint8_t port, unit; /* SIM_PORT_NONE: none */
	uint8_t location;   /* location of the operand it waited for; 0: memory, or its own load */
	uint32_t slot;	    /* index of its slot in the trace */
	uint32_t ready;	    /* cycle in which its operands are ready and it is in the scheduler */
	uint32_t dispatched, done;
	uint32_t source; /* µop whose result it waited for in the scheduler; SIM_TRACE_NONE: none */
	uint32_t store;	 /* of a load: µop of the store whose value it had to wait for */
};

/* The parts that deliver issue slots to the µop queue. */
enum sim_slot_source {
	SIM_SOURCE_OP_CACHE,
	SIM_SOURCE_DECODERS,
	SIM_SOURCE_LOOP_BUFFER,
	SIM_SOURCE_MICROCODE,
	SIM_SOURCE_COUNT
};

/* An issue slot of an instruction, or one that rename inserts before it. */
struct sim_trace_slot {
	uint32_t insn; /* index of the instruction in the block */
	uint32_t iteration;
	uint32_t first_uop, uop_count;
	enum sim_slot_source source;
	/*
	 * fetched: the predecoder takes the instruction's first byte. predecoded: it is in the
	 * instruction queue. Both are `queued` if it was not decoded. queued: decoded, and in the
	 * µop queue.
	 */
	uint32_t fetched, predecoded, queued, renamed, done, retired;
	bool inserted;
};

struct sim_trace_cycle {
	enum sim_stall stop;	  /* why rename stopped in this cycle; NONE: the queue was empty */
	enum sim_stall front_end; /* why the front end brought no more µops; RENAME: the queue was
				   * full */
};

struct sim_trace {
	uint32_t iterations; /* complete iterations; fewer than wanted if they are too long */
	const struct sim_trace_slot *slots; /* in program order */
	const struct sim_trace_uop *uops;   /* in program order */
	const struct sim_trace_cycle *cycles;
	uint32_t slot_count, uop_count, cycle_count;
};

/* Simulate the first `iterations` iterations from an empty pipeline on, and record each µop. */
void takt_simulate_trace(const struct sim_block *block, const struct sim_options *options,
			 uint32_t iterations, struct takt_arena *arena,
			 struct sim_trace *ret_trace);

/*
 * True if the core executes in order: a scheduler of no more than one cycle's slots leaves nothing
 * to choose from.
 */
static inline bool takt_sim_is_in_order(const struct takt_core_params *params)
{
	return params->scheduler_entries <= params->issue_width;
}

/*
 * Create an empty store of what blocks took, for one core and one thread. A block that differs from
 * an earlier one in nothing that the pipeline sees is not simulated again.
 */
struct sim_known *takt_sim_known_new(void);
void takt_sim_known_free(struct sim_known *known);

/* Simulate the block until the pipeline's state repeats. Scratch memory comes from the arena. */
void takt_simulate(const struct sim_block *block, const struct sim_options *options,
		   struct takt_arena *arena, struct sim_summary *ret_summary);

/* A whole execution of a loop. Cycles count from the first in which its code can execute. */
struct sim_execution {
	double retired_cycles; /* until the last instruction has retired */
	/* Until the first instruction after the loop can execute, if its exit was mispredicted. */
	double left_cycles;
};

/*
 * Simulate a loop that is entered with an empty pipeline and left after `iterations` (≥ 1).
 * `steady` is what takt_simulate() found with the same options, without an end.
 */
void takt_simulate_execution(const struct sim_block *block, const struct sim_options *options,
			     const struct sim_summary *steady, uint64_t iterations,
			     struct takt_arena *arena, struct sim_execution *ret_execution);

/* ---- whole programs: code that grows, and cores that are fed with what ran ---- */

/* The instructions of many blocks as the pipeline sees them, shared by any number of streams. */
struct sim_code;

/*
 * The records of a block that begin in one window of the op cache: where the first one is, and the
 * op cache lines that they fill if control enters the window with it.
 */
struct sim_code_window {
	uint32_t record, offset_bytes; /* its index in the block; from the block's begin */
	uint16_t slots, constants;     /* used in the last line */
	uint16_t end_bytes;	/* from the first record to the end of the last line's window */
	uint8_t lines, waiting; /* lines begun; length-changing prefixes in second halves */
	bool known;		/* the figures fit; if not, records are to be counted */
	bool refused, last_waits, open;
};

/* Consecutive instructions in memory that are entered only at the first. */
struct sim_code_block {
	const uint32_t *records; /* record numbers in the code; a fused pair is one record */
	uint32_t record_count, insn_count;
	uint64_t address;
	uint64_t *insn_parts;  /* for each instruction: cycles spent on it by all streams, in
				* units of 1 / (2 * SIM_CYCLE_PARTS) cycle */
	uint32_t number;       /* position in the order in which blocks were added */
	uint32_t window_count; /* 0 without an op cache */
	const struct sim_code_window *windows;
};

/*
 * Create a code without blocks; NULL if there is no address space for it. Blocks may be added while
 * streams run, but all must be used by one thread.
 */
struct sim_code *takt_sim_code_new(const struct takt_model *model);
void takt_sim_code_free(struct sim_code *code);
/* Release all but the blocks and the cycles of their instructions; no stream may run any more. */
void takt_sim_code_settle(struct sim_code *code);
/*
 * Add a block that lives as long as the code does. A block that equals an earlier one takes next to
 * no memory. Returns NULL if there is no room for it, or if it has no instructions or more than
 * UINT16_MAX.
 */
struct sim_code_block *takt_sim_code_add(struct sim_code *code, uint64_t address,
					 const struct takt_insn *insns, uint32_t insn_count);

/* Categories of top-down analysis, level 2. X(enumerator, word, level 1) */
#define SIM_TOP_DOWN_LIST(X)                                                                       \
	X(SIM_LIGHT_OPERATIONS, "light operations", SIM_RETIRING)                                  \
	X(SIM_HEAVY_OPERATIONS, "heavy operations", SIM_RETIRING)                                  \
	X(SIM_BRANCH_MISPREDICTS, "branch mispredicts", SIM_BAD_SPECULATION)                       \
	X(SIM_FETCH_LATENCY, "fetch latency", SIM_FRONT_END_BOUND)                                 \
	X(SIM_FETCH_BANDWIDTH, "fetch bandwidth", SIM_FRONT_END_BOUND)                             \
	X(SIM_MEMORY_BOUND, "memory bound", SIM_BACK_END_BOUND)                                    \
	X(SIM_CORE_BOUND, "core bound", SIM_BACK_END_BOUND)                                        \
	X(SIM_NO_SLOTS, "system", SIM_OUTSIDE)

/* The same, level 1; cycles of system calls are outside of them. */
#define SIM_TOP_DOWN_FIRST_LIST(X)                                                                 \
	X(SIM_RETIRING, "retiring")                                                                \
	X(SIM_BAD_SPECULATION, "bad speculation")                                                  \
	X(SIM_FRONT_END_BOUND, "frontend bound")                                                   \
	X(SIM_BACK_END_BOUND, "backend bound")                                                     \
	X(SIM_OUTSIDE, "system")

enum sim_top_down_first {
#define X(name, word) name,
	SIM_TOP_DOWN_FIRST_LIST(X)
#undef X
		SIM_TOP_DOWN_FIRST_COUNT
};

enum sim_top_down {
#define X(name, word, first) name,
	SIM_TOP_DOWN_LIST(X)
#undef X
		SIM_TOP_DOWN_COUNT
};

/*
 * The issue slots of each cycle of a program are spent on one of these: those in which rename
 * issues a µop, on retiring it; those that stay empty, on the reason why. X(enumerator, word, level
 * 2, kind of limit: enum sim_limit)
 */
#define SIM_LOSS_LIST(X)                                                                           \
	X(SIM_LOSS_RETIRING, "retiring", SIM_LIGHT_OPERATIONS, SIM_LIMIT_WIDTH)                    \
	X(SIM_LOSS_HEAVY, "heavy retiring", SIM_HEAVY_OPERATIONS, SIM_LIMIT_WIDTH)                 \
	X(SIM_LOSS_FETCH, "fetch latency", SIM_FETCH_LATENCY, SIM_LIMIT_FRONT_END)                 \
	X(SIM_LOSS_TAKEN, "taken branches", SIM_FETCH_BANDWIDTH, SIM_LIMIT_FRONT_END)              \
	X(SIM_LOSS_PREDECODE, "predecode", SIM_FETCH_BANDWIDTH, SIM_LIMIT_FRONT_END)               \
	X(SIM_LOSS_DECODE, "decode", SIM_FETCH_BANDWIDTH, SIM_LIMIT_FRONT_END)                     \
	X(SIM_LOSS_OP_CACHE, "op cache", SIM_FETCH_BANDWIDTH, SIM_LIMIT_FRONT_END)                 \
	X(SIM_LOSS_MICROCODE, "microcode", SIM_FETCH_BANDWIDTH, SIM_LIMIT_FRONT_END)               \
	X(SIM_LOSS_RENAME, "rename", SIM_FETCH_BANDWIDTH, SIM_LIMIT_WIDTH)                         \
	X(SIM_LOSS_BRANCH, "branch", SIM_BRANCH_MISPREDICTS, SIM_LIMIT_BRANCHES)                   \
	X(SIM_LOSS_PORTS, "ports", SIM_CORE_BOUND, SIM_LIMIT_PORTS)                                \
	X(SIM_LOSS_INTEGER, "integer latency", SIM_CORE_BOUND, SIM_LIMIT_DEPENDENCES)              \
	X(SIM_LOSS_MULTIPLY, "multiply latency", SIM_CORE_BOUND, SIM_LIMIT_DEPENDENCES)            \
	X(SIM_LOSS_DIVIDE, "divide latency", SIM_CORE_BOUND, SIM_LIMIT_DEPENDENCES)                \
	X(SIM_LOSS_FLOAT, "floating-point latency", SIM_CORE_BOUND, SIM_LIMIT_DEPENDENCES)         \
	X(SIM_LOSS_SERIALIZE, "serialize", SIM_CORE_BOUND, SIM_LIMIT_DEPENDENCES)                  \
	X(SIM_LOSS_RETIRE, "retirement width", SIM_CORE_BOUND, SIM_LIMIT_WIDTH)                    \
	X(SIM_LOSS_LOAD, "load latency", SIM_MEMORY_BOUND, SIM_LIMIT_DEPENDENCES)                  \
	X(SIM_LOSS_FORWARD, "store forwarding", SIM_MEMORY_BOUND, SIM_LIMIT_DEPENDENCES)           \
	X(SIM_LOSS_FORWARD_FAIL, "failed forwarding", SIM_MEMORY_BOUND, SIM_LIMIT_MEMORY)          \
	X(SIM_LOSS_L2, "level 2", SIM_MEMORY_BOUND, SIM_LIMIT_MEMORY)                              \
	X(SIM_LOSS_L3, "level 3", SIM_MEMORY_BOUND, SIM_LIMIT_MEMORY)                              \
	X(SIM_LOSS_MEMORY, "memory", SIM_MEMORY_BOUND, SIM_LIMIT_MEMORY)                           \
	X(SIM_LOSS_COMMIT, "store commit", SIM_MEMORY_BOUND, SIM_LIMIT_STORES)                     \
	X(SIM_LOSS_STORE_MISS, "store misses", SIM_MEMORY_BOUND, SIM_LIMIT_MEMORY)                 \
	X(SIM_LOSS_SYSTEM, "system", SIM_NO_SLOTS, SIM_LIMIT_SYSTEM)

enum sim_loss {
#define X(name, word, top_down, limit) name,
	SIM_LOSS_LIST(X)
#undef X
		SIM_LOSS_COUNT
};

/* Kinds of limits, as the engines of analyze name them, too. */
enum sim_limit {
	SIM_LIMIT_WIDTH, /* of rename or retirement: nothing else keeps instructions waiting */
	SIM_LIMIT_FRONT_END,
	SIM_LIMIT_BRANCHES,
	SIM_LIMIT_PORTS,
	SIM_LIMIT_DEPENDENCES,
	SIM_LIMIT_STORES,
	SIM_LIMIT_MEMORY,
	SIM_LIMIT_SYSTEM,
	SIM_LIMIT_COUNT
};

const char *takt_sim_loss_word(enum sim_loss loss);
enum sim_top_down takt_sim_loss_top_down(enum sim_loss loss);
enum sim_limit takt_sim_loss_limit(enum sim_loss loss);
const char *takt_sim_top_down_word(enum sim_top_down top_down);
enum sim_top_down_first takt_sim_top_down_first(enum sim_top_down top_down);
const char *takt_sim_top_down_first_word(enum sim_top_down_first first);

/* Parts of a cycle: instructions that retire together share a cycle, and so do causes. */
#define SIM_CYCLE_PARTS 256u

/* The parts of cycles that an execution of a block was charged with. */
struct sim_charges {
	uint64_t parts[SIM_LOSS_COUNT]; /* valid only for the losses of `losses` */
	uint32_t losses;		/* mask of the losses that are not 0 */
	uint32_t ports;	     /* mask of the ports that most of the loss to ports is due to */
	uint64_t port_parts; /* their parts, less those that are due to others */
};
_Static_assert(SIM_LOSS_COUNT <= 32, "a mask holds the losses");

/* Let `ports` and `*parts` stand for most of what was added: the majority vote of Boyer, Moore. */
static inline void sim_ports_vote(uint32_t *ports, uint64_t *parts, uint32_t more_ports,
				  uint64_t more_parts)
{
	if (*ports == more_ports) {
		*parts += more_parts;
	} else if (more_parts > *parts) {
		*ports = more_ports;
		*parts = more_parts - *parts;
	} else {
		*parts -= more_parts;
	}
}

struct sim_stream_access {
	uint64_t address;
	uint16_t insn; /* index in the block */
	uint8_t size_bytes;
	bool store;
	uint16_t extra_cycles; /* cycles beyond a hit in L1 (misses, translations); 0 without
				* caches */
	uint8_t prefetches;    /* lines that this access prefetched, next in the block's list */
};

#define SIM_PREFETCHES_MAX 2 /* of one access */

/* A line that an access lets be prefetched. */
struct sim_stream_prefetch {
	uint64_t address;
	uint8_t level; /* level from which it comes: 1, the second, to SIM_LEVELS_MAX - 1 */
};

#define SIM_LEVELS_MAX 4 /* three of caches, and memory */
#define SIM_LEVEL_MEMORY (SIM_LEVELS_MAX - 1)

/* Cycles that the fetch of an instruction takes. */
struct sim_stream_fetch {
	uint16_t insn, cycles;
};

/* An execution of a block. */
struct sim_stream_step {
	const struct sim_code_block *block;
	const struct sim_stream_access *accesses; /* in the order of instructions */
	const struct sim_stream_fetch *fetches;
	const struct sim_stream_prefetch *prefetches; /* in the order of accesses */
	uint32_t access_count, fetch_count;
	uint32_t insn_count;   /* instructions that ran: the first ones of the block */
	uint32_t extra_cycles; /* cycles that the last instruction takes beyond those of its
				* timing (string instructions with rep) */
	bool taken;	       /* control did not continue after the block */
	/*
	 * The last branch was mispredicted: what follows is fetched once it has executed, so that
	 * the first instruction out of the op cache can execute mispredict_cycles after it.
	 */
	bool mispredicted;
	uint16_t late_cycles; /* cycles by which what follows comes late */
	uint64_t cookie; /* the caller's mark, passed to the sink when the execution has retired */
};

/* Receives, when an execution's last instruction has retired, the parts of cycles spent on it. */
struct sim_stream_sink {
	void (*retired)(struct sim_stream_sink *sink, uint64_t cookie,
			const struct sim_charges *charges);
	/* True if the sink made the cookie, which comes from a checkpoint; NULL: it takes any. */
	bool (*knows)(struct sim_stream_sink *sink, uint64_t cookie);
};

struct sim_stream_options {
	struct sim_stream_sink *sink; /* receiver of retired executions, or NULL */
	uint32_t misses_max;	      /* misses that may be under way at once (line fill buffers);
				       * 0: no limit */
	uint32_t memory_cycles;	      /* accesses of at least this many extra cycles go to memory */
	uint32_t memory_line_cycles;  /* cycles between two lines from memory; 0: no limit */
	uint32_t level_cycles[SIM_LEVELS_MAX]; /* of prefetched lines, by where they come from */
	bool no_memo;	      /* simulate everything, even if it was simulated before */
	uint32_t check_every; /* simulate and compare one in this many reused chunks; 0: none */
};

struct sim_stream_totals {
	uint64_t insns, uops, cycles; /* retired instructions and µops; cycles since the start */
	/* Parts of cycles by what they were spent on; they sum to SIM_CYCLE_PARTS * `cycles`. */
	uint64_t losses[SIM_LOSS_COUNT];
	uint64_t ports[TAKT_PORTS_MAX]; /* those of SIM_LOSS_PORTS, by port */
};

struct sim_stream;

/*
 * The pipeline of one thread, empty at first. It takes constant memory; nothing is allocated per
 * instruction. Its front end lacks the loop buffer: short loops come out of the op cache.
 */
struct sim_stream *takt_sim_stream_new(struct sim_code *code,
				       const struct sim_stream_options *options);
void takt_sim_stream_free(struct sim_stream *stream);
/*
 * Feed an execution of a block, and simulate as far as possible without knowing what follows. What
 * is needed later is copied.
 */
void takt_sim_stream_step(struct sim_stream *stream, const struct sim_stream_step *step);
/*
 * Let the op cache learn an execution that is not simulated. The pipeline must be empty. Of the
 * step only the block, the number of instructions and how it ended are looked at.
 */
void takt_sim_stream_learn(struct sim_stream *stream, const struct sim_stream_step *step);
/* Let the pipeline empty, then rest for `cycles`: a system call, charged to `cookie`. */
void takt_sim_stream_rest(struct sim_stream *stream, uint32_t cycles, uint64_t cookie);
/*
 * True if nothing retires any more, whatever is fed: the state was loaded from a pack, and is one
 * that no run leads to.
 */
bool takt_sim_stream_is_stuck(const struct sim_stream *stream);
/* Let the pipeline empty; more may be fed afterwards. */
void takt_sim_stream_drain(struct sim_stream *stream);
void takt_sim_stream_totals(const struct sim_stream *stream, struct sim_stream_totals *ret_totals);

/*
 * Counts of what was not simulated because the same chunk had met the same core state before.
 * Totals are what a simulation gives, to the cycle; until the stream is drained they lag behind by
 * some more executions.
 */
struct sim_memo_counts {
	uint64_t insns_hit;
	uint64_t chunks, hits, checked, wrong; /* wrong: a programmer's error */
};

void takt_sim_stream_memo(const struct sim_stream *stream, struct sim_memo_counts *ret_counts);

/* An instruction that ran while a stream was recorded. */
struct sim_window_insn {
	const struct sim_code_block *block;
	uint16_t insn; /* index in the block */
	bool fused;    /* macro-fused with the one before */
};

#define SIM_WINDOW_MAX 4096u

/*
 * Record what happens to `count` (≤ SIM_WINDOW_MAX) instructions, after `skip` more were fed.
 * Recording does not change the cycles.
 */
void takt_sim_stream_record(struct sim_stream *stream, uint64_t skip, uint32_t count);
/*
 * Return what was recorded so far. The slots' `insn` is an index in `ret_insns`, which belongs to
 * the stream. Times count from when the first instruction was queued.
 */
void takt_sim_stream_window(struct sim_stream *stream, struct takt_arena *arena,
			    struct sim_trace *ret_trace, const struct sim_window_insn **ret_insns,
			    uint32_t *ret_insn_count);

/*
 * Save all that a stream and the code's blocks hold to a pack, or load it from one into a new
 * stream with the same options, of a code to which the same blocks were added in the same order.
 */
void takt_sim_code_pack(struct sim_code *code, struct takt_pack *pack);
void takt_sim_stream_pack(struct sim_stream *stream, struct takt_pack *pack);

#endif
