/* SPDX-License-Identifier: MIT */
/* takt characterize */
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"

static bool write_result(const struct takt_arguments *arguments,
			 const struct takt_characterization *result)
{
	struct takt_text *text = takt_text_new();
	struct takt_output output;
	bool fine;

	if (takt_arguments_choice(arguments, OPTION_CHARACTERIZE_FORMAT) == 0)
		takt_write_characterization_text(result, text);
	else
		takt_write_characterization_json(result, text);
	fine = takt_output_open(arguments->values[OPTION_CHARACTERIZE_OUTPUT], &output);
	if (fine) {
		fputs(takt_text_data(text), output.file);
		fine = takt_output_close(&output);
	}
	takt_text_free(text);
	return fine;
}

static bool characterize(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *machine = arguments->values[OPTION_CHARACTERIZE_BACKEND];
	const struct takt_lab_options options = {
		.machine = machine ? machine : "host",
		.model_dir = arguments->values[OPTION_CHARACTERIZE_MODEL],
		.time_only = arguments->values[OPTION_CHARACTERIZE_TIME_ONLY] != NULL,
		.classes = arguments->values[OPTION_CHARACTERIZE_PORTS] != NULL};
	bool explain = arguments->values[OPTION_CHARACTERIZE_EXPLAIN] != NULL, fine = false;
	struct takt_characterization *result;
	struct takt_lab *lab;

	if (takt_lab_open(&options, diag, &lab) != TAKT_OK)
		return false;
	if (takt_characterize(lab, arguments->values[OPTION_CHARACTERIZE_FORM], explain, diag,
			      &result) == TAKT_OK) {
		fine = write_result(arguments, result);
		takt_characterization_free(result);
	}
	takt_lab_close(lab);
	return fine;
}

int takt_characterize_main(int argc, char **argv)
{
	struct takt_arguments arguments;
	struct takt_diag *diag;
	bool fine;

	if (!takt_arguments_parse(&takt_characterize_doc, argc, argv, &arguments))
		return TAKT_EXIT_USAGE;
	if (arguments.values[OPTION_CHARACTERIZE_HELP])
		return takt_help_print(&takt_characterize_doc);
	if (arguments.operand_count || !arguments.values[OPTION_CHARACTERIZE_FORM]) {
		takt_say_error("one instruction is needed");
		takt_say_note("name it with --form='add r64, r64'");
		return TAKT_EXIT_USAGE;
	}
	diag = takt_diag_new();
	fine = characterize(&arguments, diag);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
