/* SPDX-License-Identifier: MIT */
/* OSACA YAML: operand classes spelled out, ports found again, and files that are not it. */
#include "fixture.h"

struct row_case {
	int line;
	const char *what, *row;
};

#define HEAD "isa: x86\nports: ['0', '1', '2', '3', '4', '5', '6', '7']\n"
#define ADD                                                                                        \
	"instruction_forms:\n- name: add\n  operands:\n  - {class: register, name: gpr}\n"         \
	"  - {class: register, name: gpr}\n  latency: 1\n"

static void test_rows(void)
{
	static const struct row_case rows[] = {
		{__LINE__, "gpr stands for every width", "add r8, r8 | 1*p0156 | lat=1 rtp=0.25"},
		{__LINE__, "and 64 bits", "add r64, r64 | 1*p0156 | lat=1 rtp=0.25"},
		{__LINE__, "operands turned around; the load taken off the latency",
		 "sub r32, m32 | 1*p0156+1*p23 | lat=1,a>*:5,2>*:4 slots=1"},
		{__LINE__, "0DV is the divider", "vdivpd ymm, ymm, ymm | 1*p0+8*d0 | lat=14 rtp=8"},
		{__LINE__, "halves on two ports are one µop; memory of a scalar's size",
		 "vaddsd xmm, xmm, m64 | 1*p01+1*p23 | lat=4,a>*:9,3>*:7 slots=1"},
		{__LINE__, "store", "vmovapd m256, ymm | 1*p237+1*p4 | lat=1 slots=1"},
		{__LINE__, "lea by its address", "lea r64, [b+i*s+d] | 1*p1 | lat=3"},
		{__LINE__, "another spelling; a register of its own",
		 "shl r64, cl | 2*p06 | lat=2"},
		{__LINE__, "an AT&T suffix; a move without µop",
		 "mov r64, r64 | - | lat=0 slots=1 elim"},
		{__LINE__, "a jump", "jne rel | 1*p06 | lat=1"},
	};
	struct import_run run = import_file("SKL", "osaca", "small.yml", "");
	const char *text = import_text(&run);

	is_int(run.status, TAKT_OK, "a small file is imported");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		tap_ok_at(__FILE__, rows[i].line, import_has_row(&run, rows[i].row), "%s",
			  rows[i].what);
	ok(import_loads(&run, "SKL", "skl"), "and opens as the timing of its core");
	ok(strstr(text, "an unknown mnemonic, such as cmpltpd\n") != NULL, "mnemonics counted");
	ok(strstr(text, "no port pressure, such as jo\n") != NULL, "missing figures counted");
	ok(strstr(text, "memory of unknown size, such as vgatherdpd\n") != NULL, "sizes counted");
	ok(strstr(text, "source i published  OSACA, small.yml\n") != NULL, "the source");
	import_end(&run);
}

/* Entries of AArch64: shapes without numbers, wildcards in addresses, branches by condition. */
static void test_aarch64(void)
{
	static const char model[] =
		"isa: AArch64\nports: ['0', DV, '1', '2', '3', '4', '5']\n"
		"takt_ports: {DV: d0}\ninstruction_forms:\n"
		"- name: fadd\n  operands:\n  - {class: register, prefix: v, shape: d}\n"
		"  - {class: register, prefix: v, shape: d}\n"
		"  - {class: register, prefix: v, shape: d}\n"
		"  latency: 7\n  port_pressure: [[1, '01']]\n"
		"- name: fdiv\n  operands:\n  - {class: register, prefix: d}\n"
		"  - {class: register, prefix: d}\n  - {class: register, prefix: d}\n"
		"  latency: 23\n  port_pressure: [[1, '01'], [12, [DV]]]\n"
		"- name: ldr\n  operands:\n  - {class: register, prefix: x}\n"
		"  - {class: memory, base: x, offset: '*', index: '*', scale: '*',"
		" pre_indexed: false, post_indexed: false}\n"
		"  latency: 4\n  port_pressure: [[1, '34']]\n"
		"- name: ldr\n  operands:\n  - {class: register, prefix: d}\n"
		"  - {class: memory, base: x, offset: imd, index: ~, scale: 1,"
		" pre_indexed: false, post_indexed: true}\n"
		"  latency: 6\n  port_pressure: [[1, '34'], [1, '012']]\n"
		"- name: bne\n  operands:\n  - {class: identifier}\n"
		"  latency: 0\n  port_pressure: [[1, '2']]\n"
		"- name: fadd\n  operands:\n  - {class: register, prefix: w}\n"
		"  - {class: register, prefix: w}\n"
		"  latency: 1\n  port_pressure: [[1, '01']]\n";
	static const struct row_case rows[] = {
		{__LINE__, "a whole vector", "fadd v.2d, v.2d, v.2d | 1*p01 | lat=7"},
		{__LINE__, "a divider of another name", "fdiv d, d, d | 1*p01+12*d0 | lat=23"},
		{__LINE__, "any address: none", "ldr x, [x] | 1*p34 | lat=4"},
		{__LINE__, "any address: an index", "ldr x, [x, x lsl] | 1*p34 | lat=4"},
		{__LINE__, "a post-indexed address, whose base the core's own row knows",
		 "ldr d, [x], i | 1*p34+1*p012 | lat=6,*>2b:1"},
		{__LINE__, "a condition is no part of the form", "b.cond label | 1*p2 | lat=0"},
	};
	struct import_run run = import_bytes("TX2", TAKT_IMPORT_OSACA, model, sizeof(model) - 1);

	is_int(run.status, TAKT_OK, "a model of AArch64");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		tap_ok_at(__FILE__, rows[i].line, import_has_row(&run, rows[i].row), "%s",
			  rows[i].what);
	ok(!import_has_row(&run, "ldr x, [x], i | 1*p34 | lat=4"), "no address that is excluded");
	ok(strstr(import_text(&run), "a form that the core has no row for, such as fadd\n") != NULL,
	   "forms that do not exist are counted");
	ok(import_loads(&run, "TX2", "tx2"), "it opens as the timing of its core");
	import_end(&run);
	run = import_bytes("SKL", TAKT_IMPORT_OSACA, model, sizeof(model) - 1);
	ok(run.status == TAKT_BAD_INPUT &&
		   strstr(takt_diag_text(run.diag), "only models with 'isa: x86' fit SKL"),
	   "but not of an x86-64 core");
	import_end(&run);
}

/* Import a model of forms that do a cycle's work on port 0 of the core, and look for the rows. */
static void check_forms(const char *core, const char *model, const struct row_case *rows,
			size_t count)
{
	struct import_run run = import_bytes(core, TAKT_IMPORT_OSACA, model, strlen(model));

	is_int(run.status, TAKT_OK, core);
	for (size_t i = 0; i < count; i++)
		if (!tap_ok_at(__FILE__, rows[i].line, import_has_row(&run, rows[i].row), "%s",
			       rows[i].what))
			tap_note("%s%s", import_text(&run), takt_diag_text(run.diag));
	import_end(&run);
}

#define OPERAND(name) "  - {class: register, name: " name "}\n"
#define SVE(prefix, shape) "  - {class: register, prefix: " prefix ", shape: " shape "}\n"
#define WORK "  latency: 1\n  port_pressure: [[1, '0']]\n"

/* Operands that stand for others: narrow sources, mask registers, scalable vectors. */
static void test_stand_ins(void)
{
	static const char masks[] =
		"isa: x86\nports: ['0', '1', '5', '6']\ninstruction_forms:\n"
		"- name: movzx\n  operands:\n" OPERAND("gpr") OPERAND("gpr") WORK
		"- name: kaddb\n  operands:\n" OPERAND("gpr") OPERAND("gpr") OPERAND("gpr") WORK
		"- name: vaddpd\n  operands:\n" OPERAND("xmm") OPERAND("xmm") OPERAND("gpr")
			OPERAND("xmm") WORK;
	static const char scalable[] =
		"isa: AArch64\nports: ['0']\ntakt_ports: {'0': v0}\ninstruction_forms:\n"
		"- name: add\n  operands:\n" SVE("z", "d") SVE("z", "d") SVE("z", "d") WORK;
	static const struct row_case x86_rows[] = {
		{__LINE__, "a source of 8 bits", "movzx r32, r8 | 1*p0 | lat=1"},
		{__LINE__, "a source of 16 bits", "movzx r64, r16 | 1*p0 | lat=1"},
		{__LINE__, "mask registers", "kaddb k, k, k | 1*p0 | lat=1"},
		{__LINE__, "a write mask", "vaddpd xmm{k}, xmm, xmm | 1*p0 | lat=1"},
	};
	static const struct row_case aarch64_rows[] = {
		{__LINE__, "scalable vectors", "add z.d, z.d, z.d | 1*v0 | lat=1"},
	};

	check_forms("SKX", masks, x86_rows, TAKT_COUNT_OF(x86_rows));
	check_forms("N2", scalable, aarch64_rows, TAKT_COUNT_OF(aarch64_rows));
}

static void test_other_ports(void)
{
	/* The file calls the core's pA, which loads use, 11, and its pB 10. */
	static const char swapped[] = "isa: x86\nports: ['0', '2', '3', '10', '11']\n"
				      "load_throughput_default: [[1, ['2', '3', '11']]]\n" ADD
				      "  port_pressure: [[1, ['0', '10']]]\n";
	static const char mapped[] = "isa: x86\nports: ['0', '1', '8D']\n"
				     "takt_ports: {'0': a01, '1': a2}\n" ADD
				     "  port_pressure: [[1, '0'], [1, '1'], [1, ['8D']]]\n";
	struct import_run run =
		import_bytes("SPR", TAKT_IMPORT_OSACA, swapped, sizeof(swapped) - 1);

	ok(import_has_row(&run, "add r64, r64 | 1*p0B | lat=1"), "numbers above nine by the loads");
	import_end(&run);
	run = import_bytes("ZEN3", TAKT_IMPORT_OSACA, mapped, sizeof(mapped) - 1);
	ok(import_has_row(&run, "add r64, r64 | 1*a01+1*a2 | lat=1"),
	   "ports as the file maps them");
	import_end(&run);
}

/* OSACA's own names of ports need no map where the core file says which ports they are. */
static void test_core_ports(void)
{
	static const struct {
		int line;
		const char *core, *isa, *ports, *pressure, *uops, *what;
	} cases[] = {
		{__LINE__, "ZEN+", "x86", "['0', '1', '2', '3', 3DV, '4', '5', '6', '7', ST]",
		 "[[1, '4567'], [1, [ST]], [5, [3DV]]]", "1*a0123+1*d3+5*d1", "the first Zen"},
		{__LINE__, "ZEN2", "x86", "['4', '5', '6', '7', '8', '9', '10', 10D]",
		 "[[1, '4567'], [1, ['8', '9', '10']], [1, ['10D']]]", "1*a0123+1*g012",
		 "a port of two digits, and data paths left out"},
		{__LINE__, "ZEN4", "x86", "['0', '1', 1D, '2', '3', '4', '5', '6', '10', '12']",
		 "[[1, '0246'], [1, ['10', '12']], [1, '135'], [1, ['1D']]]",
		 "1*a0123+1*f23+1*g012", "a core with the ports of its base"},
		{__LINE__, "ZEN5", "x86", "['0', '1', '2', '3', '12', '13', '14', '15']",
		 "[[1, '13'], [1, ['13']]]", "1*f23+1*g1",
		 "two ports of one digit, and one of two"},
		{__LINE__, "TX2", "AArch64", "['0', DV, '1', '2']", "[[1, '01'], [12, [DV]]]",
		 "1*p01+12*d0", "AArch64"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		bool x86 = strcmp(cases[i].isa, "x86") == 0;
		const char *operand =
			x86 ? "{class: register, name: gpr}" : "{class: register, prefix: x}";
		struct takt_text text = {0}, row = {0};
		struct import_run run;

		takt_text_printf(
			&text,
			"isa: %s\nports: %s\ninstruction_forms:\n- name: add\n  operands:\n"
			"  - %s\n  - %s\n%s%s%s  latency: 1\n  port_pressure: %s\n",
			cases[i].isa, cases[i].ports, operand, operand, x86 ? "" : "  - ",
			x86 ? "" : operand, x86 ? "" : "\n", cases[i].pressure);
		run = import_bytes(cases[i].core, TAKT_IMPORT_OSACA, text.data, text.size_bytes);
		takt_text_printf(&row, "add %s | %s | lat=1", x86 ? "r64, r64" : "x, x, x",
				 cases[i].uops);
		if (!tap_ok_at(__FILE__, cases[i].line, import_has_row(&run, row.data), "%s",
			       cases[i].what))
			tap_note("%s%s", import_text(&run), takt_diag_text(run.diag));
		import_end(&run);
		takt_text_release(&row);
		takt_text_release(&text);
	}
}

static void test_errors(void)
{
	static const char binary[] = "\x7f"
				     "ELF\1\2\3";
	static const struct import_case cases[] = {
		{__LINE__, "empty", "", 0, "x: error: the file is empty", NULL},
		{__LINE__, "nothing but a head", "isa: x86\n", 0, "x: error: no row for SKL in it",
		 "another kind of core"},
		{__LINE__, "binary", binary, sizeof(binary), "x:1: error: not valid YAML", NULL},
		{__LINE__, "no map", "- a\n- b\n", 0, "x:1: error: the file is not a map",
		 "isa: x86"},
		{__LINE__, "AArch64", "name: x\nisa: AArch64\n", 0,
		 "x:2: error: a model for 'AArch64'", "only models with 'isa: x86' fit SKL"},
		{__LINE__, "bad indentation", "isa: x86\n  ports: [\n", 0, "error: not valid YAML",
		 NULL},
		{__LINE__, "cut off", "isa: x86\nports: ['0', '1'", 0, "error: not valid YAML",
		 NULL},
		{__LINE__, "alias bomb",
		 "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n", 0,
		 "x:2: error: YAML aliases are not accepted", "write out"},
		{__LINE__, "second document", "isa: x86\n---\nisa: x86\n", 0,
		 "x:2: error: a second YAML document", "one document"},
		{__LINE__, "map as key", "isa: x86\n? {a: b}\n: c\n", 0, "a list or map as key",
		 "keys are words"},
		{__LINE__, "unknown port", HEAD ADD "  port_pressure: [[1, '09']]\n", 0,
		 "x:9: error: port '09' has no counterpart on SKL", "takt_ports: {'09': p0}"},
		{__LINE__, "a port the core lacks",
		 "ports: ['12']\n" ADD "  port_pressure: [[1, ['12']]]\n", 0,
		 "x:8: error: port '12' has no counterpart on SKL", "the core has p0 p1"},
		{__LINE__, "mapped to nothing", "takt_ports:\n  '0': q7\n", 0,
		 "x:2: error: port 'q7' has no counterpart on SKL", NULL},
		{__LINE__, "pressure of another shape", HEAD ADD "  port_pressure: [1, '0']\n", 0,
		 "x: error: no row for SKL in it", "port pressure that cannot be read"},
		{__LINE__, "negative cycles", HEAD ADD "  port_pressure: [[-1, '0']]\n", 0,
		 "x: error: no row for SKL in it", "port pressure that cannot be read"},
		{__LINE__, "no name", HEAD "instruction_forms:\n- latency: 1\n", 0,
		 "x:4: error: an instruction form without a name", "- name: vaddpd"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		size_t size = cases[i].size_bytes ? cases[i].size_bytes : strlen(cases[i].data);
		struct import_run run = import_bytes("SKL", TAKT_IMPORT_OSACA, cases[i].data, size);

		import_check_error(&cases[i], &run);
		import_end(&run);
	}
}

static void test_limits(void)
{
	struct takt_text text = {0};
	struct import_run run;

	takt_text_add_string(&text, "isa: x86\ndeep: ");
	takt_text_pad(&text, '[', 10000);
	run = import_bytes("SKL", TAKT_IMPORT_OSACA, text.data, text.size_bytes);
	ok(strstr(takt_diag_text(run.diag), "x:2: error: lists and maps are nested too deeply") !=
		   NULL,
	   "nesting is limited");
	import_end(&run);
	takt_text_clear(&text);
	takt_text_add_string(&text, "isa: x86\nlong:\n");
	for (int i = 0; i < 60000; i++)
		takt_text_add_string(&text, "- 1\n");
	run = import_bytes("SKL", TAKT_IMPORT_OSACA, text.data, text.size_bytes);
	ok(strstr(takt_diag_text(run.diag), "one entry has too many values") != NULL,
	   "the size of an entry is limited");
	import_end(&run);
	takt_text_release(&text);
}

int main(void)
{
	if (import_unavailable(TAKT_IMPORT_OSACA))
		return 0;
	test_rows();
	test_aarch64();
	test_stand_ins();
	test_other_ports();
	test_core_ports();
	test_errors();
	test_limits();
	return tap_done();
}
