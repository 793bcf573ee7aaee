/* SPDX-License-Identifier: MIT */
/*
 * Makes a result from the counts of a profile: names, sums, and an order that does not depend on
 * the run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim.h"
#include "trace/profile/profile.h"

/* Totals were rounded by thread and loss: sums farther off have parts that belong to no block. */
#define ROUNDED_CYCLES_MAX 1000.0

/* A result, whose arena holds everything that the profile points to. */
struct result {
	struct takt_trace_profile profile; /* first */
	struct takt_arena arena;
};

/* State while a result is made. */
struct maker {
	const struct trace_profile *profile;
	const struct trace_dictionary *dictionary;
	struct takt_arena *arena;
	struct profile_block *blocks;
	struct takt_trace_block *list; /* the result's blocks, in the same order */
	uint32_t block_count;
	struct takt_trace_function *functions;
	uint32_t *function_index; /* by function number; UINT32_MAX: no block of it ran */
	uint32_t function_count;
};

uint64_t profile_offset(const struct trace_dictionary *dictionary, const struct trace_block *block)
{
	if (!block->file)
		return block->address;
	return block->file_offset -
	       (block->function ? dictionary->functions[block->function].file_offset : 0);
}

static struct takt_trace_weight weight_of(const struct profile_block *block)
{
	struct takt_trace_weight weight = profile_weight(block->insns, block->stats->losses);

	weight.busy_ports = block->stats->busy_ports;
	weight.busy_port_cycles = block->stats->busy_port_parts / SIM_CYCLE_PARTS;
	return weight;
}

/* ---- functions ---- */

/* A function with its sort keys: file, name, then address. */
struct named {
	const struct trace_function *function;
	const char *file;
	uint32_t number;
};

static int compare_named(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order;

	if (!a->file != !b->file)
		return a->file ? -1 : 1;
	order = a->file ? strcmp(takt_path_name(a->file), takt_path_name(b->file)) : 0;
	if (order == 0 && a->function->made_up != b->function->made_up)
		return b->function->made_up ? -1 : 1;
	if (order == 0 && a->function->name && b->function->name)
		order = strcmp(a->function->name, b->function->name);
	if (order)
		return order;
	if (a->function->file_offset != b->function->file_offset)
		return a->function->file_offset < b->function->file_offset ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void fill_function(const struct maker *maker, const struct named *named,
			  struct takt_trace_function *filled)
{
	const struct trace_function *function = named->function;
	struct takt_arena *arena = maker->arena;

	*filled = (struct takt_trace_function){
		.name = "[unknown]",
		.size_bytes = function->size_bytes,
		.calls = takt_trace_context_calls(maker->profile->context, named->number),
	};
	if (function->name)
		filled->name = takt_arena_string(arena, function->name);
	if (function->name && !function->made_up) {
		filled->symbol = filled->name;
		filled->name = takt_demangle(filled->symbol, arena);
	}
	if (named->file)
		filled->file = takt_arena_string(arena, named->file);
}

static void make_functions(struct maker *maker)
{
	static const struct trace_function unknown;
	const struct trace_dictionary *dictionary = maker->dictionary;
	struct named *list = takt_xcalloc(dictionary->function_count, sizeof(*list));
	bool *used = takt_xcalloc(dictionary->function_count, sizeof(*used));

	for (uint32_t i = 0; i < maker->block_count; i++)
		used[maker->blocks[i].block->function] = true;
	for (uint32_t i = 0; i < dictionary->function_count; i++) {
		const struct trace_function *function = i ? &dictionary->functions[i] : &unknown;

		if (used[i])
			list[maker->function_count++] = (struct named){
				.function = function,
				.file = function->file ? dictionary->files[function->file].path
						       : NULL,
				.number = i,
			};
	}
	if (maker->function_count)
		qsort(list, maker->function_count, sizeof(*list), compare_named);
	maker->functions =
		TAKT_NEW_ARRAY(maker->arena, maker->function_count, struct takt_trace_function);
	maker->function_index = TAKT_NEW_ARRAY(maker->arena, dictionary->function_count, uint32_t);
	memset(maker->function_index, 0xff,
	       dictionary->function_count * sizeof(*maker->function_index));
	for (uint32_t i = 0; i < maker->function_count; i++) {
		maker->function_index[list[i].number] = i;
		fill_function(maker, &list[i], &maker->functions[i]);
	}
	free(used);
	free(list);
}

/* ---- blocks ---- */

static int compare_blocks(const void *left, const void *right)
{
	const struct profile_block *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->block->end - a->block->address != b->block->end - b->block->address)
		return a->block->end - a->block->address < b->block->end - b->block->address ? -1
											     : 1;
	return a->block->number < b->block->number ? -1 : 1;
}

/* Return how many times each block began, by block number. */
static uint64_t *count_begun(const struct maker *maker)
{
	const struct trace_dictionary *dictionary = maker->dictionary;
	const struct trace_edges *edges = maker->profile->edges;
	uint64_t *begun = takt_xcalloc(dictionary->count, sizeof(*begun));

	for (uint32_t i = 0; i < dictionary->count; i++) {
		const struct trace_block_stats *stats = dictionary->blocks[i]->stats;

		if (!stats)
			continue;
		begun[i] += stats->entries;
		for (unsigned way = 0; way < 2; way++)
			begun[stats->next[way]] += stats->next_count[way];
	}
	for (uint32_t i = 0; i < edges->size; i++)
		begun[edges->table[i].to] += edges->table[i].count;
	return begun;
}

static void collect_blocks(struct maker *maker, const struct trace_shares *shares)
{
	const struct trace_dictionary *dictionary = maker->dictionary;
	uint64_t *begun = count_begun(maker);

	maker->blocks = takt_xcalloc(dictionary->count, sizeof(*maker->blocks));
	for (uint32_t i = 0; i < dictionary->count; i++) {
		const struct trace_block *block = dictionary->blocks[i];

		if (!block->stats)
			continue;
		maker->blocks[maker->block_count++] = (struct profile_block){
			.block = block,
			.stats = block->stats,
			.executions = begun[i] - block->stats->continued,
			.insns = begun[i] * block->insn_count - (uint64_t)block->stats->missing,
			.shares = shares ? shares->of_block(shares, i) : NULL,
			.offset = profile_offset(dictionary, block),
		};
	}
	free(begun);
}

static void make_blocks(struct maker *maker, struct takt_trace_profile *result)
{
	struct takt_trace_block *list;
	uint8_t *bytes;
	size_t bytes_count = 0;

	for (uint32_t i = 0; i < maker->block_count; i++) {
		const struct trace_block *block = maker->blocks[i].block;

		maker->blocks[i].function = maker->function_index[block->function];
		bytes_count += (size_t)(block->end - block->address);
	}
	bytes = takt_arena_alloc(maker->arena, bytes_count, 1);
	if (maker->block_count)
		qsort(maker->blocks, maker->block_count, sizeof(*maker->blocks), compare_blocks);
	list = TAKT_NEW_ARRAY(maker->arena, maker->block_count, struct takt_trace_block);
	for (uint32_t i = 0; i < maker->block_count; i++) {
		const struct profile_block *from = &maker->blocks[i];
		struct takt_trace_function *function = &maker->functions[from->function];
		uint32_t size = (uint32_t)(from->block->end - from->block->address);

		list[i] = (struct takt_trace_block){
			.address = from->block->address,
			.offset = from->offset,
			.function = from->function,
			.insn_count = from->block->insn_count,
			.size_bytes = size,
			.bytes = memcpy(bytes, from->block->bytes, size),
			.executions = from->executions,
			.weight = weight_of(from),
		};
		if (function->self.insns == 0 && function->address == 0 && from->block->file)
			function->address = from->block->address - from->offset;
		bytes += size;
		profile_add_weight(&function->self, &list[i].weight);
	}
	maker->list = list;
	result->blocks = list;
	result->block_count = maker->block_count;
}

/* ---- edges ---- */

TAKT_ORDER(compare_made_edges, struct takt_trace_edge, TAKT_UP(from), TAKT_UP(to));

static void make_edges(struct maker *maker, struct takt_trace_profile *result)
{
	const struct trace_edges *others = maker->profile->edges;
	uint32_t *index = takt_xcalloc(maker->dictionary->count, sizeof(*index)), count = 0;
	struct takt_trace_edge *list = TAKT_NEW_ARRAY(
		maker->arena, 2 * maker->block_count + others->count, struct takt_trace_edge);

	for (uint32_t i = 0; i < maker->block_count; i++)
		index[maker->blocks[i].block->number] = i;
	for (uint32_t i = 0; i < maker->block_count; i++) {
		const struct trace_block_stats *stats = maker->blocks[i].stats;

		for (unsigned way = 0; way < 2; way++)
			if (stats->next_count[way])
				list[count++] = (struct takt_trace_edge){i, index[stats->next[way]],
									 stats->next_count[way]};
	}
	for (uint32_t i = 0; i < others->size; i++)
		if (others->table[i].count)
			list[count++] = (struct takt_trace_edge){index[others->table[i].from],
								 index[others->table[i].to],
								 others->table[i].count};
	if (count)
		qsort(list, count, sizeof(*list), compare_made_edges);
	result->edges = list;
	result->edge_count = count;
	free(index);
}

/* ---- lines ---- */

TAKT_ORDER(compare_lines, struct takt_trace_line, TAKT_ALPHABETIC(file), TAKT_UP(line));

struct lines {
	struct takt_trace_line *list;
	uint32_t count, capacity;
};

static void add_line(struct lines *lines, const struct trace_line *line,
		     const struct takt_trace_weight *weight)
{
	/* The lines of a block are often those of the block before it. */
	for (uint32_t i = 0; i < 4 && i < lines->count; i++) {
		struct takt_trace_line *last = &lines->list[lines->count - 1 - i];

		if (last->line == line->line && last->file == line->file) {
			profile_add_weight(&last->weight, weight);
			return;
		}
	}
	TAKT_GROW(lines->list, lines->count + 1, lines->capacity);
	lines->list[lines->count++] = (struct takt_trace_line){line->file, line->line, *weight};
}

static void add_block_lines(const struct profile_block *from, struct lines *lines,
			    struct takt_trace_weight *no_line)
{
	const struct trace_block *block = from->block;
	struct takt_trace_weight weight = weight_of(from);

	if (!block->line_count)
		profile_add_weight(no_line, &weight);
	for (uint32_t i = 0; i < block->line_count; i++) {
		/* Instructions before the first row belong to its line. */
		uint32_t first = i ? block->lines[i].insn : 0;
		uint32_t end =
			i + 1u < block->line_count ? block->lines[i + 1].insn : block->insn_count;

		weight = profile_split(from, first, end);
		if (block->lines[i].line)
			add_line(lines, &block->lines[i], &weight);
		else
			profile_add_weight(no_line, &weight);
	}
}

static void make_lines(struct maker *maker, struct takt_trace_profile *result)
{
	struct lines lines = {0};
	struct takt_trace_line *list;
	uint32_t count = 0;

	for (uint32_t i = 0; i < maker->block_count; i++)
		add_block_lines(&maker->blocks[i], &lines, &result->no_line);
	if (lines.count)
		qsort(lines.list, lines.count, sizeof(*lines.list), compare_lines);
	for (uint32_t i = 0; i < lines.count; i++) {
		if (count && compare_lines(&lines.list[count - 1], &lines.list[i]) == 0)
			profile_add_weight(&lines.list[count - 1].weight, &lines.list[i].weight);
		else
			lines.list[count++] = lines.list[i];
	}
	list = takt_arena_grow(maker->arena, lines.list, count, count, sizeof(*list));
	for (uint32_t i = 0; i < count; i++)
		list[i].file = i && strcmp(list[i].file, list[i - 1].file) == 0
				       ? list[i - 1].file
				       : takt_arena_string(maker->arena, list[i].file);
	result->lines = list;
	result->line_count = count;
	free(lines.list);
}

/* ---- loops ---- */

TAKT_ORDER(compare_edges, struct trace_edge, TAKT_UP(from), TAKT_UP(to));

static void make_loops(struct maker *maker, struct takt_trace_profile *result)
{
	const struct trace_edges *all = maker->profile->edges;
	struct trace_edge *edges = takt_xcalloc(all->count, sizeof(*edges));
	struct profile_loops loops = {0};
	struct takt_trace_loop *list;
	size_t edge_count = 0;

	for (uint32_t i = 0; i < all->size; i++)
		if (all->table[i].count)
			edges[edge_count++] = all->table[i];
	if (edge_count)
		qsort(edges, edge_count, sizeof(*edges), compare_edges);
	for (uint32_t first = 0, end; first < maker->block_count; first = end) {
		for (end = first; end < maker->block_count &&
				  maker->blocks[end].function == maker->blocks[first].function;)
			end++;
		profile_find_loops(maker->dictionary, &maker->blocks[first], end - first, edges,
				   edge_count, &loops);
	}
	list = takt_arena_grow(maker->arena, loops.list, loops.count, loops.count, sizeof(*list));
	for (uint32_t i = 0; i < loops.count; i++)
		if (list[i].file)
			list[i].file = takt_arena_string(maker->arena, list[i].file);
	result->loops = list;
	result->loop_count = loops.count;
	free(loops.list);
	free(edges);
}

/* ---- calls ---- */

static bool is_inner_call(const struct trace_context_node *nodes, uint32_t node)
{
	for (uint32_t at = nodes[node].parent; at > TRACE_NODE_OTHER; at = nodes[at].parent)
		if (nodes[at].function == nodes[node].function)
			return true;
	return false;
}

static uint64_t whole_cycles(uint64_t parts)
{
	return (parts + SIM_CYCLE_PARTS / 2) / SIM_CYCLE_PARTS;
}

/* Sum the weight of functions with everything they call, from the leaves of the tree up. */
static void add_totals(const struct maker *maker, const struct trace_context_node *nodes,
		       uint32_t count, const struct takt_trace_node *list)
{
	struct trace_node_stats *sums = takt_xcalloc(count, sizeof(*sums));

	for (uint32_t i = count; i-- > TRACE_NODE_OTHER + 1;) {
		struct takt_trace_function *function =
			&maker->functions[maker->function_index[nodes[i].function]];

		sums[i].insns += list[i].insns;
		sums[i].cycles += list[i].cycles;
		sums[nodes[i].parent].insns += sums[i].insns;
		sums[nodes[i].parent].cycles += sums[i].cycles;
		if (is_inner_call(nodes, i))
			continue;
		function->total_insns += sums[i].insns;
		function->total_cycles += sums[i].cycles;
	}
	/*
	 * Weight in TRACE_NODE_OTHER belongs to no function's total: a total is at least the
	 * function's own weight.
	 */
	for (uint32_t i = 0; i < maker->function_count; i++) {
		struct takt_trace_function *function = &maker->functions[i];

		function->total_cycles = whole_cycles(function->total_cycles);
		if (function->total_insns < function->self.insns)
			function->total_insns = function->self.insns;
		if (function->total_cycles < function->self.cycles)
			function->total_cycles = function->self.cycles;
	}
	free(sums);
}

static void make_nodes(struct maker *maker, struct takt_trace_profile *result)
{
	uint32_t count;
	const struct trace_context_node *nodes =
		takt_trace_context_nodes(maker->profile->context, &count);
	struct takt_trace_node *list = TAKT_NEW_ARRAY(maker->arena, count, struct takt_trace_node);

	for (uint32_t i = 0; i < count; i++) {
		list[i].parent = nodes[i].parent;
		list[i].name = i == TRACE_NODE_ROOT ? "" : "(other)";
		if (i > TRACE_NODE_OTHER)
			list[i].name =
				maker->functions[maker->function_index[nodes[i].function]].name;
		if (i < maker->profile->node_capacity) {
			list[i].insns = maker->profile->nodes[i].insns;
			list[i].cycles = maker->profile->nodes[i].cycles;
		}
	}
	add_totals(maker, nodes, count, list);
	/* Round each node separately: their order depends on how threads interleaved. */
	for (uint32_t i = 0; i < count; i++)
		list[i].cycles = whole_cycles(list[i].cycles);
	result->nodes = list;
	result->node_count = count;
}

static void make_regions(struct maker *maker, struct takt_trace_profile *result)
{
	uint32_t count, node_count;
	const struct trace_context *context = maker->profile->context;
	const struct trace_region *regions = takt_trace_context_regions(context, &count);
	const struct trace_region_node *nodes =
		takt_trace_context_region_nodes(context, &node_count);
	struct takt_trace_region *list =
		TAKT_NEW_ARRAY(maker->arena, count, struct takt_trace_region);

	for (uint32_t i = 0; i < count; i++) {
		list[i].name = takt_arena_string(maker->arena, regions[i].name);
		list[i].entries = regions[i].entries;
	}
	for (uint32_t i = 1; i < node_count; i++) {
		const struct trace_region_stats *stats = &maker->profile->regions[i];
		struct takt_trace_weight weight = profile_weight(stats->insns, stats->losses);

		weight.busy_ports = stats->busy_ports;
		weight.busy_port_cycles = stats->busy_port_parts / SIM_CYCLE_PARTS;
		for (uint32_t at = i; at; at = nodes[at].parent)
			profile_add_weight(&list[nodes[at].region].weight, &weight);
	}
	result->regions = list;
	result->region_count = count;
}

/* Round running sums, not the parts, so that they add up to the rounded sum of all. */
static void round_parts(uint64_t *parts, uint64_t *sum, double cycles_per_part)
{
	long long before = llround((double)*sum * cycles_per_part);

	*sum += *parts;
	*parts = (uint64_t)(llround((double)*sum * cycles_per_part) - before);
}

/*
 * Return the cycles of one part, so that the parts of all blocks add up to the whole's cycles,
 * which were rounded by thread and loss.
 */
static double cycles_of_part(const struct trace_profile *profile, uint32_t loss,
			     const uint64_t *losses)
{
	double parts = 0, cycles;

	for (uint32_t b = 0; losses && b < profile->dictionary->count; b++)
		if (profile->dictionary->blocks[b]->stats)
			parts += (double)profile->dictionary->blocks[b]->stats->losses[loss];
	cycles = parts / SIM_CYCLE_PARTS;
	if (!losses || parts < 1 || fabs((double)losses[loss] - cycles) > ROUNDED_CYCLES_MAX)
		return 1.0 / SIM_CYCLE_PARTS;
	return (double)losses[loss] / parts;
}

/* Round the cycles of blocks and regions; those of nodes stay parts until they are summed. */
static void round_cycles(struct trace_profile *profile, const uint64_t *losses)
{
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
		double cycles_per_part = cycles_of_part(profile, i, losses);
		uint64_t sum = 0;

		for (uint32_t b = 0; b < profile->dictionary->count; b++) {
			struct trace_block_stats *stats = profile->dictionary->blocks[b]->stats;

			if (stats)
				round_parts(&stats->losses[i], &sum, cycles_per_part);
		}
		for (uint32_t r = 0; r < TRACE_REGION_NODES_MAX; r++)
			profile->regions[r].losses[i] = whole_cycles(profile->regions[r].losses[i]);
	}
}

struct takt_trace_profile *takt_trace_profile_finish(struct trace_profile *profile,
						     const struct trace_shares *shares,
						     const uint64_t *losses)
{
	struct result *result = takt_xcalloc(1, sizeof(*result));
	struct maker maker = {
		.profile = profile, .dictionary = profile->dictionary, .arena = &result->arena};

	round_cycles(profile, losses);
	collect_blocks(&maker, shares);
	make_functions(&maker);
	make_blocks(&maker, &result->profile);
	make_edges(&maker, &result->profile);
	make_lines(&maker, &result->profile);
	if (profile->insns)
		profile_make_insns(maker.blocks, &result->profile, maker.arena, maker.list);
	make_loops(&maker, &result->profile);
	make_nodes(&maker, &result->profile);
	make_regions(&maker, &result->profile);
	result->profile.functions = maker.functions;
	result->profile.function_count = maker.function_count;
	free(maker.blocks);
	return &result->profile;
}

void takt_trace_result_free(const struct takt_trace_profile *profile)
{
	TAKT_FREE_OWNER(struct result, profile);
}
