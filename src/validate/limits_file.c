/* SPDX-License-Identifier: MIT */
/* Writes limits as text, CSV and JSON, and reads CSV. */
#include <string.h>

#include "validate/limits.h"
#include "base/columns.h"
#include "base/csv.h"

#define FIRST "# takt bench 1"

/* ---- declarations ---- */

static const char *kind_word(uint32_t bit)
{
	return takt_limit_kind_word((enum takt_limit_kind)(1u << bit));
}

/* ---- fields of the text report alone ---- */

/* Name the processors of a transfer, and the kernel of other limits. */
static struct takt_value subject(const struct takt_view *view, const void *record)
{
	const struct takt_machine_limit *limit = record;

	(void)view;
	return takt_value_string(limit->kind == TAKT_LIMIT_TRANSFER ? limit->cpus : limit->kernel);
}

static struct takt_value data_size(const struct takt_view *view, const void *record)
{
	const struct takt_machine_limit *limit = record;
	double kibibytes = (double)limit->size_bytes / 1024;

	if (!limit->size_bytes)
		return takt_value_string(NULL);
	if (limit->size_bytes < 10u << 20)
		takt_text_printf(view->scratch, "%.0f KiB", kibibytes);
	else
		takt_text_printf(view->scratch, "%.0f MiB", kibibytes / 1024);
	return takt_value_string(view->scratch->data);
}

/* Return by how many percent the median differs from the best round. */
static struct takt_value spread(const struct takt_view *view, const void *record)
{
	const struct takt_machine_limit *limit = record;

	(void)view;
	return takt_value_number(
		limit->value > 0 ? 100 * (limit->median - limit->value) / limit->value : 0);
}

static struct takt_value disturbed_rounds(const struct takt_view *view, const void *record)
{
	const struct takt_machine_limit *limit = record;

	if (!limit->disturbed)
		return takt_value_string(NULL);
	takt_text_printf(view->scratch, "%u of %u", limit->disturbed, limit->rounds);
	return takt_value_string(view->scratch->data);
}

#define RECORD struct takt_machine_limit
static const struct takt_field limit_fields[] = {
	TAKT_ENUM("kind", kind, kind_word, 4, "Kind of limit.", .flags = TAKT_ONE_BIT),
	TAKT_FIELD("kernel", kernel, NULL, "The kernel with its variant."),
	TAKT_FIELD("level", level, NULL, "Level of the data: \"L1\" … \"MEM\"; or empty."),
	TAKT_FIELD("threads", threads, NULL, "Number of threads."),
	TAKT_FIELD("cpus", cpus, NULL, "CPUs that the threads ran on."),
	TAKT_FIELD("pages", pages, NULL,
		   "Pages obtained: \"huge\", \"mixed\", \"small\"; or empty."),
	TAKT_FIELD("size_bytes", size_bytes, "bytes", "Size of all data of all threads."),
	TAKT_FIELD("value", value, NULL, "Figure of the best undisturbed round, in `unit`."),
	TAKT_FIELD("unit", unit, NULL, "\"GB/s\", \"GFLOP/s\" or \"ns\"."),
	TAKT_FIELD("per_cycle", per_cycle, NULL,
		   "Figure of one thread: bytes or operations per cycle, or cycles."),
	TAKT_FIELD("median", median, NULL, "Median of the undisturbed rounds, in `unit`."),
	TAKT_FIELD("traffic", traffic, NULL,
		   "Bytes that caches move per byte that the program reads or writes."),
	TAKT_FIELD("rounds", rounds, NULL, "Number of rounds."),
	TAKT_FIELD("disturbed", disturbed, NULL, "Rounds that other load disturbed."),
	TAKT_TEXT_FIELD("subject", TAKT_FIELD_STRING, subject),
	TAKT_TEXT_FIELD("data", TAKT_FIELD_STRING, data_size),
	TAKT_TEXT_FIELD("spread", TAKT_FIELD_DOUBLE, spread),
	TAKT_TEXT_FIELD("lost_rounds", TAKT_FIELD_STRING, disturbed_rounds),
};
#undef RECORD
static const struct takt_record limit_record = {
	.name = "limit",
	.text = "A measured limit of the machine.",
	.fields = limit_fields,
	.field_count = TAKT_COUNT_OF(limit_fields),
	.no_quotes = true,
};

#define RECORD struct takt_machine_limits
static const struct takt_field limits_fields[] = {
	TAKT_CONSTANT("format", "takt bench 1", "Format of the result."),
	TAKT_FIELD("cpu", cpu, NULL, "The processor; may be empty."),
	TAKT_CONSTANT("origin", "timed", "Where the figures come from."),
	TAKT_RECORDS("limits", items, count, &limit_record, "The limits.", .flags = TAKT_ROWS),
	TAKT_LIST("notes", notes, note_count, NULL, "What a reader has to know."),
};
#undef RECORD
static const struct takt_record limits_record =
	TAKT_RECORD("limits", "Bandwidths, FLOP/s and latencies of a machine.", limits_fields);

const struct takt_schema takt_machine_limits_schema = {
	.name = "bench",
	.title = "takt bench --format=json",
	.records = {&limits_record},
};

/* ---- text ---- */

static const char *per_cycle_head(enum takt_limit_kind kind)
{
	return kind == TAKT_LIMIT_BANDWIDTH ? "B/cycle"
	       : kind == TAKT_LIMIT_FLOPS   ? "op/cycle"
					    : "cycles";
}

/* Write the limits of a kind; nothing if there are none. */
static void write_kind(const struct takt_machine_limits *limits, enum takt_limit_kind kind,
		       struct takt_text *text)
{
	bool head = false;

	for (uint32_t i = 0; i < limits->count; i++) {
		const struct takt_machine_limit *limit = &limits->items[i];
		const struct takt_column columns[] = {
			{takt_limit_kind_word(kind), "subject", -26, .gap = 0},
			{"in", "level", -4, .gap = 1},
			{"threads", "threads", 7, .gap = 1},
			{"data", "data", 9, .gap = 1},
			{"pages", "pages", -6, .gap = 2},
			{limit->unit, "value", 10, .gap = 1, .format = "%.2f"},
			{per_cycle_head(kind), "per_cycle", 9, .gap = 1, .format = "%.2f"},
			{"median", "spread", 10, .gap = 1, .format = "%+.1f %%"},
			{"disturbed", "lost_rounds", 0, .gap = 2},
		};

		if (limit->kind != kind)
			continue;
		if (!head) {
			takt_text_add_string(text, "\n");
			takt_columns_write_head(columns, TAKT_COUNT_OF(columns), text);
		}
		head = true;
		takt_columns_write_row(columns, TAKT_COUNT_OF(columns), &limit_record, limit, text);
	}
}

static void write_text(const struct takt_machine_limits *limits, struct takt_text *text)
{
	takt_text_printf(text, "limits of this machine, timed%s%s\n", *limits->cpu ? ": " : "",
			 limits->cpu);
	for (unsigned kind = 1; kind <= TAKT_LIMIT_TRANSFER; kind <<= 1)
		write_kind(limits, (enum takt_limit_kind)kind, text);
	if (limits->note_count)
		takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < limits->note_count; i++)
		takt_text_printf(text, "note: %s\n", limits->notes[i]);
}

/* ---- CSV and JSON ---- */

static void write_csv(const struct takt_machine_limits *limits, struct takt_text *text)
{
	takt_text_printf(text, FIRST "\n# cpu: ");
	for (const char *c = limits->cpu; *c; c++)
		takt_text_add(text, *c == ',' || *c == '\n' ? ";" : c, 1);
	takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < limits->note_count; i++)
		takt_text_printf(text, "# note: %s\n", limits->notes[i]);
	takt_record_write_csv_header(&limit_record, text);
	takt_record_write_csv(&limit_record, limits->items, limits->count, sizeof(limits->items[0]),
			      NULL, text);
}

void takt_write_machine_limits(const struct takt_machine_limits *limits, enum takt_format format,
			       struct takt_text *text)
{
	if (format == TAKT_FORMAT_TEXT)
		write_text(limits, text);
	else if (format == TAKT_FORMAT_CSV)
		write_csv(limits, text);
	else
		takt_record_write_json(&limits_record, limits, text);
}

/* ---- reading ---- */

static void take_note(void *context, const char *name, const char *text)
{
	struct limit_list *list = context;

	if (strcmp(name, "cpu") == 0)
		list->result.cpu = text;
	else if (strcmp(name, "note") == 0)
		takt_limit_list_note(list, text);
}

enum takt_status takt_machine_limits_parse(const void *data, size_t size_bytes, const char *name,
					   struct takt_diag *diag,
					   struct takt_machine_limits **ret_limits)
{
	struct limit_list *list = takt_limit_list_new();
	struct csv_reader reader = {.path = name,
				    .diag = diag,
				    .arena = &list->arena,
				    .note = take_note,
				    .context = list};

	list->result.cpu = "";
	if (takt_csv_begin(&reader, data, size_bytes, FIRST, &limit_record))
		while (takt_csv_next(&reader))
			takt_csv_read(&reader, takt_limit_list_add(list));
	if (!reader.failed) {
		*ret_limits = &list->result;
		return TAKT_OK;
	}
	takt_note(diag, "'takt bench --format=csv -o FILE' makes such files");
	takt_machine_limits_free(&list->result);
	return TAKT_BAD_INPUT;
}

enum takt_status takt_machine_limits_read(const char *path, struct takt_diag *diag,
					  struct takt_machine_limits **ret_limits)
{
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	status = takt_machine_limits_parse(file.data, file.size_bytes, path, diag, ret_limits);
	takt_file_close(&file);
	return status;
}
