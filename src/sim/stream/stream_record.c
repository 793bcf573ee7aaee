/* SPDX-License-Identifier: MIT */
/* Recording of a part of a stream's run. */
#include "sim/stream/stream.h"

#define LEFT 1024u /* more slots or µops than are renamed in a cycle */
#define LEFT_CYCLES 8192u

void takt_sim_stream_record(struct sim_stream *stream, uint64_t skip, uint32_t count)
{
	struct sim_recording *recording = TAKT_NEW(&stream->arena, struct sim_recording);

	recording->skipped = skip;
	recording->insn_most = count < SIM_WINDOW_MAX ? count : SIM_WINDOW_MAX;
	/* The last item may be a pair. */
	recording->insns =
		TAKT_NEW_ARRAY(&stream->arena, recording->insn_most + 1, struct sim_window_insn);
	recording->item_insns = TAKT_NEW_ARRAY(&stream->arena, recording->insn_most + 1, uint32_t);
	recording->events = sim_events_new(stream->core, &stream->arena);
	recording->events->fetch_times =
		sim_fetch_times_new(stream->core->front_end, &stream->core->queue, &stream->arena);
	recording->events->start = stream->core->cycle;
	stream->core->events = recording->events;
	stream->no_skip = true;
	stream->recording = recording;
	sim_memo_wait(stream, true);
}

void sim_recording_feed(struct sim_stream *stream, const struct sim_code_block *block,
			uint32_t insn, uint32_t insn_count)
{
	struct sim_recording *recording = stream->recording;

	if (recording->skipped) {
		recording->skipped -=
			recording->skipped < insn_count ? recording->skipped : insn_count;
		return;
	}
	if (recording->insn_count >= recording->insn_most)
		return;
	if (!recording->item_count)
		recording->first_item = stream->replay->tail;
	recording->item_insns[recording->item_count++] = recording->insn_count;
	for (uint32_t i = 0; i < insn_count; i++)
		recording->insns[recording->insn_count++] =
			(struct sim_window_insn){block, (uint16_t)(insn + i), i > 0};
}

static bool is_full(const struct sim_stream *stream)
{
	const struct sim_recording *recording = stream->recording;
	const struct sim_events *events = recording->events;

	return events->slot_count - recording->begun_slot > SIM_EVENT_SLOTS - 2 * LEFT ||
	       events->uop_count - recording->begun_uop > SIM_EVENT_UOPS - 2 * LEFT ||
	       stream->core->cycle - recording->begun_cycle > SIM_EVENT_CYCLES - LEFT_CYCLES;
}

void sim_recording_cycle(struct sim_stream *stream)
{
	struct sim_recording *recording = stream->recording;
	const struct sim_core *core = stream->core;
	uint32_t end = recording->first_item + recording->item_count;

	if (recording->ended || !recording->item_count ||
	    (int32_t)(core->iterations_renamed - recording->first_item) < 0)
		return;
	if (!recording->begun_cycle) {
		recording->begun_cycle = core->cycle;
		recording->begun_slot = recording->events->slot_count;
		recording->begun_uop = recording->events->uop_count;
	}
	if (!is_full(stream) && (recording->insn_count < recording->insn_most ||
				 (int32_t)(core->iterations_retired - end) < 0))
		return;
	recording->ended = true;
	stream->core->events = NULL;
	stream->no_skip = false;
	sim_memo_wait(stream, false);
}
