/* SPDX-License-Identifier: MIT */
/* Applies a trust table to the events that figures are computed from. */
#include <math.h>
#include <string.h>

#include "diagnose/diagnose.h"

/* True for a row about the caches of another core, which says nothing about this core's volumes. */
static bool is_of_other_core(const struct takt_trust *trust, const struct takt_trust_row *row,
			     const char *core)
{
	return *row->level && strcmp(trust->core, core) != 0;
}

/* Apply the table to one event: the largest of its errors, and whether it must not be used. */
static void check_event(const struct diagnose_trust *trust, const char *event, size_t size_bytes,
			struct takt_evidence *evidence)
{
	for (uint32_t i = 0; i < trust->table->row_count; i++) {
		const struct takt_trust_row *row = &trust->table->rows[i];
		double error;

		if (!takt_string_is(row->event, event, size_bytes) ||
		    row->verdict == TAKT_VERDICT_UNTESTED ||
		    is_of_other_core(trust->table, row, trust->core))
			continue;
		error = fmax(fabs(row->least), fabs(row->most));
		if (isnan(evidence->error) || error > evidence->error)
			evidence->error = error;
		if (row->verdict == TAKT_VERDICT_UNTRUSTED)
			evidence->distrusted = row->event;
	}
}

void takt_diagnose_trust_apply(const struct diagnose_trust *trust, struct takt_evidence *evidence)
{
	evidence->error = NAN;
	evidence->distrusted = NULL;
	if (!trust->table)
		return;
	for (const char *event = evidence->events; *event;) {
		size_t size_bytes = strcspn(event, " ");

		check_event(trust, event, size_bytes, evidence);
		event += size_bytes + strspn(event + size_bytes, " ");
	}
}

enum takt_status takt_diagnose_trust_open(const struct takt_trust *table, const char *backend,
					  const char *isa, const char *core, struct takt_diag *diag,
					  struct diagnose_trust *ret_trust)
{
	const char *what = NULL, *theirs = "", *ours = "";

	if (table && strcmp(table->backend, backend) != 0) {
		what = "backend";
		theirs = table->backend;
		ours = backend;
	} else if (table && strcmp(table->isa, isa) != 0) {
		what = "instruction set";
		theirs = table->isa;
		ours = isa;
	}
	if (what) {
		takt_error(diag,
			   "the trust table is of %s '%s': it says nothing of this run, which "
			   "is of '%s'",
			   what, theirs, ours);
		takt_note(diag,
			  "'takt validate --backend=%s --format=csv -o FILE' makes one that does",
			  backend);
		return TAKT_BAD_INPUT;
	}
	*ret_trust = (struct diagnose_trust){.table = table, .core = core};
	return TAKT_OK;
}

bool takt_diagnose_trust_skips(const struct diagnose_trust *trust)
{
	for (uint32_t i = 0; trust->table && i < trust->table->row_count; i++)
		if (is_of_other_core(trust->table, &trust->table->rows[i], trust->core))
			return true;
	return false;
}
