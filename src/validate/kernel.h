/* SPDX-License-Identifier: MIT */
/*
 * Kernels: loops over streams of data, as lists of operations that are the same for all
 * instruction sets and vector widths. What emits an instruction says in the same breath what
 * it counts, so that counts are derived from the code that is there.
 */
#ifndef TAKT_VALIDATE_KERNEL_H
#define TAKT_VALIDATE_KERNEL_H

#include "validate/validate.h"

#define KERNEL_STREAMS_MAX 4u
#define KERNEL_LINE_BYTES 64u	   /* that kernels by line take for one */
#define KERNEL_LINE_BYTES_MAX 256u /* of any processor: streams are multiples of it */

enum kernel_op_kind {
	KERNEL_LOAD,  /* to = a stream's next vector */
	KERNEL_STORE, /* a stream's next vector = left; non-temporal in that variant */
	KERNEL_ADD,   /* to = left + right; so with the next two */
	KERNEL_MULTIPLY,
	KERNEL_DIVIDE,
	KERNEL_MADD,	  /* to += left * right; without FMA in two steps that destroy left */
	KERNEL_PEAK,	  /* what keeps adders and multipliers busy, on registers `to` and `left` */
	KERNEL_INSERT,	  /* to's upper half = right's lower half; no arithmetic */
	KERNEL_LOAD_HALF, /* as LOAD and ADD, of half the width */
	KERNEL_ADD_HALF,
	KERNEL_CHASE,	  /* to = where a stream's pointer leads */
	KERNEL_STORE_INT, /* 8 bytes, from an integer register */
	KERNEL_CHAIN,	  /* an integer addition that waits for the one before */
	KERNEL_ATOMIC,	  /* adds to memory, locked */
	KERNEL_PAUSE,
	KERNEL_CALL,	/* of a function that returns at once */
	KERNEL_SKIP,	/* a conditional branch that is never taken */
	KERNEL_SYSCALL, /* one that does nothing */
	KERNEL_FUTEX,	/* wakes nobody */
	KERNEL_GATHER,	/* of a stream's first element only */
	KERNEL_STRING,	/* a line is copied by one instruction, always the same one */
};

/* Names of vectors within an operation: temporaries, new ones in each copy; the constant 1. */
enum { T0, T1, T2, ONE };

struct kernel_op {
	enum kernel_op_kind kind;
	uint8_t to, left, right;
	uint8_t stream; /* A to D: 0 to 3 */
};

#define KERNEL_OPS_MAX 6u

struct kernel {
	const char *name, *title;
	struct kernel_op ops[KERNEL_OPS_MAX];
	uint8_t op_count;
	uint8_t copies;	 /* of all operations in a trip of the loop */
	bool triangular; /* each repetition is a step longer, and begins in A where the last
			  * one ended; its sum (T2) is written to C, which moves on by 8 */
	bool by_line;	 /* each copy is for a line of its own, not for a vector */
	bool scalar_only;
	bool wants_halves; /* of 256-bit vectors or wider */
	uint8_t isas;	   /* bit by enum kernel_isa */
};

enum kernel_isa { KERNEL_X86, KERNEL_AARCH64, KERNEL_ISA_COUNT };

#if defined(__aarch64__)
#define KERNEL_HOST KERNEL_AARCH64
#else
#define KERNEL_HOST KERNEL_X86
#endif

enum kernel_encoding { KERNEL_LEGACY, KERNEL_VEX, KERNEL_EVEX };

/* What may follow a kernel's name: "ddot_avx_fma_sp", "copy_sse_nt". */
struct kernel_request {
	const struct kernel *kernel;
	enum kernel_isa isa;
	enum kernel_encoding encoding; /* of x86 */
	uint8_t vector_bytes;	       /* 8 or 4: scalar */
	bool single, fma, non_temporal;
};

extern const struct kernel takt_kernels[];
extern const size_t takt_kernel_count;

TAKT_MUST_CHECK enum takt_status takt_kernel_request(const char *name, enum kernel_isa isa,
						     struct takt_diag *diag,
						     struct kernel_request *ret_request);
/* "x86-64", "aarch64". */
const char *takt_kernel_isa_name(enum kernel_isa isa);
bool takt_kernel_isa_find(const char *name, enum kernel_isa *ret_isa);
/* NUL-terminated. */
#define KERNEL_NAME_MAX 48u
void takt_kernel_name(const struct kernel_request *request, char name[KERNEL_NAME_MAX]);
/* Variant `index` of a kernel; false if there are no more. */
bool takt_kernel_variant(const struct kernel *kernel, enum kernel_isa isa, size_t index,
			 struct kernel_request *ret_request);
/* Whether this machine's processor has the instructions. */
bool takt_kernel_runs_here(const struct kernel_request *request);

/* ---- emit.c: machine code ---- */

#define KERNEL_CODE_MAX 4096u

/* The loop: what is done once, in each repetition, and in each trip of the inner loop. */
enum kernel_part { KERNEL_ONCE, KERNEL_REPEATED, KERNEL_TRIP, KERNEL_PARTS };

/*
 * Code that takes its arguments where the platform's ABI has them: the streams' addresses,
 * the bytes to go through (a multiple of step_bytes), the repetitions. Uses no stack, and no
 * register that a function may not change; ends without returning.
 */
struct kernel_code {
	uint8_t bytes[KERNEL_CODE_MAX];
	size_t size_bytes;
	uint32_t step_bytes;   /* of the index, in a trip */
	uint32_t growth_bytes; /* from one repetition to the next */
	enum kernel_isa isa;
	enum kernel_part part; /* that is being emitted */
	bool reads[KERNEL_STREAMS_MAX], writes[KERNEL_STREAMS_MAX];
	bool past; /* it writes past the caches */
	bool full;
	struct oracle_counts counts[KERNEL_PARTS];
};

/* What an instruction counts. */
struct kernel_effect {
	uint8_t loads, stores, bytes; /* `bytes` of each access */
	uint8_t flops, lanes_bytes;   /* operations, and the width they are done in */
	bool single, non_temporal;
	bool conditional, branch, call, divide, atomic, pause, syscall, futex, gather;
};

void takt_kernel_emit(const struct kernel_request *request, struct kernel_code *code);
/* `run`: a function that returns; a program ends by other means. */
void takt_kernel_emit_return(struct kernel_code *code);

/* What `repeats` repetitions over `size_bytes` count, without what is done once. */
void takt_kernel_expect(const struct kernel_code *code, uint64_t size_bytes, uint64_t repeats,
			struct oracle_counts *ret_counts);

/* Distinct registers of what an operation names: `temporary` of copy `copy`. */
uint8_t takt_kernel_register(const struct kernel_request *request, uint8_t name, uint8_t copy);

/* ---- for the emitters ---- */

void takt_kernel_insn(struct kernel_code *code, const void *bytes, size_t size_bytes,
		      const struct kernel_effect *effect);

struct kernel_emitter {
	void (*begin)(const struct kernel_request *request, struct kernel_code *code);
	/* Where the outer and the inner loop begin. */
	void (*repeat)(const struct kernel_request *request, struct kernel_code *code);
	void (*op)(const struct kernel_request *request, const struct kernel_op *op, uint8_t copy,
		   uint32_t offset_bytes, struct kernel_code *code);
	void (*end_trip)(struct kernel_code *code, size_t trip_start);
	/* The end of a triangular repetition. */
	void (*end_row)(const struct kernel_request *request, struct kernel_code *code);
	void (*end_repeat)(struct kernel_code *code, size_t repeat_start);
	void (*leave)(struct kernel_code *code);
	/* As parts of programs. */
	void (*set_argument)(struct kernel_code *code, uint32_t argument, uint64_t value);
	void (*clone)(struct kernel_code *code, uint64_t stack, uint32_t skip_bytes);
	void (*exit_thread)(struct kernel_code *code);
};

extern const struct kernel_emitter takt_kernel_x86, takt_kernel_aarch64;
const struct kernel_emitter *takt_kernel_emitter(enum kernel_isa isa);

#endif
