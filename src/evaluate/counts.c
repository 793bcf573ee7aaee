/* SPDX-License-Identifier: MIT */
/* Which blocks of a kernel run, and how often: one run under qemu. */
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"

#define PAGE_BYTES 4096

/* ---- qemu's blocks to ours ---- */

static int compare_offsets(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Where pieces begin and end: each once, ascending. */
static uint64_t *find_cuts(const struct evaluate_block *blocks, size_t count,
			   struct takt_arena *arena, size_t *ret_count)
{
	uint64_t *cuts = TAKT_NEW_ARRAY(arena, 2 * count, uint64_t);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		cuts[2 * i] = blocks[i].offset;
		cuts[2 * i + 1] = blocks[i].offset + blocks[i].size_bytes;
	}
	qsort(cuts, 2 * count, sizeof(*cuts), compare_offsets);
	for (size_t i = 0; i < 2 * count; i++)
		if (kept == 0 || cuts[i] != cuts[kept - 1])
			cuts[kept++] = cuts[i];
	*ret_count = kept;
	return cuts;
}

/* What is between two cuts; executions are 0 if nothing is. */
static struct evaluate_block piece(const struct evaluate_block *blocks, size_t count,
				   uint64_t begin, uint64_t end)
{
	struct evaluate_block result = {.offset = begin, .size_bytes = (uint32_t)(end - begin)};

	for (size_t i = 0; i < count; i++) {
		if (blocks[i].offset > begin || blocks[i].offset + blocks[i].size_bytes < end)
			continue;
		result.bytes = blocks[i].bytes + (begin - blocks[i].offset);
		result.executions += blocks[i].executions;
	}
	return result;
}

static bool ends_in_branch(const struct evaluate_block *block)
{
	const uint8_t *next = block->bytes, *end = block->bytes + block->size_bytes;
	struct takt_step step = {.flow = TAKT_FLOW_STOP};

	while (next < end) {
		if (!takt_step_decode(&takt_isa_x86, next, (size_t)(end - next), &step))
			return true;
		next += step.length_bytes;
	}
	return step.flow != TAKT_FLOW_NEXT;
}

/* Joins `next` to `block` if whoever runs one runs the other: qemu cuts at pages, too. */
static bool join(struct evaluate_block *block, const struct evaluate_block *next,
		 struct takt_arena *arena)
{
	uint8_t *bytes;

	if (block->offset + block->size_bytes != next->offset ||
	    block->executions != next->executions || ends_in_branch(block))
		return false;
	bytes = takt_arena_alloc(arena, block->size_bytes + next->size_bytes, 1);
	memcpy(bytes, block->bytes, block->size_bytes);
	memcpy(bytes + block->size_bytes, next->bytes, next->size_bytes);
	block->bytes = bytes;
	block->size_bytes += next->size_bytes;
	return true;
}

static void split_blocks(const struct evaluate_graph *graph, struct takt_arena *arena,
			 struct evaluate_graph *ret_graph)
{
	size_t cut_count, kept = 0;
	uint64_t *cuts = find_cuts(graph->blocks, graph->block_count, arena, &cut_count);
	struct evaluate_block *result = TAKT_NEW_ARRAY(arena, cut_count, struct evaluate_block);

	for (size_t i = 0; i + 1 < cut_count; i++) {
		struct evaluate_block next =
			piece(graph->blocks, graph->block_count, cuts[i], cuts[i + 1]);

		if (next.executions == 0 || (kept > 0 && join(&result[kept - 1], &next, arena)))
			continue;
		result[kept++] = next;
	}
	ret_graph->blocks = result;
	ret_graph->block_count = kept;
}

uint32_t takt_graph_block_at(const struct evaluate_graph *graph, uint64_t offset)
{
	uint32_t low = 0, high = (uint32_t)graph->block_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (graph->blocks[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int compare_edges(const void *left, const void *right)
{
	const struct evaluate_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* Those inside of qemu's blocks, and those between them, in any order. */
static size_t collect_edges(const struct evaluate_graph *graph, const struct evaluate_graph *pieces,
			    struct evaluate_edge *edges)
{
	size_t count = 0;

	for (size_t i = 0; i < graph->block_count; i++) {
		const struct evaluate_block *block = &graph->blocks[i];
		uint32_t last =
			takt_graph_block_at(pieces, block->offset + block->size_bytes - 1);

		for (uint32_t at = takt_graph_block_at(pieces, block->offset); at < last; at++)
			edges[count++] = (struct evaluate_edge){at, at + 1, block->executions};
	}
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct evaluate_block *from = &graph->blocks[graph->edges[i].from];
		uint64_t offset = graph->blocks[graph->edges[i].to].offset;
		uint32_t to = takt_graph_block_at(pieces, offset);

		/* Otherwise the two were joined. */
		if (pieces->blocks[to].offset == offset)
			edges[count++] = (struct evaluate_edge){
				takt_graph_block_at(pieces, from->offset + from->size_bytes - 1),
				to, graph->edges[i].count};
	}
	return count;
}

static void split_edges(const struct evaluate_graph *graph, struct takt_arena *arena,
			struct evaluate_graph *ret_graph)
{
	/* A block has no more than all pieces. */
	size_t most = graph->block_count * ret_graph->block_count + graph->edge_count, count;
	struct evaluate_edge *edges = TAKT_NEW_ARRAY(arena, most, struct evaluate_edge);
	size_t kept = 0;

	count = collect_edges(graph, ret_graph, edges);
	if (count)
		qsort(edges, count, sizeof(*edges), compare_edges);
	for (size_t i = 0; i < count; i++) {
		if (kept && compare_edges(&edges[kept - 1], &edges[i]) == 0)
			edges[kept - 1].count += edges[i].count;
		else
			edges[kept++] = edges[i];
	}
	ret_graph->edges = edges;
	ret_graph->edge_count = kept;
}

struct evaluate_graph takt_blocks_split(const struct evaluate_graph *graph,
					struct takt_arena *arena)
{
	struct evaluate_graph result;

	split_blocks(graph, arena, &result);
	split_edges(graph, arena, &result);
	return result;
}

/* ---- a run ---- */

static bool is_kernel(const struct takt_trace_function *function, const char *path)
{
	const char *name = strrchr(path, '/'), *file;

	if (!function->symbol || strcmp(function->symbol, "kernel") != 0 || !function->file)
		return false;
	file = strrchr(function->file, '/');
	return file && strcmp(file, name) == 0;
}

uint32_t takt_counts_find_kernel(const struct takt_trace_profile *profile, const char *path)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (is_kernel(&profile->functions[i], path))
			return i;
	return UINT32_MAX;
}

static void collect_blocks(const struct takt_trace_profile *profile, uint32_t kernel,
			   struct takt_arena *arena, uint32_t *numbers, struct evaluate_graph *graph)
{
	struct evaluate_block *blocks =
		TAKT_NEW_ARRAY(arena, profile->block_count, struct evaluate_block);
	uint64_t page_offset = profile->functions[kernel].address % PAGE_BYTES;

	for (uint32_t i = 0; i < profile->block_count; i++) {
		const struct takt_trace_block *block = &profile->blocks[i];

		numbers[i] = UINT32_MAX;
		if (block->function != kernel)
			continue;
		numbers[i] = (uint32_t)graph->block_count;
		blocks[graph->block_count++] =
			(struct evaluate_block){.offset = block->offset + page_offset,
						.bytes = block->bytes,
						.size_bytes = block->size_bytes,
						.executions = block->executions};
	}
	graph->blocks = blocks;
}

static struct evaluate_graph collect(const struct takt_trace_profile *profile, uint32_t kernel,
				     struct takt_arena *arena)
{
	uint32_t *numbers = TAKT_NEW_ARRAY(arena, profile->block_count, uint32_t);
	struct evaluate_edge *edges =
		TAKT_NEW_ARRAY(arena, profile->edge_count, struct evaluate_edge);
	struct evaluate_graph graph = {.edges = edges};

	collect_blocks(profile, kernel, arena, numbers, &graph);
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct takt_trace_edge *edge = &profile->edges[i];

		if (numbers[edge->from] != UINT32_MAX && numbers[edge->to] != UINT32_MAX)
			edges[graph.edge_count++] = (struct evaluate_edge){
				numbers[edge->from], numbers[edge->to], edge->count};
	}
	return takt_blocks_split(&graph, arena);
}

static enum takt_status store_run(struct takt_evaluation *evaluation, struct takt_diag *diag,
				  int64_t id, uint64_t insns, const char *reason)
{
	return takt_store_run(evaluation, diag, "INSERT OR REPLACE INTO run VALUES (?, ?, ?)",
			      "iis", id, (int64_t)insns, reason);
}

static enum takt_status store_graph(struct takt_evaluation *evaluation, struct takt_diag *diag,
				    int64_t id, const struct evaluate_graph *graph, uint64_t insns)
{
	const struct evaluate_block *blocks = graph->blocks;
	enum takt_status status = takt_store_run(evaluation, diag, "BEGIN", "");

	for (size_t i = 0; status == TAKT_OK && i < graph->block_count; i++)
		status = takt_store_run(evaluation, diag,
					"INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?)", "iibi",
					id, (int64_t)blocks[i].offset,
					(const void *)blocks[i].bytes, (size_t)blocks[i].size_bytes,
					(int64_t)(blocks[i].executions / EVALUATE_CALLS));
	for (size_t i = 0; status == TAKT_OK && i < graph->edge_count; i++)
		status = takt_store_run(evaluation, diag,
					"INSERT OR REPLACE INTO edge VALUES (?, ?, ?, ?)", "iiii",
					id, (int64_t)blocks[graph->edges[i].from].offset,
					(int64_t)blocks[graph->edges[i].to].offset,
					(int64_t)(graph->edges[i].count / EVALUATE_CALLS));
	if (status == TAKT_OK)
		status = store_run(evaluation, diag, id, insns / EVALUATE_CALLS, "");
	if (status == TAKT_OK)
		return takt_store_run(evaluation, diag, "COMMIT", "");
	/* Closing the database would do the same. */
	return takt_store_run(evaluation, NULL, "ROLLBACK", "") == TAKT_OK ? status
									   : TAKT_BAD_INPUT;
}

static enum takt_status count_one(struct takt_evaluation *evaluation, struct takt_diag *diag,
				  int64_t id, char *path, struct takt_arena *arena)
{
	char *runner = takt_arena_printf(arena, "%s/run", evaluation->directory);
	char *calls = takt_arena_printf(arena, "%d", EVALUATE_CALLS);
	char *const argv[] = {runner, path, calls, NULL};
	const struct takt_trace_options options = {.blocks_only = true, .profile = true};
	struct takt_trace_totals *totals;
	const struct takt_trace_function *kernel = NULL;
	enum takt_status status = takt_trace_run(argv, &options, diag, &totals);
	uint32_t index;

	if (status != TAKT_OK)
		return status;
	index = takt_counts_find_kernel(totals->profile, path);
	if (index != UINT32_MAX)
		kernel = &totals->profile->functions[index];
	if (totals->exit_status != 0 || !kernel) {
		status = store_run(evaluation, diag, id, 0, "the kernel did not run");
	} else if (kernel->self.insns != kernel->total_insns) {
		status = store_run(evaluation, diag, id, 0, "the kernel calls other functions");
	} else {
		struct evaluate_graph graph = collect(totals->profile, index, arena);

		status = store_graph(evaluation, diag, id, &graph, kernel->self.insns);
	}
	takt_trace_totals_free(totals);
	return status;
}

char *takt_counts_path(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		       struct takt_arena *arena)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag, "SELECT file FROM benchmark WHERE id = ?", "i", id);
	char *path = NULL;

	if (statement && takt_store_next(evaluation, diag, statement))
		path = takt_arena_printf(arena, "%s/%s", evaluation->directory,
					 takt_store_text(arena, statement, 0));
	sqlite3_finalize(statement);
	return path;
}

enum takt_status takt_evaluation_count(struct takt_evaluation *evaluation, struct takt_diag *diag)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT id FROM benchmark WHERE state = 'built' AND id % ? = ? AND"
		" id NOT IN (SELECT benchmark FROM run) ORDER BY id",
		"ii", (int64_t)evaluation->shard_count, (int64_t)evaluation->shard - 1);
	struct takt_arena arena = {0};
	enum takt_status status;
	int64_t *ids;
	size_t count;

	status = takt_store_list(evaluation, diag, statement, &ids, &count);
	for (size_t i = 0; status == TAKT_OK && i < count; i++) {
		char *path;

		takt_arena_clear(&arena);
		path = takt_counts_path(evaluation, diag, ids[i], &arena);
		status = path ? count_one(evaluation, diag, ids[i], path, &arena) : TAKT_BAD_INPUT;
		takt_evaluate_say(evaluation, "count %zu of %zu", i + 1, count);
	}
	takt_arena_release(&arena);
	return status;
}
