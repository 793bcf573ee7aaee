/* SPDX-License-Identifier: MIT */
/*
 * Measures bypass delays: values may arrive late between instructions of different domains of a
 * vector unit. latency.c uses chains of both kinds, and keeps the faster; this file reports the
 * slower. Shuffles keep a port busy that the instruction may need, too, so additions have to agree.
 * Forms that also read other registers execute in several parts, which compete with all chains:
 * they are left out.
 */
#include <math.h>
#include <stdio.h>

#include "characterize/variants/variants.h"

#define DELAY_MIN 0.5
/* Links that are added for the longer chains. */
#define MORE_FILLERS 5u

/* Measure a pair by one kind of links; infinite if there is no such chain. */
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

/* Return the least of `cycles`, of a longer chain, and of two chains of additions. */
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

/* Add the pair's variant. False if the two kinds of chains do not differ. */
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
		    !takt_location_is_vector(access->location))
			return false;
	}
	return true;
}

/* Measure the pairs until one has no delay; the others are then taken to have none. */
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
