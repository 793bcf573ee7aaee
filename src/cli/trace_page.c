/* SPDX-License-Identifier: MIT */
/* takt trace and takt diff as pages: what they show besides the JSON of the result. */
#include <stdlib.h>

#include "cli/command_docs.h"
#include "cli/trace.h"

#define ROWS_MAX 5000
#define FUNCTIONS_MAX 100
#define SOURCE_CONTEXT_LINES 3

/* Parts of a page, and the texts that hold them. */
#define PARTS_MAX 8
struct parts {
	struct takt_page_part list[PARTS_MAX];
	struct takt_text *texts[PARTS_MAX]; /* NULL: the list has the JSON */
	size_t count;
	char whole[100];
};

/* Add a part, whose JSON the caller appends to the text. */
static struct takt_text *add_part(struct parts *parts, const char *key)
{
	parts->list[parts->count].key = key;
	parts->texts[parts->count] = takt_text_new();
	return parts->texts[parts->count++];
}

static void release_parts(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		takt_text_free(parts->texts[i]);
}

/* ---- source lines ---- */

struct places {
	struct takt_source_place *list;
	size_t count;
};

static void add_places(const struct takt_annotation *annotation, struct places *places)
{
	size_t count = places->count;

	for (uint32_t i = 0; annotation && i < annotation->function_count; i++)
		count += annotation->functions[i].insn_count;
	places->list = takt_reallocate(places->list, count, sizeof(*places->list));
	for (uint32_t i = 0; annotation && i < annotation->function_count; i++)
		for (uint32_t k = 0; k < annotation->functions[i].insn_count; k++) {
			const struct takt_annotated_insn *insn = &annotation->functions[i].insns[k];

			places->list[places->count++] =
				(struct takt_source_place){insn->file, insn->line};
		}
}

/* ---- one trace as parts ---- */

static struct takt_annotation *add_code(const struct takt_trace_totals *totals, const char *key,
					struct parts *parts)
{
	struct takt_annotation *annotation = takt_annotate(totals, FUNCTIONS_MAX);

	if (annotation)
		takt_write_annotation_json(annotation, add_part(parts, key));
	return annotation;
}

static void add_stacks(const struct takt_trace_totals *totals, const char *key, struct parts *parts)
{
	if (totals->profile && totals->profile->node_count)
		takt_write_trace_stacks_json(totals->profile, add_part(parts, key));
}

/* Say how long the lists of the profile are, of which the report may have the largest rows only. */
static void add_whole(const struct takt_trace_totals *totals, struct parts *parts)
{
	const struct takt_trace_profile *profile = totals->profile;

	if (!profile)
		return;
	snprintf(parts->whole, sizeof(parts->whole),
		 "{\"blocks_run\": %u, \"lines\": %u, \"loops\": %u}", profile->block_count,
		 profile->line_count, profile->loop_count);
	parts->list[parts->count++] = (struct takt_page_part){"whole", parts->whole};
}

static void write_page(const char *kind, const struct takt_text *report,
		       const struct takt_text *summary, struct parts *parts,
		       const struct places *places, struct takt_text *text)
{
	struct takt_text *sources = takt_text_new();
	struct takt_page page = {
		.kind = kind,
		.report = takt_text_data(report),
		.text = takt_text_data(summary),
		.parts = parts->list,
		.part_count = parts->count,
	};

	for (size_t i = 0; i < parts->count; i++)
		if (parts->texts[i])
			parts->list[i].json = takt_text_data(parts->texts[i]);
	takt_write_sources_json(places->list, places->count, SOURCE_CONTEXT_LINES, sources);
	page.sources = takt_text_data(sources);
	takt_page_write(page, text);
	takt_text_free(sources);
}

void takt_trace_page(const struct takt_trace_totals *totals, const char *model_dir,
		     const struct takt_trace_write_options *options, struct takt_text *text)
{
	struct takt_text *report = takt_text_new(), *summary = takt_text_new();
	struct takt_annotation *annotation;
	struct parts parts = {.count = 0};
	struct places places = {.count = 0};
	char *loops = takt_trace_loops(totals, model_dir);

	if (loops)
		parts.list[parts.count++] = (struct takt_page_part){"loops", loops};
	if (totals->interval_count)
		takt_write_trace_course_json(totals, add_part(&parts, "course"));
	takt_write_trace_largest_json(totals, ROWS_MAX, report);
	takt_write_trace_text(totals, options, summary);
	annotation = add_code(totals, "annotation", &parts);
	add_stacks(totals, "stacks", &parts);
	add_whole(totals, &parts);
	add_places(annotation, &places);
	write_page("trace", report, summary, &parts, &places, text);
	free(places.list);
	takt_annotation_free(annotation);
	release_parts(&parts);
	free(loops);
	takt_text_free(summary);
	takt_text_free(report);
}

void takt_diff_page(const struct takt_diff *diff, const struct takt_diff_write_options *options,
		    struct takt_text *text)
{
	struct takt_text *report = takt_text_new(), *summary = takt_text_new();
	struct takt_annotation *before, *after;
	struct parts parts = {.count = 0};
	struct places places = {.count = 0};

	takt_write_diff_json(diff, report);
	takt_write_diff_text(diff, options, summary);
	before = add_code(diff->before, "annotation_before", &parts);
	after = add_code(diff->after, "annotation", &parts);
	add_stacks(diff->before, "stacks_before", &parts);
	add_stacks(diff->after, "stacks", &parts);
	add_places(before, &places);
	add_places(after, &places);
	write_page("diff", report, summary, &parts, &places, text);
	free(places.list);
	takt_annotation_free(before);
	takt_annotation_free(after);
	release_parts(&parts);
	takt_text_free(summary);
	takt_text_free(report);
}
