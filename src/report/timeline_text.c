/* SPDX-License-Identifier: MIT */
/* A timeline as text: a row for each µop, a column for each cycle, divided into strips. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"

#define COLUMNS_DEFAULT 100u
#define CELLS_LEAST 20u /* cycles of a strip */
#define TEXT_MOST 40u	/* columns of an instruction's text */
#define TEXT_LEAST 24u	/* columns of it beside the operand it waited for */
#define RULER_STEP 10u
#define LABEL_SIZE 32
#define SOURCE_SIZE 64

struct printer {
	const struct takt_timeline *timeline;
	struct takt_text *text;
	uint32_t columns;
	uint32_t label_width, port_width, text_width;
	uint32_t cells;
	uint32_t cycles;	      /* those that are shown */
	char letters[TAKT_PORTS_MAX]; /* by port: the mark of a dispatch to it */
	char *row;		      /* a row of one strip */
	bool colour;
};

/* ---- layout -------------------------------------------------------------------------- */

static uint32_t digits(uint32_t number)
{
	return number < 10 ? 1 : 1 + digits(number / 10);
}

static bool is_port(const struct printer *printer, uint8_t port)
{
	return port < printer->timeline->analysis->port_count;
}

/* Mark a port by the last character of its name, if no other port's name ends in it. */
static void choose_letters(struct printer *printer)
{
	const struct takt_analysis *analysis = printer->timeline->analysis;

	for (uint32_t port = 0; port < analysis->port_count; port++) {
		const char *name = analysis->port_names[port];
		char last = name[strlen(name) - 1];

		printer->letters[port] = takt_is_digit(last) ? last : 'D';
		for (uint32_t other = 0; other < analysis->port_count; other++) {
			const char *others = analysis->port_names[other];

			if (other != port && !analysis->port_pseudo[other] &&
			    others[strlen(others) - 1] == last)
				printer->letters[port] = 'D';
		}
	}
}

static void lay_out(struct printer *printer)
{
	const struct takt_timeline *timeline = printer->timeline;
	uint32_t most = printer->columns, text;

	for (uint32_t port = 0; port < timeline->analysis->port_count; port++) {
		uint32_t width = takt_text_width(timeline->analysis->port_names[port]);

		printer->port_width = width > printer->port_width ? width : printer->port_width;
	}
	printer->label_width =
		digits(timeline->iterations) + digits(timeline->analysis->insn_count) + 3;
	most -= printer->label_width + printer->port_width + 4;
	text = most / 3 < TEXT_MOST ? most / 3 : TEXT_MOST;
	text = text > TEXT_LEAST ? text : TEXT_LEAST;
	printer->cells = most > text + CELLS_LEAST ? most - text : CELLS_LEAST;
	printer->cells -= printer->cells % RULER_STEP;
	if (printer->cells > printer->cycles)
		printer->cells = printer->cycles;
	printer->text_width = most > printer->cells + text ? most - printer->cells : text;
}

/* ---- rows ---------------------------------------------------------------------------- */

/* Draw the cycles [begin, end) that are in the strip starting at `start`. */
static void draw(struct printer *printer, uint32_t start, uint32_t begin, uint32_t end, char letter)
{
	if (end > printer->cycles)
		end = printer->cycles;
	for (uint32_t c = begin > start ? begin : start; c < end && c < start + printer->cells; c++)
		printer->row[c - start] = letter;
}

static const struct takt_timeline_fetch *fetch_of(const struct printer *printer,
						  const struct takt_timeline_slot *slot)
{
	return &printer->timeline->fetches[slot - printer->timeline->slots];
}

static void draw_slot(struct printer *printer, uint32_t start,
		      const struct takt_timeline_slot *slot, const struct takt_timeline_uop *uop)
{
	const struct takt_timeline_fetch *fetch = fetch_of(printer, slot);

	memset(printer->row, ' ', printer->cells);
	draw(printer, start, fetch->fetched, slot->queued, ':');
	draw(printer, start, fetch->fetched, fetch->predecoded + 1, 'f');
	draw(printer, start, slot->queued, slot->renamed, '.');
	draw(printer, start, slot->queued, slot->queued + 1, 'Q');
	if (uop) {
		draw(printer, start, slot->renamed, uop->ready, '=');
		draw(printer, start, uop->ready, uop->dispatched, '*');
		draw(printer, start, uop->dispatched, uop->done, 'e');
		draw(printer, start, uop->dispatched, uop->dispatched + 1,
		     is_port(printer, uop->port) ? printer->letters[uop->port] : 'D');
		draw(printer, start, uop->done, slot->retired, '-');
	} else {
		draw(printer, start, slot->renamed, slot->retired, '-');
	}
	draw(printer, start, slot->renamed, slot->renamed + 1, 'r');
	draw(printer, start, slot->retired, slot->retired + 1, 'R');
}

/* Format the operand a µop waited for: " <- ymm1 of [0,2]". */
static void format_source(const struct takt_timeline *timeline, const struct takt_timeline_uop *uop,
			  char ret_source[SOURCE_SIZE])
{
	const struct takt_timeline_slot *slot, *own;

	*ret_source = '\0';
	if (!uop || uop->source >= timeline->uop_count)
		return;
	own = &timeline->slots[uop->slot];
	slot = &timeline->slots[timeline->uops[uop->source].slot];
	if (slot->insn == own->insn && slot->iteration == own->iteration)
		return;
	snprintf(ret_source, SOURCE_SIZE, " <- %s of [%u,%u]", uop->location, slot->iteration,
		 slot->insn);
}

/* Write the instruction with a jump fused to it; for its further µops, their function. */
static void write_insn(struct printer *printer, const struct takt_timeline_slot *slot,
		       const struct takt_timeline_uop *uop, bool first, uint32_t columns)
{
	const struct takt_analysis *analysis = printer->timeline->analysis;
	const struct takt_analysis_insn *insn = &analysis->insns[slot->insn];
	uint32_t used = 0;

	if (!first || slot->inserted) {
		takt_text_add_string(printer->text, uop ? uop->kind : "no µop");
		return;
	}
	used = takt_text_clean(printer->text, insn->text, columns);
	if (slot->insn + 1 < analysis->insn_count && !insn[1].slots && columns > used + 3) {
		takt_text_add_string(printer->text, " + ");
		takt_text_clean(printer->text, insn[1].text, columns - used - 3);
	}
}

static void write_row(struct printer *printer, const struct takt_timeline_slot *slot,
		      const struct takt_timeline_uop *uop, bool first)
{
	const struct takt_analysis *analysis = printer->timeline->analysis;
	char label[LABEL_SIZE] = "", source[SOURCE_SIZE];
	uint32_t rest;

	format_source(printer->timeline, uop, source);
	rest = takt_text_width(source);
	rest = printer->text_width > rest ? printer->text_width - rest : 1;
	if (first)
		snprintf(label, sizeof(label), "[%u,%u]", slot->iteration, slot->insn);
	takt_text_printf(printer->text, "%-*s %-*s ", (int)printer->label_width, label,
			 (int)printer->port_width,
			 uop && is_port(printer, uop->port) ? analysis->port_names[uop->port] : "");
	takt_text_add(printer->text, printer->row, printer->cells);
	takt_text_add_string(printer->text, "  ");
	write_insn(printer, slot, uop, first, rest);
	takt_text_printf(printer->text, "%s\n", source);
}

/* True if a slot is its instruction's first; slots inserted by rename count on their own. */
static bool begins_insn(const struct takt_timeline *timeline, uint32_t s)
{
	const struct takt_timeline_slot *slot = &timeline->slots[s];

	return s == 0 || slot->inserted || slot[-1].inserted || slot[-1].insn != slot->insn ||
	       slot[-1].iteration != slot->iteration;
}

static void write_slot(struct printer *printer, uint32_t s, uint32_t start)
{
	const struct takt_timeline *timeline = printer->timeline;
	const struct takt_timeline_slot *slot = &timeline->slots[s];
	bool first = begins_insn(timeline, s);

	uint32_t fetched = fetch_of(printer, slot)->fetched;

	if (slot->retired < start || fetched >= start + printer->cells ||
	    fetched >= printer->cycles)
		return;
	for (uint32_t u = 0; u < slot->uop_count; u++) {
		const struct takt_timeline_uop *uop = &timeline->uops[slot->first_uop + u];

		draw_slot(printer, start, slot, uop);
		write_row(printer, slot, uop, first && u == 0);
	}
	if (!slot->uop_count) {
		draw_slot(printer, start, slot, NULL);
		write_row(printer, slot, NULL, first);
	}
}

/* ---- the whole timeline ------------------------------------------------------------------ */

static void write_ruler(struct printer *printer, uint32_t start)
{
	uint32_t column = 0;

	takt_text_pad(printer->text, ' ', printer->label_width + printer->port_width + 2);
	takt_format_style(printer->text, TAKT_STYLE_DIM, printer->colour);
	while (column < printer->cells) {
		uint32_t cycle = start + column, width = digits(cycle);

		if (cycle % RULER_STEP || column + width > printer->cells) {
			takt_text_add_string(printer->text, cycle % (RULER_STEP / 2) ? " " : ".");
			column++;
			continue;
		}
		takt_text_printf(printer->text, "%u", cycle);
		column += width;
	}
	takt_format_style(printer->text, TAKT_STYLE_PLAIN, printer->colour);
	takt_text_add_string(printer->text, "\n");
}

static void write_legend(struct printer *printer)
{
	takt_format_wrap(
		printer->text,
		"[iteration,instruction]; f fetched and predecoded, : waits for a decoder, Q "
		"enters the µop queue, . waits there, r renamed, "
		"= waits for operands, * waits for its port, then the port's digit or D "
		"where it is dispatched, e executes, - done, R retired; <- the operand that "
		"came last",
		2, printer->columns);
}

void takt_write_timeline_text(const struct takt_timeline *timeline,
			      const struct takt_write_options *options, struct takt_text *text)
{
	struct printer printer = {.timeline = timeline, .text = text};

	printer.columns = options && options->columns ? options->columns : COLUMNS_DEFAULT;
	printer.colour = options && options->colour;
	if (text->size_bytes)
		takt_text_add_string(text, "\n");
	takt_format_style(text, TAKT_STYLE_BOLD, printer.colour);
	if (timeline->is_part)
		takt_text_printf(text, "timeline of %s, %s", timeline->analysis->region_name,
				 timeline->analysis->arch);
	else
		takt_text_printf(text, "timeline of %u %s from an empty pipeline on, %s",
				 timeline->iterations,
				 timeline->iterations == 1 ? "iteration" : "iterations",
				 timeline->analysis->arch);
	takt_format_style(text, TAKT_STYLE_PLAIN, printer.colour);
	if (timeline->analysis->arch_choice && timeline->is_part)
		takt_text_printf(text, ", %s", timeline->analysis->arch_choice);
	takt_text_add_string(text, "\n");
	if (timeline->analysis->arch_doubt && timeline->is_part)
		takt_text_printf(text, "note: %s\n", timeline->analysis->arch_doubt);
	if (!timeline->iterations) {
		takt_text_add_string(text, "  an iteration is too long to be recorded\n");
		return;
	}
	printer.cycles = timeline->cycle_count;
	if (options && options->timeline_cycles && options->timeline_cycles < printer.cycles)
		printer.cycles = options->timeline_cycles;
	lay_out(&printer);
	choose_letters(&printer);
	write_legend(&printer);
	printer.row = takt_xcalloc(printer.cells + 1, 1);
	for (uint32_t start = 0; start < printer.cycles; start += printer.cells) {
		takt_text_add_string(text, "\n");
		write_ruler(&printer, start);
		for (uint32_t s = 0; s < timeline->slot_count; s++)
			write_slot(&printer, s, start);
	}
	if (printer.cycles < timeline->cycle_count)
		takt_text_printf(text, "\n  the first %u of %u cycles\n", printer.cycles,
				 timeline->cycle_count);
	free(printer.row);
}
