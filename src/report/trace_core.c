/* SPDX-License-Identifier: MIT */
/*
 * Results of the models beside the pipeline (caches, branches …), and how certain the cycles are.
 */
#include <inttypes.h>
#include <math.h>

#include "report/trace.h"

static const char *const accesses[] = {"fetches of lines", "loads", "stores"};
static const char *const branch_kinds[TAKT_TRACE_BRANCHES] = {
	"conditional", "jumps", "calls", "indirect jumps", "indirect calls", "returns"};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void write_sample(const struct takt_trace_totals *totals, struct takt_text *text)
{
	const struct takt_trace_sample *sample = totals->sample;
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(text, "\nestimated: %.2f %% of the instructions were simulated, ",
			 percent(sample->simulated_insns, totals->all.insns));
	takt_text_printf(text, "in %s %s\n", takt_text_grouped(sample->units, buffer),
			 takt_noun(sample->units, "unit", "units"));
	if (!isfinite(sample->half_width_cycles))
		takt_text_add_string(text, "too few for an error estimate: leave out '--sample' "
					   "for so short a program\n");
	else if (!sample->units)
		takt_text_add_string(text,
				     "the program is so short that all of it was simulated\n");
	else
		takt_text_printf(text, "cycles are within %.2f %% with a confidence of 95 %%\n",
				 totals->all.cycles ? 100 * sample->half_width_cycles /
							      (double)totals->all.cycles
						    : 0);
}

static void write_layouts(const struct takt_trace_totals *totals, struct takt_text *text)
{
	const struct takt_trace_layouts *layouts = totals->layouts;
	double mean = totals->all.cycles ? (double)totals->all.cycles : 1;
	uint64_t least = layouts->cycles[0], most = layouts->cycles[0];

	for (uint32_t i = 1; i < layouts->count; i++) {
		least = layouts->cycles[i] < least ? layouts->cycles[i] : least;
		most = layouts->cycles[i] > most ? layouts->cycles[i] : most;
	}
	takt_text_printf(text,
			 "\ncycles are means over %" PRIu32 " layouts drawn at random, within %.2f "
			 "%% with a confidence of 95 %%\n",
			 layouts->count, 100 * layouts->half_width_cycles / mean);
	takt_text_printf(text,
			 "a single layout differs from the mean by %+.2f %% to %+.2f %%; the "
			 "standard deviation is %.2f %%\n",
			 100 * ((double)least / mean - 1), 100 * ((double)most / mean - 1),
			 100 * layouts->deviation_cycles / mean);
}

static void write_memo(const struct takt_trace_totals *totals, struct takt_text *text)
{
	const struct takt_trace_memo *memo = totals->memo;
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(text, "\n%.2f %% of the instructions were remembered, and not simulated; ",
			 percent(memo->insns, totals->all.insns));
	takt_text_printf(text, "%s of those pieces %s checked",
			 takt_text_grouped(memo->checked, buffer),
			 takt_noun(memo->checked, "was", "were"));
	if (memo->wrong)
		takt_text_printf(text, ", and %s gave other results: cycles may be off",
				 takt_text_grouped(memo->wrong, buffer));
	takt_text_add_string(text, "\n");
}

static void write_caches(const struct takt_trace_caches *caches, struct takt_text *text)
{
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(text, "\n%20s  %-16s  %9s %9s %9s  %9s %9s\n", "", "caches, modelled",
			 "L1 miss", "L2 miss", "L3 miss", "TLB miss", "page walk");
	for (unsigned i = 0; i < TAKT_COUNT_OF(accesses); i++)
		takt_text_printf(text,
				 "%20s  %-16s  %7.3f %% %7.3f %% %7.3f %%  %7.3f %% %7.3f %%\n",
				 takt_text_grouped(caches->accesses[i], buffer), accesses[i],
				 percent(caches->misses[i][0], caches->accesses[i]),
				 percent(caches->misses[i][1], caches->accesses[i]),
				 percent(caches->misses[i][2], caches->accesses[i]),
				 percent(caches->tlb_misses[i], caches->accesses[i]),
				 percent(caches->page_walks[i], caches->accesses[i]));
	if (caches->non_temporal_lines)
		takt_text_printf(text, "%20s  %s written to memory by non-temporal stores\n",
				 takt_text_grouped(caches->non_temporal_lines, buffer),
				 takt_noun(caches->non_temporal_lines, "line was", "lines were"));
}

static void write_branches(const struct takt_trace_branches *branches, struct takt_text *text)
{
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(text, "\n%20s  %-18s  %9s\n", "", "branches, modelled", "missed");
	for (unsigned i = 0; i < TAKT_TRACE_BRANCHES; i++)
		if (branches->executed[i])
			takt_text_printf(text, "%20s  %-18s  %7.3f %%\n",
					 takt_text_grouped(branches->executed[i], buffer),
					 branch_kinds[i],
					 percent(branches->missed[i], branches->executed[i]));
}

/* Write the assumptions made for lack of data; nothing if there were none. */
static void write_doubts(const struct takt_trace_totals *totals, struct takt_text *text)
{
	char buffer[TAKT_GROUPED_SIZE];

	if (totals->all.syscalls)
		takt_text_printf(text, "\neach system call is taken to cost %u %s\n",
				 totals->syscall_cycles,
				 takt_noun(totals->syscall_cycles, "cycle", "cycles"));
	if (totals->unknown_insns)
		takt_text_printf(
			text, "%s %s\n", takt_text_grouped(totals->unknown_insns, buffer),
			takt_noun(totals->unknown_insns,
				  "instruction could not be decoded, and was taken for a nop",
				  "instructions could not be decoded, and were taken for nops"));
	if (totals->default_insns)
		takt_text_printf(text, "%s %s by class only (%.3f %%)\n",
				 takt_text_grouped(totals->default_insns, buffer),
				 takt_noun(totals->default_insns, "instruction is known",
					   "instructions are known"),
				 percent(totals->default_insns, totals->all.insns));
	if (totals->unsettled_insns)
		takt_text_printf(text,
				 "%s %s executed while LMUL and SEW were not known (vsetvl "
				 "takes them from a register): taken for the slowest (%.3f %%)\n",
				 takt_text_grouped(totals->unsettled_insns, buffer),
				 takt_noun(totals->unsettled_insns, "vector instruction was",
					   "vector instructions were"),
				 percent(totals->unsettled_insns, totals->all.insns));
}

void takt_trace_print_core(const struct takt_trace_totals *totals, struct takt_text *text)
{
	if (totals->sample)
		write_sample(totals, text);
	if (totals->layouts)
		write_layouts(totals, text);
	if (totals->memo)
		write_memo(totals, text);
	if (totals->caches)
		write_caches(totals->caches, text);
	if (totals->branches)
		write_branches(totals->branches, text);
	write_doubts(totals, text);
}

void takt_trace_print_sensitivity(const struct takt_trace_totals *totals, struct takt_text *text)
{
	const struct takt_trace_sensitivity *sensitivity = totals->sensitivity;
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(text, "\nthe same run on better cores\n\n%17s  %7s  with\n", "cycles",
			 "%");
	for (uint32_t i = 0; i < sensitivity->row_count; i++) {
		const struct takt_trace_what_if *row = &sensitivity->rows[i];
		double change =
			totals->all.cycles
				? 100 * ((double)row->cycles / (double)totals->all.cycles - 1)
				: 0;

		takt_text_printf(text, "%17s  %+7.2f  %s\n", takt_text_grouped(row->cycles, buffer),
				 change, row->what);
	}
}
