/* SPDX-License-Identifier: MIT */
/*
 * image: what every kind of input becomes: executable sections and the symbols
 * in them. Pointers lead into the input's bytes or into the image's arena; both
 * outlive the image.
 */
#ifndef TAKT_INPUT_IMAGE_H
#define TAKT_INPUT_IMAGE_H

#include <elf.h>
#include <libelf.h>

#include "isa/isa.h"

struct takt_section {
	const char *name;
	const uint8_t *bytes;
	size_t size_bytes;
	uint64_t address;   /* 0 in relocatable files, so that addresses are section offsets */
	uint32_t elf_index; /* in the section header table */
	uint8_t *copy;	    /* the bytes with relocations applied, if any, else NULL */
};

struct takt_symbol {
	const char *name;
	uint64_t address, size_bytes; /* a size of 0 is extended to the next symbol */
	uint32_t section;	      /* index into takt_image.sections */
	bool is_function;	      /* otherwise a plain label */
	bool is_global;
};

struct takt_image {
	const char *file; /* for messages */
	/* The instruction set: before reading, what is wanted or NULL; then what it is. */
	const struct takt_isa *isa;
	struct takt_section *sections;
	uint32_t section_count;
	const struct takt_symbol *symbols; /* by section, address; functions before labels */
	size_t symbol_count;
	const uint64_t *starts; /* ascending addresses where the unwind table has functions begin */
	size_t start_count;
	bool relocatable;
	bool stripped; /* no .symtab */
	bool has_debug_line;
	const char *debug_fault; /* why the debug information is not to be read, or NULL */
};

/*
 * reference.c: takt's own set with the encoding of a set that LLVM decodes, for all that is
 * known of bytes and text here; the set itself if there is none.
 */
const struct takt_isa *takt_encoding_of(const struct takt_isa *isa);

/* elf.c */
enum takt_status takt_elf_read(const uint8_t *data, size_t size_bytes, struct takt_arena *arena,
			       struct takt_diag *diag, struct takt_image *image);

/* elf_words.c: how a file's records are written, and reading them; sizes are to be checked. */
struct takt_elf_words {
	bool is_32bit, big_endian;
};

size_t takt_elf_header_bytes(struct takt_elf_words words);
size_t takt_elf_section_bytes(struct takt_elf_words words); /* of a section header */
size_t takt_elf_symbol_bytes(struct takt_elf_words words);
Elf64_Ehdr takt_elf_header(const uint8_t *bytes, struct takt_elf_words words);
Elf64_Sym takt_elf_symbol(const uint8_t *bytes, struct takt_elf_words words);

/* symbols.c: an ELF symbol table with its strings, both within the file. */
struct takt_symbol_table {
	struct takt_elf_words words;
	const uint8_t *entries;
	size_t entry_count;
	const char *strings; /* NUL-terminated as a whole */
	size_t strings_size_bytes;
	/* Sections of symbols whose own field is too small for them (SHN_XINDEX), or NULL. */
	const uint8_t *indices; /* 32 bits for each entry */
	size_t index_count;
};

/* symbols.c: the section of an entry in the section header table; SHN_UNDEF if it has none. */
uint32_t takt_symbol_section(const struct takt_symbol_table *table, size_t entry,
			     const Elf64_Sym *symbol);

/* Index of the section with this index in the file, or section_count. */
uint32_t takt_section_find(const struct takt_image *image, uint32_t elf_index);
void takt_symbols_read(const struct takt_symbol_table *table, struct takt_arena *arena,
		       struct takt_image *image);
/* The symbol an address belongs to: a function around it, or the label before it; or NULL. */
const struct takt_symbol *takt_symbol_around(const struct takt_image *image, uint32_t section,
					     uint64_t address);
/* First symbol in `section` at or after `address`; symbol_count if none. */
size_t takt_symbol_after(const struct takt_image *image, uint32_t section, uint64_t address);

/* relocate.c: the relocations of one executable section of an object file. */
struct takt_relocations {
	const uint8_t *entries; /* Elf64_Rela */
	size_t entry_count;
	struct takt_symbol_table symbols;
	const uint64_t *layout; /* addresses of all sections, and what is free after them */
	size_t section_count;
};

/*
 * Replaces section->bytes by a copy in which references lead to distinct
 * addresses, as a linker would make them; branches within the section become real.
 */
void takt_section_relocate(struct takt_section *section, const struct takt_isa *isa,
			   const struct takt_relocations *relocations, struct takt_arena *arena);

/*
 * compression.c: checks the headers of compressed sections, which libdw trusts. Returns what is
 * wrong with one of them, in the arena, or NULL.
 */
const char *takt_compression_fault(Elf *elf, size_t section_count, size_t names_index,
				   struct takt_arena *arena);
/* The name of a debug section that is still compressed after libdw has read the file, or NULL. */
const char *takt_compressed_section(Elf *elf);

/* unwind.c: where functions begin, from the contents of .eh_frame_hdr. */
void takt_unwind_read(const uint8_t *data, size_t size_bytes, uint64_t address,
		      struct takt_arena *arena, struct takt_image *image);

#endif
