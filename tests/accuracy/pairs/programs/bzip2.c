/* SPDX-License-Identifier: MIT */
/* bzip2: text decompressed. */
#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define SIZE 16384

static char text[SIZE], packed[2 * SIZE], unpacked[SIZE];
static unsigned packed_size = sizeof(packed);

/* What the library calls if it finds itself wrong, without stdio. */
void bz_internal_error(int code)
{
	(void)code;
	abort();
}

void program_setup(void)
{
	program_text(text, SIZE);
	if (BZ2_bzBuffToBuffCompress(packed, &packed_size, text, SIZE, 1, 0, 0) != BZ_OK)
		abort();
}

uint64_t program_work(void)
{
	unsigned size = SIZE;

	if (BZ2_bzBuffToBuffDecompress(unpacked, &size, packed, packed_size, 0, 0) != BZ_OK ||
	    memcmp(unpacked, text, SIZE) != 0)
		abort();
	return packed_size;
}
