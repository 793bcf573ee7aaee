/* SPDX-License-Identifier: MIT */
/*
 * Cycles of a function from its paths. Each path through a loop is written out in short, block
 * after block in the order of execution, and predicted as if it repeated for ever. An inner loop on
 * it is represented by some of its iterations, and so on inwards; an iteration left out costs as
 * much as one of the inner loop in its steady state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/prepared.h"

/* Instructions of an inner loop to write out: about as many as can be in flight. */
#define INSNS_INNER 512u
#define INNER_SHARE 4u /* a loop inside that one gets 1/4 of its budget */

struct costs {
	const struct takt_nest_code *code;
	double (*visit)(void *context, const uint32_t *blocks, size_t count);
	void *context;
	struct takt_nest_loop *loops;
	size_t loop_count;
	uint32_t *blocks; /* sequence written out, as indices of blocks */
	size_t block_count, capacity;
	uint32_t insns;	 /* in the sequence */
	double left_out; /* cycles of the iterations that the sequence leaves out */
};

static uint32_t count_insns(const struct takt_isa *isa, const struct takt_flow_block *block)
{
	const uint8_t *next = block->bytes, *end = next + block->size_bytes;
	struct takt_insn_flow part;
	uint32_t count = 0;

	for (; next < end; next += part.length_bytes, count++)
		if (!takt_insn_flow_decode(isa, next, (size_t)(end - next), &part))
			break;
	return count;
}

static void add_block(struct costs *costs, uint32_t index)
{
	TAKT_GROW(costs->blocks, costs->block_count + 1, costs->capacity);
	costs->blocks[costs->block_count++] = index;
	costs->insns += count_insns(costs->code->isa, &costs->code->counts.blocks[index]);
}

/* Chooses the path of each iteration: paths alternate evenly, in proportion to their counts. */
struct schedule {
	double due[TAKT_NEST_PATHS_MAX];
};

static const struct takt_nest_path *next_path(const struct takt_nest_loop *loop, bool back,
					      struct schedule *schedule)
{
	double all = 0;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < loop->path_count; i++)
		if (loop->paths[i].back == back)
			all += (double)loop->paths[i].count;
	for (uint32_t i = 0; i < loop->path_count; i++) {
		if (loop->paths[i].back != back)
			continue;
		schedule->due[i] += (double)loop->paths[i].count / all;
		if (best == UINT32_MAX || schedule->due[i] > schedule->due[best])
			best = i;
	}
	if (best == UINT32_MAX)
		return NULL;
	schedule->due[best] -= 1;
	return &loop->paths[best];
}

/* Find the most frequent path that leaves the loop from block `exit`. */
static const struct takt_nest_path *find_exit(const struct takt_nest_loop *loop, uint32_t exit)
{
	const struct takt_nest_path *best = NULL;

	for (uint32_t i = 0; i < loop->path_count; i++) {
		const struct takt_nest_path *path = &loop->paths[i];
		bool fits = path->parts[path->part_count - 1].exit == exit;

		if (!path->back && fits && (!best || path->count > best->count))
			best = path;
	}
	return best;
}

static void add_inner(struct costs *costs, const struct takt_nest_part *part, uint32_t budget);

static void add_path(struct costs *costs, const struct takt_nest_path *path, uint32_t budget)
{
	for (uint32_t i = 0; path && i < path->part_count; i++) {
		if (path->parts[i].loop)
			add_inner(costs, &path->parts[i], budget);
		else
			add_block(costs, path->parts[i].block);
	}
}

/*
 * Write out a run of an inner loop from entry to exit, leaving most of its iterations out. Never
 * more than it has on average: an iteration beside others costs less than one of an endless loop,
 * which would be subtracted, and the sum could be negative.
 */
static void add_inner(struct costs *costs, const struct takt_nest_part *part, uint32_t budget)
{
	const struct takt_nest_loop *loop = &costs->loops[part->loop];
	double repeats = (double)loop->iterations / (double)loop->entries - 1;
	const struct takt_nest_path *out = find_exit(loop, part->exit);
	struct schedule schedule = {0};
	uint32_t end = costs->insns + budget;
	double written = 0;

	while (written + 1 <= repeats && (written < 1 || costs->insns < end)) {
		const struct takt_nest_path *path = next_path(loop, true, &schedule);

		if (!path)
			break;
		add_path(costs, path, budget / INNER_SHARE);
		written++;
	}
	if (!out) /* the exit is too rare to have a path of its own */
		repeats++;
	costs->left_out += (repeats - written) * costs->loops[part->loop].cycles;
	add_path(costs, out, budget / INNER_SHARE);
}

/* Return the mean cycles of a loop's paths, each as if repeated; inner loops are known. */
static double cost_loop(struct costs *costs, const struct takt_nest_loop *loop, bool back)
{
	double all = 0, sum = 0;

	for (uint32_t i = 0; i < loop->path_count; i++) {
		const struct takt_nest_path *path = &loop->paths[i];

		if (path->back != back)
			continue;
		costs->block_count = costs->insns = 0;
		costs->left_out = 0;
		add_path(costs, path, INSNS_INNER);
		all += (double)path->count;
		sum += (double)path->count *
		       (costs->visit(costs->context, costs->blocks, costs->block_count) +
			costs->left_out);
	}
	return all > 0 ? sum / all : 0;
}

/* Return the smallest loop without a cost, so that inner loops come before outer ones; 0: none. */
static uint32_t next_loop(const struct costs *costs)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < costs->loop_count; i++)
		if (costs->loops[i].cycles < 0 &&
		    (best == 0 || costs->loops[i].size < costs->loops[best].size))
			best = i;
	return best;
}

struct takt_nest_loop *takt_nest_visit(const struct takt_nest_code *code,
				       double (*visit)(void *context, const uint32_t *blocks,
						       size_t count),
				       void *context, struct takt_arena *arena, size_t *ret_count)
{
	struct costs costs = {.code = code, .visit = visit, .context = context};
	uint32_t next;

	costs.loops = takt_nest_find_loops(&code->counts, arena, &costs.loop_count);
	for (size_t i = 0; i < costs.loop_count; i++)
		costs.loops[i].cycles = -1;
	while ((next = next_loop(&costs)) != 0)
		costs.loops[next].cycles = cost_loop(&costs, &costs.loops[next], true);
	costs.loops[0].cycles = cost_loop(&costs, &costs.loops[0], false);
	free(costs.blocks);
	*ret_count = costs.loop_count;
	return costs.loops;
}

/* ---- prediction of the sequences ---- */

struct prediction {
	const struct takt_nest_code *code;
	struct takt_arena arena; /* memory of one sequence */
};

/* Decode the blocks of a sequence, each at its own address. */
static bool decode(struct prediction *prediction, const uint32_t *blocks, size_t count,
		   struct takt_block *ret_block)
{
	const struct takt_nest_code *code = prediction->code;
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		most += count_insns(code->isa, &code->counts.blocks[blocks[i]]);
	*ret_block = (struct takt_block){
		.isa = code->isa,
		.insns = TAKT_NEW_ARRAY(&prediction->arena, most + 1, struct takt_insn)};
	for (size_t i = 0; i < count; i++) {
		const struct takt_flow_block *block = &code->counts.blocks[blocks[i]];
		struct takt_insn *insn;

		for (uint32_t at = 0; at < block->size_bytes; at += insn->length_bytes) {
			insn = &ret_block->insns[ret_block->count];
			if (ret_block->count == most ||
			    takt_decode(code->isa, block->bytes + at, block->size_bytes - at,
					code->base + block->offset + at, insn) != TAKT_OK)
				return false;
			ret_block->count++;
		}
	}
	return ret_block->count > 0;
}

static double predict(void *context, const uint32_t *blocks, size_t count)
{
	struct prediction *prediction = context;
	const struct takt_nest_code *code = prediction->code;
	struct takt_prepared prepared = {.model = code->model, .mode = TAKT_MODE_LOOP};
	const struct sim_options options = {.placed = true};
	struct sim_summary summary;

	takt_arena_clear(&prediction->arena);
	if (!decode(prediction, blocks, count, &prepared.block))
		return NAN;
	takt_block_set_vectors(&prepared.block, NULL);
	takt_prepared_run(&prepared, &prediction->arena);
	if (!code->no_memory_dependences)
		takt_prepared_find_memory(&prepared, &prediction->arena);
	takt_prepared_simulate(&prepared, &options, &prediction->arena, &summary);
	return summary.cycles;
}

struct takt_nest_loop *takt_nest_predict(const struct takt_nest_code *code,
					 struct takt_arena *arena, size_t *ret_count)
{
	struct prediction prediction = {.code = code};
	struct takt_nest_loop *loops;

	takt_arena_init(&prediction.arena);
	loops = takt_nest_visit(code, predict, &prediction, arena, ret_count);
	takt_arena_release(&prediction.arena);
	return loops;
}
