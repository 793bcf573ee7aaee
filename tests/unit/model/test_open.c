/* SPDX-License-Identifier: MIT */
/* Cores by name, and the processor at hand. */
#include "fixture.h"

static void test_names(struct fixture *fixture)
{
	struct takt_model *model = NULL;

	fixture_clear(fixture);
	fixture_write(fixture, "cores/a.core", CORE_HEAD_AS("ALPHA") "aliases first one\n");
	fixture_write(fixture, "cores/b.core", CORE_HEAD_AS("ONE") "title the second\n");
	model = fixture_model(fixture, "one");
	if (ok(model != NULL, "opened"))
		is_string(takt_model_title(model), "the second", "a name before an alias");
	takt_model_close(model);
	fixture_write(fixture, "cores/a.core",
		      CORE_HEAD_AS("ALPHA") "aliases first-one\nanalogies second-one\n");
	model = fixture_model(fixture, "First_One");
	ok(model && !strstr(takt_diag_text(fixture->diag), "analogy"),
	   "'-' and '_' are the same in names");
	takt_model_close(model);
	model = fixture_model(fixture, "second_one");
	ok(model && strstr(takt_diag_text(fixture->diag), "ALPHA stands in for it, by analogy"),
	   "a core that stands in for another");
	takt_model_close(model);
	takt_diag_clear(fixture->diag);
	model = NULL;
	is_int(takt_model_open("alpa", fixture->dir, fixture->diag, &model), TAKT_NOT_FOUND,
	       "unknown name");
	ok(model == NULL, "output untouched");
	ok(strstr(takt_diag_text(fixture->diag), "error: unknown core 'alpa'\n"
						 "note: did you mean 'ALPHA'"),
	   "nearest name");
	takt_diag_clear(fixture->diag);
	is_int(takt_model_open("qqqqqqqq", fixture->dir, fixture->diag, &model), TAKT_NOT_FOUND,
	       "nothing near");
	ok(strstr(takt_diag_text(fixture->diag), "'takt model list' lists the cores"), "remedy");
	takt_diag_clear(fixture->diag);
	is_int(takt_model_open("", fixture->dir, fixture->diag, &model), TAKT_NOT_FOUND, "no name");
	takt_model_close(NULL);
}

/*
 * What the processor is cannot be chosen here. Two cores claim most of two vendors; a processor
 * that is none of these is taken for the nearest core, which is doubted.
 */
static void test_host(struct fixture *fixture)
{
	struct takt_model *model;

	fixture_clear(fixture);
	fixture_write(fixture, "cores/i.core",
		      CORE_HEAD_AS("ANYINTEL") "vendor GenuineIntel\ncpuid 6 0-65535\n"
					       "cpuid 19 0-65535\ncpuid 18 0-65535\n");
	fixture_write(fixture, "cores/d.core",
		      CORE_HEAD_AS("ANYAMD") "vendor AuthenticAMD\ncpuid 23 0-65535 0-15\n"
					     "cpuid 25 0-65535\ncpuid 26 0-65535\n");
	model = fixture_model(fixture, "host");
	if (model) {
		ok(strncmp(takt_model_name(model), "ANY", 3) == 0 || takt_model_doubt(model),
		   "a core of the directory, or a doubt");
		takt_model_close(model);
	} else {
		ok(strstr(takt_diag_text(fixture->diag), "--arch=NAME") != NULL,
		   "another processor: the remedy is named");
	}
	fixture_clear(fixture);
	fixture_write(fixture, "cores/i.core", CORE_HEAD_AS("I") "vendor Nobody\ncpuid 6 85\n");
	model = fixture_model(fixture, "HOST");
	if (model)
		ok(strcmp(takt_model_name(model), "I") != 0, "a built-in core");
	else
		ok(strstr(takt_diag_text(fixture->diag), " family ") &&
			   strstr(takt_diag_text(fixture->diag), "--arch=NAME"),
		   "family, model and remedy");
	takt_model_close(model);
}

static void test_builtin(struct fixture *fixture)
{
	fixture_clear(fixture);
	for (size_t i = 0; i < takt_model_builtin_count(); i++) {
		const char *name = takt_model_builtin_name(i);
		struct takt_model *model = NULL;
		bool fine = takt_model_open(name, NULL, fixture->diag, &model) == TAKT_OK &&
			    strcmp(takt_model_name(model), name) == 0 &&
			    takt_model_port_count(model) > 0;

		ok(fine, "%s opens", name);
		takt_model_close(model);
	}
	is_string(takt_model_builtin_name(takt_model_builtin_count()), "", "beyond the last");
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	test_names(&fixture);
	test_host(&fixture);
	test_builtin(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
