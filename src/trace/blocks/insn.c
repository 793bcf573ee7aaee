/* SPDX-License-Identifier: MIT */
/* Control flow and memory accesses of single instructions, from which the sequencer makes executed
 * blocks. */
#include <elf.h>

#include "trace/blocks/insn.h"

/* ---- RISC-V: base formats, which need no decoder module ---- */

/*
 * Collect the scattered bits of a branch offset. `places` holds `count` numbers, in pairs: a bit
 * of the instruction and the bit of the offset that it holds.
 */
static int32_t riscv_offset(uint32_t word, const uint8_t *places, unsigned count)
{
	int32_t offset = 0;

	for (unsigned i = 0; i < count; i += 2)
		offset |= (int32_t)(word >> places[i] & 1) << places[i + 1];
	return offset;
}

static int32_t sign_extend(int32_t value, unsigned bits)
{
	int32_t sign = 1 << (bits - 1);

	return (value ^ sign) - sign;
}

/* Pairs for riscv_offset(): bit in the instruction, bit in the offset. */
static const uint8_t branch_bits[] = {31, 12, 30, 10, 29, 9, 28, 8, 27, 7, 26, 6,
				      25, 5,  11, 4,  10, 3, 9,	 2, 8,	1, 7,  11};
static const uint8_t jal_bits[] = {31, 20, 30, 10, 29, 9,  28, 8,  27, 7,  26, 6,  25, 5,
				   24, 4,  23, 3,  22, 2,  21, 1,  20, 11, 19, 19, 18, 18,
				   17, 17, 16, 16, 15, 15, 14, 14, 13, 13, 12, 12};
static const uint8_t short_branch_bits[] = {12, 8, 11, 4, 10, 3, 6, 7, 5, 6, 4, 2, 3, 1, 2, 5};
static const uint8_t short_jump_bits[] = {12, 11, 11, 4, 10, 9, 9, 8, 8, 10, 7,
					  6,  6,  7,  5, 3,  4, 2, 3, 1, 2,  5};

/* True if the calling convention uses a register for return addresses: ra or t0. */
static bool is_link(uint32_t number)
{
	return (number & 31) == 1 || (number & 31) == 5;
}

static enum trace_flow riscv_flow_short(uint32_t word, int32_t *ret_offset)
{
	unsigned operation = (word & 3) << 3 | (word >> 13 & 7);

	switch (operation) {
	case 1 << 3 | 5: /* c.j */
		*ret_offset = sign_extend(
			riscv_offset(word, short_jump_bits, sizeof(short_jump_bits)), 12);
		return TRACE_FLOW_JUMP;
	case 1 << 3 | 6: /* c.beqz */
	case 1 << 3 | 7: /* c.bnez */
		*ret_offset = sign_extend(
			riscv_offset(word, short_branch_bits, sizeof(short_branch_bits)), 9);
		return TRACE_FLOW_BRANCH;
	case 2 << 3 | 4: /* c.jr and c.jalr, if there is a register but no second one */
		if ((word >> 7 & 31) == 0 || (word >> 2 & 31) != 0)
			return TRACE_FLOW_NEXT;
		if (word >> 12 & 1)
			return TRACE_FLOW_INDIRECT_CALL;
		return is_link(word >> 7) ? TRACE_FLOW_RETURN : TRACE_FLOW_INDIRECT;
	default:
		return TRACE_FLOW_NEXT;
	}
}

static enum trace_flow riscv_flow(const uint8_t *bytes, size_t size_bytes, int32_t *ret_offset)
{
	uint32_t word;

	if (size_bytes == 2)
		return riscv_flow_short(bytes[0] | (uint32_t)bytes[1] << 8, ret_offset);
	if (size_bytes != 4)
		return TRACE_FLOW_NEXT;
	word = takt_word_at(bytes);
	switch (word & 127) {
	case 0x63:
		*ret_offset = sign_extend(riscv_offset(word, branch_bits, sizeof(branch_bits)), 13);
		return TRACE_FLOW_BRANCH;
	case 0x6f:
		*ret_offset = sign_extend(riscv_offset(word, jal_bits, sizeof(jal_bits)), 21);
		return is_link(word >> 7) ? TRACE_FLOW_CALL : TRACE_FLOW_JUMP;
	case 0x67:
		if (is_link(word >> 7))
			return TRACE_FLOW_INDIRECT_CALL;
		return is_link(word >> 15) ? TRACE_FLOW_RETURN : TRACE_FLOW_INDIRECT;
	default:
		return TRACE_FLOW_NEXT;
	}
}

static bool riscv_accesses(const uint8_t *bytes, size_t size_bytes, bool certainly)
{
	if (size_bytes == 2) {
		/* All operations of quadrants 0 and 2 but 0 and 4 access memory. */
		unsigned operation = bytes[1] >> 5;

		return (bytes[0] & 1) == 0 && operation % 4 != 0;
	}
	switch (bytes[0] & 127) {
	case 0x03: /* integer loads, stores */
	case 0x23:
		return true;
	case 0x07: /* loads and stores of floating point, or vectors */
	case 0x27:
	case 0x2f: /* atomic; a conditional store may not take place */
		return !certainly;
	default:
		return false;
	}
}

/* ---- AArch64 ---- */

static bool aarch64_accesses(uint32_t word, bool certainly)
{
	static const struct {
		uint32_t mask, bits;
		bool sometimes; /* true: it may access memory; false: it never does */
	} exceptions[] = {
		{0xffc00000, 0xf9800000, false}, /* prfm */
		{0xffe00c00, 0xf8a00800, false},
		{0xffe00c00, 0xf8800000, false},
		{0xff000000, 0xd8000000, false},
		{0x3f000000, 0x08000000, true}, /* exclusive: the store may not take place */
		{0xff200000, 0xd9200000, true}, /* loads and stores of memory tags */
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(exceptions); i++)
		if ((word & exceptions[i].mask) == exceptions[i].bits)
			return exceptions[i].sometimes && !certainly;
	if ((word & 0xfe000000) == 0x84000000 || (word & 0xfe000000) == 0xa4000000 ||
	    (word & 0xfe000000) == 0xc4000000 || (word & 0xfe000000) == 0xe4000000)
		return !certainly; /* SVE: qemu does not report all accesses */
	return (word & 0x0a000000) == 0x08000000;
}

/* ---- x86 ---- */

static bool x86_accesses(const uint8_t *bytes, size_t size_bytes, uint64_t address, bool certainly)
{
	enum takt_operation operation;
	struct takt_insn insn;
	struct takt_insn_flow executed;

	if (takt_decode(&takt_isa_x86, bytes, size_bytes, address, &insn) != TAKT_OK ||
	    !takt_insn_flow_decode(&takt_isa_x86, bytes, size_bytes, &executed))
		return false;
	operation = takt_insn_operation(&insn);
	/* Calls, returns and jumps through memory certainly access it, as integer code does. */
	if (certainly && executed.flow == TAKT_FLOW_NEXT &&
	    (operation == TAKT_OPERATION_UNKNOWN || operation == TAKT_OPERATION_STRING))
		return false;
	for (uint32_t i = 0; i < insn.memory_count; i++)
		if ((insn.memories[i].read || insn.memories[i].write) &&
		    !insn.memories[i].address_only && insn.memories[i].size_bytes > 0)
			return true;
	return false;
}

/*
 * True if an instruction without a direct target is a return, not a jump. Prefixes, as of
 * "rep ret", and REX are skipped.
 */
static bool x86_returns(const uint8_t *bytes, size_t size_bytes)
{
	size_t at = 0;

	while (at < size_bytes && (bytes[at] == 0xf2 || bytes[at] == 0xf3 || bytes[at] == 0x66 ||
				   bytes[at] == 0x3e || bytes[at] >> 4 == 4))
		at++;
	return at < size_bytes &&
	       (bytes[at] == 0xc3 || bytes[at] == 0xc2 || bytes[at] == 0xcb || bytes[at] == 0xca);
}

/* True for ret, retaa, retab, and for retaasppc, retabsppc with a distance or a register. */
static bool aarch64_returns(uint32_t word)
{
	return (word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffbe0) == 0xd65f0be0 ||
	       (word & 0xffc0001f) == 0x5500001f;
}

/* ---- all ---- */

static bool returns(const struct trace_guest *guest, const uint8_t *bytes, size_t size_bytes)
{
	if (guest->machine == EM_X86_64)
		return x86_returns(bytes, size_bytes);
	return size_bytes == 4 && aarch64_returns(takt_word_at(bytes));
}

bool trace_insn_accesses(const struct trace_guest *guest, const uint8_t *bytes, size_t size_bytes,
			 uint64_t address, bool certainly)
{
	switch (guest->machine) {
	case EM_X86_64:
		return x86_accesses(bytes, size_bytes, address, certainly);
	case EM_AARCH64:
		return size_bytes == 4 && aarch64_accesses(takt_word_at(bytes), certainly);
	default:
		return (size_bytes == 2 || size_bytes == 4) &&
		       riscv_accesses(bytes, size_bytes, certainly);
	}
}

enum trace_flow trace_insn_flow(const struct trace_guest *guest, const uint8_t *bytes,
				size_t size_bytes, uint64_t address, uint64_t *ret_target)
{
	const struct takt_isa *isa = takt_trace_guest_isa(guest);
	struct takt_insn_flow executed;
	int32_t offset = 0;

	if (!isa) {
		enum trace_flow flow = riscv_flow(bytes, size_bytes, &offset);

		*ret_target = address + (uint64_t)(int64_t)offset;
		return flow;
	}
	if (!takt_insn_flow_decode(isa, bytes, size_bytes, &executed))
		return TRACE_FLOW_NEXT;
	*ret_target = address + size_bytes + (uint64_t)(int64_t)executed.target;
	switch ((enum takt_flow)executed.flow) {
	case TAKT_FLOW_NEXT:
		break;
	case TAKT_FLOW_CALL: /* calls through registers have no known target */
		return executed.target ? TRACE_FLOW_CALL : TRACE_FLOW_INDIRECT_CALL;
	case TAKT_FLOW_BRANCH:
		return TRACE_FLOW_BRANCH;
	case TAKT_FLOW_JUMP:
		return TRACE_FLOW_JUMP;
	case TAKT_FLOW_STOP:
		return returns(guest, bytes, size_bytes) ? TRACE_FLOW_RETURN : TRACE_FLOW_INDIRECT;
	}
	return TRACE_FLOW_NEXT;
}
