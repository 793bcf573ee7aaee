/* SPDX-License-Identifier: MIT */
/* Surveys of forms that are supposed to have certain figures. */
#include <stdlib.h>
#include <unistd.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

#define FORMS "vfmadd231[ps]d *mm, *mm, *mm*"

/* Survey the forms of a core without counters; `expected` are another survey's results, or NULL. */
static void survey(const char *machine, const char *path, const char *expected)
{
	const struct takt_lab_options lab_options = {
		.machine = machine, .time_only = true, .without_variants = true};
	const struct takt_survey_options options = {
		.path = path, .forms = FORMS, .expected = expected};
	struct takt_diag *diag = takt_diag_new();
	struct takt_lab *lab;

	is_int(takt_lab_open(&lab_options, diag, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, diag), TAKT_OK, "a survey");
	takt_lab_close(lab);
	takt_diag_free(diag);
}

/* Figures of all rows as text, and the number of experiments. */
struct figures {
	struct takt_text text;
	unsigned long long experiments;
};

static void add_row(void *context, const struct probe_row *row)
{
	struct figures *figures = context;

	takt_text_printf(&figures->text, "%s %.2f %s %s\n", row->form, row->throughput,
			 row->latencies, row->reason);
	figures->experiments += row->experiments;
}

static struct figures figures_of(const char *path)
{
	struct takt_diag *diag = takt_diag_new();
	struct figures figures = {.experiments = 0};
	struct probe_store *store;

	is_int(takt_probe_store_open(path, false, diag, &store), TAKT_OK, "results");
	is_int(takt_probe_store_each(store, add_row, &figures, diag), TAKT_OK, "their rows");
	takt_probe_store_close(store);
	takt_diag_free(diag);
	return figures;
}

/* The core has the expected figures or not: either way its own are found. */
static void check(const char *machine, const char *expected, bool fewer)
{
	char path[] = "/tmp/takt-expected-XXXXXX", own_path[] = "/tmp/takt-expected-XXXXXX";
	struct figures own, found;

	close(mkstemp(path));
	close(mkstemp(own_path));
	unlink(path);
	unlink(own_path);
	survey(machine, own_path, NULL);
	survey(machine, path, expected ? expected : own_path);
	own = figures_of(own_path);
	found = figures_of(path);
	is_string(takt_text_data(&found.text), takt_text_data(&own.text), machine);
	if (fewer)
		ok(2 * found.experiments < own.experiments,
		   "%llu experiments confirm what %llu found", found.experiments, own.experiments);
	unlink(path);
	unlink(own_path);
	takt_text_release(&own.text);
	takt_text_release(&found.text);
}

/* Masked forms of a core with AVX-512 are left out, since they use what the plain ones do. */
static void check_plain(void)
{
	const struct takt_lab_options lab_options = {
		.machine = "sim:SKX", .time_only = true, .without_variants = true};
	char path[] = "/tmp/takt-expected-XXXXXX";
	const struct takt_survey_options options = {
		.path = path, .forms = "vpaddd zmm*, zmm, zmm", .plain = true};
	struct takt_diag *diag = takt_diag_new();
	struct takt_lab *lab;
	struct figures figures;

	close(mkstemp(path));
	unlink(path);
	is_int(takt_lab_open(&lab_options, diag, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, diag), TAKT_OK, "a survey of plain forms");
	figures = figures_of(path);
	ok(strstr(takt_text_data(&figures.text), "vpaddd zmm, zmm, zmm ") &&
		   !strstr(takt_text_data(&figures.text), "{k}"),
	   "no masked ones: %s", takt_text_data(&figures.text));
	takt_text_release(&figures.text);
	unlink(path);
	takt_lab_close(lab);
	takt_diag_free(diag);
}

int main(void)
{
	char path[] = "/tmp/takt-expected-XXXXXX";

	close(mkstemp(path));
	unlink(path);
	survey("sim:SKL", path, NULL);
	check("sim:SKL", NULL, true);
	check("sim:HSW", path, false);
	check_plain();
	unlink(path);
	return tap_done();
}
