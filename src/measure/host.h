/* SPDX-License-Identifier: MIT */
/*
 * The part of measure that depends on the host's instruction set; each ISA implements it
 * (host_x86.c and runner_x86.c, host_aarch64.c and runner_aarch64.c). The parent emits code
 * into the child's CODE, whose address is unknown: the code addresses everything relative
 * to itself, and `emitter->size_bytes` is the offset from the child's base.
 *
 * A run consists of three parts: enter (sets registers, leaves memory alone, reads the clock), a
 * body, and leave (reads the clock, returns to the runner).
 */
#ifndef TAKT_MEASURE_HOST_H
#define TAKT_MEASURE_HOST_H

#include "measure/child.h"

struct takt_emitter {
	uint8_t *data; /* the parent's view of CODE */
	size_t size_bytes, capacity_bytes;
	bool full; /* something did not fit: the code is incomplete */
};

/* Append bytes to the code. */
void takt_emit(struct takt_emitter *emitter, const void *bytes, size_t size_bytes);
/* Pad with nops so that the next byte has this offset within 64 bytes. */
void takt_emit_align(struct takt_emitter *emitter, uint32_t offset_bytes);
/*
 * Begin a loop that keeps its count in register `counter` and whose body starts `offset_bytes`
 * into a line. Return the offset of the body, for takt_host_emit_loop_end().
 */
size_t takt_emit_loop_begin(struct takt_emitter *emitter, uint32_t counter, uint32_t trips,
			    uint32_t offset_bytes);

#define TAKT_HOST_GPR_MAX 32
#define TAKT_HOST_VECTOR_MAX 32

/* Registers before the first instruction of a body. */
struct takt_host_state {
	uint64_t gpr[TAKT_HOST_GPR_MAX];       /* as numbered by the ISA, stack pointer included */
	uint64_t vector[TAKT_HOST_VECTOR_MAX]; /* value of each 64-bit lane of the register */
	uint64_t mask[8];
	uint32_t vectors_set;	      /* mask of the vector registers that were set by name */
	uint32_t fp_control;	      /* mxcsr or fpcr */
	uint16_t vector_bytes;	      /* width that the body needs: 0, 16, 32 or 64 */
	uint16_t vector_widest_bytes; /* width of the host's widest vectors */
	uint8_t vector_count;	      /* 16 or 32 */
	bool masks;		      /* initialise the mask registers, too */
	uint8_t x87_loaded;	      /* registers of the x87 stack to fill */
	bool trace;		      /* start single-stepping */
	bool gs;		      /* the body uses segment gs; fs keeps RESULTS' address */
};

/* Last register in which a loop may count; those before it are tried next. */
#if defined(__x86_64__)
#define TAKT_HOST_COUNTER_LAST 15u
#define TAKT_HOST_STACK_POINTER 4u
#define TAKT_HOST_DECODES true
#else
#define TAKT_HOST_COUNTER_LAST 28u
#define TAKT_HOST_STACK_POINTER 31u
#define TAKT_HOST_DECODES false /* check.c decodes x86-64 alone: other blocks run unchecked */
#endif

/* The runner: position-independent bytes for the first page, and offsets into it. */
struct takt_runner {
	const uint8_t *bytes;
	size_t size_bytes;
	uint32_t start;		    /* the child jumps here and never returns */
	uint32_t leave;		    /* runs jump here when they are done */
	uint32_t handler, restorer; /* for sigaction */
	uint32_t read;		    /* reads the perf_event's count; called by emitted code */
};

void takt_host_runner(struct takt_runner *ret_runner);

/* True if the processor and the system support an ISA set, such as "avx512bw_256". */
bool takt_host_has(const char *isa_set);
/* Append the processor's name: "Intel(R) Xeon(R) Processor, family 6 model 207 stepping 2". */
void takt_host_cpu(struct takt_text *text);

/*
 * The runs of straight code. Where straight code comes out of the decoders, it has to exceed the op
 * cache. Where the op cache delivers it, too, all runs of a sample together have to stay there; and
 * since such a processor turns to its op cache only at taken branches, passes begin with some, and
 * the first passes of a run, which are decoded, have to be few of many.
 *
 * A pass ends while instructions still wait in the schedulers, and its end overlaps with them. Only
 * if both runs are so long that these queues are full does as much of the end overlap in both, so
 * that it cancels out; a shorter run that does not fill them makes code seem too fast. But copies
 * that move pointers touch more lines and pages in longer runs.
 */
struct takt_host_straight {
	uint32_t bytes;	  /* of the shorter run of a block, at most */
	uint32_t filling; /* instructions of a shorter run that fills the queues; 0: no more */
	uint32_t longer;  /* the longer run has this many times the copies of the shorter */
	uint32_t passes;  /* over the copies, at least */
};

struct takt_host_straight takt_host_straight(void);

/* Emit the parts of a run before and after its body. */
void takt_host_emit_enter(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state);
/*
 * Emit the begin of a pass over the copies of a block, so that each pass is as the first: code that
 * sets everything but register `counter` again as takt_host_emit_enter() does, and waits for it;
 * and a jump.
 */
void takt_host_emit_pass(struct takt_emitter *emitter, const struct takt_host_state *state,
			 uint32_t counter);
void takt_host_emit_leave(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state);
/* Set up access to RESULTS at `address` in the process that is about to become the child. True if
 * that worked. */
bool takt_host_find_results(uint64_t address);
/* True if blocks that use segment gs can be run. */
bool takt_host_can_lend_gs(void);
/* Return a general register, or the instruction pointer, before a traced instruction. */
uint64_t takt_host_step_gpr(const struct takt_step_state *step, uint32_t gpr);
uint64_t takt_host_step_ip(const struct takt_step_state *step);
/* Emit a chain of `count` dependent additions of one cycle each. */
void takt_host_emit_add_chain(struct takt_emitter *emitter, uint32_t count);
/* Emit a chain of `count` multiplications, each of which takes some whole number of cycles. */
void takt_host_emit_product_chain(struct takt_emitter *emitter, uint32_t count);
/*
 * Emit code that saturates dispatch, or the vector units, for a few hundred cycles, `stretch`
 * times: it is slower if another thread shares the core, which a dependence chain does not
 * notice. Return the number of instructions that it executes.
 */
uint32_t takt_host_emit_dispatch_canary(struct takt_emitter *emitter, uint32_t stretch);
uint32_t takt_host_emit_vector_canary(struct takt_emitter *emitter, uint32_t stretch);
/* Emit the load of a constant into a general register. */
void takt_host_emit_load(struct takt_emitter *emitter, uint32_t gpr, uint64_t value);
void takt_host_emit_loop_end(struct takt_emitter *emitter, uint32_t counter, size_t body);
void takt_host_emit_nops(struct takt_emitter *emitter, size_t size_bytes);

/* Upper limit of the instructions that any processor executes in a cycle, fused ones counted
 * separately. */
#define TAKT_HOST_WIDEST 16.0

/* Unusual floating-point values in a block, as its floating-point exceptions show them. */
struct takt_host_fp {
	bool denormal;	/* an operand or a result was a denormal number and not flushed to zero */
	bool flushed;	/* a result was so small that it was flushed to zero */
	bool infinite;	/* a result was too large, or there was a division by zero */
	bool invalid;	/* a result was no number, or an integer that does not fit */
	bool x87_stack; /* the x87 stack ran over, or was empty */
};

/*
 * Interpret `fp_raised` of child.h for code that ran with `state`. `ignores_flush` says that the
 * code has operations that never flush denormals, whatever the controls say, as those on half
 * floats on x86.
 */
struct takt_host_fp takt_host_fp_read(uint32_t raised, const struct takt_host_state *state,
				      bool ignores_flush);

/* Set everything to zero except the controls and the host's vector sizes. */
void takt_host_state_init(struct takt_host_state *state, bool keep_denormals);
/* Set a register by name; false if there is none of that name, or it cannot have that value. */
bool takt_host_state_set(struct takt_host_state *state, const char *name, uint64_t value);

#endif
