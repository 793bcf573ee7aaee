/* SPDX-License-Identifier: MIT */
/* Writes what a program's cycles are spent on: by top-down category, by cause and by port. */
#include <string.h>

#include "report/trace.h"

#define LEAST_SHOWN 0.0005 /* share of a cause or port below which it is left out */

static double percent(uint64_t part, const struct takt_trace_counts *counts)
{
	return 100 * (double)part / (double)counts->cycles;
}

static bool is_shown(uint64_t part, const struct takt_trace_counts *counts)
{
	return (double)part >= LEAST_SHOWN * (double)counts->cycles;
}

static void write_categories(const struct takt_trace_counts *counts, struct takt_text *text)
{
	takt_text_add_string(text, "\nissue slots, by top-down analysis\n");
	for (uint32_t i = 0; i < TAKT_TRACE_CATEGORIES; i++)
		takt_text_printf(text, "%20.1f  %% %s%s\n",
				 percent(takt_trace_category_cycles(counts->losses, i), counts),
				 takt_trace_category_level(i) == 1 ? "" : "  ",
				 takt_trace_category_name(i));
}

/* Write the ports that the loss "ports" is due to, most first. */
static void write_ports(const struct takt_trace_totals *totals,
			const struct takt_trace_counts *counts, struct takt_text *text)
{
	uint32_t left = UINT32_MAX;

	for (;;) {
		uint32_t best = TAKT_PORTS_MAX;

		for (uint32_t i = 0; i < totals->port_count; i++)
			if (left >> i & 1 && (best == TAKT_PORTS_MAX ||
					      counts->port_cycles[i] > counts->port_cycles[best]))
				best = i;
		if (best == TAKT_PORTS_MAX || !is_shown(counts->port_cycles[best], counts))
			return;
		left &= ~((uint32_t)1 << best);
		takt_text_printf(text, "%20.1f  %%   %s\n",
				 percent(counts->port_cycles[best], counts),
				 totals->port_names[best]);
	}
}

void takt_trace_write_losses(const struct takt_trace_totals *totals,
			     const struct takt_trace_counts *counts, struct takt_text *text)
{
	uint32_t left = UINT32_MAX;

	if (!counts->cycles)
		return;
	write_categories(counts, text);
	takt_text_add_string(text, "\ncycles go to\n");
	for (;;) {
		uint32_t best = TAKT_TRACE_LOSSES;

		for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
			if (left >> i & 1 &&
			    (best == TAKT_TRACE_LOSSES || counts->losses[i] > counts->losses[best]))
				best = i;
		if (best == TAKT_TRACE_LOSSES || !is_shown(counts->losses[best], counts))
			return;
		left &= ~((uint32_t)1 << best);
		takt_text_printf(text, "%20.1f  %% %s\n", percent(counts->losses[best], counts),
				 takt_trace_loss_name(best));
		if (strcmp(takt_trace_loss_name(best), "ports") == 0)
			write_ports(totals, counts, text);
	}
}
