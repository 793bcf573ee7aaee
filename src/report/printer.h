/* SPDX-License-Identifier: MIT */
/* printer: the state of a text report being written, and the parts written by other files. */
#ifndef TAKT_REPORT_PRINTER_H
#define TAKT_REPORT_PRINTER_H

#include "report/format.h"
#include "report/table.h"

struct takt_printer {
	const struct takt_analysis *analysis;
	struct takt_text *text;
	struct takt_table table;
	uint32_t columns;
	bool colour;
};

/* simulated.c; each writes nothing if the record has no data for it. */
void takt_print_waits(struct takt_printer *printer);
void takt_print_relaxations(struct takt_printer *printer);
void takt_print_alignments(struct takt_printer *printer);

#endif
