/* SPDX-License-Identifier: MIT */
/* The fast path: one number for a block, without a record. */
#include <math.h>
#include <stdlib.h>

#include "analyze/steps.h"

struct takt_predictor {
	const struct takt_model *model;
	enum takt_mode mode;
	struct takt_arena arena; /* kept from block to block */
};

struct takt_predictor *takt_predictor_new(const struct takt_model *model, enum takt_mode mode)
{
	struct takt_predictor *predictor = takt_xcalloc(1, sizeof(*predictor));

	predictor->model = model;
	predictor->mode = mode;
	takt_arena_init(&predictor->arena);
	return predictor;
}

void takt_predictor_free(struct takt_predictor *predictor)
{
	if (!predictor)
		return;
	takt_arena_release(&predictor->arena);
	free(predictor);
}

enum takt_status takt_predict(struct takt_predictor *predictor, const uint8_t *bytes,
			      size_t size_bytes, double *ret_cycles)
{
	static const struct takt_graph_options options = {.loop = true, .lean = true};
	struct takt_arena *arena = &predictor->arena;
	struct takt_steps steps = {.model = predictor->model};
	struct takt_graph graph;
	enum takt_status status;
	double cycles;

	takt_arena_clear(arena);
	status = takt_decode_block(bytes, size_bytes, 0, "", NULL, arena, NULL, &steps.block);
	if (status != TAKT_OK || !steps.block.count)
		return TAKT_BAD_INPUT;
	takt_steps_set_mode(&steps, predictor->mode);
	takt_steps_run(&steps, arena);
	takt_graph_build(steps.model, &steps.block, steps.timings, &options, arena, &graph);
	cycles = fmax(takt_ports_bound(steps.loads, steps.load_count),
		      takt_steps_issue_cycles(&steps));
	*ret_cycles = fmax(cycles, takt_loop_carried_bound(&graph, arena));
	return TAKT_OK;
}
