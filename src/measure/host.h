/* SPDX-License-Identifier: MIT */
/*
 * What measuring needs to know about the host's instruction set: one file per ISA
 * (host_x86.c with runner_x86.c, host_aarch64.c) implements it. Code is emitted by the parent
 * into the child's CODE, whose position is not known: it addresses everything relative
 * to itself, `emitter->size_bytes` being the offset from the child's base.
 *
 * A run is: enter (registers, memory untouched, clock), a body, leave (clock, back to
 * the runner).
 */
#ifndef TAKT_MEASURE_HOST_H
#define TAKT_MEASURE_HOST_H

#include "measure/child.h"

struct takt_emitter {
	uint8_t *data;             /* the parent's view of CODE */
	size_t size_bytes, capacity_bytes;
	bool full;                 /* something did not fit; what is there is useless */
};

void takt_emit(struct takt_emitter *emitter, const void *bytes, size_t size_bytes);
/* Pads with nops so that the next byte has this offset within 64 bytes. */
void takt_emit_align(struct takt_emitter *emitter, uint32_t offset_bytes);

#define TAKT_HOST_GPR_MAX 32
#define TAKT_HOST_VECTOR_MAX 32

/* Registers before the first instruction of a body. */
struct takt_host_state {
	uint64_t gpr[TAKT_HOST_GPR_MAX]; /* as numbered by the ISA, stack pointer included */
	uint64_t vector[TAKT_HOST_VECTOR_MAX]; /* each 64-bit lane */
	uint64_t mask[8];
	uint32_t vectors_set;            /* bit by number: vector registers set by name */
	uint32_t fp_control;             /* mxcsr, fpcr */
	uint16_t vector_bytes;           /* 0, 16, 32, 64: how much of them the body needs */
	uint16_t vector_widest_bytes;    /* that the host has */
	uint8_t vector_count;            /* 16 or 32 */
	bool masks;                      /* initialise the mask registers too */
	bool x87;                        /* and half of the x87 stack */
	bool trace;                      /* start single-stepping */
	bool gs;                         /* the body uses segment gs, so that fs keeps the results */
};

/* Registers a loop may count in, from this one down. */
#if defined(__x86_64__)
#define TAKT_HOST_COUNTER_LAST 15u
#define TAKT_HOST_STACK_POINTER 4u
#define TAKT_HOST_DECODES true
#else
#define TAKT_HOST_COUNTER_LAST 28u
#define TAKT_HOST_STACK_POINTER 31u
#define TAKT_HOST_DECODES false /* isa knows x86-64 alone: blocks run as they are */
#endif

/* The runner: position-independent bytes for the first page, and offsets into it. */
struct takt_runner {
	const uint8_t *bytes;
	size_t size_bytes;
	uint32_t start;    /* where the child goes and never returns from */
	uint32_t leave;    /* where runs go when they are done */
	uint32_t handler, restorer; /* for sigaction */
	uint32_t read;     /* reads the perf_event's count; called by emitted code */
};

void takt_host_runner(struct takt_runner *ret_runner);

/* Whether the processor and the system support an ISA set, e.g. "avx512bw_256". */
bool takt_host_has(const char *isa_set);
/* e.g. "Intel(R) Xeon(R) Processor, family 6 model 207 stepping 2" */
void takt_host_cpu(struct takt_text *text);

void takt_host_emit_enter(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state);
void takt_host_emit_leave(struct takt_emitter *emitter, enum takt_clock clock,
			  const struct takt_host_state *state);
/* Tells the process, which is about to become the child, where RESULTS are. True if it worked. */
bool takt_host_find_results(uint64_t address);
/* True if blocks that use segment gs can be run. */
bool takt_host_can_lend_gs(void);
/* Of a traced instruction. */
uint64_t takt_host_step_gpr(const struct takt_step_state *step, uint32_t gpr);
uint64_t takt_host_step_ip(const struct takt_step_state *step);
/* A chain of `count` dependent additions of one cycle each. */
void takt_host_emit_add_chain(struct takt_emitter *emitter, uint32_t count);
/* The same of multiplications, which take some whole number of cycles. */
void takt_host_emit_product_chain(struct takt_emitter *emitter, uint32_t count);
/*
 * Saturates dispatch, or the vector units, for some hundred cycles, `stretch` times: slower
 * if another thread shares the core, which a dependence chain does not notice. Returns how many
 * instructions that executes.
 */
uint32_t takt_host_emit_dispatch_canary(struct takt_emitter *emitter, uint32_t stretch);
uint32_t takt_host_emit_vector_canary(struct takt_emitter *emitter, uint32_t stretch);
/*
 * A loop that keeps its count in register `counter`; its body, whose offset is returned,
 * starts `offset_bytes` into a line.
 */
size_t takt_host_emit_loop_begin(struct takt_emitter *emitter, uint32_t counter, uint32_t trips,
				 uint32_t offset_bytes);
void takt_host_emit_loop_end(struct takt_emitter *emitter, uint32_t counter, size_t body);
void takt_host_emit_nops(struct takt_emitter *emitter, size_t size_bytes);

/* Instructions that no processor executes more of in a cycle, fused ones counted one by one. */
#define TAKT_HOST_WIDEST 16.0

/* What the floating-point exceptions that blocks raised say of their values. */
struct takt_host_fp {
	bool denormal;  /* an operand or a result was a denormal number and not flushed to zero */
	bool flushed;   /* a result was so small that it was flushed to zero */
	bool infinite;  /* a result was too large, or something was divided by zero */
	bool invalid;   /* a result was no number, or an integer that does not fit */
	bool x87_stack; /* the x87 stack ran over, or was empty */
};

/*
 * Reads `fp_raised` of child.h for code that ran with `state`. `ignores_flush`: it has operations
 * that leave denormals as they are whatever the controls say, as those on half floats do on x86.
 */
struct takt_host_fp takt_host_fp_read(uint32_t raised, const struct takt_host_state *state,
				      bool ignores_flush);

/* Everything zero but the controls and what the host has. */
void takt_host_state_init(struct takt_host_state *state, bool keep_denormals);
/* Sets a register by name to `value`; false if there is none of that name. */
bool takt_host_state_set(struct takt_host_state *state, const char *name, uint64_t value);

#endif
