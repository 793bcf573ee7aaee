/* SPDX-License-Identifier: MIT */
/* Differences form by form. */
#include "fixture.h"

int main(void)
{
	static const char expected[] =
		"rob_entries: 224 → 99\n"
		"add r64, r64: µops 1*p0 → 1*p01\n"
		"imul r64, r64: latency 3 → 4,2>1:3; slots 1 → 2 (mite 1 ms 0)\n"
		"mov r64, r64: kind executed → elim\n"
		"nop: only in T\n"
		"sub r64, r64: only in U\n"
		"T → U: 6 forms, 1 equal; differing in µops 1, latency 1, slots 1; "
		"only in T 1, only in U 1; 1 parameter differs\n"
		"  latencies of operand pairs within 0.5 cycles       10 of     13   76.9 %\n"
		"  throughputs within 5 %                              3 of      4   75.0 %\n";
	struct fixture fixture;
	struct takt_model *left, *right;
	struct takt_text text = {0};

	fixture_open(&fixture);
	fixture_write(&fixture, "cores/t.core", CORE_HEAD "timing t\n");
	fixture_write(&fixture, "cores/u.core", CORE_HEAD_AS("U") "timing u\nrob_entries 99 e\n");
	fixture_write(&fixture, "timing/t.timing",
		      TIMING_HEAD "add r64, r64 | 1*p0 |\nimul r64, r64 | 1*p1 | lat=3\n"
				  "mov r64, r64 | - | slots=1\nnop | - | slots=1\n"
				  "xor r64, r64 | 1*p0 |\n");
	fixture_write(&fixture, "timing/u.timing",
		      "takt timing 1\nname u\nsource e estimated test\ndefault-source e\n"
		      "add r64, r64 | 1*p01 |\nimul r64, r64 | 1*p1 | lat=4,2>1:3 slots=2 mite=1\n"
		      "mov r64, r64 | - | slots=1 elim\nsub r64, r64 | 1*p0 |\n"
		      "xor r64, r64 | 1*p0 |\n");
	left = fixture_model(&fixture, "T");
	right = fixture_model(&fixture, "U");
	if (ok(left && right, "opened")) {
		is_int((int)takt_model_write_diff(left, right, NULL, &text), 6, "differences");
		is_string(text.data, expected, "report");
		takt_text_clear(&text);
		is_int((int)takt_model_write_diff(left, right, "x*", &text), 0,
		       "a glob leaves out the rest and the parameters");
		takt_text_clear(&text);
		is_int((int)takt_model_write_diff(left, left, NULL, &text), 0, "none to itself");
		ok(!strstr(text.data, "within"), "a row agrees with itself: that is not counted");
	}
	takt_model_close(left);
	takt_model_close(right);
	takt_text_release(&text);
	fixture_close(&fixture);
	return tap_done();
}
