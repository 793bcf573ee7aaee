/* SPDX-License-Identifier: MIT */
/* takt predict --paths: predicts a function from the paths through its loops. */
#include <stdlib.h>

#include "cli/predict.h"
#include "cli/command_docs.h"

struct session {
	const struct takt_arguments *arguments;
	struct takt_paths_options options;
	struct takt_trips_list trips; /* owns options.loops */
	struct takt_entry_values entry;
	struct takt_cores cores;
	struct takt_code *code;
	struct takt_paths **paths;
	size_t count;
	bool is_json, is_page;
};

static bool read_options(struct session *session)
{
	const char *const *values = session->arguments->values;

	if (values[OPTION_PREDICT_TRIPS] &&
	    !takt_trips_read(values[OPTION_PREDICT_TRIPS], &session->trips))
		return false;
	session->options.iterations = session->trips.iterations;
	session->options.loops = session->trips.loops;
	session->options.loop_count = session->trips.loop_count;
	if (values[OPTION_PREDICT_ENTRY_VALUES] &&
	    !takt_entry_values_read(values[OPTION_PREDICT_ENTRY_VALUES], &session->entry))
		return false;
	session->options.entry_values = session->entry.items;
	session->options.entry_value_count = session->entry.count;
	session->options.no_memory_dependences =
		values[OPTION_PREDICT_NO_MEMORY_DEPENDENCES] != NULL;
	takt_predict_format(session->arguments, &session->is_json, &session->is_page);
	return true;
}

static bool predict(struct session *session, struct takt_diag *diag)
{
	struct takt_code_options code = {
		.path = session->arguments->operand_count ? session->arguments->operands[0] : "-",
		.function = session->arguments->values[OPTION_PREDICT_FUNCTION],
		.whole = true,
	};
	size_t cores, regions;

	if (!takt_cores_open_code(session->arguments->values[OPTION_PREDICT_ARCH],
				  session->arguments->values[OPTION_PREDICT_MODEL], &code, diag,
				  &session->cores, &session->code))
		return false;
	cores = session->cores.count;
	regions = takt_code_region_count(session->code);
	session->paths = takt_allocate(cores * regions, sizeof(struct takt_paths *));
	for (size_t i = 0; i < regions * cores; i++) {
		if (takt_predict_paths(session->cores.models[i % cores], session->code, i / cores,
				       &session->options, diag, &session->paths[i]) != TAKT_OK)
			return false;
		session->count++;
	}
	return true;
}

static bool write_result(const struct session *session)
{
	struct takt_text *text = takt_text_new();
	struct takt_output output;
	bool good = false;

	if (session->is_json)
		takt_write_paths_json((const struct takt_paths *const *)session->paths,
				      session->count, text);
	for (size_t i = 0; i < session->count && !session->is_json; i++)
		takt_write_paths_csv(session->paths[i], i == 0, text);
	if (session->is_page)
		takt_page_wrap((struct takt_page){.kind = "predict"}, &text);
	if (takt_output_open(session->arguments->values[OPTION_PREDICT_OUTPUT], &output)) {
		fwrite(takt_text_data(text), 1, takt_text_size_bytes(text), output.file);
		good = takt_output_close(&output);
	}
	takt_text_free(text);
	return good;
}

static void say_incomplete(const struct session *session)
{
	for (size_t i = 0; i < session->count; i++) {
		if (session->paths[i]->complete)
			continue;
		takt_say_note("a call of '%s' was not followed to its end, which is too far: "
			      "iterations of outer loops are too few; '--trips' limits them",
			      session->paths[i]->function);
		return;
	}
}

bool takt_predict_paths_run(const struct takt_arguments *arguments)
{
	struct session session = {.arguments = arguments};
	struct takt_diag *diag = takt_diag_new();
	bool good = read_options(&session);

	good = good && predict(&session, diag);
	takt_say_diag(diag);
	if (good) {
		good = write_result(&session);
		say_incomplete(&session);
	}
	for (size_t i = 0; i < session.count; i++)
		takt_paths_free(session.paths[i]);
	free(session.paths);
	takt_trips_release(&session.trips);
	takt_entry_values_release(&session.entry);
	takt_code_close(session.code);
	takt_cores_close(&session.cores);
	takt_diag_free(diag);
	return good;
}
