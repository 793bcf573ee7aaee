/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "fixture.h"

static const char expected[] =
	"digraph \"kernel+0x40\" {\n"
	"\tlabel=\"kernel+0x40 on TOY: 4.00 cycles per iteration\\n"
	"red: loop-carried, 4.00; blue: critical path, 10.00; dashed: from the iteration "
	"before\";\n"
	"\tnode [shape=box, fontname=\"monospace\"];\n"
	"\tedge [fontname=\"monospace\"];\n"
	"\tn0 [label=\"12: vmovsd (%rax), %xmm0\", color=\"#0050c0\", penwidth=2];\n"
	"\tn1 [label=\"13: vaddsd %xmm0, %xmm1, %xmm1\", color=\"#c00000\", penwidth=2];\n"
	"\tn2 [label=\"14: frob \\\"%rax\\\"\"];\n"
	"\tn3 [label=\"15: jne .L3\"];\n"
	"\tn0 -> n1 [label=\"xmm0 4\", color=\"#0050c0\", penwidth=2];\n"
	"\tn1 -> n1 [label=\"xmm1 4\", style=dashed, constraint=false, color=\"#c00000\", "
	"penwidth=2];\n"
	"}\n";

int main(void)
{
	struct takt_analysis analysis = fixture_analysis();
	struct takt_text *text = takt_text_new();

	takt_write_analysis_dot(&analysis, text);
	is_string(takt_text_data(text), expected, "graph");
	takt_text_free(text);
	return tap_done();
}
