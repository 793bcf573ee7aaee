/* SPDX-License-Identifier: MIT */
/* The text report: headline, table, limits, bottlenecks, notes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/printer.h"

#define COLUMNS_DEFAULT 100u
#define FILES_NAMED_MAX 3u

static void right(struct takt_printer *printer, const char *string, uint32_t width,
		  enum takt_style style)
{
	if (!width)
		return;
	takt_text_add_string(printer->text, " ");
	takt_format_right(printer->text, string, width, style, printer->colour);
}

static void right_number(struct takt_printer *printer, uint32_t number, uint32_t width)
{
	char figure[TAKT_FIGURE_SIZE];

	snprintf(figure, sizeof(figure), "%u", number);
	right(printer, number ? figure : "", width, TAKT_STYLE_PLAIN);
}

static void right_short(struct takt_printer *printer, bool shown, double cycles, uint32_t width,
			enum takt_style style)
{
	char figure[TAKT_FIGURE_SIZE];

	takt_format_short(figure, cycles);
	right(printer, !shown ? "" : *figure ? figure : "0", width, style);
}

static void right_ports(struct takt_printer *printer, const double *cycles, bool total)
{
	for (uint32_t i = 0; i < printer->table.count; i++) {
		const struct takt_port_column *column = &printer->table.columns[i];
		char figure[TAKT_FIGURE_SIZE];

		takt_format_cycles(figure, cycles[__builtin_ctz(column->ports)],
				   printer->table.decimals);
		right(printer, figure, column->width,
		      column->hot ? TAKT_STYLE_HOT
		      : total	  ? TAKT_STYLE_BOLD
				  : TAKT_STYLE_PLAIN);
	}
}

static void write_table_header(struct takt_printer *printer)
{
	const struct takt_table *table = &printer->table;

	takt_format_style(printer->text, TAKT_STYLE_BOLD, printer->colour);
	for (uint32_t i = 0; i < table->count; i++)
		right(printer, table->columns[i].header, table->columns[i].width, TAKT_STYLE_PLAIN);
	right(printer, "CP", table->critical_path, TAKT_STYLE_PLAIN);
	right(printer, "LCD", table->loop_carried, TAKT_STYLE_PLAIN);
	right(printer, "sim", table->simulated, TAKT_STYLE_PLAIN);
	right(printer, "slots", table->slots, TAKT_STYLE_PLAIN);
	right(printer, "µops", table->uops, TAKT_STYLE_PLAIN);
	right(printer, "lat", table->latency, TAKT_STYLE_PLAIN);
	right(printer, table->place_is_address ? "addr" : "line", table->place, TAKT_STYLE_PLAIN);
	if (table->encoding)
		takt_text_printf(printer->text, " %-*s", (int)table->encoding, "bytes");
	takt_text_add_string(printer->text, "   instruction");
	takt_format_style(printer->text, TAKT_STYLE_PLAIN, printer->colour);
	takt_text_add_string(printer->text, "\n");
}

/* Return '?' if the form is unknown, '~' if its figures are not measured ones. */
static char mark_of(const struct takt_analysis_insn *insn)
{
	if (insn->unknown)
		return '?';
	return insn->origin >= TAKT_ORIGIN_INFERRED ? '~' : ' ';
}

static void write_place(struct takt_printer *printer, const struct takt_analysis_insn *insn)
{
	char place[TAKT_FIGURE_SIZE] = "";

	if (printer->table.place_is_address)
		snprintf(place, sizeof(place), "0x%" PRIx64, insn->address);
	else if (insn->line)
		snprintf(place, sizeof(place), "%u", insn->line);
	right(printer, place, printer->table.place, TAKT_STYLE_PLAIN);
}

/* Write the bytes of an instruction, which `bytes` begins with. */
static void write_encoding(struct takt_printer *printer, const struct takt_analysis_insn *insn,
			   const uint8_t *bytes)
{
	if (!printer->table.encoding)
		return;
	for (uint32_t i = 0; i < insn->length_bytes; i++)
		takt_text_printf(printer->text, " %02x", bytes[i]);
	takt_text_pad(printer->text, ' ',
		      printer->table.encoding + 1 - 3 * (uint32_t)insn->length_bytes);
}

static void write_row(struct takt_printer *printer, const struct takt_analysis_insn *insn,
		      const uint8_t *bytes)
{
	const struct takt_table *table = &printer->table;
	struct takt_text *text = printer->text;
	uint32_t used;

	right_ports(printer, insn->port_cycles, false);
	right_short(printer, insn->on_critical_path, insn->cp_cycles, table->critical_path,
		    TAKT_STYLE_PLAIN);
	right_short(printer, insn->on_loop_carried, insn->lcd_cycles, table->loop_carried,
		    TAKT_STYLE_HOT);
	right_short(printer, insn->stall_cycles >= 0.005, insn->stall_cycles, table->simulated,
		    TAKT_STYLE_PLAIN);
	right_number(printer, insn->slots, table->slots);
	right_number(printer, insn->uops, table->uops);
	right_short(printer, insn->latency_cycles > 0, insn->latency_cycles, table->latency,
		    TAKT_STYLE_PLAIN);
	write_place(printer, insn);
	write_encoding(printer, insn, bytes);
	takt_text_printf(text, " %c ", mark_of(insn));
	used = takt_text_clean(text, insn->text, table->text);
	if (*insn->note && used + 6 < table->text) {
		takt_format_style(text, TAKT_STYLE_DIM, printer->colour);
		takt_text_add_string(text, " ; ");
		takt_text_clean(text, insn->note, table->text - used - 3);
		takt_format_style(text, TAKT_STYLE_PLAIN, printer->colour);
	}
	takt_text_add_string(text, "\n");
}

static void write_totals(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	const struct takt_table *table = &printer->table;
	uint32_t uops = 0;

	for (uint32_t i = 0; i < analysis->insn_count; i++)
		uops += analysis->insns[i].uops;
	right_ports(printer, analysis->port_cycles, true);
	right_short(printer, true, analysis->bounds.critical_path_cycles, table->critical_path,
		    TAKT_STYLE_BOLD);
	right_short(printer, true, analysis->bounds.loop_carried_cycles, table->loop_carried,
		    TAKT_STYLE_BOLD);
	right_short(printer, true, analysis->simulated_cycles, table->simulated, TAKT_STYLE_BOLD);
	right_number(printer, analysis->issue_slots, table->slots);
	right_number(printer, uops, table->uops);
	right(printer, "", table->latency, TAKT_STYLE_PLAIN);
	right(printer, "", table->place, TAKT_STYLE_PLAIN);
	right(printer, "", table->encoding, TAKT_STYLE_PLAIN);
	takt_text_printf(printer->text, "   sum per %s\n",
			 analysis->unroll_factor == 1 ? "iteration" : "block execution");
}

static void write_rule(struct takt_printer *printer)
{
	uint32_t width = 0;

	for (uint32_t i = 0; i < printer->table.count; i++)
		width += printer->table.columns[i].width + 1;
	if (!width)
		return;
	takt_text_add_string(printer->text, " ");
	takt_text_pad(printer->text, '-', width - 1);
	takt_text_add_string(printer->text, "\n");
}

/* Write the meaning of those marks that occur in the table. */
static void write_legend(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	const struct takt_table *table = &printer->table;
	bool unknown = false, inferred = false;

	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		unknown |= mark_of(&analysis->insns[i]) == '?';
		inferred |= mark_of(&analysis->insns[i]) == '~';
	}
	takt_format_style(printer->text, TAKT_STYLE_DIM, printer->colour);
	if (unknown)
		takt_text_add_string(printer->text, " ? class default: no row for this form\n");
	if (inferred)
		takt_text_add_string(printer->text, " ~ inferred or estimated figures\n");
	if (table->merged)
		takt_text_add_string(printer->text,
				     " ports with equal loads share a column: cycles of each\n");
	if (table->dropped)
		takt_text_printf(printer->text, " %u less busy %s not fit\n", table->dropped,
				 takt_noun(table->dropped, "column does", "columns do"));
	if (table->idle)
		takt_text_printf(printer->text, " %u %s without work not shown\n", table->idle,
				 takt_noun(table->idle, "port", "ports"));
	takt_format_style(printer->text, TAKT_STYLE_PLAIN, printer->colour);
}

/* Write the origins that occur: "published figures", "published and inferred figures". */
static void write_origins(const struct takt_analysis *analysis, struct takt_text *line)
{
	uint32_t seen = 0, left;

	for (uint32_t i = 0; i < analysis->insn_count; i++)
		if (analysis->insns[i].origin != TAKT_ORIGIN_NONE)
			seen |= 1u << analysis->insns[i].origin;
	left = (uint32_t)__builtin_popcount(seen);
	if (!left)
		return;
	takt_text_add_string(line, " (");
	for (; seen; seen &= seen - 1, left--)
		takt_text_printf(line, "%s%s",
				 takt_origin_word((enum takt_origin)__builtin_ctz(seen)),
				 left > 2    ? ", "
				 : left == 2 ? " and "
					     : "");
	takt_text_add_string(line, " figures)");
}

static void write_headline(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	struct takt_text line = {0};

	takt_text_printf(&line, "%s: %u %s, mode %s, %s (%s)%s%s", analysis->region_name,
			 analysis->insn_count,
			 takt_noun(analysis->insn_count, "instruction", "instructions"),
			 analysis->mode == TAKT_MODE_LOOP ? "loop" : "unroll", analysis->arch,
			 analysis->arch_title, analysis->arch_choice ? ", " : "",
			 analysis->arch_choice ? analysis->arch_choice : "");
	takt_format_wrap(printer->text, line.data, 0, printer->columns);
	takt_text_clear(&line);
	takt_text_printf(&line, "%.2f cycles per iteration on %s", analysis->cycles_per_iteration,
			 analysis->arch);
	if (analysis->unroll_factor != 1)
		takt_text_printf(&line, " (%.2f per block execution of %g)",
				 analysis->cycles_per_iteration * analysis->unroll_factor,
				 analysis->unroll_factor);
	takt_text_printf(&line, "%s: limited by %s",
			 isnan(analysis->simulated_cycles) ? "" : ", simulated", analysis->limit);
	write_origins(analysis, &line);
	takt_format_style(printer->text, TAKT_STYLE_BOLD, printer->colour);
	takt_format_wrap(printer->text, line.data, 0, printer->columns);
	takt_format_style(printer->text, TAKT_STYLE_PLAIN, printer->colour);
	takt_text_release(&line);
}

/* Write the source files that occur: "lines of kernel.c, vector.h". */
static void write_files(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	const char *named[FILES_NAMED_MAX];
	uint32_t names = 0;

	for (uint32_t i = 0; i < analysis->insn_count && names < FILES_NAMED_MAX; i++) {
		const char *file = analysis->insns[i].file;
		uint32_t known = 0;

		if (!file || !analysis->insns[i].line)
			continue;
		while (known < names && strcmp(named[known], file) != 0)
			known++;
		if (known < names)
			continue;
		takt_text_add_string(printer->text, names ? ", " : "lines of ");
		takt_text_clean(printer->text, file, printer->columns);
		named[names++] = file;
	}
	if (names)
		takt_text_add_string(printer->text, "\n");
}

static void explain_simulated(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;

	if (analysis->simulated_period == 1)
		takt_text_add_string(printer->text, "all iterations alike");
	else if (analysis->simulated_period)
		takt_text_printf(printer->text, "every %u iterations alike",
				 analysis->simulated_period);
	else
		takt_text_add_string(printer->text, "mean, not seen to repeat");
	if (analysis->alignment_bytes)
		takt_text_printf(printer->text, "; line offset %u", analysis->alignment_bytes);
	takt_text_add_string(printer->text, "\n");
}

/* Write one line of the limits. `cycles` are per execution of the block. */
static void write_limit(struct takt_printer *printer, const char *name, const char *limit,
			double cycles)
{
	const struct takt_analysis *analysis = printer->analysis;
	bool is_limit = strcmp(analysis->limit, limit) == 0;

	takt_format_style(printer->text, is_limit ? TAKT_STYLE_BOLD : TAKT_STYLE_PLAIN,
			  printer->colour);
	takt_text_printf(printer->text, "%s %-13s %9.2f", is_limit ? ">" : " ", name, cycles);
	if (analysis->unroll_factor != 1)
		takt_text_printf(printer->text, " %9.2f", cycles / analysis->unroll_factor);
	takt_format_style(printer->text, TAKT_STYLE_PLAIN, printer->colour);
	takt_text_add_string(printer->text, "  ");
}

static void explain_ports(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	uint32_t busiest = 0;

	for (uint32_t port = 1; port < analysis->port_count; port++)
		if (analysis->port_cycles[port] > analysis->port_cycles[busiest] + 1e-9)
			busiest = port;
	if (!analysis->port_count || analysis->port_cycles[busiest] <= 0)
		takt_text_add_string(printer->text, "nothing executes on a port\n");
	else if (analysis->fixed)
		takt_text_printf(printer->text, "busiest port %s, split equally; %.2f at best\n",
				 analysis->port_names[busiest], analysis->bounds.ports_cycles);
	else
		takt_text_printf(printer->text, "busiest port %s; %.2f if split equally\n",
				 analysis->port_names[busiest],
				 analysis->bounds.fixed_ports_cycles);
}

static void explain_loop_carried(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	const struct takt_recurrence *worst = analysis->recurrences;

	if (!analysis->recurrence_count) {
		takt_text_add_string(printer->text,
				     "no dependence from one iteration to the next\n");
		return;
	}
	takt_text_count(printer->text, worst->member_count, "instruction", "instructions");
	if (*worst->location)
		takt_text_printf(printer->text, ", through %s", worst->location);
	if (worst->iterations > 1)
		takt_text_printf(printer->text, ", over %u iterations", worst->iterations);
	takt_text_add_string(printer->text, "\n");
}

static void write_limits(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	const struct takt_bounds *bounds = &analysis->bounds;

	if (analysis->unroll_factor == 1)
		takt_text_add_string(printer->text, "\ncycles per iteration\n");
	else
		takt_text_printf(printer->text, "\n%-16s%9s %9s\n", "cycles", "block", "iteration");
	if (!isnan(analysis->simulated_cycles)) {
		write_limit(printer, "simulated", "", analysis->simulated_cycles);
		explain_simulated(printer);
	}
	write_limit(printer, "ports", "ports",
		    analysis->fixed ? bounds->fixed_ports_cycles : bounds->ports_cycles);
	explain_ports(printer);
	write_limit(printer, "issue", "issue", bounds->issue_cycles);
	takt_text_printf(printer->text, "%u %s at %u per cycle\n", analysis->issue_slots,
			 takt_noun(analysis->issue_slots, "slot", "slots"), analysis->issue_width);
	write_limit(printer, "front end", bounds->front_end_part, bounds->front_end_cycles);
	takt_text_printf(printer->text, "%s\n", bounds->front_end_part);
	write_limit(printer, "loop-carried", "loop-carried dependence",
		    bounds->loop_carried_cycles);
	explain_loop_carried(printer);
	write_limit(printer, "critical path", "critical path", bounds->critical_path_cycles);
	takt_text_add_string(printer->text, "one execution alone, inputs ready at 0; no limit\n");
	/* The view of published tables shows their kind of critical path, too. */
	if (!analysis->fixed || bounds->instruction_path_cycles <= bounds->critical_path_cycles)
		return;
	write_limit(printer, "by instruction", "", bounds->instruction_path_cycles);
	takt_text_add_string(printer->text,
			     "the same, if all that is written waits for all that is read\n");
}

/* Write the loops inside, and the sum if it is known. */
static void write_inner_loops(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	struct takt_text *text = printer->text;

	if (!analysis->inner_loop_count)
		return;
	takt_text_add_string(text, "\nwith the loops inside, cycles per iteration\n");
	takt_text_printf(text, "  %9.2f  code around them\n", analysis->cycles_per_iteration);
	for (uint32_t i = 0; i < analysis->inner_loop_count; i++) {
		const struct takt_inner_loop *loop = &analysis->inner_loops[i];
		double cycles = loop->trips ? (double)loop->trips * loop->cycles : NAN;

		if (isnan(cycles))
			takt_text_printf(text, "  %9s  ", "?");
		else
			takt_text_printf(text, "  %9.2f  ", cycles);
		if (isnan(loop->cycles))
			takt_text_add_string(text, "? cycles × ");
		else
			takt_text_printf(text, "%.2f cycles × ", loop->cycles);
		if (loop->trips)
			takt_text_printf(text, "%" PRIu64 " %s of ", loop->trips,
					 takt_noun(loop->trips, "iteration", "iterations"));
		else
			takt_text_add_string(text, "the iterations (unknown) of ");
		takt_text_clean(text, loop->region_name, printer->columns);
		takt_text_add_string(text, "\n");
	}
	if (!isnan(analysis->nest_cycles))
		takt_text_printf(text, "  %9.2f  together\n", analysis->nest_cycles);
}

static void write_cycles_line(struct takt_printer *printer, double cycles, const char *what)
{
	if (isnan(cycles))
		takt_text_printf(printer->text, "  %9s  %s", "?", what);
	else
		takt_text_printf(printer->text, "  %9.2f  %s", cycles, what);
}

/* Write a loop with the code around it: itself, a loop around it, or the function. */
static void write_around(struct takt_printer *printer, const struct takt_path_loop *loop, bool own)
{
	write_cycles_line(printer, loop->cycles, loop->depth ? "an iteration of " : "a call of ");
	if (own)
		takt_text_add_string(printer->text, "the loop");
	else
		takt_text_clean(printer->text, loop->name, printer->columns);
	if (loop->depth && !own)
		takt_text_printf(printer->text, ", %g %s", loop->iterations,
				 loop->iterations == 1 ? "iteration" : "iterations");
	if (loop->depth && !own)
		takt_text_printf(printer->text, " (%s)", loop->trips);
	takt_text_add_string(printer->text, "\n");
}

/* Write what the loop takes that is entered and left. */
static void write_execution(struct takt_printer *printer)
{
	const struct takt_execution *execution = &printer->analysis->execution;
	struct takt_text *text = printer->text;

	if (!execution->iterations)
		return;
	takt_text_printf(
		text, "\nwith %" PRIu64 " %s each time that the loop is entered (%s), cycles\n",
		execution->iterations, takt_noun(execution->iterations, "iteration", "iterations"),
		execution->trips);
	if (!isnan(execution->cycles)) {
		write_cycles_line(printer, execution->endless_cycles,
				  "iterations of the endless loop\n");
		write_cycles_line(printer, execution->fill_cycles,
				  "to fill and drain the pipeline\n");
		write_cycles_line(printer, execution->exit_cycles,
				  "until code after the mispredicted exit executes\n");
		write_cycles_line(printer, execution->cycles, "");
		takt_text_printf(text, "the whole execution: %.2f per iteration, %.2f endless\n",
				 execution->cycles / (double)execution->iterations,
				 execution->endless_cycles / (double)execution->iterations);
	}
	if (!execution->around_count)
		return;
	takt_text_add_string(text, "with the code around it, branches predicted, cycles\n");
	for (uint32_t i = 0; i < execution->around_count; i++)
		write_around(printer, &execution->around[i], i == 0);
}

static void write_list(struct takt_printer *printer, const char *title, const char *const *items,
		       uint32_t count)
{
	if (!count)
		return;
	takt_text_printf(printer->text, "\n%s\n", title);
	for (uint32_t i = 0; i < count; i++) {
		takt_text_add_string(printer->text, "  - ");
		takt_format_wrap(printer->text, items[i], 4, printer->columns);
	}
}

static void write_member(const struct takt_printer *printer, uint32_t index, struct takt_text *text)
{
	const struct takt_analysis_insn *insn = &printer->analysis->insns[index];

	if (insn->line)
		takt_text_printf(text, " %u", insn->line);
	else
		takt_text_printf(text, " 0x%" PRIx64, insn->address);
}

/* Write all recurrences near the worst; if there is only one, the table shows it. */
static void write_cycles(struct takt_printer *printer)
{
	const struct takt_analysis *analysis = printer->analysis;
	struct takt_text item = {0};

	if (analysis->recurrence_count < 2)
		return;
	takt_text_printf(printer->text, "\nrecurrences within 5 %% of the worst, by %s\n",
			 printer->table.place_is_address ? "address" : "line");
	for (uint32_t i = 0; i < analysis->recurrence_count; i++) {
		const struct takt_recurrence *cycle = &analysis->recurrences[i];

		takt_text_clear(&item);
		takt_text_printf(&item, "%.2f", cycle->cycles_per_iteration);
		if (cycle->iterations > 1)
			takt_text_printf(&item, " over %u iterations", cycle->iterations);
		takt_text_printf(&item, " through %s:", *cycle->location ? cycle->location : "?");
		for (uint32_t k = 0; k < cycle->member_count; k++)
			write_member(printer, cycle->members[k], &item);
		takt_text_add_string(printer->text, "  - ");
		takt_format_wrap(printer->text, takt_text_data(&item), 4, printer->columns);
	}
	takt_text_release(&item);
}

void takt_write_analysis_text(const struct takt_analysis *analysis,
			      const struct takt_write_options *options, struct takt_text *text)
{
	struct takt_printer printer = {
		.analysis = analysis,
		.text = text,
		.columns = options && options->columns ? options->columns : COLUMNS_DEFAULT,
		.colour = options && options->colour,
	};
	const uint8_t *bytes = analysis->bytes;

	takt_table_layout(analysis, options, printer.columns, &printer.table);
	write_headline(&printer);
	write_files(&printer);
	write_inner_loops(&printer);
	write_execution(&printer);
	takt_text_add_string(text, "\n");
	write_table_header(&printer);
	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		write_row(&printer, &analysis->insns[i], bytes);
		bytes += bytes ? analysis->insns[i].length_bytes : 0;
	}
	write_rule(&printer);
	write_totals(&printer);
	write_legend(&printer);
	write_limits(&printer);
	takt_print_waits(&printer);
	takt_print_relaxations(&printer);
	takt_print_alignments(&printer);
	write_list(&printer, "bottlenecks", analysis->bottlenecks, analysis->bottleneck_count);
	write_cycles(&printer);
	write_list(&printer, "notes", analysis->notes, analysis->note_count);
}
