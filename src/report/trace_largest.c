/* SPDX-License-Identifier: MIT */
/* The largest rows of a trace's profile as JSON, for readers that cannot bear all of them. */
#include <stdlib.h>
#include <string.h>

#include "report/trace.h"

/* The rows of a list that are kept, in the list's order. */
struct kept {
	void *rows;
	uint32_t count;
};

static int compare_costs(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a > *b ? -1 : *a < *b;
}

/* Return the least cost of the `most` largest ones, of which there are more. */
static uint64_t find_least(const uint64_t *costs, uint32_t count, uint32_t most)
{
	uint64_t *sorted = takt_xcalloc(count, sizeof(*sorted)), least;

	memcpy(sorted, costs, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_costs);
	least = sorted[most - 1];
	free(sorted);
	return least;
}

/* Copy the rows of largest weight, which is at `weight_offset` of each row. */
static struct kept keep(const void *rows, uint32_t count, size_t size_bytes, size_t weight_offset,
			bool timed, uint32_t most)
{
	uint64_t *costs = takt_xcalloc(count, sizeof(*costs)), least = 0;
	struct kept kept = {.rows = takt_xcalloc(count < most ? count : most, size_bytes)};
	const uint8_t *row = rows;

	for (uint32_t i = 0; i < count; i++) {
		struct takt_trace_weight weight;

		memcpy(&weight, row + i * size_bytes + weight_offset, sizeof(weight));
		costs[i] = timed ? weight.cycles : weight.insns;
	}
	if (count > most)
		least = find_least(costs, count, most);
	for (uint32_t i = 0; i < count && kept.count < most; i++)
		if (costs[i] >= least)
			memcpy((uint8_t *)kept.rows + kept.count++ * size_bytes,
			       row + i * size_bytes, size_bytes);
	free(costs);
	return kept;
}

void takt_write_trace_largest_json(const struct takt_trace_totals *totals, uint32_t rows_max,
				   struct takt_text *text)
{
	struct takt_trace_totals shown = *totals;
	struct takt_trace_profile profile;
	bool timed = totals->core != NULL;
	struct kept blocks, lines, loops;

	if (!totals->profile) {
		takt_write_trace_json(totals, text);
		return;
	}
	profile = *totals->profile;
	blocks = keep(profile.blocks, profile.block_count, sizeof(*profile.blocks),
		      offsetof(struct takt_trace_block, weight), timed, rows_max);
	lines = keep(profile.lines, profile.line_count, sizeof(*profile.lines),
		     offsetof(struct takt_trace_line, weight), timed, rows_max);
	loops = keep(profile.loops, profile.loop_count, sizeof(*profile.loops),
		     offsetof(struct takt_trace_loop, weight), timed, rows_max);
	profile.blocks = blocks.rows;
	profile.block_count = blocks.count;
	profile.lines = lines.rows;
	profile.line_count = lines.count;
	profile.loops = loops.rows;
	profile.loop_count = loops.count;
	shown.profile = &profile;
	takt_write_trace_json(&shown, text);
	free(blocks.rows);
	free(lines.rows);
	free(loops.rows);
}
