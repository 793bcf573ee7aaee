/* SPDX-License-Identifier: MIT */
/* operands: when the sources of an instruction are ready, and its results. Private to rename. */
#ifndef TAKT_SIM_OPERANDS_H
#define TAKT_SIM_OPERANDS_H

#include "sim/core.h"

/*
 * The functions that are called for each slot are compiled twice: for traces, and for blocks that
 * are repeated. A parameter `traced` is a constant then.
 */
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* Return the kind of instruction that has the value earlier, if that still makes a difference. */
static inline uint8_t far_kind(const struct sim_core *core, uint8_t part)
{
	return core->values[part].ready > core->stale_horizon ? core->values[part].far
							      : SIM_FORWARDS_NONE;
}

/* The same of what the current instruction writes. */
static inline uint8_t far_kind_written(const struct sim_core *core)
{
	unsigned copied = sim_move_copied(core);

	if (copied != SIM_PART_COUNT)
		return far_kind(core, (uint8_t)copied);
	return core->context.insn->forwards;
}

/* Return the cycles by which instructions of the kind have each other's results earlier. */
static inline uint64_t earlier_cycles(const struct sim_core *core, uint8_t kind)
{
	if (kind == SIM_FORWARDS_CRYPTO)
		return (uint64_t)core->params->crypto_leave_cycles;
	return kind == SIM_FORWARDS_ADDITION;
}

static inline void set_value(struct sim_core *core, uint8_t part, struct sim_value made)
{
	struct sim_value *value = &core->values[part];

	if (value->shared)
		sim_move_forget(core, value, takt_location_is_vector(part));
	core->dirty_count += (uint32_t)made.dirty - value->dirty;
	*value = made;
}

/* Return when the sources are ready. */
ALWAYS_INLINE uint64_t sources_ready(const struct sim_core *core, const struct sim_source *sources,
				     unsigned count, bool traced)
{
	const uint64_t horizon = traced ? core->stale_horizon : 0;
	uint64_t ready = horizon;

	for (const struct sim_source *end = sources + count; sources < end; sources++) {
		const struct sim_value *value = &core->values[sources->part];
		uint64_t at =
			(value->ready > horizon ? value->ready : horizon) + sources->extra_cycles;

		at += sources->is_byte && !value->dirty;
		ready = at > ready ? at : ready;
	}
	return ready;
}

/* Return when a µop with these sources is awake: not later than they are ready. */
static inline uint64_t sources_awake(const struct sim_core *core, const struct sim_source *sources,
				     unsigned count)
{
	uint64_t arrival = core->cycle + (uint64_t)core->params->rename_to_dispatch_cycles;
	uint64_t awake = arrival;

	for (const struct sim_source *end = sources + count; sources < end; sources++) {
		const struct sim_value *value = &core->values[sources->part];
		uint64_t at = value->ready + sources->extra_cycles;

		at += sources->is_byte && !value->dirty;
		at -= sim_value_waited(value, arrival);
		awake = at > awake ? at : awake;
	}
	return awake;
}

/*
 * Return when the sources of an addition are ready: results of other additions are ready earlier.
 */
static inline uint64_t forwarded_sources(const struct sim_core *core,
					 const struct sim_source *sources, unsigned count,
					 bool traced)
{
	uint8_t kind = core->context.insn->forwards;
	uint64_t ready = 0, earlier = earlier_cycles(core, kind);

	for (unsigned s = 0; s < count; s++) {
		uint64_t at = sources_ready(core, &sources[s], 1, traced) -
			      (far_kind(core, sources[s].part) == kind ? earlier : 0);

		ready = at > ready ? at : ready;
	}
	return ready;
}

/* True if those that need the µop's result are awake while it waits for its port. */
static inline bool wakes_early(const struct sim_core *core, const struct sim_uop *uop)
{
	return core->params->alu_wakes_early && uop->ports &&
	       !(uop->ports & ~core->program->alu_ports);
}

/* True if the µop is an ALU's, the only one of its instruction, and takes several cycles. */
static inline bool ends_late(const struct sim_core *core, const struct sim_uop *uop)
{
	const struct sim_insn *insn = core->context.insn;

	return core->params->alu_late_results && insn->issue_slots == 1 && insn->group_count == 1 &&
	       insn->done_cycles[0] > 1 && uop->ports && !(uop->ports & ~core->program->alu_ports);
}

/* Return for how many cycles the µop, just dispatched, waited for an ALU. */
static inline uint8_t cycles_waited(const struct sim_core *core, const struct sim_uop *uop)
{
	uint64_t waited = core->pick.dispatched - core->pick.ready;

	if (!wakes_early(core, uop))
		return 0;
	return waited < UINT8_MAX ? (uint8_t)waited : UINT8_MAX;
}

/* Return for how many cycles those that need the result are awake before it is ready. */
static inline uint8_t waited_by(const struct sim_core *core, const struct sim_result *result)
{
	const struct sim_insn *insn = core->context.insn;

	return insn->issue_slots == 1 && insn->group_count == 1 && result->latency_cycles[0] == 1
		       ? core->context.waited
		       : 0;
}

#endif
