/* SPDX-License-Identifier: MIT */
#include "stream.h"

/* Of the last of several rounds of `count` jumps, how many have each verdict and lateness. */
struct round {
	uint32_t in_time, second, decoder;
};

static struct round last_round(const struct takt_core_params *params, enum branch_kind kind,
			       uint32_t count)
{
	struct branch_predictor *predictor = takt_branch_new(params);
	struct round round = {0};

	for (uint32_t run = 0; run < 12; run++) {
		round = (struct round){0};
		for (uint32_t i = 0; i < count; i++) {
			uint64_t address = 0x400000 + 16 * (uint64_t)i;
			struct branch branch = {address, address + 5, address + 16, kind, true};
			uint32_t late = 0;
			enum branch_verdict verdict = takt_branch_next(predictor, &branch, &late);

			round.in_time += verdict == BRANCH_PREDICTED;
			if (verdict == BRANCH_LATE && late == 3)
				round.second++;
			if (verdict == BRANCH_LATE && late == 8)
				round.decoder++;
		}
	}
	free(predictor);
	return round;
}

static void test_capacity(void)
{
	static const struct {
		int line;
		uint32_t count;
		double in_time, second, decoder; /* least share of each */
	} rows[] = {
		{__LINE__, 500, 1, 0, 0},      {__LINE__, 900, 0.6, 0, 0},
		{__LINE__, 2048, 0, 0.95, 0},  {__LINE__, 4000, 0, 0.8, 0},
		{__LINE__, 12000, 0, 0, 0.99},
	};
	static const enum branch_kind kinds[] = {BRANCH_JUMP, BRANCH_CONDITIONAL};
	struct takt_core_params params = stream_params();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (size_t k = 0; k < 2; k++) {
			struct round round = last_round(&params, kinds[k], rows[i].count);

			tap_ok_at(__FILE__, rows[i].line,
				  round.in_time >= rows[i].in_time * rows[i].count &&
					  round.second >= rows[i].second * rows[i].count &&
					  round.decoder >= rows[i].decoder * rows[i].count,
				  "%u branches of kind %d: %u in time, %u second, %u decoder",
				  rows[i].count, (int)kinds[k], round.in_time, round.second,
				  round.decoder);
		}
	}
}

static void test_never_taken_needs_no_entry(void)
{
	struct branch_predictor *predictor = stream_new();
	uint32_t late = 0;

	for (uint32_t run = 0; run < 4; run++) {
		for (uint32_t i = 0; i < 500; i++)
			late += stream_go(predictor, BRANCH_JUMP, 0x400000 + 16 * i, 0x500000) ==
					BRANCH_LATE &&
				run > 0;
		for (uint32_t i = 0; i < 100000; i++)
			stream_if(predictor, 0x800000 + 4 * (uint64_t)i, false);
	}
	free(predictor);
	is_int(late, 0, "branches that are never taken push none out: late");
}

static void test_indirect(void)
{
	static const struct {
		int line;
		uint32_t period;
		uint8_t targets[8];
	} rows[] = {
		{__LINE__, 1, {0}},
		{__LINE__, 2, {0, 1}},
		{__LINE__, 3, {0, 1, 2}},
		{__LINE__, 4, {0, 1, 2, 3}},
		{__LINE__, 6, {0, 0, 1, 0, 2, 1}},
		{__LINE__, 8, {3, 1, 0, 0, 2, 0, 0, 1}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct branch_predictor *predictor = stream_new();
		uint32_t misses = 0;

		for (uint32_t k = 0; k < 4000; k++) {
			uint64_t function = 0x500000 + 256u * rows[i].targets[k % rows[i].period];
			bool missed = stream_go(predictor, BRANCH_INDIRECT_CALL, 0x400010,
						function) == BRANCH_MISSED;

			missed |= stream_go(predictor, BRANCH_RETURN, function + 16, 0x400014) ==
				  BRANCH_MISSED;
			missed |= stream_if(predictor, 0x400020, true);
			misses += missed && k >= 2000;
		}
		free(predictor);
		tap_is_int(__FILE__, rows[i].line, misses, 0, "indirect call by pattern: misses");
	}
}

static void test_indirect_at_random(void)
{
	struct branch_predictor *predictor = stream_new();
	uint64_t state = 11;
	uint32_t misses = 0;

	for (uint32_t k = 0; k < 20000; k++)
		misses += stream_go(predictor, BRANCH_INDIRECT, 0x400010,
				    0x500000 + 256 * (stream_random(&state) % 4)) == BRANCH_MISSED;
	free(predictor);
	/* Three of four, 15000, with a standard deviation of 61. */
	ok(misses > 14000 && misses < 16000, "one of four at random: missed %u of 20000", misses);
}

int main(void)
{
	test_capacity();
	test_never_taken_needs_no_entry();
	test_indirect();
	test_indirect_at_random();
	return tap_done();
}
