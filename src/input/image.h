/* SPDX-License-Identifier: MIT */
/*
 * image: executable sections and the symbols in them, to which every kind of input is converted.
 * Pointers lead into the input's bytes or into the image's arena; both outlive the image.
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
	uint32_t elf_index; /* index in the section header table */
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
	/* The instruction set: before reading the one that the caller wants, or NULL. */
	const struct takt_isa *isa;
	struct takt_section *sections;
	uint32_t section_count;
	const struct takt_symbol *symbols; /* by section, address; functions before labels */
	size_t symbol_count;
	const uint64_t *starts; /* ascending addresses of functions in the unwind table */
	size_t start_count;
	bool relocatable;
	bool stripped; /* there is no .symtab */
	bool has_debug_line;
	const char *debug_fault; /* why debug information must not be read, or NULL */
};

/*
 * reference.c: return takt's own instruction set with the same encoding as a set that LLVM
 * decodes, for what this module knows of bytes and text; the set itself if there is none.
 */
const struct takt_isa *takt_encoding_of(const struct takt_isa *isa);

/* elf.c: read an ELF file into an image. */
enum takt_status takt_elf_read(const uint8_t *data, size_t size_bytes, struct takt_arena *arena,
			       struct takt_diag *diag, struct takt_image *image);

/*
 * elf_words.c: the class and byte order of an ELF file, and functions that read its records. The
 * caller checks that the bytes of a record are there.
 */
struct takt_elf_words {
	bool is_32bit, big_endian;
};

size_t takt_elf_header_bytes(struct takt_elf_words words);
size_t takt_elf_section_bytes(struct takt_elf_words words); /* size of a section header */
size_t takt_elf_symbol_bytes(struct takt_elf_words words);
Elf64_Ehdr takt_elf_header(const uint8_t *bytes, struct takt_elf_words words);
Elf64_Sym takt_elf_symbol(const uint8_t *bytes, struct takt_elf_words words);

/* symbols.c: an ELF symbol table with its strings, both checked to lie within the file. */
struct takt_symbol_table {
	struct takt_elf_words words;
	const uint8_t *entries;
	size_t entry_count;
	const char *strings; /* NUL-terminated as a whole */
	size_t strings_size_bytes;
	/* Section indices of symbols whose own field is too small (SHN_XINDEX), or NULL. */
	const uint8_t *indices; /* 32 bits for each symbol */
	size_t index_count;
};

/* symbols.c: return the section header index of a symbol; SHN_UNDEF if it has no section. */
uint32_t takt_symbol_section(const struct takt_symbol_table *table, size_t entry,
			     const Elf64_Sym *symbol);

/* Return the image's index of the section with this index in the file, or section_count. */
uint32_t takt_section_find(const struct takt_image *image, uint32_t elf_index);
void takt_symbols_read(const struct takt_symbol_table *table, struct takt_arena *arena,
		       struct takt_image *image);
/* Find the symbol of an address: the function around it, or else the label before it, or NULL. */
const struct takt_symbol *takt_symbol_around(const struct takt_image *image, uint32_t section,
					     uint64_t address);
/* Return the index of the first symbol in `section` at or after `address`, or symbol_count. */
size_t takt_symbol_after(const struct takt_image *image, uint32_t section, uint64_t address);

/* relocate.c: the relocations of one executable section of an object file. */
struct takt_relocations {
	const uint8_t *entries; /* Elf64_Rela */
	size_t entry_count;
	struct takt_symbol_table symbols;
	const uint64_t *layout; /* addresses of all sections, then the first free address */
	size_t section_count;
};

/*
 * Replace section->bytes by a copy in which references lead to distinct addresses, as a linker
 * would make them, and branches within the section lead to their targets.
 */
void takt_section_relocate(struct takt_section *section, const struct takt_isa *isa,
			   const struct takt_relocations *relocations, struct takt_arena *arena);

/* relocate.c: one relocation, with the terms of its formulas. Addresses count from one origin. */
struct takt_fixup {
	const struct takt_section *section; /* its copy is written */
	uint64_t offset;		    /* in the section */
	unsigned type;
	uint64_t place;	  /* address of what is relocated */
	uint64_t address; /* address of the symbol plus the addend */
	uint64_t slot;	  /* address of the slot that holds the symbol's address, plus the addend */
};

void takt_fixup_apply(const struct takt_isa *isa, const struct takt_fixup *fixup);
/* Return true if the type refers to the slot that holds the symbol's address. */
bool takt_fixup_uses_slot(const struct takt_isa *isa, unsigned type);
/* Return true if the relocated field is 0, as before linking, or lies outside the section. */
bool takt_fixup_is_open(const struct takt_isa *isa, const struct takt_fixup *fixup);

/*
 * compression.c: check the headers of compressed sections, which libdw trusts. Return the fault
 * of one of them, in the arena, or NULL.
 */
const char *takt_compression_fault(Elf *elf, size_t section_count, size_t names_index,
				   struct takt_arena *arena);
/* Return the name of a debug section that libdw has left compressed, or NULL. */
const char *takt_compressed_section(Elf *elf);

/* unwind.c: read the addresses of functions from the contents of .eh_frame_hdr. */
void takt_unwind_read(const uint8_t *data, size_t size_bytes, uint64_t address,
		      struct takt_arena *arena, struct takt_image *image);

#endif
