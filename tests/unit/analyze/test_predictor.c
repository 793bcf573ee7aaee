/* SPDX-License-Identifier: MIT */
/* The predictor says what the analysis says, on random blocks in both modes. */
#include "../tap.h"
#include "isa/isa.h"
#include "kernel.h"

#define BLOCKS 200
#define BLOCK_BYTES_MAX 60

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Random bytes as far as they decode; every other block ends in a branch to its start. */
static size_t random_block(uint32_t *state, uint8_t *bytes)
{
	size_t size = 0, want = 1 + next_random(state) % BLOCK_BYTES_MAX;

	while (size < want) {
		struct takt_insn insn;

		for (size_t i = 0; i < 16; i++)
			bytes[size + i] = (uint8_t)next_random(state);
		if (takt_decode(&takt_isa_x86, bytes + size, 16, size, &insn) == TAKT_OK &&
		    !(insn.flags & TAKT_INSN_BRANCH))
			size += insn.length_bytes;
	}
	if (next_random(state) % 2) {
		bytes[size] = 0x75;
		bytes[size + 1] = (uint8_t) - (int)(size + 2);
		size += 2;
	}
	return size;
}

static void test_core(const char *core, enum takt_mode mode, enum takt_engine engine)
{
	uint8_t bytes[BLOCK_BYTES_MAX + 32];
	struct takt_diag *diag = takt_diag_new();
	struct takt_predictor *predictor;
	struct takt_model *model;
	uint32_t state = 12345, wrong = 0;

	if (takt_model_open(core, NULL, diag, &model) != TAKT_OK) {
		ok(false, "%s: %s", core, takt_diag_text(diag));
		takt_diag_free(diag);
		return;
	}
	predictor = takt_predictor_new(
		model, &(struct takt_predictor_options){.mode = mode, .engine = engine});
	for (int i = 0; i < BLOCKS; i++) {
		size_t size = random_block(&state, bytes);
		struct takt_analysis_options options = {.mode = mode,
							.bounds_only = engine == TAKT_ENGINE_BOUNDS,
							.sensitivity = TAKT_SENSITIVITY_NONE};
		struct kernel kernel = kernel_analyze(core, bytes, size, options);
		double cycles = -1;

		if (takt_predict(predictor, bytes, size, &cycles) != TAKT_OK ||
		    fabs(cycles - kernel.analysis->cycles_per_iteration) > 1e-9) {
			tap_note("block %d: %g, not %g", i, cycles,
				 kernel.analysis->cycles_per_iteration);
			wrong++;
		}
		kernel_close(&kernel);
	}
	is_int(wrong, 0, core);
	takt_predictor_free(predictor);
	takt_model_close(model);
	takt_diag_free(diag);
}

static void test_bad_input(void)
{
	static const uint8_t bad[] = {0x06, 0xff}, good[] = {0x48, 0x01, 0xc3};
	struct takt_diag *diag = takt_diag_new();
	struct takt_predictor *predictor;
	struct takt_model *model = NULL;
	double cycles = -1;

	ok(takt_model_open("SKX", NULL, diag, &model) == TAKT_OK, "model");
	predictor =
		takt_predictor_new(model, &(struct takt_predictor_options){.mode = TAKT_MODE_AUTO});
	is_int(takt_predict(predictor, bad, sizeof(bad), &cycles), TAKT_BAD_INPUT, "undecodable");
	is_int(takt_predict(predictor, bad, 0, &cycles), TAKT_BAD_INPUT, "empty");
	is_near(cycles, -1, "output untouched");
	is_int(takt_predict(predictor, good, sizeof(good), &cycles), TAKT_OK, "and on it goes");
	is_near(cycles, 1, "add to itself");
	takt_predictor_free(predictor);
	takt_model_close(model);
	takt_diag_free(diag);
}

int main(void)
{
	test_core("SKX", TAKT_MODE_AUTO, TAKT_ENGINE_BOUNDS);
	test_core("SKX", TAKT_MODE_AUTO, TAKT_ENGINE_SIM);
	test_core("ZEN4", TAKT_MODE_UNROLL, TAKT_ENGINE_BOUNDS);
	test_core("ZEN4", TAKT_MODE_UNROLL, TAKT_ENGINE_SIM);
	test_core("SPR", TAKT_MODE_LOOP, TAKT_ENGINE_BOUNDS);
	test_core("SPR", TAKT_MODE_LOOP, TAKT_ENGINE_SIM);
	test_bad_input();
	return tap_done();
}
