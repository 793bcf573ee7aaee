/* SPDX-License-Identifier: MIT */
#include "bounds/near_recurrences.h"
#include "graphs.h"

/* The worst cycle, 0 and 1, takes 10; one of 2 and 3 takes 19 for two; 4 alone 5. */
static const struct takt_edge edges[] = {
	{.from = 0, .to = 1, .latency_cycles = 4},
	{.from = 0, .to = 1, .latency_cycles = 6}, /* outdoes the one before */
	{.from = 1, .to = 0, .latency_cycles = 4, .iterations = 1},
	{.from = 1, .to = 2, .latency_cycles = 1},
	{.from = 2, .to = 3, .latency_cycles = 9, .iterations = 1},
	{.from = 3, .to = 2, .latency_cycles = 10, .iterations = 1},
	{.from = 4, .to = 4, .latency_cycles = 5, .iterations = 1},
	{.from = TAKT_NO_DEF, .to = 4, .latency_cycles = 50},
};

static bool is_near_edge(const struct takt_near *near, uint32_t from, uint32_t to, uint32_t latency)
{
	for (uint32_t e = 0; e < near->graph->edge_count; e++)
		if (near->graph->edges[e].from == from && near->graph->edges[e].to == to &&
		    near->graph->edges[e].latency_cycles == latency)
			return near->edge_is_near[e];
	return false;
}

int main(void)
{
	struct takt_arena arena = {0};
	struct takt_graph graph = make_graph(&arena, 5, 1, edges, TAKT_COUNT_OF(edges));
	const struct takt_component *component;
	struct takt_worst worst;
	struct takt_near near;

	takt_worst_find(&graph, &arena, &worst);
	is_int(worst.cycles, 10, "the worst");
	takt_near_find(&graph, &worst, 0.05, &arena, &near);
	ok(near.component_of[0] == near.component_of[1] &&
		   near.component_of[2] == near.component_of[3] &&
		   near.component_of[0] != near.component_of[2],
	   "defs on a common cycle share a component");
	ok(is_near_edge(&near, 0, 1, 6) && !is_near_edge(&near, 0, 1, 4),
	   "of parallel edges the longer");
	ok(!is_near_edge(&near, 1, 2, 1), "no edge leads between components");
	ok(!is_near_edge(&near, 4, 4, 5), "what falls short of all tolerance is out");
	ok(is_near_edge(&near, 2, 3, 9), "1 short in two iterations is not");
	ok(near.start_iterations[1] == 1 && near.start_iterations[2] == 1 &&
		   near.start_iterations[3] == 1 && !near.start_iterations[0] &&
		   !near.start_iterations[4],
	   "starts are read by later iterations");
	component = &near.components[near.component_of[2]];
	is_int(component->iterations, 2, "what cycles of a component can span");
	ok(component->count == 2 && near.members[component->first] == 2 &&
		   near.members[component->first + 1] == 3,
	   "its members ascend");
	takt_arena_release(&arena);
	return tap_done();
}
