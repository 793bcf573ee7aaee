/* SPDX-License-Identifier: MIT */
/* Finds how often loops inside of a loop are executed, by running them on random registers. */
#include "depend/interpreter.h"

#define SEEDS 3u
#define OUTER_ITERATIONS 3u
/* Instructions of one run; loops with more iterations have no trip count. */
#define INSNS_MAX 200000u
#define TRIPS_DIFFER UINT64_MAX

struct run {
	struct takt_machine machine;
	struct takt_arena *arena;
	uint32_t insns_left;
};

/* Ways that a branch may go, as far as is known. */
enum taken { TAKEN_NOT, TAKEN, TAKEN_UNKNOWN };

static bool is_branch(const struct takt_insn *insn)
{
	return insn->flags & TAKT_INSN_BRANCH && !(insn->flags & TAKT_INSN_CALL);
}

static enum taken branch(const struct run *run, const struct takt_sliced_insn *sliced)
{
	struct takt_value holds = takt_condition_test(sliced->condition, &run->machine.flags);

	if (!holds.known)
		return TAKEN_UNKNOWN;
	return holds.bits ? TAKEN : TAKEN_NOT;
}

static void execute(struct run *run, const struct takt_sliced_insn *sliced)
{
	struct takt_value addresses[TAKT_MEMORIES_MAX];
	struct takt_outcome outcome;

	takt_machine_locate(&run->machine, sliced, addresses);
	takt_machine_execute(&run->machine, sliced, addresses, 0, &outcome);
}

static void record(struct takt_trip_loop *loop, uint64_t trips)
{
	if (loop->trips == TAKT_TRIPS_UNKNOWN)
		loop->trips = trips;
	else if (loop->trips != trips)
		loop->trips = TRIPS_DIFFER;
}

static bool run_loop(struct run *run, struct takt_trip_loop *loop, bool is_outer);

/* Run one iteration up to the branch that closes the loop; false if control may leave the path. */
static bool run_iteration(struct run *run, struct takt_trip_loop *loop)
{
	const struct takt_sliced_insn *sliced = loop->program->sliced;
	size_t inner = 0;

	for (uint32_t i = 0; i + 1 < loop->block->count; i++) {
		while (inner < loop->inner_count && loop->inner[inner]->places[0] < loop->places[i])
			if (!run_loop(run, loop->inner[inner++], false))
				return false;
		if (!run->insns_left--)
			return false;
		if (!is_branch(&loop->block->insns[i]))
			execute(run, &sliced[i]);
		else if (branch(run, &sliced[i]) != TAKEN_NOT)
			return false;
	}
	/* A loop may be directly before the branch that closes the outer one. */
	while (inner < loop->inner_count)
		if (!run_loop(run, loop->inner[inner++], false))
			return false;
	return run->insns_left-- > 0;
}

static bool run_loop(struct run *run, struct takt_trip_loop *loop, bool is_outer)
{
	struct takt_program *program = loop->program;

	if (!program) {
		program = loop->program = TAKT_NEW(run->arena, struct takt_program);
		takt_program_make(loop->block, TAKT_PROGRAM_WHOLE, run->arena, program);
	}
	for (uint64_t trips = 1;; trips++) {
		enum taken taken;

		if (!run_iteration(run, loop))
			return false;
		if (is_outer && trips == OUTER_ITERATIONS)
			return true;
		if (is_outer)
			continue;
		taken = branch(run, &program->sliced[loop->block->count - 1]);
		if (taken == TAKEN_UNKNOWN)
			return false;
		if (taken == TAKEN)
			continue;
		record(loop, trips);
		return true;
	}
}

static void run_approach(struct run *run, const struct takt_block *approach)
{
	struct takt_program program;

	takt_program_make(approach, TAKT_PROGRAM_WHOLE, run->arena, &program);
	for (uint32_t i = 0; i < approach->count; i++)
		if (!is_branch(&approach->insns[i]))
			execute(run, &program.sliced[i]);
}

static void finish(struct takt_trip_loop *loop, bool good)
{
	for (size_t i = 0; i < loop->inner_count; i++) {
		if (!good || loop->inner[i]->trips == TRIPS_DIFFER)
			loop->inner[i]->trips = TAKT_TRIPS_UNKNOWN;
		finish(loop->inner[i], good);
	}
	loop->program = NULL;
}

void takt_trips_find(const struct takt_block *approach, struct takt_trip_loop *outer)
{
	struct takt_arena arena = {0};
	bool good = true;

	for (uint64_t seed = 1; seed <= SEEDS && good; seed++) {
		struct run run = {.insns_left = INSNS_MAX, .arena = &arena};

		takt_machine_reset(&run.machine, seed, NULL, 0);
		if (approach)
			run_approach(&run, approach);
		good = run_loop(&run, outer, true);
	}
	finish(outer, good);
	takt_arena_release(&arena);
}
