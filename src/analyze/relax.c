/* SPDX-License-Identifier: MIT */
/*
 * Sensitivity: simulates the block repeatedly, each time with one improvement. Trials come in the
 * order of their promise. Unless all of them are asked for, they end when a budget of simulated
 * cycles is used up, which unlike a time limit gives the same result on every machine.
 */
#include <stdlib.h>

#include "analyze/relax.h"

/*
 * A trial is estimated to cost as many cycles as the first simulation, and a constant for its
 * start.
 */
#define BUDGET_CYCLES 60000u
#define TRIAL_CYCLES 400u

struct relaxer {
	struct takt_work *work;
	struct takt_arena arena; /* memory of one trial */
};

/* ---- the changed core ------------------------------------------------------------ */

struct takt_model *takt_trial_change_model(const struct takt_model *model,
					   const struct takt_trial *trial)
{
	struct takt_core_params params = *takt_model_params(model);
	struct takt_model_change change = {.params = &params};

	takt_trial_set_params(trial, &params);
	if (trial->kind == TAKT_TRIAL_PORT)
		change.twin_ports = trial->ports & -trial->ports;
	if (trial->kind == TAKT_TRIAL_LOAD)
		change.load_cycles_less = 1;
	return takt_model_change(model, &change);
}

static uint16_t less(uint16_t cycles, uint32_t by, uint32_t least)
{
	uint32_t left = cycles > by ? cycles - by : 0;

	return (uint16_t)(left < least ? least : left);
}

/* Halve the latency from registers. Latencies from memory lose as many cycles, but at most half. */
static void halve_latency(struct takt_prepared *prepared, uint32_t insn, struct takt_arena *arena)
{
	struct takt_timing *timing = &prepared->timings[insn];
	struct takt_latency *latencies =
		TAKT_NEW_ARRAY(arena, timing->latency_count, struct takt_latency);
	uint32_t by = takt_trial_latency(prepared, insn) / 2;

	for (unsigned i = 0; i < timing->latency_count; i++) {
		latencies[i] = timing->latencies[i];
		latencies[i].cycles = less(latencies[i].cycles, by, (latencies[i].cycles + 1u) / 2);
	}
	timing->latency_default =
		less(timing->latency_default, by, (timing->latency_default + 1u) / 2);
	timing->latencies = latencies;
}

/*
 * Make the row's latency from an address one cycle less; the model's load latency is changed apart.
 */
static void hasten_load(struct takt_prepared *prepared, uint32_t insn, struct takt_arena *arena)
{
	struct takt_timing *timing = &prepared->timings[insn];
	struct takt_latency *latencies =
		TAKT_NEW_ARRAY(arena, timing->latency_count, struct takt_latency);

	for (unsigned i = 0; i < timing->latency_count; i++) {
		uint8_t source = timing->latencies[i].source;

		latencies[i] = timing->latencies[i];
		if (source == TAKT_SLOT_BASE || source == TAKT_SLOT_INDEX ||
		    source == TAKT_SLOT_ANY_ADDRESS)
			latencies[i].cycles = less(latencies[i].cycles, 1, 1);
	}
	timing->latencies = latencies;
}

static void pipeline_unit(struct takt_prepared *prepared, uint32_t insn, uint32_t ports,
			  struct takt_arena *arena)
{
	struct takt_timing *timing = &prepared->timings[insn];
	struct takt_uops *uops = TAKT_NEW_ARRAY(arena, timing->uops_count, struct takt_uops);

	for (unsigned i = 0; i < timing->uops_count; i++) {
		uops[i] = timing->uops[i];
		if (uops[i].ports & ports && uops[i].count > 1)
			uops[i].count = 1;
	}
	timing->uops = uops;
}

static void change_edges(struct takt_prepared *prepared, struct takt_arena *arena)
{
	struct takt_memory_edge *edges =
		TAKT_NEW_ARRAY(arena, prepared->edge_count, struct takt_memory_edge);

	for (uint32_t i = 0; i < prepared->edge_count; i++) {
		edges[i] = prepared->edges[i];
		edges[i].overlap = TAKT_OVERLAP_CONTAINED;
	}
	prepared->edges = edges;
}

/* Apply the part of a trial that changes the block rather than the core. */
static void change_block(const struct takt_work *work, const struct takt_trial *trial,
			 struct takt_prepared *prepared, struct takt_arena *arena)
{
	if (trial->kind == TAKT_TRIAL_MEMORY)
		prepared->edge_count = 0;
	if (trial->kind == TAKT_TRIAL_FORWARD)
		change_edges(prepared, arena);
	for (uint32_t i = 0; i < prepared->block.count; i++) {
		if (!takt_trial_concerns(work, trial, i))
			continue;
		if (trial->kind == TAKT_TRIAL_LATENCY)
			halve_latency(prepared, i, arena);
		if (trial->kind == TAKT_TRIAL_LOAD)
			hasten_load(prepared, i, arena);
		if (trial->kind == TAKT_TRIAL_PIPELINED)
			pipeline_unit(prepared, i, trial->ports, arena);
	}
}

/* ---- simulation -------------------------------------------------------------------- */

static void run_trial(struct relaxer *relaxer, struct takt_trial *trial)
{
	const struct takt_work *work = relaxer->work;
	struct sim_options options = {.alignment_bytes = work->record->alignment_bytes,
				      .iterations_max = work->options->iterations_max};
	struct takt_prepared prepared = work->prepared;
	struct takt_model *model = takt_trial_change_model(work->prepared.model, trial);
	struct sim_summary summary;

	takt_arena_clear(&relaxer->arena);
	if (trial->kind == TAKT_TRIAL_ALIGNMENT)
		options.alignment_bytes = trial->alignment_bytes;
	prepared.model = model;
	takt_prepared_run(&prepared, &relaxer->arena);
	change_block(work, trial, &prepared, &relaxer->arena);
	takt_prepared_simulate(&prepared, &options, &relaxer->arena, &summary);
	takt_model_close(model);
	trial->cycles = summary.cycles;
	if (trial->cycles > work->record->simulated_cycles)
		trial->cycles = work->record->simulated_cycles;
}

static bool is_known(const struct takt_work *work, struct takt_trial *trial)
{
	if (trial->kind != TAKT_TRIAL_ALIGNMENT || !work->record->aligned_cycles)
		return false;
	trial->cycles = work->record->aligned_cycles[trial->alignment_bytes];
	return true;
}

/* Run trials within the budget. Return how many are kept; of alignments only the best is kept. */
static uint32_t run_trials(struct takt_work *work, struct takt_trial *trials, uint32_t count,
			   uint32_t budget)
{
	uint64_t cost = work->simulated.simulated_cycles + TRIAL_CYCLES, spent = 0;
	struct relaxer relaxer = {.work = work};
	uint32_t kept = 0;
	struct takt_trial *best = NULL;

	takt_arena_init(&relaxer.arena);
	for (uint32_t i = 0; i < count && spent + cost <= budget; i++) {
		struct takt_trial trial = trials[i];

		if (!is_known(work, &trial)) {
			run_trial(&relaxer, &trial);
			spent += cost;
		}
		if (trial.kind != TAKT_TRIAL_ALIGNMENT)
			trials[kept++] = trial;
		else if (!best)
			*(best = &trials[kept++]) = trial;
		else if (trial.cycles < best->cycles)
			*best = trial;
	}
	takt_arena_release(&relaxer.arena);
	return kept;
}

TAKT_ORDER(compare_recurrences, struct takt_trial, TAKT_UP(cycles), TAKT_DOWN(promise),
	   TAKT_UP(kind));

void takt_work_fill_relaxations(struct takt_work *work)
{
	bool full = work->options->sensitivity == TAKT_SENSITIVITY_FULL;
	struct takt_analysis *record = work->record;
	struct takt_trial trials[TAKT_TRIALS_MAX];
	struct takt_relaxation *relaxations;
	uint32_t listed, count;

	if (work->options->sensitivity == TAKT_SENSITIVITY_NONE)
		return;
	listed = takt_trials_list(work, full, trials);
	count = run_trials(work, trials, listed, full ? UINT32_MAX : BUDGET_CYCLES);
	qsort(trials, count, sizeof(*trials), compare_recurrences);
	relaxations = TAKT_NEW_ARRAY(work->arena, count, struct takt_relaxation);
	for (uint32_t i = 0; i < count; i++)
		takt_trial_describe(work, &trials[i], &relaxations[i]);
	record->relaxations = relaxations;
	record->relaxation_count = count;
	record->relaxations_complete = full;
}
