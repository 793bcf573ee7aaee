/* SPDX-License-Identifier: MIT */
/* Loops that are entered and left: cycles grow with iterations, and tend to the endless loop's. */
#include <math.h>
#include <string.h>

#include "../tap.h"
#include "analyze/analyze.h"

static const struct {
	const char *hex, *what;
} loops[] = {
	{"480fafc2 48ffc9 75f7", "a chain of multiplications, and a counter"},
	{"48ffc9 75fb", "a counter"},
	{"480107 48ffc9 75f8", "through memory"},
	{"f20f10441f08 f20f110417 4883c308 4883c208 48ffc9 75e8", "loads and stores"},
	{"4883f0014d0fafc04d0fafc9 66 90 48ffc9 75ed", "two chains"},
};
static const char *const cores[] = {"SNB", "SKX", "ICL", "ZEN2", "ZEN5"};

static struct takt_analysis *analyze(const struct takt_model *model, const char *hex,
				     uint64_t iterations, enum takt_mode mode)
{
	const struct takt_code_options code_options = {.data = hex,
						       .data_size_bytes = strlen(hex),
						       .format = TAKT_INPUT_HEX,
						       .whole = true};
	const struct takt_paths_options trips = {.iterations = iterations};
	const struct takt_analysis_options options = {
		.mode = mode, .sensitivity = TAKT_SENSITIVITY_NONE, .trips = &trips};
	struct takt_analysis *analysis = NULL;
	struct takt_code *code;

	if (takt_code_open(&code_options, NULL, &code) != TAKT_OK)
		return NULL;
	if (takt_analyze(model, code, 0, &options, NULL, &analysis) != TAKT_OK)
		analysis = NULL;
	takt_code_close(code);
	return analysis;
}

static void test_growth(const struct takt_model *model, const char *hex, const char *what)
{
	static const uint64_t counts[] = {1, 2, 3, 10, 63, 64, 65, 100, 1000, 1001, 1000000};
	double before = 0;

	for (size_t i = 0; i < TAKT_COUNT_OF(counts); i++) {
		struct takt_analysis *a = analyze(model, hex, counts[i], TAKT_MODE_AUTO);
		const struct takt_execution *run;
		double retired;

		if (!ok(a != NULL, "%s, %s", takt_model_name(model), what))
			return;
		run = &a->execution;
		retired = run->endless_cycles + run->fill_cycles;
		is_int((long long)run->iterations, (long long)counts[i], "iterations");
		ok(retired >= before && retired > 0, "%s, %s: %g after %g", takt_model_name(model),
		   what, retired, before);
		ok(fabs(run->cycles - retired - run->exit_cycles) < 1e-6 && run->exit_cycles >= 0,
		   "parts sum to %g", run->cycles);
		ok(fabs(run->endless_cycles - (double)counts[i] * a->simulated_cycles) < 1e-3,
		   "iterations of the endless loop: %g", run->endless_cycles);
		if (counts[i] == 1000000)
			ok(fabs(run->cycles / run->endless_cycles - 1) < 0.001,
			   "%s, %s: a million is like no end: %g", takt_model_name(model), what,
			   run->cycles / 1e6);
		before = retired;
		takt_analysis_free(a);
	}
}

/* A loop of one cycle whose exit depends on the counter alone: the penalty shows in full. */
static void test_exit(const struct takt_model *model)
{
	struct takt_analysis *a = analyze(model, "48ffc9 75fb", 10, TAKT_MODE_AUTO);
	struct takt_analysis *b = analyze(model, "480fafc2 48ffc9 75f7", 100, TAKT_MODE_AUTO);
	double penalty = takt_model_params(model)->mispredict_cycles;

	ok(a && a->execution.exit_cycles > penalty - 4 && a->execution.exit_cycles <= penalty,
	   "the exit costs the penalty less what retires meanwhile: %g of %g",
	   a ? a->execution.exit_cycles : NAN, penalty);
	ok(b && b->execution.exit_cycles < 1, "and nothing behind a long chain: %g",
	   b ? b->execution.exit_cycles : NAN);
	is_string(a ? a->execution.trips : "", "given", "iterations are given");
	is_int(a ? a->execution.around_count : 1, 0, "bytes are in no function");
	takt_analysis_free(a);
	takt_analysis_free(b);
	a = analyze(model, "480fafc2", 10, TAKT_MODE_AUTO);
	ok(a && !a->execution.iterations && isnan(a->execution.cycles), "straight code has none");
	takt_analysis_free(a);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(cores); i++) {
		struct takt_model *model;

		if (takt_model_open(cores[i], NULL, NULL, &model) != TAKT_OK)
			continue;
		for (size_t k = 0; k < TAKT_COUNT_OF(loops); k++)
			test_growth(model, loops[k].hex, loops[k].what);
		test_exit(model);
		takt_model_close(model);
	}
	return tap_done();
}
