/* SPDX-License-Identifier: MIT */
/* takt deps: finds which loads read the values of which earlier stores. */
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* The state of one run of the command. */
struct session {
	const struct takt_arguments *arguments;
	struct takt_code_options options;
	struct takt_line_range *lines;	/* owns options.lines */
	struct takt_entry_values entry; /* owns analysis.entry_values */
	struct takt_analysis_options analysis;
	struct takt_diag *diag;
	struct takt_model *model;
	struct takt_code *code;
	struct takt_text *text;
	struct takt_output output;
	enum format format;
	FILE *json; /* of a page: the JSON that it gets; NULL: there is none */
	char *json_data;
	size_t json_bytes;
	struct takt_region_choice choice;
	size_t written; /* regions written so far */
	bool failed;
};

/* ---- options ---------------------------------------------------------------------------- */

static bool read_request(struct session *session)
{
	static const enum takt_mode modes[] = {TAKT_MODE_AUTO, TAKT_MODE_LOOP, TAKT_MODE_UNROLL};
	static const struct takt_code_option_ids ids = {.function = OPTION_DEPS_FUNCTION,
							.section = OPTION_DEPS_SECTION,
							.range = OPTION_DEPS_RANGE,
							.lines = OPTION_DEPS_LINES,
							.whole = OPTION_DEPS_WHOLE,
							.raw = OPTION_DEPS_RAW,
							.hex = OPTION_DEPS_HEX,
							.syntax = OPTION_DEPS_SYNTAX};
	const struct takt_arguments *arguments = session->arguments;
	const char *entries = arguments->values[OPTION_DEPS_ENTRY_VALUES];

	session->format = takt_arguments_choice(arguments, OPTION_DEPS_FORMAT);
	if (takt_arguments_html(arguments, OPTION_DEPS_FORMAT)) {
		session->format = FORMAT_JSON;
		session->json = takt_memory_stream_open(&session->json_data, &session->json_bytes);
	}
	session->analysis.mode = modes[takt_arguments_choice(arguments, OPTION_DEPS_MODE)];
	session->analysis.bounds_only = true;
	session->analysis.memory_streams = true;
	session->analysis.overwrites = arguments->values[OPTION_DEPS_OVERWRITES] != NULL;
	if (!takt_code_options_read(arguments, &ids, &session->options, &session->lines))
		return false;
	session->analysis.print_syntax = session->options.syntax;
	if (entries && !takt_entry_values_read(entries, &session->entry))
		return false;
	session->analysis.entry_values = session->entry.items;
	session->analysis.entry_value_count = session->entry.count;
	return true;
}

/* ---- regions ------------------------------------------------------------------------------ */

/* Return where regions are written. */
static FILE *file_of(const struct session *session)
{
	return session->json ? session->json : session->output.file;
}

static void write_region(struct session *session, const struct takt_analysis *analysis)
{
	FILE *file = file_of(session);
	const char *data;

	takt_text_clear(session->text);
	switch (session->format) {
	case FORMAT_TEXT:
		takt_write_memory_text(analysis, NULL, session->text);
		if (session->written)
			fputc('\n', file);
		break;
	case FORMAT_JSON:
		takt_write_memory_json(analysis, session->text);
		if (session->written)
			fputs(",\n", file);
		break;
	case FORMAT_CSV:
		takt_write_memory_csv(analysis, session->text);
		break;
	}
	data = takt_text_data(session->text);
	/* Only the first region has a header. */
	if (session->format == FORMAT_CSV && session->written)
		data = strchr(data, '\n') + 1;
	fputs(data, file);
}

static void look_at_region(struct session *session, size_t index)
{
	struct takt_analysis *analysis;
	enum takt_status status = takt_analyze(session->model, session->code, index,
					       &session->analysis, session->diag, &analysis);

	takt_say_diag(session->diag);
	if (status != TAKT_OK) {
		session->failed = true;
		return;
	}
	write_region(session, analysis);
	session->written++;
	takt_analysis_free(analysis);
}

static void look_at_regions(struct session *session)
{
	bool wraps = session->format == FORMAT_JSON && session->choice.count > 1;
	struct takt_progress progress;

	if (wraps)
		fputs("{\"regions\": [\n", file_of(session));
	takt_progress_begin(&progress, "regions", session->choice.count, session->output.file);
	for (size_t i = 0; i < takt_code_region_count(session->code); i++) {
		if (!takt_region_chosen(session->code, &session->choice, i))
			continue;
		if (!takt_progress_step(&progress))
			break;
		look_at_region(session, i);
	}
	session->failed |= !takt_progress_end(&progress);
	if (wraps)
		fputs("]}\n", file_of(session));
	takt_code_notes_say(session->code);
}

/* Write the page around the JSON of the regions. */
static void write_page(struct session *session)
{
	struct takt_text *page = takt_text_new();

	takt_memory_stream_close(session->json);
	session->json = NULL;
	takt_page_write((struct takt_page){.kind = "deps", .report = session->json_data}, page);
	fputs(takt_text_data(page), session->output.file);
	takt_text_free(page);
}

static void run(struct session *session)
{
	session->failed = true;
	if (!takt_core_open_code(session->arguments->values[OPTION_DEPS_ARCH],
				 session->arguments->values[OPTION_DEPS_MODEL], &session->options,
				 session->diag, &session->model, &session->code))
		return;
	if (!takt_region_choose(session->code, session->arguments->values[OPTION_DEPS_REGION], 0,
				&session->choice))
		return;
	if (!takt_output_open(session->arguments->values[OPTION_DEPS_OUTPUT], &session->output))
		return;
	session->failed = false;
	look_at_regions(session);
	if (session->json)
		write_page(session);
	session->failed |= !takt_output_close(&session->output);
}

int takt_deps_main(struct takt_arguments *arguments)
{
	struct session session = {.arguments = arguments};
	int exit_status = TAKT_EXIT_USAGE;

	takt_arguments_take_format(arguments, OPTION_DEPS_FORMAT, OPTION_DEPS_OUTPUT);
	if (read_request(&session)) {
		session.diag = takt_diag_new();
		session.text = takt_text_new();
		run(&session);
		takt_say_diag(session.diag);
		takt_code_close(session.code);
		takt_model_close(session.model);
		takt_text_free(session.text);
		takt_diag_free(session.diag);
		if (session.json)
			takt_memory_stream_close(session.json);
		free(session.json_data);
		exit_status = session.failed ? TAKT_EXIT_BAD : TAKT_EXIT_FINE;
	}
	free(session.lines);
	takt_entry_values_release(&session.entry);
	return exit_status;
}
