/* SPDX-License-Identifier: MIT */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "validate/kernel_elf.h"

#define CODE_ADDRESS 0x400000u
#define DATA_ADDRESS 0x10000000u
#define PAGE_BYTES 0x10000u /* AArch64 may have pages as large as this */
#define STACK_BYTES 4096u
/* Program headers: code, data, and one that makes the stack non-executable. */
#define HEADER_COUNT 3u

#define HEADERS_BYTES (sizeof(Elf64_Ehdr) + HEADER_COUNT * sizeof(Elf64_Phdr))

static void append(struct kernel_code *code, const struct kernel_code *part)
{
	if (part->size_bytes > sizeof(code->bytes) - code->size_bytes) {
		code->full = true;
		return;
	}
	memcpy(code->bytes + code->size_bytes, part->bytes, part->size_bytes);
	code->size_bytes += part->size_bytes;
}

/* Emit a thread's code: arguments, the kernel, the end of the thread. */
static void make_thread(const struct program *program, uint32_t index, struct kernel_code *code)
{
	const struct kernel_emitter *emitter = takt_kernel_emitter(program->request.isa);
	const struct program_thread *thread = &program->threads[index];

	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		emitter->set_argument(code, i,
				      DATA_ADDRESS + thread->offset + i * program->pitch_bytes);
	emitter->set_argument(code, KERNEL_STREAMS_MAX, thread->stream_bytes);
	emitter->set_argument(code, KERNEL_STREAMS_MAX + 1, thread->repeats);
	takt_kernel_emit(thread->request ? thread->request : &program->request, code);
	emitter->exit_thread(code);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Return the top of a thread's stack; stacks follow the data. */
static uint64_t stack_top(const struct program *program, uint32_t thread)
{
	return DATA_ADDRESS + round_up(program->data_bytes, STACK_BYTES) +
	       (uint64_t)STACK_BYTES * thread;
}

static void make_code(const struct program *program, struct kernel_code *code)
{
	const struct kernel_emitter *emitter = takt_kernel_emitter(program->request.isa);
	struct kernel_code *part = takt_xcalloc(1, sizeof(*part));

	for (uint32_t i = 1; i < program->thread_count; i++) {
		memset(part, 0, sizeof(*part));
		make_thread(program, i, part);
		emitter->clone(code, stack_top(program, i), (uint32_t)part->size_bytes);
		append(code, part);
	}
	memset(part, 0, sizeof(*part));
	make_thread(program, 0, part);
	append(code, part);
	free(part);
}

static void fill_headers(const struct program *program, const struct kernel_code *code,
			 uint64_t file_data_bytes, Elf64_Ehdr *header, Elf64_Phdr *parts)
{
	bool arm = program->request.isa == KERNEL_AARCH64;
	uint64_t stacks = stack_top(program, program->thread_count) - DATA_ADDRESS;

	*header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = arm ? EM_AARCH64 : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = CODE_ADDRESS + HEADERS_BYTES,
		.e_phoff = sizeof(*header),
		.e_ehsize = sizeof(*header),
		.e_phentsize = sizeof(*parts),
		.e_phnum = HEADER_COUNT,
	};
	parts[0] = (Elf64_Phdr){.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_vaddr = CODE_ADDRESS,
				.p_paddr = CODE_ADDRESS,
				.p_filesz = HEADERS_BYTES + code->size_bytes,
				.p_memsz = HEADERS_BYTES + code->size_bytes,
				.p_align = PAGE_BYTES};
	parts[1] = (Elf64_Phdr){.p_type = PT_LOAD,
				.p_flags = PF_R | PF_W,
				.p_offset = PAGE_BYTES,
				.p_vaddr = DATA_ADDRESS,
				.p_paddr = DATA_ADDRESS,
				.p_filesz = file_data_bytes,
				.p_memsz = stacks,
				.p_align = PAGE_BYTES};
	parts[2] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
}

void takt_kernel_program_make(const struct kernel_request *request, const struct kernel_code *code,
			      uint64_t stream_bytes, uint64_t repeats, struct program *ret_program)
{
	uint64_t unit, streams = 0;

	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		if (code->reads[i] || code->writes[i])
			streams = i + 1;
	unit = (uint64_t)code->trip_bytes /
	       takt_greatest_common_divisor(code->trip_bytes, KERNEL_LINE_BYTES_MAX) *
	       KERNEL_LINE_BYTES_MAX;
	stream_bytes = stream_bytes / unit ? stream_bytes / unit * unit : unit;
	*ret_program = (struct program){
		.request = *request,
		.threads = {{.stream_bytes = stream_bytes, .repeats = repeats}},
		.thread_count = 1,
		.pitch_bytes = stream_bytes,
		.data_bytes = streams ? streams * stream_bytes : UINT64_C(2) * TAKT_LINE_BYTES,
	};
}

/* Write data in which each line points to the next one, and the last one to the first. */
static bool write_pointers(const struct program *program, FILE *file)
{
	for (uint64_t at = 0; at < program->data_bytes; at += TAKT_LINE_BYTES) {
		uint64_t next = at + TAKT_LINE_BYTES;
		uint64_t line[TAKT_LINE_BYTES / 8] = {DATA_ADDRESS +
						      (next < program->data_bytes ? next : 0)};

		if (fwrite(line, sizeof(line), 1, file) != 1)
			return false;
	}
	return true;
}

static bool write_file(const struct program *program, const struct kernel_code *code, FILE *file)
{
	bool pointers = program->request.kernel->ops[0].kind == KERNEL_CHASE;
	Elf64_Ehdr header;
	Elf64_Phdr parts[HEADER_COUNT];

	fill_headers(program, code, pointers ? program->data_bytes : 0, &header, parts);
	return fwrite(&header, sizeof(header), 1, file) == 1 &&
	       fwrite(parts, sizeof(parts), 1, file) == 1 &&
	       fwrite(code->bytes, code->size_bytes, 1, file) == 1 &&
	       (!pointers ||
		(fseek(file, PAGE_BYTES, SEEK_SET) == 0 && write_pointers(program, file)));
}

enum takt_status takt_kernel_program_write(const struct program *program, const char *path,
					   struct takt_diag *diag)
{
	struct kernel_code *code = takt_xcalloc(1, sizeof(*code));
	struct takt_new_file target;
	enum takt_status made = takt_new_file_open(path, diag, &target);
	struct stat status;
	int error = EFBIG;

	if (made == TAKT_OK) {
		make_code(program, code);
		/* Everyone who may read the file may execute it, even if it existed before. */
		if (!code->full)
			error = write_file(program, code, target.file) &&
						fstat(fileno(target.file), &status) == 0 &&
						fchmod(fileno(target.file),
						       status.st_mode |
							       (status.st_mode & 0444) >> 2) == 0
					? 0
					: errno;
		made = takt_new_file_close(&target, error, diag);
	}
	free(code);
	return made;
}
