/* SPDX-License-Identifier: MIT */
/* A bench for each mode, opened when first needed. */
#include <stddef.h>

#include "cli/measure.h"

static enum takt_status open_bench(struct takt_benches *benches, bool is_loop,
				   struct takt_measurer **bench)
{
	struct takt_measure_options options = benches->options;
	enum takt_status status;

	options.mode = is_loop ? TAKT_MODE_LOOP : TAKT_MODE_UNROLL;
	status = takt_measurer_open(&options, benches->diag, bench);
	if (status != TAKT_UNAVAILABLE || options.clock != TAKT_CLOCK_PERF_RDPMC)
		return status;
	/* '--clock=perf' allows both ways of reading the counter, and rdpmc is not available. */
	takt_diag_clear(benches->diag);
	benches->options.clock = options.clock = TAKT_CLOCK_PERF_READ;
	return takt_measurer_open(&options, benches->diag, bench);
}

struct takt_measurer *takt_benches_of(struct takt_benches *benches, bool is_loop)
{
	struct takt_measurer **bench = is_loop ? &benches->loop : &benches->unroll;

	if (*bench || open_bench(benches, is_loop, bench) == TAKT_OK)
		return *bench;
	return NULL;
}

struct takt_measurer *takt_benches_any(struct takt_benches *benches)
{
	return benches->loop ? benches->loop : takt_benches_of(benches, false);
}

void takt_benches_close(struct takt_benches *benches)
{
	takt_measurer_close(benches->unroll);
	takt_measurer_close(benches->loop);
	benches->unroll = benches->loop = NULL;
}
