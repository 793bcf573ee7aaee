/* SPDX-License-Identifier: MIT */
/*
 * Lists the recurrences near the worst. Each is found from the earliest of its
 * defs that a later iteration reads, its start, by a depth-first search backwards from
 * the start to itself. A branch of the search is cut when even the path to the start with the
 * least shortfall misses the worst ratio by more than the tolerance. Recurrences of one
 * iteration come first, then those of more, since only they can afford detours.
 */
#include <string.h>

#include "bounds/near_recurrences.h"

/* Steps (edges looked at) that a search may take: a number that suffices for any kernel, and
 * some more for each edge of a huge block. */
#define STEPS_BASE ((uint64_t)2 << 20)
#define STEPS_PER_EDGE 16u
#define SMALL_STEPS_MAX 20000u
#define UNREACHED INT64_MAX

/* A path backwards from the start, up to `def`. */
struct partial_path {
	uint32_t def, next_edge, iterations;
	int64_t shortfall;
	uint64_t members; /* hash of the instructions on it, in order */
};

/* The least shortfall so far of a path to one def over certain instructions, known by `key`. */
struct arrival {
	uint64_t key; /* hash of the def and the instructions; 0: the entry is free */
	int64_t shortfall;
};

struct search {
	const struct takt_near *near;
	const struct takt_graph *graph;
	struct takt_arena *arena;
	int64_t *rest;		       /* per def: least shortfall of a path from the start to it */
	bool *on_path;		       /* per def */
	struct partial_path *partials; /* stack of the search */
	struct arrival *arrivals;      /* hash table, emptied for each search */
	size_t arrival_mask, arrival_count;
	bool is_large;
	uint32_t *path;	   /* edges of the path, from the start backwards */
	uint32_t *ordered; /* the same edges forwards, once the path closes */
	uint32_t *defs;	   /* defs of a recurrence to keep */
	uint16_t *latencies;
	uint64_t steps_left;
	uint32_t start;
	struct takt_bounds_recurrence *kept; /* worst first */
	uint32_t kept_count, most;
	bool truncated;
};

/* Take steps from those left; false, from then on always, if there are too few. */
static bool take_steps(struct search *search, uint64_t count)
{
	if (search->steps_left < count) {
		search->steps_left = 0;
		search->truncated = true;
		return false;
	}
	search->steps_left -= count;
	return true;
}

/* ---- keeping --------------------------------------------------------------------- */

/* Compare recurrences for their order: the worst first; among equals the one that spans fewer
 * iterations, then the one with fewer defs, then the one with earlier defs. */
static int compare_recurrences(const struct takt_bounds_recurrence *left,
			       const struct takt_bounds_recurrence *right)
{
	if (left->cycles_per_iteration != right->cycles_per_iteration)
		return left->cycles_per_iteration > right->cycles_per_iteration ? -1 : 1;
	if (left->iterations != right->iterations)
		return left->iterations < right->iterations ? -1 : 1;
	if (left->count != right->count)
		return left->count < right->count ? -1 : 1;
	for (uint32_t i = 0; i < left->count; i++)
		if (left->defs[i] != right->defs[i])
			return left->defs[i] < right->defs[i] ? -1 : 1;
	return 0;
}

/*
 * True if both recurrences go round the same instructions, one perhaps several times. The flags
 * and the register that an instruction writes make such recurrences, of which one is enough.
 */
static bool same_members(const struct takt_graph *graph, const struct takt_bounds_recurrence *left,
			 const struct takt_bounds_recurrence *right)
{
	uint32_t count = left->count > right->count ? left->count : right->count;

	if (count % left->count || count % right->count ||
	    count / left->count * left->iterations != count / right->count * right->iterations)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (graph->defs[left->defs[i % left->count]].insn !=
		    graph->defs[right->defs[i % right->count]].insn)
			return false;
	return true;
}

static void copy_recurrence(struct search *search, struct takt_bounds_recurrence *recurrence)
{
	uint32_t *defs = TAKT_NEW_ARRAY(search->arena, recurrence->count, uint32_t);
	uint16_t *latencies = TAKT_NEW_ARRAY(search->arena, recurrence->count, uint16_t);

	memcpy(defs, recurrence->defs, recurrence->count * sizeof(*defs));
	memcpy(latencies, recurrence->latencies, recurrence->count * sizeof(*latencies));
	recurrence->defs = defs;
	recurrence->latencies = latencies;
}

/* Insert the recurrence in order, unless one of the same instructions that is as bad or worse is
 * in the list. */
static void keep(struct search *search, struct takt_bounds_recurrence recurrence)
{
	struct takt_bounds_recurrence *kept = search->kept;
	uint32_t at = 0, last;

	while (at < search->kept_count && compare_recurrences(&kept[at], &recurrence) < 0) {
		if (same_members(search->graph, &kept[at], &recurrence))
			return;
		at++;
	}
	for (last = at; last < search->kept_count; last++)
		if (same_members(search->graph, &kept[last], &recurrence))
			break;
	if (last == search->most) { /* no room: drop the last one, or this one */
		search->truncated = true;
		if (at == last)
			return;
		last--;
	} else if (last == search->kept_count) {
		search->kept_count++;
	}
	copy_recurrence(search, &recurrence);
	memmove(kept + at + 1, kept + at, (last - at) * sizeof(*kept));
	kept[at] = recurrence;
}

/* Keep the recurrence of these `count` edges, rotated so that it begins with its earliest def. */
static void keep_edges(struct search *search, const uint32_t *edges, uint32_t count)
{
	struct takt_bounds_recurrence recurrence = {
		.defs = search->defs, .latencies = search->latencies, .count = count};
	uint64_t cycles = 0;
	uint32_t first = 0;

	for (uint32_t i = 1; i < count; i++)
		if (search->graph->edges[edges[i]].to < search->graph->edges[edges[first]].to)
			first = i;
	for (uint32_t i = 0; i < count; i++) {
		const struct takt_edge *edge = &search->graph->edges[edges[(first + i) % count]];

		search->defs[i] = edge->to;
		search->latencies[i] = edge->latency_cycles;
		cycles += edge->latency_cycles;
		recurrence.iterations += edge->iterations;
	}
	recurrence.cycles_per_iteration = (double)cycles / recurrence.iterations;
	keep(search, recurrence);
}

/* ---- searching --------------------------------------------------------------------- */

/* True for a carried edge from a start earlier than this one: all recurrences through it have
 * been found already. */
static bool is_barred(const struct search *search, const struct takt_edge *edge)
{
	return edge->iterations && edge->from < search->start;
}

static const struct takt_component *own_component(const struct search *search)
{
	return &search->near->components[search->near->component_of[search->start]];
}

/* Fill `rest` for the start's component, by relaxation in program order. */
static bool find_rests(struct search *search)
{
	const struct takt_near *near = search->near;
	const struct takt_graph *graph = search->graph;
	const struct takt_component *component = own_component(search);
	const uint32_t *members = near->members + component->first;
	bool moved = true;

	if (!take_steps(search, component->count))
		return false;
	for (uint32_t i = 0; i < component->count; i++)
		search->rest[members[i]] = UNREACHED;
	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < component->count; i++) {
			uint32_t def = members[i];
			uint32_t first = graph->first_edge[def], end = graph->first_edge[def + 1];

			if (!take_steps(search, end - first))
				return false;
			for (uint32_t e = first; e < end; e++) {
				const struct takt_edge *edge = &graph->edges[e];
				int64_t rest;

				if (!near->edge_is_near[e] || is_barred(search, edge))
					continue;
				rest = edge->from != search->start ? search->rest[edge->from]
				       : edge->iterations	   ? 0
								   : UNREACHED;
				if (rest == UNREACHED)
					continue;
				rest += takt_edge_shortfall(near->worst, edge);
				if (rest >= search->rest[def])
					continue;
				search->rest[def] = rest;
				moved = true;
			}
		}
	}
	return true;
}

static void keep_path(struct search *search, uint32_t length)
{
	if (!take_steps(search, length))
		return;
	for (uint32_t i = 0; i < length; i++)
		search->ordered[i] = search->path[length - 1 - i];
	keep_edges(search, search->ordered, length);
}

static bool forget_arrivals(struct search *search)
{
	size_t capacity = 64;

	while (capacity < own_component(search)->count * (size_t)4)
		capacity *= 2;
	search->arrival_mask = capacity - 1;
	search->arrival_count = 0;
	memset(search->arrivals, 0, capacity * sizeof(*search->arrivals));
	return take_steps(search, capacity / 8);
}

/*
 * True if a path over the same instructions has reached the same def with no more shortfall: what
 * follows would be the same again, but for recurrences that use other defs of an instruction
 * in turn. Without this check, flags and register that both lead from one instruction to the
 * next would double the work at each instruction; small searches do without it.
 */
static bool is_repeated(struct search *search, const struct partial_path *partial_path)
{
	uint64_t key = takt_hash64(partial_path->members ^ takt_hash64(partial_path->def)) | 1;
	size_t at = (size_t)(key >> 1) & search->arrival_mask;
	struct arrival *arrival;

	while (search->arrivals[at].key && search->arrivals[at].key != key)
		at = (at + 1) & search->arrival_mask;
	arrival = &search->arrivals[at];
	if (arrival->key && arrival->shortfall <= partial_path->shortfall)
		return true;
	if (!arrival->key && search->arrival_count > search->arrival_mask / 2)
		return false; /* the table is too full to add an entry */
	search->arrival_count += !arrival->key;
	*arrival = (struct arrival){key, partial_path->shortfall};
	return false;
}

static struct partial_path step_back(const struct search *search,
				     const struct partial_path *partial_path,
				     const struct takt_edge *edge)
{
	uint64_t insn = search->graph->defs[edge->from].insn;

	return (struct partial_path){.def = edge->from,
				     .next_edge = search->graph->first_edge[edge->from],
				     .iterations = partial_path->iterations + edge->iterations,
				     .shortfall = partial_path->shortfall +
						  takt_edge_shortfall(search->near->worst, edge),
				     .members = takt_hash64(partial_path->members + (insn << 16) +
							    edge->iterations + 1)};
}

/* True if the path, which is not back at the start, is worth following. */
static bool is_promising(struct search *search, const struct partial_path *partial_path,
			 uint32_t most_iterations)
{
	/* The edge from the start, still to come, crosses at least one more iteration. */
	return partial_path->iterations < most_iterations && !search->on_path[partial_path->def] &&
	       search->rest[partial_path->def] != UNREACHED &&
	       takt_near_allows(search->near,
				partial_path->shortfall + search->rest[partial_path->def],
				most_iterations) &&
	       !(search->is_large && is_repeated(search, partial_path));
}

/* Keep all recurrences of the start that span least_iterations … most_iterations. */
static void search_paths(struct search *search, uint32_t least_iterations, uint32_t most_iterations)
{
	const struct takt_graph *graph = search->graph;
	struct partial_path *partials = search->partials;
	uint64_t steps_before = search->steps_left;
	uint32_t depth = 1;

	search->is_large = false;
	partials[0] = (struct partial_path){.def = search->start,
					    .next_edge = graph->first_edge[search->start]};
	while (depth && take_steps(search, 1)) {
		struct partial_path *partial_path = &partials[depth - 1];
		uint32_t e = partial_path->next_edge++;
		const struct takt_edge *edge = &graph->edges[e];
		struct partial_path longer;

		search->is_large |= steps_before - search->steps_left > SMALL_STEPS_MAX;
		if (e == graph->first_edge[partial_path->def + 1]) {
			search->on_path[partial_path->def] = false;
			depth--;
			continue;
		}
		if (!search->near->edge_is_near[e] || is_barred(search, edge))
			continue;
		search->path[depth - 1] = e;
		longer = step_back(search, partial_path, edge);
		if (longer.def == search->start) {
			if (edge->iterations && longer.iterations >= least_iterations &&
			    longer.iterations <= most_iterations &&
			    takt_near_allows(search->near, longer.shortfall, longer.iterations))
				keep_path(search, depth);
		} else if (is_promising(search, &longer, most_iterations)) {
			search->on_path[longer.def] = true;
			partials[depth++] = longer;
		}
	}
	while (depth)
		search->on_path[partials[--depth].def] = false;
}

/* Search recurrences of one start; `iterations_left` is the most iterations that recurrences of
 * this start and later ones can span. */
static void search_from(struct search *search, uint32_t start, uint32_t iterations_left)
{
	uint32_t least = 1, most = 1;

	search->start = start;
	if (!find_rests(search))
		return;
	for (;;) {
		if (takt_near_allows(search->near, search->rest[start], most) &&
		    forget_arrivals(search))
			search_paths(search, least, most);
		if (most >= iterations_left || !search->steps_left)
			return;
		least = most + 1;
		most = most * 2 < iterations_left ? most * 2 : iterations_left;
	}
}

static void search_all(struct search *search)
{
	const struct takt_near *near = search->near;

	for (uint32_t def = 0; def < search->graph->def_count; def++) {
		struct takt_component *component = &near->components[near->component_of[def]];

		if (!near->start_iterations[def])
			continue;
		search_from(search, def, component->iterations);
		component->iterations -= near->start_iterations[def];
	}
}

void takt_loop_carried(const struct takt_graph *graph, double tolerance, uint32_t most,
		       struct takt_arena *arena, struct takt_loop_carried *ret_loop_carried)
{
	size_t defs = graph->def_count;
	struct takt_worst worst;
	struct takt_near near;
	struct search search = {.near = &near,
				.graph = graph,
				.arena = arena,
				.steps_left =
					STEPS_BASE + STEPS_PER_EDGE * (uint64_t)graph->edge_count,
				.most = most};

	*ret_loop_carried = (struct takt_loop_carried){0};
	takt_worst_find(graph, arena, &worst);
	if (!worst.cycles)
		return;
	takt_near_find(graph, &worst, tolerance, arena, &near);
	search.rest = TAKT_NEW_ARRAY(arena, defs, int64_t);
	search.on_path = TAKT_NEW_ARRAY(arena, defs, bool);
	search.partials = TAKT_NEW_ARRAY(arena, defs, struct partial_path);
	search.arrivals = TAKT_NEW_ARRAY(arena, 8 * defs + 64, struct arrival);
	search.path = TAKT_NEW_ARRAY(arena, defs, uint32_t);
	search.ordered = TAKT_NEW_ARRAY(arena, defs, uint32_t);
	search.defs = TAKT_NEW_ARRAY(arena, defs, uint32_t);
	search.latencies = TAKT_NEW_ARRAY(arena, defs, uint16_t);
	search.kept = TAKT_NEW_ARRAY(arena, most, struct takt_bounds_recurrence);
	keep_edges(&search, worst.edges, worst.edge_count);
	search_all(&search);
	*ret_loop_carried = (struct takt_loop_carried){.cycles = (double)worst.cycles /
								 (double)worst.iterations,
						       .worst = search.kept,
						       .count = search.kept_count,
						       .truncated = search.truncated};
}
