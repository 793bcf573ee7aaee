/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "measure/host.h"

void takt_emit(struct takt_emitter *emitter, const void *bytes, size_t size_bytes)
{
	if (emitter->full || size_bytes > emitter->capacity_bytes - emitter->size_bytes) {
		emitter->full = true;
		return;
	}
	memcpy(emitter->data + emitter->size_bytes, bytes, size_bytes);
	emitter->size_bytes += size_bytes;
}

void takt_emit_align(struct takt_emitter *emitter, uint32_t offset_bytes)
{
	takt_host_emit_nops(emitter, (offset_bytes - emitter->size_bytes) % 64);
}

size_t takt_emit_loop_begin(struct takt_emitter *emitter, uint32_t counter, uint32_t trips,
			    uint32_t offset_bytes)
{
	takt_host_emit_load(emitter, counter, trips);
	takt_emit_align(emitter, offset_bytes);
	return emitter->size_bytes;
}
