/* SPDX-License-Identifier: MIT */
/* Errors of core files: each message at its place. */
#include "fixture.h"

static const struct {
	int line;
	const char *text;
	const char *place, *message, *note;
} errors[] = {
	{__LINE__, "", ".core", "empty file", "its first line must be 'takt core 1'"},
	{__LINE__, "# nothing\n\n", ".core", "empty file", "takt core 1"},
	{__LINE__, "takt timing 1\n", ":1:1:", "not of the format 'takt core'", "takt core 1"},
	{__LINE__, "takt core 2\n", ":1:11:", "unknown format version '2'", "reads version 1"},
	{__LINE__, "takt core 1\ntitle x\n", ".core", "no 'name' line", ""},
	{__LINE__, CORE_HEAD "rob_entrys 3 e\n", ":7:1:", "unknown parameter 'rob_entrys'",
	 "did you mean 'rob_entries'"},
	{__LINE__, CORE_HEAD "rob_entries 3 x\n", ":7:15:", "unknown source 'x'",
	 "source x published TEXT"},
	{__LINE__, CORE_HEAD "rob_entries many e\n", ":7:13:", "'many' is not a number of µops",
	 ""},
	{__LINE__, CORE_HEAD "rob_entries 99999999999 e\n", ":7:13:", "is not a number", ""},
	{__LINE__, CORE_HEAD "stack_engine 1 e\n", ":7:14:", "'yes' or 'no' expected, not '1'", ""},
	{__LINE__, CORE_HEAD "rob_entries 3 e\nrob_entries 4 e\n",
	 ":8:13:", "'rob_entries' is given twice", ""},
	{__LINE__, "takt core 1\nname T\nrob_entries 3\n", ":3:", "no source",
	 "every figure has one: 'rob_entries 3 TAG'"},
	{__LINE__, CORE_HEAD "scheduler 0 p0 e\n", ":7:11:", "'0' is no number of entries", ""},
	{__LINE__, CORE_HEAD "scheduler 9+0 p0 e\n", ":7:11:", "'9+0' is no number of entries", ""},
	{__LINE__, CORE_HEAD "scheduler 9+256 p0 e\n", ":7:11:", "'9+256' is no number of entries",
	 ""},
	{__LINE__, CORE_HEAD "scheduler +9 p0 e\n", ":7:11:", "'+9' is no number of entries", ""},
	{__LINE__, "takt core 1\nname T\nports p0\nscheduler 24 p0\n", ":4:", "no source",
	 "every figure has one: 'scheduler 24 p0 TAG'"},
	{__LINE__, CORE_HEAD "name\n", ":7:", "name expected", ""},
	{__LINE__, CORE_HEAD "timing a b\n", ":7:10:", "unexpected 'b'", ""},
	{__LINE__, CORE_HEAD "source e vendor again\n", ":7:8:", "source 'e' is declared twice",
	 ""},
	{__LINE__, CORE_HEAD "source x rumour text\n", ":7:10:", "unknown origin 'rumour'",
	 "known are: none measured published"},
	{__LINE__, CORE_HEAD "source toolongtag vendor text\n", ":7:8:", "one to 8 letters", ""},
	{__LINE__, CORE_HEAD "ports p0\n", ":7:7:", "port 'p0' is named twice", ""},
	{__LINE__, CORE_HEAD "ports p34\n", ":7:7:", "'p34' is not one port", ""},
	{__LINE__, CORE_HEAD "ports pp\n", ":7:7:", "port letter 'p' without a digit", ""},
	{__LINE__, CORE_HEAD "ports 00\n", ":7:7:", "'00' names no ports", ""},
	{__LINE__, CORE_HEAD "pseudo d7 other\n", ":7:8:", "unknown port 'd7'", "'ports' line"},
	{__LINE__, CORE_HEAD "cpuid six 1\n", ":7:7:", "cpuid needs a family and a model",
	 "cpuid 6 85 0-4"},
	{__LINE__, CORE_HEAD "cpuid 6 9-1\n", ":7:9:", "neither a number nor a range", ""},
	{__LINE__, CORE_HEAD "extensions avx2 avx512g\n", ":7:17:", "unknown ISA set 'avx512g'",
	 "did you mean"},
	{__LINE__, CORE_HEAD "fuse cmp\n", ":7:", "fuse needs mnemonics, ':' and conditions",
	 "fuse cmp add : b ae e ne"},
	{__LINE__, CORE_HEAD "fuse cmpx : e\n", ":7:6:", "unknown mnemonic 'cmpx'", ""},
	{__LINE__, CORE_HEAD "fuse cmp : e q\n", ":7:14:", "unknown condition 'q'", ""},
	{__LINE__, CORE_HEAD "fuse-load mov\n", ":7:", "fuse-load needs mnemonics, ':' and others",
	 "fuse-load mov : add sub"},
	{__LINE__, CORE_HEAD "fuse-load mov : addd\n", ":7:17:", "unknown mnemonic 'addd'", ""},
	{__LINE__, CORE_HEAD "fuse-not mem-im\n", ":7:10:", "unknown restriction 'mem-im'",
	 "'mem-imm'"},
	{__LINE__, CORE_HEAD "compose loads | 1*p0 |\n", ":7:9:", "unknown compose row 'loads'",
	 "'load'"},
	{__LINE__, CORE_HEAD "compose load | 1*p0\ncompose load | 1*p1\n",
	 ":8:9:", "'load' has two rows", ""},
	{__LINE__, CORE_HEAD "compose load x | 1*p0\n", ":7:14:", "unexpected 'x'", ""},
	{__LINE__, CORE_HEAD "default intt | 1*p0\n", ":7:9:", "unknown class 'intt'", "'int'"},
	{__LINE__, CORE_HEAD "compose load | 1*p7\n", ":7:18:", "unknown port 'p7'",
	 "T has the ports p0 p1 p2 d0"},
	{__LINE__, CORE_HEAD "base NONESUCH\n", ":7:6:", "unknown base 'NONESUCH'",
	 "'takt model list' lists those"},
	{__LINE__, CORE_HEAD "base T\n", ":7:6:", "unknown base 'T'", ""},
	{__LINE__, CORE_HEAD "timing nonesuch\n", ":7:8:", "unknown timing 'nonesuch'",
	 "timing/nonesuch.timing"},
};

static void test_errors(struct fixture *fixture)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(errors); i++) {
		const char *text;
		bool fine;

		fixture_clear(fixture);
		fixture_write(fixture, "cores/t.core", errors[i].text);
		fine = fixture_model(fixture, "T") == NULL;
		text = takt_diag_text(fixture->diag);
		fine = fine && strstr(text, errors[i].place) && strstr(text, errors[i].message) &&
		       strstr(text, errors[i].note) && takt_diag_error_count(fixture->diag) == 1;
		tap_ok_at(__FILE__, errors[i].line, fine, "%s", errors[i].message);
		if (!fine)
			tap_note("got: %s", text);
	}
}

/* Pairs that no core may have: too many lines of them, and loads on AArch64. */
static void test_pairs(struct fixture *fixture)
{
	struct takt_text text = {0};

	takt_text_add_string(&text, CORE_HEAD);
	for (int i = 0; i < 32; i++)
		takt_text_add_string(&text, "fuse-pair mov : add\n");
	fixture_clear(fixture);
	fixture_write(fixture, "cores/t.core", takt_text_data(&text));
	ok(!fixture_model(fixture, "T") && strstr(takt_diag_text(fixture->diag), ":38:17: ") &&
		   strstr(takt_diag_text(fixture->diag), "more than 31 lines of fusing pairs"),
	   "32 lines of pairs");
	fixture_clear(fixture);
	fixture_write(fixture, "cores/t.core", CORE_HEAD "isa aarch64\nfuse-load ldr : add\n");
	ok(!fixture_model(fixture, "T") &&
		   strstr(takt_diag_text(fixture->diag), "fuse-load is for x86-64 alone"),
	   "fused loads of AArch64");
	takt_text_release(&text);
}

static void test_caret(struct fixture *fixture)
{
	fixture_clear(fixture);
	fixture_write(fixture, "cores/t.core", CORE_HEAD "issue_width   four   e # comment\n");
	ok(!fixture_model(fixture, "T"), "refused");
	ok(strstr(takt_diag_text(fixture->diag), "    7 | issue_width   four   e\n"
						 "      |               ^~~~\n") != NULL,
	   "excerpt and caret");
}

static void test_values(struct fixture *fixture)
{
	struct takt_model *model =
		fixture_core(fixture,
			     "title A core for tests\naliases tee  test-core\naliases third\n"
			     "rob_entries 77 e\nstack_engine no\nmove_elimination_int_slots -1 e\n"
			     "extensions avx512f avx2\n",
			     "");
	const struct takt_core_params *params;

	if (!ok(model != NULL, "opened"))
		return;
	params = takt_model_params(model);
	is_string(takt_model_name(model), "T", "name");
	is_string(takt_model_title(model), "A core for tests", "title");
	is_int(params->rob_entries, 77, "a number");
	is_int(params->stack_engine, 0, "a yes/no, source by default");
	is_int(params->move_elimination_int_slots, -1, "no limit");
	is_int(params->retire_width, 4, "a parameter not set has its default");
	is_int(takt_model_port_count(model), 4, "ports");
	is_string(takt_model_port_name(model, 3), "d0", "port name");
	is_string(takt_model_port_name(model, 4), "", "no such port");
	is_int(takt_model_pseudo_ports(model), 8, "pseudo ports");
	takt_model_close(model);
	model = fixture_model(fixture, "TEST-core");
	ok(model != NULL, "by alias, in any case");
	takt_model_close(model);
	model = fixture_model(fixture, "third");
	ok(model != NULL, "aliases of a second line");
	takt_model_close(model);
}

static void test_extensions(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(fixture, "extensions avx512f avx2\n", "");
	struct takt_insn vaddps_zmm = fixture_insn("62f16c4858cb");
	struct takt_insn vpaddd_ymm = fixture_insn("c5edfecb");
	struct takt_insn vaddps_ymm = fixture_insn("c5ec58cb");

	if (!ok(model != NULL, "opened"))
		return;
	ok(takt_model_supports(model, &vaddps_zmm), "a name stands for its widths");
	ok(takt_model_supports(model, &vpaddd_ymm), "a name stands for itself");
	ok(!takt_model_supports(model, &vaddps_ymm), "avx is not listed");
	takt_model_close(model);
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	test_errors(&fixture);
	test_pairs(&fixture);
	test_caret(&fixture);
	test_values(&fixture);
	test_extensions(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
