/* SPDX-License-Identifier: MIT */
#include "stream.h"

#define DISPATCH 0x400000u
#define PLACES 0x500000u

static struct branch_predictor *new_predictor(int32_t next_targets)
{
	struct takt_core_params params = stream_params();

	params.branch_next_target_entries = next_targets;
	params.branch_next_target_cycles = 1;
	params.branch_next_target_confirmed_cycles = 3;
	return takt_branch_new(&params);
}

static uint32_t lateness(struct branch_predictor *predictor, enum branch_kind kind,
			 uint64_t address, uint64_t target)
{
	const struct branch branch = {address, address + 4, target, kind, true};
	uint32_t late = 0;

	(void)takt_branch_next(predictor, &branch, &late);
	return late;
}

/* An interpreter: an indirect jump, and a jump back at this offset behind each of its targets. */
static uint32_t round_of(struct branch_predictor *predictor, const uint8_t *offsets, int count)
{
	uint32_t late = 0;

	for (int i = 0; i < count; i++) {
		uint64_t place = PLACES + 256u * (uint64_t)i + offsets[i];

		late += lateness(predictor, BRANCH_INDIRECT, DISPATCH, place);
		late += lateness(predictor, BRANCH_JUMP, place, DISPATCH);
	}
	return late;
}

static void test_interpreter(void)
{
	static const struct {
		int line;
		uint8_t offsets[4];
		int next_targets;
		uint32_t late; /* in two rounds */
	} rows[] = {
		{__LINE__, {8, 8, 8, 8}, 128, 0},   {__LINE__, {0, 8, 16, 24}, 128, 8},
		{__LINE__, {0, 8, 16, 24}, 0, 0},   {__LINE__, {0, 0, 0, 8}, 128, 6},
		{__LINE__, {0, 40, 0, 40}, 128, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct branch_predictor *predictor = new_predictor(rows[i].next_targets);
		uint32_t late;

		for (int run = 0; run < 100; run++)
			(void)round_of(predictor, rows[i].offsets, 4);
		late = round_of(predictor, rows[i].offsets, 4);
		late += round_of(predictor, rows[i].offsets, 4);
		tap_ok_at(__FILE__, rows[i].line, late == rows[i].late, "%u cycles late, not %u",
			  late, rows[i].late);
		free(predictor);
	}
}

static void test_loop_exit(void)
{
	struct branch_predictor *predictor = new_predictor(128);
	uint32_t late = 0;

	for (int run = 0; run < 100; run++) {
		late = 0;
		for (int turn = 0; turn < 6; turn++)
			late += lateness(predictor, BRANCH_CONDITIONAL, 0x400010, 0x400000);
		late += lateness(predictor, BRANCH_JUMP, 0x400020, 0x400000);
	}
	free(predictor);
	is_int(late, 3, "one branch that is not expected: late");
}

int main(void)
{
	test_interpreter();
	test_loop_exit();
	return tap_done();
}
