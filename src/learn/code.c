/* SPDX-License-Identifier: MIT */
/* Makes the code of experiments from texts such as "root*12 nop*N". */
#include <stdlib.h>
#include <string.h>

#include "learn/learn.h"

#define CODE_BYTES_MAX 60000u
#define DEPTH_MAX 4u

void learn_code_add(struct learn_code *code, const uint8_t *bytes, size_t size_bytes)
{
	TAKT_GROW_IN(code->arena, code->bytes, code->size_bytes + size_bytes, code->capacity_bytes);
	memcpy(code->bytes + code->size_bytes, bytes, size_bytes);
	code->size_bytes += size_bytes;
}

static bool add_word(struct learn_code *code, const char *isa, const char *word, size_t word_size,
		     uint32_t index)
{
	if (code->size_bytes >= CODE_BYTES_MAX)
		return false;
	if (strcmp(isa, "x86-64") == 0)
		return learn_x86_add(code, word, word_size, index);
	return strcmp(isa, "aarch64") == 0 && learn_aarch64_add(code, word, word_size, index);
}

/* Read the "*12" or "*N" after a word, if there is one. */
static uint32_t read_times(const char **at, int32_t size)
{
	char *end;
	unsigned long times;

	if (**at != '*')
		return 1;
	if ((*at)[1] == 'N') {
		*at += 2;
		return size > 0 ? (uint32_t)size : 0;
	}
	times = strtoul(*at + 1, &end, 10);
	*at = end;
	return (uint32_t)times;
}

static bool add_items(struct learn_code *code, const char *isa, const char **at, int32_t size,
		      uint32_t first_index, unsigned depth);

/* Add a group in brackets as often as the number after it says. */
static bool add_group(struct learn_code *code, const char *isa, const char **at, int32_t size,
		      unsigned depth)
{
	const char *start = *at, *behind = strchr(start, ']');
	uint32_t times;

	if (!behind || depth >= DEPTH_MAX)
		return false;
	behind++;
	times = read_times(&behind, size);
	for (uint32_t i = 0; i < times; i++) {
		*at = start;
		if (!add_items(code, isa, at, size, i, depth + 1) || **at != ']')
			return false;
	}
	*at = behind;
	return true;
}

static bool add_items(struct learn_code *code, const char *isa, const char **at, int32_t size,
		      uint32_t first_index, unsigned depth)
{
	while (**at && **at != ']') {
		const char *word = *at;
		size_t word_size;
		uint32_t times;

		if (*word == ' ') {
			++*at;
			continue;
		}
		if (*word == '[') {
			++*at;
			if (!add_group(code, isa, at, size, depth))
				return false;
			continue;
		}
		*at += strcspn(*at, " *[]");
		word_size = (size_t)(*at - word);
		times = read_times(at, size);
		if (!word_size)
			return false;
		for (uint32_t i = 0; i < times; i++)
			if (!add_word(code, isa, word, word_size, first_index + i))
				return false;
	}
	return true;
}

bool learn_code_add_text(struct learn_code *code, const char *isa, const char *text, int32_t size)
{
	const char *at = text;

	return add_items(code, isa, &at, size, 0, 0) && !*at;
}

bool learn_code_close_loop(struct learn_code *code, const char *isa)
{
	if (strcmp(isa, "x86-64") == 0) {
		learn_x86_close_loop(code);
		return true;
	}
	if (strcmp(isa, "aarch64") == 0) {
		learn_aarch64_close_loop(code);
		return true;
	}
	return false;
}
