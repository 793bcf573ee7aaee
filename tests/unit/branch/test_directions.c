/* SPDX-License-Identifier: MIT */
#include "stream.h"

enum { WARM = 4000, RUN = 20000 };

/* A branch in a loop whose pattern has a period; the loop's own branch is always taken. */
static uint32_t pattern_misses(const bool *pattern, uint32_t period)
{
	struct branch_predictor *predictor = stream_new();
	uint32_t misses = 0, warm = WARM + 60 * period;

	for (uint32_t i = 0; i < warm + RUN; i++) {
		bool missed = stream_if(predictor, 0x400010, pattern[i % period]);

		missed |= stream_if(predictor, 0x400080, true);
		misses += missed && i >= warm;
	}
	free(predictor);
	return misses;
}

static void test_simple_patterns(void)
{
	static const struct {
		int line;
		const char *name;
		uint32_t period;
		bool pattern[8];
	} rows[] = {
		{__LINE__, "always", 1, {true}},
		{__LINE__, "never", 1, {false}},
		{__LINE__, "alternating", 2, {true, false}},
		{__LINE__, "period of 3", 3, {true, true, false}},
		{__LINE__, "period of 7", 7, {true, false, false, true, true, true, false}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tap_is_int(__FILE__, rows[i].line, pattern_misses(rows[i].pattern, rows[i].period),
			   0, rows[i].name);
}

/* Without another branch: history is its own outcomes. */
static uint32_t loop_misses(uint32_t trips)
{
	struct branch_predictor *predictor = stream_new();
	uint32_t misses = 0;

	for (uint32_t run = 0; run < 400; run++) {
		for (uint32_t i = 0; i < trips; i++) {
			bool missed = stream_if(predictor, 0x400080, i + 1 < trips);

			misses += missed && run >= 200;
		}
		stream_go(predictor, BRANCH_JUMP, 0x400100, 0x400000);
	}
	free(predictor);
	return misses;
}

static void test_loops(void)
{
	struct takt_core_params params = stream_params();
	uint32_t longest = (uint32_t)params.branch_history_longest;

	for (uint32_t trips = 2; trips <= longest; trips += 9)
		is_int(loop_misses(trips), 0, "loop within history: misses");
	is_int(loop_misses(longest + 40), 200, "loop beyond history: one miss a run");
}

static void test_nested_loops(void)
{
	struct branch_predictor *predictor = stream_new();
	uint32_t misses = 0;

	for (uint32_t run = 0; run < 600; run++) {
		for (uint32_t outer = 0; outer < 5; outer++) {
			bool missed = false;

			for (uint32_t inner = 0; inner < 7; inner++)
				missed |= stream_if(predictor, 0x400040, inner < 6);
			missed |= stream_if(predictor, 0x400080, outer < 4);
			misses += missed && run >= 300;
		}
		stream_go(predictor, BRANCH_JUMP, 0x400100, 0x400000);
	}
	free(predictor);
	is_int(misses, 0, "nested loops of 7 and 5: misses");
}

static void test_random(void)
{
	/*
	 * Nothing can miss less than the rarer outcome; the least is that, or below it by what
	 * chance does in 200,000 outcomes. The most is a little more, as a predictor looks for a
	 * pattern.
	 */
	static const struct {
		int line;
		double chance, least, most;
	} rows[] = {
		{__LINE__, 0.5, 0.47, 0.53},	{__LINE__, 0.8, 0.20, 0.25},
		{__LINE__, 0.2, 0.20, 0.25},	{__LINE__, 0.95, 0.05, 0.07},
		{__LINE__, 0.01, 0.009, 0.016},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct branch_predictor *predictor = stream_new();
		uint64_t state = 7 + i;
		uint32_t misses = 0, taken = 0;
		double share, bias;

		for (uint32_t k = 0; k < 200000; k++) {
			bool outcome = stream_chance(&state, rows[i].chance);

			misses += stream_if(predictor, 0x400010, outcome);
			taken += outcome;
			stream_go(predictor, BRANCH_JUMP, 0x400080, 0x400000);
		}
		free(predictor);
		share = misses / 200000.0;
		bias = taken / 200000.0;
		tap_ok_at(__FILE__, rows[i].line, share >= rows[i].least && share <= rows[i].most,
			  "random, taken %.3f: missed %.4f, want %.3f to %.3f", bias, share,
			  rows[i].least, rows[i].most);
	}
}

static void test_correlation(void)
{
	struct branch_predictor *predictor = stream_new();
	uint32_t missed_a = 0, missed_b = 0;
	uint64_t state = 3;

	for (uint32_t i = 0; i < WARM + RUN; i++) {
		bool a = stream_chance(&state, 0.5), c = stream_chance(&state, 0.5);
		bool counted = i >= WARM;

		missed_a += stream_if(predictor, 0x400010, a) && counted;
		stream_if(predictor, 0x400110, c);
		missed_b += stream_if(predictor, 0x400210, a != c) && counted;
		stream_go(predictor, BRANCH_JUMP, 0x400310, 0x400000);
	}
	free(predictor);
	/* Half of them if nothing is known of it, with a standard deviation of 0.35 %. */
	ok(missed_a > RUN * 0.47, "a at random: missed %u of %d", missed_a, RUN);
	ok(missed_b < RUN * 0.02, "a xor c behind a and c: missed %u of %d", missed_b, RUN);
}

/* Misses of the last of 40 rounds of a random pattern, whose directions two branches take in turn.
 */
static uint32_t missed_in_pattern(int32_t half_bit, uint64_t distance)
{
	enum { PERIOD = 1024, ROUNDS = 40 };
	struct takt_core_params params = stream_params();
	struct branch_predictor *predictor;
	uint32_t misses = 0;

	params.branch_table_entries = 256;
	params.branch_half_bit = half_bit;
	predictor = takt_branch_new(&params);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		uint64_t state = 5;

		misses = 0;
		for (uint32_t k = 0; k < PERIOD; k++) {
			uint64_t address = 0x400000 + (k % 2) * distance;

			misses += stream_if(predictor, address, stream_chance(&state, 0.5));
			stream_go(predictor, BRANCH_JUMP, 0x400804, 0x400000);
		}
	}
	free(predictor);
	return misses;
}

/* Branches that differ in the bit use both halves of the tables, others one of them. */
static void test_halves(void)
{
	uint32_t whole = missed_in_pattern(0, 64), one = missed_in_pattern(5, 64);
	uint32_t both = missed_in_pattern(5, 32);

	ok(one > 2 * whole, "one half: %u missed, in whole tables %u", one, whole);
	ok(both < whole * 3 / 2 && whole < both * 3 / 2, "both halves: %u", both);
	/* A bit that no address has is as none. */
	ok(missed_in_pattern(64, 64) == whole && missed_in_pattern(-1, 64) == whole, "no such bit");
}

/* Tables that do not exist, or are as small or as large as they can be. */
static void test_sizes(void)
{
	static const struct {
		int line;
		int32_t tables, entries, longest;
	} rows[] = {
		{__LINE__, 0, 0, 0},
		{__LINE__, 1, 1, 1},
		{__LINE__, -5, -5, -5},
		{__LINE__, INT32_MAX, 3, INT32_MAX},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct takt_core_params params = stream_params();
		struct branch_predictor *predictor;
		uint32_t misses = 0;

		params.branch_tables = rows[i].tables;
		params.branch_table_entries = params.branch_base_entries = rows[i].entries;
		params.branch_indirect_entries = params.branch_target_entries = rows[i].entries;
		params.branch_target_second_entries = params.branch_target_ways = rows[i].entries;
		params.branch_history_shortest = params.branch_history_longest = rows[i].longest;
		params.return_stack_entries = rows[i].entries;
		predictor = takt_branch_new(&params);
		for (uint32_t k = 0; k < 1000; k++) {
			misses += stream_if(predictor, 0x400010, true);
			stream_go(predictor, BRANCH_INDIRECT_CALL, 0x400050, 0x400100);
			stream_go(predictor, BRANCH_RETURN, 0x400110, 0x400054);
		}
		free(predictor);
		tap_ok_at(__FILE__, rows[i].line, misses <= 2, "sizes of %d: %u misses",
			  rows[i].entries, misses);
	}
}

int main(void)
{
	test_simple_patterns();
	test_loops();
	test_nested_loops();
	test_random();
	test_correlation();
	test_halves();
	test_sizes();
	return tap_done();
}
