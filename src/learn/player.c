/* SPDX-License-Identifier: MIT */
/* The simulator with a core, whose times are compared with a machine's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "learn/program.h"

#define ALIGNMENTS 4u /* places in a cache line at which code may begin */
#define ALIGNMENT_BYTES (64u / ALIGNMENTS)

struct learn_player {
	const struct takt_model *model;
	struct takt_predictor *predictors[2][ALIGNMENTS]; /* NULL: not made yet */
	struct takt_arena arena;
};

struct learn_player *learn_player_new(const struct takt_model *model)
{
	struct learn_player *player = takt_xcalloc(1, sizeof(*player));

	player->model = model;
	return player;
}

void learn_player_free(struct learn_player *player)
{
	if (!player)
		return;
	for (unsigned loop = 0; loop < 2; loop++)
		for (unsigned i = 0; i < ALIGNMENTS; i++)
			takt_predictor_free(player->predictors[loop][i]);
	takt_arena_release(&player->arena);
	free(player);
}

static struct takt_predictor *predictor_for(struct learn_player *player,
					    const struct learn_layout *layout)
{
	struct takt_predictor **predictor =
		&player->predictors[layout->loop]
				   [layout->alignment_bytes / ALIGNMENT_BYTES % ALIGNMENTS];
	const struct takt_predictor_options options = {.mode = layout->loop ? TAKT_MODE_LOOP
									    : TAKT_MODE_UNROLL,
						       .engine = TAKT_ENGINE_SIM,
						       .alignment_bytes = layout->alignment_bytes};

	if (!*predictor)
		*predictor = takt_predictor_new(player->model, &options);
	return *predictor;
}

double learn_player_time(struct learn_player *player, const struct learn_code *code,
			 const struct learn_layout *layout)
{
	struct learn_code closed = {.arena = &player->arena};
	double cycles;

	takt_arena_clear(&player->arena);
	learn_code_add(&closed, code->bytes, code->size_bytes);
	if (layout->loop && !learn_code_close_loop(&closed, takt_model_isa_name(player->model)))
		return NAN;
	if (takt_predict(predictor_for(player, layout), closed.bytes, closed.size_bytes, &cycles) !=
	    TAKT_OK)
		return NAN;
	return cycles;
}

double learn_player_run(struct learn_player *player, const struct learn_program *program)
{
	return learn_program_simulate(program, player->model);
}

double learn_point_time(struct learn_player *player, const struct learn_point *point)
{
	return point->program ? learn_player_run(player, point->program)
			      : learn_player_time(player, &point->code, &point->layout);
}
