/* SPDX-License-Identifier: MIT */
/* Instructions of a disassembly without bytes get the sizes and addresses that it states. */
#include "fixture.h"
#include "input/listing.h"

/* An instruction, the size that it shall have, and its bytes then; encodings are those of GNU as.
 */
static const struct row {
	int line;
	uint8_t from_bytes, size_bytes;
	uint8_t from[8], want[16];
	enum takt_fit fit;
} rows[] = {
	/* nops: 1 to 4, 3 to 11 bytes, 8 to 2 */
	{__LINE__, 1, 4, {0x90}, {0x0f, 0x1f, 0x40, 0}, TAKT_FIT_GOOD},
	{__LINE__, 3, 11, {0x0f, 0x1f, 0}, {0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84}, TAKT_FIT_GOOD},
	{__LINE__, 8, 2, {0x0f, 0x1f, 0x84}, {0x66, 0x90}, TAKT_FIT_GOOD},
	/* jumps; the target is written later */
	{__LINE__, 5, 2, {0xe9}, {0xeb}, TAKT_FIT_GOOD},
	{__LINE__, 2, 6, {0x75}, {0x0f, 0x85}, TAKT_FIT_GOOD},
	{__LINE__, 7, 3, {0x3e, 0x0f, 0x85}, {0x3e, 0x75}, TAKT_FIT_GOOD},
	/* mov (%rbx),%eax and mov 0x10(%rsp),%eax with a displacement of 32 bits */
	{__LINE__, 2, 6, {0x8b, 0x03}, {0x8b, 0x83}, TAKT_FIT_GOOD},
	{__LINE__, 4, 7, {0x8b, 0x44, 0x24, 0x10}, {0x8b, 0x84, 0x24, 0x10}, TAKT_FIT_GOOD},
	{__LINE__, 3, 6, {0x8b, 0x43, 0xf0}, {0x8b, 0x83, 0xf0, 0xff, 0xff, 0xff}, TAKT_FIT_GOOD},
	/* mov (%rbx),%eax with one of 8 bits */
	{__LINE__, 2, 3, {0x8b, 0x03}, {0x8b, 0x43}, TAKT_FIT_GOOD},
	/* cmp $0,%rax, as if a linker put the number in; add $-1,%cx */
	{__LINE__, 4, 6, {0x48, 0x83, 0xf8}, {0x48, 0x3d}, TAKT_FIT_GOOD},
	{__LINE__, 4, 5, {0x66, 0x83, 0xc1, 0xff}, {0x66, 0x81, 0xc1, 0xff, 0xff}, TAKT_FIT_GOOD},
	/* shl $1,%eax */
	{__LINE__, 2, 3, {0xd1, 0xe0}, {0xc1, 0xe0, 0x01}, TAKT_FIT_GOOD},
	/* vaddps %xmm1,%xmm8,%xmm2 with a VEX prefix of three bytes */
	{__LINE__, 4, 5, {0xc5, 0xb8, 0x58, 0xd1}, {0xc4, 0xe1, 0x38, 0x58, 0xd1}, TAKT_FIT_GOOD},
	/* vpcmpeqd %zmm1,%zmm7,%k1 with an immediate */
	{__LINE__,
	 6,
	 7,
	 {0x62, 0xf1, 0x45, 0x48, 0x76, 0xc9},
	 {0x62, 0xf3, 0x45, 0x48, 0x1f, 0xc9},
	 TAKT_FIT_GOOD},
	/* no longer encoding of dec %rax; a shorter one; none so long */
	{__LINE__, 3, 5, {0x48, 0xff, 0xc8}, {0x2e, 0x2e, 0x48, 0xff, 0xc8}, TAKT_FIT_PADDED},
	{__LINE__, 3, 2, {0x48, 0xff, 0xc8}, {0x48, 0xff, 0xc8}, TAKT_FIT_NOT},
	{__LINE__, 3, 16, {0x48, 0xff, 0xc8}, {0x48, 0xff, 0xc8}, TAKT_FIT_NOT},
};

static void test_fit(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		bool is_jump = row->want[0] == 0xeb || row->want[1] == 0x85 || row->want[1] == 0x75;
		size_t compared = row->fit == TAKT_FIT_NOT ? row->from_bytes : row->size_bytes;
		uint8_t bytes[16] = {0};
		enum takt_fit fit;

		memcpy(bytes, row->from, sizeof(row->from));
		fit = takt_x86_fit(bytes, row->from_bytes, row->size_bytes);
		tap_ok_at(__FILE__, row->line, fit == row->fit, "outcome");
		if (is_jump)
			compared = 2;
		tap_ok_at(__FILE__, row->line, memcmp(bytes, row->want, compared) == 0, "bytes");
	}
}

/* The loop is at 0x1010, has a nop of 7 bytes, and a long jump back. */
static const char listing[] = "Disassembly of section .text:\n\n0000000000001000 <f>:\n"
			      "  1000:\tjmp    1020 <f+0x20>\n"
			      "  1002:\tdata16 cs nopw 0x0(%rax,%rax,1)\n"
			      "  100d:\tnopl   (%rax)\n"
			      "  1010:\tdec    %rax\n"
			      "  1013:\tnopl   0x0(%rax)\n"
			      "  101a:\tjne    1010 <f+0x10>\n"
			      "  1020:\tret\n"
			      "  1021:\tret\n";

static void test_places(void)
{
	static const uint8_t jump[] = {0x0f, 0x85, 0xf0, 0xff, 0xff, 0xff};
	struct opened opened = open_text(listing, (struct takt_code_options){0});
	const struct takt_region *region = opened.count == 1 ? region_at(&opened, 0) : NULL;

	ok(region && region->address == 0x1010 && region->size_bytes == 16, "place and size");
	ok(region && memcmp(region->bytes + 10, jump, sizeof(jump)) == 0, "target");
	if (region)
		is_int(takt_code_line(opened.code, 0, 0x1013).line, 8, "line");
	ok(opened.code && !takt_code_note_count(opened.code), "no note");
	close_opened(&opened);
}

/* A note counts instructions without the size that is stated; zeros between functions are none. */
static void test_note(void)
{
	static const char text[] = "Disassembly of section .text:\n\n0000000000001000 <f>:\n"
				   "  1000:\tdec    %rax\n  1005:\tjne    1000 <f>\n  1007:\tret\n"
				   "\t...\n\n0000000000001010 <g>:\n  1010:\tret\n";
	struct opened opened = open_text(text, (struct takt_code_options){0});

	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 7, "padded");
	ok(opened.code && takt_code_note_count(opened.code) == 1 &&
		   strstr(takt_code_note(opened.code, 0), "1 instruction does not have the size"),
	   "note");
	close_opened(&opened);
}

int main(void)
{
	test_fit();
	if (have_shim()) {
		test_places();
		test_note();
	}
	return tap_done();
}
