/* SPDX-License-Identifier: MIT */
/* Turns names of groups and events into a plan of what to count. */
#include <assert.h>
#include <string.h>

#include "events/backend.h"
#include "events/pmu.h"

#define WANTED_MAX 256u
#define NEAREST_MAX 3u
#define DEFAULT_GROUP "BRANCH" /* instructions, cycles, branches and mispredictions */

struct planner {
	struct events_plan *plan;
	struct takt_arena *arena;
	struct takt_diag *diag;
	const struct events_event **events;
	struct events_plan_group *groups;
	uint32_t event_capacity;
};

static uint32_t add_event(struct planner *planner, const struct events_event *event)
{
	struct events_plan *plan = planner->plan;

	assert(planner->events || !plan->event_count);
	for (uint32_t i = 0; i < plan->event_count; i++)
		if (planner->events[i] == event)
			return i;
	TAKT_GROW_IN(planner->arena, planner->events, plan->event_count + 1,
		     planner->event_capacity);
	assert(planner->events);
	planner->events[plan->event_count] = event;
	return plan->event_count++;
}

static void add_group(struct planner *planner, const struct events_group *group)
{
	struct events_plan *plan = planner->plan;
	uint32_t *events = TAKT_NEW_ARRAY(planner->arena, group->event_count, uint32_t);

	for (uint32_t i = 0; i < group->event_count; i++)
		events[i] = add_event(planner, takt_events_event_find(&plan->library, plan->family,
								      group->events[i].counter));
	planner->groups[plan->group_count++] = (struct events_plan_group){group, events};
}

static bool has_group(const struct events_plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->group_count; i++)
		if (strcmp(plan->groups[i].group->name, name) == 0)
			return true;
	return false;
}

static enum takt_status report_unknown(struct planner *planner, const char *name)
{
	const struct events_plan *plan = planner->plan;
	struct takt_text nearest = {0};
	uint32_t count;
	const char *const *names = takt_events_group_names(&plan->library, plan->family, &count);

	if (plan->options->backend == TAKT_COUNT_PMU)
		(void)takt_pmu_has_pfm(planner->diag);
	takt_error(planner->diag, "%s has neither a group nor an event '%s'", plan->family->name,
		   name);
	if (takt_nearest_names(name, names, count, NEAREST_MAX, &nearest))
		takt_note(planner->diag, "did you mean %s?", takt_text_data(&nearest));
	else
		takt_events_note_nearest(&plan->library, plan->family, name, planner->diag);
	takt_note(planner->diag, "'takt count --list=%s' lists both", plan->family->name);
	takt_text_release(&nearest);
	return TAKT_NOT_FOUND;
}

/*
 * Find an event that no table has by this name: one of the tables' events with ":u", without the
 * kernel's work, or one that the kernel or libpfm4 knows.
 */
static const struct events_event *find_elsewhere(struct planner *planner, const char *name)
{
	const struct events_plan *plan = planner->plan;
	const struct events_event *whole;
	struct events_event *event = TAKT_NEW(planner->arena, struct events_event);
	struct pmu_event found;

	whole = takt_pmu_is_user_only(name)
			? takt_events_event_find(
				  &plan->library, plan->family,
				  takt_arena_copy(planner->arena, name, strlen(name) - 2))
			: NULL;
	if (whole) {
		*event = *whole;
		event->name = name;
		return event;
	}
	if (takt_pmu_event_find(name, planner->arena, NULL, &found) != TAKT_OK)
		return NULL;
	*event = (struct events_event){
		.name = name,
		.unit_text = strstr(name, "-clock") ? "ns" : "",
		.source = "",
		.what = "",
		.origins = TAKT_COUNTED,
	};
	takt_events_unit_parse(event->unit_text, strlen(event->unit_text), &event->unit);
	return event;
}

static enum takt_status add_wanted(struct planner *planner, const char *name)
{
	const struct events_plan *plan = planner->plan;
	const struct events_event *event;
	const struct events_group *group;
	enum takt_status status;

	if (has_group(plan, name))
		return TAKT_OK;
	if (takt_events_group_text(&plan->library, plan->family, name)) {
		status = takt_events_group_open(&plan->library, plan->family, name, planner->diag,
						&group);
		if (status == TAKT_OK)
			add_group(planner, group);
		return status;
	}
	event = takt_events_event_find(&plan->library, plan->family, name);
	if (!event && plan->options->backend == TAKT_COUNT_PMU)
		event = find_elsewhere(planner, name);
	if (!event)
		return report_unknown(planner, name);
	add_event(planner, event);
	return TAKT_OK;
}

/* True if this machine has a counter for the event that is free to use. */
static bool can_count(const struct planner *planner, const struct events_event *event)
{
	struct events_plan plan = *planner->plan;

	plan.events = &event;
	plan.event_count = 1;
	plan.group_count = 0;
	return takt_pmu_can_count(&plan, planner->arena, NULL);
}

/* True if the events of the default group can be counted here. */
static bool can_count_default_group(const struct planner *planner)
{
	const struct events_plan *plan = planner->plan;
	const struct events_group *group;

	if (!takt_events_group_text(&plan->library, plan->family, DEFAULT_GROUP) ||
	    takt_events_group_open(&plan->library, plan->family, DEFAULT_GROUP, NULL, &group) !=
		    TAKT_OK)
		return false;
	for (uint32_t i = 0; i < group->event_count; i++)
		if (!can_count(planner, takt_events_event_find(&plan->library, plan->family,
							       group->events[i].counter)))
			return false;
	return true;
}

/* Plan those hardware events of perf stat that can be counted; note which cannot. */
static void add_hardware_defaults(struct planner *planner)
{
	static const char *const names[] = {"cycles", "instructions", "branches", "branch-misses"};
	const char *missing[TAKT_COUNT_OF(names)];
	struct takt_text list = {0};
	uint32_t count = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(names); i++) {
		const struct events_event *event = find_elsewhere(planner, names[i]);

		if (event && can_count(planner, event))
			add_event(planner, event);
		else
			missing[count++] = names[i];
	}
	for (uint32_t i = 0; i < count; i++)
		takt_text_printf(&list, "%s%s",
				 i == 0		 ? ""
				 : i + 1 < count ? ", "
						 : " and ",
				 missing[i]);
	if (count)
		planner->plan->note = takt_arena_printf(
			planner->arena,
			"left out, since this machine has no counters of them: %s; "
			"--backend=emulate counts instructions and branches exactly",
			takt_text_data(&list));
	takt_text_release(&list);
}

/*
 * Plan what perf stat counts unless told otherwise: the kernel's events of scheduling and paging,
 * and cycles, instructions, branches and mispredictions where there are counters for them.
 */
static enum takt_status add_defaults(struct planner *planner)
{
	static const char *const software[] = {"task-clock", "context-switches", "cpu-migrations",
					       "page-faults"};
	bool pmu = planner->plan->options->backend == TAKT_COUNT_PMU;
	enum takt_status status = TAKT_OK;

	for (size_t i = 0; pmu && status == TAKT_OK && i < TAKT_COUNT_OF(software); i++)
		status = add_wanted(planner, software[i]);
	if (status != TAKT_OK)
		return status;
	if (!pmu || can_count_default_group(planner))
		return add_wanted(planner, DEFAULT_GROUP);
	add_hardware_defaults(planner);
	return TAKT_OK;
}

/* Return the family of the model's core; of a learnt one, that of the core CPUID names. */
static const struct events_family *family_of(const struct events_library *library,
					     const struct takt_model *model)
{
	const struct takt_recognition *recognition = takt_model_recognition(model);
	const struct events_family *family =
		takt_events_family_of_core(library, takt_model_name(model));

	if (!family && recognition && *recognition->claimed)
		family = takt_events_family_of_core(library, recognition->claimed);
	return family;
}

static enum takt_status find_family(struct events_plan *plan, const char *name,
				    struct takt_diag *diag)
{
	bool pmu = plan->options->backend == TAKT_COUNT_PMU;

	/*
	 * Counters are those of the machine's core: another core's events would count something
	 * else.
	 */
	if (plan->model && !(pmu && takt_model_doubt(plan->model)))
		plan->family = family_of(&plan->library, plan->model);
	if (!plan->family && name)
		plan->family = takt_events_family_find(&plan->library, name);
	if (plan->family)
		return TAKT_OK;
	takt_error(diag, "no family of cores has groups and events for %s%s",
		   plan->model ? takt_model_name(plan->model)
		   : name      ? name
			       : "a core that is not known",
		   pmu && !takt_pmu_exists() ? ", and this machine has no counters" : "");
	takt_note(diag, "'takt count --list' lists them; 'takt count --groups=DIR' adds others");
	if (pmu)
		takt_note(diag, "'--backend=emulate' counts without counters");
	return TAKT_NOT_FOUND;
}

enum takt_status takt_events_plan_new(const struct takt_count_options *options, const char *family,
				      const struct takt_model *model, struct takt_arena *arena,
				      struct takt_diag *diag, struct events_plan *ret_plan)
{
	struct events_plan plan = {.options = options, .model = model};
	struct planner planner = {.plan = &plan, .arena = arena, .diag = diag};
	enum takt_status status;

	if (options->group_count > WANTED_MAX) {
		takt_error(diag, "more than %u groups and events", WANTED_MAX);
		return TAKT_BAD_INPUT;
	}
	planner.groups = TAKT_NEW_ARRAY(arena, options->group_count + 1, struct events_plan_group);
	plan.groups = planner.groups;
	status = takt_events_library_open(options->group_dir, arena, diag, &plan.library);
	if (status == TAKT_OK)
		status = find_family(&plan, family, diag);
	for (uint32_t i = 0; status == TAKT_OK && i < options->group_count; i++)
		status = add_wanted(&planner, options->groups[i]);
	if (status == TAKT_OK && options->group_count == 0)
		status = add_defaults(&planner);
	if (status != TAKT_OK)
		return status;
	plan.events = planner.events;
	*ret_plan = plan;
	return TAKT_OK;
}
