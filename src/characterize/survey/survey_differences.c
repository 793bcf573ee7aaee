/* SPDX-License-Identifier: MIT */
/* The lists of reports on surveys; see survey_differences.h. */
#include <stdlib.h>
#include <string.h>

#include "characterize/survey/survey_differences.h"

#define LINE_COLUMNS 100u

static const char *const class_titles[] = {
#define X(name, title) title,
	PROBE_DIFFERENCE_LIST(X)
#undef X
};

/* ---- reasons -------------------------------------------------------------- */

void takt_probe_reasons_add(struct probe_reasons *reasons, const char *text, const char *form)
{
	struct probe_reason *list = reasons->list;
	size_t last = PROBE_REASONS_MAX - 1, i = 0;

	while (i < last && list[i].count && strcmp(takt_text_data(&list[i].text), text) != 0)
		i++;
	if (!list[i].count)
		takt_text_add_string(&list[i].text, i < last ? text : "other reasons");
	takt_text_printf(&list[i].forms, "%s%s", list[i].count ? "; " : "", form);
	list[i].count++;
}

/* Write names separated by "; ", broken into lines. */
static void write_names(const char *names, struct takt_text *text)
{
	while (*names) {
		size_t size = strlen(names), room = LINE_COLUMNS - 12;

		if (size > room) {
			const char *end = names + room;

			while (end > names && !(end[0] == ' ' && end[-1] == ';'))
				end--;
			if (end > names)
				size = (size_t)(end - names);
		}
		takt_text_printf(text, "            %.*s\n", (int)size, names);
		names += size;
		names += *names == ' ';
	}
}

TAKT_ORDER(compare_reasons, struct probe_reason, TAKT_DOWN(count),
	   strcmp(takt_text_data(&a->text), takt_text_data(&b->text)));

void takt_probe_reasons_write(struct probe_reasons *reasons, const char *title,
			      struct takt_text *text)
{
	struct probe_reason *list = reasons->list;

	if (!list[0].count)
		return;
	qsort(list, PROBE_REASONS_MAX, sizeof(list[0]), compare_reasons);
	takt_text_printf(text, "\n%s\n", title);
	for (size_t i = 0; i < PROBE_REASONS_MAX && list[i].count; i++) {
		takt_text_printf(text, "  %6zu  %s\n", list[i].count,
				 takt_text_data(&list[i].text));
		write_names(takt_text_data(&list[i].forms), text);
	}
}

void takt_probe_reasons_release(struct probe_reasons *reasons)
{
	for (size_t i = 0; i < PROBE_REASONS_MAX; i++) {
		takt_text_release(&reasons->list[i].text);
		takt_text_release(&reasons->list[i].forms);
	}
}

/* ---- loads ---------------------------------------------------------------- */

static const char *const plain_loads[PROBE_PLAIN_LOADS] = {
	"movsx r64, m8",  "movsx r64, m16", "mov r32, m32",	"mov r64, m64",
	"movss xmm, m32", "movq xmm, m64",  "movups xmm, m128", "vmovups ymm, m256"};

bool takt_probe_is_plain_load(const char *form)
{
	return takt_string_is_one_of(form, plain_loads, PROBE_PLAIN_LOADS);
}

void takt_probe_plain_load_note(struct probe_differences *differences, const char *form,
				double measured, double reference)
{
	for (size_t i = 0; i < PROBE_PLAIN_LOADS; i++)
		if (strcmp(form, plain_loads[i]) == 0)
			differences->load_less[i] = reference - measured;
}

static bool has_vector(const struct probe_form *form)
{
	struct takt_form unpacked = takt_form_unpack(form->sample.form);

	for (unsigned n = 0; n < TAKT_FORM_OPERANDS_MAX; n++)
		if (unpacked.kinds[n] >= TAKT_KIND_MM && unpacked.kinds[n] <= TAKT_KIND_ZMM)
			return !unpacked.is_foreign;
	return unpacked.is_foreign && form->insn.flags & TAKT_INSN_VECTOR;
}

/*
 * Return the cycles by which the reference's loads of this size are slower than the measured ones.
 */
static double load_less(const struct probe_differences *differences, const struct probe_form *form)
{
	const struct takt_memory *memory = takt_probe_memory(form);
	static const unsigned sizes[] = {1, 2, 4, 8, 4, 8, 16, 32};
	bool vector = has_vector(form);

	for (size_t i = 0; memory && i < TAKT_COUNT_OF(sizes); i++)
		if (sizes[i] == memory->size_bytes && (i >= 4) == (vector || sizes[i] > 8))
			return differences->load_less[i];
	return 0;
}

/* ---- differences ---------------------------------------------------------- */

struct takt_text *takt_probe_difference_add(struct probe_differences *differences,
					    enum probe_difference class, const char *form)
{
	struct takt_text *lines = &differences->classes[class].lines;

	differences->classes[class].count++;
	takt_text_printf(lines, "      %-40s ", form);
	return lines;
}

bool takt_probe_latencies_agree(struct probe_differences *differences,
				const struct probe_pair *measured,
				const struct probe_pair *reference)
{
	return takt_agreement_latency(&differences->agreement, measured->least - reference->most,
				      measured->most - reference->least, 0);
}

enum probe_difference takt_probe_latency_class(const struct probe_differences *differences,
					       const struct probe_form *form, uint8_t source,
					       uint8_t destination,
					       const struct probe_pair *measured,
					       const struct probe_pair *reference)
{
	const struct takt_memory *memory = takt_probe_memory(form);
	double less = load_less(differences, form);

	if (source == TAKT_SLOT_BASE || source == TAKT_SLOT_INDEX)
		return PROBE_ADDRESS;
	if (memory && source == memory->slot)
		return reference->most - less >= measured->least - TAKT_AGREEMENT_CYCLES &&
				       reference->least - less <=
					       measured->most + TAKT_AGREEMENT_CYCLES
			       ? PROBE_FORWARDING
			       : PROBE_MEMORY;
	if (memory && destination == memory->slot)
		return PROBE_MEMORY;
	if (source == TAKT_SLOT_FLAGS || destination == TAKT_SLOT_FLAGS)
		return PROBE_FLAGS;
	return source == destination ? PROBE_SELF : PROBE_REGISTERS;
}

void takt_probe_differences_write(const struct probe_differences *differences,
				  struct takt_text *text)
{
	takt_agreement_write(&differences->agreement, text);
	if (differences->port_uses)
		takt_text_printf(text, "  %-47s %6zu of %6zu  %5.1f %%\n", "µops and their ports",
				 differences->port_uses_equal, differences->port_uses,
				 100.0 * (double)differences->port_uses_equal /
					 (double)differences->port_uses);
	takt_text_add_string(text, "\ndifferences by class:\n");
	for (size_t i = 0; i < PROBE_DIFFERENCE_COUNT; i++)
		takt_text_printf(text, "  %6zu  %s\n", differences->classes[i].count,
				 class_titles[i]);
	for (size_t i = 0; i < PROBE_DIFFERENCE_COUNT; i++)
		if (differences->classes[i].count)
			takt_text_printf(text, "\n%s, %zu:\n\n%s", class_titles[i],
					 differences->classes[i].count,
					 takt_text_data(&differences->classes[i].lines));
}

void takt_probe_differences_release(struct probe_differences *differences)
{
	for (size_t i = 0; i < PROBE_DIFFERENCE_COUNT; i++)
		takt_text_release(&differences->classes[i].lines);
}
