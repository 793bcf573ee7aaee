/* SPDX-License-Identifier: MIT */
/* Fills the record's simulated figures: the headline, the stalls by cause, alignments. */

#include "analyze/work.h"

static void find_alignments(struct takt_work *work)
{
	const struct takt_prepared *prepared = &work->prepared;
	double *cycles = TAKT_NEW_ARRAY(work->arena, TAKT_ALIGNMENTS, double);
	struct sim_options options = {.iterations_max = work->options->iterations_max};
	struct takt_arena arena = {0};

	for (uint32_t at = 0; at < TAKT_ALIGNMENTS; at++) {
		struct sim_summary summary;

		options.alignment_bytes = at;
		takt_arena_clear(&arena);
		takt_prepared_simulate(prepared, &options, &arena, &summary);
		cycles[at] = summary.cycles;
	}
	takt_arena_release(&arena);
	work->record->aligned_cycles = cycles;
}

void takt_work_simulate(struct takt_work *work)
{
	const struct takt_analysis_options *wanted = work->options;
	struct takt_analysis *record = work->record;
	struct sim_options options = {.alignment_bytes = record->alignment_bytes,
				      .iterations_max = wanted->iterations_max,
				      .ret_stalls = &work->stalls};

	work->prepared.edges = work->graph.memory.edges;
	work->prepared.edge_count = work->graph.memory.edge_count;
	takt_prepared_simulate(&work->prepared, &options, work->scratch, &work->simulated);
	record->simulated_cycles = work->simulated.cycles;
	record->simulated_period = work->simulated.period_iterations;
	if (wanted->all_alignments)
		find_alignments(work);
}

/* Return the limit that the largest stall cause stands for: "port p5", "latency", … */
const char *takt_work_stall_limit(struct takt_work *work)
{
	const struct sim_stall_share *worst = work->stalls.shares;

	if (!work->stalls.share_count)
		return "several things together";
	if (worst->port < takt_model_port_count(work->prepared.model))
		return takt_arena_printf(work->arena, "port %s",
					 takt_model_port_name(work->prepared.model, worst->port));
	return takt_cause_word(work->prepared.block.isa, worst->cause);
}

/* ---- stalls in the record ---------------------------------------------------------- */

static void fill_stall(struct takt_work *work, const struct sim_stall_share *share,
		       struct takt_stall *stall)
{
	const struct takt_isa *isa = work->prepared.block.isa;
	uint32_t *insns = TAKT_NEW_ARRAY(work->arena, share->insn_count, uint32_t);
	double *cycles = TAKT_NEW_ARRAY(work->arena, share->insn_count, double);

	*stall = (struct takt_stall){.cause = takt_cause_word(isa, share->cause),
				     .text = takt_cause_text(isa, share->cause),
				     .port = "",
				     .cycles = share->cycles,
				     .insns = insns,
				     .insn_cycles = cycles,
				     .insn_count = share->insn_count};
	if (share->port < work->record->port_count)
		stall->port = work->record->port_names[share->port];
	for (uint32_t i = 0; i < share->insn_count; i++) {
		insns[i] = share->insns[i];
		cycles[i] = share->insn_cycles[i];
		work->insns[insns[i]].stall_cycles += cycles[i];
	}
}

void takt_work_fill_stalls(struct takt_work *work)
{
	const struct sim_stalls *stalls = &work->stalls;
	struct takt_stall *all =
		TAKT_NEW_ARRAY(work->arena, stalls->share_count, struct takt_stall);

	for (uint32_t i = 0; i < stalls->share_count; i++)
		fill_stall(work, &stalls->shares[i], &all[i]);
	work->record->stalls = all;
	work->record->stall_count = stalls->share_count;
}
