/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "../tap.h"
#include "analyze/analyze.h"

static const uint8_t nop[] = {0x90};

#define BLOCK(begin, count)                                                                        \
	{                                                                                          \
		.offset = (begin), .bytes = nop, .size_bytes = 1, .executions = (count)            \
	}

/* Longest of what was visited. */
struct seen {
	size_t visits, longest;
};

/* A cycle for each block. */
static double count_blocks(void *context, const uint32_t *blocks, size_t count)
{
	struct seen *seen = context;

	(void)blocks;
	seen->visits++;
	seen->longest = count > seen->longest ? count : seen->longest;
	return (double)count;
}

/* Whatever is left out: if blocks cost the same anywhere, a call costs what its blocks do. */
static void test_sum(void)
{
	static const struct takt_flow_block nest[] = {BLOCK(0, 1), BLOCK(1, 10), BLOCK(2, 90),
						      BLOCK(3, 10), BLOCK(4, 1)};
	static const struct takt_flow_edge nest_edges[] = {{0, 1, 1},  {1, 2, 10}, {2, 2, 80},
							   {2, 3, 10}, {3, 1, 9},  {3, 4, 1}};
	/* 2 or 3 in each iteration; 5 after 4 sometimes; left from the middle */
	static const struct takt_flow_block ways[] = {BLOCK(0, 1),  BLOCK(1, 100), BLOCK(2, 60),
						      BLOCK(3, 40), BLOCK(4, 100), BLOCK(5, 25),
						      BLOCK(6, 1)};
	static const struct takt_flow_edge way_edges[] = {
		{0, 1, 1},  {1, 2, 60}, {1, 3, 40}, {2, 4, 60}, {3, 4, 40},
		{4, 1, 74}, {4, 5, 25}, {4, 6, 1},  {5, 1, 25},
	};
	static const struct takt_flow_block long_nest[] = {BLOCK(0, 1), BLOCK(1, 20),
							   BLOCK(2, 40000), BLOCK(3, 20)};
	static const struct takt_flow_edge long_edges[] = {
		{0, 1, 1}, {1, 2, 20}, {2, 2, 39980}, {2, 3, 20}, {3, 1, 19}};
	const struct {
		int line;
		struct takt_flow_counts graph;
		double cycles;
	} rows[] = {
		{__LINE__, {nest, nest_edges, 5, 6}, 112},
		{__LINE__, {ways, way_edges, 7, 9}, 327},
		{__LINE__, {long_nest, long_edges, 4, 5}, 40041},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_arena arena = {0};
		struct seen seen = {0};
		const struct takt_nest_code code = {.isa = &takt_isa_x86, .counts = rows[i].graph};
		size_t count;
		double cycles =
			takt_nest_visit(&code, count_blocks, &seen, &arena, &count)[0].cycles;

		tap_ok_at(__FILE__, rows[i].line, fabs(cycles - rows[i].cycles) < 1e-6,
			  "%g cycles of %g", cycles, rows[i].cycles);
		ok(seen.longest < 1200, "no more than what can be in flight is written out: %zu",
		   seen.longest);
		takt_arena_release(&arena);
	}
}

/* An iteration is dear by itself and costs nothing beside others. Gives up after many visits. */
static double overlap(void *context, const uint32_t *blocks, size_t count)
{
	struct seen *seen = context;

	if (++seen->visits > 100)
		return NAN;
	return count == 1 && blocks[0] == 2 ? 20 : 1;
}

/* An inner loop of 1.6 iterations on average: 0.6 of one must not be left out as 1 - 0.4 of one. */
static void test_few_iterations(void)
{
	static const struct takt_flow_block blocks[] = {BLOCK(0, 1), BLOCK(1, 10), BLOCK(2, 16),
							BLOCK(3, 10), BLOCK(4, 1)};
	static const struct takt_flow_edge edges[] = {{0, 1, 1},  {1, 2, 10}, {2, 2, 6},
						      {2, 3, 10}, {3, 1, 9},  {3, 4, 1}};
	const struct takt_nest_code code = {.isa = &takt_isa_x86, .counts = {blocks, edges, 5, 6}};
	struct takt_arena arena = {0};
	struct seen seen = {0};
	size_t count;
	const struct takt_nest_loop *loops = takt_nest_visit(&code, overlap, &seen, &arena, &count);

	ok(seen.visits <= 100, "each loop is costed once: %zu visits", seen.visits);
	for (size_t i = 0; i < count; i++)
		ok(loops[i].cycles > 0, "loop %zu: %g cycles", i, loops[i].cycles);
	takt_arena_release(&arena);
}

/* One block stores, another one loads the same, both relative to where they are themselves. */
static double predict_pair(const struct takt_model *model, bool no_memory_dependences)
{
	/* mov [rip+0xef9], rax: 0x1000 */
	static const uint8_t store[] = {0x48, 0x89, 0x05, 0xf9, 0x0e, 0, 0};
	/* mov rax, [rip+0xbf9]: 0x1000; add rax, 1; jmp */
	static const uint8_t load[] = {0x48, 0x8b, 0x05, 0xf9, 0x0b, 0,	  0,
				       0x48, 0x83, 0xc0, 0x01, 0xeb, 0xf3};
	static const struct takt_flow_block blocks[] = {
		{.offset = 0x100, .bytes = store, .size_bytes = sizeof(store), .executions = 1000},
		{.offset = 0x400, .bytes = load, .size_bytes = sizeof(load), .executions = 1000},
	};
	static const struct takt_flow_edge edges[] = {{0, 1, 1000}, {1, 0, 999}};
	const struct takt_nest_code code = {.model = model,
					    .isa = &takt_isa_x86,
					    .counts = {blocks, edges, 2, 2},
					    .no_memory_dependences = no_memory_dependences};
	struct takt_arena arena = {0};
	size_t count;
	double cycles = takt_nest_predict(&code, &arena, &count)[0].cycles;

	takt_arena_release(&arena);
	return cycles / 1000;
}

static void test_place(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;
	double with, without;

	if (takt_model_open("SKL", NULL, diag, &model) == TAKT_OK) {
		with = predict_pair(model, false);
		without = predict_pair(model, true);
		ok(with > 4, "a dependence from block to block: %g cycles", with);
		ok(without < 2, "and what it would be without: %g", without);
		takt_model_close(model);
	}
	takt_diag_free(diag);
}

int main(void)
{
	test_place();
	test_sum();
	test_few_iterations();
	return tap_done();
}
