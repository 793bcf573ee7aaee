/* SPDX-License-Identifier: MIT */
/*
 * dependences: a sink that observes which loads of a program read what which stores wrote, as
 * depsim does (CesASMe; Derumigny and others). The memory of each thread has a shadow, which knows
 * the last writer of each byte.
 */
#ifndef TAKT_TRACE_DEPENDENCES_H
#define TAKT_TRACE_DEPENDENCES_H

#include "trace/trace.h"

#define DEPENDENCES_PAGES_MAX (1u << 17) /* pages of 4 KiB that have a shadow */
#define DEPENDENCES_ROWS_MAX (1u << 20)
#define DEPENDENCES_SITES_MAX ((1u << 24) - 2) /* instructions that access memory */
/* Executions of a store that are remembered; a distance of at least that many is not known. */
#define DEPENDENCES_RECENT 64u

struct dependences_thread;

struct trace_dependences {
	struct trace_sink sink;	 /* first, so that it is one */
	struct trace_sink *next; /* gets everything, too */
	struct dependences_thread **threads;
	uint32_t thread_capacity;
	/* For each block the numbers of its instructions, each plus 1; 0: not looked up yet. */
	uint32_t **block_sites;
	uint32_t block_capacity;
	struct takt_map numbers;	/* numbers of instructions, by where they are */
	struct dependences_site *sites; /* by number, from 0 */
	uint32_t site_count, site_capacity;
	struct takt_map rows;
	uint32_t page_count, pages_max; /* of all threads */
	uint64_t loads, fed_loads, left_out;
};

struct dependences_entry {
	uint64_t key;
	uint64_t site; /* its number, plus 1 */
};

/* An instruction of the program, in the first block that had it. */
struct dependences_site {
	const struct trace_block *block;
	uint32_t insn;
};

void takt_trace_dependences_init(struct trace_dependences *dependences, struct trace_sink *next);
void takt_trace_dependences_release(struct trace_dependences *dependences);
/* Make the result, when blocks have functions and lines; takt_trace_dependences_free() frees it. */
const struct takt_trace_dependences *
takt_trace_dependences_finish(struct trace_dependences *dependences,
			      const struct trace_dictionary *dictionary);
void takt_trace_dependences_free(const struct takt_trace_dependences *result);

#endif
