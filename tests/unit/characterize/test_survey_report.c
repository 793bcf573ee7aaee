/* SPDX-License-Identifier: MIT */
/* The report of a survey: reasons with their forms, classes of differences, agreement. */
#include <stdlib.h>
#include <unistd.h>

#include "characterize/survey/survey_write.h"
#include "unit/tap.h"

/* On SKL: add is 0.25 cycles on p0156, imul 3 cycles on p1, adc waits for flags. */
static const struct probe_row rows[] = {
	{.form = "add r64, r64",
	 .reason = "",
	 .throughput = 0.25,
	 .uops = 1,
	 .ports = "1*p0156",
	 .doubt = "",
	 .latencies = "1>1:1.00;1>f:1.00"},
	{.form = "imul r64, r64",
	 .reason = "",
	 .throughput = 2,
	 .uops = 2,
	 .ports = "2*p1",
	 .doubt = "",
	 .latencies = "1>1:3.00;2>1:5.00-6.00"},
	{.form = "sub r64, r64",
	 .reason = "",
	 .throughput = 0.2,
	 .uops = 1,
	 .ports = "1*p06",
	 .doubt = "",
	 .latencies = "1>1:3.00;1>f:2.00"},
	{.form = "xor r64, r64",
	 .reason = "",
	 .throughput = 0.25,
	 .uops = 1,
	 .ports = "",
	 .doubt = "figures that are not whole",
	 .spread = 0.1,
	 .latencies = ""},
	{.form = "div r64", .reason = "fault", .ports = "", .doubt = "", .latencies = ""},
	{.form = "idiv r64", .reason = "fault", .ports = "", .doubt = "", .latencies = ""},
	{.form = "bsf r64, r64", .reason = "late", .ports = "", .doubt = "", .latencies = ""},
};

static void has(const struct takt_text *text, const char *wanted)
{
	if (ok(strstr(takt_text_data(text), wanted) != NULL, "has what it should"))
		return;
	tap_note("wanted: %s", wanted);
	tap_note("report: %s", takt_text_data(text));
}

static void fill(const char *path, struct takt_diag *diag)
{
	struct probe_store *store;

	if (takt_probe_store_open(path, true, diag, &store) != TAKT_OK ||
	    takt_probe_store_claim(store, "a machine", diag) != TAKT_OK)
		abort();
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		if (takt_probe_store_add(store, &rows[i], diag) != TAKT_OK)
			abort();
	takt_probe_store_close(store);
}

static void check(const struct takt_text *text)
{
	has(text, "a machine: 4 forms measured, 3 failed\n");
	has(text, "1 with ports that are uncertain\n1 with two throughputs more than 5 % apart\n");
	has(text, "failed, by reason:\n       2  fault\n            div r64; idiv r64\n"
		  "       1  late\n            bsf r64, r64\n");
	has(text, "without latencies, by reason:\n"
		  "       1  its chains could not be measured\n            xor r64, r64\n");
	has(text, "ports uncertain, by reason:\n       1  figures that are not whole\n");
	has(text, "2 of 4 forms differ from the model of SKL; agreement:\n");
	has(text, "within 0.5 cycles        3 of      6   50.0 %\n");
	has(text, "within 5 %                              2 of      4   50.0 %\n");
	has(text, "their ports                                1 of      3   33.3 %\n");
	has(text, "       1  throughput: takes longer\n       1  throughput: takes less\n");
	has(text,
	    "       1  latency: from or to flags\n       1  latency: of a register to itself\n"
	    "       1  latency: between registers\n");
	has(text, "       1  ports: another number of µops\n"
		  "       1  ports: as many µops, but elsewhere\n");
	has(text, "2>1 5.00 to 6.00, model 3\n");
	has(text, "2*p1, model 1*p1\n");
	has(text, "1*p06, model 1*p0156\n");
}

int main(void)
{
	char path[] = "/tmp/takt-report-XXXXXX";
	struct takt_diag *diag = takt_diag_new();
	struct takt_text text = {0};
	struct takt_model *model;
	int file = mkstemp(path);

	close(file);
	unlink(path);
	fill(path, diag);
	if (takt_model_open("SKL", NULL, diag, &model) != TAKT_OK)
		abort();
	is_int(takt_survey_write(path, TAKT_SURVEY_REPORT, model, diag, &text), TAKT_OK,
	       "a report");
	check(&text);
	takt_text_clear(&text);
	is_int(takt_survey_write(path, TAKT_SURVEY_REPORT, NULL, diag, &text), TAKT_OK,
	       "without a model");
	ok(!strstr(takt_text_data(&text), "agreement"), "nothing is compared");
	takt_model_close(model);
	takt_text_release(&text);
	takt_diag_free(diag);
	unlink(path);
	return tap_done();
}
