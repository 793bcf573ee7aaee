/* SPDX-License-Identifier: MIT */
/*
 * Kernels: loops over streams of data, as lists of operations that are the same for all
 * instruction sets and vector widths. The code that emits an instruction also states what the
 * instruction counts as, so that expected counts are derived from the code that exists.
 */
#ifndef TAKT_VALIDATE_KERNEL_H
#define TAKT_VALIDATE_KERNEL_H

#include "validate/validate.h"

#define KERNEL_STREAMS_MAX 4u
/* Largest line size of any processor; streams are multiples of it. */
#define KERNEL_LINE_BYTES_MAX 256u

enum kernel_op_kind {
	KERNEL_LOAD,  /* to = a stream's next vector */
	KERNEL_STORE, /* a stream's next vector = left; non-temporal in that variant */
	KERNEL_ADD,   /* to = left + right; the next two likewise */
	KERNEL_MULTIPLY,
	KERNEL_DIVIDE,
	KERNEL_MADD,   /* to += left * right; without FMA two instructions, which overwrite left */
	KERNEL_PEAK,   /* keeps adders and multipliers busy, on registers `to` and `left` */
	KERNEL_INSERT, /* to's upper half = right's lower half; no arithmetic */
	KERNEL_LOAD_HALF, /* LOAD and ADD of half the width */
	KERNEL_ADD_HALF,
	KERNEL_CHASE,	  /* to = the pointer that a stream's pointer points to */
	KERNEL_STORE_INT, /* stores 8 bytes from an integer register */
	KERNEL_CHAIN,	  /* an integer addition that depends on the one before */
	KERNEL_ATOMIC,	  /* adds to memory atomically */
	KERNEL_PAUSE,
	KERNEL_CALL,	/* calls a function that returns at once */
	KERNEL_SKIP,	/* a conditional branch that is never taken */
	KERNEL_SYSCALL, /* a system call that does nothing */
	KERNEL_FUTEX,	/* a futex system call that wakes nobody */
	KERNEL_GATHER,	/* gathers only a stream's first element */
	KERNEL_STRING,	/* copies a line by one string instruction, always the same line */
};

/*
 * Names of vectors in an operation: temporaries, which are new ones in each copy, and the constant
 * 1.
 */
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
	uint8_t copies; /* copies of all operations in one trip of the loop */
	/*
	 * Each repetition is one step longer, and begins in A where the last one ended; its sum
	 * (T2) is written to C, which advances by 8 bytes.
	 */
	bool triangular;
	bool by_line; /* each copy accesses a line of its own, not a vector */
	bool scalar_only;
	bool wants_halves; /* needs vectors of 256 bits or more */
	uint8_t isas;	   /* instruction sets that have it: bits by enum kernel_isa */
};

enum kernel_isa { KERNEL_X86, KERNEL_AARCH64, KERNEL_ISA_COUNT };

#if defined(__aarch64__)
#define KERNEL_HOST KERNEL_AARCH64
#else
#define KERNEL_HOST KERNEL_X86
#endif

enum kernel_encoding { KERNEL_LEGACY, KERNEL_VEX, KERNEL_EVEX };

struct kernel_file;

/* A kernel and its variant, which follows its name: "ddot_avx_fma_sp", "copy_sse_nt". */
struct kernel_request {
	const struct kernel *kernel;
	enum kernel_isa isa;
	enum kernel_encoding encoding; /* encoding of vector instructions, on x86-64 */
	uint8_t vector_bytes;	       /* width of a vector; 8 or 4: scalar */
	bool single, fma, non_temporal;
	const struct kernel_file *file; /* a kernel of likwid-bench (ptt.h); NULL: `kernel`'s */
};

extern const struct kernel takt_kernels[];
extern const size_t takt_kernel_count;

TAKT_MUST_CHECK enum takt_status takt_kernel_request(const char *name, enum kernel_isa isa,
						     struct takt_diag *diag,
						     struct kernel_request *ret_request);
/* Return the name of an instruction set: "x86-64", "aarch64". */
const char *takt_kernel_isa_name(enum kernel_isa isa);
/*
 * Find an instruction set by its name; NULL stands for this machine's. Reports an error if there
 * are no kernels for it.
 */
TAKT_MUST_CHECK enum takt_status takt_kernel_isa_find(const char *name, struct takt_diag *diag,
						      enum kernel_isa *ret_isa);
/* Write the name of a kernel's variant, NUL-terminated. */
#define KERNEL_NAME_MAX 48u
void takt_kernel_name(const struct kernel_request *request, char name[KERNEL_NAME_MAX]);
/* Return variant `index` of a kernel; false if there are no more. */
bool takt_kernel_variant(const struct kernel *kernel, enum kernel_isa isa, size_t index,
			 struct kernel_request *ret_request);
/* True if this machine's processor has the instructions. */
bool takt_kernel_runs_here(const struct kernel_request *request);

/* ---- emit.c: machine code ---- */

#define KERNEL_CODE_MAX 4096u

/*
 * Parts of a kernel's code: what runs once, in each repetition, and in each trip of the inner loop.
 */
enum kernel_part { KERNEL_ONCE, KERNEL_REPEATED, KERNEL_TRIP, KERNEL_PARTS };

/*
 * Machine code whose arguments are where the platform's ABI has them: the streams' addresses, the
 * bytes to process of each (a multiple of trip_bytes), and the repetitions. It uses no stack, and
 * no register that a function must preserve; it ends without a return instruction.
 */
struct kernel_code {
	uint8_t bytes[KERNEL_CODE_MAX];
	size_t size_bytes;
	uint32_t trip_bytes;   /* growth of the index in a trip */
	uint32_t growth_bytes; /* growth of the size from one repetition to the next */
	enum kernel_isa isa;
	enum kernel_part part; /* part that is being emitted */
	bool reads[KERNEL_STREAMS_MAX], writes[KERNEL_STREAMS_MAX];
	bool non_temporal; /* it has non-temporal stores */
	bool full;
	struct oracle_counts counts[KERNEL_PARTS];
};

/* Events that an instruction counts as. */
struct kernel_effect {
	uint8_t loads, stores, bytes; /* accesses, and the size of each in bytes */
	/* Floating-point operations, and the width in which they are done. */
	uint8_t flops, lanes_bytes;
	bool single, non_temporal;
	bool conditional, branch, call, divide, atomic, pause, syscall, futex, gather;
};

void takt_kernel_emit(const struct kernel_request *request, struct kernel_code *code);
/* Append a return, which makes the code a function; programs end by other means. */
void takt_kernel_emit_return(struct kernel_code *code);

/* Compute what `repeats` repetitions over `size_bytes` count, without what runs only once. */
void takt_kernel_expect(const struct kernel_code *code, uint64_t size_bytes, uint64_t repeats,
			struct oracle_counts *ret_counts);

/* Return the register of temporary `name` in copy `copy`; all are distinct. */
uint8_t takt_kernel_register(const struct kernel_request *request, uint8_t name, uint8_t copy);

/* ---- for the emitters ---- */

void takt_kernel_insn(struct kernel_code *code, const void *bytes, size_t size_bytes,
		      const struct kernel_effect *effect);

struct kernel_emitter {
	void (*begin)(const struct kernel_request *request, struct kernel_code *code);
	/* Emits the beginnings of the outer and the inner loop. */
	void (*repeat)(const struct kernel_request *request, struct kernel_code *code);
	void (*op)(const struct kernel_request *request, const struct kernel_op *op, uint8_t copy,
		   uint32_t offset_bytes, struct kernel_code *code);
	void (*end_trip)(struct kernel_code *code, size_t trip_start);
	/* Emits the end of a triangular repetition. */
	void (*end_row)(const struct kernel_request *request, struct kernel_code *code);
	void (*end_repeat)(struct kernel_code *code, size_t repeat_start);
	void (*leave)(struct kernel_code *code);
	/* Emit code around the kernel in a program: arguments, and creation and end of a thread. */
	void (*set_argument)(struct kernel_code *code, uint32_t argument, uint64_t value);
	void (*clone)(struct kernel_code *code, uint64_t stack, uint32_t skip_bytes);
	void (*exit_thread)(struct kernel_code *code);
};

extern const struct kernel_emitter takt_kernel_x86, takt_kernel_aarch64;
const struct kernel_emitter *takt_kernel_emitter(enum kernel_isa isa);

#endif
