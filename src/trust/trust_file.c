/* SPDX-License-Identifier: MIT */
/* Writes trust tables as text, CSV and JSON, and reads CSV. */
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "trust/trust.h"

#define FIRST "# takt trust 1"
#define COLUMNS "event,level,cases,nonzero,average,least,most,worst,order,verdict"

enum column {
	EVENT,
	LEVEL,
	CASES,
	NONZERO,
	AVERAGE,
	LEAST,
	MOST,
	WORST,
	ORDER,
	VERDICT,
	COLUMN_COUNT
};

/* ---- text ---- */

static void write_error(double error, struct takt_text *text)
{
	if (error == 0)
		takt_text_printf(text, " %9s", "0");
	else if (!isfinite(error))
		takt_text_printf(text, " %9s", "-");
	else
		takt_text_printf(text, " %+8.2f%%", error * 100);
}

static void write_cases(const struct takt_trust *trust, struct takt_text *text)
{
	takt_text_printf(text, "\n%-24s %-4s %-22s %6s %14s %14s %9s\n", "event", "in", "kernel",
			 "thread", "expected", "counted", "error");
	for (uint32_t i = 0; i < trust->case_count; i++) {
		const struct takt_trust_case *one = &trust->cases[i];

		takt_text_printf(text, "%-24s %-4s %-22s %6u %14.0f %14.0f", one->event, one->level,
				 one->kernel, one->thread, one->expected, one->counted);
		write_error(takt_trust_error(one), text);
		takt_text_add_string(text, "\n");
	}
}

static void write_text(const struct takt_trust *trust, bool cases, struct takt_text *text)
{
	takt_text_printf(
		text, "events of backend %s, %s%s%s, against kernels with known counts\n\n",
		trust->backend, trust->isa, *trust->core ? ", caches of " : "", trust->core);
	takt_text_printf(text, "%-24s %-4s %6s %7s %9s %9s %9s %6s  %-9s  %s\n", "event", "in",
			 "cases", "nonzero", "average", "least", "most", "order", "verdict",
			 "worst with");
	for (uint32_t i = 0; i < trust->row_count; i++) {
		const struct takt_trust_row *row = &trust->rows[i];

		takt_text_printf(text, "%-24s %-4s %6u %7u", row->event, row->level, row->cases,
				 row->nonzero);
		write_error(row->average, text);
		write_error(row->least, text);
		write_error(row->most, text);
		if (isnan(row->order))
			takt_text_printf(text, " %6s", "");
		else
			takt_text_printf(text, " %6.3f", row->order);
		takt_text_printf(text, "  %s%s%s\n", takt_verdict_word(row->verdict),
				 *row->worst ? "  " : "", row->worst);
	}
	if (cases)
		write_cases(trust, text);
	if (trust->note_count)
		takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < trust->note_count; i++)
		takt_text_printf(text, "note: %s\n", trust->notes[i]);
}

/* ---- CSV ---- */

static void add_field(struct takt_text *text, const char *field)
{
	for (; *field; field++)
		takt_text_add(text, *field == ',' || *field == '\n' ? ";" : field, 1);
	takt_text_add_string(text, ",");
}

static void write_csv(const struct takt_trust *trust, struct takt_text *text)
{
	takt_text_printf(text, FIRST "\n# backend: %s\n# core: %s\n# isa: %s\n", trust->backend,
			 trust->core, trust->isa);
	for (uint32_t i = 0; i < trust->note_count; i++)
		takt_text_printf(text, "# note: %s\n", trust->notes[i]);
	takt_text_add_string(text, COLUMNS "\n");
	for (uint32_t i = 0; i < trust->row_count; i++) {
		const struct takt_trust_row *row = &trust->rows[i];

		add_field(text, row->event);
		add_field(text, row->level);
		takt_text_printf(text, "%u,%u,%.6g,%.6g,%.6g,", row->cases, row->nonzero,
				 row->average, row->least, row->most);
		add_field(text, row->worst);
		if (!isnan(row->order))
			takt_text_printf(text, "%.6g", row->order);
		takt_text_printf(text, ",%s\n", takt_verdict_word(row->verdict));
	}
}

/* ---- JSON ---- */

static void write_json_cases(const struct takt_trust *trust, struct takt_json *json)
{
	takt_json_open_array(json, "cases");
	for (uint32_t i = 0; i < trust->case_count; i++) {
		const struct takt_trust_case *one = &trust->cases[i];

		takt_json_open_row(json);
		takt_json_string(json, "event", one->event);
		takt_json_string(json, "kernel", one->kernel);
		takt_json_string(json, "level", one->level);
		takt_json_integer(json, "thread", one->thread);
		takt_json_number(json, "expected", one->expected);
		takt_json_number(json, "counted", one->counted);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

static void write_json(const struct takt_trust *trust, bool cases, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "format", "takt trust 1");
	takt_json_string(&json, "backend", trust->backend);
	takt_json_string(&json, "core", trust->core);
	takt_json_string(&json, "isa", trust->isa);
	takt_json_open_array(&json, "events");
	for (uint32_t i = 0; i < trust->row_count; i++) {
		const struct takt_trust_row *row = &trust->rows[i];

		takt_json_open_row(&json);
		takt_json_string(&json, "event", row->event);
		takt_json_string(&json, "level", row->level);
		takt_json_integer(&json, "cases", row->cases);
		takt_json_integer(&json, "nonzero", row->nonzero);
		takt_json_number(&json, "average_percent", row->average * 100);
		takt_json_number(&json, "least_percent", row->least * 100);
		takt_json_number(&json, "most_percent", row->most * 100);
		takt_json_string(&json, "worst", row->worst);
		takt_json_number(&json, "order", row->order);
		takt_json_string(&json, "verdict", takt_verdict_word(row->verdict));
		takt_json_close_row(&json);
	}
	takt_json_close_array(&json);
	if (cases)
		write_json_cases(trust, &json);
	takt_json_open_array(&json, "notes");
	for (uint32_t i = 0; i < trust->note_count; i++)
		takt_json_string(&json, NULL, trust->notes[i]);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}

void takt_write_trust(const struct takt_trust *trust, enum takt_format format, bool cases,
		      struct takt_text *text)
{
	if (format == TAKT_FORMAT_TEXT)
		write_text(trust, cases, text);
	else if (format == TAKT_FORMAT_CSV)
		write_csv(trust, text);
	else
		write_json(trust, cases, text);
}

/* ---- reading ---- */

static void take_note(void *context, const char *name, const char *text)
{
	struct trust_list *list = context;

	if (strcmp(name, "backend") == 0)
		list->result.backend = text;
	else if (strcmp(name, "core") == 0)
		list->result.core = text;
	else if (strcmp(name, "isa") == 0)
		list->result.isa = text;
	else if (strcmp(name, "note") == 0)
		takt_trust_list_note(list, text);
}

static void read_row(struct csv_reader *reader, struct takt_trust_row *row)
{
	const char *verdicts[TAKT_VERDICT_COUNT];

	for (unsigned i = 0; i < TAKT_VERDICT_COUNT; i++)
		verdicts[i] = takt_verdict_word((enum takt_verdict)i);
	row->event = takt_csv_text(reader, EVENT);
	if (!*row->event)
		takt_csv_fail(reader, EVENT, "an event without a name");
	row->level = takt_csv_text(reader, LEVEL);
	row->cases = (uint32_t)takt_csv_integer(reader, CASES, UINT32_MAX);
	row->nonzero = (uint32_t)takt_csv_integer(reader, NONZERO, row->cases);
	row->average = takt_csv_number(reader, AVERAGE);
	row->least = takt_csv_number(reader, LEAST);
	row->most = takt_csv_number(reader, MOST);
	row->worst = takt_csv_text(reader, WORST);
	if (reader->fields[ORDER].size)
		row->order = takt_csv_number(reader, ORDER);
	row->verdict =
		(enum takt_verdict)takt_csv_word(reader, VERDICT, verdicts, TAKT_VERDICT_COUNT);
}

enum takt_status takt_trust_parse(const void *data, size_t size_bytes, const char *name,
				  struct takt_diag *diag, struct takt_trust **ret_trust)
{
	struct trust_list *list = takt_trust_list_new();
	struct csv_reader reader = {.path = name,
				    .diag = diag,
				    .arena = &list->arena,
				    .note = take_note,
				    .context = list};

	if (takt_csv_begin(&reader, data, size_bytes, FIRST, COLUMNS)) {
		reader.field_count = COLUMN_COUNT;
		while (takt_csv_next(&reader))
			read_row(&reader, takt_trust_list_row(list));
	}
	if (!reader.failed) {
		*ret_trust = &list->result;
		return TAKT_OK;
	}
	takt_note(diag, "'takt validate --format=csv -o FILE' makes such files");
	takt_trust_free(&list->result);
	return TAKT_BAD_INPUT;
}

enum takt_status takt_trust_read(const char *path, struct takt_diag *diag,
				 struct takt_trust **ret_trust)
{
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	status = takt_trust_parse(file.data, file.size_bytes, path, diag, ret_trust);
	takt_file_close(&file);
	return status;
}
