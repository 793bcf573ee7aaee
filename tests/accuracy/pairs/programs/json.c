/* SPDX-License-Identifier: MIT */
/* JSON text read into a sum of what is in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define SIZE 131072
#define DEPTH_MAX 32

struct reader {
	const char *next, *end;
	uint64_t sum;
	int depth;
};

static char text[SIZE];
static size_t text_size;

static void read_value(struct reader *reader);

static void skip_space(struct reader *reader)
{
	while (reader->next < reader->end &&
	       (*reader->next == ' ' || *reader->next == '\n' || *reader->next == '\t'))
		reader->next++;
}

static void expect(struct reader *reader, char c)
{
	skip_space(reader);
	if (reader->next == reader->end || *reader->next != c)
		abort();
	reader->next++;
}

static int is_next(struct reader *reader, char c)
{
	skip_space(reader);
	if (reader->next == reader->end || *reader->next != c)
		return 0;
	reader->next++;
	return 1;
}

static void read_string(struct reader *reader)
{
	uint32_t hash = 0;

	expect(reader, '"');
	while (reader->next < reader->end && *reader->next != '"') {
		if (*reader->next == '\\')
			reader->next++;
		hash = hash * 31 + (unsigned char)*reader->next++;
	}
	expect(reader, '"');
	reader->sum += hash;
}

static void read_number(struct reader *reader)
{
	int negative = *reader->next == '-';
	uint64_t value = 0;

	reader->next += negative;
	while (reader->next < reader->end && *reader->next >= '0' && *reader->next <= '9')
		value = value * 10 + (uint64_t)(*reader->next++ - '0');
	if (*reader->next == '.') {
		reader->next++;
		while (*reader->next >= '0' && *reader->next <= '9')
			value = value * 10 + (uint64_t)(*reader->next++ - '0');
	}
	reader->sum += negative ? -value : value;
}

static void read_word(struct reader *reader, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(reader->end - reader->next) < size || memcmp(reader->next, word, size) != 0)
		abort();
	reader->next += size;
	reader->sum++;
}

static void read_members(struct reader *reader, char end)
{
	reader->next++;
	if (++reader->depth > DEPTH_MAX)
		abort();
	if (!is_next(reader, end)) {
		do {
			if (end == '}') {
				skip_space(reader);
				read_string(reader);
				expect(reader, ':');
			}
			read_value(reader);
		} while (is_next(reader, ','));
		expect(reader, end);
	}
	reader->depth--;
}

static void read_value(struct reader *reader)
{
	skip_space(reader);
	switch (reader->next < reader->end ? *reader->next : 0) {
	case '{':
		read_members(reader, '}');
		break;
	case '[':
		read_members(reader, ']');
		break;
	case '"':
		read_string(reader);
		break;
	case 't':
		read_word(reader, "true");
		break;
	case 'f':
		read_word(reader, "false");
		break;
	case 'n':
		read_word(reader, "null");
		break;
	default:
		read_number(reader);
		break;
	}
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
	return random_next(state) % limit;
}

/* A call for each number, since the order of arguments is the compiler's choice. */
void program_setup(void)
{
	uint64_t state = 1;
	char *to = text;

	to += sprintf(to, "[\n");
	while (to < text + SIZE - 512) {
		to += sprintf(to, "  {\"id\": %u, ", below(&state, 100000));
		to += sprintf(to, "\"name\": \"item %u\", ", below(&state, 1000));
		to += sprintf(to, "\"price\": %u.", below(&state, 1000));
		to += sprintf(to, "%02u, \"tags\": [", below(&state, 100));
		for (uint32_t tags = below(&state, 4); tags; tags--) {
			to += sprintf(to, "\"t%u\"", random_next(&state));
			to += sprintf(to, tags > 1 ? ", " : "");
		}
		to += sprintf(to, "], \"sold\": %s},\n", below(&state, 2) ? "true" : "false");
	}
	to += sprintf(to, "  null\n]\n");
	text_size = (size_t)(to - text);
}

uint64_t program_work(void)
{
	struct reader reader = {.next = text, .end = text + text_size};

	read_value(&reader);
	return reader.sum;
}
