/* SPDX-License-Identifier: MIT */
/*
 * The steady state. For each cycle a hash is kept of how much was renamed and how full every buffer
 * is. Once that sequence has repeated itself for long enough, it is assumed to continue.
 */
#include "sim/core.h"

#define LENGTH SIM_STEADY_CYCLES
#define FIRST_LOOK_CYCLE 64u
#define REPEATED_CYCLES 128u /* cycles that must agree at least, if no one wants more */
#define REPEATED_PERIODS 3u  /* periods that must agree, too */
/* Odd factors with bits all over, so that any field changes the upper half of the product. */
#define BUFFERS_FACTOR 0x9e3779b97f4a7c15u
#define FLOW_FACTOR 0xc2b2ae3d27d4eb4fu

static uint32_t outline(const struct sim_steady *steady, const struct sim_core *core)
{
	uint64_t buffers = (uint64_t)(core->rob_tail - core->rob_head) << 48 |
			   (uint64_t)(core->queue.tail - core->queue.head) << 32 |
			   (uint64_t)core->stores_in_flight << 16 | core->loads_in_flight;
	uint64_t flow = (uint64_t)(core->rob_tail - steady->rob_tail) << 48 |
			(uint64_t)(core->iterations_renamed - steady->iterations) << 32 |
			(uint64_t)core->ports.pending_all << 16 | core->context.next_slot;

	return (uint32_t)((buffers * BUFFERS_FACTOR ^ flow * FLOW_FACTOR) >> 32);
}

/* Return the shortest period of the last cycles, or 0. */
static uint32_t find_period(const struct sim_steady *steady)
{
	uint32_t end = steady->count;
	uint32_t most = (end - 1) / (REPEATED_PERIODS + 1);

	if (most > LENGTH / (REPEATED_PERIODS + 1))
		most = LENGTH / (REPEATED_PERIODS + 1);
	for (uint32_t period = 1; period <= most; period++) {
		uint32_t wanted = period * REPEATED_PERIODS, same = 0;

		if (wanted < steady->repeated_cycles)
			wanted = steady->repeated_cycles;
		if (wanted + period > end || wanted + period > LENGTH)
			return 0;
		while (same < wanted &&
		       steady->outlines[(end - 1 - same) % LENGTH] ==
			       steady->outlines[(end - 1 - same - period) % LENGTH])
			same++;
		if (same == wanted)
			return period;
	}
	return 0;
}

void sim_steady_init(struct sim_steady *steady, const struct sim_core *core)
{
	steady->count = 0;
	steady->next_look = FIRST_LOOK_CYCLE;
	steady->repeated_cycles = REPEATED_CYCLES;
	steady->rob_tail = core->rob_tail;
	steady->iterations = core->iterations_renamed;
}

bool sim_steady_look(struct sim_steady *steady, const struct sim_core *core,
		     struct sim_summary *summary)
{
	uint32_t period, begun;

	steady->outlines[steady->count % LENGTH] = outline(steady, core);
	steady->renamed[steady->count++ % LENGTH] = core->iterations_renamed;
	steady->rob_tail = core->rob_tail;
	steady->iterations = core->iterations_renamed;
	if (steady->count < steady->next_look)
		return false;
	steady->next_look += steady->next_look / 8;
	period = find_period(steady);
	if (!period)
		return false;
	begun = steady->renamed[(steady->count - 1 - period) % LENGTH];
	if (begun == core->iterations_renamed)
		return false; /* a long stall within one iteration */
	summary->period_iterations = core->iterations_renamed - begun;
	summary->cycles = (double)period / summary->period_iterations;
	return true;
}

/* True if the outlines of the last `period` cycles consist of equal parts of `length` cycles. */
static bool consists_of(const struct sim_steady *steady, uint32_t period, uint32_t length)
{
	for (uint32_t i = 0; i < period - length; i++)
		if (steady->outlines[(steady->count - 1 - i) % LENGTH] !=
		    steady->outlines[(steady->count - 1 - i - length) % LENGTH])
			return false;
	return true;
}

uint32_t sim_steady_part(const struct sim_steady *steady, uint32_t period, uint32_t iterations)
{
	for (uint32_t length = 1; length < period && period < LENGTH; length++)
		if (period % length == 0 && (uint64_t)iterations * length % period == 0 &&
		    consists_of(steady, period, length))
			return length;
	return period;
}
