/* SPDX-License-Identifier: MIT */
/* Agreement of two sources on the latencies and throughputs that both give for a core. */
#include <string.h>

#include "model/model.h"

#define UOPS_CHECKED_MAX 12u /* limits the subsets of a row's µops, all of which are enumerated */
/* Tolerance for rounding: figures that differ by exactly 0.5 cycles, or 5 %, still agree. */
#define ROUNDING 1e-9

/* The maximum over all unions of port sets of µops per port, as in the module bounds. */
double takt_timing_ports_cycles(const struct takt_timing *timing)
{
	unsigned count = timing->uops_count;
	double worst = 0;

	if (count > UOPS_CHECKED_MAX)
		count = UOPS_CHECKED_MAX;
	for (unsigned subset = 1; subset < 1u << count; subset++) {
		uint32_t ports = 0, inside = 0;

		for (unsigned i = 0; i < count; i++)
			if (subset >> i & 1)
				ports |= timing->uops[i].ports;
		for (unsigned i = 0; i < count; i++)
			if (!(timing->uops[i].ports & ~ports))
				inside += timing->uops[i].count;
		if (ports && inside > worst * __builtin_popcount(ports))
			worst = (double)inside / __builtin_popcount(ports);
	}
	return worst;
}

double takt_timing_throughput(const struct takt_model *model, const struct takt_timing *timing)
{
	double slots = timing->slots > timing->ms ? timing->slots : timing->ms;
	double issue = slots / takt_model_params(model)->issue_width;
	double ports = takt_timing_ports_cycles(timing);

	if (timing->rthroughput_hundredths)
		return timing->rthroughput_hundredths / 100.0;
	return ports > issue ? ports : issue;
}

/* ---- counting ------------------------------------------------------------- */

bool takt_agreement_latency(struct takt_agreement *agreement, double least, double most,
			    double reference)
{
	bool equal = reference >= least - TAKT_AGREEMENT_CYCLES - ROUNDING &&
		     reference <= most + TAKT_AGREEMENT_CYCLES + ROUNDING;

	agreement->latencies++;
	agreement->latencies_equal += equal;
	return equal;
}

bool takt_agreement_throughput(struct takt_agreement *agreement, double cycles, double reference)
{
	double most = TAKT_AGREEMENT_PART * reference + ROUNDING;
	bool equal = cycles <= reference + most && cycles >= reference - most;

	agreement->throughputs++;
	agreement->throughputs_equal += equal;
	return equal;
}

unsigned takt_insn_find_slots(const struct takt_insn *insn, bool written,
			      uint8_t slots[TAKT_INSN_SLOTS_MAX])
{
	uint8_t found[TAKT_INSN_SLOTS_MAX];
	unsigned count = 0, kept = 0;

	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->flags & (written ? TAKT_WRITE : TAKT_READ) &&
		    !(access->flags & TAKT_STACK_ENGINE) && access->location != TAKT_LOC_NONE)
			found[count++] = access->slot;
	}
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (!insn->memories[i].address_only &&
		    (written ? insn->memories[i].write : insn->memories[i].read))
			found[count++] = insn->memories[i].slot;
	for (unsigned i = 0; i < count; i++)
		if (!memchr(slots, found[i], kept))
			slots[kept++] = found[i];
	return kept;
}

void takt_agreement_insn(struct takt_agreement *agreement, const struct takt_insn *insn,
			 const struct takt_timing *timing, const struct takt_timing *reference)
{
	uint8_t sources[TAKT_INSN_SLOTS_MAX], destinations[TAKT_INSN_SLOTS_MAX];
	unsigned source_count = takt_insn_find_slots(insn, false, sources);
	unsigned destination_count = takt_insn_find_slots(insn, true, destinations);

	for (unsigned i = 0; i < source_count; i++)
		for (unsigned k = 0; k < destination_count; k++) {
			uint32_t cycles = takt_timing_latency(timing, sources[i], destinations[k]);

			takt_agreement_latency(
				agreement, cycles, cycles,
				takt_timing_latency(reference, sources[i], destinations[k]));
		}
}

/* ---- as text -------------------------------------------------------------- */

static void write_share(const char *what, size_t equal, size_t all, struct takt_text *text)
{
	if (all)
		takt_text_printf(text, "  %-46s %6zu of %6zu  %5.1f %%\n", what, equal, all,
				 100.0 * (double)equal / (double)all);
}

void takt_agreement_write(const struct takt_agreement *agreement, struct takt_text *text)
{
	write_share("latencies of operand pairs within 0.5 cycles", agreement->latencies_equal,
		    agreement->latencies, text);
	write_share("throughputs within 5 %", agreement->throughputs_equal, agreement->throughputs,
		    text);
}
