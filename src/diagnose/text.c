/* SPDX-License-Identifier: MIT */
/* Writes diagnoses as text and JSON. */
#include <math.h>
#include <string.h>

#include "diagnose/diagnose.h"

static const char *const verdict_words[] = {"clear", "found", "unseen"};

/* Write origins as words: "counted, modelled". */
static void write_origins(uint32_t origins, struct takt_text *text)
{
	static const char *const words[] = {"counted", "modelled", "timed"};
	const char *comma = "";

	for (unsigned i = 0; i < TAKT_COUNT_OF(words); i++) {
		if (!(origins >> i & 1))
			continue;
		takt_text_printf(text, "%s%s", comma, words[i]);
		comma = ", ";
	}
}

/* ---- text ---- */

static bool passes(const struct takt_evidence *evidence)
{
	return !evidence->threshold || evidence->distrusted ||
	       (evidence->below ? evidence->value < evidence->limit
				: evidence->value >= evidence->limit);
}

static void write_evidence(const struct takt_evidence *evidence, struct takt_text *text)
{
	takt_text_printf(text, "  %c %-10.4g %s%s%s (",
			 evidence->distrusted ? '?'
			 : passes(evidence)   ? ' '
					      : '-',
			 evidence->value, evidence->unit, *evidence->unit ? " " : "",
			 evidence->what);
	write_origins(evidence->origins, text);
	takt_text_add_string(text, ")");
	if (evidence->threshold)
		takt_text_printf(text, "; %s %.4g (%s)", evidence->below ? "below" : "from",
				 evidence->limit, evidence->threshold);
	if (*evidence->reference)
		takt_text_printf(text, "; %s", evidence->reference);
	if (evidence->distrusted)
		takt_text_printf(text, "; %s is not trusted", evidence->distrusted);
	if (!isnan(evidence->error) && evidence->error > 0)
		takt_text_printf(text, "; events up to %.3g %% off", 100 * evidence->error);
	takt_text_add_string(text, "\n");
}

static void write_finding(const struct takt_finding *finding, struct takt_text *text)
{
	takt_text_printf(text, "\n%s%s",
			 finding->holds	    ? ""
			 : finding->doubted ? "perhaps "
					    : "no ",
			 finding->title);
	if (*finding->place)
		takt_text_printf(text, " in %s", finding->place);
	if (!isnan(finding->share))
		takt_text_printf(text, ": %.0f %% of the cycles", 100 * finding->share);
	takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < finding->evidence_count; i++)
		write_evidence(&finding->evidence[i], text);
	for (uint32_t i = 0; i < finding->detail_count; i++)
		takt_text_printf(text, "    %s\n", finding->details[i]);
	if (finding->holds)
		takt_text_printf(text, "    → %s\n", finding->suggestion);
}

/* Write the places with their cycles per instruction, by stall cause. */
static void write_places(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	if (!diagnosis->place_count)
		return;
	takt_text_add_string(text, "\nwhere its cycles are (modelled), in %\n\n   of all    CPI");
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		takt_text_printf(text, " %11s", takt_trace_loss_name(i));
	takt_text_add_string(text, "  place\n");
	for (uint32_t i = 0; i < diagnosis->place_count; i++) {
		const struct takt_place_figures *place = &diagnosis->places[i];

		takt_text_printf(text, "  %7.0f  %5.2f", 100 * place->share,
				 place->insns ? (double)place->cycles / (double)place->insns
					      : (double)NAN);
		for (uint32_t j = 0; j < TAKT_TRACE_LOSSES; j++)
			takt_text_printf(text, " %11.0f",
					 100 * (double)place->losses[j] / (double)place->cycles);
		takt_text_printf(text, "  %s\n", place->place);
	}
}

/* Write the analysis of a hot loop. */
static void write_loop(const struct takt_place_figures *place, struct takt_text *text)
{
	const struct takt_loop_figures *loop = place->loop;

	takt_text_printf(text, "  %9llu %9.2f %9.2f %9.2f %9.2f %9.2f %12.2f  %s\n",
			 (unsigned long long)loop->iterations, loop->run_cycles, loop->cycles,
			 loop->ports_cycles, loop->front_end_cycles, loop->issue_cycles,
			 loop->carried_cycles, place->place);
	if (*loop->bottleneck)
		takt_text_printf(text, "      %s\n", loop->bottleneck);
	else
		takt_text_printf(text, "      limited by: %s\n", loop->limit);
	if (*loop->relaxed)
		takt_text_printf(text, "      with %s: %.2f cycles%s%s\n", loop->relaxed,
				 loop->relaxed_cycles, *loop->advice ? "; " : "", loop->advice);
	if (loop->hot_path_share < 0.995)
		takt_text_printf(text,
				 "      of its hot path, which has %.0f %% of its instructions\n",
				 100 * loop->hot_path_share);
	if (loop->calls)
		takt_text_printf(text, "      without what its %u %s\n", loop->calls,
				 takt_noun(loop->calls, "call does", "calls do"));
}

static void write_loops(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	bool any = false;

	for (uint32_t i = 0; i < diagnosis->place_count; i++) {
		if (!diagnosis->places[i].loop)
			continue;
		if (!any)
			takt_text_add_string(text,
					     "\nhot loops alone: data in the first-level cache, "
					     "branches predicted (modelled), in cycles per "
					     "iteration\n\n       runs   in the run   alone     "
					     "ports front end     issue dependences  loop\n");
		any = true;
		write_loop(&diagnosis->places[i], text);
	}
}

static void write_runs(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	const struct takt_timed_run *runs = diagnosis->runs;

	if (!diagnosis->run_count)
		return;
	takt_text_add_string(text, "\nnatively (timed)\n\n  threads       seconds   CPU seconds   "
				   "at once   speedup\n");
	for (uint32_t i = 0; i < diagnosis->run_count; i++) {
		if (runs[i].threads)
			takt_text_printf(text, "  %7u", runs[i].threads);
		else
			takt_text_add_string(text, "        -");
		takt_text_printf(text, "  %12.4f  %12.4f  %8u  %8.2f\n", runs[i].seconds,
				 runs[i].cpu_seconds, runs[i].most_threads,
				 runs[0].seconds / runs[i].seconds);
	}
}

static void write_placement(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	if (isnan(diagnosis->foreign_lines))
		return;
	takt_text_printf(text,
			 "\nlines in pages that another thread was the first to write (counted): "
			 "%.0f %%",
			 100 * diagnosis->foreign_lines);
	if (diagnosis->unplaced_lines >= 0.005)
		takt_text_printf(text, "; not known of %.0f %%", 100 * diagnosis->unplaced_lines);
	takt_text_add_string(text, "\n");
}

static void write_list(const struct takt_diagnosis *diagnosis, enum takt_pattern_state verdict,
		       const char *title, struct takt_text *text)
{
	const char *comma = "";

	for (uint32_t i = 0; i < diagnosis->pattern_count; i++) {
		if (diagnosis->patterns[i].verdict != verdict)
			continue;
		takt_text_printf(text, "%s%s", *comma ? comma : title,
				 diagnosis->patterns[i].title);
		comma = ", ";
	}
	if (*comma)
		takt_text_add_string(text, "\n");
}

/*
 * Write what cannot be observed of patterns that were found or could not be judged;
 * docs/commands/diagnose.md has that of the others.
 */
static void write_unseen(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	takt_text_add_string(text, "\nwhat this cannot show\n");
	for (uint32_t i = 0; i < diagnosis->pattern_count; i++)
		if (diagnosis->patterns[i].distrusted)
			takt_text_printf(text, "  %s: the trust table calls %s untrusted\n",
					 diagnosis->patterns[i].title,
					 diagnosis->patterns[i].distrusted);
	for (uint32_t i = 0; i < diagnosis->pattern_count; i++)
		if (*diagnosis->patterns[i].unseen &&
		    diagnosis->patterns[i].verdict != TAKT_PATTERN_CLEAR)
			takt_text_printf(text, "  %s: %s\n", diagnosis->patterns[i].title,
					 diagnosis->patterns[i].unseen);
	for (uint32_t i = 0; i < diagnosis->note_count; i++)
		takt_text_printf(text, "  %s\n", diagnosis->notes[i]);
}

static void write_text(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	takt_text_printf(text, "%s (%s): %llu %s, %llu %s%s%s, %u %s\n", diagnosis->program,
			 diagnosis->guest, (unsigned long long)diagnosis->insns,
			 takt_noun(diagnosis->insns, "instruction", "instructions"),
			 (unsigned long long)diagnosis->cycles,
			 takt_noun(diagnosis->cycles, "cycle", "cycles"),
			 *diagnosis->core ? " on " : "", diagnosis->core, diagnosis->thread_count,
			 takt_noun(diagnosis->thread_count, "thread", "threads"));
	if (*diagnosis->killed)
		takt_text_printf(text,
				 "\nKILLED: the program did not finish: it was %s\nthe following "
				 "covers what it did until then\n",
				 diagnosis->killed);
	for (uint32_t i = 0; i < diagnosis->finding_count; i++)
		write_finding(&diagnosis->findings[i], text);
	if (!diagnosis->finding_count)
		takt_text_printf(text, "\nnone of the patterns looked for%s\n",
				 *diagnosis->killed ? ", until it was killed" : "");
	write_places(diagnosis, text);
	write_loops(diagnosis, text);
	write_placement(diagnosis, text);
	write_runs(diagnosis, text);
	takt_text_add_string(text, "\n");
	write_list(diagnosis, TAKT_PATTERN_CLEAR, "not found: ", text);
	write_list(diagnosis, TAKT_PATTERN_UNSEEN, "cannot be seen in this run: ", text);
	write_unseen(diagnosis, text);
}

/* ---- JSON ---- */

static void json_number(struct takt_json *json, const char *key, double value)
{
	if (isfinite(value))
		takt_json_number(json, key, value);
	else
		takt_json_null(json, key);
}

static void json_evidence(const struct takt_evidence *evidence, struct takt_json *json)
{
	struct takt_text origins;

	takt_text_init(&origins);
	write_origins(evidence->origins, &origins);
	takt_json_open_object(json, NULL);
	takt_json_string(json, "what", evidence->what);
	json_number(json, "value", evidence->value);
	takt_json_string(json, "unit", evidence->unit);
	takt_json_string(json, "origin", origins.data);
	if (evidence->threshold) {
		takt_json_string(json, "threshold", evidence->threshold);
		json_number(json, evidence->below ? "below" : "from", evidence->limit);
	}
	if (*evidence->reference)
		takt_json_string(json, "reference", evidence->reference);
	if (*evidence->events)
		takt_json_string(json, "events", evidence->events);
	if (!isnan(evidence->error))
		takt_json_number(json, "error", evidence->error);
	if (evidence->distrusted)
		takt_json_string(json, "distrusted", evidence->distrusted);
	takt_json_close_object(json);
	takt_text_release(&origins);
}

static void json_finding(const struct takt_finding *finding, struct takt_json *json)
{
	takt_json_open_object(json, NULL);
	takt_json_string(json, "pattern", finding->pattern);
	takt_json_string(json, "title", finding->title);
	takt_json_bool(json, "holds", finding->holds);
	if (finding->doubted)
		takt_json_bool(json, "doubted", true);
	if (*finding->place)
		takt_json_string(json, "place", finding->place);
	if (!isnan(finding->share))
		takt_json_number(json, "share", finding->share);
	takt_json_open_array(json, "evidence");
	for (uint32_t i = 0; i < finding->evidence_count; i++)
		json_evidence(&finding->evidence[i], json);
	takt_json_close_array(json);
	takt_json_open_array(json, "details");
	for (uint32_t i = 0; i < finding->detail_count; i++)
		takt_json_string(json, NULL, finding->details[i]);
	takt_json_close_array(json);
	takt_json_string(json, "suggestion", finding->suggestion);
	takt_json_close_object(json);
}

static void json_loop(const struct takt_loop_figures *loop, struct takt_json *json)
{
	takt_json_open_object(json, "loop");
	takt_json_integer(json, "iterations", (int64_t)loop->iterations);
	takt_json_number(json, "run_cycles", loop->run_cycles);
	takt_json_number(json, "hot_path_share", loop->hot_path_share);
	takt_json_integer(json, "calls", loop->calls);
	json_number(json, "cycles", loop->cycles);
	takt_json_number(json, "ports_cycles", loop->ports_cycles);
	takt_json_number(json, "front_end_cycles", loop->front_end_cycles);
	takt_json_number(json, "issue_cycles", loop->issue_cycles);
	takt_json_number(json, "carried_cycles", loop->carried_cycles);
	takt_json_string(json, "limit", loop->limit);
	takt_json_string(json, "bottleneck", loop->bottleneck);
	takt_json_string(json, "relaxed", loop->relaxed);
	json_number(json, "relaxed_cycles", loop->relaxed_cycles);
	takt_json_string(json, "advice", loop->advice);
	takt_json_close_object(json);
}

static void json_places(const struct takt_diagnosis *diagnosis, struct takt_json *json)
{
	takt_json_open_array(json, "places");
	for (uint32_t i = 0; i < diagnosis->place_count; i++) {
		const struct takt_place_figures *place = &diagnosis->places[i];

		takt_json_open_object(json, NULL);
		takt_json_string(json, "place", place->place);
		takt_json_number(json, "share", place->share);
		takt_json_integer(json, "instructions", (int64_t)place->insns);
		takt_json_integer(json, "cycles", (int64_t)place->cycles);
		takt_json_open_object(json, "losses");
		for (uint32_t j = 0; j < TAKT_TRACE_LOSSES; j++)
			takt_json_integer(json, takt_trace_loss_name(j), (int64_t)place->losses[j]);
		takt_json_close_object(json);
		takt_json_open_array(json, "misses");
		for (unsigned j = 0; j < 3; j++)
			takt_json_integer(json, NULL, (int64_t)place->misses[j]);
		takt_json_close_array(json);
		json_number(json, "line_use", place->line_use);
		takt_json_integer(json, "float_instructions", (int64_t)place->float_insns);
		takt_json_integer(json, "float_operations", (int64_t)place->float_operations);
		takt_json_integer(json, "scalar_operations", (int64_t)place->scalar_operations);
		if (place->loop)
			json_loop(place->loop, json);
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
}

static void json_patterns(const struct takt_diagnosis *diagnosis, struct takt_json *json)
{
	takt_json_open_array(json, "patterns");
	for (uint32_t i = 0; i < diagnosis->pattern_count; i++) {
		takt_json_open_object(json, NULL);
		takt_json_string(json, "pattern", diagnosis->patterns[i].pattern);
		takt_json_string(json, "verdict", verdict_words[diagnosis->patterns[i].verdict]);
		if (*diagnosis->patterns[i].unseen)
			takt_json_string(json, "unseen", diagnosis->patterns[i].unseen);
		if (diagnosis->patterns[i].distrusted)
			takt_json_string(json, "distrusted", diagnosis->patterns[i].distrusted);
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
}

static void json_runs(const struct takt_diagnosis *diagnosis, struct takt_json *json)
{
	takt_json_open_array(json, "runs");
	for (uint32_t i = 0; i < diagnosis->run_count; i++) {
		takt_json_open_object(json, NULL);
		takt_json_integer(json, "threads", diagnosis->runs[i].threads);
		takt_json_number(json, "seconds", diagnosis->runs[i].seconds);
		takt_json_number(json, "cpu_seconds", diagnosis->runs[i].cpu_seconds);
		takt_json_integer(json, "threads_at_once", diagnosis->runs[i].most_threads);
		takt_json_close_object(json);
	}
	takt_json_close_array(json);
}

static void write_json(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "backend", diagnosis->backend);
	takt_json_string(&json, "program", diagnosis->program);
	takt_json_string(&json, "guest", diagnosis->guest);
	takt_json_string(&json, "core", diagnosis->core);
	takt_json_integer(&json, "instructions", (int64_t)diagnosis->insns);
	takt_json_integer(&json, "cycles", (int64_t)diagnosis->cycles);
	takt_json_integer(&json, "threads", diagnosis->thread_count);
	takt_json_integer(&json, "exit_status", diagnosis->exit_status);
	takt_json_integer(&json, "signal", diagnosis->signal);
	takt_json_string(&json, "killed", *diagnosis->killed ? diagnosis->killed : NULL);
	json_number(&json, "foreign_lines", diagnosis->foreign_lines);
	json_number(&json, "unplaced_lines", diagnosis->unplaced_lines);
	takt_json_open_array(&json, "findings");
	for (uint32_t i = 0; i < diagnosis->finding_count; i++)
		json_finding(&diagnosis->findings[i], &json);
	takt_json_close_array(&json);
	json_patterns(diagnosis, &json);
	json_places(diagnosis, &json);
	json_runs(diagnosis, &json);
	takt_json_open_array(&json, "notes");
	for (uint32_t i = 0; i < diagnosis->note_count; i++)
		takt_json_string(&json, NULL, diagnosis->notes[i]);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}

void takt_write_diagnosis(const struct takt_diagnosis *diagnosis, enum takt_format format,
			  struct takt_text *text)
{
	if (format == TAKT_FORMAT_JSON)
		write_json(diagnosis, text);
	else
		write_text(diagnosis, text);
}
