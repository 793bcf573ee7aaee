/* SPDX-License-Identifier: MIT */
/*
 * Fills a stream's core with rubbish, but for what is said once and for all, and the time. What is
 * spared is named here; whatever else there is, also what is added one day, is spoilt.
 */
#ifndef TAKT_TESTS_SIM_SPOIL_H
#define TAKT_TESTS_SIM_SPOIL_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sim/front/fetch.h"
#include "sim/stream/stream.h"

/* A part of a struct that is spared. */
struct spoil_spared {
	size_t offset, size_bytes;
};

#define SPOIL_SPARED(type, part)                                                                   \
	{                                                                                          \
		offsetof(type, part), sizeof(((type *)NULL)->part)                                 \
	}

static const struct spoil_spared spoil_spared_of_core[] = {
	SPOIL_SPARED(struct sim_core, program),
	SPOIL_SPARED(struct sim_core, params),
	SPOIL_SPARED(struct sim_core, last_insn),
	SPOIL_SPARED(struct sim_core, loop),
	SPOIL_SPARED(struct sim_core, cycle),
	SPOIL_SPARED(struct sim_core, front_end),
	SPOIL_SPARED(struct sim_core, queue.capacity),
	SPOIL_SPARED(struct sim_core, moves[0].capacity),
	SPOIL_SPARED(struct sim_core, moves[1].capacity),
	/* These are cleared as far as they were in use. */
	SPOIL_SPARED(struct sim_core, ports.words_cleared),
	SPOIL_SPARED(struct sim_core, ports.clear_until),
	SPOIL_SPARED(struct sim_core, ports.reserved),
	SPOIL_SPARED(struct sim_core, ports.banks),
	SPOIL_SPARED(struct sim_core, ports.lost),
	SPOIL_SPARED(struct sim_core, ports.furthest),
	SPOIL_SPARED(struct sim_core, replay),
	SPOIL_SPARED(struct sim_core, events),
	SPOIL_SPARED(struct sim_core, stores),
	SPOIL_SPARED(struct sim_core, store_ring),
};

static const struct spoil_spared spoil_spared_of_front_end[] = {
	SPOIL_SPARED(struct sim_front_end, program),
	SPOIL_SPARED(struct sim_front_end, params),
	SPOIL_SPARED(struct sim_front_end, limits),
	SPOIL_SPARED(struct sim_front_end, source),
	SPOIL_SPARED(struct sim_front_end, items),
	SPOIL_SPARED(struct sim_front_end, cached),
	SPOIL_SPARED(struct sim_front_end, ended),
	SPOIL_SPARED(struct sim_front_end, ideal),
	SPOIL_SPARED(struct sim_front_end, windows),
	SPOIL_SPARED(struct sim_front_end, predecoder.capacity),
	SPOIL_SPARED(struct sim_front_end, loop_buffer),
};

static const struct spoil_spared spoil_spared_of_replay[] = {
	SPOIL_SPARED(struct sim_replay, source),
	SPOIL_SPARED(struct sim_replay, core),
	SPOIL_SPARED(struct sim_replay, dynamics),
	SPOIL_SPARED(struct sim_replay, mask),
	SPOIL_SPARED(struct sim_replay, store_mask),
	SPOIL_SPARED(struct sim_replay, tail),
	SPOIL_SPARED(struct sim_replay, misses.most),
	SPOIL_SPARED(struct sim_replay, misses.memory_cycles),
	SPOIL_SPARED(struct sim_replay, misses.line_cycles),
	SPOIL_SPARED(struct sim_replay, misses.level_cycles),
};

/* Fills an object with rubbish, but for the parts that are spared. */
static void spoil(void *object, size_t size_bytes, uint8_t rubbish,
		  const struct spoil_spared *spared, size_t count)
{
	uint8_t *bytes = object, *old = malloc(size_bytes);

	if (!old)
		abort();
	memcpy(old, bytes, size_bytes);
	memset(bytes, rubbish, size_bytes);
	for (size_t i = 0; i < count; i++)
		memcpy(bytes + spared[i].offset, old + spared[i].offset, spared[i].size_bytes);
	free(old);
}

#define SPOIL(object, spared, rubbish)                                                             \
	spoil(object, sizeof(*(object)), rubbish, spared, TAKT_COUNT_OF(spared))

/*
 * The core's state as bytes; 0 if they are too many. Writing may set what makes no difference to
 * one value; that is undone here, so that it is found if it makes one.
 */
static uint32_t spoil_pack(struct sim_stream *stream, uint8_t bytes[SIM_STATE_BYTES_MAX])
{
	struct sim_core *core = stream->core, *old_core = malloc(sizeof(*core));
	struct sim_front_end *front_end = core->front_end, *old_front = malloc(sizeof(*front_end));
	struct sim_replay *replay = stream->replay, *old_replay = malloc(sizeof(*replay));
	size_t store_bytes = (replay->store_mask + 1) * sizeof(*core->stores);
	struct sim_store *old_stores = malloc(store_bytes);
	uint32_t size;

	if (!old_core || !old_front || !old_replay || !old_stores)
		abort();
	memcpy(old_core, core, sizeof(*core));
	memcpy(old_front, front_end, sizeof(*front_end));
	memcpy(old_replay, replay, sizeof(*replay));
	memcpy(old_stores, core->stores, store_bytes);
	size = sim_state_pack(core, replay->tail, stream->facts.store_count, 0, bytes);
	memcpy(core, old_core, sizeof(*core));
	memcpy(front_end, old_front, sizeof(*front_end));
	memcpy(replay, old_replay, sizeof(*replay));
	memcpy(core->stores, old_stores, store_bytes);
	free(old_core);
	free(old_front);
	free(old_replay);
	free(old_stores);
	return size;
}

/* Puts the state into a core that is full of rubbish. */
static void spoil_pass_through(struct sim_stream *stream, uint8_t rubbish,
			       const uint8_t bytes[SIM_STATE_BYTES_MAX])
{
	struct sim_core *core = stream->core;

	SPOIL(core, spoil_spared_of_core, rubbish);
	core->context.insn = NULL;
	memset(core->stores, rubbish, (core->replay->store_mask + 1) * sizeof(*core->stores));
	SPOIL(core->front_end, spoil_spared_of_front_end, rubbish);
	SPOIL(stream->replay, spoil_spared_of_replay, rubbish);
	sim_state_unpack(core, stream->replay->tail, stream->facts.store_count, core->cycle, bytes);
}

#endif
