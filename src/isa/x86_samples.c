/* SPDX-License-Identifier: MIT */
/*
 * Samples of all forms. The walk goes through prefixes, opcode maps, opcodes and operand bytes,
 * and keeps each form that the decoder returns for the first time. So the list matches the
 * decoder, whatever its version, and each form is known to decode.
 */
#include <string.h>

#include "isa/x86.h"

#define SLOT_COUNT 65536u /* hash table size; a power of two, well above the number of forms */
#define FIRST_CAPACITY 4096u
/* Registers 1 and 3, and 0 for the third of VEX and EVEX: all different, and none of them rsp. */
#define MODRM_REG 1u
#define MODRM_RM 3u
#define FILL 0x05 /* each byte of immediates */

struct walk {
	struct takt_arena *arena;
	struct takt_sample *samples;
	size_t count, capacity;
	uint32_t *slots;			/* hash table of 1 + index into samples, 0: free */
	uint8_t bytes[2 * TAKT_X86_LENGTH_MAX]; /* the second half is never decoded */
	size_t size_bytes;			/* bytes up to and including the opcode */
};

static void keep(struct walk *walk, takt_form_key form, unsigned length_bytes)
{
	size_t slot = takt_hash64(form) % SLOT_COUNT;
	struct takt_sample *sample;

	for (; walk->slots[slot]; slot = (slot + 1) % SLOT_COUNT)
		if (walk->samples[walk->slots[slot] - 1].form == form)
			return;
	if (walk->count == SLOT_COUNT / 2)
		return;
	TAKT_GROW_IN(walk->arena, walk->samples, walk->count + 1, walk->capacity);
	sample = &walk->samples[walk->count++];
	walk->slots[slot] = (uint32_t)walk->count;
	sample->form = form;
	sample->length_bytes = (uint8_t)length_bytes;
	memcpy(sample->bytes, walk->bytes, length_bytes);
}

/* Decode the bytes, and keep the form if it is new; bytes after the opcode are set already. */
static void try_bytes(struct walk *walk)
{
	struct takt_x86 x86;

	if (ZYAN_SUCCESS(takt_x86_read(walk->bytes, TAKT_X86_LENGTH_MAX, &x86)))
		keep(walk, takt_x86_form(&x86), x86.insn.length);
}

/* The operand bytes that encode an address. */
struct shape {
	uint8_t mod, rm, sib;
	uint8_t displacement_bytes;
	bool has_sib;
};

/* First [b+d] and, for gathers and tiles, [b+i+d]; then the addresses of the other forms of lea. */
static const struct shape shapes[] = {
	{1, MODRM_RM, 0, 1, false}, {1, 4, 0x3b, 1, true}, {0, MODRM_RM, 0, 0, false},
	{0, 4, 0x3b, 0, true},	    {0, 4, 0xbb, 0, true}, {1, 4, 0xbb, 1, true},
	{0, 4, 0xbd, 4, true},	    {0, 4, 0x25, 4, true}, {0, 5, 0, 4, false},
};

#define VECTOR_SHAPES 2u

static void try_shape(struct walk *walk, unsigned reg, const struct shape *shape)
{
	uint8_t *next = walk->bytes + walk->size_bytes;

	memset(next, FILL, TAKT_X86_LENGTH_MAX);
	*next++ = (uint8_t)((unsigned)shape->mod << 6 | reg << 3 | shape->rm);
	if (shape->has_sib)
		*next++ = shape->sib;
	if (shape->displacement_bytes)
		*next++ = 0x40;
	if (shape->displacement_bytes == 4)
		memset(next, 0, 3);
	try_bytes(walk);
}

static void try_registers(struct walk *walk, unsigned reg, unsigned rm)
{
	uint8_t *next = walk->bytes + walk->size_bytes;

	memset(next, FILL, TAKT_X86_LENGTH_MAX);
	*next = (uint8_t)(0xc0 | reg << 3 | rm);
	try_bytes(walk);
}

/* ---- legacy encodings ---------------------------------------------------- */

/* True for bytes of the first map that are prefixes, or lead to other maps. */
static bool is_prefix(unsigned opcode)
{
	static const uint8_t prefixes[] = {0x0f, 0x26, 0x2e, 0x36, 0x3e, 0x62, 0x64, 0x65,
					   0x66, 0x67, 0xc4, 0xc5, 0xf0, 0xf2, 0xf3};

	return (opcode & 0xf0) == 0x40 || memchr(prefixes, (int)opcode, sizeof(prefixes));
}

static void walk_legacy_opcode(struct walk *walk)
{
	/* The accumulator comes last: it has shorter encodings of its own. */
	for (unsigned i = 0; i < 8; i++) {
		unsigned reg = (i + MODRM_REG) % 8;

		for (unsigned rm = 0; rm < 8; rm++)
			try_registers(walk, reg, (rm + MODRM_RM) % 8);
		for (size_t shape = 0; shape < TAKT_COUNT_OF(shapes); shape++)
			try_shape(walk, reg, &shapes[shape]);
	}
}

static void walk_legacy(struct walk *walk)
{
	static const struct {
		uint8_t size_bytes, bytes[2];
	} prefixes[] = {{0, {0}},    {1, {0x66}},	{1, {0xf3}},	   {1, {0xf2}},
			{1, {0xf0}}, {2, {0x66, 0xf3}}, {2, {0x66, 0xf2}}, {2, {0x66, 0xf0}}},
	  maps[] = {{0, {0}}, {1, {0x0f}}, {2, {0x0f, 0x38}}, {2, {0x0f, 0x3a}}};

	for (size_t i = 0; i < TAKT_COUNT_OF(prefixes) * 2 * TAKT_COUNT_OF(maps) * 256; i++) {
		size_t map = i / 256 % TAKT_COUNT_OF(maps), rest = i / 256 / TAKT_COUNT_OF(maps);
		unsigned opcode = i % 256;

		if (map == 0 ? is_prefix(opcode) : map == 1 && (opcode == 0x38 || opcode == 0x3a))
			continue;
		walk->size_bytes = prefixes[rest / 2].size_bytes;
		memcpy(walk->bytes, prefixes[rest / 2].bytes, walk->size_bytes);
		if (rest % 2)
			walk->bytes[walk->size_bytes++] = 0x48;
		memcpy(walk->bytes + walk->size_bytes, maps[map].bytes, maps[map].size_bytes);
		walk->size_bytes += maps[map].size_bytes;
		walk->bytes[walk->size_bytes++] = (uint8_t)opcode;
		walk_legacy_opcode(walk);
	}
}

/* ---- VEX, XOP and EVEX --------------------------------------------------- */

/* Walk through an opcode's operand bytes; `all_regs`: the register field may extend the opcode. */
static void walk_vector_opcode(struct walk *walk, bool all_regs)
{
	for (unsigned reg = 0; reg < 8; reg++) {
		if (reg != MODRM_REG && !all_regs)
			continue;
		try_registers(walk, reg, MODRM_RM);
		for (size_t i = 0; i < VECTOR_SHAPES; i++)
			try_shape(walk, reg, &shapes[i]);
	}
}

/* Walk through the maps of VEX or XOP; `lead` is 0xc4 or 0x8f. */
static void walk_vex(struct walk *walk, uint8_t lead, unsigned first_map, unsigned last_map)
{
	walk->size_bytes = 4;
	walk->bytes[0] = lead;
	for (unsigned map = first_map; map <= last_map; map++) {
		for (unsigned i = 0; i < 16 * 256; i++) {
			unsigned prefix = i >> 8 & 3, wide = i >> 10 & 1, length = i >> 11 & 1;

			walk->bytes[1] = (uint8_t)(0xe0 | map);
			walk->bytes[2] = (uint8_t)(wide << 7 | 0x78 | length << 2 | prefix);
			walk->bytes[3] = (uint8_t)i;
			walk_vector_opcode(walk, true);
		}
	}
}

static void walk_evex(struct walk *walk)
{
	/* Last prefix bytes (z, b, V', k): no mask, mask, zeroing; with and without broadcast. */
	static const uint8_t lasts[] = {0x08, 0x18, 0x09, 0x19, 0x89, 0x99};

	walk->size_bytes = 5;
	walk->bytes[0] = 0x62;
	for (unsigned map = 1; map <= 6; map++) {
		for (unsigned i = 0; i < TAKT_COUNT_OF(lasts) * 4 * 8 * 256; i++) {
			unsigned opcode = i % 256, rest = i >> 8;
			bool group = (map == 1 && opcode >= 0x71 && opcode <= 0x73) ||
				     (map == 2 && (opcode == 0xc6 || opcode == 0xc7));

			walk->bytes[1] = (uint8_t)(0xf0 | map);
			walk->bytes[2] = (uint8_t)((rest & 1) << 7 | 0x7c | (rest >> 1 & 3));
			walk->bytes[3] = (uint8_t)((rest >> 3 & 3) << 5 | lasts[rest >> 5]);
			walk->bytes[4] = (uint8_t)opcode;
			walk_vector_opcode(walk, group);
		}
	}
}

const struct takt_sample *takt_samples_find(struct takt_arena *arena, size_t *ret_count)
{
	struct walk walk = {.arena = arena, .capacity = FIRST_CAPACITY};

	walk.samples = TAKT_NEW_ARRAY(arena, walk.capacity, struct takt_sample);
	walk.slots = TAKT_NEW_ARRAY(arena, SLOT_COUNT, uint32_t);
	walk_legacy(&walk);
	walk_vex(&walk, 0xc4, 1, 3);
	walk_vex(&walk, 0x8f, 8, 10);
	walk_evex(&walk);
	*ret_count = walk.count;
	return walk.samples;
}
