/* SPDX-License-Identifier: MIT */
/*
 * Measures instances whose registers are all the same: throughput, latency, and idioms, which do
 * not wait for that register. Idioms that are not executed either, as counters or a throughput
 * beyond the ports' show, are zero idioms, or ones idioms if the result is ones.
 */
#include <math.h>
#include <string.h>

#include "characterize/variants/variants.h"

/* Cycles below which there is no latency, and from which on there is one. */
#define NO_LATENCY_CYCLES 0.3
#define LATENCY_MIN 0.8
#define LATENCY_SLACK 0.5
/* Fewer µops on ports than this count as none. */
#define NO_UOPS 0.3
/* A throughput is faster than another if it is below this fraction of it. */
#define FASTER_PART 0.95
/* Time of an instruction that is not executed, in that of a nop, at most: a slot at issue. */
#define SLOT_PART 1.5
#define NOPS 48u
#define LOOP_INSTANCES 48u

struct same {
	struct probe_lab *lab;
	const struct probe_form *form;
	const struct probe_known *known;
	struct takt_choice choice;
	uint8_t source, destination; /* slots */
	bool is_chain;		     /* instances wait for each other */
	double unrolled;	     /* cycles of an instance outside a loop */
	double throughput, latency;  /* NaN: unknown */
	double least, most;	     /* latency with different registers */
	double uops;
};

/* ---- operands ------------------------------------------------------------- */

static bool find_slot(const struct probe_form *form, unsigned flag, uint8_t *ret_slot)
{
	for (uint8_t slot = 0; slot <= TAKT_SLOT_5; slot++) {
		const struct takt_access *access = takt_probe_access(form, slot);

		if (access && access->flags & flag) {
			*ret_slot = slot;
			return true;
		}
	}
	return false;
}

/* Find the slowest latency from an explicit register to the destination; NaN if none is known. */
static void find_expected(struct same *same)
{
	struct takt_text text = {0};

	takt_slot_write(&takt_isa_x86, same->destination, &text);
	same->least = same->most = NAN;
	for (uint8_t slot = 0; slot <= TAKT_SLOT_5; slot++) {
		const char source[] = {(char)('1' + slot), '\0'};
		const struct takt_pair_latency *known =
			takt_probe_known_latency(same->known, source, takt_text_data(&text));

		same->least = fmax(same->least, known ? known->least : NAN);
		same->most = fmax(same->most, known ? known->most : NAN);
	}
	takt_text_release(&text);
}

static void find_slots(struct same *same)
{
	find_slot(same->form, TAKT_READ, &same->source);
	if (!find_slot(same->form, TAKT_WRITE, &same->destination))
		same->destination = TAKT_SLOT_FLAGS;
	same->is_chain =
		same->destination <= TAKT_SLOT_5 &&
		same->choice.registers[same->destination] == same->choice.registers[same->source];
	find_expected(same);
}

/* ---- figures -------------------------------------------------------------- */

static void add_instance(const struct same *same, struct probe_code *code, unsigned index,
			 bool breakers)
{
	struct takt_choice choice;

	if (breakers)
		takt_probe_add_breakers(same->lab, code, same->form);
	takt_probe_same_instance(same->form, index, &choice);
	takt_probe_code_add(code, same->form, &choice);
}

/*
 * Measure `count` instances. With `breakers`, other sources are renewed before each instance. NaN
 * if they cannot be measured.
 */
static double run(struct same *same, unsigned count, bool loop, bool breakers)
{
	const char *title = count == 1 ? "same register, one after the other"
				       : "throughput, same register in each";
	unsigned most = takt_probe_instances_max(same->form);
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	for (unsigned i = 0; i < count; i++)
		add_instance(same, &code, i % most, breakers);
	if (!(loop ? takt_probe_run_loop : takt_probe_run)(same->lab, &code, title, &outcome))
		return NAN;
	if (!breakers) {
		same->uops = 0;
		for (unsigned p = 0; p < TAKT_PORTS_MAX; p++)
			same->uops += outcome.port_uops[p] / count;
	}
	return outcome.cycles / count;
}

static void try_loop(struct same *same)
{
	unsigned most = takt_probe_instances_max(same->form);

	same->throughput = fmin(same->throughput, run(same, LOOP_INSTANCES / most * most, true,
						      takt_probe_is_chained(same->form)));
}

static void find_throughput(struct same *same)
{
	unsigned most = takt_probe_instances_max(same->form);

	same->throughput = same->unrolled = run(same, most, false, false);
	if (takt_probe_is_chained(same->form))
		same->throughput = fmin(same->throughput, run(same, most, false, true));
}

/* Measure the latency by a chain of instances or, if that shows none, by one with links. */
static void find_latency(struct same *same)
{
	struct probe_question question = {.choice = &same->choice,
					  .source = same->source,
					  .destination = same->destination,
					  .fillers = takt_probe_fillers(same->known->chained),
					  .title = "latency, same register"};
	struct probe_latency latency;
	double chained;

	same->latency = NAN;
	if (same->is_chain) {
		chained = run(same, 1, false, true);
		if (chained > same->unrolled + LATENCY_SLACK) {
			same->latency = chained;
			return;
		}
	}
	if (takt_probe_pair(same->lab, same->form, &question, &latency))
		same->latency = latency.cycles;
}

/* ---- idioms --------------------------------------------------------------- */

/* Measure a nop: no instruction is faster than one that does nothing. */
static double nop_cycles(struct probe_lab *lab)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	if (lab->nop_cycles != PROBE_UNKNOWN)
		return lab->nop_cycles;
	for (unsigned i = 0; i < NOPS; i++)
		takt_probe_add_tool(lab, &code, PROBE_NOP, PROBE_BASE, TAKT_LOC_NONE);
	lab->nop_cycles =
		takt_probe_run_loop(lab, &code, "nops", &outcome) ? outcome.cycles / NOPS : NAN;
	return lab->nop_cycles;
}

/* True if the instruction is executed; `*ret_certain`: the experiments are conclusive. */
static bool executes(const struct same *same, bool *ret_certain)
{
	*ret_certain = true;
	if (same->lab->machine->has_counters)
		return same->uops > NO_UOPS;
	if (same->throughput < FASTER_PART * same->known->throughput)
		return same->throughput > SLOT_PART * nop_cycles(same->lab);
	*ret_certain = FASTER_PART * same->known->throughput > nop_cycles(same->lab);
	return true;
}

static void add_idiom(const struct same *same, struct probe_variants *variants)
{
	bool ones = strncmp(takt_probe_base_mnemonic(same->form), "pcmpeq", 6) == 0;
	bool certain, executed = executes(same, &certain);
	enum probe_variant_kind kind = ones	  ? PROBE_ONES_IDIOM
				       : executed ? PROBE_BREAKS
						  : PROBE_ZERO_IDIOM;
	const char *detail = !certain ? PROBE_PERHAPS : ones && executed ? PROBE_EXECUTED : "";

	takt_probe_variant_add(variants, kind, detail, same->throughput, same->known->throughput);
}

/* True if there are enough instances that waiting for each other does not limit them. */
static bool is_throughput(const struct same *same)
{
	return !same->is_chain ||
	       !(same->latency / takt_probe_instances_max(same->form) > same->known->throughput);
}

void takt_probe_same_registers(struct probe_lab *lab, const struct probe_form *form,
			       const struct probe_known *known, struct probe_variants *variants)
{
	struct same same = {.lab = lab, .form = form, .known = known};
	bool idiom;

	if (form->insn.insn_class == TAKT_CLASS_GATHER || takt_probe_memory(form) ||
	    !takt_probe_same_instance(form, 0, &same.choice))
		return;
	find_slots(&same);
	find_throughput(&same);
	if (isnan(same.throughput))
		return;
	find_latency(&same);
	/* A loop may be faster; it is tried if that would matter. */
	if (same.latency < NO_LATENCY_CYCLES ||
	    takt_probe_cycles_differ(same.throughput, known->throughput))
		try_loop(&same);
	if (takt_probe_cycles_differ(same.throughput, known->throughput) && is_throughput(&same))
		takt_probe_variant_add(variants, PROBE_SAME_THROUGHPUT, "", same.throughput,
				       known->throughput);
	idiom = same.latency < NO_LATENCY_CYCLES && same.most >= LATENCY_MIN &&
		takt_probe_count_registers(form, TAKT_READ, 0) > 1;
	if (idiom || same.latency < same.least - LATENCY_SLACK ||
	    same.latency > same.most + LATENCY_SLACK)
		takt_probe_variant_add(variants, PROBE_SAME_LATENCY, "", same.latency, same.most);
	if (idiom)
		add_idiom(&same, variants);
}
