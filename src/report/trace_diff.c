/* SPDX-License-Identifier: MIT */
/* The changes from one trace to another, as text. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/format.h"
#include "report/trace.h"
#include "trace/trace.h"

#define NAME_COLUMNS 60u
#define FIGURE_COLUMNS 17
#define CHANGE_COLUMNS 16
#define SHARE_COLUMNS 12
#define SHOWN_SHARE 0.0001 /* of the program: functions that changed by less are not shown */
#define CHANGE_SIZE (TAKT_GROUPED_SIZE + 1)

struct printer {
	const struct takt_diff *diff;
	const struct takt_diff_write_options *options;
	struct takt_text *text;
};

/* ---- figures ---- */

/* Format a change as "+1,234", "-5" or "0". */
static const char *signed_change(uint64_t before, uint64_t after, char buffer[CHANGE_SIZE])
{
	char digits[TAKT_GROUPED_SIZE];

	snprintf(buffer, CHANGE_SIZE, "%s%s",
		 after > before	  ? "+"
		 : after < before ? "-"
				  : "",
		 takt_text_grouped(after > before ? after - before : before - after, digits));
	return buffer;
}

/* ---- columns ---- */

/* A row of any of the tables. */
struct row {
	const char *name, *what;
	uint64_t before, after;
	double share, all_share; /* NaN: none, because there was nothing before */
};

static struct takt_value change_of_row(const struct takt_view *view, const void *record)
{
	const struct row *row = record;
	char change[CHANGE_SIZE];

	takt_text_add_string(view->scratch, signed_change(row->before, row->after, change));
	return takt_value_string(view->scratch->data);
}

#define RECORD struct row
#define TEXT_ONLY(member, ...)                                                                     \
	TAKT_FIELD(#member, member, NULL, NULL, .flags = TAKT_NO_JSON | TAKT_NO_CSV | __VA_ARGS__)
static const struct takt_field row_fields[] = {
	TEXT_ONLY(name, 0),
	TEXT_ONLY(what, 0),
	TEXT_ONLY(before, 0),
	TEXT_ONLY(after, 0),
	TAKT_TEXT_FIELD("change", TAKT_FIELD_STRING, change_of_row),
	TEXT_ONLY(share, TAKT_NULLABLE),
	TEXT_ONLY(all_share, TAKT_NULLABLE),
};
#undef RECORD
#undef TEXT_ONLY
static const struct takt_record row_record =
	TAKT_RECORD("row", "A figure before and after.", row_fields);

static const struct takt_column total_columns[] = {
	{"", "name", -18, .gap = 0},
	{"before", "before", FIGURE_COLUMNS, .grouped = true},
	{"after", "after", FIGURE_COLUMNS, .grouped = true},
	{"change", "change", CHANGE_COLUMNS, .gap = 0},
	{"", "share", SHARE_COLUMNS, .format = "%+.2f %%"},
	{"", "what", 0, .gap = 2, .most = NAME_COLUMNS},
};
#define FUNCTION_COLUMNS(figure)                                                                   \
	{                                                                                          \
		{figure, "change", CHANGE_COLUMNS, .gap = 0},                                      \
			{"of its", "share", SHARE_COLUMNS, .format = "%+.2f %%"},                  \
			{"of all", "all_share", SHARE_COLUMNS, .format = "%+.2f %%"},              \
			{"function", "name", 0, .gap = 2},                                         \
	}
static const struct takt_column function_columns[TAKT_DIFF_BY_COUNT][4] = {
	[TAKT_DIFF_CYCLES] = FUNCTION_COLUMNS("cycles"),
	[TAKT_DIFF_INSNS] = FUNCTION_COLUMNS("instructions"),
};

static void write_row(const struct takt_column *columns, size_t count, const struct row *row,
		      struct takt_text *text)
{
	takt_columns_write_row(columns, count, &row_record, row, text);
}

/* Return the change in per cent of `of`; NaN if that is 0. */
static double share_of(uint64_t before, uint64_t after, uint64_t of)
{
	return of ? 100 * ((double)after - (double)before) / (double)of : (double)NAN;
}

static void write_change(struct takt_text *text, uint64_t before, uint64_t after)
{
	char change[CHANGE_SIZE];

	takt_text_printf(text, "%*s", CHANGE_COLUMNS, signed_change(before, after, change));
}

/* ---- totals ---- */

/* Write a figure of the whole, or of what the last column names. */
static void write_total(struct takt_text *text, const char *name, uint64_t before, uint64_t after,
			const char *what)
{
	const struct row row = {name,	    what, before, after, share_of(before, after, before),
				(double)NAN};

	write_row(total_columns, TAKT_COUNT_OF(total_columns), &row, text);
}

/* Note the properties that a result does not record, which could not be compared. */
static void write_not_known(const struct takt_trace_totals *totals, enum takt_diff_by by,
			    const char *when, struct takt_text *text)
{
	struct takt_text what = {0};

	if (takt_diff_write_unknown(totals, by, &what))
		takt_text_printf(
			text,
			"note: the result %s lacks data that were therefore not compared: %s\n",
			when, what.data);
	takt_text_release(&what);
}

static void write_processes(const struct takt_trace_totals *totals, const char *when,
			    struct takt_text *text)
{
	if (totals->processes)
		takt_text_printf(text, "note: %s, %" PRIu32 " %s not followed\n", when,
				 totals->processes,
				 takt_noun(totals->processes, "process that the program made was",
					   "processes that the program made were"));
}

/* Show cycles whenever both traces have them, whatever they are compared by. */
static enum takt_diff_by shown_by(const struct takt_diff *diff)
{
	return diff->before->core && diff->after->core ? TAKT_DIFF_CYCLES : diff->by;
}

/* Note the differences that make the two hard to compare. */
static void write_notes(const struct printer *printer)
{
	const struct takt_diff *diff = printer->diff;
	struct takt_text what = {0};

	for (unsigned i = 0; i < TAKT_DIFFERENCE_COUNT; i++) {
		what.size_bytes = 0;
		if (takt_diff_differs(diff->before, diff->after, shown_by(diff),
				      (enum takt_difference)i, &what))
			takt_text_printf(printer->text, "note: %s\n", what.data);
	}
	takt_text_release(&what);
	write_not_known(diff->before, shown_by(diff), "before", printer->text);
	write_not_known(diff->after, shown_by(diff), "after", printer->text);
	write_processes(diff->before, "before", printer->text);
	write_processes(diff->after, "after", printer->text);
}

/* Say how certain the change is over all layouts, and how small a one could be told from none. */
static void write_layouts(const struct printer *printer)
{
	const struct takt_diff *diff = printer->diff;
	const struct takt_trace_layouts *layouts =
		diff->after->layouts ? diff->after->layouts : diff->before->layouts;
	double before = (double)diff->before->all.cycles;
	double change = before > 0 ? ((double)diff->after->all.cycles - before) / before : 0;
	double half = before > 0 ? diff->half_width_cycles / before : 0;

	takt_text_printf(printer->text,
			 "over %" PRIu32 " layouts: with a confidence of 95 %%, the change is "
			 "%+.2f %% ± %.2f %% of the cycles%s\n",
			 layouts->count, 100 * change, 100 * half,
			 fabs(change) <= half ? ", so there may be none" : "");
}

static void write_interval(const struct printer *printer)
{
	const struct takt_diff *diff = printer->diff;
	double change = (double)diff->after->all.cycles - (double)diff->before->all.cycles;
	char buffer[TAKT_GROUPED_SIZE];

	if (diff->by == TAKT_DIFF_CYCLES && (diff->before->layouts || diff->after->layouts))
		write_layouts(printer);
	if (diff->by != TAKT_DIFF_CYCLES || (!diff->before->sample && !diff->after->sample))
		return;
	if (!isfinite(diff->half_width_cycles)) {
		takt_text_add_string(printer->text, "estimated from too few parts for an error "
						    "estimate: leave out '--sample'\n");
		return;
	}
	takt_text_printf(
		printer->text,
		"estimated: with a confidence of 95 %%, the change in cycles is within %s%s\n",
		takt_text_grouped((uint64_t)diff->half_width_cycles, buffer),
		fabs(change) <= diff->half_width_cycles ? ", so there may be none" : "");
}

/* Write the cycles by categories of top-down analysis. */
static void write_categories(struct takt_text *text, const uint64_t *before, const uint64_t *after)
{
	bool headed = false;

	for (uint32_t i = 0; i < TAKT_TRACE_CATEGORIES; i++) {
		uint64_t left = takt_trace_category_cycles(before, i);
		uint64_t right = takt_trace_category_cycles(after, i);
		char name[TAKT_FIGURE_SIZE];

		if (left == right)
			continue;
		if (!headed)
			takt_text_add_string(text, "top-down analysis\n");
		headed = true;
		snprintf(name, sizeof(name), "%*s%s", 2 * (int)takt_trace_category_level(i), "",
			 takt_trace_category_name(i));
		write_total(text, name, left, right, "");
	}
}

static void write_totals(const struct printer *printer)
{
	const struct takt_trace_counts *before = &printer->diff->before->all;
	const struct takt_trace_counts *after = &printer->diff->after->all;
	struct takt_text *text = printer->text;

	takt_columns_write_head(total_columns, TAKT_COUNT_OF(total_columns), text);
	if (printer->diff->before->core && printer->diff->after->core) {
		write_total(text, "cycles", before->cycles, after->cycles, "");
		for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
			char name[TAKT_FIGURE_SIZE];

			if (before->losses[i] == after->losses[i])
				continue;
			snprintf(name, sizeof(name), "  %s", takt_trace_loss_name(i));
			write_total(text, name, before->losses[i], after->losses[i], "");
		}
		write_categories(text, before->losses, after->losses);
		write_total(text, "uops", before->uops, after->uops, "");
	}
	write_total(text, "instructions", before->insns, after->insns, "");
	write_interval(printer);
}

/* ---- programs ---- */

static uint64_t cost_of(const struct printer *printer, const struct takt_trace_process *process)
{
	bool timed = printer->diff->before->core && printer->diff->after->core;

	return !process ? 0 : timed ? process->counts.cycles : process->counts.insns;
}

/* Programs of both sides belong together if their names are the same, in the same order. */
static bool is_same_program(const struct takt_trace_process *left,
			    const struct takt_trace_process *right)
{
	size_t size = strcspn(left->command, " ");

	return size == strcspn(right->command, " ") &&
	       memcmp(left->command, right->command, size) == 0;
}

/* Write what each program costs, if there are several. */
static void write_programs(const struct printer *printer)
{
	const struct takt_trace_totals *before = printer->diff->before;
	const struct takt_trace_totals *after = printer->diff->after;
	uint32_t i = 0, j = 0;

	if (!before->process_count || !after->process_count ||
	    (before->process_count < 2 && after->process_count < 2))
		return;
	takt_text_printf(printer->text, "\nprograms (%s)\n",
			 before->core && after->core ? "cycles" : "instructions");
	while (i < before->process_count || j < after->process_count) {
		const struct takt_trace_process *left =
			i < before->process_count ? &before->process_list[i] : NULL;
		const struct takt_trace_process *right =
			j < after->process_count ? &after->process_list[j] : NULL;
		uint32_t skip = 0;

		/* At a difference, a row that the other side has later waits for its counterpart.
		 */
		while (left && right && j + skip < after->process_count &&
		       !is_same_program(left, &after->process_list[j + skip]))
			skip++;
		if (left && right && j + skip == after->process_count)
			right = NULL;
		else if (skip)
			left = NULL;
		assert(left || right);
		write_total(printer->text, "", cost_of(printer, left), cost_of(printer, right),
			    (left ? left : right)->command);
		i += left != NULL;
		j += right != NULL;
	}
}

/* ---- parts of functions ---- */

/*
 * Return the loss that makes up most of the change, at least a quarter of it; NULL if none does.
 * Retiring is left out: it only says that there are more instructions.
 */
static const char *main_loss(const struct takt_trace_weight *before,
			     const struct takt_trace_weight *after)
{
	bool grew = after->cycles > before->cycles;
	uint64_t change = grew ? after->cycles - before->cycles : before->cycles - after->cycles;
	uint64_t most = change / 4;
	const char *name = NULL;

	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
		uint64_t low = grew ? before->losses[i] : after->losses[i];
		uint64_t high = grew ? after->losses[i] : before->losses[i];
		const char *category = takt_trace_loss_category(i, 1);

		if (category && strcmp(category, "retiring") == 0)
			continue;
		if (high > low && high - low > most) {
			most = high - low;
			name = takt_trace_loss_name(i);
		}
	}
	return name;
}

/* Write the range of a function's blocks: from the first one's start to the farthest end. */
static void write_range(struct takt_text *text, const struct takt_trace_block *const *blocks,
			uint32_t count)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++)
		if (blocks[i]->offset + blocks[i]->size_bytes > end)
			end = blocks[i]->offset + blocks[i]->size_bytes;
	takt_text_printf(text, "0x%" PRIx64 "-0x%" PRIx64, blocks[0]->offset, end);
}

static void write_side(struct takt_text *text, const struct takt_trace_block *const *blocks,
		       uint32_t count, const struct takt_trace_weight *weight)
{
	char digits[TAKT_GROUPED_SIZE];

	write_range(text, blocks, count);
	takt_text_printf(text, " (%s %s)", takt_text_grouped(weight->insns, digits),
			 takt_noun(weight->insns, "instruction", "instructions"));
}

static void write_place(const struct printer *printer, const struct takt_diff_part *part)
{
	struct takt_text *text = printer->text;

	if (part->same) {
		uint64_t before = part->before[0]->executions, after = part->after[0]->executions;
		char digits[TAKT_GROUPED_SIZE];

		takt_text_add_string(text, "same code at ");
		write_range(text, part->after, 1);
		takt_text_printf(text, "; runs: %s", takt_text_grouped(after, digits));
		if (before != after)
			takt_text_printf(text, ", before %s", takt_text_grouped(before, digits));
		return;
	}
	if (!part->before_count)
		takt_text_add_string(text, "new: ");
	else
		write_side(text, part->before, part->before_count, &part->before_weight);
	if (part->before_count)
		takt_text_add_string(text, part->after_count ? " became " : " is gone");
	if (part->after_count)
		write_side(text, part->after, part->after_count, &part->after_weight);
}

static void write_code(const struct printer *printer, char sign,
		       const struct takt_trace_totals *totals,
		       const struct takt_trace_block *const *blocks, uint32_t count)
{
	const struct trace_guest *guest =
		totals->guest ? takt_trace_guest_find(totals->guest, strlen(totals->guest)) : NULL;
	const struct takt_isa *isa = guest ? takt_trace_guest_isa(guest) : NULL;
	struct takt_text line = {0};
	struct takt_insn insn;

	for (uint32_t i = 0; i < count && isa; i++) {
		const struct takt_trace_block *block = blocks[i];

		/* Blocks may overlap: bytes that the previous block has shown are left out. */
		if (i && block->offset < blocks[i - 1]->offset + blocks[i - 1]->size_bytes)
			continue;
		for (uint32_t at = 0; at < block->size_bytes; at += insn.length_bytes) {
			if (takt_decode(isa, block->bytes + at, block->size_bytes - at,
					block->address + at, &insn) != TAKT_OK)
				break;
			line.size_bytes = 0;
			takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &line);
			takt_text_printf(printer->text, "%*c 0x%-6" PRIx64 "%s\n",
					 CHANGE_COLUMNS + 4, sign, block->offset + at, line.data);
		}
	}
	takt_text_release(&line);
}

static void write_part(const struct printer *printer, const struct takt_diff_part *part)
{
	const struct takt_diff *diff = printer->diff;
	const char *loss = diff->by == TAKT_DIFF_CYCLES
				   ? main_loss(&part->before_weight, &part->after_weight)
				   : NULL;

	write_change(printer->text, takt_diff_figure(diff, &part->before_weight),
		     takt_diff_figure(diff, &part->after_weight));
	takt_text_add_string(printer->text, "  . ");
	write_place(printer, part);
	if (loss)
		takt_text_printf(printer->text, "; mostly %s", loss);
	takt_text_add_string(printer->text, "\n");
	if (!printer->options->code || part->same)
		return;
	write_code(printer, '-', diff->before, part->before, part->before_count);
	write_code(printer, '+', diff->after, part->after, part->after_count);
}

/* ---- functions ---- */

static void write_name(struct takt_text *text, const struct takt_diff_function *function)
{
	const struct takt_trace_function *either =
		function->after ? function->after : function->before;

	takt_text_clean(text, either->name, NAME_COLUMNS);
	if (!function->before)
		takt_text_add_string(text, " (new)");
	else if (!function->after)
		takt_text_add_string(text, " (gone)");
	else if (strcmp(function->before->name, function->after->name) != 0) {
		takt_text_add_string(text, " (was ");
		takt_text_clean(text, function->before->name, NAME_COLUMNS);
		takt_text_add_string(text, ")");
	}
}

static void write_function(const struct printer *printer, const struct takt_diff_function *function)
{
	static const struct takt_trace_weight none;
	const struct takt_diff *diff = printer->diff;
	uint64_t before =
		takt_diff_figure(diff, function->before ? &function->before->self : &none);
	uint64_t after = takt_diff_figure(diff, function->after ? &function->after->self : &none);
	uint32_t parts = function->part_count;
	struct takt_text name = {0};
	struct row row = {.before = before, .after = after};

	write_name(&name, function);
	row.name = takt_text_data(&name);
	row.share = share_of(before, after, before);
	row.all_share = share_of(before, after, takt_diff_total(diff, diff->before));
	write_row(function_columns[diff->by], TAKT_COUNT_OF(function_columns[0]), &row,
		  printer->text);
	takt_text_release(&name);
	/* Parts of a function that only one side has are not shown: all of them changed. */
	if (!function->before || !function->after)
		return;
	if (parts > printer->options->parts)
		parts = printer->options->parts;
	for (uint32_t i = 0; i < parts; i++)
		write_part(printer, &function->parts[i]);
}

static int64_t change_of(const struct takt_diff *diff, const struct takt_diff_function *function)
{
	static const struct takt_trace_weight none;

	return (int64_t)takt_diff_figure(diff, function->after ? &function->after->self : &none) -
	       (int64_t)takt_diff_figure(diff, function->before ? &function->before->self : &none);
}

/* Return how many functions changed by enough to be shown; they come first. */
static uint32_t count_shown(const struct takt_diff *diff)
{
	double least = SHOWN_SHARE * (double)takt_diff_total(diff, diff->before);
	uint32_t count = 0;

	while (count < diff->function_count &&
	       fabs((double)change_of(diff, &diff->functions[count])) >= least)
		count++;
	return count;
}

/* Say what is left out: functions from `from` on, of which those from `small` on changed little. */
static void write_left_out(const struct printer *printer, uint32_t from, uint32_t small)
{
	const struct takt_diff *diff = printer->diff;
	char change[CHANGE_SIZE];
	int64_t sum = 0;

	if (from < small)
		takt_text_printf(printer->text, "and %" PRIu32 " more\n", small - from);
	for (uint32_t i = small; i < diff->function_count; i++)
		sum += change_of(diff, &diff->functions[i]);
	if (small == diff->function_count)
		return;
	takt_text_printf(printer->text, "%snot shown: ", from || small ? "" : "\n");
	takt_text_printf(
		printer->text,
		"%" PRIu32 " %s that changed by less than 0.01 %% of the program, %s in sum\n",
		diff->function_count - small,
		takt_noun(diff->function_count - small, "function", "functions"),
		signed_change(sum < 0 ? (uint64_t)-sum : 0, sum > 0 ? (uint64_t)sum : 0, change));
}

static void write_functions(const struct printer *printer)
{
	const struct takt_diff *diff = printer->diff;
	uint32_t shown = count_shown(diff), count = shown;

	if (!diff->before->profile || !diff->after->profile) {
		takt_text_add_string(printer->text, "\nno functions: a trace has no profile\n");
		return;
	}
	if (count > printer->options->functions)
		count = printer->options->functions;
	if (!printer->options->functions)
		return;
	if (count) {
		takt_text_add_string(printer->text, "\n");
		takt_columns_write_head(function_columns[diff->by],
					TAKT_COUNT_OF(function_columns[0]), printer->text);
	}
	for (uint32_t i = 0; i < count; i++)
		write_function(printer, &diff->functions[i]);
	write_left_out(printer, count, shown);
}

void takt_write_diff_text(const struct takt_diff *diff,
			  const struct takt_diff_write_options *options, struct takt_text *text)
{
	const struct printer printer = {diff, options, text};

	write_notes(&printer);
	write_totals(&printer);
	write_programs(&printer);
	write_functions(&printer);
}
