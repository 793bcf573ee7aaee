/* SPDX-License-Identifier: MIT */
#include "stream.h"

enum { STACK = 16 };

/*
 * Calls nested so deep, and their returns; each place is called from another one each time, so
 * that its last return says nothing of the next one.
 */
static uint32_t missed_returns(struct branch_predictor *predictor, uint32_t depth, uint32_t run)
{
	uint64_t from = 0x400000 + 0x10000 * (uint64_t)run;
	uint32_t misses = 0;

	for (uint32_t i = 0; i < depth; i++)
		stream_go(predictor, BRANCH_CALL, from + 16 * (uint64_t)i,
			  0x300000 + 16 * (uint64_t)i);
	for (uint32_t i = depth; i-- > 0;)
		misses += stream_go(predictor, BRANCH_RETURN, 0x300008 + 16 * (uint64_t)i,
				    from + 16 * (uint64_t)i + 4) == BRANCH_MISSED;
	return misses;
}

static void test_returns(void)
{
	static const struct {
		int line;
		uint32_t depth, want;
	} rows[] = {
		{__LINE__, 1, 0},
		{__LINE__, STACK, 0},
		{__LINE__, STACK + 1, 1},
		{__LINE__, 3 * STACK, 2 * STACK},
		{__LINE__, 100, 100 - STACK},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct takt_core_params params = stream_params();
		struct branch_predictor *predictor;

		params.return_stack_entries = STACK;
		params.branch_indirect_entries = 0;
		predictor = takt_branch_new(&params);
		for (uint32_t run = 0; run < 3; run++)
			tap_is_int(__FILE__, rows[i].line,
				   missed_returns(predictor, rows[i].depth, run), rows[i].want,
				   "nested calls: returns missed");
		free(predictor);
	}
}

/* A bit of everything; the same for the same state. */
static enum branch_verdict step(struct branch_predictor *predictor, uint64_t *state)
{
	uint32_t number = stream_random(state);
	enum branch_kind kind = (enum branch_kind)(number % 6);
	uint64_t address = 0x400000 + 8 * (number >> 8 & 0xfff);
	bool taken = kind != BRANCH_CONDITIONAL || (number >> 20 & 3) != 0;
	bool one_target = kind <= BRANCH_CALL;
	struct branch branch = {
		.address = address,
		.end = address + 4,
		.next = taken ? address + 64 + (one_target ? 0 : number >> 28) : address + 4,
		.kind = kind,
		.taken = taken,
	};
	uint32_t late;

	return takt_branch_next(predictor, &branch, &late);
}

static void test_counts(void)
{
	struct branch_predictor *predictor = stream_new();
	const struct branch_counts *counts = takt_branch_counts(predictor);
	uint64_t state = 5, verdicts[3] = {0}, branches = 0, missed = 0;

	for (uint32_t i = 0; i < 100000; i++)
		verdicts[step(predictor, &state)]++;
	for (uint32_t kind = 0; kind < 6; kind++) {
		branches += counts->branches[kind];
		missed += counts->missed[kind];
	}
	is_int((long long)branches, 100000, "branches counted");
	is_int((long long)missed, (long long)verdicts[BRANCH_MISSED], "misses counted");
	is_int((long long)counts->late, (long long)verdicts[BRANCH_LATE], "late ones counted");
	is_int((long long)(counts->missed[BRANCH_JUMP] + counts->missed[BRANCH_CALL]), 0,
	       "what goes to one target is never missed");
	free(predictor);
}

static void test_copy(void)
{
	struct branch_predictor *predictor = stream_new(), *copy;
	size_t bytes = takt_branch_bytes(predictor);
	uint64_t state = 5, copied_state;
	uint32_t different = 0;

	for (uint32_t i = 0; i < 50000; i++)
		step(predictor, &state);
	copy = stream_new();
	ok(takt_branch_restore(copy, predictor, bytes), "a block of the same core is taken over");
	copied_state = state;
	for (uint32_t i = 0; i < 50000; i++)
		different += step(predictor, &state) != step(copy, &copied_state);
	is_int(different, 0, "a copy gives the same verdicts: differences");
	ok(memcmp(copy, predictor, bytes) == 0, "and is the same afterwards");
	free(predictor);
	free(copy);
}

/* Blocks that are not ours: refused, and nothing changes. */
static void test_bad_blocks(void)
{
	struct takt_core_params params = stream_params();
	struct branch_predictor *predictor = stream_new(), *other;
	size_t bytes = takt_branch_bytes(predictor);
	uint8_t *block = malloc(bytes), *before = malloc(bytes);
	uint32_t refused = 0;

	if (block == NULL || before == NULL)
		abort();
	params.branch_history_longest++;
	other = takt_branch_new(&params);
	memcpy(before, predictor, bytes);
	ok(!takt_branch_restore(predictor, other, takt_branch_bytes(other)), "another core's");
	ok(!takt_branch_restore(predictor, before, bytes - 1), "one too short");
	for (size_t i = 0; i < 32; i++) {
		memcpy(block, before, bytes);
		memset(block + 256 * i, 0xa5, 256);
		refused += !takt_branch_restore(predictor, block, bytes);
	}
	ok(refused > 0, "garbage in it: %u of 32 refused", refused);
	memset(block, 0xff, bytes);
	ok(!takt_branch_restore(predictor, block, bytes), "nothing but garbage");
	free(predictor);
	free(other);
	free(block);
	free(before);
}

static void test_cold(void)
{
	struct branch_predictor *predictor = stream_new();

	is_int(stream_if(predictor, 0x400000, false), false, "first one, not taken: missed");
	is_int(stream_if(predictor, 0x400100, true), true, "first one, taken: missed");
	is_int(stream_go(predictor, BRANCH_JUMP, 0x400200, 0x400300), BRANCH_LATE, "first jump");
	is_int(stream_go(predictor, BRANCH_JUMP, 0x400200, 0x400300), BRANCH_PREDICTED,
	       "second time");
	is_int(stream_go(predictor, BRANCH_INDIRECT, 0x400400, 0x400500), BRANCH_MISSED,
	       "first indirect jump");
	is_int(stream_go(predictor, BRANCH_CALL, 0x400600, 0x400700), BRANCH_LATE, "first call");
	is_int(stream_go(predictor, BRANCH_RETURN, 0x400700, 0x400604), BRANCH_LATE,
	       "first return, to where the call was");
	free(predictor);
}

int main(void)
{
	test_cold();
	test_returns();
	test_counts();
	test_copy();
	test_bad_blocks();
	return tap_done();
}
