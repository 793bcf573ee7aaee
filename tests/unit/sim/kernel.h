/* SPDX-License-Identifier: MIT */
/* Machine code to a block that can be simulated; a failure ends the test. */
#ifndef TAKT_TESTS_SIM_KERNEL_H
#define TAKT_TESTS_SIM_KERNEL_H

#include "analyze/prepared.h"
#include "unit/tap.h"

#define KERNEL_BYTES_MAX 64

struct sim_kernel {
	struct takt_model *model;
	struct takt_arena arena;
	struct takt_prepared prepared;
	struct sim_block block;
	bool loop;
};

static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

__attribute__((unused)) static struct sim_kernel *kernel_new(const char *core, const uint8_t *bytes,
							     size_t size_bytes)
{
	struct sim_kernel *kernel = takt_xcalloc(1, sizeof(*kernel));
	struct takt_prepared *prepared = &kernel->prepared;

	if (takt_model_open(core, NULL, NULL, &kernel->model) != TAKT_OK)
		bail_out("no such core");
	prepared->model = kernel->model;
	if (takt_decode_block(&takt_isa_x86,
			      &(struct takt_code_bytes){bytes, size_bytes, 0, "", NULL},
			      &kernel->arena, NULL, &prepared->block) != TAKT_OK)
		bail_out("no machine code");
	takt_prepared_set_mode(prepared, TAKT_MODE_AUTO);
	takt_prepared_run(prepared, &kernel->arena);
	takt_prepared_find_memory(prepared, &kernel->arena);
	kernel->loop = prepared->mode == TAKT_MODE_LOOP;
	kernel->block = (struct sim_block){.model = kernel->model,
					   .block = &prepared->block,
					   .timings = prepared->timings,
					   .fused = prepared->fused,
					   .edges = prepared->edges,
					   .edge_count = prepared->edge_count};
	return kernel;
}

__attribute__((unused)) static struct sim_kernel *kernel_from_hex(const char *core, const char *hex)
{
	uint8_t bytes[KERNEL_BYTES_MAX];
	size_t size = 0;

	for (; hex[2 * size]; size++) {
		unsigned byte = 0;

		if (size == KERNEL_BYTES_MAX || sscanf(hex + 2 * size, "%2x", &byte) != 1)
			bail_out("no hexadecimal digits");
		bytes[size] = (uint8_t)byte;
	}
	return kernel_new(core, bytes, size);
}

__attribute__((unused)) static void kernel_free(struct sim_kernel *kernel)
{
	takt_arena_release(&kernel->arena);
	takt_model_close(kernel->model);
	free(kernel);
}

/* Return the cycles of a block in a loop, whose registers point to starts of lines of 64 bytes. */
__attribute__((unused)) static double kernel_cycles(const char *core, const char *hex)
{
	const struct sim_options options = {.pointer_shift_bytes = (uint32_t)-32};
	struct sim_kernel *kernel = kernel_from_hex(core, hex);
	struct sim_summary summary;

	takt_simulate(&kernel->block, &options, &kernel->arena, &summary);
	kernel_free(kernel);
	return summary.cycles;
}

#endif
