/* SPDX-License-Identifier: MIT */
/* Rows corrected by the differences of two surveys: of two cores, and made-up ones. */
#include <stdlib.h>
#include <unistd.h>

#include "characterize/survey/survey.h"
#include "unit/tap.h"

static void survey(const char *path, const char *machine)
{
	static const char *const names[] = {"vaddpd xmm, xmm, xmm", "vandpd xmm, xmm, xmm"};
	const struct takt_lab_options lab_options = {
		.machine = machine, .time_only = true, .without_variants = true};
	const struct takt_survey_options options = {
		.path = path, .names = names, .name_count = TAKT_COUNT_OF(names)};
	struct takt_lab *lab;

	unlink(path);
	is_int(takt_lab_open(&lab_options, NULL, &lab), TAKT_OK, "a lab");
	is_int(takt_survey(lab, &options, NULL), TAKT_OK, "a survey");
	takt_lab_close(lab);
}

static struct takt_text correct(const char *path, const char *reference, const char *core,
				struct takt_survey_correction *ret_correction)
{
	struct takt_text text = {0};
	struct takt_model *model;

	if (takt_model_open(core, NULL, NULL, &model) != TAKT_OK)
		abort();
	is_int(takt_survey_correct(&(struct takt_survey_pair){path, reference, model, "x"}, NULL,
				   &text, ret_correction),
	       TAKT_OK, "a correction");
	takt_model_close(model);
	return text;
}

/* An addition takes 4 cycles on two ports, where the model has 3 cycles on one port. */
static void test_cores(const char *left, const char *right)
{
	struct takt_survey_correction correction;
	struct takt_text text;

	survey(left, "sim:SKL");
	survey(right, "sim:SKL");
	text = correct(left, right, "SKL", &correction);
	is_string(takt_text_data(&text), "", "nothing differs");
	is_int((int)correction.compared, 2, "forms");
	is_int((int)correction.agreeing, 2, "all agree");
	takt_text_release(&text);
	survey(right, "sim:HSW");
	text = correct(left, right, "HSW", &correction);
	ok(strstr(takt_text_data(&text), "vaddpd xmm, xmm, xmm ") &&
		   strstr(takt_text_data(&text), "| 1*p01 ") &&
		   strstr(takt_text_data(&text), ":4") && strstr(takt_text_data(&text), "src=x"),
	   "the addition is corrected");
	tap_note("%s", takt_text_data(&text));
	is_int((int)correction.corrected, 2, "as is the logical operation");
	takt_text_release(&text);
	is_int(takt_survey_correct(&(struct takt_survey_pair){left, "/nowhere/at/all", NULL, "x"},
				   NULL, &text, &correction),
	       TAKT_BAD_INPUT, "no such file");
}

int main(void)
{
	char left[] = "/tmp/takt-left-XXXXXX", right[] = "/tmp/takt-right-XXXXXX";

	close(mkstemp(left));
	close(mkstemp(right));
	test_cores(left, right);
	unlink(left);
	unlink(right);
	return tap_done();
}
