/* SPDX-License-Identifier: MIT */
/* The microcode sequencer: delivers the rest of a long instruction, after switching to it. */
#include "sim/front/fetch.h"

void sim_microcode_start(struct sim_front_end *fetch, uint32_t insn, uint32_t iteration,
			 uint32_t slot, uint32_t stall, uint32_t stall_after)
{
	const struct sim_insn *record = &fetch->program->insns[insn];

	fetch->microcode = (struct sim_microcode){
		.insn = insn,
		.iteration = iteration,
		.slot = slot,
		.left = (uint32_t)record->mite_slots + record->microcode_slots - slot,
		.stall = stall,
		.stall_after = stall_after,
	};
}

void sim_microcode_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	struct sim_microcode *microcode = &fetch->microcode;
	uint32_t width = fetch->limits.microcode_width;

	if (microcode->stall > 0) {
		microcode->stall--;
		return;
	}
	while (microcode->left > 0 && width > 0 && sim_queue_room(queue) > 0) {
		sim_queue_push(queue, microcode->insn, microcode->iteration, microcode->slot++);
		microcode->left--;
		width--;
	}
	if (microcode->left == 0)
		microcode->stall = microcode->stall_after;
}
