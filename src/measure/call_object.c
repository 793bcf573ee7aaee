/* SPDX-License-Identifier: MIT */
/* Loads and links an x86-64 relocatable object in this process. */
#include <sys/mman.h>

#include "measure/call.h"

#if defined(__x86_64__)
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES ((size_t)4096)
#define IMAGE_BYTES_MAX ((size_t)512 << 20)
#define NEAREST_MAX 3

/* Parts of the image, in order; each has its own memory protection. */
enum part { PART_CODE, PART_CONSTANT, PART_DATA, PART_COUNT };

struct loader {
	struct takt_call_image image;
	struct takt_call_error *error;
	const char *function;
	uint8_t *base;
	size_t part_begin[PART_COUNT + 1]; /* offsets from the base */
	const Elf64_Sym *symbols;
	size_t symbol_count;
	const char *names;
	size_t names_bytes;
};

/* ---- reading ----------------------------------------------------------- */

static const void *at(const struct takt_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size_bytes && size <= file->size_bytes - offset ? file->data + offset
									       : NULL;
}

static bool is_aligned(const void *address)
{
	return (uintptr_t)address % 8 == 0;
}

static bool broken(struct loader *loader, const char *what)
{
	takt_call_say(loader->error, "broken object file: %s", what);
	return false;
}

static bool read_header(struct loader *loader)
{
	const struct takt_file *file = loader->image.file;
	const Elf64_Ehdr *header = at(file, 0, sizeof(*header));

	if (!header || header->e_machine != EM_X86_64 || header->e_ident[EI_CLASS] != ELFCLASS64) {
		takt_call_say(loader->error, "not an object file for x86-64");
		return false;
	}
	loader->image.section_count = header->e_shnum;
	loader->image.sections =
		at(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
	if (header->e_shentsize != sizeof(Elf64_Shdr) || !loader->image.sections ||
	    !is_aligned(loader->image.sections))
		return broken(loader, "section table");
	for (size_t i = 0; i < loader->image.section_count; i++) {
		const Elf64_Shdr *section = &loader->image.sections[i];

		if (section->sh_type != SHT_NOBITS &&
		    !at(file, section->sh_offset, section->sh_size))
			return broken(loader, "a section beyond the end");
	}
	return true;
}

static bool read_symbols(struct loader *loader)
{
	const struct takt_call_image *image = &loader->image;

	for (size_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr *section = &image->sections[i];
		const Elf64_Shdr *names;

		if (section->sh_type != SHT_SYMTAB)
			continue;
		if (section->sh_entsize != sizeof(Elf64_Sym) || section->sh_offset % 8 != 0 ||
		    section->sh_link >= image->section_count)
			return broken(loader, "symbol table");
		names = &image->sections[section->sh_link];
		loader->symbols = at(image->file, section->sh_offset, section->sh_size);
		loader->symbol_count = section->sh_size / sizeof(Elf64_Sym);
		loader->names = at(image->file, names->sh_offset, names->sh_size);
		loader->names_bytes = names->sh_size;
		if (names->sh_type == SHT_NOBITS || !names->sh_size ||
		    loader->names[names->sh_size - 1] != 0)
			return broken(loader, "names of symbols");
		return true;
	}
	return broken(loader, "no symbols");
}

static const char *symbol_name(const struct loader *loader, const Elf64_Sym *symbol)
{
	return symbol->st_name < loader->names_bytes ? loader->names + symbol->st_name : "";
}

/* ---- layout ------------------------------------------------------------ */

/* Reserve `size` bytes at the end of the image, and return their offset. If the image becomes too
 * large, *end stays above the limit. */
static size_t place(size_t *end, uint64_t size, uint64_t alignment)
{
	size_t begin;

	if (alignment == 0 || (alignment & (alignment - 1)) != 0)
		alignment = 1;
	if (alignment > PAGE_BYTES || size > IMAGE_BYTES_MAX || *end > IMAGE_BYTES_MAX) {
		*end = IMAGE_BYTES_MAX + 1;
		return 0;
	}
	begin = (*end + alignment - 1) & ~(size_t)(alignment - 1);
	*end = begin + size;
	return begin;
}

static enum part part_of(const Elf64_Shdr *section)
{
	if (section->sh_flags & SHF_WRITE)
		return PART_DATA;
	return section->sh_flags & SHF_EXECINSTR ? PART_CODE : PART_CONSTANT;
}

static bool is_loaded(const Elf64_Shdr *section)
{
	return (section->sh_flags & SHF_ALLOC) && !(section->sh_flags & SHF_TLS);
}

/* Place sections, slots and common symbols in the image, and return its size. As long as there is
 * no base, only the size is computed. */
static size_t lay_out(struct loader *loader)
{
	struct takt_call_image *image = &loader->image;
	size_t end = 0, offset;

	for (enum part part = 0; part < PART_COUNT; part++) {
		loader->part_begin[part] = place(&end, 0, PAGE_BYTES);
		for (size_t i = 0; i < image->section_count; i++) {
			const Elf64_Shdr *section = &image->sections[i];

			if (!is_loaded(section) || part_of(section) != part)
				continue;
			offset = place(&end, section->sh_size, section->sh_addralign);
			image->places[i] = loader->base ? loader->base + offset : NULL;
		}
		if (part == PART_CODE) {
			offset = place(&end, loader->symbol_count * TAKT_CALL_NEAR_BYTES, 16);
			image->jumps = loader->base ? loader->base + offset : NULL;
		}
		if (part == PART_CONSTANT) {
			offset = place(&end, loader->symbol_count * sizeof(uint64_t), 8);
			image->got = loader->base ? (void *)(loader->base + offset) : NULL;
		}
		if (part == PART_DATA) {
			offset = place(&end, loader->symbol_count * TAKT_CALL_NEAR_BYTES, 16);
			image->copies = loader->base ? loader->base + offset : NULL;
		}
	}
	for (size_t i = 0; i < loader->symbol_count; i++)
		if (loader->symbols[i].st_shndx == SHN_COMMON) {
			offset = place(&end, loader->symbols[i].st_size,
				       loader->symbols[i].st_value);
			image->symbols[i].address = (uint64_t)(uintptr_t)loader->base + offset;
		}
	loader->part_begin[PART_COUNT] = place(&end, 0, PAGE_BYTES);
	return end;
}

/* Map memory for the image, below 2 GiB as code that is not position-independent requires, and copy
 * the sections to it. */
static bool load_sections(struct loader *loader)
{
	struct takt_call_image *image = &loader->image;
	size_t size = lay_out(loader);
	void *base;

	if (size > IMAGE_BYTES_MAX) {
		takt_call_say(loader->error, "object of more than %zu MiB", IMAGE_BYTES_MAX >> 20);
		return false;
	}
	base = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (base == MAP_FAILED) {
		takt_call_say(loader->error, "no memory below 2 GiB for the object");
		return false;
	}
	loader->base = base;
	lay_out(loader);
	for (size_t i = 0; i < image->section_count; i++) {
		const Elf64_Shdr *section = &image->sections[i];

		if (image->places[i] && section->sh_type != SHT_NOBITS)
			memcpy(image->places[i], image->file->data + section->sh_offset,
			       section->sh_size);
	}
	return true;
}

static bool protect(struct loader *loader)
{
	static const int protections[] = {
		[PART_CODE] = PROT_READ | PROT_EXEC,
		[PART_CONSTANT] = PROT_READ,
		[PART_DATA] = PROT_READ | PROT_WRITE,
	};

	for (enum part part = 0; part < PART_COUNT; part++) {
		size_t begin = loader->part_begin[part];
		size_t size = loader->part_begin[part + 1] - begin;

		if (size && mprotect(loader->base + begin, size, protections[part]) != 0) {
			takt_call_say(loader->error, "the system does not let memory be executed");
			return false;
		}
	}
	return true;
}

/* ---- symbols ----------------------------------------------------------- */

/* Find a symbol that the object does not define in the C and mathematical libraries. */
static void find_external(struct takt_call_symbol *symbol, bool is_weak)
{
	void *address = dlsym(RTLD_DEFAULT, symbol->name), *found = NULL;
	Dl_info info;

	symbol->is_external = true;
	symbol->is_missing = !address && !is_weak;
	symbol->address = (uint64_t)(uintptr_t)address;
	if (address && dladdr1(address, &info, &found, RTLD_DL_SYMENT) && found) {
		const Elf64_Sym *definition = found;

		symbol->is_object = ELF64_ST_TYPE(definition->st_info) == STT_OBJECT;
		symbol->size_bytes = definition->st_size;
	}
}

static bool resolve(struct loader *loader, size_t index)
{
	const Elf64_Sym *from = &loader->symbols[index];
	struct takt_call_symbol *symbol = &loader->image.symbols[index];

	symbol->name = symbol_name(loader, from);
	symbol->is_thread_local = ELF64_ST_TYPE(from->st_info) == STT_TLS;
	if (ELF64_ST_TYPE(from->st_info) == STT_GNU_IFUNC) {
		takt_call_say(loader->error, "'%s' is chosen at load time", symbol->name);
		snprintf(loader->error->note, sizeof(loader->error->note),
			 "link the object into a shared library");
		return false;
	}
	if (from->st_shndx == SHN_UNDEF) {
		if (index > 0 && !symbol->is_thread_local)
			find_external(symbol, ELF64_ST_BIND(from->st_info) == STB_WEAK);
	} else if (from->st_shndx == SHN_ABS) {
		symbol->address = from->st_value;
	} else if (from->st_shndx < loader->image.section_count) {
		const uint8_t *section = loader->image.places[from->st_shndx];

		if (section && from->st_value > loader->image.sections[from->st_shndx].sh_size)
			return broken(loader, "a symbol beyond its section");
		symbol->is_missing = !section;
		symbol->address = (uint64_t)(uintptr_t)section + from->st_value;
	} else if (from->st_shndx != SHN_COMMON) {
		return broken(loader, "a symbol without a section");
	}
	return true;
}

static bool is_callable(const struct loader *loader, size_t index)
{
	const struct takt_call_image *image = &loader->image;
	const Elf64_Sym *symbol = &loader->symbols[index];

	/* A section that takes no memory when it runs is not loaded, whatever else it says. */
	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < image->section_count &&
	       image->places[symbol->st_shndx] &&
	       (image->sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR) &&
	       (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ||
		ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE);
}

static bool no_function(struct loader *loader)
{
	const char **names = takt_xcalloc(loader->symbol_count + 1, sizeof(*names));
	struct takt_text near = {0};
	size_t count = 0;

	for (size_t i = 0; i < loader->symbol_count; i++)
		if (is_callable(loader, i) && *symbol_name(loader, &loader->symbols[i]))
			names[count++] = symbol_name(loader, &loader->symbols[i]);
	takt_call_say(loader->error, "no function '%s'", loader->function);
	if (takt_nearest_names(loader->function, names, count, NEAREST_MAX, &near))
		snprintf(loader->error->note, sizeof(loader->error->note), "did you mean %s?",
			 takt_text_data(&near));
	takt_text_release(&near);
	free(names);
	return false;
}

static bool find_function(struct loader *loader, uint64_t *ret_entry)
{
	for (size_t i = 0; i < loader->symbol_count; i++)
		if (is_callable(loader, i) &&
		    strcmp(symbol_name(loader, &loader->symbols[i]), loader->function) == 0) {
			*ret_entry = loader->image.symbols[i].address;
			return true;
		}
	return no_function(loader);
}

/* ---- all of it --------------------------------------------------------- */

static bool load(struct loader *loader, uint64_t *ret_entry)
{
	struct takt_call_image *image = &loader->image;

	if (!read_header(loader) || !read_symbols(loader))
		return false;
	image->places = takt_xcalloc(image->section_count + 1, sizeof(*image->places));
	image->symbols = takt_xcalloc(loader->symbol_count + 1, sizeof(*image->symbols));
	image->symbol_count = loader->symbol_count;
	if (!load_sections(loader))
		return false;
	for (size_t i = 0; i < loader->symbol_count; i++)
		if (!resolve(loader, i))
			return false;
	if (!find_function(loader, ret_entry))
		return false;
	for (size_t i = 0; i < image->section_count; i++)
		if (image->sections[i].sh_type == SHT_RELA &&
		    !takt_call_relocate(image, i, loader->error))
			return false;
	return protect(loader);
}

bool takt_call_object_load(const struct takt_file *file, const char *function,
			   struct takt_call_error *error, struct takt_call_object *ret_object)
{
	struct loader loader = {.image.file = file, .error = error, .function = function};
	struct takt_call_object object = {0};
	bool good = load(&loader, &object.entry);

	object.memory = loader.base;
	object.size_bytes = loader.part_begin[PART_COUNT];
	if (good)
		*ret_object = object;
	else
		takt_call_object_unload(&object);
	free(loader.image.places);
	free(loader.image.symbols);
	return good;
}

#else
bool takt_call_object_load(const struct takt_file *file, const char *function,
			   struct takt_call_error *error, struct takt_call_object *ret_object)
{
	(void)file, (void)function, (void)ret_object;
	takt_call_say(error, "objects are loaded on x86-64 only");
	return false;
}
#endif

void takt_call_object_unload(struct takt_call_object *object)
{
	if (object->memory)
		munmap(object->memory, object->size_bytes);
	*object = (struct takt_call_object){0};
}
