/* SPDX-License-Identifier: MIT */
/* Chunks by their content and the state they were met in, and the decision when to use them. */
#include <stdlib.h>
#include <string.h>

#include "sim/memo/memo.h"
#include "sim/stream/stream.h"

/*
 * Chunks end with a block: after this many items if a hash of its address says so (one in
 * four does), or after more items. After a misprediction, after which the pipeline runs empty,
 * fewer are enough.
 */
#define CHUNK_ITEMS 40u
#define CHUNK_ITEMS_MAX 96u
#define CHUNK_ITEMS_MISSED 16u
#define CHUNK_CYCLES_MAX (1u << 24)

/* If less than one in LEAST of this many chunks is a hit, the memo pauses, longer each time. */
#define WINDOW_CHUNKS 128u
#define LEAST 4u
#define PAUSE_CHUNKS (1u << 10)
#define PAUSE_CHUNKS_MAX (1u << 13)

enum mode {
	MEMO_WORKS,
	MEMO_WAITS,  /* everything is to be seen */
	MEMO_PAUSES, /* using it does not pay */
	MEMO_STOPS,  /* it gave a wrong result */
};

struct sim_memo {
	struct sim_memo_table *table;
	struct sim_stream *stream;
	struct sim_memo *next_user;
	struct sim_memo_counts counts;
	enum mode mode;
	/* The current chunk. */
	struct sim_hash hash;
	uint32_t start, start_store; /* its first item and store */
	uint32_t insns;
	bool from_memory; /* its effects depend on the present modulo line_cycles */
	bool missed;	  /* its last item was mispredicted */
	bool memory_seen;
	uint32_t memory_item; /* the last item that goes to memory, so far */
	uint32_t state;	      /* number of the state before it, from 1 on; 0: not known */
	bool away; /* the core's state is only in the memo; its cycle and what retired are right */
	uint64_t since; /* cycle in which its state was left to the memo */
	/* Simulation of the chunk. */
	bool recording, too_many;
	uint32_t last_item, first_charge;
	/* Statistics that decide whether the memo pays. */
	uint32_t paused, pause, window, window_hits;
	uint32_t until_check;
};

struct sim_memo *sim_memo_new(struct sim_stream *stream)
{
	struct sim_memo *memo = takt_xcalloc(1, sizeof(*memo));

	if (!stream->code->memos)
		stream->code->memos = sim_memo_table_new();
	memo->table = stream->code->memos;
	memo->stream = stream;
	memo->next_user = memo->table->users;
	memo->table->users = memo;
	memo->until_check = stream->options.check_every;
	memo->pause = PAUSE_CHUNKS;
	stream->memo_works = true;
	return memo;
}

void sim_memo_free(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo, **user;

	if (!memo)
		return;
	for (user = &memo->table->users; *user != memo; user = &(*user)->next_user)
		;
	*user = memo->next_user;
	free(memo);
	stream->memo = NULL;
}

/* Change the mode; items are passed to the memo only while it works. */
static void set_mode(struct sim_stream *stream, enum mode mode)
{
	stream->memo->mode = mode;
	stream->memo_works = mode == MEMO_WORKS;
}

/* ---- the core's state, in the core or the memo only ---------------------------------------- */

static void come_back(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;
	const struct sim_memo_table *table = memo->table;

	if (memo->away)
		sim_state_unpack(stream->core, memo->start, memo->start_store, memo->since,
				 table->bytes + table->states[memo->state - 1].first);
	memo->away = false;
}

static void forget_all(struct sim_memo_table *table)
{
	for (struct sim_memo *user = table->users; user; user = user->next_user) {
		come_back(user->stream);
		user->state = 0;
	}
	sim_memo_table_empty(table);
}

/* Return the number of the core's present state; 0: it cannot be written. The table has room. */
static uint32_t find_state(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;
	const struct sim_core *core = stream->core;
	uint32_t tail = stream->replay->tail;
	bool pending = memo->memory_seen && stream->replay->misses.line_cycles &&
		       (int32_t)(memo->memory_item - core->iterations_retired) >= 0;
	uint32_t size = sim_state_pack(stream->core, tail, stream->facts.store_count,
				       pending ? tail - memo->memory_item : 0,
				       sim_memo_state_room(memo->table));

	return size ? sim_memo_state_enter(memo->table, size) : 0;
}

/* ---- the current chunk -------------------------------------------------------------------- */

static void begin_chunk(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;

	memo->insns = 0;
	memo->hash = (struct sim_hash){0};
	memo->from_memory = memo->missed = false;
	memo->start = stream->replay->tail;
	memo->start_store = stream->facts.store_count;
}

void sim_memo_leave(struct sim_stream *stream)
{
	if (!stream->memo)
		return;
	come_back(stream);
	stream->memo->state = 0;
	begin_chunk(stream);
}

void sim_memo_feed(struct sim_stream *stream, const struct sim_dynamic *dynamic)
{
	struct sim_memo *memo = stream->memo;

	memo->missed = dynamic->flags & SIM_DYNAMIC_MISSED;
	if (sim_item_is_from_memory(stream->core, dynamic)) {
		memo->from_memory = memo->memory_seen = true;
		memo->memory_item = stream->replay->tail;
	}
	sim_hash_item(&memo->hash, stream->core, dynamic);
}

/*
 * True if the core can run a cycle without knowing what follows: before a mispredicted branch has
 * executed, nothing of that is needed.
 */
static bool may_run(const struct sim_stream *stream)
{
	const struct sim_replay *replay = stream->replay;
	uint32_t pending = replay->tail - replay->next;

	if (stream->stuck)
		return false;
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

/* ---- effects of a chunk -------------------------------------------------------------------- */

void sim_memo_charge(struct sim_memo *memo, uint32_t item, const struct sim_charge *charge)
{
	struct sim_charge kept = *charge;

	if (!memo->recording || memo->too_many)
		return;
	kept.after = (uint8_t)(item - memo->last_item);
	memo->too_many = item - memo->last_item > UINT8_MAX ||
			 !sim_memo_charge_add(memo->table, memo->first_charge, &kept);
	memo->last_item = item;
}

/* Simulate the chunk and record its effects; false if they cannot be kept. */
static bool record(struct sim_stream *stream, struct sim_memo_chunk *ret_chunk)
{
	struct sim_memo *memo = stream->memo;
	const struct sim_core *core = stream->core;
	uint32_t retired = core->iterations_retired, first = memo->table->charge_count;
	uint64_t uops = stream->totals.uops, cycle = core->cycle;

	come_back(stream);
	memo->recording = true;
	memo->too_many = false;
	memo->last_item = retired;
	memo->first_charge = first;
	run(stream);
	memo->recording = false;
	*ret_chunk = (struct sim_memo_chunk){
		.hash = memo->hash,
		.before = memo->state,
		.cycles = (uint32_t)(core->cycle - cycle),
		.uops = (uint32_t)(stream->totals.uops - uops),
		.retired = core->iterations_retired - retired,
		.first_charge = first,
		.charge_count = memo->table->charge_count - first,
	};
	return !memo->too_many && core->cycle - cycle < CHUNK_CYCLES_MAX;
}

static void replay(struct sim_stream *stream, const struct sim_memo_chunk *chunk)
{
	struct sim_memo *memo = stream->memo;
	struct sim_core *core = stream->core;
	uint32_t item = core->iterations_retired;

	if (!memo->away)
		memo->since = core->cycle;
	memo->away = true;
	for (uint32_t i = 0; i < chunk->charge_count; i++) {
		const struct sim_charge *charge = &memo->table->charges[chunk->first_charge + i];

		item += charge->after;
		sim_stream_charge(stream, item, charge);
	}
	core->cycle += chunk->cycles;
	core->iterations_retired += chunk->retired;
	stream->totals.uops += chunk->uops;
	memo->state = chunk->after;
	memo->counts.insns_hit += memo->insns;
	if (chunk->retired)
		sim_stream_tell(stream);
}

static bool is_same(const struct sim_memo_table *table, const struct sim_memo_chunk *now,
		    const struct sim_memo_chunk *chunk)
{
	return now->after == chunk->after && now->cycles == chunk->cycles &&
	       now->uops == chunk->uops && now->retired == chunk->retired &&
	       now->charge_count == chunk->charge_count &&
	       !memcmp(table->charges + now->first_charge, table->charges + chunk->first_charge,
		       now->charge_count * sizeof(*table->charges));
}

/* Simulate a chunk that was kept; if its effects differ the memo is not used any more. */
static void check(struct sim_stream *stream, const struct sim_memo_chunk *chunk)
{
	struct sim_memo *memo = stream->memo;
	struct sim_memo_chunk now;
	bool kept = record(stream, &now);

	now.after = find_state(stream);
	memo->counts.checked++;
	if (!kept || !is_same(memo->table, &now, chunk)) {
		memo->counts.wrong++;
		set_mode(stream, MEMO_STOPS);
	}
	memo->table->charge_count = now.first_charge;
	memo->state = now.after;
}

static void simulate(struct sim_stream *stream, uint32_t *slot)
{
	struct sim_memo *memo = stream->memo;
	struct sim_memo_chunk chunk;
	bool kept = memo->state && record(stream, &chunk);

	if (!memo->state)
		run(stream);
	memo->state = find_state(stream);
	chunk.after = memo->state;
	if (kept && memo->state)
		sim_memo_enter(memo->table, slot, &chunk);
	else if (slot)
		memo->table->charge_count = chunk.first_charge;
}

/* ---- chunks -------------------------------------------------------------------------------- */

static void weigh(struct sim_stream *stream, bool hit)
{
	struct sim_memo *memo = stream->memo;

	memo->window_hits += hit;
	if (++memo->window < WINDOW_CHUNKS)
		return;
	if (memo->window_hits * LEAST >= WINDOW_CHUNKS) {
		memo->pause = PAUSE_CHUNKS;
	} else if (memo->mode == MEMO_WORKS) {
		set_mode(stream, MEMO_PAUSES);
		memo->paused = memo->pause;
		memo->pause *= memo->pause < PAUSE_CHUNKS_MAX ? 2 : 1;
	}
	memo->window = memo->window_hits = 0;
}

/* Apply the chunk's effects if they are known, or simulate it; true if they were known. */
static bool pass(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;
	uint32_t *slot = NULL;

	if (sim_memo_table_is_full(memo->table))
		forget_all(memo->table);
	if (memo->from_memory)
		sim_hash_phase(&memo->hash, stream->core);
	if (memo->state)
		slot = sim_memo_find(memo->table, memo->state, memo->hash);
	if (!slot || !*slot) {
		simulate(stream, slot);
		return false;
	}
	memo->counts.hits++;
	memo->table->found++;
	if (stream->options.check_every && !--memo->until_check) {
		memo->until_check = stream->options.check_every;
		check(stream, &memo->table->chunks[*slot - 1]);
	} else {
		replay(stream, &memo->table->chunks[*slot - 1]);
	}
	return true;
}

static bool ends(const struct sim_stream *stream, uint64_t address)
{
	const struct sim_memo *memo = stream->memo;
	uint32_t items = stream->replay->tail - memo->start;

	if (memo->missed && items >= CHUNK_ITEMS_MISSED)
		return true;
	return items >= CHUNK_ITEMS_MAX ||
	       (items >= CHUNK_ITEMS && !(address * 0x9e3779b97f4a7c15u >> 62));
}

/* Use the memo again, beginning with a new chunk. */
static void resume(struct sim_stream *stream)
{
	struct sim_memo *memo = stream->memo;

	set_mode(stream, MEMO_WORKS);
	/* Items fed meanwhile may go to memory. */
	memo->memory_seen = true;
	memo->memory_item = stream->replay->tail - 1;
	begin_chunk(stream);
}

void sim_memo_wait(struct sim_stream *stream, bool waits)
{
	struct sim_memo *memo = stream->memo;

	if (!memo || memo->mode == MEMO_STOPS)
		return;
	if (!waits) {
		resume(stream);
		return;
	}
	sim_memo_leave(stream);
	set_mode(stream, MEMO_WAITS);
}

bool sim_memo_step(struct sim_stream *stream, const struct sim_stream_step *step)
{
	struct sim_memo *memo = stream->memo;

	memo->insns += step->insn_count;
	if (memo->mode == MEMO_WORKS)
		sim_hash_step(&memo->hash, step->block->number, step->insn_count);
	if (!ends(stream, step->block->address))
		return memo->mode == MEMO_WORKS;
	memo->counts.chunks++;
	if (memo->mode == MEMO_WORKS) {
		weigh(stream, pass(stream));
		begin_chunk(stream);
		if (memo->mode != MEMO_WORKS)
			sim_memo_leave(stream);
		return true;
	}
	if (memo->mode == MEMO_PAUSES && !--memo->paused)
		resume(stream);
	else
		begin_chunk(stream);
	return false;
}

void takt_sim_stream_memo(const struct sim_stream *stream, struct sim_memo_counts *ret_counts)
{
	*ret_counts = stream->memo ? stream->memo->counts : (struct sim_memo_counts){0};
}
