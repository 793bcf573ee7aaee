/* SPDX-License-Identifier: MIT */
/*
 * Reads the addresses of functions from .eh_frame_hdr, which survives stripping: its search table
 * lists every function that has unwind information (Linux Standard Base, core specification,
 * 10.6).
 */
#include <string.h>

#include "input/image.h"

#define HDR_VERSION 1
#define ENCODING_PCREL_SDATA4 0x1b
#define ENCODING_UDATA4 0x03
#define ENCODING_DATAREL_SDATA4 0x3b
#define TABLE_OFFSET 12u /* after version and encodings, frame pointer and count */
#define TABLE_ENTRY_BYTES 8u

void takt_unwind_read(const uint8_t *data, size_t size_bytes, uint64_t address,
		      struct takt_arena *arena, struct takt_image *image)
{
	uint64_t *starts;
	uint32_t count;

	if (size_bytes < TABLE_OFFSET || data[0] != HDR_VERSION ||
	    data[1] != ENCODING_PCREL_SDATA4 || data[2] != ENCODING_UDATA4 ||
	    data[3] != ENCODING_DATAREL_SDATA4)
		return;
	memcpy(&count, data + 8, sizeof(count));
	if (count > (size_bytes - TABLE_OFFSET) / TABLE_ENTRY_BYTES)
		return;
	starts = TAKT_NEW_ARRAY(arena, count, uint64_t);
	for (uint32_t i = 0; i < count; i++) {
		int32_t offset;

		memcpy(&offset, data + TABLE_OFFSET + (size_t)i * TABLE_ENTRY_BYTES,
		       sizeof(offset));
		starts[i] = address + (uint64_t)(int64_t)offset;
		if (i && starts[i] < starts[i - 1])
			return; /* the table is not sorted, so it is damaged */
	}
	image->starts = starts;
	image->start_count = count;
}
