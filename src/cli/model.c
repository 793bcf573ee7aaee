/* SPDX-License-Identifier: MIT */
/* takt model: lists, shows, checks, compares, identifies and learns machine models. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"

struct session {
	const struct takt_arguments *arguments;
	char **names; /* operands after the verb */
	size_t name_count;
	struct takt_diag *diag;
	struct takt_text *text;
	bool found;	   /* `check` had findings, or `diff` found differences */
	bool to_directory; /* the output is a directory, the report goes to standard output */
	bool misused;	   /* the command line is wrong in a way that only the verb can detect */
};

static const char *value(const struct session *session, enum takt_model_option id)
{
	return session->arguments->values[id];
}

static struct takt_model *open_core(struct session *session, const char *name)
{
	struct takt_model *model = NULL;

	if (takt_model_open(name, value(session, OPTION_MODEL_MODEL), session->diag, &model) !=
	    TAKT_OK)
		return NULL;
	return model;
}

static bool list(struct session *session)
{
	const char *architecture = value(session, OPTION_MODEL_LLVM);

	if (architecture)
		return takt_model_write_llvm_list(*architecture ? architecture : NULL,
						  session->diag, session->text) == TAKT_OK;
	takt_model_write_list_as(takt_arguments_format(session->arguments, OPTION_MODEL_FORMAT),
				 session->text);
	return true;
}

static bool show(struct session *session)
{
	struct takt_model *model = open_core(session, session->names[0]);

	if (!model)
		return false;
	takt_model_write_show(model, value(session, OPTION_MODEL_FORMS), session->text);
	takt_model_close(model);
	return true;
}

static bool check_core(struct session *session, const char *name)
{
	struct takt_model *model = open_core(session, name);

	if (!model)
		return false;
	session->found |= takt_model_write_check(model, session->text) > 0;
	takt_model_close(model);
	return true;
}

static int is_core_file(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 5 && strcmp(entry->d_name + length - 5, ".core") == 0;
}

static bool check_directory(struct session *session, const char *directory)
{
	struct dirent **files;
	size_t size = strlen(directory) + sizeof("/cores");
	bool good = true;
	char *cores;
	int count;

	cores = takt_allocate(size, 1);
	snprintf(cores, size, "%s/cores", directory);
	count = scandir(cores, &files, is_core_file, alphasort);
	if (count < 0)
		takt_say_error("cannot read '%s': %s", cores, strerror(errno));
	else if (!count)
		takt_say_error("no core files in '%s'", cores);
	for (int i = 0; i < count; i++) {
		char *name = files[i]->d_name;

		name[strlen(name) - 5] = '\0';
		good &= check_core(session, name);
		free(files[i]);
	}
	if (count >= 0)
		free(files);
	free(cores);
	return good && count > 0;
}

static bool check(struct session *session)
{
	bool good = true;

	if (!session->name_count && value(session, OPTION_MODEL_MODEL))
		return check_directory(session, value(session, OPTION_MODEL_MODEL));
	for (size_t i = 0; i < session->name_count; i++)
		good &= check_core(session, session->names[i]);
	for (size_t i = 0; !session->name_count && i < takt_model_builtin_count(); i++)
		good &= check_core(session, takt_model_builtin_name(i));
	return good;
}

/* Open the second core, or the first one again with other timings. */
static struct takt_model *open_second(struct session *session)
{
	const char *timing = value(session, OPTION_MODEL_TIMING);
	struct takt_model *model = NULL;

	if (!timing)
		return open_core(session, session->names[1]);
	if (takt_model_open_timing(session->names[0], value(session, OPTION_MODEL_MODEL), timing,
				   session->diag, &model) != TAKT_OK)
		return NULL;
	return model;
}

static bool diff(struct session *session)
{
	bool one = value(session, OPTION_MODEL_TIMING) != NULL, good;
	struct takt_model *left, *right;

	if ((session->name_count == 1) != one) {
		takt_say_error("'takt model diff' takes two cores, or one with '--timing=FILE'");
		session->misused = true;
		return false;
	}
	left = open_core(session, session->names[0]);
	right = open_second(session);
	good = left && right;
	if (good)
		session->found =
			takt_model_write_diff(left, right, value(session, OPTION_MODEL_FORMS),
					      session->text) > 0;
	takt_model_close(left);
	takt_model_close(right);
	return good;
}

static bool import(struct session *session)
{
	const char *arch = value(session, OPTION_MODEL_ARCH);
	struct takt_model *model;
	bool good;

	if (!arch) {
		takt_say_error("'takt model import' needs '--arch=CORE'");
		takt_say_note("the core whose ports the rows are written for");
		session->misused = true;
		return false;
	}
	model = open_core(session, arch);
	if (!model)
		return false;
	good = takt_model_import(model, session->names[0], session->diag, session->text) == TAKT_OK;
	takt_model_close(model);
	return good;
}

/* Open the core that the simulator is to play; NULL with `good` for this machine. */
static struct takt_model *open_played(struct session *session, bool *good)
{
	const char *machine = value(session, OPTION_MODEL_MACHINE);
	struct takt_model *model = NULL;

	*good = true;
	if (!machine || strcmp(machine, "host") == 0)
		return NULL;
	if (strncmp(machine, "sim:", 4) != 0) {
		takt_say_error("'--machine' wants 'host' or 'sim:CORE', not '%s'", machine);
		session->misused = true;
		*good = false;
		return NULL;
	}
	model = open_core(session, machine + 4);
	*good = model != NULL;
	return model;
}

/* Say that the result is kept; only a measurement of this machine is. */
static bool keep(struct session *session, const struct takt_identification *result)
{
	struct takt_text *path = takt_text_new();
	bool good = takt_identification_keep(result, session->diag, path) == TAKT_OK;

	if (good)
		takt_say_note("--arch=host takes %s from now on: %s", result->cores[0].name,
			      takt_text_data(path));
	takt_text_free(path);
	return good;
}

static bool identify(struct session *session)
{
	struct takt_identify_options options = {.model_dir = value(session, OPTION_MODEL_MODEL)};
	struct takt_identification *result;
	struct takt_model *played;
	bool good;

	played = open_played(session, &good);
	options.played = played;
	good = good && takt_identify(&options, session->diag, &result) == TAKT_OK;
	if (good) {
		takt_write_identification(
			result, takt_arguments_format(session->arguments, OPTION_MODEL_FORMAT),
			session->text);
		if (*result->obstacle)
			good = false;
		else if (!played && !value(session, OPTION_MODEL_NO_KEEP))
			good = keep(session, result);
		takt_identification_free(result);
	}
	takt_model_close(played);
	return good;
}

static bool learn(struct session *session)
{
	session->to_directory = true;
	return takt_model_learn(session->arguments, session->diag, session->text,
				&session->misused);
}

/* Options that only some verbs have a use for; '--format' and '--output' are for all. */
enum verb_options {
	OF_LIST = 1 << 0,
	OF_SHOW = 1 << 1,
	OF_CHECK = 1 << 2,
	OF_DIFF = 1 << 3,
	OF_IMPORT = 1 << 4,
	OF_IDENTIFY = 1 << 5,
	OF_LEARN = 1 << 6,
};

static const struct {
	unsigned id, verbs;
} verb_options[] = {
	{OPTION_MODEL_LLVM, OF_LIST},
	{OPTION_MODEL_FORMS, OF_SHOW | OF_DIFF | OF_LEARN},
	{OPTION_MODEL_TIMING, OF_DIFF},
	{OPTION_MODEL_MODEL, OF_SHOW | OF_CHECK | OF_DIFF | OF_IMPORT | OF_IDENTIFY | OF_LEARN},
	{OPTION_MODEL_ARCH, OF_IMPORT},
	{OPTION_MODEL_MACHINE, OF_IDENTIFY | OF_LEARN},
	{OPTION_MODEL_NO_KEEP, OF_IDENTIFY},
	{OPTION_MODEL_FROM, OF_LEARN},
	{OPTION_MODEL_NAME, OF_LEARN},
	{OPTION_MODEL_ONLY, OF_LEARN},
	{OPTION_MODEL_QUICK, OF_LEARN},
	{OPTION_MODEL_FULL, OF_LEARN},
	{OPTION_MODEL_INSTALL, OF_LEARN},
	{OPTION_MODEL_NOISE, OF_LEARN},
	{OPTION_MODEL_SEED, OF_LEARN},
};

static const struct verb {
	const char *name;
	size_t least, most; /* names allowed after the verb */
	const char *names;
	bool (*run)(struct session *session); /* returns false after an error */
	unsigned options;		      /* one of enum verb_options */
	bool formats;			      /* writes CSV and JSON, too */
	bool pages;			      /* writes a report for a browser, too */
} verbs[] = {
	{"list", 0, 0, "nothing", list, OF_LIST, true, false},
	{"show", 1, 1, "one core", show, OF_SHOW, false, false},
	{"check", 0, SIZE_MAX, "cores", check, OF_CHECK, false, false},
	{"diff", 1, 2, "two cores", diff, OF_DIFF, false, false},
	{"import", 1, 1, "a source", import, OF_IMPORT, false, false},
	{"identify", 0, 0, "nothing", identify, OF_IDENTIFY, true, true},
	{"learn", 0, 0, "nothing", learn, OF_LEARN, true, true},
};

#define VERB_COUNT TAKT_COUNT_OF(verbs)

static const struct verb *find_verb(const struct takt_arguments *arguments)
{
	const char *names[VERB_COUNT], *name = arguments->operands[0];
	const struct verb *verb = NULL;

	for (size_t i = 0; i < VERB_COUNT; i++) {
		names[i] = verbs[i].name;
		if (arguments->operand_count && strcmp(names[i], name) == 0)
			verb = &verbs[i];
	}
	if (!arguments->operand_count) {
		takt_say_error("what to do with models: list, show, check, diff, import, identify "
			       "or learn");
		return NULL;
	}
	if (!verb) {
		takt_say_error("unknown command 'takt model %s'", name);
		takt_say_nearest(name, names, VERB_COUNT);
		return NULL;
	}
	if (arguments->operand_count - 1 < verb->least ||
	    arguments->operand_count - 1 > verb->most) {
		takt_say_error("'takt model %s' takes %s", verb->name, verb->names);
		return NULL;
	}
	return verb;
}

/* Report options of other verbs, which would be ignored. */
static bool check_options(const struct takt_arguments *arguments, const struct verb *verb)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(verb_options); i++) {
		unsigned id = verb_options[i].id;

		if (!arguments->values[id] || verb_options[i].verbs & verb->options)
			continue;
		takt_say_error("'takt model %s' has no use for '%s'", verb->name,
			       arguments->typed[id]);
		return takt_say_note("leave out '%s'", arguments->typed[id]);
	}
	return true;
}

/* Report a format that the command does not write, which would be ignored otherwise. */
static bool check_format(const struct takt_arguments *arguments, const struct verb *verb)
{
	const char *format = arguments->values[OPTION_MODEL_FORMAT];
	bool llvm = verb->run == list && arguments->values[OPTION_MODEL_LLVM];
	bool formats = verb->formats && !llvm;

	if (!format || strcasecmp(format, "text") == 0)
		return true;
	if (formats && (verb->pages || strcasecmp(format, "html") != 0))
		return true;
	takt_say_error("'takt model %s%s' prints text%s only, not '%s'", verb->name,
		       llvm ? " --llvm" : "", formats ? ", csv and json" : "", format);
	return takt_say_note("leave out '--format'");
}

static bool write_text(struct session *session, const struct verb *verb)
{
	const char *path = session->to_directory ? NULL : value(session, OPTION_MODEL_OUTPUT);

	if (verb->pages && takt_text_size_bytes(session->text) &&
	    takt_arguments_html(session->arguments, OPTION_MODEL_FORMAT))
		takt_page_wrap((struct takt_page){.kind = verb->name}, &session->text);
	return takt_output_write(path, session->text);
}

int takt_model_main(struct takt_arguments *arguments)
{
	struct session session = {.arguments = arguments};
	const struct verb *verb;
	bool good;

	verb = find_verb(arguments);
	if (!verb) {
		takt_say_note("'takt model --help' says how to call it");
		return TAKT_EXIT_USAGE;
	}
	if (verb->formats)
		takt_arguments_take_format(arguments, OPTION_MODEL_FORMAT, OPTION_MODEL_OUTPUT);
	if (!check_options(arguments, verb) || !check_format(arguments, verb))
		return TAKT_EXIT_USAGE;
	session.names = arguments->operands + 1;
	session.name_count = arguments->operand_count - 1;
	session.diag = takt_diag_new();
	session.text = takt_text_new();
	good = verb->run(&session);
	takt_say_diag(session.diag);
	if (good || takt_text_size_bytes(session.text))
		good &= write_text(&session, verb);
	takt_text_free(session.text);
	takt_diag_free(session.diag);
	if (session.misused)
		return TAKT_EXIT_USAGE;
	return good && !session.found ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}
