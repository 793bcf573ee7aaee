/* SPDX-License-Identifier: MIT */
/*
 * Saving of streams, and resuming them. A new stream has the right pointers, sizes and limits;
 * everything around these is saved.
 */
#include "sim/front/fetch.h"
#include "sim/stream/stream.h"

#define HOLE(type, member) TAKT_PACK_HOLE(struct type, member)
#define AROUND(pack, data, holes)                                                                  \
	takt_pack_around(pack, data, sizeof(*(data)), holes, TAKT_COUNT_OF(holes))

static const struct takt_pack_hole core_holes[] = {
	HOLE(sim_core, program),   HOLE(sim_core, params),	 HOLE(sim_core, last_insn),
	HOLE(sim_core, front_end), HOLE(sim_core, context.insn), HOLE(sim_core, replay),
	HOLE(sim_core, events),	   HOLE(sim_core, stores),
};

static const struct takt_pack_hole front_end_holes[] = {
	HOLE(sim_front_end, program), HOLE(sim_front_end, params), HOLE(sim_front_end, limits),
	HOLE(sim_front_end, source),  HOLE(sim_front_end, items),  HOLE(sim_front_end, cached),
};

static const struct takt_pack_hole replay_holes[] = {
	HOLE(sim_replay, source), HOLE(sim_replay, core),	HOLE(sim_replay, dynamics),
	HOLE(sim_replay, mask),	  HOLE(sim_replay, store_mask),
};

static const struct takt_pack_hole facts_holes[] = {HOLE(sim_facts, program)};

static const struct takt_pack_hole windows_holes[] = {
	HOLE(sim_windows, params), HOLE(sim_windows, entries), HOLE(sim_windows, sets),
	HOLE(sim_windows, ways),   HOLE(sim_windows, bytes),   HOLE(sim_windows, hints),
};

static const struct takt_pack_hole flight_holes[] = {HOLE(sim_flight, block)};

static void pack_digest(const struct sim_code_array *array, struct takt_pack *pack)
{
	takt_pack_same(pack, array->count);
	takt_pack_same(pack, takt_hash_bytes(array->base, array->count * array->size_bytes));
}

/*
 * Records are made again when loading: a core that was changed since makes others, which is an
 * error.
 */
void takt_sim_code_pack(struct sim_code *code, struct takt_pack *pack)
{
	takt_pack_same(pack, code->block_count);
	pack_digest(&code->insns, pack);
	pack_digest(&code->uops, pack);
	pack_digest(&code->sources, pack);
	pack_digest(&code->results, pack);
	pack_digest(&code->memories, pack);
	for (uint32_t i = 0; i < code->block_count; i++)
		takt_pack_bytes(pack, code->blocks[i]->insn_parts,
				code->blocks[i]->insn_count * sizeof(uint64_t));
}

/* Save or load a pointer into the program's records. */
static void pack_insn(const struct sim_code *code, struct takt_pack *pack,
		      const struct sim_insn **insn)
{
	uint32_t number = *insn ? 1 + (uint32_t)(*insn - code->program.insns) : 0;

	takt_pack_count(pack, &number, code->insns.count);
	*insn = number ? &code->program.insns[number - 1] : NULL;
}

static void pack_core(struct sim_stream *stream, struct takt_pack *pack)
{
	struct sim_core *core = stream->core;

	AROUND(pack, core, core_holes);
	pack_insn(stream->code, pack, &core->last_insn);
	pack_insn(stream->code, pack, &core->context.insn);
	takt_pack_bytes(pack, core->stores,
			((size_t)stream->replay->store_mask + 1) * sizeof(*core->stores));
	AROUND(pack, core->front_end, front_end_holes);
}

static void pack_replay(struct sim_replay *replay, struct takt_pack *pack)
{
	uint32_t mask = replay->mask;

	takt_pack_same(pack, mask);
	takt_pack_same(pack, replay->store_mask);
	AROUND(pack, replay, replay_holes);
	takt_pack_bytes(pack, replay->dynamics, ((size_t)mask + 1) * sizeof(*replay->dynamics));
}

/* Save or load the executions in flight, whose blocks are given by number. */
static void pack_flights(struct sim_stream *stream, struct takt_pack *pack)
{
	const struct sim_code *code = stream->code;

	takt_pack_bytes(pack, &stream->flight_head, sizeof(stream->flight_head));
	takt_pack_bytes(pack, &stream->flight_tail, sizeof(stream->flight_tail));
	if (stream->flight_head == stream->flight_tail)
		return;
	if (stream->flight_tail - stream->flight_head > stream->replay->mask + 1 ||
	    !code->block_count) {
		pack->bad = true;
		return;
	}
	for (uint32_t i = stream->flight_head; i != stream->flight_tail; i++) {
		struct sim_flight *flight = &stream->flights[i & stream->replay->mask];
		uint32_t number = pack->reads ? 0 : flight->block->number;

		AROUND(pack, flight, flight_holes);
		takt_pack_count(pack, &number, code->block_count - 1);
		flight->block = code->blocks[number];
	}
}

void takt_sim_stream_pack(struct sim_stream *stream, struct takt_pack *pack)
{
	struct sim_windows *windows = &stream->windows;
	struct sim_stream_fixed fixed;

	sim_memo_leave(stream);
	sim_stream_fixed(stream, &fixed);
	pack_replay(stream->replay, pack);
	pack_core(stream, pack);
	AROUND(pack, &stream->facts, facts_holes);
	AROUND(pack, windows, windows_holes);
	takt_pack_bytes(pack, windows->entries,
			(size_t)windows->sets * SIM_WAYS_MAX * sizeof(*windows->entries));
	pack_flights(stream, pack);
	takt_pack_bytes(pack, &stream->retired, sizeof(stream->retired));
	takt_pack_bytes(pack, &stream->late_cycles, sizeof(stream->late_cycles));
	takt_pack_bytes(pack, &stream->entered, sizeof(stream->entered));
	takt_pack_bytes(pack, &stream->missed, sizeof(stream->missed));
	takt_pack_bytes(pack, &stream->totals, sizeof(stream->totals));
	if (pack->reads && !pack->bad && !sim_stream_fits(stream, &fixed))
		pack->bad = true;
	if (pack->reads && pack->bad)
		stream->stuck = true; /* it is still to be drained, and freed */
	sim_memo_wait(stream, false);
}
