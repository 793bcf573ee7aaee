/* SPDX-License-Identifier: MIT */
/*
 * The op cache: decoded code in lines, a limited number of lines and of µops in each cycle. Lines
 * are filled here as they are read, by the same rules: code always runs into a window from its
 * start or from the target of the branch that closes the loop.
 */
#include "sim/front/fetch.h"

#define LINE_SLOTS 6 /* on cores where a change of windows costs */

/* Progress of reading in a cycle. */
struct reading {
	uint32_t left, lines;
	uint32_t given; /* µops read from the first line */
	bool fresh;	/* that line was begun in this cycle */
	bool further;	/* lines behind those that a cycle reads of a window */
};

/* Return the µops that the second line can give if it is in another window than the first. */
static uint32_t left_after_change(const struct reading *reading, const struct takt_cache_line *line,
				  bool looped)
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
		       const struct takt_cache_line *line, struct reading *reading)
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
 * True if the line that begins with the item may be read now: a window's first lines at once, its
 * further ones only after a wait, and then nothing of another window in the same cycle.
 */
static bool may_begin_line(struct sim_front_end *fetch, struct reading *reading, uint32_t lines)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	uint32_t wait = (uint32_t)fetch->params->op_cache_more_lines_cycles - 1;

	if (reading->lines == fetch->limits.op_cache_lines)
		return false;
	if (lines == 0 || lines % fetch->limits.op_cache_lines)
		return true;
	if (reading->given > 0)
		return false;
	if (op_cache->waited < wait) {
		op_cache->waited++;
		return false;
	}
	op_cache->waited = 0;
	reading->further = true;
	return true;
}

/* The same as find_line() where the further lines of a window cost cycles. */
static bool find_line_of_window(struct sim_front_end *fetch, struct reading *reading)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	const struct takt_code_item *item = &fetch->items[fetch->next.insn];
	uint64_t address = fetch->next.address, last = address + item->length_bytes - 1u;
	bool other = fetch->entered || address >= op_cache->window_end;
	/* All that ran since the last taken branch is in the line that began behind it. */
	bool first_line = !other && op_cache->window_entered && op_cache->window_lines == 1;
	struct takt_cache_line line = op_cache->line;
	uint32_t lines = other ? 0 : op_cache->window_lines;

	if (other && reading->further && (op_cache->window_entered || fetch->next.taken))
		return false;
	if (fetch->entered)
		line.open = false;
	if (!takt_cache_line_add(fetch->params, &line, item, address)) {
		if ((other && reading->further) || !may_begin_line(fetch, reading, lines))
			return false;
		reading->lines++;
		lines++;
		first_line = fetch->entered;
	}
	op_cache->line = line;
	op_cache->window_lines = lines;
	if (other) {
		op_cache->window_end = takt_cache_window_end(fetch->params, address);
		op_cache->window_entered = fetch->entered;
	}
	if (fetch->next.taken && last >= op_cache->window_end && !first_line)
		op_cache->lost = (uint32_t)fetch->params->op_cache_branch_split_cycles;
	return true;
}

/* Find the line of the next item; false if it cannot be read in this cycle. */
static bool find_line(struct sim_front_end *fetch, struct reading *reading)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	const struct takt_code_item *item = &fetch->items[fetch->next.insn];
	uint64_t address = fetch->windows ? fetch->next.address : 0;
	struct takt_cache_line line;
	bool fresh;

	if (fetch->params->op_cache_more_lines_cycles > 0)
		return find_line_of_window(fetch, reading);
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
	if (reading->lines == 0)
		*reading = (struct reading){.left = reading->left, .lines = 1, .fresh = fresh};
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
	if (fetch->op_cache.lost > 0)
		return false;
	return !(record->flags & SIM_INSN_EXTRA_SLOT && fetch->params->op_cache_wide_immediates);
}

void sim_op_cache_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	struct sim_op_cache *op_cache = &fetch->op_cache;
	struct reading reading = {.left = fetch->limits.op_cache_width};

	if (op_cache->lost > 0 && op_cache->slot == 0) {
		op_cache->lost--;
		return;
	}
	while (reading.left > 0 && sim_queue_room(queue) > 0 && sim_fetch_has_next(fetch)) {
		const struct sim_insn *record = &fetch->program->insns[fetch->next.insn];

		if (op_cache->slot == 0) {
			if (!fetch->next.cached) {
				fetch->path = SIM_PATH_DECODERS;
				return;
			}
			if (!find_line(fetch, &reading))
				return;
		} else if (reading.lines == 0 && fetch->params->op_cache_more_lines_cycles <= 0) {
			reading.lines = 1;
		}
		sim_queue_push(queue, fetch->next.insn, fetch->next.iteration, op_cache->slot++);
		reading.left--;
		reading.given++;
		if (op_cache->slot == sim_fetch_slots(fetch, record) && !finish_item(fetch, record))
			return;
	}
}
