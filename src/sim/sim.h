/* SPDX-License-Identifier: MIT */
/*
 * sim: the pipeline. The in-order half (fetch to rename, retire) goes cycle by cycle;
 * the out-of-order half is resolved at rename: a µop's dispatch is the first cycle its
 * port is free after its operands are ready, and since µops are renamed in program
 * order, that is what an oldest-first scheduler picks. See ARCHITECTURE.md.
 */
#ifndef TAKT_SIM_H
#define TAKT_SIM_H

#include "depend/depend.h"

/* A block and what earlier rooms found out about it. */
struct sim_block {
	const struct takt_model *model;
	const struct takt_block *block;
	const struct takt_timing *timings; /* one for each instruction */
	const bool *fused;                 /* the instruction joined the one before */
	const struct takt_memory_edge *edges; /* memory dependences */
	uint32_t edge_count;
};

enum sim_uop_kind {
	SIM_UOP_COMPUTE,
	SIM_UOP_LOAD,
	SIM_UOP_STORE_ADDRESS,
	SIM_UOP_STORE_DATA,
};

/* What a cycle is spent waiting for. X(enumerator, word, text) */
#define SIM_WAIT_LIST(X)                                                                     \
	X(SIM_WAIT_NONE, "nothing", "nothing")                                               \
	X(SIM_WAIT_LATENCY, "latency", "results of other instructions")                      \
	X(SIM_WAIT_LOAD, "load latency", "values on the way from the cache")                 \
	X(SIM_WAIT_FORWARD, "store forwarding", "values on the way from a store to a load")  \
	X(SIM_WAIT_FORWARD_FAIL, "failed forwarding", "loads of what no single store wrote") \
	X(SIM_WAIT_PORT, "port", "a port that others use")                                   \
	X(SIM_WAIT_UNIT, "unit", "a unit that is not pipelined")                             \
	X(SIM_WAIT_BANK, "cache bank", "a bank of the cache that others read")               \
	X(SIM_WAIT_PREDECODE, "predecode", "the predecoder")                                 \
	X(SIM_WAIT_LENGTH_CHANGE, "length-changing prefix", "length-changing prefixes")      \
	X(SIM_WAIT_DECODE, "decode", "the decoders")                                         \
	X(SIM_WAIT_OP_CACHE, "op cache", "the op cache")                                     \
	X(SIM_WAIT_LOOP_BUFFER, "loop buffer", "the loop buffer")                            \
	X(SIM_WAIT_MICROCODE, "microcode", "the microcode sequencer")                        \
	X(SIM_WAIT_RENAME, "rename", "rename, which takes so many a cycle")                  \
	X(SIM_WAIT_BRANCH, "taken branches", "taken branches, of which so many go in a cycle")       \
	X(SIM_WAIT_MERGE, "merge", "registers written in parts to be put together")          \
	X(SIM_WAIT_SERIALIZE, "serialize", "an instruction that runs alone")                 \
	X(SIM_WAIT_ROB, "reorder buffer", "a place in the reorder buffer")                   \
	X(SIM_WAIT_SCHEDULER, "scheduler", "a place in the scheduler")                       \
	X(SIM_WAIT_LOAD_QUEUE, "load queue", "a place in the load queue")                    \
	X(SIM_WAIT_STORE_QUEUE, "store queue", "a place in the store queue")                 \
	X(SIM_WAIT_COMMIT, "store commit", "stores to be written to the cache")              \
	X(SIM_WAIT_RETIRE, "retire", "retirement, of so many a cycle")

enum sim_wait {
#define X(name, word, text) name,
	SIM_WAIT_LIST(X)
#undef X
	SIM_WAIT_COUNT
};

const char *takt_wait_word(enum sim_wait wait);
const char *takt_wait_text(enum sim_wait wait);

#define SIM_PORT_NONE 255

/* One cause, worst first. Cycles are per iteration. */
struct sim_wait_share {
	enum sim_wait cause;
	uint8_t port;             /* of PORT and UNIT, else SIM_PORT_NONE */
	double cycles;
	const uint32_t *insns;    /* that it is due to, most cycles first: who takes so long, holds
				   * the port, is late from the front end … */
	const double *insn_cycles; /* for each of them; sums to `cycles` */
	uint32_t insn_count;
};

/* A step of the path from instruction to instruction: `to` waits for `from`. */
struct sim_wait_link {
	uint32_t from, to, iterations; /* `from` is so many iterations older */
	uint8_t location;         /* register or flags; 0: memory */
	enum sim_wait cause;      /* LATENCY, LOAD, FORWARD or FORWARD_FAIL */
	double cycles;
};

/*
 * Where the cycles of an iteration go in the steady state: the chain of last-arriving
 * events, walked backwards, each cycle of which has one cause. A path that leads through a
 * full buffer is that buffer's, whatever it waits for meanwhile. All shares sum to `cycles`,
 * the simulated cycles per iteration.
 */
struct sim_waits {
	double cycles;
	const struct sim_wait_share *shares;
	uint32_t share_count;
	const double (*insns)[SIM_WAIT_COUNT]; /* of the block's instructions, by cause; the jump of
						* a fused pair has none */
	const struct sim_wait_link *links; /* most cycles first */
	uint32_t link_count;
	bool exact;               /* the path was seen to repeat */
};

struct sim_options {
	bool loop;                /* the block ends in a branch to its start; else copies follow */
	uint32_t alignment_bytes; /* of the block's start in its 64-byte line */
	uint32_t pointer_shift_bytes; /* registers point so far behind the middle of a 64-byte line */
	/* Parts left out, to see what they are good for. */
	bool ideal_front_end, no_micro_fusion;
	uint32_t iterations_max;  /* give up looking for a steady state; 0: what is usual */
	struct sim_waits *ret_waits; /* if not NULL: filled, in the arena */
};

struct sim_summary {
	double cycles;            /* per iteration, in the steady state */
	uint32_t period_iterations; /* the steady state repeats exactly after so many; 0: it was
				   * not seen to, and cycles is the slope over the second half */
	uint64_t simulated_cycles;
	uint32_t simulated_iterations;
};

/* ---- what happens to each µop: for timelines ---- */

#define SIM_TRACE_NONE UINT32_MAX

/* Times are cycles, from 0 on. */
struct sim_trace_uop {
	enum sim_uop_kind kind;
	uint8_t port, unit;       /* SIM_PORT_NONE: none */
	uint8_t location;         /* of the operand it waited for; 0: memory, or its own load */
	uint32_t slot;            /* index in the trace */
	uint32_t ready;           /* operands there, and the µop in the scheduler */
	uint32_t dispatched, done;
	uint32_t source;          /* µop that it waited for in the scheduler; SIM_TRACE_NONE: none */
	uint32_t store;           /* of loads: µop of the store whose value it had to wait for */
};

/* An issue slot of an instruction, or one that rename puts in before it. */
struct sim_trace_slot {
	uint32_t insn;            /* of the block */
	uint32_t iteration;
	uint32_t first_uop, uop_count;
	uint32_t queued, renamed, done, retired;
	bool inserted;
};

struct sim_trace_cycle {
	enum sim_wait stop;       /* why rename took no more; NONE: the queue was empty */
	enum sim_wait front_end;  /* what brought no more; RENAME: the queue was full */
};

struct sim_trace {
	uint32_t iterations;      /* complete ones; fewer than wanted if they are too long */
	const struct sim_trace_slot *slots; /* in program order */
	const struct sim_trace_uop *uops;   /* in program order */
	const struct sim_trace_cycle *cycles;
	uint32_t slot_count, uop_count, cycle_count;
};

/* The first `iterations`, from an empty pipeline on. */
void takt_simulate_trace(const struct sim_block *block, const struct sim_options *options,
			 uint32_t iterations, struct takt_arena *arena,
			 struct sim_trace *ret_trace);

/*
 * A scheduler of no more than one cycle's slots leaves nothing to choose from: the core
 * executes in order.
 */
static inline bool takt_sim_is_in_order(const struct takt_core_params *params)
{
	return params->scheduler_entries <= params->issue_width;
}

/* Runs until a state comes again. Scratch memory is the arena's. */
void takt_simulate(const struct sim_block *block, const struct sim_options *options,
		   struct takt_arena *arena, struct sim_summary *ret_summary);

/* ---- whole programs: code that grows, and cores that are fed ------------------- */

/* The instructions of many blocks as the pipeline sees them; serves any number of streams. */
struct sim_code;

/* Instructions that follow each other in memory, entered at the first one only. */
struct sim_code_block {
	const uint32_t *records; /* in the code; a fused pair has one */
	uint32_t record_count, insn_count;
	uint64_t address;
	uint64_t *insn_parts;    /* of cycles, for each instruction, of all streams; see below */
	uint32_t number;         /* in the order in which they were added */
};

/* NULL if there is no address space for it. It may grow while streams are there; one thread. */
struct sim_code *takt_sim_code_new(const struct takt_model *model);
void takt_sim_code_free(struct sim_code *code);
/* No stream runs any more: what is left are the blocks and the cycles of their instructions. */
void takt_sim_code_settle(struct sim_code *code);
/*
 * Lives as long as the code does. What is equal to what is there takes next to no memory.
 * NULL if there is no room for it, or it has no instructions or more than UINT16_MAX.
 */
struct sim_code_block *takt_sim_code_add(struct sim_code *code, uint64_t address,
					 const struct takt_insn *insns, uint32_t insn_count);

/* What a cycle of a program goes to, by the oldest instruction not yet retired. */
#define SIM_LOSS_LIST(X)                                                                   \
	X(SIM_LOSS_RETIRING, "retiring")          /* instructions retired in it */          \
	X(SIM_LOSS_FRONT_END, "front end")        /* nothing there: fetch, decode */        \
	X(SIM_LOSS_BRANCH, "branch")              /* nothing there: after a misprediction */ \
	X(SIM_LOSS_PORTS, "ports")                /* waits for a port or unit */             \
	X(SIM_LOSS_DEPENDENCES, "dependences")    /* for results, or is one's latency */     \
	X(SIM_LOSS_MEMORY, "memory")              /* for what is not in L1, or failed forwarding */ \
	X(SIM_LOSS_SYSTEM, "system")              /* stated costs of system calls */

enum sim_loss {
#define X(name, text) name,
	SIM_LOSS_LIST(X)
#undef X
	SIM_LOSS_COUNT
};

struct sim_stream_access {
	uint64_t address;
	uint16_t insn;          /* of the block */
	uint8_t size_bytes;
	bool store;
	uint16_t extra_cycles;  /* beyond a hit in L1 (misses, translations); 0 without caches */
};

/* The fetch of an instruction takes so long. */
struct sim_stream_fetch {
	uint16_t insn, cycles;
};

/* A block that ran. */
struct sim_stream_step {
	const struct sim_code_block *block;
	const struct sim_stream_access *accesses; /* in the order of instructions */
	const struct sim_stream_fetch *fetches;
	uint32_t access_count, fetch_count;
	uint32_t insn_count;     /* that ran: the first so many */
	uint32_t extra_cycles;   /* that the last instruction takes beyond what is known of it:
				  * of string instructions with rep */
	bool taken;              /* control went elsewhere than behind the block */
	bool mispredicted;       /* what follows is fetched once the last instruction is done, so
				  * that out of the op cache its first can execute
				  * mispredict_cycles after that one */
	uint16_t late_cycles;    /* or comes so much late */
	uint64_t cookie;         /* the caller's; told when the step has retired */
};

/* Of a cycle: what is told of steps is in these, since instructions that retire together share one. */
#define SIM_CYCLE_PARTS 256u

/* Of a step, when its last instruction has retired: parts of cycles spent on it. */
struct sim_stream_sink {
	void (*retired)(struct sim_stream_sink *sink, uint64_t cookie,
			const uint64_t parts[SIM_LOSS_COUNT]);
};

struct sim_stream_options {
	struct sim_stream_sink *sink; /* or NULL */
	uint32_t misses_max;          /* under way at once (line fill buffers); 0: no limit */
	uint32_t memory_cycles;       /* accesses of so many extra cycles and more go to memory */
	uint32_t memory_line_cycles;  /* and follow each other so far apart; 0: no limit */
	bool no_memo;                 /* all is simulated, though it may have been before */
	uint32_t check_every;         /* of what is not, one in so many is, and compared; 0: none */
};

struct sim_stream_totals {
	uint64_t insns, uops, cycles; /* retired; cycles from the start on */
	uint64_t losses[SIM_LOSS_COUNT]; /* sum up to cycles */
};

struct sim_stream;

/*
 * An empty pipeline: one thread's. Constant memory; nothing is allocated per instruction. Of
 * the front end it lacks the loop buffer: short loops come out of the op cache.
 */
struct sim_stream *takt_sim_stream_new(struct sim_code *code,
				       const struct sim_stream_options *options);
void takt_sim_stream_free(struct sim_stream *stream);
/* Simulates as far as the step's end need not be known. Copies what it keeps. */
void takt_sim_stream_step(struct sim_stream *stream, const struct sim_stream_step *step);
/* The pipeline empties, and rests for so long: a system call, charged to `cookie`. */
void takt_sim_stream_rest(struct sim_stream *stream, uint32_t cycles, uint64_t cookie);
/* The pipeline empties; more may follow. */
void takt_sim_stream_drain(struct sim_stream *stream);
void takt_sim_stream_totals(const struct sim_stream *stream, struct sim_stream_totals *ret_totals);

/*
 * What was not simulated, because the same had met the same core before: totals are what they
 * would be, to the cycle. They are behind by some more steps before the stream is drained.
 */
struct sim_memo_counts {
	uint64_t insns_hit;
	uint64_t chunks, hits, checked, wrong; /* wrong: a programmer's error */
};

void takt_sim_stream_memo(const struct sim_stream *stream, struct sim_memo_counts *ret_counts);

/* An instruction that ran while a stream was recorded. */
struct sim_window_insn {
	const struct sim_code_block *block;
	uint16_t insn;           /* of the block */
	bool fused;              /* with the one before */
};

#define SIM_WINDOW_MAX 4096u

/*
 * Records what becomes of `count` (≤ SIM_WINDOW_MAX) instructions, once `skip` more were fed.
 * Cycles stay what they are.
 */
void takt_sim_stream_record(struct sim_stream *stream, uint64_t skip, uint32_t count);
bool takt_sim_stream_is_recorded(const struct sim_stream *stream);
/*
 * What was recorded by now: slots' `insn` is an index in `ret_insns`, which is the stream's.
 * Times count from when the first one was queued.
 */
void takt_sim_stream_window(struct sim_stream *stream, struct takt_arena *arena,
			    struct sim_trace *ret_trace, const struct sim_window_insn **ret_insns,
			    uint32_t *ret_insn_count);

/*
 * All that a stream and the code's blocks hold, into a pack or out of it: into a new stream
 * with the same options, of a code to which the same blocks were added in the same order.
 */
void takt_sim_code_pack(struct sim_code *code, struct takt_pack *pack);
void takt_sim_stream_pack(struct sim_stream *stream, struct takt_pack *pack);

#endif
