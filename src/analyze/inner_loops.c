/* SPDX-License-Identifier: MIT */
/* Loops inside of a nest: their cycles, and how often each is executed. */
#include <math.h>

#include "analyze/work.h"

/* Make the code of a loop and of all loops inside. False if something does not decode. */
static bool make_loop(struct takt_work *work, size_t region, struct takt_trip_loop *loop)
{
	const struct takt_region *described = takt_code_region(work->code, region);
	struct takt_prepared *prepared = TAKT_NEW(work->scratch, struct takt_prepared);
	uint64_t *places;

	prepared->model = work->prepared.model;
	*loop = (struct takt_trip_loop){.block = &prepared->block};
	if (takt_prepared_decode(prepared, work->code, region, work->scratch, NULL) != TAKT_OK ||
	    !prepared->block.count)
		return false;
	places = TAKT_NEW_ARRAY(work->scratch, prepared->block.count, uint64_t);
	for (uint32_t i = 0; i < prepared->block.count; i++)
		places[i] =
			takt_code_original(work->code, region, prepared->block.insns[i].address);
	loop->places = places;
	loop->inner =
		TAKT_NEW_ARRAY(work->scratch, described->inner_count, struct takt_trip_loop *);
	loop->inner_count = described->inner_count;
	for (size_t i = 0; i < loop->inner_count; i++) {
		loop->inner[i] = TAKT_NEW(work->scratch, struct takt_trip_loop);
		if (!make_loop(work, described->inner[i], loop->inner[i]))
			return false;
	}
	return true;
}

void takt_work_find_trips(struct takt_work *work, size_t nest, struct takt_inner_loop *inner)
{
	struct takt_trip_loop outer;
	struct takt_block approach;
	const uint8_t *bytes;
	size_t size;
	bool straight;

	if (!make_loop(work, nest, &outer))
		return;
	straight = takt_region_approach(work->code, nest, &bytes, &size) &&
		   takt_decode_block(
			   takt_model_isa(work->prepared.model),
			   &(struct takt_code_bytes){bytes, size, 0, takt_code_file(work->code),
						     takt_region_section(work->code, nest)},
			   work->scratch, NULL, &approach) == TAKT_OK;
	takt_trips_find(straight ? &approach : NULL, &outer);
	for (size_t i = 0; i < outer.inner_count; i++)
		inner[i].trips = outer.inner[i]->trips;
}

/* Cycles of one execution of an analyzed region: with loops inside, if their trips are known. */
static double cycles_of(const struct takt_analysis *analysis)
{
	return analysis->inner_loop_count ? analysis->nest_cycles : analysis->cycles_per_iteration;
}

void takt_work_fill_inner_loops(struct takt_work *work)
{
	struct takt_analysis_options options = *work->options;
	struct takt_analysis *record = work->record;
	size_t count = work->region->inner_count;
	struct takt_inner_loop *inner;

	record->nest_cycles = NAN;
	if (!count)
		return;
	options.sensitivity = TAKT_SENSITIVITY_NONE;
	options.all_alignments = false;
	options.unroll_factor = 0;
	options.mode = TAKT_MODE_AUTO;
	inner = TAKT_NEW_ARRAY(work->arena, count, struct takt_inner_loop);
	record->inner_loops = inner;
	takt_work_find_trips(work, work->region_index, inner);
	record->nest_cycles = record->cycles_per_iteration;
	for (size_t i = 0; i < count; i++) {
		struct takt_inner_loop *loop = &inner[record->inner_loop_count];
		struct takt_analysis *analysis;

		if (takt_analyze(work->prepared.model, work->code, work->region->inner[i], &options,
				 NULL, &analysis) != TAKT_OK)
			continue; /* its own report says why */
		*loop = (struct takt_inner_loop){
			.region_name = takt_arena_string(work->arena, analysis->region_name),
			.cycles = cycles_of(analysis),
			.trips = inner[i].trips,
		};
		record->nest_cycles += loop->trips ? (double)loop->trips * loop->cycles : NAN;
		record->inner_loop_count++;
		takt_analysis_free(analysis);
	}
	if (record->inner_loop_count < count)
		record->nest_cycles = NAN;
}
