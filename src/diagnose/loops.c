/* SPDX-License-Identifier: MIT */
/*
 * Analyses single hot loops: the hot path through a loop's blocks is given to takt_analyze() as one
 * piece of code.
 */
#include <math.h>
#include <string.h>

#include "analyze/analyze.h"
#include "diagnose/diagnose.h"

#define BLOCKS_MAX 64u
#define BYTES_MAX 8192u
#define GAIN_LEAST 0.01 /* least share of the cycles that is worth a suggestion */

/* A path: successive blocks, from one of the loop's back to it. */
struct way {
	const struct takt_trace_block *blocks[BLOCKS_MAX];
	uint32_t count, insns;
	/* Executions of its first block, and of its least executed block. */
	uint64_t iterations, runs;
	uint8_t bytes[BYTES_MAX];
	size_t size_bytes;
};

/* ---- the path ---- */

/* True if an address of the loop is in a smaller loop. */
static bool is_inner(const struct diagnose_seen *seen, const struct diagnose_place *place,
		     uint64_t address)
{
	for (uint32_t i = 0; i < seen->place_count; i++) {
		const struct diagnose_place *other = &seen->places[i];

		if (other != place && other->loop && other->begin >= place->begin &&
		    other->end <= place->end && address >= other->begin && address < other->end)
			return true;
	}
	return false;
}

/* True if no block of the path is in a smaller loop. */
static bool is_own(const struct diagnose_seen *seen, const struct diagnose_place *place,
		   const struct way *way)
{
	for (uint32_t i = 0; i < way->count; i++)
		if (is_inner(seen, place, way->blocks[i]->address))
			return false;
	return true;
}

static bool has_room(const struct way *way, const struct takt_trace_block *block)
{
	return way->count < BLOCKS_MAX && block->size_bytes <= BYTES_MAX - way->size_bytes;
}

/* Complete a path with its code and counts, from block `first` on, to which it returns. */
static void finish_way(struct way *way, uint32_t first)
{
	way->count -= first;
	memmove(way->blocks, way->blocks + first, way->count * sizeof(*way->blocks));
	way->size_bytes = 0;
	way->iterations = way->runs = way->blocks[0]->executions;
	for (uint32_t i = 0; i < way->count; i++) {
		const struct takt_trace_block *block = way->blocks[i];

		memcpy(way->bytes + way->size_bytes, block->bytes, block->size_bytes);
		way->size_bytes += block->size_bytes;
		way->insns += block->insn_count;
		if (block->executions < way->runs)
			way->runs = block->executions;
	}
}

/*
 * Follow the most frequent edges from the loop's start; false if they do not return to a block of
 * the path.
 */
static bool find_way(const struct takt_trace_profile *profile, const struct diagnose_place *place,
		     struct way *way)
{
	const struct takt_trace_block *block = takt_trace_hottest_block(profile, place->begin);

	while (block && block->address >= place->begin && block->address < place->end) {
		/*
		 * The path may return to a later block than its first, if later iterations enter
		 * the first one in its middle.
		 */
		if (way->count && block->address == place->begin) {
			finish_way(way, 0);
			return true;
		}
		for (uint32_t i = 0; i < way->count; i++)
			if (way->blocks[i] == block) {
				finish_way(way, i);
				return true;
			}
		if (!has_room(way, block))
			return false;
		way->size_bytes += block->size_bytes;
		way->blocks[way->count++] = block;
		block = takt_trace_hottest_successor(profile, block);
	}
	return false;
}

/* ---- analysis of the path ---- */

static void add_relaxation(const struct takt_analysis *analysis, struct takt_arena *arena,
			   struct takt_loop_figures *figures)
{
	const struct takt_relaxation *best = analysis->relaxations;

	figures->relaxed = figures->advice = "";
	figures->relaxed_cycles = NAN;
	if (analysis->change_count &&
	    analysis->changes->cycles <= (1 - GAIN_LEAST) * analysis->simulated_cycles) {
		figures->relaxed = takt_arena_string(arena, analysis->changes->what);
		figures->advice = takt_arena_string(arena, analysis->changes->how);
		figures->relaxed_cycles = analysis->changes->cycles;
		return;
	}
	if (!analysis->relaxation_count ||
	    best->cycles > (1 - GAIN_LEAST) * analysis->simulated_cycles)
		return;
	figures->relaxed = takt_arena_string(arena, best->what);
	figures->advice = takt_arena_string(arena, best->advice);
	figures->relaxed_cycles = best->cycles;
}

static struct takt_loop_figures *new_figures(const struct takt_analysis *analysis,
					     struct takt_arena *arena)
{
	struct takt_loop_figures *figures = TAKT_NEW(arena, struct takt_loop_figures);
	const struct takt_bounds *bounds = &analysis->bounds;

	*figures = (struct takt_loop_figures){
		.cycles = analysis->simulated_cycles,
		.ports_cycles = bounds->ports_cycles,
		.front_end_cycles = bounds->front_end_cycles,
		.issue_cycles = bounds->issue_cycles,
		.carried_cycles = bounds->loop_carried_cycles,
		.limit = takt_arena_string(arena, analysis->limit),
		.bottleneck = analysis->bottleneck_count
				      ? takt_arena_string(arena, analysis->bottlenecks[0])
				      : "",
	};
	add_relaxation(analysis, arena, figures);
	return figures;
}

static struct takt_loop_figures *analyze(const struct diagnose_seen *seen, const struct way *way,
					 uint64_t address, struct takt_arena *arena)
{
	const struct takt_code_options options = {
		.path = "loop",
		.data = way->bytes,
		.data_size_bytes = way->size_bytes,
		.format = TAKT_INPUT_RAW,
		.isa = takt_model_isa_name(seen->model),
		.whole = true,
	};
	const struct takt_analysis_options wanted = {
		.mode = TAKT_MODE_LOOP,
		.alignment = 1 + (uint32_t)(address % 64),
	};
	struct takt_loop_figures *figures = NULL;
	struct takt_analysis *analysis;
	struct takt_code *code;

	if (takt_code_open(&options, NULL, &code) != TAKT_OK)
		return NULL;
	if (takt_analyze(seen->model, code, 0, &wanted, NULL, &analysis) == TAKT_OK) {
		figures = new_figures(analysis, arena);
		figures->calls = takt_code_region(code, 0)->calls;
		takt_analysis_free(analysis);
	}
	takt_code_close(code);
	return figures;
}

const struct takt_loop_figures *takt_diagnose_loop(const struct diagnose_seen *seen,
						   const struct diagnose_place *place,
						   struct takt_arena *arena)
{
	struct takt_loop_figures *figures;
	struct way way = {.count = 0};

	if (!place->loop || !seen->profile || !find_way(seen->profile, place, &way) ||
	    !is_own(seen, place, &way))
		return NULL;
	figures = analyze(seen, &way, way.blocks[0]->address, arena);
	if (!figures)
		return NULL;
	figures->iterations = way.iterations;
	figures->run_cycles = (double)place->cycles / (double)way.iterations;
	figures->hot_path_share =
		fmin(1, (double)way.insns * (double)way.runs / (double)place->counts.insns);
	return figures;
}
