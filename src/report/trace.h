/* SPDX-License-Identifier: MIT */
/* trace: parts of the text report of a trace. */
#ifndef TAKT_REPORT_TRACE_H
#define TAKT_REPORT_TRACE_H

#include "base/columns.h"
#include "base/sources.h"
#include "report/report.h"

#define TAKT_TRACE_FIGURES 11

struct takt_trace_figure {
	const char *name;
	size_t offset; /* of the count in struct takt_trace_counts */
	bool of_accesses;
};

/* All counts, in the order in which reports show them. */
extern const struct takt_trace_figure takt_trace_figures[TAKT_TRACE_FIGURES];

uint64_t takt_trace_figure(const struct takt_trace_counts *counts, size_t index);

/* trace_core.c: what better cores would gain. */
void takt_trace_print_sensitivity(const struct takt_trace_totals *totals, struct takt_text *text);
/* trace_dependences.c: write the first `top` rows. */
void takt_trace_print_dependences(const struct takt_trace_dependences *dependences, uint32_t top,
				  struct takt_text *text);
/* trace_threads.c: a row for each program, if there are several; a row for each thread. */
void takt_trace_print_programs(const struct takt_trace_totals *totals, struct takt_text *text);
void takt_trace_print_threads(const struct takt_trace_totals *totals, struct takt_text *text);
/* trace_profile.c */
void takt_trace_print_profile(const struct takt_trace_totals *totals,
			      const struct takt_trace_write_options *options,
			      struct takt_text *text);

/*
 * trace_annotate_text.c: write two blanks and the text of a source line, on at most `columns`
 * columns; nothing if it cannot be read.
 */
void takt_trace_print_source(struct takt_sources *sources, const char *file, uint32_t line,
			     uint32_t columns, struct takt_text *text);

/* trace_core.c: caches, branches and the other models beside the pipeline */
void takt_trace_print_core(const struct takt_trace_totals *totals, struct takt_text *text);

/* trace_losses.c: write what the cycles are spent on. */
void takt_trace_write_losses(const struct takt_trace_totals *totals,
			     const struct takt_trace_counts *counts, struct takt_text *text);

#endif
