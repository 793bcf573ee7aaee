/* SPDX-License-Identifier: MIT */
/*
 * table: the layout of the text report's table. Ports get as many columns as the
 * width allows: first those in use each alone, then equal ones together, then with
 * one decimal, then the busiest only. What remains goes to the instruction's text.
 */
#ifndef TAKT_REPORT_TABLE_H
#define TAKT_REPORT_TABLE_H

#include "report/report.h"

#define TAKT_HEADER_SIZE ((size_t)4 * TAKT_PORTS_MAX)

struct takt_port_column {
	uint32_t ports;    /* all with the same cycles in every row */
	char header[TAKT_HEADER_SIZE];
	uint32_t width;    /* of header and figures, without the blank before */
	double total, most; /* cycles of one port; largest cell */
	bool hot;          /* near the limit */
};

struct takt_table {
	struct takt_port_column columns[TAKT_PORTS_MAX];
	uint32_t count;
	int decimals;
	uint32_t dropped, idle; /* columns that do not fit; ports without work */
	bool merged;
	/* Widths of the other columns; 0 if the column is not there. */
	uint32_t critical_path, loop_carried, simulated, slots, uops, latency, place, text;
	bool place_is_address;
};

void takt_table_layout(const struct takt_analysis *analysis, uint32_t columns,
		       struct takt_table *ret_table);

#endif
