/* SPDX-License-Identifier: MIT */
/*
 * Dependences of an analyzed block, through registers and memory. struct takt_analysis has them.
 */
#ifndef TAKT_DEPENDENCES_API_H
#define TAKT_DEPENDENCES_API_H

#include <takt/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One recurrence: a closed chain of dependences. Its latencies add up to cycles × iterations. */
struct takt_recurrence {
	double cycles_per_iteration; /* per block execution */
	uint32_t iterations;	     /* iterations that the recurrence spans */
	const char *location;	 /* location that carries it to the next iteration: "rax", "ymm0",
				  * "memory" */
	const uint32_t *members; /* instruction indices in order */
	const double *latencies_cycles; /* latency of each member */
	uint32_t member_count;
};

/* A dependence: `to` waits for `from`. */
struct takt_dependence {
	uint32_t from, to;     /* instruction indices */
	uint32_t iterations;   /* distance in iterations: 0 or 1; any number through memory */
	const char *location;  /* register, flag or "memory" */
	double latency_cycles; /* latency of `to` from this operand */
	bool on_loop_carried, on_critical_path;
};

/* A dependence through memory: the load reads what the store wrote. */
struct takt_memory_dependence {
	uint32_t from, to;   /* instruction indices: store, load */
	uint32_t iterations; /* distance in iterations */
	double latency_cycles;
	/*
	 * "contained": can be forwarded; "wider": the load reads more than the store wrote;
	 * "split": the load reads from several stores.
	 */
	const char *overlap;
	const char *from_address, *to_address; /* "[rdi+8*rcx+16]" */
};

/*
 * A name dependence: `to` overwrites what `from` reads ("WAR") or wrote ("WAW"). Renaming of
 * registers removes those through registers.
 */
struct takt_overwrite {
	uint32_t from, to;		       /* instruction indices */
	uint32_t iterations;		       /* distance in iterations */
	const char *kind;		       /* "WAR", "WAW" */
	const char *location;		       /* register or "memory" */
	const char *from_address, *to_address; /* through memory: "[rdi+8]"; else NULL */
};

/* The change of a memory operand's address from iteration to iteration. */
struct takt_memory_stream {
	uint32_t insn;
	const char *address; /* "[rdi+8*rcx+16]" */
	uint32_t size_bytes;
	bool loads, stores;
	bool known;   /* true if integer instructions alone compute the address; if
		       * not, all fields below are 0 */
	bool strided; /* true if each iteration adds the same distance, stride_bytes */
	int64_t stride_bytes;
	uint32_t alignment_bytes; /* power of two up to 64 such that each address is offset_bytes
				   * above a multiple of it; 1: unknown */
	uint32_t offset_bytes;
	double line_crossing_share; /* share of iterations in which it crosses a 64-byte line; NaN
				     * if that depends on the registers at entry */
};

/* A load that may wait for an earlier store to another address with the same low 12 bits. */
struct takt_page_alias {
	uint32_t from, to;   /* instruction indices: store, load */
	uint32_t iterations; /* distance in iterations */
	const char *from_address, *to_address;
};

#ifdef __cplusplus
}
#endif

#endif
