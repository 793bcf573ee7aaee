/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "input/input.h"

#define NODES_MAX 6u

/* A graph, and for each of its nodes the loop's nodes as bits; 0: it is no head. */
struct graph {
	int line;
	uint32_t node_count, root;
	struct takt_flow_edge edges[8];
	uint32_t bodies[NODES_MAX], backs[NODES_MAX];
};

static const struct graph graphs[] = {
	{__LINE__, 3, 0, {{0, 1, 1}, {1, 2, 1}}, {0}, {0}},
	{__LINE__, 2, 0, {{0, 0, 9}, {0, 1, 1}}, {1}, {9}},
	/* An inner loop, and two back edges to the outer one's head. */
	{__LINE__,
	 5,
	 0,
	 {{0, 1, 1}, {1, 2, 10}, {2, 2, 80}, {2, 3, 10}, {3, 1, 6}, {3, 4, 4}, {4, 1, 3}},
	 {0, 0x1e, 0x04},
	 {0, 9, 80}},
	/* A second entry into the middle: the search came through 1. */
	{__LINE__, 3, 0, {{0, 1, 1}, {0, 2, 1}, {1, 2, 5}, {2, 1, 5}}, {0, 0x06}, {0, 5}},
	/* 0 is not reached. */
	{__LINE__, 3, 1, {{0, 1, 2}, {1, 2, 4}, {2, 0, 2}, {2, 1, 2}}, {0, 0x07}, {0, 4}},
	{__LINE__, 1, 0, {{0, 0, 0}}, {1}, {0}},
};

static void test(const struct graph *graph, struct takt_arena *arena)
{
	uint32_t edge_count = 0;
	struct takt_flow_graph flow;

	while (edge_count < TAKT_COUNT_OF(graph->edges) &&
	       (graph->edges[edge_count].count || !edge_count))
		edge_count++;
	takt_flow_init(&flow, graph->node_count, graph->edges, edge_count, arena);
	takt_flow_search(&flow, graph->root);
	takt_flow_search(&flow, graph->root);
	for (uint32_t head = 0; head < graph->node_count; head++) {
		bool inside[NODES_MAX];
		uint32_t bits = 0, count;
		uint64_t back;

		tap_ok_at(__FILE__, graph->line, flow.nodes[head].is_head == !!graph->bodies[head],
			  "node %u is the head of a loop or not", head);
		if (!flow.nodes[head].is_head)
			continue;
		count = takt_flow_find_body(&flow, head, inside, &back);
		for (uint32_t i = 0; i < graph->node_count; i++)
			bits |= (uint32_t)inside[i] << i;
		tap_is_int(__FILE__, graph->line, bits, graph->bodies[head], "its nodes");
		tap_is_int(__FILE__, graph->line, count, __builtin_popcount(bits), "their number");
		tap_is_int(__FILE__, graph->line, (long long)back, graph->backs[head],
			   "executions of its back edges");
	}
}

int main(void)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(graphs); i++)
		test(&graphs[i], &arena);
	takt_arena_release(&arena);
	return tap_done();
}
