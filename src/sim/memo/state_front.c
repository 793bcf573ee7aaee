/* SPDX-License-Identifier: MIT */
/* The state of the front end as bytes. */
#include "sim/front/fetch.h"
#include "sim/memo/state.h"

static void code_predecoded(struct sim_coder *coder, struct sim_predecoded *piece, bool staged)
{
	const struct sim_front_end *fetch = coder->core->front_end;
	uint32_t since = fetch->cycle - piece->cycle;

	piece->iteration = sim_state_item(coder, piece->iteration);
	piece->insn = sim_record_of(coder, piece->iteration);
	if (staged)
		return;
	since = since < fetch->limits.predecode_delay ? since : fetch->limits.predecode_delay;
	SIM_STATE(coder, since);
	piece->cycle = fetch->cycle - since;
}

static void code_predecoder(struct sim_coder *coder)
{
	const struct sim_front_end *fetch = coder->core->front_end;
	struct sim_predecoder *predecoder = &coder->core->front_end->predecoder;
	uint32_t count = predecoder->tail - predecoder->head;

	SIM_STATE(coder, count);
	SIM_STATE(coder, predecoder->staged);
	predecoder->tail = predecoder->head + count;
	for (uint32_t i = 0; i < count; i++)
		code_predecoded(coder,
				&predecoder->queue[(predecoder->head + i) % SIM_PREDECODED_MAX],
				count - i <= predecoder->staged);
	SIM_STATE(coder, predecoder->in_block);
	SIM_STATE(coder, predecoder->second);
	SIM_STATE(coder, predecoder->holds);
	if (predecoder->in_block)
		SIM_STATE(coder, predecoder->block);
	if (predecoder->holds) {
		code_predecoded(coder, &predecoder->held, true);
		SIM_STATE(coder, predecoder->held_block);
		SIM_STATE(coder, predecoder->held_taken);
	}
	SIM_STATE(coder, predecoder->stall);
	if (!fetch->limits.length_change_cycles)
		return;
	SIM_STATE(coder, predecoder->block_cycles);
	if (predecoder->in_block)
		SIM_STATE(coder, predecoder->credit);
}

static void code_window(struct sim_coder *coder, struct sim_read_window *window)
{
	SIM_STATE(coder, window->end);
	SIM_STATE(coder, window->lines);
	SIM_STATE(coder, window->entry_lines);
	SIM_STATE(coder, window->waited);
	SIM_STATE(coder, window->entered);
	SIM_STATE(coder, window->beside);
	SIM_STATE(coder, window->ahead);
	SIM_STATE(coder, window->crossed);
}

/* Write or read the line that is being read, unless a new one will be begun anyway. */
static void code_op_cache(struct sim_coder *coder)
{
	const struct sim_front_end *fetch = coder->core->front_end;
	struct sim_op_cache *op_cache = &coder->core->front_end->op_cache;
	struct takt_cache_line *line = &op_cache->line;

	if (!coder->reading && (fetch->path != SIM_PATH_OP_CACHE ||
				(fetch->entered && !op_cache->slot && sim_fetch_has_next(fetch))))
		line->open = false;
	SIM_STATE(coder, op_cache->slot);
	if (sim_reads_windows(fetch))
		code_window(coder, &op_cache->window);
	else
		op_cache->window.crossed = false;
	if (fetch->limits.op_cache_ahead)
		SIM_STATE(coder, op_cache->ahead);
	SIM_STATE(coder, line->open);
	if (!line->open)
		return;
	SIM_STATE(coder, line->window_end);
	SIM_STATE(coder, line->slots);
	SIM_STATE(coder, line->constants);
}

static void code_microcode(struct sim_coder *coder)
{
	struct sim_microcode *microcode = &coder->core->front_end->microcode;

	SIM_STATE(coder, microcode->left);
	SIM_STATE(coder, microcode->stall);
	if (!microcode->left)
		return;
	SIM_STATE(coder, microcode->slot);
	SIM_STATE(coder, microcode->stall_after);
	microcode->iteration = sim_state_item(coder, microcode->iteration);
	microcode->insn = sim_record_of(coder, microcode->iteration);
}

/*
 * Write or read the queue. Slots follow each other, instruction after instruction, so their number
 * and the first are enough.
 */
static void code_queue(struct sim_coder *coder)
{
	struct sim_queue *queue = &coder->core->queue;
	uint32_t count = queue->tail - queue->head, slots = 0;
	struct sim_queue_entry next;

	SIM_STATE(coder, count);
	queue->tail = queue->head + count;
	if (!count)
		return;
	next = queue->entries[queue->head % SIM_QUEUE_ENTRIES_MAX];
	next.iteration = sim_state_item(coder, next.iteration);
	SIM_STATE(coder, next.slot);
	next.break_after = false;
	for (uint32_t i = 0; i < count; i++, next.slot++) {
		struct sim_queue_entry *entry =
			&queue->entries[(queue->head + i) % SIM_QUEUE_ENTRIES_MAX];

		if (i && next.slot == slots) {
			next.iteration++;
			next.slot = 0;
		}
		if (!i || !next.slot) {
			const struct sim_insn *insn;

			next.insn = sim_record_of(coder, next.iteration);
			insn = &coder->core->program->insns[next.insn];
			slots = (uint32_t)insn->mite_slots + insn->microcode_slots;
		}
		if (coder->reading)
			*entry = next;
		else if (entry->iteration != next.iteration || entry->slot != next.slot)
			coder->failed = true;
	}
}

void sim_state_front_end(struct sim_coder *coder)
{
	struct sim_front_end *fetch = coder->core->front_end;
	const struct sim_dynamic *dynamic;

	SIM_STATE(coder, fetch->started);
	SIM_STATE(coder, fetch->entered);
	SIM_STATE(coder, fetch->path);
	if (sim_state_number(coder, sim_fetch_has_next(fetch))) {
		fetch->next.iteration = sim_state_item(coder, fetch->next.iteration);
		dynamic = sim_dynamic(coder->core->replay, fetch->next.iteration);
		fetch->next.insn = dynamic->record;
		fetch->next.address = dynamic->address;
		fetch->next.taken = dynamic->flags & (SIM_DYNAMIC_TAKEN | SIM_DYNAMIC_MISSED);
		fetch->next.cached = dynamic->flags & SIM_DYNAMIC_CACHED;
	} else {
		fetch->next.insn = SIM_ITEM_NONE;
	}
	code_predecoder(coder);
	code_op_cache(coder);
	code_microcode(coder);
	code_queue(coder);
}
