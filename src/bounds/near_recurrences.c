/* SPDX-License-Identifier: MIT */
#include "bounds/near_recurrences.h"

#define NO_COMPONENT UINT32_MAX

/* ---- edges ---------------------------------------------------------------------- */

/* True if another edge between the same defs makes this one superfluous: a longer one, or an
 * equal one that comes first. */
static bool is_outdone(const struct takt_graph *graph, uint32_t e)
{
	const struct takt_edge *edge = &graph->edges[e];

	for (uint32_t o = graph->first_edge[edge->to]; o < graph->first_edge[edge->to + 1]; o++) {
		const struct takt_edge *other = &graph->edges[o];

		if (o == e || other->from != edge->from || other->iterations != edge->iterations)
			continue;
		if (other->latency_cycles > edge->latency_cycles ||
		    (other->latency_cycles == edge->latency_cycles && o < e))
			return true;
	}
	return false;
}

/* Let the def at which the edge begins span at least the edge's iterations, and return by how
 * much its span grew. */
static uint32_t raise_start(struct takt_near *near, const struct takt_edge *edge)
{
	uint16_t *span = &near->start_iterations[edge->from];
	uint16_t before = *span;

	if (edge->iterations > before)
		*span = edge->iterations;
	return (uint32_t)(*span - before);
}

static void mark_edges(struct takt_near *near)
{
	const struct takt_graph *graph = near->graph;
	uint32_t iterations = 0;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct takt_edge *edge = &graph->edges[e];

		if (edge->from == TAKT_NO_DEF || is_outdone(graph, e))
			continue;
		near->edge_is_near[e] = true;
		iterations += raise_start(near, edge);
	}
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (near->edge_is_near[e] &&
		    !takt_near_allows(near, takt_edge_shortfall(near->worst, &graph->edges[e]),
				      iterations))
			near->edge_is_near[e] = false;
}

/* ---- components (Tarjan), along the edges backwards ------------------------------ */

struct finder {
	struct takt_near *near;
	uint32_t *number;    /* per def: order of discovery from 1; 0: not seen yet */
	uint32_t *lowest;    /* per def: number of the earliest def on the stack it reaches */
	uint32_t *next_edge; /* per def: the edge to look at next */
	uint32_t *path;	     /* defs being explored */
	uint32_t *stack;     /* defs without a component yet */
	uint32_t path_count, stack_count, number_count;
};

static void discover(struct finder *finder, uint32_t def)
{
	finder->number[def] = finder->lowest[def] = ++finder->number_count;
	finder->next_edge[def] = finder->near->graph->first_edge[def];
	finder->path[finder->path_count++] = def;
	finder->stack[finder->stack_count++] = def;
}

/* Leave `def`, after all that it reaches is explored, and close its component if it is the root. */
static void finish(struct finder *finder, uint32_t def)
{
	struct takt_near *near = finder->near;
	uint32_t member;

	finder->path_count--;
	if (finder->path_count) {
		uint32_t before = finder->path[finder->path_count - 1];

		if (finder->lowest[def] < finder->lowest[before])
			finder->lowest[before] = finder->lowest[def];
	}
	if (finder->lowest[def] != finder->number[def])
		return;
	do {
		member = finder->stack[--finder->stack_count];
		near->component_of[member] = near->component_count;
	} while (member != def);
	near->component_count++;
}

static void explore(struct finder *finder, uint32_t start)
{
	const struct takt_near *near = finder->near;
	const struct takt_graph *graph = near->graph;

	discover(finder, start);
	while (finder->path_count) {
		uint32_t def = finder->path[finder->path_count - 1];
		uint32_t e = finder->next_edge[def]++;
		uint32_t from;

		if (e == graph->first_edge[def + 1]) {
			finish(finder, def);
			continue;
		}
		if (!near->edge_is_near[e])
			continue;
		from = graph->edges[e].from;
		if (!finder->number[from])
			discover(finder, from);
		else if (near->component_of[from] == NO_COMPONENT &&
			 finder->number[from] < finder->lowest[def])
			finder->lowest[def] = finder->number[from];
	}
}

static void find_components(struct takt_near *near, struct takt_arena *arena)
{
	uint32_t defs = near->graph->def_count;
	struct finder finder = {.near = near,
				.number = TAKT_NEW_ARRAY(arena, defs, uint32_t),
				.lowest = TAKT_NEW_ARRAY(arena, defs, uint32_t),
				.next_edge = TAKT_NEW_ARRAY(arena, defs, uint32_t),
				.path = TAKT_NEW_ARRAY(arena, defs, uint32_t),
				.stack = TAKT_NEW_ARRAY(arena, defs, uint32_t)};

	for (uint32_t def = 0; def < defs; def++)
		near->component_of[def] = NO_COMPONENT;
	for (uint32_t def = 0; def < defs; def++)
		if (!finder.number[def])
			explore(&finder, def);
}

/* Drop edges between components, count starts again, and sort defs by component. */
static void list_members(struct takt_near *near, struct takt_arena *arena)
{
	const struct takt_graph *graph = near->graph;
	uint32_t first = 0;

	near->components = TAKT_NEW_ARRAY(arena, near->component_count, struct takt_component);
	near->members = TAKT_NEW_ARRAY(arena, graph->def_count, uint32_t);
	for (uint32_t def = 0; def < graph->def_count; def++) {
		near->components[near->component_of[def]].count++;
		near->start_iterations[def] = 0;
	}
	for (uint32_t c = 0; c < near->component_count; c++) {
		near->components[c].first = first;
		first += near->components[c].count;
		near->components[c].count = 0;
	}
	for (uint32_t def = 0; def < graph->def_count; def++) {
		struct takt_component *component = &near->components[near->component_of[def]];

		near->members[component->first + component->count++] = def;
	}
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct takt_edge *edge = &graph->edges[e];

		if (!near->edge_is_near[e])
			continue;
		if (near->component_of[edge->from] != near->component_of[edge->to])
			near->edge_is_near[e] = false;
		else
			near->components[near->component_of[edge->from]].iterations +=
				raise_start(near, edge);
	}
}

void takt_near_find(const struct takt_graph *graph, const struct takt_worst *worst,
		    double tolerance, struct takt_arena *arena, struct takt_near *ret_near)
{
	*ret_near = (struct takt_near){
		.graph = graph,
		.worst = worst,
		.allowance = tolerance * (double)worst->cycles,
		.edge_is_near = TAKT_NEW_ARRAY(arena, graph->edge_count, bool),
		.start_iterations = TAKT_NEW_ARRAY(arena, graph->def_count, uint16_t),
		.component_of = TAKT_NEW_ARRAY(arena, graph->def_count, uint32_t)};
	mark_edges(ret_near);
	find_components(ret_near, arena);
	list_members(ret_near, arena);
}
