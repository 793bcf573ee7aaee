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
	{__LINE__,
	 "nested: the inner one only",
	 /* 0 inc; 2 inc; 4 jne 2; 6 inc; 8 jne 0 */
	 {INC, INC, JNE(-4), INC, JNE(-10), RET},
	 11,
	 {{2, 4, 0, 0}}},
	{__LINE__,
	 "two in a row",
	 {INC, JNE(-4), INC, JNE(-4), RET},
	 9,
	 {{0, 4, 0, 0}, {4, 4, 0, 0}}},
	{__LINE__,
	 "a branch inside", /* 0 inc; 2 je 5; 4 nop; 5 inc; 7 jne 0 */
	 {INC, JE(1), NOP, INC, JNE(-9), RET},
	 10,
	 {{0, 9, 1, 0}}},
	{__LINE__,
	 "continue: the outermost branch back closes it",
	 /* 0 inc; 2 je 0; 4 inc; 6 jne 0 */
	 {INC, JE(-4), INC, JNE(-8), RET},
	 9,
	 {{0, 8, 1, 0}}},
	{__LINE__,
	 "a cold end that jumps back into the middle does not hide the loop",
	 /* 0 inc; 2 je 9; 4 inc; 6 jne 0; 8 ret; 9 nop; 10 jmp 4 */
	 {INC, JE(5), INC, JNE(-8), RET, NOP, JMP(-8)},
	 12,
	 {{0, 8, 1, 0}}},
	{__LINE__,
	 "a cold end that goes back to the head is left out",
	 /* 0 inc; 2 je 7; 4 jne 0; 6 ret; 7 nop; 8 jmp 0 */
	 {INC, JE(3), JNE(-6), RET, NOP, JMP(-10)},
	 10,
	 {{0, 6, 1, 0}}},
	{__LINE__,
	 "an exit block and padding in between are left out",
	 /* 0 inc; 2 jne 6; 4 nop; 5 ret; 6 inc; 8 jne 0 */
	 {INC, JNE(2), NOP, RET, INC, JNE(-10), RET},
	 11,
	 {{0, 8, 1, 0}}},
	{__LINE__,
	 "a tail call backwards is no loop",
	 /* 0 inc; 2 ret; 3 inc; 5 jmp 0 */
	 {INC, RET, INC, JMP(-7)},
	 7,
	 {{0}}},
	{__LINE__,
	 "calls are counted",
	 {0xe8, 0, 0, 0, 0, 0xff, 0xd0, JNE(-9), RET},
	 10,
	 {{0, 9, 0, 2}}},
	{__LINE__, "undecodable bytes in the body", {INC, UD, JNE(-5), RET}, 6, {{0}}},
	{__LINE__, "undecodable bytes before it", {UD, UD, INC, JNE(-4), RET}, 7, {{2, 4, 0, 0}}},
	{__LINE__, "a target within an instruction", {0x05, 1, 2, 3, 4, JNE(-5), RET}, 8, {{0}}},
	{__LINE__,
	 "jrcxz and loop",
	 {INC, 0xe2, (unsigned char)-4, INC, 0xe3, (unsigned char)-4, RET},
	 9,
	 {{0, 4, 0, 0}, {4, 4, 0, 0}}},
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
				  same_loop(region_at(&opened, i), &row->loops[i]), "%s: loop %zu",
				  row->what, i);
	for (size_t i = 0; i < opened.count; i++)
		if (opened.count != want)
			tap_note("0x%llx %zu bytes",
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
		.text = text,
		.text_size = sizeof(text),
		.symbols = split,
		.symbol_count = 2,
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

/* ---- many loops in one function: nothing is lost, and work grows with size alone ---- */

struct bytes {
	unsigned char *data;
	size_t size;
};

static void put(struct bytes *bytes, const void *data, size_t size)
{
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

/* A branch with 32 bits to an offset: jne, or jmp. */
static void put_branch(struct bytes *bytes, bool jumps, size_t target)
{
	static const unsigned char jne[] = {0x0f, 0x85}, jmp[] = {0xe9};
	int32_t displacement;

	put(bytes, jumps ? jmp : jne, jumps ? sizeof(jmp) : sizeof(jne));
	displacement = (int32_t)((int64_t)target - (int64_t)bytes->size - 4);
	put(bytes, &displacement, sizeof(displacement));
}

static void put_nops(struct bytes *bytes, size_t count)
{
	memset(bytes->data + bytes->size, NOP, count);
	bytes->size += count;
}

/* Loops of which each begins within all those before it, and ends behind them. */
static void make_crossing(struct bytes *bytes, size_t count)
{
	put_nops(bytes, count);
	for (size_t i = 0; i < count; i++)
		put_branch(bytes, false, i);
}

/* The same, where control jumps over a gap to the branches: each must be followed there. */
static void make_crossing_gap(struct bytes *bytes, size_t count)
{
	put_nops(bytes, count);
	put_branch(bytes, true, bytes->size + 6);
	put_nops(bytes, 1);
	for (size_t i = 0; i < count; i++)
		put_branch(bytes, false, i);
}

static void make_nest(struct bytes *bytes, size_t count)
{
	put_nops(bytes, count);
	for (size_t i = count; i-- > 0;)
		put_branch(bytes, false, i);
}

/* Loops, each in code of its own that ends by jumping back to the first. */
static void make_tail_calls(struct bytes *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t head = bytes->size;

		put_nops(bytes, 1);
		put_branch(bytes, false, head);
		put_branch(bytes, true, 0);
	}
}

/* A common end that code without loops jumps back to, as that of a large switch. */
static void make_common_end(struct bytes *bytes, size_t count)
{
	static const unsigned char ret[] = {RET};

	for (size_t i = 0; i < 40; i++) /* control goes on for a while, but not to the jumps */
		put_branch(bytes, false, bytes->size + 6);
	put(bytes, ret, sizeof(ret));
	for (size_t i = 0; i < count; i++)
		put_branch(bytes, true, 0);
}

/* Jumps forward over jumps back, so that control never falls through to the end. */
static void make_ladder(struct bytes *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t head = bytes->size;

		put_branch(bytes, false, head + 11);
		put_branch(bytes, true, i ? head - 11 : 0);
	}
}

struct searched {
	size_t found, cut;
	uint64_t steps;
};

static struct searched search(void (*make)(struct bytes *, size_t), size_t count, bool nested)
{
	struct bytes bytes = {.data = malloc(64 * count + 4096)};
	struct takt_part part = {.section = 0};
	struct searched searched;
	struct opened opened;

	make(&bytes, count);
	part.span.end = bytes.size;
	opened = open_data(bytes.data, bytes.size,
			   (struct takt_code_options){.format = TAKT_INPUT_RAW});
	takt_loops_add(opened.code, &part, nested);
	searched = (struct searched){takt_code_region_count(opened.code) - 1,
				     opened.code->search.cut_count, opened.code->search.steps};
	close_opened(&opened);
	free(bytes.data);
	return searched;
}

static void test_growth(void)
{
	static const struct {
		const char *what;
		void (*make)(struct bytes *, size_t);
		bool all; /* each is a loop to be found */
		size_t found;
	} shapes[] = {
		{"tail calls", make_tail_calls, true, 0},
		{"a nest", make_nest, false, 1},
		{"a common end", make_common_end, false, 0},
		{"crossing loops", make_crossing, false, 0},
		{"crossing loops over a gap", make_crossing_gap, false, 0},
		{"a ladder", make_ladder, false, 0},
	};
	size_t count = 20000;

	for (size_t i = 0; i < TAKT_COUNT_OF(shapes); i++) {
		struct searched one = search(shapes[i].make, count, false);
		struct searched two = search(shapes[i].make, 2 * count, false);

		ok(two.steps <= 2 * one.steps + one.steps / 10 + 100,
		   "%s: twice as many cost %llu steps after %llu", shapes[i].what,
		   (unsigned long long)two.steps, (unsigned long long)one.steps);
		if (shapes[i].all || shapes[i].found)
			ok(two.found == (shapes[i].all ? 2 * count : shapes[i].found) && !two.cut,
			   "%s: %zu loops found", shapes[i].what, two.found);
	}
}

/* Regions are made of few levels, since they are analyzed recursively. */
static void test_levels(void)
{
	struct searched deep = search(make_nest, 100, true), deeper = search(make_nest, 5000, true);

	is_size(deep.found, 9, "of 100 nested loops, those of 8 levels inside are regions");
	is_size(deeper.found, 1, "of 5,000, the innermost one");
	ok(search(make_crossing, 2000, true).found > 0, "loops that cross do no harm");
	ok(search(make_tail_calls, 2000, true).found == 2000, "neither do jumps to one head");
}

/* What a function uses up is not missing in the next one, and is told of. */
static void test_hostile(void)
{
	static const unsigned char small[] = {INC, JNE(-4), RET};
	size_t count = 100000;
	struct bytes bytes = {.data = malloc(64 * count)};
	struct takt_part parts[2] = {{.section = 0}, {.section = 0}};
	struct opened opened;
	size_t found;

	make_crossing(&bytes, count);
	parts[0].span.end = parts[1].span.begin = bytes.size;
	put(&bytes, small, sizeof(small));
	parts[1].span.end = bytes.size;
	opened = open_data(bytes.data, bytes.size,
			   (struct takt_code_options){.format = TAKT_INPUT_RAW});
	takt_loops_add(opened.code, &parts[0], false);
	found = takt_code_region_count(opened.code);
	is_size(opened.code->search.cut_count, 1, "overlapping loops use up what is allowed");
	ok(found > 1 && found < 1000, "%zu of them are found", found - 1);
	takt_loops_add(opened.code, &parts[1], false);
	is_size(takt_code_region_count(opened.code), found + 1, "and the loop behind them");
	is_size(opened.code->search.cut_count, 1, "which is complete");
	close_opened(&opened);
	free(bytes.data);
}

/* Loops that were not looked for are told of, with those that were found. */
static void test_note(void)
{
	struct bytes bytes = {.data = malloc(FIXTURE_BYTES)};
	struct fixture_spec spec = {0};
	struct opened opened;
	struct fixture f;

	make_crossing(&bytes, 900);
	spec.text = bytes.data;
	spec.text_size = bytes.size;
	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	ok(opened.count > 0 && takt_code_note_count(opened.code) == 1 &&
		   strstr(takt_code_note(opened.code, 0), "loops may be missing in 1 function"),
	   "a note on loops left out, beside %zu", opened.count);
	close_opened(&opened);
	free(bytes.data);
}

/* Loops around others are regions of their own code, with lists of the loops inside. */
static void test_nested(void)
{
	/* 0 inc; 2 inc; 4 inc; 6 jne 4; 8 inc; 10 jne 8; 12 jne 2; 14 inc; 16 jne 0; 18 ret */
	static const unsigned char text[] = {INC,     INC,	INC, JNE(-4),  INC,
					     JNE(-4), JNE(-12), INC, JNE(-18), RET};
	static const struct {
		const char *name;
		size_t size, inner[2], inner_count;
	} want[] = {
		{"f+0x4", 4, {0}, 0},
		{"f+0x8", 4, {0}, 0},
		{"f+0x2 without loops inside", 4, {0, 1}, 2},
		{"f without loops inside", 6, {2}, 1},
	};
	struct fixture_spec spec = {.text = text, .text_size = sizeof(text)};
	struct opened opened;
	struct fixture f;

	fixture_build(&f, &spec);
	opened = open_data(f.data, f.size, (struct takt_code_options){.nested = true});
	is_size(opened.count, TAKT_COUNT_OF(want), "nested loops are regions, too");
	for (size_t i = 0; i < opened.count && i < TAKT_COUNT_OF(want); i++) {
		const struct takt_region *region = region_at(&opened, i);

		ok(region->size_bytes == want[i].size && !region->outer &&
			   region->inner_count == want[i].inner_count &&
			   (!region->inner_count ||
			    memcmp(region->inner, want[i].inner,
				   region->inner_count * sizeof(size_t)) == 0) &&
			   strstr(region->name, strchr(want[i].name, '+')
							? strchr(want[i].name, '+')
							: " without"),
		   "%s: %zu bytes", region->name, region->size_bytes);
	}
	close_opened(&opened);
	opened = open_data(f.data, f.size, (struct takt_code_options){0});
	ok(opened.count == 2 && region_at(&opened, 0)->outer && region_at(&opened, 1)->outer &&
		   strstr(region_at(&opened, 1)->outer, "+0x2"),
	   "an innermost loop has the name of the loop around it");
	close_opened(&opened);
}

int main(void)
{
	test_nested();
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	test_mended();
	test_units();
	test_growth();
	test_levels();
	test_hostile();
	test_note();
	return tap_done();
}
