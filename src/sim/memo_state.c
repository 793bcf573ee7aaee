/* SPDX-License-Identifier: MIT */
/*
 * The state of a fed core as bytes. What is written is all that can make a difference later:
 * times are relative to the present, and those that lie so far back that nothing compares with
 * them any more are all the same; items and stores are counted back from the next ones; what
 * items say is not repeated, but hashed. Each part is written and read by one function.
 */
#include <string.h>

#include "sim/fetch.h"
#include "sim/memo.h"
#include "sim/stream.h"

#define HASH_LOW 0x9e3779b97f4a7c15u
#define HASH_HIGH 0xc2b2ae3d27d4eb4fu
#define LATE_MAX (UINT16_MAX + 1u) /* more than an item can come late */

/* Whoever adds to these: is it part of the state? Then it belongs below. */
_Static_assert(sizeof(struct sim_value) == 16 && sizeof(struct sim_rob_slot) == 16 &&
		       sizeof(struct sim_store) == 32 && sizeof(struct sim_fact) == 12 &&
		       sizeof(struct sim_dynamic) == 56,
	       "written below");

/* ---- items ------------------------------------------------------------------------------- */

static uint64_t fold(uint64_t left, uint64_t right)
{
	__extension__ unsigned __int128 product = (unsigned __int128)left * right;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void add_word(struct sim_hash *hash, uint64_t word)
{
	hash->low = fold(hash->low ^ word, HASH_LOW);
	hash->high = fold(hash->high + word, HASH_HIGH) + word;
}

/* A store further back than any that is in flight may be is as good as none. */
static void add_fact(struct sim_hash *hash, const struct sim_core *core, struct sim_fact fact,
		     uint32_t first_store)
{
	uint64_t words[2] = {0};

	fact.store = first_store - fact.store;
	if (!(fact.flags & SIM_FACT_STORED) ||
	    fact.store > (uint32_t)core->params->store_queue_entries) {
		fact.flags &= (uint8_t) ~(SIM_FACT_STORED | SIM_FACT_FAILS | SIM_FACT_RENAMED);
		fact.store = 0;
	}
	memcpy(words, &fact, sizeof(fact));
	add_word(hash, words[0]);
	add_word(hash, words[1]);
}

void sim_hash_item(struct sim_hash *hash, const struct sim_core *core,
		   const struct sim_dynamic *dynamic)
{
	unsigned memories = core->program->insns[dynamic->record].memory_count;
	bool more = dynamic->extra_cycles || dynamic->late_cycles;

	add_word(hash, dynamic->address);
	add_word(hash, (uint64_t)dynamic->record << 32 | (uint64_t)more << 8 | dynamic->flags);
	if (more)
		add_word(hash, (uint64_t)dynamic->late_cycles << 32 | dynamic->extra_cycles);
	for (unsigned m = 0; m < memories; m++)
		add_fact(hash, core, dynamic->facts[m], dynamic->first_store);
}

void sim_hash_phase(struct sim_hash *hash, const struct sim_core *core)
{
	add_word(hash, core->cycle % core->replay->misses.line_cycles);
}

bool sim_item_is_from_memory(const struct sim_core *core, const struct sim_dynamic *dynamic)
{
	const struct sim_misses *misses = &core->replay->misses;
	unsigned memories;

	if (!misses->line_cycles)
		return false;
	memories = core->program->insns[dynamic->record].memory_count;
	for (unsigned m = 0; m < memories; m++)
		if (dynamic->facts[m].load_cycles >= misses->memory_cycles ||
		    dynamic->facts[m].store_cycles >= misses->memory_cycles)
			return true;
	return false;
}

/* ---- numbers ------------------------------------------------------------------------------- */

struct coder {
	struct sim_core *core;
	uint8_t *at, *end;
	bool reading, failed;
	uint32_t tail, store; /* numbers of the next item and store */
	uint64_t now, since;
};

static uint64_t read_number(struct coder *coder)
{
	uint64_t value = 0;
	unsigned shift = 0;

	for (; *coder->at & 0x80; shift += 7)
		value |= (uint64_t)(*coder->at++ & 0x7f) << shift;
	return value | (uint64_t)*coder->at++ << shift;
}

/* Writes it and returns it, or reads another. */
static uint64_t number(struct coder *coder, uint64_t value)
{
	uint64_t rest = value;

	if (coder->reading)
		return read_number(coder);
	if (coder->end - coder->at < 10) {
		coder->failed = true;
		return value;
	}
	for (; rest >= 0x80; rest >>= 7)
		*coder->at++ = (uint8_t)(rest | 0x80);
	*coder->at++ = (uint8_t)rest;
	return value;
}

#define CODE(coder, lvalue) ((lvalue) = (__typeof__(lvalue))number(coder, (uint64_t)(lvalue)))

/* A time; what is earlier than `least` is taken for that. */
static uint64_t moment(struct coder *coder, uint64_t time, uint64_t least)
{
	return least + number(coder, time > least ? time - least : 0);
}

static uint32_t item(struct coder *coder, uint32_t value)
{
	return coder->tail - (uint32_t)number(coder, coder->tail - value);
}

static uint64_t earliest_arrival(const struct coder *coder)
{
	return coder->now + 1 + (uint64_t)coder->core->params->rename_to_dispatch_cycles;
}

/* ---- what is known of items --------------------------------------------------------------- */

static bool is_within(const struct sim_context *context)
{
	return context->insn && context->next_slot < context->insn->issue_slots;
}

/* The first item of which rename has still to learn something. */
static uint32_t first_to_rename(const struct sim_core *core)
{
	const struct sim_context *context = &core->context;

	return context->insn ? context->iteration + !is_within(context) : core->iterations_retired;
}

static void code_items(struct coder *coder)
{
	struct sim_core *core = coder->core;
	uint32_t first = first_to_rename(core);
	struct sim_hash hash = {0};

	if (!coder->reading) {
		for (uint32_t i = core->iterations_retired; i != first; i++)
			if (sim_dynamic(core->replay, i)->flags & SIM_DYNAMIC_AFTER_MISS)
				add_word(&hash, coder->tail - i);
		for (uint32_t i = first; i != coder->tail; i++)
			sim_hash_item(&hash, core, sim_dynamic(core->replay, i));
	}
	CODE(coder, hash.low);
	CODE(coder, hash.high);
	core->iterations_retired = item(coder, core->iterations_retired);
}

/* What is fetched next may come late, from `open` on. */
static void code_replay(struct coder *coder)
{
	struct sim_replay *replay = coder->core->replay;
	uint64_t least = coder->now + 1;
	uint32_t restarted = replay->restarted - (uint32_t)coder->now;

	replay->next = item(coder, replay->next);
	if (!coder->reading && (replay->next == coder->tail ||
				sim_dynamic(replay, replay->next)->late_cycles))
		least -= LATE_MAX;
	if (number(coder, replay->open == SIM_NEVER)) {
		replay->open = SIM_NEVER;
	} else {
		least = number(coder, least != coder->now + 1) ? coder->now + 1 - LATE_MAX
							      : coder->now + 1;
		replay->open = moment(coder, replay->open, least);
	}
	if ((int32_t)restarted <= 1)
		restarted = 0;
	CODE(coder, restarted);
	replay->restarted = (uint32_t)coder->now + restarted;
}

/* ---- front end ------------------------------------------------------------------------------- */

static uint32_t record_of(const struct coder *coder, uint32_t iteration)
{
	return sim_dynamic(coder->core->replay, iteration)->record;
}

static void code_predecoded(struct coder *coder, struct sim_predecoded *piece, bool staged)
{
	const struct sim_front_end *fetch = coder->core->front_end;
	uint32_t since = fetch->cycle - piece->cycle;

	piece->iteration = item(coder, piece->iteration);
	piece->insn = record_of(coder, piece->iteration);
	if (staged)
		return;
	since = since < fetch->limits.predecode_delay ? since : fetch->limits.predecode_delay;
	CODE(coder, since);
	piece->cycle = fetch->cycle - since;
}

static void code_predecoder(struct coder *coder)
{
	const struct sim_front_end *fetch = coder->core->front_end;
	struct sim_predecoder *predecoder = &coder->core->front_end->predecoder;
	uint32_t count = predecoder->tail - predecoder->head;

	CODE(coder, count);
	CODE(coder, predecoder->staged);
	predecoder->tail = predecoder->head + count;
	for (uint32_t i = 0; i < count; i++)
		code_predecoded(coder,
				&predecoder->queue[(predecoder->head + i) % SIM_PREDECODED_MAX],
				count - i <= predecoder->staged);
	CODE(coder, predecoder->in_block);
	CODE(coder, predecoder->second);
	CODE(coder, predecoder->holds);
	if (predecoder->in_block)
		CODE(coder, predecoder->block);
	if (predecoder->holds) {
		code_predecoded(coder, &predecoder->held, true);
		CODE(coder, predecoder->held_block);
		CODE(coder, predecoder->held_taken);
	}
	CODE(coder, predecoder->stall);
	if (!fetch->limits.length_change_cycles)
		return;
	CODE(coder, predecoder->block_cycles);
	if (predecoder->in_block)
		CODE(coder, predecoder->credit);
}

/* The line that is being read, unless a new one will be begun anyway. */
static void code_op_cache(struct coder *coder)
{
	const struct sim_front_end *fetch = coder->core->front_end;
	struct sim_op_cache *op_cache = &coder->core->front_end->op_cache;
	struct takt_cache_line *line = &op_cache->line;

	if (!coder->reading && (fetch->path != SIM_PATH_OP_CACHE ||
				(fetch->entered && !op_cache->slot && sim_fetch_has_next(fetch))))
		line->open = false;
	CODE(coder, op_cache->slot);
	CODE(coder, line->open);
	if (!line->open)
		return;
	CODE(coder, line->window_end);
	CODE(coder, line->slots);
	CODE(coder, line->constants);
}

static void code_microcode(struct coder *coder)
{
	struct sim_microcode *microcode = &coder->core->front_end->microcode;

	CODE(coder, microcode->left);
	CODE(coder, microcode->stall);
	if (!microcode->left)
		return;
	CODE(coder, microcode->slot);
	CODE(coder, microcode->stall_after);
	microcode->iteration = item(coder, microcode->iteration);
	microcode->insn = record_of(coder, microcode->iteration);
}

static void code_front_end(struct coder *coder)
{
	struct sim_front_end *fetch = coder->core->front_end;
	const struct sim_dynamic *dynamic;

	CODE(coder, fetch->started);
	CODE(coder, fetch->entered);
	CODE(coder, fetch->path);
	if (number(coder, sim_fetch_has_next(fetch))) {
		fetch->next.iteration = item(coder, fetch->next.iteration);
		dynamic = sim_dynamic(coder->core->replay, fetch->next.iteration);
		fetch->next.insn = dynamic->record;
		fetch->next.address = dynamic->address;
		fetch->next.taken = dynamic->flags & (SIM_DYNAMIC_TAKEN | SIM_DYNAMIC_MISSED);
		fetch->next.cached = dynamic->flags & SIM_DYNAMIC_CACHED;
	} else {
		fetch->next.insn = SIM_ITEM_NONE;
	}
	code_predecoder(coder);
	code_op_cache(coder);
	code_microcode(coder);
}

/* Slots follow each other, instruction after instruction: how many there are says it all. */
static void code_queue(struct coder *coder)
{
	struct sim_queue *queue = &coder->core->queue;
	uint32_t count = queue->tail - queue->head, slots = 0;
	struct sim_queue_entry next;

	CODE(coder, count);
	queue->tail = queue->head + count;
	if (!count)
		return;
	next = queue->entries[queue->head % SIM_QUEUE_ENTRIES_MAX];
	next.iteration = item(coder, next.iteration);
	CODE(coder, next.slot);
	next.break_after = false;
	for (uint32_t i = 0; i < count; i++, next.slot++) {
		struct sim_queue_entry *entry =
			&queue->entries[(queue->head + i) % SIM_QUEUE_ENTRIES_MAX];

		if (i && next.slot == slots) {
			next.iteration++;
			next.slot = 0;
		}
		if (!i || !next.slot) {
			const struct sim_insn *insn;

			next.insn = record_of(coder, next.iteration);
			insn = &coder->core->program->insns[next.insn];
			slots = (uint32_t)insn->mite_slots + insn->microcode_slots;
		}
		if (coder->reading)
			*entry = next;
		else if (entry->iteration != next.iteration || entry->slot != next.slot)
			coder->failed = true;
	}
}

/* ---- rename ----------------------------------------------------------------------------------- */

static void code_context(struct coder *coder)
{
	struct sim_context *context = &coder->core->context;
	bool within = is_within(context);

	context->iteration = item(coder, first_to_rename(coder->core) - !within);
	CODE(coder, within);
	context->insn = &coder->core->program->insns[0];
	if (!within) {
		context->next_slot = UINT16_MAX;
		return;
	}
	context->insn = &coder->core->program->insns[record_of(coder, context->iteration)];
	CODE(coder, context->next_slot);
	CODE(coder, context->next_uop);
	CODE(coder, context->eliminated);
	for (unsigned g = 0; g < context->insn->group_count; g++)
		context->dispatched[g] = moment(coder, context->dispatched[g],
						coder->now > LATE_MAX ? coder->now - LATE_MAX : 0);
	for (unsigned m = 0; m < context->insn->memory_count; m++) {
		struct sim_value *value = &coder->core->values[SIM_PART_LOADED + m];

		value->ready = moment(coder, value->ready, coder->now - SIM_PAST);
	}
}

/* In cores in order. */
static void code_order(struct coder *coder)
{
	struct sim_core *core = coder->core;
	uint64_t least = earliest_arrival(coder);

	CODE(coder, core->slots_owed);
	core->serialized = moment(coder, core->serialized, least - 1);
	if (!core->program->in_order)
		return;
	core->dispatched_last = moment(coder, core->dispatched_last, least - 1);
	if (core->dispatched_last >= least)
		CODE(coder, core->slots_early);
}

enum value_flag {
	VALUE_FROM_LOAD = 1 << 0,
	VALUE_DIRTY = 1 << 1,
	VALUE_SHARED = 1 << 2,
	VALUE_FLAGS = 3, /* bits */
};

static unsigned value_flags(const struct sim_core *core, const struct sim_value *value)
{
	return (value->from_load && core->params->load_latency_fast ? VALUE_FROM_LOAD : 0u) |
	       (value->dirty ? VALUE_DIRTY : 0u) | (value->shared ? VALUE_SHARED : 0u);
}

static void write_values(struct coder *coder)
{
	const struct sim_core *core = coder->core;
	uint64_t least = coder->now - SIM_PAST;
	unsigned last = 0;

	for (unsigned part = 0; part < SIM_PART_LOADED; part++) {
		const struct sim_value *value = &core->values[part];
		unsigned flags = value_flags(core, value);

		if (value->ready <= least && !flags)
			continue;
		number(coder, part + 1 - last);
		last = part + 1;
		number(coder, (value->ready > least ? value->ready - least : 0) << VALUE_FLAGS |
				      flags);
		if (value->shared)
			number(coder, value->shared);
	}
	number(coder, 0);
}

static void read_values(struct coder *coder)
{
	struct sim_core *core = coder->core;
	unsigned part = 0, step;

	core->bytes_apart = false;
	memset(core->values, 0, SIM_PART_LOADED * sizeof(*core->values));
	while ((step = (unsigned)number(coder, 0))) {
		struct sim_value *value = &core->values[(part += step) - 1];
		uint64_t word = number(coder, 0);

		value->ready = coder->now - SIM_PAST + (word >> VALUE_FLAGS);
		value->from_load = word & VALUE_FROM_LOAD;
		value->dirty = word & VALUE_DIRTY;
		core->bytes_apart |= value->dirty;
		if (word & VALUE_SHARED)
			value->shared = (uint8_t)number(coder, 0);
	}
}

static void code_bytes(struct coder *coder, uint8_t *bytes, unsigned count)
{
	for (unsigned i = 0, end; i < count; i = end + 1) {
		for (end = i; !coder->reading && end < count && !bytes[end]; end++)
			;
		end = i + (unsigned)number(coder, end - i);
		if (coder->reading)
			memset(bytes + i, 0, end - i);
		if (end < count)
			CODE(coder, bytes[end]);
	}
}

static void code_moves(struct coder *coder, struct sim_moves *moves)
{
	unsigned window = (unsigned)coder->core->params->move_elimination_window_cycles;

	if (moves->capacity < 0)
		return;
	CODE(coder, moves->live);
	CODE(coder, moves->eliminated);
	code_bytes(coder, moves->references, SIM_SHARED_MAX);
	for (unsigned back = 0; back < (window ? window : 1) && back < SIM_HISTORY; back++) {
		CODE(coder, moves->live_before[(coder->now - back) % SIM_HISTORY]);
		CODE(coder, moves->eliminated_before[(coder->now - back - 1) % SIM_HISTORY]);
	}
}

/* ---- ports ------------------------------------------------------------------------------------- */

/* A ring of words of bits by cycle, `stride` words apart. */
struct ring {
	uint64_t *words;
	unsigned stride;
};

/* 64 bits from the cycle on. */
static uint64_t bits_at(struct ring ring, uint64_t cycle)
{
	uint64_t word = cycle / 64;
	unsigned shift = cycle % 64;
	uint64_t low = ring.words[word % SIM_WINDOW_WORDS * ring.stride] >> shift;

	return shift ? low | ring.words[(word + 1) % SIM_WINDOW_WORDS * ring.stride] << (64 - shift)
		     : low;
}

static void put_bits(struct ring ring, uint64_t cycle, uint64_t bits)
{
	uint64_t word = cycle / 64;
	unsigned shift = cycle % 64;

	ring.words[word % SIM_WINDOW_WORDS * ring.stride] |= bits << shift;
	if (shift)
		ring.words[(word + 1) % SIM_WINDOW_WORDS * ring.stride] |= bits >> (64 - shift);
}

/* Bits before `first` are of no more interest. */
static void write_ring(struct coder *coder, struct ring ring, unsigned name, uint64_t first)
{
	uint64_t end = coder->core->ports.furthest;

	for (uint64_t at = coder->now; at < end; at += 64) {
		uint64_t bits = bits_at(ring, at);

		if (first > at)
			bits &= first - at < 64 ? UINT64_MAX << (first - at) : 0;
		if (!bits)
			continue;
		number(coder, name + 1);
		number(coder, (at - coder->now) / 64);
		number(coder, bits);
	}
}

static struct ring ring_of(struct sim_ports *ports, unsigned name)
{
	unsigned bank = name - TAKT_PORTS_MAX;

	if (name < TAKT_PORTS_MAX)
		return (struct ring){&ports->reserved[0][name], TAKT_PORTS_MAX};
	return (struct ring){&ports->banks[bank / SIM_BANKS][0][bank % SIM_BANKS], SIM_BANKS};
}

static void write_reserved(struct coder *coder)
{
	struct sim_ports *ports = &coder->core->ports;
	unsigned count = TAKT_PORTS_MAX + (coder->core->params->loads_per_bank ? 2 * SIM_BANKS : 0);

	for (unsigned name = 0; name < count; name++) {
		bool pending = name < TAKT_PORTS_MAX && ports->used >> name & 1;

		write_ring(coder, ring_of(ports, name), name,
			   pending ? coder->now : earliest_arrival(coder));
	}
	number(coder, 0);
}

static void read_reserved(struct coder *coder)
{
	struct sim_ports *ports = &coder->core->ports;
	uint64_t first = coder->since / 64, last = ports->furthest / 64;
	unsigned name;

	last = last < first ? first : last;
	for (uint64_t word = first; word <= last; word++) {
		unsigned at = word % SIM_WINDOW_WORDS;

		memset(ports->reserved[at], 0, sizeof(ports->reserved[at]));
		memset(ports->banks[0][at], 0, sizeof(ports->banks[0][at]));
		memset(ports->banks[1][at], 0, sizeof(ports->banks[1][at]));
	}
	ports->furthest = coder->now;
	while ((name = (unsigned)number(coder, 0))) {
		uint64_t at = coder->now + 64 * number(coder, 0), bits = number(coder, 0);
		uint64_t end = at + 64 - (unsigned)__builtin_clzll(bits);

		put_bits(ring_of(ports, name - 1), at, bits);
		if (end > ports->furthest)
			ports->furthest = end;
	}
}

static void code_ports(struct coder *coder)
{
	struct sim_ports *ports = &coder->core->ports;
	uint32_t turns = 0;

	CODE(coder, ports->used);
	CODE(coder, ports->pending_all);
	if (coder->reading) {
		memset(ports->pending, 0, sizeof(ports->pending));
		memset(ports->at_start, 0, sizeof(ports->at_start));
		memset(ports->last_used, 0, sizeof(ports->last_used));
	}
	for (uint32_t rest = ports->used; rest; rest &= rest - 1) {
		unsigned p = (unsigned)__builtin_ctz(rest);

		CODE(coder, ports->pending[p]);
		if (coder->core->params->port_choice == 10)
			CODE(coder, ports->at_start[p]);
	}
	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
		turns |= (uint32_t)(ports->last_used[p] != 0) << p;
	CODE(coder, turns);
	for (; turns; turns &= turns - 1)
		CODE(coder, ports->last_used[__builtin_ctz(turns)]);
	if (coder->reading)
		read_reserved(coder);
	else
		write_reserved(coder);
}

/* ---- retirement and the cache ----------------------------------------------------------------------- */

enum rob_flag {
	ROB_ENDS = 1 << 0,
	ROB_LOADS = 1 << 1, /* and so on: one load, one store, or their number follows */
	ROB_STORES = 1 << 2,
	ROB_COUNTS = 1 << 3,
	ROB_ARRIVES = 1 << 4,
	ROB_LATE_SHIFT = 5,
};

static void write_rob(struct coder *coder)
{
	const struct sim_core *core = coder->core;

	for (uint32_t i = core->rob_head; i != core->rob_tail; i++) {
		const struct sim_rob_slot *slot = &core->rob[i % SIM_ROB_MAX];
		uint64_t done = slot->done > coder->now + 1 ? slot->done - coder->now - 1 : 0;
		int32_t arrives = (int32_t)(slot->arrived - (uint32_t)coder->now - 1);
		bool counts = slot->loads > 1 || slot->stores > 1;

		number(coder, done);
		number(coder, (slot->ends_iteration ? ROB_ENDS : 0u) |
				      (slot->loads ? ROB_LOADS : 0u) |
				      (slot->stores ? ROB_STORES : 0u) | (counts ? ROB_COUNTS : 0u) |
				      (arrives > 0 ? ROB_ARRIVES : 0u) |
				      (done ? (unsigned)slot->late << ROB_LATE_SHIFT : 0u));
		if (counts)
			number(coder, (unsigned)slot->loads << 8 | slot->stores);
		if (arrives > 0)
			number(coder, (uint64_t)arrives);
	}
}

static void read_rob(struct coder *coder, uint32_t count)
{
	struct sim_core *core = coder->core;

	core->rob_tail = core->rob_head + count;
	for (uint32_t i = core->rob_head; i != core->rob_tail; i++) {
		struct sim_rob_slot *slot = &core->rob[i % SIM_ROB_MAX];
		uint64_t done = coder->now + 1 + number(coder, 0);
		unsigned flags = (unsigned)number(coder, 0), counts;

		*slot = (struct sim_rob_slot){.done = done,
					      .arrived = (uint32_t)coder->now + 1,
					      .ends_iteration = flags & ROB_ENDS,
					      .late = (uint8_t)(flags >> ROB_LATE_SHIFT)};
		counts = (flags & ROB_LOADS ? 1u << 8 : 0u) | (flags & ROB_STORES ? 1u : 0u);
		if (flags & ROB_COUNTS)
			counts = (unsigned)number(coder, 0);
		slot->loads = (uint8_t)(counts >> 8);
		slot->stores = (uint8_t)counts;
		if (flags & ROB_ARRIVES)
			slot->arrived += (uint32_t)number(coder, 0);
	}
}

static void code_rob(struct coder *coder)
{
	uint32_t count = coder->core->rob_tail - coder->core->rob_head;

	CODE(coder, count);
	if (coder->reading)
		read_rob(coder, count);
	else
		write_rob(coder);
}

/* On their way to the cache. */
static void code_store_queue(struct coder *coder)
{
	struct sim_core *core = coder->core;
	struct sim_replay *replay = core->replay;
	uint32_t count = core->stores_renamed - core->stores_committed;
	bool narrows = core->params->narrow_store_cycles > 0;

	CODE(coder, count);
	CODE(coder, core->stores_retired);
	CODE(coder, core->loads_in_flight);
	CODE(coder, core->stores_in_flight);
	core->stores_renamed = core->stores_committed + count;
	core->line_change = moment(coder, core->line_change, coder->now + 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t store = (core->stores_committed + i) % SIM_ROB_MAX;
		unsigned flags = (core->same_line[store] ? 1u : 0u) |
				 (narrows && core->other_line[store] ? 2u : 0u) |
				 (narrows && core->narrow[store] ? 4u : 0u);

		CODE(coder, flags);
		core->same_line[store] = flags & 1;
		core->other_line[store] = flags & 2;
		core->narrow[store] = flags & 4;
		if (i >= core->stores_retired)
			CODE(coder, replay->store_cycles[store]);
		replay->commit_cycles[store] =
			i < core->stores_retired
				? moment(coder, replay->commit_cycles[store], coder->now + 1)
				: 0;
	}
}

/* Of which a load may still be told. */
static bool is_in_flight(const struct sim_core *core, const struct sim_store *store, uint32_t wanted)
{
	return store->number == wanted && (int32_t)(core->stores_committed - store->queued) <= 0;
}

static void code_store(struct coder *coder, struct sim_store *store)
{
	struct sim_core *core = coder->core;
	uint64_t least = coder->now - SIM_PAST, renamed = least;

	if (core->params->store_forward_renamed_cycles > 0)
		renamed -= (uint64_t)core->params->store_forward_renamed_cycles;
	store->queued =
		core->stores_committed + (uint32_t)number(coder, store->queued - core->stores_committed);
	store->value_ready = moment(coder, store->value_ready, least);
	store->address_ready = moment(coder, store->address_ready, least);
	if (core->params->store_forward_renamed_cycles)
		store->source_ready = moment(coder, store->source_ready, renamed);
}

static void code_stores(struct coder *coder)
{
	struct sim_core *core = coder->core;
	uint32_t mask = core->replay->store_mask, back = 1;

	for (uint32_t i = 0; coder->reading && i <= mask; i++)
		core->stores[i].number = coder->store + (1u << 31);
	for (;; back++) {
		struct sim_store *store;
		uint32_t skip = back;

		for (; !coder->reading && skip <= mask + 1; skip++)
			if (is_in_flight(core, &core->stores[(coder->store - skip) & mask],
					 coder->store - skip))
				break;
		back += (uint32_t)number(coder, skip - back);
		if (back > mask + 1)
			return;
		store = &core->stores[(coder->store - back) & mask];
		store->number = coder->store - back;
		code_store(coder, store);
	}
}

/* ---- misses ------------------------------------------------------------------------------------- */

/* Slots from the present one on. */
static bool find_transfer(const struct sim_misses *misses, uint64_t *slot)
{
	uint64_t end = (misses->transfer_word + SIM_TRANSFER_WORDS) * 64;

	for (; *slot < end; ++*slot)
		if (misses->transfers[*slot / 64 % SIM_TRANSFER_WORDS] >> *slot % 64 & 1)
			return true;
		else if (!(misses->transfers[*slot / 64 % SIM_TRANSFER_WORDS] >> *slot % 64))
			*slot |= 63;
	return false;
}

bool sim_state_transfers(const struct sim_core *core)
{
	const struct sim_misses *misses = &core->replay->misses;
	uint64_t slot = misses->line_cycles ? core->cycle / misses->line_cycles : 0;

	return misses->line_cycles && find_transfer(misses, &slot);
}

static void code_transfers(struct coder *coder)
{
	struct sim_misses *misses = &coder->core->replay->misses;
	uint64_t present = coder->now / misses->line_cycles, slot = present;

	if (!coder->reading) {
		for (; find_transfer(misses, &slot); slot++)
			number(coder, slot - present + 1);
		number(coder, 0);
		return;
	}
	memset(misses->transfers, 0, sizeof(misses->transfers));
	misses->transfer_word = present / 64;
	for (uint64_t after; (after = number(coder, 0));) {
		slot = present + after - 1;
		misses->transfers[slot / 64 % SIM_TRANSFER_WORDS] |= (uint64_t)1 << slot % 64;
	}
}

static void code_misses(struct coder *coder)
{
	struct sim_misses *misses = &coder->core->replay->misses;
	uint32_t kept = 0;

	for (uint32_t i = 0; !coder->reading && i < misses->count; i++)
		if (misses->under_way[i].end > coder->now + 1)
			misses->under_way[kept++] = misses->under_way[i];
	if (!coder->reading)
		misses->count = kept;
	CODE(coder, misses->count);
	for (uint32_t i = 0; i < misses->count; i++) {
		misses->under_way[i].begin =
			moment(coder, misses->under_way[i].begin, coder->now + 1);
		misses->under_way[i].end = moment(coder, misses->under_way[i].end, coder->now + 1);
	}
	if (misses->line_cycles)
		code_transfers(coder);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void code_core(struct coder *coder)
{
	struct sim_core *core = coder->core;

	code_items(coder);
	code_replay(coder);
	code_front_end(coder);
	code_queue(coder);
	code_context(coder);
	code_order(coder);
	CODE(coder, core->rsp_shifted);
	if (coder->reading)
		read_values(coder);
	else
		write_values(coder);
	code_moves(coder, &core->moves[0]);
	code_moves(coder, &core->moves[1]);
	code_ports(coder);
	code_rob(coder);
	code_store_queue(coder);
	code_stores(coder);
	code_misses(coder);
}

uint32_t sim_state_pack(struct sim_core *core, uint32_t store, bool phase, uint8_t *bytes)
{
	struct coder coder = {
		.core = core,
		.at = bytes,
		.end = bytes + SIM_STATE_BYTES_MAX,
		.tail = core->replay->tail,
		.store = store,
		.now = core->cycle,
	};

	number(&coder, phase ? core->cycle % core->replay->misses.line_cycles + 1 : 0);
	code_core(&coder);
	return coder.failed ? 0 : (uint32_t)(coder.at - bytes);
}

void sim_state_unpack(struct sim_core *core, uint32_t tail, uint32_t store, uint64_t since,
		      const uint8_t *bytes)
{
	struct coder coder = {
		.core = core,
		.at = (uint8_t *)(uintptr_t)bytes,
		.reading = true,
		.tail = tail,
		.store = store,
		.now = core->cycle,
		.since = since,
	};

	number(&coder, 0);
	code_core(&coder);
}
