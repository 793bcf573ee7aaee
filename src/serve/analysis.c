/* SPDX-License-Identifier: MIT */
/* Answers what one region of code takes on some cores. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "serve/serve.h"
#include "takt/output.h"
#include "takt/page.h"

#define LABEL "code" /* the code's name in messages */
#define REGIONS_LISTED_MAX 200
#define TIMELINE_ITERATIONS_MOST 32
#define TIMELINE_ITERATIONS_LEAST 4
#define TIMELINE_INSNS 1500 /* in a timeline, of all iterations */
#define SOURCE_CONTEXT_LINES 4

/* The state of one answer. */
struct answer {
	const struct serve_query *query;
	struct takt_code_options options;
	struct takt_diag *diag;
	struct takt_code *code;
	struct serve_object object; /* what was compiled */
	size_t region;
	/* JSON arrays without their brackets, with an element for each core. */
	struct takt_text analyses, timelines, figures, texts, sources;
	size_t count; /* cores analyzed so far */
};

/* ---- the code -------------------------------------------------------------------- */

/* Name the instruction set if nothing in the code tells it: that of the first core. */
static bool choose_isa(struct answer *answer, struct takt_arena *arena)
{
	struct takt_model *model;
	const char *isa;

	if (!answer->query->core_count || answer->options.format == TAKT_INPUT_ELF)
		return true;
	if (takt_model_open(answer->query->cores[0], NULL, answer->diag, &model) != TAKT_OK)
		return false;
	isa = takt_model_isa_name(model);
	answer->options.isa = takt_arena_string(arena, isa);
	takt_model_close(model);
	return true;
}

static bool is_elf(const void *body, size_t size_bytes)
{
	return size_bytes >= 4 && memcmp(body, "\177ELF", 4) == 0;
}

static bool open_code(struct answer *answer, const void *body, size_t size_bytes,
		      struct takt_arena *arena, struct takt_text *messages)
{
	const struct serve_query *query = answer->query;
	struct takt_code_options *options = &answer->options;

	*options = (struct takt_code_options){.path = LABEL,
					      .data = body,
					      .data_size_bytes = size_bytes,
					      .format = query->format,
					      .syntax = query->syntax,
					      .function = query->function,
					      .whole = query->whole};
	if (query->compiler) {
		if (!takt_serve_compile(query->compiler, query->flags,
					(struct takt_word){body, size_bytes}, answer->diag,
					messages, &answer->object))
			return false;
		options->data = answer->object.data;
		options->data_size_bytes = answer->object.size_bytes;
		options->format = TAKT_INPUT_ELF;
	} else if (options->format == TAKT_INPUT_AUTO && is_elf(body, size_bytes)) {
		options->format = TAKT_INPUT_ELF;
	}
	return choose_isa(answer, arena) &&
	       takt_code_open(options, answer->diag, &answer->code) == TAKT_OK;
}

/* ---- one core ---------------------------------------------------------------------- */

static void add_separated(struct takt_text *list, const char *json, bool is_first)
{
	takt_text_add_string(list, is_first ? "" : ",\n");
	takt_text_add_string(list, json);
}

static void add_timeline(struct answer *answer, const struct takt_model *model,
			 const struct takt_analysis_options *options, uint32_t insn_count)
{
	uint32_t iterations = TIMELINE_INSNS / (insn_count ? insn_count : 1);
	struct takt_text text = {0};
	struct takt_timeline *timeline;

	if (iterations > TIMELINE_ITERATIONS_MOST)
		iterations = TIMELINE_ITERATIONS_MOST;
	if (iterations < TIMELINE_ITERATIONS_LEAST)
		iterations = TIMELINE_ITERATIONS_LEAST;
	if (takt_timeline_new(model, answer->code, answer->region, options, iterations,
			      answer->diag, &timeline) == TAKT_OK) {
		takt_write_timeline_json(timeline, &text);
		takt_timeline_free(timeline);
	}
	add_separated(&answer->timelines, text.data ? text.data : "null", !answer->count);
	takt_text_release(&text);
}

/* Add what the core's model says of the instructions. */
static void add_figures(struct answer *answer, const struct takt_model *model,
			const struct takt_analysis *analysis)
{
	struct takt_text text = {0};

	takt_write_core_json(model, takt_code_region(answer->code, answer->region), analysis,
			     &text);
	add_separated(&answer->figures, text.data, !answer->count);
	takt_text_release(&text);
}

static void add_text(struct answer *answer, const struct takt_analysis *analysis)
{
	const struct takt_write_options plain = {.columns = 0};
	struct takt_text text = {0}, quoted = {0};
	struct takt_json json;

	takt_write_analysis_text(analysis, &plain, &text);
	takt_json_init(&json, &quoted);
	takt_json_string(&json, NULL, text.data ? text.data : "");
	add_separated(&answer->texts, quoted.data, !answer->count);
	takt_text_release(&text);
	takt_text_release(&quoted);
}

/* Read the lines of what was compiled; debug information may name no other file. */
static void read_sources(struct answer *answer, const struct takt_analysis *analysis)
{
	size_t size = strlen(answer->object.folder), count = 0;
	struct takt_source_place *places;

	if (!size || answer->sources.size_bytes)
		return;
	places = takt_xcalloc(analysis->insn_count + 1, sizeof(*places));
	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		const char *file = analysis->insns[i].file;

		if (file && strncmp(file, answer->object.folder, size) == 0 && file[size] == '/' &&
		    !strchr(file + size + 1, '/'))
			places[count++] = (struct takt_source_place){
				.file = file, .line = analysis->insns[i].line};
	}
	takt_write_sources_json(places, count, SOURCE_CONTEXT_LINES, &answer->sources);
	free(places);
}

static bool analyze(struct answer *answer, const struct takt_model *model)
{
	const struct serve_query *query = answer->query;
	const struct takt_analysis_options options = {.mode = query->mode,
						      .alignment = query->alignment,
						      .sensitivity = query->sensitivity,
						      .unroll_factor = query->unroll_factor,
						      .print_syntax = query->syntax};
	struct takt_text text = {0};
	struct takt_analysis *analysis;

	if (takt_analyze(model, answer->code, answer->region, &options, answer->diag, &analysis) !=
	    TAKT_OK)
		return false;
	takt_write_analysis_json(analysis, &text);
	add_separated(&answer->analyses, text.data, !answer->count);
	takt_text_release(&text);
	add_text(answer, analysis);
	add_timeline(answer, model, &options, analysis->insn_count);
	add_figures(answer, model, analysis);
	read_sources(answer, analysis);
	takt_analysis_free(analysis);
	answer->count++;
	return true;
}

/* Change the core by those settings that it knows: other cores may have other ports. */
static enum takt_status set(const struct serve_query *query, const struct takt_model *plain,
			    struct takt_diag *diag, struct takt_model **ret_model)
{
	struct takt_setting settings[SERVE_SETTINGS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < query->setting_count; i++)
		if (query->core_count == 1 ||
		    takt_model_has_setting(plain, query->settings[i].name))
			settings[count++] = query->settings[i];
	return takt_model_set(plain, settings, count, diag, ret_model);
}

/* Analyze on one core, with the parameters that were set. */
static bool analyze_on(struct answer *answer, const char *name)
{
	const struct serve_query *query = answer->query;
	struct takt_model *plain, *model;
	bool fine;

	if (takt_model_open(name, NULL, answer->diag, &plain) != TAKT_OK)
		return false;
	model = plain;
	fine = !query->setting_count || set(query, plain, answer->diag, &model) == TAKT_OK;
	fine = fine && analyze(answer, model);
	if (model != plain)
		takt_model_close(model);
	takt_model_close(plain);
	return fine;
}

/* ---- the answer ------------------------------------------------------------------------ */

static bool choose_region(struct answer *answer)
{
	size_t count = takt_code_region_count(answer->code);
	uint32_t wanted = answer->query->region;

	/* The code may have changed since the browser chose; there is always a first one. */
	answer->region = wanted && wanted <= count ? wanted - 1 : 0;
	if (count)
		return true;
	takt_error(answer->diag, "the code is empty");
	return false;
}

static void write_bytes(const struct takt_region *region, struct takt_json *json)
{
	struct takt_text hex = {0};

	for (size_t i = 0; i < region->size_bytes; i++)
		takt_text_printf(&hex, "%02x", region->bytes[i]);
	takt_json_string(json, "bytes", hex.data ? hex.data : "");
	takt_text_release(&hex);
}

static void write_regions(const struct answer *answer, struct takt_json *json)
{
	size_t count = takt_code_region_count(answer->code);

	takt_json_integer(json, "region", (int64_t)answer->region + 1);
	takt_json_integer(json, "region_count", (int64_t)count);
	takt_json_open_array(json, "region_names");
	for (size_t i = 0; i < count && i < REGIONS_LISTED_MAX; i++)
		takt_json_string(json, NULL, takt_code_region(answer->code, i)->name);
	takt_json_close_array(json);
	takt_json_string(json, "isa", takt_code_region(answer->code, answer->region)->isa);
	write_bytes(takt_code_region(answer->code, answer->region), json);
}

static void write_list(const char *key, struct takt_text *elements, struct takt_json *json)
{
	struct takt_text list = {0};

	takt_text_printf(&list, "[%s]", elements->data ? elements->data : "");
	takt_json_raw(json, key, list.data);
	takt_text_release(&list);
	takt_text_release(elements);
}

static void write_failures(struct takt_text *failures, struct takt_json *json)
{
	write_list("failures", failures, json);
}

/* Note that a core cannot have the code, and why; the others go on. */
static void add_failure(struct answer *answer, const char *core, struct takt_text *failures)
{
	struct takt_text text = {0};
	struct takt_json json;

	takt_json_init(&json, &text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "core", core);
	takt_json_string(&json, "message", takt_diag_text(answer->diag));
	takt_json_close_object(&json);
	takt_diag_clear(answer->diag);
	add_separated(failures, text.data, !failures->size_bytes);
	takt_text_release(&text);
}

static void analyze_all(struct answer *answer, struct takt_json *json)
{
	static const char *const host[] = {"host"};
	const struct serve_query *query = answer->query;
	size_t count = query->core_count ? query->core_count : 1;
	const char *const *cores = query->core_count ? query->cores : host;
	struct takt_text failures = {0};

	for (size_t i = 0; i < count; i++)
		if (!analyze_on(answer, cores[i]))
			add_failure(answer, cores[i], &failures);
	write_list("regions", &answer->analyses, json);
	write_list("timelines", &answer->timelines, json);
	write_list("figures", &answer->figures, json);
	write_list("texts", &answer->texts, json);
	write_failures(&failures, json);
	takt_json_raw(json, "sources", answer->sources.data ? answer->sources.data : "[]");
}

bool takt_serve_analyze(const struct serve_query *query, const void *body, size_t size_bytes,
			struct takt_json *json, struct takt_diag *diag)
{
	struct answer answer = {.query = query, .diag = diag};
	struct takt_text messages = {0};
	struct takt_arena arena = {0};
	bool fine;

	fine = open_code(&answer, body, size_bytes, &arena, &messages) && choose_region(&answer);
	if (messages.size_bytes)
		takt_json_string(json, "compiler_messages", messages.data);
	if (fine) {
		write_regions(&answer, json);
		analyze_all(&answer, json);
	}
	takt_text_release(&messages);
	takt_text_release(&answer.sources);
	takt_code_close(answer.code);
	takt_serve_object_release(&answer.object);
	takt_arena_release(&arena);
	return fine;
}
