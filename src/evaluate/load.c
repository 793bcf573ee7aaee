/* SPDX-License-Identifier: MIT */
/* Loads a benchmark from the database: its code as it ran, its edges, dependences, entry values. */
#include "evaluate/evaluate.h"

static bool load_blocks(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			int64_t id, struct evaluate_code *code)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT offset, code, executions FROM block WHERE benchmark = ?1 ORDER BY offset",
		"i", id);
	struct takt_flow_block *blocks = NULL;
	size_t capacity = 0;

	if (!statement)
		return false;
	code->graph.block_count = 0;
	while (takt_store_next(evaluation, diag, statement)) {
		size_t size = (size_t)sqlite3_column_bytes(statement, 1);
		struct takt_flow_block *block;

		TAKT_GROW_IN(code->arena, blocks, code->graph.block_count + 1, capacity);
		block = &blocks[code->graph.block_count++];
		block->offset = (uint64_t)sqlite3_column_int64(statement, 0);
		block->executions = (uint64_t)sqlite3_column_int64(statement, 2);
		block->size_bytes = (uint32_t)size;
		block->bytes = (const uint8_t *)takt_arena_copy(
			code->arena, sqlite3_column_blob(statement, 1), size);
	}
	code->graph.blocks = blocks;
	return sqlite3_finalize(statement) == SQLITE_OK;
}

static bool load_edges(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		       struct evaluate_code *code)
{
	sqlite3_stmt *statement = takt_store_query(evaluation, diag,
						   "SELECT source, target, executions FROM edge"
						   " WHERE benchmark = ?1 ORDER BY source, target",
						   "i", id);
	struct takt_flow_edge *edges = NULL;
	size_t capacity = 0;

	if (!statement)
		return false;
	code->graph.edge_count = 0;
	while (takt_store_next(evaluation, diag, statement)) {
		TAKT_GROW_IN(code->arena, edges, code->graph.edge_count + 1, capacity);
		edges[code->graph.edge_count++] = (struct takt_flow_edge){
			takt_graph_block_at(&code->graph,
					    (uint64_t)sqlite3_column_int64(statement, 0)),
			takt_graph_block_at(&code->graph,
					    (uint64_t)sqlite3_column_int64(statement, 1)),
			(uint64_t)sqlite3_column_int64(statement, 2)};
	}
	code->graph.edges = edges;
	return sqlite3_finalize(statement) == SQLITE_OK;
}

static bool load_base(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		      struct evaluate_code *code)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag, "SELECT base FROM run WHERE benchmark = ?", "i", id);

	if (!statement)
		return false;
	if (takt_store_next(evaluation, diag, statement))
		code->base = (uint64_t)sqlite3_column_int64(statement, 0);
	return sqlite3_finalize(statement) == SQLITE_OK;
}

static bool load_dependences(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			     int64_t id, struct evaluate_code *code)
{
	sqlite3_stmt *statement = takt_store_query(
		evaluation, diag,
		"SELECT writer, reader, count, count_1024, count_512, count_own FROM dependence"
		" WHERE benchmark = ?1 ORDER BY writer, reader",
		"i", id);
	struct evaluate_dependence *list = NULL;
	size_t capacity = 0;

	if (!statement)
		return false;
	code->dependence_count = 0;
	while (takt_store_next(evaluation, diag, statement)) {
		struct evaluate_dependence *one;

		TAKT_GROW_IN(code->arena, list, code->dependence_count + 1, capacity);
		one = &list[code->dependence_count++];
		one->writer = (uint32_t)sqlite3_column_int64(statement, 0);
		one->reader = (uint32_t)sqlite3_column_int64(statement, 1);
		for (int i = 0; i < EVALUATE_LIFETIMES; i++)
			one->counts[i] = (uint64_t)sqlite3_column_int64(statement, 2 + i);
	}
	code->dependences = list;
	return sqlite3_finalize(statement) == SQLITE_OK;
}

static bool load_entries(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			 int64_t id, struct evaluate_code *code)
{
	sqlite3_stmt *statement =
		takt_store_query(evaluation, diag,
				 "SELECT offset, register, value FROM entry WHERE benchmark = ?1"
				 " ORDER BY offset, register",
				 "i", id);
	struct evaluate_entry *list = NULL;
	size_t capacity = 0;

	if (!statement)
		return false;
	code->entry_count = 0;
	while (takt_store_next(evaluation, diag, statement)) {
		TAKT_GROW_IN(code->arena, list, code->entry_count + 1, capacity);
		list[code->entry_count++] =
			(struct evaluate_entry){(uint64_t)sqlite3_column_int64(statement, 0),
						{(uint8_t)sqlite3_column_int(statement, 1),
						 (uint64_t)sqlite3_column_int64(statement, 2)}};
	}
	code->entries = list;
	return sqlite3_finalize(statement) == SQLITE_OK;
}

bool takt_code_load(const struct takt_evaluation *evaluation, struct takt_diag *diag, int64_t id,
		    struct evaluate_code *code)
{
	takt_arena_clear(code->arena);
	code->path = takt_counts_path(evaluation, diag, id, code->arena);
	return code->path && load_blocks(evaluation, diag, id, code) &&
	       load_edges(evaluation, diag, id, code);
}

bool takt_code_load_dynamics(const struct takt_evaluation *evaluation, struct takt_diag *diag,
			     int64_t id, struct evaluate_code *code)
{
	return load_base(evaluation, diag, id, code) &&
	       load_dependences(evaluation, diag, id, code) &&
	       load_entries(evaluation, diag, id, code);
}
