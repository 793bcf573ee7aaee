/* SPDX-License-Identifier: MIT */
/*
 * Compares the dependences through memory that a run had with those that `takt deps` finds without
 * running: within single blocks, as in the paper (CesASMe, 2024), and along paths, where
 * dependences between blocks count, too.
 */
#include <stdlib.h>

#include "evaluate/evaluate.h"

/* Blocks that ran less often than this share of the most frequent block are left out. */
#define FREQUENT_SHARE 0.1

/* A store and a load; writer and reader are offsets as in struct takt_flow_block. */
struct pair {
	uint32_t writer, reader;
	double weight; /* executions of the block sequence in which it was found */
};

struct pairs {
	struct pair *list;
	size_t count, capacity;
};

struct finder {
	const struct evaluate_code *code;
	struct takt_arena arena; /* memory of one block sequence */
	struct pairs pairs;
	uint32_t *offsets; /* of the sequence's instructions, as in struct takt_flow_block */
	bool entry_values;
	bool *frequent; /* by block: true if it ran often enough to matter */
};

/* ---- dependences found statically ---- */

static void add_pair(struct pairs *pairs, uint32_t writer, uint32_t reader, double weight)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (pairs->list[i].writer == writer && pairs->list[i].reader == reader)
			return;
	TAKT_GROW(pairs->list, pairs->count + 1, pairs->capacity);
	pairs->list[pairs->count++] = (struct pair){writer, reader, weight};
}

/* Decode the instructions of consecutive blocks, each at its own address. */
static bool decode(struct finder *finder, const uint32_t *blocks, size_t count,
		   struct takt_block *ret_block)
{
	const struct takt_flow_block *all = finder->code->graph.blocks;
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		most += all[blocks[i]].size_bytes;
	*ret_block = (struct takt_block){
		.isa = &takt_isa_x86,
		.insns = TAKT_NEW_ARRAY(&finder->arena, most, struct takt_insn)};
	finder->offsets = TAKT_NEW_ARRAY(&finder->arena, most, uint32_t);
	for (size_t i = 0; i < count; i++) {
		const struct takt_flow_block *block = &all[blocks[i]];
		struct takt_insn *insn;

		for (uint32_t at = 0; at < block->size_bytes; at += insn->length_bytes) {
			insn = &ret_block->insns[ret_block->count];
			if (takt_decode(&takt_isa_x86, block->bytes + at, block->size_bytes - at,
					finder->code->base + block->offset + at, insn) != TAKT_OK)
				return false;
			finder->offsets[ret_block->count++] = (uint32_t)block->offset + at;
		}
	}
	return true;
}

/* Return the general registers that the code writes, as a bit mask. */
static uint32_t written(const struct takt_insn *insns, uint32_t count)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		for (unsigned k = 0; k < insns[i].access_count; k++) {
			const struct takt_access *access = &insns[i].accesses[k];

			if (access->flags & TAKT_WRITE && access->location >= TAKT_LOC_GPR &&
			    access->location < TAKT_LOC_GPR + 16)
				all |= 1u << (access->location - TAKT_LOC_GPR);
		}
	return all;
}

/* Collect the entry values of the first block, and of later ones for registers not yet written. */
static uint32_t entry_values(const struct finder *finder, const uint32_t *blocks, size_t count,
			     const struct takt_block *code, struct takt_entry_value *values)
{
	const struct evaluate_code *all = finder->code;
	uint32_t known = 0, found = 0, insn = 0;

	for (size_t i = 0; i < count && finder->entry_values; i++) {
		const struct takt_flow_block *block = &all->graph.blocks[blocks[i]];
		uint32_t gone = written(code->insns, insn);

		for (size_t k = 0; k < all->entry_count; k++) {
			const struct evaluate_entry *entry = &all->entries[k];
			uint32_t bit = 1u << (entry->value.location - TAKT_LOC_GPR);

			if (entry->offset != block->offset || (known | gone) & bit)
				continue;
			known |= bit;
			values[found++] = entry->value;
		}
		while (insn < code->count &&
		       finder->offsets[insn] - block->offset < block->size_bytes)
			insn++;
	}
	return found;
}

static double find_static(void *context, const uint32_t *blocks, size_t count)
{
	struct finder *finder = context;
	struct takt_entry_value values[EVALUATE_ENTRY_VALUES];
	struct takt_memory_dependences found;
	struct takt_block code;

	takt_arena_clear(&finder->arena);
	if (decode(finder, blocks, count, &code)) {
		const struct takt_memory_options options = {
			.loop = true,
			.window_instructions = EVALUATE_WINDOW,
			.entry_values = values,
			.entry_value_count = entry_values(finder, blocks, count, &code, values),
		};

		takt_memory_dependences_find(&code, &options, &finder->arena, &found);
		for (uint32_t i = 0; i < found.edge_count; i++) {
			uint32_t reader = finder->offsets[found.edges[i].load];
			uint32_t at = takt_graph_block_at(&finder->code->graph, reader);

			if (finder->frequent[at])
				add_pair(&finder->pairs, finder->offsets[found.edges[i].store],
					 reader, (double)finder->code->graph.blocks[at].executions);
		}
	}
	return 0;
}

/* ---- comparison ---- */

static bool same_block(const struct takt_flow_counts *graph, uint32_t left, uint32_t right)
{
	return takt_graph_block_at(graph, left) == takt_graph_block_at(graph, right);
}

static void compare(const struct finder *finder, bool paths, struct evaluate_coverage *coverage)
{
	const struct evaluate_code *code = finder->code;
	bool *seen = takt_xcalloc(finder->pairs.count + 1, sizeof(*seen));

	for (size_t i = 0; i < code->dependence_count; i++) {
		const struct evaluate_dependence *had = &code->dependences[i];
		size_t at = 0;

		if (!finder->frequent[takt_graph_block_at(&code->graph, had->reader)] ||
		    !finder->frequent[takt_graph_block_at(&code->graph, had->writer)] ||
		    (!paths && !same_block(&code->graph, had->writer, had->reader)))
			continue;
		while (at < finder->pairs.count && (finder->pairs.list[at].writer != had->writer ||
						    finder->pairs.list[at].reader != had->reader))
			at++;
		seen[at] = true;
		for (size_t k = 0; k < EVALUATE_LIFETIMES; k++) {
			bool found = at < finder->pairs.count;

			coverage->pairs[k] += had->counts[k] > 0;
			coverage->found[k] += found && had->counts[k] > 0;
			coverage->weight[k] += (double)had->counts[k];
			coverage->found_weight[k] += found ? (double)had->counts[k] : 0;
		}
	}
	for (size_t i = 0; i < finder->pairs.count; i++) {
		const size_t last = EVALUATE_LIFETIMES;

		coverage->pairs[last]++;
		coverage->found[last] += seen[i];
		coverage->weight[last] += finder->pairs.list[i].weight;
		coverage->found_weight[last] += seen[i] ? finder->pairs.list[i].weight : 0;
	}
	free(seen);
}

void takt_coverage_find(const struct evaluate_code *code, bool paths, bool with_entry_values,
			struct evaluate_coverage *ret_coverage)
{
	const struct takt_flow_counts *graph = &code->graph;
	struct finder finder = {.code = code, .entry_values = with_entry_values};
	uint64_t most = 0;

	*ret_coverage = (struct evaluate_coverage){0};
	finder.frequent = TAKT_NEW_ARRAY(code->arena, graph->block_count, bool);
	for (size_t i = 0; i < graph->block_count; i++)
		most = graph->blocks[i].executions > most ? graph->blocks[i].executions : most;
	for (size_t i = 0; i < graph->block_count; i++)
		finder.frequent[i] =
			(double)graph->blocks[i].executions >= FREQUENT_SHARE * (double)most;
	for (uint32_t i = 0; i < graph->block_count; i++)
		if (finder.frequent[i])
			find_static(&finder, &i, 1);
	if (paths) {
		const struct takt_nest_code nest = {
			.isa = &takt_isa_x86, .counts = code->graph, .base = code->base};
		size_t loops;

		(void)takt_nest_visit(&nest, find_static, &finder, code->arena, &loops);
	}
	compare(&finder, paths, ret_coverage);
	takt_arena_release(&finder.arena);
	free(finder.pairs.list);
}
