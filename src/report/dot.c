/* SPDX-License-Identifier: MIT */
/* The dependence graph in the language of Graphviz. */
#include <inttypes.h>

#include "report/report.h"

#define COLOUR_LOOP_CARRIED "#c00000"
#define COLOUR_CRITICAL_PATH "#0050c0"

static void write_quoted(struct takt_text *text, const char *string)
{
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;

		if (c == '"' || c == '\\')
			takt_text_add_string(text, "\\");
		takt_text_add(text, c < ' ' || c == 0x7f ? " " : string, 1);
	}
}

static void write_colour(struct takt_text *text, bool on_loop_carried, bool on_critical_path)
{
	if (on_loop_carried && on_critical_path)
		takt_text_add_string(text, ", color=\"" COLOUR_LOOP_CARRIED ":" COLOUR_CRITICAL_PATH
					   "\", penwidth=2");
	else if (on_loop_carried)
		takt_text_add_string(text, ", color=\"" COLOUR_LOOP_CARRIED "\", penwidth=2");
	else if (on_critical_path)
		takt_text_add_string(text, ", color=\"" COLOUR_CRITICAL_PATH "\", penwidth=2");
}

/* A node has one colour: if it is on both, the recurrence's, since that is the one that limits. */
static void write_node(struct takt_text *text, const struct takt_analysis_insn *insn,
		       uint32_t index)
{
	takt_text_printf(text, "\tn%u [label=\"", index);
	if (insn->line)
		takt_text_printf(text, "%u: ", insn->line);
	else
		takt_text_printf(text, "0x%" PRIx64 ": ", insn->address);
	write_quoted(text, insn->text);
	takt_text_add_string(text, "\"");
	write_colour(text, insn->on_loop_carried, insn->on_critical_path && !insn->on_loop_carried);
	takt_text_add_string(text, "];\n");
}

static void write_edge(struct takt_text *text, const struct takt_dependence *edge)
{
	takt_text_printf(text, "\tn%u -> n%u [label=\"%s %g\"", edge->from, edge->to,
			 edge->location, edge->latency_cycles);
	if (edge->iterations)
		takt_text_add_string(text, ", style=dashed, constraint=false");
	write_colour(text, edge->on_loop_carried, edge->on_critical_path);
	takt_text_add_string(text, "];\n");
}

void takt_write_analysis_dot(const struct takt_analysis *analysis, struct takt_text *text)
{
	takt_text_add_string(text, "digraph \"");
	write_quoted(text, analysis->region_name);
	takt_text_add_string(text, "\" {\n\tlabel=\"");
	write_quoted(text, analysis->region_name);
	takt_text_printf(text,
			 " on %s: %.2f cycles per iteration\\n"
			 "red: loop-carried, %.2f; blue: critical path, %.2f; "
			 "dashed: from the iteration before\";\n",
			 analysis->arch, analysis->cycles_per_iteration,
			 analysis->bounds.loop_carried_cycles,
			 analysis->bounds.critical_path_cycles);
	takt_text_add_string(text, "\tnode [shape=box, fontname=\"monospace\"];\n"
				   "\tedge [fontname=\"monospace\"];\n");
	for (uint32_t i = 0; i < analysis->insn_count; i++)
		write_node(text, &analysis->insns[i], i);
	for (uint32_t i = 0; i < analysis->dependence_count; i++)
		write_edge(text, &analysis->dependences[i]);
	takt_text_add_string(text, "}\n");
}
