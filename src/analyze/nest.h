/* SPDX-License-Identifier: MIT */
/* nest: counts of a function's blocks that are assumed instead of measured. Private to analyze. */
#ifndef TAKT_ANALYZE_NEST_H
#define TAKT_ANALYZE_NEST_H

#include "analyze/prepared.h"

/* The code whose debug information says the source lines. */
struct takt_nest_lines {
	const struct takt_code *code;
	size_t region_index;
};

/* A function whose control flow is followed. */
struct takt_nest_function {
	const char *name;
	const struct takt_block *block; /* all of its instructions, one after the other */
	uint64_t address;
	size_t size_bytes;
	const struct takt_model *model;
	const struct takt_paths_options *options;
	const struct takt_nest_lines *lines; /* NULL: lines are not wanted */
	const struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
};

/* The origin of a loop's number of iterations. */
struct takt_nest_trips {
	uint64_t head; /* offset of the loop's first block */
	enum takt_trips trips;
};

/* Counts of one call. */
struct takt_nest_run {
	struct takt_flow_counts counts; /* offsets are relative to the function's address */
	const struct takt_nest_trips *trips;
	uint32_t trip_count;
	bool complete; /* the function's end was reached */
};

/* Follow control through a call of the function. Results are in the arena. */
TAKT_MUST_CHECK enum takt_status takt_nest_run(const struct takt_nest_function *function,
					       struct takt_arena *arena, struct takt_diag *diag,
					       struct takt_nest_run *ret_run);

/*
 * Predict a function from the paths through its loops. The result is in `arena`, all else in
 * `scratch`; `arch` of the result is not set. `ret_around`, if it is not NULL, is set to the index
 * of the loop around each loop; of the function it is 0.
 */
TAKT_MUST_CHECK enum takt_status takt_nest_paths(const struct takt_nest_function *function,
						 struct takt_arena *arena,
						 struct takt_arena *scratch, struct takt_diag *diag,
						 struct takt_paths *ret_paths,
						 const uint32_t **ret_around);

#endif
