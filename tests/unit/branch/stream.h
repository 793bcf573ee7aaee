/* SPDX-License-Identifier: MIT */
/* Streams of branches for the tests of the room. */
#ifndef TAKT_TESTS_BRANCH_STREAM_H
#define TAKT_TESTS_BRANCH_STREAM_H

#include "branch/branch.h"
#include "../tap.h"

static inline struct takt_core_params stream_params(void)
{
	return (struct takt_core_params){
#define X(name, unit, fallback, help) .name = fallback,
#include "model/params.def"
#undef X
	};
}

static inline struct branch_predictor *stream_new(void)
{
	struct takt_core_params params = stream_params();

	return takt_branch_new(&params);
}

static inline enum branch_verdict stream_go(struct branch_predictor *predictor,
					    enum branch_kind kind, uint64_t address,
					    uint64_t target)
{
	struct branch branch = {.address = address,
				.end = address + 4,
				.next = target,
				.kind = kind,
				.taken = true};
	uint32_t late;

	return takt_branch_next(predictor, &branch, &late);
}

static inline bool stream_if(struct branch_predictor *predictor, uint64_t address, bool taken)
{
	struct branch branch = {.address = address,
				.end = address + 4,
				.next = taken ? address + 64 : address + 4,
				.kind = BRANCH_CONDITIONAL,
				.taken = taken};
	uint32_t late;

	return takt_branch_next(predictor, &branch, &late) == BRANCH_MISSED;
}

/* The same numbers each time. */
static inline uint32_t stream_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static inline bool stream_chance(uint64_t *state, double chance)
{
	return stream_random(state) < chance * 0x80000000u;
}

#endif
