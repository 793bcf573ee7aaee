/* SPDX-License-Identifier: MIT */
/*
 * Compares two surveys. If the simulator plays a core, its survey ran the same experiments as the
 * core's own survey. So effects such as eliminated moves, memory renaming and fusion are in both,
 * and the differences show where the model and the machine disagree.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "characterize/survey/survey_differences.h"

struct comparison {
	struct takt_diag *diag;
	struct probe_store *store, *reference;
	enum takt_status status; /* status of the first failure inside a visit */
	struct probe_forms forms;
	struct takt_arena arena;
	const struct probe_row *row; /* the row whose counterpart is being visited */
	size_t compared, differing;
	struct probe_reasons left_out;
	struct probe_differences differences;
};

/* ---- one form ------------------------------------------------------------- */

/* Write "1.00 to 2.00". */
static void write_range(const struct probe_pair *pair, struct takt_text *text)
{
	takt_text_printf(text, "%.2f", pair->least);
	if (pair->most > pair->least)
		takt_text_printf(text, " to %.2f", pair->most);
}

static bool compare_pair(struct comparison *comparison, const struct probe_form *form,
			 const struct probe_pair *pair, const struct probe_pair *other)
{
	struct probe_differences *differences = &comparison->differences;
	uint8_t source, destination;
	struct takt_text *lines;

	if (!takt_probe_slot_read(pair->source, &source) ||
	    !takt_probe_slot_read(pair->destination, &destination) ||
	    takt_probe_latencies_agree(differences, pair, other))
		return false;
	lines = takt_probe_difference_add(
		differences,
		takt_probe_latency_class(differences, form, source, destination, pair, other),
		form->text);
	takt_text_printf(lines, "%s>%s ", pair->source, pair->destination);
	write_range(pair, lines);
	takt_text_add_string(lines, ", against ");
	write_range(other, lines);
	takt_text_add_string(lines, "\n");
	return true;
}

static bool compare_latencies(struct comparison *comparison, const struct probe_form *form,
			      const struct probe_row *row, const struct probe_row *other)
{
	const char *text = row->latencies;
	struct probe_pair pair, found;
	bool any = false;

	while (takt_probe_pair_next(&text, &pair))
		if (takt_probe_pair_find(other, &pair, &found))
			any |= compare_pair(comparison, form, &pair, &found);
	return any;
}

static bool compare_throughput(struct comparison *comparison, const struct probe_row *row,
			       const struct probe_row *other)
{
	struct probe_differences *differences = &comparison->differences;
	struct takt_text *lines;

	if (takt_agreement_throughput(&differences->agreement, row->throughput, other->throughput))
		return false;
	lines = takt_probe_difference_add(
		differences, row->throughput > other->throughput ? PROBE_SLOWER : PROBE_FASTER,
		row->form);
	takt_text_printf(lines, "%.2f, against %.2f", row->throughput, other->throughput);
	if (row->spread > PROBE_SPREAD_MAX || other->spread > PROBE_SPREAD_MAX)
		takt_text_printf(lines, "; measured twice, %.0f %% apart",
				 100 * fmax(row->spread, other->spread));
	takt_text_add_string(lines, "\n");
	return true;
}

/* Count the µops of a text: "1*p01+1*p23" has 2. */
static unsigned count_uops(const char *ports)
{
	unsigned count = 0;

	for (; *ports; ports += strcspn(ports, "+"), ports += *ports == '+')
		count += (unsigned)strtoul(ports, NULL, 10);
	return count;
}

/* True if each part of `left` is one of `right`; both are lists of different sets of ports. */
static bool is_within(const char *left, const char *right)
{
	for (; *left; left += strcspn(left, "+"), left += *left == '+') {
		size_t size = strcspn(left, "+");
		const char *at = right;

		while (*at && !(strcspn(at, "+") == size && strncmp(at, left, size) == 0))
			at += strcspn(at, "+"), at += *at == '+';
		if (!*at)
			return false;
	}
	return true;
}

/*
 * Compare ports that counters found. Classes are named by instructions, which differ between
 * surveys.
 */
static bool compare_ports(struct comparison *comparison, const struct probe_row *row,
			  const struct probe_row *other)
{
	struct probe_differences *differences = &comparison->differences;
	bool as_many = count_uops(row->ports) == count_uops(other->ports);

	if (isnan(row->uops) || isnan(other->uops) || *row->doubt || *other->doubt)
		return false;
	differences->port_uses++;
	if (is_within(row->ports, other->ports) && is_within(other->ports, row->ports)) {
		differences->port_uses_equal++;
		return false;
	}
	takt_text_printf(takt_probe_difference_add(differences, as_many ? PROBE_PORTS : PROBE_UOPS,
						   row->form),
			 "%s, against %s\n", *row->ports ? row->ports : "-",
			 *other->ports ? other->ports : "-");
	return true;
}

/* ---- rows ----------------------------------------------------------------- */

static void leave_out(struct comparison *comparison, struct probe_store *store, const char *what,
		      const char *reason, const char *form)
{
	struct takt_text text = {0};

	takt_text_printf(&text, "%s %s%s%s", what, takt_probe_store_machine(store),
			 *reason ? ": " : "", reason);
	takt_probe_reasons_add(&comparison->left_out, takt_text_data(&text), form);
	takt_text_release(&text);
}

/* List the operand pairs of `row`, a row of `store`, that have no latency in `other`. */
static void list_pairs(struct comparison *comparison, struct probe_store *store,
		       const struct probe_row *row, const struct probe_row *other)
{
	const char *text = row->latencies;
	struct probe_pair pair, found;

	while (takt_probe_pair_next(&text, &pair)) {
		struct takt_text name = {0};

		if (takt_probe_pair_find(other, &pair, &found))
			continue;
		takt_text_printf(&name, "%s %s>%s", row->form, pair.source, pair.destination);
		leave_out(comparison, store, "operand pairs with a latency only on", "",
			  takt_text_data(&name));
		takt_text_release(&name);
	}
}

static void compare_rows(struct comparison *comparison, const struct probe_form *form,
			 const struct probe_row *row, const struct probe_row *other)
{
	bool differs;

	comparison->compared++;
	differs = compare_throughput(comparison, row, other);
	differs |= compare_latencies(comparison, form, row, other);
	differs |= compare_ports(comparison, row, other);
	comparison->differing += differs;
	list_pairs(comparison, comparison->store, row, other);
	list_pairs(comparison, comparison->reference, other, row);
}

static void visit_other(void *context, const struct probe_row *other)
{
	struct comparison *comparison = context;
	const struct probe_row *row = comparison->row;
	const struct probe_form *form;

	comparison->row = NULL;
	form = takt_probe_form_named(&comparison->forms, row->form);
	if (*row->reason && *other->reason)
		takt_probe_reasons_add(&comparison->left_out, "failed on both", row->form);
	else if (*row->reason)
		leave_out(comparison, comparison->store, "failed on", row->reason, row->form);
	else if (*other->reason)
		leave_out(comparison, comparison->reference, "failed on", other->reason, row->form);
	else if (!form)
		takt_probe_reasons_add(&comparison->left_out, "no forms", row->form);
	else
		compare_rows(comparison, form, row, other);
}

/*
 * Visit the counterpart of the row in the other survey, if there is one; then `comparison->row`
 * becomes NULL.
 */
static void find_other(struct comparison *comparison, struct probe_store *store,
		       const struct probe_row *row,
		       void (*visit)(void *context, const struct probe_row *row))
{
	enum takt_status status;

	comparison->row = row;
	status = takt_probe_store_visit(store, row->form, visit, comparison, comparison->diag);
	if (comparison->status == TAKT_OK)
		comparison->status = status;
}

static void add_row(void *context, const struct probe_row *row)
{
	struct comparison *comparison = context;

	find_other(comparison, comparison->reference, row, visit_other);
	if (comparison->row)
		leave_out(comparison, comparison->store, "only in the survey of", "", row->form);
}

static void forget_row(void *context, const struct probe_row *row)
{
	((struct comparison *)context)->row = NULL;
	(void)row;
}

static void add_reference_row(void *context, const struct probe_row *row)
{
	struct comparison *comparison = context;

	find_other(comparison, comparison->store, row, forget_row);
	if (comparison->row)
		leave_out(comparison, comparison->reference, "only in the survey of", "",
			  row->form);
}

/* Note the latencies of a plain load in both surveys. */
static void note_other_load(void *context, const struct probe_row *other)
{
	const struct probe_pair value = {.source = "2", .destination = "1"};
	struct comparison *comparison = context;
	struct probe_pair left, right;

	if (takt_probe_pair_find(comparison->row, &value, &left) &&
	    takt_probe_pair_find(other, &value, &right))
		takt_probe_plain_load_note(&comparison->differences, other->form, left.most,
					   right.most);
}

static void note_load(void *context, const struct probe_row *row)
{
	struct comparison *comparison = context;

	if (takt_probe_is_plain_load(row->form))
		find_other(comparison, comparison->reference, row, note_other_load);
}

/* ---- the report ----------------------------------------------------------- */

static enum takt_status compare(struct comparison *comparison)
{
	struct takt_diag *diag = comparison->diag;
	enum takt_status status =
		takt_probe_store_each(comparison->store, note_load, comparison, diag);

	if (status == TAKT_OK)
		status = takt_probe_store_each(comparison->store, add_row, comparison, diag);
	if (status == TAKT_OK)
		status = takt_probe_store_each(comparison->reference, add_reference_row, comparison,
					       diag);
	return status == TAKT_OK ? comparison->status : status;
}

static void write_report(struct comparison *comparison, struct takt_text *text)
{
	takt_text_printf(text, "%s against %s: %zu of %zu forms differ; agreement:\n",
			 takt_probe_store_machine(comparison->store),
			 takt_probe_store_machine(comparison->reference), comparison->differing,
			 comparison->compared);
	takt_probe_differences_write(&comparison->differences, text);
	takt_probe_reasons_write(&comparison->left_out, "not compared:", text);
}

enum takt_status takt_survey_compare(const char *path, const char *reference,
				     struct takt_diag *diag, struct takt_text *text)
{
	struct comparison *comparison = takt_xcalloc(1, sizeof(*comparison));
	enum takt_status status = takt_probe_store_open(path, false, diag, &comparison->store);

	comparison->diag = diag;
	if (status == TAKT_OK)
		status = takt_probe_store_open(reference, false, diag, &comparison->reference);
	if (status == TAKT_OK) {
		takt_probe_survey_forms_find(comparison->store, &comparison->arena,
					     &comparison->forms);
		status = compare(comparison);
	}
	if (status == TAKT_OK)
		write_report(comparison, text);
	takt_probe_store_close(comparison->store);
	takt_probe_store_close(comparison->reference);
	takt_probe_reasons_release(&comparison->left_out);
	takt_probe_differences_release(&comparison->differences);
	takt_arena_release(&comparison->arena);
	free(comparison);
	return status;
}
