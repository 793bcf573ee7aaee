/* SPDX-License-Identifier: MIT */
/* Turns evidence into findings. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/signatures.h"

struct pattern_row {
	const char *word, *title, *unseen, *uncounted, *suggestion;
};

static const struct pattern_row rows[] = {
#define X(enumerator, word, title, unseen, uncounted, suggestion)                                  \
	{word, title, unseen, uncounted, suggestion},
#include "diagnose/patterns.def"
#undef X
};

/* ---- one signature ---- */

struct signature signature_begin(struct judge *judge, enum pattern pattern)
{
	return (struct signature){.judge = judge, .pattern = pattern, .holds = true};
}

void signature_figure(struct signature *signature, const char *what, double value, const char *unit,
		      uint32_t origins, const char *reference)
{
	if (signature->evidence_count == EVIDENCE_MAX)
		return;
	signature->evidence[signature->evidence_count++] = (struct takt_evidence){
		.what = what,
		.unit = unit,
		.value = value,
		.origins = origins,
		.reference = reference,
		.events = "",
		.error = NAN,
	};
}

void signature_made_of(struct signature *signature, const char *events)
{
	struct takt_evidence *evidence = &signature->evidence[signature->evidence_count - 1];

	assert(!evidence->threshold);
	evidence->events = events;
	takt_diagnose_trust_apply(&signature->judge->measure->trust, evidence);
}

static void set_limit(struct signature *signature, const char *name, double limit, bool below)
{
	struct takt_evidence *evidence = &signature->evidence[signature->evidence_count - 1];

	evidence->threshold = name;
	evidence->limit = limit;
	evidence->below = below;
	if (evidence->distrusted)
		signature->distrusted = evidence->distrusted;
	else
		signature->holds &= below ? evidence->value < limit : evidence->value >= limit;
}

void signature_at_least(struct signature *signature, const char *name, double limit)
{
	set_limit(signature, name, limit, false);
}

void signature_below(struct signature *signature, const char *name, double limit)
{
	set_limit(signature, name, limit, true);
}

void signature_detail(struct signature *signature, const char *format, ...)
{
	va_list args;

	if (signature->detail_count == DETAILS_MAX)
		return;
	va_start(args, format);
	signature->details[signature->detail_count++] =
		takt_arena_vprintf(&signature->judge->report->arena, format, args);
	va_end(args);
}

const char *source_text(struct judge *judge, const struct diagnose_source *source)
{
	const char *file = takt_path_name(source->file);
	const char *function = takt_arena_string(
		&judge->report->arena, source->function ? source->function : "code without a name");

	if (!file && !source->file_offset)
		return function;
	if (!file)
		return takt_arena_printf(&judge->report->arena, "%s, at %#llx of its file",
					 function, (unsigned long long)source->file_offset);
	return takt_arena_printf(&judge->report->arena, "%s, %s:%u", function, file, source->line);
}

const char *allocation_text(struct judge *judge, const struct diagnose_allocation *allocation)
{
	bool has_caller = allocation->caller.function != NULL;

	if (!allocation->known)
		return "";
	return takt_arena_printf(&judge->report->arena, "; allocated by %s%s%s (inferred)",
				 source_text(judge, &allocation->call),
				 has_caller ? ", called by " : "",
				 has_caller ? source_text(judge, &allocation->caller) : "");
}

static struct takt_finding *new_finding(struct diagnose_report *report)
{
	TAKT_GROW_IN(&report->arena, report->findings, report->diagnosis.finding_count + 1,
		     report->finding_capacity);
	report->diagnosis.findings = report->findings;
	return &report->findings[report->diagnosis.finding_count++];
}

void signature_doubt(const struct signature *signature)
{
	struct diagnose_report *report = signature->judge->report;
	struct takt_pattern *pattern = &report->patterns[signature->pattern];

	if (pattern->verdict == TAKT_PATTERN_FOUND)
		return;
	pattern->verdict = TAKT_PATTERN_UNSEEN;
	pattern->distrusted = takt_arena_string(&report->arena, signature->distrusted);
}

/*
 * Note the verdict of a signature. A pattern found at one place is found; one in doubt at a place
 * is in doubt, unless it is found elsewhere.
 */
static void note_verdict(struct diagnose_report *report, const struct signature *signature)
{
	struct takt_pattern *pattern = &report->patterns[signature->pattern];

	if (!signature->holds)
		return;
	if (signature->distrusted) {
		signature_doubt(signature);
		return;
	}
	pattern->verdict = TAKT_PATTERN_FOUND;
	pattern->distrusted = NULL;
}

bool signature_end(struct signature *signature, const struct diagnose_place *place)
{
	struct judge *judge = signature->judge;
	struct takt_arena *arena = &judge->report->arena;
	bool holds = signature->holds && !signature->distrusted;
	struct takt_evidence *evidence;
	const char **details;

	if (!signature->holds && !judge->options->all_figures)
		return false;
	evidence = TAKT_NEW_ARRAY(arena, signature->evidence_count, struct takt_evidence);
	memcpy(evidence, signature->evidence, signature->evidence_count * sizeof(*evidence));
	details = TAKT_NEW_ARRAY(arena, signature->detail_count, const char *);
	memcpy(details, signature->details, signature->detail_count * sizeof(*details));
	*new_finding(judge->report) = (struct takt_finding){
		.pattern = rows[signature->pattern].word,
		.title = rows[signature->pattern].title,
		.holds = holds,
		.doubted = signature->holds && !holds,
		.place = place ? source_text(judge, &place->source) : "",
		.share = place ? ratio((double)place->cycles, (double)judge->seen->cycles)
			       : (double)NAN,
		.evidence = evidence,
		.evidence_count = signature->evidence_count,
		.details = details,
		.detail_count = signature->detail_count,
		.suggestion = rows[signature->pattern].suggestion,
	};
	note_verdict(judge->report, signature);
	return holds;
}

/* ---- all of them ---- */

void signature_list_patterns(struct diagnose_report *report, bool counters)
{
	report->patterns = TAKT_NEW_ARRAY(&report->arena, PATTERN_COUNT, struct takt_pattern);
	report->diagnosis.patterns = report->patterns;
	report->diagnosis.pattern_count = PATTERN_COUNT;
	for (unsigned i = 0; i < PATTERN_COUNT; i++)
		report->patterns[i] = (struct takt_pattern){
			.pattern = rows[i].word,
			.title = rows[i].title,
			.verdict = counters ? TAKT_PATTERN_UNSEEN : TAKT_PATTERN_CLEAR,
			.unseen = counters ? rows[i].uncounted : rows[i].unseen,
		};
}

static int compare_findings(const void *left, const void *right)
{
	const struct takt_finding *a = left, *b = right;
	double first = isnan(a->share) ? 2 : a->share, second = isnan(b->share) ? 2 : b->share;

	if (a->holds != b->holds)
		return a->holds ? -1 : 1;
	if (a->doubted != b->doubted)
		return a->doubted ? -1 : 1;
	if (first != second)
		return first < second ? 1 : -1;
	return strcmp(a->pattern, b->pattern);
}

void signature_sort(struct diagnose_report *report)
{
	if (report->diagnosis.finding_count)
		qsort(report->findings, report->diagnosis.finding_count, sizeof(*report->findings),
		      compare_findings);
}

static uint64_t operations_of(const struct oracle_counts *counts, unsigned end)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < end; i++)
		sum += counts->fp32_ops[i] + counts->fp64_ops[i];
	return sum;
}

/* True if the place waits for other threads: that is synchronisation, and no other pattern. */
static bool place_stalls(const struct diagnose_seen *seen, uint32_t place)
{
	for (uint32_t i = 0; i < seen->block_count; i++)
		if (seen->blocks[i].place == place)
			return seen->blocks[i].waits;
	return false;
}

/* List the places; returns the number of hot ones. */
static uint32_t list_places(struct judge *judge)
{
	const struct diagnose_seen *seen = judge->seen;
	struct takt_place_figures *places;
	uint32_t count = 0;

	while (count < seen->place_count && seen->places[count].cycles &&
	       (double)seen->places[count].cycles >= judge->limits->hot * (double)seen->cycles)
		count++;
	places = TAKT_NEW_ARRAY(&judge->report->arena, count, struct takt_place_figures);
	for (uint32_t i = 0; i < count; i++) {
		const struct diagnose_place *place = &seen->places[i];

		places[i] = (struct takt_place_figures){
			.place = source_text(judge, &place->source),
			.share = ratio((double)place->cycles, (double)seen->cycles),
			.insns = place->counts.insns,
			.cycles = place->cycles,
			.line_use = place->misses[0] ? line_use(place) : (double)NAN,
			.float_insns = place->counts.fp_insns,
			.float_operations = operations_of(&place->counts, ORACLE_WIDTHS),
			.scalar_operations = operations_of(&place->counts, 1),
			.loop = place_stalls(seen, i)
					? NULL
					: takt_diagnose_loop(seen, place, &judge->report->arena),
		};
		memcpy(places[i].losses, place->losses, sizeof(places[i].losses));
		memcpy(places[i].misses, place->misses, sizeof(places[i].misses));
	}
	judge->report->diagnosis.places = places;
	judge->report->diagnosis.place_count = count;
	return count;
}

void takt_diagnose_judge(const struct diagnose_seen *seen, const struct diagnose_measure *measure,
			 const struct takt_diagnose_options *options,
			 struct diagnose_report *report)
{
	struct judge judge = {seen, measure, &measure->thresholds, options, report};
	uint32_t count;

	signature_list_patterns(report, false);
	count = list_places(&judge);
	for (uint32_t i = 0; i < count; i++) {
		if (place_stalls(seen, i))
			continue;
		judge_memory_place(&judge, &seen->places[i]);
		judge_core_place(&judge, &seen->places[i]);
	}
	judge_memory(&judge);
	judge_core(&judge);
	if (!judge_threads(&judge))
		for (unsigned i = PATTERN_IMBALANCE; i <= PATTERN_SYNC; i++)
			report->patterns[i].verdict = TAKT_PATTERN_UNSEEN;
	judge_placement(&judge);
	signature_sort(report);
}
