/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "analyze/analyze.h"

/* 0 → 1, which repeats itself; 2 goes round from 1 or from 3; 4 is the end. */
static const struct takt_flow_block blocks[] = {
	{.offset = 0, .executions = 2},	 {.offset = 8, .executions = 80},
	{.offset = 16, .executions = 8}, {.offset = 24, .executions = 3},
	{.offset = 32, .executions = 2},
};
static const struct takt_flow_edge edges[] = {
	{0, 1, 2}, {1, 1, 72}, {1, 2, 8}, {2, 1, 3}, {2, 3, 3}, {2, 4, 2}, {3, 1, 3},
};

static void test_loops(struct takt_arena *arena)
{
	const struct takt_flow_counts graph = {blocks, edges, TAKT_COUNT_OF(blocks),
					       TAKT_COUNT_OF(edges)};
	size_t count;
	const struct takt_nest_loop *loops = takt_nest_find_loops(&graph, arena, &count);

	is_int((long long)count, 2, "the kernel, and loops with one head are one");
	is_int(loops[0].head, 0, "the kernel's start");
	is_int(loops[0].path_count, 1, "one way through it");
	is_int(loops[0].paths[0].part_count, 3, "start, loop, end");
	is_int(loops[0].paths[0].parts[1].loop, 1, "the loop is one step");
	is_int(loops[0].paths[0].parts[1].exit, 2, "left from there");
	is_int(loops[1].head, 1, "the head");
	is_int((long long)loops[1].entries, 2, "entries");
	is_int(loops[1].path_count, 4, "round in three ways, and out");
	is_int((long long)loops[1].paths[0].count, 72, "the hottest one");
	is_int(loops[1].paths[0].part_count, 1, "is the block itself");
}

/* As before, but the inner loop has a head of its own: 5 leads to it. */
static void test_nest(struct takt_arena *arena)
{
	static const struct takt_flow_block nested[] = {
		{.offset = 0, .executions = 1},	  {.offset = 8, .executions = 10},
		{.offset = 16, .executions = 90}, {.offset = 24, .executions = 10},
		{.offset = 32, .executions = 1},
	};
	static const struct takt_flow_edge ways[] = {{0, 1, 1},	 {1, 2, 10}, {2, 2, 80},
						     {2, 3, 10}, {3, 1, 9},  {3, 4, 1}};
	const struct takt_flow_counts graph = {nested, ways, TAKT_COUNT_OF(nested),
					       TAKT_COUNT_OF(ways)};
	size_t count;
	const struct takt_nest_loop *loops = takt_nest_find_loops(&graph, arena, &count);

	is_int((long long)count, 3, "two loops");
	is_int(loops[1].head, 1, "the outer one");
	is_int(loops[1].around, 0, "is in none");
	is_int((long long)loops[1].iterations, 10, "its iterations");
	is_int(loops[2].head, 2, "the inner one");
	is_int(loops[2].around, 1, "is in it");
	is_int((long long)loops[2].entries, 10, "and entered in each");
	is_int(loops[1].paths[0].part_count, 3, "a step of its path");
	is_int(loops[1].paths[0].parts[1].loop, 2, "that says which");
}

static void test_nothing(struct takt_arena *arena)
{
	const struct takt_flow_counts graph = {blocks, NULL, 1, 0};
	size_t count;
	const struct takt_nest_loop *loops = takt_nest_find_loops(&graph, arena, &count);

	is_int((long long)count, 1, "no loop");
	is_int(loops[0].path_count, 1, "one way");
	is_int(loops[0].paths[0].part_count, 1, "of one block");
}

int main(void)
{
	struct takt_arena arena = {0};

	test_loops(&arena);
	test_nest(&arena);
	test_nothing(&arena);
	takt_arena_release(&arena);
	return tap_done();
}
