/* SPDX-License-Identifier: MIT */
/* The names of losses, and the categories of top-down analysis that they belong to. */
#include "trace/trace.h"

_Static_assert(SIM_LOSS_COUNT == TAKT_TRACE_LOSSES, "the simulator's causes are those in takt.h");

/* A category: of level 1, or, if `level` is 2, of level 2. */
struct category {
	uint8_t level, number; /* enum sim_top_down_first, or enum sim_top_down */
};

static const struct category categories[] = {
	{1, SIM_RETIRING},	  {2, SIM_LIGHT_OPERATIONS},   {2, SIM_HEAVY_OPERATIONS},
	{1, SIM_BAD_SPECULATION}, {2, SIM_BRANCH_MISPREDICTS}, {1, SIM_FRONT_END_BOUND},
	{2, SIM_FETCH_LATENCY},	  {2, SIM_FETCH_BANDWIDTH},    {1, SIM_BACK_END_BOUND},
	{2, SIM_MEMORY_BOUND},	  {2, SIM_CORE_BOUND},
};
_Static_assert(TAKT_COUNT_OF(categories) == TAKT_TRACE_CATEGORIES, "those in takt.h");

const char *takt_trace_loss_name(uint32_t loss)
{
	return loss < TAKT_TRACE_LOSSES ? takt_sim_loss_word((enum sim_loss)loss) : NULL;
}

const char *takt_trace_category_name(uint32_t category)
{
	const struct category *found = &categories[category];

	if (category >= TAKT_TRACE_CATEGORIES)
		return NULL;
	return found->level == 1
		       ? takt_sim_top_down_first_word((enum sim_top_down_first)found->number)
		       : takt_sim_top_down_word((enum sim_top_down)found->number);
}

uint32_t takt_trace_category_level(uint32_t category)
{
	return category < TAKT_TRACE_CATEGORIES ? categories[category].level : 0;
}

/* Return the number of the category of that level that the loss belongs to. */
static unsigned category_of(uint32_t loss, uint32_t level)
{
	enum sim_top_down second = takt_sim_loss_top_down((enum sim_loss)loss);

	return level == 1 ? (unsigned)takt_sim_top_down_first(second) : (unsigned)second;
}

const char *takt_trace_loss_category(uint32_t loss, uint32_t level)
{
	if (loss >= TAKT_TRACE_LOSSES || loss == SIM_LOSS_SYSTEM || level < 1 || level > 2)
		return NULL;
	return level == 1
		       ? takt_sim_top_down_first_word((enum sim_top_down_first)category_of(loss, 1))
		       : takt_sim_top_down_word((enum sim_top_down)category_of(loss, 2));
}

uint64_t takt_trace_category_cycles(const uint64_t losses[TAKT_TRACE_LOSSES], uint32_t category)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; category < TAKT_TRACE_CATEGORIES && i < TAKT_TRACE_LOSSES; i++)
		if (category_of(i, categories[category].level) == categories[category].number)
			sum += losses[i];
	return sum;
}

void takt_trace_write_ports(const struct takt_trace_totals *totals, uint32_t ports,
			    struct takt_text *text)
{
	const char *between = "";

	for (; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);

		if (port >= totals->port_count)
			break;
		takt_text_printf(text, "%s%s", between, totals->port_names[port]);
		between = " ";
	}
}
