/* SPDX-License-Identifier: MIT */
/* Inheritance of cores and timings, and what a directory may hold. */
#include "fixture.h"

static struct takt_timing timing_of(const struct takt_model *model, const char *hex)
{
	static struct takt_timing_storage storage;
	struct takt_insn insn = fixture_insn(hex);
	struct takt_timing timing;

	takt_model_timing(model, &insn, &storage, &timing);
	return timing;
}

#define ADD "4801d8"
#define IMUL "480fafc3"
#define SUB "4829d8"

/* A ← B ← C, each with a timing of its own; A numbers its ports differently. */
static void write_family(struct fixture *fixture)
{
	fixture_write(fixture, "cores/c.core",
		      CORE_HEAD_AS("C") "title the root\ntiming c\nrob_entries 10 e\n"
					"issue_width 3 e\nextensions avx\nfuse cmp : e\n"
					"compose load | 1*p0 |\ndefault int | 1*p1 |\n");
	fixture_write(fixture, "cores/b.core",
		      "takt core 1\nname B\nbase C\naliases bee\nsource e vendor of b\n"
		      "rob_entries 20 e\ntiming b\n");
	fixture_write(fixture, "cores/a.core",
		      "takt core 1\nname A\nbase bee\nsource e vendor of a\n"
		      "ports d0 p2 p1 p0 x0\npseudo x0 other\npseudo d0 div\nissue_width 9 e\n");
	fixture_write(fixture, "timing/c.timing",
		      "takt timing 1\nname c\nsource e estimated test\ndefault-source e\n"
		      "add r64, r64 | 1*p0 | lat=1\nimul r64, r64 | 1*p1 | lat=3\n"
		      "sub r64, r64 | 1*p01 | lat=1\n");
	fixture_write(fixture, "timing/b.timing",
		      "takt timing 1\nname b\nbase c\nsource e vendor test\ndefault-source e\n"
		      "add r64, r64 | 1*p02 | lat=2\nsub r64, r64 | none |\n");
}

static void test_inheritance(struct fixture *fixture)
{
	struct takt_model *a, *b;
	struct takt_insn cmp = fixture_insn("4839d8"), je = fixture_insn("7400");
	struct takt_timing timing;

	fixture_clear(fixture);
	write_family(fixture);
	b = fixture_model(fixture, "B");
	a = fixture_model(fixture, "A");
	if (!ok(a && b, "opened")) {
		tap_note("%s", takt_diag_text(fixture->diag));
		return;
	}
	is_string(takt_model_title(b), "B", "a title is not inherited");
	is_int(takt_model_params(b)->rob_entries, 20, "own parameter");
	is_int(takt_model_params(b)->issue_width, 3, "inherited parameter");
	is_int(takt_model_params(a)->rob_entries, 20, "from the base's");
	is_int(takt_model_params(a)->issue_width, 9, "own before base");
	is_int(takt_model_port_count(b), 4, "ports inherited");
	ok(takt_model_fuses(a, &cmp, &je), "fuse lines inherited");
	timing = timing_of(b, ADD);
	is_int(timing.uops[0].ports, 5, "own row: p0, p2");
	is_int(timing.latency_default, 2, "own latency");
	is_int(timing.origin, TAKT_ORIGIN_VENDOR, "own source of the same tag");
	timing = timing_of(b, IMUL);
	is_int(timing.latency_default, 3, "inherited row");
	is_int(timing.origin, TAKT_ORIGIN_ESTIMATED, "its source");
	is_int(timing_of(b, SUB).match, TAKT_MATCH_DEFAULT, "removed row");
	timing = timing_of(a, ADD);
	is_int(timing.uops[0].ports, 8 | 2, "ports by name in another numbering");
	is_int(timing_of(a, SUB).uops[0].ports, 4, "default row too");
	takt_model_close(a);
	takt_model_close(b);
}

static void expect_error(struct fixture *fixture, int line, const char *name, const char *place,
			 const char *message)
{
	struct takt_model *model = fixture_model(fixture, name);
	const char *text = takt_diag_text(fixture->diag);
	bool fine = !model && strstr(text, place) && strstr(text, message);

	tap_ok_at(__FILE__, line, fine, "%s", message);
	if (!fine)
		tap_note("got: %s", text);
	takt_model_close(model);
	fixture_clear(fixture);
}

/* Lines of a core that inherits its ports name them by the base's numbers. */
static void test_inherited_ports(struct fixture *fixture)
{
	struct takt_model *model;
	uint32_t count;

	fixture_clear(fixture);
	write_family(fixture);
	fixture_write(fixture, "cores/d.core",
		      "takt core 1\nname D\nbase C\nsource e vendor of d\n"
		      "scheduler 8 p2 e\nunit Third p2\nunit Both d0p1\n");
	model = fixture_model(fixture, "D");
	if (ok(model != NULL, "units and schedulers on inherited ports")) {
		is_int(takt_model_unit_ports(model, "Third"), 4, "a unit");
		is_int(takt_model_unit_ports(model, "Both"), 2 | 8, "a unit of two ports");
		is_int(takt_model_schedulers(model, &count)[0].ports, 4, "a scheduler");
	} else {
		tap_note("%s", takt_diag_text(fixture->diag));
	}
	takt_model_close(model);
}

static void test_errors(struct fixture *fixture)
{
	fixture_clear(fixture);
	fixture_write(fixture, "cores/a.core", "takt core 1\nname A\nbase B\n");
	fixture_write(fixture, "cores/b.core", "takt core 1\nname B\nbase A\n");
	expect_error(fixture, __LINE__, "A",
		     "b.core:3:6: error:", "base 'A' leads back to this core");

	fixture_write(fixture, "cores/b.core", "takt core 1\nname B\nbase N1\nfuse cmp : *\n");
	expect_error(fixture, __LINE__, "B",
		     "b.core:3:6: error:", "base 'N1' has another instruction set than x86-64");

	fixture_write(fixture, "cores/a.core", CORE_HEAD_AS("A") "unit U q7\n");
	expect_error(fixture, __LINE__, "A", "error:", "unknown port 'q7' in a line 'unit' of A");

	fixture_write(fixture, "cores/a.core", CORE_HEAD_AS("A") "timing a\n");
	fixture_write(fixture, "timing/a.timing", "takt timing 1\nname a\nbase b\n");
	fixture_write(fixture, "timing/b.timing", "takt timing 1\nname b\nbase a\n");
	expect_error(fixture, __LINE__, "A",
		     "b.timing:3:6: error:", "base 'a' leads back to this file");

	fixture_write(fixture, "cores/a.core", CORE_HEAD_AS("A") "timing a\n");
	fixture_write(fixture, "timing/a.timing", "takt timing 1\nname a\nbase nowhere\n");
	expect_error(fixture, __LINE__, "A", "a.timing:3:6: error:", "unknown timing 'nowhere'");

	for (int i = 0; i < 20; i++) {
		char name[32], text[64];

		snprintf(name, sizeof(name), "cores/n%d.core", i);
		snprintf(text, sizeof(text), "takt core 1\nname N%d\n%s%d\n", i,
			 i < 19 ? "base N" : "#", i + 1);
		fixture_write(fixture, name, text);
	}
	expect_error(fixture, __LINE__, "N0", "n15.core:3:6: error:", "too many bases in a row");

	/* The inherited row's port is missing here: the file with the row is named. */
	fixture_write(fixture, "cores/a.core", "takt core 1\nname A\nports p1\ntiming t\n");
	fixture_write(fixture, "timing/t.timing", TIMING_HEAD "nop | 1*p1+1*p0 |\n");
	expect_error(fixture, __LINE__, "A", "t.timing:5:14: error:", "unknown port 'p0' of nop");

	fixture_write(fixture, "cores/a.core", CORE_HEAD_AS("A"));
	expect_error(fixture, __LINE__, "AA", "error:", "unknown core 'AA'");
}

static void test_directory(struct fixture *fixture)
{
	struct takt_model *model = NULL;

	fixture_clear(fixture);
	is_int(takt_model_open("A", "/nonexistent", fixture->diag, &model), TAKT_BAD_INPUT,
	       "no such directory");
	ok(strstr(takt_diag_text(fixture->diag), "'/nonexistent' is no model directory"),
	   "message");
	ok(strstr(takt_diag_text(fixture->diag), "sub-directory cores/ or timing/"), "remedy");
	ok(model == NULL, "output untouched");
	/* One bad file among good ones is told, whichever core is asked for. */
	takt_diag_clear(fixture->diag);
	fixture_write(fixture, "cores/a.core", CORE_HEAD_AS("A"));
	fixture_write(fixture, "cores/b.core", "takt core 1\nname B\nbad 1\n");
	expect_error(fixture, __LINE__, "A", "b.core:3:1: error:", "unknown parameter 'bad'");
}

/* Files of a user on top of built-in cores; whichever is first is good enough. */
static void test_on_builtin(struct fixture *fixture)
{
	const char *name = takt_model_builtin_name(0);
	struct takt_model *model, *builtin = NULL;
	struct takt_text text = {0};
	char *rows;
	char timing[64] = "";

	fixture_clear(fixture);
	if (takt_model_builtin_count() == 0 ||
	    takt_model_open(name, NULL, fixture->diag, &builtin) != TAKT_OK) {
		tap_skip("a core on a built-in one", "no cores are built in");
		return;
	}
	takt_text_printf(&text,
			 "takt core 1\nname MINE\nbase %s\nsource e estimated x\n"
			 "rob_entries 777 e\n",
			 name);
	fixture_write(fixture, "cores/mine.core", text.data);
	model = fixture_model(fixture, "mine");
	if (ok(model != NULL, "base is a built-in core")) {
		is_int(takt_model_params(model)->rob_entries, 777, "changed");
		is_int(takt_model_params(model)->issue_width,
		       takt_model_params(builtin)->issue_width, "inherited");
		is_int(timing_of(model, ADD).uops[0].ports, timing_of(builtin, ADD).uops[0].ports,
		       "rows inherited");
		takt_text_clear(&text);
		is_int((int)takt_model_write_diff(builtin, model, NULL, &text), 1,
		       "one parameter is the only difference");
		takt_model_close(model);
	}
	fixture_clear(fixture);

	/* timing/NAME.timing alone, on top of itself. */
	takt_text_clear(&text);
	takt_model_write_show(builtin, NULL, &text);
	rows = strstr(text.data, "\ntiming");
	sscanf(rows ? rows : "", " timing %63s", timing);
	takt_text_clear(&text);
	takt_text_printf(&text,
			 "takt timing 1\nname %s\nbase %s\nsource e estimated x\n"
			 "add r64, r64 | - | lat=77 slots=1 src=e\n",
			 timing, timing);
	rows = takt_arena_printf(&fixture->arena, "timing/%s.timing", timing);
	fixture_write(fixture, rows, text.data);
	model = fixture_model(fixture, name);
	if (ok(model != NULL, "timings of a built-in core replaced")) {
		is_int(timing_of(model, ADD).latency_default, 77, "changed row");
		is_int(timing_of(model, SUB).uops[0].ports, timing_of(builtin, SUB).uops[0].ports,
		       "others inherited");
		takt_text_clear(&text);
		is_int((int)takt_model_write_diff(builtin, model, NULL, &text), 1,
		       "one row is the only difference");
		takt_model_close(model);
	} else {
		tap_note("%s", takt_diag_text(fixture->diag));
	}
	takt_model_close(builtin);
	takt_text_release(&text);
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	test_inheritance(&fixture);
	test_inherited_ports(&fixture);
	test_errors(&fixture);
	test_directory(&fixture);
	test_on_builtin(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
