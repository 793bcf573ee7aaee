/* SPDX-License-Identifier: MIT */
/* Lists the instructions of blocks, each with its source line and its part of the cycles. */
#include <string.h>

#include "trace/profile/profile.h"

/* A line to look for among the result's, which are sorted by file and number. */
struct key {
	const char *file;
	uint32_t line;
};

static int compare_line(const struct takt_trace_line *line, const struct key *key)
{
	int order = strcmp(line->file, key->file);

	return order ? order : (line->line > key->line) - (line->line < key->line);
}

/*
 * Return the name of the file as the result has it, which outlives the one of the trace; NULL if
 * the result has no such line.
 */
static const char *find_file(const struct takt_trace_profile *result, const struct key *key)
{
	uint32_t at = 0;

	TAKT_BISECT(at, result->line_count, compare_line(&result->lines[at], key) < 0);
	if (at < result->line_count && compare_line(&result->lines[at], key) == 0)
		return result->lines[at].file;
	return NULL;
}

static void set_line(const struct takt_trace_profile *result, const struct trace_line *line,
		     const struct takt_trace_insn *last, struct takt_trace_insn *insn)
{
	if (!line || !line->line || !line->file)
		return;
	insn->line = line->line;
	insn->file = last && last->line == line->line && last->file &&
				     strcmp(last->file, line->file) == 0
			     ? last->file
			     : find_file(result, &(struct key){line->file, line->line});
	if (!insn->file)
		insn->line = 0;
}

/* Return the row of source lines that the instruction belongs to; NULL if there is none. */
static const struct trace_line *find_row(const struct trace_block *block, uint32_t insn)
{
	uint32_t row = 0;

	/* Instructions before the first row belong to its line. */
	while (row + 1u < block->line_count && block->lines[row + 1].insn <= insn)
		row++;
	return block->line_count ? &block->lines[row] : NULL;
}

static void fill(const struct profile_block *from, const struct takt_trace_profile *result,
		 struct takt_trace_insn *insns)
{
	const struct trace_block *block = from->block;
	uint32_t offset = 0;

	for (uint32_t i = 0; i < block->insn_count; i++) {
		insns[i] = (struct takt_trace_insn){.offset = offset,
						    .cycles = profile_split(from, i, i + 1).cycles};
		set_line(result, find_row(block, i), i ? &insns[i - 1] : NULL, &insns[i]);
		offset += block->lengths[i];
	}
}

void profile_make_insns(const struct profile_block *blocks, const struct takt_trace_profile *result,
			struct takt_arena *arena, struct takt_trace_block *list)
{
	struct takt_trace_insn *insns;
	size_t count = 0;

	for (uint32_t i = 0; i < result->block_count; i++)
		count += list[i].insn_count;
	insns = TAKT_NEW_ARRAY(arena, count, struct takt_trace_insn);
	for (uint32_t i = 0; i < result->block_count; i++) {
		fill(&blocks[i], result, insns);
		list[i].insns = insns;
		insns += list[i].insn_count;
	}
}
