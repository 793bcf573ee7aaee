/* SPDX-License-Identifier: MIT */
/*
 * The closed loop of variants: the simulator plays a core, and idioms, eliminated moves, fused
 * jumps and divisions that experiments find are held against the core's own tables. What the
 * simulator does not play must not be found.
 *
 *     closed-variants CORE STEP IDIOM_STEP [OPTION]…
 *
 * Of the forms that the core's tables have as idioms or moves to eliminate, every IDIOM_STEP-th
 * is taken, of all others every STEP-th. Options: `time`, without counters; `noise=PART`, times are
 * longer by up to this part.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

struct tally {
	size_t forms, idioms, moves, divisions; /* looked at */
	size_t jumps, unfused_jumps;		/* conditions that fuse: found, and not found */
	size_t decoders, hidden_decoders;	/* classes found, and not found */
	size_t wrong_decoders, near_decoders;	/* of no such class; another number of decoders */
	size_t wrong_idioms, wrong_moves, wrong_divisions, wrong_jumps, invented;
	uint64_t runs;
};

static bool timed;

/* ---- one form ------------------------------------------------------------- */

/* Fills what the plain experiments say. */
static bool measure_plain(struct probe_lab *lab, const struct probe_form *form,
			  struct takt_arena *arena, struct probe_known *ret_known)
{
	struct probe_latency found[PROBE_LATENCIES_MAX];
	struct probe_throughput throughput;
	struct takt_pair_latency *latencies;
	const char *reason;
	unsigned count;

	if (!takt_probe_throughput(lab, form, &throughput, &reason))
		return false;
	count = takt_probe_latencies(lab, form, &throughput, found);
	latencies = TAKT_NEW_ARRAY(arena, count, struct takt_pair_latency);
	for (unsigned i = 0; i < count; i++) {
		struct takt_text source = {0}, destination = {0};

		takt_slot_write(&takt_isa_x86, found[i].source, &source);
		takt_slot_write(&takt_isa_x86, found[i].destination, &destination);
		latencies[i] = (struct takt_pair_latency){
			takt_arena_copy(arena, takt_text_data(&source), source.size_bytes),
			takt_arena_copy(arena, takt_text_data(&destination),
					destination.size_bytes),
			found[i].least, found[i].cycles};
		takt_text_release(&source);
		takt_text_release(&destination);
	}
	*ret_known = (struct probe_known){throughput.cycles, throughput.chained, latencies, count};
	return true;
}

/* From an operand of `detail`, or, of roots, from any register: all of theirs are the same. */
static double wanted_latency(const struct probe_form *form, const struct probe_known *known,
			     const char *detail)
{
	bool root = strstr(form->text, "sqrt") != NULL;
	const char *destination = strchr(detail, '>') + 1;
	double most = NAN;

	for (size_t i = 0; i < known->latency_count; i++) {
		const struct takt_pair_latency *pair = &known->latencies[i];

		if (strcmp(pair->destination, destination) == 0 &&
		    (root || strncmp(pair->source, detail, strlen(pair->source)) == 0))
			most = fmax(most, pair->most);
	}
	return most;
}

static void judge_division(const struct probe_form *form, const struct probe_known *known,
			   const struct probe_variant *variant, struct tally *tally)
{
	double wanted = variant->kind == PROBE_DIVISION_LATENCY
				? wanted_latency(form, known, variant->detail)
				: known->throughput;
	/* Tables have whole cycles. What prepares operands takes slots, so a throughput is a little
	 * more. */
	bool right = fabs(variant->figure - variant->other) < 0.5 &&
		     fabs(variant->figure - wanted) < fmax(0.5, 0.1 * wanted);

	tally->divisions++;
	tally->wrong_divisions += !right;
	if (!right)
		printf("# %s: %s %s %.2f to %.2f instead of %.2f\n", form->text,
		       takt_probe_variant_word(variant->kind), variant->detail, variant->figure,
		       variant->other, wanted);
}

/* True if the core fuses the form's sample with a jump of this condition, as encoded. */
static bool fuses(const struct takt_model *model, const struct probe_form *form, unsigned condition)
{
	const uint8_t jump[] = {(uint8_t)(0x70 | condition), 0};
	struct takt_insn insn;

	return takt_decode(&takt_isa_x86, jump, sizeof(jump), 0, &insn) == TAKT_OK &&
	       takt_model_fuses(model, &form->insn, &insn);
}

/* `detail` lists the conditions that were found to fuse; NULL: none. */
static void judge_jumps(const struct takt_model *model, const struct probe_form *form,
			const char *detail, struct tally *tally)
{
	static const char *const names[] = {"o", "b", "e", "be", "s", "p", "l", "le"};
	struct takt_text list = {0}, name = {0};

	takt_text_printf(&list, " %s ", detail ? detail : "");
	for (unsigned i = 0; i < TAKT_COUNT_OF(names); i++) {
		bool wanted = fuses(model, form, 2 * i), found;

		takt_text_clear(&name);
		takt_text_printf(&name, " %s ", names[i]);
		found = strstr(takt_text_data(&list), takt_text_data(&name)) != NULL;
		tally->jumps += found && wanted;
		tally->unfused_jumps += wanted && !found;
		tally->wrong_jumps += found && !wanted;
		if (found && !wanted)
			printf("# %s: fused with %s\n", form->text, names[i]);
	}
	takt_text_release(&list);
	takt_text_release(&name);
}

/*
 * `variant` is that of decoders; NULL: there is none. Issue slots hide decoders of instructions
 * that have as many slots as are issued in a cycle.
 */
static void judge_decoders(const struct takt_model *model, const struct probe_form *form,
			   const struct probe_variant *variant, struct tally *tally)
{
	struct takt_timing_storage storage;
	struct takt_timing timing;
	bool microcode, wanted, right;

	takt_model_timing(model, &form->insn, &storage, &timing);
	microcode =
		takt_timing_microcode_slots(&timing) && takt_model_params(model)->microcode_width;
	wanted = microcode || timing.flags & TAKT_TIMING_COMPLEX;
	if (!variant) {
		tally->hidden_decoders += wanted;
		if (wanted)
			printf("# %s: decoders not found, slots %u\n", form->text, timing.slots);
		return;
	}
	right = wanted && microcode == (variant->kind == PROBE_MICROCODE);
	tally->decoders += right;
	tally->wrong_decoders += !right;
	if (!right)
		printf("# %s: %s instead of %s\n", form->text,
		       takt_probe_variant_word(variant->kind),
		       microcode ? "microcode"
		       : wanted	 ? "complex"
				 : "any decoder");
	if (!right || microcode || strtoul(variant->detail, NULL, 10) >= timing.simple_decoders ||
	    (timing.simple_decoders == UINT8_MAX &&
	     strtoul(variant->detail, NULL, 10) + 1 >=
		     (unsigned long)takt_model_params(model)->decode_width))
		return;
	tally->near_decoders++;
	printf("# %s: %s others are decoded beside it, of %u\n", form->text, variant->detail,
	       timing.simple_decoders);
}

/*
 * The simulator knows neither bypasses nor dirty upper halves; and of false dependences only those
 * of cores that do not rename ah … dh, so that these wait for the whole register.
 */
static bool is_invented(const struct takt_model *model, const struct probe_form *form,
			const struct probe_variant *variant)
{
	return variant->kind == PROBE_BYPASS || variant->kind == PROBE_DIRTY_UPPERS ||
	       (variant->kind == PROBE_FALSE &&
		(takt_model_params(model)->high8_renamed || !strstr(form->text, "r8h")));
}

static void judge(const struct takt_model *model, const struct probe_form *form,
		  const struct probe_known *known, const struct probe_variants *variants,
		  struct tally *tally)
{
	enum probe_idiom wanted = takt_probe_model_idiom(model, form), got = PROBE_IDIOM_NONE;
	bool eliminates = takt_probe_model_eliminates(model, form), eliminated = false;
	const struct probe_variant *decoders = NULL;
	const char *jumps = NULL;

	for (unsigned i = 0; i < variants->count; i++) {
		const struct probe_variant *variant = &variants->list[i];
		enum probe_idiom idiom = takt_probe_variant_idiom(variant->kind, variant->detail);

		got = idiom != PROBE_IDIOM_NONE ? idiom : got;
		eliminated |= variant->kind == PROBE_ELIMINATED;
		jumps = variant->kind == PROBE_FUSED_JUMP ? variant->detail : jumps;
		decoders = variant->kind == PROBE_COMPLEX || variant->kind == PROBE_MICROCODE
				   ? variant
				   : decoders;
		if (variant->kind == PROBE_DIVISION_LATENCY ||
		    variant->kind == PROBE_DIVISION_THROUGHPUT)
			judge_division(form, known, variant, tally);
		if (is_invented(model, form, variant)) {
			tally->invented++;
			printf("# %s: %s %.2f, %.2f\n", form->text,
			       takt_probe_variant_word(variant->kind), variant->figure,
			       variant->other);
		}
	}
	judge_jumps(model, form, jumps, tally);
	judge_decoders(model, form, decoders, tally);
	tally->forms++;
	tally->idioms += wanted != PROBE_IDIOM_NONE;
	tally->moves += eliminates;
	if (!takt_probe_idioms_agree(got, wanted)) {
		tally->wrong_idioms++;
		printf("# %s: idiom %d instead of %d\n", form->text, got, wanted);
	}
	if (eliminated != eliminates) {
		tally->wrong_moves++;
		printf("# %s: %seliminated\n", form->text, eliminated ? "" : "not ");
	}
}

/* ---- all of them ---------------------------------------------------------- */

static void run(struct probe_lab *lab, const struct takt_model *model, size_t step,
		size_t idiom_step, struct tally *tally)
{
	size_t special = 0;

	for (size_t i = 0; i < lab->forms.count; i++) {
		const struct probe_form *form = &lab->forms.forms[i];
		bool is_special = takt_probe_model_idiom(model, form) != PROBE_IDIOM_NONE ||
				  takt_probe_model_eliminates(model, form);
		struct probe_variants variants;
		struct takt_arena arena = {0};
		struct probe_known known;
		uint64_t runs;

		special += is_special;
		if (is_special ? special % idiom_step != 0 : i % step != 0)
			continue;
		if (!measure_plain(lab, form, &arena, &known)) {
			takt_arena_release(&arena);
			continue;
		}
		runs = lab->runs;
		takt_probe_variants(lab, form, &known, &variants);
		tally->runs += lab->runs - runs;
		judge(model, form, &known, &variants, tally);
		takt_arena_release(&arena);
	}
}

int main(int argc, char **argv)
{
	struct probe_sim_options options = {.seed = 1};
	struct takt_diag *diag = takt_diag_new();
	struct probe_variant transition;
	struct takt_model *model;
	struct tally tally = {0};
	struct probe_lab *lab;

	if (argc < 4 || takt_model_open(argv[1], NULL, diag, &model) != TAKT_OK) {
		fputs(takt_diag_text(diag), stderr);
		return EXIT_FAILURE;
	}
	for (int i = 4; i < argc; i++) {
		timed |= strcmp(argv[i], "time") == 0;
		if (takt_string_starts(argv[i], "noise="))
			options.noise = strtod(argv[i] + strlen("noise="), NULL);
	}
	options.counters = !timed;
	lab = takt_probe_lab_new(takt_probe_sim_open(model, &options));
	run(lab, model, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), &tally);
	printf("# %s: %zu forms, %zu idioms, %zu moves to eliminate, %zu figures of divisions; "
	       "%.2f experiments for the variants of a form\n",
	       argv[1], tally.forms, tally.idioms, tally.moves, tally.divisions,
	       (double)tally.runs / (double)tally.forms);
	printf("# of %zu pairs of instruction and condition that fuse, %zu were found\n",
	       tally.jumps + tally.unfused_jumps, tally.jumps);
	printf("# of %zu forms of the first decoder or microcode, %zu were found, %zu with too few "
	       "other decoders\n",
	       tally.decoders + tally.hidden_decoders, tally.decoders, tally.near_decoders);
	is_int((long long)tally.wrong_decoders, 0, "decoders that the form does not need");
	ok(tally.idioms > 0, "there are idioms");
	is_int((long long)tally.wrong_jumps, 0, "jumps that the core does not fuse");
	is_int((long long)tally.wrong_idioms, 0, "idioms not found, or wrongly");
	is_int((long long)tally.wrong_moves, 0, "eliminated moves not found, or wrongly");
	is_int((long long)tally.wrong_divisions, 0, "divisions unlike the plain experiments");
	is_int((long long)tally.invented, 0, "effects that the simulator does not play");
	if (takt_probe_transition(lab, &transition))
		/* Real ones are of tens of cycles. */
		ok(fabs(transition.figure) < 1, "no cost of transitions is played: %.2f",
		   transition.figure);
	takt_probe_lab_free(lab);
	takt_model_close(model);
	takt_diag_free(diag);
	return tap_done();
}
