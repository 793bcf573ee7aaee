/* SPDX-License-Identifier: MIT */
/* Fills the record's critical path, recurrences and dependences from the dependence graph. */
#include <stdlib.h>

#include "analyze/work.h"

static uint32_t insn_of(const struct takt_work *work, uint32_t def)
{
	return work->graph.defs[def].insn;
}

/* Find the edge by which a path or recurrence goes from one def to another; UINT32_MAX if none. */
static uint32_t find_edge(const struct takt_graph *graph, uint32_t from, uint32_t to,
			  uint32_t latency_cycles)
{
	for (uint32_t i = graph->first_edge[to]; i < graph->first_edge[to + 1]; i++)
		if (graph->edges[i].from == from &&
		    graph->edges[i].latency_cycles == latency_cycles)
			return i;
	return UINT32_MAX;
}

enum edge_mark { ON_CRITICAL_PATH = 1, ON_LOOP_CARRIED = 2 };

static void mark_edge(const struct takt_graph *graph, uint32_t from, uint32_t to,
		      uint32_t latency_cycles, uint8_t mark, uint8_t *marks)
{
	uint32_t edge = find_edge(graph, from, to, latency_cycles);

	if (edge != UINT32_MAX)
		marks[edge] |= mark;
}

static void fill_critical_path(struct takt_work *work, uint8_t *marks)
{
	const struct takt_path *path = &work->path;

	for (uint32_t i = 0; i < path->count; i++) {
		struct takt_analysis_insn *insn = &work->insns[insn_of(work, path->defs[i])];

		insn->on_critical_path = true;
		insn->cp_cycles += path->latencies[i];
		if (i)
			mark_edge(&work->graph, path->defs[i - 1], path->defs[i],
				  path->latencies[i], ON_CRITICAL_PATH, marks);
	}
}

/*
 * Convert a recurrence of defs to one of instructions: successive defs of one instruction are
 * merged.
 */
static void fill_cycle(struct takt_work *work, const struct takt_bounds_recurrence *from,
		       struct takt_recurrence *to)
{
	uint32_t *members = TAKT_NEW_ARRAY(work->arena, from->count, uint32_t);
	double *latencies = TAKT_NEW_ARRAY(work->arena, from->count, double);
	uint32_t count = 0;

	to->cycles_per_iteration = from->cycles_per_iteration;
	to->iterations = from->iterations;
	to->location = "";
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t before = from->defs[i ? i - 1 : from->count - 1], def = from->defs[i];
		uint32_t edge = find_edge(&work->graph, before, def, from->latencies[i]);
		uint32_t insn = insn_of(work, def);

		if (!count || members[count - 1] != insn)
			members[count++] = insn;
		latencies[count - 1] += from->latencies[i];
		if (edge != UINT32_MAX && work->graph.edges[edge].iterations && !*to->location)
			to->location = takt_value_name(&work->prepared.block.insns[insn],
						       work->graph.edges[edge].location);
	}
	to->members = members;
	to->latencies_cycles = latencies;
	to->member_count = count;
}

static void fill_cycles(struct takt_work *work, uint8_t *marks)
{
	const struct takt_loop_carried *found = &work->loop_carried;
	const struct takt_bounds_recurrence *worst = found->worst;
	struct takt_recurrence *cycles =
		TAKT_NEW_ARRAY(work->arena, found->count, struct takt_recurrence);

	for (uint32_t i = 0; i < found->count; i++)
		fill_cycle(work, &found->worst[i], &cycles[i]);
	work->record->recurrences = cycles;
	work->record->recurrence_count = found->count;
	work->record->recurrences_truncated = found->truncated;
	if (!found->count)
		return;
	for (uint32_t i = 0; i < worst->count; i++)
		mark_edge(&work->graph, worst->defs[i ? i - 1 : worst->count - 1], worst->defs[i],
			  worst->latencies[i], ON_LOOP_CARRIED, marks);
	for (uint32_t i = 0; i < cycles->member_count; i++) {
		struct takt_analysis_insn *insn = &work->insns[cycles->members[i]];

		insn->on_loop_carried = true;
		insn->lcd_cycles += cycles->latencies_cycles[i] / cycles->iterations;
	}
}

TAKT_ORDER(compare_dependences, struct takt_dependence, TAKT_UP(from), TAKT_UP(iterations),
	   TAKT_ALPHABETIC(location));

/* Add an edge to the dependences of its instruction, which begin at `first`; merge equal ones. */
static uint32_t add_dependence(struct takt_dependence *all, uint32_t first, uint32_t count,
			       const struct takt_dependence *edge)
{
	for (uint32_t i = first; i < count; i++) {
		if (compare_dependences(&all[i], edge) != 0)
			continue;
		if (all[i].latency_cycles < edge->latency_cycles)
			all[i].latency_cycles = edge->latency_cycles;
		all[i].on_critical_path |= edge->on_critical_path;
		all[i].on_loop_carried |= edge->on_loop_carried;
		return count;
	}
	all[count] = *edge;
	return count + 1;
}

/*
 * Edges of the graph lead to defs, dependences to instructions: edges of one instruction from the
 * same source through the same location are merged. The defs of an instruction are contiguous.
 */
static void fill_dependences(struct takt_work *work, const uint8_t *marks)
{
	const struct takt_graph *graph = &work->graph;
	struct takt_dependence *all =
		TAKT_NEW_ARRAY(work->arena, graph->edge_count, struct takt_dependence);
	uint32_t first = 0, count = 0;

	for (uint32_t def = 0; def < graph->def_count; def++) {
		uint32_t to = insn_of(work, def);

		for (uint32_t i = graph->first_edge[def]; i < graph->first_edge[def + 1]; i++) {
			const struct takt_edge *edge = &graph->edges[i];
			struct takt_dependence one = {
				.to = to,
				.iterations = edge->iterations,
				.latency_cycles = edge->latency_cycles,
				.on_critical_path = marks[i] & ON_CRITICAL_PATH,
				.on_loop_carried = marks[i] & ON_LOOP_CARRIED,
			};

			if (work->insns[to].latency_cycles < edge->latency_cycles)
				work->insns[to].latency_cycles = edge->latency_cycles;
			if (edge->from == TAKT_NO_DEF)
				continue;
			one.from = insn_of(work, edge->from);
			one.location =
				takt_value_name(&work->prepared.block.insns[to], edge->location);
			count = add_dependence(all, first, count, &one);
		}
		if (def + 1 == graph->def_count || insn_of(work, def + 1) != to) {
			qsort(all + first, count - first, sizeof(*all), compare_dependences);
			first = count;
		}
	}
	work->record->dependences = all;
	work->record->dependence_count = count;
}

void takt_work_fill_paths(struct takt_work *work)
{
	uint8_t *marks = TAKT_NEW_ARRAY(work->scratch, work->graph.edge_count, uint8_t);

	fill_critical_path(work, marks);
	fill_cycles(work, marks);
	fill_dependences(work, marks);
}
