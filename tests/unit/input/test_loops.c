/* SPDX-License-Identifier: MIT */
/* Loops in hand-assembled code. Offsets of instructions stand in the comments. */
#include "fixture.h"

#define JNE(displacement) 0x75, (unsigned char)(displacement)
#define JE(displacement) 0x74, (unsigned char)(displacement)
#define JMP(displacement) 0xeb, (unsigned char)(displacement)
#define INC 0xff, 0xc0
#define NOP 0x90
#define RET 0xc3
#define UD 0x06

#define LOOPS_MAX 3

struct loop {
	uint64_t address;
	size_t size;
	uint32_t branches, calls;
};

struct row {
	int line;
	const char *what;
	unsigned char text[40];
	size_t size;
	struct loop loops[LOOPS_MAX]; /* ended by size 0 */
};

static const struct row rows[] = {
	{__LINE__, "one loop", {NOP, INC, JNE(-4), RET}, 6, {{1, 4, 0, 0}}},
	{__LINE__, "none", {INC, JNE(1), NOP, RET}, 6, {{0}}},
	{__LINE__, "jump back to itself", {JMP(-2), RET}, 3, {{0, 2, 0, 0}}},
	{__LINE__, "nested: the inner one only",
	 /* 0 inc; 2 inc; 4 jne 2; 6 inc; 8 jne 0 */
	 {INC, INC, JNE(-4), INC, JNE(-10), RET}, 11, {{2, 4, 0, 0}}},
	{__LINE__, "two in a row", {INC, JNE(-4), INC, JNE(-4), RET}, 9,
	 {{0, 4, 0, 0}, {4, 4, 0, 0}}},
	{__LINE__, "a branch inside", /* 0 inc; 2 je 5; 4 nop; 5 inc; 7 jne 0 */
	 {INC, JE(1), NOP, INC, JNE(-9), RET}, 10, {{0, 9, 1, 0}}},
	{__LINE__, "continue: the outermost branch back closes it",
	 /* 0 inc; 2 je 0; 4 inc; 6 jne 0 */
	 {INC, JE(-4), INC, JNE(-8), RET}, 9, {{0, 8, 1, 0}}},
	{__LINE__, "a cold end that jumps back into the middle does not hide the loop",
	 /* 0 inc; 2 je 9; 4 inc; 6 jne 0; 8 ret; 9 nop; 10 jmp 4 */
	 {INC, JE(5), INC, JNE(-8), RET, NOP, JMP(-8)}, 12, {{0, 8, 1, 0}}},
	{__LINE__, "a cold end that goes back to the head is left out",
	 /* 0 inc; 2 je 7; 4 jne 0; 6 ret; 7 nop; 8 jmp 0 */
	 {INC, JE(3), JNE(-6), RET, NOP, JMP(-10)}, 10, {{0, 6, 1, 0}}},
	{__LINE__, "an exit block and padding in between are left out",
	 /* 0 inc; 2 jne 6; 4 nop; 5 ret; 6 inc; 8 jne 0 */
	 {INC, JNE(2), NOP, RET, INC, JNE(-10), RET}, 11, {{0, 8, 1, 0}}},
	{__LINE__, "a tail call backwards is no loop",
	 /* 0 inc; 2 ret; 3 inc; 5 jmp 0 */
	 {INC, RET, INC, JMP(-7)}, 7, {{0}}},
	{__LINE__, "calls are counted", {0xe8, 0, 0, 0, 0, 0xff, 0xd0, JNE(-9), RET}, 10,
	 {{0, 9, 0, 2}}},
	{__LINE__, "undecodable bytes in the body", {INC, UD, JNE(-5), RET}, 6, {{0}}},
	{__LINE__, "undecodable bytes before it", {UD, UD, INC, JNE(-4), RET}, 7, {{2, 4, 0, 0}}},
	{__LINE__, "a target within an instruction", {0x05, 1, 2, 3, 4, JNE(-5), RET}, 8, {{0}}},
	{__LINE__, "jrcxz and loop", {INC, 0xe2, (unsigned char)-4, INC, 0xe3,
				     (unsigned char)-4, RET}, 9, {{0, 4, 0, 0}, {4, 4, 0, 0}}},
};

static bool same_loop(const struct takt_region *region, const struct loop *loop)
{
	return region->origin == TAKT_REGION_LOOP && region->address == loop->address &&
	       region->size_bytes == loop->size && region->internal_branches == loop->branches &&
	       region->calls == loop->calls;
}

static void check(const struct row *row)
{
	struct fixture_spec spec = {.text = row->text, .text_size = row->size};
	struct opened opened;
	struct fixture f;
	size_t want = 0;

	while (want < LOOPS_MAX && row->loops[want].size)
		want++;
	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	if (tap_ok_at(__FILE__, row->line, opened.count == want, "%s: %zu loops", row->what, want))
		for (size_t i = 0; i < want; i++)
			tap_ok_at(__FILE__, row->line,
				  same_loop(region_at(&opened, i), &row->loops[i]),
				  "%s: loop %zu", row->what, i);
	for (size_t i = 0; i < opened.count; i++)
		if (opened.count != want)
			printf("# 0x%llx %zu bytes\n",
			       (unsigned long long)region_at(&opened, i)->address,
			       region_at(&opened, i)->size_bytes);
	close_opened(&opened);
}

static void test_mended(void)
{
	/* 0 inc; 2 jne 6; 4 nop; 5 ret; 6 inc; 8 jne 0 without the exit block */
	static const unsigned char text[] = {INC, JNE(2), NOP, RET, INC, JNE(-10), RET};
	static const unsigned char want[] = {INC, JNE(0), INC, JNE(-8)};
	struct fixture_spec spec = {.text = text, .text_size = sizeof(text)};
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == sizeof(want) &&
		   memcmp(region_at(&opened, 0)->bytes, want, sizeof(want)) == 0,
	   "branches lead where they led when the exit block is left out");
	close_opened(&opened);
}

/* Functions bound loops; an entry inside of a function does not. */
static void test_units(void)
{
	static const unsigned char text[] = {INC, INC, JNE(-6), RET};
	static const struct fixture_symbol split[] = {
		{"a", 0, 2, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
		{"b", 2, 5, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
	};
	static const struct fixture_symbol nested[] = {
		{"a", 0, 7, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
		{"b", 2, 5, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FX_TEXT},
	};
	struct fixture_spec spec = {
		.text = text, .text_size = sizeof(text), .symbols = split, .symbol_count = 2,
	};
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "no loop and no marker in 'x'"),
	   "no loop across functions");
	close_opened(&opened);
	spec.symbols = nested;
	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	is_size(opened.count, 1, "a second entry divides nothing");
	close_opened(&opened);
}

/* As many overlapping loops as fit must end soon, whatever they give. */
static void test_hostile(void)
{
	static const unsigned char branch[] = {0x0f, 0x85};
	size_t slots = 200000, size = 6 * slots;
	int32_t back = -(int32_t)(size / 2);
	unsigned char *text = malloc(size);
	struct opened opened;
	struct takt_part part = {.section = 0, .span = {0, size}};

	memset(text, NOP, size);
	for (size_t at = size / 2; at < size; at += 6) {
		memcpy(text + at, branch, sizeof(branch));
		memcpy(text + at + 2, &back, sizeof(back));
	}
	opened = open_data(text, size, (struct takt_code_options){.format = TAKT_INPUT_RAW});
	takt_loops_add(opened.code, &part);
	ok(opened.code->steps_left == 0, "overlapping loops use up what is allowed (%zu found)",
	   takt_code_region_count(opened.code) - 1);
	close_opened(&opened);
	free(text);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	test_mended();
	test_units();
	test_hostile();
	return tap_done();
}
