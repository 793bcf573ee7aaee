/* SPDX-License-Identifier: MIT */
/*
 * The hottest loops of a trace, analyzed for its page: the most frequent path through a loop's
 * blocks, from its first instruction back to that, is analyzed as one piece of code.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

#define LOOPS_MAX 12
#define BLOCKS_MAX 64
#define BYTES_MAX 4096
#define ITERATIONS 12
#define INSNS_MAX 300u /* instructions in a timeline, of all its iterations */

struct path {
	const struct takt_trace_loop *loop;
	uint8_t bytes[BYTES_MAX];
	size_t size_bytes;
};

/* Follow the most frequent edges; false if they do not lead back to the begin of the loop. */
static bool find_path(const struct takt_trace_profile *profile, const struct takt_trace_loop *loop,
		      struct path *path)
{
	const struct takt_trace_block *block = takt_trace_hottest_block(profile, loop->address);

	*path = (struct path){.loop = loop};
	for (uint32_t i = 0; i < BLOCKS_MAX && block; i++) {
		if (i && block->address == loop->address)
			return true;
		if (block->function != loop->function ||
		    block->size_bytes > BYTES_MAX - path->size_bytes)
			return false;
		memcpy(path->bytes + path->size_bytes, block->bytes, block->size_bytes);
		path->size_bytes += block->size_bytes;
		block = takt_trace_hottest_successor(profile, block);
	}
	return false;
}

static int by_cycles(const void *left, const void *right)
{
	const struct takt_trace_loop *a = *(const struct takt_trace_loop *const *)left;
	const struct takt_trace_loop *b = *(const struct takt_trace_loop *const *)right;

	return (a->weight.cycles < b->weight.cycles) - (a->weight.cycles > b->weight.cycles);
}

static void add_timeline(const struct takt_model *model, const struct takt_code *code,
			 const struct takt_analysis *analysis, struct takt_diag *diag, FILE *file)
{
	const struct takt_analysis_options options = {.mode = TAKT_MODE_LOOP};
	uint32_t iterations = INSNS_MAX / analysis->insn_count;
	struct takt_timeline *timeline;
	struct takt_text *text;

	iterations = iterations < ITERATIONS ? iterations : ITERATIONS;
	if (!iterations ||
	    takt_timeline_new(model, code, 0, &options, iterations, diag, &timeline) != TAKT_OK)
		return;
	text = takt_text_new();
	takt_write_timeline_json(timeline, text);
	fprintf(file, ", \"timeline\": %s", takt_text_data(text));
	takt_text_free(text);
	takt_timeline_free(timeline);
}

/* Write what the core's model says of the instructions. */
static void add_figures(const struct takt_model *model, const struct takt_code *code,
			const struct takt_analysis *analysis, FILE *file)
{
	struct takt_text *text = takt_text_new();

	takt_write_core_json(model, takt_code_region(code, 0), analysis, text);
	fprintf(file, ", \"figures\": %s", takt_text_data(text));
	takt_text_free(text);
}

/* Analyze a path and write it; false if takt cannot, which the report then does not have. */
static bool add_loop(const struct takt_model *model, const struct path *path,
		     struct takt_diag *diag, bool is_first, FILE *file)
{
	const struct takt_code_options code_options = {.data = path->bytes,
						       .data_size_bytes = path->size_bytes,
						       .format = TAKT_INPUT_RAW,
						       .isa = takt_model_isa_name(model),
						       .whole = true};
	const struct takt_analysis_options options = {.mode = TAKT_MODE_LOOP};
	struct takt_analysis *analysis = NULL;
	struct takt_code *code = NULL;
	bool fine = takt_code_open(&code_options, diag, &code) == TAKT_OK &&
		    takt_code_region_count(code) == 1 &&
		    takt_analyze(model, code, 0, &options, diag, &analysis) == TAKT_OK;

	if (fine) {
		struct takt_text *text = takt_text_new();

		takt_write_analysis_json(analysis, text);
		fprintf(file, "%s{\"address\": \"0x%" PRIx64 "\", \"report\": %s",
			is_first ? "" : ",\n", path->loop->address, takt_text_data(text));
		add_timeline(model, code, analysis, diag, file);
		add_figures(model, code, analysis, file);
		fputs("}", file);
		takt_text_free(text);
	}
	takt_diag_clear(diag);
	takt_analysis_free(analysis);
	takt_code_close(code);
	return fine;
}

static void add_loops(const struct takt_trace_profile *profile, const struct takt_model *model,
		      struct takt_diag *diag, FILE *file)
{
	const struct takt_trace_loop **loops =
		takt_allocate(profile->loop_count + 1, sizeof(*loops));
	struct path *path = takt_allocate(1, sizeof(*path));
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->loop_count; i++)
		loops[i] = &profile->loops[i];
	qsort(loops, profile->loop_count, sizeof(*loops), by_cycles);
	for (uint32_t i = 0; i < profile->loop_count && i < 4 * LOOPS_MAX && count < LOOPS_MAX; i++)
		if (find_path(profile, loops[i], path))
			count += add_loop(model, path, diag, count == 0, file);
	free(path);
	free(loops);
}

char *takt_trace_loops(const struct takt_trace_totals *totals, const char *model_dir)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = NULL;
	char *json = NULL;
	size_t size_bytes;
	FILE *file;

	if (totals->core && totals->profile &&
	    takt_model_open(totals->core, model_dir, diag, &model) == TAKT_OK) {
		file = takt_memory_stream_open(&json, &size_bytes);
		fputs("[", file);
		add_loops(totals->profile, model, diag, file);
		fputs("]", file);
		takt_memory_stream_close(file);
	}
	takt_model_close(model);
	takt_diag_free(diag);
	return json;
}
