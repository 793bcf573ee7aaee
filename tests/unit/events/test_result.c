/* SPDX-License-Identifier: MIT */
/* Results: sums over threads, metrics of them, origins; and how they are written. */
#include "events/backend.h"
#include "../tap.h"

/* Two threads, and one of them in a region. */
static struct takt_count_result *make(struct takt_diag *diag)
{
	static const char *const wanted[] = {"DATA", "L1_LINES_IN"};
	static const char *const notes[] = {"a note"};
	const struct takt_count_options options = {
		.backend = TAKT_COUNT_EMULATE, .groups = wanted, .group_count = 2};
	struct events_plan plan;
	struct takt_arena arena = {0};
	struct takt_count_result *result;
	struct events_part parts[3] = {
		{.thread = 0, .seconds = 2},
		{.thread = 1, .seconds = 2},
		{.region = "a \"region\"", .thread = 1, .entries = 3, .seconds = NAN}};
	const struct events_counts counts = {.parts = parts,
					     .part_count = 3,
					     .core = "X",
					     .notes = notes,
					     .note_count = 1,
					     .seconds = 2,
					     .exit_status = 3};

	if (takt_events_plan_new(&options, "emulate", NULL, &arena, diag, &plan) != TAKT_OK)
		abort();
	for (uint32_t i = 0; i < 3; i++) {
		parts[i].values = TAKT_NEW_ARRAY(&arena, plan.event_count, double);
		for (uint32_t k = 0; k < plan.event_count; k++)
			parts[i].values[k] = (i + 1) * 1e6 * (k + 1);
		parts[i].values[plan.event_count - 1] = NAN;
	}
	result = takt_events_result_new(&plan, &counts);
	takt_arena_release(&arena);
	return result;
}

static uint32_t event(const struct takt_count_result *result, const char *name)
{
	uint32_t i = 0;

	while (i < result->event_count && strcmp(result->events[i].name, name) != 0)
		i++;
	return i;
}

static uint32_t metric(const struct takt_count_result *result, const char *name)
{
	uint32_t i = 0;

	while (i < result->metric_count && strcmp(result->metrics[i].name, name) != 0)
		i++;
	return i;
}

static void check_figures(const struct takt_count_result *result)
{
	uint32_t loads = event(result, "LOADS"), bytes = event(result, "LOAD_BYTES");
	uint32_t per_load = metric(result, "Bytes per load");
	uint32_t bandwidth = metric(result, "Load bandwidth");

	is_int(result->part_count, 3, "parts");
	is_int(result->sum_count, 2, "of all, and of a region");
	is_int(result->thread_count, 2, "threads");
	is_near(result->sums[0].events[loads], 6e6, "events are added up");
	is_near(result->sums[0].metrics[per_load], 1.5, "a metric of what was added up");
	is_near(result->sums[0].metrics[bandwidth], result->sums[0].events[bytes] / 2e6,
		"in its unit");
	is_near(result->parts[1].metrics[bandwidth], result->parts[1].events[bytes] / 2e6,
		"that of a thread");
	ok(isnan(result->sums[1].metrics[bandwidth]), "none where no time is known");
	ok(isnan(result->sums[0].events[event(result, "L1_LINES_IN")]), "what was not counted");
	is_int((long long)result->sums[1].entries, 3, "entries");
	is_int(result->metrics[per_load].origins, TAKT_COUNTED, "counted");
	is_int(result->metrics[bandwidth].origins, TAKT_COUNTED | TAKT_TIMED, "counted and timed");
	is_int(result->events[event(result, "L1_LINES_IN")].origins, TAKT_MODELLED, "modelled");
	is_int(result->exit_status, 3, "exit status");
	is_string(result->metrics[0].group, "DATA", "group");
}

static void check_texts(const struct takt_count_result *result)
{
	static const struct {
		int line;
		enum takt_format format;
		const char *part;
	} wanted[] = {
		{__LINE__, TAKT_FORMAT_TEXT,
		 "backend emulate, events of emulate, core X, 2 threads, 2 s\n"},
		{__LINE__, TAKT_FORMAT_TEXT, "note: a note\n"},
		{__LINE__, TAKT_FORMAT_TEXT, "\nregion a \"region\", entered 3 times\n"},
		{__LINE__, TAKT_FORMAT_TEXT, "       6,000,000 "},
		{__LINE__, TAKT_FORMAT_TEXT, "  counted+timed\n"},
		{__LINE__, TAKT_FORMAT_CSV,
		 "\n\"a \"\"region\"\"\",1,,\"LOADS\",,6000000,counted,1\n"},
		{__LINE__, TAKT_FORMAT_CSV, "\n,all,,\"L1_LINES_IN\",,,modelled,1\n"},
		{__LINE__, TAKT_FORMAT_CSV, "\n,all,DATA,\"Bytes per load\",B,1.5,counted,1\n"},
		{__LINE__, TAKT_FORMAT_JSON,
		 "{\"region\": \"a \\\"region\\\"\", \"entries\": 3, \"thread\": 1, "},
		{__LINE__, TAKT_FORMAT_JSON, "\"milliseconds\": 2000,"},
		{__LINE__, TAKT_FORMAT_JSON, ", null], \"shares\": [1, "},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(wanted); i++) {
		struct takt_text text = {0};

		takt_write_count(result, wanted[i].format, &text);
		if (!tap_ok_at(__FILE__, wanted[i].line,
			       strstr(takt_text_data(&text), wanted[i].part) != NULL, "%s",
			       wanted[i].part[0] == '\n' ? wanted[i].part + 1 : "a part"))
			tap_note("got: %s", takt_text_data(&text));
		takt_text_release(&text);
	}
}

static void unknown(const char *name, const char *message)
{
	const struct takt_count_options options = {
		.backend = TAKT_COUNT_EMULATE, .groups = &name, .group_count = 1};
	struct takt_diag *diag = takt_diag_new();
	struct events_plan plan;
	struct takt_arena arena = {0};

	ok(takt_events_plan_new(&options, "emulate", NULL, &arena, diag, &plan) == TAKT_NOT_FOUND &&
		   strstr(takt_diag_text(diag), message),
	   "%s: %s", name, message);
	takt_arena_release(&arena);
	takt_diag_free(diag);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_count_result *result = make(diag);

	check_figures(result);
	check_texts(result);
	takt_count_result_free(result);
	unknown("BRANCHS", "did you mean 'BRANCH'");
	unknown("LOAD_BITES", "did you mean 'LOAD_BYTES'");
	takt_diag_free(diag);
	return tap_done();
}
