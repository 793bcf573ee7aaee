/* SPDX-License-Identifier: MIT */
/* A loop of two blocks, and a rarer way through it, to takt_analyze(). */
#include "../tap.h"

#include "diagnose/diagnose.h"

/* imul rax, rax; test rdx, rdx; je; then dec rcx; jnz */
static const uint8_t head[] = {0x48, 0x0f, 0xaf, 0xc0, 0x48, 0x85, 0xd2, 0x74, 0x05};
static const uint8_t tail[] = {0x48, 0xff, 0xc9, 0x75, 0xf2};
static const uint8_t rare[] = {0x90, 0xeb, 0xf8};

static const struct takt_trace_block blocks[] = {
	{.address = 0x1000, .size_bytes = 9, .insn_count = 3, .bytes = head, .executions = 1000},
	{.address = 0x1009, .size_bytes = 5, .insn_count = 2, .bytes = tail, .executions = 1000},
	{.address = 0x100e, .size_bytes = 3, .insn_count = 2, .bytes = rare, .executions = 10},
	{.address = 0x1011, .size_bytes = 3, .insn_count = 2, .bytes = rare, .executions = 1},
};

static const struct takt_trace_edge edges[] = {
	{0, 1, 990}, {0, 2, 10}, {1, 0, 999}, {1, 3, 1}, {2, 1, 10},
};

static const struct takt_trace_profile profile = {
	.blocks = blocks,
	.edges = edges,
	.block_count = TAKT_COUNT_OF(blocks),
	.edge_count = TAKT_COUNT_OF(edges),
};

static struct diagnose_place places[] = {
	{.begin = 0x1000, .end = 0x1011, .loop = true, .cycles = 4000, .counts = {.insns = 5020}},
	{.begin = 0x2000, .end = 0x2010, .loop = true, .cycles = 1000, .counts = {.insns = 1000}},
	{.begin = 0x1009, .end = 0x100e, .cycles = 1000, .counts = {.insns = 1000}},
};

int main(void)
{
	struct diagnose_seen seen = {
		.profile = &profile, .places = places, .place_count = TAKT_COUNT_OF(places)};
	const struct takt_loop_figures *loop;
	struct takt_model *model;
	struct takt_arena arena = {0};

	if (!ok(takt_model_open("SKL", NULL, NULL, &model) == TAKT_OK, "a core"))
		return tap_done();
	seen.model = model;
	loop = takt_diagnose_loop(&seen, &places[0], &arena);
	if (ok(loop != NULL, "a loop")) {
		is_near(loop->carried_cycles, 3, "the multiplication waits for itself");
		is_near(loop->cycles, 3, "simulated");
		is_string(loop->limit, "loop-carried dependence", "its limit");
		ok(*loop->bottleneck, "in words");
		is_int((long long)loop->iterations, 1000, "iterations");
		is_near(loop->run_cycles, 4, "in the run");
		is_near(loop->hot_path_share, 5000.0 / 5020, "most of it goes this way");
		is_int(loop->calls, 0, "calls");
	}
	ok(!takt_diagnose_loop(&seen, &places[1], &arena), "one of which no blocks are known");
	ok(!takt_diagnose_loop(&seen, &places[2], &arena), "no loop");
	places[2].loop = true;
	ok(!takt_diagnose_loop(&seen, &places[0], &arena), "one with a loop in it");
	takt_arena_release(&arena);
	takt_model_close(model);
	return tap_done();
}
