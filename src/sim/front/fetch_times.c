/* SPDX-License-Identifier: MIT */
/*
 * The cycles in which instructions are fetched and predecoded, and what delivers their µops. The
 * parts of the front end are only looked at, after each cycle: they do not know of it, and cost no
 * more without it.
 */
#include "sim/events/events.h"
#include "sim/front/fetch.h"

struct sim_fetch_times {
	uint32_t fetched[SIM_PREDECODED_MAX]; /* by number of the predecoder's entry */
	uint32_t head, tail;		      /* the predecoder's, at the end of the last cycle */
	uint32_t held;			      /* cycle in which the instruction that is held came */
	bool holds;
	struct sim_fetch_time current; /* of the instruction that came last out of the decoders */
	uint32_t insn, iteration;      /* that instruction */
	struct sim_fetch_time queued[SIM_QUEUE_ENTRIES_MAX]; /* by number of the queue's entry */
	uint32_t queue_tail;
};

struct sim_fetch_times *sim_fetch_times_new(const struct sim_front_end *front_end,
					    const struct sim_queue *queue, struct takt_arena *arena)
{
	struct sim_fetch_times *times = TAKT_NEW(arena, struct sim_fetch_times);

	times->head = front_end->predecoder.head;
	times->tail = front_end->predecoder.tail;
	times->holds = front_end->predecoder.holds;
	times->insn = SIM_ITEM_NONE;
	times->queue_tail = queue->tail;
	return times;
}

const struct sim_fetch_time *sim_fetch_times_of(const struct sim_fetch_times *times, uint32_t entry)
{
	return &times->queued[entry % SIM_QUEUE_ENTRIES_MAX];
}

/* Note what the predecoder took in this cycle; what it held before comes first. */
static void note_fetched(struct sim_fetch_times *times, const struct sim_predecoder *predecoder,
			 uint32_t now)
{
	bool held = times->holds, took = times->tail != predecoder->tail;

	while (times->tail != predecoder->tail) {
		times->fetched[times->tail++ % SIM_PREDECODED_MAX] = held ? times->held : now;
		held = false;
	}
	if (predecoder->holds && (took || !times->holds))
		times->held = now;
	times->holds = predecoder->holds;
}

/* Take the next entry that the decoders took; a fused pair has two. */
static void take_decoded(struct sim_fetch_times *times, const struct sim_front_end *front_end,
			 uint32_t now)
{
	const struct sim_predecoder *predecoder = &front_end->predecoder;
	const struct sim_predecoded *entry = &predecoder->queue[times->head % SIM_PREDECODED_MAX];
	bool fused = front_end->program->insns[entry->insn].flags & SIM_INSN_FUSED;
	const struct sim_predecoded *last =
		&predecoder->queue[(times->head + fused) % SIM_PREDECODED_MAX];
	uint32_t since = front_end->cycle - last->cycle;

	times->insn = entry->insn;
	times->iteration = entry->iteration;
	times->current = (struct sim_fetch_time){
		.fetched = times->fetched[times->head % SIM_PREDECODED_MAX],
		.predecoded = since < now ? now - since : 0,
		.source = SIM_SOURCE_DECODERS,
	};
	times->head += fused ? 2 : 1;
}

static enum sim_slot_source source_of(const struct sim_front_end *front_end, bool decoded)
{
	if (front_end->microcode_was_last)
		return SIM_SOURCE_MICROCODE;
	if (decoded)
		return SIM_SOURCE_DECODERS;
	return front_end->loop_buffer.copies ? SIM_SOURCE_LOOP_BUFFER : SIM_SOURCE_OP_CACHE;
}

/* Return the times of an entry of the queue, which entered it in this cycle. */
static struct sim_fetch_time time_of_entry(struct sim_fetch_times *times,
					   const struct sim_front_end *front_end,
					   const struct sim_queue_entry *entry,
					   enum sim_slot_source source, uint32_t now)
{
	struct sim_fetch_time time = {.fetched = now, .predecoded = now, .source = source};

	if (source == SIM_SOURCE_DECODERS && entry->slot == 0)
		take_decoded(times, front_end, now);
	if (times->insn == entry->insn && times->iteration == entry->iteration &&
	    (source == SIM_SOURCE_DECODERS || source == SIM_SOURCE_MICROCODE)) {
		time = times->current;
		time.source = source;
	}
	return time;
}

void sim_fetch_times_note(struct sim_fetch_times *times, const struct sim_front_end *front_end,
			  const struct sim_queue *queue, uint32_t now)
{
	enum sim_slot_source source =
		source_of(front_end, times->head != front_end->predecoder.head);

	note_fetched(times, &front_end->predecoder, now);
	while (times->queue_tail != queue->tail) {
		const struct sim_queue_entry *entry =
			&queue->entries[times->queue_tail % SIM_QUEUE_ENTRIES_MAX];

		times->queued[times->queue_tail++ % SIM_QUEUE_ENTRIES_MAX] =
			time_of_entry(times, front_end, entry, source, now);
	}
	/* All µops of the last one may be left to the sequencer. */
	while (times->head != front_end->predecoder.head)
		take_decoded(times, front_end, now);
}
