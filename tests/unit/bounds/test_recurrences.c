/* SPDX-License-Identifier: MIT */
#include "bounds/ratio.h"
#include "graphs.h"

/* A listed cycle is one: edges of these latencies join its defs and cross its iterations. */
static bool is_cycle(const struct takt_graph *graph, const struct takt_bounds_recurrence *cycle)
{
	uint32_t iterations = 0;
	double cycles = 0;

	for (uint32_t i = 0; i < cycle->count; i++) {
		uint32_t from = cycle->defs[i ? i - 1 : cycle->count - 1], to = cycle->defs[i];
		uint32_t e = graph->first_edge[to];

		while (e < graph->first_edge[to + 1] &&
		       (graph->edges[e].from != from ||
			graph->edges[e].latency_cycles != cycle->latencies[i]))
			e++;
		if (e == graph->first_edge[to + 1] || to < cycle->defs[0])
			return false;
		iterations += graph->edges[e].iterations;
		cycles += cycle->latencies[i];
	}
	/* Parallel edges of one latency may differ in iterations. */
	return iterations <= cycle->iterations + RANDOM_ITERATIONS_MAX * cycle->count &&
	       fabs(cycles / cycle->iterations - cycle->cycles_per_iteration) < 1e-9;
}

/* Both go round the same instructions, one perhaps several times. */
static bool same_members(const struct takt_graph *graph, const struct brute_cycle *left,
			 const struct brute_cycle *right)
{
	if (left->count * right->iterations != right->count * left->iterations)
		return false;
	for (uint32_t i = 0; i < left->count * right->count; i++)
		if (graph->defs[left->defs[i % left->count]].insn !=
		    graph->defs[right->defs[i % right->count]].insn)
			return false;
	return true;
}

/* How many cycles within `tolerance` of the worst differ in their instructions. */
static uint32_t count_near(const struct brute *brute, double tolerance)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < brute->count; i++) {
		const struct brute_cycle *cycle = &brute->cycles[i];
		bool fresh = (double)cycle->cycles / cycle->iterations >=
			     (1 - tolerance) * brute->worst - 1e-9;

		for (uint32_t j = 0; j < i && fresh; j++)
			fresh = (double)brute->cycles[j].cycles / brute->cycles[j].iterations <
					(1 - tolerance) * brute->worst - 1e-9 ||
				!same_members(brute->graph, cycle, &brute->cycles[j]);
		count += fresh;
	}
	return brute->worst > 0 ? count : 0;
}

static bool is_sorted(const struct takt_loop_carried *carried)
{
	for (uint32_t i = 1; i < carried->count; i++)
		if (carried->worst[i - 1].cycles_per_iteration <
		    carried->worst[i].cycles_per_iteration)
			return false;
	return !carried->count || carried->worst[0].cycles_per_iteration == carried->cycles;
}

/* Random graphs of instructions with so many defs each. */
static void test_random(uint32_t insn_defs)
{
	static const double tolerances[] = {0, 0.05, 0.3};
	struct takt_arena arena = {0};
	uint32_t missed = 0, surplus = 0, listed = 0;
	bool cycles = true, sorted = true, complete = true;

	for (int round = 0; round < 3000; round++) {
		struct takt_graph graph = random_graph(&arena, 1 + next_random(9), insn_defs,
						       1 + next_random(18), 1 + next_random(12));
		struct brute brute = brute_force(&graph, &arena);
		double tolerance = tolerances[round % 3];
		uint32_t near = count_near(&brute, tolerance);
		struct takt_loop_carried carried;

		takt_loop_carried(&graph, tolerance, 4000, &arena, &carried);
		missed += carried.count < near;
		surplus += carried.count > near;
		listed += carried.count;
		complete &= !carried.truncated;
		sorted &= is_sorted(&carried);
		for (uint32_t i = 0; i < carried.count; i++)
			cycles &= is_cycle(&graph, &carried.worst[i]);
		takt_arena_clear(&arena);
	}
	is_int(missed, 0, "graphs with a cycle near the worst missed");
	is_int(surplus, 0, "graphs with a cycle too many");
	ok(listed > 2000 && complete, "%u cycles listed, all there are", listed);
	ok(cycles, "each is a cycle from its earliest def, and sums up to its ratio");
	ok(sorted, "the worst first");
	takt_arena_release(&arena);
}

static void test_limits(void)
{
	/* Eight accumulators of 4, one of 3.9, one of 3. */
	struct takt_edge edges[10];
	struct takt_arena arena = {0};
	struct takt_loop_carried carried;
	struct takt_graph graph;

	for (uint32_t i = 0; i < 10; i++)
		edges[i] = (struct takt_edge){.from = i,
					      .to = i,
					      .iterations = 1,
					      .latency_cycles = i == 3	 ? 39
								: i == 4 ? 30
									 : 40};
	graph = make_graph(&arena, 10, 1, edges, 10);
	takt_loop_carried(&graph, 0.05, 16, &arena, &carried);
	ok(carried.count == 9 && !carried.truncated, "nine within 5 %%");
	ok(carried.worst[0].defs[0] == 0 && carried.worst[3].defs[0] == 5 &&
		   carried.worst[8].defs[0] == 3,
	   "equals in the order of the code");
	takt_loop_carried(&graph, 0, 16, &arena, &carried);
	ok(carried.count == 8 && !carried.truncated, "eight are the worst");
	takt_loop_carried(&graph, 0.05, 3, &arena, &carried);
	ok(carried.count == 3 && carried.truncated && carried.worst[2].defs[0] == 2,
	   "the limit keeps the first");
	takt_loop_carried(&graph, 0.05, 0, &arena, &carried);
	ok(carried.count == 0 && carried.truncated && carried.cycles == 40,
	   "none wanted, the ratio known");
	takt_arena_release(&arena);
}

/* Flags and register of each of many instructions: one list of members. */
static void test_twins(void)
{
	enum { INSNS = 400 };
	struct takt_edge *edges = takt_xcalloc(4 * INSNS, sizeof(*edges));
	struct takt_arena arena = {0};
	struct takt_loop_carried carried;
	struct takt_graph graph;
	uint32_t count = 0;

	for (uint32_t i = 0; i < INSNS; i++)
		for (uint32_t pair = 0; pair < 4; pair++)
			edges[count++] =
				(struct takt_edge){.from = (i + INSNS - 1) % INSNS * 2 + pair % 2,
						   .to = i * 2 + pair / 2,
						   .iterations = i == 0,
						   .latency_cycles = 1};
	graph = make_graph(&arena, 2 * INSNS, 2, edges, count);
	takt_loop_carried(&graph, 0.05, 16, &arena, &carried);
	is_near(carried.cycles, INSNS, "a chain through flags and register");
	ok(carried.count == 1 && !carried.truncated, "is listed once");
	ok(carried.worst[0].count == INSNS && carried.worst[0].iterations == 1, "in one turn");
	takt_arena_release(&arena);
	free(edges);
}

/* Two ways in each of many steps: more cycles than anyone could list. */
static void test_explosion(void)
{
	enum { STEPS = 200 };
	struct takt_edge *edges = takt_xcalloc(4 * STEPS, sizeof(*edges));
	struct takt_arena arena = {0};
	struct takt_loop_carried carried;
	struct takt_graph graph;
	uint32_t count = 0;

	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t at = 3 * i, next = (at + 3) % (3 * STEPS);

		for (uint32_t way = 1; way <= 2; way++) {
			edges[count++] =
				(struct takt_edge){.from = at, .to = at + way, .latency_cycles = 1};
			edges[count++] = (struct takt_edge){.from = at + way,
							    .to = next,
							    .iterations = next == 0,
							    .latency_cycles = (uint16_t)(2 + way)};
		}
	}
	graph = make_graph(&arena, 3 * STEPS, 1, edges, count);
	takt_loop_carried(&graph, 0.05, 20, &arena, &carried);
	is_near(carried.cycles, 5.0 * STEPS, "the longer way each time");
	ok(carried.count == 20 && carried.truncated && is_sorted(&carried), "some of 2^200 cycles");
	takt_arena_release(&arena);
	free(edges);
}

/* 100,000 instructions: one chain; or each with a memory location of its own. */
static void test_long(void)
{
	enum { INSNS = 100000 };
	struct takt_edge *edges = takt_xcalloc(2 * INSNS, sizeof(*edges));
	struct takt_arena arena = {0};
	struct takt_loop_carried carried;
	struct takt_graph graph;

	for (uint32_t i = 0; i < INSNS; i++)
		edges[i] = (struct takt_edge){.from = i ? i - 1 : INSNS - 1,
					      .to = i,
					      .latency_cycles = 2,
					      .iterations = i == 0};
	graph = make_graph(&arena, INSNS, 1, edges, INSNS);
	takt_loop_carried(&graph, 0.05, 4, &arena, &carried);
	is_near(carried.cycles, 2.0 * INSNS, "a long chain");
	ok(carried.count == 1 && !carried.truncated && carried.worst[0].count == INSNS &&
		   is_cycle(&graph, carried.worst),
	   "its one cycle is listed");
	takt_arena_clear(&arena);
	for (uint32_t i = 0; i < INSNS; i++)
		edges[INSNS + i] = (struct takt_edge){
			.from = i, .to = i, .latency_cycles = 5, .iterations = 1};
	graph = make_graph(&arena, INSNS, 1, edges, 2 * INSNS);
	takt_loop_carried(&graph, 0.05, 4, &arena, &carried);
	is_near(carried.cycles, 2.0 * INSNS, "every instruction carries something");
	ok(carried.count && carried.worst[0].count == INSNS, "the worst is listed");
	takt_arena_release(&arena);
	free(edges);
}

int main(void)
{
	test_random(1);
	test_random(2);
	test_limits();
	test_twins();
	test_explosion();
	test_long();
	return tap_done();
}
