/* SPDX-License-Identifier: MIT */
/* Run each kernel once under qemu: which blocks run, how often, and what memory they access. */
#include <string.h>
#include <unistd.h>

#include "evaluate/evaluate.h"

#define PAGE_BYTES 4096

static bool is_kernel(const struct takt_trace_function *function, const char *path)
{
	return function->symbol && strcmp(function->symbol, "kernel") == 0 && function->file &&
	       strcmp(takt_path_name(function->file), takt_path_name(path)) == 0;
}

uint32_t takt_counts_find_kernel(const struct takt_trace_profile *profile, const char *path)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (is_kernel(&profile->functions[i], path))
			return i;
	return UINT32_MAX;
}

static void collect_blocks(const struct takt_trace_profile *profile, uint32_t kernel,
			   struct takt_arena *arena, uint32_t *numbers,
			   struct takt_flow_counts *graph)
{
	struct takt_flow_block *blocks =
		TAKT_NEW_ARRAY(arena, profile->block_count, struct takt_flow_block);
	uint64_t page_offset = profile->functions[kernel].address % PAGE_BYTES;

	for (uint32_t i = 0; i < profile->block_count; i++) {
		const struct takt_trace_block *block = &profile->blocks[i];

		numbers[i] = UINT32_MAX;
		if (block->function != kernel)
			continue;
		numbers[i] = (uint32_t)graph->block_count;
		blocks[graph->block_count++] =
			(struct takt_flow_block){.offset = block->offset + page_offset,
						 .bytes = block->bytes,
						 .size_bytes = block->size_bytes,
						 .executions = block->executions};
	}
	graph->blocks = blocks;
}

static struct takt_flow_counts collect(const struct takt_trace_profile *profile, uint32_t kernel,
				       struct takt_arena *arena)
{
	uint32_t *numbers = TAKT_NEW_ARRAY(arena, profile->block_count, uint32_t);
	struct takt_flow_edge *edges =
		TAKT_NEW_ARRAY(arena, profile->edge_count, struct takt_flow_edge);
	struct takt_flow_counts graph = {.edges = edges};

	collect_blocks(profile, kernel, arena, numbers, &graph);
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct takt_trace_edge *edge = &profile->edges[i];

		if (numbers[edge->from] != UINT32_MAX && numbers[edge->to] != UINT32_MAX)
			edges[graph.edge_count++] = (struct takt_flow_edge){
				numbers[edge->from], numbers[edge->to], edge->count};
	}
	return takt_blocks_split(&graph, arena);
}

/* ---- writing to the database ---- */

static enum takt_status store_graph(struct takt_evaluation *evaluation, struct takt_diag *diag,
				    int64_t id, const struct takt_flow_counts *graph)
{
	const struct takt_flow_block *blocks = graph->blocks;
	enum takt_status status = TAKT_OK;

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
	return status;
}

static enum takt_status store_dynamics(struct takt_evaluation *evaluation, struct takt_diag *diag,
				       int64_t id, const struct takt_flow_counts *graph,
				       const struct evaluate_dynamics *dynamics)
{
	enum takt_status status = TAKT_OK;

	for (size_t i = 0; status == TAKT_OK && i < dynamics->dependence_count; i++) {
		const struct evaluate_dependence *one = &dynamics->dependences[i];

		status = takt_store_run(
			evaluation, diag,
			"INSERT OR REPLACE INTO dependence VALUES (?, ?, ?, ?, ?, ?, ?)", "iiiiiii",
			id, (int64_t)one->writer, (int64_t)one->reader, (int64_t)one->counts[0],
			(int64_t)one->counts[1], (int64_t)one->counts[2], (int64_t)one->counts[3]);
	}
	for (size_t i = 0; status == TAKT_OK && i < graph->block_count; i++) {
		struct takt_entry_value values[EVALUATE_ENTRY_VALUES];
		uint32_t count =
			takt_entry_values_find(&graph->blocks[i], &dynamics->samples[i], values);

		for (uint32_t k = 0; status == TAKT_OK && k < count; k++)
			status = takt_store_run(evaluation, diag,
						"INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)",
						"iiii", id, (int64_t)graph->blocks[i].offset,
						(int64_t)values[k].location,
						(int64_t)values[k].value);
	}
	return status;
}

/* ---- one run ---- */

struct counted {
	struct takt_evaluation *evaluation;
	struct takt_diag *diag;
	struct takt_arena *arena;
	const char *path, *log; /* paths of the library and of the run's log */
	int64_t id;
};

static enum takt_status store_run(const struct counted *counted, const char *reason, uint64_t insns,
				  const struct evaluate_dynamics *dynamics, uint64_t base)
{
	return takt_store_run(counted->evaluation, counted->diag,
			      "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?)", "iisiii",
			      counted->id, (int64_t)insns, reason, (int64_t)dynamics->accesses,
			      (int64_t)dynamics->misses, (int64_t)base);
}

static enum takt_status store(const struct counted *counted,
			      const struct takt_trace_profile *profile, uint32_t kernel)
{
	struct takt_evaluation *evaluation = counted->evaluation;
	const struct takt_trace_function *function = &profile->functions[kernel];
	uint64_t page_offset = function->address % PAGE_BYTES;
	struct evaluate_dynamics dynamics = {.page_offset = page_offset, .entry = page_offset};
	struct takt_flow_counts graph = collect(profile, kernel, counted->arena);
	enum takt_status status = takt_dynamics_read(counted->log, counted->path, &graph,
						     counted->arena, counted->diag, &dynamics);

	if (status != TAKT_OK)
		return status;
	status = takt_store_run(evaluation, counted->diag, "BEGIN", "");
	if (status == TAKT_OK)
		status = store_graph(evaluation, counted->diag, counted->id, &graph);
	if (status == TAKT_OK)
		status = store_dynamics(evaluation, counted->diag, counted->id, &graph, &dynamics);
	if (status == TAKT_OK)
		status = store_run(counted, "", function->self.insns / EVALUATE_CALLS, &dynamics,
				   function->address - page_offset);
	if (status == TAKT_OK)
		return takt_store_run(evaluation, counted->diag, "COMMIT", "");
	/* Closing the database would roll back as well. */
	return takt_store_run(evaluation, NULL, "ROLLBACK", "") == TAKT_OK ? status
									   : TAKT_BAD_INPUT;
}

static enum takt_status store_failure(const struct counted *counted, const char *reason)
{
	static const struct evaluate_dynamics none;

	return store_run(counted, reason, 0, &none, 0);
}

static enum takt_status count_one(struct takt_evaluation *evaluation, struct takt_diag *diag,
				  int64_t id, char *path, struct takt_arena *arena)
{
	char *runner = takt_arena_printf(arena, "%s/run", evaluation->directory);
	char *calls = takt_arena_printf(arena, "%d", EVALUATE_CALLS);
	/* Shards may share the directory, so the log's name has the benchmark's number. */
	const char *log =
		takt_arena_printf(arena, "%s/log-%lld", evaluation->directory, (long long)id);
	char *const argv[] = {runner, path, calls, NULL};
	const struct takt_trace_options options = {
		.profile = true, .named_file = takt_path_name(path), .log_path = log};
	const struct counted counted = {evaluation, diag, arena, path, log, id};
	const struct takt_trace_function *kernel = NULL;
	struct takt_trace_totals *totals;
	enum takt_status status = takt_trace_run(argv, &options, diag, &totals);
	uint32_t index;

	if (status != TAKT_OK)
		return status;
	index = takt_counts_find_kernel(totals->profile, path);
	if (index != UINT32_MAX)
		kernel = &totals->profile->functions[index];
	if (totals->exit_status != 0 || !kernel)
		status = store_failure(&counted, "the kernel did not run");
	else if (kernel->self.insns != kernel->total_insns)
		status = store_failure(&counted, "the kernel calls other functions");
	else
		status = store(&counted, totals->profile, index);
	unlink(log);
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
		"SELECT id FROM benchmark WHERE state = 'built' AND (id - 1) % ? = ? AND"
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
