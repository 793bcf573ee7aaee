/* SPDX-License-Identifier: MIT */
/*
 * Draws experiments as SVG files that need nothing else: the machine's times as points, those of
 * the learnt core and of the nearest one as lines, over the size.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "learn/learn.h"

#define WIDTH 640
#define HEIGHT 400
#define LEFT 60
#define RIGHT 620
#define TOP 60
#define BOTTOM 350
#define TICKS 5u

/* The range of sizes and cycles that a plot shows, which begins at 0 cycles. */
struct frame {
	double least_size, most_size, most_cycles;
};

static double x_of(const struct frame *frame, double size)
{
	double range = frame->most_size - frame->least_size;

	return LEFT + (RIGHT - LEFT) * (range > 0 ? (size - frame->least_size) / range : 0.5);
}

static double y_of(const struct frame *frame, double cycles)
{
	return BOTTOM - (BOTTOM - TOP) * cycles / frame->most_cycles;
}

static void find_frame(const struct learn_series *series, const double *learnt,
		       const double *nearest, struct frame *ret_frame)
{
	struct frame frame = {INFINITY, 0, 0};

	for (size_t i = 0; i < series->count; i++) {
		const struct learn_point *point = &series->points[i];

		frame.least_size = fmin(frame.least_size, point->size);
		frame.most_size = fmax(frame.most_size, point->size);
		frame.most_cycles = fmax(frame.most_cycles, point->cycles);
		frame.most_cycles = fmax(frame.most_cycles, fmax(learnt[i], nearest[i]));
	}
	frame.most_cycles *= 1.05;
	*ret_frame = frame;
}

static void add_text(struct takt_text *text, double x, double y, const char *anchor,
		     const char *words)
{
	takt_text_printf(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	for (const char *at = words; *at; at++)
		if (*at == '<' || *at == '&')
			takt_text_add_string(text, *at == '<' ? "&lt;" : "&amp;");
		else
			takt_text_add(text, at, 1);
	takt_text_add_string(text, "</text>\n");
}

static void add_axes(struct takt_text *text, const struct frame *frame)
{
	char label[32];

	takt_text_printf(text, "<path d=\"M%d %dV%dH%d\" stroke=\"#000\" fill=\"none\"/>\n", LEFT,
			 TOP, BOTTOM, RIGHT);
	for (unsigned i = 0; i <= TICKS; i++) {
		double part = (double)i / TICKS;
		double size = frame->least_size + part * (frame->most_size - frame->least_size);

		takt_snprintf(label, sizeof(label), "%.0f", size);
		add_text(text, LEFT + part * (RIGHT - LEFT), BOTTOM + 16, "middle", label);
		takt_snprintf(label, sizeof(label), "%.1f", part * frame->most_cycles);
		add_text(text, LEFT - 6, y_of(frame, part * frame->most_cycles) + 4, "end", label);
	}
	add_text(text, (LEFT + RIGHT) / 2.0, BOTTOM + 36, "middle", "N, the size of the code");
	add_text(text, 10, TOP - 10, "start", "cycles per iteration");
}

/* Add a line through the simulated times; points of the same size in two layouts are both on it. */
static void add_line(struct takt_text *text, const struct frame *frame,
		     const struct learn_series *series, const double *cycles, const char *style)
{
	takt_text_printf(text, "<polyline fill=\"none\" %s points=\"", style);
	for (size_t i = 0; i < series->count; i++)
		if (cycles[i] >= 0)
			takt_text_printf(text, "%.1f,%.1f ", x_of(frame, series->points[i].size),
					 y_of(frame, cycles[i]));
	takt_text_add_string(text, "\"/>\n");
}

static void add_legend(struct takt_text *text, const char *name, const char *nearest)
{
	takt_text_printf(text, "<circle cx=\"360\" cy=\"36\" r=\"3\" fill=\"#000\"/>\n");
	add_text(text, 368, 40, "start", "machine");
	takt_text_add_string(text, "<path d=\"M430 36H450\" stroke=\"#06c\"/>\n");
	add_text(text, 454, 40, "start", name);
	takt_text_add_string(
		text, "<path d=\"M530 36H550\" stroke=\"#c60\" stroke-dasharray=\"4 3\"/>\n");
	add_text(text, 554, 40, "start", nearest);
}

void learn_plot(const struct learn_series *series, const double *learnt, const double *nearest,
		const char *name, const char *nearest_name, struct takt_text *text)
{
	struct frame frame;

	find_frame(series, learnt, nearest, &frame);
	takt_text_printf(text,
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
			 "font-family=\"sans-serif\" font-size=\"12\">\n"
			 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
			 WIDTH, HEIGHT);
	add_text(text, 10, 18, "start", series->experiment->name);
	add_text(text, 150, 18, "start", series->experiment->text);
	add_legend(text, name, nearest_name);
	add_axes(text, &frame);
	add_line(text, &frame, series, nearest, "stroke=\"#c60\" stroke-dasharray=\"4 3\"");
	add_line(text, &frame, series, learnt, "stroke=\"#06c\"");
	for (size_t i = 0; i < series->count; i++)
		takt_text_printf(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
				 x_of(&frame, series->points[i].size),
				 y_of(&frame, series->points[i].cycles));
	takt_text_add_string(text, "</svg>\n");
}

/* ---- files -------------------------------------------------------------------------- */

static enum takt_status write_plot(struct learn *learn, const struct learn_series *series,
				   struct learn_player *learnt, struct learn_player *nearest,
				   const char *name)
{
	const char *path = takt_arena_printf(learn->arena, "%s/plots/%s.svg",
					     learn->options->directory, series->experiment->name);
	double *of_learnt = TAKT_NEW_ARRAY(learn->arena, series->count, double);
	double *of_nearest = TAKT_NEW_ARRAY(learn->arena, series->count, double);
	struct takt_text text = {0};
	enum takt_status status;

	for (size_t i = 0; i < series->count; i++) {
		const struct learn_point *point = &series->points[i];

		of_learnt[i] = learn_player_time(learnt, &point->code, &point->layout);
		of_nearest[i] = learn_player_time(nearest, &point->code, &point->layout);
	}
	learn_plot(series, of_learnt, of_nearest, name, takt_model_name(learn->nearest), &text);
	status = learn_write_file(path, &text, learn->diag);
	takt_text_release(&text);
	return status;
}

enum takt_status learn_write_plots(struct learn *learn, const char *name)
{
	const char *directory =
		takt_arena_printf(learn->arena, "%s/plots", learn->options->directory);
	struct takt_model *model = learn_core_model(&learn->core, learn->nearest);
	struct learn_player *learnt = learn_player_new(model);
	struct learn_player *nearest = learn_player_new(learn->nearest);
	enum takt_status status = TAKT_OK;
	size_t count;

	learn_experiments(&count);
	if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
		takt_error(learn->diag, "cannot make the directory '%s': %s", directory,
			   strerror(errno));
		status = TAKT_BAD_INPUT;
	}
	for (size_t i = 0; i < count && status == TAKT_OK; i++)
		if (learn->series[i].count)
			status = write_plot(learn, &learn->series[i], learnt, nearest, name);
	learn_player_free(nearest);
	learn_player_free(learnt);
	takt_model_close(model);
	return status;
}
