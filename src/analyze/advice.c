/* SPDX-License-Identifier: MIT */
/* Describes relaxations in words: what would be better, and on which kind of recurrence it is. */
#include <stdlib.h>
#include <string.h>

#include "analyze/chains.h"
#include "analyze/relax.h"

/* Improvement that each kind of trial makes; trials of a parameter have its name instead. */
static const char *const words[] = {
	[TAKT_TRIAL_PORT] = "one more port like",
	[TAKT_TRIAL_PIPELINED] = "a pipelined unit",
	[TAKT_TRIAL_LATENCY] = "half the latency of",
	[TAKT_TRIAL_LOAD] = "loads one cycle faster",
	[TAKT_TRIAL_FRONT_END] = "a front end 1.5 times as wide",
	[TAKT_TRIAL_ISSUE] = "issue of",
	[TAKT_TRIAL_RETIRE] = "retirement of",
	[TAKT_TRIAL_ROB] = "a reorder buffer of",
	[TAKT_TRIAL_SCHEDULER] = "a scheduler of",
	[TAKT_TRIAL_LOAD_QUEUE] = "a load queue of",
	[TAKT_TRIAL_STORE_QUEUE] = "a store queue of",
	[TAKT_TRIAL_COMMIT] = "a store commit rate of",
	[TAKT_TRIAL_MEMORY] = "no loads of recently stored values",
	[TAKT_TRIAL_FORWARD] = "store forwarding for every load",
	[TAKT_TRIAL_MOVES] = "every move eliminated",
	[TAKT_TRIAL_ALIGNMENT] = "the block at offset",
};

/* Append " (divider)" for a port titled "divider, first of two". */
static void add_title(const struct takt_work *work, uint32_t port, struct takt_text *text)
{
	const char *title = takt_model_port_title(work->prepared.model, port);
	size_t size = strcspn(title, ",;:");

	if (size) {
		takt_text_add_string(text, " (");
		takt_text_add(text, title, size);
		takt_text_add_string(text, ")");
	}
}

/* Append " p0, p1 or p5", or " d0 (divider)". */
static void add_ports(const struct takt_work *work, uint32_t ports, struct takt_text *text)
{
	for (uint32_t rest = ports; rest; rest &= rest - 1) {
		uint32_t port = (uint32_t)__builtin_ctz(rest);

		takt_text_printf(text, "%s%s",
				 rest == ports	     ? " "
				 : rest & (rest - 1) ? ", "
						     : " or ",
				 work->record->port_names[port]);
	}
	add_title(work, (uint32_t)__builtin_ctz(ports), text);
}

/* Return true if a form is a fused multiply-add: its class also contains plain multiplications. */
static bool is_fma(const char *form)
{
	static const char *const parts[] = {"fmad", "fmac", "fmsu", "fmsb", "fmla", "fmls",
					    "fnma", "fnms", "fnml", "mla",  "mls"};

	for (size_t i = 0; i < TAKT_COUNT_OF(parts); i++)
		if (strstr(form, parts[i]))
			return true;
	return false;
}

/* Return the name of the operation of a trial's instructions. */
static const char *operation_of(const struct takt_work *work, const struct takt_trial *trial)
{
	bool fused = false, plain = false;

	if (trial->insn_class == TAKT_CLASS_FP_MUL)
		for (uint32_t i = 0; i < work->record->insn_count; i++)
			if (takt_trial_concerns(work, trial, i)) {
				fused |= is_fma(work->insns[i].form);
				plain |= !is_fma(work->insns[i].form);
			}
	if (fused)
		return plain ? "fp-mul and fma" : "fma";
	return takt_class_word((enum takt_insn_class)trial->insn_class);
}

/*
 * Append the operation and " (4 to 2 cycles)", the latter if all its instructions have the same
 * latency.
 */
static void add_latency(const struct takt_work *work, const struct takt_trial *trial,
			struct takt_text *text)
{
	uint32_t all = 0;

	takt_text_printf(text, " %s", operation_of(work, trial));
	for (uint32_t i = 0; i < work->record->insn_count; i++) {
		uint32_t cycles = takt_trial_latency(&work->prepared, i);

		if (!takt_trial_concerns(work, trial, i))
			continue;
		if (all && cycles != all)
			return;
		all = cycles;
	}
	takt_text_printf(text, " (%u to %u cycles)", all, (all + 1) / 2);
}

static void add_param(const struct takt_model *model, const struct takt_trial *trial,
		      struct takt_text *text)
{
	struct takt_core_params before = *takt_model_params(model), after = before;
	const int32_t *from = takt_trial_param(trial->kind, &before);
	const int32_t *to = takt_trial_param(trial->kind, &after);

	takt_trial_set_params(trial, &after);
	takt_text_printf(text, " %d instead of %d", *to, *from);
	if (trial->kind == TAKT_TRIAL_ISSUE || trial->kind == TAKT_TRIAL_RETIRE)
		takt_text_add_string(text, " slots per cycle");
	else if (trial->kind == TAKT_TRIAL_COMMIT)
		takt_text_add_string(text, " per cycle");
	else
		takt_text_add_string(text, " entries");
}

void takt_trial_write(const struct takt_model *model, const struct takt_trial *trial,
		      struct takt_text *text)
{
	struct takt_core_params params = *takt_model_params(model);

	takt_text_add_string(text, words[trial->kind]);
	if (takt_trial_param(trial->kind, &params))
		add_param(model, trial, text);
}

static const char *describe(struct takt_work *work, const struct takt_trial *trial)
{
	struct takt_core_params params = *takt_model_params(work->prepared.model);
	struct takt_text text = {0};

	takt_text_add_string(&text, words[trial->kind]);
	if (trial->kind == TAKT_TRIAL_PORT || trial->kind == TAKT_TRIAL_PIPELINED)
		add_ports(work, trial->ports, &text);
	else if (trial->kind == TAKT_TRIAL_LATENCY)
		add_latency(work, trial, &text);
	else if (trial->kind == TAKT_TRIAL_ALIGNMENT)
		takt_text_printf(&text, " %u of a 64-byte line instead of %u",
				 trial->alignment_bytes, work->record->alignment_bytes);
	else if (takt_trial_param(trial->kind, &params))
		add_param(work->prepared.model, trial, &text);
	return takt_text_move(&text, work->arena);
}

/* Say what kind of recurrence the latency is on, if no change of the code shortens that. */
static const char *advise_on_latency(const struct takt_work *work, const struct takt_trial *trial)
{
	const struct takt_loop_carried *worst = &work->loop_carried;
	const char *text = "";

	for (uint32_t i = 0; i < worst->count && !*text; i++) {
		struct takt_chain chain;

		takt_chain_find(work, &worst->worst[i], &chain);
		for (uint32_t k = 0; k < chain.def_count; k++)
			if (takt_trial_concerns(work, trial, work->graph.defs[chain.defs[k]].insn))
				text = takt_chain_text(chain.kind);
	}
	return text;
}

static const char *advise(const struct takt_work *work, const struct takt_trial *trial)
{
	if (trial->kind == TAKT_TRIAL_LATENCY || trial->kind == TAKT_TRIAL_LOAD)
		return advise_on_latency(work, trial);
	return trial->kind == TAKT_TRIAL_ALIGNMENT ? "align the block to this offset" : "";
}

/* ---- affected instructions, the most affected first ---------------------------------- */

struct ranked {
	uint32_t insn;
	double weight;
};

static double weight_of(const struct takt_work *work, const struct takt_trial *trial,
			uint32_t index)
{
	const struct takt_analysis_insn *insn = &work->insns[index];
	double cycles = 0;

	if (trial->kind == TAKT_TRIAL_LATENCY || trial->kind == TAKT_TRIAL_LOAD)
		return 2 * insn->lcd_cycles + insn->cp_cycles;
	for (uint32_t ports = trial->ports; ports; ports &= ports - 1)
		cycles += insn->port_cycles[__builtin_ctz(ports)];
	return cycles;
}

TAKT_ORDER(compare_weights, struct ranked, TAKT_DOWN(weight), TAKT_UP(insn));

void takt_trial_describe(struct takt_work *work, const struct takt_trial *trial,
			 struct takt_relaxation *ret_relaxation)
{
	uint32_t all = work->record->insn_count, count = 0;
	struct ranked *ranked = TAKT_NEW_ARRAY(work->scratch, all, struct ranked);
	uint32_t *insns;

	for (uint32_t i = 0; i < all; i++)
		if (takt_trial_concerns(work, trial, i))
			ranked[count++] = (struct ranked){i, weight_of(work, trial, i)};
	qsort(ranked, count, sizeof(*ranked), compare_weights);
	insns = TAKT_NEW_ARRAY(work->arena, count, uint32_t);
	for (uint32_t i = 0; i < count; i++)
		insns[i] = ranked[i].insn;
	*ret_relaxation = (struct takt_relaxation){.what = describe(work, trial),
						   .advice = advise(work, trial),
						   .cycles = trial->cycles,
						   .insns = insns,
						   .insn_count = count};
}
