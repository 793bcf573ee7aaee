/* SPDX-License-Identifier: MIT */
/* Skipping of cycles in which nothing happens, up to the next one in which something does. */
#include <string.h>

#include "sim/core.h"

static unsigned count_bits(uint64_t word, unsigned first, unsigned end)
{
	word &= UINT64_MAX << first;
	if (end < 64)
		word &= ((uint64_t)1 << end) - 1;
	return (unsigned)__builtin_popcountll(word);
}

uint64_t sim_ports_next(const struct sim_core *core)
{
	const struct sim_ports *ports = &core->ports;
	uint64_t cycle = core->cycle, end = ports->furthest;

	while (cycle < end) {
		uint64_t taken = 0;

		for (uint32_t rest = ports->used; rest; rest &= rest - 1)
			taken |=
				ports->reserved[cycle / 64 % SIM_WINDOW_WORDS][__builtin_ctz(rest)];
		taken &= UINT64_MAX << cycle % 64;
		if (taken)
			return cycle - cycle % 64 + (unsigned)__builtin_ctzll(taken);
		cycle += 64 - cycle % 64;
	}
	return SIM_NEVER;
}

/* Remove the µops that are dispatched in the cycles `first` to `end` - 1 of one word. */
static void leave(struct sim_ports *ports, unsigned word, unsigned first, unsigned end)
{
	uint32_t leaving =
		ports->used && count_bits(ports->any[word], first, end) ? ports->used : 0;

	for (uint32_t rest = leaving; rest; rest &= rest - 1) {
		unsigned p = (unsigned)__builtin_ctz(rest);
		unsigned gone = count_bits(ports->reserved[word][p], first, end);

		ports->pending[p] = (uint16_t)(ports->pending[p] - gone);
		ports->pending_all -= gone;
		if (!ports->pending[p])
			ports->used &= ~((uint32_t)1 << p);
	}
	if (end == 64)
		sim_ports_clear(ports, word);
}

/*
 * An ordinary cycle removes what was dispatched in the cycle before it: skipped are those from the
 * present to the last but one.
 */
static void skip_ports(struct sim_core *core, uint64_t cycles)
{
	struct sim_ports *ports = &core->ports;
	uint64_t cycle = core->cycle, end = cycle + cycles;

	if (cycles > SIM_WINDOW_CYCLES) /* nothing is reserved so far ahead */
		end = cycle + SIM_WINDOW_CYCLES;
	while (cycle < end) {
		unsigned first = cycle % 64;
		unsigned last = end - cycle < 64 - first ? first + (unsigned)(end - cycle) : 64;

		leave(ports, cycle / 64 % SIM_WINDOW_WORDS, first, last);
		cycle += last - first;
	}
	memcpy(ports->at_start, ports->pending, sizeof(ports->at_start));
}

void sim_core_skip(struct sim_core *core, uint64_t cycles)
{
	uint64_t end = core->cycle + cycles;

	skip_ports(core, cycles);
	core->cycle = cycles < SIM_HISTORY ? core->cycle : end - SIM_HISTORY;
	while (core->cycle < end) {
		core->cycle++;
		sim_moves_advance(core);
	}
	sim_front_end_skip(core->front_end, cycles);
}
