/* SPDX-License-Identifier: MIT */
/* Results of measurements as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/measure.h"

/* Names and reasons come from files: control characters must not reach a terminal. */
static void write_plain(FILE *file, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, file);
}

static const char *unit(const struct takt_measure_row *row)
{
	return row->is_call && !(row->iterations > 1) ? "cycles per call" : "cycles per iteration";
}

static const char *mode_word(const struct takt_measure_row *row)
{
	return row->is_call ? "call" : row->is_loop ? "loop" : "unroll";
}

static void write_head(FILE *file, const struct takt_measure_row *row)
{
	if (row->name) {
		write_plain(file, row->name);
		fputs(": ", file);
	}
	if (row->is_call)
		fputs("a function, called\n", file);
	else
		fprintf(file, "%zu %s, mode %s\n", row->size_bytes,
			takt_say_noun(row->size_bytes, "byte", "bytes"), mode_word(row));
}

static void write_figure(FILE *file, const struct takt_measure_row *row)
{
	const struct takt_measurement *result = &row->result;

	if (isnan(result->cycles)) {
		fprintf(file, "not measured: %s", takt_measure_status_text(result->status));
	} else {
		fprintf(file, "%.2f %s, measured here", result->cycles, unit(row));
		if (result->status != TAKT_MEASURE_OK)
			fprintf(file, ", but %s", takt_measure_status_text(result->status));
	}
	fputc('\n', file);
	if (*result->reason) {
		write_plain(file, result->reason);
		fputc('\n', file);
	}
}

static void write_details(FILE *file, const struct takt_measure_row *row)
{
	const struct takt_measurement *result = &row->result;

	fputc('\n', file);
	if (!isnan(result->spread))
		fprintf(file, "  spread  %.2f %%, interquartile range of the rounds\n",
			100 * result->spread);
	fprintf(file,
		"  rounds  %" PRIu32 " kept, %" PRIu32 " dropped because something "
		"disturbed them\n",
		result->rounds, result->rejected);
	if (result->copies[1])
		fprintf(file, "  %s %" PRIu32 " and %" PRIu32 ", the two runs of a round\n",
			row->is_call ? "calls  " : "copies ", result->copies[0], result->copies[1]);
	if (row->is_call && row->iterations > 1)
		fprintf(file, "  work    %.12g iterations per call, as given\n", row->iterations);
	if (result->pages)
		fprintf(file, "  pages   %" PRIu32 " mapped where the block reads or writes\n",
			result->pages);
	if (result->line_crossings)
		fprintf(file, "  lines   crossed by %" PRIu32 " %s of an iteration\n",
			result->line_crossings,
			takt_say_noun(result->line_crossings, "access", "accesses"));
	if (row->replaced_bytes)
		fprintf(file,
			"  loop    the counter of the measuring loop replaced the last %zu %s\n",
			row->replaced_bytes, takt_say_noun(row->replaced_bytes, "byte", "bytes"));
}

void takt_measure_write_text(FILE *file, const struct takt_measure_row *row)
{
	write_head(file, row);
	write_figure(file, row);
	if (!isnan(row->result.cycles))
		write_details(file, row);
	else
		fputc('\n', file);
	fprintf(file, "  clock   %s\n  CPU     ", row->clock);
	write_plain(file, row->cpu);
	fprintf(file, "\n  status  %s\n", takt_measure_status_word(row->result.status));
}

static void write_string(FILE *file, const char *key, const char *value)
{
	fprintf(file, "\"%s\": \"", key);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < ' ')
			fprintf(file, "\\u%04x", c);
		else
			fputc(c, file);
	}
	fputc('"', file);
}

/* Write the kinds of floating-point values that occurred, as a list of words. */
static void write_values(FILE *file, uint32_t values)
{
	bool is_first = true;

	fputs("\"values\": [", file);
	for (unsigned v = 0; v < TAKT_MEASURE_VALUE_COUNT; v++) {
		if (!(values >> v & 1))
			continue;
		fprintf(file, "%s\"%s\"", is_first ? "" : ", ",
			takt_measure_value_word((enum takt_measure_value)v));
		is_first = false;
	}
	fputs("]", file);
}

static void write_number(FILE *file, const char *key, double value)
{
	if (isnan(value))
		fprintf(file, "\"%s\": null", key);
	else
		fprintf(file, "\"%s\": %.6g", key, value);
}

void takt_measure_write_json_begin(FILE *file, const struct takt_measurer *measurer)
{
	fputs("{\n  ", file);
	write_string(file, "version", TAKT_VERSION);
	fputs(",\n  ", file);
	write_string(file, "cpu", takt_measurer_cpu(measurer));
	fputs(",\n  ", file);
	write_string(file, "clock", takt_clock_word(takt_measurer_clock(measurer)));
	fputs(",\n  \"measurements\": [", file);
}

void takt_measure_write_json(FILE *file, const struct takt_measure_row *row, bool is_first)
{
	const struct takt_measurement *result = &row->result;

	fputs(is_first ? "\n    {" : ",\n    {", file);
	if (row->name) {
		write_string(file, row->is_call ? "function" : "region", row->name);
		fputs(", ", file);
	}
	if (!row->is_call) {
		fputs("\"bytes\": \"", file);
		for (size_t i = 0; i < row->size_bytes; i++)
			fprintf(file, "%02x", row->bytes[i]);
		fputs("\",\n     ", file);
	}
	write_string(file, "mode", mode_word(row));
	fputs(", ", file);
	write_string(file, "status", takt_measure_status_word(result->status));
	fputs(", ", file);
	write_string(file, "reason", result->reason);
	fputs(",\n     ", file);
	write_number(file, "cycles", result->cycles);
	fputs(", ", file);
	write_string(file, "unit", unit(row));
	fputs(", ", file);
	write_string(file, "origin", takt_origin_word(TAKT_ORIGIN_MEASURED));
	fputs(", ", file);
	write_number(file, "spread", result->spread);
	fprintf(file,
		",\n     \"rounds\": %" PRIu32 ", \"rejected\": %" PRIu32 ", \"copies\": [%" PRIu32
		", %" PRIu32 "], \"pages\": %" PRIu32 ", \"line_crossings\": %" PRIu32
		", \"replaced_bytes\": %zu,\n     ",
		result->rounds, result->rejected, result->copies[0], result->copies[1],
		result->pages, result->line_crossings, row->replaced_bytes);
	write_values(file, result->values);
	fputc('}', file);
}

void takt_measure_write_json_end(FILE *file)
{
	fputs("\n  ]\n}\n", file);
}

/* Write a field of CSV on one line, quoted if necessary. */
static void write_field(FILE *file, const char *text)
{
	bool quotes = strpbrk(text, ",\"") != NULL;

	if (quotes)
		fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
	}
	if (quotes)
		fputc('"', file);
}

void takt_measure_write_columns(FILE *file, const char *mode, const struct takt_measurement *result)
{
	fprintf(file, "%s,", mode);
	if (!isnan(result->cycles))
		fprintf(file, "%.3f", result->cycles);
	fputc(',', file);
	if (!isnan(result->cycles) && !isnan(result->spread))
		fprintf(file, "%.4f", result->spread);
	fprintf(file, ",%s,", takt_measure_status_word(result->status));
	write_field(file, result->reason);
	fputc('\n', file);
}
