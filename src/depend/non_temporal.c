/* SPDX-License-Identifier: MIT */
/* The part of a published latency that is the store's own, for non-temporal and locked stores. */
#include "depend/depend.h"

static uint32_t less(uint32_t cycles, uint32_t by)
{
	return cycles > by ? cycles - by : 0;
}

uint32_t takt_non_temporal_cycles(const struct takt_insn *insn, const struct takt_timing *timing,
				  uint8_t slot)
{
	uint32_t most = 0;

	/* The latency of masked stores is that of their own µops, whether they store or not. */
	if (!(insn->flags & TAKT_INSN_NON_TEMPORAL) || slot > TAKT_SLOT_5)
		return 0;
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];
		uint32_t cycles;

		if (!access->location || access->flags & TAKT_ADDRESS ||
		    !(access->flags & TAKT_READ))
			continue;
		cycles = takt_timing_latency(timing, access->slot, slot);
		most = cycles > most ? cycles : most;
	}
	return less(most, TAKT_STORE_CYCLES);
}

uint32_t takt_locked_latency(const struct takt_insn *insn, const struct takt_timing *timing,
			     uint8_t slot, uint32_t cycles)
{
	uint32_t around = takt_timing_latency(timing, slot, slot);

	return insn->flags & TAKT_INSN_LOCKED && around < cycles ? around : cycles;
}

uint32_t takt_stored_latency(const struct takt_insn *insn, const struct takt_timing *timing,
			     uint8_t source, uint8_t slot)
{
	uint32_t cycles = takt_timing_latency(timing, source, slot);

	if (source != TAKT_SLOT_BASE && source != TAKT_SLOT_INDEX)
		cycles = takt_locked_latency(insn, timing, slot, cycles);
	return cycles > TAKT_STORE_CYCLES && takt_non_temporal_cycles(insn, timing, slot)
		       ? TAKT_STORE_CYCLES
		       : cycles;
}
