/* SPDX-License-Identifier: MIT */
/*
 * A loop that is entered, runs for some iterations and is left. The first iterations are simulated
 * from an empty pipeline on; those after the steady state take what it takes.
 */
#include "sim/core.h"

/* Fewest iterations that are simulated, if the loop has them, and the most cycles for that. */
#define ITERATIONS_LEAST 64u
#define CYCLES_MAX 2000000u

/* An iteration: when its last slot is done, and when it has retired. */
struct iteration {
	uint64_t done, retired;
};

struct execution {
	struct sim_core *core;
	struct iteration *iterations;
	uint32_t count; /* iterations to simulate */
	uint32_t done_count, retired_count;
	uint32_t looked; /* slots of the reorder buffer before this one are known */
	uint64_t start;	 /* first cycle in which an instruction can execute */
};

/* Note what was renamed and what retired in the last cycle. */
static void note(struct execution *execution)
{
	const struct sim_core *core = execution->core;

	for (; execution->looked != core->rob_tail; execution->looked++) {
		const struct sim_rob_slot *slot = &core->rob[execution->looked % SIM_ROB_MAX];

		if (!execution->start)
			execution->start =
				core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;
		if (slot->ends_iteration && execution->done_count < execution->count)
			execution->iterations[execution->done_count++].done = slot->done;
	}
	while (execution->retired_count < core->iterations_retired &&
	       execution->retired_count < execution->count)
		execution->iterations[execution->retired_count++].retired = core->last_retired;
}

/* Return the number of iterations to simulate: more would repeat the steady state. */
static uint32_t count_iterations(const struct sim_summary *steady, uint64_t wanted)
{
	uint32_t most = steady->simulated_iterations + steady->period_iterations;

	if (most < ITERATIONS_LEAST)
		most = ITERATIONS_LEAST;
	return wanted < most ? (uint32_t)wanted : most;
}

/* Return the last simulated iteration that is whole periods before the wanted one. */
static uint32_t find_like(const struct sim_summary *steady, uint32_t simulated, uint64_t wanted)
{
	uint32_t back = 0;

	if (steady->period_iterations)
		while (back + 1 < simulated &&
		       (wanted - simulated + back) % steady->period_iterations)
			back++;
	return simulated - back;
}

static double since(const struct execution *execution, uint64_t cycle)
{
	return cycle > execution->start ? (double)(cycle - execution->start) : 0;
}

void takt_simulate_execution(const struct sim_block *block, const struct sim_options *options,
			     const struct sim_summary *steady, uint64_t iterations,
			     struct takt_arena *arena, struct sim_execution *ret_execution)
{
	struct sim_loop_source source;
	struct execution execution = {.count = count_iterations(steady, iterations)};
	int32_t mispredict = takt_model_params(block->model)->mispredict_cycles;
	double left_out;
	uint32_t like;

	execution.core = sim_core_new(sim_program_new(block, options, arena), options,
				      &source.source, arena);
	execution.iterations = TAKT_NEW_ARRAY(arena, execution.count, struct iteration);
	sim_loop_source_init(&source, execution.core->program, options);
	while (execution.retired_count < execution.count && execution.core->cycle < CYCLES_MAX) {
		sim_core_step(execution.core);
		note(&execution);
	}
	*ret_execution = (struct sim_execution){.retired_cycles = 0};
	if (!execution.retired_count)
		return;
	like = find_like(steady, execution.retired_count, iterations);
	left_out = (double)(iterations - like) * steady->cycles;
	ret_execution->retired_cycles =
		since(&execution, execution.iterations[like - 1].retired) + left_out;
	ret_execution->left_cycles = since(&execution, execution.iterations[like - 1].done) +
				     left_out + (mispredict > 0 ? mispredict : 0);
}
