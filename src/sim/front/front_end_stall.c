/* SPDX-License-Identifier: MIT */
/* The reason why the front end brought no more µops in a cycle. */
#include "sim/events/events.h"
#include "sim/front/fetch.h"

/* True if an instruction can be decoded. */
static bool has_arrived(const struct sim_front_end *front_end)
{
	const struct sim_predecoder *predecoder = &front_end->predecoder;
	uint32_t since = predecoder->queue[predecoder->head % SIM_PREDECODED_MAX].cycle;

	return predecoder->head != predecoder->tail - predecoder->staged &&
	       front_end->cycle - since >= front_end->limits.predecode_delay;
}

static enum sim_stall decoder_stall(const struct sim_front_end *front_end)
{
	if (has_arrived(front_end))
		return SIM_STALL_DECODE;
	return front_end->predecoder.stall ? SIM_STALL_LENGTH_CHANGE : SIM_STALL_PREDECODE;
}

enum sim_stall sim_front_end_stall(const struct sim_front_end *front_end,
				   const struct sim_queue *queue, bool pushed)
{
	if (!pushed && sim_queue_room(queue) < front_end->limits.queue_room)
		return SIM_STALL_RENAME;
	if (front_end->microcode_was_last || sim_microcode_is_busy(&front_end->microcode))
		return SIM_STALL_MICROCODE;
	switch (front_end->path) {
	case SIM_PATH_OP_CACHE:
		return SIM_STALL_OP_CACHE;
	case SIM_PATH_LOOP_BUFFER:
		return SIM_STALL_LOOP_BUFFER;
	case SIM_PATH_DECODERS:
		break;
	}
	return decoder_stall(front_end);
}
