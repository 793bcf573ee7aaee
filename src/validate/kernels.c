/* SPDX-License-Identifier: MIT */
/* The kernels. To add one, add a row here; its counts follow from the code emitted for it. */
#include "validate/kernel.h"

#define X86 (1u << KERNEL_X86)
#define BOTH (X86 | 1u << KERNEL_AARCH64)
#define LOAD(to, from)                                                                             \
	{                                                                                          \
		KERNEL_LOAD, to, 0, 0, from                                                        \
	}
#define STORE(stream, from)                                                                        \
	{                                                                                          \
		KERNEL_STORE, 0, from, 0, stream                                                   \
	}
#define OP(kind, to, left, right)                                                                  \
	{                                                                                          \
		KERNEL_##kind, to, left, right, 0                                                  \
	}

enum { A, B, C, D };

/* clang-format off */
const struct kernel takt_kernels[] = {
	{"load", "A read", {LOAD(T0, A)}, 1, 8, .isas = BOTH},
	{"store", "A = c", {STORE(A, ONE)}, 1, 8, .isas = BOTH},
	{"copy", "A = B", {LOAD(T0, B), STORE(A, T0)}, 2, 8, .isas = BOTH},
	{"update", "A = A * c",
	 {LOAD(T0, A), OP(MULTIPLY, T0, T0, ONE), STORE(A, T0)}, 3, 8, .isas = BOTH},
	{"sum", "s += A", {LOAD(T0, A), OP(ADD, T1, T1, T0)}, 2, 6, .isas = BOTH},
	{"ddot", "s += A * B",
	 {LOAD(T0, A), LOAD(T1, B), OP(MADD, T2, T0, T1)}, 3, 4, .isas = BOTH},
	{"triangle", "C = A * B, A a triangular matrix",
	 {LOAD(T0, A), LOAD(T1, B), OP(MADD, T2, T0, T1)}, 3, 1, .triangular = true,
	 .scalar_only = true, .isas = BOTH},
	{"daxpy", "A = B * c + A",
	 {LOAD(T0, B), LOAD(T1, A), OP(MADD, T1, T0, ONE), STORE(A, T1)}, 4, 4, .isas = BOTH},
	{"stream", "A = B * c + C",
	 {LOAD(T0, B), LOAD(T1, C), OP(MADD, T1, T0, ONE), STORE(A, T1)}, 4, 4, .isas = BOTH},
	{"triad", "A = B * C + D",
	 {LOAD(T0, B), LOAD(T1, C), LOAD(T2, D), OP(MADD, T2, T0, T1), STORE(A, T2)},
	 5, 4, .isas = BOTH},
	{"divide", "A / c, dropped", {LOAD(T0, A), OP(DIVIDE, T0, T0, ONE)}, 2, 4, .isas = BOTH},
	{"peakflops", "arithmetic on registers", {{KERNEL_PEAK, T0, T1, ONE, 0}}, 1, 6,
	 .isas = BOTH},
	{"cl_load", "a read of each line of A", {LOAD(T0, A)}, 1, 8, .by_line = true,
	 .scalar_only = true, .isas = BOTH},
	{"cl_store", "a write to each line of A", {STORE(A, ONE)}, 1, 8, .by_line = true,
	 .scalar_only = true, .isas = BOTH},
	{"cl_copy", "an element of each line of A and B", {LOAD(T0, B), STORE(A, T0)}, 2, 8,
	 .by_line = true, .scalar_only = true, .isas = BOTH},
	{"insert", "A = halves of B, put together",
	 {LOAD(T0, B), OP(INSERT, T0, T0, ONE), STORE(A, T0)}, 3, 4, .wants_halves = true,
	 .isas = X86},
	{"mixed", "A = B + c, with vectors of two widths",
	 {{KERNEL_LOAD_HALF, T0, 0, 0, B}, OP(INSERT, T0, T0, ONE), OP(ADD_HALF, T1, T1, ONE),
	  OP(ADD, T0, T0, ONE), STORE(A, T0)}, 5, 4, .wants_halves = true, .isas = X86},
	{"chase", "each line of A, by pointers", {{KERNEL_CHASE, 0, 0, 0, A}}, 1, 8,
	 .by_line = true, .scalar_only = true, .isas = BOTH},
	{"chain", "additions, one after the other", {{KERNEL_CHAIN, 0, 0, 0, 0}}, 1, 64,
	 .scalar_only = true, .isas = BOTH},
	{"touch", "an integer write to each line of A", {{KERNEL_STORE_INT, 0, 0, 0, A}}, 1, 1,
	 .by_line = true, .scalar_only = true, .isas = BOTH},
	{"atomic", "a locked addition to each line of A", {{KERNEL_ATOMIC, 0, 0, 0, A}}, 1, 4,
	 .by_line = true, .scalar_only = true, .isas = BOTH},
	{"pause", "pauses", {{KERNEL_PAUSE, 0, 0, 0, 0}}, 1, 4, .scalar_only = true,
	 .isas = BOTH},
	{"call", "calls and returns", {{KERNEL_CALL, 0, 0, 0, 0}}, 1, 4, .scalar_only = true,
	 .isas = BOTH},
	{"syscall", "system calls", {{KERNEL_SYSCALL, 0, 0, 0, 0}}, 1, 1, .scalar_only = true,
	 .isas = BOTH},
	{"futex", "futexes that nobody waits for", {{KERNEL_FUTEX, 0, 0, 0, 0}}, 1, 1,
	 .scalar_only = true, .isas = BOTH},
	{"gather", "gathers of one element", {{KERNEL_GATHER, 0, 0, 0, 0}}, 1, 4,
	 .scalar_only = true, .isas = X86},
	{"string", "a line of A = one of B, by one instruction", {{KERNEL_STRING, 0, 0, 0, 0}},
	 1, 2, .scalar_only = true, .isas = X86},
	{"branch", "branches that are not taken", {{KERNEL_SKIP, 0, 0, 0, 0}}, 1, 8,
	 .scalar_only = true, .isas = BOTH},
};
/* clang-format on */

const size_t takt_kernel_count = TAKT_COUNT_OF(takt_kernels);
