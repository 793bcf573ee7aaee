/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include "diagnose/diagnose.h"

static const struct takt_trust_row table_rows[] = {
	{.event = "LOADS", .level = "", .verdict = TAKT_VERDICT_EXACT},
	{.event = "STORES",
	 .level = "",
	 .least = -0.04,
	 .most = 0.01,
	 .verdict = TAKT_VERDICT_BIASED},
	{.event = "BRANCHES",
	 .level = "",
	 .least = -0.5,
	 .most = 0.3,
	 .verdict = TAKT_VERDICT_UNTRUSTED},
	{.event = "FUTEXES", .level = "", .most = 9, .verdict = TAKT_VERDICT_UNTESTED},
	{.event = "L1_LINES_IN", .level = "L1", .verdict = TAKT_VERDICT_EXACT},
	{.event = "L1_LINES_IN", .level = "MEM", .most = 0.7, .verdict = TAKT_VERDICT_UNTRUSTED},
};

static const struct takt_trust table = {
	.backend = "emulate",
	.core = "SKL",
	.isa = "x86-64",
	.rows = table_rows,
	.row_count = TAKT_COUNT_OF(table_rows),
};

static const struct {
	int line;
	const char *core, *events;
	double error; /* NaN: none stated */
	const char *distrusted;
} rows[] = {
	{__LINE__, "SKL", "", (double)NAN, NULL},
	{__LINE__, "SKL", "LOADS", 0, NULL},
	{__LINE__, "SKL", "LOADS STORES", 0.04, NULL},
	{__LINE__, "SKL", "BRANCHES STORES", 0.5, "BRANCHES"},
	{__LINE__, "SKL", "STORES BRANCHES", 0.5, "BRANCHES"},
	{__LINE__, "SKL", "BRANCHES_MISSED", (double)NAN, NULL},
	{__LINE__, "SKL", "BRANCH", (double)NAN, NULL},
	{__LINE__, "SKL", "FUTEXES", (double)NAN, NULL},
	{__LINE__, "SKL", "L1_LINES_IN", 0.7, "L1_LINES_IN"},
	{__LINE__, "ZEN3", "L1_LINES_IN", (double)NAN, NULL},
	{__LINE__, "ZEN3", "L1_LINES_IN BRANCHES", 0.5, "BRANCHES"},
};

static void check_row(size_t index)
{
	const struct diagnose_trust trust = {.table = &table, .core = rows[index].core};
	struct takt_evidence evidence = {.events = rows[index].events};

	takt_diagnose_trust_apply(&trust, &evidence);
	if (isnan(rows[index].error))
		tap_ok_at(__FILE__, rows[index].line, isnan(evidence.error), "no error");
	else
		tap_is_near(__FILE__, rows[index].line, evidence.error, rows[index].error, "error");
	tap_ok_at(__FILE__, rows[index].line,
		  evidence.distrusted == NULL
			  ? rows[index].distrusted == NULL
			  : rows[index].distrusted &&
				    strcmp(evidence.distrusted, rows[index].distrusted) == 0,
		  "'%s'", rows[index].events);
}

static void check_open(const char *backend, const char *isa, const char *error)
{
	struct takt_diag *diag = takt_diag_new();
	struct diagnose_trust trust;
	enum takt_status status =
		takt_diagnose_trust_open(&table, backend, isa, "SKL", diag, &trust);

	ok((status == TAKT_OK) == !error, "%s of %s", backend, isa);
	if (error)
		ok(strstr(takt_diag_text(diag), error) != NULL, "says %s", error);
	takt_diag_free(diag);
}

int main(void)
{
	struct diagnose_trust trust = {.table = NULL, .core = "SKL"};
	struct takt_evidence evidence = {.events = "BRANCHES"};

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	takt_diagnose_trust_apply(&trust, &evidence);
	ok(!evidence.distrusted && isnan(evidence.error), "without a table all is believed");
	ok(!takt_diagnose_trust_skips(&trust), "and nothing skipped");
	trust.table = &table;
	ok(!takt_diagnose_trust_skips(&trust), "its own core");
	trust.core = "ZEN3";
	ok(takt_diagnose_trust_skips(&trust), "another core");
	check_open("emulate", "x86-64", NULL);
	check_open("pmu", "x86-64", "backend 'emulate'");
	check_open("emulate", "aarch64", "instruction set 'x86-64'");
	return tap_done();
}
