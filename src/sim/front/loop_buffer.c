/* SPDX-License-Identifier: MIT */
/* The loop buffer: a short loop is replayed from the µop queue, several copies a pass. */
#include "sim/front/fetch.h"

uint32_t sim_loop_buffer_copies(const struct sim_program *program, const bool *cached)
{
	const uint32_t unfit = SIM_INSN_MICROCODE | SIM_INSN_RSP_IMPLICIT | SIM_INSN_HIGH8_WRITE;

	for (uint32_t i = 0; i < program->insn_count; i++)
		if (!cached[i] || program->insns[i].flags & unfit)
			return 0;
	return takt_loop_buffer_copies(program->params, program->slots);
}

void sim_loop_buffer_cycle(struct sim_front_end *fetch, struct sim_queue *queue)
{
	const struct sim_program *program = fetch->program;

	if (queue->head != queue->tail)
		return;
	for (uint32_t copy = 0; copy < fetch->loop_buffer.copies; copy++) {
		uint32_t iteration = fetch->loop_buffer.iteration++;

		for (uint32_t insn = 0; insn < program->insn_count; insn++)
			for (uint32_t slot = 0; slot < program->insns[insn].mite_slots; slot++)
				sim_queue_push(queue, insn, iteration, slot);
	}
	queue->entries[(queue->tail - 1) % SIM_QUEUE_ENTRIES_MAX].break_after = true;
}
