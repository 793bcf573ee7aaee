/* SPDX-License-Identifier: MIT */
/* takt model learn: learns a core's structure from timings. */
#include <string.h>
#include <unistd.h>

#include "cli/command_docs.h"
#include "takt-lab/learn.h"

#define DISTURBED_SHARE 0.02 /* of the rounds of a noisy simulated machine */
#define SEED_MAX 1000000000L

static bool show_progress(void *context, const struct takt_learn_progress *progress)
{
	(void)context;
	if (isatty(STDERR_FILENO) && !progress->total)
		fprintf(stderr, "\r\033[K%s, %.0f s: %.40s", progress->subject, progress->seconds,
			progress->name);
	else if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%zu of %zu %s, %.0f s: %.40s", progress->done,
			progress->total, progress->subject, progress->seconds, progress->name);
	return !takt_interrupt_came();
}

/* Read the machine's options. False, reported, if they are wrong or there is no such core. */
static bool read_machine(const struct takt_arguments *arguments, struct takt_diag *diag,
			 struct takt_learn_options *options, struct takt_model **ret_played,
			 bool *ret_misused)
{
	static const unsigned simulated[] = {OPTION_MODEL_NOISE, OPTION_MODEL_SEED};
	const char *machine = arguments->values[OPTION_MODEL_MACHINE];
	double percent = 0;

	if (arguments->values[OPTION_MODEL_NOISE] &&
	    !takt_arguments_positive(arguments, OPTION_MODEL_NOISE, &percent))
		return !(*ret_misused = true);
	for (size_t i = 0; i < TAKT_COUNT_OF(simulated); i++)
		if (arguments->values[simulated[i]] && (!machine || strcmp(machine, "host") == 0)) {
			takt_say_error("'%s' needs '--machine=sim:CORE'",
				       arguments->typed[simulated[i]]);
			return !(*ret_misused = true);
		}
	options->seed = 1;
	if (!takt_arguments_integer(arguments, OPTION_MODEL_SEED, 0, SEED_MAX, &options->seed))
		return !(*ret_misused = true);
	options->noise = percent / 100;
	options->disturbed = percent > 0 ? DISTURBED_SHARE : 0;
	if (!machine || strcmp(machine, "host") == 0)
		return true;
	if (strncmp(machine, "sim:", 4) != 0) {
		takt_say_error("'--machine' wants 'host' or 'sim:CORE', not '%s'", machine);
		return !(*ret_misused = true);
	}
	if (takt_model_open(machine + 4, options->model_dir, diag, ret_played) != TAKT_OK)
		return false;
	options->played = *ret_played;
	return true;
}

static bool run(const struct takt_learn_options *options, enum takt_format format,
		struct takt_diag *diag, struct takt_text *text)
{
	struct takt_learning *learning = NULL;
	bool fine;

	takt_interrupt_handle();
	fine = takt_learn(options, diag, &learning) == TAKT_OK;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (fine && !learning)
		takt_say_note("interrupted: the same command resumes from here");
	if (!fine || !learning)
		return false;
	takt_write_learning(learning, format, text);
	takt_learning_free(learning);
	return true;
}

bool takt_model_learn(const struct takt_arguments *arguments, struct takt_diag *diag,
		      struct takt_text *text, bool *ret_misused)
{
	struct takt_learn_options options = {.model_dir = arguments->values[OPTION_MODEL_MODEL],
					     .from = arguments->values[OPTION_MODEL_FROM],
					     .name = arguments->values[OPTION_MODEL_NAME],
					     .directory = arguments->values[OPTION_MODEL_OUTPUT],
					     .only = arguments->values[OPTION_MODEL_ONLY],
					     .forms = arguments->values[OPTION_MODEL_FORMS],
					     .full = arguments->values[OPTION_MODEL_FULL] != NULL,
					     .install = arguments->values[OPTION_MODEL_INSTALL] !=
							NULL,
					     .progress = show_progress};
	struct takt_model *played = NULL;
	bool fine;

	if (!options.directory) {
		takt_say_error("'takt model learn' needs '-o DIR'");
		takt_say_note("the directory that gets the learnt core");
		*ret_misused = true;
		return false;
	}
	if (options.full && arguments->values[OPTION_MODEL_QUICK]) {
		takt_say_error("'--quick' and '--full' exclude each other");
		*ret_misused = true;
		return false;
	}
	if (options.forms && !options.full) {
		takt_say_error("'--forms' wants '--full'");
		takt_say_note("'--quick' checks the same frequent instructions each time");
		*ret_misused = true;
		return false;
	}
	if (options.install && arguments->values[OPTION_MODEL_MACHINE] &&
	    strcmp(arguments->values[OPTION_MODEL_MACHINE], "host") != 0) {
		takt_say_error("'--install' wants a core that was learnt on this machine");
		*ret_misused = true;
		return false;
	}
	fine = read_machine(arguments, diag, &options, &played, ret_misused) &&
	       run(&options, takt_arguments_format(arguments, OPTION_MODEL_FORMAT), diag, text);
	takt_model_close(played);
	return fine;
}
