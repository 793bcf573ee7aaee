/* SPDX-License-Identifier: MIT */
/*
 * Finds instructions that only the first decoder takes, and those that come from microcode. In
 * straight code of short nops, decoders are the limit. An instruction that any decoder takes makes
 * a group of nops longer by its own place; one that must be the first of those decoded in a cycle
 * also leaves the rest of the decoders before it idle. The number of nops decides how many: the
 * time of the group is a staircase instead of a line. The same group with longer nops in a loop,
 * which comes from the op cache or a loop buffer, shows what issue slots and ports take.
 */
#include <math.h>
#include <stdio.h>

#include "characterize/variants/variants.h"

#define RATE_NOPS 64u
/* Most decoders of a core, and most nops beside an instruction. */
#define DECODERS_MAX 10u
#define NOPS_MAX 160u
/* Cycles that decoders have left over while an instruction and those before it execute. */
#define MORE_CYCLES 2.0
/* Cycles, and part of the group's, by which a staircase must exceed the line. */
#define STAIR_CYCLES 0.35
#define STAIR_PART 0.03
/* Cycles beyond the nops' up to which the group is on the first stair, which takes one, */
#define FIRST_STAIR 1.88
/* and from which on it takes longer than an instruction that decoders make µops of. */
#define MICROCODE_CYCLES 2.3
#define BLOCK_BYTES 2000u

/* Nops of one byte fill decoders; longer ones the slots of the op cache. */
enum filler { SHORT_NOPS, LONG_NOPS };

static void add_nops(const struct probe_lab *lab, struct probe_code *code, enum filler filler,
		     unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (filler == SHORT_NOPS)
			takt_probe_add_chosen(lab, code, PROBE_NOP_SHORT, &(struct takt_choice){0});
		else
			takt_probe_add_tool(lab, code, PROBE_NOP, PROBE_BASE, TAKT_LOC_NONE);
	}
}

/* Return the short nops that the machine executes in a cycle; NaN: not measured. */
static double short_nops_per_cycle(struct probe_lab *lab)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	add_nops(lab, &code, SHORT_NOPS, RATE_NOPS);
	return takt_probe_run(lab, &code, "nops in straight code", &outcome)
		       ? RATE_NOPS / outcome.cycles
		       : NAN;
}

/* Return the cycles of an instance with a number of nops after it; NaN: not measured. */
static double run_groups(struct probe_lab *lab, const struct probe_form *form, enum filler filler,
			 unsigned nops)
{
	unsigned most = takt_probe_instances_max(form), groups = 0;
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;
	bool fine;

	do {
		struct takt_choice choice;

		takt_probe_instance(form, groups % most, &choice);
		takt_probe_code_add(&code, form, &choice);
		add_nops(lab, &code, filler, nops);
		groups++;
	} while (groups < most && !code.failed &&
		 code.size_bytes * (groups + 1) < (size_t)BLOCK_BYTES * groups);
	lab->x = nops;
	fine = filler == SHORT_NOPS
		       ? takt_probe_run(lab, &code, "diluted by short nops", &outcome)
		       : takt_probe_run_loop(lab, &code, "diluted by nops in a loop", &outcome);
	lab->x = NAN;
	return fine ? outcome.cycles / groups : NAN;
}

/* The staircase of a form. */
struct stairs {
	unsigned width;	 /* decoders */
	double first;	 /* cycles without the nops', where these fill all decoders */
	double straight; /* cycles of the group that exceeds the line the most, */
	double loop;	 /* and of the same group in a loop */
	unsigned simple; /* nops that are decoded together with the instruction */
	bool exceeds;	 /* the group exceeds the line */
};

/*
 * Measure groups of one nop more each, from a number that takes decoders as long as the instruction
 * takes on its own. False if they cannot be measured.
 */
static bool climb(struct probe_lab *lab, const struct probe_form *form, unsigned full_cycles,
		  struct stairs *ret_stairs)
{
	unsigned width = ret_stairs->width;
	double most = 0;

	for (unsigned more = 0; more <= width; more++) {
		unsigned nops = full_cycles * width + more;
		double straight = run_groups(lab, form, SHORT_NOPS, nops);
		double loop = run_groups(lab, form, LONG_NOPS, nops);
		double line = fmax((nops + 1.0) / width, loop);

		if (isnan(straight) || isnan(loop))
			return false;
		if (more == 0)
			ret_stairs->first = straight - full_cycles;
		if (more < width && straight - full_cycles < FIRST_STAIR)
			ret_stairs->simple = more;
		ret_stairs->exceeds |= straight - line > fmax(STAIR_CYCLES, STAIR_PART * straight);
		if (straight - line <= most && more > 0)
			continue;
		most = straight - line;
		ret_stairs->straight = straight;
		ret_stairs->loop = loop;
	}
	return true;
}

/*
 * True if what limits a form could be mistaken for decoders: a prefix that predecoders wait for, or
 * that the form waits for all instructions before it.
 */
static bool may_mislead(const struct probe_form *form)
{
	uint8_t bytes[TAKT_X86_LENGTH_MAX];
	struct takt_choice choice;
	struct takt_insn insn;
	size_t size_bytes;

	takt_probe_instance(form, 0, &choice);
	size_bytes = takt_sample_encode(&form->sample, &choice, bytes);
	return !size_bytes || takt_decode(&takt_isa_x86, bytes, size_bytes, 0, &insn) != TAKT_OK ||
	       insn.flags & (TAKT_INSN_LCP | TAKT_INSN_SERIALIZING) ||
	       insn.insn_class == TAKT_CLASS_SYSTEM;
}

/* An instruction whose operand-size prefix changes its length, for which predecoders stop. */
#define LENGTH_CHANGING "mov r16, i16"
/* Least cycles by which it is slower where it is decoded, among as many nops as there are decoders.
 */
#define LENGTH_CHANGE_CYCLES 1.0

/*
 * True if straight code is known to come from the decoders, not from an op cache: a prefix that
 * only decoders stumble over makes it slower.
 */
static bool straight_is_decoded(struct probe_lab *lab, unsigned width)
{
	const struct probe_form *form = takt_probe_form_named(&lab->forms, LENGTH_CHANGING);

	if (lab->length_change_cycles == PROBE_UNKNOWN && form)
		lab->length_change_cycles = run_groups(lab, form, SHORT_NOPS, width) -
					    run_groups(lab, form, LONG_NOPS, width);
	return lab->length_change_cycles >= LENGTH_CHANGE_CYCLES;
}

void takt_probe_decoders(struct probe_lab *lab, const struct probe_form *form,
			 struct probe_variants *variants)
{
	struct stairs stairs = {.simple = 0};
	double rate, alone;
	char detail[16];

	if (lab->decoded_per_cycle == PROBE_UNKNOWN)
		lab->decoded_per_cycle = short_nops_per_cycle(lab);
	rate = lab->decoded_per_cycle;
	stairs.width = isnan(rate) ? 0 : (unsigned)(rate + 0.5);
	if (may_mislead(form) || stairs.width < 2 || stairs.width > DECODERS_MAX ||
	    fabs(rate - stairs.width) > STAIR_PART * rate)
		return;
	alone = run_groups(lab, form, SHORT_NOPS, 0);
	if (isnan(alone) || (alone + MORE_CYCLES) * stairs.width > NOPS_MAX ||
	    !climb(lab, form, (unsigned)ceil(alone + MORE_CYCLES), &stairs))
		return;
	if (stairs.first > MICROCODE_CYCLES &&
	    (stairs.exceeds || straight_is_decoded(lab, stairs.width))) {
		takt_probe_variant_add(variants, PROBE_MICROCODE, "", stairs.straight, stairs.loop);
	} else if (stairs.exceeds) {
		snprintf(detail, sizeof(detail), "%u", stairs.simple);
		takt_probe_variant_add(variants, PROBE_COMPLEX, detail, stairs.straight,
				       stairs.loop);
	}
}
