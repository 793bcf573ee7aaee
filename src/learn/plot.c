/* SPDX-License-Identifier: MIT */
/*
 * Draws experiments as SVG files that need nothing else: the machine's times as points, those of
 * the learnt core and of the nearest one as lines, over the size.
 */
#include <errno.h>
#include <math.h>
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

static void find_frame(const struct takt_learnt_experiment *experiment, struct frame *ret_frame)
{
	struct frame frame = {INFINITY, 0, 0};

	for (uint32_t i = 0; i < experiment->timing_count; i++) {
		const struct takt_learnt_timing *timing = &experiment->timings[i];

		frame.least_size = fmin(frame.least_size, timing->size);
		frame.most_size = fmax(frame.most_size, timing->size);
		frame.most_cycles = fmax(frame.most_cycles, timing->cycles);
		frame.most_cycles = fmax(frame.most_cycles,
					 fmax(timing->learnt_cycles, timing->nearest_cycles));
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
		     const struct takt_learnt_experiment *experiment, bool is_learnt,
		     const char *style)
{
	takt_text_printf(text, "<polyline fill=\"none\" %s points=\"", style);
	for (uint32_t i = 0; i < experiment->timing_count; i++) {
		const struct takt_learnt_timing *timing = &experiment->timings[i];
		double cycles = is_learnt ? timing->learnt_cycles : timing->nearest_cycles;

		if (cycles >= 0)
			takt_text_printf(text, "%.1f,%.1f ", x_of(frame, timing->size),
					 y_of(frame, cycles));
	}
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

void learn_plot(const struct takt_learnt_experiment *experiment, const char *name,
		const char *nearest_name, struct takt_text *text)
{
	struct frame frame;

	find_frame(experiment, &frame);
	takt_text_printf(text,
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
			 "font-family=\"sans-serif\" font-size=\"12\">\n"
			 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
			 WIDTH, HEIGHT);
	add_text(text, 10, 18, "start", experiment->name);
	add_text(text, 150, 18, "start", experiment->code);
	add_legend(text, name, nearest_name);
	add_axes(text, &frame);
	add_line(text, &frame, experiment, false, "stroke=\"#c60\" stroke-dasharray=\"4 3\"");
	add_line(text, &frame, experiment, true, "stroke=\"#06c\"");
	for (uint32_t i = 0; i < experiment->timing_count; i++)
		takt_text_printf(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
				 x_of(&frame, experiment->timings[i].size),
				 y_of(&frame, experiment->timings[i].cycles));
	takt_text_add_string(text, "</svg>\n");
}

/* ---- files -------------------------------------------------------------------------- */

enum takt_status learn_write_plots(struct learn *learn, const char *name)
{
	const char *directory =
		takt_arena_printf(learn->arena, "%s/plots", learn->options->directory);
	const char *nearest = takt_model_name(learn->nearest);
	enum takt_status status = TAKT_OK;

	if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
		takt_error(learn->diag, "cannot make the directory '%s': %s", directory,
			   strerror(errno));
		status = TAKT_BAD_INPUT;
	}
	for (uint32_t i = 0; i < learn->compared_count && status == TAKT_OK; i++) {
		const struct takt_learnt_experiment *experiment = &learn->compared[i];
		struct takt_text text = {0};

		learn_plot(experiment, name, nearest, &text);
		status = learn_write_file(
			takt_arena_printf(learn->arena, "%s/%s.svg", directory, experiment->name),
			&text, learn->diag);
		takt_text_release(&text);
	}
	return status;
}
