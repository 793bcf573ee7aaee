/* SPDX-License-Identifier: MIT */
/* Functions followed from their entry: iterations, their origin, and cycles of a call. */
#include <math.h>
#include <string.h>

#include "../tap.h"
#include "analyze/analyze.h"

/* xor eax, eax; 1: inc rax; cmp rax, 40; jne 1b; 2: add rsi, 8; cmp [rsi], 0; jne 2b; ret */
static const char two_loops[] = "31c0 48ffc0 4883f828 75f7 4883c608 48833e00 75f6 c3";
/* test edi, edi; je 3f; 1: mov ecx, 4; 2: dec ecx; jne 2b; dec edi; jne 1b; 3: ret */
static const char nest[] = "85ff 740d b904000000 ffc9 75fc ffcf 75f3 c3";

static struct takt_paths *predict(const struct takt_model *model, const char *hex,
				  const struct takt_paths_options *options, struct takt_diag *diag)
{
	const struct takt_code_options code_options = {.data = hex,
						       .data_size_bytes = strlen(hex),
						       .format = TAKT_INPUT_HEX,
						       .whole = true};
	struct takt_paths *paths = NULL;
	struct takt_code *code;

	if (takt_code_open(&code_options, diag, &code) != TAKT_OK)
		return NULL;
	if (takt_predict_paths(model, code, 0, options, diag, &paths) != TAKT_OK)
		paths = NULL;
	takt_code_close(code);
	return paths;
}

static void test_origins(const struct takt_model *model, struct takt_diag *diag)
{
	const struct takt_loop_trips trips[] = {{2, 7}};
	const struct takt_paths_options plain = {0},
					given = {.iterations = 30, .loops = trips, .loop_count = 1};
	struct takt_paths *paths = predict(model, two_loops, &plain, diag);

	if (!ok(paths && paths->loop_count == 3 && paths->complete, "two loops"))
		return;
	is_int((long long)paths->loops[1].address, 2, "the first begins there");
	ok(paths->loops[1].iterations == 40, "%g iterations", paths->loops[1].iterations);
	is_string(paths->loops[1].trips, "code", "which the code says");
	ok(paths->loops[2].iterations == TAKT_TRIPS_DEFAULT, "%g of the other",
	   paths->loops[2].iterations);
	is_string(paths->loops[2].trips, "assumed", "of which nothing is known");
	takt_paths_free(paths);
	paths = predict(model, two_loops, &given, diag);
	if (!ok(paths != NULL, "with iterations given"))
		return;
	ok(paths->loops[1].iterations == 7, "the code is overruled: %g",
	   paths->loops[1].iterations);
	ok(paths->loops[2].iterations == 30, "30 are %g", paths->loops[2].iterations);
	is_string(paths->loops[2].trips, "given", "as they are given");
	takt_paths_free(paths);
}

static void test_nest(const struct takt_model *model, struct takt_diag *diag)
{
	const struct takt_register_value edi = {"rdi", 25}, zero = {"rdi", 0};
	const struct takt_paths_options many = {.entry_values = &edi, .entry_value_count = 1};
	const struct takt_paths_options none = {.entry_values = &zero, .entry_value_count = 1};
	struct takt_paths *paths = predict(model, nest, &many, diag);

	if (!ok(paths && paths->loop_count == 3, "a nest"))
		return;
	ok(paths->loops[1].iterations == 25 && paths->loops[1].depth == 1, "the outer loop");
	ok(paths->loops[2].iterations == 4 && paths->loops[2].depth == 2, "the inner loop");
	is_int((long long)paths->loops[2].entries, 25, "is entered in each iteration");
	ok(paths->loops[1].cycles >= 4 && paths->loops[1].cycles < 12,
	   "an iteration has those of the inner loop: %g", paths->loops[1].cycles);
	ok(fabs(paths->loops[0].cycles / (25 * paths->loops[1].cycles) - 1) < 0.2,
	   "and a call those of the outer one: %g", paths->loops[0].cycles);
	takt_paths_free(paths);
	paths = predict(model, nest, &none, diag);
	ok(paths && paths->loop_count == 1, "no loop runs for 0");
	takt_paths_free(paths);
}

static void test_refused(const struct takt_model *model, struct takt_diag *diag)
{
	const struct takt_loop_trips trips[] = {{3, 7}};
	const struct takt_paths_options options = {.loops = trips, .loop_count = 1};
	const struct takt_paths_options plain = {0};
	/* 1: jmp 1b */
	struct takt_paths *paths;

	ok(predict(model, nest, &options, diag) == NULL, "no loop begins there");
	ok(strstr(takt_diag_text(diag), "no loop begins at 0x3") != NULL, "which is said");
	paths = predict(model, "ebfe", &plain, diag);
	ok(paths && !paths->complete && isnan(paths->loops[0].cycles), "a call without an end");
	takt_paths_free(paths);
}

int main(void)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;

	if (takt_model_open("SKL", NULL, diag, &model) == TAKT_OK) {
		test_origins(model, diag);
		test_nest(model, diag);
		test_refused(model, diag);
		takt_model_close(model);
	}
	takt_diag_free(diag);
	return tap_done();
}
