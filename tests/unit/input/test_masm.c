/* SPDX-License-Identifier: MIT */
/* Listings of Microsoft's compiler, as text for LLVM. */
#include "fixture.h"
#include "input/listing.h"

static const char listing[] = "include listing.inc\n"
			      "__real@3ff8 DQ 03ff8r ; 1.5\n"
			      "a$ = 8\n"
			      "?f@@YAXPEANHN@Z PROC\t\t; f, COMDAT\n"
			      "; Line 2\n"
			      "\tmov\tQWORD PTR a$[rsp], rcx\n"
			      "\tand\teax, 0fH\t\t\t; mask\n"
			      "\tnpad\t2\n"
			      "$LL4@f:\n"
			      "\tmulsd\txmm0, QWORD PTR __real@3ff8\n"
			      "\tlea\trcx, OFFSET FLAT:$SG1\n"
			      "\tmov\tedx, OFFSET FLAT:table\n"
			      "; OSACA-END\n"
			      "\tmov\trax, QWORD PTR gs:88\n"
			      "\tjne\tSHORT $LL4@f\n"
			      "\tret\t0\n"
			      "?f@@YAXPEANHN@Z ENDP\t\t\t; f\n"
			      "_TEXT\tENDS\n";

static const char *const wanted[] = {
	"",
	"",
	"a_ = 8",
	"\"?f@@YAXPEANHN@Z\":",
	"",
	"\tmov\tQWORD PTR a_[rsp], rcx",
	"\tand\teax, 0x0f",
	".nops\t2",
	".L_LL4_f:",
	"\tmulsd\txmm0, QWORD PTR __real_3ff8[rip]",
	"\tlea\trcx, [rip+.L_SG1]",
	"\tmov\tedx, OFFSET table",
	"; OSACA-END",
	"\tmov\trax, QWORD PTR gs:88",
	"\tjne\t .L_LL4_f",
	"\tret\t0",
	"",
	"",
};

static void test_lines(void)
{
	struct takt_arena arena = {0};
	struct takt_source source = split(listing, &arena);

	ok(takt_masm_read(&source, &arena), "recognized");
	is_size(source.line_count, TAKT_COUNT_OF(wanted), "lines");
	for (uint32_t i = 0; i < source.line_count && i < TAKT_COUNT_OF(wanted); i++) {
		size_t size = strcspn(source.lines[i], "\n");

		ok(size == strlen(wanted[i]) && memcmp(source.lines[i], wanted[i], size) == 0,
		   "line %u: '%.*s'", i + 1, (int)size, source.lines[i]);
	}
	takt_arena_release(&arena);
}

/* /FAcs: offsets, bytes, which go on in the next line, and lines of source code. */
static void test_code_columns(void)
{
	static const char with_code[] = "f\tPROC\n"
					"; 3    : \tdouble s = 0;\n"
					"  00000\t0f 57 c0\t xorps\t xmm0, xmm0\n"
					"  00003\tf2 0f 58 05 00\n"
					"\t00 00 00\t addsd\t xmm0, QWORD PTR __real@3ff8\n"
					"$LL4@f:\n"
					"  0000b\t90\t\t npad\t 1\n"
					"\tadd\teax, 1\n"
					"f\tENDP\n";
	static const char *const lines[] = {"\"f\":",
					    "",
					    " xorps\t xmm0, xmm0",
					    "",
					    " addsd\t xmm0, QWORD PTR __real_3ff8[rip]",
					    ".L_LL4_f:",
					    ".nops\t 1",
					    "\tadd\teax, 1",
					    ""};
	struct takt_arena arena = {0};
	struct takt_source source = split(with_code, &arena);

	ok(takt_masm_read(&source, &arena), "recognized");
	is_size(source.line_count, TAKT_COUNT_OF(lines), "lines");
	for (uint32_t i = 0; i < source.line_count && i < TAKT_COUNT_OF(lines); i++)
		is_string(source.lines[i], lines[i], "a line");
	takt_arena_release(&arena);
}

static void test_others(void)
{
	struct takt_arena arena = {0};
	struct takt_source gnu = split("f:\n\tnop ; nop\n", &arena);
	struct takt_source unfinished = split("f PROC\n\tnop\n", &arena);

	ok(!takt_masm_read(&gnu, &arena) && strcmp(gnu.lines[0], "f:\n\tnop ; nop\n") == 0,
	   "text for GNU's assembler is left as it is");
	ok(!takt_masm_read(&unfinished, &arena), "no end of a procedure");
	takt_arena_release(&arena);
}

static void test_assembled(void)
{
	struct opened opened;

	if (!have_shim())
		return;
	opened = open_text("f PROC\n$LL4@f:\n\tvaddsd\txmm2, xmm2, QWORD PTR __real@3ff8 ; x\n"
			   "\tdec\trax\n\tjne\tSHORT $LL4@f\n\tret\t0\nf ENDP\n",
			   (struct takt_code_options){0});
	ok(opened.count == 1 && region_at(&opened, 0)->origin == TAKT_REGION_LOOP, "the loop");
	if (opened.count)
		is_string(region_at(&opened, 0)->function, "f", "in its function");
	close_opened(&opened);
}

int main(void)
{
	test_lines();
	test_code_columns();
	test_others();
	test_assembled();
	return tap_done();
}
