/* SPDX-License-Identifier: MIT */
/*
 * The backend `pmu`: maps events of the plan to counters of this machine, and readings back to
 * events.
 */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events/backend.h"
#include "events/pmu.h"

#define DEVICES "/sys/bus/event_source/devices"
#define CPUS_MAX 4096u
#define NOTES_MAX 6u

struct count {
	const struct events_plan *plan;
	struct takt_arena *arena;
	struct takt_diag *diag;
	struct pmu_event events[PMU_EVENTS_MAX];
	uint32_t event_count;
	/* Start in `events` of each of the plan's events, and the end of the last. */
	uint32_t *first;
	const char *notes[NOTES_MAX];
	struct events_counts *counts;
};

/* ---- devices ---- */

/*
 * True for `name` itself, or `name` with a number appended; for "cpu", whatever the core's PMU is
 * called.
 */
static bool is_device(const char *entry, const char *name)
{
	size_t size = strlen(name);

	if (strcmp(name, "cpu") == 0)
		return takt_pmu_is_core(entry);
	if (strncmp(entry, name, size) != 0)
		return false;
	return entry[size] == '\0' ||
	       (entry[size] == '_' && entry[size + 1] &&
		strspn(entry + size + 1, "0123456789") == strlen(entry + size + 1));
}

/* Call `each` for every device of that name until it returns false. */
static uint32_t for_devices(const char *name, bool (*each)(void *context, const char *device),
			    void *context)
{
	DIR *directory = opendir(DEVICES);
	struct dirent *entry;
	uint32_t count = 0;

	if (!directory)
		return 0;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && is_device(entry->d_name, name)) {
			count++;
			if (each && !each(context, entry->d_name))
				break;
		}
	closedir(directory);
	return count;
}

bool takt_pmu_exists(void)
{
	return for_devices("cpu", NULL, NULL) > 0;
}

/* ---- events ---- */

/* Search for an event with its encoding applied to another device. */
struct wish {
	struct count *count;
	const struct events_event *event;
	const char *terms; /* "/event=0x51,umask=0x1/" */
	enum takt_status status;
};

static bool add_device(void *context, const char *device)
{
	struct wish *wish = context;
	struct count *count = wish->count;
	struct pmu_event *event = &count->events[count->event_count];

	if (count->event_count == PMU_EVENTS_MAX) {
		takt_error(count->diag, "more than %u counters", PMU_EVENTS_MAX);
		takt_note(count->diag, "count one group after the other");
		wish->status = TAKT_BAD_INPUT;
		return false;
	}
	wish->status =
		takt_pmu_event_find(takt_arena_printf(count->arena, "%s%s", device, wish->terms),
				    count->arena, count->diag, event);
	event->name = wish->event->name;
	event->user_only |= takt_pmu_is_user_only(event->name);
	count->event_count++;
	/* The counters of one core's PMU suffice; those of socket units are added up. */
	return wish->status == TAKT_OK && !takt_pmu_is_core(device);
}

static enum takt_status add_event(struct count *count, const struct events_event *event)
{
	struct wish wish = {.count = count, .event = event, .terms = "", .status = TAKT_OK};
	const char *slash = event->encoding ? strchr(event->encoding, '/') : NULL;
	char *pmu;

	if (!slash) {
		add_device(&wish, event->name);
		return wish.status;
	}
	pmu = takt_arena_copy(count->arena, event->encoding, (size_t)(slash - event->encoding));
	wish.terms = slash;
	if (for_devices(pmu, add_device, &wish))
		return wish.status;
	takt_error(count->diag, "'%s' cannot be counted: this machine has no counters '%s'",
		   event->name, pmu);
	takt_note(count->diag, "virtual machines often have none; '--backend=emulate' counts "
			       "instructions, memory accesses, branches and more exactly");
	return TAKT_UNAVAILABLE;
}

static enum takt_status add_events(struct count *count)
{
	const struct events_plan *plan = count->plan;
	enum takt_status status = TAKT_OK;

	count->first = TAKT_NEW_ARRAY(count->arena, plan->event_count + 1, uint32_t);
	for (uint32_t i = 0; status == TAKT_OK && i < plan->event_count; i++) {
		status = add_event(count, plan->events[i]);
		count->first[i + 1] = count->event_count;
	}
	return status;
}

/* ---- options ---- */

/* Read a list of CPUs: "0,2-3". */
static bool read_cpus(const char *text, int cpus[CPUS_MAX], uint32_t *ret_count)
{
	*ret_count = 0;
	while (text && *text) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (end == text || *text == '-')
			return false;
		if (*end == '-') {
			text = end + 1;
			last = strtoul(text, &end, 10);
			if (end == text)
				return false;
		}
		if (last >= CPUS_MAX || first > last || (*end && (*end != ',' || !end[1])))
			return false;
		for (; first <= last && *ret_count < CPUS_MAX; first++)
			cpus[(*ret_count)++] = (int)first;
		text = *end ? end + 1 : end;
	}
	return true;
}

/* ---- figures ---- */

/* Fill in the counts, scaled up if an event was not counted all the time. */
static void fill(const struct count *count, const struct pmu_reading *readings,
		 struct events_part *part)
{
	for (uint32_t i = 0; i < count->plan->event_count; i++) {
		part->values[i] = 0;
		part->shares[i] = 1;
		for (uint32_t k = count->first[i]; k < count->first[i + 1]; k++) {
			const struct pmu_reading *reading = &readings[k];
			double share = reading->enabled_ns
					       ? fmin(1, (double)reading->running_ns /
								 (double)reading->enabled_ns)
					       : 1;

			part->values[i] += share > 0 ? (double)reading->value / share : NAN;
			part->shares[i] = fmin(part->shares[i], share);
		}
	}
}

static struct events_part *new_parts(struct count *count, uint32_t part_count)
{
	struct events_part *parts = TAKT_NEW_ARRAY(count->arena, part_count, struct events_part);

	for (uint32_t i = 0; i < part_count; i++) {
		parts[i].values = TAKT_NEW_ARRAY(count->arena, count->plan->event_count, double);
		parts[i].shares = TAKT_NEW_ARRAY(count->arena, count->plan->event_count, double);
	}
	return parts;
}

/* True if rows of threads or CPUs, which are of no region, follow the first row, their sum. */
static bool has_threads(const struct pmu_result *result)
{
	return result->row_count > 1 && !result->rows[1].region;
}

static int compare_parts(const void *left, const void *right)
{
	const struct events_part *a = left, *b = right;
	int order = a->region && b->region ? strcmp(a->region, b->region)
					   : (a->region != NULL) - (b->region != NULL);

	return order ? order : (a->thread > b->thread) - (a->thread < b->thread);
}

static void fill_parts(struct count *count, const struct pmu_result *result)
{
	uint32_t first = has_threads(result);
	struct events_part *parts = new_parts(count, result->row_count - first);

	for (uint32_t i = first; i < result->row_count; i++) {
		const struct pmu_row *row = &result->rows[i];
		struct events_part *part = &parts[i - first];

		part->region = row->region;
		part->thread = row->number;
		part->entries = row->entries;
		part->seconds = row->region ? row->seconds : result->seconds;
		fill(count, row->readings, part);
	}
	count->counts->parts = parts;
	count->counts->part_count = result->row_count - first;
	qsort(parts, count->counts->part_count, sizeof(*parts), compare_parts);
}

static void add_note(struct count *count, const char *note)
{
	if (count->counts->note_count < NOTES_MAX)
		count->notes[count->counts->note_count++] = note;
}

static void add_notes(struct count *count, const struct pmu_result *result)
{
	bool shared = false;

	for (uint32_t i = 0; i < count->counts->part_count; i++)
		for (uint32_t k = 0; k < count->plan->event_count; k++)
			shared |= count->counts->parts[i].shares[k] < 1;
	if (shared)
		add_note(count,
			 "there were more events than counters: they took turns, and figures "
			 "are scaled up by the time that each was counted");
	if (result->user_only)
		add_note(count, "the kernel permits counting in user mode only: its own work for "
				"the programs is left out");
	if (result->robbed)
		add_note(count, "another program took a counter away: figures are too low");
	if (result->lost_rows)
		add_note(count, "more threads ended than could be distinguished: their counts are "
				"in those of thread 0");
	if (!has_threads(result) && !count->plan->options->per_cpu)
		add_note(count, takt_pmu_ends_are_reported()
					? "counts by thread need events of one kind that fit the "
					  "counters at once"
					: "counts by thread need events of one kind that fit the "
					  "counters at once; on this kernel, which does not report "
					  "the counts of threads that end, they must fit twice");
	if (result->late_rows && has_threads(result) && result->row_count > 2)
		add_note(count, "this kernel does not report the counts of threads that end: what "
				"each did before takt saw it is in the counts of thread 0");
}

/* ---- the timeline ---- */

static void tell_interval(void *context, const struct pmu_reading *readings, double begin_seconds,
			  double seconds)
{
	struct count *count = context;
	struct events_counts counts = {
		.parts = new_parts(count, 1),
		.part_count = 1,
		.core = count->counts->core,
		.seconds = seconds,
	};

	(void)begin_seconds;
	counts.parts->seconds = seconds;
	fill(count, readings, counts.parts);
	takt_events_tell(count->plan, &counts);
}

/* ---- all of it ---- */

static enum takt_status run(struct count *count, char *const *argv)
{
	const struct takt_count_options *options = count->plan->options;
	int *cpus = TAKT_NEW_ARRAY(count->arena, CPUS_MAX, int);
	struct pmu_options pmu = {
		.events = count->events,
		.event_count = count->event_count,
		.cpus = cpus,
		.per_cpu = options->per_cpu,
		.attach = options->attach_pid,
		.interval_seconds = options->timeline ? options->interval_seconds : 0,
		.timeline = tell_interval,
		.context = count,
		.signal = options->signal,
		.variables = options->variables,
	};
	struct pmu_result result;
	enum takt_status status;

	if (!read_cpus(options->cpus, cpus, &pmu.cpu_count)) {
		takt_error(count->diag, "'%s' is no list of CPUs", options->cpus);
		takt_note(count->diag, "as in '0,2-3'");
		return TAKT_BAD_INPUT;
	}
	status = takt_pmu_run(argv, &pmu, count->arena, count->diag, &result);
	if (status != TAKT_OK)
		return status;
	count->counts->seconds = result.seconds;
	count->counts->exit_status = result.exit_status;
	count->counts->signal = result.signal;
	fill_parts(count, &result);
	add_notes(count, &result);
	return TAKT_OK;
}

bool takt_pmu_can_count(const struct events_plan *plan, struct takt_arena *arena,
			struct takt_diag *diag)
{
	static const struct pmu_place here = {0, -1};
	struct events_counts counts = {.part_count = 0};
	struct count *count = TAKT_NEW(arena, struct count);
	struct pmu_options options;
	struct pmu_counters counters;

	*count = (struct count){.plan = plan, .arena = arena, .diag = diag, .counts = &counts};
	if (add_events(count) != TAKT_OK)
		return false;
	options = (struct pmu_options){.events = count->events, .event_count = count->event_count};
	if (takt_pmu_counters_open(&options, &here, 1, PMU_AS_IT_RUNS, diag, &counters) != TAKT_OK)
		return false;
	takt_pmu_counters_close(&counters);
	return true;
}

enum takt_status takt_pmu_count(char *const *argv, const struct events_plan *plan,
				struct takt_arena *arena, struct takt_diag *diag,
				struct events_counts *ret_counts)
{
	struct count *count = TAKT_NEW(arena, struct count);
	enum takt_status status;

	*count = (struct count){.plan = plan, .arena = arena, .diag = diag, .counts = ret_counts};
	ret_counts->notes = count->notes;
	if (plan->model) {
		ret_counts->core = takt_model_name(plan->model);
		ret_counts->core_choice = takt_model_choice(plan->model);
	}
	status = add_events(count);
	return status == TAKT_OK ? run(count, argv) : status;
}
