/* SPDX-License-Identifier: MIT */
/* The processor at hand, by time alone; code runs in the sandbox of measure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/backend.h"

/* Differences of long runs are told to a fraction of a cycle. */
#define TOLERANCE 0.003
/* Beyond which a figure is not the worse for being disturbed: the rounds' median holds. */
#define SPREAD_MAX 0.01
/* Of a few seconds each, as long as others use the core. */
#define ATTEMPTS 20

struct host_machine {
	struct probe_machine machine;
	struct takt_bench *bench, *loop_bench; /* copies; loops, NULL until there is one */
};

static struct takt_bench *open_loops(void)
{
	const struct takt_measure_options options = {.mode = TAKT_MODE_LOOP,
						     .tolerance = TOLERANCE};
	struct takt_bench *bench;

	return takt_bench_open(&options, NULL, &bench) == TAKT_OK ? bench : NULL;
}

static bool run(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes, bool loop,
		struct probe_outcome *ret_outcome)
{
	struct host_machine *host = (struct host_machine *)machine;
	struct takt_measurement measurement;

	if (loop && !host->loop_bench)
		host->loop_bench = open_loops();
	if (loop && !host->loop_bench) {
		*ret_outcome = (struct probe_outcome){.reason = "no second bench"};
		return false;
	}
	for (int i = 0; i < ATTEMPTS; i++) {
		takt_measure(loop ? host->loop_bench : host->bench, bytes, size_bytes, &measurement);
		if (measurement.status != TAKT_MEASURE_DISTURBED)
			break;
	}
	*ret_outcome = (struct probe_outcome){.cycles = measurement.cycles,
					      .spread = fmin(measurement.spread, SPREAD_MAX)};
	/* If rounds do not agree, the best known figure is good enough to go on with. */
	if (!isnan(measurement.cycles)) {
		ret_outcome->reason = "";
		return true;
	}
	if (measurement.status == TAKT_MEASURE_DISTURBED)
		ret_outcome->reason = PROBE_BUSY;
	else
		ret_outcome->reason = *measurement.reason ? measurement.reason
						  : takt_measure_status_text(measurement.status);
	return false;
}

/* Measuring refuses a jump only if it would run everything before it. */
static bool supports(const struct probe_machine *machine, const struct takt_insn *insn)
{
	static const uint8_t jump[] = {0xeb, 0x00};
	const struct host_machine *host = (const struct host_machine *)machine;
	uint8_t bytes[TAKT_X86_LENGTH_MAX + sizeof(jump)];
	struct takt_measurement measurement;

	memcpy(bytes, insn->bytes, insn->length_bytes);
	memcpy(bytes + insn->length_bytes, jump, sizeof(jump));
	takt_measure(host->bench, bytes, insn->length_bytes + sizeof(jump), &measurement);
	return measurement.status == TAKT_MEASURE_CONTROL;
}

static void close_host(struct probe_machine *machine)
{
	struct host_machine *host = (struct host_machine *)machine;

	takt_bench_close(host->bench);
	takt_bench_close(host->loop_bench);
	free(host);
}

enum takt_status takt_probe_host_open(struct takt_diag *diag, struct probe_machine **ret_machine)
{
	const struct takt_measure_options options = {.mode = TAKT_MODE_UNROLL,
						     .tolerance = TOLERANCE};
	struct host_machine *host;
	struct takt_bench *bench;
	enum takt_status status = takt_bench_open(&options, diag, &bench);

	if (status != TAKT_OK)
		return status;
	host = takt_xcalloc(1, sizeof(*host));
	host->machine = (struct probe_machine){.name = takt_bench_cpu(bench),
					       .run = run,
					       .supports = supports,
					       .close = close_host};
	host->bench = bench;
	*ret_machine = &host->machine;
	return TAKT_OK;
}
