/* SPDX-License-Identifier: MIT */
/*
 * Samples of AArch64 forms, and instructions made of them. LLVM makes an instruction of each of its
 * opcodes. Where its registers are encoded is found by trial: a field is changed, and the operand
 * whose register changes has that field.
 */
#include <string.h>

#include "isa/aarch64.h"

/* Immediates that are tried for each opcode; many forms are aliases for a few of them. */
#define VARIANTS_MAX 60u
/* Registers are chosen by the lower bits of their fields, which all have; so numbers are small. */
#define REGISTER_BITS 4u
#define PREDICATE_BITS 3u
/* Change of a field that is tried: samples have small numbers, which shall not become equal. */
#define TRIAL UINT32_C(4)
#define FORMS_MAX (1u << 16)
#define ZERO_REGISTER UINT32_C(31)

static const uint8_t places[] = {0, 5, 10, 16};

/* Fields of displacements: unsigned and scaled; signed; of pairs. `bits` are those without sign. */
static const struct {
	uint8_t place, bits;
	bool is_signed;
} displacements[] = {{10, 12, false}, {12, 8, true}, {15, 6, true}};

static uint32_t word_of(const struct takt_sample *sample)
{
	return takt_word_at(sample->bytes);
}

static void set_word(uint32_t word, uint8_t bytes[TAKT_X86_LENGTH_MAX])
{
	for (unsigned i = 0; i < sizeof(word); i++)
		bytes[i] = (uint8_t)(word >> 8 * i);
}

static bool decode_word(uint32_t word, struct takt_insn *ret_insn)
{
	uint8_t bytes[TAKT_X86_LENGTH_MAX];

	set_word(word, bytes);
	return takt_decode(&takt_isa_aarch64, bytes, sizeof(word), 0, ret_insn) == TAKT_OK;
}

/* Return the register in a slot; TAKT_LOC_NONE if there is none. Of lists, the first counts. */
static uint8_t register_in(const struct takt_insn *insn, unsigned slot)
{
	uint8_t least = TAKT_LOC_NONE;

	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->slot == slot && access->location != TAKT_LOC_NONE &&
		    (least == TAKT_LOC_NONE || access->location < least))
			least = access->location;
	}
	return least;
}

/* Return the slot that an operand's place is of: operands, base, index. */
static unsigned slot_of(unsigned index)
{
	if (index < TAKT_FORM_OPERANDS_MAX)
		return index;
	return index == TAKT_FORM_OPERANDS_MAX ? TAKT_SLOT_BASE : TAKT_SLOT_INDEX;
}

/* Find the fields of the registers. False if a register has none, or none of a low number. */
static bool find_places(struct takt_sample *sample, const struct takt_insn *insn)
{
	memset(sample->places, TAKT_SAMPLE_NO_PLACE, sizeof(sample->places));
	for (size_t i = 0; i < TAKT_COUNT_OF(places); i++) {
		struct takt_insn other;

		if (!decode_word(word_of(sample) ^ TRIAL << places[i], &other) ||
		    other.form != insn->form)
			continue;
		for (unsigned k = 0; k < TAKT_SAMPLE_PLACES; k++)
			if (register_in(insn, slot_of(k)) != register_in(&other, slot_of(k)))
				sample->places[k] = places[i];
		if (memchr(sample->places, places[i], sizeof(sample->places)) &&
		    word_of(sample) >> (places[i] + REGISTER_BITS) & 1)
			return false;
	}
	for (unsigned k = 0; k < TAKT_SAMPLE_PLACES; k++)
		if (register_in(insn, slot_of(k)) != TAKT_LOC_NONE &&
		    sample->places[k] == TAKT_SAMPLE_NO_PLACE)
			return false;
	return true;
}

/* Find the field of the displacement, if there is one, and make it positive. */
static void find_displacement(struct takt_sample *sample, const struct takt_insn *insn)
{
	for (size_t i = 0; insn->memory_count && i < TAKT_COUNT_OF(displacements); i++) {
		struct takt_insn other;
		int64_t unit;

		if (!decode_word(word_of(sample) + (UINT32_C(1) << displacements[i].place),
				 &other) ||
		    other.form != insn->form || !other.memory_count ||
		    other.memories[0].base != insn->memories[0].base)
			continue;
		unit = other.memories[0].displacement - insn->memories[0].displacement;
		if (unit < 1 || unit > 64)
			continue;
		sample->displacement_place = displacements[i].place;
		sample->displacement_bits = displacements[i].bits;
		sample->displacement_unit_bytes = (uint8_t)unit;
		if (displacements[i].is_signed)
			set_word((word_of(sample) & ~(UINT32_C(1) << (displacements[i].place +
								      displacements[i].bits))) |
					 UINT32_C(1) << displacements[i].place,
				 sample->bytes);
		return;
	}
}

/* True for instruction sets with state of their own, or whose results depend on keys. */
static bool is_foreign_set(const struct takt_insn *insn)
{
	static const char *const sets[] = {"a64-pauth", "a64-pauth-lr", "a64-mte",  "a64-ls64",
					   "a64-wfxt",	"a64-mops",	"a64-d128", "a64-the"};

	return takt_string_is_one_of(takt_isa_set_name(insn->isa_set), sets, TAKT_COUNT_OF(sets));
}

static bool is_wanted(const struct takt_insn *insn)
{
	return !(insn->flags &
		 (TAKT_INSN_BRANCH | TAKT_INSN_SERIALIZING | TAKT_INSN_ACCESSES_CUT)) &&
	       insn->insn_class != TAKT_CLASS_SYSTEM && !is_foreign_set(insn);
}

struct walk {
	struct takt_arena *arena;
	struct takt_map known; /* forms */
	struct takt_sample *samples;
	size_t count, capacity;
};

/* Add the word as the sample of its form. False if that is not wanted, or known already. */
static bool add_word(struct walk *walk, uint32_t word)
{
	struct takt_sample sample = {.length_bytes = sizeof(word)};
	struct takt_insn insn;

	set_word(word, sample.bytes);
	if (!decode_word(word, &insn) || !is_wanted(&insn))
		return false;
	sample.form = insn.form;
	if (takt_map_find(&walk->known, sample.form) || !find_places(&sample, &insn))
		return false;
	takt_map_get(&walk->known, sample.form);
	find_displacement(&sample, &insn);
	TAKT_GROW_IN(walk->arena, walk->samples, walk->count + 1, walk->capacity);
	walk->samples[walk->count++] = sample;
	return true;
}

/* Aliases have the zero register in one field or two: cmp, cset, mul, neg. */
static void add_aliases(struct walk *walk, uint32_t word)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(places); i++)
		for (size_t k = i; k < TAKT_COUNT_OF(places); k++)
			add_word(walk,
				 word | ZERO_REGISTER << places[i] | ZERO_REGISTER << places[k]);
}

const struct takt_sample *takt_aarch64_samples_find(struct takt_arena *arena, size_t *ret_count)
{
	struct walk walk = {.arena = arena};
	uint32_t opcodes = takt_aarch64_opcode_count();

	takt_map_init(&walk.known, sizeof(uint64_t), FORMS_MAX);
	for (uint32_t opcode = 0; opcode < opcodes; opcode++) {
		for (uint32_t variant = 0; variant < VARIANTS_MAX; variant++) {
			uint8_t bytes[16];
			int size = takt_aarch64_opcode_sample(opcode, variant, bytes);

			if (size < 0)
				break;
			if (size != (int)sizeof(uint32_t))
				continue;
			if (add_word(&walk, takt_word_at(bytes)) || variant == 0)
				add_aliases(&walk, takt_word_at(bytes));
		}
	}
	takt_map_release(&walk.known);
	*ret_count = walk.count;
	return walk.samples;
}

/* ---- instructions ----------------------------------------------------------- */

/* Set the register of a field; false if its number is too large for all fields. */
static bool set_register(unsigned place, unsigned location, uint32_t *word)
{
	bool predicate = takt_location_is_mask(location);
	unsigned bits = predicate ? PREDICATE_BITS : REGISTER_BITS;
	uint32_t mask = (UINT32_C(1) << bits) - 1;
	unsigned first = predicate			    ? TAKT_LOC_MASK
			 : takt_aarch64_is_vector(location) ? TAKT_LOC_VECTOR
							    : TAKT_LOC_GPR;

	if (location - first > mask)
		return false;
	*word = (*word & ~(mask << place)) | (location - first) << place;
	return true;
}

static void set_displacement(const struct takt_sample *sample, int32_t displacement, uint32_t *word)
{
	uint32_t mask = (UINT32_C(1) << sample->displacement_bits) - 1;
	uint32_t field = (uint32_t)displacement / sample->displacement_unit_bytes;

	*word = (*word & ~(mask << sample->displacement_place)) |
		(field & mask) << sample->displacement_place;
}

size_t takt_aarch64_sample_encode(const struct takt_sample *sample,
				  const struct takt_choice *choice,
				  uint8_t ret_bytes[TAKT_X86_LENGTH_MAX])
{
	uint32_t word = word_of(sample);

	/* The last operands first: one that is written and read again later is chosen by the first.
	 */
	for (unsigned k = TAKT_SAMPLE_PLACES; k-- > 0;) {
		uint8_t location = k < TAKT_FORM_OPERANDS_MAX	 ? choice->registers[k]
				   : k == TAKT_FORM_OPERANDS_MAX ? choice->base
								 : choice->index;

		if (sample->places[k] != TAKT_SAMPLE_NO_PLACE && location != TAKT_LOC_NONE &&
		    !set_register(sample->places[k], location, &word))
			return 0;
	}
	if (sample->displacement_unit_bytes && choice->displacement)
		set_displacement(sample, choice->displacement, &word);
	set_word(word, ret_bytes);
	return sizeof(word);
}
