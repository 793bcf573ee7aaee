/* SPDX-License-Identifier: MIT */
/* takt analyze: predicts the cycles of loops and other code, and says what limits them. */
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"

/* if more are found, and none is asked for, the others are only listed */
#define LOOPS_ANALYZED_MAX 20
/* the file that OSACA writes for "--export-graph=." */
#define GRAPH_OF_OSACA "osaca_dg.dot"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_DOT };

/* The state of one run of the command. */
struct session {
	const struct takt_arguments *arguments;
	struct takt_analyze_request request;
	struct takt_diag *diag;
	struct takt_model *model;	/* with the parameters that were set */
	struct takt_model *plain_model; /* without them; the same as `model` if none was set */
	struct takt_code *code;
	struct takt_compiled compiled; /* bytes of the code if it was compiled here */
	struct takt_text *text;	       /* result being written */
	struct takt_output output;
	FILE *reports; /* reports of several regions; they follow the list */
	enum format format;
	struct takt_analyze_page page; /* with FORMAT_JSON: what shows it in a browser */
	struct takt_region_choice choice;
	bool several; /* more than one region is analyzed */
	bool list_only;
	size_t written; /* regions written so far */
	bool failed;
};

static bool is_page(const struct takt_arguments *arguments)
{
	return takt_arguments_html(arguments, OPTION_ANALYZE_FORMAT,
				   arguments->values[OPTION_ANALYZE_OUTPUT]) &&
	       !arguments->values[OPTION_ANALYZE_TIMELINE_FORMAT];
}

static enum format find_format(const struct takt_arguments *arguments)
{
	if (is_page(arguments))
		return FORMAT_JSON;
	if (arguments->values[OPTION_ANALYZE_FORMAT])
		return takt_arguments_choice(arguments, OPTION_ANALYZE_FORMAT);
	return arguments->values[OPTION_ANALYZE_JSON] ? FORMAT_JSON : FORMAT_TEXT;
}

/* Open the core, with the parameters that were set, and the code. */
static bool open_input(struct session *session)
{
	const char *const *values = session->arguments->values;
	struct takt_analyze_request *request = &session->request;

	if (!takt_core_open_code(request->arch, values[OPTION_ANALYZE_MODEL], &request->code,
				 session->diag, &session->plain_model, &session->code) ||
	    !takt_analyze_request_set_initial(request, takt_code_region(session->code, 0)->isa))
		return false;
	session->model = session->plain_model;
	return !request->setting_count ||
	       takt_model_set(session->plain_model, request->settings, request->setting_count,
			      session->diag, &session->model) == TAKT_OK;
}

/* Decide which regions are analyzed and which are only listed. */
static bool plan(struct session *session)
{
	const char *wanted = session->arguments->values[OPTION_ANALYZE_REGION];
	size_t chosen;
	bool found = false;

	if (!takt_region_choose(session->code, wanted, &session->choice))
		return false;
	chosen = session->choice.count;
	for (size_t i = 0; i < takt_code_region_count(session->code); i++)
		found |= takt_region_chosen(session->code, &session->choice, i) &&
			 takt_code_region(session->code, i)->origin == TAKT_REGION_LOOP;
	session->several = chosen > 1;
	session->list_only = session->arguments->values[OPTION_ANALYZE_LIST] != NULL;
	if (session->list_only && session->format == FORMAT_DOT) {
		takt_say_error("a list of regions is no graph");
		takt_say_note("leave out '--list', or say '--format=json'");
		return false;
	}
	if (session->several && session->request.timeline.format != TAKT_TIMELINE_TEXT) {
		takt_say_error("a timeline in this format shows one region, not %zu", chosen);
		takt_say_note("choose it with '--region=N'");
		return false;
	}
	if ((session->format != FORMAT_TEXT && !session->page.is_wanted) || session->list_only)
		return true;
	if (found && chosen > LOOPS_ANALYZED_MAX && !wanted &&
	    !session->arguments->values[OPTION_ANALYZE_ALL]) {
		session->list_only = true;
		takt_say_note("%zu loops are only listed: choose with '--region=N' or "
			      "'--function=NAME', or say '--all'",
			      chosen);
	}
	return true;
}

static void write_graph(struct session *session, const struct takt_analysis *analysis)
{
	const char *path = session->arguments->values[OPTION_ANALYZE_EXPORT_GRAPH];
	struct takt_text *graph = takt_text_new();
	struct takt_output output;

	if (strcmp(path, ".") == 0)
		path = GRAPH_OF_OSACA;
	takt_write_analysis_dot(analysis, graph);
	if (takt_output_open(path, &output)) {
		fputs(takt_text_data(graph), output.file);
		session->failed |= !takt_output_close(&output);
	} else {
		session->failed = true;
	}
	takt_text_free(graph);
}

static void write_text(struct takt_text *text, FILE *file)
{
	fwrite(takt_text_data(text), 1, takt_text_size_bytes(text), file);
	takt_text_clear(text);
}

static FILE *json_file(const struct session *session)
{
	return session->page.is_wanted ? session->page.json : session->output.file;
}

static void write_list_row(struct session *session, size_t index,
			   const struct takt_analysis *analysis)
{
	if (session->format == FORMAT_JSON) {
		fputs(session->written ? ",\n  " : "  ", json_file(session));
		takt_write_region_json(analysis, index + 1, session->text);
		write_text(session->text, json_file(session));
		return;
	}
	if (!session->written)
		takt_region_list_header(session->output.file);
	takt_region_list_row(session->output.file, index, analysis);
}

static void write_timeline(struct session *session, size_t index)
{
	session->failed |= !takt_timeline_write(&session->request, session->model, session->code,
						index, session->diag, session->text);
}

static void add_to_page(struct session *session, size_t index, const struct takt_analysis *analysis)
{
	takt_analyze_page_add(&session->page,
			      &(struct takt_page_region){.analysis = analysis,
							 .request = &session->request,
							 .model = session->model,
							 .code = session->code,
							 .index = index,
							 .diag = session->diag});
}

static void write_region(struct session *session, size_t index,
			 const struct takt_analysis *analysis)
{
	FILE *file = session->output.file;

	if (session->list_only) {
		write_list_row(session, index, analysis);
		return;
	}
	switch (session->format) {
	case FORMAT_TEXT:
		takt_write_analysis_text(analysis, &session->request.write, session->text);
		if (session->request.timeline.iterations)
			write_timeline(session, index);
		if (session->several) {
			write_list_row(session, index, analysis);
			fputc('\n', session->reports);
			file = session->reports;
		}
		break;
	case FORMAT_JSON:
		file = json_file(session);
		takt_write_analysis_json(analysis, session->text);
		if (session->several && session->written)
			fputs(",\n", file);
		if (session->page.is_wanted)
			add_to_page(session, index, analysis);
		break;
	case FORMAT_DOT:
		takt_write_analysis_dot(analysis, session->text);
		break;
	}
	write_text(session->text, file);
}

static void analyze_region(struct session *session, size_t index)
{
	struct takt_analysis *analysis;
	enum takt_status status;

	if (session->request.timeline.format != TAKT_TIMELINE_TEXT) {
		write_timeline(session, index);
		write_text(session->text, session->output.file);
		return;
	}
	status = takt_analyze(session->model, session->code, index, &session->request.analysis,
			      session->diag, &analysis);
	takt_say_diag(session->diag);
	if (status != TAKT_OK) {
		session->failed = true;
		return;
	}
	write_region(session, index, analysis);
	session->written++;
	if (session->arguments->values[OPTION_ANALYZE_EXPORT_GRAPH])
		write_graph(session, analysis);
	takt_analysis_free(analysis);
}

static void analyze_regions(struct session *session)
{
	struct takt_progress progress;
	bool wraps = session->format == FORMAT_JSON && (session->several || session->list_only);
	char *reports = NULL;
	size_t size = 0;

	session->reports = takt_memory_stream_open(&reports, &size);
	if (wraps)
		fputs("{\"regions\": [\n", json_file(session));
	takt_progress_begin(&progress, "regions", session->choice.count, session->output.file);
	for (size_t i = 0; i < takt_code_region_count(session->code); i++) {
		if (!takt_region_chosen(session->code, &session->choice, i))
			continue;
		if (!takt_progress_step(&progress))
			break;
		analyze_region(session, i);
	}
	session->failed |= !takt_progress_end(&progress);
	if (wraps)
		fputs(session->list_only ? "\n]}\n" : "]}\n", json_file(session));
	takt_memory_stream_close(session->reports);
	fwrite(reports, 1, size, session->output.file);
	free(reports);
	/* In other formats the notes are with each region. */
	if (session->list_only || session->format == FORMAT_DOT)
		takt_code_notes_say(session->code);
}

static void run(struct session *session)
{
	if (!open_input(session))
		return;
	if (!plan(session))
		return;
	if (!takt_output_open(session->arguments->values[OPTION_ANALYZE_OUTPUT], &session->output))
		return;
	if (session->list_only)
		session->request.analysis.sensitivity = TAKT_SENSITIVITY_NONE;
	session->failed = false;
	analyze_regions(session);
	if (session->page.is_wanted)
		takt_analyze_page_end(&session->page, session->output.file);
	session->failed |= !takt_output_close(&session->output);
}

/* True if the command line is "SOURCE -- COMPILER …". */
static bool has_compiler(const struct takt_arguments *arguments)
{
	return arguments->operands_before == 1 && arguments->operand_count > 1;
}

/* Compile the source, whose object file becomes the input. */
static bool compile_input(struct session *session, struct takt_arguments *arguments,
			  size_t word_count)
{
	struct takt_code_options *code = &session->request.code;

	if (!takt_compile(code->path, arguments->operands + 1, word_count, &session->compiled))
		return false;
	code->data = session->compiled.data;
	code->data_size_bytes = session->compiled.size_bytes;
	return true;
}

int takt_analyze_main(int argc, char **argv)
{
	struct takt_arguments arguments;
	struct session session = {.arguments = &arguments};
	size_t compiler_words = 0;

	if (!takt_arguments_parse(&takt_analyze_doc, argc, argv, &arguments))
		return TAKT_EXIT_USAGE;
	if (arguments.values[OPTION_ANALYZE_HELP])
		return takt_help_print(&takt_analyze_doc);
	if (arguments.values[OPTION_ANALYZE_VERSION])
		return takt_version_print();
	if (has_compiler(&arguments)) {
		compiler_words = arguments.operand_count - 1;
		arguments.operand_count = 1;
	}
	if (!takt_analyze_request_read(&arguments, &session.request))
		return TAKT_EXIT_USAGE;
	session.format = find_format(&arguments);
	if (is_page(&arguments))
		takt_analyze_page_begin(&session.page);
	session.diag = takt_diag_new();
	session.text = takt_text_new();
	session.failed = true;
	if (!compiler_words || compile_input(&session, &arguments, compiler_words))
		run(&session);
	takt_say_diag(session.diag);
	takt_code_close(session.code);
	free(session.compiled.data);
	if (session.model != session.plain_model)
		takt_model_close(session.model);
	takt_model_close(session.plain_model);
	takt_text_free(session.text);
	takt_diag_free(session.diag);
	takt_analyze_page_release(&session.page);
	takt_analyze_request_release(&session.request);
	return session.failed ? TAKT_EXIT_BAD : TAKT_EXIT_FINE;
}
