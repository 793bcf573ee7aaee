/* SPDX-License-Identifier: MIT */
/* Chunks by what they contain and the state they were met in; when to use them, and when not. */
#include <stdlib.h>
#include <string.h>

#include "sim/memo.h"
#include "sim/stream.h"

/* Chunks end with a step: behind so many items if the address says so, or behind more; a
 * misprediction, behind which the pipeline runs empty, is always a good place. */
#define CHUNK_ITEMS 48u
#define CHUNK_ITEMS_MAX 128u
#define CHUNK_ITEMS_MISSED 16u

#define STATES_MAX (1u << 15)
#define STATE_BYTES (9u << 20) /* of all */
#define CHUNKS_MAX (1u << 15)
#define CHARGES_MAX (5u << 18)
#define TABLE_SIZE (1u << 16) /* a power of two, twice as many as there can be */
#define CHUNK_CYCLES_MAX (1u << 24)

#define CHECK_EVERY 4096u
/* Of so many chunks one in LEAST must be a hit, or a pause is made, longer each time. */
#define WINDOW_CHUNKS 512u
#define LEAST 4u
#define PAUSE_CHUNKS (1u << 13)
#define PAUSE_CHUNKS_MAX (1u << 18)

struct state {
	uint32_t first, size; /* bytes */
	uint64_t hash;
};

struct chunk {
	struct sim_hash hash;
	uint32_t before, after; /* states */
	uint32_t cycles, uops, retired;
	uint32_t first_charge, charge_count;
};

/* Cycles of the item so far behind that of the charge before. */
#define CHARGE_ITEM_BITS 8u
#define CHARGE_LOSS_BITS 4u
#define CHARGE_CYCLES_MAX ((1u << (32 - CHARGE_ITEM_BITS - CHARGE_LOSS_BITS)) - 1)

struct sim_memo {
	struct sim_memo_counts counts;
	struct state *states;
	struct chunk *chunks;
	uint32_t *charges;
	uint8_t *bytes;
	uint32_t *state_table, *chunk_table; /* numbers, from 1 on; 0: none */
	uint32_t state_count, chunk_count, charge_count, byte_count;
	/* The chunk at hand. */
	struct sim_hash hash;
	uint32_t items, start, start_store; /* its first item, and store */
	bool from_memory;           /* the present modulo line_cycles matters */
	bool missed;                /* its last item was mispredicted */
	uint32_t memory_item;       /* the last from memory so far */
	bool memory_seen;
	uint32_t state;             /* before it, from 1 on; 0: not known */
	bool away;                  /* the core is not there: only its cycle and what retired is right */
	uint64_t since;             /* when it was left */
	/* Being simulated. */
	bool recording, too_many;
	uint32_t last_item;
	uint64_t first_uops, first_cycle;
	uint32_t first_retired, first_charge;
	/* Whether it pays. */
	uint32_t paused, pause, window, window_hits;
	uint32_t check_every, until_check;
};

struct sim_memo *sim_memo_new(struct sim_stream *stream, uint32_t check_every)
{
	struct sim_memo *memo = takt_xcalloc(1, sizeof(*memo));

	memo->states = takt_xcalloc(STATES_MAX, sizeof(*memo->states));
	memo->chunks = takt_xcalloc(CHUNKS_MAX, sizeof(*memo->chunks));
	memo->charges = takt_xcalloc(CHARGES_MAX, sizeof(*memo->charges));
	memo->bytes = takt_xcalloc(STATE_BYTES, 1);
	memo->state_table = takt_xcalloc(TABLE_SIZE, sizeof(*memo->state_table));
	memo->chunk_table = takt_xcalloc(TABLE_SIZE, sizeof(*memo->chunk_table));
	memo->check_every = memo->until_check = check_every ? check_every : CHECK_EVERY;
	memo->pause = PAUSE_CHUNKS;
	memo->start = stream->replay->tail;
	return memo;
}

void sim_memo_free(struct sim_memo *memo)
{
	if (!memo)
		return;
	free(memo->states);
	free(memo->chunks);
	free(memo->charges);
	free(memo->bytes);
	free(memo->state_table);
	free(memo->chunk_table);
	free(memo);
}

const struct sim_memo_counts *sim_memo_counts(const struct sim_memo *memo)
{
	return &memo->counts;
}

/* ---- states -------------------------------------------------------------------------------- */

static uint64_t hash_state(const uint8_t *bytes, uint32_t size)
{
	uint64_t hash = size;

	for (uint32_t at = 0; at < size; at += 8) {
		uint64_t word = 0;

		memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return hash;
}

static void forget_all(struct sim_memo *memo)
{
	memset(memo->state_table, 0, TABLE_SIZE * sizeof(*memo->state_table));
	memset(memo->chunk_table, 0, TABLE_SIZE * sizeof(*memo->chunk_table));
	memo->state_count = memo->chunk_count = memo->charge_count = memo->byte_count = 0;
	memo->counts.flushes++;
}

static bool is_full(const struct sim_memo *memo)
{
	return memo->state_count == STATES_MAX || memo->chunk_count == CHUNKS_MAX ||
	       memo->charge_count + CHUNK_ITEMS_MAX * 16 > CHARGES_MAX ||
	       memo->byte_count + SIM_STATE_BYTES_MAX > STATE_BYTES;
}

/* The number of the core's present state, from 1 on; 0: it cannot be told. There is room. */
static uint32_t find_state(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;
	uint32_t pending = memo->memory_item - stream->core->iterations_retired;
	bool phase = (memo->memory_seen && (int32_t)pending >= 0) ||
		     sim_state_transfers(stream->core);
	uint8_t *bytes = memo->bytes + memo->byte_count;
	uint32_t size = sim_state_pack(stream->core, stream->facts.store_count, phase,
				       bytes);
	uint64_t hash = hash_state(bytes, size);
	uint32_t *at = &memo->state_table[hash & (TABLE_SIZE - 1)];

	if (!size)
		return 0;
	for (; *at; at = &memo->state_table[(at - memo->state_table + 1) & (TABLE_SIZE - 1)]) {
		const struct state *state = &memo->states[*at - 1];

		if (state->hash == hash && state->size == size &&
		    !memcmp(memo->bytes + state->first, bytes, size))
			return *at;
	}
	memo->states[memo->state_count] = (struct state){memo->byte_count, size, hash};
	memo->byte_count += size;
	memo->counts.states++;
	return *at = ++memo->state_count;
}

static void leave(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;

	if (memo->away)
		sim_state_unpack(stream->core, memo->start, memo->start_store, memo->since,
				 memo->bytes + memo->states[memo->state - 1].first);
	memo->away = false;
}

/* ---- the chunk at hand ------------------------------------------------------------------------ */

static void begin_chunk(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;

	memo->items = 0;
	memo->hash = (struct sim_hash){0};
	memo->from_memory = memo->missed = false;
	memo->start = stream->replay->tail;
	memo->start_store = stream->facts.store_count;
}

void sim_memo_leave(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;

	if (!memo)
		return;
	leave(stream);
	memo->state = 0;
	begin_chunk(stream);
}

void sim_memo_feed(struct sim_stream *stream, const struct sim_dynamic *dynamic)
{
	struct sim_memo *memo = stream->memo;

	memo->items++;
	memo->missed = dynamic->flags & SIM_DYNAMIC_MISSED;
	if (sim_item_is_from_memory(stream->core, dynamic)) {
		memo->from_memory = memo->memory_seen = true;
		memo->memory_item = stream->replay->tail;
	}
	if (!memo->paused)
		sim_hash_item(&memo->hash, stream->core, dynamic);
}

/* As far as what follows need not be known: nothing of it before a branch has executed. */
static bool may_run(const struct sim_stream *stream)
{
	const struct sim_replay *replay = stream->replay;
	uint32_t pending = replay->tail - replay->next;

	if (pending >= stream->lookahead)
		return true;
	if (!stream->memo->missed || stream->core->iterations_retired == replay->tail)
		return false;
	return pending || replay->open == SIM_NEVER || stream->core->cycle + 1 < replay->open;
}

static void run(struct sim_stream *stream)
{
	while (may_run(stream))
		sim_stream_cycle(stream);
}

/* ---- what it does to the core -------------------------------------------------------------------- */

void sim_memo_charge(struct sim_memo *memo, uint32_t item, uint8_t loss, uint64_t cycles)
{
	uint32_t after = item - memo->last_item;

	if (!memo->recording)
		return;
	if (cycles > CHARGE_CYCLES_MAX || after >> CHARGE_ITEM_BITS ||
	    memo->charge_count == CHARGES_MAX) {
		memo->too_many = true;
		return;
	}
	if (!after && memo->charge_count > memo->first_charge) {
		uint32_t *last = &memo->charges[memo->charge_count - 1];
		uint32_t sum = (*last >> (CHARGE_ITEM_BITS + CHARGE_LOSS_BITS)) + (uint32_t)cycles;

		if ((*last >> CHARGE_ITEM_BITS & ((1u << CHARGE_LOSS_BITS) - 1)) == loss &&
		    sum <= CHARGE_CYCLES_MAX) {
			*last += (uint32_t)cycles << (CHARGE_ITEM_BITS + CHARGE_LOSS_BITS);
			return;
		}
	}
	memo->charges[memo->charge_count++] =
		(uint32_t)cycles << (CHARGE_ITEM_BITS + CHARGE_LOSS_BITS) |
		(uint32_t)loss << CHARGE_ITEM_BITS | after;
	memo->last_item = item;
}

/* Simulates the chunk; false if what it did cannot be kept. */
static bool record(struct sim_stream *stream, struct chunk *ret_chunk)
{
	struct sim_memo *memo = stream->memo;
	const struct sim_core *core = stream->core;
	uint32_t retired = core->iterations_retired, first = memo->charge_count;
	uint64_t uops = stream->totals.uops, cycle = core->cycle;

	leave(stream);
	memo->recording = true;
	memo->too_many = false;
	memo->last_item = retired;
	memo->first_charge = first;
	run(stream);
	memo->recording = false;
	*ret_chunk = (struct chunk){
		.hash = memo->hash,
		.before = memo->state,
		.cycles = (uint32_t)(core->cycle - cycle),
		.uops = (uint32_t)(stream->totals.uops - uops),
		.retired = core->iterations_retired - retired,
		.first_charge = first,
		.charge_count = memo->charge_count - first,
	};
	return !memo->too_many && core->cycle - cycle < CHUNK_CYCLES_MAX;
}

static void replay(struct sim_stream *stream, const struct chunk *chunk)
{
	struct sim_memo *memo = stream->memo;
	struct sim_core *core = stream->core;
	uint32_t at = core->iterations_retired;

	if (!memo->away)
		memo->since = core->cycle;
	memo->away = true;
	for (uint32_t i = 0; i < chunk->charge_count; i++) {
		uint32_t charge = memo->charges[chunk->first_charge + i];

		at += charge & ((1u << CHARGE_ITEM_BITS) - 1);
		sim_stream_charge(stream, at,
				  (enum sim_loss)(charge >> CHARGE_ITEM_BITS &
						  ((1u << CHARGE_LOSS_BITS) - 1)),
				  charge >> (CHARGE_ITEM_BITS + CHARGE_LOSS_BITS));
	}
	core->cycle += chunk->cycles;
	core->iterations_retired += chunk->retired;
	stream->totals.uops += chunk->uops;
	memo->state = chunk->after;
	memo->counts.insns_hit += memo->items;
	if (chunk->retired)
		sim_stream_tell(stream);
}

/* Simulates what was kept; if it comes out otherwise the memo is used no more. */
static void check(struct sim_stream *stream, const struct chunk *chunk)
{
	struct sim_memo *memo = stream->memo;
	struct chunk now;
	bool kept = record(stream, &now);

	now.after = find_state(stream);
	memo->counts.checked++;
	if (!kept || now.after != chunk->after || now.cycles != chunk->cycles ||
	    now.uops != chunk->uops || now.retired != chunk->retired ||
	    now.charge_count != chunk->charge_count ||
	    memcmp(memo->charges + now.first_charge, memo->charges + chunk->first_charge,
		   now.charge_count * sizeof(*memo->charges))) {
		memo->counts.wrong++;
		memo->paused = UINT32_MAX;
	}
	memo->charge_count = now.first_charge;
	memo->state = now.after;
}

/* ---- chunks ----------------------------------------------------------------------------------------- */

/* Where the chunk's number is, or would be. */
static uint32_t *find_chunk(const struct sim_memo *memo)
{
	uint32_t hash = (uint32_t)memo->hash.low ^ memo->state * 0x9e3779b9u;

	for (;; hash++) {
		uint32_t *at = &memo->chunk_table[hash & (TABLE_SIZE - 1)];
		const struct chunk *chunk = &memo->chunks[*at - 1];

		if (!*at || (chunk->before == memo->state && chunk->hash.low == memo->hash.low &&
			     chunk->hash.high == memo->hash.high))
			return at;
	}
}

static void simulate(struct sim_stream *stream, uint32_t *at)
{
	struct sim_memo *memo = stream->memo;
	struct chunk chunk;
	bool kept = memo->state && record(stream, &chunk);

	if (!memo->state)
		run(stream);
	if (is_full(memo)) {
		forget_all(memo);
		kept = false;
	}
	memo->state = find_state(stream);
	if (!kept || !memo->state) {
		memo->charge_count = memo->first_charge < memo->charge_count ? memo->first_charge
									     : memo->charge_count;
		return;
	}
	chunk.after = memo->state;
	memo->chunks[memo->chunk_count++] = chunk;
	*at = memo->chunk_count;
	memo->counts.kept++;
}

static void weigh(struct sim_memo *memo, bool hit)
{
	memo->window_hits += hit;
	if (++memo->window < WINDOW_CHUNKS)
		return;
	if (memo->window_hits * LEAST < WINDOW_CHUNKS) {
		if (memo->paused != UINT32_MAX)
			memo->paused = memo->pause;
		if (memo->pause < PAUSE_CHUNKS_MAX)
			memo->pause *= 2;
	} else {
		memo->pause = PAUSE_CHUNKS;
	}
	memo->window = memo->window_hits = 0;
}

static void pass(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;
	uint32_t *at = NULL;
	bool hit = false;

	if (memo->from_memory)
		sim_hash_phase(&memo->hash, stream->core);
	if (memo->state) {
		memo->counts.looked_up++;
		at = find_chunk(memo);
		hit = *at != 0;
	}
	memo->counts.hits += hit;
	if (!hit)
		simulate(stream, at);
	else if (--memo->until_check)
		replay(stream, &memo->chunks[*at - 1]);
	else
		check(stream, &memo->chunks[*at - 1]);
	if (!memo->until_check)
		memo->until_check = memo->check_every;
	weigh(memo, hit);
}

static bool ends(const struct sim_memo *memo, uint64_t address)
{
	if (memo->missed && memo->items >= CHUNK_ITEMS_MISSED)
		return true;
	return memo->items >= CHUNK_ITEMS_MAX ||
	       (memo->items >= CHUNK_ITEMS && !(address * 0x9e3779b97f4a7c15u >> 62));
}

bool sim_memo_step(struct sim_stream *stream, uint64_t address)
{
	struct sim_memo *memo = stream->memo;

	if (!ends(memo, address))
		return !memo->paused;
	memo->counts.chunks++;
	if (memo->paused) {
		if (memo->paused != UINT32_MAX && !--memo->paused)
			run(stream);
		begin_chunk(stream);
		return true;
	}
	pass(stream);
	begin_chunk(stream);
	if (memo->paused)
		sim_memo_leave(stream);
	return true;
}
