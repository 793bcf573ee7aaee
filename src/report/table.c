/* SPDX-License-Identifier: MIT */
/* Layout of the text report's table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/format.h"
#include "report/table.h"

#define TEXT_WANTED 44u /* text width below which equal ports share a column */
#define TEXT_LEAST 26u	/* text width below which ports are left out */
#define NEAR_LIMIT 0.95

static uint32_t larger(uint32_t left, uint32_t right)
{
	return left > right ? left : right;
}

static uint32_t figure_width(double most)
{
	char figure[TAKT_FIGURE_SIZE];

	takt_format_short(figure, most);
	/* A smaller figure may have decimals where the largest has none. */
	return larger((uint32_t)strlen(figure), 2);
}

/* Name a column as data files write sets of ports, each letter once: "p0156", "a01f2". */
static void name_column(const struct takt_analysis *analysis, struct takt_port_column *column)
{
	size_t length = 0;
	char letter = '\0';

	for (uint32_t port = 0; port < analysis->port_count; port++) {
		const char *name = analysis->port_names[port];

		if (!(column->ports >> port & 1) || length + strlen(name) >= TAKT_HEADER_SIZE)
			continue;
		length +=
			(size_t)sprintf(column->header + length, "%s", name + (name[0] == letter));
		letter = name[0];
	}
}

static void size_column(const struct takt_analysis *analysis, const struct takt_table *table,
			struct takt_port_column *column)
{
	char figure[TAKT_FIGURE_SIZE];

	name_column(analysis, column);
	takt_format_cycles(figure, column->total > column->most ? column->total : column->most,
			   table->decimals);
	column->width = larger((uint32_t)strlen(column->header), (uint32_t)strlen(figure));
}

static void add_columns(const struct takt_analysis *analysis, struct takt_table *table)
{
	double limit = analysis->cycles_per_iteration * analysis->unroll_factor;

	for (uint32_t port = 0; port < analysis->port_count; port++) {
		struct takt_port_column *column = &table->columns[table->count];
		double total = analysis->port_cycles[port];

		if (total < 0.005) {
			table->idle++;
			continue;
		}
		*column = (struct takt_port_column){.ports = (uint32_t)1 << port, .total = total};
		column->hot = total >= NEAR_LIMIT * limit;
		for (uint32_t i = 0; i < analysis->insn_count; i++)
			if (analysis->insns[i].port_cycles[port] > column->most)
				column->most = analysis->insns[i].port_cycles[port];
		table->count++;
	}
}

static bool same_cycles(const struct takt_analysis *analysis, uint32_t left, uint32_t right)
{
	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		const double *cycles = analysis->insns[i].port_cycles;
		double difference = cycles[left] - cycles[right];

		if (difference > 0.005 || difference < -0.005)
			return false;
	}
	return true;
}

static void merge_equal_columns(const struct takt_analysis *analysis, struct takt_table *table)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t port = (uint32_t)__builtin_ctz(table->columns[i].ports), into = 0;

		while (into < count &&
		       !same_cycles(analysis, (uint32_t)__builtin_ctz(table->columns[into].ports),
				    port))
			into++;
		if (into == count) {
			table->columns[count++] = table->columns[i];
			continue;
		}
		table->columns[into].ports |= (uint32_t)1 << port;
		table->merged = true;
	}
	table->count = count;
}

/* Return the columns of the longest encoding: two digits a byte, with blanks between them. */
static uint32_t encoding_width(const struct takt_analysis *analysis)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < analysis->insn_count; i++)
		most = larger(most, analysis->insns[i].length_bytes);
	return larger(5, 3 * most - 1);
}

static void drop_least_busy(struct takt_table *table)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < table->count; i++)
		if (table->columns[i].total <= table->columns[least].total)
			least = i;
	memmove(&table->columns[least], &table->columns[least + 1],
		(table->count - least - 1) * sizeof(table->columns[0]));
	table->count--;
	table->dropped++;
}

static void size_other_columns(const struct takt_analysis *analysis, struct takt_table *table,
			       uint32_t *ret_text)
{
	double latency = 0, lcd = analysis->bounds.loop_carried_cycles;
	uint64_t address = 0;
	uint32_t line = 0, uops = 0, text = 0, simulated = 0;
	char figure[TAKT_FIGURE_SIZE];
	bool fractions = false;

	for (uint32_t i = 0; i < analysis->insn_count; i++) {
		const struct takt_analysis_insn *insn = &analysis->insns[i];
		uint32_t note = takt_text_width(insn->note);

		takt_format_short(figure, insn->stall_cycles);
		simulated = larger(simulated, (uint32_t)strlen(figure));
		latency = insn->latency_cycles > latency ? insn->latency_cycles : latency;
		address = insn->address > address ? insn->address : address;
		line = larger(line, insn->line);
		uops += insn->uops;
		text = larger(text, takt_text_width(insn->text) + (note ? note + 3 : 0));
		fractions |= insn->lcd_cycles != (double)(int64_t)insn->lcd_cycles;
	}
	table->critical_path = figure_width(analysis->bounds.critical_path_cycles);
	if (lcd > 0)
		table->loop_carried = larger(3, figure_width(lcd) + (fractions ? 3 : 0));
	if (simulated) {
		takt_format_short(figure, analysis->simulated_cycles);
		table->simulated = larger(larger(3, simulated), (uint32_t)strlen(figure));
	}
	table->slots = larger(5, figure_width(analysis->issue_slots));
	table->uops = larger(4, figure_width(uops));
	table->latency = larger(3, figure_width(latency));
	table->place_is_address = line == 0;
	if (line)
		snprintf(figure, sizeof(figure), "%u", line);
	else
		snprintf(figure, sizeof(figure), "0x%" PRIx64, address);
	table->place = larger(4, (uint32_t)strlen(figure));
	*ret_text = text;
}

/* Return the columns left for the instruction's text, including the mark before it. */
static uint32_t text_room(const struct takt_table *table, uint32_t columns)
{
	const uint32_t others[] = {table->critical_path, table->loop_carried, table->simulated,
				   table->slots,	 table->uops,	      table->latency,
				   table->place,	 table->encoding};
	uint32_t used = 3; /* blank, mark, blank before the text */

	for (uint32_t i = 0; i < table->count; i++)
		used += table->columns[i].width + 1;
	for (size_t i = 0; i < TAKT_COUNT_OF(others); i++)
		used += others[i] ? others[i] + 1 : 0;
	return used < columns ? columns - used : 0;
}

static uint32_t resize(const struct takt_analysis *analysis, struct takt_table *table,
		       uint32_t columns)
{
	for (uint32_t i = 0; i < table->count; i++)
		size_column(analysis, table, &table->columns[i]);
	return text_room(table, columns);
}

void takt_table_layout(const struct takt_analysis *analysis,
		       const struct takt_write_options *options, uint32_t columns,
		       struct takt_table *ret_table)
{
	uint32_t longest, room;

	*ret_table = (struct takt_table){.decimals = 2};
	size_other_columns(analysis, ret_table, &longest);
	if (options && options->encoding && analysis->bytes && analysis->insn_count)
		ret_table->encoding = encoding_width(analysis);
	if (!options || !options->no_ports)
		add_columns(analysis, ret_table);
	room = resize(analysis, ret_table, columns);
	if (room < longest && room < TEXT_WANTED) {
		merge_equal_columns(analysis, ret_table);
		room = resize(analysis, ret_table, columns);
	}
	if (room < longest && room < TEXT_LEAST) {
		ret_table->decimals = 1;
		room = resize(analysis, ret_table, columns);
	}
	while (room < longest && room < TEXT_LEAST && ret_table->count > 1) {
		drop_least_busy(ret_table);
		room = resize(analysis, ret_table, columns);
	}
	ret_table->text = room;
}
