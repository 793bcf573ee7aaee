/* SPDX-License-Identifier: MIT */
/* The loop over cycles, and the conditions for its end. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sim/events/events.h"
#include "sim/known.h"
#include "sim/pace.h"
#include "sim/repeat.h"

/* Without a steady state: this much is simulated, and the second half counts. */
#define CYCLES_ENOUGH 3000u
#define ITERATIONS_ENOUGH 16u
#define CYCLES_MAX 2000000u
/* Less is enough if the second half is straight from this many cycles and iterations on. */
#define STRAIGHT_CYCLES 512u
#define STRAIGHT_ITERATIONS 64u
#define STRAIGHT_DIFFERENCE 0.001
/*
 * This many times the cycles that a load waits for a non-temporal store are added: before that,
 * another chain, or what the reorder buffer let in at once, may be what is seen.
 */
#define NON_TEMPORAL_TIMES 256u
#define NON_TEMPORAL_TIMES_REPEATED 2u /* the same for a steady state */
/*
 * Cycles and periods that are simulated at least to explain a steady state, and the most cycles for
 * that.
 */
#define EXPLAINED_CYCLES 512u
#define EXPLAINED_CYCLES_MAX 16384u
#define EXPLAINED_PERIODS 3u

struct watch {
	struct sim_pace pace;
	uint64_t next_look, cycles_enough;
	/* Large, and set up by functions of their own. */
	struct sim_steady steady;
	struct sim_repeat repeat;
};

static void init(struct sim_core *core, const struct sim_program *program)
{
	core->program = program;
	core->params = program->params;
	core->queue.capacity = (uint32_t)core->params->queue_entries;
	core->cycle = SIM_HISTORY; /* so that there are earlier cycles */
	sim_moves_init(core);
}

struct sim_core *sim_core_new_empty(const struct sim_program *program, struct takt_arena *arena)
{
	struct sim_core *core = TAKT_NEW(arena, struct sim_core);

	init(core, program);
	core->ports.words_cleared = SIM_WINDOW_WORDS;
	core->ports.clear_until = SIM_NEVER;
	return core;
}

/* Create a core with large arrays that are not cleared: a block may take few cycles. */
static struct sim_core *new_unset(const struct sim_program *program, struct takt_arena *arena)
{
	struct sim_core *core = TAKT_NEW_UNSET(arena, struct sim_core);

	memset(core, 0, offsetof(struct sim_core, ports.reserved));
	core->queue.head = core->queue.tail = 0;
	init(core, program);
	return core;
}

struct sim_core *sim_core_new(const struct sim_program *program, const struct sim_options *options,
			      struct sim_code_source *source, struct takt_arena *arena)
{
	struct sim_core *core = new_unset(program, arena);

	core->last_insn = &core->program->insns[core->program->insn_count - 1];
	core->loop = options->loop;
	core->store_ring = core->program->max_distance + 1;
	core->stores = TAKT_NEW_ARRAY(
		arena, (size_t)core->store_ring * core->program->store_count + 1, struct sim_store);
	core->front_end = sim_front_end_new(core->program, options, source, arena);
	return core;
}

/* Run the stages of a cycle, in this order: each sees what the ones before have done. */
void sim_core_step(struct sim_core *core)
{
	core->cycle++;
	sim_ports_advance(core); /* µops that were dispatched leave */
	sim_moves_advance(core);
	sim_rename(core); /* renames, and with it schedules and executes */
	sim_retire(core); /* retires, and writes stores to the cache */
	/* Predecoder, decoders, op cache, loop buffer and microcode sequencer. */
	sim_front_end_cycle(core->front_end, &core->queue);
	if (core->events)
		sim_events_cycle(core);
}

/* True if the second half has the slope of its own second half. */
static bool is_straight(const struct watch *watch)
{
	uint32_t count = watch->pace.count;
	double half, quarter;

	if (count < STRAIGHT_ITERATIONS)
		return false;
	half = sim_pace_slope(&watch->pace, count / 2);
	quarter = sim_pace_slope(&watch->pace, count - count / 4);
	return fabs(half - quarter) <= STRAIGHT_DIFFERENCE * half;
}

/* True if enough has been simulated without a steady state. */
static bool is_enough(const struct sim_core *core, const struct sim_options *options,
		      struct watch *watch)
{
	if (options->iterations_max && core->iterations_retired >= options->iterations_max)
		return true;
	if (core->cycle >= watch->next_look) {
		watch->next_look += watch->next_look / 4;
		if (is_straight(watch))
			return true;
	}
	return core->cycle > CYCLES_MAX || (core->cycle > watch->cycles_enough &&
					    core->iterations_retired >= ITERATIONS_ENOUGH);
}

/* True, with the period, if the core repeats what it does. */
static bool is_steady(const struct sim_core *core, struct watch *watch, struct sim_summary *summary)
{
	struct sim_period period;

	if (sim_steady_look(&watch->steady, core, summary) ||
	    sim_pace_look(&watch->pace, core->cycle, summary))
		return true;
	if (!sim_repeat_look(&watch->repeat, core, sim_steady_outline(&watch->steady), &period))
		return false;
	summary->cycles = (double)period.cycles / period.iterations;
	summary->period_iterations =
		(uint32_t)((uint64_t)period.iterations *
			   sim_steady_part(&watch->steady, period.cycles, period.iterations) /
			   period.cycles);
	return true;
}

static void explain(struct sim_core *core, const struct sim_block *block,
		    const struct sim_options *options, const struct sim_summary *summary,
		    struct takt_arena *arena)
{
	uint32_t iterations =
		core->iterations_renamed + EXPLAINED_PERIODS * summary->period_iterations;
	uint64_t least = core->cycle + EXPLAINED_CYCLES, most = core->cycle + EXPLAINED_CYCLES_MAX;

	while (summary->period_iterations && core->cycle < most &&
	       (core->cycle < least || core->iterations_retired < iterations))
		sim_core_step(core);
	sim_stalls_find(core, summary, block->block->count, arena, options->ret_stalls);
}

static struct watch *new_watch(struct takt_arena *arena)
{
	struct watch *watch = TAKT_NEW_UNSET(arena, struct watch);

	memset(watch, 0, offsetof(struct watch, steady));
	return watch;
}

static void simulate(const struct sim_block *block, const struct sim_program *program,
		     const struct sim_options *options, struct takt_arena *arena,
		     struct sim_summary *ret_summary)
{
	struct sim_loop_source source;
	struct watch *watch = new_watch(arena);
	struct sim_core *core = sim_core_new(program, options, &source.source, arena);
	uint64_t non_temporal_cycles =
		(uint64_t)NON_TEMPORAL_TIMES * core->program->non_temporal_cycles;

	sim_loop_source_init(&source, core->program, options);
	if (options->ret_stalls)
		core->events = sim_events_new(core, arena);
	watch->next_look = STRAIGHT_CYCLES + non_temporal_cycles;
	watch->cycles_enough = CYCLES_ENOUGH + non_temporal_cycles;
	*ret_summary = (struct sim_summary){.period_iterations = 0};
	sim_steady_init(&watch->steady, core);
	watch->steady.repeated_cycles +=
		NON_TEMPORAL_TIMES_REPEATED * core->program->non_temporal_cycles;
	sim_pace_init(&watch->pace, core, arena);
	watch->pace.least_cycles += (uint32_t)non_temporal_cycles;
	sim_repeat_init(&watch->repeat, core);
	while (!is_steady(core, watch, ret_summary)) {
		sim_core_step(core);
		sim_pace_note(&watch->pace, core);
		if (is_enough(core, options, watch)) {
			ret_summary->cycles = sim_pace_slope(&watch->pace, watch->pace.count / 2);
			break;
		}
	}
	ret_summary->simulated_cycles = core->cycle;
	ret_summary->simulated_iterations = core->iterations_renamed;
	if (options->ret_stalls)
		explain(core, block, options, ret_summary, arena);
}

void takt_simulate(const struct sim_block *block, const struct sim_options *options,
		   struct takt_arena *arena, struct sim_summary *ret_summary)
{
	const struct sim_program *program = sim_program_new(block, options, arena);
	struct sim_signature signature;

	if (!options->known || options->ret_stalls || options->placed) {
		simulate(block, program, options, arena, ret_summary);
		return;
	}
	signature = sim_program_sign(program, options);
	if (sim_known_find(options->known, &signature, ret_summary))
		return;
	simulate(block, program, options, arena, ret_summary);
	sim_known_add(options->known, &signature, ret_summary);
}
