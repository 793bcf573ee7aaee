/* SPDX-License-Identifier: MIT */
/* Turns the counts of a backend into a result: sums, metrics, origins. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events/backend.h"

struct holder {
	struct takt_count_result result; /* first, since the caller has a pointer to it */
	struct takt_arena arena;
};

struct builder {
	const struct events_plan *plan;
	const struct events_counts *counts;
	struct takt_arena *arena;
	struct takt_count_result *result;
	uint32_t metric_count, name_most; /* largest number of names in the formulas of a group */
};

static void describe_events(struct builder *builder)
{
	const struct events_plan *plan = builder->plan;
	struct takt_count_event *events =
		TAKT_NEW_ARRAY(builder->arena, plan->event_count, struct takt_count_event);

	for (uint32_t i = 0; i < plan->event_count; i++)
		events[i] = (struct takt_count_event){
			.name = takt_arena_string(builder->arena, plan->events[i]->name),
			.unit = takt_arena_string(builder->arena, plan->events[i]->unit_text),
			.description = takt_arena_string(builder->arena, plan->events[i]->what),
			.origins = plan->events[i]->origins,
		};
	builder->result->events = events;
	builder->result->event_count = plan->event_count;
}

static void describe_group(struct builder *builder, const struct events_plan_group *row,
			   struct takt_count_metric *metrics)
{
	const struct events_group *group = row->group;
	uint32_t *origins = TAKT_NEW_ARRAY(builder->arena, builder->name_most, uint32_t);

	for (uint32_t i = 0; i < group->event_count; i++)
		origins[i] = builder->plan->events[row->events[i]]->origins;
	origins[group->event_count + EVENTS_TIME] = TAKT_TIMED;
	for (uint32_t i = 0; i < group->metric_count; i++) {
		const struct events_group_metric *metric = &group->metrics[i];

		metrics[i] = (struct takt_count_metric){
			.group = takt_arena_string(builder->arena, group->name),
			.name = takt_arena_string(builder->arena, metric->name),
			.unit = strcmp(metric->unit_text, "1") == 0
					? ""
					: takt_arena_string(builder->arena, metric->unit_text),
			.formula = takt_arena_string(builder->arena, metric->text),
			.origins = takt_events_formula_origins(metric->formula, origins),
		};
		origins[group->event_count + EVENTS_GIVEN_COUNT + i] = metrics[i].origins;
	}
}

static void describe_metrics(struct builder *builder)
{
	const struct events_plan *plan = builder->plan;
	struct takt_count_metric *metrics;
	uint32_t at = 0;

	for (uint32_t i = 0; i < plan->group_count; i++) {
		const struct events_group *group = plan->groups[i].group;
		uint32_t names = group->event_count + EVENTS_GIVEN_COUNT + group->metric_count;

		builder->metric_count += group->metric_count;
		builder->name_most = names > builder->name_most ? names : builder->name_most;
	}
	metrics = TAKT_NEW_ARRAY(builder->arena, builder->metric_count, struct takt_count_metric);
	for (uint32_t i = 0; i < plan->group_count; i++) {
		describe_group(builder, &plan->groups[i], metrics + at);
		at += plan->groups[i].group->metric_count;
	}
	builder->result->metrics = metrics;
	builder->result->metric_count = builder->metric_count;
}

/* Compute all metrics of a part whose events have been counted. */
static const double *metrics_of(struct builder *builder, const struct takt_count_part *part)
{
	const struct events_plan *plan = builder->plan;
	double *metrics = TAKT_NEW_ARRAY(builder->arena, builder->metric_count, double);
	double *values = TAKT_NEW_ARRAY(builder->arena, builder->name_most, double);
	uint32_t at = 0;

	for (uint32_t i = 0; i < plan->group_count; i++) {
		const struct events_group *group = plan->groups[i].group;

		for (uint32_t k = 0; k < group->event_count; k++) {
			uint32_t event = plan->groups[i].events[k];

			values[k] = part->events[event] * plan->events[event]->unit.scale;
		}
		values[group->event_count + EVENTS_TIME] = part->seconds;
		values[group->event_count + EVENTS_LINE] = builder->counts->line_bytes;
		for (uint32_t k = 0; k < group->metric_count; k++) {
			const struct events_group_metric *metric = &group->metrics[k];
			double value = takt_events_formula_value(metric->formula, values);

			values[group->event_count + EVENTS_GIVEN_COUNT + k] = value;
			metrics[at++] = value / metric->unit.scale;
		}
	}
	return metrics;
}

static const double *shares_of(struct builder *builder, const double *shares)
{
	uint32_t count = builder->plan->event_count;
	double *copied = TAKT_NEW_ARRAY(builder->arena, count, double);

	for (uint32_t i = 0; i < count; i++)
		copied[i] = shares ? shares[i] : 1;
	return copied;
}

static void add_parts(struct builder *builder)
{
	const struct events_counts *counts = builder->counts;
	struct takt_count_part *parts =
		TAKT_NEW_ARRAY(builder->arena, counts->part_count, struct takt_count_part);
	uint32_t event_count = builder->plan->event_count;

	for (uint32_t i = 0; i < counts->part_count; i++) {
		const struct events_part *from = &counts->parts[i];
		double *events = TAKT_NEW_ARRAY(builder->arena, event_count, double);

		memcpy(events, from->values, event_count * sizeof(*events));
		parts[i] = (struct takt_count_part){
			.region = takt_arena_string(builder->arena, from->region),
			.thread = from->thread,
			.entries = from->entries,
			.seconds = from->seconds,
			.events = events,
			.shares = shares_of(builder, from->shares),
		};
		parts[i].metrics = metrics_of(builder, &parts[i]);
		builder->result->thread_count += !from->region;
	}
	builder->result->parts = parts;
	builder->result->part_count = counts->part_count;
}

/* Return the sum of `count` parts of a region. */
static struct takt_count_part sum_of(struct builder *builder, const struct takt_count_part *parts,
				     uint32_t count)
{
	uint32_t event_count = builder->plan->event_count;
	double *events = TAKT_NEW_ARRAY(builder->arena, event_count, double);
	double *shares = TAKT_NEW_ARRAY(builder->arena, event_count, double);
	struct takt_count_part sum = {
		.region = parts->region,
		.thread = UINT32_MAX,
		.seconds = parts->region ? NAN : builder->counts->seconds,
		.events = events,
		.shares = shares,
	};

	for (uint32_t k = 0; k < event_count; k++)
		shares[k] = 1;
	for (uint32_t i = 0; i < count; i++) {
		sum.entries += parts[i].entries;
		/*
		 * Threads are in a region at the same time, so it lasts as long as the longest of
		 * them.
		 */
		if (sum.region)
			sum.seconds = fmax(sum.seconds, parts[i].seconds);
		for (uint32_t k = 0; k < event_count; k++) {
			events[k] += parts[i].events[k];
			shares[k] = fmin(shares[k], parts[i].shares[k]);
		}
	}
	sum.metrics = metrics_of(builder, &sum);
	return sum;
}

static void add_sums(struct builder *builder)
{
	struct takt_count_result *result = builder->result;
	struct takt_count_part *sums =
		TAKT_NEW_ARRAY(builder->arena, result->part_count, struct takt_count_part);

	for (uint32_t i = 0, end; i < result->part_count; i = end) {
		for (end = i + 1; end < result->part_count; end++)
			if (!takt_string_same(result->parts[i].region, result->parts[end].region))
				break;
		sums[result->sum_count++] = sum_of(builder, &result->parts[i], end - i);
	}
	result->sums = sums;
}

static void add_notes(struct builder *builder)
{
	uint32_t count = 0, count_max = builder->counts->note_count + 1;
	const char **notes = TAKT_NEW_ARRAY(builder->arena, count_max, const char *);

	if (builder->plan->note)
		notes[count++] = takt_arena_string(builder->arena, builder->plan->note);
	for (uint32_t i = 0; i < builder->counts->note_count; i++)
		notes[count++] = takt_arena_string(builder->arena, builder->counts->notes[i]);
	builder->result->notes = notes;
	builder->result->note_count = count;
}

struct takt_count_result *takt_events_result_new(const struct events_plan *plan,
						 const struct events_counts *counts)
{
	struct holder *holder = takt_xcalloc(1, sizeof(*holder));
	struct takt_count_result *result = &holder->result;
	struct builder builder = {plan, counts, &holder->arena, result, 0, 0};

	result->backend = plan->options->backend == TAKT_COUNT_EMULATE ? "emulate" : "pmu";
	result->core = takt_arena_string(builder.arena, counts->core);
	result->core_choice = takt_arena_string(builder.arena, counts->core_choice);
	result->family = takt_arena_string(builder.arena, plan->family->name);
	result->per_cpu = plan->options->per_cpu;
	result->seconds = counts->seconds;
	result->exit_status = counts->exit_status;
	result->signal = counts->signal;
	describe_events(&builder);
	describe_metrics(&builder);
	add_parts(&builder);
	add_sums(&builder);
	add_notes(&builder);
	return result;
}

void takt_events_tell(const struct events_plan *plan, const struct events_counts *counts)
{
	struct takt_count_result *result = takt_events_result_new(plan, counts);

	plan->options->timeline(plan->options->timeline_context, result);
	takt_count_result_free(result);
}

void takt_count_result_free(struct takt_count_result *result)
{
	struct takt_arena arena;

	if (!result)
		return;
	arena = ((struct holder *)result)->arena;
	takt_arena_release(&arena);
	free(result);
}
