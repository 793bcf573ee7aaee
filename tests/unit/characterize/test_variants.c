/* SPDX-License-Identifier: MIT */
/*
 * Variants: answers known of cores that are played, and effects that the simulator does not play,
 * on a machine made up: it is the simulator, but popcnt waits for its destination, SSE
 * instructions take longer while upper halves are dirty, slow values are divided slowly, and values
 * are late from one domain of the vector unit to the other.
 */
#include <math.h>
#include <stdlib.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

#define DIRTY_CYCLES 5
#define SLOW_CYCLES 20
#define SLOW_DIVIDEND 0x343a9ed744556677

/* ---- the machine made up -------------------------------------------------- */

struct odd_machine {
	struct probe_machine machine;
	struct probe_machine *inner;
};

static bool is(const struct takt_insn *insn, const char *mnemonic)
{
	return strcmp(takt_mnemonic_text(&takt_isa_x86, takt_form_unpack(insn->form).mnemonic),
		      mnemonic) == 0;
}

static bool has_ymm(const struct takt_insn *insn)
{
	struct takt_form form = takt_form_unpack(insn->form);

	return memchr(form.kinds, TAKT_KIND_YMM, sizeof(form.kinds)) != NULL;
}

static bool is_float_link(const struct takt_insn *insn)
{
	return is(insn, "movshdup") || is(insn, "addps");
}

static bool is_sse(const struct takt_insn *insn)
{
	const char *mnemonic =
		takt_mnemonic_text(&takt_isa_x86, takt_form_unpack(insn->form).mnemonic);

	return insn->flags & TAKT_INSN_VECTOR && *mnemonic != 'v';
}

/* What comes on top, in the steady state: the block is gone through twice. */
static double extra_cycles(const struct takt_insn *insns, unsigned count)
{
	bool dirty = false, slow = false;
	double cycles = 0;

	for (unsigned i = 0; i < 2 * count; i++) {
		const struct takt_insn *insn = &insns[i % count];
		const struct takt_insn *before = &insns[(i + count - 1) % count];
		double extra = 0;

		slow |= insn->immediate == SLOW_DIVIDEND;
		dirty = (dirty || has_ymm(insn)) && !is(insn, "vzeroupper");
		extra += is_sse(insn) && dirty ? DIRTY_CYCLES : 0;
		extra += is(insn, "div") && slow ? SLOW_CYCLES : 0;
		extra += is_sse(insn) && is_sse(before) &&
			 is_float_link(insn) != is_float_link(before);
		cycles += i < count ? 0 : extra;
	}
	return cycles;
}

/* popcnt becomes a product of as many cycles, which reads its destination: the prefix goes. */
static size_t copy_code(const struct takt_insn *insns, unsigned count, uint8_t *ret_bytes)
{
	size_t size = 0;

	for (unsigned i = 0; i < count; i++) {
		bool popcnt = is(&insns[i], "popcnt");

		memcpy(ret_bytes + size, insns[i].bytes + popcnt, insns[i].length_bytes - popcnt);
		size += insns[i].length_bytes - (size_t)popcnt;
		if (popcnt)
			ret_bytes[size - 2] = 0xaf;
	}
	return size;
}

static bool run_odd(struct probe_machine *machine, const uint8_t *bytes, size_t size_bytes,
		    bool loop, struct probe_outcome *ret_outcome)
{
	struct odd_machine *odd = (struct odd_machine *)machine;
	uint8_t changed[PROBE_CODE_MAX];
	struct takt_arena arena = {0};
	struct takt_block block;
	double extra;
	size_t size;

	if (takt_decode_block(&takt_isa_x86,
			      &(struct takt_code_bytes){bytes, size_bytes, 0, "", NULL}, &arena,
			      NULL, &block) != TAKT_OK)
		return false;
	extra = extra_cycles(block.insns, block.count);
	size = copy_code(block.insns, block.count, changed);
	takt_arena_release(&arena);
	if (!odd->inner->run(odd->inner, changed, size, loop, ret_outcome))
		return false;
	ret_outcome->cycles += extra;
	return true;
}

static bool supports(const struct probe_machine *machine, const struct takt_insn *insn)
{
	const struct odd_machine *odd = (const struct odd_machine *)machine;

	return odd->inner->supports(odd->inner, insn);
}

static void close_odd(struct probe_machine *machine)
{
	takt_probe_machine_close(((struct odd_machine *)machine)->inner);
	free(machine);
}

static struct probe_machine *open_odd(const struct takt_model *model)
{
	const struct probe_sim_options options = {.counters = false};
	struct odd_machine *odd = takt_xcalloc(1, sizeof(*odd));

	odd->inner = takt_probe_sim_open(model, &options);
	odd->machine = (struct probe_machine){
		.name = "odd", .run = run_odd, .supports = supports, .close = close_odd};
	return &odd->machine;
}

/* ---- what is found -------------------------------------------------------- */

static const struct probe_form *find_form(const struct probe_lab *lab, const char *text)
{
	const char *error;
	size_t index;

	return takt_probe_form_of(
		&lab->forms, takt_form_parse(&takt_isa_x86, text, strlen(text), &index, &error));
}

static const struct probe_variant *find(const struct probe_variants *variants,
					enum probe_variant_kind kind)
{
	for (unsigned i = 0; i < variants->count; i++)
		if (variants->list[i].kind == kind)
			return &variants->list[i];
	return NULL;
}

struct effect {
	int line;
	const char *form;
	struct probe_known known; /* of the plain experiments */
	enum probe_variant_kind kind;
	double figure, other;
};

static const struct takt_pair_latency ones[] = {{"1", "1", 1, 1}, {"2", "1", 1, 1}};
static const struct takt_pair_latency fours[] = {{"1", "1", 4, 4}, {"2", "1", 4, 4}};
static const struct takt_pair_latency threes[] = {{"2", "1", 3, 3}};

static const struct effect effects[] = {
	{__LINE__, "popcnt r64, r64", {1, 3, threes, 1}, PROBE_FALSE, 3, NAN},
	{__LINE__, "paddb xmm, xmm", {0.33, 1, ones, 2}, PROBE_BYPASS, 3, 1},
	{__LINE__, "mulps xmm, xmm", {0.5, 4, fours, 2}, PROBE_DIRTY_UPPERS, 9, 4},
	{__LINE__, "div r64", {21, 35, NULL, 0}, PROBE_DIVISION_THROUGHPUT, 21, 41},
	{__LINE__, "div r64", {21, 35, NULL, 0}, PROBE_DIVISION_LATENCY, 32, 52},
};

#define TOLERANCE 0.3 /* cycles: half of what tells whole ones apart, and less */

static void test_effects(const struct takt_model *model)
{
	struct probe_lab *lab = takt_probe_lab_new(open_odd(model));
	struct probe_variant transition;
	struct probe_variants variants;

	for (size_t i = 0; i < TAKT_COUNT_OF(effects); i++) {
		const struct effect *effect = &effects[i];
		const struct probe_variant *found;

		takt_probe_variants(lab, find_form(lab, effect->form), &effect->known, &variants);
		found = find(&variants, effect->kind);
		tap_ok_at(__FILE__, effect->line,
			  found && fabs(found->figure - effect->figure) < TOLERANCE &&
				  (isnan(effect->other) ||
				   fabs(found->other - effect->other) < TOLERANCE),
			  "%s of %s: %.2f, %.2f", takt_probe_variant_word(effect->kind),
			  effect->form, found ? found->figure : NAN, found ? found->other : NAN);
	}
	ok(takt_probe_transition(lab, &transition) &&
		   fabs(transition.figure - DIRTY_CYCLES) < TOLERANCE,
	   "cycles of a transition: %.2f", transition.figure);
	takt_probe_lab_free(lab);
}

/* ---- cores that are played ------------------------------------------------ */

struct answer {
	int line;
	const char *machine, *form, *kind, *detail;
	double figure, other;
};

#define MISSING (-1) /* there is no such variant */
#define ALL_CONDITIONS "o b e be s p l le"

static const struct answer answers[] = {
	/* Section 7.3.2 of the uops.info paper. */
	{__LINE__, "sim:SKL", "shld r64, r64, i8", "latency_same_reg", "", 1, 3},
	{__LINE__, "sim:SKL", "xor r64, r64", "breaks_dependence", PROBE_PERHAPS, 0.25, 0.25},
	{__LINE__, "sim:SKL", "vpcmpgtq ymm, ymm, ymm", "zero_idiom", "", 0.25, 1},
	{__LINE__, "sim:SKL", "pcmpeqd xmm, xmm", "ones_idiom", PROBE_EXECUTED, 0.5, 0.5},
	{__LINE__, "sim:SKL", "psubb mm, mm", "breaks_dependence", "", 0.5, 0.5},
	{__LINE__, "sim:SKL", "paddb xmm, xmm", "breaks_dependence", "", MISSING, 0},
	{__LINE__, "sim:SKL", "mov r64, r64", "eliminated", "", 1, 0},
	{__LINE__, "sim:SKL", "mov r64, r64", "latency_same_reg", "", 1, 0},
	{__LINE__, "sim:SKL", "movzx r32, r16", "eliminated", "", MISSING, 0},
	{__LINE__, "sim:SKL", "mov r8, r8", "merge_dependence", "1", 1, NAN},
	{__LINE__, "sim:SKL", "add r8, r8", "merge_dependence", "1", MISSING, 0},
	{__LINE__, "sim:SKL", "sqrtsd xmm, xmm", "merge_dependence", "1", 13, NAN},
	{__LINE__, "sim:SKL", "add r8h, r8", "high8_latency", "2>1", 1, 1},
	{__LINE__, "sim:SKL", "add r64, r64", "fused_jump", "b e be l le", 2.04, 2.29},
	{__LINE__, "sim:SKL", "test r32, r32", "fused_jump", ALL_CONDITIONS, 2.29, 2.54},
	{__LINE__, "sim:SKL", "inc r32", "fused_jump", "e l le", 2.04, 2.29},
	{__LINE__, "sim:SKL", "cmp m64, i8", "fused_jump", NULL, MISSING, 0},
	{__LINE__, "sim:SKL", "xor r64, r64", "fused_jump", NULL, MISSING, 0},
	{__LINE__, "sim:SKL", "mul r64", "complex_decoder", "3", 6, 5.52},
	{__LINE__, "sim:SKL", "xchg r64, r64", "complex_decoder", "2", 5, 4.56},
	{__LINE__, "sim:SKL", "vhaddpd xmm, xmm, m128", "complex_decoder", "1", 6, 5.52},
	{__LINE__, "sim:SKL", "add r64, r64", "complex_decoder", NULL, MISSING, 0},
	/* A prefix that changes the length of the instruction, not a decoder. */
	{__LINE__, "sim:SKL", "mov eax, m32", "complex_decoder", NULL, MISSING, 0},
	{__LINE__, "sim:SKL", "cmpxchg m64, r64", "microcode", "", 11, 9.06},
	{__LINE__, "sim:HSW", "xchg m8, r8", "microcode", "", 27.51, 29.00},
	{__LINE__, "sim:ZEN2", "vmaskmovps m256, ymm, ymm", "microcode", NULL, MISSING, 0},
	{__LINE__, "sim:ZEN2", "cmp r64, i8", "fused_jump", ALL_CONDITIONS, 2.08, 2.33},
	{__LINE__, "sim:ZEN2", "sub r64, r64", "fused_jump", NULL, MISSING, 0},
	{__LINE__, "sim:ZEN4", "xor r64, r64", "fused_jump", ALL_CONDITIONS, 1.36, 1.53},
	{__LINE__, "sim:ICL", "mov r64, r64", "eliminated", "", MISSING, 0},
	{__LINE__, "sim:ICL", "vmovaps ymm, ymm", "eliminated", "", 1, 0},
	{__LINE__, "sim:ZEN3", "cmp r64, r64", "zero_idiom", "", 0.17, 0.25},
	{__LINE__, "sim:ZEN3", "sbb r64, r64", "breaks_dependence", "", 0.5, 0.5},
	{__LINE__, "sim:ZEN3", "mov r8h, r8", "false_dependence", "1", 1, NAN},
};

static void check(const struct answer *answer, const struct takt_characterization *result)
{
	const struct takt_variant *found = NULL;

	for (size_t i = 0; i < result->variant_count; i++)
		if (strcmp(result->variants[i].kind, answer->kind) == 0 &&
		    (!answer->detail || strcmp(result->variants[i].detail, answer->detail) == 0))
			found = &result->variants[i];
	if (answer->figure == MISSING) {
		tap_ok_at(__FILE__, answer->line, !found, "%s of %s on %s", answer->kind,
			  answer->form, answer->machine);
		return;
	}
	/* Answers have two decimals. */
	tap_ok_at(__FILE__, answer->line,
		  found && fabs(found->figure - answer->figure) < 0.02 &&
			  (isnan(answer->other) ? isnan(found->other)
						: fabs(found->other - answer->other) < 0.02),
		  "%s of %s on %s: %.2f, %.2f", answer->kind, answer->form, answer->machine,
		  found ? found->figure : NAN, found ? found->other : NAN);
}

static void test_answers(void)
{
	struct takt_lab *lab = NULL;
	const char *machine = "";

	for (size_t i = 0; i < TAKT_COUNT_OF(answers); i++) {
		const struct takt_lab_options options = {.machine = answers[i].machine,
							 .time_only = true};
		struct takt_characterization *result;

		/* One lab for neighbours in the table. */
		if (strcmp(machine, answers[i].machine) != 0) {
			takt_lab_close(lab);
			lab = NULL;
			machine = answers[i].machine;
			if (takt_lab_open(&options, NULL, &lab) != TAKT_OK)
				break;
		}
		if (!tap_ok_at(__FILE__, answers[i].line,
			       takt_characterize(lab, answers[i].form, false, NULL, &result) ==
				       TAKT_OK,
			       "'%s' on %s", answers[i].form, answers[i].machine))
			continue;
		check(&answers[i], result);
		takt_characterization_free(result);
	}
	ok(lab != NULL, "all labs opened");
	takt_lab_close(lab);
}

int main(void)
{
	struct takt_model *model;

	if (ok(takt_model_open("SKL", NULL, NULL, &model) == TAKT_OK, "a core")) {
		test_effects(model);
		takt_model_close(model);
	}
	test_answers();
	return tap_done();
}
