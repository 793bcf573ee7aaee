/* SPDX-License-Identifier: MIT */
/* zlib: text compressed, or with INFLATE decompressed. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "program.h"

#ifdef INFLATE
#define SIZE 65536
#else
#define SIZE 16384
#endif

static char text[SIZE];
static Bytef packed[2 * SIZE], unpacked[SIZE];
static uLongf packed_size = sizeof(packed);

static void pack(void)
{
	packed_size = sizeof(packed);
	if (compress2(packed, &packed_size, (const Bytef *)text, SIZE, 6) != Z_OK)
		abort();
}

void program_setup(void)
{
	program_text(text, SIZE);
	pack();
}

uint64_t program_work(void)
{
#ifdef INFLATE
	uLongf size = SIZE;

	if (uncompress(unpacked, &size, packed, packed_size) != Z_OK ||
	    memcmp(unpacked, text, SIZE) != 0)
		abort();
#else
	(void)unpacked;
	pack();
#endif
	return packed_size;
}
