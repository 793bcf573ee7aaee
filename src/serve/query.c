/* SPDX-License-Identifier: MIT */
/* Reads what a request asks for: "analyze?core=…&set=rob_entries=512", encoded as forms are. */
#include <string.h>

#include "serve/serve.h"

#define REGION_MOST 1000000
#define ALIGNMENT_MOST 63
#define UNROLL_MOST 1000000

static const char *const kind_words[] = {
#define X(name, word) word,
	SERVE_KIND_LIST(X)
#undef X
};

/* ---- decoding ---------------------------------------------------------------- */

static int digit_of(char letter)
{
	if (takt_is_digit(letter))
		return letter - '0';
	if (letter >= 'a' && letter <= 'f')
		return letter - 'a' + 10;
	if (letter >= 'A' && letter <= 'F')
		return letter - 'A' + 10;
	return -1;
}

/* Decode "%41" and "+" into the arena. NULL if the text is damaged or would contain control
 * characters. */
static const char *decode(const char *text, size_t size, struct takt_arena *arena)
{
	char *decoded = takt_arena_copy(arena, text, size);
	size_t at = 0;

	for (size_t i = 0; i < size; i++) {
		int letter = (unsigned char)text[i];

		if (letter == '+') {
			letter = ' ';
		} else if (letter == '%') {
			int high = size - i > 2 ? digit_of(text[i + 1]) : -1;
			int low = high < 0 ? -1 : digit_of(text[i + 2]);

			if (low < 0)
				return NULL;
			letter = high * 16 + low;
			i += 2;
		}
		if (letter < ' ' || letter == 0x7f)
			return NULL;
		decoded[at++] = (char)letter;
	}
	decoded[at] = '\0';
	return decoded;
}

/* ---- values ---------------------------------------------------------------------- */

static bool wrong_value(struct takt_diag *diag, const char *key, const char *value,
			const char *remedy)
{
	takt_error(diag, "'%s' cannot be '%.60s'", key, value);
	takt_note(diag, "%s", remedy);
	return false;
}

/* Find a word in a list that ends with NULL. */
static bool find_word(const char *key, const char *value, const char *const *words,
		      struct takt_diag *diag, size_t *ret_index)
{
	struct takt_text choices = {0};

	for (size_t i = 0; words[i]; i++) {
		if (strcmp(words[i], value) == 0) {
			*ret_index = i;
			takt_text_release(&choices);
			return true;
		}
		takt_text_printf(&choices, "%s%s", i ? ", " : "the choices are ", words[i]);
	}
	wrong_value(diag, key, value, choices.data);
	takt_text_release(&choices);
	return false;
}

/* Read a number without sign. */
static bool read_number(const char *key, const char *value, uint32_t most, struct takt_diag *diag,
			uint32_t *ret_number)
{
	if (takt_word_number((struct takt_word){value, strlen(value)}, most, ret_number))
		return true;
	takt_error(diag, "'%s' must be a number up to %u, not '%.60s'", key, most, value);
	return false;
}

static bool read_core(const char *value, struct takt_diag *diag, struct serve_query *query)
{
	if (query->core_count == SERVE_CORES_MAX) {
		takt_error(diag, "more than %d cores", SERVE_CORES_MAX);
		return false;
	}
	if (!*value)
		return wrong_value(diag, "core", value, "name a core, such as 'host'");
	query->cores[query->core_count++] = value;
	return true;
}

static bool read_setting(const char *value, struct takt_arena *arena, struct takt_diag *diag,
			 struct serve_query *query)
{
	size_t size = strcspn(value, "=");

	if (query->setting_count == SERVE_SETTINGS_MAX) {
		takt_error(diag, "more than %d parameters", SERVE_SETTINGS_MAX);
		return false;
	}
	if (!size || !value[size])
		return wrong_value(diag, "set", value, "it has the form 'rob_entries=512'");
	query->settings[query->setting_count++] = (struct takt_setting){
		.name = takt_arena_copy(arena, value, size), .value = value + size + 1};
	return true;
}

static bool read_format(const char *value, struct takt_diag *diag, struct serve_query *query)
{
	static const char *const words[] = {"auto", "elf", "asm", "hex", NULL};
	static const enum takt_input_format formats[] = {TAKT_INPUT_AUTO, TAKT_INPUT_ELF,
							 TAKT_INPUT_ASSEMBLY, TAKT_INPUT_HEX};
	size_t index;

	if (!find_word("format", value, words, diag, &index))
		return false;
	query->format = formats[index];
	return true;
}

static bool read_choices(const char *key, const char *value, struct takt_diag *diag,
			 struct serve_query *query)
{
	static const char *const syntaxes[] = {"auto", "att", "intel", NULL};
	static const char *const modes[] = {"auto", "loop", "unroll", NULL};
	static const char *const trials[] = {"short", "full", "none", NULL};
	size_t index;

	if (strcmp(key, "syntax") == 0) {
		if (!find_word(key, value, syntaxes, diag, &index))
			return false;
		query->syntax = (enum takt_syntax)index;
	} else if (strcmp(key, "mode") == 0) {
		if (!find_word(key, value, modes, diag, &index))
			return false;
		query->mode = (enum takt_mode)index;
	} else {
		if (!find_word(key, value, trials, diag, &index))
			return false;
		query->sensitivity = (enum takt_sensitivity)index;
	}
	return true;
}

static bool read_numbers(const char *key, const char *value, struct takt_diag *diag,
			 struct serve_query *query)
{
	uint32_t number;

	if (strcmp(key, "region") == 0)
		return read_number(key, value, REGION_MOST, diag, &query->region);
	if (strcmp(key, "alignment") == 0) {
		if (!read_number(key, value, ALIGNMENT_MOST, diag, &number))
			return false;
		query->alignment = number + 1;
		return true;
	}
	if (!read_number(key, value, UNROLL_MOST, diag, &number))
		return false;
	query->unroll_factor = number;
	return true;
}

static bool is_one_of(const char *key, const char *const *keys)
{
	for (; *keys; keys++)
		if (strcmp(key, *keys) == 0)
			return true;
	return false;
}

static bool read_text(const char *key, const char *value, struct serve_query *query)
{
	const struct {
		const char *key, **place;
	} texts[] = {{"function", &query->function},
		     {"compiler", &query->compiler},
		     {"flags", &query->flags},
		     {"hex", &query->hex}};

	for (size_t i = 0; i < TAKT_COUNT_OF(texts); i++) {
		if (strcmp(key, texts[i].key) != 0)
			continue;
		*texts[i].place = *value ? value : NULL;
		return true;
	}
	return false;
}

static bool read_pair(const char *key, const char *value, struct takt_arena *arena,
		      struct takt_diag *diag, struct serve_query *query)
{
	static const char *const choices[] = {"syntax", "mode", "sensitivity", NULL};
	static const char *const numbers[] = {"region", "alignment", "unroll", NULL};

	if (strcmp(key, "core") == 0)
		return read_core(value, diag, query);
	if (strcmp(key, "set") == 0)
		return read_setting(value, arena, diag, query);
	if (strcmp(key, "format") == 0)
		return read_format(value, diag, query);
	if (is_one_of(key, choices))
		return read_choices(key, value, diag, query);
	if (is_one_of(key, numbers))
		return read_numbers(key, value, diag, query);
	if (strcmp(key, "whole") == 0) {
		query->whole = strcmp(value, "yes") == 0;
		return true;
	}
	if (read_text(key, value, query))
		return true;
	takt_error(diag, "a request has no '%.60s'", key);
	return false;
}

/* ---- the whole target ------------------------------------------------------------- */

static bool read_kind(const char *word, size_t size, struct takt_diag *diag,
		      struct serve_query *query)
{
	for (size_t i = 0; i < SERVE_KIND_COUNT; i++) {
		if (!takt_string_is(kind_words[i], word, size))
			continue;
		query->kind = (enum serve_kind)i;
		return true;
	}
	takt_error(diag, "there is no '%.*s' here", (int)(size < 60 ? size : 60), word);
	return false;
}

bool takt_serve_query_read(const char *target, struct takt_arena *arena, struct takt_diag *diag,
			   struct serve_query *ret_query)
{
	struct serve_query query = {.kind = SERVE_ANALYZE};
	size_t size = strcspn(target, "?");

	if (strlen(target) > SERVE_TARGET_BYTES_MAX) {
		takt_error(diag, "a request of more than %d bytes", SERVE_TARGET_BYTES_MAX);
		return false;
	}
	if (!read_kind(target, size, diag, &query))
		return false;
	target += size + (target[size] == '?');
	while (*target) {
		size_t pair = strcspn(target, "&"), key = strcspn(target, "=&");
		const char *name = decode(target, key, arena), *value;

		value = key < pair ? decode(target + key + 1, pair - key - 1, arena) : "";
		if (!name || !value) {
			takt_error(diag, "the request is not encoded as a form");
			return false;
		}
		if (pair && !read_pair(name, value, arena, diag, &query))
			return false;
		target += pair + (target[pair] == '&');
	}
	*ret_query = query;
	return true;
}
