/* SPDX-License-Identifier: MIT */
/* The SVG of an experiment has each point and both lines, and its texts are escaped. */
#include <math.h>
#include <string.h>

#include "learn/learn.h"
#include "unit/tap.h"

static void has(const struct takt_text *text, const char *wanted)
{
	ok(strstr(takt_text_data(text), wanted) != NULL, "has %s", wanted);
}

int main(void)
{
	const struct takt_learnt_timing timings[] = {
		{.size = 10, .cycles = 5, .learnt_cycles = 5, .nearest_cycles = NAN},
		{.size = 30, .cycles = 10, .learnt_cycles = 10, .nearest_cycles = 5}};
	const struct takt_learnt_experiment experiment = {
		.name = "a<b", .code = "nop*N", .timings = timings, .timing_count = 2};
	struct takt_text text = {0};
	unsigned circles = 0;

	learn_plot(&experiment, "mine", "near", &text);
	for (const char *at = takt_text_data(&text); (at = strstr(at, "<circle")) != NULL; at++)
		circles++;
	is_int(circles, 3, "two points, and the legend's");
	has(&text, ">a&lt;b</text>");
	has(&text, ">mine</text>");
	has(&text, ">near</text>");
	/* 10.5 cycles are at the top, 60; 0 at the bottom, 350. */
	has(&text, "points=\"60.0,211.9 620.0,73.8 \"");
	has(&text, "points=\"620.0,211.9 \"");
	ok(!strstr(takt_text_data(&text), "nan"), "what is not known is not drawn");
	has(&text, "</svg>");
	takt_text_release(&text);
	return tap_done();
}
