/* SPDX-License-Identifier: MIT */
/* Writes limits as text, CSV and JSON, and reads CSV. */
#include <stdio.h>
#include <string.h>

#include "validate/limits.h"
#include "base/csv.h"

#define FIRST "# takt bench 1"
#define COLUMNS                                                                                    \
	"kind,kernel,level,threads,cpus,pages,size_bytes,value,unit,per_cycle,median,traffic,"     \
	"rounds,disturbed"

enum column {
	KIND,
	KERNEL,
	LEVEL,
	THREADS,
	CPUS,
	PAGES,
	SIZE,
	VALUE,
	UNIT,
	PER_CYCLE,
	MEDIAN,
	TRAFFIC,
	ROUNDS,
	DISTURBED,
	COLUMN_COUNT
};

/* ---- text ---- */

static void write_size(uint64_t bytes, char *word, size_t size)
{
	if (!bytes)
		word[0] = '\0';
	else if (bytes < 10u << 20)
		takt_snprintf(word, size, "%.0f KiB", (double)bytes / 1024);
	else
		takt_snprintf(word, size, "%.0f MiB", (double)bytes / 1048576);
}

static const char *per_cycle_head(enum takt_limit_kind kind)
{
	return kind == TAKT_LIMIT_BANDWIDTH ? "B/cycle"
	       : kind == TAKT_LIMIT_FLOPS   ? "op/cycle"
					    : "cycles";
}

static void write_text_row(const struct takt_machine_limit *item, struct takt_text *text)
{
	char size[32], disturbed[32] = "";
	double spread = item->value > 0 ? (item->median - item->value) / item->value * 100 : 0;

	write_size(item->size_bytes, size, sizeof(size));
	if (item->disturbed)
		snprintf(disturbed, sizeof(disturbed), "%u of %u", item->disturbed, item->rounds);
	takt_text_printf(text, "  %-24s %-4s %7u %9s  %-6s %10.2f %9.2f %+8.1f %%  %s\n",
			 item->kind == TAKT_LIMIT_TRANSFER ? item->cpus : item->kernel, item->level,
			 item->threads, size, item->pages, item->value, item->per_cycle, spread,
			 disturbed);
}

static void write_text(const struct takt_machine_limits *limits, struct takt_text *text)
{
	takt_text_printf(text, "limits of this machine, timed%s%s\n", *limits->cpu ? ": " : "",
			 limits->cpu);
	for (unsigned kind = 1; kind <= TAKT_LIMIT_TRANSFER; kind <<= 1) {
		bool head = false;

		for (uint32_t i = 0; i < limits->count; i++) {
			const struct takt_machine_limit *item = &limits->items[i];

			if (item->kind != kind)
				continue;
			if (!head)
				takt_text_printf(
					text,
					"\n%-26s %-4s %7s %9s  %-6s %10s %9s %10s  disturbed\n",
					takt_limit_kind_word(item->kind), "in", "threads", "data",
					"pages", item->unit, per_cycle_head(item->kind), "median");
			head = true;
			write_text_row(item, text);
		}
	}
	if (limits->note_count)
		takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < limits->note_count; i++)
		takt_text_printf(text, "note: %s\n", limits->notes[i]);
}

/* ---- CSV ---- */

/* Add a field without the characters that would end it. */
static void add_field(struct takt_text *text, const char *field)
{
	for (; *field; field++)
		takt_text_add(text, *field == ',' || *field == '\n' ? ";" : field, 1);
}

static void write_csv(const struct takt_machine_limits *limits, struct takt_text *text)
{
	takt_text_printf(text, FIRST "\n# cpu: ");
	add_field(text, limits->cpu);
	takt_text_add_string(text, "\n");
	for (uint32_t i = 0; i < limits->note_count; i++)
		takt_text_printf(text, "# note: %s\n", limits->notes[i]);
	takt_text_add_string(text, COLUMNS "\n");
	for (uint32_t i = 0; i < limits->count; i++) {
		const struct takt_machine_limit *item = &limits->items[i];

		takt_text_printf(text, "%s,", takt_limit_kind_word(item->kind));
		add_field(text, item->kernel);
		takt_text_printf(text, ",%s,%u,%s,%s,%llu,%.6g,%s,%.6g,%.6g,%.6g,%u,%u\n",
				 item->level, item->threads, item->cpus, item->pages,
				 (unsigned long long)item->size_bytes, item->value, item->unit,
				 item->per_cycle, item->median, item->traffic, item->rounds,
				 item->disturbed);
	}
}

/* ---- JSON ---- */

static void write_json(const struct takt_machine_limits *limits, struct takt_text *text)
{
	struct takt_json json;

	takt_json_init(&json, text);
	takt_json_open_object(&json, NULL);
	takt_json_string(&json, "format", "takt bench 1");
	takt_json_string(&json, "cpu", limits->cpu);
	takt_json_string(&json, "origin", "timed");
	takt_json_open_array(&json, "limits");
	for (uint32_t i = 0; i < limits->count; i++) {
		const struct takt_machine_limit *item = &limits->items[i];

		takt_json_open_row(&json);
		takt_json_string(&json, "kind", takt_limit_kind_word(item->kind));
		takt_json_string(&json, "kernel", item->kernel);
		takt_json_string(&json, "level", item->level);
		takt_json_integer(&json, "threads", item->threads);
		takt_json_string(&json, "cpus", item->cpus);
		takt_json_string(&json, "pages", item->pages);
		takt_json_integer(&json, "size_bytes", (int64_t)item->size_bytes);
		takt_json_number(&json, "value", item->value);
		takt_json_string(&json, "unit", item->unit);
		takt_json_number(&json, "per_cycle", item->per_cycle);
		takt_json_number(&json, "median", item->median);
		takt_json_number(&json, "traffic", item->traffic);
		takt_json_integer(&json, "rounds", item->rounds);
		takt_json_integer(&json, "disturbed", item->disturbed);
		takt_json_close_row(&json);
	}
	takt_json_close_array(&json);
	takt_json_open_array(&json, "notes");
	for (uint32_t i = 0; i < limits->note_count; i++)
		takt_json_string(&json, NULL, limits->notes[i]);
	takt_json_close_array(&json);
	takt_json_close_object(&json);
}

void takt_write_machine_limits(const struct takt_machine_limits *limits, enum takt_format format,
			       struct takt_text *text)
{
	if (format == TAKT_FORMAT_TEXT)
		write_text(limits, text);
	else if (format == TAKT_FORMAT_CSV)
		write_csv(limits, text);
	else
		write_json(limits, text);
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

static void read_row(struct csv_reader *reader, struct takt_machine_limit *item)
{
	static const char *const kinds[] = {"bandwidth", "flops", "latency", "transfer"};

	item->kind = (enum takt_limit_kind)(1u << takt_csv_word(reader, KIND, kinds, 4));
	item->kernel = takt_csv_text(reader, KERNEL);
	item->level = takt_csv_text(reader, LEVEL);
	item->threads = (uint32_t)takt_csv_integer(reader, THREADS, UINT32_MAX);
	item->cpus = takt_csv_text(reader, CPUS);
	item->pages = takt_csv_text(reader, PAGES);
	item->size_bytes = takt_csv_integer(reader, SIZE, UINT64_MAX);
	item->value = takt_csv_number(reader, VALUE);
	item->unit = takt_csv_text(reader, UNIT);
	item->per_cycle = takt_csv_number(reader, PER_CYCLE);
	item->median = takt_csv_number(reader, MEDIAN);
	item->traffic = takt_csv_number(reader, TRAFFIC);
	item->rounds = (uint32_t)takt_csv_integer(reader, ROUNDS, UINT32_MAX);
	item->disturbed = (uint32_t)takt_csv_integer(reader, DISTURBED, UINT32_MAX);
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
	if (takt_csv_begin(&reader, data, size_bytes, FIRST, COLUMNS)) {
		reader.field_count = COLUMN_COUNT;
		while (takt_csv_next(&reader))
			read_row(&reader, takt_limit_list_add(list));
	}
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
