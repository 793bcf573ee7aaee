/* SPDX-License-Identifier: MIT */
/* What the files of this room share: a block made ready, and the bench that times it. */
#ifndef TAKT_MEASURE_BENCH_H
#define TAKT_MEASURE_BENCH_H

#include "measure/host.h"

/* Floating-point formats whose numbers registers and memory can hold to begin with. */
enum takt_float {
	TAKT_FLOAT_DOUBLE, /* also of blocks that have none, or several */
	TAKT_FLOAT_SINGLE,
	TAKT_FLOAT_HALF,
	TAKT_FLOAT_BRAIN,
};

/* A block, and what it needs to run. Lives in the bench's arena. */
struct takt_subject {
	const uint8_t *bytes;
	size_t size_bytes;
	struct takt_insn *insns;   /* as far as they decode */
	uint32_t insn_count;
	uint32_t gpr_used;         /* bit by number */
	uint16_t vector_bytes;     /* widest access, 0 if none */
	bool high_vectors;         /* registers 16 to 31 */
	bool masks, x87;
	bool x87_extended;         /* loads x87 numbers of 80 bits */
	bool fs, gs;               /* uses the segment */
	enum takt_float floats;    /* what its floating-point operations work on */
	bool loads_addresses;      /* an address depends on what memory holds */
	bool loads_flags;	   /* all of them, the trap flag too */
};

/* Runs of a sample, in this order: the canaries stand guard at both ends. */
enum takt_run {
	TAKT_RUN_DISPATCH_CANARY,
	TAKT_RUN_CHAIN,
	TAKT_RUN_BLOCK,
	TAKT_RUN_LONG_CHAIN,
	TAKT_RUN_PRODUCTS, /* a chain of multiplications */
	TAKT_RUN_LONG_BLOCK,
	TAKT_RUN_VECTOR_CANARY,
	TAKT_SAMPLE_RUNS,
	TAKT_RUN_TRACE = TAKT_SAMPLE_RUNS, /* one copy, step by step; by itself */
	TAKT_RUN_COUNT
};

/* A command to the child: these runs, from `first` on. */
struct takt_order {
	enum takt_run first;
	uint32_t run_count, repeat;
	uint32_t flags; /* enum takt_child_flag */
};

/* The same chain of additions, this many, times the bench's `stretch`. */
#define TAKT_CHAIN_CYCLES 500u
#define TAKT_LONG_CHAIN_CYCLES 2000u
#define TAKT_PRODUCTS 500u

/* Lowest known cycles of the canaries, 0 before any are. */
struct takt_canaries {
	double dispatch_cycles, vector_cycles;
};

struct takt_bench {
	struct takt_measure_options options; /* defaults filled in */
	enum takt_clock clock;
	struct takt_text cpu, reason;
	struct takt_arena arena;             /* of the block at hand */
	struct takt_child child;
	struct takt_host_state state;        /* as options say, before a block's needs */
	size_t fixed_size_bytes;             /* of CODE: runner, chains, canaries */
	uint32_t entries[TAKT_RUN_COUNT];    /* offsets from the child's base */
	bool child_used;                     /* the child has run a block */
	uint32_t block_flags;                /* of commands to run it: enum takt_child_flag */
	double seconds_per_tick;
	double step_ticks; /* by which the clock goes on: 26 where it counts 10 ns at 2.6 GHz */
	uint32_t stretch;  /* chains and canaries are so many times as long for it */
	uint32_t passes;   /* of all copies of the block at hand in one of its runs */
	double deadline_seconds;             /* of the block at hand, monotonic */
	uint32_t dispatch_insns, vector_insns; /* that the canaries execute */
	/*
	 * `trusted` is known from processes that had not run any block yet; what is learned beside a
	 * block, which may meddle with it, goes to `canaries` and is used for that block alone.
	 */
	struct takt_canaries trusted, canaries;
};

/* ---- check.c ------------------------------------------------------------ */

/* Fills `ret_subject` as far as it decodes; OK, or why it is not to be run (`reason`). */
enum takt_measure_status takt_subject_init(const uint8_t *bytes, size_t size_bytes,
					   struct takt_arena *arena, struct takt_text *reason,
					   struct takt_subject *ret_subject);

/* ---- initial.c ---------------------------------------------------------- */

/* False if a register of the options does not exist: its index in *ret_index. */
bool takt_initial_registers(const struct takt_measure_options *options,
			    struct takt_host_state *ret_state, size_t *ret_index);
/* What a vector register that no option set holds in each 64-bit lane. */
uint64_t takt_initial_vector(const struct takt_measure_options *options, enum takt_float floats,
			     uint32_t number);
/* Fills a page with what the subject can load. */
void takt_initial_memory(const struct takt_measure_options *options,
			 const struct takt_subject *subject, uint64_t *ret_lanes,
			 size_t lane_count);

/* ---- program.c ---------------------------------------------------------- */

/* Chains and canaries, once. */
void takt_program_emit_fixed(struct takt_bench *bench);
/*
 * The two runs of a block, with `copies` (in LOOP mode: trips; else the bench's passes over
 * them). False if there is no room. `counter` is the register to count trips or passes in.
 */
bool takt_program_emit_block(struct takt_bench *bench, const struct takt_subject *subject,
			     const uint32_t copies[2], uint32_t counter);
/* One copy, traced. Returns where it starts. */
uint32_t takt_program_emit_trace(struct takt_bench *bench, const struct takt_subject *subject);
/* Where a rip-relative operand points in every copy, from the base. */
uint64_t takt_program_rip_target(const struct takt_memory *memory);

/* ---- rounds.c ----------------------------------------------------------- */

/*
 * Repeats samples of all runs until enough rounds agree, and fills status, cycles, spread,
 * rounds, rejected. `copies` is how often the block is in the difference of its two runs,
 * `sample_seconds` what a sample takes, `least_cycles` what no processor undercuts.
 */
void takt_rounds_run(struct takt_bench *bench, double copies, double sample_seconds,
		     double least_cycles, struct takt_measurement *measurement);
/*
 * Learns how long a tick is, the clock's steps, and the canaries' best, and stretches chains and
 * canaries as the steps need it. False if the child does not work.
 */
bool takt_rounds_calibrate(struct takt_bench *bench);
/*
 * Looks at the canaries again in a new process, before a block has run in it, and takes what is
 * known of them for the block to come. False, with a status, if the process does not work.
 */
bool takt_rounds_recalibrate(struct takt_bench *bench, struct takt_measurement *measurement);
/* What a run takes at least for the clock's steps not to matter. */
double takt_rounds_least_seconds(const struct takt_bench *bench);

/* ---- crossing.c --------------------------------------------------------- */

/* Counts line crossings; false, with a status, if that failed or the block is to be rejected. */
bool takt_crossings_check(struct takt_bench *bench, const struct takt_subject *subject,
			  struct takt_measurement *measurement);

/* ---- block.c ------------------------------------------------------------ */

/* Carries out an order before the deadline; else false, and why in status and reason. */
bool takt_bench_command(struct takt_bench *bench, const struct takt_order *order,
			struct takt_measurement *measurement);

/*
 * Notes what floating-point values became: in `values`, in the reason unless there is another, and
 * as the status where a figure that is otherwise good may be of assists that nobody asked for.
 */
void takt_bench_note_values(struct takt_bench *bench, struct takt_host_fp fp,
			    struct takt_measurement *measurement);

/* takt_measure() without the rejections of check.c, for tests of the sandbox. */
void takt_measure_unchecked(struct takt_bench *bench, const uint8_t *bytes, size_t size_bytes,
			    struct takt_measurement *ret_measurement);

#endif
