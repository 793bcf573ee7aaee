/* SPDX-License-Identifier: MIT */
/*
 * The code of a traced program, instruction by instruction, with what each cost.
 */
#ifndef TAKT_ANNOTATION_API_H
#define TAKT_ANNOTATION_API_H

#include <takt/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An instruction that ran, with all its executions in all blocks. */
struct takt_annotated_insn {
	uint64_t address, offset; /* address, and offset in the function */
	uint64_t executions;	  /* of the blocks that it is in */
	uint64_t cycles;	  /* its part of their cycles; 0 without a core */
	const char *text;	  /* "(bad)" if takt cannot decode it */
	const char *file;	  /* source file; NULL: unknown */
	uint32_t line;		  /* source line; 0: unknown */
	uint32_t size_bytes;
	bool begins_block; /* a block begins here: something jumps to it, or falls into it */
};

struct takt_annotated_function {
	uint32_t function; /* index in the profile */
	const char *name;
	struct takt_trace_weight self;
	const struct takt_annotated_insn *insns; /* in the order of their addresses */
	uint32_t insn_count;
};

/* The functions that cost most, the most expensive first. */
struct takt_annotation {
	const struct takt_annotated_function *functions;
	uint32_t function_count;
	uint32_t left_out; /* functions that ran and are not among them */
	bool timed;	   /* there are cycles: the trace has a core */
};

/*
 * Annotate at most `functions_max` functions, with at most some 30,000 instructions in all, of a
 * trace with takt_trace_options.profile and .insns; NULL if it was made without them. The totals
 * must outlive the result.
 */
TAKT_API struct takt_annotation *takt_annotate(const struct takt_trace_totals *totals,
					       uint32_t functions_max);
TAKT_API void takt_annotation_free(struct takt_annotation *annotation);

#ifdef __cplusplus
}
#endif

#endif
