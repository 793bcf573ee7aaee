/* SPDX-License-Identifier: MIT */
/* Texts as files, and a small program. */
#ifndef TAKT_TESTS_TRACE_IMPORT_FIXTURE_H
#define TAKT_TESTS_TRACE_IMPORT_FIXTURE_H

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../tap.h"

#include "trace/import/import.h"

/*
 * 401000: mov rax, [rdi]   401003: add rdi, 8   401007: dec ecx   401009: jnz 401000
 * 40100b: call 401014      401010: syscall      401012: jmp 401012
 * 401014: rep stosb        401016: ret          401017: no instruction
 */
#define FIXTURE_CODE                                                                               \
	"\x48\x8b\x07\x48\x83\xc7\x08\xff\xc9\x75\xf5\xe8\x04\0\0\0\x0f\x05\xeb\xfe\xf3\xaa\xc3"   \
	"\x06"

struct fixture_file {
	int descriptor;
	char path[64];
};

static inline struct fixture_file fixture_file(const void *data, size_t size)
{
	struct fixture_file file = {.descriptor = memfd_create("test", 0)};

	ok(file.descriptor >= 0 && write(file.descriptor, data, size) == (ssize_t)size, "a file");
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.descriptor);
	return file;
}

/* An ELF file with that code at 0x401000; `type` is ET_EXEC or ET_DYN (then at 0x1000). */
static inline size_t fixture_program(uint8_t *bytes, uint16_t machine, uint16_t type)
{
	const size_t size = sizeof(FIXTURE_CODE) - 1;
	Elf64_Ehdr header = {
		.e_ident = ELFMAG,
		.e_type = type,
		.e_machine = machine,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = sizeof(header) + sizeof(segment),
		.p_vaddr = type == ET_EXEC ? 0x401000 : 0x1000,
		.p_filesz = size,
		.p_memsz = size,
	};

	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &segment, sizeof(segment));
	memcpy(bytes + sizeof(header) + sizeof(segment), FIXTURE_CODE, size);
	return sizeof(header) + sizeof(segment) + size;
}

/* A text and what takt_trace_import() is to make of it. */
struct import_row {
	int line;
	const char *text, *isa;
	const char *error; /* part of the message; NULL: none, and the figures count */
	uint64_t insns, blocks, taken, not_taken, loads, stores, repeats, syscalls, left_out;
};

static inline void check_row(const struct import_row *row, enum takt_trace_kind kind,
			     const char *binary)
{
	const struct takt_trace_import_options options = {
		.kind = kind, .isa = row->isa, .binaries = &binary, .binary_count = binary != NULL};
	struct fixture_file file = fixture_file(row->text, strlen(row->text));
	struct takt_trace_totals *totals = NULL;
	struct takt_diag *diag = takt_diag_new();
	enum takt_status status = takt_trace_import(file.path, NULL, &options, diag, &totals);
	const char *said = takt_diag_text(diag);

	if (row->error) {
		if (!ok(status == TAKT_BAD_INPUT && said && strstr(said, row->error),
			"row %d: refused", row->line))
			tap_note("%s", said ? said : "nothing said");
	} else if (ok(status == TAKT_OK, "row %d: taken", row->line)) {
		const struct takt_trace_counts *all = &totals->all;

		ok(all->insns == row->insns && all->blocks == row->blocks &&
			   all->taken == row->taken && all->not_taken == row->not_taken &&
			   all->loads == row->loads && all->stores == row->stores &&
			   all->repeats == row->repeats && all->syscalls == row->syscalls &&
			   all->interrupted == 0 && totals->left_out == row->left_out,
		   "row %d: insns %llu blocks %llu taken %llu not %llu loads %llu stores %llu "
		   "repeats %llu syscalls %llu interrupted %llu left out %llu",
		   row->line, (unsigned long long)all->insns, (unsigned long long)all->blocks,
		   (unsigned long long)all->taken, (unsigned long long)all->not_taken,
		   (unsigned long long)all->loads, (unsigned long long)all->stores,
		   (unsigned long long)all->repeats, (unsigned long long)all->syscalls,
		   (unsigned long long)all->interrupted, (unsigned long long)totals->left_out);
	} else {
		tap_note("%s", said ? said : "nothing said");
	}
	takt_trace_totals_free(totals);
	takt_diag_free(diag);
	close(file.descriptor);
}

#endif
