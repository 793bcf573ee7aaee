/* SPDX-License-Identifier: MIT */
/*
 * Finds the body of a loop. The measuring loop has its own counter, `dec` and `jnz`, which fuse
 * into one µop just as the loop's own comparison and branch do: these two are replaced. An `add` or
 * `dec` before the branch is kept, because other instructions may read its result.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/measure.h"

struct takt_loop_finder {
	struct takt_diag *diag;
	/* Any core of the host's instruction set: lengths do not depend on the core. */
	struct takt_model *model;
};

struct takt_loop_finder *takt_loop_finder_new(void)
{
	struct takt_loop_finder *finder = takt_allocate(1, sizeof(*finder));

	finder->diag = takt_diag_new();
	return finder;
}

void takt_loop_finder_free(struct takt_loop_finder *finder)
{
	if (!finder)
		return;
	takt_model_close(finder->model);
	takt_diag_free(finder->diag);
	free(finder);
}

static uint32_t little_endian(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* True if the last bytes may be a branch's distance to the first; avoids most analyses. */
static bool may_branch_back(const uint8_t *bytes, size_t size)
{
	uint32_t distance = (uint32_t)-size;

	if (size >= 2 && bytes[size - 1] == (uint8_t)distance && size <= 128)
		return true;
	return size >= 5 && size <= INT32_MAX && little_endian(bytes + size - 4) == distance;
}

static bool is_register_comparison(const struct takt_analysis_insn *insn)
{
	bool compares = strncmp(insn->form, "cmp ", 4) == 0 || strncmp(insn->form, "test ", 5) == 0;

	/* In a form, only memory operands begin with m or contain a bracket. */
	return compares && !strstr(insn->form, " m") && !strchr(insn->form, '[');
}

static struct takt_loop_body read_analysis(const struct takt_analysis *analysis, size_t size)
{
	struct takt_loop_body body = {.unroll_size_bytes = size, .loop_size_bytes = size};
	uint32_t count = analysis->insn_count;

	if (analysis->mode != TAKT_MODE_LOOP || count < 2 ||
	    analysis->insns[count - 1].length_bytes > size)
		return body;
	body.is_loop = true;
	body.unroll_size_bytes = size - analysis->insns[count - 1].length_bytes;
	body.loop_size_bytes = body.unroll_size_bytes;
	if (count > 2 && is_register_comparison(&analysis->insns[count - 2]))
		body.loop_size_bytes -= analysis->insns[count - 2].length_bytes;
	return body;
}

struct takt_loop_body takt_loop_body_find(struct takt_loop_finder *finder, const uint8_t *bytes,
					  size_t size_bytes)
{
	struct takt_loop_body body = {.unroll_size_bytes = size_bytes,
				      .loop_size_bytes = size_bytes};
	struct takt_code_options from = {.data = bytes,
					 .data_size_bytes = size_bytes,
					 .format = TAKT_INPUT_RAW,
					 .isa = TAKT_HOST_ISA,
					 .whole = true};
	struct takt_analysis_options options = {.bounds_only = true};
	struct takt_analysis *analysis;
	struct takt_code *code;

	if (!may_branch_back(bytes, size_bytes))
		return body;
	if (!finder->model && takt_model_open(takt_core_default(TAKT_HOST_ISA), NULL, finder->diag,
					      &finder->model) != TAKT_OK)
		finder->model = NULL;
	if (finder->model && takt_code_open(&from, finder->diag, &code) == TAKT_OK) {
		if (takt_analyze(finder->model, code, 0, &options, finder->diag, &analysis) ==
		    TAKT_OK) {
			body = read_analysis(analysis, size_bytes);
			takt_analysis_free(analysis);
		}
		takt_code_close(code);
	}
	/* The measurement reports bytes that do not decode. */
	takt_diag_clear(finder->diag);
	return body;
}
