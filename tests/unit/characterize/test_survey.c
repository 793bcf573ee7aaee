/* SPDX-License-Identifier: MIT */
/* Surveys: kept, gone on with, and written in forms that are read again. */
#include <stdlib.h>
#include <unistd.h>

#include "characterize/survey/survey_store.h"
#include "unit/tap.h"

#define MACHINE "sim:SKL"
#define FORMS "vfmadd231[ps]d xmm*"

static bool stop_after(void *context, const struct takt_lab_progress *progress)
{
	const size_t *most = context;

	return progress->done < *most;
}

/* Returns how many forms are in the database then. */
static size_t survey(const char *path, size_t most)
{
	const struct takt_lab_options lab_options = {
		.machine = MACHINE, .progress = stop_after, .context = &most};
	const struct takt_survey_options options = {.path = path, .forms = FORMS};
	struct takt_diag *diag = takt_diag_new();
	struct probe_store *store;
	struct takt_lab *lab;
	size_t count = 0;

	is_int(takt_lab_open(&lab_options, diag, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, diag), TAKT_OK, "a survey");
	is_int(takt_probe_store_open(path, false, diag, &store), TAKT_OK, "its results");
	for (size_t i = 0; i < lab->probe->forms.count; i++)
		count += takt_probe_store_has(store, lab->probe->forms.forms[i].text);
	takt_probe_store_close(store);
	takt_lab_close(lab);
	takt_diag_free(diag);
	return count;
}

static void check_written(const char *path, const struct takt_model *model,
			  enum takt_survey_format format, const char *wanted)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_text *text = takt_text_new();

	is_int(takt_survey_write(path, format, model, diag, text), TAKT_OK, wanted);
	ok(strstr(takt_text_data(text), wanted) != NULL, "has %s", wanted);
	if (!strstr(takt_text_data(text), wanted))
		tap_note("%s", takt_text_data(text));
	takt_text_free(text);
	takt_diag_free(diag);
}

static void check_pairs(void)
{
	const char *text = "2>1:4.00;f>rax:1.00-3.00";
	struct probe_pair pair;

	ok(takt_probe_pair_next(&text, &pair), "the first pair");
	is_string(pair.source, "2", "its source");
	ok(pair.least == 4 && pair.most == 4, "its figure");
	ok(takt_probe_pair_next(&text, &pair), "the second");
	is_string(pair.destination, "rax", "its destination");
	ok(pair.least == 1 && pair.most == 3, "its figures");
	ok(!takt_probe_pair_next(&text, &pair), "no third");
	text = "2>1";
	ok(!takt_probe_pair_next(&text, &pair), "not a pair");
}

static void check_points(void)
{
	static const char *const wrong[] = {"", "1", "1:", ":2", "1:2;", "x:2"};
	const char *text = "1:0.5 2:1.25";
	struct probe_point point;

	ok(takt_probe_point_next(&text, &point) && point.x == 1 && point.cycles == 0.5,
	   "the first point");
	ok(takt_probe_point_next(&text, &point) && point.x == 2 && point.cycles == 1.25,
	   "the second");
	ok(!takt_probe_point_next(&text, &point), "no third");
	for (size_t i = 0; i < TAKT_COUNT_OF(wrong); i++) {
		text = wrong[i];
		ok(!takt_probe_point_next(&text, &point), "not a point: '%s'", wrong[i]);
	}
}

/* Results of versions that kept no experiments lack their table. */
static void check_older(const char *path)
{
	struct takt_diag *diag = takt_diag_new();
	struct probe_store *store;

	is_int(takt_probe_store_open(path, true, diag, &store), TAKT_OK, "opened");
	ok(takt_probe_store_execute(store, "drop table experiment"), "an older version's results");
	takt_probe_store_close(store);
	check_written(path, NULL, TAKT_SURVEY_JSON, "\"measured\": []");
	takt_diag_free(diag);
}

int main(void)
{
	char path[] = "/tmp/takt-survey-XXXXXX";
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;
	struct probe_store *store;
	int file = mkstemp(path);

	check_pairs();
	check_points();
	close(file);
	unlink(path);
	is_int((long long)survey(path, 1), 1, "stopped after one form");
	is_int((long long)survey(path, 99), 4, "gone on with");
	is_int(takt_model_open("SKL", NULL, diag, &model), TAKT_OK, "a model");
	check_written(path, model, TAKT_SURVEY_REPORT, "SKL: 4 forms measured, 0 failed");
	check_written(path, model, TAKT_SURVEY_REPORT, "0 of 4 forms differ");
	check_written(path, NULL, TAKT_SURVEY_CSV,
		      "\"vfmadd231pd xmm, xmm, xmm\",\"\",0.5,0,4,1,0.5,\"1*p01\",\"\",\"");
	check_written(path, model, TAKT_SURVEY_TIMING,
		      "vfmadd231pd xmm, xmm, xmm               | 1*p01 ");
	check_written(path, model, TAKT_SURVEY_XML, "string=\"VFMADD231PD (XMM, XMM, XMM)\"");
	check_written(path, NULL, TAKT_SURVEY_JSON,
		      "{\"title\": \"throughput\", \"x\": [1, 2, 4, 8], \"cycles\": [4, 4");
	check_written(path, NULL, TAKT_SURVEY_JSON, "{\"title\": \"latency 2 to 1\", \"x\": [");
	is_int(takt_survey_write(path, TAKT_SURVEY_XML, NULL, diag, NULL), TAKT_BAD_INPUT,
	       "XML without a core");
	is_int(takt_probe_store_open(path, true, diag, &store), TAKT_OK, "opened again");
	is_int(takt_probe_store_claim(store, "another", diag), TAKT_BAD_INPUT, "another machine");
	takt_probe_store_close(store);
	check_older(path);
	unlink(path);
	takt_model_close(model);
	takt_diag_free(diag);
	return tap_done();
}
