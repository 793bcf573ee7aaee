/* SPDX-License-Identifier: MIT */
/* Turns results of counting into figures, and finds the events that they are computed from. */
#include <math.h>
#include <string.h>

#include "diagnose/counted.h"

#define DEPTH_MAX 3u /* nesting of metrics in metrics */

static const char *const metric_names[] = {
#define X(enumerator, metric) metric,
#include "diagnose/counted.def"
#undef X
};

/* Tables in which the events of metrics are looked up. */
struct reader {
	const struct takt_count_result *result;
	struct events_library library;
	const struct events_family *family; /* NULL: unknown */
	struct takt_arena *arena;
	struct takt_diag *diag;
};

/* ---- the events of a metric ---- */

static void add_name(struct takt_text *text, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = text->data; text->size_bytes && (at = strstr(at, name)); at += size)
		if ((at == text->data || at[-1] == ' ') && (!at[size] || at[size] == ' '))
			return;
	takt_text_printf(text, "%s%s", text->size_bytes ? " " : "", name);
}

/* True if a word in a formula is the metric's name, in which formulas write '_' for blanks. */
static bool is_metric(const char *name, const char *word, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++)
		if (word[i] != (name[i] == ' ' ? '_' : name[i]))
			return false;
	return !name[size_bytes];
}

static void add_formula(const struct events_group *group, const char *formula, unsigned depth,
			struct takt_text *text);

static void add_word(const struct events_group *group, const char *word, size_t size_bytes,
		     unsigned depth, struct takt_text *text)
{
	for (uint32_t i = 0; i < group->event_count; i++)
		if (takt_string_is(group->events[i].name, word, size_bytes))
			add_name(text, group->events[i].counter);
	for (uint32_t i = 0; i < group->metric_count && depth < DEPTH_MAX; i++)
		if (is_metric(group->metrics[i].name, word, size_bytes))
			add_formula(group, group->metrics[i].text, depth + 1, text);
}

static void add_formula(const struct events_group *group, const char *formula, unsigned depth,
			struct takt_text *text)
{
	while (*formula) {
		size_t size = 0;

		while (takt_is_alnum(formula[size]) || formula[size] == '_')
			size++;
		if (size && !takt_is_digit(*formula))
			add_word(group, formula, size, depth, text);
		formula += size ? size : 1;
	}
}

/* Return the group of a metric; NULL if it cannot be read. */
static const struct events_group *find_group(struct reader *reader, const char *name)
{
	const struct events_group *group;

	if (!reader->family || takt_events_group_open(&reader->library, reader->family, name,
						      reader->diag, &group) != TAKT_OK)
		return NULL;
	return group;
}

static const char *events_of(struct reader *reader, const struct takt_count_metric *metric)
{
	const struct events_group *group = find_group(reader, metric->group);
	struct takt_text text = {0};

	if (group)
		add_formula(group, metric->formula, 0, &text);
	return takt_text_move(&text, reader->arena);
}

/* ---- figures ---- */

/*
 * True if the figure can be of the group: two metrics have the same name, and only the group
 * distinguishes them.
 */
static bool is_of_group(enum counted_figure figure, const char *group)
{
	bool single = figure == COUNTED_OPERATIONS_SP || figure == COUNTED_VECTORS_SP;
	bool twice = single || figure == COUNTED_OPERATIONS_DP || figure == COUNTED_VECTORS_DP;

	return !twice || strcmp(group, single ? "FLOPS_SP" : "FLOPS_DP") == 0;
}

/* Return the index of the figure's metric, or result->metric_count if it was not counted. */
static uint32_t find_metric(const struct takt_count_result *result, enum counted_figure figure)
{
	uint32_t i = 0;

	while (i < result->metric_count &&
	       (strcmp(result->metrics[i].name, metric_names[figure]) != 0 ||
		!is_of_group(figure, result->metrics[i].group) ||
		isnan(result->sums[0].metrics[i])))
		i++;
	return i;
}

static double scale_of(const struct takt_count_metric *metric)
{
	struct events_unit unit;

	return takt_events_unit_parse(metric->unit, strlen(metric->unit), &unit) ? unit.scale : 1;
}

static void read_figure(struct reader *reader, enum counted_figure figure, struct counted *counted)
{
	const struct takt_count_result *result = reader->result;
	uint32_t index = find_metric(result, figure);

	counted->figures[figure] = NAN;
	counted->events[figure] = "";
	if (index == result->metric_count)
		return;
	counted->figures[figure] =
		result->sums[0].metrics[index] * scale_of(&result->metrics[index]);
	counted->origins[figure] = result->metrics[index].origins;
	counted->events[figure] = events_of(reader, &result->metrics[index]);
}

static double event_value(const struct takt_count_result *result, const char *name,
			  size_t size_bytes)
{
	for (uint32_t i = 0; i < result->event_count; i++)
		if (takt_string_is(result->events[i].name, name, size_bytes))
			return result->sums[0].events[i];
	return NAN;
}

/* Read cycles and instructions, which are the events of CPI, in this order. */
static void read_instructions(struct reader *reader, struct counted *counted)
{
	const char *events = counted->events[COUNTED_CPI], *second = strchr(events, ' ');

	counted->insns = counted->cycles = NAN;
	if (!second)
		return;
	counted->cycles = event_value(reader->result, events, (size_t)(second - events));
	counted->insns = event_value(reader->result, second + 1, strlen(second + 1));
}

/* ---- threads ---- */

static double operations_of(const struct takt_count_result *result,
			    const struct takt_count_part *part)
{
	static const enum counted_figure figures[] = {COUNTED_OPERATIONS_DP, COUNTED_OPERATIONS_SP,
						      COUNTED_OPERATIONS, COUNTED_OPERATIONS_ALL};
	double sum = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(figures); i++) {
		uint32_t index = find_metric(result, figures[i]);

		if (index < result->metric_count && !isnan(part->metrics[index]))
			sum += part->metrics[index] * scale_of(&result->metrics[index]);
	}
	return sum;
}

static void read_threads(struct reader *reader, struct counted *counted)
{
	const struct takt_count_result *result = reader->result;

	counted->thread_count = 0;
	counted->operations = TAKT_NEW_ARRAY(reader->arena, result->part_count, double);
	for (uint32_t i = 0; i < result->part_count; i++)
		if (!result->parts[i].region)
			counted->operations[counted->thread_count++] =
				operations_of(result, &result->parts[i]);
	if (counted->thread_count < 2)
		counted->operations = NULL;
}

enum takt_status takt_diagnose_counted(const struct takt_count_result *result,
				       struct takt_arena *arena, struct takt_diag *diag,
				       struct counted *ret_counted)
{
	struct reader reader = {.result = result, .arena = arena, .diag = diag};
	enum takt_status status = takt_events_library_open(NULL, arena, diag, &reader.library);

	if (status != TAKT_OK)
		return status;
	reader.family = takt_events_family_find(&reader.library, result->family);
	for (unsigned i = 0; i < COUNTED_COUNT; i++)
		read_figure(&reader, (enum counted_figure)i, ret_counted);
	read_instructions(&reader, ret_counted);
	read_threads(&reader, ret_counted);
	ret_counted->seconds = result->seconds;
	ret_counted->core = result->core ? result->core : "";
	ret_counted->family = result->family;
	return TAKT_OK;
}
