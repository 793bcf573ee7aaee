/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a block, of the instruction set that the first says: the fast predictor and
 * the full analysis agree, and all writers run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "code_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double headline(const struct takt_model *model, const uint8_t *data, size_t size)
{
	struct takt_code_options from = {.data = data,
					 .data_size_bytes = size,
					 .format = TAKT_INPUT_RAW,
					 .isa = takt_model_isa_name(model),
					 .whole = true};
	struct takt_analysis_options options = {.mode = TAKT_MODE_UNROLL};
	struct takt_diag *diag = takt_diag_new();
	struct takt_analysis *analysis = NULL;
	struct takt_code *code = NULL;
	double cycles = NAN;

	if (takt_code_open(&from, diag, &code) == TAKT_OK &&
	    takt_analyze(model, code, 0, &options, diag, &analysis) == TAKT_OK) {
		struct takt_write_options write = {0};
		struct takt_text *text = takt_text_new();

		cycles = analysis->cycles_per_iteration;
		takt_write_analysis_text(analysis, &write, text);
		takt_write_analysis_json(analysis, text);
		takt_write_analysis_dot(analysis, text);
		takt_text_free(text);
		takt_analysis_free(analysis);
	}
	if (code)
		takt_code_close(code);
	takt_diag_free(diag);
	return cycles;
}

static void check(const char *core, const uint8_t *data, size_t size)
{
	static const struct takt_predictor_options options = {.mode = TAKT_MODE_UNROLL,
							      .engine = TAKT_ENGINE_SIM};
	struct takt_predictor *predictor;
	struct takt_model *model;
	double quick, full;

	if (takt_model_open(core, NULL, NULL, &model) != TAKT_OK)
		abort();
	predictor = takt_predictor_new(model, &options);
	full = headline(model, data, size);
	if (takt_predict(predictor, data, size, &quick) == TAKT_OK && size && !isnan(full) &&
	    fabs(quick - full) > 1e-6 * (1 + full))
		abort();
	takt_predictor_free(predictor);
	takt_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const x86[] = {"SKX", "SPR", "ZEN4"};
	static const char *const aarch64[] = {"N1", "A64FX", "V2"};
	bool is_x86 = strcmp(take_isa(&data, &size), "x86-64") == 0;

	if (size > 4096)
		size = 4096;
	/* One, for speed. */
	check((is_x86 ? x86 : aarch64)[size % TAKT_COUNT_OF(x86)], data, size);
	return 0;
}
