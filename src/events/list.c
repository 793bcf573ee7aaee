/* SPDX-License-Identifier: MIT */
/* Lists families, their groups and their events. */
#include <string.h>

#include "events/backend.h"

#define NEAREST_MAX 3u

static void list_families(const struct events_library *library, struct takt_text *text)
{
	for (uint32_t i = 0; i < library->family_count; i++) {
		const struct events_family *family = &library->families[i];
		uint32_t groups;

		takt_events_group_names(library, family, &groups);
		if (!family->core_count && *family->isa)
			continue;
		takt_text_printf(text, "%-16s %2u groups  %s", family->name, groups, family->title);
		for (uint32_t k = 0; k < family->core_count; k++)
			takt_text_printf(text, "%s%s", k ? " " : " (", family->cores[k]);
		takt_text_add_string(text, family->core_count ? ")\n" : "\n");
	}
}

static enum takt_status list_groups(const struct events_library *library,
				    const struct events_family *family, struct takt_diag *diag,
				    struct takt_text *text)
{
	uint32_t count;
	const char *const *names = takt_events_group_names(library, family, &count);

	takt_text_printf(text, "%s: %s\n\nGroups\n", family->name, family->title);
	for (uint32_t i = 0; i < count; i++) {
		const struct events_group *group;
		enum takt_status status =
			takt_events_group_open(library, family, names[i], diag, &group);

		if (status != TAKT_OK)
			return status;
		takt_text_printf(text, "  %-14s  %s\n", group->name, group->title);
	}
	takt_text_add_string(text, "\nEvents\n");
	for (uint32_t i = 0; i < library->family_count; i++)
		for (uint32_t k = 0; k < library->families[i].event_count; k++) {
			const struct events_event *event = &library->families[i].events[k];

			if (takt_events_event_find(library, family, event->name) != event)
				continue;
			takt_text_printf(text, "  %s%s%s%s%s\n", event->name,
					 *event->unit_text ? " [" : "", event->unit_text,
					 *event->unit_text ? "]" : "",
					 event->origins & TAKT_MODELLED ? " (modelled)" : "");
			if (*event->what)
				takt_text_printf(text, "      %s\n", event->what);
		}
	return TAKT_OK;
}

static void list_group(const struct events_library *library, const struct events_family *family,
		       const struct events_group *group, struct takt_text *text)
{
	takt_text_printf(text, "%s/%s: %s\n\nEvents\n", family->name, group->name, group->title);
	for (uint32_t i = 0; i < group->event_count; i++) {
		const struct events_event *event =
			takt_events_event_find(library, family, group->events[i].counter);

		takt_text_printf(text, "  %-16s  %s%s%s\n", group->events[i].name, event->name,
				 event->encoding ? "  " : "",
				 event->encoding ? event->encoding : "");
	}
	takt_text_add_string(text, "\nMetrics\n");
	for (uint32_t i = 0; i < group->metric_count; i++)
		takt_text_printf(text, "  %s [%s] = %s\n", group->metrics[i].name,
				 group->metrics[i].unit_text, group->metrics[i].text);
	if (*group->prose)
		takt_text_printf(text, "\n%s\n", group->prose);
}

static void report_unknown(const struct events_library *library, const char *name,
			   struct takt_diag *diag)
{
	const char **names = TAKT_NEW_ARRAY(library->arena, library->family_count, const char *);
	struct takt_text nearest;

	for (uint32_t i = 0; i < library->family_count; i++)
		names[i] = library->families[i].name;
	takt_error(diag, "no family of cores is named '%s'", name);
	takt_text_init(&nearest);
	if (takt_nearest_names(name, names, library->family_count, NEAREST_MAX, &nearest))
		takt_note(diag, "did you mean %s?", takt_text_data(&nearest));
	else
		takt_note(diag, "'takt count --list' lists them");
	takt_text_release(&nearest);
}

const struct events_family *takt_events_family_named(const struct events_library *library,
						     const char *name, struct takt_diag *diag)
{
	const struct events_family *family = takt_events_family_find(library, name);

	if (!family)
		family = takt_events_family_of_core(library, name);
	if (!family)
		report_unknown(library, name, diag);
	return family;
}

enum takt_status takt_count_list(const char *family_name, const char *name, const char *group_dir,
				 struct takt_diag *diag, struct takt_text *text)
{
	const struct events_family *family = NULL;
	const struct events_group *group;
	struct events_library library;
	struct takt_arena arena;
	enum takt_status status;

	takt_arena_init(&arena);
	status = takt_events_library_open(group_dir, &arena, diag, &library);
	if (status == TAKT_OK && family_name) {
		family = takt_events_family_named(&library, family_name, diag);
		status = family ? TAKT_OK : TAKT_NOT_FOUND;
	}
	if (status == TAKT_OK && !family) {
		list_families(&library, text);
	} else if (status == TAKT_OK && !name) {
		status = list_groups(&library, family, diag, text);
	} else if (status == TAKT_OK) {
		status = takt_events_group_open(&library, family, name, diag, &group);
		if (status == TAKT_OK)
			list_group(&library, family, group, text);
	}
	takt_arena_release(&arena);
	return status;
}
