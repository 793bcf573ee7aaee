/* SPDX-License-Identifier: MIT */
/* The store of blocks that were simulated before gives out figures of equal programs only. */
#include "kernel.h"
#include "sim/known.h"

static void test_store(void)
{
	struct sim_known *known = takt_sim_known_new();
	const struct sim_signature first = {{5, 6}}, same_index = {{5, 7}};
	const struct sim_summary summary = {.cycles = 2.5, .simulated_cycles = 100};
	struct sim_summary found = {.cycles = 0};

	ok(!sim_known_find(known, &first, &found), "nothing is known at first");
	sim_known_add(known, &first, &summary);
	ok(sim_known_find(known, &first, &found) && found.simulated_cycles == 100, "then it is");
	ok(!sim_known_find(known, &same_index, &found), "but not another");
	sim_known_add(known, &same_index, &summary);
	ok(!sim_known_find(known, &first, &found), "which takes its place");
	takt_sim_known_free(known);
}

/* A block of other registers gets the figures of the one before it, and they are its own. */
static void test_blocks(void)
{
	struct sim_kernel *left = kernel_from_hex("SKL", "8b470485c001c8");
	struct sim_kernel *right = kernel_from_hex("SKL", "8b4f0885c901d1");
	struct sim_options options = {.known = takt_sim_known_new()}, unknown = {.loop = false};
	struct sim_summary first, second, own;
	struct takt_arena arena = {0};
	size_t bytes;

	takt_simulate(&left->block, &options, &arena, &first);
	takt_simulate(&right->block, &options, &arena, &second);
	takt_simulate(&right->block, &unknown, &arena, &own);
	bytes = sizeof(own.cycles);
	ok(!memcmp(&first.cycles, &second.cycles, bytes), "as the block before, %.3f cycles",
	   second.cycles);
	ok(!memcmp(&own.cycles, &second.cycles, bytes), "as by a simulation of its own");
	options.loop = true;
	takt_simulate(&right->block, &options, &arena, &second);
	ok(second.simulated_cycles != own.simulated_cycles, "a loop is another block");
	takt_arena_release(&arena);
	takt_sim_known_free(options.known);
	kernel_free(left);
	kernel_free(right);
}

int main(void)
{
	test_store();
	test_blocks();
	return tap_done();
}
