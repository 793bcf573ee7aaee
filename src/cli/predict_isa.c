/* SPDX-License-Identifier: MIT */
/* The instruction set of blocks, which are bytes that do not tell it. */
#include <stdlib.h>
#include <string.h>

#include "cli/predict.h"

/* More blocks than these would not make it clearer. */
#define BLOCKS_TRIED 256

/* Count those of the first good blocks that a core decodes. */
static size_t count_decoded(const struct takt_model *model, const struct takt_block_reader *reader)
{
	const struct takt_predictor_options options = {.engine = TAKT_ENGINE_BOUNDS};
	struct takt_predictor *predictor = takt_predictor_new(model, &options);
	size_t decoded = 0, capacity = 0;
	uint8_t *bytes = NULL;

	for (size_t i = 0; i < reader->count && i < BLOCKS_TRIED; i++) {
		const struct takt_hex_block *block = &reader->blocks[i];
		double cycles;

		if (block->state != TAKT_BLOCK_GOOD)
			continue;
		takt_block_bytes(block, &bytes, &capacity);
		decoded += takt_predict(predictor, bytes, block->size / 2, &cycles) == TAKT_OK;
	}
	free(bytes);
	takt_predictor_free(predictor);
	return decoded;
}

/* An instruction set, and the number of blocks that its first built-in core decodes. */
struct tried {
	const char *isa;
	size_t decoded;
};

/* Count for the core's instruction set, if it is `tried` and that is not done yet. */
static void try_core(size_t core, const struct takt_block_reader *reader, struct tried *tried)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;

	if (takt_model_open(takt_model_builtin_name(core), NULL, diag, &model) == TAKT_OK) {
		if (strcmp(takt_model_isa_name(model), tried->isa) == 0)
			tried->decoded = count_decoded(model, reader);
		takt_model_close(model);
	}
	takt_diag_free(diag);
}

const char *takt_blocks_guess_isa(const struct takt_block_reader *reader)
{
	struct tried tried[] = {{.isa = "x86-64"}, {.isa = "aarch64"}};
	const size_t count = TAKT_COUNT_OF(tried);
	const struct tried *best = NULL;

	for (size_t i = 0; i < count; i++) {
		for (size_t core = 0; core < takt_model_builtin_count() && !tried[i].decoded;
		     core++)
			try_core(core, reader, &tried[i]);
		if (!best || tried[i].decoded > best->decoded ||
		    (tried[i].decoded == best->decoded && strcmp(tried[i].isa, TAKT_HOST_ISA) == 0))
			best = &tried[i];
	}
	if (strcmp(best->isa, TAKT_HOST_ISA) != 0)
		takt_say_note("the blocks are taken for %s code, which more of them are than %s; "
			      "'--arch=NAME,NAME' names cores",
			      best->isa, TAKT_HOST_ISA);
	return best->isa;
}
