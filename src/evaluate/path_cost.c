/* SPDX-License-Identifier: MIT */
/*
 * Cycles of a kernel from its paths. Each path through a loop is written out in short, block after
 * block in the order of execution, and predicted as if it repeated for ever. An inner loop on it is
 * represented by some of its iterations, and so on inwards; an iteration left out costs as much as
 * one of the inner loop in its steady state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"

/* Instructions of an inner loop to write out: about as many as can be in flight. */
#define INSNS_INNER 512u
#define INNER_SHARE 4u /* a loop inside that one gets 1/4 of its budget */

struct costs {
	const struct evaluate_code *code;
	double (*visit)(void *context, const uint32_t *blocks, size_t count);
	void *context;
	struct evaluate_loop *loops;
	size_t loop_count;
	double *cycles;	  /* of one iteration, by loop; negative: not known yet */
	uint32_t *blocks; /* sequence written out, as indices of blocks */
	size_t block_count, capacity;
	uint32_t insns;	 /* in the sequence */
	double left_out; /* cycles of the iterations that the sequence leaves out */
};

static uint32_t count_insns(const struct evaluate_block *block)
{
	const uint8_t *next = block->bytes, *end = next + block->size_bytes;
	struct takt_insn_flow part;
	uint32_t count = 0;

	for (; next < end; next += part.length_bytes, count++)
		if (!takt_insn_flow_decode(&takt_isa_x86, next, (size_t)(end - next), &part))
			break;
	return count;
}

static void add_block(struct costs *costs, uint32_t index)
{
	TAKT_GROW(costs->blocks, costs->block_count + 1, costs->capacity);
	costs->blocks[costs->block_count++] = index;
	costs->insns += count_insns(&costs->code->graph.blocks[index]);
}

/* Chooses the path of each iteration: paths alternate evenly, in proportion to their counts. */
struct schedule {
	double due[EVALUATE_PATHS_MAX];
};

static const struct evaluate_path *next_path(const struct evaluate_loop *loop, bool back,
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
static const struct evaluate_path *find_exit(const struct evaluate_loop *loop, uint32_t exit)
{
	const struct evaluate_path *best = NULL;

	for (uint32_t i = 0; i < loop->path_count; i++) {
		const struct evaluate_path *path = &loop->paths[i];
		bool fits = path->parts[path->part_count - 1].exit == exit;

		if (!path->back && fits && (!best || path->count > best->count))
			best = path;
	}
	return best;
}

static void add_inner(struct costs *costs, const struct evaluate_path_part *part, uint32_t budget);

static void add_path(struct costs *costs, const struct evaluate_path *path, uint32_t budget)
{
	for (uint32_t i = 0; path && i < path->part_count; i++) {
		if (path->parts[i].loop)
			add_inner(costs, &path->parts[i], budget);
		else
			add_block(costs, path->parts[i].block);
	}
}

/* Write out a run of an inner loop from entry to exit, leaving most of its iterations out. */
static void add_inner(struct costs *costs, const struct evaluate_path_part *part, uint32_t budget)
{
	const struct evaluate_loop *loop = &costs->loops[part->loop];
	double repeats = (double)loop->iterations / (double)loop->entries - 1;
	const struct evaluate_path *out = find_exit(loop, part->exit);
	struct schedule schedule = {0};
	uint32_t end = costs->insns + budget;
	double written = 0;

	while (written + 0.5 < repeats && (written < 1 || costs->insns < end)) {
		const struct evaluate_path *path = next_path(loop, true, &schedule);

		if (!path)
			break;
		add_path(costs, path, budget / INNER_SHARE);
		written++;
	}
	if (!out) /* the exit is too rare to have a path of its own */
		repeats++;
	costs->left_out += (repeats - written) * costs->cycles[part->loop];
	add_path(costs, out, budget / INNER_SHARE);
}

/* Return the mean cycles of a loop's paths, each as if repeated; inner loops are known. */
static double cost_loop(struct costs *costs, const struct evaluate_loop *loop, bool back)
{
	double all = 0, sum = 0;

	for (uint32_t i = 0; i < loop->path_count; i++) {
		const struct evaluate_path *path = &loop->paths[i];

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
		if (costs->cycles[i] < 0 &&
		    (best == 0 || costs->loops[i].size < costs->loops[best].size))
			best = i;
	return best;
}

double takt_paths_visit(const struct evaluate_code *code,
			double (*visit)(void *context, const uint32_t *blocks, size_t count),
			void *context)
{
	struct costs costs = {.code = code, .visit = visit, .context = context};
	double cycles;
	uint32_t next;

	costs.loops = takt_paths_find(&code->graph, code->arena, &costs.loop_count);
	costs.cycles = TAKT_NEW_ARRAY(code->arena, costs.loop_count, double);
	for (size_t i = 0; i < costs.loop_count; i++)
		costs.cycles[i] = -1;
	while ((next = next_loop(&costs)) != 0)
		costs.cycles[next] = cost_loop(&costs, &costs.loops[next], true);
	cycles = cost_loop(&costs, &costs.loops[0], false);
	free(costs.blocks);
	return cycles;
}

/* ---- prediction of the sequences ---- */

/*
 * Append a block; displacements relative to the program counter are adapted to keep their target.
 */
static void write_block(const struct evaluate_block *block, struct takt_text *bytes)
{
	size_t start = bytes->size_bytes;
	int32_t moved = (int32_t)(block->offset - start), displacement;
	struct takt_insn_flow part;

	takt_text_add(bytes, (const char *)block->bytes, block->size_bytes);
	for (uint32_t at = 0; at < block->size_bytes; at += part.length_bytes) {
		char *place = bytes->data + start + at;

		if (!takt_insn_flow_decode(&takt_isa_x86, block->bytes + at, block->size_bytes - at,
					   &part))
			return;
		if (!part.rip_index)
			continue;
		memcpy(&displacement, place + part.rip_index, sizeof(displacement));
		displacement = (int32_t)((uint32_t)displacement + (uint32_t)moved);
		memcpy(place + part.rip_index, &displacement, sizeof(displacement));
	}
}

struct prediction {
	const struct evaluate_predictor *predictor;
	const struct evaluate_code *code;
	struct takt_text bytes;
};

static double predict(void *context, const uint32_t *blocks, size_t count)
{
	struct prediction *prediction = context;
	const struct evaluate_block *all = prediction->code->graph.blocks;
	double cycles;

	takt_text_clear(&prediction->bytes);
	for (size_t i = 0; i < count; i++)
		write_block(&all[blocks[i]], &prediction->bytes);
	if (takt_predict(takt_code_predictor(prediction->predictor, prediction->code,
					     all[blocks[0]].offset),
			 (const uint8_t *)takt_text_data(&prediction->bytes),
			 prediction->bytes.size_bytes, &cycles) != TAKT_OK)
		return NAN;
	return cycles;
}

double takt_paths_cycles(const struct evaluate_predictor *predictor,
			 const struct evaluate_code *code, const char **ret_remark)
{
	struct prediction prediction = {.predictor = predictor, .code = code};
	double cycles;

	takt_text_init(&prediction.bytes);
	cycles = takt_paths_visit(code, predict, &prediction);
	takt_text_release(&prediction.bytes);
	if (isnan(cycles))
		*ret_remark = "a path cannot be predicted";
	return cycles;
}
