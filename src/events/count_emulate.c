/* SPDX-License-Identifier: MIT */
/* The backend `emulate`: a program under qemu, or a log, looked at by the oracle. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "events/backend.h"
#include "events/timed.h"

#define NOTES_MAX 8u

/* X(field, name, unit, origin, what) */
static const struct {
	const char *name, *unit, *what;
	size_t offset;
	uint32_t origin;
} rows[] = {
#define X(field, name, unit, origin, what)                                                         \
	{name, unit, what, offsetof(struct oracle_counts, field), TAKT_##origin},
	ORACLE_EVENT_LIST(X)
#undef X
};

uint32_t takt_events_emulate_events(struct takt_arena *arena,
				    const struct events_event **ret_events)
{
	struct events_event *events =
		TAKT_NEW_ARRAY(arena, TAKT_COUNT_OF(rows), struct events_event);

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		events[i] = (struct events_event){
			.name = rows[i].name,
			.unit_text = rows[i].unit,
			.what = rows[i].what,
			.source = "",
			.origins = rows[i].origin,
		};
		/* The table's units are ones that are known. */
		takt_events_unit_parse(rows[i].unit, strlen(rows[i].unit), &events[i].unit);
	}
	*ret_events = events;
	return (uint32_t)TAKT_COUNT_OF(rows);
}

struct emulation {
	struct trace_observer observer; /* first, so that it is one */
	struct events_plan plan;
	struct takt_arena arena;
	struct oracle *oracle;
	const struct takt_model *model;
	const char *notes[NOTES_MAX];
	struct events_counts counts;
	bool is_native; /* the machine executes the program itself */
};

static void add_note(struct emulation *emulation, const char *note)
{
	if (emulation->counts.note_count < NOTES_MAX)
		emulation->notes[emulation->counts.note_count++] = note;
}

static bool wants_model(const struct events_plan *plan)
{
	for (uint32_t i = 0; i < plan->event_count; i++)
		if (plan->events[i]->origins & TAKT_MODELLED)
			return true;
	return false;
}

static struct trace_sink *begin(struct trace_observer *observer,
				struct trace_dictionary *dictionary, struct trace_sink *next,
				struct takt_diag *diag)
{
	struct emulation *emulation = (struct emulation *)observer;
	const struct takt_count_options *options = emulation->plan.options;
	struct oracle_options wanted = {0};

	(void)diag;
	emulation->is_native = takt_events_is_native(dictionary->guest);
	if (wants_model(&emulation->plan)) {
		wanted.model = options->model;
		if (!wanted.model && options->open_model) {
			wanted.model = options->open_model(options->model_context,
							   dictionary->guest->name);
			if (!wanted.model)
				return NULL;
		}
		if (!wanted.model)
			add_note(emulation, "there is no core whose caches and branch prediction "
					    "could be modelled");
	}
	emulation->model = wanted.model;
	emulation->oracle = takt_oracle_new(dictionary, &wanted, next);
	return takt_oracle_sink(emulation->oracle);
}

static void fill_part(struct emulation *emulation, const struct oracle_counts *counts,
		      struct events_part *part)
{
	const struct events_plan *plan = &emulation->plan;

	part->seconds = NAN;
	part->values = TAKT_NEW_ARRAY(&emulation->arena, plan->event_count, double);
	for (uint32_t i = 0; i < plan->event_count; i++) {
		/* All events of the plan are the family's own, in the order of `rows`. */
		size_t row = (size_t)(plan->events[i] - plan->family->events);
		uint64_t value;

		memcpy(&value, (const char *)counts + rows[row].offset, sizeof(value));
		part->values[i] = rows[row].origin == TAKT_MODELLED && !emulation->model
					  ? NAN
					  : (double)value;
	}
}

static void end(struct trace_observer *observer, const struct trace_dictionary *dictionary)
{
	struct emulation *emulation = (struct emulation *)observer;
	const struct oracle *oracle = emulation->oracle;
	uint32_t threads = takt_oracle_thread_count(oracle);
	uint32_t regions = takt_oracle_region_count(oracle);
	struct events_part *parts = TAKT_NEW_ARRAY(&emulation->arena,
						   (size_t)threads * (regions + 1),
						   struct events_part);
	struct events_part *part = parts;

	(void)dictionary;
	for (uint32_t i = 0; i < threads; i++, part++) {
		part->thread = i;
		fill_part(emulation, takt_oracle_thread(oracle, i), part);
	}
	for (uint32_t r = 0; r < regions; r++) {
		const char *name = takt_oracle_region_name(oracle, r);

		name = takt_arena_copy(&emulation->arena, name, strlen(name));
		for (uint32_t i = 0; i < threads; i++) {
			const struct oracle_counts *counts =
				takt_oracle_region(oracle, r, i, &part->entries);

			if (!part->entries)
				continue;
			part->region = name;
			part->thread = i;
			fill_part(emulation, counts, part++);
		}
	}
	emulation->counts.parts = parts;
	emulation->counts.part_count = (uint32_t)(part - parts);
}

static enum takt_status run(struct emulation *emulation, char *const *argv, struct takt_diag *diag)
{
	const struct takt_count_options *options = emulation->plan.options;
	const struct takt_trace_options trace = {.signal = options->signal};
	struct takt_trace_totals *totals;
	enum takt_status status;

	status = options->log_path
			 ? takt_trace_observe_log(options->log_path, &trace, &emulation->observer,
						  diag, &totals)
			 : takt_trace_observe(argv, &trace, &emulation->observer, diag, &totals);
	if (status != TAKT_OK)
		return status;
	emulation->counts.exit_status = totals->exit_status;
	emulation->counts.signal = totals->signal;
	if (totals->became_other)
		add_note(emulation, "the program became another one by exec, which is not counted");
	if (totals->stopped_by)
		add_note(emulation, "PARTIAL: a signal stopped the reading of the log");
	if (totals->blocks_only)
		add_note(emulation, "the log has no accesses to memory");
	takt_trace_totals_free(totals);
	return TAKT_OK;
}

/* The program's own time, by a second run; a signal that ended the first one ends it all. */
static enum takt_status add_time(struct emulation *emulation, char *const *argv, off_t input,
				 struct takt_diag *diag)
{
	struct events_counts *counts = &emulation->counts;
	struct events_timed timed;
	enum takt_status status;

	if (!emulation->is_native) {
		takt_error(diag, "'%s' cannot be timed: this machine does not execute it", argv[0]);
		takt_note(diag, "leave out '--timed'");
		return TAKT_BAD_INPUT;
	}
	status = takt_events_time(argv, input, diag, &timed);
	if (status != TAKT_OK)
		return status;
	counts->seconds = timed.seconds;
	for (uint32_t i = 0; i < counts->part_count; i++)
		if (!counts->parts[i].region)
			counts->parts[i].seconds = timed.seconds;
	add_note(emulation, "time is that of a second run, without emulation, from begin to end "
			    "for every thread");
	if (timed.input_was_empty)
		add_note(emulation, "that run's standard input was empty");
	if (timed.exit_status != counts->exit_status || timed.signal != counts->signal)
		add_note(emulation, "that run ended in another way than the one that was counted");
	return TAKT_OK;
}

static enum takt_status emulate(struct emulation *emulation, char *const *argv,
				const struct takt_count_options *options, struct takt_diag *diag)
{
	off_t input = options->timed ? takt_events_input_offset() : -1;
	enum takt_status status = takt_events_plan_new(options, "emulate", NULL, &emulation->arena,
						       diag, &emulation->plan);

	if (status != TAKT_OK)
		return status;
	status = run(emulation, argv, diag);
	if (status == TAKT_OK && options->timed && !options->log_path && !emulation->counts.signal)
		status = add_time(emulation, argv, input, diag);
	if (status == TAKT_OK && emulation->model)
		emulation->counts.core = takt_model_name(emulation->model);
	return status;
}

enum takt_status takt_events_emulate(char *const *argv, const struct takt_count_options *options,
				     struct takt_diag *diag, struct takt_count_result **ret_result)
{
	struct emulation emulation = {
		.observer = {.begin = begin, .end = end},
		.counts = {.seconds = NAN},
	};
	enum takt_status status;

	emulation.counts.notes = emulation.notes;
	takt_arena_init(&emulation.arena);
	status = emulate(&emulation, argv, options, diag);
	if (status == TAKT_OK)
		*ret_result = takt_events_result_new(&emulation.plan, &emulation.counts);
	takt_oracle_free(emulation.oracle);
	takt_arena_release(&emulation.arena);
	return status;
}
