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
 * True if the head of the queue has no successor to wait for. In a trace control can leave after
 * any instruction, without a jump.
 */
static bool nothing_follows(const struct sim_front_end *fetch)
{
	return (fetch->ended && !sim_fetch_has_next(fetch)) || (!fetch->cached && fetch->entered);
}

/*
 * True if the record at the queue's head has arrived, with the next instruction if it may fuse with
 * that. The queue has `there` pieces from the record on.
 */
static inline bool has_arrived(const struct sim_front_end *fetch, const struct sim_insn *record,
			       uint32_t since, uint32_t there)
{
	if (fetch->cycle - since < fetch->limits.predecode_delay)
		return false;
	return there > 1 || !(record->flags & (SIM_INSN_FUSED | SIM_INSN_MAY_FUSE)) ||
	       (!(record->flags & SIM_INSN_FUSED) && nothing_follows(fetch));
}

/* Return the decoders that the record takes. */
static inline uint32_t decoders_of(const struct sim_front_end *fetch, const struct sim_insn *record)
{
	int32_t pair = fetch->params->fuse_pair_decoders;
	bool counts = pair > 1 && record->flags & SIM_INSN_FUSED;

	return counts && !(record->flags & SIM_INSN_BRANCH) ? (uint32_t)pair : 1;
}

static inline bool may_join(const struct sim_front_end *fetch, const struct sim_insn *record,
			    const struct group *group)
{
	if (!group->taken)
		return true;
	if (record->flags & SIM_INSN_COMPLEX)
		return false;
	if (decoders_of(fetch, record) > group->left)
		return false;
	return group->taken + 1 < fetch->limits.decode_width || fetch->params->fuse_last_decoder ||
	       !(record->flags & (SIM_INSN_FUSED | SIM_INSN_MAY_FUSE));
}

/*
 * Return the slots that the decoders deliver; what a queue too small for them cannot take is left
 * to the sequencer.
 */
static inline uint32_t decoded_slots(const struct sim_front_end *fetch,
				     const struct sim_insn *record, const struct sim_queue *queue)
{
	uint32_t slots = sim_fetch_slots(fetch, record);

	return slots < queue->capacity ? slots : queue->capacity;
}

/* Decode the head of the queue in a number of slots; true if the group may go on. */
static inline bool decode(struct sim_front_end *fetch, const struct sim_insn *record,
			  uint32_t slots, struct group *group, struct sim_queue *queue)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	const struct sim_predecoded *head = sim_predecoded_first(predecoder);
	uint32_t decoders = decoders_of(fetch, record);

	predecoder->head += record->flags & SIM_INSN_FUSED ? 2 : 1;
	group->left -= decoders < group->left ? decoders : group->left;
	group->taken += decoders;
	if (record->flags & SIM_INSN_COMPLEX && record->simple_decoders < group->left)
		group->left = record->simple_decoders;
	for (uint32_t slot = 0; slot < slots; slot++)
		sim_queue_push(queue, head->insn, head->iteration, slot);
	if (slots < (uint32_t)record->mite_slots + record->microcode_slots) {
		sim_microcode_start(fetch, head->insn, head->iteration, slots,
				    fetch->limits.microcode_decode, fetch->limits.microcode_decode);
		return false;
	}
	if (record->flags & SIM_INSN_FUSED && !fetch->params->fuse_pair_decoders)
		return false;
	return !(record->flags & (SIM_INSN_BRANCH | SIM_INSN_ENDS_GROUP));
}

void sim_decode_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	struct sim_predecoder *predecoder = &fetch->predecoder;
	struct group group = {fetch->limits.decode_width, 0};
	const struct sim_insn *insns = fetch->program->insns;
	uint32_t end = predecoder->tail - predecoder->staged, slots;

	while (group.left > 0 && predecoder->head != end) {
		const struct sim_predecoded *head = sim_predecoded_first(predecoder);
		const struct sim_insn *record = &insns[head->insn];

		if (!has_arrived(fetch, record, head->cycle, end - predecoder->head) ||
		    !may_join(fetch, record, &group))
			break;
		slots = decoded_slots(fetch, record, queue);
		if (sim_queue_room(queue) < slots || !decode(fetch, record, slots, &group, queue))
			break;
	}
}
