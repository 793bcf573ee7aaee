/* SPDX-License-Identifier: MIT */
#include "isa/aarch64_operation.h"

#include <string.h>

#include "isa/aarch64.h"

/*
 * Operations and operands of AArch64 instructions, from their encodings (Arm ARM, section C4.1).
 * Shifts, extensions and the like of sources become modifiers of operands, so that a few
 * operations suffice: ubfx is a right shift of a source shifted left, csneg a selection whose
 * second choice is inverted and incremented.
 */
struct reader {
	uint32_t word;
	uint64_t address;
	unsigned size_bytes, size_bits; /* size of the registers: w or x */
	struct takt_aarch64_meaning *meaning;
};

/* ---- fields that many have --------------------------------------------------------- */

static unsigned rd(const struct reader *reader)
{
	return takt_bits(reader->word, 0, 5);
}

static unsigned rn(const struct reader *reader)
{
	return takt_bits(reader->word, 5, 5);
}

static unsigned rm(const struct reader *reader)
{
	return takt_bits(reader->word, 16, 5);
}

static struct takt_operand source(const struct reader *reader, unsigned number)
{
	return takt_general(number, reader->size_bytes);
}

static void set_sources(const struct reader *reader, enum takt_operation operation,
			struct takt_operand result, struct takt_operand first,
			struct takt_operand second)
{
	reader->meaning->operation = operation;
	reader->meaning->operands[0] = result;
	reader->meaning->operands[1] = first;
	reader->meaning->operands[2] = second;
}

/* Set the meaning to Rd := first operation second. */
static void set(const struct reader *reader, enum takt_operation operation,
		struct takt_operand first, struct takt_operand second)
{
	set_sources(reader, operation, takt_result(rd(reader), reader->size_bytes), first, second);
}

static const struct takt_operand nothing = {.type = TAKT_OPERAND_NONE};

/* Return a shifted register operand; `type` is 0 lsl, 1 lsr, 2 asr, 3 ror. */
static struct takt_operand shifted(const struct reader *reader, unsigned number, unsigned type,
				   unsigned shift_bits)
{
	static const uint8_t modifiers[] = {TAKT_MODIFIER_LEFT, TAKT_MODIFIER_RIGHT,
					    TAKT_MODIFIER_RIGHT | TAKT_MODIFIER_SIGNED,
					    TAKT_MODIFIER_ROTATE};

	return takt_modified(source(reader, number), shift_bits ? modifiers[type] : 0, shift_bits);
}

/* ---- immediates -------------------------------------------------------------------- */

static enum takt_operation sum_operation(uint32_t word)
{
	static const uint8_t operations[] = {TAKT_OPERATION_ADD, TAKT_OPERATION_ADD,
					     TAKT_OPERATION_SUBTRACT,
					     TAKT_OPERATION_SUBTRACT_CARRY};

	return (enum takt_operation)operations[takt_bits(word, 29, 2)];
}

/* Return the result operand: register 31 is zero if flags are set, else the stack pointer. */
static struct takt_operand sum_result(const struct reader *reader, bool flags)
{
	return flags ? takt_result(rd(reader), reader->size_bytes)
		     : takt_general_or_stack(rd(reader), reader->size_bytes);
}

static void read_sum_immediate(const struct reader *reader)
{
	uint32_t word = reader->word;
	int64_t immediate = (int64_t)takt_bits(word, 10, 12) << (takt_bits(word, 22, 1) ? 12 : 0);

	set_sources(reader, sum_operation(word), sum_result(reader, takt_bits(word, 29, 1)),
		    takt_general_or_stack(rn(reader), reader->size_bytes),
		    takt_constant(immediate));
}

/* Decode a rotated and repeated run of ones (DecodeBitMasks); false if the field is invalid. */
static bool read_mask(uint32_t word, unsigned size_bits, uint64_t *ret_mask)
{
	unsigned imms = takt_bits(word, 10, 6), immr = takt_bits(word, 16, 6);
	unsigned kind = takt_bits(word, 22, 1) << 6 | (~imms & 0x3f);
	unsigned part_bits, ones;
	uint64_t mask;

	if (kind < 2)
		return false;
	part_bits = 1u << (31 - __builtin_clz(kind));
	ones = (imms & (part_bits - 1)) + 1;
	immr &= part_bits - 1;
	if (part_bits > size_bits || ones == part_bits)
		return false;
	mask = ((uint64_t)1 << ones) - 1;
	if (immr)
		mask = mask >> immr | mask << (part_bits - immr);
	if (part_bits < 64)
		mask &= ((uint64_t)1 << part_bits) - 1;
	for (; part_bits < 64; part_bits *= 2)
		mask |= mask << part_bits;
	*ret_mask = mask;
	return true;
}

static const uint8_t logic_operations[] = {TAKT_OPERATION_AND, TAKT_OPERATION_OR,
					   TAKT_OPERATION_XOR, TAKT_OPERATION_AND};

static void read_logic_immediate(const struct reader *reader)
{
	unsigned kind = takt_bits(reader->word, 29, 2);
	uint64_t mask;

	if (read_mask(reader->word, reader->size_bits, &mask))
		set_sources(reader, (enum takt_operation)logic_operations[kind],
			    sum_result(reader, kind == 3), source(reader, rn(reader)),
			    takt_constant((int64_t)mask));
}

static void read_wide_move(const struct reader *reader)
{
	unsigned shift_bits = takt_bits(reader->word, 21, 2) * 16;
	uint64_t immediate = (uint64_t)takt_bits(reader->word, 5, 16) << shift_bits;

	if (shift_bits >= reader->size_bits)
		return;
	switch (takt_bits(reader->word, 29, 2)) {
	case 0:
		set(reader, TAKT_OPERATION_MOVE, takt_constant((int64_t)~immediate), nothing);
		break;
	case 2:
		set(reader, TAKT_OPERATION_MOVE, takt_constant((int64_t)immediate), nothing);
		break;
	case 3:
		set(reader, TAKT_OPERATION_INSERT, source(reader, rd(reader)),
		    takt_constant((int64_t)immediate));
		reader->meaning->operands[3] =
			takt_constant((int64_t)(UINT64_C(0xffff) << shift_bits));
		break;
	default:
		break;
	}
}

/* Read bfi, which moves the source's lowest bits up, or bfxil, which moves a field down. */
static void read_insert(const struct reader *reader, unsigned immr, unsigned imms)
{
	unsigned count = imms >= immr ? imms - immr + 1 : imms + 1;
	unsigned at = imms >= immr ? 0 : reader->size_bits - immr;
	uint64_t ones = count == 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;

	set(reader, TAKT_OPERATION_INSERT, source(reader, rd(reader)),
	    takt_modified(source(reader, rn(reader)), TAKT_MODIFIER_ROTATE, immr));
	reader->meaning->operands[3] = takt_constant((int64_t)(ones << at));
}

/*
 * Read sbfm and ubfm: lsl, lsr, asr, sxtw, ubfx and so on. In general they shift a field left to
 * the top and right again. Extensions and left shifts get operations of their own, since these
 * preserve strides.
 */
static void read_bit_field(const struct reader *reader)
{
	unsigned immr = takt_bits(reader->word, 16, 6), imms = takt_bits(reader->word, 10, 6);
	unsigned kind = takt_bits(reader->word, 29, 2);
	unsigned up = reader->size_bits - 1 - imms;
	unsigned down = imms >= immr ? up + immr : immr - imms - 1;
	unsigned widening = kind == 0 ? TAKT_MODIFIER_SIGNED : 0;
	struct takt_operand field = source(reader, rn(reader));

	if (takt_bits(reader->word, 22, 1) != takt_bits(reader->word, 31, 1) || kind == 3 ||
	    imms >= reader->size_bits || immr >= reader->size_bits)
		return;
	if (kind == 1) {
		read_insert(reader, immr, imms);
		return;
	}
	if (imms == 7 || imms == 15 || imms == 31 || imms == 63) {
		field.size_bytes = (uint8_t)((imms + 1) / 8);
		field.modifiers = (uint8_t)widening;
		if (immr == 0) {
			set(reader, TAKT_OPERATION_MOVE, field, nothing);
			return;
		}
		if (imms < immr) {
			set(reader, TAKT_OPERATION_SHIFT_LEFT, field,
			    takt_constant(reader->size_bits - immr));
			return;
		}
		field = source(reader, rn(reader));
	}
	if (!down) {
		set(reader, TAKT_OPERATION_SHIFT_LEFT, field, takt_constant(up));
		return;
	}
	set(reader, widening ? TAKT_OPERATION_SHIFT_SIGNED : TAKT_OPERATION_SHIFT_RIGHT,
	    takt_modified(field, up ? TAKT_MODIFIER_LEFT : 0, up), takt_constant(down));
}

static void read_extract(const struct reader *reader)
{
	unsigned lowest = takt_bits(reader->word, 10, 6);

	if (takt_bits(reader->word, 29, 2) || takt_bits(reader->word, 21, 1) ||
	    lowest >= reader->size_bits)
		return;
	if (!lowest)
		set(reader, TAKT_OPERATION_MOVE, source(reader, rm(reader)), nothing);
	else
		set(reader, TAKT_OPERATION_OR,
		    takt_modified(source(reader, rn(reader)), TAKT_MODIFIER_LEFT,
				  reader->size_bits - lowest),
		    takt_modified(source(reader, rm(reader)), TAKT_MODIFIER_RIGHT, lowest));
}

static void read_place(struct reader *reader)
{
	uint32_t word = reader->word;
	uint64_t distance = (uint64_t)takt_signed_bits(word, 5, 19) << 2 | takt_bits(word, 29, 2);
	uint64_t place = takt_bits(word, 31, 1)
				 ? (reader->address & ~UINT64_C(0xfff)) + (distance << 12)
				 : reader->address + distance;

	reader->size_bytes = 8;
	set(reader, TAKT_OPERATION_MOVE, takt_constant((int64_t)place), nothing);
}

static void read_immediate(struct reader *reader)
{
	switch (takt_bits(reader->word, 23, 3)) {
	case 0:
	case 1:
		read_place(reader);
		break;
	case 2:
		read_sum_immediate(reader);
		break;
	case 4:
		read_logic_immediate(reader);
		break;
	case 5:
		read_wide_move(reader);
		break;
	case 6:
		read_bit_field(reader);
		break;
	case 7:
		read_extract(reader);
		break;
	default: /* memory tags */
		break;
	}
}

/* ---- registers --------------------------------------------------------------------- */

static void read_logic(const struct reader *reader)
{
	uint32_t word = reader->word;
	struct takt_operand second =
		shifted(reader, rm(reader), takt_bits(word, 22, 2), takt_bits(word, 10, 6));
	unsigned kind = takt_bits(word, 29, 2);

	if (takt_bits(word, 10, 6) >= reader->size_bits)
		return;
	if (takt_bits(word, 21, 1))
		second.modifiers |= TAKT_MODIFIER_INVERT;
	if (kind == 1 && rn(reader) == 31) /* mov, mvn */
		set(reader, TAKT_OPERATION_MOVE, second, nothing);
	else
		set(reader, (enum takt_operation)logic_operations[kind], source(reader, rn(reader)),
		    second);
}

static void read_sum_shifted(const struct reader *reader)
{
	uint32_t word = reader->word;

	if (takt_bits(word, 22, 2) != 3 && takt_bits(word, 10, 6) < reader->size_bits)
		set(reader, sum_operation(word), source(reader, rn(reader)),
		    shifted(reader, rm(reader), takt_bits(word, 22, 2), takt_bits(word, 10, 6)));
}

static void read_sum_extended(const struct reader *reader)
{
	uint32_t word = reader->word;
	unsigned option = takt_bits(word, 13, 3), shift_bits = takt_bits(word, 10, 3);
	struct takt_operand second = source(reader, rm(reader));

	if (takt_bits(word, 22, 2) || shift_bits > 4)
		return;
	if (second.type == TAKT_OPERAND_REGISTER && 1u << (option & 3) < reader->size_bytes)
		second.size_bytes = (uint8_t)(1u << (option & 3));
	second = takt_modified(second,
			       (option & 4 ? TAKT_MODIFIER_SIGNED : 0u) |
				       (shift_bits ? TAKT_MODIFIER_LEFT : 0u),
			       shift_bits);
	set_sources(reader, sum_operation(word), sum_result(reader, takt_bits(word, 29, 1)),
		    takt_general_or_stack(rn(reader), reader->size_bytes), second);
}

/* Read adc and sbc; sbc is adc with the second source inverted. */
static void read_sum_carry(const struct reader *reader)
{
	unsigned modifiers = takt_bits(reader->word, 30, 1) ? TAKT_MODIFIER_INVERT : 0;

	if (!takt_bits(reader->word, 10, 6))
		set(reader, TAKT_OPERATION_ADD_CARRY, source(reader, rn(reader)),
		    takt_modified(source(reader, rm(reader)), modifiers, 0));
}

static void read_conditional_compare(const struct reader *reader)
{
	uint32_t word = reader->word;
	bool is_immediate = takt_bits(word, 11, 1);

	if (!takt_bits(word, 29, 1) || takt_bits(word, 10, 1) || takt_bits(word, 4, 1))
		return;
	set_sources(reader,
		    takt_bits(word, 30, 1) ? TAKT_OPERATION_COMPARE_IF : TAKT_OPERATION_ADD_IF,
		    takt_result(31, reader->size_bytes), source(reader, rn(reader)),
		    is_immediate ? takt_constant(rm(reader)) : source(reader, rm(reader)));
	reader->meaning->operands[3] = takt_constant(takt_bits(word, 0, 4));
}

static void read_select(const struct reader *reader)
{
	unsigned modifiers = (takt_bits(reader->word, 30, 1) ? TAKT_MODIFIER_INVERT : 0u) |
			     (takt_bits(reader->word, 10, 1) ? TAKT_MODIFIER_INCREMENT : 0u);

	if (!takt_bits(reader->word, 29, 1) && !takt_bits(reader->word, 11, 1))
		set(reader, TAKT_OPERATION_SELECT,
		    takt_modified(source(reader, rm(reader)), modifiers, 0),
		    source(reader, rn(reader)));
}

static void read_two_sources(const struct reader *reader)
{
	static const uint8_t operations[64] = {
		[2] = TAKT_OPERATION_DIVIDE,	    [3] = TAKT_OPERATION_DIVIDE_SIGNED,
		[8] = TAKT_OPERATION_SHIFT_LEFT,    [9] = TAKT_OPERATION_SHIFT_RIGHT,
		[10] = TAKT_OPERATION_SHIFT_SIGNED, [11] = TAKT_OPERATION_ROTATE_RIGHT,
	};
	unsigned operation = operations[takt_bits(reader->word, 10, 6)];

	if (!takt_bits(reader->word, 29, 1) && operation)
		set(reader, (enum takt_operation)operation, source(reader, rn(reader)),
		    source(reader, rm(reader)));
}

static void read_one_source(const struct reader *reader)
{
	unsigned opcode = takt_bits(reader->word, 10, 6);
	struct takt_operand from = source(reader, rn(reader));

	if (rm(reader) || takt_bits(reader->word, 29, 1))
		return;
	switch (opcode) {
	case 0:
		set(reader, TAKT_OPERATION_REVERSE_BITS, from, nothing);
		break;
	case 1:
	case 2:
	case 3:
		if (1u << opcode <= reader->size_bytes)
			set(reader, TAKT_OPERATION_BYTE_SWAP_PARTS, from,
			    takt_constant(1 << opcode));
		break;
	case 4:
		set(reader, TAKT_OPERATION_COUNT_LEADING, from, nothing);
		break;
	case 5:
		set(reader, TAKT_OPERATION_COUNT_SIGN, from, nothing);
		break;
	default:
		break;
	}
}

static void read_three_sources(const struct reader *reader)
{
	uint32_t word = reader->word;
	unsigned kind = takt_bits(word, 21, 3), ra = takt_bits(word, 10, 5);
	bool subtracts = takt_bits(word, 15, 1), is_unsigned = kind & 4;
	struct takt_operand first = source(reader, rn(reader)), second = source(reader, rm(reader));

	if (takt_bits(word, 29, 2) || (kind && reader->size_bytes == 4))
		return;
	switch (kind & 3) {
	case 1: /* products of extended words */
		first = takt_general(rn(reader), 4);
		second = takt_general(rm(reader), 4);
		first.modifiers = second.modifiers = is_unsigned ? 0 : TAKT_MODIFIER_SIGNED;
		break;
	case 2:
		if (!subtracts)
			set(reader,
			    is_unsigned ? TAKT_OPERATION_MULTIPLY_HIGH
					: TAKT_OPERATION_MULTIPLY_HIGH_SIGNED,
			    first, second);
		return;
	default:
		if (kind)
			return;
		break;
	}
	set(reader,
	    subtracts  ? TAKT_OPERATION_MULTIPLY_SUBTRACT
	    : ra == 31 ? TAKT_OPERATION_MULTIPLY
		       : TAKT_OPERATION_MULTIPLY_ADD,
	    first, second);
	if (reader->meaning->operation != TAKT_OPERATION_MULTIPLY)
		reader->meaning->operands[3] = source(reader, ra);
}

static void read_registers(const struct reader *reader)
{
	uint32_t word = reader->word;

	switch (takt_bits(word, 24, 5)) {
	case 0x0a:
		read_logic(reader);
		return;
	case 0x0b:
		if (takt_bits(word, 21, 1))
			read_sum_extended(reader);
		else
			read_sum_shifted(reader);
		return;
	case 0x1b:
		read_three_sources(reader);
		return;
	default:
		break;
	}
	switch (takt_bits(word, 21, 3)) {
	case 0:
		read_sum_carry(reader);
		break;
	case 2:
		read_conditional_compare(reader);
		break;
	case 4:
		read_select(reader);
		break;
	case 6:
		if (takt_bits(word, 30, 1))
			read_one_source(reader);
		else
			read_two_sources(reader);
		break;
	default:
		break;
	}
}

/* ---- multiples of the vector length -------------------------------------------------- */

/* Read cntd, incd, decd and their like, if they count all elements, without a pattern. */
static void read_element_count(const struct reader *reader)
{
	uint32_t word = reader->word;
	unsigned count = TAKT_AARCH64_VECTOR_BYTES >> takt_bits(word, 22, 2);
	struct takt_operand elements = takt_constant((int64_t)count * (takt_bits(word, 16, 4) + 1));

	if (takt_bits(word, 5, 5) != 31)
		return;
	if (!takt_bits(word, 20, 1))
		set(reader, TAKT_OPERATION_MOVE, elements, nothing);
	else
		set(reader, takt_bits(word, 10, 1) ? TAKT_OPERATION_SUBTRACT : TAKT_OPERATION_ADD,
		    source(reader, rd(reader)), elements);
}

static void read_scalable(struct reader *reader)
{
	uint32_t word = reader->word;
	int64_t vectors = takt_signed_bits(word, 5, 6);

	reader->size_bytes = 8;
	if ((word & 0xff20f800) == 0x04205000) { /* addvl, addpl, rdvl */
		unsigned bytes = takt_bits(word, 22, 1) ? TAKT_AARCH64_VECTOR_BYTES / 8
							: TAKT_AARCH64_VECTOR_BYTES;

		if (!takt_bits(word, 23, 1))
			set_sources(reader, TAKT_OPERATION_ADD,
				    takt_general_or_stack(rd(reader), 8),
				    takt_general_or_stack(rm(reader), 8),
				    takt_constant(vectors * bytes));
		else if (takt_bits(word, 16, 7) == 0x3f)
			set(reader, TAKT_OPERATION_MOVE, takt_constant(vectors * bytes), nothing);
	} else if ((word & 0xff30fc00) == 0x0420e000 || (word & 0xff30f800) == 0x0430e000) {
		read_element_count(reader);
	}
}

/* ---- all of them --------------------------------------------------------------------- */

static struct takt_aarch64_meaning read_meaning(const struct takt_insn *insn)
{
	struct takt_aarch64_meaning meaning = {.operation = TAKT_OPERATION_UNKNOWN};
	struct reader reader = {.address = insn->address, .meaning = &meaning};
	unsigned group;

	reader.word = takt_word_at(insn->bytes);
	reader.size_bytes = reader.word >> 31 ? 8 : 4;
	reader.size_bits = reader.size_bytes * 8;
	group = takt_bits(reader.word, 25, 4);
	if ((group & 0xe) == 8)
		read_immediate(&reader);
	else if ((group & 7) == 5)
		read_registers(&reader);
	else if ((group & 5) == 4)
		takt_aarch64_read_access(reader.word, &meaning);
	else if (group == 2)
		read_scalable(&reader);
	if (meaning.memory_count > insn->memory_count)
		meaning.operation = TAKT_OPERATION_UNKNOWN;
	return meaning;
}

enum takt_operation takt_aarch64_operation(const struct takt_insn *insn)
{
	return read_meaning(insn).operation;
}

void takt_aarch64_operands(const struct takt_insn *insn,
			   struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX])
{
	struct takt_aarch64_meaning meaning = read_meaning(insn);

	memcpy(ret_operands, meaning.operands, sizeof(meaning.operands));
}

struct takt_addressing takt_aarch64_addressing(const struct takt_insn *insn)
{
	return read_meaning(insn).addressing;
}

bool takt_aarch64_is_affine(const struct takt_insn *insn, struct takt_affine *ret_affine)
{
	struct takt_aarch64_meaning meaning = read_meaning(insn);
	const struct takt_operand *to = &meaning.operands[0], *from = &meaning.operands[1];
	const struct takt_operand *addend = &meaning.operands[2];
	bool subtracts = meaning.operation == TAKT_OPERATION_SUBTRACT ||
			 meaning.operation == TAKT_OPERATION_SUBTRACT_CARRY;
	uint64_t amount = (uint64_t)addend->immediate;

	if (to->type != TAKT_OPERAND_REGISTER || from->type != TAKT_OPERAND_REGISTER ||
	    to->size_bytes != 8 || from->size_bytes != 8 || from->modifiers)
		return false;
	if (meaning.operation == TAKT_OPERATION_MOVE) {
		amount = 0;
	} else if ((meaning.operation != TAKT_OPERATION_ADD && !subtracts) ||
		   addend->type != TAKT_OPERAND_IMMEDIATE) {
		return false;
	}
	*ret_affine =
		(struct takt_affine){.destination = to->location,
				     .source = from->location,
				     .immediate_add = meaning.operation != TAKT_OPERATION_MOVE,
				     .addend = (int64_t)(subtracts ? 0 - amount : amount)};
	return true;
}
