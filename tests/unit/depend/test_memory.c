/* SPDX-License-Identifier: MIT */
#include "depend/memory.h"
#include "blocks.h"

static const struct {
	int line;
	const char *hex;
	uint32_t load;	   /* instruction; edges to others are not looked at */
	const char *edges; /* "store/iterations", latest first; "w" wider, "s" split */
	const char *what;
} rows[] = {
	{__LINE__, "488907488b07", 1, "0/0", "mov [rdi], rax; mov rax, [rdi]"},
	{__LINE__, "488b07488907", 0, "1/1", "from the iteration before"},
	{__LINE__, "48ff07", 0, "0/1", "inc [rdi]"},
	{__LINE__, "4889078b4704", 1, "0/0", "the upper half of what was stored"},
	{__LINE__, "4889078a4707", 1, "0/0", "its last byte"},
	{__LINE__, "488907668b4707", 1, "0/0w", "half beyond it"},
	{__LINE__, "89078b4701", 1, "0/0w", "a dword over its end"},
	{__LINE__, "8907488b07", 1, "0/0w", "more than was stored"},
	{__LINE__, "c5fd11078b471c", 1, "0/0", "the last dword of ymm"},
	{__LINE__, "88074889078a07", 2, "1/0", "the later of two stores"},
	{__LINE__, "4889078807488b07", 2, "1/0s 0/0s", "its low byte stored anew"},
	{__LINE__, "4889078847048a4704", 2, "1/0", "byte 4 after a byte store to it"},
	{__LINE__, "48890748890e488b07", 2, "0/0", "another pointer does not interfere"},
	{__LINE__, "4889074883c708488b47f8", 2, "0/0", "add rdi, 8"},
	{__LINE__, "4889074883ef08488b4708", 2, "0/0", "sub rdi, 8"},
	{__LINE__, "48890748ffc7488b47ff", 2, "0/0", "inc rdi"},
	{__LINE__, "4889074889fe488b06", 2, "0/0", "copied to rsi"},
	{__LINE__, "488907488d7710488b46f0", 2, "0/0", "rsi = rdi + 16"},
	{__LINE__, "488904f74883c601488b44f7f8", 2, "0/0", "index times 8, plus one"},
	{__LINE__, "488904f7488b04b7", 1, "", "another scale"},
	{__LINE__, "48890748c1e701488b07", 2, "", "shl rdi makes it unknown"},
	{__LINE__, "48890783c708488b47f8", 2, "0/0", "32-bit add: once the upper half is clear"},
	{__LINE__, "64488904252800000064488b042528000000", 1, "0/0", "fs:0x28"},
	{__LINE__, "644889042528000000488b042528000000", 1, "", "fs:0x28 is not 0x28"},
	{__LINE__, "48890500010000488b05f9000000", 1, "0/0", "one place from two rips"},
	{__LINE__, "488b07488947084883c708", 0, "1/1", "rdi + 8 is the next rdi"},
	{__LINE__, "488b07488947104883c708", 0, "1/2", "rdi + 16 the one after"},
	{__LINE__, "488b074889074c89c7", 0, "1/1", "rdi = r8 each time: the same again"},
	{__LINE__, "488b0748890f4889c7", 0, "", "a loaded address"},
	{__LINE__, "5058", 1, "0/0", "push; pop"},
	{__LINE__, "5053585b", 2, "1/0", "push, push, pop"},
	{__LINE__, "5053585b", 3, "0/0", "push, push, pop, pop"},
	{__LINE__, "50488b0424", 1, "0/0", "push; mov rax, [rsp]"},
	{__LINE__, "48894424f858", 1, "", "pop reads above the red zone"},
	{__LINE__, "48894424f84883ec0858", 2, "0/0", "until rsp is below"},
	{__LINE__, "488907c5fa6f07", 1, "0/0w", "half of an xmm"},
	{__LINE__, "8907c4e26d90040f", 1, "", "gathers have no single address"},
	{__LINE__, "488b0748034708488947104883c708", 0, "2/2", "Fibonacci, two back"},
	{__LINE__, "488b0748034708488947104883c708", 1, "2/1", "Fibonacci, one back"},
	{__LINE__, "488b07488947504883c708", 0, "1/10", "ten iterations"},
	{__LINE__, "488b07488987a00f00004883c708", 0, "", "500 iterations are out of the window"},
	{__LINE__, "488b074889074887f7", 0, "1/2", "two pointers in turn"},
	{__LINE__, "488904cf488d148f488b1c8a", 2, "0/0", "rdi + 8 rcx in two steps"},
	{__LINE__, "48897c2408488b7c2408488907488b1f", 3, "2/0", "an address that was spilled"},
	{__LINE__, "488b7c2408488907488b5ff84883c70848897c2408", 2, "1/1", "and kept in memory"},
	{__LINE__, "488b3e488307014883c608", 1, "", "an array of pointers"},
	{__LINE__, "0fb60eff048f48ffc6", 1, "", "a histogram"},
	{__LINE__, "4883e107488904cf488b5ccff848ffc1", 2, "1/1", "a ring of eight"},
	{__LINE__, "31c94889040f488b1f", 2, "1/0", "an index of zero"},
	{__LINE__, "4839d1480f42ca488901488b1a", 3, "", "the greater of two is either"},
	{__LINE__, "b80500000083f8064889f1480f42ca488901488b1a", 5, "4/0", "a known condition"},
	{__LINE__, "8907895f04488b0f", 2, "1/0s 0/0s", "two halves"},
	{__LINE__, "488907488b4f044883c708", 1, "0/0w", "the end of one and beyond"},
	{__LINE__, "f30f7e06660fd60424488b0424488908488b10", 2, "1/0", "out of a vector register"},
	{__LINE__, "f30f7e06660fd60424488b0424488908488b10", 4, "", "whose value is unknown"},
	{__LINE__, "480fcf480fcf488907488b1f", 3, "2/0", "bytes swapped and back"},
	{__LINE__, "486bc9184889040f4883e908488b5c0f08", 3, "1/0", "times 24"},
	{__LINE__, "4889074889fa48f7da48f7da488b1a", 4, "0/0", "negated twice"},
	{__LINE__, "488d571048c1e2024889024889f948c1e102488b5940", 5, "2/0",
	 "(rdi + 16) << 2 and (rdi << 2) + 64"},
	{__LINE__, "48ab488b47f8", 1, "0/0", "stosq steps on"},
	{__LINE__, "f348ab488b47f8", 1, "", "but not how far if repeated"},
	{__LINE__, "880748ffc7488b4ff8", 2, "0/0s 0/1s 0/2s 0/3s 0/4s 0/5s 0/6s 0/7s",
	 "the last eight bytes"},
	{__LINE__, "48f7f148890417488b1c17", 2, "", "a remainder is not computed"},
	{__LINE__, "9c58", 1, "0/0", "pushfq; pop"},
	{__LINE__, "c8100000488945f8c9", 2, "", "nor rbp after enter"},
	{__LINE__, "488903e800000000488b0b", 2, "0/0", "across a call, rbx stays"},
	{__LINE__, "488907e800000000488b1f", 2, "", "and rdi does not"},
	{__LINE__, "6748890767488b1f", 1, "0/0", "32-bit addresses"},
	{__LINE__, "554889e548837d1000", 2, "0/2", "push without pop"},
};

/* The edges to `load` in the notation of the rows. */
static const char *describe(const struct takt_memory_dependences *found, uint32_t load,
			    struct takt_arena *arena)
{
	static const char marks[TAKT_OVERLAP_COUNT][2] = {"", "w", "s"};
	const char *text = "";

	for (uint32_t e = 0; e < found->edge_count; e++) {
		const struct takt_memory_edge *edge = &found->edges[e];

		if (edge->load == load)
			text = takt_arena_printf(arena, "%s%s%u/%u%s", text, *text ? " " : "",
						 edge->store, edge->iterations,
						 marks[edge->overlap]);
	}
	return text;
}

static void test_rows(void)
{
	struct takt_memory_options options = {.loop = true};
	struct takt_arena arena = {0};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_block block = make_block(rows[i].hex, &arena);
		struct takt_memory_dependences found;
		const char *got;

		takt_memory_dependences_find(&block, &options, &arena, &found);
		got = describe(&found, rows[i].load, &arena);
		tap_ok_at(__FILE__, rows[i].line, strcmp(got, rows[i].edges) == 0, "%s: got '%s'",
			  rows[i].what, got);
		takt_arena_clear(&arena);
	}
	takt_arena_release(&arena);
}

/* Edges of one run by one of the ways. */
static void run_one_way(struct takt_finder *finder, bool steady, bool *ret_done)
{
	uint32_t count = takt_track_count(&finder->program);
	struct takt_track *tracks = TAKT_NEW_ARRAY(finder->arena, count, struct takt_track);

	finder->edges = NULL;
	finder->edge_count = finder->edge_capacity = 0;
	*ret_done = true;
	if (steady)
		*ret_done = takt_steady_reach(finder, 7, tracks) &&
			    takt_steady_find(finder, tracks, count);
	else
		takt_simulation_find(finder, 7);
}

/* The short way and the long one come to the same. */
static void test_ways_agree(void)
{
	struct takt_memory_options options = {.loop = true};
	struct takt_arena arena = {0};
	uint32_t steady_count = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_block block = make_block(rows[i].hex, &arena);
		struct takt_finder finder = {.block = &block,
					     .options = &options,
					     .arena = &arena,
					     .window = 224,
					     .iterations = 2 + 224 / block.count,
					     .first = 1};
		struct takt_memory_edge *edges;
		uint32_t count;
		bool done;

		takt_program_make(&block, TAKT_PROGRAM_LOOP, &arena, &finder.program);
		run_one_way(&finder, true, &done);
		if (!done)
			continue;
		steady_count++;
		edges = finder.edges;
		count = finder.edge_count;
		run_one_way(&finder, false, &done);
		tap_ok_at(__FILE__, rows[i].line,
			  count == finder.edge_count &&
				  (!count ||
				   memcmp(edges, finder.edges, count * sizeof(*edges)) == 0),
			  "%s: both ways", rows[i].what);
		takt_arena_clear(&arena);
	}
	ok(steady_count > TAKT_COUNT_OF(rows) * 3 / 4, "most blocks settle");
	takt_arena_release(&arena);
}

static void test_options(void)
{
	static const struct takt_entry_value aliases[] = {
		{TAKT_LOC_GPR + 6, 0x10008}, /* rsi */
		{TAKT_LOC_GPR + 7, 0x10000}, /* rdi */
	};
	struct takt_memory_options options = {.loop = true};
	struct takt_memory_dependences found;
	struct takt_arena arena = {0};
	/* mov rax, [rsi]; mov [rdi], rax; add rsi, 8; add rdi, 8 */
	struct takt_block copy = make_block("488b064889074883c6084883c708", &arena);
	/* mov rax, [rdi]; mov [rdi + 80], rax; add rdi, 8 */
	struct takt_block far = make_block("488b07488947504883c708", &arena);
	struct takt_block one = make_block("488907488b07488907", &arena);

	takt_memory_dependences_find(&copy, &options, &arena, &found);
	is_int(found.edge_count, 0, "pointers are taken to differ");
	options.entry_values = aliases;
	options.entry_value_count = 2;
	takt_memory_dependences_find(&copy, &options, &arena, &found);
	is_int(found.edge_count, 0, "a store behind the loads");
	options.entry_values = (const struct takt_entry_value[]){{TAKT_LOC_GPR + 6, 0x10000},
								 {TAKT_LOC_GPR + 7, 0x10018}};
	takt_memory_dependences_find(&copy, &options, &arena, &found);
	is_string(describe(&found, 0, &arena), "1/3", "a store 24 bytes ahead");
	options = (struct takt_memory_options){.loop = true, .window_instructions = 29};
	takt_memory_dependences_find(&far, &options, &arena, &found);
	is_int(found.edge_count, 0, "29 instructions in flight");
	options.window_instructions = 30;
	takt_memory_dependences_find(&far, &options, &arena, &found);
	is_int(found.edge_count, 1, "30 instructions in flight");
	options = (struct takt_memory_options){.loop = false};
	takt_memory_dependences_find(&one, &options, &arena, &found);
	is_string(describe(&found, 1, &arena), "0/0", "within a block alone");
	takt_memory_dependences_find(&far, &options, &arena, &found);
	is_int(found.edge_count, 0, "which has no iteration before");
	takt_arena_release(&arena);
}

int main(void)
{
	test_rows();
	test_ways_agree();
	test_options();
	return tap_done();
}
