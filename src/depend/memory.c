/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "depend/memory.h"

#define GPR_COUNT 16u
#define REGISTER_BYTES_MAX 64u
/* Symbols: 0 none, 1…16 the registers at the start, then one for each unknown result. */
#define SYMBOL_RIP (GPR_COUNT + 1u)
#define SYMBOL_FIRST_FREE (GPR_COUNT + 2u)

/* symbol + offset */
struct value {
	uint64_t symbol, offset;
};

struct address {
	uint64_t base, index, displacement; /* symbols; constants folded in */
	uint8_t scale, segment;
};

/* The last store to an address. */
struct store {
	struct address address;
	uint32_t insn; /* UINT32_MAX: empty */
	uint16_t size_bytes;
	uint8_t slot, iteration;
};

struct tracker {
	struct value registers[GPR_COUNT];
	uint64_t next_symbol;
	struct store *stores; /* open addressing */
	size_t mask;
	uint16_t store_bytes_max; /* of the stores so far, up to a register */
	struct takt_forward *forwards;
};

static struct value *register_value(struct tracker *tracker, uint8_t location)
{
	if (location < TAKT_LOC_GPR || location >= TAKT_LOC_GPR + GPR_COUNT)
		return NULL;
	return &tracker->registers[location - TAKT_LOC_GPR];
}

/* False for addresses that cannot be named: vector indices, 32-bit arithmetic. */
static bool name_address(struct tracker *tracker, const struct takt_memory *memory,
			 struct address *ret_address)
{
	struct address address = {.displacement = (uint64_t)memory->displacement,
				  .segment = memory->segment};
	const struct value *base = register_value(tracker, memory->base);
	const struct value *index = register_value(tracker, memory->index);

	if ((memory->base && !base && !memory->rip_relative) || (memory->index && !index) ||
	    memory->address_size_bytes == 4 || !memory->size_bytes)
		return false;
	if (memory->rip_relative)
		address.base = SYMBOL_RIP;
	else if (base) {
		address.base = base->symbol;
		address.displacement += base->offset;
	}
	if (index) {
		address.index = index->symbol;
		address.scale = memory->scale;
		address.displacement += index->offset * memory->scale;
	}
	*ret_address = address;
	return true;
}

static bool same_address(const struct address *left, const struct address *right)
{
	return left->base == right->base && left->index == right->index &&
	       left->displacement == right->displacement && left->scale == right->scale &&
	       left->segment == right->segment;
}

static struct store *find_store(struct tracker *tracker, const struct address *address)
{
	uint64_t hash = takt_hash64(address->base * 31 + address->index * 17 +
				    address->displacement + address->scale);
	size_t at = (size_t)hash & tracker->mask;

	while (tracker->stores[at].insn != UINT32_MAX &&
	       !same_address(&tracker->stores[at].address, address))
		at = (at + 1) & tracker->mask;
	return &tracker->stores[at];
}

static bool is_later(const struct store *left, const struct store *right)
{
	return left->iteration != right->iteration ? left->iteration > right->iteration
						   : left->insn > right->insn;
}

/* The last store that contains the load; it may begin before the load does. */
static void visit_load(struct tracker *tracker, const struct takt_memory *memory, uint8_t iteration,
		       struct takt_forward *forward)
{
	const struct store *last = NULL;
	struct address address;

	if (!name_address(tracker, memory, &address))
		return;
	for (unsigned end = memory->size_bytes; end <= tracker->store_bytes_max; end++) {
		const struct store *store = find_store(tracker, &address);

		if (store->insn != UINT32_MAX && store->size_bytes >= end &&
		    (!last || is_later(store, last)))
			last = store;
		address.displacement--;
	}
	if (last && iteration - last->iteration <= 1)
		*forward = (struct takt_forward){last->insn, last->slot,
						 (uint8_t)(iteration - last->iteration)};
}

static void visit_store(struct tracker *tracker, const struct takt_memory *memory, uint32_t insn,
			uint8_t iteration)
{
	struct address address;
	struct store *store;

	if (!name_address(tracker, memory, &address))
		return;
	store = find_store(tracker, &address);
	*store = (struct store){address, insn, memory->size_bytes, memory->slot, iteration};
	if (memory->size_bytes > tracker->store_bytes_max &&
	    memory->size_bytes <= REGISTER_BYTES_MAX)
		tracker->store_bytes_max = memory->size_bytes;
}

/* Register values after the instruction. */
static void step_registers(struct tracker *tracker, const struct takt_insn *insn)
{
	struct takt_affine affine;

	if (takt_insn_is_affine(insn, &affine)) {
		struct value value = *register_value(tracker, affine.source);

		value.offset += (uint64_t)affine.addend;
		*register_value(tracker, affine.destination) = value;
		return;
	}
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];
		struct value *value = register_value(tracker, access->location);

		if (access->location >= TAKT_LOC_HIGH8 && access->location < TAKT_LOC_VECTOR)
			value = &tracker->registers[access->location - TAKT_LOC_HIGH8];
		if (!value || !(access->flags & TAKT_WRITE))
			continue;
		if (access->flags & TAKT_STACK_ENGINE)
			value->offset += (uint64_t)(int64_t)insn->rsp_delta;
		else
			*value = (struct value){tracker->next_symbol++, 0};
	}
}

static void run_iteration(struct tracker *tracker, const struct takt_block *block,
			  uint8_t iteration, bool record)
{
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];

		for (unsigned m = 0; record && m < insn->memory_count; m++)
			if (insn->memories[m].read && !insn->memories[m].address_only)
				visit_load(tracker, &insn->memories[m], iteration,
					   &tracker->forwards[i * TAKT_MEMORIES_MAX + m]);
		for (unsigned m = 0; m < insn->memory_count; m++)
			if (insn->memories[m].write && !insn->memories[m].address_only)
				visit_store(tracker, &insn->memories[m], i, iteration);
		step_registers(tracker, insn);
	}
}

static void tracker_init(struct tracker *tracker, size_t insn_count, size_t store_count,
			 struct takt_arena *arena)
{
	size_t capacity = 8;

	/* Each of three iterations' stores may have new addresses. */
	while (capacity < store_count * 6)
		capacity *= 2;
	*tracker = (struct tracker){.next_symbol = SYMBOL_FIRST_FREE, .mask = capacity - 1};
	for (unsigned i = 0; i < GPR_COUNT; i++)
		tracker->registers[i].symbol = i + 1;
	tracker->stores = TAKT_NEW_ARRAY(arena, capacity, struct store);
	for (size_t i = 0; i < capacity; i++)
		tracker->stores[i].insn = UINT32_MAX;
	tracker->forwards =
		TAKT_NEW_ARRAY(arena, insn_count * TAKT_MEMORIES_MAX, struct takt_forward);
	for (size_t i = 0; i < insn_count * TAKT_MEMORIES_MAX; i++)
		tracker->forwards[i].store_insn = UINT32_MAX;
}

const struct takt_forward *takt_forwards_find(const struct takt_block *block, bool loop,
					      struct takt_arena *arena)
{
	size_t loads = 0, stores = 0;
	struct tracker tracker;

	for (uint32_t i = 0; i < block->count; i++)
		for (unsigned m = 0; m < block->insns[i].memory_count; m++) {
			const struct takt_memory *memory = &block->insns[i].memories[m];

			loads += memory->read && !memory->address_only;
			stores += memory->write && !memory->address_only;
		}
	if (!loads || !stores)
		return NULL;
	tracker_init(&tracker, block->count, stores, arena);
	if (loop) {
		/* Two before the one that counts: it finds the second's stores, whose
		 * addresses may come from what the first copied. */
		run_iteration(&tracker, block, 0, false);
		run_iteration(&tracker, block, 1, false);
		run_iteration(&tracker, block, 2, true);
	} else {
		run_iteration(&tracker, block, 0, true);
	}
	return tracker.forwards;
}
