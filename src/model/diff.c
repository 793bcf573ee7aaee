/* SPDX-License-Identifier: MIT */
/* Compares two models form by form and reports where two cores, or two sources, disagree. */
#include <stdlib.h>
#include <string.h>

#include "model/image.h"

/* Sample instructions of all forms, made on first use because that takes a while. */
struct samples {
	struct takt_arena *arena; /* NULL: an instruction set without samples */
	const struct takt_isa *isa;
	const struct takt_sample *sorted;
	size_t count;
};

struct side {
	const struct takt_model *model;
	const char *title; /* the core's name, or its place among two of one name */
	struct takt_port_list ports;
	struct takt_form_entry *forms;
	size_t count, at;
};

struct counts {
	size_t same, uops, latency, slots, left_only, right_only, params;
	struct takt_agreement agreement;
	struct samples samples;
};

/* ---- agreement ------------------------------------------------------------ */

TAKT_ORDER(compare_samples, struct takt_sample, TAKT_UP(form));

static void find_samples(struct samples *samples)
{
	const struct takt_sample *found =
		samples->isa == &takt_isa_aarch64
			? takt_aarch64_samples_find(samples->arena, &samples->count)
			: takt_samples_find(samples->arena, &samples->count);
	struct takt_sample *sorted =
		TAKT_NEW_ARRAY(samples->arena, samples->count, struct takt_sample);

	if (samples->count)
		memcpy(sorted, found, samples->count * sizeof(*sorted));
	qsort(sorted, samples->count, sizeof(*sorted), compare_samples);
	samples->sorted = sorted;
}

/* Find an instruction of the form, whatever its qualifiers. */
static bool find_insn(struct samples *samples, takt_form_key key, struct takt_insn *ret_insn)
{
	struct takt_form form = takt_form_unpack(key);
	struct takt_sample wanted = {.form = key};
	const struct takt_sample *found;

	if (!samples->arena)
		return false;
	if (!samples->sorted)
		find_samples(samples);
	form.flags &= (uint16_t)~TAKT_FORM_QUALIFIERS;
	if (!form.is_foreign)
		wanted.form = takt_form_pack(&form);
	found = bsearch(&wanted, samples->sorted, samples->count, sizeof(wanted), compare_samples);
	return found &&
	       takt_decode(samples->isa, found->bytes, found->length_bytes, 0, ret_insn) == TAKT_OK;
}

/*
 * True if both rows are the same row of one core, of which one side has other timings: such rows
 * from one source say nothing about agreement.
 */
static bool is_one_row(const struct side *left, const struct side *right,
		       const struct takt_timing *old, const struct takt_timing *new)
{
	return strcmp(takt_model_name(left->model), takt_model_name(right->model)) == 0 &&
	       strcmp(takt_model_source(left->model, old->source),
		      takt_model_source(right->model, new->source)) == 0;
}

static void count_agreement(const struct side *left, const struct side *right,
			    const struct takt_timing *old, const struct takt_timing *new,
			    struct counts *counts)
{
	double reference = takt_timing_throughput(left->model, old);
	struct takt_insn insn;

	if (is_one_row(left, right, old, new))
		return;
	takt_agreement_throughput(&counts->agreement, takt_timing_throughput(right->model, new),
				  reference);
	if (find_insn(&counts->samples, left->forms[left->at].form, &insn))
		takt_agreement_insn(&counts->agreement, &insn, new, old);
}

/* ---- rows ----------------------------------------------------------------- */

static void write_change(struct takt_text *text, const char *what, const struct takt_text *left,
			 const struct takt_text *right)
{
	takt_text_printf(text, "%s %s → %s", what, takt_text_data(left), takt_text_data(right));
}

/* Compare one field of both sides and, if they differ, write "; what left → right". */
static bool compare_field(struct takt_text *text, const char *what, struct takt_text *left,
			  struct takt_text *right, bool first)
{
	bool differs = strcmp(takt_text_data(left), takt_text_data(right)) != 0;

	if (differs) {
		takt_text_add_string(text, first ? ": " : "; ");
		write_change(text, what, left, right);
	}
	takt_text_clear(left);
	takt_text_clear(right);
	return differs;
}

static void write_slots(const struct takt_timing *timing, struct takt_text *text)
{
	takt_text_printf(text, "%u", timing->slots);
	if (timing->mite != timing->slots || timing->ms)
		takt_text_printf(text, " (mite %u ms %u)", timing->mite, timing->ms);
}

static void write_kind(const struct takt_timing *timing, struct takt_text *text)
{
	takt_text_add_string(text, timing->flags & TAKT_TIMING_ZERO	? "zero"
				   : timing->flags & TAKT_TIMING_ELIM	? "elim"
				   : timing->flags & TAKT_TIMING_BREAKS ? "breaks"
									: "executed");
}

static void compare_rows(const struct side *left, const struct side *right, struct takt_text *text,
			 struct counts *counts)
{
	const struct takt_form_entry *form = &left->forms[left->at];
	struct takt_timing old, new;
	struct takt_text a = {0}, b = {0}, line = {0};
	bool differs, any;

	takt_timing_from_image(&left->model->image, form->timing, TAKT_MATCH_ROW, &old);
	takt_timing_from_image(&right->model->image, right->forms[right->at].timing, TAKT_MATCH_ROW,
			       &new);
	count_agreement(left, right, &old, &new, counts);
	takt_uops_write(&old, &left->ports, &a);
	takt_uops_write(&new, &right->ports, &b);
	any = differs = compare_field(&line, "µops", &a, &b, true);
	counts->uops += differs;
	takt_latencies_write(left->model->isa, form->form, &old, &a);
	takt_latencies_write(left->model->isa, form->form, &new, &b);
	differs = compare_field(&line, "latency", &a, &b, !any);
	counts->latency += differs;
	any |= differs;
	write_slots(&old, &a);
	write_slots(&new, &b);
	differs = compare_field(&line, "slots", &a, &b, !any);
	counts->slots += differs;
	any |= differs;
	write_kind(&old, &a);
	write_kind(&new, &b);
	any |= compare_field(&line, "kind", &a, &b, !any);
	if (any)
		takt_text_printf(text, "%s%s\n", form->text, line.data);
	counts->same += !any;
	takt_text_release(&a);
	takt_text_release(&b);
	takt_text_release(&line);
}

static void write_only(const struct side *side, size_t *count, struct takt_text *text)
{
	takt_text_printf(text, "%s: only in %s\n", side->forms[side->at].text, side->title);
	(*count)++;
}

static size_t compare_forms(struct side *left, struct side *right, struct takt_text *text,
			    struct counts *counts)
{
	size_t total = 0;

	while (left->at < left->count || right->at < right->count) {
		int order;

		if (left->at == left->count)
			order = 1;
		else if (right->at == right->count)
			order = -1;
		else
			order = strcmp(left->forms[left->at].text, right->forms[right->at].text);
		if (order == 0)
			compare_rows(left, right, text, counts);
		else if (order < 0)
			write_only(left, &counts->left_only, text);
		else
			write_only(right, &counts->right_only, text);
		left->at += order <= 0;
		right->at += order >= 0;
		total++;
	}
	return total;
}

static void compare_params(const struct side *left, const struct side *right,
			   struct takt_text *text, struct counts *counts)
{
	for (size_t i = 0; i < TAKT_PARAM_COUNT; i++) {
		int32_t old = left->model->core->params[i], new = right->model->core->params[i];

		if (old == new)
			continue;
		takt_text_printf(text, "%s: %d → %d\n", takt_param_texts[i].name, old, new);
		counts->params++;
	}
}

static void open_side(const struct takt_model *model, const char *title, const char *glob,
		      struct takt_arena *arena, struct side *side)
{
	side->model = model;
	side->title = title;
	takt_model_ports(model, &side->ports);
	side->count = takt_model_forms(model, glob, arena, &side->forms);
}

size_t takt_model_write_diff(const struct takt_model *left, const struct takt_model *right,
			     const char *forms, struct takt_text *text)
{
	struct takt_arena arena = {0};
	struct side a = {0}, b = {0};
	struct counts counts = {0};
	const char *old = takt_model_name(left), *new = takt_model_name(right);
	/* A core before and after rows of a file replaced its own has one name. */
	bool same = strcmp(old, new) == 0;
	size_t total;

	open_side(left, same ? "the first" : old, forms, &arena, &a);
	open_side(right, same ? "the second" : new, forms, &arena, &b);
	/* With a glob only forms are compared. */
	if (!forms)
		compare_params(&a, &b, text, &counts);
	counts.samples.isa = left->isa;
	if (left->isa == right->isa &&
	    (left->isa == &takt_isa_x86 || left->isa == &takt_isa_aarch64))
		counts.samples.arena = &arena;
	total = compare_forms(&a, &b, text, &counts);
	takt_text_printf(text,
			 "%s → %s: %zu %s, %zu equal; differing in µops %zu, latency %zu, slots "
			 "%zu; only in %s %zu, only in %s %zu; %zu %s\n",
			 old, new, total, takt_noun(total, "form", "forms"), counts.same,
			 counts.uops, counts.latency, counts.slots, a.title, counts.left_only,
			 b.title, counts.right_only, counts.params,
			 takt_noun(counts.params, "parameter differs", "parameters differ"));
	takt_agreement_write(&counts.agreement, text);
	takt_arena_release(&arena);
	return total - counts.same + counts.params;
}
