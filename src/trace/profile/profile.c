/* SPDX-License-Identifier: MIT */
/* Counts executions of blocks, calls and regions, in a few nanoseconds each. */
#include <math.h>
#include <stdlib.h>

#include "sim/sim.h"
#include "trace/profile/context.h"
#include "trace/profile/profile.h"

/*
 * A cookie says what to charge cycles to:
 *	63 | 62 … 50     | 49 … 32 | 31 … 0
 *	1  | region node | node    | block
 */
#define COOKIE_VALID ((uint64_t)1 << 63)
#define COOKIE_REGION_SHIFT 50
#define COOKIE_NODE_SHIFT 32
_Static_assert(TRACE_NODES_MAX <= 1u << (COOKIE_REGION_SHIFT - COOKIE_NODE_SHIFT), "nodes fit");
_Static_assert(TRACE_REGION_NODES_MAX <= 1u << (63 - COOKIE_REGION_SHIFT), "regions fit");

/* ---- the sink ---- */

static void on_executed(struct trace_sink *sink, uint32_t thread,
			const struct executed_block *executed)
{
	struct trace_profile *profile = (struct trace_profile *)sink;

	takt_trace_profile_note(profile, thread, executed);
	if (profile->next && profile->next->executed)
		profile->next->executed(profile->next, thread, executed);
}

static void on_syscall(struct trace_sink *sink, uint32_t thread, uint64_t number)
{
	struct trace_profile *profile = (struct trace_profile *)sink;

	takt_trace_profile_syscall(profile, thread, number);
	if (profile->next && profile->next->syscall)
		profile->next->syscall(profile->next, thread, number);
}

static void on_thread_start(struct trace_sink *sink, uint32_t thread)
{
	struct trace_profile *profile = (struct trace_profile *)sink;

	if (profile->next && profile->next->thread_start)
		profile->next->thread_start(profile->next, thread);
}

static void on_thread_end(struct trace_sink *sink, uint32_t thread)
{
	struct trace_profile *profile = (struct trace_profile *)sink;

	takt_trace_profile_thread_end(profile, thread);
	if (profile->next && profile->next->thread_end)
		profile->next->thread_end(profile->next, thread);
}

enum takt_status takt_trace_profile_init(struct trace_profile *profile,
					 struct trace_dictionary *dictionary,
					 const struct takt_trace_options *options,
					 struct takt_diag *diag)
{
	*profile = (struct trace_profile){
		.sink = {on_executed, on_syscall, on_thread_start, on_thread_end},
		.dictionary = dictionary,
		.insns = options->insns,
	};
	profile->edges = takt_xcalloc(1, sizeof(*profile->edges));
	profile->regions = takt_xcalloc(TRACE_REGION_NODES_MAX, sizeof(*profile->regions));
	return takt_trace_context_new(dictionary, options->regions, options->region_count, diag,
				      &profile->context);
}

void takt_trace_profile_release(struct trace_profile *profile)
{
	for (uint32_t i = 0; i < profile->chunk_count; i++)
		free(profile->chunks[i]);
	free(profile->chunks);
	if (profile->edges)
		free(profile->edges->table);
	free(profile->edges);
	free(profile->nodes);
	free(profile->regions);
	takt_trace_context_free(profile->context);
	*profile = (struct trace_profile){0};
}

/* ---- blocks ---- */

/* Return the statistics of the block with this number, which must have been noted. */
static struct trace_block_stats *stats_of(const struct trace_profile *profile, uint32_t block)
{
	return &profile->chunks[block / PROFILE_CHUNK][block % PROFILE_CHUNK];
}

struct trace_block_stats *profile_make_stats(struct trace_profile *profile, uint32_t block)
{
	uint32_t chunk = block / PROFILE_CHUNK;

	TAKT_GROW_ZEROED(profile->chunks, chunk + 1, profile->chunk_count);
	if (!profile->chunks[chunk])
		profile->chunks[chunk] =
			takt_xcalloc(PROFILE_CHUNK, sizeof(struct trace_block_stats));
	profile->dictionary->blocks[block]->stats = stats_of(profile, block);
	return stats_of(profile, block);
}

/* ---- edges ---- */

static struct trace_edge *find_edge(const struct trace_edges *edges, uint32_t from, uint32_t to)
{
	uint32_t at = (from * 0x9e3779b1u ^ to * 0x85ebca6bu) >> 8 & (edges->size - 1);

	while (edges->table[at].count &&
	       (edges->table[at].from != from || edges->table[at].to != to))
		at = (at + 1) & (edges->size - 1);
	return &edges->table[at];
}

static void grow_edges(struct trace_edges *edges)
{
	struct trace_edges more = {.count = edges->count,
				   .size = edges->size ? 2 * edges->size : 1024};

	more.table = takt_xcalloc(more.size, sizeof(*more.table));
	for (uint32_t i = 0; i < edges->size; i++)
		if (edges->table[i].count)
			*find_edge(&more, edges->table[i].from, edges->table[i].to) =
				edges->table[i];
	free(edges->table);
	*edges = more;
}

/*
 * Count an edge from a block that more than two blocks follow, as after an indirect jump. False
 * if there are too many edges.
 */
static bool count_edge(struct trace_edges *edges, uint32_t from, uint32_t to)
{
	struct trace_edge *edge;

	if (2 * edges->count >= edges->size && edges->count < PROFILE_EDGES_MAX)
		grow_edges(edges);
	edge = find_edge(edges, from, to);
	if (edge->count == 0) {
		if (edges->count == PROFILE_EDGES_MAX)
			return false;
		edges->count++;
		*edge = (struct trace_edge){from, to, 0};
	}
	edge->count++;
	return true;
}

/* Count an execution of `block`, whose statistics are `own`, after `from`, which may be NULL. */
static inline void count_executed(struct trace_profile *profile, const struct trace_block *from,
				  uint32_t block, struct trace_block_stats *own)
{
	struct trace_block_stats *stats = from ? from->stats : NULL;

	if (!stats) {
		own->entries++;
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (stats->next_count[i] == 0)
			stats->next[i] = block;
		if (stats->next[i] == block) {
			stats->next_count[i]++;
			return;
		}
	}
	if (!count_edge(profile->edges, from->number, block))
		own->entries++;
}

/* ---- executed blocks ---- */

/*
 * Count an execution that continues a string instruction, or that did not complete its block.
 * Return the number of its instructions.
 */
static uint64_t count_odd(struct trace_profile *profile, const struct executed_block *executed,
			  const struct trace_block *from, struct trace_block_stats *stats)
{
	const struct trace_block *block = executed->block;
	uint64_t insns = executed->insn_count;

	if (executed->continues && insns)
		insns--;			    /* the first one was counted before */
	if (executed->continues && from == block) { /* the same execution: no edge */
		stats->missing -= (int64_t)insns;
		return insns;
	}
	count_executed(profile, from, block->number, stats);
	stats->continued += executed->continues;
	stats->missing += block->insn_count - (int64_t)insns;
	return insns;
}

uint64_t takt_trace_profile_note(struct trace_profile *profile, uint32_t thread,
				 const struct executed_block *executed)
{
	const struct trace_block *block = executed->block;
	struct trace_block_stats *stats =
		block->stats ? block->stats : profile_make_stats(profile, block->number);
	uint64_t insns = executed->insn_count;
	struct trace_spot spot;

	context_execute(profile->context, thread, executed, &spot);
	if (executed->continues || insns != block->insn_count)
		insns = count_odd(profile, executed, spot.from, stats);
	else
		count_executed(profile, spot.from, block->number, stats);
	TAKT_GROW_ZEROED(profile->nodes, spot.node + 1, profile->node_capacity);
	profile->nodes[spot.node].insns += insns;
	if (spot.region)
		profile->regions[spot.region].insns += insns;
	return COOKIE_VALID | (uint64_t)spot.region << COOKIE_REGION_SHIFT |
	       (uint64_t)spot.node << COOKIE_NODE_SHIFT | block->number;
}

bool takt_trace_profile_knows(const struct trace_profile *profile, uint64_t cookie)
{
	uint32_t node = (uint32_t)(cookie >> COOKIE_NODE_SHIFT) & (TRACE_NODES_MAX - 1);
	uint32_t number = (uint32_t)cookie;

	return !cookie ||
	       (number < profile->dictionary->count && profile->dictionary->blocks[number]->stats &&
		node < profile->node_capacity);
}

/* Add charges to a sum of them, `times` over; return their parts. */
static uint64_t add_charges(uint64_t losses[TAKT_TRACE_LOSSES], uint32_t *ports,
			    uint64_t *port_parts, const struct sim_charges *charges, uint32_t times)
{
	uint64_t sum = 0;

	for (uint32_t rest = charges->losses; rest; rest &= rest - 1) {
		unsigned loss = (unsigned)__builtin_ctz(rest);
		uint64_t parts = charges->parts[loss] * times;

		losses[loss] += parts;
		sum += parts;
	}
	if (charges->port_parts)
		sim_ports_vote(ports, port_parts, charges->ports, charges->port_parts * times);
	return sum;
}

void takt_trace_profile_charge(struct trace_profile *profile, uint64_t cookie,
			       const struct sim_charges *charges, uint32_t times)
{
	uint32_t node = (uint32_t)(cookie >> COOKIE_NODE_SHIFT) & (TRACE_NODES_MAX - 1);
	uint32_t region = (uint32_t)(cookie >> COOKIE_REGION_SHIFT) & (TRACE_REGION_NODES_MAX - 1);
	struct trace_block_stats *stats;

	if (!cookie)
		return;
	stats = stats_of(profile, (uint32_t)cookie);
	profile->nodes[node].cycles += add_charges(stats->losses, &stats->busy_ports,
						   &stats->busy_port_parts, charges, times);
	if (region)
		add_charges(profile->regions[region].losses, &profile->regions[region].busy_ports,
			    &profile->regions[region].busy_port_parts, charges, times);
}

void takt_trace_profile_syscall(struct trace_profile *profile, uint32_t thread, uint64_t number)
{
	takt_trace_context_syscall(profile->context, thread, number);
}

void takt_trace_profile_thread_end(struct trace_profile *profile, uint32_t thread)
{
	takt_trace_context_thread_end(profile->context, thread);
}

static void scale(uint64_t *figure, double factor)
{
	*figure = (uint64_t)llround((double)*figure * factor);
}

static void scale_losses(uint64_t losses[TAKT_TRACE_LOSSES], uint64_t *port_parts, double factor)
{
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		scale(&losses[i], factor);
	scale(port_parts, factor);
}

void takt_trace_profile_scale(struct trace_profile *profile, double factor)
{
	for (uint32_t c = 0; c < profile->chunk_count; c++)
		for (uint32_t b = 0; profile->chunks[c] && b < PROFILE_CHUNK; b++)
			scale_losses(profile->chunks[c][b].losses,
				     &profile->chunks[c][b].busy_port_parts, factor);
	for (uint32_t n = 0; n < profile->node_capacity; n++)
		scale(&profile->nodes[n].cycles, factor);
	for (uint32_t r = 0; r < TRACE_REGION_NODES_MAX; r++)
		scale_losses(profile->regions[r].losses, &profile->regions[r].busy_port_parts,
			     factor);
}
