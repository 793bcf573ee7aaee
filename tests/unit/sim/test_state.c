/* SPDX-License-Identifier: MIT */
/*
 * A stream's core is filled with rubbish again and again, and its state, kept as bytes before,
 * put into it: if all comes out as ever, the bytes are all there is to the state. Whoever adds
 * to the core's state and not to state_*.c is told here.
 */
#include <string.h>

#include "feed.h"
#include "programs.h"
#include "sim/fetch.h"

#define RUBBISH 0xa5

static uint8_t bytes[SIM_STATE_BYTES_MAX], again[SIM_STATE_BYTES_MAX];

/* What is said once and for all, and the time. */
static void spoil_core(struct sim_core *core)
{
	static struct sim_core old;

	old = *core;
	memset(core, RUBBISH, sizeof(*core));
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
	memset(core->stores, RUBBISH, (core->replay->store_mask + 1) * sizeof(*core->stores));
}

static void spoil_front_end(struct sim_front_end *fetch)
{
	struct sim_front_end old = *fetch;

	memset(fetch, RUBBISH, sizeof(*fetch));
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

static void spoil_replay(struct sim_replay *replay)
{
	static struct sim_replay old;

	old = *replay;
	memset(replay, RUBBISH, sizeof(*replay));
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

/* The same bytes come out of it again. */
static bool pass_through(struct sim_stream *stream)
{
	struct sim_core *core = stream->core;
	uint32_t tail = stream->replay->tail, store = stream->facts.store_count;
	uint32_t size = sim_state_pack(core, tail, store, false, bytes);

	if (!size)
		return true;
	spoil_core(core);
	spoil_front_end(core->front_end);
	spoil_replay(stream->replay);
	sim_state_unpack(core, tail, store, core->cycle, bytes);
	return sim_state_pack(core, tail, store, false, again) == size &&
	       !memcmp(bytes, again, size);
}

static void check_program(const char *core, const struct program *program)
{
	struct outcome plain = {0}, spoilt = {0};
	struct feed *feed = program_new(core, program, true, 0);
	bool same = true;

	for (uint32_t i = 0; i < PROGRAM_STEPS; i++)
		program_step(feed, program, i);
	program_end(feed, &plain);
	feed = program_new(core, program, true, 0);
	for (uint32_t i = 0; i < PROGRAM_STEPS; i++) {
		program_step(feed, program, i);
		if (i % 7 == 3)
			same = pass_through(feed->stream) && same;
	}
	program_end(feed, &spoilt);
	tap_ok_at(__FILE__, program->line, same, "%s: the same state when read and written", core);
	tap_ok_at(__FILE__, program->line, !memcmp(&plain, &spoilt, sizeof(plain)),
		  "%s: nothing of a core's state is missing in its bytes: %llu cycles, %llu", core,
		  (unsigned long long)spoilt.totals.cycles,
		  (unsigned long long)plain.totals.cycles);
}

int main(void)
{
	for (size_t c = 0; c < TAKT_COUNT_OF(program_cores); c++)
		for (size_t p = 0; p < TAKT_COUNT_OF(programs); p++)
			check_program(program_cores[c], &programs[p]);
	return tap_done();
}
