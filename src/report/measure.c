/* SPDX-License-Identifier: MIT */
/* Measurements as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/record.h"

/* Names and reasons come from files: control characters must not reach a terminal. */
static void write_plain(struct takt_text *text, const char *string)
{
	for (; *string; string++)
		takt_text_add(text, (unsigned char)*string < ' ' || *string == 0x7f ? "?" : string,
			      1);
}

static bool is_call(const struct takt_measured *row)
{
	return strcmp(row->mode, "call") == 0;
}

static const char *unit(const struct takt_measured *row)
{
	return is_call(row) && !(row->iterations > 1) ? "cycles per call" : "cycles per iteration";
}

static void write_head(struct takt_text *text, const struct takt_measured *row)
{
	if (row->name) {
		write_plain(text, row->name);
		takt_text_add_string(text, ": ");
	}
	if (is_call(row))
		takt_text_add_string(text, "a function, called\n");
	else
		takt_text_printf(text, "%zu %s, mode %s\n", row->size_bytes,
				 takt_noun(row->size_bytes, "byte", "bytes"), row->mode);
}

static void write_figure(struct takt_text *text, const struct takt_measured *row)
{
	const struct takt_measurement *result = &row->result;

	if (isnan(result->cycles)) {
		takt_text_printf(text, "not measured: %s",
				 takt_measure_status_text(result->status));
	} else {
		takt_text_printf(text, "%.2f %s, measured here", result->cycles, unit(row));
		if (result->status != TAKT_MEASURE_OK)
			takt_text_printf(text, ", but %s",
					 takt_measure_status_text(result->status));
	}
	takt_text_add_string(text, "\n");
	if (*result->reason) {
		write_plain(text, result->reason);
		takt_text_add_string(text, "\n");
	}
}

static void write_details(struct takt_text *text, const struct takt_measured *row)
{
	const struct takt_measurement *result = &row->result;

	takt_text_add_string(text, "\n");
	if (!isnan(result->spread))
		takt_text_printf(text, "  spread  %.2f %%, interquartile range of the rounds\n",
				 100 * result->spread);
	takt_text_printf(text,
			 "  rounds  %" PRIu32 " kept, %" PRIu32 " dropped because something "
			 "disturbed them\n",
			 result->rounds, result->rejected);
	if (result->copies[1])
		takt_text_printf(
			text, "  %s %" PRIu32 " and %" PRIu32 ", the two runs of a round\n",
			is_call(row) ? "calls  " : "copies ", result->copies[0], result->copies[1]);
	if (is_call(row) && row->iterations > 1)
		takt_text_printf(text, "  work    %.12g iterations per call, as given\n",
				 row->iterations);
	if (result->pages)
		takt_text_printf(text,
				 "  pages   %" PRIu32 " mapped where the block reads or writes\n",
				 result->pages);
	if (result->line_crossings)
		takt_text_printf(text, "  lines   crossed by %" PRIu32 " %s of an iteration\n",
				 result->line_crossings,
				 takt_noun(result->line_crossings, "access", "accesses"));
	if (row->replaced_bytes)
		takt_text_printf(
			text,
			"  loop    the counter of the measuring loop replaced the last %zu %s\n",
			row->replaced_bytes, takt_noun(row->replaced_bytes, "byte", "bytes"));
}

void takt_write_measured_text(const struct takt_measured *row, struct takt_text *text)
{
	write_head(text, row);
	write_figure(text, row);
	if (!isnan(row->result.cycles))
		write_details(text, row);
	else
		takt_text_add_string(text, "\n");
	takt_text_printf(text, "  clock   %s\n  CPU     ", row->clock);
	write_plain(text, row->cpu);
	takt_text_printf(text, "\n  status  %s\n", takt_measure_status_word(row->result.status));
}

/* ---- JSON and CSV ---- */

static const char *status_word(uint32_t status)
{
	return takt_measure_status_word((enum takt_measure_status)status);
}

static const char *value_word(uint32_t value)
{
	return takt_measure_value_word((enum takt_measure_value)value);
}

static bool is_function(const struct takt_view *view, const void *record)
{
	const struct takt_measured *row = record;

	(void)view;
	return row->name && is_call(row);
}

static bool is_region(const struct takt_view *view, const void *record)
{
	const struct takt_measured *row = record;

	(void)view;
	return row->name && !is_call(row);
}

static bool is_block(const struct takt_view *view, const void *record)
{
	(void)view;
	return !is_call(record);
}

static struct takt_value hex_value(const struct takt_view *view, const void *record)
{
	const struct takt_measured *row = record;

	if (row->hex)
		return takt_value_string(row->hex);
	takt_text_add_string(view->scratch, "");
	for (size_t i = 0; i < row->size_bytes; i++)
		takt_text_printf(view->scratch, "%02x", row->bytes[i]);
	return takt_value_string(view->scratch->data);
}

static struct takt_value unit_value(const struct takt_view *view, const void *record)
{
	(void)view;
	return takt_value_string(unit(record));
}

static bool has_cycles(const struct takt_view *view, const void *record)
{
	(void)view;
	return !isnan(((const struct takt_measured *)record)->result.cycles);
}

#define RECORD struct takt_measured
static const struct takt_field measured_fields[] = {
	TAKT_FIELD("function", name, NULL, "The function that was called.", .present = is_function,
		   .flags = TAKT_NO_CSV),
	TAKT_FIELD("region", name, NULL, "Name of the region.", .present = is_region,
		   .flags = TAKT_NO_CSV),
	TAKT_COMPUTED("bytes", TAKT_FIELD_STRING, hex_value, NULL, "The block in hexadecimal.",
		      .present = is_block, .flags = TAKT_NO_CSV),
	TAKT_COMPUTED("hex", TAKT_FIELD_STRING, hex_value, NULL, "The block in hexadecimal.",
		      .flags = TAKT_NO_JSON),
	TAKT_FIELD("mode", mode, NULL, "\"loop\", \"unroll\" or \"call\"."),
	TAKT_ENUM("status", result.status, status_word, TAKT_MEASURE_STATUS_COUNT, "Outcome.",
		  .flags = TAKT_NO_CSV),
	TAKT_FIELD("reason", result.reason, NULL, "Details, or \"\".", .flags = TAKT_NO_CSV),
	TAKT_FIELD("cycles", result.cycles, NULL, "The figure, in `unit`; null: not measured.",
		   .format = "%.6g", .csv = "%.3f", .flags = TAKT_NULLABLE),
	TAKT_COMPUTED("unit", TAKT_FIELD_STRING, unit_value, NULL,
		      "\"cycles per iteration\" or \"cycles per call\".", .flags = TAKT_NO_CSV),
	TAKT_CONSTANT("origin", "measured", "Origin of the figure.", .flags = TAKT_NO_CSV),
	TAKT_FIELD("spread", result.spread, NULL,
		   "Interquartile range of the rounds, as a fraction of the cycles.",
		   .format = "%.6g", .flags = TAKT_NULLABLE | TAKT_NO_CSV),
	TAKT_FIELD("spread", result.spread, NULL, "As in the JSON.", .csv = "%.4f",
		   .present = has_cycles, .flags = TAKT_NO_JSON),
	TAKT_ENUM("status", result.status, status_word, TAKT_MEASURE_STATUS_COUNT, "Outcome.",
		  .flags = TAKT_NO_JSON),
	TAKT_FIELD("reason", result.reason, NULL, "Details.", .flags = TAKT_NO_JSON),
	TAKT_FIELD("rounds", result.rounds, NULL, "Rounds used.", .flags = TAKT_NO_CSV),
	TAKT_FIELD("rejected", result.rejected, NULL,
		   "Rounds discarded because other load disturbed them.", .flags = TAKT_NO_CSV),
	TAKT_ARRAY("copies", result.copies, NULL,
		   "Copies of the block, or calls, in the two runs of a round.", TAKT_NO_CSV),
	TAKT_FIELD("pages", result.pages, NULL, "Pages mapped where the block reads or writes.",
		   .flags = TAKT_NO_CSV),
	TAKT_FIELD("line_crossings", result.line_crossings, NULL,
		   "Line-crossing accesses of an iteration.", .flags = TAKT_NO_CSV),
	TAKT_FIELD("replaced_bytes", replaced_bytes, "bytes",
		   "Bytes at the end of the block that the measuring loop's counter replaces.",
		   .flags = TAKT_NO_CSV),
	{.key = "values",
	 .type = TAKT_FIELD_BITS,
	 .offset = offsetof(RECORD, result.values),
	 .text = "What happened to floating-point values.",
	 .word = value_word,
	 .word_count = TAKT_MEASURE_VALUE_COUNT,
	 .flags = TAKT_NO_CSV},
};
static const struct takt_record measured_record =
	TAKT_RECORD("measurement", "A measured block or function.", measured_fields);

static const struct takt_field head_fields[] = {
	TAKT_VERSION_FIELD,
	TAKT_FIELD("cpu", cpu, NULL, "The processor."),
	TAKT_FIELD("clock", clock, NULL, "The clock."),
};
#undef RECORD
static const struct takt_record head_record = TAKT_RECORD("head", NULL, head_fields);

/* The whole document, of which head and rows are written one by one. */
struct document {
	struct takt_measured head;
	const struct takt_measured *rows;
	uint32_t count;
};

#define RECORD struct document
static const struct takt_field document_fields[] = {
	TAKT_INLINE(head, &head_record),
	TAKT_RECORDS("measurements", rows, count, &measured_record, "In the order of the code."),
};
#undef RECORD
static const struct takt_record document_record =
	TAKT_RECORD("measurements", "What was measured on this machine.", document_fields);

const struct takt_schema takt_report_measure_schema = {
	.name = "measure",
	.title = "takt measure --format=json",
	.records = {&document_record},
};

void takt_write_measured_json_begin(const char *cpu, const char *clock, struct takt_text *text)
{
	const struct takt_measured head = {.cpu = cpu, .clock = clock};
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_record_write_fields(&head_record, &head, &head, &json);
	takt_json_open_array(&json, "measurements");
}

void takt_write_measured_json(const struct takt_measured *row, bool is_first,
			      struct takt_text *text)
{
	struct takt_json json = {.text = text, .depth = 2, .first = is_first};

	takt_json_open_row(&json);
	takt_record_write_fields(&measured_record, row, row, &json);
	takt_json_close_row(&json);
}

void takt_write_measured_json_end(bool is_empty, struct takt_text *text)
{
	struct takt_json json = {.text = text, .depth = 2, .first = is_empty};

	takt_json_close_array(&json);
	takt_json_close_object(&json);
}

void takt_write_measured_csv_header(struct takt_text *text)
{
	takt_record_write_csv_header(&measured_record, text);
}

void takt_write_measured_csv(const struct takt_measured *row, struct takt_text *text)
{
	takt_record_write_csv(&measured_record, row, 1, sizeof(*row), row, text);
}
