/* SPDX-License-Identifier: MIT */
#include "stream.h"

#define TOP 0x400000u
#define PLACES 0x500000u

static struct branch_predictor *new_predictor(int32_t entries)
{
	struct takt_core_params params = stream_params();

	params.branch_known_target_entries = entries;
	return takt_branch_new(&params);
}

/* Take the branch, and return whether its target was known. */
static bool takes(struct branch_predictor *predictor, enum branch_kind kind, uint64_t address,
		  uint64_t target)
{
	const struct branch branch = {address, address + 4, target, kind, true};
	uint32_t late;

	(void)takt_branch_next(predictor, &branch, &late);
	return takt_branch_target_known(predictor);
}

/*
 * A loop with an indirect jump to places that take turns, each followed by so many jumps before
 * the next indirect jump at one place. Return how many of the second jumps' targets were known in
 * 100 iterations, once all have been seen.
 */
static uint32_t count_known(int32_t entries, uint32_t places, uint32_t jumps)
{
	struct branch_predictor *predictor = new_predictor(entries);
	uint32_t known = 0;

	for (uint32_t i = 0; i < 200; i++) {
		uint64_t place = PLACES + 256u * (i % places), next = PLACES + 0x10000;

		(void)takes(predictor, BRANCH_CONDITIONAL, TOP + 64, TOP);
		(void)takes(predictor, BRANCH_INDIRECT, TOP + 16, place);
		for (uint32_t k = 0; k < jumps; k++, next += 64)
			(void)takes(predictor, BRANCH_JUMP, k ? next : place + 8, next + 64);
		known += takes(predictor, BRANCH_INDIRECT, next + 8, place + 64) && i >= 100;
	}
	free(predictor);
	return known;
}

/* An indirect jump is known by the address from which it, or it and a jump before it, begins. */
static void test_pairs(void)
{
	static const struct {
		int line;
		int32_t entries;
		uint32_t places, jumps, known;
	} rows[] = {
		{__LINE__, 1024, 1, 0, 100}, {__LINE__, 1024, 4, 0, 100},
		{__LINE__, 1024, 4, 1, 100}, {__LINE__, 1024, 4, 2, 0},
		{__LINE__, 1024, 1, 2, 100}, {__LINE__, 0, 1, 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t known = count_known(rows[i].entries, rows[i].places, rows[i].jumps);

		tap_ok_at(__FILE__, rows[i].line, known == rows[i].known, "%u known, not %u", known,
			  rows[i].known);
	}
}

static void test_return(void)
{
	struct branch_predictor *predictor = new_predictor(1024);

	ok(takes(predictor, BRANCH_INDIRECT_CALL, TOP, PLACES), "a call of one function");
	ok(!takes(predictor, BRANCH_RETURN, PLACES + 16, TOP + 4), "a return is never known");
	free(predictor);
}

int main(void)
{
	test_pairs();
	test_return();
	return tap_done();
}
