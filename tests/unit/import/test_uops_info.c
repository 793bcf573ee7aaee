/* SPDX-License-Identifier: MIT */
/* uops.info XML: names to forms, operand elements to slots, and files that are not it. */
#include "fixture.h"

struct row_case {
	int line;
	const char *what, *row;
};

static void test_rows(void)
{
	/* SKL: load 5 cycles, store_forward_cycles 4, so the load's half of a trip is 3. */
	static const struct row_case rows[] = {
		{__LINE__, "the encoding assemblers choose; the wanted architecture",
		 "add r64, r64 | 1*p0156 | lat=1 rtp=0.25"},
		{__LINE__, "load: the value's half of the round trip, 6 - 5 + 3",
		 "add r64, m64 | 1*p0156+1*p23 | lat=1,a>1:6,2>1:4 slots=1 rtp=0.5"},
		{__LINE__, "indexed address: its own slots, the same latencies",
		 "add r64, m64 [indexed] | 1*p0156+1*p23 | lat=1,a>1:6,2>1:4 mite=1"},
		{__LINE__, "store: what is left of the round trip is one cycle",
		 "mov m64, r64 | 1*p237+1*p4 | lat=1,a>1:8 slots=1 rtp=1"},
		{__LINE__, "zero idiom", "xor r32, r32 [same] | - | lat=0 slots=1 zero"},
		{__LINE__, "a register fixed by the encoding; the largest of a range",
		 "shl r64, cl | 2*p06 | lat=2,1>1:1"},
		{__LINE__, "implicit registers; the divider stays busy",
		 "div r32 | 1*p0+1*p0156+1*p1+6*d0 | lat=26,rax>rdx:27 rtp=6"},
		{__LINE__, "lea by its address", "lea r64, [b+i*s+d] | 1*p1 | lat=3"},
		{__LINE__, "zero immediate", "adc r64, i8 [imm0] | 1*p06 | lat=1"},
		{__LINE__, "conditions as assemblers spell them", "jne rel | 1*p06 | lat=1"},
		{__LINE__, "mask, zeroing and broadcast; a vector's value keeps its trip",
		 "vaddpd zmm{k}{z}, zmm, m64{b} | 1*p05+1*p23 | lat=4,a>1:11,3>1:8 slots=1"},
		{__LINE__, "string instructions step their pointer in a cycle",
		 "lodsq | 1*p0156+1*p23 | lat=5,rsi>rsi:1,s>rax:3"},
		{__LINE__, "through a copy in memory: what a load costs, and the store's cycle",
		 "push m64 | 1*p23+1*p237+1*p4 | lat=1,a>s:6,1>s:4 slots=2"},
		{__LINE__, "a string's copy, too",
		 "movsq | 2*p0156+1*p23+1*p237+1*p4 | lat=1,rsi>s:6,s>s:4 slots=4"},
	};
	struct import_run run = import_file("SKL", "uops.info", "small.xml", "");

	is_int(run.status, TAKT_OK, "a small file is imported");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		tap_ok_at(__FILE__, rows[i].line, import_has_row(&run, rows[i].row), "%s",
			  rows[i].what);
	ok(import_loads(&run, "SKL", "skl"), "and opens as the timing of its core");
	import_end(&run);
}

static void test_head_and_counts(void)
{
	struct import_run run = import_file("SKL", "uops.info", "small.xml", ":skl");
	const char *text = import_text(&run);

	ok(strstr(text, "takt timing 1\nname  skl\n") == text, "header and name");
	ok(strstr(text, "source i published  uops.info, small.xml, skl\ndefault-source i\n") !=
		   NULL,
	   "the source: file without folder, architecture as given");
	ok(strstr(text, "      1  another encoding of a form above\n") != NULL,
	   "encodings counted");
	ok(strstr(text, "an unknown mnemonic, such as FROB (R64)\n") != NULL, "unknown mnemonic");
	ok(strstr(text, "ports that the core does not have, such as NEG (R64)\n") != NULL, "ports");
	ok(strstr(text, "µops whose ports are not known, such as NOT (R64)\n") != NULL, "no ports");
	import_end(&run);
}

static void test_errors(void)
{
	static const char binary[] = "\x7f"
				     "ELF\0\0\0\0\0\0";
	static const struct import_case cases[] = {
		{__LINE__, "empty", "", 0, "x: error: the file is empty", NULL},
		{__LINE__, "binary", binary, sizeof(binary), "x:1: error: not well-formed XML",
		 NULL},
		{__LINE__, "cut off", "<root>\n<extension>\n<instruction string=\"ADD (R64", 0,
		 "x:3: error: not well-formed XML", "is the file complete?"},
		{__LINE__, "ends within an element", "<root>\n<extension>\n", 0,
		 "error: the file ends too early", "is the file complete?"},
		{__LINE__, "other root", "<html></html>", 0, "no instruction in it",
		 "instructions.xml"},
		{__LINE__, "entity bomb",
		 "<!DOCTYPE r [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<r>&b;</r>", 0,
		 "x:1: error: document type declarations are not accepted", "remove the <!DOCTYPE"},
		{__LINE__, "file from elsewhere",
		 "<!DOCTYPE r SYSTEM \"file:///etc/passwd\">\n<r>&x;</r>", 0,
		 "document type declarations are not accepted", NULL},
		{__LINE__, "other operand type",
		 "<root>\n<instruction string=\"ADD (R64)\">\n<operand idx=\"1\" type=\"soup\"/>",
		 0, "x:3: error: unknown operand type 'soup'", "types are reg"},
		{__LINE__, "other architecture",
		 "<root><instruction string=\"NOP\"><architecture "
		 "name=\"SKX\"/></instruction></root>",
		 0, "x: error: no measurement of 'SKL' in it", "'SKX'"},
		{__LINE__, "no row",
		 "<root><instruction string=\"FROB\"><architecture name=\"SKL\"><measurement "
		 "uops=\"1\"/></architecture></instruction></root>",
		 0, "x: error: no row for SKL in it", "an unknown mnemonic, such as FROB"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		size_t size = cases[i].size_bytes ? cases[i].size_bytes : strlen(cases[i].data);
		struct import_run run =
			import_bytes("SKL", TAKT_IMPORT_UOPS_INFO, cases[i].data, size);

		import_check_error(&cases[i], &run);
		import_end(&run);
	}
}

static void test_deep(void)
{
	struct takt_text deep = {0};
	struct import_run run;

	for (int i = 0; i < 100; i++)
		takt_text_add_string(&deep, "<e>\n");
	run = import_bytes("SKL", TAKT_IMPORT_UOPS_INFO, deep.data, deep.size_bytes);
	ok(strstr(takt_diag_text(run.diag), "x:33: error: elements are nested too deeply") != NULL,
	   "nesting is limited");
	import_end(&run);
	takt_text_clear(&deep);
	takt_text_add_string(&deep, "<root><instruction string=\"ADD\">");
	for (int i = 0; i < 100; i++)
		takt_text_add_string(&deep, "<operand idx=\"1\" type=\"reg\"/>");
	run = import_bytes("SKL", TAKT_IMPORT_UOPS_INFO, deep.data, deep.size_bytes);
	ok(strstr(takt_diag_text(run.diag), "'ADD' has more than 24 operands") != NULL,
	   "operands are limited");
	import_end(&run);
	takt_text_release(&deep);
}

/* libxml2's work grows with the square of their number: it must not see them. */
static void test_attributes(void)
{
	struct takt_text text = {0};
	struct import_run run;

	takt_text_add_string(&text, "<root>\n<!-- <a quote' is no matter -->\n<e");
	for (int i = 0; i < 200000; i++)
		takt_text_printf(&text, " a%d=\"\"", i);
	takt_text_add_string(&text, "/></root>");
	run = import_bytes("SKL", TAKT_IMPORT_UOPS_INFO, text.data, text.size_bytes);
	ok(strstr(takt_diag_text(run.diag), "x:3: error: an element has too many attributes\n"
					    "note: uops.info's elements have some tens") != NULL,
	   "attributes are limited");
	import_end(&run);

	/* Long texts, comments and sections are no tags. */
	takt_text_clear(&text);
	takt_text_add_string(&text, "<root><![CDATA[<]]><!--<");
	takt_text_pad(&text, '"', 100000);
	takt_text_add_string(&text, "--><?p <");
	takt_text_pad(&text, '"', 100000);
	takt_text_add_string(&text, "?>");
	takt_text_pad(&text, ' ', 100000);
	takt_text_add_string(&text, "</root>");
	run = import_bytes("SKL", TAKT_IMPORT_UOPS_INFO, text.data, text.size_bytes);
	ok(strstr(takt_diag_text(run.diag), "no instruction in it") != NULL,
	   "but not what else is long");
	import_end(&run);
	takt_text_release(&text);
}

/* What takt characterize writes: latencies through memory are halves already. */
static void test_own(void)
{
	static const char own[] =
		"<root machine=\"a machine\" memory=\"halves\"><extension name=\"all\">"
		"<instruction string=\"MOV (R64, M64)\"><operand idx=\"1\" "
		"type=\"reg\">RAX</operand>"
		"<operand idx=\"2\" type=\"mem\"/><architecture name=\"ZEN3\"><measurement "
		"TP_loop=\"0.33\" uops=\"1\" ports=\"1*g012\"><latency start_op=\"2\" "
		"target_op=\"1\" cycles_addr=\"4\" cycles_mem=\"7\"/></measurement></architecture>"
		"</instruction>"
		"<instruction string=\"VADDPD (XMM, XMM, XMM)\"><operand idx=\"1\" "
		"type=\"reg\">XMM0"
		"</operand><operand idx=\"2\" type=\"reg\">XMM0</operand>"
		"<operand idx=\"3\" type=\"reg\">XMM0</operand><architecture name=\"ZEN3\">"
		"<measurement uops=\"2\" ports=\"1*a0b1FP23+1*FP2f3\"><latency start_op=\"2\" "
		"target_op=\"1\" cycles=\"3\" cycles_is_upper_bound=\"1\" "
		"cycles_lower_bound=\"1\"/></measurement></architecture></instruction>"
		"</extension></root>";
	struct import_run run = import_bytes("ZEN3", TAKT_IMPORT_UOPS_INFO, own, sizeof(own) - 1);

	is_int(run.status, TAKT_OK, "a file of takt's own is imported");
	ok(strstr(import_text(&run), "source i measured  a machine, by takt characterize\n") !=
		   NULL,
	   "as measured");
	ok(import_has_row(&run, "mov r64, m64 | 1*g012 | lat=7,a>1:4 rtp=0.33"),
	   "the load's half as it is, ports by the core's letters");
	ok(import_has_row(&run, "vaddpd xmm, xmm, xmm | 1*a0b1f23+1*f23 | lat=3"),
	   "ports of several kinds, the most of a range");
	import_end(&run);
}

int main(void)
{
	if (import_unavailable(TAKT_IMPORT_UOPS_INFO))
		return 0;
	test_rows();
	test_head_and_counts();
	test_errors();
	test_deep();
	test_attributes();
	test_own();
	return tap_done();
}
