/* SPDX-License-Identifier: MIT */
/* Machine code to a record, for tests; a failure ends the test with its messages. */
#ifndef TAKT_TESTS_ANALYZE_KERNEL_H
#define TAKT_TESTS_ANALYZE_KERNEL_H

#include <stdio.h>
#include <stdlib.h>

#include "takt/takt.h"

struct kernel {
	struct takt_diag *diag;
	struct takt_model *model;
	struct takt_code *code;
	struct takt_analysis *analysis;
};

static inline void kernel_check(struct kernel *kernel, enum takt_status status)
{
	if (status == TAKT_OK)
		return;
	printf("Bail out! %s", takt_diag_text(kernel->diag));
	exit(1);
}

static inline struct kernel kernel_analyze(const char *core, const uint8_t *bytes, size_t size,
					   struct takt_analysis_options options)
{
	struct takt_code_options from = {
		.data = bytes, .data_size_bytes = size, .format = TAKT_INPUT_RAW, .whole = true};
	struct kernel kernel = {.diag = takt_diag_new()};

	kernel_check(&kernel, takt_model_open(core, NULL, kernel.diag, &kernel.model));
	from.isa = takt_model_isa_name(kernel.model);
	kernel_check(&kernel, takt_code_open(&from, kernel.diag, &kernel.code));
	kernel_check(&kernel, takt_analyze(kernel.model, kernel.code, 0, &options, kernel.diag,
					   &kernel.analysis));
	return kernel;
}

static inline void kernel_close(struct kernel *kernel)
{
	takt_analysis_free(kernel->analysis);
	takt_code_close(kernel->code);
	takt_model_close(kernel->model);
	takt_diag_free(kernel->diag);
}

/* The rest are fields of takt_analysis_options. */
#define KERNEL(core, bytes, ...)                                                                   \
	kernel_analyze((core), (bytes), sizeof(bytes), (struct takt_analysis_options){__VA_ARGS__})

#endif
