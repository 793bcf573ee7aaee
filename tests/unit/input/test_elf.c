/* SPDX-License-Identifier: MIT */
/* ELF files that are fine, other, or hostile. */
#include "fixture.h"

/* loop: inc eax; jne loop; ret */
static const unsigned char text[] = {0xff, 0xc0, 0x75, 0xfc, 0xc3};
static const struct fixture_symbol symbols[] = {
	{"kernel", 0, 5, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
};
static const struct fixture_spec spec = {
	.text = text,
	.text_size = sizeof(text),
	.symbols = symbols,
	.symbol_count = 1,
};

static struct opened open_elf(const void *data, size_t size)
{
	return open_data(data, size, (struct takt_code_options){0});
}

static void test_good(void)
{
	struct fixture_spec linked = spec;
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	opened = open_elf(f.data, f.size);
	is_int(opened.status, TAKT_OK, "object");
	is_size(opened.count, 1, "regions");
	is_string(region_at(&opened, 0)->name, "kernel", "name");
	is_size(region_at(&opened, 0)->address, 0, "address is the section offset");
	is_string(takt_region_section(opened.code, 0), ".text", "section");
	is_string(takt_code_file(opened.code), "x", "file");
	close_opened(&opened);

	linked.type = ET_EXEC;
	linked.text_address = 0x401000;
	fixture_build(&f, &linked);
	f.sections[FX_SYMTAB].sh_type = SHT_NULL; /* stripped */
	fixture_finish(&f, ET_EXEC);
	opened = open_elf(f.data, f.size);
	is_size(opened.count, 1, "stripped executable");
	is_size(region_at(&opened, 0)->address, 0x401000, "address is virtual");
	is_string(region_at(&opened, 0)->name, ".text+0x0", "name by section");
	close_opened(&opened);
}

/* A program without section headers still has segments. */
static void test_segments(void)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		unsigned char text[sizeof(text)];
	} file = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(Elf64_Ehdr),
			   .e_ehsize = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1},
		.segment = {.p_type = PT_LOAD,
			    .p_flags = PF_X | PF_R,
			    .p_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			    .p_filesz = sizeof(text),
			    .p_vaddr = 0x1000},
	};
	struct opened opened;

	memcpy(file.text, text, sizeof(text));
	opened = open_elf(&file, sizeof(file));
	is_size(opened.count, 1, "segment");
	close_opened(&opened);
	file.segment.p_filesz = UINT64_MAX;
	opened = open_elf(&file, sizeof(file));
	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "segment 0 of 'x' lies outside"),
	   "segment outside of the file");
	close_opened(&opened);
}

struct damage {
	int line;
	size_t offset, size; /* what to overwrite in the header */
	uint64_t value;
	const char *error;
};

static const struct damage damages[] = {
	{__LINE__, EI_CLASS, 1, ELFCLASS32, "'x' is a 32-bit ELF; takt reads 64-bit ones"},
	{__LINE__, EI_CLASS, 1, 7, "damaged ELF header"},
	{__LINE__, EI_DATA, 1, ELFDATA2MSB, "big-endian"},
	{__LINE__, offsetof(Elf64_Ehdr, e_machine), 2, EM_RISCV,
	 "is RISC-V code; takt has no core"},
	{__LINE__, offsetof(Elf64_Ehdr, e_machine), 2, 4711, "ELF machine 4711"},
	{__LINE__, offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_MAX - 63, "lie outside the file"},
	{__LINE__, offsetof(Elf64_Ehdr, e_shoff), 8, 4096, "lie outside the file"},
	{__LINE__, offsetof(Elf64_Ehdr, e_shnum), 2, 60000, "lie outside the file"},
	{__LINE__, offsetof(Elf64_Ehdr, e_shentsize), 2, 1, "lie outside the file"},
};

static void test_damaged_header(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(damages); i++) {
		struct opened opened;
		struct fixture f;

		fixture_build(&f, &spec);
		memcpy(f.data + damages[i].offset, &damages[i].value, damages[i].size);
		opened = open_elf(f.data, f.size);
		tap_ok_at(__FILE__, damages[i].line,
			  opened.status == TAKT_BAD_INPUT && says(&opened, damages[i].error), "%s",
			  damages[i].error);
		close_opened(&opened);
	}
}

static void test_damaged_sections(void)
{
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	f.sections[FX_TEXT].sh_size = UINT64_MAX - 8;
	fixture_finish(&f, ET_REL);
	opened = open_elf(f.data, f.size);
	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "section '.text' of 'x' lies outside"),
	   "huge section");
	close_opened(&opened);

	fixture_build(&f, &spec);
	f.sections[FX_COLD] = f.sections[FX_TEXT];
	f.sections[FX_TEXT].sh_size = f.sections[FX_COLD].sh_size = f.size - 64;
	fixture_finish(&f, ET_REL);
	opened = open_elf(f.data, f.size);
	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "overlaps other sections"),
	   "overlapping sections");
	close_opened(&opened);

	fixture_build(&f, &spec);
	f.data[f.sections[FX_STRTAB].sh_offset + f.sections[FX_STRTAB].sh_size - 1] = 'x';
	opened = open_elf(f.data, f.size);
	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "lacks valid strings"),
	   "unterminated string table");
	close_opened(&opened);
}

/* An ELF file says what it is; who asks for something else is told. */
static void test_machines(void)
{
	static const struct {
		uint16_t machine;
		const char *isa, *want, *error;
	} rows[] = {
		{EM_X86_64, NULL, "x86-64", NULL},
		{EM_X86_64, "x86-64", "x86-64", NULL},
		{EM_AARCH64, NULL, "aarch64", NULL},
		{EM_AARCH64, "aarch64", "aarch64", NULL},
		{EM_AARCH64, "x86-64", NULL, "is AArch64 code, but the core is for x86-64"},
		{EM_X86_64, "aarch64", NULL, "is x86-64 code, but the core is for AArch64"},
		{EM_AARCH64, "z80", NULL, "'z80'"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct opened opened;
		struct fixture f;

		fixture_build(&f, &spec);
		memcpy(f.data + offsetof(Elf64_Ehdr, e_machine), &rows[i].machine, 2);
		opened = open_data(f.data, f.size,
				   (struct takt_code_options){.isa = rows[i].isa, .whole = true});
		if (rows[i].error)
			ok(opened.status != TAKT_OK && says(&opened, rows[i].error), "%s",
			   rows[i].error);
		else
			is_string(region_at(&opened, 0)->isa, rows[i].want, "set of the file");
		close_opened(&opened);
	}
}

/* Every cut of a file gives an error or a result, and no crash. */
static void test_truncated(void)
{
	size_t errors = 0;
	struct fixture f;

	fixture_build(&f, &spec);
	for (size_t size = 1; size < f.size; size++) {
		unsigned char *cut = malloc(size);
		struct opened opened;

		memcpy(cut, f.data, size);
		opened = open_data(cut, size, (struct takt_code_options){.format = TAKT_INPUT_ELF});
		errors +=
			opened.status == TAKT_BAD_INPUT && takt_diag_error_count(opened.diag) == 1;
		close_opened(&opened);
		free(cut);
	}
	is_size(errors, f.size - 1, "truncated files with one error each");
}

int main(void)
{
	test_good();
	test_segments();
	test_damaged_header();
	test_damaged_sections();
	test_machines();
	test_truncated();
	return tap_done();
}
