/* SPDX-License-Identifier: MIT */
/*
 * A decoder of bytes and repeats, as LZ4 has them: a token with two lengths, the bytes, how far
 * back the repeat is. SAFE: each length and distance is checked, as a patch against damaged
 * input would.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define SIZE 65536
#define HASH_SIZE 4096
#define MATCH_MIN 4
#define MARGIN 32

static char text[SIZE];
static uint8_t packed[2 * SIZE], unpacked[SIZE + MARGIN];
static size_t packed_size;

static size_t put_length(uint8_t *to, size_t length)
{
	size_t used = 0;

	for (; length >= 255; length -= 255)
		to[used++] = 255;
	to[used++] = (uint8_t)length;
	return used;
}

static void put_piece(size_t from, size_t plain, size_t distance, size_t match)
{
	size_t more = match ? match - MATCH_MIN : 0;

	packed[packed_size++] = (uint8_t)((plain < 15 ? plain : 15) << 4 | (more < 15 ? more : 15));
	if (plain >= 15)
		packed_size += put_length(packed + packed_size, plain - 15);
	memcpy(packed + packed_size, text + from, plain);
	packed_size += plain;
	packed[packed_size++] = (uint8_t)distance;
	packed[packed_size++] = (uint8_t)(distance >> 8);
	if (more >= 15)
		packed_size += put_length(packed + packed_size, more - 15);
}

static void pack(void)
{
	static uint32_t heads[HASH_SIZE];
	size_t plain_from = 0, place = 1;

	while (place + 4 <= SIZE) {
		uint32_t word, hash;
		size_t other, length = 0;

		memcpy(&word, text + place, 4);
		hash = word * 2654435761u >> 20;
		other = heads[hash];
		heads[hash] = (uint32_t)place;
		if (other && place - other < 65536)
			while (place + length < SIZE &&
			       text[other + length] == text[place + length])
				length++;
		if (length < MATCH_MIN) {
			place++;
			continue;
		}
		put_piece(plain_from, place - plain_from, place - other, length);
		place += length;
		plain_from = place;
	}
	put_piece(plain_from, SIZE - plain_from, 0, 0);
}

#ifdef SAFE
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return 0;                                                                  \
	} while (0)
#else
#define MUST(condition)                                                                            \
	do {                                                                                       \
	} while (0)
#endif

/* Returns how many bytes. */
__attribute__((noinline)) static size_t unpack(uint8_t *to, size_t to_size, const uint8_t *from,
					       size_t from_size)
{
	const uint8_t *end = from + from_size;
	uint8_t *start = to, *to_end = to + to_size;

	(void)to_end;
	while (from < end) {
		size_t token = *from++, plain = token >> 4, match = (token & 15) + MATCH_MIN,
		       distance;

		if (plain == 15)
			do {
				MUST(from < end);
				plain += *from;
			} while (*from++ == 255);
		MUST(plain <= (size_t)(end - from) && plain <= (size_t)(to_end - to));
		for (size_t i = 0; i < plain; i++)
			to[i] = from[i];
		to += plain;
		from += plain;
		MUST(end - from >= 2);
		distance = from[0] | (size_t)from[1] << 8;
		from += 2;
		if (!distance)
			break;
		if (match == 15 + MATCH_MIN)
			do {
				MUST(from < end);
				match += *from;
			} while (*from++ == 255);
		MUST(distance <= (size_t)(to - start) && match <= (size_t)(to_end - to));
		for (size_t i = 0; i < match; i++)
			to[i] = to[(ptrdiff_t)i - (ptrdiff_t)distance];
		to += match;
	}
	return (size_t)(to - start);
}

void program_setup(void)
{
	program_text(text, SIZE);
	pack();
}

uint64_t program_work(void)
{
	size_t size = 0;

	for (int pass = 0; pass < 4; pass++)
		size += unpack(unpacked, SIZE, packed, packed_size);
	if (memcmp(unpacked, text, SIZE) != 0)
		abort();
	return size;
}
