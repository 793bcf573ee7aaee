/* SPDX-License-Identifier: MIT */
/*
 * check: what must hold for any block on any core: no bound exceeds the simulation; the exact
 * port optimum is not above the equal split; the assignment sums to the µops; the fast
 * predictor agrees with the analysis, each time; nothing gets slower by being relaxed, nor
 * free; what cycles are spent on sums to them; the JSON and the text say the same as the
 * record.
 */
#ifndef TAKT_TESTS_CHECK_H
#define TAKT_TESTS_CHECK_H

#include "model/model.h"

struct checker {
	const struct takt_model *model;
	struct takt_predictor *predictors[2]; /* copies, loop */
	uint32_t checked;		      /* blocks */
	uint32_t relaxed_every;		      /* so many */
	uint32_t bad;
};

/* The model is borrowed. */
void checker_init(struct checker *checker, const struct takt_model *model);
void checker_release(struct checker *checker);
/* Instructions, whole, of the model's set; says on stdout what is wrong. Returns the cycles. */
double check_block(struct checker *checker, enum takt_mode mode, const uint8_t *bytes, size_t size);
/* The cycles of a loop and of copies of its body must be alike. */
void check_modes(struct checker *checker, double copies, double loop, const uint8_t *bytes,
		 size_t size);

#endif
