/* SPDX-License-Identifier: MIT */
#include "bounds/ratio.h"
#include "graphs.h"

static double bound_of(uint32_t defs, const struct takt_edge *edges, uint32_t count)
{
	struct takt_arena arena = {0};
	struct takt_graph graph = make_graph(&arena, defs, 1, edges, count);
	double bound = takt_loop_carried_bound(&graph, &arena);

	takt_arena_release(&arena);
	return bound;
}

static void test_hand_worked(void)
{
	/* 0 → 1 → 0 next: 3 + 2; and 1 → 2 → 3 next → 1 next: (1 + 1 + 9) / 2 */
	static const struct takt_edge two[] = {
		{.from = 0, .to = 1, .latency_cycles = 3},
		{.from = 1, .to = 0, .latency_cycles = 2, .iterations = 1},
		{.from = 1, .to = 2, .latency_cycles = 1},
		{.from = 2, .to = 3, .latency_cycles = 1, .iterations = 1},
		{.from = 3, .to = 1, .latency_cycles = 9, .iterations = 1},
		{.from = TAKT_NO_DEF, .to = 2, .latency_cycles = 40},
	};
	/* Three registers that change places: 7 over three iterations. */
	static const struct takt_edge rotating[] = {
		{.from = 0, .to = 1, .latency_cycles = 3, .iterations = 1},
		{.from = 1, .to = 2, .latency_cycles = 3, .iterations = 1},
		{.from = 2, .to = 0, .latency_cycles = 1, .iterations = 1},
		{.from = 1, .to = 1, .latency_cycles = 2, .iterations = 1},
	};
	static const struct takt_edge in_order[] = {
		{.from = 0, .to = 1, .latency_cycles = 3},
		{.from = 1, .to = 2, .latency_cycles = 3},
		{.from = 2, .to = 1, .latency_cycles = 0, .iterations = 1},
	};
	/* Through memory, three iterations later: 12 / 3; the self-loop 7 / 2. */
	static const struct takt_edge far[] = {
		{.from = 0, .to = 1, .latency_cycles = 4},
		{.from = 1, .to = 0, .latency_cycles = 8, .iterations = 3},
		{.from = 1, .to = 1, .latency_cycles = 7, .iterations = 2},
	};

	is_near(bound_of(2, far, 3), 4, "edges over several iterations");
	is_near(bound_of(2, far + 2, 1), 3.5, "a self-loop over two");
	is_near(bound_of(4, two, TAKT_COUNT_OF(two)), 5.5, "a cycle over two iterations");
	is_near(bound_of(4, two, 3), 5, "without it");
	is_near(bound_of(4, two, 1), 0, "nothing carried");
	is_near(bound_of(3, rotating, 4), 7.0 / 3, "three iterations beat the self-loop");
	is_near(bound_of(3, in_order, 2), 0, "no cycle");
	is_near(bound_of(3, in_order, 3), 3, "a free way back");
	is_near(bound_of(0, NULL, 0), 0, "no def");
}

/* No cycle gains: all edges fall short by nothing or more; and one cycle by nothing. */
static bool is_witnessed(const struct takt_graph *graph, const struct takt_worst *worst)
{
	int64_t cycles = 0, iterations = 0;

	for (uint32_t e = 0; worst->edge_count && e < graph->edge_count; e++)
		if (graph->edges[e].from != TAKT_NO_DEF &&
		    takt_edge_shortfall(worst, &graph->edges[e]) < 0)
			return false;
	for (uint32_t i = 0; i < worst->edge_count; i++) {
		const struct takt_edge *edge = &graph->edges[worst->edges[i]];
		const struct takt_edge *next =
			&graph->edges[worst->edges[(i + 1) % worst->edge_count]];

		if (edge->to != next->from || takt_edge_shortfall(worst, edge) != 0)
			return false;
		cycles += edge->latency_cycles;
		iterations += edge->iterations;
	}
	return cycles * worst->iterations == iterations * worst->cycles;
}

static void test_random(void)
{
	struct takt_arena arena = {0};
	bool agree = true, witnessed = true;

	for (int round = 0; round < 3000; round++) {
		struct takt_graph graph = random_graph(&arena, 1 + next_random(9), 1,
						       1 + next_random(18), 1 + next_random(12));
		struct brute brute = brute_force(&graph, &arena);
		struct takt_worst worst;

		takt_worst_find(&graph, &arena, &worst);
		agree &= fabs((double)worst.cycles / (double)worst.iterations - brute.worst) < 1e-9;
		witnessed &= is_witnessed(&graph, &worst);
		takt_arena_clear(&arena);
	}
	ok(agree, "the ratio is the maximum over all elementary cycles");
	ok(witnessed, "a cycle attains it, and none can exceed it");
	takt_arena_release(&arena);
}

/* A value that moves down one place each iteration and starts over: too long for sweeps. */
static void test_ring(void)
{
	enum { PLACES = 3000 };
	struct takt_edge *edges = takt_xcalloc(2 * PLACES, sizeof(*edges));
	struct takt_arena arena = {0};
	struct takt_graph graph;
	struct takt_worst worst;
	uint32_t count = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		edges[count++] = (struct takt_edge){.from = i,
						    .to = (i + PLACES - 1) % PLACES,
						    .iterations = 1,
						    .latency_cycles = i ? 4 : 8};
	for (uint32_t i = 0; i < PLACES; i += 7)
		edges[count++] = (struct takt_edge){
			.from = i, .to = i, .iterations = 1, .latency_cycles = 4};
	graph = make_graph(&arena, PLACES, 1, edges, count);
	takt_worst_find(&graph, &arena, &worst);
	ok(worst.cycles == 4 * PLACES / 4 + 1 && worst.iterations == PLACES / 4,
	   "the whole ring: got %lld/%lld", (long long)worst.cycles, (long long)worst.iterations);
	ok(worst.edge_count == PLACES && is_witnessed(&graph, &worst), "is the worst cycle");
	takt_arena_release(&arena);
	free(edges);
}

int main(void)
{
	test_hand_worked();
	test_random();
	test_ring();
	return tap_done();
}
