/* SPDX-License-Identifier: MIT */
/* Finds the code of ELF files by the address at which it ran. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/import.h"

#define PAGE_BYTES 4096u

static const struct trace_guest *guest_of(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return takt_trace_guest_find("x86-64", 6);
	case EM_AARCH64:
		return takt_trace_guest_find("aarch64", 7);
	case EM_RISCV:
		return takt_trace_guest_find("riscv64", 7);
	default:
		return NULL;
	}
}

/* Read the header of an ELF file; return its guest, or NULL if it is for none. */
static const struct trace_guest *read_header(const struct takt_file *file, Elf64_Ehdr *ret_header)
{
	if (file->size_bytes < sizeof(*ret_header))
		return NULL;
	memcpy(ret_header, file->data, sizeof(*ret_header));
	if (memcmp(ret_header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    ret_header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    ret_header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    ret_header->e_phentsize != sizeof(Elf64_Phdr) ||
	    ret_header->e_phoff > file->size_bytes ||
	    ret_header->e_phnum > (file->size_bytes - ret_header->e_phoff) / sizeof(Elf64_Phdr))
		return NULL;
	return guest_of(ret_header->e_machine);
}

/* Read the executable segments; false if one is not within the file. */
static bool read_segments(struct import_binary *binary, const Elf64_Ehdr *header,
			  struct takt_arena *arena)
{
	const struct takt_file *file = &binary->file;
	bool any = false;

	binary->segments = TAKT_NEW_ARRAY(arena, header->e_phnum, struct import_segment);
	for (uint32_t i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, file->data + header->e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type != PT_LOAD)
			continue;
		if (segment.p_offset > file->size_bytes ||
		    segment.p_filesz > file->size_bytes - segment.p_offset)
			return false;
		if (!any || segment.p_vaddr < binary->first)
			binary->first = segment.p_vaddr & ~(uint64_t)(PAGE_BYTES - 1);
		any = true;
		if (!(segment.p_flags & PF_X) || segment.p_filesz == 0)
			continue;
		binary->segments[binary->segment_count++] = (struct import_segment){
			.address = segment.p_vaddr,
			.size_bytes = segment.p_filesz,
			.bytes = file->data + segment.p_offset,
		};
	}
	return true;
}

/* Split FILE@ADDRESS; without a valid address, the whole name is the file's. */
static bool split_name(const char *name, struct takt_arena *arena, const char **ret_path,
		       uint64_t *ret_address)
{
	const char *at = strrchr(name, '@');
	char *end = NULL;

	*ret_path = name;
	if (!at || takt_hex_digit(at[1]) < 0)
		return false;
	*ret_address = strtoull(at + 1, &end, 16);
	if (*end != '\0')
		return false;
	*ret_path = takt_arena_copy(arena, name, (size_t)(at - name));
	return true;
}

static enum takt_status open_binary(struct import_binaries *binaries, const char *name,
				    struct takt_diag *diag)
{
	struct import_binary *binary = &binaries->items[binaries->count];
	const struct trace_guest *guest;
	uint64_t address = 0;
	Elf64_Ehdr header;
	enum takt_status status;
	bool has_address = split_name(name, &binaries->arena, &binary->path, &address);

	status = takt_file_open_large(binary->path, diag, &binary->file);
	if (status != TAKT_OK)
		return status;
	binaries->count++;
	guest = read_header(&binary->file, &header);
	if (!guest || !read_segments(binary, &header, &binaries->arena)) {
		takt_error(diag,
			   "'%s' is no ELF file for x86-64, AArch64 or riscv64, or is damaged",
			   binary->path);
		return TAKT_BAD_INPUT;
	}
	if (binaries->guest && binaries->guest != guest) {
		takt_error(diag, "'%s' is for %s, and a binary before it for %s", binary->path,
			   guest->name, binaries->guest->name);
		return TAKT_BAD_INPUT;
	}
	binaries->guest = guest;
	binary->placed = has_address || header.e_type == ET_EXEC;
	if (has_address)
		binary->bias = address - binary->first;
	return TAKT_OK;
}

enum takt_status takt_import_binaries_open(struct import_binaries *binaries,
					   const char *const *names, size_t count,
					   struct takt_diag *diag)
{
	enum takt_status status = TAKT_OK;

	*binaries = (struct import_binaries){0};
	takt_arena_init(&binaries->arena);
	binaries->items = TAKT_NEW_ARRAY(&binaries->arena, count, struct import_binary);
	for (size_t i = 0; i < count && status == TAKT_OK; i++)
		status = open_binary(binaries, names[i], diag);
	return status;
}

void takt_import_binaries_release(struct import_binaries *binaries)
{
	for (uint32_t i = 0; i < binaries->count; i++)
		takt_file_close(&binaries->items[i].file);
	takt_arena_release(&binaries->arena);
}

const uint8_t *takt_import_binaries_find(struct import_binaries *binaries, uint64_t address,
					 size_t *ret_size_bytes)
{
	for (uint32_t i = 0; i < binaries->count; i++) {
		const struct import_binary *binary = &binaries->items[i];

		for (uint32_t k = 0; k < binary->segment_count; k++) {
			const struct import_segment *segment = &binary->segments[k];
			uint64_t offset = address - binary->bias - segment->address;

			if (offset >= segment->size_bytes)
				continue;
			*ret_size_bytes = (size_t)(segment->size_bytes - offset);
			return segment->bytes + offset;
		}
	}
	return NULL;
}

static const char *file_name(const char *path, size_t size_bytes, size_t *ret_size_bytes)
{
	size_t start = size_bytes;

	while (start > 0 && path[start - 1] != '/')
		start--;
	*ret_size_bytes = size_bytes - start;
	return path + start;
}

void takt_import_binaries_place(struct import_binaries *binaries, const char *path,
				size_t path_size_bytes, uint64_t address, uint64_t offset)
{
	size_t wanted_size, size;
	const char *wanted = file_name(path, path_size_bytes, &wanted_size);

	for (uint32_t i = 0; i < binaries->count; i++) {
		struct import_binary *binary = &binaries->items[i];
		const char *name = file_name(binary->path, strlen(binary->path), &size);

		if (binary->placed || size != wanted_size || memcmp(name, wanted, size) != 0)
			continue;
		for (uint32_t k = 0; k < binary->segment_count; k++) {
			const struct import_segment *segment = &binary->segments[k];
			uint64_t in_file = (uint64_t)(segment->bytes - binary->file.data);
			uint64_t page = in_file & ~(uint64_t)(PAGE_BYTES - 1);

			if (offset < page || offset > in_file + segment->size_bytes)
				continue;
			binary->bias = address - (segment->address - in_file + offset);
			binary->placed = true;
			return;
		}
	}
}
