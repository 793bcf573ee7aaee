/* SPDX-License-Identifier: MIT */
/* Opens ELF files by libdwfl, which also finds separate files of symbols and debug information. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/names/place_file.h"

/* Debug files are found by build-id, where distributions install them; never in the network. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf, /* not called: the file is known */
	.find_debuginfo = dwfl_build_id_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static bool build_id_agrees(const struct place_file *file, const uint8_t *build_id,
			    uint32_t build_id_bytes)
{
	const unsigned char *bits;
	GElf_Addr address;
	int size = dwfl_module_build_id(file->module, &bits, &address);

	return build_id_bytes == 0 || (size >= 0 && (uint32_t)size == build_id_bytes &&
				       memcmp(bits, build_id, build_id_bytes) == 0);
}

static void read_segments(struct place_file *file, Elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0)
		return;
	file->segments = takt_xcalloc(count + 1, sizeof(*file->segments));
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    (header.p_flags & PF_X))
			file->segments[file->segment_count++] = (struct place_segment){
				header.p_vaddr, header.p_offset, header.p_filesz};
	}
}

/*
 * Open a file; return its descriptor, or -1 with errno if that fails, and with errno 0 if it is not
 * a regular file. Paths come from logs and from the program, and opening a pipe would wait forever.
 */
static int open_regular(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	int error;

	if (file < 0)
		return -1;
	errno = 0;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
		return file;
	error = errno;
	close(file);
	errno = error;
	return -1;
}

bool place_file_open(struct place_file *file, const char *path, const uint8_t *build_id,
		     uint32_t build_id_bytes)
{
	int descriptor = open_regular(path);
	GElf_Addr bias;
	Elf *elf;

	if (descriptor < 0)
		return false;
	*file = (struct place_file){.dwfl = dwfl_begin(&callbacks)};
	if (!file->dwfl) {
		close(descriptor);
		errno = 0;
		return false;
	}
	/* libdwfl owns the descriptor if it returns a module. */
	file->module = dwfl_report_elf(file->dwfl, path, path, descriptor, 0, true);
	if (!file->module)
		close(descriptor);
	dwfl_report_end(file->dwfl, NULL, NULL);
	elf = file->module ? dwfl_module_getelf(file->module, &bias) : NULL;
	if (!elf || !build_id_agrees(file, build_id, build_id_bytes)) {
		place_file_close(file);
		errno = 0;
		return false;
	}
	file->bias = bias;
	read_segments(file, elf);
	return true;
}

void place_file_close(struct place_file *file)
{
	dwfl_end(file->dwfl);
	free(file->segments);
	free(file->symbols);
	free(file->units);
	*file = (struct place_file){0};
}

bool place_file_address(const struct place_file *file, uint64_t offset, uint64_t *ret_address)
{
	for (uint32_t i = 0; i < file->segment_count; i++) {
		const struct place_segment *segment = &file->segments[i];

		if (offset - segment->offset >= segment->size_bytes)
			continue;
		*ret_address = segment->address + (offset - segment->offset);
		return true;
	}
	return false;
}

bool place_file_offset(const struct place_file *file, uint64_t address, uint64_t *ret_offset)
{
	for (uint32_t i = 0; i < file->segment_count; i++) {
		const struct place_segment *segment = &file->segments[i];

		if (address - segment->address >= segment->size_bytes)
			continue;
		*ret_offset = segment->offset + (address - segment->address);
		return true;
	}
	return false;
}

uint64_t place_file_left(const struct place_file *file, uint64_t address)
{
	for (uint32_t i = 0; i < file->segment_count; i++)
		if (address - file->segments[i].address < file->segments[i].size_bytes)
			return file->segments[i].address + file->segments[i].size_bytes - address;
	return 0;
}

uint32_t takt_trace_build_id(const char *path, uint8_t *bytes)
{
	const unsigned char *bits;
	struct place_file file;
	GElf_Addr address;
	int size;

	if (!place_file_open(&file, path, NULL, 0))
		return 0;
	size = dwfl_module_build_id(file.module, &bits, &address);
	if (size > 0 && size <= (int)TRACE_BUILD_ID_MAX)
		memcpy(bytes, bits, (size_t)size);
	else
		size = 0;
	place_file_close(&file);
	return (uint32_t)size;
}
