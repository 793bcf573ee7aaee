/* SPDX-License-Identifier: MIT */
/*
 * Natural loops of a control-flow graph. A back edge leads from a node to itself or to a node that
 * the depth-first search came from; its target is the head of a loop, and the nodes of the loop are
 * those that the search reached through the head and that lead back to it.
 */
#include <string.h>

#include "input/input.h"

int takt_flow_compare_edges(const void *left, const void *right)
{
	const struct takt_flow_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

void takt_flow_init(struct takt_flow_graph *flow, uint32_t node_count,
		    const struct takt_flow_edge *edges, uint32_t edge_count,
		    struct takt_arena *arena)
{
	*flow = (struct takt_flow_graph){
		.edges = edges,
		.edge_count = edge_count,
		.nodes = TAKT_NEW_ARRAY(arena, node_count, struct takt_flow_node),
		.node_count = node_count,
		.stack = TAKT_NEW_ARRAY(arena, node_count, uint32_t),
	};
	for (uint32_t i = edge_count; i-- > 0;)
		flow->nodes[edges[i].from].next_edge = i;
}

static void enter(struct takt_flow_graph *flow, uint32_t node, uint32_t *depth)
{
	flow->nodes[node].entered = ++flow->clock;
	flow->stack[(*depth)++] = node;
}

void takt_flow_search(struct takt_flow_graph *flow, uint32_t root)
{
	uint32_t depth = 0;

	if (flow->nodes[root].entered)
		return;
	enter(flow, root, &depth);
	while (depth) {
		uint32_t from = flow->stack[depth - 1], to;
		struct takt_flow_node *node = &flow->nodes[from];

		if (node->next_edge >= flow->edge_count ||
		    flow->edges[node->next_edge].from != from) {
			node->left = ++flow->clock;
			depth--;
			continue;
		}
		to = flow->edges[node->next_edge++].to;
		if (!flow->nodes[to].entered)
			enter(flow, to, &depth);
		else if (!flow->nodes[to].left)
			flow->nodes[to].is_head = true;
	}
}

/* True if the search reached `inner` through `outer`, or they are the same. */
static bool came_from(const struct takt_flow_graph *flow, uint32_t inner, uint32_t outer)
{
	return flow->nodes[inner].entered >= flow->nodes[outer].entered &&
	       flow->nodes[inner].left <= flow->nodes[outer].left;
}

uint32_t takt_flow_find_body(const struct takt_flow_graph *flow, uint32_t head, bool *inside,
			     uint64_t *ret_back_count)
{
	uint32_t count = 1, before = 0;

	memset(inside, 0, flow->node_count * sizeof(*inside));
	inside[head] = true;
	/* Most edges lead forward, so that going through them backward needs few rounds. */
	while (before != count) {
		before = count;
		for (uint32_t i = flow->edge_count; i-- > 0;) {
			const struct takt_flow_edge *edge = &flow->edges[i];

			if (!inside[edge->to] || inside[edge->from] ||
			    !came_from(flow, edge->from, head))
				continue;
			inside[edge->from] = true;
			count++;
		}
	}
	*ret_back_count = 0;
	for (uint32_t i = 0; i < flow->edge_count; i++)
		if (flow->edges[i].to == head && inside[flow->edges[i].from])
			*ret_back_count += flow->edges[i].count;
	return count;
}
