/* SPDX-License-Identifier: MIT */
/*
 * A loop that is entered and left: how often it iterates, what a whole execution takes alone, and
 * what it and the loops around it take in their function.
 */
#include <math.h>

#include "analyze/nest.h"
#include "analyze/work.h"

#define NESTS_MAX 64u /* regions that are searched for loops with known iterations */

static uint64_t address_of(const struct takt_work *work, size_t region)
{
	return takt_code_original(work->code, region,
				  takt_code_region(work->code, region)->address);
}

/* Return the last of the loops that begins at an address, or NULL. */
static const struct takt_loop_trips *find_given(const struct takt_paths_options *given,
						uint64_t address)
{
	for (size_t i = given->loop_count; i-- > 0;)
		if (given->loops[i].address == address)
			return &given->loops[i];
	return NULL;
}

/* Add the loops inside of nests, if these are regions and the code says the iterations. */
static void add_known(struct takt_work *work, const struct takt_code_span *span,
		      struct takt_paths_options *options)
{
	size_t count = takt_code_region_count(work->code), capacity = options->loop_count,
	       nests = 0;
	struct takt_loop_trips *loops =
		TAKT_NEW_ARRAY(work->scratch, capacity, struct takt_loop_trips);

	for (size_t i = 0; i < capacity; i++)
		loops[i] = options->loops[i];
	for (size_t nest = 0; nest < count && nests < NESTS_MAX; nest++) {
		const struct takt_region *region = takt_code_region(work->code, nest);
		struct takt_inner_loop *inner;

		if (!region->inner_count ||
		    address_of(work, nest) - span->address >= span->size_bytes)
			continue;
		nests++;
		inner = TAKT_NEW_ARRAY(work->scratch, region->inner_count, struct takt_inner_loop);
		takt_work_find_trips(work, nest, inner);
		for (size_t i = 0; i < region->inner_count; i++) {
			uint64_t address = address_of(work, region->inner[i]);

			if (!inner[i].trips || find_given(work->options->trips, address))
				continue;
			TAKT_GROW_IN(work->scratch, loops, options->loop_count + 1, capacity);
			loops[options->loop_count++] =
				(struct takt_loop_trips){address, inner[i].trips};
		}
	}
	options->loops = loops;
}

/* Keep those of the given loops that begin in a function, and add those that the code says. */
static void choose_loops(struct takt_work *work, const struct takt_code_span *span,
			 struct takt_paths_options *options)
{
	const struct takt_paths_options *given = work->options->trips;
	struct takt_loop_trips *loops =
		TAKT_NEW_ARRAY(work->scratch, given->loop_count, struct takt_loop_trips);

	*options = *given;
	options->loops = loops;
	options->loop_count = 0;
	for (size_t i = 0; i < given->loop_count; i++)
		if (given->loops[i].address - span->address < span->size_bytes)
			loops[options->loop_count++] = given->loops[i];
	add_known(work, span, options);
}

/* Say of loops whose iterations were found beforehand that the code says them. */
static void mark_known(struct takt_work *work, const struct takt_paths_options *options,
		       struct takt_paths *paths)
{
	struct takt_path_loop *loops =
		TAKT_NEW_ARRAY(work->arena, paths->loop_count, struct takt_path_loop);

	for (uint32_t i = 0; i < paths->loop_count; i++) {
		loops[i] = paths->loops[i];
		if (loops[i].depth && find_given(options, loops[i].address) &&
		    !find_given(work->options->trips, loops[i].address))
			loops[i].trips = takt_trips_word(TAKT_TRIPS_CODE);
	}
	paths->loops = loops;
}

/* Predict the function around the region. Without a function that can be read, there is no path. */
static enum takt_status find_paths(struct takt_work *work, struct takt_diag *diag,
				   struct takt_paths *paths, const uint32_t **ret_around)
{
	struct takt_paths_options options;
	struct takt_nest_function function = {.model = work->prepared.model, .options = &options};
	struct takt_code_span span;
	struct takt_block block;
	enum takt_status status;

	if (!takt_region_function(work->code, work->region_index, &span) ||
	    takt_decode_block(
		    takt_model_isa(work->prepared.model),
		    &(struct takt_code_bytes){span.bytes, span.size_bytes, span.address,
					      takt_code_file(work->code),
					      takt_region_section(work->code, work->region_index)},
		    work->scratch, NULL, &block) != TAKT_OK ||
	    !block.count)
		return TAKT_OK;
	choose_loops(work, &span, &options);
	options.no_memory_dependences = work->options->no_memory_dependences;
	function.name = takt_arena_string(work->arena, work->region->function);
	function.block = &block;
	function.address = span.address;
	function.size_bytes = span.size_bytes;
	status = takt_nest_paths(&function, work->arena, work->scratch, diag, paths, ret_around);
	if (status == TAKT_OK)
		mark_known(work, &options, paths);
	return status;
}

/* Return the index of the loop that begins at an address, or the number of loops. */
static uint32_t find_loop(const struct takt_paths *paths, uint64_t address)
{
	uint32_t i = 0;

	while (i < paths->loop_count &&
	       (!paths->loops[i].depth || paths->loops[i].address != address))
		i++;
	return i;
}

/*
 * Return the iterations of the loop at an address, and their origin. What is given is taken as it
 * is: a run of the function may have been cut before.
 */
static uint64_t find_iterations(const struct takt_work *work, const struct takt_paths *paths,
				uint64_t address, const char **ret_trips)
{
	const struct takt_paths_options *given = work->options->trips;
	const struct takt_loop_trips *one = find_given(given, address);
	uint32_t loop = find_loop(paths, address);

	*ret_trips = takt_trips_word(TAKT_TRIPS_GIVEN);
	if (one)
		return one->iterations;
	if (loop < paths->loop_count &&
	    paths->loops[loop].trips == takt_trips_word(TAKT_TRIPS_CODE)) {
		*ret_trips = paths->loops[loop].trips;
		return (uint64_t)fmax(1, round(paths->loops[loop].iterations));
	}
	if (given->iterations)
		return given->iterations;
	*ret_trips = takt_trips_word(TAKT_TRIPS_ASSUMED);
	return TAKT_TRIPS_DEFAULT;
}

/* List the region's loop, those around it and the function. */
static void fill_around(struct takt_work *work, const struct takt_paths *paths,
			const uint32_t *outer)
{
	struct takt_execution *execution = &work->record->execution;
	uint32_t at = find_loop(paths, address_of(work, work->region_index)), left;
	struct takt_path_loop *around;

	if (at == paths->loop_count)
		return;
	left = paths->loops[at].depth + 1;
	around = TAKT_NEW_ARRAY(work->arena, left, struct takt_path_loop);
	for (; left; left--, at = outer[at])
		around[execution->around_count++] = paths->loops[at];
	execution->around = around;
}

static void fill_alone(struct takt_work *work)
{
	const struct sim_options options = {.alignment_bytes = work->record->alignment_bytes,
					    .iterations_max = work->options->iterations_max};
	struct takt_execution *execution = &work->record->execution;
	double endless = (double)execution->iterations * work->simulated.cycles;
	struct sim_execution simulated;

	takt_prepared_execute(&work->prepared, &options, &work->simulated, execution->iterations,
			      work->scratch, &simulated);
	execution->endless_cycles = endless;
	execution->fill_cycles = simulated.retired_cycles - endless;
	execution->exit_cycles = fmax(0, simulated.left_cycles - simulated.retired_cycles);
	execution->cycles = simulated.retired_cycles + execution->exit_cycles;
}

/* Give the loops inside their iterations, if the code does not say them, and add up anew. */
static void fill_inner(struct takt_work *work, const struct takt_paths *paths)
{
	struct takt_analysis *record = work->record;
	struct takt_inner_loop *inner;

	if (!record->inner_loop_count || record->inner_loop_count < work->region->inner_count)
		return;
	inner = TAKT_NEW_ARRAY(work->arena, record->inner_loop_count, struct takt_inner_loop);
	record->nest_cycles = record->cycles_per_iteration;
	for (uint32_t i = 0; i < record->inner_loop_count; i++) {
		uint64_t address = address_of(work, work->region->inner[i]);
		const char *trips;

		inner[i] = record->inner_loops[i];
		if (!inner[i].trips || find_given(work->options->trips, address))
			inner[i].trips = find_iterations(work, paths, address, &trips);
		record->nest_cycles += (double)inner[i].trips * inner[i].cycles;
	}
	record->inner_loops = inner;
}

enum takt_status takt_work_fill_execution(struct takt_work *work, struct takt_diag *diag)
{
	struct takt_execution *execution = &work->record->execution;
	struct takt_paths paths = {.loop_count = 0};
	const uint32_t *around = NULL;
	bool is_nest = work->region->inner_count > 0;
	enum takt_status status;

	execution->cycles = execution->endless_cycles = NAN;
	execution->fill_cycles = execution->exit_cycles = NAN;
	execution->trips = "";
	if (!work->options->trips || work->options->bounds_only)
		return TAKT_OK;
	status = find_paths(work, diag, &paths, &around);
	if (status != TAKT_OK)
		return status;
	if (!is_nest && work->prepared.mode != TAKT_MODE_LOOP)
		return TAKT_OK;
	execution->iterations = find_iterations(work, &paths, address_of(work, work->region_index),
						&execution->trips);
	fill_around(work, &paths, around);
	fill_inner(work, &paths);
	if (!is_nest)
		fill_alone(work);
	return TAKT_OK;
}
