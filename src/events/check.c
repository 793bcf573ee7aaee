/* SPDX-License-Identifier: MIT */
/* Check groups against the tables of events: each event must exist, and units must agree. */
#include <string.h>

#include "events/backend.h"

#define NEAREST_MAX 3u

static void error_in_group(const struct events_text *text, uint32_t line, uint32_t column,
			   size_t width, struct takt_diag *diag, const char *message)
{
	struct takt_place place = {text->path, line, column, (uint32_t)width, NULL};
	struct takt_text excerpt = {0};
	struct takt_lines lines;
	const char *found;
	size_t size;

	takt_lines_init(&lines, text->text, text->size_bytes);
	while (takt_lines_next(&lines, &found, &size))
		if (lines.number == line)
			takt_text_add(&excerpt, found, size);
	place.excerpt = takt_text_data(&excerpt);
	takt_error_at(diag, &place, "%s", message);
	takt_text_release(&excerpt);
}

/* Return the names of all events of a family and of the families it is like. */
static const char *const *event_names(const struct events_library *library,
				      const struct events_family *family, uint32_t *ret_count)
{
	const char **names;
	uint32_t count = 0, most = 0;

	for (uint32_t i = 0; i < library->family_count; i++)
		most += library->families[i].event_count;
	names = TAKT_NEW_ARRAY(library->arena, most, const char *);
	for (uint32_t i = 0; i < library->family_count; i++)
		for (uint32_t k = 0; k < library->families[i].event_count; k++) {
			const struct events_event *event = &library->families[i].events[k];

			if (takt_events_event_find(library, family, event->name) == event)
				names[count++] = event->name;
		}
	*ret_count = count;
	return names;
}

void takt_events_note_nearest(const struct events_library *library,
			      const struct events_family *family, const char *name,
			      struct takt_diag *diag)
{
	uint32_t count;
	const char *const *names = event_names(library, family, &count);
	struct takt_text nearest = {0};

	if (takt_nearest_names(name, names, count, NEAREST_MAX, &nearest))
		takt_note(diag, "did you mean %s?", takt_text_data(&nearest));
	takt_text_release(&nearest);
}

/* Find the unit of each name in formulas; false if an event does not exist. */
static bool units_of_names(const struct events_library *library, const struct events_family *family,
			   const struct events_text *text, const struct events_group *group,
			   struct takt_diag *diag, struct events_unit *units)
{
	bool fine = true;

	for (uint32_t i = 0; i < group->event_count; i++) {
		const struct events_group_event *row = &group->events[i];
		const struct events_event *event =
			takt_events_event_find(library, family, row->counter);

		if (event) {
			units[i] = event->unit;
			continue;
		}
		error_in_group(text, row->line, row->column, strlen(row->counter), diag,
			       takt_arena_printf(library->arena, "%s has no event '%s'",
						 family->name, row->counter));
		takt_events_note_nearest(library, family, row->counter, diag);
		fine = false;
	}
	units[group->event_count + EVENTS_TIME] =
		(struct events_unit){.scale = 1, .powers[EVENTS_SECONDS] = 1};
	units[group->event_count + EVENTS_LINE] =
		(struct events_unit){.scale = 1, .powers[EVENTS_BYTES] = 1};
	for (uint32_t i = 0; i < group->metric_count; i++)
		units[group->event_count + EVENTS_GIVEN_COUNT + i] = group->metrics[i].unit;
	return fine;
}

static bool check_metric(const struct events_text *text, const struct events_group_metric *metric,
			 const struct events_unit *units, struct takt_diag *diag)
{
	struct events_problem problem;
	struct events_unit unit;
	struct takt_text message = {0};

	if (!takt_events_formula_unit(metric->formula, units, &unit, &problem)) {
		error_in_group(text, metric->line, metric->column + (uint32_t)problem.at,
			       problem.size, diag, problem.what);
		return false;
	}
	if (takt_events_unit_same(&unit, &metric->unit))
		return true;
	takt_text_add_string(&message, "the formula gives ");
	takt_events_unit_write(&unit, &message);
	takt_text_printf(&message, ", the metric is in %s",
			 *metric->unit_text ? metric->unit_text : "1");
	error_in_group(text, metric->line, metric->column, strlen(metric->text), diag,
		       takt_text_data(&message));
	takt_note(diag, "a number may have a unit: '64 B * lines'");
	takt_text_release(&message);
	return false;
}

/*
 * True if the family has all events of the group, and each formula has the unit of its metric;
 * reports errors.
 */
static bool check_group(const struct events_library *library, const struct events_family *family,
			const struct events_text *text, const struct events_group *group,
			struct takt_diag *diag)
{
	struct events_unit *units = TAKT_NEW_ARRAY(
		library->arena, group->event_count + EVENTS_GIVEN_COUNT + group->metric_count,
		struct events_unit);
	bool fine = units_of_names(library, family, text, group, diag, units);

	for (uint32_t i = 0; fine && i < group->metric_count; i++)
		fine = check_metric(text, &group->metrics[i], units, diag);
	return fine;
}

enum takt_status takt_events_group_open(const struct events_library *library,
					const struct events_family *family, const char *name,
					struct takt_diag *diag,
					const struct events_group **ret_group)
{
	const struct events_text *text = takt_events_group_text(library, family, name);
	const struct events_group *group;

	if (!text) {
		takt_error(diag, "%s has no group '%s'", family->name, name);
		return TAKT_NOT_FOUND;
	}
	if (takt_events_group_parse(text->path, text->text, text->size_bytes, library->arena, diag,
				    &group) != TAKT_OK ||
	    !check_group(library, family, text, group, diag))
		return TAKT_BAD_INPUT;
	*ret_group = group;
	return TAKT_OK;
}

/* ---- all of them ---- */

static uint32_t check_family(const struct events_library *library,
			     const struct events_family *family, struct takt_diag *diag,
			     uint32_t *ret_bad)
{
	uint32_t count;
	const char *const *names = takt_events_group_names(library, family, &count);

	for (uint32_t i = 0; i < family->port_count; i++) {
		const struct events_port *port = &family->ports[i];

		if (takt_events_event_find(library, family, port->event))
			continue;
		takt_error_at(diag, &(struct takt_place){.file = family->path, .line = port->line},
			      "no event '%s'", port->event);
		++*ret_bad;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct events_group *group;

		if (takt_events_group_open(library, family, names[i], diag, &group) != TAKT_OK)
			++*ret_bad;
		else if (strcmp(group->name, names[i]) != 0) {
			takt_error(diag, "%s: the group is named '%s'", group->path, group->name);
			++*ret_bad;
		}
	}
	return count;
}

enum takt_status takt_count_check(const char *group_dir, struct takt_diag *diag,
				  struct takt_text *text)
{
	struct events_library library;
	struct takt_arena arena = {0};
	enum takt_status status;
	uint32_t families = 0, groups = 0, bad = 0, events = 0;

	status = takt_events_library_open(group_dir, &arena, diag, &library);
	for (uint32_t i = 0; status == TAKT_OK && i < library.family_count; i++) {
		const struct events_family *family = &library.families[i];

		events += family->event_count;
		/* A family without cores is checked with the events of those that are like it. */
		if (!family->core_count && strcmp(family->name, "emulate") != 0)
			continue;
		families++;
		groups += check_family(&library, family, diag, &bad);
	}
	takt_arena_release(&arena);
	if (status != TAKT_OK)
		return status;
	takt_text_count(text, families, "family, ", "families, ");
	takt_text_count(text, events, "event, ", "events, ");
	takt_text_count(text, groups, "group: ", "groups: ");
	if (bad)
		takt_text_printf(text, "%u bad\n", bad);
	else
		takt_text_add_string(text, "fine\n");
	return bad ? TAKT_BAD_INPUT : TAKT_OK;
}
