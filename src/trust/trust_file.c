/* SPDX-License-Identifier: MIT */
/* Writes trust tables as text, CSV and JSON, and reads CSV. */
#include <string.h>

#include "base/columns.h"
#include "base/csv.h"
#include "trust/trust.h"

#define FIRST "# takt trust 1"

/* A trust table to write; `cases`: include each case. */
struct trust_view {
	struct takt_trust trust;
	bool cases;
};

/* ---- declarations ---- */

static const char *verdict_word(uint32_t verdict)
{
	return takt_verdict_word((enum takt_verdict)verdict);
}

/* An error: a fraction in CSV, percent in JSON. */
#define ERROR_FIELDS(key, member, text)                                                            \
	TAKT_FIELD(key, member, NULL, text, .flags = TAKT_NO_JSON),                                \
		TAKT_FIELD(key "_percent", member, "%", text, .factor = 100,                       \
			   .flags = TAKT_NO_CSV | TAKT_NULLABLE)

#define RECORD struct takt_trust_row
static const struct takt_field row_fields[] = {
	TAKT_FIELD("event", event, NULL, "The event."),
	TAKT_FIELD("level", level, NULL, "Level of the data; empty: it does not matter."),
	TAKT_FIELD("cases", cases, NULL, "All cases."),
	TAKT_FIELD("nonzero", nonzero, NULL, "Cases in which the expected count is not 0."),
	ERROR_FIELDS("average", average, "Average error."),
	ERROR_FIELDS("least", least, "Smallest error."),
	ERROR_FIELDS("most", most, "Largest error."),
	TAKT_FIELD("worst", worst, NULL, "Kernel with the largest error; may be empty."),
	TAKT_FIELD("order", order, NULL,
		   "Spearman's rank correlation of counted and known rates; null: none.",
		   .flags = TAKT_NULLABLE),
	TAKT_ENUM("verdict", verdict, verdict_word, TAKT_VERDICT_COUNT, "Whether to trust it."),
};
#undef RECORD
static const struct takt_record row_record = {
	.name = "event",
	.text = "Errors of one event with data in one level.",
	.fields = row_fields,
	.field_count = TAKT_COUNT_OF(row_fields),
	.no_quotes = true,
};

static struct takt_value case_error(const struct takt_view *view, const void *record)
{
	(void)view;
	return takt_value_number(takt_trust_error(record));
}

#define RECORD struct takt_trust_case
static const struct takt_field case_fields[] = {
	TAKT_FIELD("event", event, NULL, "The event."),
	TAKT_FIELD("kernel", kernel, NULL, "The kernel."),
	TAKT_FIELD("level", level, NULL, "Level of the data; may be empty."),
	TAKT_FIELD("thread", thread, NULL, "Number of the thread."),
	TAKT_FIELD("expected", expected, NULL, "The known count.", .flags = TAKT_NULLABLE),
	TAKT_FIELD("counted", counted, NULL, "The count.", .flags = TAKT_NULLABLE),
	TAKT_TEXT_FIELD("error", TAKT_FIELD_DOUBLE, case_error, .factor = 100),
};
#undef RECORD
static const struct takt_record case_record =
	TAKT_RECORD("case", "One event's count in one run.", case_fields);

#define RECORD struct trust_view
static const struct takt_field trust_fields[] = {
	TAKT_CONSTANT("format", "takt trust 1", "Format of the result."),
	TAKT_FIELD("backend", trust.backend, NULL, "\"pmu\" or \"emulate\"."),
	TAKT_FIELD("core", trust.core, NULL, "The core; empty: none."),
	TAKT_FIELD("isa", trust.isa, NULL, "The instruction set."),
	TAKT_RECORDS("events", trust.rows, trust.row_count, &row_record, "Verdicts by event.",
		     .flags = TAKT_ROWS),
	TAKT_RECORDS("cases", trust.cases, trust.case_count, &case_record,
		     "Each count, with --cases.", .flags = TAKT_ROWS, TAKT_IF(cases)),
	TAKT_LIST("notes", trust.notes, trust.note_count, NULL, "What a reader has to know."),
};
#undef RECORD
const struct takt_record takt_trust_record =
	TAKT_RECORD("trust", "Which events count correctly.", trust_fields);

/* ---- text ---- */

#define ERROR_COLUMN(head, key)                                                                    \
	{                                                                                          \
		head, key, 9, .gap = 1, .format = "%+.2f%%", .zero = "0", .null = "-"              \
	}

static const struct takt_column row_columns[] = {
	{"event", "event", -24, .gap = 0},
	{"in", "level", -4, .gap = 1},
	{"cases", "cases", 6, .gap = 1},
	{"nonzero", "nonzero", 7, .gap = 1},
	ERROR_COLUMN("average", "average_percent"),
	ERROR_COLUMN("least", "least_percent"),
	ERROR_COLUMN("most", "most_percent"),
	{"order", "order", 6, .gap = 1, .format = "%.3f"},
	{"verdict", "verdict", -9, .gap = 2},
	{"worst with", "worst", 0, .gap = 2},
};

static const struct takt_column case_columns[] = {
	{"event", "event", -24, .gap = 0},
	{"in", "level", -4, .gap = 1},
	{"kernel", "kernel", -22, .gap = 1},
	{"thread", "thread", 6, .gap = 1},
	{"expected", "expected", 14, .gap = 1, .format = "%.0f"},
	{"counted", "counted", 14, .gap = 1, .format = "%.0f"},
	ERROR_COLUMN("error", "error"),
};

static void write_text(const struct takt_trust *trust, bool cases, struct takt_text *text)
{
	takt_text_printf(
		text, "events of backend %s, %s%s%s, against kernels with known counts\n\n",
		trust->backend, trust->isa, *trust->core ? ", caches of " : "", trust->core);
	takt_columns_write(row_columns, TAKT_COUNT_OF(row_columns),
			   TAKT_TABLE_ROWS(&row_record, trust->rows, trust->row_count), text);
	if (cases) {
		takt_text_add_string(text, "\n");
		takt_columns_write(case_columns, TAKT_COUNT_OF(case_columns),
				   TAKT_TABLE_ROWS(&case_record, trust->cases, trust->case_count),
				   text);
	}
	if (trust->note_count)
		takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < trust->note_count; i++)
		takt_text_printf(text, "note: %s\n", trust->notes[i]);
}

/* ---- CSV and JSON ---- */

static void write_csv(const struct takt_trust *trust, struct takt_text *text)
{
	takt_text_printf(text, FIRST "\n# backend: %s\n# core: %s\n# isa: %s\n", trust->backend,
			 trust->core, trust->isa);
	for (uint32_t i = 0; i < trust->note_count; i++)
		takt_text_printf(text, "# note: %s\n", trust->notes[i]);
	takt_record_write_csv_header(&row_record, text);
	takt_record_write_csv(&row_record, trust->rows, trust->row_count, sizeof(trust->rows[0]),
			      NULL, text);
}

static void write_json(const struct takt_trust *trust, bool cases, struct takt_text *text)
{
	struct trust_view view = {*trust, cases};

	takt_record_write_json(&takt_trust_record, &view, text);
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
	takt_csv_read(reader, row);
	if (!*row->event)
		takt_csv_fail(reader, "event", "an event without a name");
	if (row->nonzero > row->cases)
		takt_csv_fail(reader, "nonzero", "not an integer in the range allowed here");
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

	if (takt_csv_begin(&reader, data, size_bytes, FIRST, &row_record)) {
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
