/* SPDX-License-Identifier: MIT */
/* takt analyze as a page: what it shows besides the JSON of the regions. */
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"

#define ITERATIONS_LEAST 4
#define ITERATIONS_USUAL 32
/* Instructions in the timelines of all regions together: what a browser shows at once. */
#define INSNS_USUAL 3000
#define SOURCE_CONTEXT_LINES 4

void takt_analyze_page_begin(struct takt_analyze_page *page)
{
	*page = (struct takt_analyze_page){.is_wanted = true};
	page->text = takt_text_new();
	page->json = takt_memory_stream_open(&page->json_data, &page->json_bytes);
	page->timelines = takt_memory_stream_open(&page->timelines_data, &page->timelines_bytes);
	page->figures = takt_memory_stream_open(&page->figures_data, &page->figures_bytes);
}

/* The timeline's iterations: as asked for, or else tens of them in short loops. */
static uint32_t find_iterations(const struct takt_analyze_page *page,
				const struct takt_analyze_request *request,
				const struct takt_analysis *analysis)
{
	uint32_t left = page->insn_count < INSNS_USUAL ? INSNS_USUAL - page->insn_count : 0;
	uint32_t iterations = left / analysis->insn_count / 2;

	if (request->timeline.iterations)
		return request->timeline.iterations;
	return iterations > ITERATIONS_USUAL   ? ITERATIONS_USUAL
	       : iterations < ITERATIONS_LEAST ? ITERATIONS_LEAST
					       : iterations;
}

static void add_timeline(struct takt_analyze_page *page, const struct takt_page_region *region)
{
	struct takt_analyze_request request = *region->request;
	struct takt_text *text = takt_text_new();

	request.timeline.iterations = find_iterations(page, region->request, region->analysis);
	request.timeline.format = TAKT_TIMELINE_JSON;
	page->insn_count += request.timeline.iterations * region->analysis->insn_count;
	fputs(page->region_count ? ",\n" : "[\n", page->timelines);
	if (takt_timeline_write(&request, region->model, region->code, region->index, region->diag,
				text))
		fputs(takt_text_data(text), page->timelines);
	else
		fputs("null", page->timelines);
	takt_text_free(text);
}

/* Add what the core's model says of the instructions. */
static void add_figures(struct takt_analyze_page *page, const struct takt_page_region *region)
{
	struct takt_text *text = takt_text_new();

	takt_write_core_json(region->model, takt_code_region(region->code, region->index),
			     region->analysis, text);
	fputs(page->region_count ? ",\n" : "[\n", page->figures);
	fputs(takt_text_data(text), page->figures);
	takt_text_free(text);
}

/* Return a copy of a file's name that the page owns; instructions mostly share the last one. */
static const char *keep_file(struct takt_analyze_page *page, const char *file)
{
	if (!file)
		return NULL;
	if (page->file_count && strcmp(page->files[page->file_count - 1], file) == 0)
		return page->files[page->file_count - 1];
	page->files = takt_reallocate(page->files, page->file_count + 1, sizeof(*page->files));
	page->files[page->file_count] = takt_copy_string(file);
	return page->files[page->file_count++];
}

static void add_places(struct takt_analyze_page *page, const struct takt_analysis *analysis)
{
	page->places = takt_reallocate(page->places, page->place_count + analysis->insn_count,
				       sizeof(*page->places));
	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		const struct takt_analysis_insn *insn = &analysis->insns[i];

		page->places[page->place_count++] = (struct takt_source_place){
			.file = keep_file(page, insn->file), .line = insn->line};
	}
}

void takt_analyze_page_add(struct takt_analyze_page *page, const struct takt_page_region *region)
{
	const struct takt_write_options options = {.columns = 0};

	takt_write_analysis_text(region->analysis, &options, page->text);
	add_timeline(page, region);
	add_figures(page, region);
	add_places(page, region->analysis);
	page->region_count++;
}

void takt_analyze_page_end(struct takt_analyze_page *page, FILE *file)
{
	struct takt_text *sources = takt_text_new(), *whole = takt_text_new();
	struct takt_page contents = {.kind = "analyze"};
	struct takt_page_part figures = {.key = "figures"};

	if (page->region_count) {
		fputs("]", page->timelines);
		fputs("]", page->figures);
		contents.parts = &figures;
		contents.part_count = 1;
	}
	takt_memory_stream_close(page->timelines);
	takt_memory_stream_close(page->figures);
	figures.json = page->figures_data;
	takt_memory_stream_close(page->json);
	takt_write_sources_json(page->places, page->place_count, SOURCE_CONTEXT_LINES, sources);
	contents.report = page->json_data;
	contents.text = takt_text_data(page->text);
	contents.timelines = page->timelines_data;
	contents.sources = takt_text_data(sources);
	takt_page_write(contents, whole);
	fwrite(takt_text_data(whole), 1, takt_text_size_bytes(whole), file);
	takt_text_free(whole);
	takt_text_free(sources);
}

void takt_analyze_page_release(struct takt_analyze_page *page)
{
	for (size_t i = 0; i < page->file_count; i++)
		free(page->files[i]);
	free(page->files);
	free(page->places);
	free(page->json_data);
	free(page->timelines_data);
	free(page->figures_data);
	takt_text_free(page->text);
}
