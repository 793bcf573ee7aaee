/* SPDX-License-Identifier: MIT */
/* Totals of a traced program as text; the profile is in trace_profile.c. */
#include <string.h>

#include "report/trace.h"

static void write_row(struct takt_text *text, uint64_t value, const char *name)
{
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(text, "%20s  %s\n", takt_text_grouped(value, buffer), name);
}

/* Write first what makes the figures incomplete. */
static void write_caveats(const struct takt_trace_totals *totals, struct takt_text *text)
{
	if (totals->stopped_by)
		takt_text_printf(text, "PARTIAL: %s stopped this before the log's end\n",
				 takt_signal_name(totals->stopped_by));
	if (totals->signal) {
		takt_text_add_string(text, "KILLED: the program did not finish: it was ");
		takt_trace_write_killed(totals, text);
		takt_text_add_string(text, "\n");
	} else if (totals->exit_status) {
		takt_text_printf(text, "ended with exit status %d\n", totals->exit_status);
	}
	takt_trace_write_missing(totals, text);
	takt_text_add_string(text, "\n");
}

/* Write the cycles and the figures computed from them. */
static void write_cycles(const struct takt_trace_totals *totals,
			 const struct takt_trace_counts *counts, struct takt_text *text)
{
	write_row(text, counts->cycles, "cycles");
	write_row(text, counts->uops, "\u00b5ops");
	if (counts->cycles)
		takt_text_printf(text, "%20.3f  instructions per cycle\n",
				 (double)counts->insns / (double)counts->cycles);
	if (totals->clock_ghz > 0)
		takt_text_printf(text, "%20.6f  seconds at %.2f GHz\n",
				 (double)counts->cycles / totals->clock_ghz * 1e-9,
				 totals->clock_ghz);
	takt_trace_write_losses(totals, counts, text);
}

static void write_core(const struct takt_trace_totals *totals, struct takt_text *text)
{
	takt_text_printf(text, " on %s", totals->core);
	if (totals->core_choice)
		takt_text_printf(text, " (%s)", totals->core_choice);
}

/* Write what the cycles include, and why they do not include the rest. */
static void write_models(const struct takt_trace_totals *totals, struct takt_text *text)
{
	bool asked = totals->settings && strstr(totals->settings, "caches");

	takt_text_printf(text, "modelled: pipeline%s%s\n",
			 totals->models_caches ? ", caches and TLBs" : "",
			 totals->models_branches ? ", branch prediction" : "");
	if (!totals->models_caches)
		takt_text_printf(text, "ideal: every access hits the first-level cache (%s)\n",
				 asked ? "--ideal=caches" : "this core's caches are not known");
	else if (totals->blocks_only)
		takt_text_add_string(text, "ideal: loads and stores were not traced, and cost no "
					   "misses (--blocks-only)\n");
	if (!totals->models_branches)
		takt_text_add_string(text, "ideal: every branch is predicted correctly "
					   "(--ideal=branches)\n");
}

/* Write what part of the program the figures cover, if they do not cover all of it. */
static void write_seen(const struct takt_trace_seen *seen, bool simulated, struct takt_text *text)
{
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(text, "covered: %s ", takt_text_grouped(seen->parts, buffer));
	if (seen->window_insns)
		takt_text_printf(text, "%s of %s instructions",
				 takt_noun(seen->parts, "window", "windows"),
				 takt_text_grouped(seen->window_insns, buffer));
	else
		takt_text_printf(text, "%s of the functions of --step",
				 takt_noun(seen->parts, "run", "runs"));
	takt_text_printf(
		text,
		"; the rest ran at full speed for %.3f s of processor time (measured), and "
		"is in no figure below\n",
		seen->unseen_seconds);
	if (seen->window_insns && simulated)
		takt_text_add_string(text, "no interval: it is not counted how many instructions "
					   "ran between the windows\n");
}

void takt_write_trace_text(const struct takt_trace_totals *totals,
			   const struct takt_trace_write_options *options, struct takt_text *text)
{
	takt_text_printf(text, "%s%s program",
			 totals->stopped_by ? "PARTIAL: "
			 : totals->signal   ? "KILLED: "
					    : "",
			 totals->guest);
	if (totals->core)
		write_core(totals, text);
	takt_text_add_string(text, "\n");
	if (totals->core)
		write_models(totals, text);
	if (totals->backend && strcmp(totals->backend, "native") == 0)
		takt_text_printf(text, "run: on this machine's processor, single-stepped%s%s\n",
				 totals->native_cause ? ", as " : "",
				 totals->native_cause ? totals->native_cause : "");
	if (totals->seen)
		write_seen(totals->seen, totals->core != NULL, text);
	if (totals->core_doubt)
		takt_text_printf(text, "note: %s\n", totals->core_doubt);
	write_caveats(totals, text);
	for (size_t i = 0; i < TAKT_TRACE_FIGURES; i++)
		if (!totals->blocks_only || !takt_trace_figures[i].of_accesses)
			write_row(text, takt_trace_figure(&totals->all, i),
				  takt_trace_figures[i].name);
	write_row(text, totals->distinct_blocks,
		  takt_noun(totals->distinct_blocks, "distinct block", "distinct blocks"));
	write_row(text, totals->thread_count, takt_noun(totals->thread_count, "thread", "threads"));
	if (totals->checked_insns) {
		uint64_t begun = totals->all.insns + totals->all.repeats + totals->all.interrupted;

		write_row(text, totals->checked_insns,
			  begun == totals->checked_insns
				  ? "begun as counted by qemu: the same"
				  : "begun as counted by qemu: NOT the same");
	}
	if (totals->core) {
		write_cycles(totals, &totals->all, text);
		takt_trace_print_core(totals, text);
	}
	if (totals->sensitivity)
		takt_trace_print_sensitivity(totals, text);
	takt_trace_print_programs(totals, text);
	if (options->threads)
		takt_trace_print_threads(totals, text);
	if (totals->profile)
		takt_trace_print_profile(totals, options, text);
	if (totals->dependences)
		takt_trace_print_dependences(totals->dependences, options->top, text);
}
