/* SPDX-License-Identifier: MIT */
/*
 * The pace of retirement, of iterations made by hand: a pattern says how many cycles pass between
 * one and the next, and a fill of each buffer goes with it.
 */
#include "sim/pace.h"
#include "unit/tap.h"

#define PATTERN_MAX 8
#define CYCLES_MAX 2000u

enum { STEADY, FILLS, DRAINS, ALTERNATES };

static const struct {
	int line;
	uint32_t begin;		      /* iterations that retire ever later */
	uint32_t length;	      /* of the pattern */
	uint32_t cycles[PATTERN_MAX]; /* from each iteration to the next */
	int rob, waiting, loads, stores;
	uint32_t period; /* iterations; 0: none is found */
	double pace;
	const char *what;
} rows[] = {
	{__LINE__, 0, 1, {2}, 0, 0, 0, 0, 1, 2, "one in two cycles"},
	{__LINE__, 0, 2, {1, 0}, 0, 0, 0, 0, 2, .5, "two in a cycle"},
	{__LINE__, 0, 3, {1, 1, 2}, 0, 0, 0, 0, 3, 4. / 3, "three in four cycles"},
	{__LINE__, 0, 4, {1, 2, 1, 2}, 0, 0, 0, 0, 2, 1.5, "the shortest period"},
	{__LINE__, 12, 2, {3, 2}, 0, 0, 0, 0, 2, 2.5, "after a while"},
	{__LINE__, 0, 1, {200}, 0, 0, 0, 0, 0, 0, "too few iterations"},
	/* What waits for a port goes up and down without end. */
	{__LINE__, 0, 1, {2}, 0, ALTERNATES, 0, 0, 1, 2, "ports that take turns"},
	{__LINE__, 0, 1, {2}, 0, DRAINS, DRAINS, DRAINS, 1, 2, "buffers that become empty"},
	/* A buffer that is full holds up rename, some time later. */
	{__LINE__, 0, 1, {2}, FILLS, 0, 0, 0, 0, 0, "the reorder buffer fills"},
	{__LINE__, 0, 1, {2}, DRAINS, 0, 0, 0, 0, 0, "the reorder buffer becomes empty"},
	{__LINE__, 0, 1, {2}, 0, FILLS, 0, 0, 0, 0, "schedulers fill"},
	{__LINE__, 0, 1, {2}, 0, 0, FILLS, 0, 0, 0, "the load queue fills"},
	{__LINE__, 0, 1, {2}, 0, 0, 0, FILLS, 0, 0, "the store queue fills"},
};

static uint32_t fill(int kind, uint32_t iteration)
{
	uint32_t slowly = iteration / 16;

	switch (kind) {
	case FILLS:
		return 100 + slowly;
	case DRAINS:
		return 200 - (slowly < 200 ? slowly : 200);
	case ALTERNATES:
		return 100 + iteration % 7;
	default:
		return 100;
	}
}

/* Let the next iteration retire in the present cycle. */
static void retire(struct sim_core *core, size_t row)
{
	uint32_t iteration = core->iterations_retired++;

	core->last_retired = core->cycle;
	core->rob_tail = core->rob_head + fill(rows[row].rob, iteration);
	core->ports.pending_all = fill(rows[row].waiting, iteration);
	core->loads_in_flight = fill(rows[row].loads, iteration);
	core->stores_in_flight = fill(rows[row].stores, iteration);
}

static uint32_t distance(size_t row, uint32_t iteration)
{
	if (iteration < rows[row].begin)
		return iteration;
	return rows[row].cycles[(iteration - rows[row].begin) % rows[row].length];
}

/* Go on until a pace is found; false if none is. */
static bool find(struct sim_core *core, struct sim_pace *pace, size_t row,
		 struct sim_summary *summary)
{
	uint64_t next = core->cycle + 1;

	while (core->cycle < CYCLES_MAX) {
		core->cycle++;
		for (; next == core->cycle; next += distance(row, core->iterations_retired))
			retire(core, row);
		sim_pace_note(pace, core);
		if (sim_pace_look(pace, core->cycle, summary))
			return true;
	}
	return false;
}

int main(void)
{
	for (size_t r = 0; r < TAKT_COUNT_OF(rows); r++) {
		struct sim_core *core = takt_xcalloc(1, sizeof(*core));
		struct takt_arena arena = {0};
		struct sim_summary summary = {0};
		struct sim_pace pace;
		bool found;

		core->cycle = SIM_HISTORY;
		sim_pace_init(&pace, core, &arena);
		found = find(core, &pace, r, &summary);
		ok(found == (rows[r].period > 0), "line %d: %s", rows[r].line, rows[r].what);
		ok(summary.period_iterations == rows[r].period && summary.cycles == rows[r].pace,
		   "line %d: %u iterations, %g cycles each", rows[r].line,
		   summary.period_iterations, summary.cycles);
		takt_arena_release(&arena);
		free(core);
	}
	return tap_done();
}
