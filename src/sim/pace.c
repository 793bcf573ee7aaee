/* SPDX-License-Identifier: MIT */
/*
 * The pace of retirement. Ports may take turns for very long, or without end, though no iteration
 * is delayed by it: then neither the state of the core nor the fill of its schedulers repeats, but
 * the iterations retire at a pace that does. It is taken to go on so if it did for the second half
 * of the cycles, and if the reorder buffer was as full in each period as in the one before, while
 * what waits for a port, loads and stores did not become more: a buffer that still fills makes
 * itself felt later.
 */
#include "sim/pace.h"

#define FIRST_LOOK_CYCLE 64u
#define LEAST_CYCLES 96u  /* cycles in which the pace must repeat at least, if no one wants more */
#define BEFORE_CYCLES 24u /* cycles before these */
#define LEAST_ITERATIONS 32u
#define LEAST_PERIODS 8u

void sim_pace_init(struct sim_pace *pace, const struct sim_core *core, struct takt_arena *arena)
{
	*pace = (struct sim_pace){
		.next_look = core->cycle + FIRST_LOOK_CYCLE,
		.least_cycles = LEAST_CYCLES,
		.arena = arena,
	};
}

void sim_pace_add(struct sim_pace *pace, const struct sim_core *core)
{
	TAKT_GROW_IN(pace->arena, pace->retired, pace->count + 1, pace->capacity);
	pace->retired[pace->count++] = (struct sim_retirement){
		.cycle = core->last_retired,
		.rob = (uint16_t)(core->rob_tail - core->rob_head),
		.waiting = (uint16_t)core->ports.pending_all,
		.loads = (uint16_t)core->loads_in_flight,
		.stores = (uint16_t)core->stores_in_flight,
	};
}

/* Return the first iteration that retired in the cycle or later. */
static uint32_t first_since(const struct sim_pace *pace, uint64_t cycle)
{
	uint32_t first = pace->count;

	while (first && pace->retired[first - 1].cycle >= cycle)
		first--;
	return first;
}

/* True if the iterations from `begin` on retire in periods of `period` iterations. */
static bool has_period(const struct sim_pace *pace, uint32_t begin, uint32_t period)
{
	const struct sim_retirement *retired = pace->retired;
	uint32_t last = pace->count - 1;
	uint64_t cycles = retired[last].cycle - retired[last - period].cycle;

	for (uint32_t i = last - 1; i >= begin + period; i--)
		if (retired[i].cycle - retired[i - period].cycle != cycles)
			return false;
	return true;
}

struct fills {
	uint16_t waiting, loads, stores;
};

static void raise(uint16_t *most, uint16_t value)
{
	*most = value > *most ? value : *most;
}

/* Return the most that the iterations found in each buffer. */
static struct fills most_between(const struct sim_pace *pace, uint32_t begin, uint32_t end)
{
	struct fills most = {0};

	for (uint32_t i = begin; i < end; i++) {
		raise(&most.waiting, pace->retired[i].waiting);
		raise(&most.loads, pace->retired[i].loads);
		raise(&most.stores, pace->retired[i].stores);
	}
	return most;
}

/* True if the reorder buffer's fill repeats from `begin` on, and no other buffer fills. */
static bool is_settled(const struct sim_pace *pace, uint32_t begin, uint32_t period)
{
	uint32_t middle = begin + (pace->count - begin) / 2;
	struct fills first = most_between(pace, begin, middle);
	struct fills second = most_between(pace, middle, pace->count);

	for (uint32_t i = begin + period; i < pace->count; i++)
		if (pace->retired[i].rob != pace->retired[i - period].rob)
			return false;
	return second.waiting <= first.waiting && second.loads <= first.loads &&
	       second.stores <= first.stores;
}

bool sim_pace_find(struct sim_pace *pace, uint64_t cycle, struct sim_summary *summary)
{
	uint64_t cycles = cycle / 2 > pace->least_cycles ? cycle / 2 : pace->least_cycles;
	uint32_t begin, last = pace->count - 1;

	pace->next_look += pace->next_look / 8;
	if (cycle < cycles + BEFORE_CYCLES)
		return false;
	begin = first_since(pace, cycle - cycles);
	if (pace->count - begin < LEAST_ITERATIONS)
		return false;
	for (uint32_t period = 1; period <= (pace->count - begin) / LEAST_PERIODS; period++) {
		if (!has_period(pace, begin, period))
			continue;
		if (!is_settled(pace, begin, period))
			return false;
		summary->period_iterations = period;
		summary->cycles =
			(double)(pace->retired[last].cycle - pace->retired[last - period].cycle) /
			period;
		return true;
	}
	return false;
}

double sim_pace_slope(const struct sim_pace *pace, uint32_t begin)
{
	const struct sim_retirement *retired = pace->retired;
	uint32_t count = pace->count, points = count - begin;
	double middle = (points - 1) / 2.0, products = 0, squares = 0;

	if (count < 2)
		return count ? (double)retired[0].cycle : 0;
	if (points < 2)
		return (double)(retired[count - 1].cycle - retired[begin - 1].cycle);
	for (uint32_t i = 0; i < points; i++) {
		double x = i - middle;

		products += x * (double)(retired[begin + i].cycle - retired[begin].cycle);
		squares += x * x;
	}
	return products / squares;
}
