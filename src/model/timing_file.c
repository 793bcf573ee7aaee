/* SPDX-License-Identifier: MIT */
/* Reads data/timing/NAME.timing: rows of instruction forms. */
#include <stdlib.h>
#include <string.h>

#include "model/draft.h"

static bool read_directive(struct takt_reader *reader, struct takt_word word,
			   struct takt_timing_draft *timing)
{
	if (takt_word_is(word, "source"))
		return takt_reader_source(reader);
	if (takt_word_is(word, "default-source"))
		return takt_reader_default_source(reader);
	if (takt_word_is(word, "isa")) {
		const char *name;

		return takt_reader_isa(reader, &name);
	}
	if (takt_word_is(word, "base"))
		timing->base_line = reader->lines.number;
	word = takt_reader_rest(reader);
	if (!word.size || memchr(word.data, ' ', word.size))
		return takt_reader_error(reader, word, "one name expected");
	*(timing->base_line == reader->lines.number ? &timing->base : &timing->name) =
		takt_word_copy(reader, word);
	return true;
}

static bool is_directive(struct takt_word word)
{
	static const char *const words[] = {"name", "isa", "base", "source", "default-source"};

	for (size_t i = 0; i < TAKT_COUNT_OF(words); i++)
		if (takt_word_is(word, words[i]))
			return true;
	return false;
}

static bool add_row(struct takt_reader *reader, struct takt_timing_draft *timing)
{
	if (timing->row_count == TAKT_ROWS_MAX)
		return takt_reader_error(reader, (struct takt_word){0}, "more than %u rows",
					 TAKT_ROWS_MAX);
	TAKT_GROW_IN(reader->arena, timing->rows, timing->row_count + 1, timing->row_capacity);
	if (!takt_row_read(reader, TAKT_ROW_FORM, &timing->rows[timing->row_count]))
		return false;
	timing->row_count++;
	return true;
}

TAKT_ORDER_POINTERS(compare_rows, struct takt_row, TAKT_UP(form), TAKT_UP(line));

/* Report a form that is written twice, as one of its rows would hide the other. */
static void report_repeated(struct takt_reader *reader, const struct takt_timing_draft *timing)
{
	const struct takt_row **sorted =
		TAKT_NEW_ARRAY(reader->arena, timing->row_count, const struct takt_row *);

	for (size_t i = 0; i < timing->row_count; i++)
		sorted[i] = &timing->rows[i];
	qsort(sorted, timing->row_count, sizeof(*sorted), compare_rows);
	for (size_t i = 1; i < timing->row_count; i++) {
		struct takt_text form = {0};
		struct takt_place place;

		if (sorted[i]->form != sorted[i - 1]->form)
			continue;
		takt_form_write(timing->text->isa, sorted[i]->form, &form);
		place = takt_text_place(timing->text, sorted[i]->line, form.data, reader->arena);
		takt_error_at(reader->diag, &place, "'%s' has two rows", form.data);
		takt_note(reader->diag, "the other is in line %u", sorted[i - 1]->line);
		takt_text_release(&form);
		reader->error_count++;
	}
}

bool takt_timing_read(struct takt_model_text *text, struct takt_arena *arena,
		      struct takt_diag *diag, struct takt_timing_draft **ret_timing)
{
	struct takt_timing_draft *timing = TAKT_NEW(arena, struct takt_timing_draft);
	struct takt_model_reader model;
	struct takt_reader *reader = &model.reader;

	takt_model_reader_init(&model, text, arena, diag);
	timing->text = text;
	if (!takt_reader_header(reader, "timing"))
		return false;
	while (takt_reader_line(reader)) {
		size_t start = reader->at;
		struct takt_word word = takt_reader_word(reader);

		if (is_directive(word)) {
			read_directive(reader, word, timing);
		} else {
			reader->at = start;
			add_row(reader, timing);
		}
	}
	report_repeated(reader, timing);
	if (!timing->name && reader->error_count == 0)
		takt_reader_error(reader, (struct takt_word){0}, "no 'name' line");
	if (reader->error_count)
		return false;
	*ret_timing = timing;
	return true;
}
