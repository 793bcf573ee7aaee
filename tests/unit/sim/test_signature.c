/* SPDX-License-Identifier: MIT */
/*
 * Signatures of programs: blocks with the same one take the same cycles by the same simulation, and
 * whatever the pipeline sees makes another one.
 */
#include "kernel.h"
#include "sim/block/block.h"

static const char *const cores[] = {"SNB", "SKL", "SPR", "ZEN4"};

static const struct {
	int line;
	bool same;
	const char *left, *right;
	const char *what;
} pairs[] = {
	{__LINE__, true, "4801d8", "4801d1", "other registers"},
	{__LINE__, true, "83c001", "83c102", "another register and constant"},
	{__LINE__, true, "8b470485c0", "8b4f4485c9", "another line"},
	{__LINE__, true, "c5fb58c1c5fb59c1", "c5d358e9c5d359e9", "other vector registers"},
	{__LINE__, true, "4889c84889d1", "4889d84889d3", "moves of other registers"},
	{__LINE__, true, "49ffc875fb", "49ffc975fb", "a loop that counts in another register"},
	{__LINE__, false, "4801d84801c3", "4801d84801cb", "another register is read"},
	{__LINE__, false, "4801d84801c3", "4801d84801c1", "another register is written"},
	{__LINE__, false, "83c001", "81c0e8030000", "another length"},
	{__LINE__, false, "83c001", "0fafc0", "another operation"},
	{__LINE__, false, "504883c408", "504883c108", "rsp is not as others"},
	{__LINE__, false, "88dc01c1", "88dc01d1", "nor is a register with a high byte"},
	{__LINE__, false, "488906488b06", "488906488b4608", "a load of something else"},
	{__LINE__, false, "8906", "890690", "one instruction more"},
	{__LINE__, false, "49ffc875fb", "49ffc9", "no loop"},
};

static struct sim_summary simulate(const struct sim_kernel *kernel, struct takt_arena *arena)
{
	const struct sim_options options = {.loop = kernel->loop};
	struct sim_summary summary;

	takt_simulate(&kernel->block, &options, arena, &summary);
	return summary;
}

static struct sim_signature sign(const struct sim_kernel *kernel, struct takt_arena *arena)
{
	const struct sim_options options = {.loop = kernel->loop};

	return sim_program_sign(sim_program_new(&kernel->block, &options, arena), &options);
}

static void test_pair(const char *core, size_t i)
{
	struct sim_kernel *left = kernel_from_hex(core, pairs[i].left);
	struct sim_kernel *right = kernel_from_hex(core, pairs[i].right);
	struct takt_arena arena = {0};
	struct sim_signature signatures[2];
	bool same;

	signatures[0] = sign(left, &arena);
	signatures[1] = sign(right, &arena);
	same = !memcmp(&signatures[0], &signatures[1], sizeof(signatures[0]));
	ok(same == pairs[i].same, "%s, line %d: %s", core, pairs[i].line, pairs[i].what);
	if (same) {
		struct sim_summary first = simulate(left, &arena);
		struct sim_summary second = simulate(right, &arena);

		ok(!memcmp(&first.cycles, &second.cycles, sizeof(first.cycles)) &&
			   first.simulated_cycles == second.simulated_cycles,
		   "the same cycles, %.3f, after %lu", first.cycles,
		   (unsigned long)first.simulated_cycles);
	}
	takt_arena_release(&arena);
	kernel_free(left);
	kernel_free(right);
}

int main(void)
{
	for (size_t c = 0; c < TAKT_COUNT_OF(cores); c++)
		for (size_t i = 0; i < TAKT_COUNT_OF(pairs); i++)
			test_pair(cores[c], i);
	return tap_done();
}
