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

/* True if an addition made the value, and that still makes a difference. */
static inline bool is_far_value(const struct sim_core *core, uint8_t part)
{
	return core->values[part].far && core->values[part].ready > core->stale_horizon;
}

/* True if an addition made what the current instruction writes. */
static inline bool is_far(const struct sim_core *core)
{
	unsigned copied = sim_move_copied(core);

	if (copied != SIM_PART_COUNT)
		return is_far_value(core, (uint8_t)copied);
	return core->context.insn->flags & SIM_INSN_FORWARDS;
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

/*
 * Return when the sources of an addition are ready: results of other additions are ready earlier.
 */
static inline uint64_t forwarded_sources(const struct sim_core *core,
					 const struct sim_source *sources, unsigned count,
					 bool traced)
{
	uint64_t ready = 0;

	for (unsigned s = 0; s < count; s++) {
		uint64_t at = sources_ready(core, &sources[s], 1, traced) -
			      is_far_value(core, sources[s].part);

		ready = at > ready ? at : ready;
	}
	return ready;
}

#endif
