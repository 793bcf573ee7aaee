/* SPDX-License-Identifier: MIT */
/* Reads the lines that core files and timing files have in common. */
#include <string.h>

#include "model/draft.h"

#define NEAREST_NAMES_MAX 3u
#define NAMES_LISTED_MAX 20u /* a list of at most this many names is shown whole */
#define SOURCE_TAG_MAX 8u

void takt_model_reader_init(struct takt_model_reader *reader, struct takt_model_text *text,
			    struct takt_arena *arena, struct takt_diag *diag)
{
	*reader = (struct takt_model_reader){.text = text};
	takt_reader_init(&reader->reader, text->path, text->data, text->size_bytes, arena, diag);
	if (!text->isa)
		text->isa = &takt_isa_x86;
}

void takt_note_names(struct takt_diag *diag, const char *wanted, const char *const *names,
		     size_t count)
{
	struct takt_text nearest = {0};

	if (takt_nearest_names(wanted, names, count, NEAREST_NAMES_MAX, &nearest)) {
		takt_note(diag, "did you mean %s?", takt_text_data(&nearest));
	} else if (count && count <= NAMES_LISTED_MAX) {
		for (size_t i = 0; i < count; i++)
			takt_text_printf(&nearest, " %s", names[i]);
		takt_note(diag, "known are:%s", takt_text_data(&nearest));
	}
	takt_text_release(&nearest);
}

/* ---- sources ------------------------------------------------------------ */

static const char *const origin_words[] = {
#define X(name, word, text) word,
	TAKT_ORIGIN_LIST(X)
#undef X
};

static bool parse_origin(struct takt_reader *reader, struct takt_word word,
			 enum takt_origin *ret_origin)
{
	for (unsigned i = 0; i < TAKT_ORIGIN_COUNT; i++) {
		if (takt_word_is(word, origin_words[i])) {
			*ret_origin = (enum takt_origin)i;
			return true;
		}
	}
	takt_reader_error(reader, word, "unknown origin '%.*s'", TAKT_PRINTED(word));
	takt_note_names(reader->diag, takt_word_copy(reader, word), origin_words,
			TAKT_ORIGIN_COUNT);
	return false;
}

const struct takt_source_draft *takt_reader_find_source(struct takt_reader *reader,
							struct takt_word tag)
{
	const struct takt_model_reader *model = takt_model_reader(reader);

	for (size_t i = 0; i < model->source_count; i++)
		if (takt_word_is(tag, model->sources[i].tag))
			return &model->sources[i];
	takt_reader_error(reader, tag, "unknown source '%.*s'", TAKT_PRINTED(tag));
	takt_note(reader->diag, "declare it above: source %.*s published TEXT", TAKT_PRINTED(tag));
	return NULL;
}

bool takt_reader_source(struct takt_reader *reader)
{
	struct takt_word tag = takt_reader_word(reader), origin = takt_reader_word(reader);
	struct takt_model_reader *model = takt_model_reader(reader);
	struct takt_source_draft *source;

	if (tag.size == 0 || tag.size > SOURCE_TAG_MAX)
		return takt_reader_error(reader, tag, "a source's tag has one to %u letters",
					 SOURCE_TAG_MAX);
	for (size_t i = 0; i < model->source_count; i++)
		if (takt_word_is(tag, model->sources[i].tag))
			return takt_reader_error(reader, tag, "source '%s' is declared twice",
						 model->sources[i].tag);
	if (model->source_count == TAKT_SOURCES_MAX)
		return takt_reader_error(reader, tag, "more than %u sources", TAKT_SOURCES_MAX);
	/* The array is allocated at full size, because rows keep pointers to its elements. */
	if (!model->sources)
		model->sources =
			TAKT_NEW_ARRAY(reader->arena, TAKT_SOURCES_MAX, struct takt_source_draft);
	source = &model->sources[model->source_count];
	if (!parse_origin(reader, origin, &source->origin))
		return false;
	source->tag = takt_word_copy(reader, tag);
	source->text = takt_word_copy(reader, takt_reader_rest(reader));
	model->source_count++;
	return true;
}

bool takt_reader_isa(struct takt_reader *reader, const char **ret_name)
{
	static const char *const names[] = {"x86-64", "aarch64"};
	struct takt_word word = takt_reader_rest(reader);
	char *name = takt_word_copy(reader, word);
	const struct takt_isa *isa = takt_isa_of_name(name);

	if (!isa) {
		takt_reader_error(reader, word, "unknown instruction set '%s'", name);
		takt_note_names(reader->diag, name, names, TAKT_COUNT_OF(names));
		return false;
	}
	takt_reader_text(reader)->isa = isa;
	*ret_name = isa->name;
	return true;
}

bool takt_reader_default_source(struct takt_reader *reader)
{
	const struct takt_source_draft *source =
		takt_reader_find_source(reader, takt_reader_word(reader));

	if (source)
		takt_model_reader(reader)->default_source = source;
	return source != NULL;
}

/* ---- ports -------------------------------------------------------------- */

static bool is_port_digit(char c)
{
	return takt_is_digit(c) || (c >= 'A' && c <= 'F');
}

/* Find a port's bit in the file's list, to which new names are added; false if it is full. */
static bool port_bit(struct takt_port_list *ports, char letter, char digit, uint32_t *ret_bit)
{
	uint32_t i;

	for (i = 0; i < ports->count; i++)
		if (ports->names[i][0] == letter && ports->names[i][1] == digit)
			break;
	if (i == TAKT_PORTS_MAX)
		return false;
	if (i == ports->count) {
		ports->names[i][0] = letter;
		ports->names[i][1] = digit;
		ports->count++;
	}
	*ret_bit = (uint32_t)1 << i;
	return true;
}

bool takt_reader_ports(struct takt_reader *reader, struct takt_word word, uint32_t *ret_ports)
{
	uint32_t ports = 0, bit;
	char letter = 0;

	for (size_t i = 0; i < word.size; i++) {
		struct takt_word here = {word.data + i, 1};
		char c = word.data[i];

		if (c >= 'a' && c <= 'z') {
			letter = c;
			if (i + 1 == word.size || !is_port_digit(word.data[i + 1]))
				return takt_reader_error(reader, here,
							 "port letter '%c' without a digit", c);
			continue;
		}
		if (!is_port_digit(c) || !letter)
			return takt_reader_error(reader, here, "'%.*s' names no ports",
						 TAKT_PRINTED(word));
		if (!port_bit(&takt_reader_text(reader)->ports, letter, c, &bit))
			return takt_reader_error(reader, here, "more than %d ports",
						 TAKT_PORTS_MAX);
		if (ports & bit)
			return takt_reader_error(reader, here, "port '%c%c' is named twice", letter,
						 c);
		ports |= bit;
	}
	*ret_ports = ports;
	return ports != 0 || takt_reader_error(reader, word, "ports expected, such as p01");
}

/* Find `word` in the line as a whole word: with a blank or an end of the line on both sides. */
static const char *find_word(const char *line, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = line; (at = strstr(at, word)) != NULL; at++)
		if ((at == line || takt_is_line_blank(at[-1])) &&
		    (at[size] == '\0' || takt_is_line_blank(at[size])))
			return at;
	return NULL;
}

struct takt_place takt_text_place(const struct takt_model_text *text, uint32_t line,
				  const char *word, struct takt_arena *arena)
{
	struct takt_place place = {.file = text->path, .line = line, .width = 1};
	struct takt_lines lines;
	const char *data;
	size_t size;

	takt_lines_init(&lines, text->data, text->size_bytes);
	while (takt_lines_next(&lines, &data, &size)) {
		const char *found;

		if (lines.number != line)
			continue;
		place.excerpt = takt_arena_copy(arena, data, size);
		found = word ? find_word(place.excerpt, word) : NULL;
		if (found) {
			place.column = (uint32_t)(found - place.excerpt) + 1;
			place.width = (uint32_t)strlen(word);
		}
		break;
	}
	return place;
}
