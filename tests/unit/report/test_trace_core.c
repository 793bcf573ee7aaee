/* SPDX-License-Identifier: MIT */
/* What the report of a trace says of its core: samples, layouts, and better cores. */
#include <math.h>
#include <string.h>

#include "../tap.h"
#include "report/trace.h"

static void check_sample(void)
{
	static const struct {
		int line;
		struct takt_trace_sample sample;
		const char *says;
	} rows[] = {
		{__LINE__,
		 {.half_width_cycles = 25, .units = 40, .simulated_insns = 3000},
		 "\nestimated: 1.50 % of the instructions were simulated, in 40 units\n"
		 "cycles are within 2.50 % with a confidence of 95 %\n"},
		{__LINE__,
		 {.half_width_cycles = INFINITY, .units = 1, .simulated_insns = 3000},
		 "\nestimated: 1.50 % of the instructions were simulated, in 1 unit\n"
		 "too few for an error estimate: leave out '--sample' for so short a program\n"},
		{__LINE__,
		 {.simulated_insns = 200000},
		 "\nestimated: 100.00 % of the instructions were simulated, in 0 units\n"
		 "the program is so short that all of it was simulated\n"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct takt_trace_totals totals = {.all = {.insns = 200000, .cycles = 1000},
							 .sample = &rows[i].sample};
		struct takt_text text = {0};

		takt_trace_print_core(&totals, &text);
		tap_is_string(__FILE__, rows[i].line, text.data, rows[i].says, "a sample");
		takt_text_release(&text);
	}
}

static void check_layouts(void)
{
	static const uint64_t cycles[] = {1000, 990, 1030, 980};
	const struct takt_trace_layouts layouts = {.count = TAKT_COUNT_OF(cycles),
						   .half_width_cycles = 15,
						   .deviation_cycles = 22,
						   .cycles = cycles};
	const struct takt_trace_totals totals = {.all = {.cycles = 1000}, .layouts = &layouts};
	struct takt_text text = {0};

	takt_trace_print_core(&totals, &text);
	is_string(text.data,
		  "\ncycles are means over 4 layouts drawn at random, within 1.50 % with a "
		  "confidence of 95 %\n"
		  "a single layout differs from the mean by -2.00 % to +3.00 %; the standard "
		  "deviation is 2.20 %\n",
		  "layouts: the error of the mean, and how far one may be from it");
	takt_text_release(&text);
}

static void check_sensitivity(void)
{
	static const struct takt_trace_what_if rows[] = {
		{"no mispredicted branches", 700000},
		{"a reorder buffer of 448 entries instead of 224", 1001000},
	};
	const struct takt_trace_sensitivity sensitivity = {rows, TAKT_COUNT_OF(rows)};
	const struct takt_trace_totals totals = {.all = {.cycles = 1000000},
						 .sensitivity = &sensitivity};
	struct takt_text text = {0};

	takt_trace_print_sensitivity(&totals, &text);
	is_string(text.data,
		  "\nthe same run on better cores\n\n"
		  "           cycles        %  with\n"
		  "          700,000   -30.00  no mispredicted branches\n"
		  "        1,001,000    +0.10  a reorder buffer of 448 entries instead of 224\n",
		  "better cores: their cycles, and the change");
	takt_text_release(&text);
}

int main(void)
{
	check_sample();
	check_layouts();
	check_sensitivity();
	return tap_done();
}
