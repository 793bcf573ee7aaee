/* SPDX-License-Identifier: MIT */
/* Writes variants in the exports of a survey. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "characterize/survey/survey.h"

static void add_found(void *context, const char *form, const struct takt_variant *variant)
{
	enum probe_variant_kind kind = takt_probe_variant_kind(variant->kind);
	struct probe_found *found = context;
	struct probe_variant *added = &found->list[found->count];

	(void)form;
	if (kind == PROBE_VARIANT_COUNT || found->count == PROBE_VARIANTS_MAX)
		return;
	*added = (struct probe_variant){
		.kind = kind, .figure = variant->figure, .other = variant->other};
	snprintf(added->detail, sizeof(added->detail), "%s", variant->detail);
	found->count++;
}

void takt_probe_variants_find(struct probe_store *store, const char *form,
			      struct probe_found *ret_found)
{
	ret_found->count = 0;
	if (takt_probe_store_each_variant(store, form, add_found, ret_found, NULL) != TAKT_OK)
		ret_found->count = 0;
}

const struct probe_variant *takt_probe_found(const struct probe_found *found,
					     enum probe_variant_kind kind, const char *detail)
{
	for (unsigned i = 0; i < found->count; i++)
		if (found->list[i].kind == kind && strcmp(found->list[i].detail, detail) == 0)
			return &found->list[i];
	return NULL;
}

void takt_probe_variants_csv(struct probe_store *store, const char *form, struct takt_text *text)
{
	struct probe_found found;

	takt_probe_variants_find(store, form, &found);
	for (unsigned i = 0; i < found.count; i++) {
		const struct probe_variant *variant = &found.list[i];

		takt_text_printf(text, "%s%s%s:%.4g", takt_probe_variant_word(variant->kind),
				 *variant->detail ? "/" : "", variant->detail, variant->figure);
		if (!isnan(variant->other))
			takt_text_printf(text, "-%.4g", variant->other);
		takt_text_add_string(text, ";");
	}
}

/* ---- report --------------------------------------------------------------- */

/* Kinds that the report lists by form; of the others it gives the number. */
static const enum probe_variant_kind listed[] = {PROBE_ZERO_IDIOM, PROBE_ONES_IDIOM, PROBE_BREAKS,
						 PROBE_ELIMINATED, PROBE_FALSE,	     PROBE_BYPASS};

struct report {
	struct takt_text lists[TAKT_COUNT_OF(listed)];
	struct takt_text machine;
	size_t counts[PROBE_VARIANT_COUNT];
};

static void list_variant(const char *form, const struct takt_variant *variant,
			 enum probe_variant_kind kind, struct takt_text *text)
{
	takt_text_printf(text, "  %-40s %.2f", form, variant->figure);
	if (!isnan(variant->other))
		takt_text_printf(text, "; %s %.2f", takt_probe_variant_other(kind), variant->other);
	if (*variant->detail)
		takt_text_printf(text, ", %s", variant->detail);
	takt_text_add_string(text, "\n");
}

static void add_to_report(void *context, const char *form, const struct takt_variant *variant)
{
	enum probe_variant_kind kind = takt_probe_variant_kind(variant->kind);
	struct report *report = context;

	if (kind == PROBE_VARIANT_COUNT)
		return;
	if (!*form) {
		takt_text_printf(&report->machine, "%8.2f  cycles %s\n", variant->figure,
				 takt_probe_variant_title(kind));
		return;
	}
	report->counts[kind]++;
	for (size_t i = 0; i < TAKT_COUNT_OF(listed); i++)
		if (listed[i] == kind)
			list_variant(form, variant, kind, &report->lists[i]);
}

static void write_report(struct report *report, struct takt_text *text)
{
	takt_text_add_string(text, "\nvariants:\n");
	for (unsigned i = 0; i < PROBE_VARIANT_COUNT; i++) {
		enum probe_variant_kind kind = (enum probe_variant_kind)i;

		if (report->counts[kind])
			takt_text_printf(text, "  %6zu  %s: %s\n", report->counts[kind],
					 takt_probe_variant_word(kind),
					 takt_probe_variant_title(kind));
	}
	takt_text_add_string(text, takt_text_data(&report->machine));
	for (size_t i = 0; i < TAKT_COUNT_OF(listed); i++)
		if (report->lists[i].size_bytes)
			takt_text_printf(text, "\n%s:\n\n%s", takt_probe_variant_word(listed[i]),
					 takt_text_data(&report->lists[i]));
}

/* ---- the model ------------------------------------------------------------ */

static const char *const idiom_texts[] = {
	[PROBE_IDIOM_NONE] = "waits",
	[PROBE_IDIOM_BREAKS] = "does not wait",
	[PROBE_IDIOM_ZERO] = "is not executed",
	[PROBE_IDIOM_UNSURE] = "does not wait, or is not executed",
};

static enum probe_idiom idiom_of(const struct probe_found *found)
{
	enum probe_idiom idiom = PROBE_IDIOM_NONE;

	for (unsigned i = 0; i < found->count && idiom == PROBE_IDIOM_NONE; i++)
		idiom = takt_probe_variant_idiom(found->list[i].kind, found->list[i].detail);
	return idiom;
}

/* Compare the form with the model. Returns true if they differ. */
static bool compare(const struct probe_found *found, const struct takt_model *model,
		    const struct probe_form *form, struct takt_text *text)
{
	enum probe_idiom idiom = idiom_of(found), expected = takt_probe_model_idiom(model, form);
	bool eliminated = takt_probe_found(found, PROBE_ELIMINATED, "") != NULL;
	bool agrees = takt_probe_idioms_agree(idiom, expected);

	if (!agrees)
		takt_text_printf(text, "  %-40s on one register it %s, model: %s\n", form->text,
				 idiom_texts[idiom], idiom_texts[expected]);
	if (eliminated == takt_probe_model_eliminates(model, form))
		return !agrees;
	takt_text_printf(text, "  %-40s is %seliminated, model: is %s\n", form->text,
			 eliminated ? "" : "not ", eliminated ? "not" : "eliminated");
	return true;
}

struct comparison {
	struct probe_store *store;
	const struct takt_model *model;
	const struct probe_forms *forms;
	struct takt_text lines;
	size_t forms_compared, forms_differing;
};

static void compare_row(void *context, const struct probe_row *row)
{
	struct comparison *comparison = context;
	const struct probe_form *form;
	struct probe_found found;

	form = takt_probe_form_named(comparison->forms, row->form);
	if (!form || *row->reason || !takt_probe_store_has_variants(comparison->store, row->form))
		return;
	takt_probe_variants_find(comparison->store, row->form, &found);
	comparison->forms_compared++;
	comparison->forms_differing += compare(&found, comparison->model, form, &comparison->lines);
}

static enum takt_status write_comparison(struct comparison *comparison, struct takt_diag *diag,
					 struct takt_text *text)
{
	enum takt_status status =
		takt_probe_store_each(comparison->store, compare_row, comparison, diag);

	if (status == TAKT_OK)
		takt_text_printf(text,
				 "\nidioms and moves of %zu of %zu forms differ from the model of "
				 "%s%s\n%s",
				 comparison->forms_differing, comparison->forms_compared,
				 takt_model_name(comparison->model),
				 comparison->forms_differing ? ":\n" : "",
				 takt_text_data(&comparison->lines));
	takt_text_release(&comparison->lines);
	return status;
}

enum takt_status takt_probe_variants_report(struct probe_store *store,
					    const struct takt_model *model,
					    const struct probe_forms *forms, struct takt_diag *diag,
					    struct takt_text *text)
{
	struct comparison comparison = {.store = store, .model = model, .forms = forms};
	struct report report = {.machine = {0}};
	bool any = takt_probe_store_has_variants(store, "");
	enum takt_status status =
		takt_probe_store_each_variant(store, NULL, add_to_report, &report, diag);

	if (status == TAKT_OK && any)
		write_report(&report, text);
	for (size_t i = 0; i < TAKT_COUNT_OF(listed); i++)
		takt_text_release(&report.lists[i]);
	takt_text_release(&report.machine);
	return status == TAKT_OK && any && model ? write_comparison(&comparison, diag, text)
						 : status;
}
