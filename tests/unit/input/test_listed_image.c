/* SPDX-License-Identifier: MIT */
/* Bytes that disassemblers print, as an image. */
#include "fixture.h"
#include "input/listing.h"

static const char listed[] = "Disassembly of section .plt:\n\n0000000000001020 <g>:\n"
			     "  1020:\tc3                   \tret\n"
			     "Disassembly of section .text:\n\n0000000000001040 <f>:\n"
			     "# OSACA-BEGIN\n"
			     "  1040:\t62 f1 fd 48 10 80 00 \tvmovupd 0x1000(%rax),%zmm0\n"
			     "  1047:\t10 00 00 \n"
			     "  104a:\t48 ff c8             \tdec    %rax\n"
			     "  104d:\t75 f1                \tjne    1040 <f>\n"
			     "# OSACA-END\n"
			     "  104f:\tc3                   \tret\n";

/* The bytes are taken as they are, in a section for each heading, and lines are known. */
static void test_bytes(void)
{
	struct opened opened = open_text(listed, (struct takt_code_options){0});
	const struct takt_region *region = opened.count ? region_at(&opened, 0) : NULL;

	ok(region && region->origin == TAKT_REGION_MARKER, "between the marks");
	if (region) {
		is_size(region->size_bytes, 15, "bytes of two lines belong together");
		is_string(region->function, "f", "function");
		is_int(region->bytes[13], 0x75, "the branch");
		is_size(takt_code_line(opened.code, 0, region->address + 10).line, 11, "line");
		is_string(takt_code_line(opened.code, 0, region->address + 10).text, "dec    %rax",
			  "text of the line");
	}
	close_opened(&opened);
	opened = open_text(listed, (struct takt_code_options){.function = "g", .whole = true});
	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 1,
	   "function of another section");
	close_opened(&opened);
	opened = open_text("Disassembly of section .text:\n  10:\tf1000508 \tsubs\tx8, x8, #0x1\n",
			   (struct takt_code_options){.isa = "x86-64"});
	ok(!opened.code && says(&opened, "looks like AArch64 text"), "other instruction set");
	close_opened(&opened);
}

int main(void)
{
	test_bytes();
	return tap_done();
}
