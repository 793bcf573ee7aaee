/* SPDX-License-Identifier: MIT */
/* Loads and stores of AArch64: sources and destinations, and writeback of the base register. */
#include "isa/aarch64_operation.h"

static struct takt_operand memory(unsigned index, unsigned size_bytes, unsigned modifiers)
{
	return (struct takt_operand){.type = TAKT_OPERAND_MEMORY,
				     .memory = (uint8_t)index,
				     .size_bytes = (uint8_t)size_bytes,
				     .modifiers = (uint8_t)modifiers};
}

static void set_writeback(uint32_t word, int64_t writeback_bytes,
			  struct takt_aarch64_meaning *meaning)
{
	meaning->addressing.writeback_base = (uint8_t)(TAKT_LOC_GPR + takt_bits(word, 5, 5));
	meaning->addressing.writeback_bytes = writeback_bytes;
}

/* Set the operation to register := memory. */
static void set_load(uint32_t word, unsigned register_bytes, unsigned memory_bytes,
		     unsigned modifiers, struct takt_aarch64_meaning *meaning)
{
	meaning->operation = TAKT_OPERATION_MOVE;
	meaning->operands[0] = takt_result(takt_bits(word, 0, 5), register_bytes);
	meaning->operands[1] = memory(0, memory_bytes, modifiers);
	meaning->memory_count = 1;
}

static void set_store(uint32_t word, unsigned size_bytes, struct takt_aarch64_meaning *meaning)
{
	meaning->operation = TAKT_OPERATION_MOVE;
	meaning->operands[0] = memory(0, size_bytes, 0);
	meaning->operands[1] = takt_general(takt_bits(word, 0, 5), size_bytes);
	meaning->memory_count = 1;
}

/* Read the field `opc`: 0 store, 1 load, 2 load signed into x, 3 load signed into w. */
static void set_access(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	unsigned opc = takt_bits(word, 22, 2), size_bytes = 1u << takt_bits(word, 30, 2);

	if (takt_bits(word, 26, 1))
		return;
	if (!opc)
		set_store(word, size_bytes, meaning);
	else if (opc == 1)
		set_load(word, size_bytes == 8 ? 8 : 4, size_bytes, 0, meaning);
	else if (size_bytes < (opc == 2 ? 8u : 4u)) /* otherwise a prefetch */
		set_load(word, opc == 2 ? 8 : 4, size_bytes, TAKT_MODIFIER_SIGNED, meaning);
}

/* Read the index: a w register is extended. */
static void set_index(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	unsigned option = takt_bits(word, 13, 3);

	meaning->addressing.index_size_bytes = option & 1 ? 8 : 4;
	meaning->addressing.index_signed = option & 4;
}

static void read_single(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	if (takt_bits(word, 24, 1)) { /* base + unsigned immediate */
		set_access(word, meaning);
	} else if (!takt_bits(word, 21, 1)) { /* unscaled; bits 11 … 10: post- or pre-indexed */
		set_access(word, meaning);
		if (takt_bits(word, 10, 1))
			set_writeback(word, takt_signed_bits(word, 12, 9), meaning);
	} else if (takt_bits(word, 10, 2) == 2) {
		set_access(word, meaning);
		set_index(word, meaning);
	} else if ((word & 0x3ffffc00) == 0x38bfc000) { /* ldapr */
		set_load(word, word >> 30 == 3 ? 8 : 4, 1u << (word >> 30), 0, meaning);
	}
}

/* Read exclusive and ordered accesses. A store that may fail is not known to have stored. */
static void read_ordered(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	unsigned size_bytes = 1u << takt_bits(word, 30, 2);

	if (takt_bits(word, 21, 1))
		return;
	if (takt_bits(word, 22, 1))
		set_load(word, size_bytes == 8 ? 8 : 4, size_bytes, 0, meaning);
	else if (takt_bits(word, 23, 1))
		set_store(word, size_bytes, meaning);
}

static void read_literal(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	static const uint8_t register_bytes[] = {4, 8, 8, 0}, memory_bytes[] = {4, 8, 4, 0};
	unsigned opc = takt_bits(word, 30, 2);

	if (!takt_bits(word, 26, 1) && opc != 3)
		set_load(word, register_bytes[opc], memory_bytes[opc],
			 opc == 2 ? TAKT_MODIFIER_SIGNED : 0, meaning);
}

static void read_pair(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	bool is_vector = takt_bits(word, 26, 1), loads = takt_bits(word, 22, 1);
	unsigned opc = takt_bits(word, 30, 2);
	unsigned size_bytes = is_vector ? 4u << opc : opc == 2 ? 8 : 4;
	unsigned modifiers = opc == 1 ? TAKT_MODIFIER_SIGNED : 0;
	unsigned rt = takt_bits(word, 0, 5), rt2 = takt_bits(word, 10, 5);

	if (opc == 3 || (!is_vector && opc == 1 && !loads)) /* stgp */
		return;
	if (takt_bits(word, 23, 1))
		set_writeback(word, takt_signed_bits(word, 15, 7) * (int64_t)size_bytes, meaning);
	if (is_vector)
		return;
	meaning->operation = TAKT_OPERATION_MOVE_PAIR;
	meaning->memory_count = 2;
	for (unsigned i = 0; i < 2; i++) {
		unsigned number = i ? rt2 : rt;

		meaning->operands[i] =
			loads ? takt_result(number, opc ? 8 : 4) : memory(i, size_bytes, 0);
		meaning->operands[2 + i] =
			loads ? memory(i, size_bytes, modifiers) : takt_general(number, size_bytes);
	}
}

/* Read ld1 … st4: writeback adds the bytes transferred, or a register, which is not modelled. */
static void read_structures(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	static const uint8_t registers[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
	unsigned opcode = takt_bits(word, 12, 4), bytes;

	if (!takt_bits(word, 23, 1) || takt_bits(word, 16, 5) != 31)
		return;
	if (!takt_bits(word, 24, 1)) {
		bytes = registers[opcode] * (takt_bits(word, 30, 1) ? 16u : 8u);
	} else { /* one element of each register */
		unsigned scale = opcode >> 2, size = takt_bits(word, 10, 2);

		bytes = 1u << (scale == 3 ? size : scale + (scale == 2 && size & 1));
		bytes *= ((opcode >> 1 & 1) << 1 | takt_bits(word, 21, 1)) + 1;
	}
	set_writeback(word, bytes, meaning);
}

void takt_aarch64_read_access(uint32_t word, struct takt_aarch64_meaning *meaning)
{
	if ((word & 0x3a000000) == 0x38000000)
		read_single(word, meaning);
	else if ((word & 0x3a000000) == 0x28000000)
		read_pair(word, meaning);
	else if ((word & 0x3b000000) == 0x18000000)
		read_literal(word, meaning);
	else if ((word & 0x3f200c00) == 0x19000000) /* stlur, ldapur */
		set_access(word, meaning);
	else if ((word & 0x3f000000) == 0x08000000)
		read_ordered(word, meaning);
	else if ((word & 0xbe000000) == 0x0c000000)
		read_structures(word, meaning);
}
