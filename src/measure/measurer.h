/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files of measure: the subject (a prepared block), and the measurer,
 * which times it. */
#ifndef TAKT_MEASURE_MEASURER_H
#define TAKT_MEASURE_MEASURER_H

#include "measure/host.h"

/* Floating-point formats of the numbers in registers and memory at the start. */
enum takt_float {
	TAKT_FLOAT_DOUBLE, /* also for blocks without floating point, or with several formats */
	TAKT_FLOAT_SINGLE,
	TAKT_FLOAT_HALF,
	TAKT_FLOAT_BRAIN,
};

/* A block and what it needs to run; its memory is in the measurer's arena. */
struct takt_subject {
	const uint8_t *bytes;
	size_t size_bytes;
	struct takt_insn *insns; /* instructions up to the first that cannot be decoded */
	uint32_t insn_count;
	uint32_t gpr_used;	/* mask of general registers used, by number */
	uint16_t vector_bytes;	/* width of the widest vector access; 0: none */
	bool high_vectors;	/* it uses vector registers 16 to 31 */
	bool masks;		/* it uses mask registers */
	uint8_t x87_loaded;	/* registers of the x87 stack to fill before it; 0: it uses none */
	bool x87_extended;	/* it loads x87 numbers of 80 bits */
	bool fs, gs;		/* it uses the segment */
	enum takt_float floats; /* format of its floating-point operations */
	bool loads_addresses;	/* an address depends on what memory holds */
	bool loads_flags;	/* it loads all flags, including the trap flag (popf) */
};

/* Runs of a sample, in this order: a canary at each end detects other load on the core. */
enum takt_run {
	TAKT_RUN_DISPATCH_CANARY,
	TAKT_RUN_CHAIN,
	TAKT_RUN_BLOCK,
	TAKT_RUN_LONG_CHAIN,
	TAKT_RUN_PRODUCTS, /* a chain of multiplications */
	TAKT_RUN_LONG_BLOCK,
	TAKT_RUN_VECTOR_CANARY,
	TAKT_SAMPLE_RUNS,
	TAKT_RUN_TRACE = TAKT_SAMPLE_RUNS, /* one copy, single-stepped; not part of a sample */
	TAKT_RUN_COUNT
};

/* A command to the child: `run_count` successive runs from `first` on, `repeat` times over. */
struct takt_order {
	enum takt_run first;
	uint32_t run_count, repeat;
	uint32_t flags; /* enum takt_child_flag */
};

/* Lengths of the chains, in additions or multiplications, before they are multiplied by the
 * measurer's `stretch`. */
#define TAKT_CHAIN_CYCLES 500u
#define TAKT_LONG_CHAIN_CYCLES 2000u
#define TAKT_PRODUCTS 500u

/* Lowest cycles known of each canary; 0 as long as none are known. */
struct takt_canaries {
	double dispatch_cycles, vector_cycles;
};

struct takt_measurer {
	struct takt_measure_options options; /* with defaults filled in */
	enum takt_clock clock;
	struct takt_text cpu, reason;
	struct takt_arena arena; /* memory for the current block */
	struct takt_child child;
	struct takt_host_state state;	  /* as the options say, without a block's needs */
	size_t fixed_size_bytes;	  /* part of CODE with runner, chains, canaries */
	uint32_t entries[TAKT_RUN_COUNT]; /* offsets from the child's base */
	bool child_used;		  /* the child has run a block */
	uint32_t block_flags;		  /* flags of commands to run it: enum takt_child_flag */
	double seconds_per_tick;
	double step_ticks; /* resolution of the clock: 26 ticks if it counts 10 ns at 2.6 GHz */
	uint32_t stretch;  /* factor that makes chains and canaries long enough for such a clock */
	uint32_t passes;   /* number of times that a run executes all copies, or the whole loop */
	double deadline_seconds;	       /* monotonic time by which the block must be done */
	uint32_t dispatch_insns, vector_insns; /* instructions that the canaries execute */
	/*
	 * `trusted` comes from processes that had not run any block yet. What is learned while a
	 * block runs, which may falsify it, goes to `canaries` and is used for that block alone.
	 */
	struct takt_canaries trusted, canaries;
};

/* ---- check.c ------------------------------------------------------------ */

/* Fill `ret_subject` as far as the block decodes. Return OK, or a status with the `reason` why the
 * block must not run. */
enum takt_measure_status takt_subject_init(const uint8_t *bytes, size_t size_bytes,
					   struct takt_arena *arena, struct takt_text *reason,
					   struct takt_subject *ret_subject);

/* ---- initial.c ---------------------------------------------------------- */

/* Fill in all registers. False if one that the options set does not exist or cannot have that
 * value; *ret_index is its index. */
bool takt_initial_registers(const struct takt_measure_options *options,
			    struct takt_host_state *ret_state, size_t *ret_index);
/* Return the initial value of each 64-bit lane of a vector register that no option sets. */
uint64_t takt_initial_vector(const struct takt_measure_options *options, enum takt_float floats,
			     uint32_t number);
/* Fill a page with values for the subject to load. */
void takt_initial_memory(const struct takt_measure_options *options,
			 const struct takt_subject *subject, uint64_t *ret_lanes,
			 size_t lane_count);

#define TAKT_NO_COUNTER UINT32_MAX

/* Registers of which a block uses none, to count the trips of its loop and the passes in. */
struct takt_loop_counters {
	uint32_t trips, passes;
};

/* ---- copies.c ---------------------------------------------------------- */

/* Emit the chains and canaries, which all blocks share. */
void takt_program_emit_fixed(struct takt_measurer *measurer);
/*
 * Emit the two runs of a block: copies[i] copies of it, or in LOOP mode as many trips of a loop,
 * and the measurer's `passes` over that, each of which begins with the same state. False if there
 * is no room.
 */
bool takt_program_emit_block(struct takt_measurer *measurer, const struct takt_subject *subject,
			     const uint32_t copies[2], const struct takt_loop_counters *counters);
/* Emit the run that traces one copy of the block, and return the offset of the copy. */
uint32_t takt_program_emit_trace(struct takt_measurer *measurer,
				 const struct takt_subject *subject);
/* Return the offset from the base to which a rip-relative operand points in every copy. */
uint64_t takt_program_rip_target(const struct takt_memory *memory);

/* ---- rounds.c ----------------------------------------------------------- */

/*
 * Repeat samples of all runs until enough rounds agree, and fill in status, cycles, spread,
 * rounds, rejected. `copies` is by how many executions of the block its two runs differ,
 * `sample_seconds` the duration of a sample, `least_cycles` a bound below which no processor is.
 */
void takt_rounds_run(struct takt_measurer *measurer, double copies, double sample_seconds,
		     double least_cycles, struct takt_measurement *measurement);
/*
 * Find the length of a tick, the clock's resolution, and the canaries' lowest cycles, and stretch
 * chains and canaries as far as the resolution requires. False if the child does not work.
 */
bool takt_rounds_calibrate(struct takt_measurer *measurer);
/*
 * Time the canaries again in a new process, before a block has run in it, and set the canaries'
 * cycles for the next block. False, with a status, if the process does not work.
 */
bool takt_rounds_recalibrate(struct takt_measurer *measurer, struct takt_measurement *measurement);
/* Return how long a run must take at least for the clock's resolution not to matter. */
double takt_rounds_least_seconds(const struct takt_measurer *measurer);

/* ---- crossing.c --------------------------------------------------------- */

/* Count accesses that cross a line or page, if the options ask for it. False, with a status, if
 * that failed or the block is to be rejected. */
bool takt_crossings_check(struct takt_measurer *measurer, const struct takt_subject *subject,
			  struct takt_measurement *measurement);

/* ---- block.c ------------------------------------------------------------ */

/* Carry out an order before the deadline. False, with status and reason, if that failed. */
bool takt_bench_command(struct takt_measurer *measurer, const struct takt_order *order,
			struct takt_measurement *measurement);

/*
 * Record unusual floating-point values that came up: in `values`, in the reason unless it has
 * another text, and as the status DENORMAL if an otherwise good measurement may contain assists for
 * denormals that the options did not ask for.
 */
void takt_measurer_note_values(struct takt_measurer *measurer, struct takt_host_fp fp,
			       struct takt_measurement *measurement);

/* Measure as takt_measure() does, but without the rejections of check.c, to test the sandbox. */
void takt_measure_unchecked(struct takt_measurer *measurer, const uint8_t *bytes, size_t size_bytes,
			    struct takt_measurement *ret_measurement);

#endif
