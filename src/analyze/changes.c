/* SPDX-License-Identifier: MIT */
/*
 * Changes of the code that would help: each is made to the block (rewrite.c) and simulated, so that
 * its gain is that of code which can be written.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/rewrite.h"

#define CHANGES_MAX 8u
#define ACCUMULATORS_MOST 8u
#define UNROLL_MOST 4u
#define COPIES_MOST 12u
/* Instructions that are simulated for a change at most. */
#define INSNS_SIMULATED_MAX 1024u
/* A larger number of accumulators or copies must be faster by this much. */
#define WORTH 0.03
/* Bounds closer than this to the simulated cycles are what a change is tried for. */
#define NEAR_PART 0.9
/* Cycles that differ by less than this part are equal: a start takes a cycle more or less. */
#define EQUAL_PART 0.005

struct finder {
	struct takt_work *work;
	struct takt_arena arena; /* memory of one simulation */
	struct takt_code_change changes[CHANGES_MAX];
	uint32_t count;
};

/* Simulate a change; INFINITY if it cannot be made. */
static double try(struct finder *finder, const struct takt_rewrite *rewrite)
{
	double cycles = INFINITY;

	takt_arena_clear(&finder->arena);
	if (finder->work->prepared.block.count * rewrite->copies > INSNS_SIMULATED_MAX ||
	    !takt_rewrite_simulate(finder->work, rewrite, &finder->arena, &cycles))
		return INFINITY;
	return cycles;
}

/* Add a change, if it is faster. `insns` are in the record's arena. */
static void add(struct finder *finder, const char *what, const char *how, double cycles,
		const uint32_t *insns, uint32_t insn_count)
{
	if (finder->count == CHANGES_MAX || !(cycles < finder->work->record->simulated_cycles))
		return;
	finder->changes[finder->count++] = (struct takt_code_change){.what = what,
								     .how = how,
								     .cycles = cycles,
								     .insns = insns,
								     .insn_count = insn_count};
}

/* ---- several accumulators ---------------------------------------------------------------- */

/* List the chains that limit the block. False if not all of them are reductions. */
static bool list_reductions(const struct takt_work *work, struct takt_chain *chains,
			    uint32_t *ret_count)
{
	const struct takt_loop_carried *worst = &work->loop_carried;

	if (!worst->count || worst->count > TAKT_CHAINS_MAX || worst->truncated)
		return false;
	for (uint32_t i = 0; i < worst->count; i++) {
		takt_chain_find(work, &worst->worst[i], &chains[i]);
		if (chains[i].kind != TAKT_CHAIN_REDUCTION)
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (chains[k].location == chains[i].location)
				return false;
	}
	*ret_count = worst->count;
	return true;
}

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b;

	while (y) {
		uint32_t rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

/* Copies of the block in which each chain's members use all accumulators equally. */
static uint32_t copies_for(const struct takt_chain *chains, uint32_t count, uint32_t accumulators)
{
	uint32_t copies = 1;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t members = chains[i].def_count;

		copies = common_multiple(copies, common_multiple(members, accumulators) / members);
	}
	return copies;
}

static const uint32_t *members_of(struct takt_work *work, const struct takt_chain *chains,
				  uint32_t count, uint32_t *ret_count)
{
	uint32_t all = 0, at = 0, *insns;

	for (uint32_t i = 0; i < count; i++)
		all += chains[i].def_count;
	insns = TAKT_NEW_ARRAY(work->arena, all, uint32_t);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < chains[i].def_count; k++)
			insns[at++] = work->graph.defs[chains[i].defs[k]].insn;
	*ret_count = at;
	return insns;
}

static const char *describe_split(struct takt_work *work, const struct takt_rewrite *rewrite)
{
	uint32_t chains = rewrite->chain_count;
	const char *unrolled =
		rewrite->copies > 1
			? takt_arena_printf(work->arena, ", in a loop unrolled %u times",
					    rewrite->copies)
			: "";

	return takt_arena_printf(work->arena, "%u accumulators instead of %u%s",
				 rewrite->accumulators * chains, chains, unrolled);
}

/* Floating-point results change a little if sums are taken in another order. */
static const char *explain_split(struct takt_work *work, const struct takt_rewrite *rewrite)
{
	bool is_floating = false;

	for (uint32_t i = 0; i < rewrite->chain_count; i++)
		is_floating |= rewrite->chains[i].is_floating;
	return takt_arena_printf(work->arena,
				 "write them, or let the compiler: %s-funroll-loops "
				 "-fvariable-expansion-in-unroller --param "
				 "max-variable-expansions-in-unroller=%u with gcc",
				 is_floating ? "-ffast-math (of it, -fassociative-math), and also "
					     : "",
				 rewrite->accumulators - 1);
}

/*
 * Take twice the accumulators if the chains that are left exactly fill the cycles, and twice as
 * many are as fast: another bound is as large as the chains then. Cores assign ports at rename,
 * before they know which operations will be ready together. Two that want one port delay a chain
 * that has no cycle to spare, which is lost for good: where 4 chains of latency 2 keep 1 port busy,
 * measured loops take up to a fifth longer than either bound, and with twice the chains they do
 * not. The model has no such collisions.
 */
static void spare_chains(struct finder *finder, struct takt_rewrite *best, double *best_cycles)
{
	double chain_cycles = finder->work->record->bounds.loop_carried_cycles / best->accumulators;
	struct takt_rewrite more = *best;
	double cycles;

	if (chain_cycles < (1 - EQUAL_PART) * *best_cycles ||
	    best->accumulators * 2 > ACCUMULATORS_MOST)
		return;
	more.accumulators *= 2;
	more.copies = copies_for(more.chains, more.chain_count, more.accumulators);
	cycles = more.copies > COPIES_MOST ? INFINITY : try(finder, &more);
	if (cycles > (1 + EQUAL_PART) * *best_cycles)
		return;
	*best = more;
	*best_cycles = cycles;
}

static void try_accumulators(struct finder *finder)
{
	struct takt_work *work = finder->work;
	const struct takt_analysis *record = work->record;
	struct takt_chain chains[TAKT_CHAINS_MAX];
	struct takt_rewrite rewrite = {.chains = chains}, best = rewrite;
	double best_cycles = record->simulated_cycles;
	uint32_t insn_count;
	const uint32_t *insns;

	if (record->bounds.loop_carried_cycles < NEAR_PART * record->simulated_cycles ||
	    !list_reductions(work, chains, &rewrite.chain_count))
		return;
	for (uint32_t n = 2; n <= ACCUMULATORS_MOST; n *= 2) {
		double cycles;

		rewrite.accumulators = n;
		rewrite.copies = copies_for(chains, rewrite.chain_count, n);
		cycles = rewrite.copies > COPIES_MOST ? INFINITY : try(finder, &rewrite);
		if (cycles < (1 - WORTH) * best_cycles) {
			best_cycles = cycles;
			best = rewrite;
		}
	}
	if (!best.copies)
		return;
	spare_chains(finder, &best, &best_cycles);
	insns = members_of(work, chains, best.chain_count, &insn_count);
	add(finder, describe_split(work, &best), explain_split(work, &best), best_cycles, insns,
	    insn_count);
}

/* ---- unrolling ----------------------------------------------------------------------------- */

static bool has_overhead(const struct takt_work *work)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < work->prepared.block.count; i++)
		count += takt_insn_is_overhead(&work->prepared, i);
	return count > 0;
}

static void try_unrolling(struct finder *finder)
{
	struct takt_work *work = finder->work;
	double best_cycles = work->record->simulated_cycles;
	uint32_t best = 0;

	if (!has_overhead(work))
		return;
	for (uint32_t n = 2; n <= UNROLL_MOST; n *= 2) {
		const struct takt_rewrite rewrite = {.copies = n};
		double cycles = try(finder, &rewrite);

		if (cycles < (1 - WORTH) * best_cycles) {
			best_cycles = cycles;
			best = n;
		}
	}
	if (best)
		add(finder, takt_arena_printf(work->arena, "the loop unrolled %u times", best),
		    takt_arena_printf(work->arena, "#pragma GCC unroll %u, or -funroll-loops",
				      best),
		    best_cycles, NULL, 0);
}

/* ---- values in registers -------------------------------------------------------------------- */

static void try_keeping(struct finder *finder)
{
	struct takt_work *work = finder->work;
	struct takt_kept kept[TAKT_KEPT_MAX];
	struct takt_rewrite rewrite = {.copies = 1, .kept = kept};
	uint32_t *insns;

	rewrite.kept_count = takt_kept_list(work, kept);
	if (!rewrite.kept_count)
		return;
	insns = TAKT_NEW_ARRAY(work->arena, rewrite.kept_count, uint32_t);
	for (uint32_t i = 0; i < rewrite.kept_count; i++) {
		uint32_t size = kept[i].is_accumulator
					? 1
					: kept[i].iterations + (kept[i].load > kept[i].producer);

		rewrite.copies = common_multiple(rewrite.copies, size ? size : 1);
		insns[i] = kept[i].load;
	}
	if (rewrite.copies > COPIES_MOST)
		return;
	add(finder, "values kept in registers instead of loaded back after they are stored",
	    "use local variables; restrict, if it is for pointers that the compiler cannot",
	    try(finder, &rewrite), insns, rewrite.kept_count);
}

/* ---- other instructions ---------------------------------------------------------------------- */

#define X(mnemonic, other) {mnemonic, other},
static const struct {
	const char *mnemonic, *other;
} equivalents[] = {
#include "analyze/equivalents.def"
};
#undef X

/* Return a form with another mnemonic; 0 if there is none, or the core has no row for it. */
static takt_form_key change_mnemonic(const struct takt_work *work, const struct takt_insn *insn,
				     const char *other)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	struct takt_insn changed = *insn;
	struct takt_text text = {0};
	const char *error, *operands;
	size_t error_index;

	takt_form_write(insn->isa, insn->form, &text);
	operands = strchr(takt_text_data(&text), ' ');
	if (operands) {
		struct takt_text form = {0};

		takt_text_printf(&form, "%s%s%s", takt_text_data(&text)[0] == 'v' ? "v" : "", other,
				 operands);
		changed.form = takt_form_parse(insn->isa, takt_text_data(&form), form.size_bytes,
					       &error_index, &error);
		takt_text_release(&form);
	}
	takt_text_release(&text);
	if (!operands || !changed.form)
		return 0;
	takt_model_timing(work->prepared.model, &changed, &storage, &timing);
	return timing.match == TAKT_MATCH_ROW ? changed.form : 0;
}

static takt_form_key find_equivalent(const struct takt_work *work, uint32_t index,
				     const char **ret_other)
{
	const struct takt_insn *insn = &work->prepared.block.insns[index];
	struct takt_form form = takt_form_unpack(insn->form);
	const char *mnemonic = takt_mnemonic_text(insn->isa, form.mnemonic);

	/* Zero idioms are taken care of at rename. */
	if (form.flags || work->prepared.timings[index].flags & TAKT_TIMING_ZERO)
		return 0;
	for (size_t i = 0; i < TAKT_COUNT_OF(equivalents); i++)
		if (strcmp(equivalents[i].mnemonic, mnemonic + (*mnemonic == 'v')) == 0) {
			*ret_other = equivalents[i].other;
			return change_mnemonic(work, insn, equivalents[i].other);
		}
	return 0;
}

static void try_equivalents(struct finder *finder)
{
	struct takt_work *work = finder->work;
	uint32_t count = work->prepared.block.count, changed = 0;
	takt_form_key *forms;
	uint32_t *insns;
	const struct takt_rewrite *rewrite;
	const char *other = "";

	if (work->prepared.block.isa != &takt_isa_x86)
		return;
	forms = TAKT_NEW_ARRAY(work->scratch, count, takt_form_key);
	insns = TAKT_NEW_ARRAY(work->arena, count, uint32_t);
	for (uint32_t i = 0; i < count; i++) {
		forms[i] = find_equivalent(work, i, &other);
		if (forms[i])
			insns[changed++] = i;
	}
	rewrite = &(const struct takt_rewrite){.copies = 1, .forms = forms};
	if (changed)
		add(finder,
		    takt_arena_printf(work->arena, "%s and the like, which other ports execute",
				      other),
		    "use the other type's intrinsics, or assembly: the bits are the same",
		    try(finder, rewrite), insns, changed);
}

/* ---- wider vectors --------------------------------------------------------------------- */

/* True if the instruction does the same in each element of a vector. */
static bool is_elementwise(const char *mnemonic)
{
	static const char *const others[] = {"vmovd", "vmovq", "vmovh", "vmovl", "vcvt",  "vins",
					     "vext",  "vperm", "vpins", "vpext", "vpmov", "vbroad",
					     "vpbro", "vdpp",  "vmovm", "vptes", "vh",	  "vph"};

	if (*mnemonic != 'v' || takt_string_ends(mnemonic, "ss") ||
	    takt_string_ends(mnemonic, "sd"))
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(others); i++)
		if (takt_string_starts(mnemonic, others[i]))
			return false;
	return true;
}

static uint8_t wider_kind(uint8_t kind)
{
	switch (kind) {
	case TAKT_KIND_XMM:
		return TAKT_KIND_YMM;
	case TAKT_KIND_YMM:
		return TAKT_KIND_ZMM;
	case TAKT_KIND_M128:
		return TAKT_KIND_M256;
	case TAKT_KIND_M256:
		return TAKT_KIND_M512;
	case TAKT_KIND_NONE:
	case TAKT_KIND_I8:
		return kind;
	default:
		return TAKT_KIND_LAST;
	}
}

/* Return the form with vectors of twice the width; 0 if there is none. */
static takt_form_key widen(const struct takt_work *work, const struct takt_insn *insn,
			   uint8_t *ret_kind)
{
	struct takt_form form = takt_form_unpack(insn->form);
	struct takt_insn changed = *insn;
	struct takt_timing_storage storage;
	struct takt_timing timing;

	if (!is_elementwise(takt_mnemonic_text(insn->isa, form.mnemonic)) || form.flags)
		return 0;
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		uint8_t kind = wider_kind(form.kinds[i]);

		if (kind == TAKT_KIND_LAST)
			return 0;
		if (kind == TAKT_KIND_YMM || kind == TAKT_KIND_ZMM) {
			if (*ret_kind && *ret_kind != kind)
				return 0;
			*ret_kind = kind;
		}
		form.kinds[i] = kind;
	}
	changed.form = takt_form_pack(&form);
	if (!takt_form_exists(changed.form))
		return 0;
	takt_model_timing(work->prepared.model, &changed, &storage, &timing);
	return timing.match == TAKT_MATCH_ROW ? changed.form : 0;
}

static void try_wider_vectors(struct finder *finder)
{
	struct takt_work *work = finder->work;
	const struct takt_block *block = &work->prepared.block;
	takt_form_key *forms = TAKT_NEW_ARRAY(work->scratch, block->count, takt_form_key);
	const struct takt_rewrite rewrite = {.copies = 1, .forms = forms, .widens = true};
	uint8_t kind = TAKT_KIND_NONE;

	if (block->isa != &takt_isa_x86 || work->prepared.edge_count)
		return;
	for (uint32_t i = 0; i < block->count; i++) {
		const struct takt_insn *insn = &block->insns[i];

		if (insn->flags & TAKT_INSN_VECTOR)
			forms[i] = widen(work, insn, &kind);
		/* All else must be for the loop and its addresses. */
		if (!forms[i] &&
		    (insn->flags & TAKT_INSN_VECTOR || !takt_insn_is_overhead(&work->prepared, i)))
			return;
	}
	if (kind)
		add(finder,
		    kind == TAKT_KIND_ZMM ? "vectors of 512 bits instead of 256"
					  : "vectors of 256 bits instead of 128",
		    kind == TAKT_KIND_ZMM ? "-mprefer-vector-width=512, with -march for the core"
					  : "-mavx2, with -march for the core",
		    try(finder, &rewrite), NULL, 0);
}

/* ---- all ------------------------------------------------------------------------------- */

TAKT_ORDER(compare, struct takt_code_change, TAKT_UP(cycles));

void takt_work_fill_changes(struct takt_work *work)
{
	struct finder finder = {.work = work};
	struct takt_code_change *changes;

	if (work->options->sensitivity == TAKT_SENSITIVITY_NONE)
		return;
	takt_arena_init(&finder.arena);
	try_accumulators(&finder);
	try_keeping(&finder);
	try_unrolling(&finder);
	try_equivalents(&finder);
	try_wider_vectors(&finder);
	takt_arena_release(&finder.arena);
	qsort(finder.changes, finder.count, sizeof(finder.changes[0]), compare);
	changes = TAKT_NEW_ARRAY(work->arena, finder.count, struct takt_code_change);
	memcpy(changes, finder.changes, finder.count * sizeof(*changes));
	work->record->changes = changes;
	work->record->change_count = finder.count;
}
