/* SPDX-License-Identifier: MIT */
/*
 * The decoders: a limited number of instructions in each cycle, in order; only the first decoder
 * takes any.
 */
#include "sim/front/fetch.h"

struct group {
	uint32_t left; /* decoders that are free */
	uint32_t taken;
};

/*
 * True if the head of the queue has no successor to wait for. In a trace control can leave behind
 * any instruction, without a jump.
 */
static bool nothing_follows(const struct sim_front_end *fetch)
{
	return (fetch->ended && !sim_fetch_has_next(fetch)) || (!fetch->cached && fetch->entered);
}

/*
 * True if the record at the queue's head has arrived, with the next instruction if it may fuse with
 * that.
 */
static bool has_arrived(const struct sim_front_end *fetch, const struct sim_insn *record)
{
	const struct sim_predecoder *predecoder = &fetch->predecoder;
	uint32_t there = predecoder->tail - predecoder->staged - predecoder->head;
	uint32_t since = predecoder->queue[predecoder->head % SIM_PREDECODED_MAX].cycle;
	bool waits = record->flags & SIM_INSN_FUSED ||
		     (record->flags & SIM_INSN_MAY_FUSE && !nothing_follows(fetch));
	uint32_t wanted = waits ? 2 : 1;

	return there >= wanted && fetch->cycle - since >= fetch->limits.predecode_delay;
}

static bool may_join(const struct sim_front_end *fetch, const struct sim_insn *record,
		     const struct group *group)
{
	if (!group->taken)
		return true;
	if (record->flags & SIM_INSN_COMPLEX)
		return false;
	return group->taken + 1 < fetch->limits.decode_width || fetch->params->fuse_last_decoder ||
	       !(record->flags & (SIM_INSN_FUSED | SIM_INSN_MAY_FUSE));
}

/*
 * Return the slots that the decoders deliver; what a queue too small for them cannot take is left
 * to the sequencer.
 */
static uint32_t decoded_slots(const struct sim_front_end *fetch, const struct sim_insn *record,
			      const struct sim_queue *queue)
{
	uint32_t slots = sim_fetch_slots(fetch, record);

	return slots < queue->capacity ? slots : queue->capacity;
}

/* Decode the head of the queue; true if the group may go on. */
static bool decode(struct sim_front_end *fetch, const struct sim_insn *record, struct group *group,
		   struct sim_queue *queue)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	struct sim_predecoded head = predecoder->queue[predecoder->head % SIM_PREDECODED_MAX];
	uint32_t slots = decoded_slots(fetch, record, queue);

	predecoder->head += record->flags & SIM_INSN_FUSED ? 2 : 1;
	group->left--;
	group->taken++;
	if (record->flags & SIM_INSN_COMPLEX && record->simple_decoders < group->left)
		group->left = record->simple_decoders;
	for (uint32_t slot = 0; slot < slots; slot++)
		sim_queue_push(queue, head.insn, head.iteration, slot);
	if (slots < (uint32_t)record->mite_slots + record->microcode_slots) {
		sim_microcode_start(fetch, head.insn, head.iteration, slots,
				    fetch->limits.microcode_decode, fetch->limits.microcode_decode);
		return false;
	}
	return !(record->flags & (SIM_INSN_BRANCH | SIM_INSN_FUSED | SIM_INSN_ENDS_GROUP));
}

void sim_decode_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	struct group group = {fetch->limits.decode_width, 0};

	while (group.left > 0 && predecoder->head != predecoder->tail - predecoder->staged) {
		uint32_t insn = predecoder->queue[predecoder->head % SIM_PREDECODED_MAX].insn;
		const struct sim_insn *record = &fetch->program->insns[insn];

		if (!has_arrived(fetch, record) || !may_join(fetch, record, &group) ||
		    sim_queue_room(queue) < decoded_slots(fetch, record, queue))
			break;
		if (!decode(fetch, record, &group, queue))
			break;
	}
}
