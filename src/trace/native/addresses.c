/* SPDX-License-Identifier: MIT */
/* Computes the addresses of an instruction's accesses from the registers before it. */
#include <cpuid.h>
#include <string.h>

#include "trace/native/operands.h"

#define PIECE_BYTES 64u
#define RSI (TAKT_LOC_GPR + 6)
#define RDI (TAKT_LOC_GPR + 7)

/* Components of the processor's state, as XSAVE numbers them. */
enum state_component {
	STATE_AVX = 2,
	STATE_MASKS = 5,
	STATE_ZMM_HIGH = 6,
	STATE_ZMM_16 = 7,
	STATE_TILE_CONFIG = 17
};

#define STATE_XMM 160u	  /* offset of xmm0 in the legacy part */
#define STATE_HEADER 512u /* offset of the header: its first word has a bit per component */

/* List of the accesses of an instruction. */
struct list {
	struct native_access *accesses;
	uint32_t count;
};

/* ---- registers ---- */

/* Return where a component is stored without compaction, or NULL. */
static const uint8_t *component(const struct native_registers *registers,
				enum state_component number, size_t size_bytes)
{
	unsigned size, offset, ecx, edx;
	uint64_t present;

	if (registers->state_bytes < STATE_HEADER + sizeof(present))
		return NULL;
	memcpy(&present, registers->state + STATE_HEADER, sizeof(present));
	if (!(present >> number & 1) ||
	    !__get_cpuid_count(13, number, &size, &offset, &ecx, &edx) || size < size_bytes ||
	    offset > registers->state_bytes || registers->state_bytes - offset < size_bytes)
		return NULL;
	return registers->state + offset;
}

static uint64_t mask_register(const struct native_registers *registers, unsigned location)
{
	const uint8_t *masks = component(registers, STATE_MASKS, 64);
	uint64_t mask = 0;

	if (masks)
		memcpy(&mask, masks + (size_t)8 * ((location - TAKT_LOC_MASK) % 8), sizeof(mask));
	return mask;
}

/* Copy a vector register into 64 bytes; parts in their initial state are zero. */
static void vector_register(const struct native_registers *registers, unsigned location,
			    uint8_t *ret_bytes)
{
	unsigned number = (location - TAKT_LOC_VECTOR) % 32;
	const uint8_t *part;

	memset(ret_bytes, 0, 64);
	if (number >= 16) {
		part = component(registers, STATE_ZMM_16, 1024);
		if (part)
			memcpy(ret_bytes, part + (size_t)64 * (number - 16), 64);
		return;
	}
	if (registers->state_bytes >= STATE_HEADER)
		memcpy(ret_bytes, registers->state + STATE_XMM + (size_t)16 * number, 16);
	part = component(registers, STATE_AVX, 256);
	if (part)
		memcpy(ret_bytes + 16, part + (size_t)16 * number, 16);
	part = component(registers, STATE_ZMM_HIGH, 512);
	if (part)
		memcpy(ret_bytes + 32, part + (size_t)32 * number, 32);
}

static uint64_t general(const struct native_registers *registers, unsigned location)
{
	return takt_location_is_gpr(location) ? registers->general[(location - TAKT_LOC_GPR) % 16]
					      : 0;
}

static int64_t element_of(const uint8_t *vector, unsigned index, unsigned size_bytes)
{
	int64_t wide;
	int32_t narrow;

	if (size_bytes == 8) {
		memcpy(&wide, vector + (size_t)8 * (index % 8), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, vector + (size_t)4 * (index % 16), sizeof(narrow));
	return narrow;
}

/* Return bits whose elements are negative in a vector. */
static uint64_t sign_mask(const struct native_registers *registers, const struct native_insn *insn)
{
	uint8_t vector[64];
	uint64_t mask = 0;

	vector_register(registers, insn->mask, vector);
	for (unsigned i = 0; i < insn->element_count; i++)
		mask |= (uint64_t)(element_of(vector, i, insn->element_bytes) < 0) << i;
	return mask;
}

/* ---- addresses ---- */

static uint64_t cut(const struct native_memory *memory, uint64_t address)
{
	return memory->address_size_bytes == 4 ? (uint32_t)address : address;
}

static uint64_t segment_base(const struct native_memory *memory,
			     const struct native_registers *registers)
{
	return memory->segment == 'f' ? registers->fs : memory->segment == 'g' ? registers->gs : 0;
}

/* Return the address of an operand whose index has this value. */
static uint64_t indexed(const struct native_memory *memory,
			const struct native_registers *registers, uint64_t index)
{
	uint64_t address = (uint64_t)memory->displacement + general(registers, memory->base) +
			   index * memory->scale;

	return segment_base(memory, registers) + cut(memory, address);
}

static uint64_t address_of(const struct native_insn *insn, const struct native_memory *memory,
			   const struct native_registers *registers)
{
	uint64_t index = general(registers, memory->index);

	/* The element of an instruction that has no mask is the index of xlat. */
	if (insn->addressing == NATIVE_WHOLE && insn->element_bytes == 1)
		index &= 0xff;
	return indexed(memory, registers, index);
}

/* ---- accesses ---- */

static void add(struct list *list, uint64_t address, uint64_t size_bytes, bool store)
{
	while (size_bytes && list->count < NATIVE_ACCESSES_MAX) {
		uint32_t piece = size_bytes < PIECE_BYTES ? (uint32_t)size_bytes : PIECE_BYTES;

		list->accesses[list->count++] = (struct native_access){address, piece, store};
		address += piece;
		size_bytes -= piece;
	}
}

static void add_range(struct list *list, uint64_t address, const struct native_insn *insn,
		      uint64_t mask, bool store)
{
	unsigned first, last;

	if (!mask)
		return;
	first = (unsigned)__builtin_ctzll(mask);
	last = 63 - (unsigned)__builtin_clzll(mask);
	add(list, address + (uint64_t)first * insn->element_bytes,
	    (uint64_t)(last - first + 1) * insn->element_bytes, store);
}

static uint64_t mask_of(const struct native_insn *insn, const struct native_registers *registers)
{
	uint64_t mask = insn->addressing == NATIVE_SIGNS || insn->addressing == NATIVE_ELEMENTS2
				? sign_mask(registers, insn)
				: mask_register(registers, insn->mask);

	return insn->element_count < 64 ? mask & (((uint64_t)1 << insn->element_count) - 1) : mask;
}

static void add_elements(struct list *list, const struct native_insn *insn,
			 const struct native_registers *registers, bool store)
{
	const struct native_memory *memory = &insn->memories[0];
	uint64_t mask = mask_of(insn, registers);
	uint8_t indices[64];

	vector_register(registers, memory->index, indices);
	for (unsigned i = 0; i < insn->element_count; i++)
		if (mask >> i & 1)
			add(list,
			    indexed(memory, registers,
				    (uint64_t)element_of(indices, i, insn->index_bytes)),
			    insn->element_bytes, store);
}

/* The tile configuration has a row's bytes for each tile, and then the number of its rows. */
static void add_rows(struct list *list, const struct native_insn *insn,
		     const struct native_registers *registers, bool store)
{
	const struct native_memory *memory = &insn->memories[0];
	const uint8_t *config = component(registers, STATE_TILE_CONFIG, 64);
	unsigned tile = (insn->mask - TAKT_LOC_TILE) % 8u;
	uint64_t stride = general(registers, memory->index) * memory->scale;
	uint64_t row = segment_base(memory, registers) + (uint64_t)memory->displacement +
		       general(registers, memory->base);
	uint16_t row_bytes;

	if (!config)
		return;
	memcpy(&row_bytes, config + 16 + (size_t)2 * tile, sizeof(row_bytes));
	for (unsigned i = 0; i < config[48 + tile]; i++, row += stride)
		add(list, row, row_bytes < PIECE_BYTES ? row_bytes : PIECE_BYTES, store);
}

static void add_bit(struct list *list, const struct native_insn *insn,
		    const struct native_registers *registers, bool store)
{
	const struct native_memory *memory = &insn->memories[0];
	int64_t bit = (int64_t)general(registers, insn->mask);

	if (insn->element_bytes == 4)
		bit = (int32_t)bit;
	if (insn->element_bytes == 2)
		bit = (int16_t)bit;
	/* The shift of a negative number rounds down, as the processor does. */
	add(list,
	    address_of(insn, memory, registers) +
		    (uint64_t)((bit >> (insn->element_bytes == 8   ? 6
					: insn->element_bytes == 4 ? 5
								   : 4)) *
			       insn->element_bytes),
	    memory->size_bytes, store);
}

/*
 * xsave and its kin have the legacy part and the header, and what edx:eax names of the rest. That
 * a component may be left out since it is in its initial state is not looked at.
 */
static void add_state(struct list *list, const struct native_insn *insn,
		      const struct native_registers *registers, bool store)
{
	uint64_t wanted = registers->general[0], address;
	uint64_t size = STATE_HEADER + PIECE_BYTES;

	address = address_of(insn, &insn->memories[0], registers);
	size += wanted >> STATE_AVX & 1 ? 256 : 0;
	size += wanted >> STATE_MASKS & 1 ? 64 : 0;
	size += wanted >> STATE_ZMM_HIGH & 1 ? 512 : 0;
	size += wanted >> STATE_ZMM_16 & 1 ? 1024 : 0;
	add(list, address, size, store);
}

static void add_first(struct list *list, const struct native_insn *insn,
		      const struct native_registers *registers, bool store)
{
	const struct native_memory *memory = &insn->memories[0];
	uint64_t address = address_of(insn, memory, registers);

	switch ((enum native_addressing)insn->addressing) {
	case NATIVE_WHOLE:
		add(list, address, memory->size_bytes, store);
		break;
	case NATIVE_MASKED:
		if (mask_of(insn, registers))
			add(list, address, memory->size_bytes, store);
		break;
	case NATIVE_RANGE:
	case NATIVE_SIGNS:
		add_range(list, address, insn, mask_of(insn, registers), store);
		break;
	case NATIVE_PACKED:
		add(list, address,
		    (uint64_t)__builtin_popcountll(mask_of(insn, registers)) * insn->element_bytes,
		    store);
		break;
	case NATIVE_ELEMENTS:
	case NATIVE_ELEMENTS2:
		add_elements(list, insn, registers, store);
		break;
	case NATIVE_TILE:
		add_rows(list, insn, registers, store);
		break;
	case NATIVE_BIT:
		add_bit(list, insn, registers, store);
		break;
	case NATIVE_STATE:
		add_state(list, insn, registers, store);
		break;
	}
}

static void add_direction(struct list *list, const struct native_insn *insn,
			  const struct native_registers *registers, uint64_t element, bool store)
{
	for (unsigned i = 0; i < insn->memory_count; i++) {
		const struct native_memory *memory = &insn->memories[i];
		uint64_t offset = element * memory->size_bytes;

		if (!(store ? memory->write : memory->read))
			continue;
		if (i == 0 && !(insn->flags & NATIVE_REPEATS)) {
			add_first(list, insn, registers, store);
			continue;
		}
		if (memory->base != RSI && memory->base != RDI)
			offset = 0;
		add(list,
		    address_of(insn, memory, registers) + (registers->backwards ? -offset : offset),
		    memory->size_bytes, store);
	}
}

uint32_t native_insn_accesses(const struct native_insn *insn,
			      const struct native_registers *registers, uint64_t element,
			      struct native_access *ret_accesses)
{
	struct list list = {.accesses = ret_accesses};

	add_direction(&list, insn, registers, element, false);
	add_direction(&list, insn, registers, element, true);
	return list.count;
}

uint64_t native_insn_count(const struct native_insn *insn, const struct native_registers *registers)
{
	uint64_t count = registers->general[1];

	return insn->flags & NATIVE_SHORT_COUNT ? (uint32_t)count : count;
}
