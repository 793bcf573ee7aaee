/* SPDX-License-Identifier: MIT */
/*
 * Values that come from, and go to, instructions of the other domain of a vector unit may be late.
 * The chains of latency.c are of both kinds, and the faster counts; here is what the slower says.
 * Shuffles keep a port busy that the instruction may need, too, so additions have to agree. What
 * also reads other registers executes in several steps, which contend with all of them: it is left
 * out.
 */
#include <math.h>
#include <stdio.h>

#include "characterize/variants.h"

#define DELAY_MIN 0.5
/* Chains longer by so many links are tried, too. */
#define MORE_FILLERS 5u

/* By links of this kind; infinite if there is no such chain. */
static double measure(struct probe_lab *lab, const struct probe_form *form,
		      struct probe_question *question, enum probe_links links)
{
	struct probe_latency latency;

	question->links = links;
	return takt_probe_pair(lab, form, question, &latency) && !latency.is_upper_bound
		       ? latency.cycles
		       : INFINITY;
}

static bool is_delay(double of_float, double of_integer)
{
	return !isinf(of_float) && !isinf(of_integer) && fabs(of_float - of_integer) >= DELAY_MIN;
}

/* The least of what was found, of longer chains, and of those of additions. */
static double confirm(struct probe_lab *lab, const struct probe_form *form,
		      struct probe_question *question, enum probe_links links, double cycles)
{
	enum probe_links additions =
		links == PROBE_LINKS_FLOAT ? PROBE_LINKS_FLOAT_ADD : PROBE_LINKS_INTEGER_ADD;
	unsigned fillers = question->fillers;

	cycles = fmin(cycles, measure(lab, form, question, additions));
	question->fillers += MORE_FILLERS;
	cycles = fmin(cycles, measure(lab, form, question, links));
	cycles = fmin(cycles, measure(lab, form, question, additions));
	question->fillers = fillers;
	return cycles;
}

/* Whether the chains differ. */
static bool add_pair(struct probe_lab *lab, const struct probe_form *form,
		     struct probe_question *question, struct probe_variants *variants)
{
	double of_float = measure(lab, form, question, PROBE_LINKS_FLOAT);
	double of_integer = measure(lab, form, question, PROBE_LINKS_INTEGER);
	char detail[24];

	if (!is_delay(of_float, of_integer))
		return false;
	if (of_float > of_integer)
		of_float = confirm(lab, form, question, PROBE_LINKS_FLOAT, of_float);
	else
		of_integer = confirm(lab, form, question, PROBE_LINKS_INTEGER, of_integer);
	if (!is_delay(of_float, of_integer))
		return false;
	snprintf(detail, sizeof(detail), "%u>%u", question->source + 1u,
		 question->destination + 1u);
	takt_probe_variant_add(variants, PROBE_BYPASS, detail, of_float, of_integer);
	return true;
}

static bool reads_vectors_only(const struct probe_form *form)
{
	for (uint8_t slot = 0; slot <= TAKT_SLOT_5; slot++) {
		const struct takt_access *access = takt_probe_access(form, slot);

		if (access && access->flags & TAKT_READ &&
		    (access->location < TAKT_LOC_VECTOR || access->location >= TAKT_LOC_MASK))
			return false;
	}
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

	if (takt_probe_memory(form) || form->insn.insn_class == TAKT_CLASS_GATHER ||
	    !reads_vectors_only(form))
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
