/* SPDX-License-Identifier: MIT */
/* Inputs made in memory: small ELF files, and text through takt_code_open(). */
#ifndef TAKT_TESTS_INPUT_FIXTURE_H
#define TAKT_TESTS_INPUT_FIXTURE_H

#include <elf.h>
#include <unistd.h>

#include "../tap.h"
#include "input/code.h"

#define FIXTURE_BYTES 8192

struct fixture_symbol {
	const char *name;
	uint64_t value, size;
	unsigned char info;
	uint16_t section; /* 1 is .text, 2 is .text.cold, 0 is undefined */
};

struct fixture_spec {
	uint16_t type; /* ET_REL if 0 */
	const void *text;
	size_t text_size;
	const void *cold; /* a second executable section */
	size_t cold_size;
	uint64_t text_address;
	const struct fixture_symbol *symbols;
	size_t symbol_count;
	const Elf64_Rela *relocations; /* of .text; symbols count from 1 */
	size_t relocation_count;
};

/* Section indices */
enum { FX_TEXT = 1, FX_COLD, FX_SYMTAB, FX_STRTAB, FX_SHSTRTAB, FX_RELA, FX_COUNT };

struct fixture {
	_Alignas(16) unsigned char data[FIXTURE_BYTES];
	size_t size;
	Elf64_Shdr sections[FX_COUNT];
};

static const char fixture_names[] = "\0.text\0.text.cold\0.symtab\0.strtab\0.shstrtab\0.rela.text";

__attribute__((unused)) static void fixture_add(struct fixture *f, int index, uint32_t name,
						uint32_t type, const void *data, size_t size)
{
	f->size = (f->size + 7) & ~(size_t)7;
	f->sections[index].sh_name = name;
	f->sections[index].sh_type = type;
	f->sections[index].sh_offset = f->size;
	f->sections[index].sh_size = size;
	if (size)
		memcpy(f->data + f->size, data, size);
	f->size += size;
}

/* Writes headers again, after a test changed f->sections. */
__attribute__((unused)) static void fixture_finish(struct fixture *f, uint16_t type)
{
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = type ? type : ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = FX_COUNT,
		.e_shstrndx = FX_SHSTRTAB,
	};

	f->size = (f->size + 7) & ~(size_t)7;
	header.e_shoff = f->size;
	memcpy(f->data, &header, sizeof(header));
	memcpy(f->data + f->size, f->sections, sizeof(f->sections));
	f->size += sizeof(f->sections);
}

__attribute__((unused)) static void fixture_symbols(struct fixture *f,
						    const struct fixture_spec *spec)
{
	char strings[1024] = "";
	Elf64_Sym symbols[32] = {0};
	size_t at = 1;

	for (size_t i = 0; i < spec->symbol_count; i++) {
		const struct fixture_symbol *symbol = &spec->symbols[i];

		symbols[i + 1] = (Elf64_Sym){
			.st_name = (uint32_t)at,
			.st_info = symbol->info,
			.st_shndx = symbol->section,
			.st_value = symbol->value,
			.st_size = symbol->size,
		};
		strcpy(strings + at, symbol->name);
		at += strlen(symbol->name) + 1;
	}
	fixture_add(f, FX_SYMTAB, 18, SHT_SYMTAB, symbols,
		    (spec->symbol_count + 1) * sizeof(*symbols));
	fixture_add(f, FX_STRTAB, 26, SHT_STRTAB, strings, at);
	f->sections[FX_SYMTAB].sh_link = FX_STRTAB;
	f->sections[FX_SYMTAB].sh_entsize = sizeof(Elf64_Sym);
}

__attribute__((unused)) static void fixture_build(struct fixture *f,
						  const struct fixture_spec *spec)
{
	memset(f, 0, sizeof(*f));
	f->size = sizeof(Elf64_Ehdr);
	fixture_add(f, FX_TEXT, 1, SHT_PROGBITS, spec->text, spec->text_size);
	f->sections[FX_TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	f->sections[FX_TEXT].sh_addr = spec->text_address;
	fixture_add(f, FX_COLD, 7, SHT_PROGBITS, spec->cold, spec->cold_size);
	f->sections[FX_COLD].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	f->sections[FX_COLD].sh_addr = spec->text_address + 0x10000;
	fixture_symbols(f, spec);
	fixture_add(f, FX_SHSTRTAB, 34, SHT_STRTAB, fixture_names, sizeof(fixture_names));
	fixture_add(f, FX_RELA, 44, SHT_RELA, spec->relocations,
		    spec->relocation_count * sizeof(Elf64_Rela));
	f->sections[FX_RELA].sh_link = FX_SYMTAB;
	f->sections[FX_RELA].sh_info = FX_TEXT;
	f->sections[FX_RELA].sh_entsize = sizeof(Elf64_Rela);
	fixture_finish(f, spec->type);
}

/* What takt_code_open() made of an input. */
struct opened {
	enum takt_status status;
	struct takt_code *code; /* NULL after an error */
	struct takt_diag *diag;
	size_t count;
};

__attribute__((unused)) static struct opened open_with(const struct takt_code_options *options)
{
	struct opened opened = {.diag = takt_diag_new()};

	opened.status = takt_code_open(options, opened.diag, &opened.code);
	if (opened.code)
		opened.count = takt_code_region_count(opened.code);
	return opened;
}

__attribute__((unused)) static struct opened open_data(const void *data, size_t size,
						       struct takt_code_options options)
{
	options.data = data;
	options.data_size_bytes = size;
	if (!options.path)
		options.path = "x";
	return open_with(&options);
}

__attribute__((unused)) static void close_opened(struct opened *opened)
{
	takt_code_close(opened->code);
	takt_diag_free(opened->diag);
}

#define is_size(got, want, what) is_int((long long)(got), (long long)(want), (what))

/* The diagnostics contain `text`; prints them if not. */
__attribute__((unused)) static bool says(const struct opened *opened, const char *text)
{
	if (strstr(takt_diag_text(opened->diag), text))
		return true;
	tap_note("diagnostics: %s", takt_diag_text(opened->diag));
	return false;
}

#define region_at(opened, index) takt_code_region((opened)->code, (index))

/* False, after saying so, where LLVM's assembler is not there. */
__attribute__((unused)) static bool have_shim(void)
{
	struct takt_text path = {0};
	bool have = takt_module_find("takt-llvm", NULL, &path);

	takt_text_release(&path);
	if (!have)
		tap_skip("assembly text", "takt-llvm.so is not installed");
	return have;
}

__attribute__((unused)) static struct opened open_text(const char *text,
						       struct takt_code_options options)
{
	return open_data(text, strlen(text), options);
}

/* The text with its lines found, as the reader of assembly has it. */
static inline struct takt_source split(const char *text, struct takt_arena *arena)
{
	struct takt_source source = {.text = text};
	struct takt_lines lines;
	const char *line;
	size_t size;

	source.lines = TAKT_NEW_ARRAY(arena, strlen(text) + 1, const char *);
	takt_lines_init(&lines, text, strlen(text));
	while (takt_lines_next(&lines, &line, &size))
		source.lines[source.line_count++] = line;
	return source;
}

#endif
