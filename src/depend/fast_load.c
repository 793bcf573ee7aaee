/* SPDX-License-Identifier: MIT */
#include "depend/fast_load.h"

#define DISPLACEMENT_MAX 2047
/* Eliminated moves between two loads that is_loaded() follows at most. */
#define MOVES_MAX 8u

bool takt_is_plain_load(const struct takt_insn *insn, const struct takt_timing *timing)
{
	return timing->uop_total == 1 && insn->flags & TAKT_INSN_LOADS &&
	       !(insn->flags & (TAKT_INSN_STORES | TAKT_INSN_VECTOR | TAKT_INSN_X87));
}

uint32_t takt_address_extra_cycles(const struct takt_core_params *params,
				   const struct takt_memory *memory)
{
	if (!memory->read || memory->address_only || !memory->index ||
	    takt_location_is_vector(memory->index))
		return 0;
	if (memory->scale <= 1 && (!memory->base || !memory->displacement))
		return 0;
	return (uint32_t)params->load_latency_complex_cycles;
}

static bool can_be_fast(const struct takt_insn *insn)
{
	const struct takt_memory *memory = insn->memories;

	return insn->flags & TAKT_INSN_LOADS &&
	       !(insn->flags & (TAKT_INSN_INDEXED | TAKT_INSN_VECTOR)) &&
	       memory->displacement >= 0 && memory->displacement <= DISPLACEMENT_MAX;
}

/* True if a load made the def, even if eliminated 64-bit moves copied it since. */
static bool is_loaded(const struct takt_block *block, const struct takt_timing *timings,
		      const struct takt_graph *graph, uint32_t def)
{
	for (unsigned moves = 0; moves <= MOVES_MAX && def != TAKT_NO_DEF; moves++) {
		uint32_t insn = graph->defs[def].insn;
		uint32_t e = graph->first_edge[def];

		if (takt_is_plain_load(&block->insns[insn], &timings[insn]))
			return true;
		if (!(timings[insn].flags & TAKT_TIMING_ELIM) ||
		    block->insns[insn].accesses[0].size_bytes != 8 ||
		    e + 1 != graph->first_edge[def + 1])
			return false;
		def = graph->edges[e].from;
	}
	return false;
}

void takt_fast_loads_apply(const struct takt_core_params *params, const struct takt_block *block,
			   const struct takt_timing *timings, const struct takt_graph *graph,
			   struct takt_edge *edges)
{
	int saved = params->load_latency_int - params->load_latency_fast;

	for (uint32_t e = 0; e < graph->edge_count && saved > 0; e++) {
		const struct takt_edge *edge = &edges[e];

		if (edge->source_slot == TAKT_SLOT_BASE && edge->from != TAKT_NO_DEF &&
		    edge->latency_cycles >= saved &&
		    can_be_fast(&block->insns[graph->defs[edge->to].insn]) &&
		    is_loaded(block, timings, graph, edge->from))
			edges[e].latency_cycles = (uint16_t)(edge->latency_cycles - saved);
	}
}
