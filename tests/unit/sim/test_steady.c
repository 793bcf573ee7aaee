/* SPDX-License-Identifier: MIT */
/*
 * The steady state, of a pipeline made by hand: a pattern says how many iterations, of so
 * many µops each, are renamed and retired in each cycle.
 */
#include "sim/core.h"
#include "unit/tap.h"

#define PATTERN_MAX 8
#define UOPS 3

struct pipeline {
	struct sim_core core;
	struct sim_steady steady;
	uint32_t cycles; /* looked at */
};

static struct pipeline *pipeline_new(void)
{
	struct pipeline *pipeline = takt_xcalloc(1, sizeof(*pipeline));

	sim_steady_init(&pipeline->steady, &pipeline->core);
	return pipeline;
}

static bool step(struct pipeline *pipeline, uint32_t renamed, uint32_t retired,
		 struct sim_summary *summary)
{
	struct sim_core *core = &pipeline->core;

	core->iterations_renamed += renamed;
	core->rob_tail += UOPS * renamed;
	core->rob_head += UOPS * retired;
	pipeline->cycles++;
	return sim_steady_look(&pipeline->steady, core, summary);
}

static const struct {
	int line;
	uint32_t begin;		       /* cycles without regularity */
	uint32_t length;	       /* of the pattern */
	uint32_t renamed[PATTERN_MAX]; /* iterations in each of its cycles */
	uint32_t period;	       /* iterations; 0: none is found */
	double cycles;
	const char *what;
} rows[] = {
	{__LINE__, 0, 1, {1}, 1, 1, "one each cycle"},
	{__LINE__, 0, 1, {4}, 4, .25, "four each cycle"},
	{__LINE__, 0, 2, {1, 0}, 1, 2, "one in two cycles"},
	{__LINE__, 0, 3, {1, 1, 0}, 2, 1.5, "two in three"},
	{__LINE__, 0, 8, {3, 0, 2, 1, 0, 0, 1, 0}, 7, 8. / 7, "seven in eight"},
	/* Twice the same in a pattern of four: the shorter period. */
	{__LINE__, 0, 4, {2, 0, 2, 0}, 2, 1, "the shortest"},
	{__LINE__, 500, 3, {1, 1, 0}, 2, 1.5, "after a while"},
	/* Always the same, but nothing comes through. */
	{__LINE__, 0, 1, {0}, 0, 0, "a long wait"},
};

/* No two of these cycles in a row are like two others. */
static void step_irregularly(struct pipeline *pipeline, uint32_t cycles)
{
	struct sim_summary summary;

	for (uint32_t i = 0; i < cycles; i++) {
		pipeline->core.loads_in_flight = i + 1;
		if (step(pipeline, 1, 1, &summary))
			ok(false, "steady while a buffer fills, cycle %u", i);
	}
	pipeline->core.loads_in_flight = 0;
}

static void test_patterns(void)
{
	for (size_t r = 0; r < TAKT_COUNT_OF(rows); r++) {
		struct pipeline *pipeline = pipeline_new();
		struct sim_summary summary = {0};
		bool found = false;

		step_irregularly(pipeline, rows[r].begin);
		while (!found && pipeline->cycles < SIM_STEADY_CYCLES) {
			uint32_t count = rows[r].renamed[pipeline->cycles % rows[r].length];

			found = step(pipeline, count, count, &summary);
		}
		tap_ok_at(__FILE__, rows[r].line, found == (rows[r].period > 0),
			  "%s: %sfound after %u cycles", rows[r].what, found ? "" : "not ",
			  pipeline->cycles);
		tap_is_int(__FILE__, rows[r].line, summary.period_iterations, rows[r].period,
			   "iterations");
		tap_is_near(__FILE__, rows[r].line, summary.cycles, rows[r].cycles, "cycles");
		free(pipeline);
	}
}

/* As long as a buffer fills, nothing is steady, and the summary is left alone. */
static void test_growing(void)
{
	struct pipeline *pipeline = pipeline_new();
	struct sim_summary summary = {.cycles = 42, .period_iterations = 42};
	bool found = false;

	while (!found && pipeline->cycles < 2 * SIM_STEADY_CYCLES)
		found = step(pipeline, 2, 1, &summary);
	ok(!found, "the reorder buffer fills");
	is_near(summary.cycles, 42, "cycles as they were");
	is_int(summary.period_iterations, 42, "period as it was");
	/* It is full now. */
	while (!found && pipeline->cycles < 4 * SIM_STEADY_CYCLES)
		found = step(pipeline, 1, 1, &summary);
	ok(found, "and is full: found after %u more", pipeline->cycles - 2 * SIM_STEADY_CYCLES);
	is_near(summary.cycles, 1, "one each cycle");
	free(pipeline);
}

/* What every cycle changes keeps a state from coming again, whichever buffer it is. */
static void test_buffers(void)
{
	static const char *const names[] = {"queue", "loads", "stores", "pending"};

	for (size_t b = 0; b < TAKT_COUNT_OF(names); b++) {
		struct pipeline *pipeline = pipeline_new();
		struct sim_core *core = &pipeline->core;
		struct sim_summary summary;
		bool found = false;

		while (!found && pipeline->cycles < 1024) {
			core->queue.tail += b == 0;
			core->loads_in_flight += b == 1;
			core->stores_in_flight += b == 2;
			core->ports.pending_all += b == 3;
			found = step(pipeline, 1, 1, &summary);
		}
		ok(!found, "%s", names[b]);
		free(pipeline);
	}
}

int main(void)
{
	test_patterns();
	test_growing();
	test_buffers();
	return tap_done();
}
