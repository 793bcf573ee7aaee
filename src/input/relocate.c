/* SPDX-License-Identifier: MIT */
/*
 * Applies relocations of executable sections in object files. The analysis needs no true
 * addresses, but it must see that two instructions refer to the same variable and that a branch to
 * a global label of its own section is a loop. So the sections are placed one after the other, and
 * undefined symbols after them, a cache line each.
 */
#include <elf.h>
#include <string.h>

#include "input/code.h"

#define SYMBOL_SPACING_BYTES 64u

/* Return a symbol's address, counted from the section that is relocated. */
static uint64_t symbol_address(const struct takt_relocations *relocations,
			       const struct takt_section *section, const Elf64_Sym *symbol,
			       uint64_t index)
{
	uint32_t home = takt_symbol_section(&relocations->symbols, index, symbol);
	const uint64_t *layout = relocations->layout;
	uint64_t base = layout[section->elf_index];

	if (home != SHN_UNDEF && home < relocations->section_count)
		return layout[home] - base + symbol->st_value;
	return layout[relocations->section_count] - base + index * SYMBOL_SPACING_BYTES;
}

/* Return the address of the slot that holds the symbol's address, after all undefined symbols. */
static uint64_t got_address(const struct takt_relocations *relocations,
			    const struct takt_section *section, uint64_t index)
{
	index += relocations->symbols.entry_count;
	return relocations->layout[relocations->section_count] -
	       relocations->layout[section->elf_index] + index * SYMBOL_SPACING_BYTES;
}

static void store(const struct takt_fixup *fixup, uint64_t value, size_t size)
{
	const struct takt_section *section = fixup->section;

	if (fixup->offset <= section->size_bytes && size <= section->size_bytes - fixup->offset)
		memcpy(section->copy + fixup->offset, &value, size);
}

static void apply_x86(const struct takt_fixup *fixup)
{
	switch (fixup->type) {
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
	case R_X86_64_GOTTPOFF:
		store(fixup, fixup->slot - fixup->place, 4);
		break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		store(fixup, fixup->address - fixup->place, 4);
		break;
	case R_X86_64_PC8:
		store(fixup, fixup->address - fixup->place, 1);
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		store(fixup, fixup->address, 4);
		break;
	case R_X86_64_64:
		store(fixup, fixup->address, 8);
		break;
	default:
		break;
	}
}

/* Set the 12-bit immediate of add, or of a load or store in units of its size. */
static void set_low12(uint8_t *insn, uint64_t value, unsigned scale)
{
	uint32_t word;

	memcpy(&word, insn, sizeof(word));
	word = (word & ~((uint32_t)0xfff << 10)) | (uint32_t)(value >> scale & 0xfff) << 10;
	memcpy(insn, &word, sizeof(word));
}

/* The value of an AArch64 relocation and the field that it sets. */
struct aarch64_kind {
	unsigned type;
	bool is_low;   /* sets the 12-bit immediate, else the relative reference */
	bool of_slot;  /* uses the address of the symbol's slot */
	uint8_t scale; /* scale of the 12 bits, as a shift */
	uint8_t above; /* number of bits below those 12, which other instructions hold */
};

static const struct aarch64_kind aarch64_kinds[] = {
	{.type = R_AARCH64_JUMP26},
	{.type = R_AARCH64_CALL26},
	{.type = R_AARCH64_CONDBR19},
	{.type = R_AARCH64_TSTBR14},
	{.type = R_AARCH64_LD_PREL_LO19},
	{.type = R_AARCH64_ADR_PREL_LO21},
	{.type = R_AARCH64_ADR_PREL_PG_HI21},
	{.type = R_AARCH64_ADR_PREL_PG_HI21_NC},
	{.type = R_AARCH64_ADR_GOT_PAGE, .of_slot = true},
	{.type = R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, .of_slot = true},
	{.type = R_AARCH64_LD64_GOT_LO12_NC, .is_low = true, .of_slot = true, .scale = 3},
	{.type = R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC,
	 .is_low = true,
	 .of_slot = true,
	 .scale = 3},
	{.type = R_AARCH64_ADD_ABS_LO12_NC, .is_low = true},
	{.type = R_AARCH64_LDST8_ABS_LO12_NC, .is_low = true},
	{.type = R_AARCH64_LDST16_ABS_LO12_NC, .is_low = true, .scale = 1},
	{.type = R_AARCH64_LDST32_ABS_LO12_NC, .is_low = true, .scale = 2},
	{.type = R_AARCH64_LDST64_ABS_LO12_NC, .is_low = true, .scale = 3},
	{.type = R_AARCH64_LDST128_ABS_LO12_NC, .is_low = true, .scale = 4},
	{.type = R_AARCH64_TLSLE_ADD_TPREL_LO12, .is_low = true},
	{.type = R_AARCH64_TLSLE_ADD_TPREL_LO12_NC, .is_low = true},
	{.type = R_AARCH64_TLSLE_ADD_TPREL_HI12, .is_low = true, .above = 12},
};

static void apply_aarch64(const struct takt_fixup *fixup)
{
	const struct takt_section *section = fixup->section;

	if (fixup->offset > section->size_bytes || section->size_bytes - fixup->offset < 4)
		return;
	for (size_t i = 0; i < TAKT_COUNT_OF(aarch64_kinds); i++) {
		const struct aarch64_kind *kind = &aarch64_kinds[i];
		uint64_t value = kind->of_slot ? fixup->slot : fixup->address;
		uint8_t *insn = section->copy + fixup->offset;

		if (kind->type != fixup->type)
			continue;
		if (kind->is_low)
			set_low12(insn, value >> kind->above & 0xfff, kind->scale);
		else
			(void)takt_reference_write(&takt_isa_aarch64, insn, fixup->place, NULL,
						   value);
		return;
	}
}

void takt_fixup_apply(const struct takt_isa *isa, const struct takt_fixup *fixup)
{
	if (isa == &takt_isa_x86)
		apply_x86(fixup);
	else if (isa == &takt_isa_aarch64)
		apply_aarch64(fixup);
}

bool takt_fixup_uses_slot(const struct takt_isa *isa, unsigned type)
{
	if (isa == &takt_isa_x86)
		return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
		       type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_GOTTPOFF;
	for (size_t i = 0; i < TAKT_COUNT_OF(aarch64_kinds); i++)
		if (aarch64_kinds[i].type == type)
			return aarch64_kinds[i].of_slot;
	return false;
}

bool takt_fixup_is_open(const struct takt_isa *isa, const struct takt_fixup *fixup)
{
	const struct takt_section *section = fixup->section;
	uint8_t bytes[8] = {0};
	struct takt_section copy = {.size_bytes = sizeof(bytes), .copy = bytes};
	size_t size;

	if (fixup->offset >= section->size_bytes)
		return true;
	size = section->size_bytes - fixup->offset;
	size = size < sizeof(bytes) ? size : sizeof(bytes);
	memcpy(bytes, section->copy + fixup->offset, size);
	takt_fixup_apply(isa, &(struct takt_fixup){.section = &copy, .type = fixup->type});
	return memcmp(bytes, section->copy + fixup->offset, size) == 0;
}

static void apply(const struct takt_isa *isa, const struct takt_relocations *relocations,
		  const struct takt_section *section, const Elf64_Rela *rela,
		  const Elf64_Sym *symbol)
{
	uint64_t index = ELF64_R_SYM(rela->r_info), addend = (uint64_t)rela->r_addend;
	const struct takt_fixup fixup = {
		.section = section,
		.offset = rela->r_offset,
		.place = rela->r_offset,
		.type = (unsigned)ELF64_R_TYPE(rela->r_info),
		.address = symbol_address(relocations, section, symbol, index) + addend,
		.slot = got_address(relocations, section, index) + addend,
	};

	takt_fixup_apply(isa, &fixup);
}

void takt_section_relocate(struct takt_section *section, const struct takt_isa *isa,
			   const struct takt_relocations *relocations, struct takt_arena *arena)
{
	if (!section->copy) {
		section->copy = TAKT_NEW_ARRAY(arena, section->size_bytes, uint8_t);
		memcpy(section->copy, section->bytes, section->size_bytes);
		section->bytes = section->copy;
	}
	for (size_t i = 0; i < relocations->entry_count; i++) {
		Elf64_Sym symbol;
		Elf64_Rela rela;

		memcpy(&rela, relocations->entries + i * sizeof(rela), sizeof(rela));
		if (ELF64_R_SYM(rela.r_info) >= relocations->symbols.entry_count)
			continue;
		memcpy(&symbol,
		       relocations->symbols.entries + ELF64_R_SYM(rela.r_info) * sizeof(symbol),
		       sizeof(symbol));
		apply(isa, relocations, section, &rela, &symbol);
	}
}
