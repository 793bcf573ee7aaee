/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "trust/trust.h"

/* These limits are documented in takt.h and docs/commands/validate.md, too. */
#define GOOD_MOST 0.02
#define GOOD_AVERAGE 0.01
#define BIASED_SPREAD 0.05
#define ORDERED_LEAST 0.9

static const char *const words[TAKT_VERDICT_COUNT] = {
	[TAKT_VERDICT_EXACT] = "exact",		[TAKT_VERDICT_GOOD] = "good",
	[TAKT_VERDICT_BIASED] = "biased",	[TAKT_VERDICT_ORDERED] = "ordered",
	[TAKT_VERDICT_UNTRUSTED] = "untrusted", [TAKT_VERDICT_UNTESTED] = "untested",
};

const char *takt_verdict_word(enum takt_verdict verdict)
{
	return words[verdict];
}

/* ---- the list ---- */

struct trust_list *takt_trust_list_new(void)
{
	struct trust_list *list = takt_xcalloc(1, sizeof(*list));

	list->result.backend = list->result.core = list->result.isa = "";
	return list;
}

void takt_trust_free(struct takt_trust *trust)
{
	TAKT_FREE_OWNER(struct trust_list, trust);
}

struct takt_trust_row *takt_trust_list_row(struct trust_list *list)
{
	struct takt_trust_row *row;

	TAKT_GROW_IN(&list->arena, list->rows, list->result.row_count + 1, list->row_capacity);
	list->result.rows = list->rows;
	row = &list->rows[list->result.row_count++];
	row->event = row->level = row->worst = "";
	row->order = NAN;
	return row;
}

void takt_trust_list_sample(struct trust_list *list, const char *event, double rate, double counted)
{
	TAKT_GROW_IN(&list->arena, list->samples, list->sample_count + 1, list->sample_capacity);
	list->samples[list->sample_count++] =
		(struct trust_sample){takt_arena_string(&list->arena, event), rate, counted};
}

void takt_trust_list_case(struct trust_list *list, const struct takt_trust_case *one)
{
	struct takt_trust_case *copy;

	TAKT_GROW_IN(&list->arena, list->cases, list->result.case_count + 1, list->case_capacity);
	list->result.cases = list->cases;
	copy = &list->cases[list->result.case_count++];
	*copy = *one;
	copy->event = takt_arena_string(&list->arena, one->event);
	copy->kernel = takt_arena_string(&list->arena, one->kernel);
	copy->level = takt_arena_string(&list->arena, one->level);
}

void takt_notes_add(struct takt_arena *arena, const char *text, const char ***notes,
		    uint32_t *count, uint32_t *capacity)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp((*notes)[i], text) == 0)
			return;
	TAKT_GROW_IN(arena, *notes, *count + 1, *capacity);
	(*notes)[(*count)++] = takt_arena_string(arena, text);
}

void takt_trust_list_note(struct trust_list *list, const char *text)
{
	takt_notes_add(&list->arena, text, &list->notes, &list->result.note_count,
		       &list->note_capacity);
	list->result.notes = list->notes;
}

/* ---- verdicts ---- */

double takt_trust_error(const struct takt_trust_case *one)
{
	double difference = one->counted - one->expected;

	if (difference == 0)
		return 0;
	if (one->expected > 0)
		return difference / one->expected;
	return one->scale > 0 ? difference / one->scale : difference;
}

static struct takt_trust_row *find_row(struct trust_list *list, const char *event,
				       const char *level)
{
	struct takt_trust_row *row;

	for (uint32_t i = 0; i < list->result.row_count; i++) {
		row = &list->rows[i];
		if (strcmp(row->event, event) == 0 && strcmp(row->level, level) == 0)
			return row;
	}
	row = takt_trust_list_row(list);
	row->event = event;
	row->level = level;
	return row;
}

static enum takt_verdict judge(const struct takt_trust_row *row)
{
	bool ordered = row->order >= ORDERED_LEAST;

	if (!row->cases)
		return ordered		   ? TAKT_VERDICT_ORDERED
		       : isnan(row->order) ? TAKT_VERDICT_UNTESTED
					   : TAKT_VERDICT_UNTRUSTED;
	if (row->least == 0 && row->most == 0)
		return row->nonzero ? TAKT_VERDICT_EXACT : TAKT_VERDICT_UNTESTED;
	if (row->most <= GOOD_MOST && row->least >= -GOOD_MOST &&
	    fabs(row->average) <= GOOD_AVERAGE)
		return TAKT_VERDICT_GOOD;
	if (row->most <= -1) /* it never counted anything, which shows nothing */
		return TAKT_VERDICT_UNTRUSTED;
	if (row->most - row->average <= BIASED_SPREAD && row->average - row->least <= BIASED_SPREAD)
		return TAKT_VERDICT_BIASED;
	return ordered ? TAKT_VERDICT_ORDERED : TAKT_VERDICT_UNTRUSTED;
}

static void add_case(struct takt_trust_row *row, const struct takt_trust_case *one)
{
	double error = takt_trust_error(one);

	if (fabs(error) > fmax(fabs(row->least), fabs(row->most)))
		row->worst = one->kernel;
	if (row->cases == 0 || error < row->least)
		row->least = error;
	if (row->cases == 0 || error > row->most)
		row->most = error;
	row->average += error;
	row->cases++;
	row->nonzero += one->expected > 0;
}

static bool is_nonzero(const struct trust_list *list, const char *event)
{
	for (uint32_t i = 0; i < list->result.row_count; i++)
		if (list->rows[i].nonzero && strcmp(list->rows[i].event, event) == 0)
			return true;
	return false;
}

/* Compute the rank correlation of each event; its samples are adjacent. */
static void find_orders(struct trust_list *list)
{
	uint32_t end;

	for (uint32_t i = 0; i < list->sample_count; i = end) {
		const char *event = list->samples[i].event;

		for (end = i + 1; end < list->sample_count; end++)
			if (strcmp(list->samples[end].event, event) != 0)
				break;
		find_row(list, event, "")->order = takt_trust_order(list->samples + i, end - i);
	}
}

void takt_trust_list_judge(struct trust_list *list)
{
	for (uint32_t i = 0; i < list->result.case_count; i++) {
		const struct takt_trust_case *one = &list->cases[i];

		add_case(find_row(list, one->event, one->level), one);
	}
	find_orders(list);
	for (uint32_t i = 0; i < list->result.row_count; i++) {
		if (list->rows[i].cases)
			list->rows[i].average /= list->rows[i].cases;
		list->rows[i].verdict = judge(&list->rows[i]);
	}
	/*
	 * An event that correctly counted nothing is exact only if it counted something in other
	 * rows.
	 */
	for (uint32_t i = 0; i < list->result.row_count; i++)
		if (list->rows[i].verdict == TAKT_VERDICT_UNTESTED &&
		    is_nonzero(list, list->rows[i].event))
			list->rows[i].verdict = TAKT_VERDICT_EXACT;
}

enum takt_verdict takt_trust_verdict(const struct takt_trust *trust, const char *event)
{
	enum takt_verdict worst = TAKT_VERDICT_UNTESTED;
	bool known = false;

	for (uint32_t i = 0; i < trust->row_count; i++) {
		const struct takt_trust_row *row = &trust->rows[i];

		/* With data in one level there may be nothing to count, and in another much. */
		if (strcmp(row->event, event) != 0 || row->verdict == TAKT_VERDICT_UNTESTED)
			continue;
		if (!known || row->verdict > worst)
			worst = row->verdict;
		known = true;
	}
	return worst;
}
