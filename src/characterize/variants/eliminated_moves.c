/* SPDX-License-Identifier: MIT */
/*
 * Measures eliminated moves, which take no time as they are executed at rename. Cores eliminate a
 * fraction of moves: as many as can share registers at a time, so it matters which registers are
 * moved and overwritten. Therefore rings of several lengths are measured, and moves between other
 * instructions.
 */
#include <math.h>
#include <stdio.h>

#include "characterize/variants/variants.h"

#define RING_MAX 4u
/* Fractions below this count as none. */
#define PART_MIN 0.1
/* Cycles of a plain move: whatever is faster is no plain move. */
#define MOVE_CYCLES 1.0

struct moves {
	struct probe_lab *lab;
	const struct probe_form *form;
	uint8_t first;	      /* first of consecutive registers to move between */
	enum probe_tool link; /* PROBE_TOOL_COUNT: none */
	double latency;
};

/* Find registers that all operands of the bank may use, without prefixes that only others need. */
static bool find_registers(struct moves *moves, enum takt_operand_kind kind)
{
	bool avx = takt_probe_uses_avx(moves->form);

	moves->link = PROBE_TOOL_COUNT;
	if (kind >= TAKT_KIND_R8 && kind <= TAKT_KIND_R64) {
		moves->first = TAKT_LOC_GPR;
		moves->link = PROBE_MOVSX_64;
	} else if (kind >= TAKT_KIND_XMM && kind <= TAKT_KIND_ZMM) {
		moves->first = TAKT_LOC_VECTOR + 1;
		moves->link = avx ? PROBE_SHUFFLE_AVX : PROBE_SHUFFLE_SSE;
	} else if (kind == TAKT_KIND_MM) {
		moves->first = TAKT_LOC_X87;
	} else if (kind == TAKT_KIND_K) {
		moves->first = TAKT_LOC_MASK + 2;
	} else {
		return false;
	}
	return true;
}

/* True if the form has one source, one destination of the same bank, and nothing else. */
static bool find_move(struct moves *moves)
{
	struct takt_form form = takt_form_unpack(moves->form->sample.form);
	uint8_t of_source;

	if (form.kinds[2] || form.flags & (TAKT_FORM_K | TAKT_FORM_Z) ||
	    form.kinds[0] == TAKT_KIND_R8H || form.kinds[1] == TAKT_KIND_R8H ||
	    moves->form->insn.memory_count || moves->form->insn.access_count != 2 ||
	    takt_probe_count_registers(moves->form, TAKT_WRITE, TAKT_READ) != 1 ||
	    takt_probe_count_registers(moves->form, TAKT_READ, TAKT_WRITE) != 1 ||
	    !find_registers(moves, (enum takt_operand_kind)form.kinds[1]))
		return false;
	of_source = moves->first;
	return find_registers(moves, (enum takt_operand_kind)form.kinds[0]) &&
	       moves->first == of_source;
}

bool takt_probe_is_move(const struct probe_form *form)
{
	struct moves moves = {.form = form};

	return find_move(&moves);
}

static void add_move(const struct moves *moves, struct probe_code *code, unsigned to, unsigned from)
{
	const struct takt_choice choice = {
		.registers = {(uint8_t)(moves->first + to), (uint8_t)(moves->first + from)}};

	takt_probe_code_add(code, moves->form, &choice);
}

/* Measure the cycles of a move in a ring of `count` registers. */
static double run_ring(const struct moves *moves, unsigned count)
{
	struct probe_code code = {.size_bytes = 0};
	struct probe_outcome outcome;

	for (unsigned i = 0; i < count; i++)
		add_move(moves, &code, (i + 1) % count, i);
	return takt_probe_run(moves->lab, &code, "moves in a ring", &outcome)
		       ? outcome.cycles / count
		       : NAN;
}

/*
 * Measure the cycles of a move whose source was just written and whose destination is overwritten
 * at once.
 */
static double run_linked(const struct moves *moves)
{
	struct probe_code code = {.size_bytes = 0}, alone = {.size_bytes = 0};
	uint8_t first = moves->first, second = (uint8_t)(first + 1);
	struct probe_outcome both, link;

	if (moves->link == PROBE_TOOL_COUNT)
		return NAN;
	add_move(moves, &code, 1, 0);
	takt_probe_add_tool(moves->lab, &code, moves->link, second, second);
	takt_probe_add_tool(moves->lab, &code, moves->link, first, second);
	takt_probe_add_tool(moves->lab, &alone, moves->link, first, first);
	if (!takt_probe_run(moves->lab, &code, "a move between links", &both) ||
	    !takt_probe_run(moves->lab, &alone, "link of chains", &link))
		return NAN;
	return fmax(both.cycles - 2 * link.cycles, 0);
}

static double part_of(const struct moves *moves, double cycles)
{
	return fmin(fmax(1 - cycles / moves->latency, 0), 1);
}

static void add_part(const struct moves *moves, enum probe_variant_kind kind, const char *detail,
		     double cycles, struct probe_variants *variants)
{
	takt_probe_variant_add(variants, kind, detail, part_of(moves, cycles), cycles);
}

void takt_probe_moves(struct probe_lab *lab, const struct probe_form *form,
		      const struct probe_known *known, struct probe_variants *variants)
{
	struct moves moves = {.lab = lab, .form = form};
	const struct takt_pair_latency *latency = takt_probe_known_latency(known, "2", "1");
	double linked, ring = NAN;
	char detail[24] = "";

	if (!find_move(&moves) || (form->insn.insn_class != TAKT_CLASS_MOVE &&
				   !(latency && latency->most < MOVE_CYCLES - PART_MIN)))
		return;
	moves.latency = fmax(MOVE_CYCLES, latency ? latency->least : 0);
	linked = run_linked(&moves);
	for (unsigned count = 2; count <= RING_MAX; count++) {
		double cycles = run_ring(&moves, count);

		if (cycles >= ring)
			continue;
		ring = cycles;
		snprintf(detail, sizeof(detail), "%u registers", count);
	}
	if (part_of(&moves, fmin(linked, ring)) < PART_MIN)
		return;
	add_part(&moves, PROBE_ELIMINATED, "", fmin(linked, ring), variants);
	add_part(&moves, PROBE_ELIMINATED_CHAIN, detail, ring, variants);
}
