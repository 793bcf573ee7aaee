/* SPDX-License-Identifier: MIT */
/* LLVM's tables of AArch64 cores: operands to slots, units to ports. */
#include "fixture.h"

static struct import_run import_cpu(const char *core, const char *source)
{
	struct import_run run = import_begin(core);

	run.status = takt_model_import(run.model, source, run.diag, run.text);
	return run;
}

static void test_rows(void)
{
	static const struct {
		int line;
		const char *row, *what;
	} rows[] = {
		{__LINE__, "add x, x, x | 1*s0123m01 | lat=1", "a group of units"},
		{__LINE__, "add x, x, x lsl [short] | 1*s0123m01 | lat=1", "a short shift"},
		{__LINE__, "fmla v.2d, v.2d, v.2d | 1*v0123 | lat=4,1>1:2",
		 "the accumulator is wanted late"},
		{__LINE__, "ldr x, [x], i | 1*l012+1*s0123m01 | lat=4,*>2b:1 slots=1",
		 "the base steps on in one cycle"},
		{__LINE__, "str d, [x] | 1*l01+1*v01 | lat=1 slots=1",
		 "address and data are one slot"},
		{__LINE__, "mul x, x, x | 1*m01 | lat=2", "an alias: the addend is zero"},
		{__LINE__, "mov x, x | - | lat=0 slots=1 elim", "done at rename"},
		{__LINE__, "mov x, i [imm0] | - | lat=0 slots=1 zero", "so is zero"},
		{__LINE__, "sdiv w, w, w | 12*x0+1*m0 | lat=12", "a divider"},
	};
	struct import_run run = import_cpu("V2", "llvm:neoverse-v2");

	is_int(run.status, TAKT_OK, "a model is imported");
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		tap_ok_at(__FILE__, rows[i].line, import_has_row(&run, rows[i].row), "%s",
			  rows[i].what);
	ok(strstr(import_text(&run), "\nisa   aarch64\n") != NULL, "the file says what it is of");
	ok(import_loads(&run, "V2", "v2"), "it opens as the timing of its core");
	import_end(&run);
}

static void test_errors(void)
{
	struct import_run run = import_cpu("V2", "llvm:neoverse-v22");

	ok(run.status == TAKT_BAD_INPUT && takt_diag_error_count(run.diag) == 1 &&
		   strstr(takt_diag_text(run.diag), "neoverse-v22"),
	   "an unknown processor");
	import_end(&run);
}

int main(void)
{
	struct import_run run = import_cpu("V2", "llvm:neoverse-v22");
	bool unavailable = run.status == TAKT_UNAVAILABLE;

	import_end(&run);
	if (unavailable)
		return tap_skip_all("takt-llvm-aarch64.so is not there");
	test_rows();
	test_errors();
	return tap_done();
}
