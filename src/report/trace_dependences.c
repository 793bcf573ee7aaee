/* SPDX-License-Identifier: MIT */
/* Dependences through memory that a traced program had, as a table. */
#include <inttypes.h>
#include <string.h>

#include "report/format.h"
#include "report/trace.h"
#include "trace/trace.h"

#define PLACE_COLUMNS 44

static void write_place(const struct takt_trace_place *place, struct takt_text *text)
{
	const char *slash = place->file ? strrchr(place->file, '/') : NULL;

	if (place->function)
		takt_text_printf(text, "%s+0x%" PRIx64, place->function, place->offset);
	else
		takt_text_printf(text, "0x%" PRIx64, place->address);
	if (place->file)
		takt_text_printf(text, " (%s:%" PRIu32 ")", slash ? slash + 1 : place->file,
				 place->line);
}

static void write_row(const struct takt_trace_dependence *row, struct takt_text *text)
{
	char buffer[TAKT_GROUPED_SIZE];
	size_t start;

	takt_text_printf(text, "%17s", takt_text_grouped(row->count, buffer));
	if (row->is_loop)
		takt_text_printf(text, "  %5" PRIu32, row->iterations);
	else
		takt_text_printf(text, "  %5s", "-");
	takt_text_printf(text, "  %9" PRIu64 "  %11.1f  %5.1f  ", row->least_insns, row->mean_insns,
			 100 * (double)row->whole / (double)row->count);
	start = text->size_bytes;
	write_place(&row->store, text);
	if (text->size_bytes - start < PLACE_COLUMNS)
		takt_text_pad(text, ' ', PLACE_COLUMNS - (text->size_bytes - start));
	takt_text_add_string(text, "  ");
	write_place(&row->load, text);
	takt_text_add_string(text, "\n");
}

void takt_trace_print_dependences(const struct takt_trace_dependences *dependences, uint32_t top,
				  struct takt_text *text)
{
	uint32_t count = dependences->row_count < top ? dependences->row_count : top;

	takt_text_printf(text,
			 "\ndependences through memory: %" PRIu64 " of %" PRIu64
			 " loads read what the same thread had stored\n\n",
			 dependences->fed_loads, dependences->loads);
	if (count)
		takt_text_printf(text, "%17s  %5s  %9s  %11s  %5s  %-*s  load\n", "loads", "apart",
				 "least", "mean insns", "whole", PLACE_COLUMNS, "store");
	for (uint32_t i = 0; i < count; i++)
		write_row(&dependences->rows[i], text);
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
