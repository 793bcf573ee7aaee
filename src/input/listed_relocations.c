/* SPDX-License-Identifier: MIT */
/*
 * Applies the relocations that objdump -dr prints between the instructions of an object file, in
 * whose bytes references are 0. Places of symbols are not printed, so each is put away from the
 * others: the same symbol and addend is the same address, different symbols never overlap.
 */
#include <string.h>

#include "input/listing.h"

/*
 * Distance of two symbols. It is longer than what instructions in flight reach by strides, so that
 * no array runs into the next one, and no multiple of a page, so that none seem to collide in one.
 */
#define DISTANCE_BYTES (65536u + TAKT_LINE_BYTES)

#define TYPE(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static const struct {
	const char *name;
	unsigned type;
} types[] = {
	TYPE(R_X86_64_PC32),
	TYPE(R_X86_64_PLT32),
	TYPE(R_X86_64_PC8),
	TYPE(R_X86_64_32),
	TYPE(R_X86_64_32S),
	TYPE(R_X86_64_64),
	TYPE(R_X86_64_GOTPCREL),
	TYPE(R_X86_64_GOTPCRELX),
	TYPE(R_X86_64_REX_GOTPCRELX),
	TYPE(R_X86_64_GOTTPOFF),
	TYPE(R_AARCH64_JUMP26),
	TYPE(R_AARCH64_CALL26),
	TYPE(R_AARCH64_CONDBR19),
	TYPE(R_AARCH64_TSTBR14),
	TYPE(R_AARCH64_LD_PREL_LO19),
	TYPE(R_AARCH64_ADR_PREL_LO21),
	TYPE(R_AARCH64_ADR_PREL_PG_HI21),
	TYPE(R_AARCH64_ADR_PREL_PG_HI21_NC),
	TYPE(R_AARCH64_ADR_GOT_PAGE),
	TYPE(R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21),
	TYPE(R_AARCH64_LD64_GOT_LO12_NC),
	TYPE(R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC),
	TYPE(R_AARCH64_ADD_ABS_LO12_NC),
	TYPE(R_AARCH64_LDST8_ABS_LO12_NC),
	TYPE(R_AARCH64_LDST16_ABS_LO12_NC),
	TYPE(R_AARCH64_LDST32_ABS_LO12_NC),
	TYPE(R_AARCH64_LDST64_ABS_LO12_NC),
	TYPE(R_AARCH64_LDST128_ABS_LO12_NC),
};

/* Read the hexadecimal number that is the rest of the text; false if it is something else. */
static bool read_hex(const char *at, const char *end, uint64_t *ret_number)
{
	*ret_number = 0;
	if (at == end)
		return false;
	for (; at < end; at++) {
		int digit = takt_hex_digit(*at);

		if (digit < 0)
			return false;
		*ret_number = *ret_number << 4 | (unsigned)digit;
	}
	return true;
}

bool takt_listed_relocation_read(const char *text, size_t size_bytes,
				 struct takt_listed_relocation *ret)
{
	const char *end = text + size_bytes, *name = text, *name_end = end;
	struct takt_listed_relocation relocation = {0};
	uint64_t number;

	while (name < end && !takt_is_blank(*name))
		name++;
	for (size_t i = 0; i < TAKT_COUNT_OF(types) && !relocation.type; i++)
		if (takt_string_is(types[i].name, text, (size_t)(name - text)))
			relocation.type = types[i].type;
	while (name < end && takt_is_blank(*name))
		name++;
	if (!relocation.type || name == end || *name == '*')
		return false;
	for (const char *at = end - 3; at > name; at--) {
		if ((*at != '+' && *at != '-') || memcmp(at + 1, "0x", 2) != 0)
			continue;
		if (read_hex(at + 3, end, &number)) {
			relocation.addend = *at == '-' ? 0 - number : number;
			name_end = at;
		}
		break;
	}
	relocation.name = name;
	relocation.name_bytes = (size_t)(name_end - name);
	*ret = relocation;
	return true;
}

/* Return the size of the field that an x86-64 relocation changes. */
static size_t field_bytes(unsigned type)
{
	return type == R_X86_64_64 ? 8 : type == R_X86_64_PC8 ? 1 : 4;
}

/* True if a ModRM byte says that a SIB byte and a displacement of four bytes follow it. */
static bool has_sib_byte(uint8_t byte)
{
	return (byte & 0xc7) == 0x84;
}

/* True if the first byte of a run of zeros is a SIB byte, and not the displacement after it. */
static bool is_sib_byte(const uint8_t *bytes, size_t at)
{
	return has_sib_byte(bytes[at - 1]) && !(at > 2 && has_sib_byte(bytes[at - 2]));
}

/*
 * Find the place of a relocation in an instruction of an object file, at the address: its field is
 * 0, and the first such one after the opcode, or after that of the relocation before it in the
 * instruction, if that is not NULL. A displacement is before an immediate. False if there is none.
 */
static bool find_place(struct takt_listed_relocation *relocation, uint64_t address,
		       const uint8_t *bytes, size_t size_bytes,
		       const struct takt_listed_relocation *before)
{
	static const uint8_t zeros[8];
	size_t field = field_bytes(relocation->type);
	size_t at = before ? before->address - address + field_bytes(before->type) : 1;

	relocation->address = address;
	if (relocation->type >= R_AARCH64_ABS64)
		return true;
	while (at + field <= size_bytes && memcmp(bytes + at, zeros, field) != 0)
		at++;
	if (at + field < size_bytes && !bytes[at + field] && is_sib_byte(bytes, at))
		at++;
	relocation->address += at;
	return at + field <= size_bytes;
}

void takt_listed_relocation_add(struct takt_source *source,
				struct takt_listed_relocation relocation)
{
	const struct takt_listed_relocation *before = NULL;
	size_t first = source->listed_count - 1, size = 0;
	uint8_t bytes[INSN_BYTES_MAX];

	while (first > 0 && source->listed[first].kind == TAKT_LISTED_BYTES)
		first--;
	for (size_t i = first; i < source->listed_count; i++)
		for (uint8_t b = 0; b < source->listed[i].size_bytes && size < sizeof(bytes); b++)
			bytes[size++] = source->listed[i].bytes[b];
	if (source->relocation_count)
		before = &source->relocations[source->relocation_count - 1];
	if (before && before->listed != first)
		before = NULL;
	relocation.listed = first;
	if (find_place(&relocation, source->listed[first].address, bytes, size, before))
		source->relocations[source->relocation_count++] = relocation;
}

/* A place that relocations name, or the slot that holds its address. */
struct place {
	uint64_t key;
	int64_t first, last; /* the least and the greatest addend */
	uint64_t outside;    /* the address for relocations of other sections than its own */
	uint64_t address;    /* the address that the text states, if it has a section */
	const char *section; /* its section if the text has it, else NULL */
	bool is_used, is_placed;
};

struct relocating {
	const struct takt_code *code;
	const struct takt_isa *isa;
	struct takt_map places;
	uint32_t section; /* index of the section in which the last relocation lies */
	size_t listed;	  /* index of the line that was looked for last */
	uint64_t before;  /* bytes of all lines before it */
};

static struct place *get_place(struct relocating *r, const char *name, size_t size_bytes,
			       bool is_slot)
{
	uint64_t key = takt_hash_bytes(name, size_bytes) ^ (is_slot ? UINT64_MAX : 0);

	return takt_map_get(&r->places, key ? key : 1);
}

static struct place *place_of(struct relocating *r, const struct takt_listed_relocation *relocation)
{
	return get_place(r, relocation->name, relocation->name_bytes,
			 takt_fixup_uses_slot(r->isa, relocation->type));
}

/* Add the functions of the text, whose addresses it states, and sections, which begin at 0. */
static void add_known(struct relocating *r)
{
	const struct takt_image *image = &r->code->image;

	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct takt_symbol *symbol = &image->symbols[i];
		struct place *place = get_place(r, symbol->name, strlen(symbol->name), false);

		if (place && !place->section) {
			place->section = image->sections[symbol->section].name;
			place->address = symbol->address;
		}
	}
	for (uint32_t i = 0; i < image->section_count; i++) {
		const char *name = image->sections[i].name;
		struct place *place = get_place(r, name, strlen(name), false);

		if (place && !place->section)
			place->section = name;
	}
}

/* Return the section of the image in which a relocation lies; relocations come in order. */
static struct takt_section *find_section(struct relocating *r,
					 const struct takt_listed_relocation *relocation)
{
	const struct takt_source *source = &r->code->source;
	struct takt_section *sections = r->code->image.sections;

	for (; r->listed < relocation->listed; r->listed++)
		r->before += source->listed[r->listed].size_bytes;
	while (r->section + 1 < r->code->image.section_count &&
	       sections[r->section + 1].copy <= sections[0].copy + r->before)
		r->section++;
	return &sections[r->section];
}

/* True if the relocation names what is in its own section, at an address that the text states. */
static bool is_known(const struct place *place, const struct takt_section *section)
{
	return place->section && strcmp(place->section, section->name) == 0;
}

static void lay_out(struct relocating *r)
{
	const struct takt_source *source = &r->code->source;
	const struct takt_image *image = &r->code->image;
	uint64_t next = 0;

	for (uint32_t i = 0; i < image->section_count; i++) {
		uint64_t end = image->sections[i].address + image->sections[i].size_bytes;

		next = end > next ? end : next;
	}
	for (size_t i = 0; i < source->relocation_count; i++) {
		struct place *place = place_of(r, &source->relocations[i]);
		int64_t addend = (int64_t)source->relocations[i].addend;

		if (!place)
			continue;
		if (!place->is_used || addend < place->first)
			place->first = addend;
		if (!place->is_used || addend > place->last)
			place->last = addend;
		place->is_used = true;
	}
	for (size_t i = 0; i < source->relocation_count; i++) {
		struct place *place = place_of(r, &source->relocations[i]);

		if (!place || place->is_placed)
			continue;
		place->is_placed = true;
		next = (next + DISTANCE_BYTES - (uint64_t)place->first) &
		       ~(uint64_t)(TAKT_LINE_BYTES - 1);
		place->outside = next;
		next += (uint64_t)place->last;
	}
}

static struct takt_fixup fixup_of(struct relocating *r,
				  const struct takt_listed_relocation *relocation)
{
	const struct place *place = place_of(r, relocation);
	struct takt_fixup fixup = {.type = relocation->type, .place = relocation->address};

	fixup.section = find_section(r, relocation);
	fixup.offset = relocation->address - fixup.section->address;
	if (place)
		fixup.address = fixup.slot =
			relocation->addend +
			(is_known(place, fixup.section) ? place->address : place->outside);
	return fixup;
}

static void rewind_sections(struct relocating *r)
{
	r->section = 0;
	r->listed = 0;
	r->before = 0;
}

void takt_listing_relocate(struct takt_code *code)
{
	struct relocating r = {.code = code, .isa = takt_encoding_of(code->image.isa)};
	const struct takt_source *source = &code->source;
	bool is_linked = false;

	if (!source->relocation_count)
		return;
	takt_map_init(&r.places, sizeof(struct place), SIZE_MAX);
	add_known(&r);
	lay_out(&r);
	for (size_t i = 0; i < source->relocation_count; i++) {
		struct takt_fixup fixup = fixup_of(&r, &source->relocations[i]);

		is_linked |= !takt_fixup_is_open(r.isa, &fixup);
	}
	rewind_sections(&r);
	for (size_t i = 0; i < source->relocation_count && !is_linked; i++) {
		struct takt_fixup fixup = fixup_of(&r, &source->relocations[i]);

		takt_fixup_apply(r.isa, &fixup);
	}
	takt_map_release(&r.places);
}
