/* SPDX-License-Identifier: MIT */
/* Counts an instruction's µops by class; see classes.h. */
#include <math.h>
#include <string.h>

#include "characterize/classes/mixes.h"

/* Cycles of an instance by which the measured throughput may be too low for its ports. */
#define WIDTH_SLACK_CYCLES 0.02
/* Added before counts are rounded down, as a figure is rarely less than the true count. */
#define ROUND_UP 0.15
/*
 * Parts of a µop that contradict a figure: nearly a whole one, and, for classes whose instances may
 * be two µops, also a half.
 */
#define PART_MIN 0.7
#define PART_MIN_ALONE 0.2
#define PART_MAX 0.93
/* Slots by which the measured number of an instruction may be wrong. */
#define ISSUE_SLACK 0.3
/* Ports fewer than slots at which certainly something else than issue limits them. */
#define ISSUE_GAP 0.9
/* Width of a figure's range, in µops, from which on it is too noisy. */
#define NOISE_MAX 0.9
#define LONGEST_CYCLES 60u
#define LONGEST_DILUTED 8

/* Count the accesses to memory, each of which may share a slot with another µop. */
static unsigned access_count(const struct probe_form *form)
{
	unsigned count = 0;

	for (unsigned i = 0; i < form->insn.memory_count; i++)
		count += (form->insn.memories[i].read ? 1u : 0u) +
			 (form->insn.memories[i].write ? 1u : 0u);
	return count;
}

/* Cores may split wide accesses into parts of this size. */
#define NARROWEST_VECTOR_BYTES 16u

/*
 * Return the most µops that can go where the class's loads or stores go; stores have address µops,
 * too.
 */
static unsigned access_uops(const struct probe_class *class, const struct probe_form *form)
{
	const struct takt_memory *memory = form->insn.memory_count ? form->insn.memories : NULL;
	unsigned accesses = access_count(form), parts = 1;

	if (takt_probe_memory(class->form)->write)
		accesses -= memory && memory->read && memory->write;
	if (memory && memory->size_bytes > NARROWEST_VECTOR_BYTES)
		parts = memory->size_bytes / NARROWEST_VECTOR_BYTES;
	return (accesses ? accesses : form->insn.memory_count) * parts;
}

static bool repeats_itself(const struct probe_form *form)
{
	return takt_form_unpack(form->sample.form).flags & (TAKT_FORM_REP | TAKT_FORM_REPNE);
}

/*
 * Return the most µops that the throughput allows and, for loads and stores, the accesses to
 * memory.
 */
static double most_uops(const struct probe_class *class, const struct probe_guest *guest)
{
	double most = guest->cycles / class->cycles;

	/* Lists of registers of AArch64 may be an access for each register. */
	if (takt_probe_memory(class->form) && guest->form->insn.insn_class != TAKT_CLASS_GATHER &&
	    !takt_probe_is_aarch64(guest->form) && !repeats_itself(guest->form))
		most = fmin(most, access_uops(class, guest->form));
	return most;
}

/* ---- measurements --------------------------------------------------------- */

static unsigned known_inside(const struct probe_class *class, const unsigned *counts)
{
	unsigned known = 0;

	for (unsigned k = 0; k < PROBE_CLASSES_MAX; k++)
		if (class->inside >> k & 1)
			known += counts[k];
	return known;
}

static void doubt(struct probe_class_uops *uops, const char *reason)
{
	if (!uops->doubt)
		uops->doubt = reason;
}

/* Sum the µops of computing classes: if there are several, each disturbs the others. */
static unsigned computing_uops(const struct probe_classes *classes, const unsigned *counts)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < classes->count; i++)
		if (!takt_probe_memory(classes->entries[i].form))
			sum += counts[i];
	return sum;
}

/*
 * True if two classes together have as many ports as slots are issued, or more, so that they cannot
 * all be kept busy. Then only slots can tell that no µop was counted twice. If slots cannot be
 * counted, some instructions may get fewer than nops do, and slots may limit both classes.
 */
static bool is_beyond_issue(const struct probe_classes *classes, unsigned first, unsigned second,
			    unsigned width, struct probe_class_uops *uops)
{
	unsigned sum = classes->entries[first].width + classes->entries[second].width;

	if (width &&
	    (classes->filler != PROBE_TOOL_COUNT ? width : sum) + ISSUE_GAP <= classes->issue_width)
		return false;
	if (!(computing_uops(classes, uops->counts) <= uops->slots + ISSUE_SLACK))
		doubt(uops, "ports of two classes, more than slots");
	return true;
}

/*
 * Subtract µops that were counted twice, as their ports are in both classes: together the classes
 * then have fewer. They are taken from the second class.
 */
static void take_back_shared(struct probe_lab *lab, const struct probe_classes *classes,
			     const struct probe_guest *guest, unsigned cycles,
			     struct probe_shared pair, struct probe_class_uops *uops)
{
	unsigned *first = &uops->counts[pair.first], *second = &uops->counts[pair.second];
	const struct probe_class *l = &classes->entries[pair.first];
	const struct probe_class *r = &classes->entries[pair.second];
	unsigned width = takt_probe_width_of_both(lab, l, r), shared = 0;
	const struct probe_class both = {.inside = l->inside | r->inside};
	struct probe_figure figure;
	double most;

	if (is_beyond_issue(classes, pair.first, pair.second, width, uops))
		return;
	figure = takt_probe_fewest_of_both(lab, l, r, width, guest, cycles);
	most = known_inside(&both, uops->counts) + *first + *second;
	while (shared < *first && shared < *second && figure.high + ROUND_UP < most - shared)
		shared++;
	if (!shared)
		return;
	uops->shared = (struct probe_shared){pair.first, pair.second, shared};
	*second -= shared;
}

/* True if narrower classes have counted the only access of the form. */
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

/* Count the µops of a class whose narrower classes are done. */
static void count_uops(const struct probe_classes *classes, unsigned index,
		       const struct probe_guest *guest, const struct probe_figure *figure,
		       struct probe_class_uops *uops)
{
	const struct probe_class *class = &classes->entries[index];
	double known = known_inside(class, uops->counts);
	double whole = floor(fmax(figure->high, 0) + ROUND_UP - known);

	if (is_counted_access(classes, index, guest->form, uops->counts))
		return;
	if (whole < 0) {
		doubt(uops, "ports of several classes");
		return;
	}
	if (figure->low - known - whole > (class->width > 1 ? PART_MIN : PART_MIN_ALONE) ||
	    (whole > 0 && whole + known - figure->high > 1 - PART_MAX))
		doubt(uops, "not a whole number of µops");
	if (figure->high - figure->low > NOISE_MAX)
		doubt(uops, "too much noise");
	uops->counts[index] = (unsigned)whole;
}

/*
 * True if the form gets its flags late, from an instruction after instances of the class, on its
 * ports. It then is the oldest µop that waits, and takes these ports even if it might use others.
 */
static bool is_late(const struct probe_classes *classes, unsigned index,
		    const struct probe_form *form)
{
	const struct probe_class *class = &classes->entries[index];
	bool has_wider = false;

	for (unsigned i = 0; i < classes->count; i++)
		has_wider |= classes->entries[i].inside >> index & 1;
	return has_wider && class->breaker_uops &&
	       takt_probe_accesses_flags(class->form, TAKT_WRITE) &&
	       takt_probe_accesses_flags(form, TAKT_READ);
}

/* True if nobody wants to know more of the form. */
static bool is_given_up(const struct probe_lab *lab, const struct probe_class_uops *uops)
{
	return uops->doubt && lab->certain_only;
}

/* Check that the µops that need the class's ports need no longer than was measured. */
static void check_throughput(const struct probe_classes *classes, unsigned index, double cycles,
			     struct probe_class_uops *uops)
{
	const struct probe_class *class = &classes->entries[index];
	unsigned on_ports = uops->counts[index] + known_inside(class, uops->counts);

	if (on_ports > (cycles + WIDTH_SLACK_CYCLES) * class->width)
		doubt(uops, "the ports would take longer");
}

/* Measure the µops on each class's ports, narrow classes first. */
static void measure(struct probe_lab *lab, const struct probe_classes *classes,
		    const struct probe_guest *guest, unsigned cycles,
		    struct probe_figure figures[PROBE_CLASSES_MAX], struct probe_class_uops *uops)
{
	for (unsigned i = 0; i < classes->count && !is_given_up(lab, uops); i++) {
		const struct probe_class *class = &classes->entries[i];

		figures[i] = takt_probe_fewest(lab, class, guest, cycles, most_uops(class, guest),
					       PROBE_NO_UOPS_MAX);
		uops->surplus[i] = figures[i].high;
		count_uops(classes, i, guest, &figures[i], uops);
		if (uops->counts[i] && is_late(classes, i, guest->form))
			doubt(uops, "waits for flags after others");
		for (unsigned k = 0; k < i && uops->counts[i]; k++)
			if (class->across >> k & 1 && uops->counts[k])
				take_back_shared(lab, classes, guest, cycles,
						 (struct probe_shared){k, i, 0}, uops);
		check_throughput(classes, i, guest->cycles, uops);
	}
}

/* ---- plausibility --------------------------------------------------------- */

/*
 * A check by stand-ins. Cores may decide at rename which port a µop goes to, as if a queue were
 * shorter than it is: of several µops that come together, some then go to ports that are kept busy
 * although others are free. So instances of classes, as many as µops were found, stand in for the
 * form: they must cost what it does, and other mixes must not.
 */
struct check {
	struct probe_lab *lab;
	const struct probe_classes *classes;
	const struct probe_guest *form;
	unsigned cycles;
	const struct probe_figure *figures; /* the form's figures */
};

#define SAME_UOPS 0.35

/* True if the stand-in's figure agrees with the form's, or cannot be measured. */
static bool is_alike(const struct check *check, const unsigned *counts, unsigned index)
{
	const struct probe_class *class = &check->classes->entries[index];
	const struct probe_figure *wanted = &check->figures[index];
	const struct probe_guest guest = {.classes = check->classes,
					  .counts = counts,
					  .cycles = check->form->cycles,
					  .chained = check->form->chained};
	struct probe_figure figure;

	if (wanted->high + ROUND_UP < 1 || takt_probe_memory(class->form) || class->pieces > 1)
		return true;
	figure = takt_probe_fewest(check->lab, class, &guest, check->cycles,
				   most_uops(class, check->form), wanted->low - SAME_UOPS);
	return figure.high + SAME_UOPS >= wanted->low && figure.low - SAME_UOPS <= wanted->high;
}

/* True if the stand-in agrees on all classes. `first` is the one most likely to differ. */
static bool is_like(const struct check *check, const unsigned *counts, unsigned first)
{
	if (!is_alike(check, counts, first))
		return false;
	for (unsigned i = 0; i < check->classes->count; i++)
		if (i != first && !is_alike(check, counts, i))
			return false;
	return true;
}

/* True if `moved` µops of the class could be µops of the wider one instead. */
static bool could_be(const struct check *check, const struct probe_class_uops *uops, unsigned index,
		     unsigned wider, unsigned moved)
{
	unsigned counts[PROBE_CLASSES_MAX];

	memcpy(counts, uops->counts, sizeof(counts));
	counts[index] -= moved;
	counts[wider] += moved;
	return is_like(check, counts, index);
}

/* True if µops of at least two classes inside the class could all be µops of the class itself. */
static bool all_could_be(const struct check *check, const struct probe_class_uops *uops,
			 unsigned wider)
{
	unsigned counts[PROBE_CLASSES_MAX], first = PROBE_NO_CLASS, moved = 0;

	memcpy(counts, uops->counts, sizeof(counts));
	for (unsigned i = 0; i < wider; i++) {
		if (!(check->classes->entries[wider].inside >> i & 1) || !counts[i])
			continue;
		counts[wider] += counts[i];
		counts[i] = 0;
		first = i;
		moved++;
	}
	return moved > 1 && is_like(check, counts, first);
}

static bool is_ambiguous(const struct check *check, const struct probe_class_uops *uops)
{
	const struct probe_classes *classes = check->classes;

	for (unsigned i = 0; i < classes->count; i++) {
		unsigned count = uops->counts[i];

		if (takt_probe_memory(classes->entries[i].form))
			continue;
		for (unsigned wider = i + 1; wider < classes->count && count; wider++) {
			if (!(classes->entries[wider].inside >> i & 1))
				continue;
			if (could_be(check, uops, i, wider, count) ||
			    (count > 1 && could_be(check, uops, i, wider, 1)))
				return true;
		}
		if (computing_uops(classes, uops->counts) > uops->slots + 0.5 &&
		    all_could_be(check, uops, i))
			return true;
	}
	return false;
}

/* Check that µops of narrow classes are not µops of wider ones. */
static void check_stand_ins(struct probe_lab *lab, const struct probe_classes *classes,
			    const struct probe_guest *guest, unsigned cycles,
			    const struct probe_figure figures[PROBE_CLASSES_MAX],
			    struct probe_class_uops *uops)
{
	const struct check check = {lab, classes, guest, cycles, figures};

	if (computing_uops(classes, uops->counts) < 2 || uops->shared.count)
		return; /* no class could stand in for ports that two share */
	if (!is_like(&check, uops->counts, 0))
		doubt(uops, "not like instructions of such µops");
	else if (is_ambiguous(&check, uops))
		doubt(uops, "instructions of other µops are like it");
}

/* Gathers load one element at a time, of at least this size. */
#define NARROWEST_ELEMENT_BYTES 4u

static void check_loads(const struct probe_classes *classes, const struct probe_form *form,
			struct probe_class_uops *uops)
{
	unsigned most = form->insn.accesses[0].size_bytes / NARROWEST_ELEMENT_BYTES;

	if (form->insn.insn_class != TAKT_CLASS_GATHER)
		return;
	for (unsigned i = 0; i < classes->count; i++)
		if (takt_probe_memory(classes->entries[i].form) && uops->counts[i] > most)
			doubt(uops, "more loads than elements");
}

/* Return the form without the lock prefix; NULL if it is always locked. */
static const struct probe_form *unlocked_form(const struct probe_lab *lab,
					      const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	if (!(unpacked.flags & TAKT_FORM_LOCK))
		return NULL;
	unpacked.flags &= (uint16_t)~TAKT_FORM_LOCK;
	return takt_probe_form_of(&lab->forms, takt_form_pack(&unpacked));
}

/*
 * Check locked forms. An instruction that waits for a locked access looks like another µop on its
 * ports, unless the form without the lock has that µop, too.
 */
static void check_locked(struct probe_lab *lab, const struct probe_classes *classes,
			 const struct probe_guest *guest, unsigned cycles,
			 struct probe_class_uops *uops)
{
	struct probe_guest unlocked = *guest;

	if (!(guest->form->insn.flags & TAKT_INSN_LOCKED))
		return;
	unlocked.form = unlocked_form(lab, guest->form);
	for (unsigned i = 0; i < classes->count; i++) {
		const struct probe_class *class = &classes->entries[i];
		double wanted = takt_probe_class_uops_on(classes, uops, i);

		if (takt_probe_memory(class->form) && uops->counts[i] > 1 &&
		    !(unlocked.form && takt_probe_has_uops(lab, class, &unlocked, cycles, wanted)))
			doubt(uops, "locked, and others wait for it");
	}
}

/* Factor by which a form may take longer than its slots and ports. */
#define UNEXPLAINED 1.4

/*
 * True if nothing but ports makes the form wait: no memory, no flags, no unit that takes several
 * cycles.
 */
static bool is_for_ports_only(const struct probe_form *form)
{
	return form->insn.flags & TAKT_INSN_VECTOR && !form->insn.memory_count &&
	       !takt_probe_is_chained(form) && !takt_probe_accesses_flags(form, TAKT_WRITE) &&
	       form->insn.insn_class != TAKT_CLASS_FP_DIV;
}

/* Check that the result explains why the form takes as long as it does. */
static void check_explained(const struct probe_classes *classes, const struct probe_form *form,
			    const struct probe_throughput *throughput,
			    struct probe_class_uops *uops)
{
	/* Instances that read what they write wait for each other once registers are reused. */
	double waiting = throughput->chained / takt_probe_instances_max(form);
	double found = fmax(takt_probe_class_uops_cycles(classes, uops), waiting);
	bool has_any = false;

	for (unsigned i = 0; i < classes->count; i++)
		has_any |= uops->counts[i] > 0;
	/* Jumps are in no class, and wait for nothing but ports and slots. */
	if (takt_probe_is_jump(form) &&
	    throughput->cycles > UNEXPLAINED * takt_probe_class_uops_cycles(classes, uops))
		doubt(uops, PROBE_JUMPS_ONLY);
	if (has_any && !is_for_ports_only(form))
		return;
	/* A form that waits only for itself takes as long as its chain. */
	if (throughput->cycles > UNEXPLAINED * fmax(found, 1 / classes->issue_width) &&
	    throughput->cycles * UNEXPLAINED < throughput->chained)
		doubt(uops, "no ports that were found explain its throughput");
}

/* Return the slots without a known µop. One may be that of a loop's end, or be lost to grouping. */
static unsigned anywhere(const struct probe_class_uops *uops)
{
	double slots = floor(uops->slots + PROBE_NO_UOPS_MAX);

	if (isnan(slots))
		return 0;
	for (unsigned i = 0; i < PROBE_CLASSES_MAX; i++)
		slots -= uops->counts[i];
	return slots >= 1 ? (unsigned)slots : 0;
}

/* Return cycles of hosts long enough for one instance to find room anywhere. */
static unsigned host_cycles(const struct probe_throughput *throughput, double slots)
{
	double cycles = fmax(2 * fmax(slots, throughput->chained), PROBE_FULL_CYCLES);

	return (unsigned)ceil(fmin(cycles, LONGEST_CYCLES));
}

/*
 * Measure a form's slots; NaN if they cannot be counted. Zero idioms would let jumps be taken.
 */
static double slots_of(struct probe_lab *lab, const struct probe_classes *classes,
		       const struct probe_form *form, const struct probe_throughput *throughput)
{
	return classes->filler == PROBE_TOOL_COUNT ||
			       (takt_probe_is_jump(form) && classes->filler != PROBE_NOP)
		       ? NAN
		       : takt_probe_slots(lab, classes->filler, classes->issue_width, form,
					  fmin(throughput->chained, LONGEST_DILUTED));
}

static void find_uops(struct probe_lab *lab, const struct probe_classes *classes,
		      const struct probe_form *form, const struct probe_throughput *throughput,
		      struct probe_class_uops *ret_uops)
{
	const struct probe_guest guest = {
		.form = form, .cycles = throughput->cycles, .chained = throughput->chained};
	struct probe_figure figures[PROBE_CLASSES_MAX];
	double slots = slots_of(lab, classes, form, throughput);
	unsigned cycles = host_cycles(throughput, slots);

	*ret_uops = (struct probe_class_uops){.slots = slots,
					      .shared = {PROBE_NO_CLASS, PROBE_NO_CLASS, 0}};
	measure(lab, classes, &guest, cycles, figures, ret_uops);
	if (is_given_up(lab, ret_uops))
		return;
	ret_uops->any = anywhere(ret_uops);
	check_explained(classes, form, throughput, ret_uops);
	check_loads(classes, form, ret_uops);
	if (!is_given_up(lab, ret_uops))
		check_locked(lab, classes, &guest, cycles, ret_uops);
	if (!ret_uops->doubt)
		check_stand_ins(lab, classes, &guest, cycles, figures, ret_uops);
}

/* A doubtful result is measured again, with more repetitions if the machine is noisy. */
void takt_probe_class_uops(struct probe_lab *lab, const struct probe_classes *classes,
			   const struct probe_form *form, const struct probe_throughput *throughput,
			   struct probe_class_uops *ret_uops)
{
	unsigned repeats = lab->repeats;

	if (form->insn.flags & TAKT_INSN_X87) {
		*ret_uops = (struct probe_class_uops){
			.doubt = "x87 instructions must not meet a class's MMX instructions"};
		return;
	}
	find_uops(lab, classes, form, throughput, ret_uops);
	if (!ret_uops->doubt || !lab->is_noisy)
		return;
	lab->repeats = PROBE_REPEATS;
	find_uops(lab, classes, form, throughput, ret_uops);
	lab->repeats = repeats;
}

bool takt_probe_class_uops_fit(struct probe_lab *lab, const struct probe_classes *classes,
			       const struct probe_form *form,
			       const struct probe_throughput *throughput,
			       const struct probe_class_uops *uops)
{
	const struct probe_guest guest = {
		.form = form, .cycles = throughput->cycles, .chained = throughput->chained};
	unsigned cycles = host_cycles(throughput, 0);

	for (unsigned i = 0; i < classes->count; i++)
		if (!takt_probe_has_uops(lab, &classes->entries[i], &guest, cycles,
					 takt_probe_class_uops_on(classes, uops, i)))
			return false;
	return true;
}
