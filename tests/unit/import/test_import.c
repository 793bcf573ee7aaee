/* SPDX-License-Identifier: MIT */
/* takt_model_import(): sources by name, and what happens without a module. */
#include "fixture.h"

static void test_sources(void)
{
	static const struct import_case cases[] = {
		{__LINE__, "no such source", "agner:x", 0, "'agner:x' is not a source to import",
		 "write uops.info:FILE.xml"},
		{__LINE__, "a file alone", "skl.xml", 0, "'skl.xml' is not a source", NULL},
		{__LINE__, "nothing behind the colon", "osaca:", 0, "'osaca:' is not a source",
		 NULL},
		{__LINE__, "empty", "", 0, "'' is not a source", NULL},
		{__LINE__, "no such file", "osaca:/nowhere/x.yml", 0, "'/nowhere/x.yml'", NULL},
		{__LINE__, "an architecture behind the file", "uops.info:/nowhere/x.xml:SKL", 0,
		 "'/nowhere/x.xml'", NULL},
		{__LINE__, "a colon in a folder", "uops.info:/no:where/x.xml", 0,
		 "'/no:where/x.xml'", NULL},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		struct import_run run = import_begin("SKL");
		const char *text;
		bool good;

		run.status = takt_model_import(run.model, cases[i].data, run.diag, run.text);
		text = takt_diag_text(run.diag);
		good = run.status != TAKT_OK && takt_diag_error_count(run.diag) == 1 &&
		       strstr(text, cases[i].error) &&
		       (!cases[i].note || strstr(text, cases[i].note));
		tap_ok_at(__FILE__, cases[i].line, good, "%s", cases[i].what);
		if (!good)
			tap_note("messages: %s", text);
		import_end(&run);
	}
}

static void test_no_module(void)
{
	struct import_run run;

	setenv("TAKT_MODULE_DIR", "/nowhere", 1);
	run = import_bytes("SKL", TAKT_IMPORT_OSACA, "a: b", 4);
	is_int(run.status, TAKT_UNAVAILABLE, "a missing module is no fault of the input");
	ok(strstr(takt_diag_text(run.diag), "install takt with its import module") != NULL,
	   "the remedy is named");
	is_int((long long)takt_text_size_bytes(run.text), 0, "nothing is written");
	import_end(&run);
}

int main(void)
{
	test_sources();
	test_no_module();
	return tap_done();
}
