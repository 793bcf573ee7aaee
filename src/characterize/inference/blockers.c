/* SPDX-License-Identifier: MIT */
/* Finds blocking instructions by measuring all candidates; uops.info paper, section 5.1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/inference/ports.h"

#define INSTANCES 8u
/* Range of measured µops that counts as one µop (cpuBench). */
#define ONE_UOP_MIN 0.79
#define ONE_UOP_MAX 1.11
/* Ports with less than this part of a µop do not belong to the set. */
#define PORT_SHARE_MIN 0.04
#define SLACK_CYCLES 0.2

static bool accesses_register(const struct takt_insn *insn, uint8_t slot_from, unsigned flags)
{
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].slot >= slot_from && insn->accesses[i].flags & flags)
			return true;
	return false;
}

static bool uses_stack(const struct takt_insn *insn)
{
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].location == TAKT_LOC_RSP)
			return true;
	return false;
}

static bool is_sse(const struct probe_form *form)
{
	return *form->text != 'v' && takt_probe_has_kind(form, TAKT_KIND_XMM, TAKT_KIND_XMM);
}

/*
 * True if the form writes several registers, like an exchange: it is several µops, or done at
 * rename.
 */
static bool writes_several(const struct probe_form *form)
{
	const struct takt_access *second = takt_probe_access(form, 1);

	return second && second->flags & TAKT_WRITE;
}

/* Forms with a memory operand may block only if they are plain loads or stores. */
bool takt_probe_may_block(const struct probe_lab *lab, const struct probe_form *form)
{
	static const uint8_t unfit_classes[] = {TAKT_CLASS_NOP,	   TAKT_CLASS_STRING,
						TAKT_CLASS_GATHER, TAKT_CLASS_INT_DIV,
						TAKT_CLASS_FP_DIV, TAKT_CLASS_MOVE};
	const struct takt_insn *insn = &form->insn;
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	if (form == lab->tools[PROBE_LOAD_64])
		return true;
	/* x87 and MMX instructions, which share registers, must not meet in one experiment. */
	return !insn->memory_count && !uses_stack(insn) &&
	       !(insn->flags & (TAKT_INSN_X87 | TAKT_INSN_BRANCH)) &&
	       !takt_probe_is_chained(form) && !unpacked.flags && unpacked.kinds[0] &&
	       !writes_several(form) &&
	       !memchr(unfit_classes, insn->insn_class, sizeof(unfit_classes)) &&
	       !takt_probe_has_kind(form, TAKT_KIND_R8H, TAKT_KIND_R8H) &&
	       !(is_sse(form) && lab->tools[PROBE_SHUFFLE_AVX]);
}

static bool run_instances(struct probe_lab *lab, const struct probe_form *form,
			  struct probe_outcome *ret_outcome)
{
	struct probe_code code = {.size_bytes = 0};

	takt_probe_add_instances(&code, form, INSTANCES);
	return takt_probe_run(lab, &code, "blocker?", ret_outcome);
}

static uint32_t used_ports(const struct probe_outcome *outcome, double *ret_uops)
{
	uint32_t ports = 0;

	*ret_uops = 0;
	for (unsigned p = 0; p < TAKT_PORTS_MAX; p++) {
		*ret_uops += outcome->port_uops[p] / INSTANCES;
		if (outcome->port_uops[p] / INSTANCES >= PORT_SHARE_MIN)
			ports |= UINT32_C(1) << p;
	}
	return ports;
}

/*
 * Bad properties of a blocker are dependences through implicit sources or its destination, and
 * width. A form that reads the flags that blockers write needs an instruction that writes new ones,
 * which may use the blocked ports: then it waits behind blockers, and finds their ports free. Forms
 * of masks come last, as cores may spread them less evenly over ports that vectors use, too.
 */
unsigned takt_probe_penalty(const struct probe_form *form)
{
	return 16u * takt_probe_has_kind(form, TAKT_KIND_K, TAKT_KIND_K) +
	       8u * accesses_register(&form->insn, TAKT_SLOT_FLAGS, TAKT_READ) +
	       4u * takt_probe_has_kind(form, TAKT_KIND_YMM, TAKT_KIND_ZMM) +
	       2u * ((form->insn.accesses[0].flags & TAKT_READ) != 0) +
	       accesses_register(&form->insn, TAKT_SLOT_FLAGS, TAKT_WRITE);
}

/* Return the penalty without that for written flags, which make few forms wait. */
static unsigned penalty_but_flags(const struct probe_form *form)
{
	return takt_probe_penalty(form) & ~1u;
}

/* True if `left` is the better blocker; of equal ones the earlier one stays. */
static bool is_better(const struct probe_form *left, double left_cycles,
		      const struct probe_form *right, double right_cycles)
{
	if (penalty_but_flags(left) != penalty_but_flags(right))
		return penalty_but_flags(left) < penalty_but_flags(right);
	return left_cycles < right_cycles - SLACK_CYCLES / 4;
}

static void offer_flagless(struct probe_blocker *blocker, const struct probe_blocker *candidate)
{
	if (takt_probe_access(candidate->form, TAKT_SLOT_FLAGS) ||
	    (blocker->flagless && !is_better(candidate->form, candidate->cycles, blocker->flagless,
					     blocker->flagless_cycles)))
		return;
	blocker->flagless = candidate->form;
	blocker->flagless_cycles = candidate->cycles;
}

static void offer(struct probe_blockers *blockers, const struct probe_blocker *candidate)
{
	unsigned i = 0;
	struct probe_blocker *blocker;

	while (i < blockers->count && blockers->entries[i].ports != candidate->ports)
		i++;
	if (i == PROBE_BLOCKERS_MAX)
		return;
	blocker = &blockers->entries[i];
	if (i == blockers->count) {
		blockers->entries[blockers->count++] = *candidate;
	} else if (is_better(candidate->form, candidate->cycles, blocker->form, blocker->cycles)) {
		blocker->form = candidate->form;
		blocker->uops = candidate->uops;
		blocker->cycles = candidate->cycles;
	}
	if (candidate->uops == 1)
		offer_flagless(blocker, candidate);
}

static void offer_candidate(struct probe_lab *lab, const struct probe_form *form,
			    struct probe_blockers *blockers)
{
	struct probe_blocker candidate = {.form = form, .uops = 1};
	struct probe_outcome outcome;
	double uops;

	if (!run_instances(lab, form, &outcome))
		return;
	candidate.ports = used_ports(&outcome, &uops);
	candidate.cycles = outcome.cycles / INSTANCES;
	if (candidate.ports && uops >= ONE_UOP_MIN && uops <= ONE_UOP_MAX &&
	    candidate.cycles <= 1.0 / __builtin_popcount(candidate.ports) + SLACK_CYCLES)
		offer(blockers, &candidate);
}

/* Offer a blocker for each kind of the store's µops, unless loads can block its ports. */
static void offer_store(struct probe_lab *lab, const struct probe_form *store,
			const struct probe_store_ports *ports, uint32_t load_ports,
			struct probe_blockers *blockers)
{
	const uint32_t sets[] = {ports->address, ports->data};
	struct probe_outcome outcome;

	if (!store || !run_instances(lab, store, &outcome))
		return;
	for (size_t i = 0; i < TAKT_COUNT_OF(sets); i++) {
		struct probe_blocker blocker = {.form = store, .ports = sets[i]};
		double uops = takt_probe_uops_on(outcome.port_uops, sets[i]) / INSTANCES;

		blocker.uops = (unsigned)(uops + SLACK_CYCLES);
		blocker.cycles = outcome.cycles / INSTANCES;
		if (blocker.uops && blocker.ports & ~load_ports)
			offer(blockers, &blocker);
	}
}

static void offer_stores(struct probe_lab *lab, struct probe_blockers *blockers)
{
	const struct probe_machine *machine = lab->machine;
	const struct probe_form *load = lab->tools[PROBE_LOAD_64];
	bool avx = lab->tools[PROBE_STORE_128_AVX] != NULL;
	struct probe_outcome outcome;
	uint32_t load_ports;
	double uops;

	if (!load || !run_instances(lab, load, &outcome))
		return;
	load_ports = used_ports(&outcome, &uops);
	offer_store(lab, lab->tools[PROBE_STORE_64], &machine->general_stores, load_ports,
		    blockers);
	offer_store(lab, lab->tools[avx ? PROBE_STORE_128_AVX : PROBE_STORE_128_SSE],
		    &machine->vector_stores, load_ports, blockers);
}

TAKT_ORDER(compare, struct probe_blocker,
	   __builtin_popcount(a->ports) - __builtin_popcount(b->ports), TAKT_UP(ports));

void takt_probe_find_blockers(struct probe_lab *lab, struct probe_blockers *ret_blockers)
{
	struct takt_text *log = lab->log;

	lab->log = NULL; /* the thousands of runs are no experiments on a form */
	ret_blockers->count = 0;
	for (size_t i = 0; i < lab->forms.count; i++)
		if (takt_probe_may_block(lab, &lab->forms.forms[i]))
			offer_candidate(lab, &lab->forms.forms[i], ret_blockers);
	offer_stores(lab, ret_blockers);
	qsort(ret_blockers->entries, ret_blockers->count, sizeof(ret_blockers->entries[0]),
	      compare);
	lab->log = log;
}
