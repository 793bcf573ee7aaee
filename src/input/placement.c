/* SPDX-License-Identifier: MIT */
/*
 * Gives the instructions of a disassembly without bytes the addresses and sizes that it states.
 * The assembler chooses the shortest encodings; compilers and linkers do not always (nops that
 * align loops, jumps and addends that a linker fills in). The address of each line tells the size
 * of the instruction before it, which is lengthened to it by an encoding that does the same.
 */
#include <stdlib.h>
#include <string.h>

#include "input/listing.h"

#define X86_SIZE_MAX_BYTES 15u
/* Most changes of one instruction: its displacement, its immediate and its VEX prefix. */
#define CHANGES_MAX 3u
#define PREFIX_CS 0x2e

/* An x86-64 instruction that is lengthened. */
struct encoding {
	uint8_t bytes[X86_SIZE_MAX_BYTES + 1];
	uint8_t size_bytes;
	uint8_t opcode; /* index of the opcode's last byte, or of the VEX or EVEX prefix */
	uint8_t modrm;	/* index of the ModRM byte, if the instruction has one */
	uint8_t prefix; /* 0xc4, 0xc5, 0x62: VEX or EVEX; 0x0f: two-byte opcodes; else 0 */
};

static bool is_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e,
					   0x36, 0x3e, 0x26, 0x64, 0x65};

	return memchr(prefixes, byte, sizeof(prefixes)) || (byte & 0xf0) == 0x40;
}

/* Find the parts of an instruction; the caller looks at the ModRM byte only if there is one. */
static void find_parts(struct encoding *e)
{
	uint8_t at = 0;

	while (at + 1u < e->size_bytes && is_prefix(e->bytes[at]))
		at++;
	e->opcode = at;
	e->prefix = 0;
	e->modrm = at + 1;
	if (e->bytes[at] == 0xc5 || e->bytes[at] == 0xc4 || e->bytes[at] == 0x62) {
		e->prefix = e->bytes[at];
		e->modrm = (uint8_t)(at + (e->prefix == 0xc5 ? 3 : e->prefix == 0xc4 ? 4 : 5));
	} else if (e->bytes[at] == 0x0f) {
		e->prefix = 0x0f;
		at++;
		if (e->bytes[at] == 0x38 || e->bytes[at] == 0x3a)
			at++;
		e->opcode = at;
		e->modrm = e->opcode + 1;
	}
}

/* Insert bytes of the same value; false if the instruction would be too long. */
static bool insert(struct encoding *e, unsigned at, unsigned count, uint8_t value)
{
	if (e->size_bytes + count > X86_SIZE_MAX_BYTES || at > e->size_bytes)
		return false;
	memmove(e->bytes + at + count, e->bytes + at, e->size_bytes - at);
	memset(e->bytes + at, value, count);
	e->size_bytes += (uint8_t)count;
	return true;
}

/* True for the ModRM byte of a memory operand whose displacement may have another size. */
static bool has_memory(const struct encoding *e, unsigned *ret_end)
{
	unsigned mode = e->bytes[e->modrm] >> 6, base = e->bytes[e->modrm] & 7;

	*ret_end = e->modrm + 1u;
	if (e->modrm >= e->size_bytes || mode > 1)
		return false;
	if (base == 4) {
		if (*ret_end >= e->size_bytes)
			return false;
		base = e->bytes[(*ret_end)++] & 7;
	}
	return mode == 1 || base != 5;
}

/* Write a displacement of 8 bits where there is none. */
static bool add_displacement(struct encoding *e)
{
	unsigned end;

	if (!has_memory(e, &end) || e->bytes[e->modrm] >> 6)
		return false;
	e->bytes[e->modrm] |= 0x40;
	return insert(e, end, 1, 0);
}

/* Make a displacement 32 bits long; those of 8 bits are scaled in EVEX unless they are 0. */
static bool widen_displacement(struct encoding *e)
{
	unsigned end, mode = e->bytes[e->modrm] >> 6;

	if (!has_memory(e, &end))
		return false;
	if (mode && (end >= e->size_bytes || (e->prefix == 0x62 && e->bytes[end])))
		return false;
	e->bytes[e->modrm] = (e->bytes[e->modrm] & 0x3f) | 0x80;
	if (!mode)
		return insert(e, end, 4, 0);
	return insert(e, end + 1, 3, e->bytes[end] & 0x80 ? 0xff : 0);
}

/* Return the bytes that an immediate of 8 bits lacks: it has 16 bits after a prefix 0x66. */
static unsigned immediate_growth(const struct encoding *e)
{
	bool is_short = false;

	for (unsigned i = 0; i < e->opcode; i++)
		is_short |= e->bytes[i] == 0x66;
	for (unsigned i = 0; i < e->opcode; i++)
		if ((e->bytes[i] & 0xf8) == 0x48)
			is_short = false;
	return is_short ? 1 : 3;
}

/* Make an immediate that is extended from 8 bits a long one. */
static bool widen_immediate(struct encoding *e)
{
	uint8_t *opcode = &e->bytes[e->opcode];
	uint8_t sign = e->bytes[e->size_bytes - 1] & 0x80 ? 0xff : 0;

	if (e->prefix || (*opcode != 0x83 && *opcode != 0x6b && *opcode != 0x6a))
		return false;
	*opcode -= 2;
	return insert(e, e->size_bytes, immediate_growth(e), sign);
}

/* Use the opcode without ModRM for arithmetic of rax with a long immediate. */
static bool use_accumulator(struct encoding *e)
{
	uint8_t modrm = e->bytes[e->modrm];

	if (e->prefix || e->bytes[e->opcode] != 0x81 || (modrm & 0xc7) != 0xc0 ||
	    (e->opcode && (e->bytes[e->opcode - 1] & 0xf1) == 0x41))
		return false;
	e->bytes[e->opcode] = (uint8_t)((modrm & 0x38) | 5);
	memmove(e->bytes + e->modrm, e->bytes + e->modrm + 1, e->size_bytes - e->modrm - 1u);
	e->size_bytes--;
	return true;
}

/* Shift or rotate by an immediate of 1 instead of the opcode for 1. */
static bool count_shift(struct encoding *e)
{
	uint8_t *opcode = &e->bytes[e->opcode];

	if (e->prefix || (*opcode != 0xd0 && *opcode != 0xd1))
		return false;
	*opcode -= 0x10;
	return insert(e, e->size_bytes, 1, 1);
}

/* Use a VEX prefix of three bytes. */
static bool widen_vex(struct encoding *e)
{
	uint8_t *vex = &e->bytes[e->opcode], last = vex[1];

	if (e->prefix != 0xc5 || !insert(e, e->opcode + 1u, 1, 0))
		return false;
	vex[0] = 0xc4;
	vex[1] = (last & 0x80) | 0x61;
	vex[2] = last & 0x7f;
	return true;
}

/* Compare integers in vectors by the opcode that has the condition as an immediate. */
static bool compare_by_immediate(struct encoding *e)
{
	uint8_t *evex = &e->bytes[e->opcode], opcode = e->bytes[e->modrm - 1];
	bool is_wide = opcode == 0x75 || opcode == 0x29; /* vpcmpeqw, vpcmpeqq */

	if (e->prefix != 0x62 || !((evex[1] & 7) == (opcode == 0x29 ? 2 : 1)) ||
	    (opcode != 0x29 && (opcode < 0x74 || opcode > 0x76)))
		return false;
	evex[1] = (evex[1] & 0xf8) | 3;
	evex[2] = (evex[2] & 0x7f) | (is_wide ? 0x80 : 0);
	e->bytes[e->modrm - 1] = opcode == 0x29 || opcode == 0x76 ? 0x1f : 0x3f;
	return insert(e, e->size_bytes, 1, 0);
}

static bool (*const changes[])(struct encoding *) = {
	widen_displacement, widen_immediate, add_displacement,	   widen_vex,
	use_accumulator,    count_shift,     compare_by_immediate,
};

/* True if the bytes are one instruction of the size. */
static bool is_whole(const struct encoding *e, unsigned size_bytes)
{
	struct takt_insn_flow step;

	return e->size_bytes == size_bytes &&
	       takt_insn_flow_decode(&takt_isa_x86, e->bytes, e->size_bytes, &step) &&
	       step.length_bytes == size_bytes;
}

/* Try all changes, one after the other, up to a number of them. */
static bool try_changes(struct encoding *e, unsigned size_bytes, unsigned left)
{
	if (is_whole(e, size_bytes))
		return true;
	for (size_t i = 0; left && i < TAKT_COUNT_OF(changes); i++) {
		struct encoding changed = *e;

		find_parts(&changed);
		if (changed.modrm < changed.size_bytes && changes[i](&changed) &&
		    try_changes(&changed, size_bytes, left - 1)) {
			*e = changed;
			return true;
		}
	}
	return false;
}

/* Write a nop as compilers and assemblers do; false if the instruction is none. */
static bool set_nop(struct encoding *e, unsigned size_bytes)
{
	static const uint8_t nops[][9] = {
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40},
		{0x0f, 0x1f, 0x44},
		{0x66, 0x0f, 0x1f, 0x44},
		{0x0f, 0x1f, 0x80},
		{0x0f, 0x1f, 0x84},
		{0x66, 0x0f, 0x1f, 0x84},
	};
	unsigned more = size_bytes > sizeof(nops[0]) ? size_bytes - (unsigned)sizeof(nops[0]) : 0;

	find_parts(e);
	if (!(e->prefix == 0x0f && e->bytes[e->opcode] == 0x1f) &&
	    !(!e->prefix && e->bytes[e->opcode] == 0x90))
		return false;
	for (unsigned i = 0; i < e->opcode; i++)
		if (e->bytes[i] != 0x66 && e->bytes[i] != PREFIX_CS && e->bytes[i] != 0x0f)
			return false; /* pause, xchg of r8 */
	memset(e->bytes, 0x66, more);
	memcpy(e->bytes + more, nops[size_bytes - more - 1], size_bytes - more);
	if (more)
		e->bytes[more] = PREFIX_CS; /* as in "66 2e 0f 1f 84 ..." of 10 bytes */
	e->size_bytes = (uint8_t)size_bytes;
	return true;
}

/* Change a jump of 8 bits to one of 32 or back; its target is written later. */
static bool set_jump(struct encoding *e, unsigned size_bytes)
{
	uint8_t *opcode, *end;

	find_parts(e);
	opcode = &e->bytes[e->opcode];
	end = &e->bytes[size_bytes];
	if (!e->prefix && (*opcode == 0xeb || *opcode == 0xe9)) {
		*opcode = opcode + 2 == end ? 0xeb : 0xe9;
	} else if (!e->prefix && (*opcode & 0xf0) == 0x70 && opcode + 6 == end) {
		opcode[1] = *opcode + 0x10;
		opcode[0] = 0x0f;
	} else if (e->prefix == 0x0f && (*opcode & 0xf0) == 0x80 && opcode + 1 == end) {
		opcode[-1] = *opcode - 0x10;
	} else {
		return false;
	}
	e->size_bytes = (uint8_t)size_bytes;
	return is_whole(e, size_bytes);
}

/* Add prefixes without effect in front. */
static bool add_prefixes(struct encoding *e, unsigned size_bytes)
{
	return size_bytes > e->size_bytes && insert(e, 0, size_bytes - e->size_bytes, PREFIX_CS) &&
	       is_whole(e, size_bytes);
}

enum takt_fit takt_x86_fit(uint8_t bytes[16], unsigned from_bytes, unsigned size_bytes)
{
	struct encoding start = {.size_bytes = (uint8_t)from_bytes}, e;
	enum takt_fit fit = TAKT_FIT_GOOD;

	if (!from_bytes || from_bytes > X86_SIZE_MAX_BYTES || !size_bytes ||
	    size_bytes > X86_SIZE_MAX_BYTES)
		return TAKT_FIT_NOT;
	memcpy(start.bytes, bytes, from_bytes);
	e = start;
	if (from_bytes == size_bytes)
		return TAKT_FIT_GOOD;
	if (!set_nop(&e, size_bytes) && (e = start, !set_jump(&e, size_bytes)) &&
	    (e = start, !try_changes(&e, size_bytes, CHANGES_MAX))) {
		e = start;
		fit = TAKT_FIT_PADDED;
		if (!add_prefixes(&e, size_bytes))
			return TAKT_FIT_NOT;
	}
	memcpy(bytes, e.bytes, size_bytes);
	return fit;
}

/* ---- places -------------------------------------------------------------------------- */

/* A disassembly whose instructions are placed. */
struct placing {
	struct takt_code *code;
	const struct takt_isa *isa;
	uint64_t *stated; /* addresses in the text; those of `listed` become the places */
	size_t odd_count; /* instructions that do not have the size that was stated */
	uint32_t odd_line;
};

static void count_odd(struct placing *p, const struct takt_listed *listed)
{
	if (!p->odd_count++)
		p->odd_line = listed->line + 1;
}

/* Take the bytes that the assembler made of each line; false if a line has none. */
static bool take_assembled(const struct takt_code *code)
{
	const struct takt_assembled_insn *insns = code->assembled.insns;
	const struct takt_source *source = &code->source;
	size_t at = 0, count = code->assembled.insn_count;

	for (size_t i = 0; i < source->listed_count; i++) {
		struct takt_listed *listed = &source->listed[i];
		const struct takt_assembled_insn *first = insns + at;
		const struct takt_section *section;
		uint32_t index;
		uint64_t end;

		while (at < count && insns[at].line == listed->line + 1)
			at++;
		if (listed->size_bytes)
			continue;
		index = first < insns + at ? takt_section_find(&code->image, first->section)
					   : code->image.section_count;
		if (index == code->image.section_count)
			return false;
		section = &code->image.sections[index];
		end = at < count && insns[at].section == first->section ? insns[at].offset
									: section->size_bytes;
		if (end <= first->offset || end > section->size_bytes ||
		    end - first->offset > sizeof(listed->bytes))
			return false;
		listed->size_bytes = (uint8_t)(end - first->offset);
		memcpy(listed->bytes, section->bytes + first->offset, listed->size_bytes);
	}
	return at == count;
}

/* Return the size that the next line's address states; 0 if it states none. */
static unsigned stated_size(const struct placing *p, size_t index)
{
	const struct takt_listed *listed = &p->code->source.listed[index];
	uint64_t size = 0;

	if (index + 1 < p->code->source.listed_count && listed[1].run == listed->run)
		size = p->stated[index + 1] - p->stated[index];
	return size <= sizeof(listed->bytes) ? (unsigned)size : 0;
}

/* True if what the text leaves out may be between an instruction and the next, such as zeros. */
static bool may_be_gap(const struct placing *p, size_t index, unsigned size_bytes)
{
	const struct takt_listed *listed = &p->code->source.listed[index];

	return listed[1].function && size_bytes > listed->size_bytes;
}

/* Give an instruction, which another one follows, its size; return the place of the next one. */
static uint64_t fit(struct placing *p, size_t index)
{
	struct takt_listed *listed = &p->code->source.listed[index];
	unsigned size = stated_size(p, index);
	enum takt_fit outcome = size == listed->size_bytes ? TAKT_FIT_GOOD : TAKT_FIT_NOT;
	uint8_t bytes[sizeof(listed->bytes)];
	uint64_t behind;

	memcpy(bytes, listed->bytes, sizeof(bytes));
	if (size && outcome != TAKT_FIT_GOOD && p->isa == &takt_isa_x86)
		outcome = takt_x86_fit(bytes, listed->size_bytes, size);
	if (!size || (outcome != TAKT_FIT_GOOD && may_be_gap(p, index, size))) {
		behind = listed->address + listed->size_bytes;
		return p->stated[index + 1] > behind ? p->stated[index + 1] : behind;
	}
	if (outcome != TAKT_FIT_NOT) {
		listed->size_bytes = (uint8_t)size;
		memcpy(listed->bytes, bytes, sizeof(bytes));
	}
	if (outcome != TAKT_FIT_GOOD)
		count_odd(p, listed);
	return listed->address + listed->size_bytes;
}

static void place_all(struct placing *p)
{
	struct takt_listed *listed = p->code->source.listed;
	size_t count = p->code->source.listed_count;

	for (size_t i = 0; i < count; i++)
		p->stated[i] = listed[i].address;
	for (size_t i = 0; i + 1 < count; i++)
		if (listed[i + 1].run == listed[i].run)
			listed[i + 1].address = fit(p, i);
}

/* Return the place of the instruction that is stated to be at an address; else the address. */
static uint64_t place_of(const struct placing *p, uint32_t run, uint64_t stated)
{
	const struct takt_listed *listed = p->code->source.listed;
	size_t at, count = p->code->source.listed_count;

	TAKT_BISECT(at, count,
		    listed[at].run < run || (listed[at].run == run && p->stated[at] < stated));
	return at < count && listed[at].run == run && p->stated[at] == stated ? listed[at].address
									      : stated;
}

/* Write the targets of relative jumps and references to the bytes. */
static void write_targets(struct placing *p)
{
	const struct takt_source *source = &p->code->source;

	for (size_t i = 0; i < source->listed_count; i++) {
		struct takt_listed *listed = &source->listed[i];
		struct takt_insn_flow step = {0};
		struct takt_reference reference;
		uint64_t target;

		if (takt_listing_target(source, listed->line, &target) &&
		    takt_insn_flow_decode(p->isa, listed->bytes, listed->size_bytes, &step) &&
		    takt_reference_read(p->isa, listed->bytes, listed->address, &step,
					&reference) &&
		    !takt_reference_write(p->isa, listed->bytes, listed->address, &step,
					  place_of(p, listed->run, target)))
			count_odd(p, listed);
	}
}

void takt_listing_place(struct takt_code *code)
{
	struct placing p = {.code = code, .isa = takt_encoding_of(code->image.isa)};

	if (p.isa != &takt_isa_x86 && p.isa != &takt_isa_aarch64)
		return;
	if (code->bad_count || !take_assembled(code)) {
		takt_code_add_note(code,
				   "instructions may have other sizes and addresses than the "
				   "disassembly states, because it has no bytes and not all of it "
				   "assembles to instructions");
		return;
	}
	p.stated = takt_xcalloc(code->source.listed_count, sizeof(*p.stated));
	place_all(&p);
	write_targets(&p);
	free(p.stated);
	free(code->assembled.insns);
	free(code->assembled.labels);
	code->assembled.insn_count = code->assembled.label_count = 0;
	takt_listing_image(code);
	if (p.odd_count)
		takt_code_add_note(code,
				   "%zu %s not have the size or the target that the disassembly "
				   "states, which has no bytes: first line %u",
				   p.odd_count,
				   takt_noun(p.odd_count, "instruction does", "instructions do"),
				   p.odd_line);
}
