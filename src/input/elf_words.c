/* SPDX-License-Identifier: MIT */
/* Reads records of ELF files of either class and byte order as 64-bit records of this machine. */
#include <elf.h>
#include <string.h>

#include "input/image.h"

/* Reads fields one after the other. */
struct fields {
	const uint8_t *next;
	bool big_endian;
};

static uint64_t take(struct fields *fields, unsigned size_bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size_bytes; i++) {
		unsigned place = fields->big_endian ? size_bytes - 1 - i : i;

		value |= (uint64_t)fields->next[i] << 8 * place;
	}
	fields->next += size_bytes;
	return value;
}

static unsigned word_bytes(struct takt_elf_words words)
{
	return words.is_32bit ? 4 : 8;
}

size_t takt_elf_header_bytes(struct takt_elf_words words)
{
	return words.is_32bit ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
}

size_t takt_elf_section_bytes(struct takt_elf_words words)
{
	return words.is_32bit ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
}

size_t takt_elf_symbol_bytes(struct takt_elf_words words)
{
	return words.is_32bit ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

Elf64_Ehdr takt_elf_header(const uint8_t *bytes, struct takt_elf_words words)
{
	struct fields fields = {bytes + EI_NIDENT, words.big_endian};
	Elf64_Ehdr header;

	memcpy(header.e_ident, bytes, EI_NIDENT);
	header.e_type = (Elf64_Half)take(&fields, 2);
	header.e_machine = (Elf64_Half)take(&fields, 2);
	header.e_version = (Elf64_Word)take(&fields, 4);
	header.e_entry = take(&fields, word_bytes(words));
	header.e_phoff = take(&fields, word_bytes(words));
	header.e_shoff = take(&fields, word_bytes(words));
	header.e_flags = (Elf64_Word)take(&fields, 4);
	header.e_ehsize = (Elf64_Half)take(&fields, 2);
	header.e_phentsize = (Elf64_Half)take(&fields, 2);
	header.e_phnum = (Elf64_Half)take(&fields, 2);
	header.e_shentsize = (Elf64_Half)take(&fields, 2);
	header.e_shnum = (Elf64_Half)take(&fields, 2);
	header.e_shstrndx = (Elf64_Half)take(&fields, 2);
	return header;
}

Elf64_Sym takt_elf_symbol(const uint8_t *bytes, struct takt_elf_words words)
{
	struct fields fields = {bytes, words.big_endian};
	Elf64_Sym symbol;

	symbol.st_name = (Elf64_Word)take(&fields, 4);
	if (words.is_32bit) {
		symbol.st_value = take(&fields, 4);
		symbol.st_size = take(&fields, 4);
	}
	symbol.st_info = (unsigned char)take(&fields, 1);
	symbol.st_other = (unsigned char)take(&fields, 1);
	symbol.st_shndx = (Elf64_Section)take(&fields, 2);
	if (!words.is_32bit) {
		symbol.st_value = take(&fields, 8);
		symbol.st_size = take(&fields, 8);
	}
	return symbol;
}
