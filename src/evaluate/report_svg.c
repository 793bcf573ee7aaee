/* SPDX-License-Identifier: MIT */
/*
 * The report as box plots of predicted / measured - 1, a row for each predictor, for the full and
 * the pruned set: the box spans the middle half of the benchmarks, its line is the median, and the
 * whiskers span 90 %.
 */
#include "evaluate/report.h"

#include <math.h>

#define LEFT 190 /* x of the axis; names are to the left of it */
#define WIDTH 560
#define ROW 26
#define BOX 14
#define TOP 46	     /* space above the first row */
#define LEAST (-1.0) /* ends of the axis; errors beyond are drawn at the end */
#define MOST 2.0
#define TICKS 6

static double place(double error)
{
	return LEFT + WIDTH * (fmin(fmax(error, LEAST), MOST) - LEAST) / (MOST - LEAST);
}

static void write_axis(int y, size_t rows, const char *title, struct takt_text *text)
{
	int bottom = y + TOP + (int)rows * ROW;

	takt_text_printf(text,
			 "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s: predicted / measured"
			 " − 1</text>\n",
			 LEFT, y + 18, title);
	for (int i = 0; i <= TICKS; i++) {
		double tick = LEAST + i * (MOST - LEAST) / TICKS;

		takt_text_printf(text,
				 "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\""
				 " stroke=\"%s\"/>\n",
				 place(tick), place(tick), y + TOP - 6, bottom,
				 fabs(tick) < 0.01 ? "#444" : "#ddd");
		takt_text_printf(text,
				 "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%+.0f %%"
				 "</text>\n",
				 place(tick), y + TOP - 12, 100 * tick);
	}
}

static void write_box(const struct report_tool *tool, enum report_set set, int y,
		      struct takt_text *text)
{
	const double *box = tool->boxes[set], *whiskers = tool->whiskers[set];
	int middle = y + ROW / 2;

	takt_text_printf(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 10,
			 middle + 4, tool->predictor->name);
	if (tool->errors[set].count == 0)
		return;
	takt_text_printf(text,
			 "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#000\"/>\n",
			 place(whiskers[0]), place(whiskers[1]), middle, middle);
	takt_text_printf(text,
			 "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#9cf\""
			 " stroke=\"#000\"/>\n",
			 place(box[0]), middle - BOX / 2, place(box[2]) - place(box[0]), BOX);
	takt_text_printf(text,
			 "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#000\""
			 " stroke-width=\"2\"/>\n",
			 place(box[1]), place(box[1]), middle - BOX / 2, middle + BOX / 2);
}

void report_write_svg(const struct report *report, struct takt_text *text)
{
	static const char *const titles[] = {"full set", "pruned set"};
	size_t rows = 0;
	int y = 0, height;

	for (size_t i = 0; i < report->tool_count; i++)
		rows += !report->tools[i].skipped;
	height = TOP + (int)rows * ROW + 14;
	takt_text_printf(text,
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
			 " font-family=\"sans-serif\" font-size=\"12\">\n",
			 LEFT + WIDTH + 30, 2 * height);
	takt_text_printf(text,
			 "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\""
			 " fill=\"#fff\"/>\n",
			 report->core);
	for (size_t set = REPORT_FULL; set <= REPORT_PRUNED; set++) {
		int row = y + TOP;

		write_axis(y, rows, titles[set], text);
		for (size_t i = 0; i < report->tool_count; i++) {
			if (report->tools[i].skipped)
				continue;
			write_box(&report->tools[i], (enum report_set)set, row, text);
			row += ROW;
		}
		y += height;
	}
	takt_text_add_string(text, "</svg>\n");
}
