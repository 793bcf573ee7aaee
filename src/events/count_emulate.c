/* SPDX-License-Identifier: MIT */
/* The backend `emulate`: runs a program under qemu, or reads a log, with the oracle as observer. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "events/backend.h"
#include "events/timed.h"

#define NOTES_MAX 13u

/* One row per event: X(field, name, unit, origin, description). */
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
		/* All units in the table are known, so parsing cannot fail. */
		takt_events_unit_parse(rows[i].unit, strlen(rows[i].unit), &events[i].unit);
	}
	*ret_events = events;
	return (uint32_t)TAKT_COUNT_OF(rows);
}

/* True for counts of distinct lines, which regions do not have. */
static bool is_of_lines(size_t row)
{
	static const size_t offsets[] = {
		offsetof(struct oracle_counts, lines_touched),
		offsetof(struct oracle_counts, line_bytes_used),
		offsetof(struct oracle_counts, shared_lines),
		offsetof(struct oracle_counts, falsely_shared_lines),
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(offsets); i++)
		if (rows[row].offset == offsets[i])
			return true;
	return false;
}

struct count {
	const struct events_plan *plan;
	struct takt_arena *arena;
	struct events_counts *counts;
	const char **notes;
	const struct takt_model *model;
	bool is_native; /* the machine executes the program natively */
};

static void add_note(struct count *count, const char *note)
{
	if (count->counts->note_count < NOTES_MAX)
		count->notes[count->counts->note_count++] = note;
}

/* All events of the plan are the family's own, in the order of `rows`. */
static size_t row_of(const struct events_plan *plan, uint32_t event)
{
	return (size_t)(plan->events[event] - plan->family->events);
}

static void look_at_wishes(const struct events_plan *plan, bool *ret_model, bool *ret_lines)
{
	*ret_model = *ret_lines = false;
	for (uint32_t i = 0; i < plan->event_count; i++) {
		*ret_model |= rows[row_of(plan, i)].origin == TAKT_MODELLED;
		*ret_lines |= is_of_lines(row_of(plan, i));
	}
}

static const struct takt_model *open_model(void *context, const char *isa)
{
	struct count *count = context;
	const struct takt_count_options *options = count->plan->options;

	count->model = options->open_model(options->model_context, isa);
	return count->model;
}

static void fill_part(struct count *count, const struct oracle_counts *counts,
		      struct events_part *part)
{
	const struct events_plan *plan = count->plan;

	part->seconds = NAN;
	part->values = TAKT_NEW_ARRAY(count->arena, plan->event_count, double);
	for (uint32_t i = 0; i < plan->event_count; i++) {
		size_t row = row_of(plan, i);
		uint64_t value;

		memcpy(&value, (const char *)counts + rows[row].offset, sizeof(value));
		part->values[i] = (rows[row].origin == TAKT_MODELLED && !count->model) ||
						  (part->region && is_of_lines(row))
					  ? NAN
					  : (double)value;
	}
}

/* Append a region's parts, by thread; returns the next free one. */
static struct events_part *add_region(struct count *count, const struct oracle *oracle,
				      uint32_t region, struct events_part *part)
{
	const char *name = takt_oracle_region_name(oracle, region);

	name = takt_arena_string(count->arena, name);
	for (uint32_t i = 0; i < takt_oracle_thread_count(oracle); i++) {
		const struct oracle_counts *counts =
			takt_oracle_region(oracle, region, i, &part->entries);

		if (!part->entries)
			continue;
		part->region = name;
		part->thread = i;
		fill_part(count, counts, part++);
	}
	return part;
}

static void look(void *context, const struct oracle *oracle,
		 const struct trace_dictionary *dictionary)
{
	struct count *count = context;
	uint32_t threads = takt_oracle_thread_count(oracle);
	uint32_t regions = takt_oracle_region_count(oracle);
	/* One part more than needed, to examine whether a thread was in a region. */
	struct events_part *parts = TAKT_NEW_ARRAY(
		count->arena, (size_t)threads * (regions + 1) + 1, struct events_part);
	struct events_part *part = parts;

	count->is_native = strcmp(dictionary->guest->name, TAKT_HOST_ISA) == 0;
	for (uint32_t i = 0; i < threads; i++, part++) {
		part->thread = i;
		fill_part(count, takt_oracle_thread(oracle, i), part);
	}
	for (uint32_t i = 0; i < regions; i++)
		part = add_region(count, oracle, i, part);
	count->counts->parts = parts;
	count->counts->part_count = (uint32_t)(part - parts);
	if (takt_oracle_undecoded(oracle))
		add_note(count, takt_arena_printf(
					count->arena, "%llu %s as instructions only",
					(unsigned long long)takt_oracle_undecoded(oracle),
					takt_noun(takt_oracle_undecoded(oracle),
						  "instruction that takt cannot decode counts",
						  "instructions that takt cannot decode count")));
}

/* Turn each line of a text into a note. */
static void add_lines(struct count *count, const struct takt_trace_totals *totals,
		      void (*write)(const struct takt_trace_totals *totals, struct takt_text *text))
{
	struct takt_text text = {0};
	char *copy, *line, *rest = NULL;

	write(totals, &text);
	copy = takt_text_move(&text, count->arena);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_note(count, line);
}

static void write_killed(const struct takt_trace_totals *totals, struct takt_text *text)
{
	if (!totals->signal)
		return;
	takt_text_add_string(text, "KILLED: the program did not finish: it was ");
	takt_trace_write_killed(totals, text);
}

static enum takt_status run(struct count *count, char *const *argv, struct takt_diag *diag)
{
	const struct takt_count_options *options = count->plan->options;
	const struct takt_trace_options trace = {.signal = options->signal};
	struct emulate_options emulate = {
		.log_path = options->log_path,
		.trace = &trace,
		.look = look,
		.context = count,
	};
	struct takt_trace_totals *totals;
	enum takt_status status;
	bool needs_model;

	look_at_wishes(count->plan, &needs_model, &emulate.oracle.lines);
	emulate.oracle.model = count->model = needs_model ? options->model : NULL;
	emulate.open_model = needs_model && options->open_model ? open_model : NULL;
	status = takt_emulate(argv, &emulate, diag, &totals);
	if (status != TAKT_OK)
		return status;
	if (needs_model && !count->model)
		add_note(count, "there is no core whose caches and branch prediction could be "
				"modelled");
	count->counts->exit_status = totals->exit_status;
	count->counts->signal = totals->signal;
	add_lines(count, totals, write_killed);
	add_lines(count, totals, takt_trace_write_missing);
	if (totals->stopped_by)
		add_note(count, "PARTIAL: a signal stopped the reading of the log");
	if (totals->blocks_only)
		add_note(count, "the log has no accesses to memory");
	takt_trace_totals_free(totals);
	return TAKT_OK;
}

/* Time the program natively in a second run; a signal that ended the first run ends everything. */
static enum takt_status add_time(struct count *count, char *const *argv, off_t input,
				 struct takt_diag *diag)
{
	struct events_counts *counts = count->counts;
	struct events_timed timed;
	enum takt_status status;

	if (!count->is_native) {
		takt_error(diag, "'%s' cannot be timed: this machine does not execute it", argv[0]);
		takt_note(diag, "leave out '--timed'");
		return TAKT_BAD_INPUT;
	}
	status = takt_events_time(argv, count->plan->options->variables, input, diag, &timed);
	if (status != TAKT_OK)
		return status;
	counts->seconds = timed.seconds;
	for (uint32_t i = 0; i < counts->part_count; i++)
		if (!counts->parts[i].region)
			counts->parts[i].seconds = timed.seconds;
	add_note(count, "time is that of a second run, without emulation, from begin to end "
			"for every thread");
	if (timed.input_was_empty)
		add_note(count, "that run's standard input was empty");
	if (timed.exit_status != counts->exit_status || timed.signal != counts->signal)
		add_note(count, "that run ended in another way than the one that was counted");
	return TAKT_OK;
}

enum takt_status takt_events_emulate(char *const *argv, const struct events_plan *plan,
				     struct takt_arena *arena, struct takt_diag *diag,
				     struct events_counts *ret_counts)
{
	const struct takt_count_options *options = plan->options;
	off_t input = options->timed ? takt_events_input_offset() : -1;
	struct count count = {.plan = plan, .arena = arena, .counts = ret_counts};
	enum takt_status status;

	ret_counts->notes = count.notes = TAKT_NEW_ARRAY(arena, NOTES_MAX, const char *);
	status = run(&count, argv, diag);
	if (status == TAKT_OK && options->timed && !options->log_path && !ret_counts->signal)
		status = add_time(&count, argv, input, diag);
	if (status == TAKT_OK && count.model) {
		ret_counts->core = takt_model_name(count.model);
		ret_counts->core_choice = takt_model_choice(count.model);
		if (takt_model_doubt(count.model))
			add_note(&count, takt_model_doubt(count.model));
		ret_counts->line_bytes = takt_model_params(count.model)->cache_line_bytes;
	}
	return status;
}
