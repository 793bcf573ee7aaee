/* SPDX-License-Identifier: MIT */
/*
 * The place of accesses in their cache lines, and the stores that go to the line of the store
 * before them: addresses are symbol and offset, followed through moves and additions of constants.
 * The place of a pointer in its line is known if its value at entry is. Otherwise it is taken to be
 * the middle by default, so that what lies close around it is in one line.
 */
#include <string.h>

#include "sim/block/block.h"

#define LINE_MIDDLE 32u

struct address {
	uint32_t base, index; /* symbols; 0: none */
	uint8_t scale;
	bool pushed;
	int64_t offset;
	const struct sim_memory *store;
};

struct tracker {
	struct {
		uint32_t symbol;
		int64_t offset;
	} registers[TAKT_LOC_COUNT];
	uint32_t symbol_count, first_count; /* all symbols; those of the registers at the start */
	/* By symbol of a register at the start: bytes by which a copy of the block moves it. */
	int64_t steps[TAKT_LOC_HIGH8];
	int64_t begins[TAKT_LOC_HIGH8]; /* by such a symbol: the register's offset at entry */
	bool placed[TAKT_LOC_HIGH8]; /* by such a symbol: the register's value at entry is known */
	struct address last;
	uint32_t pointer_offset_bytes;
};

static void set_new(struct tracker *tracker, uint8_t location)
{
	tracker->registers[location].symbol = ++tracker->symbol_count;
	tracker->registers[location].offset = 0;
}

static void step(struct tracker *tracker, const struct takt_insn *insn)
{
	struct takt_affine affine;

	if (takt_insn_is_affine(insn, &affine)) {
		tracker->registers[affine.destination] = tracker->registers[affine.source];
		tracker->registers[affine.destination].offset += affine.addend;
		return;
	}
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (!(access->flags & TAKT_WRITE) || !takt_location_is_gpr(access->location))
			continue;
		if (access->flags & TAKT_STACK_ENGINE)
			tracker->registers[access->location].offset += insn->rsp_delta;
		else
			set_new(tracker, access->location);
	}
}

static struct address address_of(const struct tracker *tracker, const struct takt_memory *memory)
{
	struct address address = {.scale = memory->scale,
				  .pushed = memory->slot == TAKT_SLOT_STACK,
				  .offset = memory->displacement};

	if (takt_location_is_gpr(memory->base)) {
		address.base = tracker->registers[memory->base].symbol;
		address.offset +=
			tracker->registers[memory->base].offset + tracker->pointer_offset_bytes;
	}
	if (takt_location_is_gpr(memory->index)) {
		address.index = tracker->registers[memory->index].symbol;
		address.offset += tracker->registers[memory->index].offset * memory->scale;
	}
	return address;
}

/*
 * True if two stores go to the same aligned piece of `bytes` bytes. Pushes advance with each copy:
 * few of them change the piece, which is left out. So are the strides of a store that is the only
 * one.
 */
static bool is_same_piece(const struct address *left, const struct address *right, uint32_t bytes)
{
	if (left->store == right->store)
		return true;
	return left->base == right->base && left->index == right->index &&
	       left->scale == right->scale &&
	       ((left->pushed && right->pushed) ||
		((left->offset ^ right->offset) & ~((int64_t)bytes - 1)) == 0);
}

/*
 * True if the address is a register as it was at the start, plus a constant: the lines of two such
 * addresses can be compared.
 */
static bool is_settled(const struct tracker *tracker, const struct address *address)
{
	return address->base && address->base <= tracker->first_count && !address->index;
}

uint32_t sim_commit_bytes(const struct takt_core_params *params)
{
	uint32_t bytes = TAKT_LINE_BYTES;

	while (bytes > 1 && bytes > (uint32_t)params->store_commit_bytes)
		bytes /= 2;
	return bytes;
}

uint32_t sim_bank_bytes(const struct takt_core_params *params)
{
	uint32_t bytes = TAKT_LINE_BYTES / SIM_BANK_SPLIT;

	while (bytes < TAKT_LINE_BYTES && bytes < (uint32_t)params->bank_bytes)
		bytes *= 2;
	return bytes;
}

/*
 * Return the banks of a line that an access touches, if its address has a pointer. An index is
 * taken to move it by whole lines, as loads with the same index conflict by their constants alone.
 */
static uint32_t banks_of(const struct address *address, uint8_t size_bytes, uint32_t bank_bytes)
{
	uint32_t banks = 0;

	if (!address->base)
		return 0;
	for (unsigned byte = 0; byte < size_bytes && byte < TAKT_LINE_BYTES; byte++)
		banks |= 1u << ((uint64_t)address->offset + byte) % TAKT_LINE_BYTES / bank_bytes;
	return banks;
}

/*
 * True if every copy of the access goes to two aligned pieces: its address is a
 * pointer and a constant, and the block does not move it to another place in its piece.
 */
static bool crosses(const struct tracker *tracker, const struct address *address,
		    uint32_t piece_bytes, uint8_t size_bytes)
{
	if (!address->base || address->index || address->pushed)
		return false;
	if (address->base <= tracker->first_count &&
	    tracker->steps[address->base] % (int64_t)piece_bytes)
		return false;
	return sim_crosses(piece_bytes, (uint64_t)address->offset, size_bytes);
}

/* Note what the store has in common with the one before it, and that it is the last one now. */
static void note_store(struct tracker *tracker, const struct takt_core_params *params,
		       struct sim_memory *memory, struct address *address)
{
	uint32_t bytes = sim_commit_bytes(params);
	bool alone = tracker->last.store == memory;

	address->store = memory;
	memory->split_store =
		params->store_commit_collects && crosses(tracker, address, bytes, memory->bytes);
	memory->same_piece =
		is_same_piece(&tracker->last, address, bytes) && !(alone && memory->split_store);
	memory->other_line = !is_same_piece(&tracker->last, address, TAKT_LINE_BYTES) &&
			     is_settled(tracker, &tracker->last) && is_settled(tracker, address);
	tracker->last = *address;
	if (memory->split_store)
		tracker->last.offset += memory->bytes - 1; /* the piece that it goes to last */
}

/* Note what it costs that the access goes to two lines. */
static void note_split(const struct takt_core_params *params, struct sim_memory *memory)
{
	memory->split_load = memory->load && params->split_load_cycles;
	if (memory->split_load && params->loads_per_bank && params->split_load_accesses == 1)
		memory->banks |= (uint32_t)1 << SIM_BANK_SPLIT;
	if (!memory->store || !sim_splits_cost(params) || params->store_commit_collects)
		return;
	memory->split_store = true;
	memory->same_piece = false;
	memory->other_line = true;
}

/* Note at the end of a copy by how much it moved each register, if that is known. */
static void note_steps(struct tracker *tracker)
{
	for (unsigned location = TAKT_LOC_GPR; location < TAKT_LOC_HIGH8; location++) {
		uint32_t symbol = location - TAKT_LOC_GPR + 1;

		if (tracker->registers[location].symbol == symbol)
			tracker->steps[symbol] =
				tracker->registers[location].offset - tracker->begins[symbol];
	}
}

/* Begin with the places of pointers whose values at entry are known. */
static void place_registers(struct tracker *tracker, const struct sim_block *source)
{
	for (uint32_t i = 0; i < source->entry_value_count; i++) {
		const struct takt_entry_value *entry = &source->entry_values[i];
		uint32_t symbol = entry->location - TAKT_LOC_GPR + 1u;

		if (!takt_location_is_gpr(entry->location) || entry->location >= TAKT_LOC_HIGH8)
			continue;
		tracker->begins[symbol] = (int64_t)(entry->value % TAKT_LINE_BYTES) -
					  (int64_t)tracker->pointer_offset_bytes;
		tracker->registers[entry->location].offset = tracker->begins[symbol];
		tracker->placed[symbol] = true;
	}
}

/* True if the place of the address in its line is known. */
static bool is_placed(const struct tracker *tracker, const struct address *address)
{
	return address->base && address->base <= tracker->first_count &&
	       tracker->placed[address->base];
}

/*
 * The block is gone through twice, so that the store before its first one is the last of the copy
 * before.
 */
void sim_lines_find(const struct sim_block *source, uint32_t pointer_shift_bytes,
		    const struct takt_core_params *params, const struct sim_insn *insns,
		    uint32_t insn_count, struct sim_memory *memories)
{
	uint32_t bank_bytes = sim_bank_bytes(params);
	struct tracker tracker = {.pointer_offset_bytes = LINE_MIDDLE + pointer_shift_bytes};
	bool all_placed = pointer_shift_bytes; /* the default stands for any place in a line */

	for (unsigned location = TAKT_LOC_GPR; location < TAKT_LOC_HIGH8; location++)
		set_new(&tracker, (uint8_t)location);
	tracker.first_count = tracker.symbol_count;
	place_registers(&tracker, source);
	for (uint32_t i = 0; i < 2 * insn_count; i++) {
		const struct sim_insn *made = &insns[i % insn_count];
		const struct takt_insn *insn = &source->block->insns[made->insn];

		for (unsigned m = 0; m < made->memory_count; m++) {
			struct sim_memory *memory = &memories[made->memories + m];
			struct address address = address_of(&tracker, &insn->memories[m]);

			memory->split_load = false;
			if (memory->load)
				memory->banks = banks_of(&address, memory->bytes, bank_bytes);
			if (memory->store)
				note_store(&tracker, params, memory, &address);
			if ((all_placed || is_placed(&tracker, &address)) &&
			    crosses(&tracker, &address, TAKT_LINE_BYTES, memory->bytes))
				note_split(params, memory);
		}
		step(&tracker, insn);
		if (i + 1 == insn_count)
			note_steps(&tracker);
	}
}
