/* SPDX-License-Identifier: MIT */
/*
 * How often a pattern with `.`, `*` and classes occurs in text: tried at each place by
 * backtracking, or by an automaton with a table that is made once (AUTOMATON).
 */
#include <string.h>

#include "program.h"

#define SIZE 65536

/* "error" or "warning", then anything but a new line, then "timeout". */
static char text[SIZE + 1];

#ifdef AUTOMATON
#define STATES_MAX 64

static uint8_t next_state[STATES_MAX][256];
static uint8_t accepts[STATES_MAX];

/* Longest end of `read` that begins one of `words`, by its number among all beginnings. */
static int beginning(const char *const *words, int count, const char *read, int size)
{
	for (int skip = 0; skip < size; skip++) {
		int number = 1;

		for (int word = 0; word < count; number += (int)strlen(words[word++]))
			if (strlen(words[word]) >= (size_t)(size - skip) &&
			    memcmp(words[word], read + skip, (size_t)(size - skip)) == 0)
				return number + size - skip - 1;
	}
	return 0;
}

static void add_words(const char *const *words, int count, int base, int on_end, int on_line)
{
	int number = 0;

	for (int word = -1; word < count; word++)
		for (int size = word < 0 ? 0 : 1; size <= (word < 0 ? 0 : (int)strlen(words[word]));
		     size++, number++)
			for (int byte = 0; byte < 256; byte++) {
				char read[16];
				int next;

				memcpy(read, word < 0 ? "" : words[word], (size_t)size);
				read[size] = (char)byte;
				next = base + beginning(words, count, read, size + 1);
				if (word >= 0 && size + 1 == (int)strlen(words[word]) &&
				    words[word][size] == byte)
					next = on_end;
				next_state[base + number][byte] =
					(uint8_t)(byte == '\n' ? on_line : next);
			}
}

static void prepare(void)
{
	static const char *const first[] = {"error", "warning"}, *const second[] = {"timeout"};

	add_words(first, 2, 0, 32, 0);
	add_words(second, 1, 32, 48, 0);
	memcpy(next_state[48], next_state[0], 256);
	accepts[48] = 1;
}

static uint64_t count_matches(void)
{
	uint64_t count = 0;
	uint8_t state = 0;

	for (size_t i = 0; i < SIZE; i++) {
		state = next_state[state][(uint8_t)text[i]];
		count += accepts[state];
	}
	return count;
}
#else
static void prepare(void)
{
}

static size_t match_word(const char *at, const char *word)
{
	size_t length = 0;

	while (word[length] && at[length] == word[length])
		length++;
	return word[length] ? 0 : length;
}

/* Bytes matched; 0 if the pattern is not there. */
static size_t match_here(const char *at)
{
	size_t length = match_word(at, "error");

	if (!length)
		length = match_word(at, "warning");
	if (!length)
		return 0;
	for (; at[length] && at[length] != '\n'; length++) {
		size_t more = match_word(at + length, "timeout");

		if (more)
			return length + more;
	}
	return 0;
}

static uint64_t count_matches(void)
{
	uint64_t count = 0;

	for (size_t i = 0; i < SIZE;) {
		size_t length = match_here(text + i);

		count += length > 0;
		i += length ? length : 1;
	}
	return count;
}
#endif

void program_setup(void)
{
	program_text(text, SIZE);
	prepare();
}

uint64_t program_work(void)
{
	uint64_t count = 0;

	for (int pass = 0; pass < 4; pass++)
		count += count_matches();
	return count;
}
