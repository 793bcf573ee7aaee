/* SPDX-License-Identifier: MIT */
/* A region on several cores: one table with a column for each core, in strips that fit the width.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/format.h"

#define COLUMNS_DEFAULT 100u
#define LABEL_LEAST 22u	  /* columns of the labels at the left */
#define LABEL_PART 3u	  /* labels take at most this part of the width */
#define CELL_COLUMNS 12u  /* of a core's column: "loop-carried" */
#define CELL_LINES_MAX 4u /* lines of a cell whose words are wrapped */
#define LOST_LEAST 0.005  /* cycles that are shown as 0.01 or more */

struct comparison {
	const struct takt_analysis *const *analyses;
	const struct takt_analysis *first; /* the first one of a core that decodes the region */
	uint32_t begin, end;		   /* the cores of this strip */
	uint32_t label_columns;
	bool colour;
	struct takt_text *text;
};

static void write_label(struct comparison *comparison, const char *label)
{
	uint32_t used = takt_text_clean(comparison->text, label, comparison->label_columns);

	takt_text_pad(comparison->text, ' ', comparison->label_columns - used);
}

static void write_cell(struct comparison *comparison, const char *cell, enum takt_style style)
{
	takt_text_add_string(comparison->text, " ");
	takt_format_right(comparison->text, cell, CELL_COLUMNS, style, comparison->colour);
}

/* False for a core that cannot decode the region. */
static bool is_decoded(const struct takt_analysis *analysis)
{
	return analysis->insn_count > 0;
}

/* ---- rows of figures ---- */

static double headline(const struct takt_analysis *analysis)
{
	return analysis->cycles_per_iteration;
}

static double ports(const struct takt_analysis *analysis)
{
	return analysis->fixed ? analysis->bounds.fixed_ports_cycles
			       : analysis->bounds.ports_cycles;
}

static double issue(const struct takt_analysis *analysis)
{
	return analysis->bounds.issue_cycles;
}

static double front_end(const struct takt_analysis *analysis)
{
	return analysis->bounds.front_end_cycles;
}

static double loop_carried(const struct takt_analysis *analysis)
{
	return analysis->bounds.loop_carried_cycles;
}

static double execution(const struct takt_analysis *analysis)
{
	return analysis->execution.cycles;
}

static double worst_stall(const struct takt_analysis *analysis)
{
	return analysis->stall_count ? analysis->stalls[0].cycles : 0;
}

static void write_figures(struct comparison *comparison, const char *label,
			  double (*figure)(const struct takt_analysis *analysis),
			  enum takt_style style)
{
	write_label(comparison, label);
	for (uint32_t i = comparison->begin; i < comparison->end; i++) {
		const struct takt_analysis *analysis = comparison->analyses[i];
		char cell[TAKT_FIGURE_SIZE] = "";

		if (is_decoded(analysis))
			takt_format_cycles(cell, figure(analysis), 2);
		write_cell(comparison, *cell ? cell : "-", style);
	}
	takt_text_add_string(comparison->text, "\n");
}

/* ---- rows of words ---- */

static void write_limit(const struct takt_analysis *analysis, struct takt_text *cell)
{
	takt_text_add_string(cell, analysis->limit);
}

static void write_stall(const struct takt_analysis *analysis, struct takt_text *cell)
{
	const struct takt_stall *stall = analysis->stalls;

	if (!analysis->stall_count)
		return;
	takt_text_printf(cell, "%s%s%s", stall->cause, *stall->port ? " " : "", stall->port);
}

static void write_uncertain(const struct takt_analysis *analysis, struct takt_text *cell)
{
	takt_text_printf(cell, "%" PRIu32, takt_uncertain_count(analysis));
}

static void write_lacking(const struct takt_analysis *analysis, struct takt_text *cell)
{
	takt_text_printf(cell, "%" PRIu32, analysis->lacking_count);
}

/*
 * Return the bytes of the first line of `cell` if its words are wrapped; *ret_next is what follows.
 */
static size_t first_line(const char *cell, const char **ret_next)
{
	size_t size = strcspn(cell, " ");

	while (cell[size] == ' ') {
		size_t word = strcspn(cell + size + 1, " ");

		if (size + 1 + word > CELL_COLUMNS)
			break;
		size += 1 + word;
	}
	*ret_next = cell + size + (cell[size] == ' ');
	return size;
}

static void write_words(struct comparison *comparison, const char *label,
			void (*words)(const struct takt_analysis *analysis, struct takt_text *cell))
{
	bool more = true;

	for (uint32_t line = 0; more && line < CELL_LINES_MAX; line++) {
		more = false;
		write_label(comparison, line ? "" : label);
		for (uint32_t i = comparison->begin; i < comparison->end; i++) {
			struct takt_text cell = {0}, part = {0};
			const char *next;
			size_t size = 0;

			if (is_decoded(comparison->analyses[i]))
				words(comparison->analyses[i], &cell);
			else
				takt_text_add_string(&cell, "-");
			next = takt_text_data(&cell);
			for (uint32_t k = 0; k <= line; k++) {
				const char *from = next;

				size = first_line(from, &next);
				takt_text_clear(&part);
				takt_text_add(&part, from, size);
			}
			more |= *next != '\0';
			write_cell(comparison, takt_text_data(&part), TAKT_STYLE_PLAIN);
			takt_text_release(&part);
			takt_text_release(&cell);
		}
		takt_text_add_string(comparison->text, "\n");
	}
}

/* ---- instructions ---- */

static bool is_lost_at(const struct comparison *comparison, uint32_t insn)
{
	for (uint32_t i = comparison->begin; i < comparison->end; i++)
		if (is_decoded(comparison->analyses[i]) &&
		    comparison->analyses[i]->insns[insn].stall_cycles >= LOST_LEAST)
			return true;
	return false;
}

static void write_insn(struct comparison *comparison, uint32_t insn)
{
	const struct takt_analysis_insn *first = &comparison->first->insns[insn];
	struct takt_text label = {0};

	if (first->line)
		takt_text_printf(&label, "%6" PRIu32 "  ", first->line);
	else
		takt_text_printf(&label, "%#6" PRIx64 "  ", first->address);
	takt_text_clean(&label, first->text, UINT32_MAX);
	write_label(comparison, takt_text_data(&label));
	takt_text_release(&label);
	for (uint32_t i = comparison->begin; i < comparison->end; i++) {
		const struct takt_analysis *analysis = comparison->analyses[i];
		char cell[TAKT_FIGURE_SIZE] = "-";

		if (is_decoded(analysis))
			takt_format_cycles(cell, analysis->insns[insn].stall_cycles, 2);
		write_cell(comparison, cell, TAKT_STYLE_PLAIN);
	}
	takt_text_add_string(comparison->text, "\n");
}

static void write_insns(struct comparison *comparison)
{
	if (isnan(comparison->first->simulated_cycles))
		return;
	takt_text_printf(comparison->text, "cycles lost at\n");
	for (uint32_t insn = 0; insn < comparison->first->insn_count; insn++)
		if (is_lost_at(comparison, insn))
			write_insn(comparison, insn);
}

/* ---- the table ---- */

/* True if a core of the strip lacks an ISA extension of the code. */
static bool is_lacking(const struct comparison *comparison)
{
	for (uint32_t i = comparison->begin; i < comparison->end; i++)
		if (comparison->analyses[i]->lacking_count)
			return true;
	return false;
}

static void write_strip(struct comparison *comparison)
{
	takt_text_add_string(comparison->text, "\n");
	write_label(comparison, "");
	for (uint32_t i = comparison->begin; i < comparison->end; i++)
		write_cell(comparison, comparison->analyses[i]->arch, TAKT_STYLE_BOLD);
	takt_text_add_string(comparison->text, "\n");
	write_figures(comparison, "cycles per iteration", headline, TAKT_STYLE_BOLD);
	if (comparison->first->execution.cycles > 0)
		write_figures(comparison, "whole execution", execution, TAKT_STYLE_PLAIN);
	write_words(comparison, "limited by", write_limit);
	write_figures(comparison, "  ports", ports, TAKT_STYLE_PLAIN);
	write_figures(comparison, "  issue", issue, TAKT_STYLE_PLAIN);
	write_figures(comparison, "  front end", front_end, TAKT_STYLE_PLAIN);
	write_figures(comparison, "  loop-carried", loop_carried, TAKT_STYLE_PLAIN);
	if (comparison->first->stall_count) {
		write_words(comparison, "most cycles lost to", write_stall);
		write_figures(comparison, "  cycles", worst_stall, TAKT_STYLE_PLAIN);
	}
	write_words(comparison, "uncertain figures", write_uncertain);
	if (is_lacking(comparison))
		write_words(comparison, "instructions it lacks", write_lacking);
	write_insns(comparison);
}

static void write_head(const struct takt_analysis *first, size_t count, struct takt_text *text)
{
	takt_text_clean(text, first->region_name, UINT32_MAX);
	takt_text_printf(text, ": %" PRIu32 " %s, mode %s, on %zu %s\n", first->insn_count,
			 takt_noun(first->insn_count, "instruction", "instructions"),
			 first->mode == TAKT_MODE_LOOP ? "loop" : "unroll", count,
			 takt_noun(count, "core", "cores"));
	takt_text_add_string(text, isnan(first->simulated_cycles)
					   ? "the headline is the largest bound\n"
					   : "the headline is simulated; the bounds, each alone, "
					     "are below it\n");
	if (first->unroll_factor != 1)
		takt_text_printf(text,
				 "one execution of the block is %g source iterations; the "
				 "headline is per iteration, all else per execution\n",
				 first->unroll_factor);
}

void takt_write_comparison_text(const struct takt_analysis *const *analyses, size_t count,
				const struct takt_write_options *options, struct takt_text *text)
{
	uint32_t columns = options && options->columns ? options->columns : COLUMNS_DEFAULT;
	struct comparison comparison = {.analyses = analyses,
					.colour = options && options->colour,
					.text = text,
					.label_columns = columns / LABEL_PART};
	uint32_t cells, all = (uint32_t)count;

	if (comparison.label_columns < LABEL_LEAST)
		comparison.label_columns = LABEL_LEAST;
	cells = (columns - comparison.label_columns) / (CELL_COLUMNS + 1);
	if (!cells)
		cells = 1;
	while (!is_decoded(*analyses))
		analyses++;
	comparison.first = *analyses;
	write_head(comparison.first, count, text);
	for (uint32_t begin = 0; begin < all; begin += cells) {
		comparison.begin = begin;
		comparison.end = begin + cells < all ? begin + cells : all;
		write_strip(&comparison);
	}
}
