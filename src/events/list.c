/* SPDX-License-Identifier: MIT */
/* Lists families, their groups and their events. */
#include <stdlib.h>
#include <string.h>

#include "events/backend.h"

#define NEAREST_MAX 3u

/* A listing in the arena that has all of it. */
struct holder {
	struct takt_count_listing listing; /* the first member, see takt_count_listing_free() */
	struct takt_arena arena;
};

/* A listing being made. */
struct builder {
	struct takt_arena *arena;
	const struct events_library *library;
	struct takt_diag *diag;
};

static struct takt_count_listed_event list_event(const struct events_event *event,
						 const char *alias)
{
	return (struct takt_count_listed_event){
		.alias = alias,
		.name = event->name,
		.unit = event->unit_text,
		.description = event->what,
		.encoding = event->encoding,
		.origins = event->origins,
	};
}

/* Fill in what stands beside a family's groups and events, and the names of its groups. */
static void begin_family(const struct builder *builder, const struct events_family *family,
			 struct takt_count_listed_family *ret_listed)
{
	struct takt_count_listed_group *groups;
	uint32_t count;
	const char *const *names = takt_events_group_names(builder->library, family, &count);

	groups = TAKT_NEW_ARRAY(builder->arena, count, struct takt_count_listed_group);
	for (uint32_t i = 0; i < count; i++)
		groups[i] = (struct takt_count_listed_group){.name = names[i]};
	*ret_listed = (struct takt_count_listed_family){
		.name = family->name,
		.title = family->title,
		.cores = family->cores,
		.core_count = family->core_count,
		.groups = groups,
		.group_count = count,
	};
}

static void list_families(const struct builder *builder, struct takt_count_listing *listing)
{
	const struct events_library *library = builder->library;
	struct takt_count_listed_family *families = TAKT_NEW_ARRAY(
		builder->arena, library->family_count, struct takt_count_listed_family);

	for (uint32_t i = 0; i < library->family_count; i++)
		if (library->families[i].core_count || !*library->families[i].isa)
			begin_family(builder, &library->families[i],
				     &families[listing->family_count++]);
	listing->families = families;
}

/* Collect the events that a family's groups can use. */
static void list_events(const struct builder *builder, const struct events_family *family,
			struct takt_count_listed_family *listed)
{
	const struct events_library *library = builder->library;
	struct takt_count_listed_event *events;
	uint32_t most = 0;

	for (uint32_t i = 0; i < library->family_count; i++)
		most += library->families[i].event_count;
	events = TAKT_NEW_ARRAY(builder->arena, most, struct takt_count_listed_event);
	for (uint32_t i = 0; i < library->family_count; i++)
		for (uint32_t k = 0; k < library->families[i].event_count; k++) {
			const struct events_event *event = &library->families[i].events[k];

			if (takt_events_event_find(library, family, event->name) == event)
				events[listed->event_count++] = list_event(event, NULL);
		}
	listed->events = events;
}

static enum takt_status list_groups(const struct builder *builder,
				    const struct events_family *family,
				    struct takt_count_listed_family *listed)
{
	struct takt_count_listed_group *groups =
		TAKT_NEW_ARRAY(builder->arena, listed->group_count, struct takt_count_listed_group);

	for (uint32_t i = 0; i < listed->group_count; i++) {
		const struct events_group *group;
		enum takt_status status = takt_events_group_open(
			builder->library, family, listed->groups[i].name, builder->diag, &group);

		if (status != TAKT_OK)
			return status;
		groups[i] = (struct takt_count_listed_group){
			.name = group->name,
			.title = group->title,
		};
	}
	listed->groups = groups;
	list_events(builder, family, listed);
	return TAKT_OK;
}

static enum takt_status list_group(const struct builder *builder,
				   const struct events_family *family, const char *name,
				   struct takt_count_listed_family *listed)
{
	struct takt_count_listed_group *only =
		TAKT_NEW(builder->arena, struct takt_count_listed_group);
	struct takt_count_listed_event *events;
	struct takt_count_metric *metrics;
	const struct events_group *group;
	enum takt_status status =
		takt_events_group_open(builder->library, family, name, builder->diag, &group);

	if (status != TAKT_OK)
		return status;
	events = TAKT_NEW_ARRAY(builder->arena, group->event_count, struct takt_count_listed_event);
	metrics = TAKT_NEW_ARRAY(builder->arena, group->metric_count, struct takt_count_metric);
	for (uint32_t i = 0; i < group->event_count; i++)
		events[i] = list_event(
			takt_events_event_find(builder->library, family, group->events[i].counter),
			group->events[i].name);
	for (uint32_t i = 0; i < group->metric_count; i++)
		metrics[i] = (struct takt_count_metric){
			.group = group->name,
			.name = group->metrics[i].name,
			.unit = group->metrics[i].unit_text,
			.formula = group->metrics[i].text,
		};
	*only = (struct takt_count_listed_group){
		.name = group->name,
		.title = group->title,
		.description = group->prose,
		.events = events,
		.metrics = metrics,
		.event_count = group->event_count,
		.metric_count = group->metric_count,
	};
	listed->groups = only;
	listed->group_count = 1;
	return TAKT_OK;
}

static enum takt_status list_family(const struct builder *builder,
				    const struct events_family *family, const char *group,
				    struct takt_count_listing *listing)
{
	struct takt_count_listed_family *listed =
		TAKT_NEW(builder->arena, struct takt_count_listed_family);

	begin_family(builder, family, listed);
	listing->kind = group ? TAKT_COUNT_LIST_GROUP : TAKT_COUNT_LIST_FAMILY;
	listing->families = listed;
	listing->family_count = 1;
	return group ? list_group(builder, family, group, listed)
		     : list_groups(builder, family, listed);
}

static void report_unknown(const struct events_library *library, const char *name,
			   struct takt_diag *diag)
{
	const char **names = TAKT_NEW_ARRAY(library->arena, library->family_count, const char *);
	struct takt_text nearest = {0};

	for (uint32_t i = 0; i < library->family_count; i++)
		names[i] = library->families[i].name;
	takt_error(diag, "no family of cores is named '%s'", name);
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

enum takt_status takt_count_listing_open(const char *family_name, const char *group,
					 const char *group_dir, struct takt_diag *diag,
					 struct takt_count_listing **ret_listing)
{
	struct holder *holder = takt_xcalloc(1, sizeof(*holder));
	const struct events_family *family = NULL;
	struct events_library library;
	struct builder builder = {&holder->arena, &library, diag};
	enum takt_status status;

	status = takt_events_library_open(group_dir, &holder->arena, diag, &library);
	if (status == TAKT_OK && family_name) {
		family = takt_events_family_named(&library, family_name, diag);
		status = family ? TAKT_OK : TAKT_NOT_FOUND;
	}
	if (status == TAKT_OK && family)
		status = list_family(&builder, family, group, &holder->listing);
	else if (status == TAKT_OK)
		list_families(&builder, &holder->listing);
	if (status == TAKT_OK)
		*ret_listing = &holder->listing;
	else
		takt_count_listing_free(&holder->listing);
	return status;
}

void takt_count_listing_free(struct takt_count_listing *listing)
{
	TAKT_FREE_OWNER(struct holder, listing);
}

/* ---- text ---- */

static void write_family_line(const struct takt_count_listed_family *family, struct takt_text *text)
{
	takt_text_printf(text, "%-16s %2u groups  %s", family->name, family->group_count,
			 family->title);
	for (uint32_t i = 0; i < family->core_count; i++)
		takt_text_printf(text, "%s%s", i ? " " : " (", family->cores[i]);
	takt_text_add_string(text, family->core_count ? ")\n" : "\n");
}

static void write_family(const struct takt_count_listed_family *family, struct takt_text *text)
{
	takt_text_printf(text, "%s: %s\n\nGroups\n", family->name, family->title);
	for (uint32_t i = 0; i < family->group_count; i++)
		takt_text_printf(text, "  %-14s  %s\n", family->groups[i].name,
				 family->groups[i].title);
	takt_text_add_string(text, "\nEvents\n");
	for (uint32_t i = 0; i < family->event_count; i++) {
		const struct takt_count_listed_event *event = &family->events[i];

		takt_text_printf(text, "  %s%s%s%s%s\n", event->name, *event->unit ? " [" : "",
				 event->unit, *event->unit ? "]" : "",
				 event->origins & TAKT_MODELLED ? " (modelled)" : "");
		if (*event->description)
			takt_text_printf(text, "      %s\n", event->description);
	}
}

static void write_group(const struct takt_count_listed_family *family, struct takt_text *text)
{
	const struct takt_count_listed_group *group = &family->groups[0];

	takt_text_printf(text, "%s/%s: %s\n\nEvents\n", family->name, group->name, group->title);
	for (uint32_t i = 0; i < group->event_count; i++) {
		const struct takt_count_listed_event *event = &group->events[i];

		takt_text_printf(text, "  %-16s  %s%s%s\n", event->alias, event->name,
				 event->encoding ? "  " : "",
				 event->encoding ? event->encoding : "");
	}
	takt_text_add_string(text, "\nMetrics\n");
	for (uint32_t i = 0; i < group->metric_count; i++)
		takt_text_printf(text, "  %s [%s] = %s\n", group->metrics[i].name,
				 group->metrics[i].unit, group->metrics[i].formula);
	if (*group->description)
		takt_text_printf(text, "\n%s\n", group->description);
}

static void write_text(const struct takt_count_listing *listing, struct takt_text *text)
{
	if (listing->kind == TAKT_COUNT_LIST_FAMILY)
		write_family(listing->families, text);
	else if (listing->kind == TAKT_COUNT_LIST_GROUP)
		write_group(listing->families, text);
	else
		for (uint32_t i = 0; i < listing->family_count; i++)
			write_family_line(&listing->families[i], text);
}

enum takt_status takt_count_list(const char *family, const char *name, const char *group_dir,
				 struct takt_diag *diag, struct takt_text *text)
{
	struct takt_count_listing *listing;
	enum takt_status status = takt_count_listing_open(family, name, group_dir, diag, &listing);

	if (status != TAKT_OK)
		return status;
	write_text(listing, text);
	takt_count_listing_free(listing);
	return TAKT_OK;
}
