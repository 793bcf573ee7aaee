/* SPDX-License-Identifier: MIT */
/*
 * The op cache of cores that read window by window: of one window the first lines in a cycle, and
 * further ones later. The window after it comes in the next cycle. A window that a taken branch
 * leads into can come in the cycle of the branch's own window. The rules are read off loops of nops
 * of one to twelve bytes (docs/notes/simulator-rules.md, "Windows in loops").
 */
#include "sim/front/fetch.h"

/*
 * True if the branch's window and the one that it leads into may be read in the same cycle: not in
 * a loop of one window that has as many lines as a cycle reads.
 */
static bool may_join(const struct sim_front_end *fetch, const struct sim_reading *reading)
{
	const struct sim_read_window *window = &fetch->op_cache.window;
	uint64_t target = fetch->next.address;
	bool whole = target == takt_cache_window_end(fetch->params, target) -
				       (uint64_t)fetch->params->op_cache_window_bytes;

	if (reading->joined || (window->entered && window->lines >= fetch->limits.op_cache_lines))
		return false;
	return window->lines > 0 || !whole;
}

/*
 * While lines of a window were waited for, the next window was looked up: if no line begins in it,
 * it takes no cycle then. This was not seen where the loop's first window has further lines, too.
 */
static bool is_ahead(const struct sim_front_end *fetch)
{
	const struct sim_read_window *window = &fetch->op_cache.window;

	return window->ahead && window->entry_lines <= fetch->limits.op_cache_lines;
}

/* Begin the window of the address. */
static void visit(struct sim_front_end *fetch, struct sim_reading *reading, uint64_t address)
{
	struct sim_read_window *window = &fetch->op_cache.window;
	bool entered = fetch->entered, follows_line = window->lines > 0;

	if (window->entered)
		window->entry_lines = window->lines;
	if (entered || reading->visited)
		window->ahead = false;
	if (reading->visited) {
		reading->joined = true;
		reading->lines_left = !entered	     ? 0
				      : follows_line ? fetch->limits.op_cache_lines
						     : 1;
	}
	window->beside = reading->visited && entered && follows_line;
	reading->visited = true;
	window->end = takt_cache_window_end(fetch->params, address);
	window->lines = window->waited = 0;
	window->entered = entered;
}

/* True if a further line of the window that is being read may begin. */
static bool may_begin_line(struct sim_front_end *fetch, const struct sim_reading *reading)
{
	struct sim_read_window *window = &fetch->op_cache.window;
	uint32_t wait = (uint32_t)fetch->params->op_cache_more_lines_cycles - 1 + window->beside;

	if (reading->lines_left == 0)
		return false;
	if (window->lines == 0 || window->lines % fetch->limits.op_cache_lines)
		return true;
	if (reading->given > 0)
		return false;
	if (window->waited < wait) {
		window->waited++;
		return false;
	}
	window->waited = 0;
	window->beside = false;
	window->ahead |= !window->entered;
	return true;
}

/* Note that the item, a taken branch, ends in the window after that in which it begins. */
static void cross(struct sim_front_end *fetch, struct sim_reading *reading)
{
	struct sim_read_window *window = &fetch->op_cache.window;

	if (is_ahead(fetch)) {
		window->ahead = false;
		reading->joined = true;
		return;
	}
	if (window->entered)
		window->entry_lines = window->lines;
	window->entered = window->beside = false;
	window->lines = 0;
	window->crossed = true;
}

void sim_read_window_begin(struct sim_front_end *fetch, struct sim_reading *reading)
{
	struct sim_read_window *window = &fetch->op_cache.window;

	reading->left = SIM_QUEUE_ENTRIES_MAX; /* lines are what limits it */
	reading->lines_left = fetch->limits.op_cache_lines;
	reading->visited = window->crossed && fetch->op_cache.slot == 0;
	if (reading->visited)
		window->crossed = false;
}

bool sim_read_window_find_line(struct sim_front_end *fetch, struct sim_reading *reading)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	const struct takt_code_item *item = &fetch->items[fetch->next.insn];
	uint64_t address = fetch->next.address, last = address + item->length_bytes - 1u;
	bool entered = fetch->entered, other = entered || address >= op_cache->window.end;
	struct takt_cache_line line = op_cache->line;
	bool begins;

	/* Most items continue their line and end in the same window. */
	if (!other && !fetch->next.taken &&
	    takt_cache_line_continue(fetch->params, &op_cache->line, item, address))
		return true;
	if (entered)
		line.open = false;
	begins = !takt_cache_line_add(fetch->params, &line, item, address);
	if (other && reading->visited &&
	    !(entered ? may_join(fetch, reading) : !begins && !reading->joined && is_ahead(fetch)))
		return false;
	if (other)
		visit(fetch, reading, address);
	if (begins) {
		if (!may_begin_line(fetch, reading))
			return false;
		reading->lines_left--;
		reading->visited = true;
		op_cache->window.lines++;
	}
	op_cache->line = line;
	if (fetch->next.taken && last >= op_cache->window.end)
		cross(fetch, reading);
	return true;
}
