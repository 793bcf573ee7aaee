/* SPDX-License-Identifier: MIT */
/*
 * Relocations of executable sections in object files. The analysis needs no true
 * addresses, but it must see that two instructions refer to the same variable and
 * that a branch to a global label of its own section is a loop. So the sections
 * stand one after the other, and undefined symbols behind them, a line each.
 */
#include <elf.h>
#include <string.h>

#include "input/image.h"

#define SYMBOL_SPACING_BYTES 64u

/* Addresses count from the section that is relocated. */
static uint64_t symbol_address(const struct takt_relocations *relocations,
			       const struct takt_section *section, const Elf64_Sym *symbol,
			       uint64_t index)
{
	const uint64_t *layout = relocations->layout;
	uint64_t base = layout[section->elf_index];

	if (symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < relocations->section_count)
		return layout[symbol->st_shndx] - base + symbol->st_value;
	return layout[relocations->section_count] - base + index * SYMBOL_SPACING_BYTES;
}

/* A slot for the symbol's address, behind all undefined symbols. */
static uint64_t got_address(const struct takt_relocations *relocations,
			    const struct takt_section *section, uint64_t index)
{
	index += relocations->symbols.entry_count;
	return relocations->layout[relocations->section_count] -
	       relocations->layout[section->elf_index] + index * SYMBOL_SPACING_BYTES;
}

static void apply(const struct takt_relocations *relocations, const struct takt_section *section,
		  const Elf64_Rela *rela, const Elf64_Sym *symbol)
{
	uint64_t index = ELF64_R_SYM(rela->r_info);
	uint64_t value = symbol_address(relocations, section, symbol, index);
	size_t size = 4;

	switch (ELF64_R_TYPE(rela->r_info)) {
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
	case R_X86_64_GOTTPOFF:
		value = got_address(relocations, section, index) - rela->r_offset;
		break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		value -= rela->r_offset;
		break;
	case R_X86_64_PC8:
		value -= rela->r_offset;
		size = 1;
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		break;
	case R_X86_64_64:
		size = 8;
		break;
	default:
		return;
	}
	value += (uint64_t)rela->r_addend;
	if (rela->r_offset <= section->size_bytes && size <= section->size_bytes - rela->r_offset)
		memcpy(section->copy + rela->r_offset, &value, size);
}

void takt_section_relocate(struct takt_section *section, const struct takt_relocations *relocations,
			   struct takt_arena *arena)
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
		apply(relocations, section, &rela, &symbol);
	}
}
