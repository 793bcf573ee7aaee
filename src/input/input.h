/* SPDX-License-Identifier: MIT */
/*
 * input: where code comes from. ELF files, assembly text (assembled in process
 * by the LLVM shim, loaded on first need), raw bytes, hex; and which part of it is
 * meant: markers, line ranges, functions, address ranges, innermost loops. The
 * result is a list of straight-line regions; see takt_code in takt.h.
 */
#ifndef TAKT_INPUT_H
#define TAKT_INPUT_H

#include "isa/isa.h"

#define TAKT_REGION_INSNS_MAX 4000000u

/* Source position of an instruction. */
struct takt_source_line {
	const char *file; /* NULL if not known */
	uint32_t line;    /* 0 if not known */
	const char *text; /* the user's own line for assembly input, trimmed, else NULL */
};

/* `address` is as takt_decode_block() counts it from the region's. */
struct takt_source_line takt_code_line(const struct takt_code *code, size_t region_index,
				       uint64_t address);
const struct takt_isa *takt_code_isa(const struct takt_code *code);
/* For messages: the file and section the region came from. */
const char *takt_code_file(const struct takt_code *code);
const char *takt_region_section(const struct takt_code *code, size_t region_index);

/* For takt_block_set_vectors(); the settings are the arena's. */
struct takt_lead takt_region_lead(const struct takt_code *code, size_t region_index,
				  struct takt_arena *arena);

/* ---- the LLVM shim (src/input/llvm_shim.cpp, in each of the LLVM modules) ---- */

/* Where an instruction or a label of the text went. */
struct takt_assembled_insn {
	uint32_t section; /* index in the object's section header table */
	uint32_t offset;  /* in that section */
	uint32_t line;    /* 1-based line of the source */
};

/* Calls back once per diagnostic. `line` and `column` are 1-based. */
typedef void (*takt_shim_report)(void *context, bool is_error, uint32_t line, uint32_t column,
				 const char *message);

/*
 * The shim's only entry, found by dlsym as "takt_shim_assemble". Assembles
 * NUL-terminated text for an LLVM triple into an in-memory ELF object; the arrays
 * are malloc'ed and belong to the caller. Returns 0 on success.
 */
struct takt_shim_request {
	const char *triple, *cpu, *features;
	const char *source, *source_name;
	const char *label_prefix; /* of the labels to list in the result */
	int intel_syntax; /* 1 Intel without prefix, 0 AT&T */
	takt_shim_report report;
	void *context;
};

struct takt_shim_result {
	unsigned char *object;
	size_t object_size_bytes;
	struct takt_assembled_insn *insns; /* ascending by section, offset */
	size_t insn_count;
	struct takt_assembled_insn *labels; /* in the order of the text */
	size_t label_count;
};

typedef int (*takt_shim_assemble_function)(const struct takt_shim_request *request,
					   struct takt_shim_result *ret_result);

#endif
