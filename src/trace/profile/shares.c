/* SPDX-License-Identifier: MIT */
/* Splits the instructions and cycles of a block among its instructions. */
#include <math.h>

#include "trace/profile/profile.h"

void profile_add_weight(struct takt_trace_weight *sum, const struct takt_trace_weight *weight)
{
	sum->insns += weight->insns;
	sum->cycles += weight->cycles;
	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++)
		sum->losses[i] += weight->losses[i];
	sim_ports_vote(&sum->busy_ports, &sum->busy_port_cycles, weight->busy_ports,
		       weight->busy_port_cycles);
}

struct takt_trace_weight profile_weight(uint64_t insns, const uint64_t losses[TAKT_TRACE_LOSSES])
{
	struct takt_trace_weight weight = {.insns = insns};

	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
		weight.losses[i] = losses[i];
		weight.cycles += losses[i];
	}
	return weight;
}

/* Return the part of the block's cycles that belongs to the instructions before `end`. */
static double fraction(const struct profile_block *block, uint32_t end)
{
	uint64_t before = 0, all = 0;

	for (uint32_t i = 0; block->shares && i < block->block->insn_count; i++) {
		all += block->shares[i];
		before += i < end ? block->shares[i] : 0;
	}
	return all ? (double)before / (double)all : (double)end / block->block->insn_count;
}

/* Return a part as the difference of rounded sums, so that the parts of a block add up to it. */
static uint64_t part(uint64_t value, double first, double end)
{
	return (uint64_t)(llround((double)value * end) - llround((double)value * first));
}

struct takt_trace_weight profile_split(const struct profile_block *block, uint32_t first,
				       uint32_t end)
{
	double count = block->block->insn_count;
	double from = fraction(block, first), to = fraction(block, end);
	struct takt_trace_weight weight = {.insns = part(block->insns, first / count, end / count)};

	for (uint32_t i = 0; i < TAKT_TRACE_LOSSES; i++) {
		weight.losses[i] = part(block->stats->losses[i], from, to);
		weight.cycles += weight.losses[i];
	}
	weight.busy_ports = block->stats->busy_ports;
	weight.busy_port_cycles = part(block->stats->busy_port_parts / SIM_CYCLE_PARTS, from, to);
	return weight;
}
