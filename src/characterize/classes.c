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
/* Counts are rounded up from here on: what is measured is at least what is there. */
#define ROUND_UP 0.15
/* Fewer µops than these are none. */
#define NO_UOPS_MAX 0.3
/*
 * Parts of a µop that are beyond belief: nearly a whole one; and halves, where a class may be of
 * instances that are two.
 */
#define PART_MIN 0.7
#define PART_MIN_ALONE 0.2
#define PART_MAX 0.93
/* Few µops of many with other ports are no more than disturbance. */
#define MANY_TIMES 7
/* Cycles that a loop of instances takes, at least; longer for what takes long itself. */
#define FULL_CYCLES 16u
#define LONGEST_CYCLES 60u
#define LONGEST_THROUGHPUT 8
#define LONGEST_CHAINED 2
#define WORST_PENALTY 7u
#define NOPS_PER_CYCLE 12u
#define DILUTED_INSTANCES 8u
#define LONGEST_DILUTED 8
#define NOPS_ALONE 60u

static double loop_cycles(struct probe_lab *lab, const struct probe_code *code, const char *title)
{
	struct probe_outcome outcome;

	return takt_probe_run_loop(lab, code, title, &outcome) ? outcome.cycles : NAN;
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

/* Slots of an instruction: it displaces so many nops, if there are enough of them. */
static double find_slots_among(struct probe_lab *lab, double issue_width,
			       const struct probe_form *form, unsigned instances, unsigned nops)
{
	unsigned most = takt_probe_instances_max(form);
	struct probe_code alone = {.size_bytes = 0}, with = {.size_bytes = 0};

	for (unsigned i = 0; i < instances; i++) {
		struct takt_choice choice;

		takt_probe_instance(form, i % most, &choice);
		takt_probe_code_add(&with, form, &choice);
		add_nops(lab, &with, nops);
		add_nops(lab, &alone, nops);
	}
	return issue_width / instances *
	       (loop_cycles(lab, &with, "diluted by nops") - loop_cycles(lab, &alone, "nops"));
}

static double find_slots(struct probe_lab *lab, double issue_width, const struct probe_form *form,
			 double cycles)
{
	unsigned nops = (unsigned)(NOPS_PER_CYCLE * ceil(cycles));
	double slots = find_slots_among(lab, issue_width, form, DILUTED_INSTANCES, nops);

	if (slots <= ONE_SLOT_MAX)
		return slots;
	return fmin(slots,
		    find_slots_among(lab, issue_width, form, DILUTED_INSTANCES / 2, 4 * nops));
}

/* ---- classes -------------------------------------------------------------- */

/* So that no load is of what the measured form stores. */
#define APART_BYTES 1024

/* Instances that read flags must not wait for those that the form writes. */
static bool is_tied(const struct probe_form *instance, const struct probe_form *form)
{
	const struct takt_access *read = takt_probe_access(instance, TAKT_SLOT_FLAGS);
	const struct takt_access *written = takt_probe_access(form, TAKT_SLOT_FLAGS);

	return read && read->flags & TAKT_READ && written && written->flags & TAKT_WRITE;
}

static void add_copy(const struct probe_lab *lab, struct probe_code *code,
		     const struct probe_form *form, unsigned index, bool tied)
{
	struct takt_choice choice;

	if (form) {
		takt_probe_instance(form, index % takt_probe_instances_max(form), &choice);
		takt_probe_code_add(code, form, &choice);
	}
	if (tied)
		takt_probe_add_tool(lab, code, PROBE_TEST, PROBE_BASE, PROBE_BASE);
}

/*
 * Cycles of instances of the class that execute in so many, with copies of the form between
 * them, or, if it is NULL, with what else goes with copies.
 */
static double beside(struct probe_lab *lab, const struct probe_class *class, unsigned cycles,
		     const struct probe_form *form, unsigned copies, bool tied)
{
	unsigned count = class->width * cycles / class->pieces, placed = 0;
	struct probe_code code = {.size_bytes = 0};
	struct takt_choice choice;

	for (unsigned i = 0; i < count; i++) {
		takt_probe_instance(class->form, i % takt_probe_instances_max(class->form),
				    &choice);
		choice.displacement += APART_BYTES;
		takt_probe_code_add(&code, class->form, &choice);
		for (; placed < copies * (i + 1) / count; placed++)
			add_copy(lab, &code, form, placed, tied);
	}
	return loop_cycles(lab, &code,
			   form ? "beside instances of a class" : "instances of a class");
}

/*
 * µops that the form has on the class's ports and no others: what copies of it take longer
 * beside instances for so many cycles. Short loops of instances alone may be held up by their
 * end, so what they take is told from a long one.
 */
static double surplus(struct probe_lab *lab, const struct probe_class *class,
		      const struct probe_form *form, unsigned cycles, unsigned copies)
{
	bool tied = is_tied(class->form, form);
	double alone =
		tied ? beside(lab, class, cycles, NULL, copies, true)
		     : cycles * class->width * class->cycles + class->end_uops * class->cycles;

	return (beside(lab, class, cycles, form, copies, tied) - alone) / class->cycles / copies;
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
	*ret_class = (struct probe_class){.form = form, .pieces = 1, .cycles = throughput.cycles};
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

/* Accesses to memory, which may go with another µop in one slot. */
static unsigned access_count(const struct probe_form *form)
{
	unsigned count = 0;

	for (unsigned i = 0; i < form->insn.memory_count; i++)
		count += (form->insn.memories[i].read ? 1u : 0u) +
			 (form->insn.memories[i].write ? 1u : 0u);
	return count;
}

/* Cores may take wide accesses apart. */
#define NARROWEST_VECTOR_BYTES 16u

/* The most µops that access memory. */
static unsigned access_uops(const struct probe_form *form)
{
	const struct takt_memory *memory = form->insn.memory_count ? form->insn.memories : NULL;
	unsigned accesses = access_count(form), parts = 1;

	if (memory && memory->size_bytes > NARROWEST_VECTOR_BYTES)
		parts = memory->size_bytes / NARROWEST_VECTOR_BYTES;
	return (accesses ? accesses : form->insn.memory_count) * parts;
}

/* As many as throughput allows, and, of loads and stores, as there are accesses to memory. */
static double most_uops(const struct probe_class *class, const struct probe_form *form,
			const struct probe_throughput *throughput)
{
	double most = throughput->cycles / class->cycles;

	if (takt_probe_memory(class->form) && form->insn.insn_class != TAKT_CLASS_GATHER)
		most = fmin(most, access_uops(form));
	return most;
}

/* Experiments beside the first: copies, beside instances for so many cycles. */
static const struct mix {
	unsigned copies, cycles;
} mixes[] = {{4, 4}, {4, FULL_CYCLES}, {3, 40}};

/*
 * Whatever else disturbs an experiment makes it longer, so the fewest µops that any of them
 * allows are the best guess.
 */
static double fewest(struct probe_lab *lab, const struct probe_class *class,
		     const struct probe_form *form, const struct probe_throughput *throughput,
		     unsigned cycles)
{
	bool chained = takt_probe_is_chained(form);
	double least = surplus(lab, class, form, cycles, 1);

	if (least >= NO_UOPS_MAX)
		least = fmin(least, most_uops(class, form, throughput));
	for (size_t i = 0; i < TAKT_COUNT_OF(mixes) && least >= NO_UOPS_MAX; i++)
		if (!chained || throughput->chained * mixes[i].copies <= mixes[i].cycles)
			least = fmin(least,
				     surplus(lab, class, form, mixes[i].cycles, mixes[i].copies));
	return least;
}

/*
 * What an instance adds to a loop, which is more exact than throughput, and of what ends a loop
 * how many µops take the class's ports.
 */
static void find_ends(struct probe_lab *lab, struct probe_classes *classes)
{
	for (unsigned i = 0; i < classes->count; i++) {
		struct probe_class *class = &classes->entries[i];
		double cycles = beside(lab, class, FULL_CYCLES, NULL, 0, false);
		double longer = beside(lab, class, 3 * FULL_CYCLES, NULL, 0, false);
		double end_cycles;

		class->cycles = (longer - cycles) / (2 * FULL_CYCLES) / class->width;
		end_cycles = cycles - FULL_CYCLES * class->width * class->cycles;
		class->end_uops = (unsigned)floor(fmax(0, end_cycles) / class->cycles + ROUND_UP);
	}
}

static void find_inclusions(struct probe_lab *lab, struct probe_classes *classes)
{
	for (unsigned i = 0; i < classes->count; i++)
		for (unsigned k = 0; k < i; k++)
			if (surplus(lab, &classes->entries[i], classes->entries[k].form,
				    FULL_CYCLES, 1) > 0.5)
				classes->entries[i].inside |= UINT32_C(1) << k;
}

static bool has_kind(const struct probe_form *form, unsigned first, unsigned last)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (unpacked.kinds[n] >= first && unpacked.kinds[n] <= last)
			return true;
	return false;
}

static bool is_wide(const struct probe_form *form)
{
	return has_kind(form, TAKT_KIND_ZMM, TAKT_KIND_ZMM);
}

static bool is_of_set(const struct probe_form *form, bool wide)
{
	return wide ? is_wide(form) || !has_kind(form, TAKT_KIND_MM, TAKT_KIND_YMM)
		    : !is_wide(form);
}

static void drop_class(struct probe_classes *classes, unsigned index)
{
	classes->count--;
	memmove(&classes->entries[index], &classes->entries[index + 1],
		(classes->count - index) * sizeof(classes->entries[0]));
}

/* Whether what has one µop takes half of what an instance takes, which then is two µops. */
static bool halves(struct probe_lab *lab, const struct probe_class *class,
		   const struct probe_form *form)
{
	const struct probe_throughput throughput = {.cycles = 1, .chained = 1};
	double uops = form ? fewest(lab, class, form, &throughput, FULL_CYCLES) : 0;

	return uops > NO_UOPS_MAX && uops < 1 - NO_UOPS_MAX;
}

/* Classes of instances that are two µops go, but for those of which no other form is known. */
static void drop_improper(struct probe_lab *lab, struct probe_classes *classes)
{
	static const enum probe_tool singles[] = {PROBE_FROM_XMM_AVX, PROBE_FROM_XMM_SSE,
						  PROBE_FROM_MM, PROBE_STORE_64_AVX,
						  PROBE_STORE_64_SSE};

	for (unsigned i = classes->count; i-- > 0;) {
		struct probe_class *class = &classes->entries[i];
		bool improper = false, twofold = false;

		for (unsigned k = 0; k < classes->count && !improper; k++)
			improper = k != i && halves(lab, class, classes->entries[k].form);
		if (improper)
			drop_class(classes, i);
		for (size_t k = 0; k < TAKT_COUNT_OF(singles) && !improper && !twofold; k++)
			twofold = halves(lab, class, lab->tools[singles[k]]);
		if (!twofold || class->width != 1)
			continue;
		class->width = class->pieces = 2;
		class->cycles /= 2;
	}
}

static void find_set(struct probe_lab *lab, bool wide, struct probe_classes *ret_classes)
{
	static const enum probe_tool accesses[] = {PROBE_STORE_64, PROBE_STORE_128_AVX,
						   PROBE_LOAD_128_AVX, PROBE_LOAD_256_AVX};

	for (unsigned penalty = 0; penalty <= WORST_PENALTY; penalty++)
		for (size_t i = 0; i < lab->forms.count; i++) {
			const struct probe_form *form = &lab->forms.forms[i];

			if (is_of_set(form, wide) && takt_probe_penalty(form) == penalty &&
			    takt_probe_may_block(lab, form))
				offer(lab, form, ret_classes);
		}
	for (size_t i = 0; i < TAKT_COUNT_OF(accesses); i++)
		offer(lab, lab->tools[accesses[i]], ret_classes);
	qsort(ret_classes->entries, ret_classes->count, sizeof(ret_classes->entries[0]), compare);
	find_ends(lab, ret_classes);
	drop_improper(lab, ret_classes);
	qsort(ret_classes->entries, ret_classes->count, sizeof(ret_classes->entries[0]), compare);
	find_inclusions(lab, ret_classes);
}

void takt_probe_find_classes(struct probe_lab *lab, struct probe_class_sets *ret_sets)
{
	struct takt_text *log = lab->log;
	bool any_wide = false;

	lab->log = NULL; /* these are not about a form */
	for (size_t i = 0; i < lab->forms.count && !any_wide; i++)
		any_wide = is_wide(&lab->forms.forms[i]);
	ret_sets->narrow.count = ret_sets->wide.count = 0;
	ret_sets->narrow.issue_width = ret_sets->wide.issue_width = find_issue_width(lab);
	find_set(lab, false, &ret_sets->narrow);
	if (any_wide)
		find_set(lab, true, &ret_sets->wide);
	lab->log = log;
}

const struct probe_classes *takt_probe_classes_of(const struct probe_class_sets *sets,
						  const struct probe_form *form)
{
	return is_wide(form) ? &sets->wide : &sets->narrow;
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

/* What has state of its own, or waits for all else: no port model fits. */
static const char *unfit_reason(const struct probe_form *form)
{
	unsigned flags = takt_form_unpack(form->sample.form).flags;

	if (flags & TAKT_FORM_LOCK)
		return "locked";
	if (flags & (TAKT_FORM_REP | TAKT_FORM_REPNE))
		return "repeats itself";
	return NULL;
}

/* Of µops of the same kind there may be several in a slot. */
static bool has_many_kinds(const struct probe_classes *classes, const unsigned *counts)
{
	for (unsigned i = 0; i < classes->count; i++)
		for (unsigned k = 0; k < i; k++)
			if (counts[i] && counts[k] && !(classes->entries[i].inside >> k & 1) &&
			    !takt_probe_memory(classes->entries[i].form) &&
			    !takt_probe_memory(classes->entries[k].form))
				return true;
	return false;
}

/* The ports would take no longer than was measured, and µops are no more than slots hold. */
static const char *misfit(const struct probe_classes *classes, const struct probe_form *form,
			  const struct probe_class_uops *uops,
			  const struct probe_throughput *throughput)
{
	unsigned total = 0;

	for (unsigned i = 0; i < classes->count; i++) {
		const struct probe_class *class = &classes->entries[i];
		unsigned on_ports = uops->counts[i] + known_inside(class, uops->counts);

		if (on_ports > (throughput->cycles + WIDTH_SLACK_CYCLES) * class->width)
			return "the ports would take longer";
		total += uops->counts[i];
	}
	if (total > uops->slots + access_count(form) + 0.5 && has_many_kinds(classes, uops->counts))
		return "more µops than slots";
	return NULL;
}

/* What slots must hold beside the known µops. One may be of a loop's end, or not fit a group. */
static unsigned anywhere(const struct probe_class_uops *uops)
{
	double slots = floor(uops->slots + NO_UOPS_MAX);

	for (unsigned i = 0; i < PROBE_CLASSES_MAX; i++)
		slots -= uops->counts[i];
	return slots >= 1 ? (unsigned)slots : 0;
}

/*
 * A µop whose ports are in two classes is counted in both, which a class with the ports of both
 * gives away: the second's count is taken back. False if it is not clear which two they are.
 */
static bool resolve_shared(const struct probe_classes *classes, unsigned around, unsigned excess,
			   struct probe_class_uops *uops)
{
	uint32_t inside = classes->entries[around].inside;
	unsigned pairs = 0;

	for (unsigned i = 0; i < around; i++)
		for (unsigned k = 0; k < i; k++) {
			if (!(inside >> i & 1) || !(inside >> k & 1) ||
			    classes->entries[i].inside >> k & 1 || uops->counts[i] < excess ||
			    uops->counts[k] < excess)
				continue;
			pairs++;
			uops->shared = (struct probe_shared){k, i, excess};
		}
	if (pairs != 1)
		return false;
	uops->counts[uops->shared.second] -= excess;
	return true;
}

/*
 * Few µops of an instruction with many: what has other ports may still disturb those that are
 * kept busy.
 */
static bool is_doubtful(const struct probe_classes *classes, unsigned index,
			const struct probe_class_uops *uops)
{
	bool many = uops->slots > classes->issue_width;

	for (unsigned k = 0; k < index; k++)
		if (classes->entries[index].inside >> k & 1 && uops->counts[k] &&
		    uops->counts[index] >= (many ? 2 : MANY_TIMES) * uops->counts[k])
			return true;
	return false;
}

/* The one access that the form has is among what narrower classes count. */
static bool is_counted_access(const struct probe_classes *classes, unsigned index,
			      const struct probe_form *form, const unsigned *counts)
{
	const struct probe_class *class = &classes->entries[index];

	if (!takt_probe_memory(class->form) || access_count(form) != 1)
		return false;
	for (unsigned k = 0; k < index; k++)
		if (class->inside >> k & 1 && counts[k] &&
		    takt_probe_memory(classes->entries[k].form))
			return true;
	return false;
}

/* Of a class; narrower ones are known. */
static void count_uops(const struct probe_classes *classes, unsigned index,
		       const struct probe_form *form, struct probe_class_uops *uops)
{
	const struct probe_class *class = &classes->entries[index];
	double left = uops->surplus[index] - known_inside(class, uops->counts);
	double whole = floor(left + ROUND_UP), part = left - floor(left);

	if (is_counted_access(classes, index, form, uops->counts))
		return;
	if (whole < 0) {
		if (!resolve_shared(classes, index, (unsigned)-whole, uops) && !uops->doubt)
			uops->doubt = "ports of several classes";
		return;
	}
	if (part > (class->width > 1 ? PART_MIN : PART_MIN_ALONE) && part < PART_MAX &&
	    !uops->doubt)
		uops->doubt = "not a whole number of µops";
	uops->counts[index] = (unsigned)whole;
	if (!uops->doubt && is_doubtful(classes, index, uops))
		uops->doubt = "few µops among many";
}

void takt_probe_class_uops(struct probe_lab *lab, const struct probe_classes *classes,
			   const struct probe_form *form, const struct probe_throughput *throughput,
			   struct probe_class_uops *ret_uops)
{
	double slots = find_slots(lab, classes->issue_width, form,
				  fmin(throughput->chained, LONGEST_DILUTED));
	double cycles = 2 * fmax(slots, throughput->chained);

	cycles = ceil(fmin(fmax(cycles, FULL_CYCLES), LONGEST_CYCLES));
	*ret_uops = (struct probe_class_uops){.doubt = unfit_reason(form),
					      .slots = slots,
					      .shared = {PROBE_NO_CLASS, PROBE_NO_CLASS, 0}};
	for (unsigned i = 0; i < classes->count; i++) {
		ret_uops->surplus[i] =
			fewest(lab, &classes->entries[i], form, throughput, (unsigned)cycles);
		count_uops(classes, i, form, ret_uops);
	}
	ret_uops->any = anywhere(ret_uops);
	if (!ret_uops->doubt)
		ret_uops->doubt = misfit(classes, form, ret_uops, throughput);
}
