/* SPDX-License-Identifier: MIT */
/* Any bytes as a result, or as two with a zero between them; what is read is compared. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct takt_trace_totals *read_any(const uint8_t *data, size_t size)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_trace_totals *totals = NULL;

	if (takt_trace_result_read(data, size, "fuzz", diag, &totals) != TAKT_OK &&
	    takt_diag_error_count(diag) != 1)
		abort();
	takt_diag_free(diag);
	return totals;
}

static void compare(const struct takt_trace_totals *before, const struct takt_trace_totals *after)
{
	static const struct takt_diff_write_options options = {
		.functions = 10, .parts = 10, .code = true};
	struct takt_text *text = takt_text_new();
	struct takt_diff *diff;

	if (takt_diff_new(before, after, TAKT_DIFF_INSNS, NULL, &diff) != TAKT_OK)
		abort();
	takt_write_diff_text(diff, &options, text);
	takt_write_diff_json(diff, text);
	takt_diff_free(diff);
	takt_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t first = zero ? (size_t)(zero - data) : size;
	struct takt_trace_totals *before = read_any(data, first), *after = before;

	if (zero)
		after = read_any(zero + 1, size - first - 1);
	if (before && after)
		compare(before, after);
	if (after != before)
		takt_trace_result_close(after);
	takt_trace_result_close(before);
	return 0;
}
