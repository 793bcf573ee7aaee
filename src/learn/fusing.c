/* SPDX-License-Identifier: MIT */
/*
 * Finds the pairs of instructions that become one µop. Copies of a pair among instructions that
 * take a slot and no port are timed twice: with one of these behind the pair, and between its two
 * instructions. Both have the same work but for the slot that a fused pair saves. The ratio of the
 * two times is held against that of the simulator with a core that fuses the pair, and with one
 * that does not.
 */
#include <math.h>
#include <string.h>

#include "learn/fusing.h"

#define COPIES 8u
#define PIECE_BYTES 16u /* copies begin at multiples, so that no jump crosses a boundary */
#define SEPARATORS_BYTES 6u
#define GAP_WANTED 0.10 /* between the two hypotheses, relative; fewer nops make it larger */
#define GAP_LEAST 0.05	/* below it, nothing can be said */
#define LEVEL_DOUBT 0.3 /* between the machine's time and the simulator's, logarithmic */
#define DOUBT 0.35	/* of the gap, by which a ratio may be off the likelier hypothesis */

/* Numbers of nops, as many as it takes until ports are not the limit. */
static const uint32_t nop_counts[] = {2, 4, 6, 9};
static const uint32_t alignments[] = {0, 32};

/* The order of the instructions in each copy of a pair, and the number of nops behind it. */
struct arrangement {
	uint32_t nops; /* behind each copy */
	bool apart;    /* a separator is between the two instructions; else it is behind them */
};

struct candidate {
	const struct learn_pair *pair, *behind; /* `behind`: the pair whose second it has */
	uint16_t first, second;			/* mnemonics */
	bool fuses;				/* as far as is known */
	bool supported;				/* by the nearest core */
};

struct fusing {
	struct learn *learn;
	struct candidate *candidates;
	uint32_t count;
	struct takt_learnt_pair *results;
	uint32_t result_count;
	bool changed; /* something is not as in the nearest core */
};

/* ---- code of pairs --------------------------------------------------------------------- */

static const struct learn_pair *pair_at(const char *isa, uint32_t index)
{
	return strcmp(isa, "x86-64") == 0 ? learn_x86_pair(index) : learn_aarch64_pair(index);
}

static bool copy_of(const struct learn *learn, const struct candidate *candidate, uint32_t index,
		    struct learn_pair_copy *ret_copy)
{
	if (strcmp(learn->machine->isa, "x86-64") == 0)
		return learn_x86_pair_copy(candidate->pair, candidate->behind, index, ret_copy);
	return learn_aarch64_pair_copy(candidate->pair, candidate->behind, index, ret_copy);
}

static void add_insn(struct learn_code *code, const struct learn_pair_insn *insn)
{
	if (insn->size_bytes)
		learn_code_add(code, insn->bytes, insn->size_bytes);
}

/*
 * Add one of two separators, behind which a nop takes a slot of its own on all cores: on x86-64, a
 * vector register that becomes zero.
 */
static void add_separator(struct learn_code *code, const char *isa)
{
	learn_code_add_text(code, isa, strcmp(isa, "x86-64") == 0 ? "vzero" : "nop", 1);
}

/* Add one of `count` nops that, on x86-64, fill the bytes that are left. */
static void add_nop(struct learn_code *code, const char *isa, uint32_t count, size_t left_bytes)
{
	static const char *const nops[] = {"nop",  "nop2", "nop3", "nop4",
					   "nop5", "nop6", "nop7", "nop8"};
	size_t size = strcmp(isa, "x86-64") == 0 ? left_bytes / count : 1;

	if (size > TAKT_COUNT_OF(nops))
		size = TAKT_COUNT_OF(nops);
	learn_code_add_text(code, isa, nops[size ? size - 1 : 0], 1);
}

static size_t size_of(const struct learn_pair_copy *copy)
{
	return copy->before.size_bytes + copy->first.size_bytes + copy->second.size_bytes;
}

/* Add a copy of the pair, whose end is that of a piece of 16 bytes. */
static void add_copy(struct learn_code *code, const char *isa, const struct learn_pair_copy *copy,
		     const struct arrangement *arrangement)
{
	size_t least = SEPARATORS_BYTES + size_of(copy) + arrangement->nops;
	size_t end = code->size_bytes + (least + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES;

	add_insn(code, &copy->before);
	add_insn(code, &copy->first);
	if (arrangement->apart)
		add_separator(code, isa);
	add_insn(code, &copy->second);
	if (!arrangement->apart)
		add_separator(code, isa);
	add_separator(code, isa);
	for (uint32_t nops = arrangement->nops; nops; nops--)
		add_nop(code, isa, nops, end - code->size_bytes);
}

static bool make_code(const struct learn *learn, const struct candidate *candidate,
		      const struct arrangement *arrangement, struct learn_code *ret_code)
{
	*ret_code = (struct learn_code){.arena = learn->arena};
	if (strcmp(learn->machine->isa, "x86-64") == 0)
		learn_x86_pair_start(candidate->pair, ret_code);
	for (uint32_t i = 0; i < COPIES; i++) {
		struct learn_pair_copy copy;

		if (!copy_of(learn, candidate, i, &copy))
			return false;
		add_copy(ret_code, learn->machine->isa, &copy, arrangement);
	}
	return true;
}

/* ---- what fuses, as a core has it -------------------------------------------------------- */

/* A list of pairs that is being written. */
struct list {
	struct takt_fuse fuses[TAKT_FUSES_MAX];
	struct takt_fusing fusing;
};

static void add_fuse(struct list *list, const struct takt_fuse *fuse)
{
	if (list->fusing.count < TAKT_FUSES_MAX)
		list->fuses[list->fusing.count++] = *fuse;
}

/* Add a mnemonic in a role, unless the set has it already. */
static void add_member(struct list *list, uint16_t mnemonic, enum takt_fuse_role role, uint8_t set)
{
	for (uint32_t i = 0; i < list->fusing.count; i++)
		if (list->fuses[i].mnemonic == mnemonic && list->fuses[i].role == role &&
		    list->fuses[i].set == set)
			return;
	add_fuse(list,
		 &(struct takt_fuse){.mnemonic = mnemonic, .role = (uint8_t)role, .set = set});
}

static bool is_in_set(const struct candidate *candidate, enum takt_fuse_role role, uint8_t set)
{
	return candidate->fuses && candidate->pair->role == role && candidate->pair->set == set;
}

/* Return a pair of the set that fuses, with the set's usual first; NULL: there is none. */
static const struct candidate *fusing_in_set(const struct fusing *fusing, enum takt_fuse_role role,
					     uint8_t set)
{
	for (uint32_t i = 0; i < fusing->count; i++)
		if (is_in_set(&fusing->candidates[i], role, set) &&
		    !fusing->candidates[i].pair->varies_first)
			return &fusing->candidates[i];
	return NULL;
}

/* Write the sets of pairs without a jump. Of pairs that vary the first, only that is new. */
static void list_sets(const struct fusing *fusing, enum takt_fuse_role role,
		      enum takt_fuse_role behind, struct list *list)
{
	for (uint8_t set = 0; set < TAKT_FUSE_SETS_MAX; set++) {
		if (!fusing_in_set(fusing, role, set))
			continue;
		for (uint32_t i = 0; i < fusing->count; i++)
			if (is_in_set(&fusing->candidates[i], role, set))
				add_member(list, fusing->candidates[i].first, role,
					   (uint8_t)(set + 1));
		for (uint32_t i = 0; i < fusing->count; i++)
			if (is_in_set(&fusing->candidates[i], role, set) &&
			    !fusing->candidates[i].pair->varies_first)
				add_member(list, fusing->candidates[i].second, behind,
					   (uint8_t)(set + 1));
	}
}

static bool is_jump(const struct candidate *candidate)
{
	return candidate->pair->role == TAKT_FUSE_JUMP &&
	       candidate->pair->restriction == LEARN_NO_RESTRICTION;
}

/* Write which mnemonics fuse with which jumps, one entry for a mnemonic. */
static void list_jumps(const struct fusing *fusing, struct list *list)
{
	for (uint32_t i = 0; i < fusing->count; i++) {
		const struct candidate *candidate = &fusing->candidates[i];
		uint32_t count = list->fusing.count;

		if (!is_jump(candidate) || !candidate->fuses)
			continue;
		if (count && list->fuses[count - 1].mnemonic == candidate->first)
			list->fuses[count - 1].conditions |= candidate->pair->conditions;
		else
			add_fuse(list,
				 &(struct takt_fuse){.mnemonic = candidate->first,
						     .conditions = candidate->pair->conditions,
						     .role = TAKT_FUSE_JUMP});
	}
}

/* Return the restrictions: those that are in question as found, the others as they were. */
static uint32_t restrictions_of(const struct fusing *fusing, uint32_t before)
{
	bool implied = false;

	for (uint32_t i = 0; i < fusing->count; i++) {
		const struct candidate *candidate = &fusing->candidates[i];
		uint8_t restriction = candidate->pair->restriction;

		if (restriction == LEARN_NO_RESTRICTION)
			continue;
		before &= ~(1u << restriction);
		if (candidate->fuses || (implied && restriction != TAKT_FUSE_NOT_IMM))
			continue;
		before |= 1u << restriction;
		implied = true;
	}
	return before;
}

static void list_all(const struct fusing *fusing, struct list *list)
{
	list->fusing = (struct takt_fusing){.fuses = list->fuses};
	list_jumps(fusing, list);
	list_sets(fusing, TAKT_FUSE_FIRST, TAKT_FUSE_SECOND, list);
	list_sets(fusing, TAKT_FUSE_LOAD, TAKT_FUSE_LOADED, list);
	list->fusing.restrictions =
		restrictions_of(fusing, takt_model_fusing(fusing->learn->nearest).restrictions);
}

/* ---- the two hypotheses ------------------------------------------------------------------- */

/* The simulator with the core as it is known, but for one pair. */
struct hypothesis {
	struct takt_model *model;
	struct learn_player *player;
};

static void open_hypothesis(struct fusing *fusing, struct candidate *candidate, bool fuses,
			    struct hypothesis *ret_hypothesis)
{
	bool known = candidate->fuses;
	struct learn_core core = fusing->learn->core;
	struct list list;

	candidate->fuses = fuses;
	list_all(fusing, &list);
	candidate->fuses = known;
	core.fusing = &list.fusing;
	ret_hypothesis->model = learn_core_model(&core, fusing->learn->nearest);
	ret_hypothesis->player = learn_player_new(ret_hypothesis->model);
}

static void close_hypothesis(struct hypothesis *hypothesis)
{
	learn_player_free(hypothesis->player);
	takt_model_close(hypothesis->model);
}

static double played_time(void *context, const struct learn_code *code,
			  const struct learn_layout *layout)
{
	return learn_player_time(((struct hypothesis *)context)->player, code, layout);
}

/* A timing of the machine that is being taken. */
struct taking {
	struct learn *learn;
	const char *name;
	uint32_t nops;
	bool unstable;
};

static double machine_time(void *context, const struct learn_code *code,
			   const struct learn_layout *layout)
{
	struct taking *taking = context;
	struct learn_timing timing;

	learn_time(taking->learn, taking->name, (int32_t)taking->nops, code, layout, &timing);
	taking->unstable |= timing.outcome == LEARN_DISTURBED;
	return timing.cycles;
}

/* A function of this type returns the cycles that code takes; NaN if they are not known. */
typedef double timer(void *context, const struct learn_code *code,
		     const struct learn_layout *layout);

/* Return the pair that is timed apart: jumps cost the same where they do not fuse. */
static const struct candidate *apart_of(const struct fusing *fusing,
					const struct candidate *candidate)
{
	const struct candidate *first = candidate;

	while (is_jump(candidate) && first > fusing->candidates && is_jump(first - 1) &&
	       first[-1].first == candidate->first)
		first--;
	return first;
}

/* Times of a pair: means over all alignments, as logarithms; NaN if one of them is not known. */
struct times {
	double ratio; /* of the pair, relative to the two instructions apart */
	double apart; /* of the two apart */
};

static struct times times_of(const struct fusing *fusing, const struct candidate *candidate,
			     uint32_t nops, timer *time, void *context)
{
	struct times times = {0, 0};

	for (uint32_t i = 0; i < TAKT_COUNT_OF(alignments); i++) {
		const struct learn_layout layout = {.loop = true, .alignment_bytes = alignments[i]};
		const struct arrangement together = {.nops = nops},
					 apart = {.nops = nops, .apart = true};
		struct learn_code code, other;
		double cycles;

		if (!make_code(fusing->learn, candidate, &together, &code) ||
		    !make_code(fusing->learn, apart_of(fusing, candidate), &apart, &other))
			return (struct times){NAN, NAN};
		cycles = log(time(context, &other, &layout));
		times.apart += cycles / TAKT_COUNT_OF(alignments);
		times.ratio +=
			(log(time(context, &code, &layout)) - cycles) / TAKT_COUNT_OF(alignments);
	}
	return times;
}

/* The simulated times of a pair if the core fuses it, and if it does not. */
struct expected {
	uint32_t nops;
	double fused, plain; /* the ratio with either hypothesis, as a logarithm */
	double apart;	     /* the time of the two apart, as a logarithm */
};

/* Find a number of nops with which the hypotheses differ enough; false: there is none. */
static bool find_gap(struct fusing *fusing, struct candidate *candidate,
		     struct expected *ret_expected)
{
	struct hypothesis fused, plain;
	double gap = 0;

	open_hypothesis(fusing, candidate, true, &fused);
	open_hypothesis(fusing, candidate, false, &plain);
	for (uint32_t i = 0; i < TAKT_COUNT_OF(nop_counts) && gap < GAP_WANTED; i++) {
		uint32_t nops = nop_counts[i];
		struct times with = times_of(fusing, candidate, nops, played_time, &fused);
		struct times without = times_of(fusing, candidate, nops, played_time, &plain);

		if (!(without.ratio - with.ratio > gap))
			continue;
		gap = without.ratio - with.ratio;
		*ret_expected = (struct expected){nops, with.ratio, without.ratio, without.apart};
	}
	close_hypothesis(&fused);
	close_hypothesis(&plain);
	return gap >= GAP_LEAST;
}

/*
 * Decide by where the machine's ratio is between that of a core that does not fuse the pair, 0, and
 * that of one that does, 1. A ratio beyond one of the two is no doubt, unless it is far beyond. If
 * the machine takes quite another time for the two apart, something else than slots limits it.
 */
static enum takt_learnt decide(const struct expected *expected, const struct times *measured,
			       bool *ret_fuses)
{
	double place = (expected->plain - measured->ratio) / (expected->plain - expected->fused);
	double off = fabs(place - 0.5);

	*ret_fuses = place > 0.5;
	if (fabs(measured->apart - expected->apart) > LEVEL_DOUBT || off < 0.5 - DOUBT || off > 1.5)
		return TAKT_LEARNT_DOUBTFUL;
	return TAKT_LEARNT_MEASURED;
}

/* Time a pair, and decide. */
static void try_pair(struct fusing *fusing, struct candidate *candidate)
{
	struct takt_learnt_pair *result = &fusing->results[fusing->result_count++];
	struct taking taking = {.learn = fusing->learn};
	struct expected expected;
	struct times measured;
	bool fuses;

	*result = (struct takt_learnt_pair){.first = candidate->pair->first,
					    .second = candidate->behind->second,
					    .loaded = candidate->pair->role == TAKT_FUSE_LOAD,
					    .nearest = candidate->fuses,
					    .fuses = candidate->fuses,
					    .how = TAKT_LEARNT_NOT_IDENTIFIABLE,
					    .ratio = NAN,
					    .fused_ratio = NAN,
					    .plain_ratio = NAN};
	if (!find_gap(fusing, candidate, &expected))
		return;
	result->fused_ratio = exp(expected.fused);
	result->plain_ratio = exp(expected.plain);
	taking.nops = expected.nops;
	taking.name =
		takt_arena_printf(fusing->learn->arena, "%s %s", result->first, result->second);
	measured = times_of(fusing, candidate, expected.nops, machine_time, &taking);
	result->how = TAKT_LEARNT_NO_TIMING;
	if (isnan(measured.ratio))
		return;
	result->ratio = exp(measured.ratio);
	result->how = taking.unstable ? TAKT_LEARNT_UNSTABLE : decide(&expected, &measured, &fuses);
	if (result->how != TAKT_LEARNT_MEASURED)
		return;
	fusing->changed |= fuses != candidate->fuses;
	candidate->fuses = result->fuses = fuses;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

/* Find the mnemonics of a pair, and whether it fuses on the nearest core. */
static void look_up(const struct learn *learn, struct candidate *candidate)
{
	const struct takt_isa *isa = takt_model_isa(learn->nearest);
	struct learn_pair_copy copy;
	struct takt_insn insns[2];

	candidate->supported = copy_of(learn, candidate, 0, &copy) &&
			       takt_decode(isa, copy.first.bytes, copy.first.size_bytes, 0,
					   &insns[0]) == TAKT_OK &&
			       takt_decode(isa, copy.second.bytes, copy.second.size_bytes, 0,
					   &insns[1]) == TAKT_OK &&
			       takt_model_supports(learn->nearest, &insns[0]) &&
			       takt_model_supports(learn->nearest, &insns[1]);
	if (!candidate->supported)
		return;
	candidate->first = takt_form_unpack(insns[0].form).mnemonic;
	candidate->second = takt_form_unpack(insns[1].form).mnemonic;
	candidate->fuses = takt_model_fuses_next(learn->nearest, insns, TAKT_COUNT_OF(insns));
}

/* Let a pair that varies the first have the second of a pair of the set that fuses, if any does. */
static void choose_second(struct fusing *fusing, struct candidate *candidate)
{
	const struct candidate *other =
		fusing_in_set(fusing, candidate->pair->role, candidate->pair->set);

	candidate->supported = false;
	if (!other)
		return;
	candidate->behind = other->pair;
	look_up(fusing->learn, candidate);
}

static void find_pairs(struct fusing *fusing)
{
	struct learn *learn = fusing->learn;

	while (pair_at(learn->machine->isa, fusing->count))
		fusing->count++;
	fusing->candidates = TAKT_NEW_ARRAY(learn->arena, fusing->count, struct candidate);
	fusing->results = TAKT_NEW_ARRAY(learn->arena, fusing->count, struct takt_learnt_pair);
	for (uint32_t i = 0; i < fusing->count; i++) {
		struct candidate *candidate = &fusing->candidates[i];

		candidate->pair = candidate->behind = pair_at(learn->machine->isa, i);
		if (!candidate->pair->varies_first)
			look_up(learn, candidate);
	}
	for (uint32_t i = 0; i < fusing->count; i++)
		if (fusing->candidates[i].pair->varies_first)
			choose_second(fusing, &fusing->candidates[i]);
}

/* True if the pair is to be timed: it is one of the samples, or others of its set fuse. */
static bool is_in_question(struct fusing *fusing, struct candidate *candidate)
{
	const struct learn_pair *pair = candidate->pair;

	if (pair->varies_first)
		choose_second(fusing, candidate);
	return candidate->supported && (pair->role == TAKT_FUSE_JUMP || pair->is_sample ||
					fusing_in_set(fusing, pair->role, pair->set));
}

/* Let the core that is being learnt have the pairs. */
static void keep(struct fusing *fusing)
{
	struct list *list = TAKT_NEW(fusing->learn->arena, struct list);

	list_all(fusing, list);
	fusing->learn->core.fusing = &list->fusing;
}

enum takt_status learn_fusing(struct learn *learn)
{
	struct fusing fusing = {.learn = learn};

	if (learn->options->only &&
	    !learn_has_word(learn->options->only, "fusing", strlen("fusing")))
		return TAKT_OK;
	find_pairs(&fusing);
	for (uint32_t i = 0; i < fusing.count; i++) {
		if (!is_in_question(&fusing, &fusing.candidates[i]))
			continue;
		if (!learn_step(learn, "pairs", i, fusing.count, fusing.candidates[i].pair->first))
			return TAKT_OK;
		try_pair(&fusing, &fusing.candidates[i]);
	}
	learn->pairs = fusing.results;
	learn->pair_count = fusing.result_count;
	if (fusing.changed)
		keep(&fusing);
	return TAKT_OK;
}
