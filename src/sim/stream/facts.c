/* SPDX-License-Identifier: MIT */
/*
 * Finds the store that wrote what is loaded, with a cache of eight-byte pieces that were stored to,
 * and the number of the last store to each byte. A store that its set has no room for, or that was
 * so long ago that it has left the store queue, counts as written to the data cache.
 */
#include <string.h>

#include "sim/stream/facts.h"

#define PIECE_SHIFT 3
#define KEY_SHIFT 8
#define LAST_MASK 0xffu
#define LINE_SHIFT 6
#define SET_FACTOR 0x9e3779b97f4a7c15u

void sim_facts_init(struct sim_facts *facts, const struct sim_program *program)
{
	memset(facts, 0, sizeof(*facts));
	facts->program = program;
	facts->store_count = SIM_STORES; /* number 0 is long ago */
	facts->last_store = UINT64_MAX;
	facts->bank_bytes = sim_bank_bytes(program->params);
	facts->tracks_registers = program->params->store_forward_renamed_learnt &&
				  !program->params->store_forward_renamed_rewritten;
}

static struct sim_stored_set *set_of(struct sim_facts *facts, uint64_t piece)
{
	return &facts->stored[piece * SET_FACTOR >> 32 & (SIM_STORED_SETS - 1)];
}

static bool is_recent(const struct sim_facts *facts, uint32_t store)
{
	return facts->store_count - store < SIM_STORES;
}

/* Return the piece's way in its set; SIM_STORED_WAYS if it is not there. */
static unsigned find(const struct sim_stored_set *set, uint64_t piece)
{
	unsigned way = 0;

	while (way < SIM_STORED_WAYS &&
	       (set->keys[way] >> KEY_SHIFT != piece || !(set->keys[way] & LAST_MASK)))
		way++;
	return way;
}

/* Return how many stores ago the last one to the way's piece was. */
static uint32_t age_of(const struct sim_facts *facts, const struct sim_stored_set *set,
		       unsigned way)
{
	uint64_t last = set->keys[way] & LAST_MASK;

	return last ? facts->store_count - set->stores[way][__builtin_ctzll(last)] : UINT32_MAX;
}

/* Return the piece's way, or that of the piece that was stored to the longest ago. */
static unsigned claim(const struct sim_facts *facts, struct sim_stored_set *set, uint64_t piece)
{
	unsigned found = find(set, piece);

	if (found < SIM_STORED_WAYS)
		return found;
	found = 0;
	for (unsigned way = 1; way < SIM_STORED_WAYS; way++)
		if (age_of(facts, set, way) > age_of(facts, set, found))
			found = way;
	memset(set->stores[found], 0, sizeof(set->stores[found]));
	return found;
}

/* Loop over the pieces that an access touches, with each one's number and a mask of its bytes. */
#define FOR_PIECES(address, bytes, piece, mask)                                                    \
	for (uint64_t at_ = (address), end_ = at_ + (bytes), piece, mask;                          \
	     at_ != end_ &&                                                                        \
	     (piece = at_ << 13 >> (13 + PIECE_SHIFT), mask = mask_of(at_, end_), true);           \
	     at_ = next_piece(at_, end_))

static uint64_t next_piece(uint64_t at, uint64_t end)
{
	uint64_t left = SIM_PIECE_BYTES - at % SIM_PIECE_BYTES;

	return end - at < left ? end : at + left;
}

static uint64_t mask_of(uint64_t at, uint64_t end)
{
	unsigned count = (unsigned)(next_piece(at, end) - at);

	return ((1u << count) - 1) << at % SIM_PIECE_BYTES;
}

static void enter_store(struct sim_facts *facts, const struct sim_stream_access *access,
			uint32_t number)
{
	FOR_PIECES(access->address, access->size_bytes, piece, mask)
	{
		struct sim_stored_set *set = set_of(facts, piece);
		unsigned way = claim(facts, set, piece);

		set->keys[way] = piece << KEY_SHIFT | mask;
		for (unsigned byte = 0; byte < SIM_PIECE_BYTES; byte++)
			set->stores[way][byte] = mask >> byte & 1 ? number : set->stores[way][byte];
	}
}

/* The stores that wrote what a load reads, so far. */
struct writers {
	uint32_t newest, oldest;
	uint32_t written; /* number of times that a store was found */
	bool whole;	  /* every byte was written by a store, each piece by one */
};

static void note_writer(struct writers *writers, uint32_t store)
{
	if (!writers->written || (int32_t)(store - writers->newest) > 0)
		writers->newest = store;
	if (!writers->written || (int32_t)(store - writers->oldest) < 0)
		writers->oldest = store;
	writers->written++;
}

/* Note the stores that wrote the bytes `mask` of a piece. */
static void find_piece(const struct sim_facts *facts, const struct sim_stored_set *set,
		       unsigned way, uint64_t mask, struct writers *writers)
{
	const uint32_t *stores = set->stores[way];
	uint32_t first = stores[__builtin_ctzll(mask)];

	/* Most loads read what one store wrote. */
	if (mask & ~set->keys[way])
		for (uint64_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
			uint32_t store = stores[__builtin_ctzll(rest)];

			if (store == first)
				continue;
			writers->whole = false;
			if (is_recent(facts, store))
				note_writer(writers, store);
		}
	if (is_recent(facts, first))
		note_writer(writers, first);
	else
		writers->whole = false;
}

static void find_store(struct sim_facts *facts, const struct sim_stream_access *access,
		       struct sim_fact *fact)
{
	struct writers writers = {.whole = true};

	FOR_PIECES(access->address, access->size_bytes, piece, mask)
	{
		const struct sim_stored_set *set = set_of(facts, piece);
		unsigned way = find(set, piece);

		if (way < SIM_STORED_WAYS)
			find_piece(facts, set, way, mask, &writers);
		else
			writers.whole = false;
	}
	if (!writers.written)
		return;
	fact->store = writers.newest;
	fact->flags |= SIM_FACT_STORED;
	if (!writers.whole || writers.newest != writers.oldest)
		fact->flags |= SIM_FACT_FAILS;
	fact->older_stores = (uint8_t)(writers.newest - writers.oldest < UINT8_MAX
					       ? writers.newest - writers.oldest
					       : UINT8_MAX);
}

/* ---- one record --------------------------------------------------------------------------- */

static uint32_t banks_of(const struct sim_facts *facts, const struct sim_stream_access *access)
{
	unsigned first = access->address % TAKT_LINE_BYTES;
	unsigned bytes =
		access->size_bytes < TAKT_LINE_BYTES ? access->size_bytes : TAKT_LINE_BYTES;
	uint32_t banks = 0;

	for (unsigned byte = 0; byte < bytes; byte += facts->bank_bytes)
		banks |= 1u << (first + byte) % TAKT_LINE_BYTES / facts->bank_bytes;
	if (bytes)
		banks |= 1u << (first + bytes - 1) % TAKT_LINE_BYTES / facts->bank_bytes;
	return banks;
}

static bool is_split(const struct sim_stream_access *access)
{
	return access->address % TAKT_LINE_BYTES + access->size_bytes > TAKT_LINE_BYTES;
}

/* True if a load that reads nothing but what the store wrote is a part of it that is served. */
static bool part_is_renamed(const struct sim_facts *facts, unsigned s,
			    const struct sim_memory *memory, uint64_t address)
{
	return facts->stores[s].bytes == memory->bytes ||
	       (facts->program->params->store_forward_renamed_narrower &&
		facts->stores[s].address == address);
}

/*
 * True if the load is served at once: its address is made of the same registers as that of the
 * store, which have not been written since, and the store is not too near. The stack pointer counts
 * as not written, and its stores as far enough: the core knows how far it was moved.
 */
static bool keeps_address(const struct sim_facts *facts, unsigned s,
			  const struct sim_memory *memory)
{
	uint32_t least = (uint32_t)facts->program->params->store_forward_renamed_distance;
	uint32_t registers = facts->stores[s].registers;

	if (!facts->tracks_registers || !registers || memory->address_registers != registers)
		return false;
	registers &= ~((uint32_t)1 << (TAKT_LOC_RSP - TAKT_LOC_GPR));
	if (registers && facts->item_count - facts->stores[s].item < least)
		return false;
	for (; registers; registers &= registers - 1)
		if (facts->written[__builtin_ctz(registers)] >= facts->stores[s].item)
			return false;
	return true;
}

/*
 * Note that memory renaming gave the load a wrong value. Loads that are renamed before another one
 * is found to be wrong are found with it, and cost nothing more.
 */
static void note_misrenamed(struct sim_facts *facts, struct sim_fact *fact)
{
	const struct takt_core_params *params = facts->program->params;
	uint32_t shadow = (uint32_t)(params->issue_width * params->load_latency_int);

	if (facts->misrenamed_item && facts->item_count - facts->misrenamed_item < shadow)
		return;
	facts->misrenamed_item = facts->item_count;
	fact->misrenamed = true;
}

/* Record the outcome of memory renaming for a load whose operand allows it. */
static void note_renaming(struct sim_facts *facts, const struct sim_memory *memory,
			  const struct sim_stream_access *access, uint32_t place,
			  struct sim_fact *fact)
{
	const struct takt_core_params *params = facts->program->params;
	uint32_t number = fact->store;
	unsigned s = number % SIM_STORES;
	uint32_t right_least = (uint32_t)params->store_forward_renamed_learnt;
	bool whole = (fact->flags & (SIM_FACT_STORED | SIM_FACT_FAILS)) == SIM_FACT_STORED;
	enum sim_renaming_result result;

	if (!right_least || (whole && keeps_address(facts, s, memory)))
		result = whole && facts->stores[s].base == memory->renamed_base &&
					 part_is_renamed(facts, s, memory, access->address)
				 ? SIM_RENAMING_SERVES
				 : SIM_RENAMING_WAITS;
	else if (whole && facts->stores[s].base && facts->stores[s].address == access->address)
		result = sim_renaming_load(&facts->renaming, place, facts->stores[s].place, number,
					   right_least);
	else
		result = sim_renaming_other(&facts->renaming, place, facts->store_count,
					    (uint32_t)params->store_queue_entries, right_least);
	if (result == SIM_RENAMING_SERVES)
		fact->flags |= SIM_FACT_RENAMED;
	if (result == SIM_RENAMING_WRONG && params->store_bypass_flush_cycles)
		note_misrenamed(facts, fact);
}

static unsigned line_slot(uint64_t line)
{
	return (unsigned)(line * SET_FACTOR >> 40) & (SIM_MISSED_LINES - 1);
}

/*
 * Note the line of an access. A load that missed it and has left the reorder buffer has it by now;
 * what was prefetched may come later.
 */
static void note_line(struct sim_facts *facts, const struct sim_stream_access *access,
		      struct sim_fact *fact)
{
	uint64_t line = (access->address >> LINE_SHIFT) + 1;
	unsigned slot = line_slot(line);
	uint32_t back = facts->item_count - facts->missed[slot].item;
	bool prefetched = facts->missed[slot].from != SIM_LINE_LOAD;
	bool comes = facts->missed[slot].line == line &&
		     back < (prefetched ? SIM_PREFETCHED_ITEMS : SIM_ROB_MAX);

	if (comes && (prefetched || !access->extra_cycles)) {
		if (access->store && !prefetched)
			return;
		fact->line_back = (uint16_t)back;
		fact->flags |= (uint8_t)(facts->missed[slot].from << SIM_FACT_LINE_SHIFT);
	} else if (access->extra_cycles && !access->store) {
		facts->missed[slot].line = line;
		facts->missed[slot].item = facts->item_count;
		facts->missed[slot].from = SIM_LINE_LOAD;
	}
}

/* Note the lines that an access lets be prefetched. */
static void note_prefetches(struct sim_facts *facts, const struct sim_stream_prefetch *prefetches,
			    uint32_t count, struct sim_fact *fact)
{
	for (uint32_t i = 0; i < count && i < SIM_PREFETCHES_MAX; i++) {
		uint64_t line = (prefetches[i].address >> LINE_SHIFT) + 1;
		unsigned slot = line_slot(line);

		facts->missed[slot].line = line;
		facts->missed[slot].item = facts->item_count;
		facts->missed[slot].from = SIM_LINE_PREFETCH + i;
		fact->prefetches |= (uint8_t)((prefetches[i].level & 3u) << 2 * i);
	}
}

static void note_load(struct sim_facts *facts, const struct sim_memory *memory,
		      const struct sim_stream_access *access, uint32_t place, struct sim_fact *fact)
{
	const struct takt_core_params *params = facts->program->params;

	find_store(facts, access, fact);
	if (params->loads_per_bank)
		fact->banks = (fact->banks | banks_of(facts, access)) & SIM_BANKS_ALL;
	if (params->split_load_cycles && is_split(access)) {
		fact->flags |= SIM_FACT_SPLIT;
		if (params->split_load_accesses == 1)
			fact->banks = (fact->banks | (uint32_t)1 << SIM_BANK_SPLIT) & SIM_BANKS_ALL;
	}
	if (access->extra_cycles > fact->load_cycles)
		fact->load_cycles = access->extra_cycles;
	note_line(facts, access, fact);
	if (memory->renamed_base)
		note_renaming(facts, memory, access, place, fact);
}

/* Note that a store goes to two lines, or, where stores to a piece are collected, to two pieces. */
static void note_split_store(struct sim_facts *facts, const struct sim_memory *memory,
			     const struct sim_stream_access *access, struct sim_fact *fact)
{
	const struct takt_core_params *params = facts->program->params;
	bool to_lines = sim_splits_cost(params) && is_split(access);

	if (params->store_commit_collects) {
		/* The load of a load and store must not count as one that crosses a line. */
		if (!to_lines &&
		    (memory->load ||
		     !sim_crosses(sim_commit_bytes(params), access->address, access->size_bytes)))
			return;
		fact->flags |= SIM_FACT_SPLIT;
		facts->last_store += access->size_bytes - 1u;
	} else if (to_lines) {
		fact->flags = (uint8_t)((fact->flags & ~SIM_FACT_SAME_PIECE) | SIM_FACT_SPLIT |
					SIM_FACT_OTHER_LINE);
		facts->last_store = UINT64_MAX;
	}
}

static void note_store(struct sim_facts *facts, const struct sim_memory *memory,
		       const struct sim_stream_access *access, uint32_t place, uint32_t number,
		       struct sim_fact *fact)
{
	uint64_t bytes = sim_commit_bytes(facts->program->params);
	unsigned s = number % SIM_STORES;

	enter_store(facts, access, number);
	if ((access->address ^ facts->last_store) & ~(uint64_t)(TAKT_LINE_BYTES - 1))
		fact->flags |= SIM_FACT_OTHER_LINE;
	if (!((access->address ^ facts->last_store) & ~(bytes - 1)))
		fact->flags |= SIM_FACT_SAME_PIECE;
	facts->last_store = access->address;
	note_split_store(facts, memory, access, fact);
	if (access->extra_cycles > fact->store_cycles)
		fact->store_cycles = access->extra_cycles;
	if (!memory->load)
		note_line(facts, access, fact);
	facts->stores[s].item = facts->item_count;
	facts->stores[s].registers = memory->address_registers;
	facts->stores[s].base = memory->renamed_base;
	facts->stores[s].bytes = memory->bytes;
	facts->stores[s].address = access->address;
	facts->stores[s].place = place;
	if (memory->renamed_base)
		sim_renaming_store(&facts->renaming, place, number);
}

/*
 * Return the `nth` operand that loads, or stores; the last one if there are fewer, `memory_count`
 * if there is none.
 */
static unsigned operand_of(const struct sim_memory *memories, unsigned memory_count, bool store,
			   unsigned nth)
{
	unsigned found = memory_count;

	for (unsigned m = 0; m < memory_count; m++) {
		if (!(store ? memories[m].store : memories[m].load))
			continue;
		found = m;
		if (!nth--)
			break;
	}
	return found;
}

void sim_facts_write(struct sim_facts *facts, const struct sim_insn *insn)
{
	const struct sim_result *result = facts->program->results + insn->results;

	for (const struct sim_result *end = result + insn->result_count; result < end; result++)
		if (takt_location_is_gpr(result->part))
			facts->written[result->part - TAKT_LOC_GPR] = facts->item_count;
}

void sim_facts_find(struct sim_facts *facts, const struct sim_insn *insn,
		    const struct sim_stream_access *accesses, uint32_t access_count,
		    const struct sim_stream_prefetch *prefetches, struct sim_dynamic *dynamic)
{
	const struct sim_memory *memories = facts->program->memories + insn->memories;
	unsigned loads = 0, stores = 0;

	memset(dynamic->facts, 0, sizeof(dynamic->facts));
	facts->item_count++;
	dynamic->first_store = facts->store_count;
	facts->store_count += insn->store_count;
	for (uint32_t a = 0; a < access_count; a++) {
		struct sim_stream_access made = accesses[a], *access = &made;
		unsigned m = operand_of(memories, insn->memory_count, access->store,
					access->store ? stores++ : loads++);
		uint32_t place = sim_renaming_place(dynamic->address, m);

		if (access->prefetches)
			prefetches += access->prefetches;
		if (m == insn->memory_count)
			continue;
		/* Emulators read a whole register for some scalars. */
		if (memories[m].bytes && made.size_bytes > memories[m].bytes)
			made.size_bytes = memories[m].bytes;
		if (access->store)
			note_store(facts, &memories[m], access, place,
				   dynamic->first_store + memories[m].store_index,
				   &dynamic->facts[m]);
		else
			note_load(facts, &memories[m], access, place, &dynamic->facts[m]);
		if (access->prefetches)
			note_prefetches(facts, prefetches - access->prefetches, access->prefetches,
					&dynamic->facts[m]);
	}
}
