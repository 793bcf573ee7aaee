/* SPDX-License-Identifier: MIT */
/*
 * Fills a stream's core with rubbish, but for what is said once and for all, and the time. What is
 * spared is named here; whatever else there is, also what is added one day, is spoilt.
 */
#ifndef TAKT_TESTS_SIM_SPOIL_H
#define TAKT_TESTS_SIM_SPOIL_H

#include <string.h>

#include "sim/front/fetch.h"
#include "sim/stream/stream.h"

static void spoil_core(struct sim_core *core, uint8_t rubbish)
{
	static struct sim_core old;

	old = *core;
	memset(core, rubbish, sizeof(*core));
	core->program = old.program;
	core->params = old.params;
	core->last_insn = old.last_insn;
	core->context.insn = NULL;
	core->loop = old.loop;
	core->cycle = old.cycle;
	core->front_end = old.front_end;
	core->queue.capacity = old.queue.capacity;
	for (unsigned c = 0; c < 2; c++)
		core->moves[c].capacity = old.moves[c].capacity;
	/* It is cleared as far as it was in use. */
	memcpy(core->ports.reserved, old.ports.reserved, sizeof(old.ports.reserved));
	memcpy(core->ports.banks, old.ports.banks, sizeof(old.ports.banks));
	core->ports.furthest = old.ports.furthest;
	core->replay = old.replay;
	core->events = old.events;
	core->stores = old.stores;
	core->store_ring = old.store_ring;
	memset(core->stores, rubbish, (core->replay->store_mask + 1) * sizeof(*core->stores));
}

static void spoil_front_end(struct sim_front_end *fetch, uint8_t rubbish)
{
	struct sim_front_end old = *fetch;

	memset(fetch, rubbish, sizeof(*fetch));
	fetch->program = old.program;
	fetch->params = old.params;
	fetch->limits = old.limits;
	fetch->source = old.source;
	fetch->items = old.items;
	fetch->cached = old.cached;
	fetch->ended = old.ended;
	fetch->ideal = old.ideal;
	fetch->windows = old.windows;
	fetch->predecoder.capacity = old.predecoder.capacity;
	fetch->loop_buffer = old.loop_buffer;
}

static void spoil_replay(struct sim_replay *replay, uint8_t rubbish)
{
	static struct sim_replay old;

	old = *replay;
	memset(replay, rubbish, sizeof(*replay));
	replay->source = old.source;
	replay->core = old.core;
	replay->dynamics = old.dynamics;
	replay->mask = old.mask;
	replay->store_mask = old.store_mask;
	replay->tail = old.tail;
	replay->misses.most = old.misses.most;
	replay->misses.memory_cycles = old.misses.memory_cycles;
	replay->misses.line_cycles = old.misses.line_cycles;
}

/* The core's state as bytes; 0 if they are too many. */
static uint32_t spoil_pack(struct sim_stream *stream, uint8_t bytes[SIM_STATE_BYTES_MAX])
{
	return sim_state_pack(stream->core, stream->replay->tail, stream->facts.store_count, 0,
			      bytes);
}

/* Puts the state into a core that is full of rubbish. */
static void spoil_pass_through(struct sim_stream *stream, uint8_t rubbish,
			       const uint8_t bytes[SIM_STATE_BYTES_MAX])
{
	struct sim_core *core = stream->core;

	spoil_core(core, rubbish);
	spoil_front_end(core->front_end, rubbish);
	spoil_replay(stream->replay, rubbish);
	sim_state_unpack(core, stream->replay->tail, stream->facts.store_count, core->cycle, bytes);
}

#endif
