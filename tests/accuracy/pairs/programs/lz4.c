/* SPDX-License-Identifier: MIT */
/* LZ4: text compressed, or with UNPACK decompressed. */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define SIZE 65536

static char text[SIZE], packed[2 * SIZE], unpacked[SIZE];
static int packed_size;

static void pack(void)
{
	packed_size = LZ4_compress_default(text, packed, SIZE, sizeof(packed));
	if (packed_size <= 0)
		abort();
}

void program_setup(void)
{
	program_text(text, SIZE);
	pack();
}

uint64_t program_work(void)
{
#ifdef UNPACK
	for (int pass = 0; pass < 4; pass++)
		if (LZ4_decompress_safe(packed, unpacked, packed_size, SIZE) != SIZE)
			abort();
	if (memcmp(unpacked, text, SIZE) != 0)
		abort();
#else
	(void)unpacked;
	pack();
#endif
	return (uint64_t)packed_size;
}
