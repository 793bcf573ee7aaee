/* SPDX-License-Identifier: MIT */
/*
 * Reads ELF files: headers through libelf, contents straight from the file's bytes. Nothing in
 * the file is trusted: each range is checked against the file's size before it is read.
 */
#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "input/image.h"

#define SECTIONS_MAX 1000000u

struct reader {
	const uint8_t *data;
	size_t size_bytes;
	Elf *elf;
	struct takt_elf_words words;
	Elf64_Ehdr header;
	size_t section_count, names_index;
	uint64_t code_bytes, relocation_bytes; /* read so far; in sound files less than the file */
	uint64_t *layout;		       /* for object files, see lay_out() */
	struct takt_symbol_table table;	       /* the table that was found last */
	size_t table_index;		       /* the section of `table`, or 0 */
	struct takt_arena *arena;
	struct takt_diag *diag;
	struct takt_image *image;
};

/* A machine that ELF files may be for. */
struct machine {
	uint16_t number;
	const char *title;
	const struct takt_isa *isa; /* NULL: only LLVM decodes it */
	const char *prefixes[2];    /* beginnings of LLVM's triples for it */
	const char *architecture;   /* LLVM's name of it in messages */
};

static const struct machine machines[] = {
	{EM_X86_64, "x86-64", &takt_isa_x86, {"x86_64"}, NULL},
	{EM_AARCH64, "AArch64", &takt_isa_aarch64, {"aarch64", "arm64"}, NULL},
	{EM_RISCV, "RISC-V", NULL, {"riscv"}, "riscv64"},
	{EM_PPC64, "64-bit PowerPC", NULL, {"powerpc64", "ppc64"}, "powerpc64le"},
	{EM_PPC, "PowerPC", NULL, {"powerpc", "ppc"}, "powerpc"},
	{EM_ARM, "32-bit Arm", NULL, {"arm", "thumb"}, "arm"},
	{EM_S390, "S/390", NULL, {"s390x", "systemz"}, "s390x"},
	{EM_MIPS, "MIPS", NULL, {"mips"}, "mips64el"},
	{EM_LOONGARCH, "LoongArch", NULL, {"loongarch"}, "loongarch64"},
	{EM_BPF, "BPF", NULL, {"bpf"}, "bpfel"},
};

static const struct machine *find_machine(uint16_t number)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(machines); i++)
		if (machines[i].number == number)
			return &machines[i];
	return NULL;
}

/* True if the set's triple fits the machine. Machines that are not listed fit any triple. */
static bool has_machine(const struct takt_isa *isa, const struct machine *machine)
{
	static const char open_set[] = "llvm:";
	const char *triple = isa->name + strlen(open_set);

	if (!takt_string_starts(isa->name, open_set))
		return machine && machine->isa == isa;
	if (!machine)
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(machine->prefixes); i++)
		if (machine->prefixes[i] && takt_string_starts(triple, machine->prefixes[i]))
			return true;
	return false;
}

static void note_cores(struct takt_diag *diag, const struct machine *machine)
{
	if (machine->isa)
		takt_note(diag, "choose a core for %s, such as '--arch=%s'", machine->title,
			  takt_isa_example_core(machine->isa->name));
	else
		takt_note(diag, "name one that LLVM knows with '--arch=llvm:%s:CPU'",
			  machine->architecture);
}

static enum takt_status refuse_machine(const struct reader *r, const struct machine *machine)
{
	const char *file = r->image->file;
	const struct takt_isa *wanted = r->image->isa;

	if (!machine) {
		takt_error(r->diag, "'%s' is for ELF machine %u, which takt does not know", file,
			   r->header.e_machine);
		takt_note(r->diag, "if LLVM knows it, name a core: '--arch=llvm:TRIPLE:CPU'");
	} else if (wanted) {
		takt_error(r->diag, "'%s' is %s code, but the core is for %s", file, machine->title,
			   wanted->title);
		note_cores(r->diag, machine);
	} else {
		takt_error(r->diag, "'%s' is %s code; takt has no core of its own for that", file,
			   machine->title);
		note_cores(r->diag, machine);
	}
	return TAKT_BAD_INPUT;
}

static enum takt_status refuse_words(const struct reader *r)
{
	const char *file = r->image->file;

	if (r->words.is_32bit) {
		takt_error(r->diag, "'%s' is a 32-bit ELF; takt reads 64-bit ones", file);
		takt_note(r->diag, "compile for 64 bits; for x86 that is -m64");
	} else {
		takt_error(r->diag, "'%s' is a big-endian ELF; takt reads little-endian ones",
			   file);
		takt_note(r->diag, "compile for the little-endian variant");
	}
	return TAKT_BAD_INPUT;
}

/* Decide the image's instruction set. */
static enum takt_status check_machine(struct reader *r)
{
	const struct machine *machine = find_machine(r->header.e_machine);

	/* takt's own decoders are for 64-bit, little-endian code only. */
	if (takt_encoding_of(r->image->isa ? r->image->isa : &takt_isa_x86)->llvm == NULL &&
	    (r->words.is_32bit || r->words.big_endian) && (!machine || machine->isa))
		return refuse_words(r);
	if (r->image->isa)
		return has_machine(r->image->isa, machine) ? TAKT_OK : refuse_machine(r, machine);
	if (!machine || !machine->isa)
		return refuse_machine(r, machine);
	r->image->isa = machine->isa;
	return TAKT_OK;
}

/* Check the file's identification and header. */
static enum takt_status check_header(struct reader *r)
{
	const char *file = r->image->file;
	const Elf64_Ehdr *header = &r->header;
	bool identified = r->size_bytes > EI_NIDENT;
	enum takt_status status;

	if (identified)
		r->words = (struct takt_elf_words){r->data[EI_CLASS] == ELFCLASS32,
						   r->data[EI_DATA] == ELFDATA2MSB};
	if (r->size_bytes < takt_elf_header_bytes(r->words)) {
		takt_error(r->diag, "'%s' is cut off within the ELF header: %zu of %zu bytes", file,
			   r->size_bytes, takt_elf_header_bytes(r->words));
		return TAKT_BAD_INPUT;
	}
	r->header = takt_elf_header(r->data, r->words);
	if ((header->e_ident[EI_CLASS] != ELFCLASS64 && !r->words.is_32bit) ||
	    (header->e_ident[EI_DATA] != ELFDATA2LSB && !r->words.big_endian) ||
	    header->e_ident[EI_VERSION] != EV_CURRENT) {
		takt_error(r->diag, "'%s' has a damaged ELF header", file);
		return TAKT_BAD_INPUT;
	}
	status = check_machine(r);
	if (status)
		return status;
	if (header->e_shnum && (header->e_shentsize != takt_elf_section_bytes(r->words) ||
				header->e_shoff > r->size_bytes ||
				header->e_shnum > (r->size_bytes - header->e_shoff) /
							  takt_elf_section_bytes(r->words))) {
		takt_error(r->diag, "section headers of '%s' lie outside the file (%zu bytes)",
			   file, r->size_bytes);
		takt_note(r->diag, "the file is truncated or damaged; build or copy it again");
		return TAKT_BAD_INPUT;
	}
	return TAKT_OK;
}

static enum takt_status open_elf(struct reader *r)
{
	/* libelf wants a writable pointer, but does not write in native byte order. */
	union {
		const uint8_t *constant;
		char *image;
	} data = {.constant = r->data};

	if (r->words.big_endian)
		data.image = takt_arena_copy(r->arena, data.image, r->size_bytes);

	elf_version(EV_CURRENT);
	r->elf = elf_memory(data.image, r->size_bytes);
	if (!r->elf || elf_getshdrnum(r->elf, &r->section_count) != 0) {
		takt_error(r->diag, "'%s' is a damaged ELF: %s", r->image->file, elf_errmsg(-1));
		return TAKT_BAD_INPUT;
	}
	if (r->section_count > SECTIONS_MAX) {
		takt_error(r->diag, "'%s' has %zu sections; at most %u are accepted",
			   r->image->file, r->section_count, SECTIONS_MAX);
		return TAKT_BAD_INPUT;
	}
	if (r->section_count && elf_getshdrstrndx(r->elf, &r->names_index) != 0)
		r->names_index = 0;
	r->image->relocatable = r->header.e_type == ET_REL;
	return TAKT_OK;
}

static bool read_header(const struct reader *r, size_t index, GElf_Shdr *ret_header)
{
	Elf_Scn *section = index < r->section_count ? elf_getscn(r->elf, index) : NULL;

	return section && gelf_getshdr(section, ret_header);
}

/* Return a section's name, which is valid until elf_end(). */
static const char *section_name(const struct reader *r, const GElf_Shdr *header)
{
	const char *name = elf_strptr(r->elf, r->names_index, header->sh_name);

	return name ? name : "";
}

static bool lies_within(const struct reader *r, uint64_t offset, uint64_t size)
{
	return offset <= r->size_bytes && size <= r->size_bytes - offset;
}

static bool has_contents(const struct reader *r, const GElf_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && !(header->sh_flags & SHF_COMPRESSED) &&
	       lies_within(r, header->sh_offset, header->sh_size);
}

static enum takt_status add_section(struct reader *r, const GElf_Shdr *header, uint32_t index)
{
	struct takt_image *image = r->image;
	const char *name = section_name(r, header);

	if (!has_contents(r, header)) {
		takt_error(r->diag,
			   "section '%s' of '%s' lies outside the file: offset 0x%" PRIx64
			   ", size 0x%" PRIx64 ", file size 0x%zx",
			   name, image->file, (uint64_t)header->sh_offset,
			   (uint64_t)header->sh_size, r->size_bytes);
		takt_note(r->diag, "the file is truncated or damaged; build or copy it again");
		return TAKT_BAD_INPUT;
	}
	/* The sum is limited because sections that share bytes could multiply the work. */
	r->code_bytes += header->sh_size;
	if (r->code_bytes > r->size_bytes) {
		takt_error(r->diag, "section '%s' of '%s' overlaps other sections", name,
			   image->file);
		return TAKT_BAD_INPUT;
	}
	image->sections[image->section_count++] = (struct takt_section){
		.name = takt_arena_string(r->arena, name),
		.bytes = r->data + header->sh_offset,
		.size_bytes = header->sh_size,
		.address = image->relocatable ? 0 : header->sh_addr,
		.elf_index = index,
	};
	return TAKT_OK;
}

static bool is_executable(const GElf_Shdr *header)
{
	return (header->sh_flags & SHF_EXECINSTR) && header->sh_type != SHT_NOBITS &&
	       header->sh_size && header->sh_addr <= UINT64_MAX - header->sh_size;
}

static enum takt_status read_sections(struct reader *r)
{
	size_t count = 0;
	GElf_Shdr header;

	for (size_t i = 1; i < r->section_count; i++)
		count += read_header(r, i, &header) && is_executable(&header);
	r->image->sections = TAKT_NEW_ARRAY(r->arena, count, struct takt_section);
	for (size_t i = 1; i < r->section_count; i++) {
		enum takt_status status;

		if (!read_header(r, i, &header) || !is_executable(&header))
			continue;
		status = add_section(r, &header, (uint32_t)i);
		if (status)
			return status;
	}
	return TAKT_OK;
}

/* Use the loadable executable segments as sections of a file without section headers. */
static enum takt_status read_segments(struct reader *r)
{
	size_t count = 0;

	if (elf_getphdrnum(r->elf, &count) != 0)
		count = 0;
	r->image->sections = TAKT_NEW_ARRAY(r->arena, count, struct takt_section);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(r->elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    !(header.p_flags & PF_X) || !header.p_filesz)
			continue;
		r->code_bytes += header.p_filesz;
		if (!lies_within(r, header.p_offset, header.p_filesz) ||
		    header.p_vaddr > UINT64_MAX - header.p_filesz ||
		    r->code_bytes > r->size_bytes) {
			takt_error(r->diag, "segment %zu of '%s' lies outside the file", i,
				   r->image->file);
			takt_note(r->diag,
				  "the file is truncated or damaged; build or copy it again");
			return TAKT_BAD_INPUT;
		}
		r->image->sections[r->image->section_count++] = (struct takt_section){
			.name = takt_arena_printf(r->arena, "segment%zu", i),
			.bytes = r->data + header.p_offset,
			.size_bytes = header.p_filesz,
			.address = header.p_vaddr,
		};
	}
	return TAKT_OK;
}

/* Find the table of section indices that belongs to symbols if 16 bits are not enough for them. */
static void find_indices(const struct reader *r, size_t index, struct takt_symbol_table *table)
{
	GElf_Shdr header;

	for (size_t i = 1; i < r->section_count && r->section_count >= SHN_LORESERVE; i++) {
		if (!read_header(r, i, &header) || header.sh_type != SHT_SYMTAB_SHNDX ||
		    header.sh_link != index || !has_contents(r, &header))
			continue;
		table->indices = r->data + header.sh_offset;
		table->index_count = header.sh_size / sizeof(uint32_t);
		return;
	}
}

/* Find a symbol table with its strings; NULL if either is damaged. */
static const struct takt_symbol_table *find_table(struct reader *r, size_t index)
{
	struct takt_symbol_table table = {.words = r->words};
	GElf_Shdr header, strings;

	if (index && index == r->table_index)
		return &r->table;
	if (!read_header(r, index, &header) || !has_contents(r, &header) ||
	    !read_header(r, header.sh_link, &strings) || !has_contents(r, &strings) ||
	    !strings.sh_size || r->data[strings.sh_offset + strings.sh_size - 1] != '\0')
		return NULL;
	table.entries = r->data + header.sh_offset;
	table.entry_count = header.sh_size / takt_elf_symbol_bytes(r->words);
	table.strings = (const char *)(r->data + strings.sh_offset);
	table.strings_size_bytes = strings.sh_size;
	find_indices(r, index, &table);
	r->table = table;
	r->table_index = index;
	return &r->table;
}

/* Return the index of the first section of a type; 0 if there is none. */
static size_t find_by_type(const struct reader *r, uint32_t type)
{
	GElf_Shdr header;

	for (size_t i = 1; i < r->section_count; i++)
		if (read_header(r, i, &header) && header.sh_type == type)
			return i;
	return 0;
}

static enum takt_status read_symbols(struct reader *r)
{
	size_t index = find_by_type(r, SHT_SYMTAB);
	const struct takt_symbol_table *table;
	GElf_Shdr header = {0};

	r->image->stripped = !index;
	if (!index)
		index = find_by_type(r, SHT_DYNSYM);
	if (!index)
		return TAKT_OK;
	table = find_table(r, index);
	if (!table) {
		(void)read_header(r, index, &header);
		takt_error(r->diag,
			   "symbol table '%s' of '%s' lies outside the file or lacks valid strings",
			   section_name(r, &header), r->image->file);
		takt_note(r->diag, "the file is truncated or damaged; build or copy it again");
		return TAKT_BAD_INPUT;
	}
	takt_symbols_read(table, r->arena, r->image);
	return TAKT_OK;
}

/*
 * Place the sections of an object file one after the other, as a linker might. Addresses after
 * the last section are for undefined symbols.
 */
static uint64_t *lay_out(const struct reader *r)
{
	uint64_t *layout = TAKT_NEW_ARRAY(r->arena, r->section_count + 1, uint64_t);
	uint64_t next = 0;

	for (size_t i = 0; i <= r->section_count; i++) {
		GElf_Shdr header;

		layout[i] = next;
		if (read_header(r, i, &header) && header.sh_flags & SHF_ALLOC)
			next += (header.sh_size + 63) & ~(uint64_t)63;
	}
	return layout;
}

static void relocate(struct reader *r, const GElf_Shdr *header)
{
	uint32_t index = takt_section_find(r->image, header->sh_info);
	struct takt_relocations relocations = {.section_count = r->section_count};
	const struct takt_symbol_table *symbols;

	if (index == r->image->section_count || !has_contents(r, header))
		return;
	symbols = find_table(r, header->sh_link);
	if (!symbols)
		return;
	relocations.symbols = *symbols;
	r->relocation_bytes += header->sh_size;
	if (r->relocation_bytes > r->size_bytes)
		return;
	if (!r->layout)
		r->layout = lay_out(r);
	relocations.entries = r->data + header->sh_offset;
	relocations.entry_count = header->sh_size / sizeof(Elf64_Rela);
	relocations.layout = r->layout;
	takt_section_relocate(&r->image->sections[index], takt_encoding_of(r->image->isa),
			      &relocations, r->arena);
}

/* Read the sections that are found by name, and relocations. */
static void read_extras(struct reader *r)
{
	for (size_t i = 1; i < r->section_count; i++) {
		const char *name;
		GElf_Shdr header;

		if (!read_header(r, i, &header))
			continue;
		if (header.sh_type == SHT_RELA && r->image->relocatable && !r->words.is_32bit &&
		    !r->words.big_endian) {
			relocate(r, &header);
			continue;
		}
		name = section_name(r, &header);
		if (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0)
			r->image->has_debug_line = true;
		if (strcmp(name, ".eh_frame_hdr") == 0 && !r->image->starts &&
		    has_contents(r, &header))
			takt_unwind_read(r->data + header.sh_offset, header.sh_size, header.sh_addr,
					 r->arena, r->image);
	}
	if (r->image->has_debug_line)
		r->image->debug_fault =
			takt_compression_fault(r->elf, r->section_count, r->names_index, r->arena);
}

enum takt_status takt_elf_read(const uint8_t *data, size_t size_bytes, struct takt_arena *arena,
			       struct takt_diag *diag, struct takt_image *image)
{
	struct reader r = {
		.data = data,
		.size_bytes = size_bytes,
		.arena = arena,
		.diag = diag,
		.image = image,
	};
	enum takt_status status = check_header(&r);

	if (!status)
		status = open_elf(&r);
	if (!status)
		status = r.section_count ? read_sections(&r) : read_segments(&r);
	if (!status)
		status = read_symbols(&r);
	if (!status)
		read_extras(&r);
	elf_end(r.elf);
	return status;
}
