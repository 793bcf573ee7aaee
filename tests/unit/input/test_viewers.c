/* SPDX-License-Identifier: MIT */
/* Text copied from windows of debuggers and profilers, as a disassembly or as assembly text. */
#include "fixture.h"
#include "input/listing.h"

static const struct row {
	int line;
	const char *text, *want; /* NULL: the same */
} rows[] = {
	/* Visual Studio, with source code, targets and data */
	{__LINE__,
	 "--- C:\\src\\f.cpp ---\n     4:     a[i] *= 1.5;\n"
	 "00007FF6A5B81007  movsd       xmm1,mmword ptr [__real@3ff8 (07FF6A5B83000h)]  \r\n"
	 "00007FF6A5B8100F  mov         eax,dword ptr [rsp+20h]  \n"
	 "00007FF6A5B81023  jne         f+10h (07FF6A5B81010h)  \n"
	 "00007FF6A5B81025  call        g<int, int> (07FF6A5B81080h)  \n",
	 "\n\n00007FF6A5B81007:\tmovsd       xmm1,mmword ptr [rip+__real_3ff8]\n"
	 "00007FF6A5B8100F:\tmov         eax,dword ptr [rsp+0x20]\n"
	 "00007FF6A5B81023:\tjne         0x07FF6A5B81010\n"
	 "00007FF6A5B81025:\tcall        0x07FF6A5B81080\n"},
	/* Visual Studio with bytes */
	{__LINE__,
	 "00401010 48 FF C8             dec         rax  \n"
	 "00401013 75 FB                jne         f (0401010h)  \n",
	 "00401010:\t48 FF C8\tdec         rax\n"
	 "00401013:\t75 FB\tjne         f (0x0401010)\n"},
	/* Ghidra: bytes that go on, and a function's name */
	{__LINE__,
	 "                             *   FUNCTION   *\n"
	 "                             f                  XREF[1]:     Entry Point(*)\n"
	 "        00101164 f2 0f 10        MOVSD      XMM1,qword ptr [DAT_00102010]\n"
	 "                 0d a4 0e \n                 00 00\n"
	 "                             LAB_0010116c       XREF[1]:     0010116f(j)  \n"
	 "        0010116c 48 ff c8        DEC        RAX\n"
	 "; OSACA-END\n",
	 "\n00000000 <f>:\n"
	 "00101164:\tf2 0f 10 0d a4 0e 00 00\tMOVSD      XMM1,qword ptr [DAT_00102010]\n\n\n\n"
	 "0010116c:\t48 ff c8\tDEC        RAX\n; OSACA-END\n"},
	/* VTune */
	{__LINE__,
	 "Address\tSource Line\tAssembly\tCPU Time\n0x401173\t\tBlock 3:\t\n"
	 "0x401173\t4\tmovsdq  xmm0, qword ptr [rdi]\t12.3%\n"
	 "0x401177\t3\tlea rdi, ptr [rdi+0x8]\t\n0x401187\t3\tjnz 0x401173 <Block 3>\t1 s\n",
	 "\n\n0x401173:\tmovsd  xmm0, qword ptr [rdi]\n"
	 "0x401177:\tlea rdi, [rdi+0x8]\n0x401187:\tjnz 0x401173 <Block 3>\n"},
	/* Compiler Explorer's linked code */
	{__LINE__,
	 "f(int):\n dec    edi\n cs nop WORD PTR [rax+rax*1+0x0]\n xchg   ax,ax\n"
	 " jne    401010 <f(int)+0x10>\n call   401030 <g@plt>\n jmp    401000 <f(int)>\n"
	 " nop    DWORD PTR [rax+0x0]\n ret\n",
	 "f(int):\n dec    edi\n.p2align 4\n\n jne    \"f(int)\"+0x10\n"
	 " call   takt_outside_401030\n jmp    \"f(int)\"\n.p2align 4,,10; .p2align 3\n ret\n"},
	/* perf annotate's window, with source code, and a jump to a line that was not copied */
	{__LINE__,
	 "Percent \u2502    0000000000401136 <work>:\n"
	 "        \u2502    int work(void)\n"
	 "        \u2502      push   %rbp\n"
	 "        \u2502    \u2193 jmp    1d\n"
	 "  12,50 \u2502 8:   mov    -0x8(%rbp),%eax\n"
	 "        \u2502            i++;\n"
	 "  47.50 \u2502      cmp    $0x3e7,%eax\n"
	 "        \u2502    \u2191 jle    8\n"
	 "        \u2502    \u2192 call   f@plt\n"
	 "        \u2502    \u2190 ret\n",
	 "\"work\":\n\n\tpush   %rbp\n\tjmp    takt_outside_1d\n"
	 ".Lperf_8:\tmov    -0x8(%rbp),%eax\n\n\tcmp    $0x3e7,%eax\n\tjle    .Lperf_8\n"
	 "\tcall   f@plt\n\tret\n"},
	/* other text */
	{__LINE__, "f:\n\tnop\n\tjne f\n", NULL},
	{__LINE__, "0000000000001040 <f> dec    %rax\n0000000000001043 <f+0x3> ret\n", NULL},
	{__LINE__, "00000002 nop\n00000001 nop\n", NULL},
	{__LINE__, "00401000 nop\n", NULL},
	{__LINE__, "  401010:\tjne    401010 <f+0x10>\n", NULL},
};

static void check(const struct row *row)
{
	struct takt_arena arena = {0};
	struct takt_text text = {0};
	struct takt_source source = split(row->text, &arena);

	takt_viewer_read(&source, &arena);
	for (uint32_t i = 0; i < source.line_count; i++) {
		takt_text_add(&text, source.lines[i], strcspn(source.lines[i], "\n"));
		takt_text_add_string(&text, "\n");
	}
	is_string(takt_text_data(&text), row->want ? row->want : row->text, "a text");
	takt_text_release(&text);
	takt_arena_release(&arena);
}

/* Sizes of instructions without addresses follow from their text, or the text is refused. */
static void test_sizes(void)
{
	struct opened opened;

	if (!have_shim())
		return;
	opened = open_text("f(int):\n xor    eax,eax\n mov    edx,edi\n dec    edx\n"
			   " jne    401004 <f(int)+0x4>\n ret\n",
			   (struct takt_code_options){0});
	ok(opened.count == 1 && region_at(&opened, 0)->origin == TAKT_REGION_LOOP, "the loop");
	close_opened(&opened);
	opened = open_text("f(int):\n xor    eax,eax\n mov    edx,edi\n dec    edx\n"
			   " jne    401003 <f(int)+0x3>\n ret\n",
			   (struct takt_code_options){0});
	ok(!opened.code && says(&opened, "the jump in line 5 leads between two"), "wrong sizes");
	close_opened(&opened);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	test_sizes();
	return tap_done();
}
