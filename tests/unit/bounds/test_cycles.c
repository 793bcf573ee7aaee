/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "bounds/bounds.h"

#define DEFS_MAX 12u

static uint32_t random_state = 99;

static uint32_t next_random(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % limit;
}

struct fixture {
	struct takt_def defs[DEFS_MAX];
	struct takt_edge edges[128];
	uint32_t first_edge[DEFS_MAX + 1];
	struct takt_graph graph;
};

static int compare_edges(const void *left, const void *right)
{
	const struct takt_edge *a = left, *b = right;

	return a->to < b->to ? -1 : a->to > b->to;
}

/* One def per instruction; edges in any order. */
static void make(struct fixture *fixture, uint32_t defs, const struct takt_edge *edges,
		 uint32_t count)
{
	memset(fixture, 0, sizeof(*fixture));
	for (uint32_t i = 0; i < defs; i++)
		fixture->defs[i].insn = i;
	memcpy(fixture->edges, edges, count * sizeof(*edges));
	qsort(fixture->edges, count, sizeof(*edges), compare_edges);
	for (uint32_t i = 0; i < count; i++)
		fixture->first_edge[fixture->edges[i].to + 1]++;
	for (uint32_t i = 0; i < defs; i++)
		fixture->first_edge[i + 1] += fixture->first_edge[i];
	fixture->graph = (struct takt_graph){.defs = fixture->defs,
					     .def_count = defs,
					     .edges = fixture->edges,
					     .first_edge = fixture->first_edge,
					     .edge_count = count,
					     .insn_count = defs};
}

/* All elementary cycles by plain search; worst ratio, and how many are within 5 %. */
struct brute {
	const struct takt_graph *graph;
	bool visited[DEFS_MAX];
	double worst;
	double ratios[100000];
	uint32_t count;
};

static void brute_extend(struct brute *brute, uint32_t start, uint32_t def, double cycles,
			 unsigned iterations)
{
	for (uint32_t e = 0; e < brute->graph->edge_count; e++) {
		const struct takt_edge *edge = &brute->graph->edges[e];
		unsigned crossed = iterations + edge->iterations;

		if (edge->from != def || edge->to < start)
			continue;
		if (edge->to == start) {
			if (crossed && brute->count < 100000)
				brute->ratios[brute->count++] =
					(cycles + edge->latency_cycles) / crossed;
		} else if (!brute->visited[edge->to]) {
			brute->visited[edge->to] = true;
			brute_extend(brute, start, edge->to, cycles + edge->latency_cycles, crossed);
			brute->visited[edge->to] = false;
		}
	}
}

static double brute_force(struct brute *brute, const struct takt_graph *graph)
{
	brute->graph = graph;
	brute->count = 0;
	brute->worst = 0;
	for (uint32_t start = 0; start < graph->def_count; start++)
		brute_extend(brute, start, start, 0, 0);
	for (uint32_t i = 0; i < brute->count; i++)
		if (brute->ratios[i] > brute->worst)
			brute->worst = brute->ratios[i];
	return brute->worst;
}

/* A listed cycle is one: its latencies sum to its ratio. */
static bool cycle_sums_up(const struct takt_ratio_cycle *cycle)
{
	double sum = 0;

	for (uint32_t i = 0; i < cycle->count; i++)
		sum += cycle->latencies[i];
	return fabs(sum / cycle->iterations - cycle->cycles_per_iteration) < 1e-9;
}

static void test_hand_worked(void)
{
	/* 0 → 1 → 0 next: 3 + 2; and 1 → 2 → 3 → 1 next, 3 → … over two iterations */
	static const struct takt_edge edges[] = {
		{.from = 0, .to = 1, .latency_cycles = 3},
		{.from = 1, .to = 0, .latency_cycles = 2, .iterations = 1},
		{.from = 1, .to = 2, .latency_cycles = 1},
		{.from = 2, .to = 3, .latency_cycles = 1, .iterations = 1},
		{.from = 3, .to = 1, .latency_cycles = 9, .iterations = 1},
		{.from = TAKT_NO_DEF, .to = 2, .latency_cycles = 4},
	};
	struct takt_arena arena = {0};
	struct takt_loop_carried carried;
	struct fixture fixture;
	struct takt_path path;

	make(&fixture, 4, edges, TAKT_COUNT_OF(edges));
	/* (3 + 2) / 1 = 5; (1 + 1 + 9) / 2 = 5.5 */
	is_near(takt_loop_carried_bound(&fixture.graph, &arena), 5.5, "two iterations");
	takt_loop_carried(&fixture.graph, 0.05, 10, &arena, &carried);
	is_int(carried.count, 1, "5 is more than 5 % below 5.5");
	is_int(carried.worst[0].iterations, 2, "spans two iterations");
	takt_loop_carried(&fixture.graph, 0.10, 10, &arena, &carried);
	is_int(carried.count, 2, "and within 10 %");
	takt_loop_carried(&fixture.graph, 0.10, 1, &arena, &carried);
	ok(carried.count == 1 && carried.truncated, "the limit truncates");
	/* carried values are live-in: def 3 could start with 1, def 1 with 9 → 1 → 10 */
	takt_critical_path(&fixture.graph, &arena, &path);
	is_near(path.cycles, 10, "critical path 9 + 1");
	is_int(path.count, 2, "two instructions on it");
	takt_arena_release(&arena);
}

static void test_random(void)
{
	struct brute *brute = takt_xcalloc(1, sizeof(*brute));
	struct takt_arena arena = {0};
	bool ratios_agree = true, counts_agree = true, sums_agree = true;

	for (int round = 0; round < 1500; round++) {
		struct takt_edge edges[24];
		uint32_t defs = 2 + next_random(6), count = 1 + next_random(13), near = 0;
		struct takt_loop_carried carried;
		struct fixture fixture;
		double worst;

		for (uint32_t i = 0; i < count; i++) {
			uint32_t a = next_random(defs), b = next_random(defs);

			edges[i] = (struct takt_edge){.from = a,
						      .to = b,
						      .iterations = a >= b,
						      .latency_cycles = (uint16_t)next_random(9)};
			if (next_random(4) == 0)
				edges[i].iterations = 1;
		}
		make(&fixture, defs, edges, count);
		worst = brute_force(brute, &fixture.graph);
		ratios_agree &= fabs(takt_loop_carried_bound(&fixture.graph, &arena) - worst) < 1e-9;
		takt_loop_carried(&fixture.graph, 0.05, 4000, &arena, &carried);
		for (uint32_t i = 0; i < brute->count; i++)
			near += worst > 0 && brute->ratios[i] >= 0.95 * worst - 1e-9;
		/* Parallel edges make cycles of the same members, which are listed once. */
		counts_agree &= carried.count <= near && (near == 0) == (carried.count == 0);
		for (uint32_t i = 0; i < carried.count; i++)
			sums_agree &= cycle_sums_up(&carried.worst[i]);
		counts_agree &= !carried.count || fabs(carried.worst[0].cycles_per_iteration -
						       worst) < 1e-9;
		takt_arena_clear(&arena);
	}
	ok(ratios_agree, "the maximum cycle ratio is that of all elementary cycles");
	ok(counts_agree, "the cycles near it are listed, the worst first");
	ok(sums_agree, "each listed cycle sums up to its ratio");
	takt_arena_release(&arena);
	free(brute);
}

/* A chain of 100,000 instructions through one carried value, beyond the search. */
static void test_long(void)
{
	const uint32_t count = 100000;
	struct takt_def *defs = takt_xcalloc(count, sizeof(*defs));
	struct takt_edge *edges = takt_xcalloc(count, sizeof(*edges));
	uint32_t *first = takt_xcalloc(count + 1, sizeof(*first));
	struct takt_graph graph = {.defs = defs,
				   .def_count = count,
				   .edges = edges,
				   .first_edge = first,
				   .edge_count = count,
				   .insn_count = count};
	struct takt_loop_carried carried;
	struct takt_arena arena = {0};

	for (uint32_t i = 0; i < count; i++) {
		defs[i].insn = i;
		edges[i] = (struct takt_edge){.from = i ? i - 1 : count - 1,
					      .to = i,
					      .latency_cycles = 2,
					      .iterations = i == 0};
		first[i + 1] = i + 1;
	}
	takt_loop_carried(&graph, 0.05, 4, &arena, &carried);
	is_near(carried.cycles, 2.0 * count, "a long chain");
	ok(carried.count == 1 && carried.worst[0].count == count && cycle_sums_up(carried.worst),
	   "its one cycle is listed");
	takt_arena_release(&arena);
	free(defs);
	free(edges);
	free(first);
}

int main(void)
{
	test_hand_worked();
	test_random();
	test_long();
	return tap_done();
}
