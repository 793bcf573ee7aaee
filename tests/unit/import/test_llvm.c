/* SPDX-License-Identifier: MIT */
/* LLVM's tables: a few rows that any LLVM gives, and processors that it does not know. */
#include "fixture.h"

static struct import_run import_cpu(const char *core, const char *source)
{
	struct import_run run = import_begin(core);

	run.status = takt_model_import(run.model, source, run.diag, run.text);
	return run;
}

static void test_rows(void)
{
	struct import_run run = import_cpu("SKL", "llvm:skylake");
	const char *text = import_text(&run);

	is_int(run.status, TAKT_OK, "a model is imported");
	ok(import_has_row(&run, "add r64, r64 | 1*p0156 | lat=1"), "a group of ports");
	ok(import_has_row(&run, "add r64, m64 | 1*p23+1*p0156 | lat=1,a>*:6,2>*:4 slots=1"),
	   "a register operand may come later than the address");
	ok(import_has_row(&run, "jne rel | 1*p06 | lat=1"), "conditions have forms of their own");
	ok(!strstr(text, "zmm"), "nothing that the core lacks");
	ok(strstr(text, "source i model  LLVM scheduling model, skylake\n") != NULL, "the source");
	ok(strstr(text, "# left out:") != NULL, "what was left out is counted");
	ok(import_loads(&run, "SKL", "skl"), "it opens as the timing of its core");
	import_end(&run);
}

/* LLVM 19 numbers the loads of this core's generation 2, 3, 11; other releases 2, 3, 10. */
static void test_loads(void)
{
	struct import_run run = import_cpu("SPR", "llvm:sapphirerapids");

	ok(import_has_row(&run, "add r64, m64 | 1*p23A+1*p0156B | lat=1,a>*:6,2>*:5 slots=1"),
	   "ports above nine by what loads use");
	ok(import_loads(&run, "SPR", "spr"), "it opens as the timing of its core");
	import_end(&run);
	run = import_cpu("ZEN3", "llvm:znver3");
	ok(import_has_row(&run, "add r64, r64 | 1*a0123 | lat=1"), "units by their names");
	ok(import_loads(&run, "ZEN3", "zen3"), "it opens as the timing of its core");
	import_end(&run);
}

static void test_errors(void)
{
	static const struct import_case cases[] = {
		{__LINE__, "unknown processor", "llvm:skylke", 0,
		 "error: LLVM has no x86-64 processor 'skylke'", "did you mean 'skylake'"},
		{__LINE__, "nothing like it", "llvm:qqqqqqqq", 0,
		 "error: LLVM has no x86-64 processor 'qqqqqqqq'", "its names are those of gcc's"},
		{__LINE__, "no model", "llvm:i386", 0,
		 "error: LLVM has no scheduling model for 'i386'", "choose a processor"},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(cases); i++) {
		struct import_run run = import_cpu("SKL", cases[i].data);

		import_check_error(&cases[i], &run);
		import_end(&run);
	}
}

int main(void)
{
	struct import_run run = import_cpu("SKL", "llvm:qqqqqqqq");
	bool unavailable = run.status == TAKT_UNAVAILABLE;

	import_end(&run);
	if (unavailable)
		return tap_skip_all("takt-llvm.so is not there");
	test_rows();
	test_loads();
	test_errors();
	return tap_done();
}
