/* SPDX-License-Identifier: MIT */
/* Collects rows from a foreign source and writes a timing file of them. */
#include <stdlib.h>
#include <string.h>

#include "import/table.h"

void takt_import_table_init(struct takt_import_table *table, const struct takt_model *model,
			    const char *file, struct takt_diag *diag)
{
	*table = (struct takt_import_table){.model = model, .file = file, .diag = diag};
	takt_arena_init(&table->arena);
	takt_model_ports(model, &table->ports);
}

void takt_import_table_release(struct takt_import_table *table)
{
	takt_arena_release(&table->arena);
}

bool takt_import_error(struct takt_import_table *table, uint32_t line, const char *format, ...)
{
	struct takt_place place = {.file = table->file, .line = line};
	va_list args;

	va_start(args, format);
	takt_verror_at(table->diag, &place, format, args);
	va_end(args);
	return false;
}

void takt_import_skip(struct takt_import_table *table, const char *reason, const char *example)
{
	struct takt_import_skip *skip = table->skips;

	while (skip < table->skips + table->skip_count && strcmp(skip->reason, reason) != 0)
		skip++;
	if (skip == table->skips + TAKT_COUNT_OF(table->skips))
		skip--;
	if (skip == table->skips + table->skip_count) {
		skip->reason = reason;
		skip->example = takt_arena_string(&table->arena, example);
		table->skip_count++;
	}
	skip->count++;
}

static void *copy_array(struct takt_arena *arena, const void *from, size_t count, size_t size)
{
	void *to = takt_arena_alloc(arena, count, size);

	if (count)
		memcpy(to, from, count * size);
	return to;
}

void takt_import_add(struct takt_import_table *table, const struct takt_import_row *row)
{
	struct takt_import_row *kept;
	struct takt_text text = {0};

	TAKT_GROW_IN(&table->arena, table->rows, table->row_count + 1, table->row_capacity);
	kept = &table->rows[table->row_count];
	*kept = *row;
	kept->order = (uint32_t)table->row_count++;
	kept->timing.uops = copy_array(&table->arena, row->timing.uops, row->timing.uops_count,
				       sizeof(*row->timing.uops));
	kept->timing.latencies =
		copy_array(&table->arena, row->timing.latencies, row->timing.latency_count,
			   sizeof(*row->timing.latencies));
	if (row->pairs)
		kept->pairs = copy_array(&table->arena, row->pairs, 1, sizeof(*row->pairs));
	takt_form_write(takt_model_isa(table->model), row->form, &text);
	kept->text = takt_text_move(&text, &table->arena);
}

/* ---- ports ------------------------------------------------------------- */

bool takt_import_is_mnemonic(const char *text)
{
	const char *error;
	size_t at;

	return takt_form_parse(&takt_isa_x86, text, strlen(text), &at, &error) != 0;
}

uint32_t takt_import_port(const struct takt_import_table *table, char letter, unsigned number)
{
	static const char digits[] = "0123456789ABCDEF";

	for (uint32_t i = 0; number < sizeof(digits) - 1 && i < table->ports.count; i++)
		if (table->ports.names[i][0] == letter &&
		    table->ports.names[i][1] == digits[number])
			return UINT32_C(1) << i;
	return 0;
}

uint32_t takt_import_divider(const struct takt_import_table *table)
{
	return table->ports.pseudo & (~table->ports.pseudo + 1);
}

/* ---- the file ------------------------------------------------------------ */

TAKT_ORDER(compare_rows, struct takt_import_row, TAKT_ALPHABETIC(text), TAKT_UP(rank),
	   TAKT_UP(order));

static void write_row(const struct takt_import_table *table, const struct takt_import_row *row,
		      struct takt_text *text)
{
	struct takt_latency exceptions[TAKT_IMPORT_PAIRS_MAX];
	struct takt_timing timing = row->timing;

	if (row->pairs && row->pairs->count) {
		timing.latency_count = (uint8_t)takt_import_pairs_compress(row->pairs, exceptions,
									   &timing.latency_default);
		timing.latencies = exceptions;
	}
	takt_timing_row_write(takt_model_isa(table->model), row->form, &timing, &table->ports, NULL,
			      text);
}

/* Write a source's name, which is untrusted and must not end the line or begin a comment. */
static void write_source(const char *source_class, const char *source, struct takt_text *text)
{
	takt_text_printf(text, "source i %s  ", source_class);
	for (; *source; source++) {
		char kept = (unsigned char)*source < ' ' || *source == '#' ? '_' : *source;

		takt_text_add(text, &kept, 1);
	}
	takt_text_add_string(text, "\ndefault-source i\n\n");
}

static void write_name(const struct takt_isa *isa, const char *name, struct takt_text *text)
{
	takt_text_add_string(text, "takt timing 1\nname  ");
	for (; *name; name++) {
		char lower = (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name);

		takt_text_add(text, &lower, 1);
	}
	takt_text_add_string(text, "\n");
	if (isa != &takt_isa_x86)
		takt_text_printf(text, "isa   %s\n", isa->name);
}

TAKT_ORDER(compare_skips, struct takt_import_skip, TAKT_DOWN(count), TAKT_ALPHABETIC(reason));

static void write_skips(struct takt_import_table *table, size_t written, struct takt_text *text)
{
	takt_text_printf(text, "\n# %zu %s\n", written, takt_noun(written, "row", "rows"));
	if (table->row_count > written)
		takt_text_printf(text, "# left out: %6zu  another encoding of a form above\n",
				 table->row_count - written);
	qsort(table->skips, table->skip_count, sizeof(*table->skips), compare_skips);
	for (size_t i = 0; i < table->skip_count; i++) {
		takt_text_printf(text, "# left out: %6u  %s", table->skips[i].count,
				 table->skips[i].reason);
		takt_text_add_string(text, ", such as ");
		for (const char *next = table->skips[i].example; *next; next++)
			takt_text_add(text, (unsigned char)*next < ' ' ? "?" : next, 1);
		takt_text_add_string(text, "\n");
	}
}

enum takt_status takt_import_write(struct takt_import_table *table, const char *source_class,
				   const char *source, struct takt_text *text)
{
	size_t written = 0;

	if (table->row_count == 0) {
		takt_import_error(table, 0, "no row for %s in it", takt_model_name(table->model));
		if (table->skip_count) {
			qsort(table->skips, table->skip_count, sizeof(*table->skips),
			      compare_skips);
			takt_note(table->diag, "left out, of most: %s, such as %s",
				  table->skips[0].reason, table->skips[0].example);
		} else {
			takt_note(table->diag, "is it the data of another kind of core?");
		}
		return TAKT_BAD_INPUT;
	}
	qsort(table->rows, table->row_count, sizeof(*table->rows), compare_rows);
	write_name(takt_model_isa(table->model), takt_model_name(table->model), text);
	write_source(source_class, source, text);
	for (size_t i = 0; i < table->row_count; i++) {
		if (i && strcmp(table->rows[i].text, table->rows[i - 1].text) == 0)
			continue;
		write_row(table, &table->rows[i], text);
		written++;
	}
	write_skips(table, written, text);
	return TAKT_OK;
}
