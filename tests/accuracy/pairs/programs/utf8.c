/* SPDX-License-Identifier: MIT */
/* Is this UTF-8? Case by case, or by an automaton with a table. */
#include "program.h"

#define SIZE 262144

static uint8_t text[SIZE];

#ifdef AUTOMATON
/* States: 0 fine, 1 bad, 2 … 4 so many continuation bytes less 1 follow; then limited ones. */
enum { FINE, BAD, ONE, TWO, THREE, AFTER_E0, AFTER_ED, AFTER_F0, AFTER_F4, STATES };

static uint8_t next_state[STATES][256];

static void fill(int state, int first, int last, int next)
{
	for (int byte = first; byte <= last; byte++)
		next_state[state][byte] = (uint8_t)next;
}

static void make_table(void)
{
	for (int state = 0; state < STATES; state++)
		fill(state, 0, 255, BAD);
	fill(FINE, 0x00, 0x7f, FINE);
	fill(FINE, 0xc2, 0xdf, ONE);
	fill(FINE, 0xe0, 0xef, TWO);
	fill(FINE, 0xe0, 0xe0, AFTER_E0);
	fill(FINE, 0xed, 0xed, AFTER_ED);
	fill(FINE, 0xf0, 0xf4, THREE);
	fill(FINE, 0xf0, 0xf0, AFTER_F0);
	fill(FINE, 0xf4, 0xf4, AFTER_F4);
	fill(ONE, 0x80, 0xbf, FINE);
	fill(TWO, 0x80, 0xbf, ONE);
	fill(THREE, 0x80, 0xbf, TWO);
	fill(AFTER_E0, 0xa0, 0xbf, ONE);
	fill(AFTER_ED, 0x80, 0x9f, ONE);
	fill(AFTER_F0, 0x90, 0xbf, TWO);
	fill(AFTER_F4, 0x80, 0x8f, TWO);
}

/* How many characters; 0 if it is not UTF-8. */
static size_t count_characters(const uint8_t *bytes, size_t size)
{
	size_t count = 0;
	uint8_t state = FINE;

	for (size_t i = 0; i < size; i++) {
		state = next_state[state][bytes[i]];
		count += state == FINE;
	}
	return state == FINE ? count : 0;
}
#else
static void make_table(void)
{
}

static int continues(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Bytes of the character at `bytes`; 0 if it is none. */
static size_t length_of(const uint8_t *bytes, size_t left)
{
	if (bytes[0] < 0x80)
		return 1;
	if (bytes[0] < 0xc2 || left < 2 || !continues(bytes[1]))
		return 0;
	if (bytes[0] < 0xe0)
		return 2;
	if (left < 3 || !continues(bytes[2]))
		return 0;
	if (bytes[0] < 0xf0)
		return (bytes[0] == 0xe0 && bytes[1] < 0xa0) ||
				       (bytes[0] == 0xed && bytes[1] > 0x9f)
			       ? 0
			       : 3;
	if (bytes[0] > 0xf4 || left < 4 || !continues(bytes[3]))
		return 0;
	return (bytes[0] == 0xf0 && bytes[1] < 0x90) || (bytes[0] == 0xf4 && bytes[1] > 0x8f) ? 0
											      : 4;
}

/* How many characters; 0 if it is not UTF-8. */
static size_t count_characters(const uint8_t *bytes, size_t size)
{
	size_t count = 0, length;

	for (size_t i = 0; i < size; i += length, count++) {
		length = length_of(bytes + i, size - i);
		if (!length)
			return 0;
	}
	return count;
}
#endif

/* Words of four letters, each word in the script of one length. */
void program_setup(void)
{
	static const char *const letters[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	uint64_t state = 1;
	size_t used = 0;

	make_table();
	while (used + 16 <= SIZE) {
		const char *letter = letters[random_next(&state) % 8 ? 0 : random_next(&state) % 4];

		for (int i = 0; i < 4; i++)
			for (const char *byte = letter; *byte; byte++)
				text[used++] = (uint8_t)*byte;
	}
}

uint64_t program_work(void)
{
	return count_characters(text, SIZE);
}
