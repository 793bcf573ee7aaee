/* SPDX-License-Identifier: MIT */
/* Any bytes as a metric group, and as a table of events. */
#include <stdlib.h>

#include "events/backend.h"
#include "events/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define VALUES_MAX 200

static void walk_group(const struct events_group *group)
{
	double values[VALUES_MAX];
	struct events_unit units[VALUES_MAX], unit;
	struct events_problem problem;
	uint32_t count = group->event_count + EVENTS_GIVEN_COUNT + group->metric_count;

	if (count > VALUES_MAX)
		abort();
	for (uint32_t i = 0; i < count; i++) {
		values[i] = i;
		units[i] =
			i < group->event_count + EVENTS_GIVEN_COUNT
				? EVENTS_UNIT_NONE
				: group->metrics[i - group->event_count - EVENTS_GIVEN_COUNT].unit;
	}
	for (uint32_t i = 0; i < group->metric_count; i++) {
		const struct events_formula *formula = group->metrics[i].formula;

		values[group->event_count + EVENTS_GIVEN_COUNT + i] =
			takt_events_formula_value(formula, values);
		if (!takt_events_formula_unit(formula, units, &unit, &problem) && !problem.what)
			abort(); /* a failure must say why */
	}
}

static void walk_table(const struct events_family *family)
{
	for (uint32_t i = 0; i < family->event_count; i++)
		if (!takt_events_is_encoding(family->events[i].encoding))
			abort(); /* was read */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_diag *diag = takt_diag_new();
	const struct events_text text = {"fuzz", (const char *)data, size};
	const struct events_group *group;
	struct events_family family;
	struct takt_arena arena = {0};

	if (takt_events_group_parse(text.path, text.text, size, &arena, diag, &group) == TAKT_OK)
		walk_group(group);
	else if (!takt_diag_error_count(diag))
		abort(); /* a failure must say why */
	takt_diag_clear(diag);
	if (takt_events_table_parse(&text, &arena, diag, &family) == TAKT_OK)
		walk_table(&family);
	else if (!takt_diag_error_count(diag))
		abort();
	takt_arena_release(&arena);
	takt_diag_free(diag);
	return 0;
}
