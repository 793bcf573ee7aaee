/* SPDX-License-Identifier: MIT */
/* The fast path: predicts one figure for a block, without a record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/prepared.h"

struct takt_predictor {
	const struct takt_model *model;
	struct takt_model *changed; /* core with parts left out, used instead of the caller's; or
				     * NULL */
	struct takt_predictor_options options;
	struct takt_arena arena; /* reused from block to block */
	struct sim_known *known; /* blocks that were simulated before; NULL: there is none */
};

static bool lacks(const struct takt_predictor_options *options, enum takt_without part)
{
	return options->engine == TAKT_ENGINE_SIM && options->without >> part & 1;
}

/* Return the core without the parts left out; NULL if it keeps all. */
static struct takt_model *change_model(const struct takt_model *model,
				       const struct takt_predictor_options *options)
{
	struct takt_core_params params = *takt_model_params(model);
	const struct takt_model_change change = {.params = &params};

	if (!lacks(options, TAKT_WITHOUT_PORT_RULE) && !lacks(options, TAKT_WITHOUT_MOVES))
		return NULL;
	if (lacks(options, TAKT_WITHOUT_PORT_RULE))
		params.port_choice = 0;
	if (lacks(options, TAKT_WITHOUT_MOVES))
		params.move_elimination_int_slots = params.move_elimination_vector_slots = 0;
	return takt_model_change(model, &change);
}

struct takt_predictor *takt_predictor_new(const struct takt_model *model,
					  const struct takt_predictor_options *options)
{
	struct takt_predictor *predictor = takt_xcalloc(1, sizeof(*predictor));

	predictor->changed = change_model(model, options);
	predictor->model = predictor->changed ? predictor->changed : model;
	predictor->options = *options;
	if (options->engine == TAKT_ENGINE_SIM)
		predictor->known = takt_sim_known_new();
	return predictor;
}

void takt_predictor_free(struct takt_predictor *predictor)
{
	if (!predictor)
		return;
	takt_model_close(predictor->changed);
	takt_sim_known_free(predictor->known);
	takt_arena_release(&predictor->arena);
	free(predictor);
}

static double bound(const struct takt_prepared *prepared,
		    const struct takt_predictor_options *wanted, struct takt_arena *arena)
{
	const struct takt_graph_options options = {.loop = true,
						   .repeats = prepared->mode == TAKT_MODE_LOOP,
						   .lean = true,
						   .no_memory_dependences =
							   wanted->no_memory_dependences};
	const struct takt_front_end_options fetching = {.loop = prepared->mode == TAKT_MODE_LOOP,
							.alignment_bytes = wanted->alignment_bytes};
	struct takt_front_end_bounds front_end;
	struct takt_graph graph;
	double cycles;

	takt_graph_build(prepared->model, &prepared->block, prepared->timings, &options, arena,
			 &graph);
	takt_front_end_bound(prepared->model, &prepared->block, prepared->timings, &fetching, arena,
			     &front_end);
	cycles = fmax(takt_ports_bound(prepared->loads, prepared->load_count), front_end.cycles);
	return fmax(cycles, takt_loop_carried_bound(&graph, arena));
}

static double simulate(struct takt_prepared *prepared, struct takt_predictor *predictor)
{
	const struct takt_predictor_options *options = &predictor->options;
	struct takt_arena *arena = &predictor->arena;
	const struct sim_options simulation = {
		.alignment_bytes = options->alignment_bytes,
		.pointer_shift_bytes = options->pointer_shift_bytes,
		.ideal_front_end = lacks(options, TAKT_WITHOUT_FRONT_END),
		.no_micro_fusion = lacks(options, TAKT_WITHOUT_FUSION),
		.known = predictor->known};
	struct sim_summary summary;

	if (lacks(options, TAKT_WITHOUT_FUSION))
		memset(prepared->fused, 0, prepared->block.count * sizeof(*prepared->fused));
	if (!options->no_memory_dependences && !lacks(options, TAKT_WITHOUT_MEMORY))
		takt_prepared_find_memory(prepared, arena);
	takt_prepared_simulate(prepared, &simulation, arena, &summary);
	return summary.cycles;
}

enum takt_status takt_predict(struct takt_predictor *predictor, const uint8_t *bytes,
			      size_t size_bytes, double *ret_cycles)
{
	const struct takt_predictor_options *options = &predictor->options;
	struct takt_arena *arena = &predictor->arena;
	struct takt_prepared prepared = {.model = predictor->model};
	enum takt_status status;

	takt_arena_clear(arena);
	status = takt_decode_block(takt_model_isa(prepared.model),
				   &(struct takt_code_bytes){bytes, size_bytes, 0, "", NULL}, arena,
				   NULL, &prepared.block);
	if (status != TAKT_OK || !prepared.block.count)
		return TAKT_BAD_INPUT;
	takt_block_set_vectors(&prepared.block, NULL);
	takt_prepared_set_mode(&prepared, options->mode);
	takt_prepared_run(&prepared, arena);
	*ret_cycles = options->engine == TAKT_ENGINE_SIM ? simulate(&prepared, predictor)
							 : bound(&prepared, options, arena);
	return TAKT_OK;
}
