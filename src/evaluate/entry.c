/* SPDX-License-Identifier: MIT */
/*
 * Infers register values on entry to a block from the addresses of its accesses, since the log of
 * the run has no registers. Each access through registers that only had constants added to them
 * since entry is an equation, base + scale × index = address − constants, modulo 2⁶⁴. Those
 * with one unknown are solved first. Where both base and index remain unknown, the index is taken
 * to be 0: their values may be wrong, but the addresses formed from their sum are right.
 */
#include "evaluate/evaluate.h"

#define GPR_COUNT 16u
#define EQUATIONS_MAX 64u
#define NO_ROOT GPR_COUNT /* the value is not a register's at entry plus a constant */

struct origin {
	unsigned root;
	uint64_t addend;
};

struct equation {
	unsigned base, index; /* roots; NO_ROOT: none */
	uint64_t scale, sum;
};

struct solver {
	struct origin now[GPR_COUNT + 1]; /* the last entry, of no register, stays NO_ROOT */
	struct equation equations[EQUATIONS_MAX];
	unsigned equation_count;
	bool known[GPR_COUNT + 1];
	uint64_t values[GPR_COUNT + 1];
};

/* ---- setting up the equations ---- */

static bool is_general(uint8_t location)
{
	return location >= TAKT_LOC_GPR && location < TAKT_LOC_GPR + GPR_COUNT;
}

/* Find the register at entry and the constant that make up a value; false if they are not known. */
static bool find_origin(const struct solver *solver, uint8_t location, struct origin *ret_origin)
{
	*ret_origin = (struct origin){.root = NO_ROOT};
	if (location == TAKT_LOC_NONE)
		return true;
	if (!is_general(location))
		return false;
	*ret_origin = solver->now[location - TAKT_LOC_GPR];
	return ret_origin->root != NO_ROOT;
}

static void add_equation(struct solver *solver, const struct takt_memory *memory, uint64_t address)
{
	struct equation *equation = &solver->equations[solver->equation_count];
	struct origin base, index;

	if (solver->equation_count == EQUATIONS_MAX || memory->rip_relative || memory->segment ||
	    memory->address_size_bytes != 8 || !find_origin(solver, memory->base, &base) ||
	    !find_origin(solver, memory->index, &index) ||
	    (base.root == index.root && base.root != NO_ROOT))
		return;
	*equation = (struct equation){
		.base = base.root,
		.index = index.root,
		.scale = memory->scale,
		.sum = address - (uint64_t)memory->displacement - base.addend -
		       memory->scale * index.addend,
	};
	solver->equation_count++;
}

/* Add an instruction's equations: its loads come first, then its stores; an operand may be both. */
static void add_accesses(struct solver *solver, const struct takt_insn *insn,
			 const struct evaluate_access *accesses, uint32_t count)
{
	for (unsigned m = 0; m < insn->memory_count; m++) {
		const struct takt_memory *memory = &insn->memories[m];

		for (uint32_t i = 0; i < count && !memory->address_only; i++) {
			if (accesses[i].store ? !memory->write : !memory->read)
				continue;
			add_equation(solver, memory, accesses[i].address);
			break;
		}
	}
}

static void step(struct solver *solver, const struct takt_insn *insn)
{
	struct takt_affine affine;

	if (takt_insn_is_affine(insn, &affine) && is_general(affine.destination) &&
	    is_general(affine.source)) {
		struct origin origin = solver->now[affine.source - TAKT_LOC_GPR];

		origin.addend += (uint64_t)affine.addend;
		solver->now[affine.destination - TAKT_LOC_GPR] = origin;
		return;
	}
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];
		uint8_t location = access->location;

		if (!(access->flags & TAKT_WRITE))
			continue;
		if (takt_location_is_high8(location))
			location = (uint8_t)(location - TAKT_LOC_HIGH8 + TAKT_LOC_GPR);
		if (is_general(location))
			solver->now[location - TAKT_LOC_GPR].root = NO_ROOT;
	}
}

/* ---- solving them ---- */

static void know(struct solver *solver, unsigned root, uint64_t value)
{
	solver->known[root] = true;
	solver->values[root] = value;
}

/* Solve an equation with one unknown; true if a register became known. */
static bool solve(struct solver *solver, const struct equation *equation)
{
	bool base = solver->known[equation->base], index = solver->known[equation->index];
	uint64_t rest = equation->sum;

	if (base == index)
		return false;
	if (index) {
		know(solver, equation->base,
		     rest - equation->scale * solver->values[equation->index]);
		return true;
	}
	rest -= solver->values[equation->base];
	if (rest % equation->scale)
		return false;
	/* Signed division: an index is small, or a small negative number. */
	know(solver, equation->index, (uint64_t)((int64_t)rest / (int64_t)equation->scale));
	return true;
}

static void solve_all(struct solver *solver)
{
	bool found = true;

	solver->known[NO_ROOT] = true;
	while (found) {
		found = false;
		for (unsigned i = 0; i < solver->equation_count; i++)
			found |= solve(solver, &solver->equations[i]);
		for (unsigned i = 0; i < solver->equation_count && !found; i++) {
			const struct equation *equation = &solver->equations[i];

			found = !solver->known[equation->base] && !solver->known[equation->index];
			if (found)
				know(solver, equation->index, 0);
		}
	}
}

uint32_t takt_entry_values_find(const struct takt_flow_block *block,
				const struct evaluate_sample *sample,
				struct takt_entry_value ret_values[EVALUATE_ENTRY_VALUES])
{
	const uint8_t *next = block->bytes, *end = next + block->size_bytes;
	struct solver solver = {.equation_count = 0};
	uint32_t at = 0, count = 0, offset = (uint32_t)block->offset;
	struct takt_insn insn;

	for (unsigned i = 0; i <= GPR_COUNT; i++)
		solver.now[i].root = i;
	for (; next < end &&
	       takt_decode(&takt_isa_x86, next, (size_t)(end - next), offset, &insn) == TAKT_OK;
	     next += insn.length_bytes, offset += insn.length_bytes) {
		uint32_t first = at;

		while (at < sample->access_count && sample->accesses[at].insn == offset)
			at++;
		add_accesses(&solver, &insn, &sample->accesses[first], at - first);
		step(&solver, &insn);
	}
	solve_all(&solver);
	for (uint8_t i = 0; i < GPR_COUNT; i++)
		if (solver.known[i])
			ret_values[count++] = (struct takt_entry_value){(uint8_t)(TAKT_LOC_GPR + i),
									solver.values[i]};
	return count;
}
