/* SPDX-License-Identifier: MIT */
/* format: figures and foreign strings as the text report writes them. */
#ifndef TAKT_REPORT_FORMAT_H
#define TAKT_REPORT_FORMAT_H

#include "report/report.h"

#define TAKT_FIGURE_SIZE 32

enum takt_style { TAKT_STYLE_PLAIN, TAKT_STYLE_BOLD, TAKT_STYLE_HOT, TAKT_STYLE_DIM };

/* Cycles with up to `decimals` places, fewer from 100 on; "" if they round to 0. */
void takt_format_cycles(char ret_figure[TAKT_FIGURE_SIZE], double cycles, int decimals);
/* The same without trailing zeros. */
void takt_format_short(char ret_figure[TAKT_FIGURE_SIZE], double cycles);

/* Columns that UTF-8 text takes, each character counting as one. */
uint32_t takt_format_width(const char *string);
/*
 * Appends foreign text on one line: tabs become blanks, other control characters '?'.
 * Cut to `columns` with an ellipsis. Returns the columns used.
 */
uint32_t takt_format_clean(struct takt_text *text, const char *string, uint32_t columns);
/* Right-aligned in `width`, styled only if `colour`. */
void takt_format_right(struct takt_text *text, const char *string, uint32_t width,
		       enum takt_style style, bool colour);
void takt_format_style(struct takt_text *text, enum takt_style style, bool colour);
/* Appends `string` broken at blanks, the following lines indented by `indent`. */
void takt_format_wrap(struct takt_text *text, const char *string, uint32_t indent,
		      uint32_t columns);

#endif
