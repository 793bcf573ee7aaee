/* SPDX-License-Identifier: MIT */
/* A bench for each mode, opened when first needed. */
#include <stddef.h>

#include "cli/measure.h"

static enum takt_status open_measurer(struct takt_measurers *measurers, bool is_loop,
				      struct takt_measurer **measurer)
{
	struct takt_measure_options options = measurers->options;
	enum takt_status status;

	options.mode = is_loop ? TAKT_MODE_LOOP : TAKT_MODE_UNROLL;
	status = takt_measurer_open(&options, measurers->diag, measurer);
	if (status != TAKT_UNAVAILABLE || options.clock != TAKT_CLOCK_PERF_RDPMC)
		return status;
	/* '--clock=perf' allows both ways of reading the counter, and rdpmc is not available. */
	takt_diag_clear(measurers->diag);
	measurers->options.clock = options.clock = TAKT_CLOCK_PERF_READ;
	return takt_measurer_open(&options, measurers->diag, measurer);
}

struct takt_measurer *takt_measurers_of(struct takt_measurers *measurers, bool is_loop)
{
	struct takt_measurer **measurer = is_loop ? &measurers->loop : &measurers->unroll;

	if (*measurer || open_measurer(measurers, is_loop, measurer) == TAKT_OK)
		return *measurer;
	return NULL;
}

struct takt_measurer *takt_measurers_any(struct takt_measurers *measurers)
{
	return measurers->loop ? measurers->loop : takt_measurers_of(measurers, false);
}

void takt_measurers_close(struct takt_measurers *measurers)
{
	takt_measurer_close(measurers->unroll);
	takt_measurer_close(measurers->loop);
	measurers->unroll = measurers->loop = NULL;
}
