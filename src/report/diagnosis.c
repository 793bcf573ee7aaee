/* SPDX-License-Identifier: MIT */
/* Writes diagnoses as text and JSON. */
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "report/record.h"

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

/* ---- JSON ---- */

static struct takt_value origins_value(const struct takt_view *view, const void *record)
{
	takt_text_add_string(view->scratch, "");
	write_origins(((const struct takt_evidence *)record)->origins, view->scratch);
	return takt_value_string(view->scratch->data);
}

static bool is_below(const struct takt_view *view, const void *record)
{
	const struct takt_evidence *evidence = record;

	(void)view;
	return evidence->threshold && evidence->below;
}

static bool is_from(const struct takt_view *view, const void *record)
{
	const struct takt_evidence *evidence = record;

	(void)view;
	return evidence->threshold && !evidence->below;
}

static const char *verdict_word(uint32_t verdict)
{
	return verdict_words[verdict];
}

/* A string that is left out if it is empty. */
#define IF_ANY .flags = TAKT_ZERO_NULL | TAKT_OPTIONAL

#define RECORD struct takt_evidence
static const struct takt_field evidence_fields[] = {
	TAKT_FIELD("what", what, NULL, "What the figure is of."),
	TAKT_FIELD("value", value, NULL, "The figure, in `unit`.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("unit", unit, NULL, "Its unit; may be empty."),
	TAKT_COMPUTED("origin", TAKT_FIELD_STRING, origins_value, NULL,
		      "Where it comes from: \"counted\", \"modelled\", \"timed\"."),
	TAKT_FIELD("threshold", threshold, NULL,
		   "Name of its threshold; missing if the figure decides nothing.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("below", limit, NULL, "Figures below this support the pattern.",
		   .present = is_below, .flags = TAKT_NULLABLE),
	TAKT_FIELD("from", limit, NULL, "Figures from this on support the pattern.",
		   .present = is_from, .flags = TAKT_NULLABLE),
	TAKT_FIELD("reference", reference, NULL, "What the figure is compared with.", IF_ANY),
	TAKT_FIELD("events", events, NULL,
		   "Validated events that it is computed from, separated by blanks.", IF_ANY),
	TAKT_FIELD("error", error, NULL, "Largest relative error of those events.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("distrusted", distrusted, NULL,
		   "An event that is not trusted, so that the figure decides nothing.",
		   .flags = TAKT_OPTIONAL),
};
#undef RECORD
static const struct takt_record evidence_record = TAKT_RECORD(
	"evidence", "A figure that supports a pattern or speaks against it.", evidence_fields);

#define RECORD struct takt_finding
static const struct takt_field finding_fields[] = {
	TAKT_FIELD("pattern", pattern, NULL, "Its name: \"false-sharing\"."),
	TAKT_FIELD("title", title, NULL, "The pattern in words."),
	TAKT_FIELD("holds", holds, NULL, "False only with all figures, or if it is doubted."),
	TAKT_FIELD("doubted", doubted, NULL,
		   "The only evidence against it is from events that are not trusted.", IF_ANY),
	TAKT_FIELD("place", place, NULL, "Where; missing: the whole program.", IF_ANY),
	TAKT_FIELD("share", share, NULL, "Share of the program's modelled cycles.",
		   .flags = TAKT_OPTIONAL),
	TAKT_RECORDS("evidence", evidence, evidence_count, &evidence_record, "Its figures."),
	TAKT_LIST("details", details, detail_count, NULL, "Source lines, variables."),
	TAKT_FIELD("suggestion", suggestion, NULL, "What to do about it."),
};
#undef RECORD
static const struct takt_record finding_record =
	TAKT_RECORD("finding", "A pattern at a place, or of the whole program.", finding_fields);

#define RECORD struct takt_pattern
static const struct takt_field pattern_fields[] = {
	TAKT_FIELD("pattern", pattern, NULL, "Its name."),
	TAKT_ENUM("verdict", verdict, verdict_word, TAKT_COUNT_OF(verdict_words),
		  "Whether it was found."),
	TAKT_FIELD("unseen", unseen, NULL, "What this run cannot show of it.", IF_ANY),
	TAKT_FIELD("distrusted", distrusted, NULL, "An event that is not trusted.",
		   .flags = TAKT_OPTIONAL),
};
#undef RECORD
static const struct takt_record pattern_record =
	TAKT_RECORD("pattern", "The verdict on a pattern.", pattern_fields);

#define RECORD struct takt_loop_figures
static const struct takt_field loop_fields[] = {
	TAKT_FIELD("iterations", iterations, NULL, "Number of times that an iteration began."),
	TAKT_FIELD("run_cycles", run_cycles, "cycles per iteration",
		   "Cycles in the run, with misses and mispredicted branches; modelled.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("hot_path_share", hot_path_share, NULL,
		   "Share of the loop's instructions that are on the hot path.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("calls", calls, NULL,
		   "Calls on the hot path, which are left out of the analysis."),
	TAKT_FIELD("cycles", cycles, "cycles per iteration", "Simulated.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("ports_cycles", ports_cycles, "cycles per iteration", "Bound of the ports.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("front_end_cycles", front_end_cycles, "cycles per iteration",
		   "Bound of the front end.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("issue_cycles", issue_cycles, "cycles per iteration", "Bound of issue.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("carried_cycles", carried_cycles, "cycles per iteration",
		   "Bound of loop-carried dependences.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("limit", limit, NULL, "What limits it."),
	TAKT_FIELD("bottleneck", bottleneck, NULL, "The limit in a sentence; may be empty."),
	TAKT_FIELD("relaxed", relaxed, NULL,
		   "The most effective change of the code, or else relaxation; may be empty."),
	TAKT_FIELD("relaxed_cycles", relaxed_cycles, "cycles per iteration",
		   "Cycles with that; null: nothing helps.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("advice", advice, NULL,
		   "How to make the change, or what is known of it; may be empty."),
};
#undef RECORD
static const struct takt_record loop_record = TAKT_RECORD(
	"loop", "What takt analyze says of the hot path through a loop, taken alone.", loop_fields);

static bool loss_entry(const struct takt_view *view, const void *record, uint32_t index,
		       const char **ret_key, struct takt_value *ret_value)
{
	const struct takt_place_figures *place = record;

	(void)view;
	if (index == TAKT_TRACE_LOSSES)
		return false;
	*ret_key = takt_trace_loss_name(index);
	*ret_value = takt_value_integer((int64_t)place->losses[index]);
	return true;
}

/* ---- fields of places that the text alone has ---- */

/* Return the share of the place's cycles that is in a category of top-down analysis, in per cent.
 */
static struct takt_value category_percent(const void *record, const char *name, unsigned level)
{
	const struct takt_place_figures *place = record;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
		const char *category = takt_trace_loss_category(i, level);

		if (category && strcmp(category, name) == 0)
			sum += place->losses[i];
	}
	return takt_value_number(100 * ((double)sum / (double)place->cycles));
}

#define CATEGORY(function, name, level)                                                            \
	static struct takt_value function(const struct takt_view *view, const void *record)        \
	{                                                                                          \
		(void)view;                                                                        \
		return category_percent(record, name, level);                                      \
	}

CATEGORY(retiring, "retiring", 1)
CATEGORY(frontend_bound, "frontend bound", 1)
CATEGORY(bad_speculation, "bad speculation", 1)
CATEGORY(memory_bound, "memory bound", 2)
CATEGORY(core_bound, "core bound", 2)

static struct takt_value cycles_per_instruction(const struct takt_view *view, const void *record)
{
	const struct takt_place_figures *place = record;

	(void)view;
	return takt_value_number(place->insns ? (double)place->cycles / (double)place->insns
					      : (double)NAN);
}

/* Name the loss that takes most of the cycles that are not retiring, with its share. */
static struct takt_value main_loss(const struct takt_view *view, const void *record)
{
	const struct takt_place_figures *place = record;
	uint32_t best = TAKT_TRACE_LOSSES;

	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
		const char *category = takt_trace_loss_category(i, 1);

		if ((!category || strcmp(category, "retiring") != 0) &&
		    (best == TAKT_TRACE_LOSSES || place->losses[i] > place->losses[best]))
			best = i;
	}
	takt_text_printf(view->scratch, "%3.0f %s",
			 100 * (double)place->losses[best] / (double)place->cycles,
			 takt_trace_loss_name(best));
	return takt_value_string(view->scratch->data);
}

#define RECORD struct takt_place_figures
static const struct takt_field place_fields[] = {
	TAKT_FIELD("place", place, NULL, "Function, file and line."),
	TAKT_FIELD("share", share, NULL, "Share of the program's cycles.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("instructions", insns, NULL, "Instructions."),
	TAKT_FIELD("cycles", cycles, "cycles", "Cycles."),
	TAKT_MAP("losses", TAKT_FIELD_UINT64, loss_entry, "cycles", "Cycles by category."),
	TAKT_ARRAY("misses", misses, NULL, "Misses of its accesses, in each level of caches.", 0),
	TAKT_FIELD("line_use", line_use, NULL,
		   "Share of the bytes of each fetched line that are accessed; null: no lines.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("float_instructions", float_insns, NULL, "Floating-point instructions."),
	TAKT_FIELD("float_operations", float_operations, NULL, "Floating-point operations."),
	TAKT_FIELD("scalar_operations", scalar_operations, NULL, "Those of scalar instructions."),
	TAKT_NESTED("loop", loop, &loop_record, "Missing: it is no loop, or was not analyzed.",
		    .flags = TAKT_POINTER | TAKT_OPTIONAL),
	TAKT_FIELD("share_percent", share, NULL, NULL, .factor = 100,
		   .flags = TAKT_NO_JSON | TAKT_NO_CSV),
	TAKT_TEXT_FIELD("cycles_per_instruction", TAKT_FIELD_DOUBLE, cycles_per_instruction),
	TAKT_TEXT_FIELD("retiring", TAKT_FIELD_DOUBLE, retiring),
	TAKT_TEXT_FIELD("frontend bound", TAKT_FIELD_DOUBLE, frontend_bound),
	TAKT_TEXT_FIELD("bad speculation", TAKT_FIELD_DOUBLE, bad_speculation),
	TAKT_TEXT_FIELD("memory bound", TAKT_FIELD_DOUBLE, memory_bound),
	TAKT_TEXT_FIELD("core bound", TAKT_FIELD_DOUBLE, core_bound),
	TAKT_TEXT_FIELD("main_loss", TAKT_FIELD_STRING, main_loss),
};
#undef RECORD
static const struct takt_record place_record = TAKT_RECORD(
	"place", "A loop without its inner loops, or the part of a function outside all loops.",
	place_fields);

/* Compare with the first run, with which the table begins. */
static struct takt_value speedup(const struct takt_view *view, const void *record)
{
	const struct takt_timed_run *first = view->root, *run = record;

	return takt_value_number(first->seconds / run->seconds);
}

#define RECORD struct takt_timed_run
static const struct takt_field run_fields[] = {
	TAKT_FIELD("threads", threads, NULL, "Number of threads asked for; 0: none."),
	TAKT_FIELD("threads_asked_for", threads, NULL, NULL,
		   .flags = TAKT_NO_JSON | TAKT_NO_CSV | TAKT_ZERO_NULL),
	TAKT_FIELD("seconds", seconds, "s", "Time of the shortest round.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("cpu_seconds", cpu_seconds, "s", "CPU time of all its threads in that round.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("threads_at_once", most_threads, NULL,
		   "Largest number of threads that existed at once."),
	TAKT_TEXT_FIELD("speedup", TAKT_FIELD_DOUBLE, speedup),
};
#undef RECORD
static const struct takt_record run_record =
	TAKT_RECORD("run", "The program run natively on this machine.", run_fields);

#define RECORD struct takt_diagnosis
static const struct takt_field diagnosis_fields[] = {
	TAKT_FIELD("backend", backend, NULL, "\"emulate\" or \"pmu\"."),
	TAKT_FIELD("program", program, NULL, "The program."),
	TAKT_FIELD("guest", guest, NULL, "Its instruction set."),
	TAKT_FIELD("core", core, NULL, "The core; empty if the counters' core is unknown."),
	TAKT_FIELD("core_choice", core_choice, NULL,
		   "By what the core was chosen, if this machine's was asked for.",
		   .flags = TAKT_OPTIONAL),
	TAKT_FIELD("instructions", insns, NULL, "Instructions of all threads."),
	TAKT_FIELD("cycles", cycles, "cycles", "Modelled, or with pmu counted."),
	TAKT_FIELD("threads", thread_count, NULL, "Number of its threads."),
	TAKT_FIELD("exit_status", exit_status, NULL,
		   "Exit status of the program; -1 if a signal ended it."),
	TAKT_FIELD("signal", signal, NULL, "Signal that ended the program, or 0."),
	TAKT_FIELD("killed", killed, NULL, "How the signal killed it; null: none did.",
		   .flags = TAKT_ZERO_NULL),
	TAKT_FIELD("foreign_lines", foreign_lines, NULL,
		   "Share of lines in pages that another thread was the first to write; null: one "
		   "thread.",
		   .flags = TAKT_NULLABLE),
	TAKT_FIELD("unplaced_lines", unplaced_lines, NULL,
		   "Share of lines in pages whose first writer is unknown; null: one thread.",
		   .flags = TAKT_NULLABLE),
	TAKT_RECORDS("findings", findings, finding_count, &finding_record, "Most cycles first."),
	TAKT_RECORDS("patterns", patterns, pattern_count, &pattern_record,
		     "All patterns, found or not."),
	TAKT_RECORDS("places", places, place_count, &place_record,
		     "The places that were examined, most cycles first."),
	TAKT_RECORDS("runs", runs, run_count, &run_record, "Native runs."),
	TAKT_LIST("notes", notes, note_count, NULL, "What a reader has to know."),
};
#undef RECORD
static const struct takt_record diagnosis_record =
	TAKT_RECORD("diagnosis", "Performance patterns that a program shows.", diagnosis_fields);

#define RECORD struct takt_threshold
static const struct takt_field threshold_fields[] = {
	TAKT_FIELD("name", name, NULL, "Its name."),
	TAKT_FIELD("value", usual, NULL, "Its value unless another is set."),
	TAKT_FIELD("meaning", meaning, NULL, "The figure that is compared with it."),
};
#undef RECORD
static const struct takt_record threshold_record =
	TAKT_RECORD("listed_threshold", "A threshold of the patterns.", threshold_fields);

#define RECORD struct takt_threshold_listing
static const struct takt_field threshold_listing_fields[] = {
	TAKT_CONSTANT("format", "takt diagnose thresholds 1", "Format of the list."),
	TAKT_VERSION_FIELD,
	TAKT_RECORDS("thresholds", thresholds, threshold_count, &threshold_record,
		     "All thresholds.", .flags = TAKT_ROWS),
};
#undef RECORD
static const struct takt_record threshold_listing_record =
	TAKT_RECORD("threshold_listing", "Thresholds of the patterns.", threshold_listing_fields);

void takt_write_thresholds_json(const struct takt_threshold_listing *listing,
				struct takt_text *text)
{
	takt_record_write_json(&threshold_listing_record, listing, text);
}

const struct takt_schema takt_report_diagnose_schema = {
	.name = "diagnose",
	.title = "takt diagnose --format=json",
	.records = {&diagnosis_record, &threshold_listing_record},
};

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

static const struct takt_column place_columns[] = {
	{"of all", "share_percent", 7, .gap = 2, .format = "%.0f"},
	{"CPI", "cycles_per_instruction", 5, .gap = 2, .format = "%.2f", .null = "nan"},
	{"retiring", "retiring", 8, .gap = 2, .format = "%.0f"},
	{"frontend bound", "frontend bound", 14, .gap = 2, .format = "%.0f"},
	{"bad speculation", "bad speculation", 15, .gap = 2, .format = "%.0f"},
	{"memory bound", "memory bound", 12, .gap = 2, .format = "%.0f"},
	{"core bound", "core bound", 10, .gap = 2, .format = "%.0f"},
	{"most lost to", "main_loss", -26, .gap = 2},
	{"place", "place", 0, .gap = 2},
};

static void write_places(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	if (!diagnosis->place_count)
		return;
	takt_text_add_string(text, "\nwhere its cycles are (modelled), in %\n\n");
	takt_columns_write(
		place_columns, TAKT_COUNT_OF(place_columns),
		TAKT_TABLE_ROWS(&place_record, diagnosis->places, diagnosis->place_count), text);
}

static const struct takt_column loop_columns[] = {
	{"runs", "loop.iterations", 9, .gap = 2},
	{"in the run", "loop.run_cycles", 10, .gap = 1, .format = "%.2f", .null = "nan"},
	{"alone", "loop.cycles", 9, .gap = 1, .format = "%.2f", .null = "nan"},
	{"ports", "loop.ports_cycles", 9, .gap = 1, .format = "%.2f", .null = "nan"},
	{"front end", "loop.front_end_cycles", 9, .gap = 1, .format = "%.2f", .null = "nan"},
	{"issue", "loop.issue_cycles", 9, .gap = 1, .format = "%.2f", .null = "nan"},
	{"dependences", "loop.carried_cycles", 12, .gap = 1, .format = "%.2f", .null = "nan"},
	{"loop", "place", 0, .gap = 2},
};

/* Write the analysis of a hot loop. */
static void write_loop(const struct takt_place_figures *place, struct takt_text *text)
{
	const struct takt_loop_figures *loop = place->loop;

	takt_columns_write_row(loop_columns, TAKT_COUNT_OF(loop_columns), &place_record, place,
			       text);
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
		if (!any) {
			takt_text_add_string(text,
					     "\nhot loops alone: data in the first-level cache, "
					     "branches predicted (modelled), in cycles per "
					     "iteration\n\n");
			takt_columns_write_head(loop_columns, TAKT_COUNT_OF(loop_columns), text);
		}
		any = true;
		write_loop(&diagnosis->places[i], text);
	}
}

static const struct takt_column run_columns[] = {
	{"threads", "threads_asked_for", 7, .gap = 2, .null = "-"},
	{"seconds", "seconds", 12, .gap = 2, .format = "%.4f", .null = "nan"},
	{"CPU seconds", "cpu_seconds", 12, .gap = 2, .format = "%.4f", .null = "nan"},
	{"at once", "threads_at_once", 8, .gap = 2},
	{"speedup", "speedup", 8, .gap = 2, .format = "%.2f", .null = "nan"},
};

static void write_runs(const struct takt_diagnosis *diagnosis, struct takt_text *text)
{
	if (!diagnosis->run_count)
		return;
	takt_text_add_string(text, "\nnatively (timed)\n\n");
	takt_columns_write(run_columns, TAKT_COUNT_OF(run_columns),
			   TAKT_TABLE_ROWS(&run_record, diagnosis->runs, diagnosis->run_count),
			   text);
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
	takt_text_printf(text, "%s (%s): %llu %s, %llu %s%s%s%s%s%s, %u %s\n", diagnosis->program,
			 diagnosis->guest, (unsigned long long)diagnosis->insns,
			 takt_noun(diagnosis->insns, "instruction", "instructions"),
			 (unsigned long long)diagnosis->cycles,
			 takt_noun(diagnosis->cycles, "cycle", "cycles"),
			 *diagnosis->core ? " on " : "", diagnosis->core,
			 diagnosis->core_choice ? " (" : "",
			 diagnosis->core_choice ? diagnosis->core_choice : "",
			 diagnosis->core_choice ? ")" : "", diagnosis->thread_count,
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

void takt_write_diagnosis(const struct takt_diagnosis *diagnosis, enum takt_format format,
			  struct takt_text *text)
{
	if (format == TAKT_FORMAT_JSON)
		takt_record_write_json(&diagnosis_record, diagnosis, text);
	else
		write_text(diagnosis, text);
}
