/* SPDX-License-Identifier: MIT */
/* Cores that are better in one respect, for programs: the trials that change parameters alone. */
#include "analyze/relax.h"

static const enum takt_trial_kind kinds[] = {
	TAKT_TRIAL_LOAD,   TAKT_TRIAL_FRONT_END, TAKT_TRIAL_ISSUE,	TAKT_TRIAL_RETIRE,
	TAKT_TRIAL_ROB,	   TAKT_TRIAL_SCHEDULER, TAKT_TRIAL_LOAD_QUEUE, TAKT_TRIAL_STORE_QUEUE,
	TAKT_TRIAL_COMMIT, TAKT_TRIAL_MOVES,
};

_Static_assert(TAKT_COUNT_OF(kinds) == TAKT_CORE_RELAXATIONS, "the header has their number");

struct takt_model *takt_core_relax(const struct takt_model *model, uint32_t index,
				   struct takt_text *what)
{
	const struct takt_trial trial = {.kind = kinds[index]};
	struct takt_core_params params = *takt_model_params(model);
	const int32_t *param = takt_trial_param(trial.kind, &params);

	if (param && *param <= 0)
		return NULL;
	takt_trial_write(model, &trial, what);
	return takt_trial_change_model(model, &trial);
}
