/* SPDX-License-Identifier: MIT */
/* takt count: counts the events of a program's run, and computes metrics from them. */
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"
#include "cli/count.h"

/* List events and groups: "FAMILY", "FAMILY/GROUP", or all. */
static int list(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *wanted = arguments->values[OPTION_COUNT_LIST], *slash = strchr(wanted, '/');
	const char *path = arguments->values[OPTION_COUNT_OUTPUT];
	size_t size = slash ? (size_t)(slash - wanted) : strlen(wanted);
	const char *group_dir = arguments->values[OPTION_COUNT_GROUPS];
	const char *group = slash ? slash + 1 : NULL;
	struct takt_text *text = takt_text_new();
	struct takt_count_listing *listing;
	char name[64];
	const char *family = *wanted ? name : NULL;
	bool fine;

	snprintf(name, sizeof(name), "%.*s", (int)(size < sizeof(name) ? size : 63), wanted);
	if (takt_arguments_format(arguments, OPTION_COUNT_FORMAT) == TAKT_FORMAT_TEXT) {
		fine = takt_count_list(family, group, group_dir, diag, text) == TAKT_OK;
	} else {
		fine = takt_count_listing_open(family, group, group_dir, diag, &listing) == TAKT_OK;
		if (fine) {
			takt_write_count_listing_json(listing, text);
			takt_count_listing_free(listing);
		}
	}
	fine = fine && takt_output_report(path, false, text);
	takt_text_free(text);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

static int check(const struct takt_arguments *arguments, struct takt_diag *diag)
{
	const char *directory = arguments->operand_count ? arguments->operands[0]
							 : arguments->values[OPTION_COUNT_GROUPS];
	struct takt_text *text = takt_text_new();
	bool fine = takt_count_check(directory, diag, text) == TAKT_OK;

	takt_say_diag(diag);
	fine = takt_output_write(NULL, text) && fine;
	takt_text_free(text);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

struct timeline {
	enum takt_format format;
	uint32_t number;
	FILE *json; /* of a page: the intervals as a JSON array; NULL: they are shown at once */
	char *json_data;
	size_t json_bytes;
};

static void show_interval(void *context, const struct takt_count_result *result)
{
	struct timeline *timeline = context;
	struct takt_text *text = takt_text_new();

	takt_write_count(result, timeline->format, text);
	if (timeline->json)
		fprintf(timeline->json, "%s%s", timeline->number++ ? "," : "[",
			takt_text_data(text));
	else
		fprintf(stderr, "interval %u: %s", timeline->number++, takt_text_data(text));
	takt_text_free(text);
}

/* Put the result and its intervals, if there are any, into a page. */
static void make_page(struct timeline *timeline, const struct takt_count_result *result,
		      struct takt_text **text)
{
	struct takt_page_part intervals = {.key = "intervals"};
	struct takt_text *summary = takt_text_new();
	struct takt_page page = {.kind = "count", .parts = &intervals, .part_count = 1};

	fputs(timeline->number ? "]" : "[]", timeline->json);
	takt_memory_stream_close(timeline->json);
	takt_write_count(result, TAKT_FORMAT_TEXT, summary);
	intervals.json = timeline->json_data;
	page.text = takt_text_data(summary);
	takt_page_wrap(page, text);
	takt_text_free(summary);
	free(timeline->json_data);
	timeline->json = NULL;
}

static int run(const struct takt_arguments *arguments, char **program, struct takt_diag *diag)
{
	struct takt_count_result *result;
	struct takt_count_wanted wanted;
	struct timeline timeline = {0};
	struct takt_text *text;
	int status = TAKT_EXIT_BAD;
	bool fine;

	if (!takt_count_wanted_read(arguments, diag, &wanted)) {
		takt_count_wanted_release(&wanted);
		return TAKT_EXIT_USAGE;
	}
	if (wanted.options.interval_seconds > 0) {
		timeline.format = wanted.format;
		wanted.options.timeline = show_interval;
		wanted.options.timeline_context = &timeline;
	}
	if (takt_arguments_html(arguments, OPTION_COUNT_FORMAT))
		timeline.json = takt_memory_stream_open(&timeline.json_data, &timeline.json_bytes);
	if (wanted.options.log_path)
		takt_trace_end_early();
	else
		takt_trace_outlive();
	if (takt_count(program, &wanted.options, diag, &result) == TAKT_OK) {
		text = takt_text_new();
		takt_write_count(result, wanted.format, text);
		if (timeline.json)
			make_page(&timeline, result, &text);
		fine = takt_output_report(arguments->values[OPTION_COUNT_OUTPUT], program != NULL,
					  text);
		takt_text_free(text);
		if (result->signal)
			takt_say_error("the program was killed by %s",
				       takt_signal_name(result->signal));
		status = result->signal ? TAKT_EXIT_SIGNALLED + result->signal
			 : program	? result->exit_status
					: TAKT_EXIT_FINE;
		if (status == 0 && !fine)
			status = TAKT_EXIT_BAD;
		takt_count_result_free(result);
	}
	if (timeline.json) {
		takt_memory_stream_close(timeline.json);
		free(timeline.json_data);
	}
	takt_count_wanted_release(&wanted);
	return status;
}

/* Refuse options and programs that a list or a check would ignore. */
static bool mode_is_fine(const struct takt_arguments *arguments)
{
	static const unsigned listing[] = {OPTION_COUNT_LIST, OPTION_COUNT_GROUPS,
					   OPTION_COUNT_FORMAT, OPTION_COUNT_OUTPUT};
	static const unsigned checking[] = {OPTION_COUNT_CHECK, OPTION_COUNT_GROUPS,
					    OPTION_COUNT_FORMAT};

	if (arguments->values[OPTION_COUNT_LIST])
		return takt_arguments_only(arguments, "takt count --list", listing,
					   TAKT_COUNT_OF(listing)) &&
		       takt_arguments_no_operands(arguments, "takt count --list");
	if (!arguments->values[OPTION_COUNT_CHECK])
		return true;
	return takt_arguments_only(arguments, "takt count --check", checking,
				   TAKT_COUNT_OF(checking)) &&
	       (!arguments->program ||
		takt_say_error("'takt count --check' runs no program, but there is '%s'",
			       arguments->program[0]));
}

static bool usage_is_fine(const struct takt_arguments *arguments)
{
	bool needs_none = arguments->program || arguments->values[OPTION_COUNT_PID] ||
			  arguments->values[OPTION_COUNT_PER_CPU] ||
			  arguments->values[OPTION_COUNT_LIST];
	bool may_have_one = arguments->values[OPTION_COUNT_CHECK] != NULL;

	if (!takt_arguments_text_or_json(arguments, OPTION_COUNT_LIST, OPTION_COUNT_FORMAT) ||
	    !takt_arguments_text_only(arguments, OPTION_COUNT_CHECK, OPTION_COUNT_FORMAT) ||
	    !mode_is_fine(arguments))
		return false;
	if (arguments->values[OPTION_COUNT_CPUS] && arguments->values[OPTION_COUNT_PID] &&
	    !arguments->values[OPTION_COUNT_PER_CPU]) {
		takt_say_error("'--cpus' pins a program that takt starts, and '--pid' is of one "
			       "that runs already");
		return takt_say_note("'taskset -p -c CPUS PID' pins it");
	}
	if (arguments->operand_count == (needs_none ? 0 : 1) ||
	    (may_have_one && arguments->operand_count < 2))
		return true;
	if (arguments->operand_count)
		takt_say_error("'%s' is neither an option nor after '--'", arguments->operands[0]);
	else
		takt_say_error("one FILE or '-- PROGRAM' is needed");
	return takt_say_note("takt count [OPTION]… -g GROUP -- PROGRAM [ARGUMENT]…");
}

int takt_count_main(struct takt_arguments *arguments)
{
	int exit_status;
	struct takt_diag *diag;

	takt_arguments_take_format(arguments, OPTION_COUNT_FORMAT, OPTION_COUNT_OUTPUT);
	if (!usage_is_fine(arguments))
		return TAKT_EXIT_USAGE;
	diag = takt_diag_new();
	if (arguments->values[OPTION_COUNT_LIST])
		exit_status = list(arguments, diag);
	else if (arguments->values[OPTION_COUNT_CHECK])
		exit_status = check(arguments, diag);
	else if (arguments->operand_count && !takt_arguments_file_is_trace(arguments))
		exit_status = TAKT_EXIT_BAD;
	else
		exit_status = run(arguments, arguments->program, diag);
	takt_say_diag(diag);
	takt_diag_free(diag);
	return exit_status;
}
