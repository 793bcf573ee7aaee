/* SPDX-License-Identifier: MIT */
/* pace: the cycles in which iterations of a repeated block retire. Private to sim. */
#ifndef TAKT_SIM_PACE_H
#define TAKT_SIM_PACE_H

#include "sim/core.h"

/* An iteration that has retired, and how full the buffers were at the end of that cycle. */
struct sim_retirement {
	uint64_t cycle;
	uint16_t rob, waiting, loads, stores;
};

struct sim_pace {
	struct sim_retirement *retired;
	uint32_t count, capacity;
	uint64_t next_look;
	uint32_t least_cycles; /* cycles in which the pace must repeat at least */
	struct takt_arena *arena;
};

void sim_pace_init(struct sim_pace *pace, const struct sim_core *core, struct takt_arena *arena);
void sim_pace_add(struct sim_pace *pace, const struct sim_core *core);
/* Note the iterations that have retired in the cycle that has ended. */
static inline void sim_pace_note(struct sim_pace *pace, const struct sim_core *core)
{
	while (pace->count < core->iterations_retired)
		sim_pace_add(pace, core);
}
/* True, with the period, once iterations retire at a pace that repeats while no buffer fills. */
bool sim_pace_find(struct sim_pace *pace, uint64_t cycle, struct sim_summary *summary);
/* The same, in some of the cycles only: the more have passed, the fewer. */
static inline bool sim_pace_look(struct sim_pace *pace, uint64_t cycle, struct sim_summary *summary)
{
	return cycle >= pace->next_look && sim_pace_find(pace, cycle, summary);
}
/* Return the cycles per iteration from iteration `begin` on: the line of least squares. */
double sim_pace_slope(const struct sim_pace *pace, uint32_t begin);

#endif
