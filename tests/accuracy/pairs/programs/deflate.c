/* SPDX-License-Identifier: MIT */
/*
 * A compressor like DEFLATE: repeats found by hash chains, what is left and the lengths in
 * Huffman's code. Repeats are compared byte by byte, or with WORDS eight at a time.
 */
#include <string.h>

#include "program.h"

#define CHAIN 8 /* places tried for each repeat */
#define SIZE 32768
#define HASH_SIZE 8192
#define MATCH_MIN 4
#define MATCH_MAX 255
#define SYMBOLS 512
#define LENGTH_BASE 256

static char text[SIZE];
static int32_t heads[HASH_SIZE], previous[SIZE];
static uint16_t tokens[SIZE], distances[SIZE];
static uint32_t frequencies[SYMBOLS], codes[SYMBOLS];
static uint8_t lengths[SYMBOLS];
static uint8_t output[4 * SIZE];

static uint32_t hash_at(size_t place)
{
	uint32_t word;

	memcpy(&word, text + place, 4);
	return word * 2654435761u >> 19;
}

static size_t common(size_t left, size_t right)
{
	size_t length = 0, most = SIZE - right < MATCH_MAX ? SIZE - right : MATCH_MAX;

#ifdef WORDS
	for (; length + 8 <= most; length += 8) {
		uint64_t a, b;

		memcpy(&a, text + left + length, 8);
		memcpy(&b, text + right + length, 8);
		if (a != b)
			return length + (size_t)__builtin_ctzll(a ^ b) / 8;
	}
#endif
	while (length < most && text[left + length] == text[right + length])
		length++;
	return length;
}

static size_t find(size_t place, size_t *ret_distance)
{
	int32_t other = heads[hash_at(place)];
	size_t best = 0;

	for (int tries = 0; tries < CHAIN && other >= 0; tries++) {
		size_t length = common((size_t)other, place);

		if (length > best) {
			best = length;
			*ret_distance = place - (size_t)other;
		}
		other = previous[other];
	}
	return best;
}

static void enter(size_t place)
{
	uint32_t hash = hash_at(place);

	previous[place] = heads[hash];
	heads[hash] = (int32_t)place;
}

/* Returns how many tokens. */
static size_t find_repeats(void)
{
	size_t count = 0;

	memset(heads, 0xff, sizeof(heads));
	for (size_t place = 0; place < SIZE;) {
		size_t distance = 0, length = place + 4 <= SIZE ? find(place, &distance) : 0,
		       step = 1;

		tokens[count] = (uint8_t)text[place];
		distances[count] = 0;
		if (length >= MATCH_MIN) {
			tokens[count] = (uint16_t)(LENGTH_BASE + length);
			distances[count] = (uint16_t)distance;
			step = length;
		}
		count++;
		for (; step; step--, place++)
			if (place + 4 <= SIZE)
				enter(place);
	}
	return count;
}

/* Lengths of codes: the two rarest trees are joined until there is one. */
static void make_lengths(void)
{
	static uint32_t weights[2 * SYMBOLS];
	static uint16_t parents[2 * SYMBOLS], active[SYMBOLS];
	size_t count = 0, next = SYMBOLS;

	for (size_t i = 0; i < SYMBOLS; i++) {
		weights[i] = frequencies[i];
		parents[i] = 0;
		if (frequencies[i])
			active[count++] = (uint16_t)i;
	}
	while (count > 1) {
		size_t least = 0, second = 1;

		for (size_t i = 1; i < count; i++) {
			if (weights[active[i]] < weights[active[least]]) {
				second = least;
				least = i;
			} else if (i != least && (second == least ||
						  weights[active[i]] < weights[active[second]])) {
				second = i;
			}
		}
		weights[next] = weights[active[least]] + weights[active[second]];
		parents[active[least]] = parents[active[second]] = (uint16_t)next;
		parents[next] = 0;
		active[least] = (uint16_t)next++;
		active[second] = active[--count];
	}
	for (size_t i = 0; i < SYMBOLS; i++) {
		lengths[i] = 0;
		for (size_t node = i; frequencies[i] && parents[node]; node = parents[node])
			lengths[i]++;
	}
}

static void make_codes(void)
{
	uint32_t code = 0;

	for (uint8_t length = 1; length < 32; length++, code <<= 1)
		for (size_t i = 0; i < SYMBOLS; i++)
			if (lengths[i] == length)
				codes[i] = code++;
}

static size_t write_tokens(size_t count)
{
	uint64_t bits = 0;
	unsigned held = 0;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		bits = bits << lengths[tokens[i]] | codes[tokens[i]];
		held += lengths[tokens[i]];
		if (tokens[i] >= LENGTH_BASE) {
			bits = bits << 15 | distances[i];
			held += 15;
		}
		for (; held >= 8; held -= 8)
			output[used++] = (uint8_t)(bits >> (held - 8));
	}
	return used;
}

void program_setup(void)
{
	program_text(text, SIZE);
}

uint64_t program_work(void)
{
	size_t count = find_repeats();

	memset(frequencies, 0, sizeof(frequencies));
	for (size_t i = 0; i < count; i++)
		frequencies[tokens[i]]++;
	make_lengths();
	make_codes();
	return checksum_add(write_tokens(count), count);
}
