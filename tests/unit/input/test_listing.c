/* SPDX-License-Identifier: MIT */
/* What disassemblers print, as text for LLVM or as bytes. */
#include "fixture.h"
#include "input/listing.h"

struct row {
	int line;
	const char *text;
	const char *want; /* text for LLVM; NULL: no disassembly */
	bool has_bytes;
};

static const struct row rows[] = {
	/* objdump -d */
	{__LINE__,
	 "\nx:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n"
	 "0000000000001040 <f>:\n    1040:\t48 ff c8             \tdec    %rax\n"
	 "    1043:\t75 fb                \tjne    1040 <f>\n",
	 "\n\n\n\n\n\n\"f\":;.Ltakt_at1_1040:dec    %rax\n.Ltakt_at1_1043:jne    .Ltakt_at1_1040\n",
	 true},
	/* without bytes, in Intel syntax, with a target elsewhere and a comment */
	{__LINE__,
	 "Disassembly of section .text:\n   0:\tmov    rax,QWORD PTR [rip+0x10]        # 17 "
	 "<f+0x17>\n"
	 "   7:\tjmp    90 <g>\n",
	 "\n.Ltakt_at1_0:mov    rax,QWORD PTR [rip+0x10]        # 17 <f+0x17>\n"
	 ".Ltakt_at1_7:jmp    takt_outside_90\n",
	 false},
	/* gdb: disassemble /s */
	{__LINE__,
	 "Dump of assembler code for function dot(double const*, int):\nx.c:\n3\tint f(void) {\n"
	 "=> 0x00000000000011b0 <+0>:\tdec    eax\n   0x00000000000011b2 <+2>:\tjne    0x11b0 "
	 "<dot+0>\n"
	 "End of assembler dump.\n",
	 "\n\n\n\"dot(double const*, int)\":;.Ltakt_at1_11b0:dec    eax\n"
	 ".Ltakt_at1_11b2:jne    .Ltakt_at1_11b0\n\n",
	 false},
	/* gdb: x/2i, which has no heading */
	{__LINE__, "=> 0x11b0 <f+4>:\tdec    %eax\n   0x11b2 <f+6>:\tjne    0x11b0 <f+4>\n",
	 ".Ltakt_at1_11b0:dec    %eax\n.Ltakt_at1_11b2:jne    .Ltakt_at1_11b0\n", false},
	/* perf annotate --stdio */
	{__LINE__,
	 " Percent |\tSource code & Disassembly of x for cycles\n         : 5    0000000000001040 "
	 "<f>:\n"
	 "         : 3    int x;\n   99.50 :   1040:   dec    %eax\n    0.50 :   1042:   jne    "
	 "1040 <f>\n",
	 "\n\n\n\"f\":;.Ltakt_at1_1040:dec    %eax\n.Ltakt_at1_1042:jne    .Ltakt_at1_1040\n",
	 false},
	/* a second section begins at 0 again */
	{__LINE__,
	 "Disassembly of section .a:\n   0:\tnop\nDisassembly of section .b:\n   0:\tjmp    0 "
	 "<x>\n",
	 "\n.Ltakt_at1_0:nop\n\n.Ltakt_at2_0:jmp    .Ltakt_at2_0\n", false},
	/* a jump without a name; AArch64's words and comments */
	{__LINE__, "  10:\tdec %eax\n  12:\tjne 0x10\n",
	 ".Ltakt_at1_10:dec %eax\n.Ltakt_at1_12:jne .Ltakt_at1_10\n", false},
	{__LINE__,
	 "Disassembly of section .text:\n  10:\tf1000508 \tsubs\tx8, x8, #0x1\n"
	 "  14:\t54ffffe1 \tb.ne\t10 <f+0x10>  // b.any\n",
	 "\n.Ltakt_at1_10:subs\tx8, x8, #0x1\n.Ltakt_at1_14:b.ne\t.Ltakt_at1_10\n", true},
	/* objdump --visualize-jumps, with arrows that cross */
	{__LINE__,
	 "Disassembly of section .text:\n   0:\t       85 d2 \ttest %edx,%edx\n"
	 "   2:\t/-X--> 7e 02 \tjle 6 <f+0x6>\n   4:\t|  \\-- 75 fc \tjne 2 <f+0x2>\n"
	 "   6:\t\\----> c3 \tret\n",
	 "\n.Ltakt_at1_0:test %edx,%edx\n.Ltakt_at1_2:jle .Ltakt_at1_6\n"
	 ".Ltakt_at1_4:jne .Ltakt_at1_2\n.Ltakt_at1_6:ret\n",
	 true},
	/* objdump --prefix-addresses */
	{__LINE__,
	 "Disassembly of section .text:\n0000000000001040 <f> dec    %rax\n"
	 "0000000000001043 <f+0x3> jne    0000000000001040 <f>\n",
	 "\n\"f\":;.Ltakt_at1_1040:dec    %rax\n.Ltakt_at1_1043:jne    .Ltakt_at1_1040\n", false},
	/* objdump --no-addresses */
	{__LINE__,
	 "Disassembly of section .text:\n\n<f>:\n\t48 ff c8             \tdec    %rax\n"
	 "\t75 fb                \tjne    <f>\n",
	 "\n\n\n\"f\":;.Ltakt_at1_0:dec    %rax\n.Ltakt_at1_3:jne    <f>\n", true},
	/* perf annotate --stdio --show-nr-samples */
	{__LINE__,
	 " Samples |\tSource code & Disassembly of x for cycles\n         : 5    0000000000001040 "
	 "<f>:\n     171 :   1040:   dec    %eax\n       0 :   1042:   jne    1040 <f>\n",
	 "\n\n\"f\":;.Ltakt_at1_1040:dec    %eax\n.Ltakt_at1_1042:jne    .Ltakt_at1_1040\n", false},
	/* no disassemblies */
	{__LINE__, "1:\tdec %eax\n2:\tjne 1b\n", NULL, false},
	{__LINE__, "f:\n\tdec %eax\n\tjne f\n", NULL, false},
	{__LINE__, "20: nop\n10: nop\n", NULL, false},
};

static void test_rows(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_arena arena = {0};
		struct takt_source source = split(rows[i].text, &arena);
		struct takt_text text = {0};
		bool is_listing = takt_listing_read(&source, &arena);

		tap_ok_at(__FILE__, rows[i].line, is_listing == (rows[i].want != NULL),
			  "recognized");
		if (is_listing && rows[i].want) {
			takt_source_prepare(&source, &takt_isa_x86, &arena, &text);
			tap_ok_at(__FILE__, rows[i].line,
				  strcmp(takt_text_data(&text), rows[i].want) == 0, "prepared");
			if (strcmp(takt_text_data(&text), rows[i].want) != 0)
				tap_note("got: %s", takt_text_data(&text));
			tap_ok_at(__FILE__, rows[i].line,
				  takt_listing_has_bytes(&source) == rows[i].has_bytes, "bytes");
		}
		takt_text_release(&text);
		takt_arena_release(&arena);
	}
}

/* Disassemblies that cannot be read, and what is said. */
static const struct refused_row {
	int line;
	const char *text, *error;
} refused_rows[] = {
	{__LINE__, "\nx.o:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n",
	 "'x' is a listing without instructions that have an address or bytes"},
	{__LINE__,
	 "x.o:\tfile format elf64-x86-64\n\nSections:\nIdx Name Size\n  0 .text 00000041\n",
	 "'x' is a listing without instructions that have an address or bytes"},
	{__LINE__,
	 "x.o:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n<f>:\n\tdec    "
	 "%rax\n"
	 "\tjne    <f>\n",
	 "'objdump -d' prints them, without '--no-addresses'"},
	{__LINE__, "Dump of assembler code for function f:\nEnd of assembler dump.\n",
	 "gdb's 'disassemble' prints them"},
	{__LINE__,
	 "Dump of assembler code for function f:\n4\tfor (;;)\n   0x11e2 <+2>:\tjne 0x11e0 <f>\n"
	 "5\t\ti--;\n   0x11e0 <+0>:\tdec %eax\n",
	 "use gdb's 'disassemble /s'"},
	{__LINE__,
	 "Samples: 326  of event 'cpu-clock', 4000 Hz\nf() x\nPercent\n  7.36        dec %eax\n"
	 "            jne    18\n",
	 "use 'perf annotate --stdio'"},
};

static void test_refused(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(refused_rows); i++) {
		struct opened opened =
			open_text(refused_rows[i].text, (struct takt_code_options){0});

		tap_ok_at(__FILE__, refused_rows[i].line,
			  !opened.code && says(&opened, refused_rows[i].error), "refused");
		close_opened(&opened);
	}
}

/* Colours, a byte order mark and spaces that do not break are left out. */
static void test_copied(void)
{
	static const char text[] = "\xef\xbb\xbf   \33[31m0.50\33[m : \33[35m  1040:\33[m\33[34m   "
				   "dec\xc2\xa0%eax\33[m\r\n"
				   "   0.00 :   1042:   jne    \33[0;1m1040\33[0m <f>\r\n";
	struct opened opened;

	if (!have_shim())
		return;
	opened = open_text(text, (struct takt_code_options){0});
	ok(opened.count == 1 && region_at(&opened, 0)->size_bytes == 4, "text from a terminal");
	if (!opened.count)
		tap_note("%s", takt_diag_text(opened.diag));
	close_opened(&opened);
}

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
	test_rows();
	test_bytes();
	test_refused();
	test_copied();
	return tap_done();
}
