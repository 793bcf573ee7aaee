/* SPDX-License-Identifier: MIT */
/*
 * Values that come from, and go to, instructions of the other domain of a vector unit may be late.
 * The chains of latency.c are of both kinds, and the faster counts; here is what the slower says.
 */
#include <math.h>
#include <stdio.h>

#include "characterize/variants.h"

#define DELAY_MIN 0.5

static bool measure(struct probe_lab *lab, const struct probe_form *form,
		    struct probe_question *question, bool is_float, double *ret_cycles)
{
	struct probe_latency latency;

	question->is_float = is_float;
	if (!takt_probe_pair(lab, form, question, &latency) || latency.is_upper_bound)
		return false;
	*ret_cycles = latency.cycles;
	return true;
}

/* Whether the chains differ. */
static bool add_pair(struct probe_lab *lab, const struct probe_form *form,
		     struct probe_question *question, struct probe_variants *variants)
{
	double of_float, of_integer;
	char detail[24];

	if (!measure(lab, form, question, true, &of_float) ||
	    !measure(lab, form, question, false, &of_integer) ||
	    fabs(of_float - of_integer) < DELAY_MIN)
		return false;
	snprintf(detail, sizeof(detail), "%u>%u", question->source + 1u,
		 question->destination + 1u);
	takt_probe_variant_add(variants, PROBE_BYPASS, detail, of_float, of_integer);
	return true;
}

/* One pair tells whether there is a delay at all; then all are measured. */
void takt_probe_bypass(struct probe_lab *lab, const struct probe_form *form,
		       const struct probe_known *known, struct probe_variants *variants)
{
	struct takt_choice choice;
	struct probe_question question = {.choice = &choice,
					  .fillers = takt_probe_fillers(known->chained),
					  .title = "latency, for bypasses"};

	if (takt_probe_memory(form) || form->insn.insn_class == TAKT_CLASS_GATHER)
		return;
	takt_probe_instance(form, 0, &choice);
	for (unsigned i = 0; i <= TAKT_SLOT_5; i++) {
		/* The first operand is the least likely to be a plain source. */
		question.source = (uint8_t)(TAKT_SLOT_5 - i);
		if (takt_probe_is_vector_pair(form, question.source, question.destination) &&
		    !add_pair(lab, form, &question, variants))
			return;
	}
}
