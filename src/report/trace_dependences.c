/* SPDX-License-Identifier: MIT */
/* Dependences through memory that a traced program had, as a table. */
#include <inttypes.h>

#include "report/format.h"
#include "report/trace.h"
#include "trace/trace.h"

/* Return the place of an instruction in the program. */
static struct takt_value place_value(const struct takt_view *view,
				     const struct takt_trace_place *place)
{
	struct takt_text *text = view->scratch;

	if (place->function)
		takt_text_printf(text, "%s+0x%" PRIx64, place->function, place->offset);
	else
		takt_text_printf(text, "0x%" PRIx64, place->address);
	if (place->file)
		takt_text_printf(text, " (%s:%" PRIu32 ")", takt_path_name(place->file),
				 place->line);
	return takt_value_string(text->data);
}

static struct takt_value store_place(const struct takt_view *view, const void *record)
{
	const struct takt_trace_dependence *row = record;

	return place_value(view, &row->store);
}

static struct takt_value load_place(const struct takt_view *view, const void *record)
{
	const struct takt_trace_dependence *row = record;

	return place_value(view, &row->load);
}

static struct takt_value iterations(const struct takt_view *view, const void *record)
{
	const struct takt_trace_dependence *row = record;

	(void)view;
	return row->is_loop ? takt_value_integer(row->iterations) : takt_value_string(NULL);
}

static struct takt_value whole_percent(const struct takt_view *view, const void *record)
{
	const struct takt_trace_dependence *row = record;

	(void)view;
	return takt_value_number(100 * (double)row->whole / (double)row->count);
}

static const struct takt_field row_fields[] = {
	TAKT_TEXT_FIELD("apart", TAKT_FIELD_INT64, iterations),
	TAKT_TEXT_FIELD("whole_percent", TAKT_FIELD_DOUBLE, whole_percent),
	TAKT_TEXT_FIELD("store_place", TAKT_FIELD_STRING, store_place),
	TAKT_TEXT_FIELD("load_place", TAKT_FIELD_STRING, load_place),
	{.type = TAKT_FIELD_INLINE, .record = &takt_trace_dependence_record},
};
static const struct takt_record row_record =
	TAKT_RECORD("dependence", "A row of the table of dependences.", row_fields);

static const struct takt_column columns[] = {
	{"loads", "count", 17, .grouped = true},
	{"apart", "apart", 5, .gap = 2, .null = "-"},
	{"least", "least_distance", 9, .gap = 2},
	{"mean insns", "mean_distance", 11, .gap = 2, .format = "%.1f"},
	{"whole", "whole_percent", 5, .gap = 2, .format = "%.1f"},
	{"store", "store_place", -44, .gap = 2},
	{"load", "load_place", 0, .gap = 2},
};

void takt_trace_print_dependences(const struct takt_trace_dependences *dependences, uint32_t top,
				  struct takt_text *text)
{
	uint32_t count = dependences->row_count < top ? dependences->row_count : top;

	takt_text_printf(text,
			 "\ndependences through memory: %" PRIu64 " of %" PRIu64
			 " loads read what the same thread had stored\n\n",
			 dependences->fed_loads, dependences->loads);
	if (count)
		takt_columns_write(columns, TAKT_COUNT_OF(columns),
				   TAKT_TABLE_ROWS(&row_record, dependences->rows, count), text);
	if (count < dependences->row_count)
		takt_text_printf(text, "%17s  %" PRIu32 " more %s not shown\n", "",
				 dependences->row_count - count,
				 takt_noun(dependences->row_count - count, "pair", "pairs"));
	if (dependences->left_out)
		takt_text_printf(text,
				 "note: %" PRIu64 " %s not followed, as the program uses too much "
				 "memory or has too many pairs\n",
				 dependences->left_out,
				 takt_noun(dependences->left_out, "access was", "accesses were"));
}
