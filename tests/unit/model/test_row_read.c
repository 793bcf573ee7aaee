/* SPDX-License-Identifier: MIT */
/* Rows: errors at their place; what is read is what is written back. */
#include "fixture.h"

#define R TIMING_HEAD

static const struct {
	int line;
	const char *text;
	const char *place, *message, *note;
} errors[] = {
	{__LINE__, "takt core 1\n", ":1:1:", "not of the format 'takt timing'", "takt timing 1"},
	{__LINE__, "takt timing 1\n", ".timing", "no 'name' line", ""},
	{__LINE__, "takt timing 1\nname u\n", ".timing: names itself 'u'", "names itself",
	 "must agree with the file's name"},
	{__LINE__, R "base a b\n", ":5:6:", "one name expected", ""},
	{__LINE__, R "nop\n", ":5:1:", "'|' expected", "form | µops | attributes"},
	{__LINE__, R "nopp | - |\n", ":5:1:", "unknown mnemonic 'nopp'",
	 "see docs/formats/forms.md"},
	{__LINE__, R "add r64, r65 | 1*p0 |\n", ":5:10:", "'r65'", ""},
	{__LINE__, R "add r64, r64 |  |\n", ":5:17:", "COUNT*PORTS", "'-' for none"},
	{__LINE__, R "add r64, r64 | p0 |\n", ":5:16:", "not 'p0'", ""},
	{__LINE__, R "add r64, r64 | 0*p0 |\n", ":5:16:", "not '0*p0'", ""},
	{__LINE__, R "add r64, r64 | 1*p0+ 2*p1 |\n", ":5:21:", "not ' 2*p1'", ""},
	{__LINE__, R "add r64, r64 | 1*p0x |\n", ":5:20:", "port letter 'x' without a digit", ""},
	{__LINE__, R "add r64, r64 | 1*p00 |\n", ":5:20:", "port 'p0' is named twice", ""},
	{__LINE__, R "add r64, r64 | 1*p9 |\n", ":5:18:", "unknown port 'p9' of add r64, r64",
	 "T has the ports p0 p1 p2 d0"},
	{__LINE__, R "add r64, r64 | 2*p01+1*d0+1*p19 |\n", ":5:31:", "unknown port 'p9'", ""},
	{__LINE__, R "add r64, r64 | 1*p0 | latency=1\n", ":5:23:", "unknown attribute 'latency'",
	 "known are: lat slots"},
	{__LINE__, R "add r64, r64 | 1*p0 | slot=1\n", ":5:23:", "unknown attribute 'slot'",
	 "did you mean 'slots'"},
	{__LINE__, R "add r64, r64 | 1*p0 | slots\n", ":5:23:", "'slots' needs '=' and a value",
	 ""},
	{__LINE__, R "add r64, r64 | 1*p0 | zero=1\n", ":5:23:", "'zero' takes no value", ""},
	{__LINE__, R "add r64, r64 | 1*p0 | lat=1 lat=2\n", ":5:29:", "'lat' is given twice", ""},
	{__LINE__, R "add r64, r64 | 1*p0 | slots=-1\n", ":5:29:", "'-1' is not a number", ""},
	{__LINE__, R "add r64, r64 | 1*p0 | simple=255\n", ":5:30:", "number up to 254", ""},
	{__LINE__, R "add r64, r64 | 1*p0 | rtp=1.x\n", ":5:27:", "'1.x' is not a number of cycles",
	 ""},
	{__LINE__, R "add r64, r64 | 1*p0 | lat=x\n", ":5:27:", "'x' is not a number of cycles",
	 ""},
	{__LINE__, R "add r64, r64 | 1*p0 | lat=1,2>1\n",
	 ":5:29:", "latencies are written SOURCE>DESTINATION:CYCLES, not '2>1'", ""},
	{__LINE__, R "add r64, r64 | 1*p0 | lat=1,2>y:3\n", ":5:31:", "unknown operand 'y'",
	 "1b and 1i"},
	{__LINE__, R "add r64, r64 | 1*p0 | lat=1,1b>1:3\n", ":5:29:", "operand 1 has no address",
	 ""},
	{__LINE__, R "add r64, r64 | 1*p0 | src=q\n", ":5:27:", "unknown source 'q'", "declare it"},
	{__LINE__, "takt timing 1\nname t\nnop | - |\n", ":3:1:", "no source",
	 "default-source TAG"},
	{__LINE__, R "jz rel | 1*p0 |\nnop | - |\nje rel | 1*p1 |\n",
	 ":7:1:", "'je rel' has two rows", "line 5"},
};

static void test_errors(struct fixture *fixture)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(errors); i++) {
		const char *text;
		bool fine;

		fixture_clear(fixture);
		fixture_write(fixture, "cores/t.core", CORE_HEAD "timing t\n");
		fixture_write(fixture, "timing/t.timing", errors[i].text);
		fine = fixture_model(fixture, "T") == NULL;
		text = takt_diag_text(fixture->diag);
		fine = fine && strstr(text, errors[i].place) && strstr(text, errors[i].message) &&
		       strstr(text, errors[i].note) && takt_diag_error_count(fixture->diag) == 1;
		tap_ok_at(__FILE__, errors[i].line, fine, "%s", errors[i].message);
		if (!fine)
			tap_note("got: %s", text);
	}
}

/* Written rows are in the writer's order of attributes, without what is default. */
static const struct {
	int line;
	const char *row;
} rows[] = {
	{__LINE__, "add r64, r64                            | 1*p012                          | "
		   "lat=1 src=e\n"},
	{__LINE__,
	 "add m64, r64 [indexed]                  | 1*p0+2*p12                      | "
	 "lat=2,1b>1:10,1i>1:12,*>f:3 slots=5 mite=4 ms=1 complex simple=1 rtp=1.25 src=e\n"},
	{__LINE__, "div r64                                 | 4*p0+6*d0                       | "
		   "lat=26,rdx>rax:40,a>*:3 uops=3 src=e\n"},
	{__LINE__, "xor r32, r32 [same]                     | -                               | "
		   "lat=0 slots=1 zero src=e\n"},
	{__LINE__, "mov r64, r64                            | -                               | "
		   "lat=0 slots=1 elim src=e\n"},
	{__LINE__, "vpxor xmm, xmm, xmm [same]              | 1*p01                           | "
		   "lat=1 breaks src=e\n"},
	{__LINE__, "vpaddd zmm{k}{z}, zmm, m32{b}           | 1*p01+1*p2                      | "
		   "lat=1,k>1:2,3b>*:9 slots=1 rtp=0.5 src=e\n"},
};

static void test_round_trip(struct fixture *fixture)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct takt_model *model = fixture_core(fixture, "", rows[i].row);
		struct takt_text *text = takt_text_new();
		const char *last;

		if (model)
			takt_model_write_show(model, "*", text);
		last = strstr(takt_text_data(text), "\n\n");
		tap_ok_at(__FILE__, rows[i].line, last && strcmp(last + 2, rows[i].row) == 0,
			  "written as read: %.24s", rows[i].row);
		if (!last || strcmp(last + 2, rows[i].row) != 0)
			tap_note("got: %s", last ? last + 2 : "nothing");
		takt_text_free(text);
		takt_model_close(model);
	}
}

static struct takt_timing timing_of(const struct takt_model *model, const char *hex)
{
	static struct takt_timing_storage storage;
	struct takt_insn insn = fixture_insn(hex);
	struct takt_timing timing;

	takt_model_timing(model, &insn, &storage, &timing);
	return timing;
}

static void test_defaults(struct fixture *fixture)
{
	struct takt_model *model = fixture_core(fixture, "",
						"add r64, r64 | 2*p01+3*d0+1*p2 | rtp=0.333\n"
						"nop | - | slots=1\n"
						"div r64 | 900000*p0 | rtp=99999\n");
	struct takt_timing timing;

	if (!ok(model != NULL, "opened"))
		return;
	timing = timing_of(model, "4801d8");
	is_int(timing.latency_default, 1, "latency 1");
	is_int(timing.uop_total, 3, "µops: those on issue ports");
	is_int(timing.slots, 3, "slots: as many");
	is_int(timing.mite, 3, "mite: as slots");
	is_int(timing.simple_decoders, 255, "all simple decoders");
	is_int(timing.rthroughput_hundredths, 33, "rtp rounded");
	is_int(timing.origin, TAKT_ORIGIN_ESTIMATED, "origin by its source");
	is_string(takt_model_source(model, timing.source), "estimated: test", "source");
	is_int(timing_of(model, "90").latency_default, 0, "latency 0 without µops");
	timing = timing_of(model, "48f7f3");
	is_int(timing.uop_total, 60000, "counts are cut");
	is_int(timing.rthroughput_hundredths, 65535, "rtp is cut");
	takt_model_close(model);
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	test_errors(&fixture);
	test_round_trip(&fixture);
	test_defaults(&fixture);
	fixture_close(&fixture);
	return tap_done();
}
