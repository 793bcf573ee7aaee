/* SPDX-License-Identifier: MIT */
/* The loop over cycles, and when to stop it. */
#include "sim/events.h"

#define SEEN_COUNT 2048u        /* remembered states, a power of two */
#define FIRST_SAMPLE_CYCLE 32u
#define SAMPLE_CYCLES 8u        /* at least, between samples */
/* Without a steady state: so much is simulated, and the second half counts. */
#define CYCLES_ENOUGH 4000u
#define ITERATIONS_ENOUGH 20u
#define CYCLES_MAX 400000u
/* Of a steady state, to be explained: at least so many cycles and periods, if it takes no
 * more than so many. */
#define EXPLAINED_CYCLES 512u
#define EXPLAINED_CYCLES_MAX 16384u
#define EXPLAINED_PERIODS 3u

/* A state that was there when an iteration had just been renamed. */
struct seen {
	uint64_t hash, cycle;
	uint32_t iteration;
};

struct watch {
	struct seen *seen;
	uint64_t next_cycle;
	uint32_t last_iteration;
	/* Retirement of about every iteration, for the slope. */
	uint64_t *retired;
	uint32_t retired_count;
};

static struct sim_core *core_new(const struct sim_block *block, const struct sim_options *options,
				 struct sim_code_source *source, struct takt_arena *arena)
{
	struct sim_core *core = TAKT_NEW(arena, struct sim_core);

	core->program = sim_program_new(block, arena);
	core->params = core->program->params;
	core->loop = options->loop;
	core->queue.capacity = (uint32_t)core->params->queue_entries;
	core->store_ring = core->program->max_distance + 1;
	core->stores = TAKT_NEW_ARRAY(arena,
				      (size_t)core->store_ring * core->program->store_count + 1,
				      struct sim_store);
	core->front_end = sim_front_end_new(core->program, options, source, arena);
	core->cycle = SIM_HISTORY; /* so that there is a past */
	sim_moves_init(core);
	return core;
}

static void step(struct sim_core *core)
{
	core->cycle++;
	sim_ports_advance(core);
	sim_moves_advance(core);
	sim_rename(core);
	sim_retire(core);
	sim_front_end_cycle(core->front_end, &core->queue);
	if (core->events)
		sim_events_cycle(core);
}

/* True, with the period, if the present state was there before. */
static bool has_come_again(const struct sim_core *core, struct watch *watch,
			   struct sim_summary *summary)
{
	uint64_t hash;
	struct seen *slot;

	if (core->iterations_renamed == watch->last_iteration || core->cycle < watch->next_cycle)
		return false;
	watch->last_iteration = core->iterations_renamed;
	watch->next_cycle = core->cycle + SAMPLE_CYCLES;
	hash = sim_core_state(core);
	slot = &watch->seen[hash % SEEN_COUNT];
	if (slot->hash == hash && slot->cycle) {
		summary->period_iterations = core->iterations_renamed - slot->iteration;
		summary->cycles = (double)(core->cycle - slot->cycle) / summary->period_iterations;
		return true;
	}
	*slot = (struct seen){hash, core->cycle, core->iterations_renamed};
	return false;
}

/* Cycles per iteration over the second half of what has retired. */
static double slope(const uint64_t *retired, uint32_t count)
{
	uint32_t half = count / 2;

	if (count < 2)
		return count ? (double)retired[0] : 0;
	return (double)(retired[count - 1] - retired[half]) / (count - 1 - half);
}

static void note_retired(const struct sim_core *core, struct watch *watch, uint32_t most)
{
	while (watch->retired_count < core->iterations_retired && watch->retired_count < most)
		watch->retired[watch->retired_count++] = core->last_retired;
}

static void explain(struct sim_core *core, const struct sim_block *block,
		    const struct sim_options *options, const struct sim_summary *summary,
		    struct takt_arena *arena)
{
	uint32_t iterations = core->iterations_renamed +
			      EXPLAINED_PERIODS * summary->period_iterations;
	uint64_t least = core->cycle + EXPLAINED_CYCLES, most = core->cycle + EXPLAINED_CYCLES_MAX;

	while (summary->period_iterations && core->cycle < most &&
	       (core->cycle < least || core->iterations_retired < iterations))
		step(core);
	sim_waits_find(core, summary, block->block->count, arena, options->ret_waits);
}

void takt_simulate(const struct sim_block *block, const struct sim_options *options,
		   struct takt_arena *arena, struct sim_summary *ret_summary)
{
	struct sim_loop_source source;
	struct sim_core *core;
	uint32_t most = options->iterations_max ? options->iterations_max : CYCLES_ENOUGH * 8;
	struct watch watch = {.next_cycle = FIRST_SAMPLE_CYCLE};

	core = core_new(block, options, &source.source, arena);
	sim_loop_source_init(&source, core->program, options);
	if (options->ret_waits)
		core->events = sim_events_new(core, arena);
	watch.seen = TAKT_NEW_ARRAY(arena, SEEN_COUNT, struct seen);
	watch.retired = TAKT_NEW_ARRAY(arena, most, uint64_t);
	*ret_summary = (struct sim_summary){.period_iterations = 0};
	while (!has_come_again(core, &watch, ret_summary)) {
		step(core);
		note_retired(core, &watch, most);
		if (watch.retired_count == most || core->cycle > CYCLES_MAX ||
		    (core->cycle > CYCLES_ENOUGH && watch.retired_count >= ITERATIONS_ENOUGH)) {
			ret_summary->cycles = slope(watch.retired, watch.retired_count);
			break;
		}
	}
	ret_summary->simulated_cycles = core->cycle;
	ret_summary->simulated_iterations = core->iterations_renamed;
	if (options->ret_waits)
		explain(core, block, options, ret_summary, arena);
}
