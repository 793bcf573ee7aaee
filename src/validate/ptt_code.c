/* SPDX-License-Identifier: MIT */
/* Assembles a kernel of likwid-bench, and finds which of its streams it reads and writes. */
#include <takt/code.h>

#include <stdio.h>
#include <string.h>

#include "validate/ptt.h"

/* Registers of streams A to D in kernels of LIKWID: rsi, rdx, rcx, r8. */
static const uint8_t bases[KERNEL_STREAMS_MAX] = {TAKT_LOC_GPR + 6, TAKT_LOC_GPR + 2,
						  TAKT_LOC_GPR + 1, TAKT_LOC_GPR + 8};

static void note_streams(const struct takt_insn *insn, const struct takt_ptt *ptt,
			 struct kernel_code *code)
{
	for (size_t m = 0; m < TAKT_COUNT_OF(insn->memories); m++) {
		const struct takt_memory *memory = &insn->memories[m];

		for (uint32_t s = 0; s < ptt->streams; s++) {
			if (memory->base != bases[s] || memory->address_only)
				continue;
			code->reads[s] = code->reads[s] || memory->read;
			code->writes[s] = code->writes[s] || memory->write;
		}
	}
}

/*
 * Copy the function. The instructions around the file's own have no stream's register as a base,
 * so that all accesses through these are the kernel's.
 */
static enum takt_status take_function(const struct takt_region *region, const char *path,
				      const struct takt_ptt *ptt, struct takt_diag *diag,
				      struct kernel_code *code)
{
	const struct takt_isa *isa;
	struct takt_block block;
	struct takt_arena arena = {0};
	enum takt_status status = takt_isa_find("x86-64", diag, &isa);

	if (status != TAKT_OK)
		return status;
	if (region->size_bytes > sizeof(code->bytes)) {
		takt_error(diag, "'%s' makes %zu bytes of code; %zu are possible", path,
			   region->size_bytes, sizeof(code->bytes));
		return TAKT_BAD_INPUT;
	}
	status = takt_decode_block(
		isa, &(struct takt_code_bytes){region->bytes, region->size_bytes, 0, path, ".text"},
		&arena, diag, &block);
	for (uint32_t i = 0; status == TAKT_OK && i < block.count; i++)
		note_streams(&block.insns[i], ptt, code);
	takt_arena_release(&arena);
	memcpy(code->bytes, region->bytes, region->size_bytes);
	code->size_bytes = region->size_bytes;
	return status;
}

static enum takt_status assemble(const struct takt_ptt *ptt, const char *path,
				 struct takt_diag *diag, struct kernel_code *code)
{
	const struct takt_code_options options = {.path = path,
						  .data = ptt->assembly.data,
						  .data_size_bytes = ptt->assembly.size_bytes,
						  .format = TAKT_INPUT_ASSEMBLY,
						  .isa = "x86-64",
						  .syntax = TAKT_SYNTAX_INTEL,
						  .whole = true};
	struct takt_code *assembled;
	enum takt_status status = takt_code_open(&options, diag, &assembled);

	if (status != TAKT_OK)
		return status;
	if (takt_code_region_count(assembled) == 1) {
		status = take_function(takt_code_region(assembled, 0), path, ptt, diag, code);
	} else {
		takt_error(diag, "'%s' makes no function", path);
		status = TAKT_BAD_INPUT;
	}
	takt_code_close(assembled);
	return status;
}

/* Set the name: that of the file, with '_' for what a CSV file cannot have. */
static void set_name(const char *path, char name[KERNEL_NAME_MAX])
{
	snprintf(name, KERNEL_NAME_MAX, "%s", takt_path_name(path));
	for (char *c = name; *c; c++)
		if (!takt_is_alnum(*c) && !strchr("._-+", *c))
			*c = '_';
}

enum takt_status takt_kernel_file_open(const char *path, struct takt_diag *diag,
				       struct kernel_file *ret_file)
{
	struct kernel_file file = {.code = {.isa = KERNEL_X86}};
	struct oracle_counts *trip = &file.code.counts[KERNEL_TRIP];
	struct takt_file text;
	struct takt_ptt ptt;
	enum takt_status status;

	if (KERNEL_HOST != KERNEL_X86) {
		takt_error(diag, "'%s' is a kernel for x86-64, which this processor is not", path);
		return TAKT_UNAVAILABLE;
	}
	status = takt_file_open(path, diag, &text);
	if (status != TAKT_OK)
		return status;
	status = takt_ptt_read(text.data, text.size_bytes, path, diag, &ptt);
	takt_file_close(&text);
	if (status != TAKT_OK)
		return status;
	status = assemble(&ptt, path, diag, &file.code);
	if (status == TAKT_OK) {
		set_name(path, file.name);
		file.single = ptt.single;
		file.code.non_temporal = ptt.non_temporal;
		file.code.trip_bytes = ptt.increment * ptt.element_bytes;
		trip->load_bytes = (uint64_t)ptt.increment * ptt.bytes;
		trip->fp64_ops[0] = (uint64_t)ptt.increment * ptt.flops;
		*ret_file = file;
	}
	takt_ptt_release(&ptt);
	return status;
}
