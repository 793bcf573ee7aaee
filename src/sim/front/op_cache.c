/* SPDX-License-Identifier: MIT */
/*
 * The op cache: decoded code in lines, a limited number of lines and of µops in each cycle. Lines
 * are filled here as they are read, by the same rules: code always runs into a window from its
 * start or from the target of the branch that closes the loop.
 */
#include "sim/front/fetch.h"

#define LINE_SLOTS 6 /* on cores where a change of windows costs */

/* Return the µops that the second line can give if it is in another window than the first. */
static uint32_t left_after_change(const struct sim_reading *reading,
				  const struct takt_cache_line *line, bool looped)
{
	if (reading->fresh) {
		if (reading->given >= LINE_SLOTS)
			return 0;
		return reading->given <= 2 ? 4 : reading->given <= 4 ? 2 : 1;
	}
	if (!looped)
		return LINE_SLOTS;
	return reading->given == 1 || (reading->given == 2 && line->slots >= LINE_SLOTS - 1) ? 4
											     : 2;
}

/* True if another line may follow in this cycle; then limit the µops left in `reading`. */
static bool may_change(const struct sim_front_end *fetch, const struct takt_cache_line *old,
		       const struct takt_cache_line *line, struct sim_reading *reading)
{
	bool looped = fetch->entered, same = line->window_end == old->window_end;
	uint32_t left;

	if (reading->lines == fetch->limits.op_cache_lines || !line->open)
		return false;
	if (looped && same && !fetch->params->op_cache_reread)
		return false;
	if (fetch->params->op_cache_change_costs && (looped || !same)) {
		left = left_after_change(reading, old, looped);
		reading->left = left < reading->left ? left : reading->left;
	}
	return reading->left > 0;
}

/*
 * Find the line of the next item where windows are looked up ahead, op_cache_lines_per_cycle in a
 * cycle. As many lines of a window are read in a cycle, and one more if it is the first of the
 * window after it; a taken branch ends the cycle.
 */
static bool find_line_ahead(struct sim_front_end *fetch, struct sim_reading *reading,
			    const struct takt_cache_line *line, bool fresh)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	bool other = fetch->entered || line->window_end != op_cache->line.window_end;
	uint32_t most = fetch->limits.op_cache_lines + other;

	if (fresh && reading->lines > 0 && (fetch->entered || reading->lines >= most))
		return false;
	if (other && op_cache->ahead == 0)
		return false;
	op_cache->ahead -= other;
	op_cache->line = *line;
	reading->lines += fresh || reading->lines == 0;
	return true;
}

/* Find the line of the next item; false if it cannot be read in this cycle. */
static bool find_line(struct sim_front_end *fetch, struct sim_reading *reading)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	const struct takt_code_item *item = &fetch->items[fetch->next.insn];
	uint64_t address = fetch->windows ? fetch->next.address : 0;
	struct takt_cache_line line;
	bool fresh;

	if (sim_reads_windows(fetch))
		return sim_read_window_find_line(fetch, reading);
	if (!fetch->entered &&
	    takt_cache_line_continue(fetch->params, &op_cache->line, item, address)) {
		if (reading->lines == 0)
			reading->lines = 1;
		return true;
	}
	line = op_cache->line;
	if (fetch->entered)
		line.open = false;
	fresh = !takt_cache_line_add(fetch->params, &line, item, address);
	if (fetch->limits.op_cache_ahead)
		return find_line_ahead(fetch, reading, &line, fresh);
	if (reading->lines == 0)
		*reading = (struct sim_reading){.left = reading->left, .lines = 1, .fresh = fresh};
	else if (fresh && !may_change(fetch, &op_cache->line, &line, reading))
		return false;
	else
		reading->lines += fresh;
	op_cache->line = line;
	return true;
}

/* Finish the item that was read; true if the cycle may go on. */
static bool finish_item(struct sim_front_end *fetch, const struct sim_insn *record)
{
	uint32_t insn = fetch->next.insn, iteration = fetch->next.iteration;

	fetch->op_cache.slot = 0;
	sim_fetch_advance(fetch);
	if (record->microcode_slots > 0 && fetch->limits.sequencer) {
		sim_microcode_start(fetch, insn, iteration, record->mite_slots,
				    fetch->limits.microcode_switch, 0);
		return false;
	}
	if (fetch->op_cache.window.crossed)
		return false;
	return !(record->flags & SIM_INSN_EXTRA_SLOT && fetch->params->op_cache_wide_immediates);
}

/* Look up the windows of a cycle. */
static void look_ahead(struct sim_front_end *fetch)
{
	const struct sim_fetch_limits *limits = &fetch->limits;
	uint32_t room = limits->op_cache_ahead - fetch->op_cache.ahead;

	fetch->op_cache.ahead += room < limits->op_cache_lines ? room : limits->op_cache_lines;
}

void sim_op_cache_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	struct sim_reading reading = {.left = fetch->limits.op_cache_width};

	if (sim_reads_windows(fetch))
		sim_read_window_begin(fetch, &reading);
	look_ahead(fetch);
	while (reading.left > 0 && sim_queue_room(queue) > 0 && sim_fetch_has_next(fetch)) {
		const struct sim_insn *record = &fetch->program->insns[fetch->next.insn];

		if (op_cache->slot == 0) {
			if (!fetch->next.cached) {
				fetch->path = SIM_PATH_DECODERS;
				return;
			}
			if (!find_line(fetch, &reading))
				return;
		} else if (reading.lines == 0 && !sim_reads_windows(fetch)) {
			reading.lines = 1;
		}
		sim_queue_push(queue, fetch->next.insn, fetch->next.iteration, op_cache->slot++);
		reading.left--;
		reading.given++;
		if (op_cache->slot == sim_fetch_slots(fetch, record) && !finish_item(fetch, record))
			return;
	}
}
