/* SPDX-License-Identifier: MIT */
/* Loops of instances of classes with guests between them; see mixes.h. */
#include <math.h>

#include "characterize/classes/mixes.h"

#define ROUND_UP 0.3
/* Ports by which noise may make a width too large. */
#define WIDTH_SLACK 0.1
#define NOPS_PER_CYCLE 12u
/*
 * Least instances in a loop, so that its rounding to whole cycles does not matter; and most bytes.
 */
#define DILUTED_INSTANCES 32u
#define DILUTED_BYTES 3500u
#define NOPS_ALONE 240u
/* Register that zero idioms clear. */
#define ZEROED (TAKT_LOC_GPR + 13)
/* Most slots measured for an instruction that has one. */
#define ONE_SLOT_MAX 1.5

static bool run_loop(struct probe_lab *lab, const struct probe_code *code, const char *title,
		     struct probe_outcome *ret_outcome)
{
	if (takt_probe_run_loop(lab, code, title, ret_outcome))
		return true;
	ret_outcome->cycles = NAN;
	ret_outcome->spread = 0;
	return false;
}

double takt_probe_loop_cycles(struct probe_lab *lab, const struct probe_code *code,
			      const char *title)
{
	struct probe_outcome outcome;

	run_loop(lab, code, title, &outcome);
	return outcome.cycles;
}

/* ---- issue ---------------------------------------------------------------- */

/* Add nops, or zero idioms. */
static void add_fillers(const struct probe_lab *lab, struct probe_code *code,
			enum probe_tool filler, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (filler == PROBE_NOP)
			takt_probe_add_tool(lab, code, filler, PROBE_BASE, TAKT_LOC_NONE);
		else
			takt_probe_add_tool(lab, code, filler, ZEROED, ZEROED);
}

/* Two lengths of loops are compared, as the loop's own end takes a slot. */
double takt_probe_issue_width(struct probe_lab *lab, enum probe_tool filler)
{
	struct probe_code few = {.size_bytes = 0}, many = {.size_bytes = 0};

	add_fillers(lab, &few, filler, NOPS_ALONE);
	add_fillers(lab, &many, filler, 2 * NOPS_ALONE);
	return NOPS_ALONE / (takt_probe_loop_cycles(lab, &many, "nops") -
			     takt_probe_loop_cycles(lab, &few, "nops"));
}

/* Return the number of fillers that an instance displaces, if there are enough of them. */
static double slots_among(struct probe_lab *lab, enum probe_tool filler, double issue_width,
			  const struct probe_form *form, unsigned nops)
{
	unsigned most = takt_probe_instances_max(form), instances = DILUTED_INSTANCES;
	unsigned bytes = nops * lab->tools[filler]->insn.length_bytes + TAKT_X86_LENGTH_MAX;
	struct probe_code alone = {.size_bytes = 0}, with = {.size_bytes = 0};

	if (instances > DILUTED_BYTES / bytes)
		instances = DILUTED_BYTES / bytes;
	for (unsigned i = 0; i < instances; i++) {
		struct takt_choice choice;

		takt_probe_instance(form, i % most, &choice);
		takt_probe_code_add(&with, form, &choice);
		add_fillers(lab, &with, filler, nops);
		add_fillers(lab, &alone, filler, nops);
	}
	return issue_width / instances *
	       (takt_probe_loop_cycles(lab, &with, "diluted by nops") -
		takt_probe_loop_cycles(lab, &alone, "nops"));
}

static unsigned nops_for(double cycles)
{
	return (unsigned)(NOPS_PER_CYCLE * ceil(cycles));
}

double takt_probe_slots_at_most(struct probe_lab *lab, enum probe_tool filler, double issue_width,
				const struct probe_form *form, double cycles)
{
	return slots_among(lab, filler, issue_width, form, nops_for(cycles));
}

double takt_probe_slots(struct probe_lab *lab, enum probe_tool filler, double issue_width,
			const struct probe_form *form, double cycles)
{
	double slots = takt_probe_slots_at_most(lab, filler, issue_width, form, cycles);

	if (slots <= ONE_SLOT_MAX)
		return slots;
	return fmin(slots, slots_among(lab, filler, issue_width, form, 4 * nops_for(cycles)));
}

/* ---- guests --------------------------------------------------------------- */

static bool is_in_guest(const struct probe_guest *guest, unsigned index)
{
	const struct probe_class *class = &guest->classes->entries[index];

	return guest->counts[index] && class->pieces == 1 && !takt_probe_memory(class->form);
}

static bool guest_accesses_flags(const struct probe_guest *guest, unsigned how)
{
	bool accesses = guest->form && takt_probe_accesses_flags(guest->form, how);

	for (unsigned i = 0; !guest->form && i < guest->classes->count; i++)
		accesses |= is_in_guest(guest, i) &&
			    takt_probe_accesses_flags(guest->classes->entries[i].form, how);
	return accesses;
}

static void add_guest(struct probe_code *code, const struct probe_guest *guest, unsigned index)
{
	if (guest->form) {
		takt_probe_add_guest(code, guest->form, index);
		return;
	}
	for (unsigned i = 0; i < guest->classes->count; i++) {
		const struct probe_class *class = &guest->classes->entries[i];

		for (unsigned n = 0; is_in_guest(guest, i) && n < guest->counts[i]; n++)
			takt_probe_add_guest(code, class->form, index * guest->counts[i] + n);
	}
}

/* ---- one experiment ------------------------------------------------------- */

/* Instances of one class or two, with guests between them. */
struct mix {
	const struct probe_class *classes[2];
	unsigned class_count, cycles, copies;
	/*
	 * Flags are written anew before guests, so that they do not wait for hosts, or after them,
	 * so that hosts do not wait for guests.
	 */
	bool before, behind;
};

static struct mix make_mix(const struct probe_class *first, const struct probe_class *second,
			   const struct probe_guest *guest, unsigned cycles, unsigned copies)
{
	struct mix mix = {{first, second}, second ? 2 : 1, cycles, copies, false, false};

	for (unsigned k = 0; k < mix.class_count; k++) {
		const struct probe_form *form = mix.classes[k]->form;

		mix.before |= takt_probe_accesses_flags(form, TAKT_WRITE) &&
			      guest_accesses_flags(guest, TAKT_READ);
		mix.behind |= takt_probe_accesses_flags(form, TAKT_READ) &&
			      guest_accesses_flags(guest, TAKT_WRITE);
	}
	return mix;
}

static void add_breaker(const struct probe_lab *lab, struct probe_code *code, bool wanted)
{
	if (wanted)
		takt_probe_add_tool(lab, code, PROBE_TEST, PROBE_BASE, PROBE_BASE);
}

/* Run a mix; with `guest` NULL, the flag breakers remain. */
static void run_mix(struct probe_lab *lab, const struct mix *mix, const struct probe_guest *guest,
		    struct probe_outcome *ret_outcome)
{
	unsigned counts[2] = {0}, hosts, placed[2] = {0}, guests = 0;
	struct probe_code code = {.size_bytes = 0};

	for (unsigned k = 0; k < mix->class_count; k++)
		counts[k] = mix->classes[k]->width * mix->cycles / mix->classes[k]->pieces;
	hosts = counts[0] + counts[1];
	for (unsigned i = 0; i < hosts; i++) {
		unsigned k = placed[0] * hosts > counts[0] * i;

		takt_probe_add_host(&code, mix->classes[k]->form, placed[k]);
		placed[k]++;
		for (; guests < mix->copies * (i + 1) / hosts; guests++) {
			add_breaker(lab, &code, mix->before);
			/* The breaker, or else the end of the loop, keeps jumps from being taken.
			 */
			if (guest && guest->form && takt_probe_is_jump(guest->form))
				takt_probe_add_tool(lab, &code, PROBE_NOP, PROBE_BASE,
						    TAKT_LOC_NONE);
			if (guest)
				add_guest(&code, guest, guests);
			add_breaker(lab, &code, mix->behind);
		}
	}
	run_loop(lab, &code, guest ? "beside instances of a class" : "instances of a class",
		 ret_outcome);
}

double takt_probe_alone(struct probe_lab *lab, const struct probe_class *class, unsigned cycles)
{
	struct probe_outcome outcome;

	run_mix(lab, &(struct mix){{class}, 1, cycles, 0, false, false}, NULL, &outcome);
	return outcome.cycles;
}

/* Return the µops by which guests lengthen the mix, and the possible error. */
static struct probe_figure difference(const struct mix *mix, const struct probe_outcome *with,
				      double alone, double alone_error, double width)
{
	double scale = width / mix->copies, uops = (with->cycles - alone) * scale;
	double error = (with->spread * with->cycles + alone_error) * scale;

	return (struct probe_figure){uops - error, uops + error};
}

/*
 * The time without guests is extrapolated from a long loop, as the end of a short loop may delay
 * it.
 */
static struct probe_figure surplus(struct probe_lab *lab, const struct probe_class *class,
				   const struct probe_guest *guest, unsigned cycles,
				   unsigned copies)
{
	const struct mix mix = make_mix(class, NULL, guest, cycles, copies);
	unsigned breakers = copies * ((mix.before ? 1u : 0u) + (mix.behind ? 1u : 0u));
	unsigned uops = cycles * class->width + class->end_uops + breakers * class->breaker_uops;
	struct probe_outcome with;

	run_mix(lab, &mix, guest, &with);
	return difference(&mix, &with, uops * class->cycles, 0, 1 / class->cycles);
}

/* ---- several -------------------------------------------------------------- */

/* Further experiments: copies of the guest, and cycles of the instances. */
static const struct load {
	unsigned copies, cycles;
} loads[] = {{4, 4}, {5, 7}, {4, PROBE_FULL_CYCLES}, {7, PROBE_FULL_CYCLES}, {3, 40}};

static bool fits(const struct probe_guest *guest, const struct load *load)
{
	return !guest->form || !takt_probe_is_chained(guest->form) ||
	       guest->chained * load->copies <= load->cycles;
}

static void lower(struct probe_figure *figure, const struct probe_figure *other)
{
	if (other->high < figure->high)
		*figure = *other;
}

struct probe_figure takt_probe_fewest(struct probe_lab *lab, const struct probe_class *class,
				      const struct probe_guest *guest, unsigned cycles, double most,
				      double least)
{
	struct probe_figure fewest = surplus(lab, class, guest, cycles, 1);

	if (fewest.high < least)
		return fewest;
	lower(&fewest, &(struct probe_figure){most, most});
	for (size_t i = 0; i < TAKT_COUNT_OF(loads) && fewest.high >= least; i++) {
		struct probe_figure figure;

		if (!fits(guest, &loads[i]))
			continue;
		figure = surplus(lab, class, guest, loads[i].cycles, loads[i].copies);
		lower(&fewest, &figure);
	}
	return fewest;
}

bool takt_probe_has_uops(struct probe_lab *lab, const struct probe_class *class,
			 const struct probe_guest *guest, unsigned cycles, double uops)
{
	struct probe_figure figure = surplus(lab, class, guest, cycles, 1);

	for (size_t i = 0; i < TAKT_COUNT_OF(loads) && figure.low > uops + PROBE_NO_UOPS_MAX; i++) {
		struct probe_figure other;

		if (!fits(guest, &loads[i]))
			continue;
		other = surplus(lab, class, guest, loads[i].cycles, loads[i].copies);
		lower(&figure, &other);
	}
	return figure.low <= uops + PROBE_NO_UOPS_MAX && figure.high >= uops - PROBE_NO_UOPS_MAX;
}

unsigned takt_probe_width_of_both(struct probe_lab *lab, const struct probe_class *left,
				  const struct probe_class *right)
{
	const struct mix mix = {{left, right}, 2, PROBE_FULL_CYCLES, 0, false, false};
	struct probe_outcome outcome;
	double width, whole;

	run_mix(lab, &mix, NULL, &outcome);
	width = (left->width + right->width) * PROBE_FULL_CYCLES / outcome.cycles;
	whole = floor(width + ROUND_UP);
	return whole > 0 && width <= whole + WIDTH_SLACK ? (unsigned)whole : 0;
}

static unsigned host_uops(const struct mix *mix)
{
	unsigned uops = 0;

	for (unsigned k = 0; k < mix->class_count; k++)
		uops += mix->classes[k]->width * mix->cycles;
	return uops;
}

/* Lower the time of a short loop to what a long one predicts, as its end may delay it. */
static void shorten(const struct mix *mix, double width, const struct mix *long_mix,
		    const struct probe_outcome *long_alone, struct probe_outcome *alone)
{
	if (mix->cycles >= long_mix->cycles || mix->before || mix->behind)
		return;
	alone->cycles = fmin(alone->cycles,
			     long_alone->cycles - (host_uops(long_mix) - host_uops(mix)) / width);
}

struct probe_figure takt_probe_fewest_of_both(struct probe_lab *lab, const struct probe_class *left,
					      const struct probe_class *right, unsigned width,
					      const struct probe_guest *guest, unsigned cycles)
{
	const struct load first = {1, cycles};
	const struct mix long_mix = {{left, right}, 2, PROBE_FULL_CYCLES, 0, false, false};
	struct probe_figure least = {INFINITY, INFINITY};
	struct probe_outcome long_alone;

	run_mix(lab, &long_mix, NULL, &long_alone);
	for (size_t i = 0; i <= TAKT_COUNT_OF(loads); i++) {
		const struct load *load = i ? &loads[i - 1] : &first;
		const struct mix mix = make_mix(left, right, guest, load->cycles, load->copies);
		struct probe_outcome alone, with;
		struct probe_figure figure;

		if (i && !fits(guest, load))
			continue;
		run_mix(lab, &mix, NULL, &alone);
		shorten(&mix, width, &long_mix, &long_alone, &alone);
		run_mix(lab, &mix, guest, &with);
		figure = difference(&mix, &with, alone.cycles, alone.spread * alone.cycles, width);
		lower(&least, &figure);
	}
	return least;
}
