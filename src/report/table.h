/* SPDX-License-Identifier: MIT */
/*
 * table: layout of the text report's table. Ports get as many columns as the width allows: first
 * a column for each port in use, then one for ports with equal cycles, then figures with one
 * decimal, then only the busiest ports. The width that remains is for the instruction's text.
 */
#ifndef TAKT_REPORT_TABLE_H
#define TAKT_REPORT_TABLE_H

#include "report/report.h"

#define TAKT_HEADER_SIZE ((size_t)4 * TAKT_PORTS_MAX)

struct takt_port_column {
	/* ports shown in this column, as bits: they have the same cycles in every row */
	uint32_t ports;
	char header[TAKT_HEADER_SIZE];
	uint32_t width;	    /* columns of header and figures, without the blank before */
	double total, most; /* cycles of one port in all rows, and in its largest cell */
	bool hot;	    /* within 5 % of the limit */
};

struct takt_table {
	struct takt_port_column columns[TAKT_PORTS_MAX];
	uint32_t count;
	int decimals;
	uint32_t dropped, idle; /* ports that do not fit, by column, and ports without work */
	bool merged;
	/* Widths of the other columns; 0: the column is not shown. */
	uint32_t critical_path, loop_carried, simulated, slots, uops, latency, place, encoding,
		text;
	bool place_is_address;
};

/* `columns` is the width of the output; the options say what is shown. */
void takt_table_layout(const struct takt_analysis *analysis,
		       const struct takt_write_options *options, uint32_t columns,
		       struct takt_table *ret_table);

#endif
