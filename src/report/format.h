/* SPDX-License-Identifier: MIT */
/* format: figures and foreign strings in the form of the text report. */
#ifndef TAKT_REPORT_FORMAT_H
#define TAKT_REPORT_FORMAT_H

#include "base/columns.h"
#include "report/report.h"

#define TAKT_FIGURE_SIZE 32

enum takt_style { TAKT_STYLE_PLAIN, TAKT_STYLE_BOLD, TAKT_STYLE_HOT, TAKT_STYLE_DIM };

/* Format cycles with up to `decimals` decimals, fewer from 100 on; "" if they round to 0. */
void takt_format_cycles(char ret_figure[TAKT_FIGURE_SIZE], double cycles, int decimals);
/* Format cycles as short as possible, without trailing zeros. */
void takt_format_short(char ret_figure[TAKT_FIGURE_SIZE], double cycles);

/* Append text right-aligned in `width` columns, styled if `colour`. */
void takt_format_right(struct takt_text *text, const char *string, uint32_t width,
		       enum takt_style style, bool colour);
void takt_format_style(struct takt_text *text, enum takt_style style, bool colour);
/* Append `string` broken at blanks, the lines after the first indented by `indent`. */
void takt_format_wrap(struct takt_text *text, const char *string, uint32_t indent,
		      uint32_t columns);

#endif
