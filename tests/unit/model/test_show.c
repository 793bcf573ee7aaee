/* SPDX-License-Identifier: MIT */
/* What is shown can be read back, and then is the same core. */
#include "fixture.h"
#include "model/image.h"

#define CORE                                                                                       \
	"title A core\naliases tee test-core\nvendor GenuineIntel\nisa x86-64\n"                   \
	"cpuid 6 85 0-4\ncpuid 25 16-31\nextensions avx avx2 avx512f\n"                            \
	"source v vendor  the vendor's manual\n"                                                   \
	"rob_entries 99 v\nstack_engine no e\nmove_elimination_int_slots -1 e\n"                   \
	"fuse cmp test : e ne\nfuse inc : b\nfuse-not mem-imm rip\n"                               \
	"compose load | 1*p2 | lat=5\ncompose load-indexed | 1*p2 | slots=1 mite=0\n"              \
	"compose store | 1*p0+1*p1 | complex\n"                                                    \
	"default int | 1*p012 | lat=2\ndefault nop | - | slots=1 src=v\n"

#define ROWS                                                                                       \
	"source v published  measured by others\n"                                                 \
	"add r64, r64 | 1*p01+3*d0 | lat=1\nadd m64, r64 [indexed] | 2*p2 | lat=2,1b>1:10 "        \
	"slots=3 src=v\n"                                                                          \
	"xor r32, r32 [same] | - | slots=1 zero\n"

static void test_round_trip(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(fixture, CORE, ROWS), *again;
	struct takt_text core = {0}, rows = {0}, core_again = {0}, rows_again = {0};

	if (!ok(model != NULL, "opened"))
		return;
	takt_model_write_show(model, NULL, &core);
	takt_model_write_show(model, "*", &rows);
	fixture_clear(fixture);
	fixture_write(fixture, "cores/t.core", core.data);
	fixture_write(fixture, "timing/t.timing", rows.data);
	again = fixture_model(fixture, "T");
	if (ok(again != NULL, "what is shown is read back")) {
		takt_model_write_show(again, NULL, &core_again);
		takt_model_write_show(again, "*", &rows_again);
		is_string(core_again.data, core.data, "the core is the same");
		is_string(rows_again.data, rows.data, "the rows are the same");
	} else {
		tap_note("%s\n%s", takt_diag_text(fixture->diag), core.data);
	}
	ok(strstr(core.data, "\nrob_entries                    99  v") != NULL, "value and source");
	ok(strstr(core.data, "# entries of the reorder buffer [µops]\n") != NULL, "unit and help");
	ok(strstr(core.data, "\n# retire_width                   4 ") != NULL,
	   "a parameter not set is a comment");
	takt_model_close(model);
	takt_model_close(again);
	takt_text_release(&core);
	takt_text_release(&rows);
	takt_text_release(&core_again);
	takt_text_release(&rows_again);
}

static void test_glob(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(fixture, CORE, ROWS);
	struct takt_text text = {0};

	if (!ok(model != NULL, "opened"))
		return;
	takt_model_write_show(model, "add *[indexed]", &text);
	is_string(strstr(text.data, "\n\n"),
		  "\n\nadd m64, r64 [indexed]                  | 2*p2                            "
		  "| lat=2,1b>1:10 slots=3 src=v\n",
		  "brackets stand for themselves");
	takt_text_clear(&text);
	takt_model_write_show(model, "sub *", &text);
	is_string(text.data, "takt timing 1\nname        t\n\n# no form matches 'sub *'\n",
		  "nothing matches");
	takt_model_close(model);
	takt_text_release(&text);
}

static const struct {
	int line;
	const char *glob, *text;
	bool matches;
} globs[] = {
	{__LINE__, "", "", true},	   {__LINE__, "", "a", false},
	{__LINE__, "*", "", true},	   {__LINE__, "*", "abc", true},
	{__LINE__, "a?c", "abc", true},	   {__LINE__, "a?c", "ac", false},
	{__LINE__, "*b*", "abc", true},	   {__LINE__, "*b", "abcb", true},
	{__LINE__, "*bc", "abcbd", false}, {__LINE__, "a*a*a", "aa", false},
	{__LINE__, "**c", "abc", true},	   {__LINE__, "[a]", "a", false},
};

int main(void)
{
	struct fixture fixture;
	struct takt_text text = {0};

	fixture_open(&fixture);
	test_round_trip(&fixture);
	test_glob(&fixture);
	fixture_close(&fixture);
	for (size_t i = 0; i < TAKT_COUNT_OF(globs); i++)
		tap_ok_at(__FILE__, globs[i].line,
			  takt_glob_match(globs[i].glob, globs[i].text) == globs[i].matches,
			  "'%s' on '%s'", globs[i].glob, globs[i].text);
	takt_model_write_list(&text);
	ok(strncmp(takt_text_data(&text), "name ", 5) == 0, "a list with a heading");
	for (size_t i = 0; i < takt_model_builtin_count(); i++)
		ok(strstr(text.data, takt_model_builtin_name(i)) != NULL, "%s is listed",
		   takt_model_builtin_name(i));
	takt_text_release(&text);
	takt_model_write_list_as(TAKT_FORMAT_CSV, &text);
	ok(strncmp(takt_text_data(&text), "core,title,isa,ports,forms,", 27) == 0,
	   "a list as CSV, with a head");
	takt_text_release(&text);
	return tap_done();
}
