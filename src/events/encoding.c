/* SPDX-License-Identifier: MIT */
/* Encodings of events in the kernel's notation: "cpu/event=0x51,umask=0x1/". */
#include <stdlib.h>
#include <string.h>

#include "events/backend.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static size_t word_size(const char *text)
{
	size_t size = 0;

	while (is_word(text[size]))
		size++;
	return size;
}

/* Parse NAME or NAME=NUMBER. Returns its end, or NULL if it is neither. */
static const char *parse_term(const char *at, struct takt_arena *arena,
			      struct events_term *ret_term)
{
	size_t size = word_size(at);
	char *end;

	if (!size)
		return NULL;
	*ret_term = (struct events_term){.name = takt_arena_copy(arena, at, size)};
	at += size;
	if (*at != '=')
		return at;
	if (at[1] < '0' || at[1] > '9')
		return NULL;
	ret_term->value = strtoull(at + 1, &end, 0);
	ret_term->has_value = true;
	return end;
}

bool takt_events_encoding_parse(const char *text, struct takt_arena *arena,
				struct events_encoding *ret_encoding)
{
	size_t size = word_size(text);

	*ret_encoding = (struct events_encoding){.pmu = takt_arena_copy(arena, text, size)};
	if (!size || text[size] != '/')
		return false;
	text += size + 1;
	while (ret_encoding->term_count < EVENTS_TERMS_MAX) {
		text = parse_term(text, arena, &ret_encoding->terms[ret_encoding->term_count++]);
		if (!text)
			return false;
		if (*text == '/')
			return text[1] == '\0';
		if (*text++ != ',')
			return false;
	}
	return false;
}

static bool add_x86(const struct events_term *term, struct events_config *config)
{
	static const struct {
		const char *name;
		uint64_t most;
		unsigned shift;
	} fields[] = {
		{"umask", 0xff, 8}, {"edge", 1, 18},	 {"any", 1, 21},
		{"inv", 1, 23},	    {"cmask", 0xff, 24},
	};

	if (strcmp(term->name, "event") == 0 && term->value <= 0xfff) {
		/* The upper four bits of AMD's event numbers are stored apart, from bit 32. */
		config->config |= (term->value & 0xff) | (term->value & 0xf00) << 24;
		return true;
	}
	if (strcmp(term->name, "offcore_rsp") == 0) {
		config->config1 = term->value;
		return true;
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(fields); i++)
		if (strcmp(term->name, fields[i].name) == 0 && term->value <= fields[i].most) {
			config->config |= term->value << fields[i].shift;
			return true;
		}
	return false;
}

bool takt_events_encoding_config(const struct events_encoding *encoding, const char *isa,
				 struct events_config *ret_config)
{
	struct events_config config = {0, 0};

	if (strcmp(encoding->pmu, "cpu") != 0)
		return false;
	for (uint32_t i = 0; i < encoding->term_count; i++) {
		const struct events_term *term = &encoding->terms[i];

		if (!term->has_value)
			return false;
		if (strcmp(isa, "x86-64") == 0) {
			if (!add_x86(term, &config))
				return false;
		} else if (strcmp(term->name, "event") == 0 && term->value <= 0xffff) {
			config.config = term->value;
		} else {
			return false;
		}
	}
	*ret_config = config;
	return true;
}
