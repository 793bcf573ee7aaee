/* SPDX-License-Identifier: MIT */
/* Strata and units: whether the intervals hold what they promise. */
#include <math.h>

#include "../tap.h"
#include "base/base.h"
#include "trace/timing/sample.h"

#define STEP_INSNS 100u
#define RUNS 200u

/* What is known of the made-up program's causes, and how it behaves. */
enum program {
	UNKNOWN, /* nothing is known */
	EVEN,	 /* each cause costs the same everywhere */
	UNEVEN, /* a short phase, which few units are in, has loads that cost three times as much */
};

/*
 * Cycles per instruction at a place of a made-up program: phases, and noise within them, of which
 * each cause has a part.
 */
static double cpi_at(uint64_t insn, enum program program, double causes[SAMPLE_CAUSES])
{
	static const double costs[SAMPLE_CAUSES] = {0.8, 0.3, 0.1, 18};
	uint64_t noise = insn / 5000 * UINT64_C(0x9e3779b97f4a7c15);
	double cycles = 0.5 + (double)(noise >> 40) / (1 << 24) * 0.1;
	bool apart = program == UNEVEN && insn / 150000 == 100;

	causes[SAMPLE_FETCHES] = 0.4 * (double)(insn / 3000000 % 3);
	causes[SAMPLE_LOADS] = apart ? 2 : (double)(noise >> 8 & 0xffff) / 0xffff;
	causes[SAMPLE_STORES] = 2 * (double)(noise >> 24 & 0xffff) / 0xffff;
	causes[SAMPLE_MISPREDICTS] = insn / 5000 % 97 == 0 ? 0.05 : 0;
	for (unsigned i = 0; i < SAMPLE_CAUSES; i++)
		cycles += causes[i] * costs[i];
	return cycles + (apart ? causes[SAMPLE_LOADS] * 0.6 : 0);
}

struct truth {
	double cycles, estimate, half_width;
	uint64_t measured_insns;
	uint64_t units;
};

static struct truth run(uint64_t insns, uint64_t seed, enum program program)
{
	double causes[SAMPLE_CAUSES] = {0};
	struct truth truth = {0};
	struct sample sample;
	double unit_cycles = 0;
	uint64_t unit_insns = 0;

	trace_sample_init(&sample, seed);
	for (uint64_t at = 0; at < insns; at += STEP_INSNS) {
		double some[SAMPLE_CAUSES], cycles = cpi_at(at, program, some) * STEP_INSNS;

		for (unsigned i = 0; i < SAMPLE_CAUSES && program != UNKNOWN; i++)
			causes[i] += some[i] * STEP_INSNS;
		truth.cycles += cycles;
		if (sample.phase == SAMPLE_MEASURE) {
			unit_cycles += cycles;
			unit_insns += STEP_INSNS;
			truth.measured_insns += STEP_INSNS;
		}
		if (!trace_sample_advance(&sample, STEP_INSNS))
			continue;
		if (sample.phase == SAMPLE_MEASURE)
			trace_sample_begin(&sample, causes);
		if (sample.phase == SAMPLE_SKIP) {
			trace_sample_end(&sample, unit_insns, (uint64_t)llround(unit_cycles),
					 causes);
			unit_cycles = 0;
			unit_insns = 0;
		}
	}
	trace_sample_finish(&sample, causes, &truth.estimate, &truth.half_width);
	truth.units = sample.units;
	trace_sample_release(&sample);
	return truth;
}

/*
 * Count how many intervals of runs with different seeds have the true value, and compare their mean
 * width, as a share of the cycles, with what is expected.
 */
static void test_intervals(enum program program, double least, double most)
{
	double error = 0, half_width = 0;
	unsigned inside = 0;

	for (unsigned seed = 0; seed < RUNS; seed++) {
		struct truth truth = run(60000000, seed, program);

		inside += fabs(truth.estimate - truth.cycles) <= truth.half_width;
		error += (truth.estimate - truth.cycles) / truth.cycles / RUNS;
		half_width += truth.half_width / truth.cycles / RUNS;
	}
	/* 95 % of 200 runs is 190 ± 6 (two standard deviations); intervals of successive
	 * differences are rather too wide than too narrow. */
	ok(inside >= 184, "%u of %u intervals have the true value", inside, RUNS);
	/* A mean of 200 errors of at most about a per cent. */
	ok(fabs(error) < 0.002, "no bias: %.5f", error);
	ok(half_width >= least && half_width <= most, "half widths are %.4f", half_width);
}

/* An interval is never narrower than what units do not show, and never wide for a large unit. */
static void test_even_units(void)
{
	struct sample_unit list[200];
	struct sample_units units = {.list = list, .count = TAKT_COUNT_OF(list)};
	double causes[SAMPLE_CAUSES] = {0}, cycles, half_width;

	for (size_t i = 0; i < units.count; i++)
		list[i] = (struct sample_unit){.insns = 1000, .cpi = 2};
	sample_estimate(&units, causes, &cycles, &half_width);
	ok(fabs(cycles - 400000) < 1e-6 && fabs(half_width - 0.002 * 1.96 * cycles) < 1,
	   "units that are equal: %.0f ± %.0f cycles", cycles, half_width);
	/* Two parts of the variance, of 800² / 2 each, have 4 degrees of freedom: t is 2.776. */
	list[100].cpi = 2.8;
	sample_estimate(&units, causes, &cycles, &half_width);
	ok(fabs(cycles - 400800) < 1e-6 &&
		   fabs(half_width - hypot(2.776 * 800, 0.002 * 1.96 * cycles)) < 1,
	   "one that is not counts as few: %.0f ± %.0f cycles", cycles, half_width);
}

/* Causes explain everything: the estimate is exact wherever the units are. */
static void test_exact(void)
{
	struct sample_unit list[200];
	struct sample_units units = {.list = list, .count = TAKT_COUNT_OF(list)};
	double causes[SAMPLE_CAUSES] = {700, 3000, 250, 90}, expected = 0.5 * 1000 * 200;
	double cycles, half_width;

	for (size_t i = 0; i < units.count; i++) {
		list[i] = (struct sample_unit){.insns = 1000, .cpi = 0.5};
		for (unsigned c = 0; c < SAMPLE_CAUSES; c++) {
			list[i].causes[c] = (double)((i * 7 + 1) * (c + 3) % 11) / 1000;
			list[i].cpi += list[i].causes[c] * (c + 1);
		}
	}
	for (unsigned c = 0; c < SAMPLE_CAUSES; c++)
		expected += causes[c] * (c + 1);
	sample_estimate(&units, causes, &cycles, &half_width);
	ok(fabs(cycles - expected) < 1e-6 * expected, "what the causes cost is found: %.3f, %.3f",
	   cycles, expected);
	ok(fabs(half_width / cycles - 0.002 * 1.96) < 1e-5, "and nothing is left: %.5f",
	   half_width / cycles);
}

int main(void)
{
	struct truth once = run(400000000, 1, EVEN), again = run(400000000, 1, EVEN);
	struct truth other = run(400000000, 2, EVEN);

	ok(once.estimate == again.estimate && once.half_width == again.half_width,
	   "the same seed, the same result");
	ok(once.estimate != other.estimate, "another seed, another one");
	ok(once.measured_insns < 400000000 / 25, "of a long run a twenty-fifth is measured");
	test_intervals(UNKNOWN, 0.008, 0.03);
	test_intervals(EVEN, 0.003, 0.006);
	test_intervals(UNEVEN, 0.004, 0.012);
	test_even_units();
	test_exact();
	ok(isinf(run(100000, 1, EVEN).half_width), "a run too short for a unit promises nothing");
	return tap_done();
}
