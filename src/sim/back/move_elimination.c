/* SPDX-License-Identifier: MIT */
/*
 * Move elimination at rename: the destination shares the source's physical register. A core can
 * keep a limited number of registers shared at a time; a slot is taken for a few cycles, and until
 * the sharers are overwritten (uiCA, section 4.1.5).
 */
#include <string.h>

#include "sim/core.h"

void sim_moves_init(struct sim_core *core)
{
	core->moves[0].capacity = core->params->move_elimination_int_slots;
	core->moves[1].capacity = core->params->move_elimination_vector_slots;
}

void sim_moves_advance(struct sim_core *core)
{
	for (unsigned c = 0; c < 2; c++) {
		struct sim_moves *moves = &core->moves[c];

		moves->live_before[core->cycle % SIM_HISTORY] = (uint8_t)moves->live;
		moves->eliminated_before[(core->cycle - 1) % SIM_HISTORY] =
			(uint8_t)moves->eliminated;
		moves->eliminated = 0;
	}
}

static uint32_t slots_taken(const struct sim_core *core, const struct sim_moves *moves)
{
	unsigned window = (unsigned)core->params->move_elimination_window_cycles;
	uint32_t taken =
		moves->eliminated + moves->live_before[(core->cycle - window) % SIM_HISTORY];

	for (unsigned back = 1; back < window; back++)
		taken += moves->eliminated_before[(core->cycle - back) % SIM_HISTORY];
	return taken;
}

/* True if the move copies rsp with the stack engine's offset, which an ALU must add. */
static bool adds_offset(const struct sim_core *core, const struct sim_insn *insn)
{
	return core->rsp_shifted && core->params->stack_engine_addresses &&
	       insn->copied == TAKT_LOC_RSP;
}

bool sim_move_try(struct sim_core *core, const struct sim_insn *insn)
{
	struct sim_moves *moves = &core->moves[(insn->flags & SIM_INSN_VECTOR_MOVE) != 0];

	if (adds_offset(core, insn))
		return false;
	if (moves->capacity >= 0 && slots_taken(core, moves) >= (uint32_t)moves->capacity)
		return false;
	moves->eliminated++;
	return true;
}

static uint8_t free_entry(const struct sim_moves *moves)
{
	for (uint8_t i = 1; i < SIM_SHARED_MAX; i++)
		if (!moves->references[i])
			return i;
	return 0;
}

void sim_move_share(struct sim_core *core, bool vector, uint8_t source, uint8_t destination)
{
	struct sim_moves *moves = &core->moves[vector];
	struct sim_value *from = &core->values[source], *to = &core->values[destination];

	if (moves->capacity < 0)
		return;
	if (!from->shared) {
		from->shared = free_entry(moves);
		if (!from->shared)
			return;
		moves->references[from->shared] = 1;
		moves->live++;
	}
	moves->references[from->shared]++;
	to->shared = from->shared;
}

void sim_move_forget(struct sim_core *core, struct sim_value *value, bool vector)
{
	struct sim_moves *moves = &core->moves[vector];
	uint8_t shared = value->shared;

	value->shared = 0;
	if (--moves->references[shared] >
	    (core->params->move_elimination_needs_all && !vector ? 0 : 1))
		return;
	if (moves->references[shared]) /* the last sharer owns the register alone */
		for (unsigned part = 0; part < SIM_PART_COUNT; part++)
			if (core->values[part].shared == shared &&
			    vector == takt_location_is_vector(part))
				core->values[part].shared = 0;
	moves->references[shared] = 0;
	moves->live--;
}
