/* SPDX-License-Identifier: MIT */
/* What rows say of throughput, and shares of what two of them both say. */
#include "fixture.h"

static void check_throughput(struct fixture *fixture)
{
	static const uint8_t add[] = {0x48, 0x01, 0xd8}, imul[] = {0x48, 0x0f, 0xaf, 0xc3},
			     divide[] = {0x48, 0xf7, 0xf3}, nop[] = {0x90};
	static const struct {
		const char *what;
		const uint8_t *bytes;
		size_t size;
		double cycles;
	} cases[] = {{"two of three µops have one port", add, 3, 2},
		     {"measured", imul, 4, 1.25},
		     {"a unit that is busy", divide, 3, 6},
		     {"issue slots", nop, 1, 0.25}};
	struct takt_model *model;

	fixture_write(fixture, "cores/t.core", CORE_HEAD "timing t\nissue_width 4 e\n");
	fixture_write(fixture, "timing/t.timing",
		      TIMING_HEAD "add r64, r64 | 2*p0+1*p01 |\nimul r64, r64 | 1*p1 | rtp=1.25\n"
				  "div r64 | 1*p0+6*d0 |\nnop | - | slots=1\n");
	model = fixture_model(fixture, "T");
	for (size_t i = 0; model && i < TAKT_COUNT_OF(cases); i++) {
		struct takt_timing_storage storage;
		struct takt_timing timing;
		struct takt_insn insn;

		if (takt_decode(&takt_isa_x86, cases[i].bytes, cases[i].size, 0, &insn) != TAKT_OK)
			abort();
		takt_model_timing(model, &insn, &storage, &timing);
		is_near(takt_timing_throughput(model, &timing), cases[i].cycles, cases[i].what);
	}
	takt_model_close(model);
}

static void check_shares(void)
{
	struct takt_agreement agreement = {0};
	struct takt_text text = {0};

	takt_agreement_write(&agreement, &text);
	is_int((int)text.size_bytes, 0, "nothing of nothing");
	ok(takt_agreement_latency(&agreement, 3.5, 3.5, 4), "half a cycle");
	ok(!takt_agreement_latency(&agreement, 3.4, 3.4, 4), "more");
	ok(takt_agreement_latency(&agreement, 2, 6, 4), "within a range");
	ok(!takt_agreement_latency(&agreement, 5, 6, 4), "below it");
	ok(takt_agreement_throughput(&agreement, 1.05, 1), "one twentieth");
	ok(takt_agreement_throughput(&agreement, 0.95, 1), "less");
	ok(!takt_agreement_throughput(&agreement, 1.06, 1), "too much");
	takt_agreement_write(&agreement, &text);
	ok(strstr(takt_text_data(&text), "2 of      4   50.0 %\n"), "share of latencies");
	ok(strstr(takt_text_data(&text), "2 of      3   66.7 %\n"), "share of throughputs");
	takt_text_release(&text);
}

int main(void)
{
	struct fixture fixture;

	fixture_open(&fixture);
	check_throughput(&fixture);
	fixture_close(&fixture);
	check_shares();
	return tap_done();
}
