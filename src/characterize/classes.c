/* SPDX-License-Identifier: MIT */
/* Classes of instructions, and µops by class; see classes.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/classes.h"

/* Of what should be a whole number of ports, in cycles of an instance. */
#define WIDTH_SLACK_CYCLES 0.02
/* Slots of an instruction that has one. */
#define ONE_SLOT_MAX 1.5
/* µops that should be a whole number. */
#define UOPS_SLACK 0.3
/* Cycles that a loop of instances takes, at least; longer for what takes long itself. */
#define FULL_CYCLES 16u
#define LONGEST_CYCLES 60u
#define LONGEST_THROUGHPUT 8
#define LONGEST_CHAINED 2
/* Not those that wait for flags, which what is measured may write. */
#define WORST_PENALTY 3u
#define NOPS_PER_CYCLE 12u
#define DILUTED_INSTANCES 8u
#define LONGEST_DILUTED 8
#define NOPS_ALONE 60u

static double loop_cycles(struct probe_lab *lab, const struct probe_code *code, const char *title)
{
	struct probe_outcome outcome;

	return takt_probe_run_loop(lab, code, title, &outcome) ? outcome.cycles : NAN;
}

static void add_instance(struct probe_code *code, const struct probe_form *form)
{
	struct takt_choice choice;

	takt_probe_instance(form, 0, &choice);
	takt_probe_code_add(code, form, &choice);
}

/* ---- issue ---------------------------------------------------------------- */

static void add_nops(const struct probe_lab *lab, struct probe_code *code, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		takt_probe_add_tool(lab, code, PROBE_NOP, PROBE_BASE, TAKT_LOC_NONE);
}

/* The loop's own end takes a slot. */
static double find_issue_width(struct probe_lab *lab)
{
	struct probe_code few = {.size_bytes = 0}, many = {.size_bytes = 0};

	add_nops(lab, &few, NOPS_ALONE);
	add_nops(lab, &many, 2 * NOPS_ALONE);
	return NOPS_ALONE / (loop_cycles(lab, &many, "nops") - loop_cycles(lab, &few, "nops"));
}

/* Slots of an instruction that takes `cycles`: it displaces so many nops. */
static double find_slots(struct probe_lab *lab, double issue_width, const struct probe_form *form,
			 double cycles)
{
	unsigned most = takt_probe_instances_max(form);
	unsigned nops = (unsigned)(NOPS_PER_CYCLE * ceil(cycles));
	struct probe_code alone = {.size_bytes = 0}, with = {.size_bytes = 0};

	for (unsigned i = 0; i < DILUTED_INSTANCES; i++) {
		struct takt_choice choice;

		takt_probe_instance(form, i % most, &choice);
		takt_probe_code_add(&with, form, &choice);
		add_nops(lab, &with, nops);
		add_nops(lab, &alone, nops);
	}
	return issue_width / DILUTED_INSTANCES *
	       (loop_cycles(lab, &with, "diluted by nops") - loop_cycles(lab, &alone, "nops"));
}

/* ---- classes -------------------------------------------------------------- */

static unsigned full_count(const struct probe_class *class, unsigned cycles)
{
	return class->width * cycles;
}

/*
 * µops that the form has on the class's ports and no others: what they take longer beside
 * instances for so many cycles.
 */
static double surplus(struct probe_lab *lab, const struct probe_class *class,
		      const struct probe_form *form, unsigned cycles)
{
	struct probe_code with = {.size_bytes = 0}, without = {.size_bytes = 0};
	double alone = class->full_cycles;

	takt_probe_add_instances(&with, class->form, full_count(class, cycles));
	add_instance(&with, form);
	if (cycles != FULL_CYCLES) {
		takt_probe_add_instances(&without, class->form, full_count(class, cycles));
		alone = loop_cycles(lab, &without, "instances of a class");
	}
	return (loop_cycles(lab, &with, "beside instances of a class") - alone) / class->cycles;
}

/* Cycles of one of 48 instances, half of each form, in the order left, right, left … */
static double mixed_cycles(struct probe_lab *lab, const struct probe_form *left,
			   const struct probe_form *right)
{
	struct probe_code code = {.size_bytes = 0};
	const unsigned pairs = 24;

	for (unsigned i = 0; i < pairs; i++) {
		struct takt_choice choice;

		takt_probe_instance(left, i % takt_probe_instances_max(left), &choice);
		takt_probe_code_add(&code, left, &choice);
		takt_probe_instance(right, (i + 1) % takt_probe_instances_max(right), &choice);
		takt_probe_code_add(&code, right, &choice);
	}
	return loop_cycles(lab, &code, "two forms in turn") / (2 * pairs);
}

static bool is_known(struct probe_lab *lab, const struct probe_classes *classes,
		     const struct probe_class *candidate)
{
	for (unsigned i = 0; i < classes->count; i++) {
		const struct probe_class *class = &classes->entries[i];

		if (class->width == candidate->width &&
		    mixed_cycles(lab, class->form, candidate->form) >
			    candidate->cycles - WIDTH_SLACK_CYCLES)
			return true;
	}
	return false;
}

/* False if the form is nothing to make a class of. */
static bool is_class(struct probe_lab *lab, const struct probe_form *form, double issue_width,
		     struct probe_class *ret_class)
{
	struct probe_throughput throughput;
	const char *reason;

	if (!takt_probe_throughput(lab, form, &throughput, &reason) ||
	    throughput.cycles * issue_width < 0.5)
		return false;
	*ret_class = (struct probe_class){.form = form, .cycles = throughput.cycles};
	ret_class->width = (unsigned)(1 / throughput.cycles + 0.5);
	return ret_class->width && ret_class->width < issue_width - 0.5 &&
	       fabs(throughput.cycles - 1.0 / ret_class->width) <= WIDTH_SLACK_CYCLES;
}

static void offer(struct probe_lab *lab, const struct probe_form *form,
		  struct probe_classes *classes)
{
	struct probe_class candidate;

	if (form && is_class(lab, form, classes->issue_width, &candidate) &&
	    classes->count < PROBE_CLASSES_MAX && !is_known(lab, classes, &candidate) &&
	    find_slots(lab, classes->issue_width, form, candidate.cycles) <= ONE_SLOT_MAX)
		classes->entries[classes->count++] = candidate;
}

static int compare(const void *left, const void *right)
{
	const struct probe_class *l = left, *r = right;

	return (l->width > r->width) - (l->width < r->width);
}

static void find_inclusions(struct probe_lab *lab, struct probe_classes *classes)
{
	for (unsigned i = 0; i < classes->count; i++) {
		struct probe_class *class = &classes->entries[i];
		struct probe_code code = {.size_bytes = 0};

		takt_probe_add_instances(&code, class->form, full_count(class, FULL_CYCLES));
		class->full_cycles = loop_cycles(lab, &code, "instances of a class");
	}
	for (unsigned i = 0; i < classes->count; i++)
		for (unsigned k = 0; k < i; k++)
			if (surplus(lab, &classes->entries[i], classes->entries[k].form,
				    FULL_CYCLES) > 0.5)
				classes->entries[i].inside |= UINT32_C(1) << k;
}

void takt_probe_find_classes(struct probe_lab *lab, struct probe_classes *ret_classes)
{
	struct takt_text *log = lab->log;

	lab->log = NULL; /* these are not about a form */
	ret_classes->count = 0;
	ret_classes->issue_width = find_issue_width(lab);
	for (unsigned penalty = 0; penalty <= WORST_PENALTY; penalty++)
		for (size_t i = 0; i < lab->forms.count; i++) {
			const struct probe_form *form = &lab->forms.forms[i];

			if (takt_probe_penalty(form) == penalty && takt_probe_may_block(lab, form))
				offer(lab, form, ret_classes);
		}
	offer(lab, lab->tools[PROBE_STORE_64], ret_classes);
	qsort(ret_classes->entries, ret_classes->count, sizeof(ret_classes->entries[0]), compare);
	find_inclusions(lab, ret_classes);
	lab->log = log;
}

/* ---- a form's µops -------------------------------------------------------- */

static unsigned known_inside(const struct probe_class *class, const unsigned *counts)
{
	unsigned known = 0;

	for (unsigned k = 0; k < PROBE_CLASSES_MAX; k++)
		if (class->inside >> k & 1)
			known += counts[k];
	return known;
}

/* What has state of its own, waits for all else, or takes more than ports: no port model fits. */
static bool obeys_ports(const struct probe_form *form, const struct probe_throughput *throughput)
{
	static const uint8_t unfit[] = {TAKT_CLASS_STRING, TAKT_CLASS_GATHER, TAKT_CLASS_INT_DIV,
					TAKT_CLASS_FP_DIV};
	unsigned flags = takt_form_unpack(form->sample.form).flags;

	/* Many µops, each of which waits for the one of the last instance. */
	if (takt_probe_is_chained(form) && throughput->cycles > LONGEST_CHAINED)
		return false;
	return !(flags & (TAKT_FORM_LOCK | TAKT_FORM_REP | TAKT_FORM_REPNE)) &&
	       throughput->cycles <= LONGEST_THROUGHPUT &&
	       !memchr(unfit, form->insn.insn_class, sizeof(unfit));
}

/* Accesses to memory, which may go with another µop in one slot. */
static unsigned access_count(const struct probe_form *form)
{
	unsigned count = 0;

	for (unsigned i = 0; i < form->insn.memory_count; i++)
		count += (form->insn.memories[i].read ? 1u : 0u) +
			 (form->insn.memories[i].write ? 1u : 0u);
	return count;
}

/*
 * The ports would take no longer than was measured, no slot is without a µop, and there are no
 * more µops than slots hold.
 */
static bool explains(const struct probe_classes *classes, const struct probe_form *form,
		     const struct probe_class_uops *uops, const struct probe_throughput *throughput)
{
	unsigned total = 0;

	for (unsigned i = 0; i < classes->count; i++) {
		const struct probe_class *class = &classes->entries[i];
		unsigned on_ports = uops->counts[i] + known_inside(class, uops->counts);

		if (on_ports > (throughput->cycles + WIDTH_SLACK_CYCLES) * class->width)
			return false;
		total += uops->counts[i];
	}
	return uops->slots <= total + ONE_SLOT_MAX &&
	       total <= uops->slots + access_count(form) + 0.5;
}

void takt_probe_class_uops(struct probe_lab *lab, const struct probe_classes *classes,
			   const struct probe_form *form, const struct probe_throughput *throughput,
			   struct probe_class_uops *ret_uops)
{
	double chained = fmin(ceil(2 * throughput->chained), LONGEST_CYCLES);
	unsigned cycles = chained > FULL_CYCLES ? (unsigned)chained : FULL_CYCLES;

	*ret_uops = (struct probe_class_uops){.is_certain = classes->count &&
							    obeys_ports(form, throughput)};
	for (unsigned i = 0; i < classes->count; i++) {
		const struct probe_class *class = &classes->entries[i];
		double uops =
			surplus(lab, class, form, cycles) - known_inside(class, ret_uops->counts);
		double whole = fmax(0, floor(uops + 0.5));

		ret_uops->is_certain &= fabs(uops - whole) <= UOPS_SLACK;
		ret_uops->counts[i] = (unsigned)whole;
	}
	ret_uops->slots = find_slots(lab, classes->issue_width, form,
				     fmin(throughput->chained, LONGEST_DILUTED));
	ret_uops->is_certain &= explains(classes, form, ret_uops, throughput);
}
