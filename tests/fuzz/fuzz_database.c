/* SPDX-License-Identifier: MIT */
/* Any bytes as the database of a survey, which is reported and exported. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "characterize/characterize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct takt_model *core(void)
{
	static struct takt_model *model;

	if (!model && takt_model_open("SKL", NULL, NULL, &model) != TAKT_OK)
		abort();
	return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum takt_survey_format formats[] = {TAKT_SURVEY_REPORT, TAKT_SURVEY_CSV,
							  TAKT_SURVEY_XML, TAKT_SURVEY_TIMING,
							  TAKT_SURVEY_JSON};
	int file = memfd_create("database", 0);
	char path[64];

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	for (size_t i = 0; i < TAKT_COUNT_OF(formats); i++) {
		struct takt_diag *diag = takt_diag_new();
		struct takt_text *text = takt_text_new();
		enum takt_status status = takt_survey_write(path, formats[i], core(), diag, text);

		if (status != TAKT_OK && takt_diag_error_count(diag) == 0)
			abort();
		takt_text_free(text);
		takt_diag_free(diag);
	}
	close(file);
	return 0;
}
