/* SPDX-License-Identifier: MIT */
/* The profile of a traced program as tables, the most expensive rows first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "report/trace.h"
#include "trace/trace.h"

#define NAME_COLUMNS 160
#define SOURCE_COLUMNS 80
#define CAUSE_LEAST 0.05 /* of a part's cycles: smaller causes are not named */
#define CAUSES_MAX 2
#define CAUSES_COLUMNS 36
#define COLUMNS_MAX 12

struct printer {
	const struct takt_trace_totals *totals;
	const struct takt_trace_profile *profile;
	struct takt_text *text;
	struct takt_sources *sources;
	struct takt_arena *arena;
	bool timed;
};

/* ---- rows ---- */

/* A row of any of the tables. */
struct row {
	uint64_t cycles, insns, calls, iterations, entries, executions;
	uint32_t depth, block_insns;
	double share, total_share, insns_per_cycle, each;
	const char *address, *causes, *place;
};

#define RECORD struct row
/* clang-format off */
#define TEXT_ONLY(member) TAKT_FIELD(#member, member, NULL, NULL, .flags = TAKT_NO_JSON | TAKT_NO_CSV)
static const struct takt_field row_fields[] = {
	TEXT_ONLY(cycles), TEXT_ONLY(insns), TEXT_ONLY(share), TEXT_ONLY(total_share),
	TEXT_ONLY(insns_per_cycle), TEXT_ONLY(calls), TEXT_ONLY(iterations), TEXT_ONLY(entries),
	TEXT_ONLY(executions), TEXT_ONLY(each), TEXT_ONLY(depth), TEXT_ONLY(address),
	TEXT_ONLY(block_insns), TEXT_ONLY(causes), TEXT_ONLY(place),
};
/* clang-format on */
#undef RECORD
#undef TEXT_ONLY
static const struct takt_record row_record =
	TAKT_RECORD("row", "A part of the program in a table.", row_fields);

static double ratio(uint64_t part, uint64_t all)
{
	return all ? (double)part / (double)all : 0;
}

static uint64_t value_of(const struct printer *printer, const struct takt_trace_weight *weight)
{
	return printer->timed ? weight->cycles : weight->insns;
}

static double share(const struct printer *printer, uint64_t cycles, uint64_t insns)
{
	const struct takt_trace_counts *all = &printer->totals->all;

	return 100 * (printer->timed ? ratio(cycles, all->cycles) : ratio(insns, all->insns));
}

static bool is_retiring(uint32_t loss)
{
	const char *category = takt_trace_loss_category(loss, 1);

	return category && strcmp(category, "retiring") == 0;
}

/* Write a cause by name; ports by theirs, if most of it is due to the same ones. */
static void write_cause(const struct printer *printer, const struct takt_trace_weight *weight,
			uint32_t loss, struct takt_text *text)
{
	uint64_t cycles = weight->losses[loss];

	if (strcmp(takt_trace_loss_name(loss), "ports") == 0 &&
	    2 * weight->busy_port_cycles > cycles)
		takt_trace_write_ports(printer->totals, weight->busy_ports, text);
	else
		takt_text_add_string(text, takt_trace_loss_name(loss));
	takt_text_printf(text, " %.0f %%", 100 * (double)cycles / (double)weight->cycles);
}

/* Return the causes of most cycles, apart from retiring. */
static const char *causes_of(const struct printer *printer, const struct takt_trace_weight *weight)
{
	struct takt_text text = {0};
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
		takt_text_add_string(&text, shown ? "  " : "");
		write_cause(printer, weight, best, &text);
		written |= (uint32_t)1 << best;
	}
	return takt_text_move(&text, printer->arena);
}

/* Make a row of what all tables show. */
static struct row make_row(const struct printer *printer, const struct takt_trace_weight *weight)
{
	return (struct row){
		.cycles = weight->cycles,
		.insns = weight->insns,
		.share = share(printer, weight->cycles, weight->insns),
		.insns_per_cycle = ratio(weight->insns, weight->cycles),
		.causes = causes_of(printer, weight),
	};
}

/* Write a place in a function: "name+0x12". */
static void write_place(const struct printer *printer, uint32_t function, uint64_t offset,
			struct takt_text *text)
{
	takt_text_clean(text, printer->profile->functions[function].name, NAME_COLUMNS);
	takt_text_printf(text, "+0x%" PRIx64, offset);
}

static void write_line(const char *file, uint32_t line, struct takt_text *text)
{
	takt_text_clean(text, file, NAME_COLUMNS);
	takt_text_printf(text, ":%" PRIu32, line);
}

static struct row function_row(const struct printer *printer, const void *part)
{
	const struct takt_trace_function *function = part;
	struct row row = make_row(printer, &function->self);
	struct takt_text name = {0};

	row.total_share = share(printer, function->total_cycles, function->total_insns);
	row.calls = function->calls;
	takt_text_clean(&name, function->name, NAME_COLUMNS);
	row.place = takt_text_move(&name, printer->arena);
	return row;
}

static struct row line_row(const struct printer *printer, const void *part)
{
	const struct takt_trace_line *line = part;
	struct row row = make_row(printer, &line->weight);
	struct takt_text place = {0};

	if (line->file)
		write_line(line->file, line->line, &place);
	takt_trace_print_source(printer->sources, line->file, line->line, SOURCE_COLUMNS, &place);
	row.place = takt_text_move(&place, printer->arena);
	return row;
}

static struct row loop_row(const struct printer *printer, const void *part)
{
	const struct takt_trace_loop *loop = part;
	struct row row = make_row(printer, &loop->weight);
	struct takt_text place = {0};

	row.iterations = loop->iterations;
	row.entries = loop->entries;
	row.each = ratio(value_of(printer, &loop->weight), loop->iterations);
	row.depth = loop->depth;
	write_place(printer, loop->function, loop->offset, &place);
	if (loop->file) {
		takt_text_add_string(&place, "  ");
		write_line(loop->file, loop->line, &place);
	}
	row.place = takt_text_move(&place, printer->arena);
	return row;
}

static struct row block_row(const struct printer *printer, const void *part)
{
	const struct takt_trace_block *block = part;
	struct row row = make_row(printer, &block->weight);
	struct takt_text place = {0};

	row.executions = block->executions;
	row.each = ratio(block->weight.cycles, block->executions);
	row.block_insns = block->insn_count;
	row.address = takt_arena_printf(printer->arena, "%" PRIx64, block->address);
	write_place(printer, block->function, block->offset, &place);
	row.place = takt_text_move(&place, printer->arena);
	return row;
}

/* ---- columns ---- */

/* A column, and whether traces without or with cycles have it. */
struct shown_column {
	struct takt_column column;
	bool untimed, timed;
};

#define BOTH .untimed = true, .timed = true
#define TIMED .timed = true
#define UNTIMED .untimed = true
#define COUNT(head, key)                                                                           \
	{                                                                                          \
		head, key, 15, .gap = 2, .grouped = true                                           \
	}
/* clang-format off */
#define FIRST_COLUMNS                                                                              \
	{{"cycles", "cycles", 17, .grouped = true}, TIMED},                                        \
	{{"instructions", "insns", 17, .grouped = true}, UNTIMED},                          \
	{{"%", "share", 6, .gap = 2, .format = "%.2f"}, BOTH},                                     \
	{{"instructions", "insns", 17, .gap = 2, .grouped = true}, TIMED},                  \
	{{"IPC", "insns_per_cycle", 5, .gap = 2, .format = "%.2f"}, TIMED}
#define LAST_COLUMNS(head)                                                                         \
	{{"causes", "causes", -CAUSES_COLUMNS, .gap = 2}, TIMED},                                  \
	{{head, "place", 0, .gap = 2}, BOTH}
/* clang-format on */

static const struct shown_column function_columns[] = {
	FIRST_COLUMNS,
	{{"% all", "total_share", 6, .gap = 2, .format = "%.2f"}, BOTH},
	{COUNT("calls", "calls"), BOTH},
	LAST_COLUMNS("name"),
};

static const struct shown_column line_columns[] = {
	FIRST_COLUMNS,
	LAST_COLUMNS("line"),
};

static const struct shown_column loop_columns[] = {
	FIRST_COLUMNS,
	{COUNT("iterations", "iterations"), BOTH},
	{COUNT("entries", "entries"), BOTH},
	{{"cycles/it", "each", 10, .gap = 2, .format = "%.2f"}, TIMED},
	{{"insns/it", "each", 10, .gap = 2, .format = "%.2f"}, UNTIMED},
	{{"depth", "depth", 5, .gap = 2}, BOTH},
	LAST_COLUMNS("place"),
};

static const struct shown_column block_columns[] = {
	FIRST_COLUMNS,
	{COUNT("executions", "executions"), BOTH},
	{{"cycles/ex", "each", 10, .gap = 2, .format = "%.2f"}, TIMED},
	{{"insns", "block_insns", 5, .gap = 2}, BOTH},
	{{"address", "address", 16, .gap = 2}, BOTH},
	LAST_COLUMNS("place"),
};

static const struct shown_column region_columns[] = {
	FIRST_COLUMNS,
	{COUNT("entries", "entries"), BOTH},
	LAST_COLUMNS("region"),
};

/* The columns of a table that a trace has. */
struct columns {
	struct takt_column items[COLUMNS_MAX];
	size_t count;
};

static struct columns choose_columns(const struct printer *printer,
				     const struct shown_column *shown, size_t count)
{
	struct columns columns = {.count = 0};

	for (size_t i = 0; i < count; i++)
		if (printer->timed ? shown[i].timed : shown[i].untimed)
			columns.items[columns.count++] = shown[i].column;
	return columns;
}

static void write_head(const struct printer *printer, const char *title,
		       const struct columns *columns)
{
	takt_text_printf(printer->text, "\n%s\n\n", title);
	takt_columns_write_head(columns->items, columns->count, printer->text);
}

static void write_row(const struct printer *printer, const struct columns *columns,
		      const struct row *row)
{
	takt_columns_write_row(columns->items, columns->count, &row_record, row, printer->text);
}

/* ---- the order ---- */

struct rank {
	uint64_t value;
	uint32_t index;
};

TAKT_ORDER(compare_ranks, struct rank, TAKT_DOWN(value), TAKT_UP(index));

/* ---- tables ---- */

/* A table, and the parts of the program that it has rows for. */
struct table {
	const char *title;
	const struct shown_column *columns;
	size_t column_count;
	struct row (*row)(const struct printer *printer, const void *part);
	const void *parts;
	uint32_t count;
	size_t size_bytes, weight; /* size of a part, and offset of its weight */
};

#define TABLE(title, columns, row, parts, count, type, weight)                                     \
	{                                                                                          \
		title, columns, TAKT_COUNT_OF(columns), row, parts, count, sizeof(struct type),    \
			offsetof(struct type, weight)                                              \
	}

static struct table find_table(const struct takt_trace_profile *profile, enum takt_trace_by by)
{
	const struct table tables[] = {
		[TAKT_TRACE_FUNCTION] =
			TABLE("functions", function_columns, function_row, profile->functions,
			      profile->function_count, takt_trace_function, self),
		[TAKT_TRACE_LINE] = TABLE("source lines", line_columns, line_row, profile->lines,
					  profile->line_count, takt_trace_line, weight),
		[TAKT_TRACE_LOOP] =
			TABLE("loops, without the functions they call", loop_columns, loop_row,
			      profile->loops, profile->loop_count, takt_trace_loop, weight),
		[TAKT_TRACE_BLOCK] = TABLE("blocks", block_columns, block_row, profile->blocks,
					   profile->block_count, takt_trace_block, weight),
	};

	return tables[by];
}

static const void *part_of(const struct table *table, uint32_t index)
{
	return (const char *)table->parts + index * table->size_bytes;
}

static uint64_t rank_of(const struct printer *printer, const struct table *table, uint32_t index)
{
	const void *weight = (const char *)part_of(table, index) + table->weight;

	return value_of(printer, weight);
}

/* Write the rows of highest rank, and how many are left out. */
static void write_table(const struct printer *printer, enum takt_trace_by by, uint32_t top)
{
	struct table table = find_table(printer->profile, by);
	struct columns columns = choose_columns(printer, table.columns, table.column_count);
	uint32_t count = table.count;
	struct rank *ranks = takt_xcalloc(count, sizeof(*ranks));

	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct rank){rank_of(printer, &table, i), i};
	if (count)
		qsort(ranks, count, sizeof(*ranks), compare_ranks);
	write_head(printer, table.title, &columns);
	for (uint32_t i = 0; i < count && i < top; i++) {
		struct row row = table.row(printer, part_of(&table, ranks[i].index));

		write_row(printer, &columns, &row);
	}
	if (count > top)
		takt_text_printf(printer->text, "%17s  (%" PRIu32 " more)\n", "\u2026",
				 count - top);
	free(ranks);
	if (by == TAKT_TRACE_LINE) {
		struct row row = make_row(printer, &printer->profile->no_line);

		row.place = "of no known line";
		write_row(printer, &columns, &row);
	}
}

static void write_regions(const struct printer *printer)
{
	const struct takt_trace_profile *profile = printer->profile;
	struct columns columns =
		choose_columns(printer, region_columns, TAKT_COUNT_OF(region_columns));

	if (profile->region_count == 0)
		return;
	write_head(printer, "regions, with the functions they call", &columns);
	for (uint32_t i = 0; i < profile->region_count; i++) {
		struct row row = make_row(printer, &profile->regions[i].weight);
		struct takt_text name = {0};

		row.entries = profile->regions[i].entries;
		takt_text_clean(&name, profile->regions[i].name, NAME_COLUMNS);
		row.place = takt_text_move(&name, printer->arena);
		write_row(printer, &columns, &row);
	}
}

void takt_trace_print_profile(const struct takt_trace_totals *totals,
			      const struct takt_trace_write_options *options,
			      struct takt_text *text)
{
	struct takt_sources sources = {0};
	struct takt_arena arena = {0};
	const struct printer printer = {totals,	  totals->profile, text,
					&sources, &arena,	   totals->core != NULL};

	write_regions(&printer);
	if (options->top)
		write_table(&printer, options->by, options->top);
	takt_sources_release(&sources);
	takt_arena_release(&arena);
}
