/* SPDX-License-Identifier: MIT */
/*
 * Relative references of instructions: the target of a branch or of an address computation is
 * read from the bytes, and written to them again when the instruction is copied elsewhere.
 */
#include <string.h>

#include "input/code.h"

/* ---- AArch64: a signed field of the word, times a scale ---------------------- */

#define PAGE_MASK (~(uint64_t)0xfff)

/* AArch64 instructions with a relative field; `word & mask` equals `value`. */
struct field {
	uint32_t mask, value;
	uint8_t shift, bits, scale; /* the scale is a shift */
	bool is_branch;
};

static const struct field fields[] = {
	{0x7c000000, 0x14000000, 0, 26, 2, true},  /* b, bl */
	{0xff000000, 0x54000000, 5, 19, 2, true},  /* b.cond, bc.cond */
	{0x7e000000, 0x34000000, 5, 19, 2, true},  /* cbz, cbnz */
	{0x7e000000, 0x36000000, 5, 14, 2, true},  /* tbz, tbnz */
	{0x3b000000, 0x18000000, 5, 19, 2, false}, /* ldr, ldrsw, prfm of a literal */
	{0x1f000000, 0x10000000, 5, 19, 0, false}, /* adr, adrp, with two more bits at 29 */
};

#define ADR (&fields[TAKT_COUNT_OF(fields) - 1])

static const struct field *find_field(uint32_t word)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(fields); i++)
		if ((word & fields[i].mask) == fields[i].value)
			return &fields[i];
	return NULL;
}

static void write_word(uint8_t *bytes, uint32_t word)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(word >> (8 * i));
}

static int64_t extend_sign(uint64_t value, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);

	return (int64_t)((value ^ sign) - sign);
}

static bool is_adrp(const struct field *field, uint32_t word)
{
	return field == ADR && word >> 31;
}

static bool read_aarch64(const uint8_t *bytes, uint64_t address, struct takt_reference *ret)
{
	uint32_t word = takt_word_at(bytes);
	const struct field *field = find_field(word);
	uint64_t value;

	if (!field)
		return false;
	value = word >> field->shift & (((uint32_t)1 << field->bits) - 1);
	if (field == ADR)
		value = (uint64_t)extend_sign(value << 2 | (word >> 29 & 3), 21);
	else
		value = (uint64_t)extend_sign(value, field->bits) << field->scale;
	ret->is_branch = field->is_branch;
	ret->target =
		is_adrp(field, word) ? (address & PAGE_MASK) + (value << 12) : address + value;
	return true;
}

static bool fits(int64_t value, unsigned bits)
{
	int64_t limit = (int64_t)1 << (bits - 1);

	return value >= -limit && value < limit;
}

static bool write_aarch64(uint8_t *bytes, uint64_t address, uint64_t target)
{
	uint32_t word = takt_word_at(bytes), mask;
	const struct field *field = find_field(word);
	int64_t value;

	if (!field)
		return false;
	value = (int64_t)(target - address);
	if (is_adrp(field, word))
		value = (int64_t)((target & PAGE_MASK) - (address & PAGE_MASK)) >> 12;
	if (value & (((int64_t)1 << field->scale) - 1))
		return false;
	value >>= field->scale;
	if (!fits(value, field == ADR ? 21 : field->bits))
		return false;
	if (field == ADR) {
		word = (word & ~(3u << 29)) | ((uint32_t)value & 3) << 29;
		value >>= 2;
	}
	mask = (((uint32_t)1 << field->bits) - 1) << field->shift;
	write_word(bytes, (word & ~mask) | ((uint32_t)value << field->shift & mask));
	return true;
}

/* ---- x86-64: a number at or near the end ---------------------------------------- */

static bool read_x86(const uint8_t *bytes, uint64_t address, const struct takt_insn_flow *step,
		     struct takt_reference *ret)
{
	int32_t displacement = step->target;

	if (step->rip_index)
		memcpy(&displacement, bytes + step->rip_index, sizeof(displacement));
	else if (!step->target_size_bytes)
		return false;
	ret->is_branch = !step->rip_index;
	ret->target = address + step->length_bytes + (uint64_t)(int64_t)displacement;
	return true;
}

static bool write_x86(uint8_t *bytes, uint64_t address, const struct takt_insn_flow *step,
		      uint64_t target)
{
	int64_t value = (int64_t)(target - address - step->length_bytes);
	unsigned size = step->rip_index ? 4 : step->target_size_bytes;
	unsigned index = step->rip_index ? step->rip_index : (unsigned)step->length_bytes - size;

	if (!size || size > 4 || !fits(value, 8 * size))
		return false;
	memcpy(bytes + index, &value, size);
	return true;
}

/* ---- which ------------------------------------------------------------------------- */

const struct takt_isa *takt_encoding_of(const struct takt_isa *isa)
{
	static const struct {
		const char *prefix;
		const struct takt_isa *isa;
	} encodings[] = {
		{"llvm:x86_64", &takt_isa_x86},
		{"llvm:aarch64", &takt_isa_aarch64},
		{"llvm:arm64", &takt_isa_aarch64},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(encodings); i++)
		if (takt_string_starts(isa->name, encodings[i].prefix))
			return encodings[i].isa;
	return isa;
}

/* ---- either ------------------------------------------------------------------------ */

bool takt_reference_read(const struct takt_isa *isa, const uint8_t *bytes, uint64_t address,
			 const struct takt_insn_flow *step, struct takt_reference *ret_reference)
{
	if (isa == &takt_isa_x86)
		return read_x86(bytes, address, step, ret_reference);
	return isa == &takt_isa_aarch64 && read_aarch64(bytes, address, ret_reference);
}

bool takt_reference_write(const struct takt_isa *isa, uint8_t *bytes, uint64_t address,
			  const struct takt_insn_flow *step, uint64_t target)
{
	if (isa == &takt_isa_x86)
		return write_x86(bytes, address, step, target);
	return isa == &takt_isa_aarch64 && write_aarch64(bytes, address, target);
}
