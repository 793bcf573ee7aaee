/* SPDX-License-Identifier: MIT */
/* The order and the addresses of a block repeated. */
#include "fetch.h"

static void test_order(bool loop)
{
	const struct sim_insn insns[] = {{.length_bytes = 3}, {.length_bytes = 4}};
	struct sim_program program = {.insns = insns, .insn_count = 2};
	struct sim_options options = {.loop = loop, .alignment_bytes = 5};
	const uint64_t loops[] = {5, 8, 5, 8}, straight[] = {5, 8, 12, 15};
	struct sim_loop_source source;

	sim_loop_source_init(&source, &program, &options);
	for (uint32_t i = 0; i < 4; i++) {
		struct sim_item item;

		source.source.next(&source.source, &item);
		is_int(item.insn, i % 2, "instruction");
		is_int(item.iteration, i / 2, "iteration");
		is_int((long long)item.address, (long long)(loop ? loops : straight)[i], "address");
		ok(item.taken == (loop && i % 2), "taken at the end of a loop alone");
	}
}

/* Instructions 0 and 1 lie together, 2 is the target of a branch, and 0 follows as from another. */
static void test_placed(void)
{
	const struct sim_insn insns[] = {
		{.length_bytes = 3}, {.length_bytes = 2}, {.length_bytes = 4}};
	const uint64_t addresses[] = {0x105, 0x108, 0x400};
	const bool taken[] = {false, true, true};
	struct sim_program program = {.insns = insns, .insn_count = 3, .addresses = addresses};
	struct sim_options options = {.loop = true, .placed = true};
	struct sim_loop_source source;

	sim_loop_source_init(&source, &program, &options);
	for (uint32_t i = 0; i < 6; i++) {
		struct sim_item item;

		source.source.next(&source.source, &item);
		is_int(item.insn, i % 3, "instruction");
		is_int(item.iteration, i / 3, "iteration");
		is_int((long long)item.address, (long long)addresses[i % 3], "its own address");
		ok(item.taken == taken[i % 3], "taken if what follows is elsewhere");
	}
}

int main(void)
{
	test_placed();
	test_order(true);
	test_order(false);
	return tap_done();
}
