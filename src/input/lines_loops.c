/* SPDX-License-Identifier: MIT */
/*
 * Finds the loops that source lines mean. A line means the innermost loop with an instruction of
 * it, so that the head of a loop, whose line also has instructions before the loop, means that loop
 * and not the one around it. Of several lines the outermost of their loops counts, and loops that
 * are not inside each other (a vector loop and its remainder) all do.
 */
#include <stdlib.h>
#include <string.h>

#include "input/code.h"

/* A source line with an instruction in a loop. */
struct found_line {
	const char *file;
	uint32_t line;
	size_t region;
};

/* Part of a region's own code. */
struct owned {
	struct takt_span span;
	uint32_t section;
	size_t region;
};

TAKT_ORDER(compare_owned, struct owned, TAKT_UP(section), TAKT_UP(span.begin));

/* List the code of all regions, which do not overlap, by address. */
static struct owned *list_owned(const struct takt_code *code, size_t *ret_count)
{
	struct owned *list;
	size_t count = 0;

	for (size_t i = 0; i < code->entry_count; i++)
		count += takt_entry_span_count(&code->entries[i]);
	list = takt_xcalloc(count, sizeof(*list));
	count = 0;
	for (size_t i = 0; i < code->entry_count; i++)
		for (size_t j = 0; j < takt_entry_span_count(&code->entries[i]); j++)
			list[count++] = (struct owned){takt_entry_span(&code->entries[i], j),
						       code->entries[i].section, i};
	qsort(list, count, sizeof(*list), compare_owned);
	*ret_count = count;
	return list;
}

TAKT_ORDER(compare_lines, struct found_line, TAKT_ALPHABETIC(file), TAKT_UP(line), TAKT_UP(region));

/* List the lines of rows with code in a region, once for each region. */
static size_t find_lines(const struct takt_code *code, const struct takt_line_row *rows,
			 size_t row_count, struct found_line **ret_lines)
{
	struct found_line *lines = NULL;
	size_t count = 0, capacity = 0, owned_count, kept = 0;
	struct owned *owned = list_owned(code, &owned_count);

	for (size_t i = 0; i < row_count; i++) {
		const struct owned place = {.span = {rows[i].span.begin, 0},
					    .section = rows[i].section};
		size_t at;

		TAKT_BISECT(at, owned_count, compare_owned(&owned[at], &place) <= 0);
		for (at -= at > 0; at < owned_count && owned[at].section == rows[i].section &&
				   owned[at].span.begin < rows[i].span.end;
		     at++) {
			if (owned[at].span.end <= rows[i].span.begin)
				continue;
			TAKT_GROW(lines, count + 1, capacity);
			lines[count++] =
				(struct found_line){rows[i].file, rows[i].line, owned[at].region};
		}
	}
	free(owned);
	if (count)
		qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++)
		if (!kept || compare_lines(&lines[kept - 1], &lines[i]) != 0)
			lines[kept++] = lines[i];
	*ret_lines = lines;
	return kept;
}

/* True if `outer` is around the region. */
static bool is_around(const struct takt_code *code, size_t outer, size_t region)
{
	while (region != TAKT_NO_REGION && region != outer)
		region = code->entries[region].outer;
	return region == outer;
}

/* Mark the innermost regions of each line. */
static void choose(const struct takt_code *code, const struct found_line *lines, size_t count,
		   bool *chosen)
{
	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1; end < count && lines[end].line == lines[begin].line &&
				      strcmp(lines[end].file, lines[begin].file) == 0;
		     end++)
			;
		for (size_t i = begin; i < end; i++) {
			bool is_innermost = true;

			for (size_t j = begin; j < end && is_innermost; j++)
				is_innermost = i == j ||
					       !is_around(code, lines[i].region, lines[j].region);
			chosen[lines[i].region] |= is_innermost;
		}
	}
}

/* Remove all regions that are neither chosen nor inside one that is. */
static void keep_chosen(struct takt_code *code, const bool *chosen)
{
	size_t *moved = takt_xcalloc(code->entry_count, sizeof(*moved)), kept = 0;

	for (size_t i = 0; i < code->entry_count; i++) {
		size_t around = i;

		while (around != TAKT_NO_REGION && !chosen[around])
			around = code->entries[around].outer;
		moved[i] = around == TAKT_NO_REGION ? TAKT_NO_REGION : kept++;
	}
	for (size_t i = 0; i < code->entry_count; i++) {
		struct takt_region_entry entry = code->entries[i];
		size_t *inner;

		if (moved[i] == TAKT_NO_REGION)
			continue;
		inner = TAKT_NEW_ARRAY(&code->arena, entry.region.inner_count, size_t);
		for (size_t j = 0; j < entry.region.inner_count; j++)
			inner[j] = moved[entry.region.inner[j]];
		entry.region.inner = inner;
		if (entry.outer != TAKT_NO_REGION && moved[entry.outer] == TAKT_NO_REGION)
			entry.region.outer = takt_place_name(
				code, entry.section, code->entries[entry.outer].region.address);
		entry.outer = entry.outer == TAKT_NO_REGION ? entry.outer : moved[entry.outer];
		code->entries[moved[i]] = entry;
	}
	code->entry_count = kept;
	free(moved);
}

/* Add the loops of the functions, or other parts, that the rows are in. */
static void add_loops(struct takt_code *code, const struct takt_part *parts, size_t part_count,
		      const struct takt_line_row *rows, size_t row_count)
{
	struct takt_part last = {.section = UINT32_MAX};

	for (size_t i = 0; i < row_count; i++) {
		uint64_t at = rows[i].span.begin;
		size_t home;

		if (last.section == rows[i].section && at >= last.span.begin && at < last.span.end)
			continue;
		for (home = takt_parts_find(parts, part_count, rows[i].section);
		     home < part_count && at >= parts[home].span.end; home++)
			;
		if (home == part_count)
			continue;
		last = parts[home];
		if (!last.symbol) {
			const struct takt_symbol *symbol =
				takt_symbol_around(&code->image, last.section, at);

			if (symbol && symbol->is_function && symbol->size_bytes) {
				last.symbol = symbol;
				last.span = (struct takt_span){
					symbol->address, symbol->address + symbol->size_bytes};
			}
		}
		takt_loops_add(code, &last, true);
	}
}

bool takt_lines_add_loops(struct takt_code *code, const struct takt_code_options *options,
			  const struct takt_part *parts, size_t part_count,
			  const struct takt_line_row *rows, size_t row_count)
{
	struct found_line *lines;
	size_t count;
	bool *chosen;

	if (options->whole)
		return false;
	add_loops(code, parts, part_count, rows, row_count);
	count = find_lines(code, rows, row_count, &lines);
	chosen = takt_xcalloc(code->entry_count + 1, sizeof(*chosen));
	choose(code, lines, count, chosen);
	keep_chosen(code, chosen);
	free(chosen);
	free(lines);
	return code->entry_count > 0;
}
