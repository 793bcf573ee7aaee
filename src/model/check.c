/* SPDX-License-Identifier: MIT */
/* Checks a core's rows, form by form, and reports what is suspicious with its remedy. */
#include <string.h>

#include "model/image.h"

#define THROUGHPUT_TOLERANCE 0.95

struct checker {
	const struct takt_model *model;
	struct takt_port_list ports;
	struct takt_text *text;
	size_t count;
};

static void find(struct checker *checker, const char *subject, const char *format, ...)
	TAKT_PRINTF(3, 4);

static void find(struct checker *checker, const char *subject, const char *format, ...)
{
	va_list args;

	takt_text_printf(checker->text, "%s: ", subject);
	va_start(args, format);
	takt_text_vprintf(checker->text, format, args);
	va_end(args);
	takt_text_add_string(checker->text, "\n");
	checker->count++;
}

static void check_uops(struct checker *checker, const char *form, const struct takt_timing *timing)
{
	uint32_t known =
		checker->ports.count == 32 ? UINT32_MAX : ((uint32_t)1 << checker->ports.count) - 1;
	bool nothing = timing->uops_count == 0;
	double bound = takt_timing_ports_cycles(timing),
	       measured = timing->rthroughput_hundredths / 100.0;

	for (unsigned i = 0; i < timing->uops_count; i++) {
		if (timing->uops[i].ports & ~known)
			find(checker, form, "uses a port that %s lacks; list it in 'ports'",
			     takt_model_name(checker->model));
		if (timing->uops[i].ports == 0 || timing->uops[i].count == 0)
			find(checker, form, "µops without ports or without a count; drop them");
	}
	if (nothing && timing->latency_default > 0 && timing->uop_total == 0 && timing->ms == 0 &&
	    !(timing->flags & (TAKT_TIMING_ZERO | TAKT_TIMING_ELIM)))
		find(checker, form,
		     "latency %u without µops; add the µops, or lat=0, 'zero' or 'elim'",
		     timing->latency_default);
	if (measured > 0 && measured < bound * THROUGHPUT_TOLERANCE)
		find(checker, form,
		     "measured %.2f cycles, but its own µops need %.2f; correct rtp or the ports",
		     measured, bound);
}

static void check_counts(struct checker *checker, const char *form,
			 const struct takt_timing *timing)
{
	if (timing->slots == 0)
		find(checker, form, "no issue slots; every instruction takes one: slots=1");
	else if (timing->mite == 0 && timing->ms == 0)
		find(checker, form, "comes from no decoder; give mite or ms");
	if (timing->ms > timing->slots)
		find(checker, form, "%u %s from microcode, but only %u in all; raise slots",
		     timing->ms, takt_noun(timing->ms, "slot", "slots"), timing->slots);
	if ((timing->flags & (TAKT_TIMING_ZERO | TAKT_TIMING_ELIM)) && timing->uop_total)
		find(checker, form, "'zero' or 'elim', but %u %s; drop one of the two",
		     timing->uop_total,
		     takt_noun(timing->uop_total, "µop executes", "µops execute"));
}

/* ---- operands ------------------------------------------------------------------ */

static bool has_slot(takt_form_key key, const struct takt_form *form, uint8_t slot)
{
	bool maskable = form->flags & TAKT_FORM_K;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++) {
		enum takt_operand_kind kind = (enum takt_operand_kind)form->kinds[i];

		/* The row of a plain form is also used for its masked forms. */
		if (kind >= TAKT_KIND_XMM && kind <= TAKT_KIND_K)
			maskable = true;
	}
	if (slot <= TAKT_SLOT_5)
		return form->kinds[slot] != TAKT_KIND_NONE;
	if (slot == TAKT_SLOT_MASK)
		return maskable;
	if (slot == TAKT_SLOT_BASE || slot == TAKT_SLOT_INDEX || slot == TAKT_SLOT_ANY_ADDRESS)
		return takt_form_address_operand(key) != 0;
	return true; /* implicit operands are not in the form */
}

static void check_latencies(struct checker *checker, const struct takt_form_entry *entry,
			    const struct takt_timing *timing)
{
	struct takt_form form = takt_form_unpack(entry->form);

	for (unsigned i = 0; i < timing->latency_count; i++) {
		const uint8_t slots[] = {timing->latencies[i].source,
					 timing->latencies[i].destination};

		for (size_t j = 0; j < TAKT_COUNT_OF(slots); j++) {
			struct takt_text name = {0};

			if (has_slot(entry->form, &form, slots[j]))
				continue;
			if (slots[j] == TAKT_SLOT_ANY_ADDRESS)
				takt_text_add_string(&name, "a");
			else
				takt_slot_write(checker->model->isa, slots[j], &name);
			find(checker, entry->text,
			     "a latency names operand '%s', which the form lacks; drop the pair",
			     takt_text_data(&name));
			takt_text_release(&name);
		}
	}
}

/* ---- extensions ------------------------------------------------------------------ */

static bool has_set(const struct takt_model *model, const char *name)
{
	for (uint16_t i = 0; i < takt_isa_set_count() && i < TAKT_IMAGE_ISA_WORDS * 64; i++)
		if (strcmp(takt_isa_set_name(i), name) == 0)
			return model->core->isa_sets[i / 64] >> i % 64 & 1;
	return false;
}

/*
 * Warn of a form whose ISA set the core lacks. A form does not name its ISA set, but some operands
 * of x86-64 belong to one set alone. Cores that list no sets at all are not checked.
 */
static void check_extension(struct checker *checker, const struct takt_form_entry *entry)
{
	static const struct {
		uint8_t kind;
		const char *set;
	} needs[] = {
		{TAKT_KIND_YMM, "avx"},
		{TAKT_KIND_ZMM, "avx512f_512"},
		{TAKT_KIND_K, "avx512f_kop"},
		{TAKT_KIND_TMM, "amx_tile"},
		{TAKT_KIND_M16B, "avx512_fp16_512"},
		{TAKT_KIND_M32B, "avx512f_512"},
		{TAKT_KIND_M64B, "avx512f_512"},
	};
	const unsigned evex = TAKT_FORM_K | TAKT_FORM_EVEX | TAKT_FORM_ER | TAKT_FORM_SAE;
	struct takt_form form = takt_form_unpack(entry->form);
	const char *lacking = NULL;

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX && !lacking; i++)
		for (size_t j = 0; j < TAKT_COUNT_OF(needs); j++)
			if (form.kinds[i] == needs[j].kind &&
			    !has_set(checker->model, needs[j].set))
				lacking = needs[j].set;
	if (!lacking && form.flags & evex && !has_set(checker->model, "avx512f_512"))
		lacking = "avx512f_512";
	if (lacking)
		find(checker, entry->text,
		     "needs '%s', which %s lacks; list it in 'extensions' or write 'none'", lacking,
		     takt_model_name(checker->model));
}

static bool lists_sets(const struct takt_model *model)
{
	for (size_t i = 0; i < TAKT_IMAGE_ISA_WORDS; i++)
		if (model->core->isa_sets[i])
			return true;
	return false;
}

/* ---- the core itself ---------------------------------------------------------------- */

static void check_core(struct checker *checker)
{
	const struct takt_image_core *core = checker->model->core;

	if (checker->ports.count == 0)
		find(checker, "core", "no ports; add a 'ports' line");
	if (!core->compose[0] || !core->compose[TAKT_COMPOSE_STORE])
		find(checker, "core", "no 'compose load' or 'compose store' row; add them");
	for (unsigned i = 0; i < TAKT_CLASS_COUNT; i++)
		if (!core->defaults[i])
			find(checker, "core", "no default for class '%s'; add 'default %s | … | …'",
			     takt_class_word((enum takt_insn_class)i),
			     takt_class_word((enum takt_insn_class)i));
}

size_t takt_model_write_check(const struct takt_model *model, struct takt_text *text)
{
	struct checker checker = {.model = model, .text = text};
	struct takt_arena arena = {0};
	struct takt_form_entry *forms;
	size_t count = takt_model_forms(model, NULL, &arena, &forms);
	bool sets = model->isa == &takt_isa_x86 && lists_sets(model);

	takt_model_ports(model, &checker.ports);
	check_core(&checker);
	for (size_t i = 0; i < count; i++) {
		struct takt_timing timing;

		takt_timing_from_image(&model->image, forms[i].timing, TAKT_MATCH_ROW, &timing);
		check_counts(&checker, forms[i].text, &timing);
		if (model->isa->llvm) /* LLVM's scheduling classes: they do not tell the operands */
			continue;
		check_uops(&checker, forms[i].text, &timing);
		check_latencies(&checker, &forms[i], &timing);
		if (sets)
			check_extension(&checker, &forms[i]);
	}
	takt_text_printf(text, "%s: %zu %s checked, %zu %s\n", takt_model_name(model), count,
			 takt_noun(count, "form", "forms"), checker.count,
			 takt_noun(checker.count, "finding", "findings"));
	takt_arena_release(&arena);
	return checker.count;
}
