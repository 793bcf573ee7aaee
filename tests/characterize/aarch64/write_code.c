/* SPDX-License-Identifier: MIT */
/*
 * Writes the code of all experiments on throughput and latency of AArch64 forms, as a machine gets
 * it: each block's size in bytes, of 32 bits, and the block.
 *
 *     write-code CORE STEP FILE
 *
 * Every STEP-th form of the core is taken.
 */
#include <stdio.h>

#include "characterize/lab.h"
#include "unit/isa/aarch64_rows.h"

struct recorder {
	struct probe_machine machine;
	const struct takt_model *model;
	FILE *file;
};

/* Record the block; all take the same time. */
static bool record(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes,
		   bool loop, struct probe_outcome *ret_outcome)
{
	struct recorder *recorder = (struct recorder *)machine;
	uint32_t size = (uint32_t)size_bytes;

	(void)loop;
	*ret_outcome = (struct probe_outcome){.cycles = 1, .reason = ""};
	return fwrite(&size, sizeof(size), 1, recorder->file) == 1 &&
	       fwrite(bytes, size_bytes, 1, recorder->file) == 1;
}

static bool supports(const struct probe_machine *machine, const struct takt_insn *insn)
{
	return takt_model_supports(((const struct recorder *)machine)->model, insn);
}

static void close_recorder(struct probe_machine *machine)
{
	(void)machine;
}

int main(int argc, char **argv)
{
	struct recorder recorder = {.machine = {.name = "recorder",
						.isa = &takt_isa_aarch64,
						.run = record,
						.supports = supports,
						.close = close_recorder}};
	struct takt_model *model;
	struct probe_lab *lab;
	size_t step;

	if (argc != 4)
		return EXIT_FAILURE;
	recorder.file = fopen(argv[3], "wb");
	if (!recorder.file)
		return EXIT_FAILURE;
	if (!can_decode() || takt_model_open(argv[1], NULL, NULL, &model) != TAKT_OK)
		return fclose(recorder.file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	recorder.model = model;
	lab = takt_probe_lab_new(&recorder.machine);
	step = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < lab->forms.count; i += step) {
		struct probe_latency latencies[PROBE_LATENCIES_MAX];
		struct probe_throughput throughput;
		const char *reason;

		if (takt_probe_throughput(lab, &lab->forms.forms[i], &throughput, &reason))
			takt_probe_latencies(lab, &lab->forms.forms[i], &throughput, latencies);
	}
	takt_probe_lab_free(lab);
	takt_model_close(model);
	return fclose(recorder.file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
