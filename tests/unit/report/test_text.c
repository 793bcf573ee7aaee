/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "../tap.h"
#include "base/base.h"
#include "fixture.h"

static const char expected[] =
	"kernel+0x40: 4 instructions, mode loop, TOY (an invented core)\n4.00 cycles per iteration "
	"on TOY, simulated: limited by loop-carried dependence (published, inferred\nand estimated "
	"figures)\nlines of k.s\n\n   p0   p1   p2   p3 CP LCD sim slots µops lat line   "
	"instruction\n           0.50 0.50  6             1    1   6   12   vmovsd (%rax), %xmm0\n "
	"0.25 0.75            4   4 3.5     1    1   4   13 ~ vaddsd %xmm0, %xmm1, %xmm1\n         "
	"                           1        1   14 ? frob \"%rax\" ; fused with next\n 0.75 0.25  "
	"                0.5          1       15   jne .L3 ; fused with previous\n "
	"-------------------\n 1.00 1.00 0.50 0.50 10   4   4     3    3            sum per "
	"iteration\n ? class default: no row for this form\n ~ inferred or estimated figures\n 2 "
	"ports without work not shown\n\ncycles per iteration\n  simulated          4.00  every 2 "
	"iterations alike; line offset 48\n  ports              1.00  busiest port p0; 1.25 if "
	"split equally\n  issue              0.75  3 slots at 4 per cycle\n  front end          "
	"1.50  decoders\n> loop-carried       4.00  1 instruction, through xmm1\n  critical path   "
	"  10.00  one execution alone, inputs ready at 0; no limit\n\ncycles by stall cause\n     "
	"3.50  88 %  latency of instructions: vaddsd at line 13\n     0.50  12 %  port p0: "
	"jne at line 15\n\nwhat would help\n  - code: 4 accumulators instead of 1: 1.00 cycles "
	"(−75 %), for vaddsd at line 13; write them\n  - with half the latency of fp-add (4 to 2 "
	"cycles): 2.00 cycles (−50 %), for vaddsd at line 13;\n    recurrent\n  - with one more "
	"port "
	"like p0: 3.50 cycles (−12 %), for jne at line 15\n\nbottlenecks\n  - loop-carried "
	"dependence through xmm1: 4.00 cycles per iteration over vaddsd at line 13\n\nnotes\n  - 1 "
	"of 4 instructions use class defaults (estimated): 'frob r64'\n";

static void test_golden(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_text *text = takt_text_new();

	takt_write_analysis_text(&analysis, NULL, text);
	is_string(takt_text_data(text), expected, "report");
	takt_text_free(text);
}

static bool contains(const struct takt_text *text, const char *part)
{
	return strstr(takt_text_data(text), part) != NULL;
}

static void test_unrolled(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_text *text = takt_text_new();

	analysis.unroll_factor = 8;
	analysis.cycles_per_iteration = 0.5;
	takt_write_analysis_text(&analysis, NULL, text);
	ok(contains(text, "0.50 cycles per iteration on TOY (4.00 per block execution of 8)"),
	   "headline says both");
	ok(contains(text, "> loop-carried       4.00      0.50  "), "limits say both");
	ok(contains(text, "cycles              block iteration\n"), "and which is which");
	ok(contains(text, "\nwhat would help, per block execution\n"), "also further down");
	ok(contains(text, "sum per block execution"), "the table is of the block");
	takt_text_free(text);
}

static void test_colour(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_write_options options = {.colour = true};
	struct takt_text *text = takt_text_new();

	analysis.cycles_per_iteration = 1; /* then ports p0 and p1 are near it */
	takt_write_analysis_text(&analysis, &options, text);
	ok(contains(text, "\x1b[1;31m0.75\x1b[0m"), "saturated ports stand out");
	ok(contains(text, " 0.50 0.50"), "others do not");
	takt_text_free(text);
}

static void test_bounds_only(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_text *text = takt_text_new();

	analysis.simulated_cycles = NAN;
	analysis.stall_count = analysis.relaxation_count = 0;
	takt_write_analysis_text(&analysis, NULL, text);
	ok(!contains(text, "simulated"), "nothing is called simulated");
	ok(!contains(text, "stall cause") && !contains(text, "help"), "nor are its sections there");
	takt_text_free(text);
}

static void test_complete(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_text *text = takt_text_new();

	analysis.relaxations_complete = true;
	takt_write_analysis_text(&analysis, NULL, text);
	ok(contains(text, "\n  - no gain with a wider front end\n"), "what does not help");
	takt_text_free(text);
}

static void test_alignments(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_text *text = takt_text_new();
	double cycles[64];

	for (unsigned i = 0; i < 64; i++)
		cycles[i] = i < 16 || i == 40 ? 3 : 5;
	analysis.aligned_cycles = cycles;
	takt_write_analysis_text(&analysis, NULL, text);
	ok(contains(text, "  least    3.00  at 0-15, 40\n"), "the best offsets");
	ok(contains(text, "  mean     4.47\n"), "the mean");
	ok(contains(text, "  most     5.00  at 16-39, 41-63\n"), "the worst ones");
	takt_text_free(text);
}

/* Lines of at most `columns`, on any core that has as many ports as the record can hold. */
static void test_columns(uint32_t columns)
{
	struct takt_analysis_insn insn = {
		.text = "vfmadd231pd ymm0, ymm1, ymmword ptr [rax + 8*rcx + 0x12345678]",
		.note = "fused with next, not on this core",
		.line = 4711,
		.slots = 2,
		.uops = 2,
	};
	struct takt_analysis analysis = fixture_analysis();
	struct takt_write_options options = {.columns = columns};
	struct takt_text *text = takt_text_new();
	char names[TAKT_PORTS_MAX][4];
	uint32_t widest = 0, width = 0;

	analysis.arch_title = "a core with a long title, and more ports than any other";
	analysis.insns = &insn;
	analysis.insn_count = 1;
	analysis.recurrence_count = analysis.stall_count = 0;
	analysis.relaxation_count = analysis.change_count = 0;
	analysis.port_count = TAKT_PORTS_MAX;
	for (uint32_t port = 0; port < TAKT_PORTS_MAX; port++) {
		snprintf(names[port], sizeof(names[port]), "%c%X", 'a' + (int)(port / 16),
			 port % 16);
		analysis.port_names[port] = names[port];
		insn.port_cycles[port] = analysis.port_cycles[port] = 1 + port * 0.25;
	}
	takt_write_analysis_text(&analysis, &options, text);
	for (const char *c = takt_text_data(text); *c; c++) {
		width = *c == '\n' ? 0 : width + ((*c & 0xc0) != 0x80);
		widest = width > widest ? width : widest;
	}
	ok(widest <= columns, "%u columns: widest line has %u", columns, widest);
	takt_text_free(text);
}

int main(void)
{
	test_golden();
	test_unrolled();
	test_colour();
	test_bounds_only();
	test_complete();
	test_alignments();
	test_columns(80);
	test_columns(100);
	test_columns(140);
	return tap_done();
}
