/* SPDX-License-Identifier: MIT */
/* The options of `takt count` as a request. */
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"
#include "cli/count.h"

#define INTERVAL_LEAST_SECONDS 0.001

/* Find the comma after a name; those in "cpu/event=1,umask=2/" are part of it. NULL: none. */
static char *find_comma(char *name)
{
	bool inside = false;

	for (; *name; name++) {
		if (*name == ',' && !inside)
			return name;
		inside ^= *name == '/';
	}
	return NULL;
}

/* Collect the comma-separated names of all options given, without the empty ones. */
static void read_names(const struct takt_arguments *arguments, struct takt_count_wanted *wanted)
{
	size_t size = 1;
	char *at;

	for (size_t i = 0; i < arguments->given_count; i++)
		size += strlen(arguments->given[i].value) + 1;
	wanted->text = at = takt_allocate(size, 1);
	wanted->names = takt_allocate(size, sizeof(*wanted->names));
	for (size_t i = 0; i < arguments->given_count; i++) {
		const struct takt_given *given = &arguments->given[i];

		if (given->id != OPTION_COUNT_GROUP && given->id != OPTION_COUNT_EVENT)
			continue;
		strcpy(at, given->value);
		for (char *name = at; name;) {
			char *comma = find_comma(name);

			if (comma)
				*comma = '\0';
			if (*name)
				wanted->names[wanted->options.group_count++] = name;
			name = comma ? comma + 1 : NULL;
		}
		at += strlen(given->value) + 1;
	}
	wanted->options.groups = (const char *const *)wanted->names;
}

/* Read an interval: "300ms", "2s", "0.5". */
static bool read_interval(const char *value, double *ret_seconds)
{
	char *end;
	double seconds;

	if (!value)
		return true;
	seconds = strtod(value, &end);
	if (strcmp(end, "ms") == 0)
		seconds /= 1000;
	if (end == value || (*end && strcmp(end, "ms") != 0 && strcmp(end, "s") != 0) ||
	    !(seconds >= INTERVAL_LEAST_SECONDS) || seconds > 86400) {
		takt_say_error("'%s' is no interval", value);
		return takt_say_note("write an interval of at least 1 ms such as '300ms' or '2s'");
	}
	*ret_seconds = seconds;
	return true;
}

/* True if the events are known. Counting needs no model, but a related core has other events. */
static bool is_known_core(const struct takt_count_wanted *wanted)
{
	struct takt_model *model;
	bool is_known;

	if (wanted->options.backend != TAKT_COUNT_PMU || wanted->request.arch)
		return true;
	if (takt_model_open("host", wanted->request.model_dir, NULL, &model) != TAKT_OK)
		return false;
	is_known = !takt_model_doubt(model);
	takt_model_close(model);
	return is_known;
}

bool takt_count_wanted_read(const struct takt_arguments *arguments, struct takt_diag *diag,
			    struct takt_count_wanted *wanted)
{
	const char *const *values = arguments->values;

	*wanted = (struct takt_count_wanted){
		.format = takt_arguments_format(arguments, OPTION_COUNT_FORMAT),
		.request =
			{
				.arch = values[OPTION_COUNT_ARCH],
				.model_dir = values[OPTION_COUNT_MODEL],
				.diag = diag,
			},
		.options = {
			.backend = takt_arguments_choice(arguments, OPTION_COUNT_BACKEND) == 0
					   ? TAKT_COUNT_PMU
					   : TAKT_COUNT_EMULATE,
			.group_dir = values[OPTION_COUNT_GROUPS],
			.open_model = takt_core_open_requested,
			.model_context = &wanted->request,
			.cpus = values[OPTION_COUNT_CPUS],
			.per_cpu = values[OPTION_COUNT_PER_CPU] != NULL,
			.timed = values[OPTION_COUNT_TIMED] != NULL,
			.signal = &takt_trace_signal,
		}};
	if (!is_known_core(wanted))
		wanted->options.open_model = NULL;
	read_names(arguments, wanted);
	if (!takt_arguments_integer(arguments, OPTION_COUNT_PID, 1, 1 << 30,
				    &wanted->options.attach_pid) ||
	    !read_interval(values[OPTION_COUNT_INTERVAL], &wanted->options.interval_seconds))
		return false;
	if (arguments->operand_count)
		wanted->options.log_path = arguments->operands[0];
	return true;
}

void takt_count_wanted_release(struct takt_count_wanted *wanted)
{
	takt_model_close(wanted->request.model);
	free(wanted->names);
	free(wanted->text);
}
