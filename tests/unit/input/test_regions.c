/* SPDX-License-Identifier: MIT */
/* Spans copied together: every reference still leads where it did. */
#include "fixture.h"

#define NOP 0x90

/*
 *  0 mov eax, [rip+0x10]    6 nop nop nop    9 je 0
 * 11 nop nop               13 jne 17        15 nop nop    17 jmp 11
 */
static const unsigned char text[] = {
	0x8b,
	0x05,
	0x10,
	0,
	0,
	0,
	NOP,
	NOP,
	NOP,
	0x74,
	(unsigned char)-11,
	NOP,
	NOP,
	0x75,
	2,
	NOP,
	NOP,
	0xeb,
	(unsigned char)-8,
};

static struct takt_region *add(struct takt_code *code, struct takt_region_request request)
{
	request.origin = TAKT_REGION_LINES;
	is_int(takt_region_add(code, &request, NULL), TAKT_OK, "added");
	return &code->entries[code->entry_count - 1].region;
}

static void test_copied(struct takt_code *code)
{
	static const struct takt_span spans[] = {{0, 6}, {9, 11}, {13, 15}, {17, 19}};
	/* 0 mov eax, [rip+0x10]; 6 je 0; 8 jne 10; 10 jmp 11, which is outside */
	static const unsigned char want[] = {
		0x8b, 0x05, 0x10, 0,
		0,    0,    0x74, (unsigned char)-8,
		0x75, 0,    0xeb, (unsigned char)-1,
	};
	struct takt_region *region =
		add(code, (struct takt_region_request){.spans = spans, .span_count = 4});

	ok(region->size_bytes == sizeof(want) && memcmp(region->bytes, want, sizeof(want)) == 0,
	   "gaps left out");
	is_int(region->internal_branches, 2, "branches");
	is_string(region->name, "raw+0x0", "name");
}

static void test_rip(struct takt_code *code)
{
	/* The load moves six bytes towards its target when the first nop goes elsewhere. */
	static const unsigned char load[] = {NOP, NOP, NOP, 0x8b, 0x05, 0x10, 0, 0, 0};
	static const struct takt_span spans[] = {{0, 1}, {3, 9}};
	struct takt_section section = {.name = "raw", .bytes = load, .size_bytes = sizeof(load)};
	struct takt_section *saved = code->image.sections;
	struct takt_region *region;

	code->image.sections = &section;
	region = add(code, (struct takt_region_request){.spans = spans, .span_count = 2});
	ok(region->bytes[3] == 0x12, "a rip-relative operand follows");
	code->image.sections = saved;
}

static void test_plain(struct takt_code *code)
{
	static const struct takt_span span = {9, 19};
	struct takt_region *region =
		add(code, (struct takt_region_request){.spans = &span, .span_count = 1});

	ok(region->bytes == text + 9, "one span is not copied");
	is_int(region->internal_branches, 2, "je and jne");
	is_size(region->address, 9, "address");
}

static void test_too_far(struct takt_code *code)
{
	/* je out of a copy to where 8 bits do not reach any more stays as it is */
	static unsigned char far[400];
	static const struct takt_span spans[] = {{0, 1}, {250, 252}};
	struct takt_section section = {.name = "raw", .bytes = far, .size_bytes = sizeof(far)};
	struct takt_section *saved = code->image.sections;
	struct takt_region *region;

	memset(far, NOP, sizeof(far));
	far[250] = 0x74;
	far[251] = 100;
	code->image.sections = &section;
	region = add(code, (struct takt_region_request){.spans = spans, .span_count = 2});
	is_int(region->bytes[2], 100, "a branch that cannot be mended");
	code->image.sections = saved;
}

static void test_too_many(void)
{
	size_t size = TAKT_REGION_INSNS_MAX + 1;
	unsigned char *nops = malloc(size);
	struct opened opened;

	memset(nops, NOP, size);
	opened = open_data(nops, size, (struct takt_code_options){.format = TAKT_INPUT_RAW});
	ok(opened.status == TAKT_BAD_INPUT &&
		   says(&opened,
			"error: more than 4000000 instructions in one block of 'x'\nnote: "),
	   "too many instructions");
	close_opened(&opened);
	opened = open_data(nops, size - 1, (struct takt_code_options){.format = TAKT_INPUT_RAW});
	is_int(opened.status, TAKT_OK, "as many as are allowed");
	close_opened(&opened);
	free(nops);
}

int main(void)
{
	struct opened opened =
		open_data(text, sizeof(text), (struct takt_code_options){.format = TAKT_INPUT_RAW});

	test_copied(opened.code);
	test_rip(opened.code);
	test_plain(opened.code);
	test_too_far(opened.code);
	close_opened(&opened);
	test_too_many();
	return tap_done();
}
