/* SPDX-License-Identifier: MIT */
/* The profile of a traced program as tables, the most expensive rows first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/trace.h"
#include "trace/trace.h"

#define NAME_COLUMNS 160
#define SOURCE_COLUMNS 80
#define CAUSE_LEAST 0.05 /* of a part's cycles: smaller causes are not named */
#define CAUSES_MAX 2
#define CAUSES_COLUMNS 38

struct rows {
	const struct takt_trace_totals *totals;
	const struct takt_trace_profile *profile;
	struct takt_text *text;
	struct takt_sources *sources;
	bool timed;
};

/* ---- columns common to all tables ---- */

static void write_share(const struct rows *rows, uint64_t part, uint64_t all)
{
	takt_text_printf(rows->text, "  %6.2f", all ? 100 * (double)part / (double)all : 0);
}

static uint64_t whole(const struct rows *rows)
{
	return rows->timed ? rows->totals->all.cycles : rows->totals->all.insns;
}

static void write_heads(const struct rows *rows, const char *title)
{
	takt_text_printf(rows->text, "\n%s\n\n", title);
	if (rows->timed)
		takt_text_printf(rows->text, "%17s  ", "cycles");
	else
		takt_text_printf(rows->text, "%17s  ", "instructions");
	takt_text_printf(rows->text, "%6s", "%");
	if (rows->timed)
		takt_text_printf(rows->text, "  %17s  %5s", "instructions", "IPC");
}

static void write_weight(const struct rows *rows, const struct takt_trace_weight *weight)
{
	char buffer[TAKT_GROUPED_SIZE];
	uint64_t value = rows->timed ? weight->cycles : weight->insns;

	takt_text_printf(rows->text, "%17s", takt_trace_grouped(value, buffer));
	write_share(rows, value, whole(rows));
	if (rows->timed)
		takt_text_printf(
			rows->text, "  %17s  %5.2f", takt_trace_grouped(weight->insns, buffer),
			weight->cycles ? (double)weight->insns / (double)weight->cycles : 0);
}

static void write_number(const struct rows *rows, uint64_t number)
{
	char buffer[TAKT_GROUPED_SIZE];

	takt_text_printf(rows->text, "  %15s", takt_trace_grouped(number, buffer));
}

static bool is_retiring(uint32_t loss)
{
	const char *category = takt_trace_loss_category(loss, 1);

	return category && strcmp(category, "retiring") == 0;
}

/* Write a cause by name; ports by theirs, if most of it is due to the same ones. */
static void write_cause(const struct rows *rows, const struct takt_trace_weight *weight,
			uint32_t loss)
{
	uint64_t cycles = weight->losses[loss];

	takt_text_add_string(rows->text, "  ");
	if (strcmp(takt_trace_loss_name(loss), "ports") == 0 &&
	    2 * weight->busy_port_cycles > cycles)
		takt_trace_write_ports(rows->totals, weight->busy_ports, rows->text);
	else
		takt_text_add_string(rows->text, takt_trace_loss_name(loss));
	takt_text_printf(rows->text, " %.0f %%", 100 * (double)cycles / (double)weight->cycles);
}

/* Write the causes of most cycles, apart from retiring. */
static void write_causes(const struct rows *rows, const struct takt_trace_weight *weight)
{
	size_t start = rows->text->size_bytes;
	uint32_t written = 0;

	for (unsigned shown = 0; shown < CAUSES_MAX; shown++) {
		uint32_t best = TAKT_TRACE_LOSSES;

		for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
			if (!is_retiring(i) && !(written >> i & 1) &&
			    (best == TAKT_TRACE_LOSSES || weight->losses[i] > weight->losses[best]))
				best = i;
		if (weight->losses[best] == 0 ||
		    (double)weight->losses[best] < CAUSE_LEAST * (double)weight->cycles)
			break;
		write_cause(rows, weight, best);
		written |= (uint32_t)1 << best;
	}
	if (rows->timed && rows->text->size_bytes - start < CAUSES_COLUMNS)
		takt_text_pad(rows->text, ' ', CAUSES_COLUMNS - (rows->text->size_bytes - start));
}

static void write_name(const struct rows *rows, const char *name)
{
	takt_text_add_string(rows->text, "  ");
	takt_text_clean(rows->text, name, NAME_COLUMNS);
}

/* Write a place in a function: "name+0x12". */
static void write_place(const struct rows *rows, uint32_t function, uint64_t offset)
{
	write_name(rows, rows->profile->functions[function].name);
	takt_text_printf(rows->text, "+0x%" PRIx64, offset);
}

static void write_line(const struct rows *rows, const char *file, uint32_t line)
{
	if (!file)
		return;
	write_name(rows, file);
	takt_text_printf(rows->text, ":%" PRIu32, line);
}

/* ---- the order ---- */

struct rank {
	uint64_t value;
	uint32_t index;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static struct rank *new_ranks(uint32_t count)
{
	return takt_xcalloc(count, sizeof(struct rank));
}

static uint64_t value_of(const struct rows *rows, const struct takt_trace_weight *weight)
{
	return rows->timed ? weight->cycles : weight->insns;
}

/* ---- tables ---- */

static void write_function(const struct rows *rows, uint32_t index)
{
	const struct takt_trace_function *function = &rows->profile->functions[index];

	write_weight(rows, &function->self);
	write_share(rows, rows->timed ? function->total_cycles : function->total_insns,
		    whole(rows));
	write_number(rows, function->calls);
	write_causes(rows, &function->self);
	write_name(rows, function->name);
}

static void write_source_line(const struct rows *rows, uint32_t index)
{
	const struct takt_trace_line *line = &rows->profile->lines[index];

	write_weight(rows, &line->weight);
	write_causes(rows, &line->weight);
	write_line(rows, line->file, line->line);
	takt_trace_print_source(rows->sources, line->file, line->line, SOURCE_COLUMNS, rows->text);
}

static void write_loop(const struct rows *rows, uint32_t index)
{
	const struct takt_trace_loop *loop = &rows->profile->loops[index];
	double per = loop->iterations
			     ? (double)value_of(rows, &loop->weight) / (double)loop->iterations
			     : 0;

	write_weight(rows, &loop->weight);
	write_number(rows, loop->iterations);
	write_number(rows, loop->entries);
	takt_text_printf(rows->text, "  %10.2f  %5" PRIu32, per, loop->depth);
	write_causes(rows, &loop->weight);
	write_place(rows, loop->function, loop->offset);
	write_line(rows, loop->file, loop->line);
}

static void write_block(const struct rows *rows, uint32_t index)
{
	const struct takt_trace_block *block = &rows->profile->blocks[index];
	double per =
		block->executions ? (double)block->weight.cycles / (double)block->executions : 0;

	write_weight(rows, &block->weight);
	write_number(rows, block->executions);
	if (rows->timed)
		takt_text_printf(rows->text, "  %10.2f", per);
	takt_text_printf(rows->text, "  %5" PRIu32, block->insn_count);
	takt_text_printf(rows->text, "  %16" PRIx64, block->address);
	write_causes(rows, &block->weight);
	write_place(rows, block->function, block->offset);
}

/* Write the rows of highest rank, and how many are left out. */
static void write_ranked(const struct rows *rows, struct rank *ranks, uint32_t count, uint32_t top,
			 void (*write)(const struct rows *rows, uint32_t index))
{
	if (count)
		qsort(ranks, count, sizeof(*ranks), compare_ranks);
	for (uint32_t i = 0; i < count && i < top; i++) {
		write(rows, ranks[i].index);
		takt_text_add_string(rows->text, "\n");
	}
	if (count > top)
		takt_text_printf(rows->text, "%17s  (%" PRIu32 " more)\n", "\u2026", count - top);
	free(ranks);
}

static void write_functions(const struct rows *rows, uint32_t top)
{
	uint32_t count = rows->profile->function_count;
	struct rank *ranks = new_ranks(count);

	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct rank){value_of(rows, &rows->profile->functions[i].self), i};
	write_heads(rows, "functions");
	takt_text_printf(rows->text, "  %6s  %15s%-*s  name\n", "% all", "calls",
			 rows->timed ? CAUSES_COLUMNS : 0, rows->timed ? "  causes" : "");
	write_ranked(rows, ranks, count, top, write_function);
}

static void write_lines(const struct rows *rows, uint32_t top)
{
	uint32_t count = rows->profile->line_count;
	struct rank *ranks = new_ranks(count);

	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct rank){value_of(rows, &rows->profile->lines[i].weight), i};
	write_heads(rows, "source lines");
	takt_text_printf(rows->text, "%-*s  line\n", rows->timed ? CAUSES_COLUMNS : 0,
			 rows->timed ? "  causes" : "");
	write_ranked(rows, ranks, count, top, write_source_line);
	write_weight(rows, &rows->profile->no_line);
	write_causes(rows, &rows->profile->no_line);
	takt_text_add_string(rows->text, "  of no known line\n");
}

static void write_loops(const struct rows *rows, uint32_t top)
{
	uint32_t count = rows->profile->loop_count;
	struct rank *ranks = new_ranks(count);

	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct rank){value_of(rows, &rows->profile->loops[i].weight), i};
	write_heads(rows, "loops, without the functions they call");
	takt_text_printf(rows->text, "  %15s  %15s  %10s  %5s%-*s  place\n", "iterations",
			 "entries", rows->timed ? "cycles/it" : "insns/it", "depth",
			 rows->timed ? CAUSES_COLUMNS : 0, rows->timed ? "  causes" : "");
	write_ranked(rows, ranks, count, top, write_loop);
}

static void write_blocks(const struct rows *rows, uint32_t top)
{
	uint32_t count = rows->profile->block_count;
	struct rank *ranks = new_ranks(count);

	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct rank){value_of(rows, &rows->profile->blocks[i].weight), i};
	write_heads(rows, "blocks");
	takt_text_printf(rows->text, "  %15s", "executions");
	if (rows->timed)
		takt_text_printf(rows->text, "  %10s", "cycles/ex");
	takt_text_printf(rows->text, "  %5s  %16s%-*s  place\n", "insns", "address",
			 rows->timed ? CAUSES_COLUMNS : 0, rows->timed ? "  causes" : "");
	write_ranked(rows, ranks, count, top, write_block);
}

static void write_regions(const struct rows *rows)
{
	const struct takt_trace_profile *profile = rows->profile;

	if (profile->region_count == 0)
		return;
	write_heads(rows, "regions, with the functions they call");
	takt_text_printf(rows->text, "  %15s%-*s  region\n", "entries",
			 rows->timed ? CAUSES_COLUMNS : 0, rows->timed ? "  causes" : "");
	for (uint32_t i = 0; i < profile->region_count; i++) {
		write_weight(rows, &profile->regions[i].weight);
		write_number(rows, profile->regions[i].entries);
		write_causes(rows, &profile->regions[i].weight);
		write_name(rows, profile->regions[i].name);
		takt_text_add_string(rows->text, "\n");
	}
}

void takt_trace_print_profile(const struct takt_trace_totals *totals,
			      const struct takt_trace_write_options *options,
			      struct takt_text *text)
{
	struct takt_sources sources = {0};
	const struct rows rows = {totals, totals->profile, text, &sources, totals->core != NULL};

	write_regions(&rows);
	if (options->top == 0)
		return;
	switch (options->by) {
	case TAKT_TRACE_FUNCTION:
		write_functions(&rows, options->top);
		break;
	case TAKT_TRACE_LINE:
		write_lines(&rows, options->top);
		break;
	case TAKT_TRACE_LOOP:
		write_loops(&rows, options->top);
		break;
	case TAKT_TRACE_BLOCK:
		write_blocks(&rows, options->top);
		break;
	}
	takt_sources_release(&sources);
}
