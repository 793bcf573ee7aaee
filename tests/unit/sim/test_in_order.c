/* SPDX-License-Identifier: MIT */
/* A core of two slots a cycle that executes in order; each block as copies. */
#include "kernel.h"

static const struct {
	int line;
	const char *what;
	double cycles;
	uint8_t size, bytes[16];
} blocks[] = {
	{__LINE__,
	 "imul eax, ebx, 1; add ecx, eax: the add waits, and who comes behind",
	 3,
	 5,
	 {0x6b, 0xc3, 0x01, 0x01, 0xc1}},
	{__LINE__,
	 "and add edx, esi; add edi, esi: one beside it, one later",
	 4,
	 9,
	 {0x6b, 0xc3, 0x01, 0x01, 0xc1, 0x01, 0xf2, 0x01, 0xf7}},
	{__LINE__, "add edx, esi; add edi, esi", 1, 4, {0x01, 0xf2, 0x01, 0xf7}},
	{__LINE__,
	 "imul eax, ebx, 1; imul ecx, ebx, 1: one port",
	 2,
	 6,
	 {0x6b, 0xc3, 0x01, 0x6b, 0xcb, 0x01}},
};

static struct takt_model *make_model(const struct takt_model *model)
{
	struct takt_core_params params = *takt_model_params(model);
	const struct takt_model_change change = {.params = &params};

	params.issue_width = params.scheduler_entries = 2;
	params.port_choice = params.rename_to_dispatch_cycles = 0;
	return takt_model_change(model, &change);
}

static double simulate(struct sim_kernel *kernel, struct sim_stalls *stalls)
{
	const struct sim_options options = {.ideal_front_end = true, .ret_stalls = stalls};
	struct sim_summary summary;

	takt_simulate(&kernel->block, &options, &kernel->arena, &summary);
	return summary.cycles;
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(blocks); i++) {
		struct sim_kernel *kernel = kernel_new("SKL", blocks[i].bytes, blocks[i].size);
		struct takt_model *in_order = make_model(kernel->model);
		struct sim_stalls stalls;
		double sum = 0;

		kernel->block.model = in_order;
		tap_is_near(__FILE__, blocks[i].line, simulate(kernel, &stalls), blocks[i].cycles,
			    blocks[i].what);
		for (uint32_t s = 0; s < stalls.share_count; s++)
			sum += stalls.shares[s].cycles;
		tap_is_near(__FILE__, blocks[i].line, sum, blocks[i].cycles, "waits");
		if (i < 2)
			tap_is_int(__FILE__, blocks[i].line, stalls.shares[0].cause,
				   SIM_STALL_LATENCY, "most for the product");
		takt_model_close(in_order);
		kernel_free(kernel);
	}
	return tap_done();
}
