/* SPDX-License-Identifier: MIT */
/* takt analyze --timeline: the option, and writing the timeline in its format. */
#include <strings.h>

#include "cli/command_docs.h"

#define ITERATIONS_USUAL 4
#define ITERATIONS_MOST 1000

static bool is_page(const struct takt_arguments *arguments)
{
	return !arguments->values[OPTION_ANALYZE_TIMELINE_FORMAT] &&
	       takt_arguments_html(arguments, OPTION_ANALYZE_FORMAT);
}

/* True if a timeline is written without `--timeline`, and the command line says how long it is. */
static bool has_timeline(const struct takt_arguments *arguments)
{
	return arguments->values[OPTION_ANALYZE_TIMELINE_MAX_ITERATIONS] &&
	       (arguments->values[OPTION_ANALYZE_TIMELINE_FORMAT] || is_page(arguments));
}

static bool is_json(const struct takt_arguments *arguments)
{
	const char *format = arguments->values[OPTION_ANALYZE_FORMAT];

	return format ? strcasecmp(format, "json") == 0
		      : arguments->values[OPTION_ANALYZE_JSON] != NULL;
}

/* A timeline in the format of the report is a part of it; one in its own goes with text only. */
static bool goes_with_report(const struct takt_arguments *arguments, bool has_own_format)
{
	const char *format = arguments->values[OPTION_ANALYZE_FORMAT];
	bool is_text =
		format ? strcasecmp(format, "text") == 0 : !arguments->values[OPTION_ANALYZE_JSON];

	return is_text || (is_json(arguments) && !has_own_format);
}

static bool read_format(const struct takt_arguments *arguments,
			struct takt_timeline_request *request)
{
	static const enum takt_timeline_format formats[] = {
		TAKT_TIMELINE_TEXT, TAKT_TIMELINE_PERFETTO, TAKT_TIMELINE_KONATA,
		TAKT_TIMELINE_JSON};
	bool given = arguments->values[OPTION_ANALYZE_TIMELINE_FORMAT] != NULL;

	request->format = formats[takt_arguments_choice(arguments, OPTION_ANALYZE_TIMELINE_FORMAT)];
	if (given && !request->iterations)
		request->iterations = ITERATIONS_USUAL;
	if (!request->iterations || is_page(arguments) || goes_with_report(arguments, given))
		return true;
	takt_say_error("a timeline goes with text, JSON and HTML only");
	return takt_say_note("leave out '--format', or ask for the timeline by itself");
}

/* Say which limits of a timeline have no effect on what is written. */
static void note_limits(const struct takt_arguments *arguments,
			const struct takt_timeline_request *request)
{
	const char *const *values = arguments->values;

	if (values[OPTION_ANALYZE_TIMELINE_MAX_ITERATIONS] && !request->iterations)
		takt_say_note("'--timeline-max-iterations' changes nothing without '--timeline'");
	if (values[OPTION_ANALYZE_TIMELINE_MAX_CYCLES] &&
	    (!request->iterations || request->format != TAKT_TIMELINE_TEXT || is_json(arguments) ||
	     is_page(arguments)))
		takt_say_note("'--timeline-max-cycles' changes nothing: it limits a timeline in "
			      "text");
}

bool takt_timeline_request_read(const struct takt_arguments *arguments,
				struct takt_timeline_request *ret_request)
{
	struct takt_timeline_request request = {.iterations = 0};
	const char *value = arguments->values[OPTION_ANALYZE_TIMELINE];
	uint32_t iterations = ITERATIONS_USUAL;

	if (value && *value &&
	    !takt_arguments_integer(arguments, OPTION_ANALYZE_TIMELINE, 1, ITERATIONS_MOST,
				    &iterations))
		return false;
	if (!takt_arguments_integer(arguments, OPTION_ANALYZE_TIMELINE_MAX_ITERATIONS, 1,
				    ITERATIONS_MOST, &iterations))
		return false;
	if (value || has_timeline(arguments))
		request.iterations = iterations;
	if (!read_format(arguments, &request))
		return false;
	note_limits(arguments, &request);
	*ret_request = request;
	return true;
}

bool takt_timeline_write_in_json(const struct takt_page_region *region, struct takt_text *text)
{
	struct takt_timeline *timeline;
	enum takt_status status = takt_timeline_new(
		region->model, region->code, region->index, &region->request->analysis,
		region->request->timeline.iterations, region->diag, &timeline);

	takt_say_diag(region->diag);
	if (status != TAKT_OK)
		return false;
	takt_write_analysis_timeline_json(region->analysis, timeline, text);
	takt_timeline_free(timeline);
	return true;
}

bool takt_timeline_write(const struct takt_analyze_request *request, const struct takt_model *model,
			 const struct takt_code *code, size_t region_index, struct takt_diag *diag,
			 struct takt_text *text)
{
	struct takt_timeline *timeline;
	enum takt_status status = takt_timeline_new(model, code, region_index, &request->analysis,
						    request->timeline.iterations, diag, &timeline);

	takt_say_diag(diag);
	if (status != TAKT_OK)
		return false;
	switch (request->timeline.format) {
	case TAKT_TIMELINE_TEXT:
		takt_write_timeline_text(timeline, &request->write, text);
		break;
	case TAKT_TIMELINE_PERFETTO:
		takt_write_timeline_perfetto(timeline, text);
		break;
	case TAKT_TIMELINE_KONATA:
		takt_write_timeline_konata(timeline, text);
		break;
	case TAKT_TIMELINE_JSON:
		takt_write_timeline_json(timeline, text);
		break;
	}
	takt_timeline_free(timeline);
	return true;
}
