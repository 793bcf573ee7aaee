/* SPDX-License-Identifier: MIT */
/* Results of counting as text: tables of events and metrics, by thread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/count.h"
#include "report/format.h"

#define THREAD_COLUMNS_MAX 8u /* more threads are summarized by least, most and mean only */
#define COLUMN_WIDTH 15u
#define NAME_WIDTH_MOST 44u
/* Figures in this range are shown as whole numbers; larger ones do not fit a column. */
#define WHOLE_FROM 1e4
#define WHOLE_TO 1e12

const char *takt_count_origins(uint32_t origins)
{
	static const char *const words[] = {
		"",	 "counted",	  "modelled",	    "counted+modelled",
		"timed", "counted+timed", "modelled+timed", "counted+modelled+timed",
	};

	return words[origins & (TAKT_COUNTED | TAKT_MODELLED | TAKT_TIMED)];
}

/* Append a figure: large ones as whole numbers with commas, others with five significant digits. */
static void add_figure(struct takt_text *text, double value)
{
	char figure[48], digits[TAKT_GROUPED_SIZE];
	double size = fabs(value);

	if (!isfinite(value)) {
		takt_text_printf(text, " %*s", (int)COLUMN_WIDTH, "-");
		return;
	}
	if (size >= WHOLE_FROM && size < WHOLE_TO)
		value = round(value);
	if (value != floor(value) || size >= 1e15)
		takt_snprintf(figure, sizeof(figure),
			      size >= WHOLE_TO || size < 1e-4 ? "%.4e" : "%.5g", value);
	else if (size >= WHOLE_TO)
		takt_snprintf(figure, sizeof(figure), "%.0f", value);
	else
		snprintf(figure, sizeof(figure), "%s%s", value < 0 ? "-" : "",
			 takt_text_grouped((uint64_t)fabs(value), digits));
	takt_text_printf(text, " %*s", (int)COLUMN_WIDTH, figure);
}

/* The parts of a region, of which a figure is shown in each row. */
struct rows {
	const struct takt_count_result *result;
	const struct takt_count_part *parts, *sum;
	uint32_t count, name_width;
	bool has_shares; /* an event was counted for a part of the time only */
};

static double part_value(const struct takt_count_part *part, bool is_metric, uint32_t index)
{
	return is_metric ? part->metrics[index] : part->events[index];
}

static void add_spread(const struct rows *rows, bool is_metric, uint32_t index,
		       struct takt_text *text)
{
	double least = NAN, most = NAN, sum = 0;

	for (uint32_t i = 0; i < rows->count; i++) {
		double value = part_value(&rows->parts[i], is_metric, index);

		least = fmin(least, value);
		most = fmax(most, value);
		sum += value;
	}
	add_figure(text, least);
	add_figure(text, most);
	add_figure(text, sum / rows->count);
}

/* An event or a metric, by its index. */
struct counted {
	bool is_metric;
	uint32_t index;
	const char *name, *unit;
	uint32_t origins;
};

static void add_row(const struct rows *rows, const struct counted *counted, struct takt_text *text)
{
	bool is_metric = counted->is_metric;
	uint32_t index = counted->index, width;
	struct takt_text label = {0};

	takt_text_printf(&label, *counted->unit ? "%s [%s]" : "%s", counted->name, counted->unit);
	width = takt_text_clean(text, takt_text_data(&label), rows->name_width);
	takt_text_release(&label);
	takt_text_pad(text, ' ', rows->name_width - width);
	add_figure(text, part_value(rows->sum, is_metric, index));
	if (rows->count > 1) {
		add_spread(rows, is_metric, index, text);
		for (uint32_t i = 0; rows->count <= THREAD_COLUMNS_MAX && i < rows->count; i++)
			add_figure(text, part_value(&rows->parts[i], is_metric, index));
	}
	if (rows->has_shares && !is_metric && isfinite(rows->sum->shares[index]))
		takt_text_printf(text, " %5.1f %%", 100 * rows->sum->shares[index]);
	else if (rows->has_shares)
		takt_text_pad(text, ' ', 8);
	takt_text_printf(text, "  %s\n", takt_count_origins(counted->origins));
}

static void add_head(const struct rows *rows, const char *title, struct takt_text *text)
{
	takt_text_printf(text, "\n%-*s %*s", (int)rows->name_width, title, (int)COLUMN_WIDTH,
			 rows->count > 1 ? "all" : "");
	if (rows->count > 1)
		takt_text_printf(text, " %*s %*s %*s", (int)COLUMN_WIDTH, "least",
				 (int)COLUMN_WIDTH, "most", (int)COLUMN_WIDTH, "mean");
	if (rows->count > 1 && rows->count <= THREAD_COLUMNS_MAX)
		for (uint32_t i = 0; i < rows->count; i++) {
			char name[32];

			snprintf(name, sizeof(name), "%s %u",
				 rows->result->per_cpu ? "CPU" : "thread", rows->parts[i].thread);
			takt_text_printf(text, " %*s", (int)COLUMN_WIDTH, name);
		}
	if (rows->has_shares)
		takt_text_add_string(text, "  during");
	/* Remove blanks at the end of the line. */
	while (text->size_bytes && text->data[text->size_bytes - 1] == ' ')
		text->data[--text->size_bytes] = '\0';
	takt_text_add_string(text, "\n");
}

static void add_region(const struct rows *rows, struct takt_text *text)
{
	const struct takt_count_result *result = rows->result;

	add_head(rows, "event", text);
	for (uint32_t i = 0; i < result->event_count; i++)
		add_row(rows,
			&(struct counted){false, i, result->events[i].name, result->events[i].unit,
					  result->events[i].origins},
			text);
	for (uint32_t i = 0; i < result->metric_count; i++) {
		const struct takt_count_metric *metric = &result->metrics[i];

		if (!i || strcmp(metric->group, metric[-1].group) != 0)
			add_head(rows, metric->group, text);
		add_row(rows,
			&(struct counted){true, i, metric->name, metric->unit, metric->origins},
			text);
	}
}

static uint32_t name_width(const struct takt_count_result *result)
{
	size_t width = strlen("event");

	for (uint32_t i = 0; i < result->event_count; i++) {
		size_t size = strlen(result->events[i].name) + strlen(result->events[i].unit) + 3;

		width = size > width ? size : width;
	}
	for (uint32_t i = 0; i < result->metric_count; i++) {
		size_t size = strlen(result->metrics[i].name) + strlen(result->metrics[i].unit) + 3;

		width = size > width ? size : width;
	}
	return width > NAME_WIDTH_MOST ? NAME_WIDTH_MOST : (uint32_t)width;
}

static bool has_shares(const struct takt_count_result *result)
{
	for (uint32_t i = 0; i < result->sum_count; i++)
		for (uint32_t k = 0; k < result->event_count; k++)
			if (result->sums[i].shares[k] < 1)
				return true;
	return false;
}

static void write_text(const struct takt_count_result *result, struct takt_text *text)
{
	struct rows rows = {
		.result = result,
		.parts = result->parts,
		.name_width = name_width(result),
		.has_shares = has_shares(result),
	};

	takt_text_printf(text, "backend %s, events of %s", result->backend, result->family);
	if (result->core)
		takt_text_printf(text, ", core %s", result->core);
	if (result->core_choice)
		takt_text_printf(text, " (%s)", result->core_choice);
	takt_text_printf(text, ", %u %s", result->thread_count,
			 result->per_cpu ? takt_noun(result->thread_count, "CPU", "CPUs")
					 : takt_noun(result->thread_count, "thread", "threads"));
	if (isfinite(result->seconds))
		takt_text_printf(text, ", %.6g s", result->seconds);
	takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < result->note_count; i++)
		takt_text_printf(text, "note: %s\n", result->notes[i]);
	for (uint32_t i = 0; i < result->sum_count; i++) {
		rows.sum = &result->sums[i];
		for (rows.count = 0; rows.parts + rows.count < result->parts + result->part_count;
		     rows.count++)
			if (!takt_string_same(rows.parts[rows.count].region, rows.sum->region))
				break;
		if (rows.sum->region) {
			takt_text_add_string(text, "\nregion ");
			takt_text_clean(text, rows.sum->region, UINT32_MAX);
			takt_text_printf(text, ", entered %llu %s\n",
					 (unsigned long long)rows.sum->entries,
					 takt_noun(rows.sum->entries, "time", "times"));
		}
		add_region(&rows, text);
		rows.parts += rows.count;
	}
}

void takt_write_count(const struct takt_count_result *result, enum takt_format format,
		      struct takt_text *text)
{
	switch (format) {
	case TAKT_FORMAT_TEXT:
		write_text(result, text);
		break;
	case TAKT_FORMAT_CSV:
		takt_count_write_csv(result, text);
		break;
	case TAKT_FORMAT_JSON:
		takt_count_write_json(result, text);
		break;
	}
}
