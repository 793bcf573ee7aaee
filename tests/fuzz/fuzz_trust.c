/* SPDX-License-Identifier: MIT */
/* Any bytes as a trust table and as a file of limits; what is read is written, and read again. */
#include <stdlib.h>
#include <string.h>

#include "validate/validate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_trust(const uint8_t *data, size_t size, struct takt_text *text)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_trust *trust;

	if (takt_trust_parse(data, size, "fuzz", diag, &trust) == TAKT_OK) {
		takt_write_trust(trust, TAKT_FORMAT_TEXT, true, text);
		takt_write_trust(trust, TAKT_FORMAT_JSON, true, text);
		takt_text_clear(text);
		takt_write_trust(trust, TAKT_FORMAT_CSV, false, text);
		takt_trust_free(trust);
		if (takt_trust_parse(takt_text_data(text), takt_text_size_bytes(text), "again",
				     diag, &trust) != TAKT_OK)
			abort();
		takt_trust_free(trust);
	} else if (takt_diag_error_count(diag) != 1) {
		abort();
	}
	takt_diag_free(diag);
}

static void check_limits(const uint8_t *data, size_t size, struct takt_text *text)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_machine_limits *limits;

	if (takt_machine_limits_parse(data, size, "fuzz", diag, &limits) == TAKT_OK) {
		takt_write_machine_limits(limits, TAKT_FORMAT_TEXT, text);
		takt_write_machine_limits(limits, TAKT_FORMAT_JSON, text);
		takt_text_clear(text);
		takt_write_machine_limits(limits, TAKT_FORMAT_CSV, text);
		takt_machine_limits_free(limits);
		if (takt_machine_limits_parse(takt_text_data(text), takt_text_size_bytes(text),
					      "again", diag, &limits) != TAKT_OK)
			abort();
		takt_machine_limits_free(limits);
	} else if (takt_diag_error_count(diag) != 1) {
		abort();
	}
	takt_diag_free(diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_text *text = takt_text_new();

	check_trust(data, size, text);
	takt_text_clear(text);
	check_limits(data, size, text);
	takt_text_free(text);
	return 0;
}
