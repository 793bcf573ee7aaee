/* SPDX-License-Identifier: MIT */
#include "graphs.h"

static void test_hand_worked(void)
{
	/* A live-in reaches 2 later than 0 → 1 → 2 does; carried values are live-in. */
	static const struct takt_edge edges[] = {
		{.from = TAKT_NO_DEF, .to = 0, .latency_cycles = 2},
		{.from = 0, .to = 1, .latency_cycles = 3},
		{.from = 1, .to = 2, .latency_cycles = 4},
		{.from = TAKT_NO_DEF, .to = 2, .latency_cycles = 12},
		{.from = 3, .to = 1, .latency_cycles = 6, .iterations = 1},
		{.from = 2, .to = 3, .latency_cycles = 1},
		{.from = 1, .to = 4, .latency_cycles = 6},
	};
	struct takt_arena arena = {0};
	struct takt_graph graph = make_graph(&arena, 5, 1, edges, TAKT_COUNT_OF(edges));
	struct takt_path path;

	takt_critical_path(&graph, &arena, &path);
	is_near(path.cycles, 13, "live-in 12 + 1");
	ok(path.count == 2 && path.defs[0] == 2 && path.defs[1] == 3, "over 2 and 3");
	ok(path.latencies[0] == 12 && path.latencies[1] == 1, "in 12 and 1");
	graph = make_graph(&arena, 3, 1, edges, 3);
	takt_critical_path(&graph, &arena, &path);
	is_near(path.cycles, 9, "2 + 3 + 4");
	is_int(path.count, 3, "three defs");
	graph = make_graph(&arena, 2, 1, NULL, 0);
	takt_critical_path(&graph, &arena, &path);
	ok(path.cycles == 0 && path.count == 1, "defs that wait for nothing");
	graph = make_graph(&arena, 0, 1, NULL, 0);
	takt_critical_path(&graph, &arena, &path);
	ok(path.cycles == 0 && path.count == 0, "no def at all");
	takt_arena_release(&arena);
}

static uint32_t longest_to(const struct takt_graph *graph, uint32_t def)
{
	uint32_t longest = 0;

	for (uint32_t e = graph->first_edge[def]; e < graph->first_edge[def + 1]; e++) {
		const struct takt_edge *edge = &graph->edges[e];
		uint32_t way = edge->latency_cycles;

		if (edge->from != TAKT_NO_DEF && !edge->iterations)
			way += longest_to(graph, edge->from);
		longest = way > longest ? way : longest;
	}
	return longest;
}

static void test_random(void)
{
	struct takt_arena arena = {0};
	bool agree = true, sums = true;

	for (int round = 0; round < 1000; round++) {
		uint32_t defs = 1 + next_random(10), longest = 0, sum = 0;
		struct takt_graph graph = random_graph(&arena, defs, 1, next_random(20), 9);
		struct takt_path path;

		takt_critical_path(&graph, &arena, &path);
		for (uint32_t def = 0; def < defs; def++) {
			uint32_t way = longest_to(&graph, def);

			longest = way > longest ? way : longest;
		}
		for (uint32_t i = 0; i < path.count; i++)
			sum += path.latencies[i];
		agree &= path.cycles == longest;
		sums &= path.cycles == sum;
		takt_arena_clear(&arena);
	}
	ok(agree, "the longest of all ways");
	ok(sums, "its latencies add up to it");
	takt_arena_release(&arena);
}

/* A store that writes its address back: data into def 0, address into def 1, one instruction. */
static void test_instructions(void)
{
	static const struct takt_edge edges[] = {
		{.from = TAKT_NO_DEF, .to = 0, .latency_cycles = 4},
		{.from = TAKT_NO_DEF, .to = 1, .latency_cycles = 1},
		{.from = 1, .to = 2, .latency_cycles = 5},
		{.from = 2, .to = 4, .latency_cycles = 6},
		{.from = 4, .to = 1, .latency_cycles = 9, .iterations = 1},
	};
	struct takt_arena arena = {0};
	struct takt_graph graph = make_graph(&arena, 6, 2, edges, TAKT_COUNT_OF(edges));
	struct takt_path path;

	takt_critical_path(&graph, &arena, &path);
	is_near(path.cycles, 20, "the address alone goes on: carried 9 + 5 + 6");
	is_near(takt_critical_path_of_instructions(&graph, &arena), 20,
		"largest latency 9 + 5 + 6");
	graph = make_graph(&arena, 6, 2, edges, 4);
	takt_critical_path(&graph, &arena, &path);
	is_near(path.cycles, 12, "1 + 5 + 6");
	is_near(takt_critical_path_of_instructions(&graph, &arena), 15, "4 + 5 + 6");
	graph = make_graph(&arena, 0, 1, NULL, 0);
	is_near(takt_critical_path_of_instructions(&graph, &arena), 0, "nothing");
	takt_arena_release(&arena);
}

int main(void)
{
	test_instructions();
	test_hand_worked();
	test_random();
	return tap_done();
}
