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
	/* the same of an object, whose addresses are small, up to the end of memory */
	{__LINE__,
	 "   0x0 <f>:\taddsd  %xmm1,%xmm0\n   0x4 <f+4>:\tret\n"
	 "   0x5:\tCannot access memory at address 0x5\n",
	 ".Ltakt_at1_0:addsd  %xmm1,%xmm0\n.Ltakt_at1_4:ret\n\n", false},
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
	{__LINE__,
	 "#include \"textflag.h\"\n\nTEXT \302\267f(SB), NOSPLIT, $0-8\n\tMOVQ AX, BX\n\tRET\n",
	 "in the syntax of Go's assembler"},
	{__LINE__,
	 "TEXT main.f(SB) /src/main.go\n  main.go:5\t0x4571c0\t4889c3\t\tMOVQ AX, BX\n"
	 "  main.go:5\t0x4571c3\tc3\t\tRET\n",
	 "what 'objdump -d' prints"},
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

static uint64_t target_at(const struct takt_region *region, size_t field)
{
	int32_t displacement;

	memcpy(&displacement, region->bytes + field, sizeof(displacement));
	return region->address + field + 4 + (uint64_t)(int64_t)displacement;
}

static const char relocated[] =
	"Disassembly of section .text:\n\n0000000000000000 <f>:\n"
	"   0:\t8b 05 00 00 00 00    \tmov    0x0(%rip),%eax        # 6 <f+0x6>\n"
	"\t\t\t2: R_X86_64_PC32\ta-0x4\n"
	"   6:\t89 05 00 00 00 00    \tmov    %eax,0x0(%rip)        # c <f+0xc>\n"
	"\t\t\t8: R_X86_64_PC32\ta-0x4\n"
	"   c:\t8b 0d 00 00 00 00    \tmov    0x0(%rip),%ecx        # 12 <f+0x12>\n"
	"\t\t\te: R_X86_64_PC32\tb-0x4\n"
	"  12:\t48 8b 05 00 00 00 00 \tmov    0x0(%rip),%rax        # 19 <f+0x19>\n"
	"\t\t\t15: R_X86_64_REX_GOTPCRELX\ta-0x4\n"
	"  19:\t8b 0d 00 00 00 00    \tmov    0x0(%rip),%ecx        # 1f <f+0x1f>\n"
	"\t\t\t1b: R_X86_64_PC32\ta+0x4\n"
	"  1f:\t48 c7 05 00 00 00 00 \tmovq   $0x1,0x0(%rip)        # 2a <f+0x2a>\n"
	"  26:\t01 00 00 00 \n"
	"\t\t\t22: R_X86_64_PC32\tb-0x8\n"
	"  2a:\t0f 85 00 00 00 00    \tjne    30 <f+0x30>\n"
	"\t\t\t2c: R_X86_64_PLT32\tf-0x4\n";

/* The same symbol and addend is one address, in an object file's bytes and without them. */
static void test_relocations(void)
{
	struct opened opened = open_text(relocated, (struct takt_code_options){0});
	const struct takt_region *region = opened.count ? region_at(&opened, 0) : NULL;

	ok(region && region->size_bytes == 48, "a branch to a global function is a loop");
	if (region && region->size_bytes == 48) {
		uint64_t a = target_at(region, 2);

		ok(a >= 48, "a variable is not in the code");
		ok(target_at(region, 8) == a, "one variable, one address");
		ok(target_at(region, 27) == a + 8, "eight bytes behind it");
		ok(target_at(region, 14) - a >= 4096, "another variable is away from it");
		ok(target_at(region, 34) + 4 == target_at(region, 14), "before an immediate");
		ok(target_at(region, 21) != a, "a pointer is not what it points to");
	}
	close_opened(&opened);
}

/* What objdump -drw prints, in Intel syntax: relocations behind their instructions. */
static const char wide_relocated[] =
	"Disassembly of section .text:\n\n0000000000000000 <f>:\n"
	"   0:\t8b 05 00 00 00 00    \tmov    eax,DWORD PTR [rip+0x0]        # 6 <f+0x6>"
	"\t2: R_X86_64_PC32\ta-0x4\n"
	"   6:\t89 05 00 00 00 00    \tmov    DWORD PTR [rip+0x0],eax        # c <f+0xc>"
	"\t8: R_X86_64_PC32\ta-0x4\n"
	"   c:\t48 c7 05 00 00 00 00 00 00 00 00 \tmov    QWORD PTR [rip+0x0],0x0"
	"        # 17 <f+0x17>\tf: R_X86_64_PC32\tb-0x8\t13: R_X86_64_32S\ta\n"
	"  17:\te8 00 00 00 00       \tcall   1c <f+0x1c>\t18: R_X86_64_PLT32\tg-0x4\n"
	"  1c:\t0f 85 00 00 00 00    \tjne    22 <f+0x22>\t1e: R_X86_64_PLT32\tf-0x4\n";

static void test_wide_relocations(void)
{
	struct opened opened = open_text(wide_relocated, (struct takt_code_options){0});
	const struct takt_region *region = opened.count ? region_at(&opened, 0) : NULL;

	ok(region && region->size_bytes == 34, "a loop of wide lines");
	if (region && region->size_bytes == 34) {
		uint64_t a = target_at(region, 2);

		ok(a >= 34 && target_at(region, 8) == a, "one variable, one address");
		ok(takt_word_at(region->bytes + 19) == a, "the second of a line");
		ok(target_at(region, 24) >= 34, "a function that is called");
	}
	close_opened(&opened);
}

/* The same instructions as objdump --no-addresses -dr prints them, and two with more zeros. */
static const char bare_relocated[] =
	"Disassembly of section .text:\n\n<f>:\n"
	"\t8b 05 00 00 00 00    \tmov    0x0(%rip),%eax        # <f+0x6>\n"
	"\t\t\tR_X86_64_PC32\ta-0x4\n"
	"\t89 05 00 00 00 00    \tmov    %eax,0x0(%rip)        # <f+0xc>\n"
	"\t\t\tR_X86_64_PC32\ta-0x4\n"
	"\t48 c7 05 00 00 00 00 \tmovq   $0x0,0x0(%rip)        # <f+0x17>\n"
	"\t00 00 00 00 \n"
	"\t\t\tR_X86_64_PC32\tb-0x8\n"
	"\t\t\tR_X86_64_32S\ta\n"
	"\t8b 84 00 00 00 00 00 \tmov    0x0(%rax,%rax,1),%eax\n"
	"\t\t\tR_X86_64_32S\ta\n"
	"\t0f 85 00 00 00 00    \tjne    <f>\n"
	"\t\t\tR_X86_64_PLT32\tf-0x4\n";

static void test_bare_relocations(void)
{
	struct opened opened = open_text(bare_relocated, (struct takt_code_options){0});
	const struct takt_region *region = opened.count ? region_at(&opened, 0) : NULL;

	ok(region && region->size_bytes == 36, "a loop without addresses");
	if (region && region->size_bytes == 36) {
		uint64_t a = target_at(region, 2);

		ok(a >= 36, "a variable is not in the code");
		ok(target_at(region, 8) == a, "one variable, one address");
		ok(target_at(region, 15) + 4 - a >= 4096, "another variable is away from it");
		ok(takt_word_at(region->bytes + 19) == a, "an immediate behind a displacement");
		ok(region->bytes[25] == 0 && takt_word_at(region->bytes + 26) == a,
		   "a displacement behind a SIB byte");
	}
	close_opened(&opened);
}

static const char linked[] = "Disassembly of section .text:\n\n0000000000001000 <f>:\n"
			     "  1000:\t8b 05 10 00 00 00    \tmov    0x10(%rip),%eax # 1016 <x>\n"
			     "\t\t\t1002: R_X86_64_PC32\tx-0x4\n"
			     "  1006:\t75 f8                \tjne    1000 <f>\n";

static const char pages[] =
	"Disassembly of section .text:\n\n0000000000000000 <f>:\n"
	"   0:\t90000000 \tadrp\tx0, 0 <a>\n\t\t\t0: R_AARCH64_ADR_PREL_PG_HI21\ta\n"
	"   4:\tf9400001 \tldr\tx1, [x0]\n\t\t\t4: R_AARCH64_LDST64_ABS_LO12_NC\ta+0x8\n"
	"   8:\tf9400002 \tldr\tx2, [x0]\n\t\t\t8: R_AARCH64_LDST64_ABS_LO12_NC\ta+0x8\n"
	"   c:\tf9400002 \tldr\tx2, [x0]\n\t\t\tc: R_AARCH64_LDST64_ABS_LO12_NC\ta\n"
	"  10:\t54ffff81 \tb.ne\t0 <f>  // b.any\n";

/* Return the 12-bit offset of an AArch64 load, in units of its size. */
static unsigned offset_at(const struct takt_region *region, size_t at)
{
	return takt_word_at(region->bytes + at) >> 10 & 0xfff;
}

static void test_more_relocations(void)
{
	struct opened opened = open_text(linked, (struct takt_code_options){0});

	ok(opened.count == 1 && target_at(region_at(&opened, 0), 2) == 0x1016,
	   "what is linked stays as it is");
	close_opened(&opened);
	opened = open_text(pages, (struct takt_code_options){0});
	ok(opened.count == 1, "a loop of AArch64");
	if (opened.count == 1) {
		const struct takt_region *region = region_at(&opened, 0);

		ok(takt_word_at(region->bytes) != 0x90000000, "a page of its own");
		is_size(offset_at(region, 4), offset_at(region, 8), "one place");
		is_size(offset_at(region, 4), offset_at(region, 12) + 1, "the place before it");
	}
	close_opened(&opened);
}

int main(void)
{
	test_relocations();
	test_bare_relocations();
	test_wide_relocations();
	test_more_relocations();
	test_rows();
	test_refused();
	test_copied();
	return tap_done();
}
