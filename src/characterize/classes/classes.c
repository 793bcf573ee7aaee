/* SPDX-License-Identifier: MIT */
/* Finds the instructions that compete for the same ports; see classes.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/classes/mixes.h"

/* Cycles of an instance by which its ports may differ from a whole number. */
#define WIDTH_SLACK_CYCLES 0.02
/*
 * Fraction by which a form may seem faster than its ports, each of which executes one µop per
 * cycle. If it is faster still, something else than ports limits it.
 */
#define FASTER_PART 0.008
/* Most slots measured for an instruction that has one. */
#define ONE_SLOT_MAX 1.5
/* Added before counts are rounded down, as a figure is rarely less than the true count. */
#define ROUND_UP 0.15
/* Relative differences from a whole number that are noise; and those that show another limit. */
#define EXACT_PART 0.006
#define INEXACT_PART 0.02
/* Error of a figure of half a µop. */
#define HALF_ERROR 0.15
/* Error of a number of slots, for instructions of at most LONG_CYCLES. */
#define SLOTS_ERROR 0.2
#define LONG_CYCLES 4
/* Factor by which instances that wait for each other may exceed what their latency explains. */
#define WAITING_LESS 1.4

/* Measure one of 48 instances, half of each form, in the order left, right, left … */
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
	return takt_probe_loop_cycles(lab, &code, "two forms in turn") / (2 * pairs);
}

/*
 * True if the forms compete. A noisy machine repeats it, as disturbed figures must not hide a
 * class.
 */
static bool compete(struct probe_lab *lab, const struct probe_form *left,
		    const struct probe_form *right, double cycles)
{
	unsigned tries = lab->is_noisy ? PROBE_REPEATS : 1;

	while (tries-- > 0)
		if (mixed_cycles(lab, left, right) <= cycles)
			return false;
	return true;
}

static bool is_known(struct probe_lab *lab, const struct probe_classes *classes,
		     const struct probe_class *candidate)
{
	for (unsigned i = 0; i < classes->count; i++) {
		const struct probe_class *class = &classes->entries[i];

		if (class->width == candidate->width &&
		    compete(lab, class->form, candidate->form,
			    1.0 / candidate->width - WIDTH_SLACK_CYCLES))
			return true;
	}
	return false;
}

/* True if instances wait for their own destinations, which they read, rather than for ports. */
static bool waits(const struct probe_form *form, const struct probe_throughput *throughput)
{
	return throughput->cycles <
	       WAITING_LESS * throughput->chained / takt_probe_instances_max(form);
}

/* False if the form cannot represent a class. */
static bool is_class(struct probe_lab *lab, const struct probe_form *form, double issue_width,
		     struct probe_class *ret_class)
{
	struct probe_throughput throughput;
	const char *reason;

	if (!takt_probe_throughput(lab, form, &throughput, &reason) ||
	    throughput.cycles * issue_width < 0.5 || waits(form, &throughput))
		return false;
	*ret_class = (struct probe_class){.form = form, .pieces = 1, .cycles = throughput.cycles};
	ret_class->width = (unsigned)(1 / throughput.cycles + 0.5);
	return ret_class->width && ret_class->width < issue_width - 0.5 &&
	       throughput.cycles <= 1.0 / ret_class->width + WIDTH_SLACK_CYCLES &&
	       throughput.cycles >= (1 - FASTER_PART) / ret_class->width;
}

/* True if the candidate has one slot. Few come this far, and a wrong one spoils all results. */
static bool has_one_slot(struct probe_lab *lab, const struct probe_classes *classes,
			 const struct probe_class *candidate)
{
	double slots;

	if (classes->filler == PROBE_TOOL_COUNT)
		return true;
	lab->repeats = PROBE_REPEATS;
	slots = takt_probe_slots_at_most(lab, classes->filler, classes->issue_width,
					 candidate->form, candidate->cycles);
	lab->repeats = 0;
	return slots <= ONE_SLOT_MAX;
}

static void offer(struct probe_lab *lab, const struct probe_form *form,
		  struct probe_classes *classes)
{
	struct probe_class candidate;

	if (form && is_class(lab, form, classes->issue_width, &candidate) &&
	    classes->count < PROBE_CLASSES_MAX && !is_known(lab, classes, &candidate) &&
	    has_one_slot(lab, classes, &candidate))
		classes->entries[classes->count++] = candidate;
}

TAKT_ORDER(compare, struct probe_class, TAKT_UP(width));

/*
 * Measure the cycles that an instance adds to a loop, which is more exact than throughput, and the
 * µops of a loop's end that use the class's ports.
 */
static void find_ends(struct probe_lab *lab, struct probe_classes *classes)
{
	for (unsigned i = 0; i < classes->count; i++) {
		struct probe_class *class = &classes->entries[i];
		double cycles = takt_probe_alone(lab, class, PROBE_FULL_CYCLES);
		double longer = takt_probe_alone(lab, class, 3 * PROBE_FULL_CYCLES);
		double end_cycles;

		class->cycles = (longer - cycles) / (2 * PROBE_FULL_CYCLES) / class->width;
		if (fabs(class->cycles * class->width - 1) < EXACT_PART)
			class->cycles = 1.0 / class->width;
		end_cycles = cycles - PROBE_FULL_CYCLES * class->width * class->cycles;
		class->end_uops = (unsigned)floor(fmax(0, end_cycles) / class->cycles + ROUND_UP);
	}
}

/* Measure the µops of an unknown instruction on the class's ports. */
static double uops_of(struct probe_lab *lab, const struct probe_class *class,
		      const struct probe_form *form)
{
	const struct probe_guest guest = {.form = form, .cycles = 1, .chained = 1};

	return takt_probe_fewest(lab, class, &guest, PROBE_FULL_CYCLES, 1 / class->cycles,
				 PROBE_NO_UOPS_MAX)
		.high;
}

/*
 * Find how two classes relate. Stores are two kinds of µops, one of which may use the ports of
 * loads.
 */
static void find_relation(struct probe_lab *lab, struct probe_class *wide,
			  struct probe_class *narrow, uint32_t wide_bit, uint32_t narrow_bit)
{
	const struct takt_memory *memory = takt_probe_memory(narrow->form);

	if (memory && memory->write)
		return;
	if (uops_of(lab, wide, narrow->form) > 0.5) {
		wide->inside |= narrow_bit;
	} else if (!takt_probe_memory(wide->form) && !takt_probe_memory(narrow->form) &&
		   takt_probe_width_of_both(lab, wide, narrow) < wide->width + narrow->width) {
		wide->across |= narrow_bit;
		narrow->across |= wide_bit;
	}
}

static void find_relations(struct probe_lab *lab, struct probe_classes *classes)
{
	const struct probe_form *breaker = lab->tools[PROBE_TEST];

	for (unsigned i = 0; i < classes->count; i++)
		classes->entries[i].breaker_uops =
			uops_of(lab, &classes->entries[i], breaker) > 0.5;
	for (unsigned i = 0; i < classes->count; i++)
		for (unsigned k = 0; k < i; k++)
			find_relation(lab, &classes->entries[i], &classes->entries[k],
				      UINT32_C(1) << i, UINT32_C(1) << k);
}

static bool is_wide(const struct probe_form *form)
{
	return takt_probe_has_kind(form, TAKT_KIND_ZMM, TAKT_KIND_ZMM);
}

static bool is_of_set(const struct probe_form *form, bool wide)
{
	/* x87 and MMX instructions, which share registers, must not meet in one experiment. */
	if (form->insn.flags & TAKT_INSN_X87)
		return false;
	return wide ? is_wide(form) || !takt_probe_has_kind(form, TAKT_KIND_MM, TAKT_KIND_YMM)
		    : !is_wide(form);
}

static void drop_class(struct probe_classes *classes, unsigned index)
{
	classes->count--;
	memmove(&classes->entries[index], &classes->entries[index + 1],
		(classes->count - index) * sizeof(classes->entries[0]));
}

/* True if the form takes half of what an instance takes: then the instance is two µops. */
static bool halves(struct probe_lab *lab, const struct probe_class *class,
		   const struct probe_form *form)
{
	double uops = form ? uops_of(lab, class, form) : 0;

	return fabs(uops - 0.5) <= HALF_ERROR;
}

/* One form of TRIED_STEP is tried; HALVES_MIN of those must take half of an instance. */
#define TRIED_STEP 23u
#define HALVES_MIN 2u

static bool is_twofold(struct probe_lab *lab, bool wide, const struct probe_class *class)
{
	unsigned count = 0;

	for (size_t i = 0; i < PROBE_CHAIN_TOOL_COUNT && count < HALVES_MIN; i++)
		count += halves(lab, class, lab->tools[i]);
	for (size_t i = 0; i < lab->forms.count && count < HALVES_MIN; i += TRIED_STEP)
		if (is_of_set(&lab->forms.forms[i], wide) &&
		    !takt_probe_is_chained(&lab->forms.forms[i]))
			count += halves(lab, class, &lab->forms.forms[i]);
	return count >= HALVES_MIN;
}

/*
 * True if an instance takes one µop of a wider class: then it is one, on some of that class's
 * ports. The wider class's form may still take a part of it, where a core chooses ports before it
 * knows which ones are kept busy.
 */
static bool is_part(struct probe_lab *lab, const struct probe_class *class,
		    const struct probe_class *wider)
{
	return wider->width > class->width &&
	       fabs(uops_of(lab, wider, class->form) - 1) <= HALF_ERROR;
}

/*
 * True if another class's form counts as half a µop of this one, whose instance then is two µops.
 * Memory classes are compared only with each other, as stores and the like take a part of every
 * class.
 */
static bool is_improper(struct probe_lab *lab, const struct probe_classes *classes, unsigned index)
{
	const struct probe_class *class = &classes->entries[index];

	for (unsigned k = 0; k < classes->count; k++) {
		const struct probe_form *form = classes->entries[k].form;

		if (k != index && !takt_probe_memory(form) == !takt_probe_memory(class->form) &&
		    halves(lab, class, form) && !is_part(lab, class, &classes->entries[k]))
			return true;
	}
	return false;
}

static bool is_inexact(const struct probe_class *class)
{
	return fabs(class->cycles * class->width - 1) > INEXACT_PART;
}

/*
 * Remove classes whose instances are two µops, unless no other form is known for their ports. The
 * narrowest come first: one that is removed itself says nothing of wider ones.
 */
static void drop_improper(struct probe_lab *lab, bool wide, struct probe_classes *classes)
{
	for (unsigned i = 0; i < classes->count;) {
		struct probe_class *class = &classes->entries[i];

		if (is_inexact(class) || is_improper(lab, classes, i)) {
			drop_class(classes, i);
			continue;
		}
		if (class->width == 1 && is_twofold(lab, wide, class)) {
			class->width = class->pieces = 2;
			class->cycles /= 2;
		}
		i++;
	}
}

static bool is_candidate(const struct probe_lab *lab, bool wide, const struct probe_form *form)
{
	return is_of_set(form, wide) && takt_probe_may_block(lab, form);
}

static size_t count_candidates(const struct probe_lab *lab, bool wide)
{
	size_t count = 0;

	for (size_t i = 0; i < lab->forms.count; i++)
		count += is_candidate(lab, wide, &lab->forms.forms[i]);
	return count;
}

struct search {
	struct probe_lab *lab;
	const struct probe_watch *watch;
	size_t total; /* number of candidates */
};

/* Offer all forms with this penalty. False if the search was ended. */
static bool offer_all(const struct search *search, bool wide, unsigned penalty,
		      struct probe_classes *classes)
{
	struct probe_lab *lab = search->lab;

	for (size_t i = 0; i < lab->forms.count; i++) {
		const struct probe_form *form = &lab->forms.forms[i];

		if (takt_probe_penalty(form) != penalty || !is_candidate(lab, wide, form))
			continue;
		offer(lab, form, classes);
		if (search->watch &&
		    !search->watch->tell(search->watch->context, form, search->total))
			return false;
	}
	return true;
}

/*
 * Offer the instructions that the supposed classes are named by. Where the machine has these
 * classes, they get the same names, so that supposed ports can be compared with them.
 */
static void offer_supposed(struct probe_lab *lab, bool wide, struct probe_classes *classes)
{
	const struct probe_classes *supposed;

	if (!lab->supposed)
		return;
	supposed = wide ? &lab->supposed->wide : &lab->supposed->narrow;
	for (unsigned i = 0; i < supposed->count; i++)
		offer(lab, supposed->entries[i].form, classes);
}

static bool find_set(const struct search *search, bool wide, struct probe_classes *ret_classes)
{
	static const enum probe_tool accesses[] = {PROBE_STORE_64, PROBE_STORE_128_AVX,
						   PROBE_LOAD_128_AVX, PROBE_LOAD_256_AVX};
	struct probe_lab *lab = search->lab;

	/* On AArch64, transfers between registers use the ports of loads and others: loads come
	 * first. */
	if (lab->machine->isa == &takt_isa_aarch64)
		offer(lab, lab->tools[PROBE_LOAD_64], ret_classes);
	offer_supposed(lab, wide, ret_classes);
	for (unsigned penalty = 0; penalty <= PROBE_PENALTY_MAX; penalty++)
		if (!offer_all(search, wide, penalty, ret_classes))
			return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(accesses); i++)
		offer(lab, lab->tools[accesses[i]], ret_classes);
	qsort(ret_classes->entries, ret_classes->count, sizeof(ret_classes->entries[0]), compare);
	/* All further figures rest on these. */
	lab->repeats = PROBE_REPEATS;
	find_ends(lab, ret_classes);
	drop_improper(lab, wide, ret_classes);
	qsort(ret_classes->entries, ret_classes->count, sizeof(ret_classes->entries[0]), compare);
	find_relations(lab, ret_classes);
	lab->repeats = 0;
	return true;
}

/*
 * True if simple instructions displace whole numbers of fillers, and one of them a single one: two
 * nops that share a slot count each instruction twice.
 */
static bool can_count_slots(struct probe_lab *lab, enum probe_tool filler, double issue_width)
{
	static const enum probe_tool simple[] = {PROBE_TEST,	   PROBE_AND,
						 PROBE_OR,	   PROBE_OR_SSE,
						 PROBE_DOUBLE_SSE, PROBE_FLOAT_ADD_SSE};
	double fewest = INFINITY;

	for (size_t i = 0; i < TAKT_COUNT_OF(simple); i++) {
		double slots = takt_probe_slots_at_most(lab, filler, issue_width,
							lab->tools[simple[i]], LONG_CYCLES);

		if (!(fabs(slots - fmax(1, round(slots))) <= SLOTS_ERROR))
			return false;
		fewest = fmin(fewest, slots);
	}
	return fewest <= 1 + SLOTS_ERROR;
}

/*
 * Find what counts slots: nops, or zero idioms where nops do not. Some cores fuse nops with their
 * neighbours, or deliver fewer than they could issue.
 */
static void find_filler(struct probe_lab *lab, struct probe_classes *classes)
{
	double zeros;

	classes->filler = PROBE_NOP;
	classes->issue_width = takt_probe_issue_width(lab, PROBE_NOP);
	if (can_count_slots(lab, PROBE_NOP, classes->issue_width))
		return;
	classes->filler = PROBE_TOOL_COUNT;
	zeros = takt_probe_issue_width(lab, PROBE_XOR);
	if (!can_count_slots(lab, PROBE_XOR, zeros))
		return;
	classes->filler = PROBE_XOR;
	classes->issue_width = zeros;
}

static bool any_wide(const struct probe_forms *forms)
{
	for (size_t i = 0; i < forms->count; i++)
		if (is_wide(&forms->forms[i]))
			return true;
	return false;
}

bool takt_probe_find_classes(struct probe_lab *lab, const struct probe_watch *watch,
			     struct probe_class_sets *ret_sets)
{
	struct search search = {lab, watch, count_candidates(lab, false)};
	bool wide = any_wide(&lab->forms), fine;
	struct probe_classes empty = {.count = 0};
	struct takt_text *log = lab->log;

	lab->log = NULL; /* these experiments are not about a form */
	lab->repeats = PROBE_REPEATS;
	find_filler(lab, &empty);
	lab->repeats = 0;
	ret_sets->narrow = ret_sets->wide = empty;
	if (wide)
		search.total += count_candidates(lab, true);
	fine = find_set(&search, false, &ret_sets->narrow) &&
	       (!wide || find_set(&search, true, &ret_sets->wide));
	lab->log = log;
	return fine;
}

const struct probe_classes *takt_probe_classes_of(const struct probe_class_sets *sets,
						  const struct probe_form *form)
{
	return is_wide(form) ? &sets->wide : &sets->narrow;
}
