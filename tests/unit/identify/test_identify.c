/* SPDX-License-Identifier: MIT */
/* Each core is recognized by its own simulated timings, also with noise; fingerprints decode. */
#include <math.h>
#include <string.h>

#include "identify/identify.h"
#include "unit/tap.h"

/* 3 %: more than measurements on a busy virtual machine differ (docs/notes/identify.md). */
#define NOISE 0.03

/* The codes' text is what their bytes disassemble to. */
static void test_codes(const char *isa_name)
{
	struct takt_diag *diag = takt_diag_new();
	const struct takt_isa *isa;
	const struct identify_code *codes;
	size_t count, wrong = 0;

	codes = identify_codes(isa_name, &count);
	if (takt_isa_find(isa_name, diag, &isa) != TAKT_OK)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		struct takt_text text = {0};
		struct takt_insn insn;

		for (size_t at = 0; at < codes[i].size_bytes; at += insn.length_bytes) {
			if (takt_decode(isa, codes[i].bytes + at, codes[i].size_bytes - at, 0,
					&insn) != TAKT_OK)
				break;
			takt_text_add_string(&text, at ? "; " : "");
			takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
		}
		if (strcmp(takt_text_data(&text), codes[i].text) != 0) {
			printf("# %s: '%s', not '%s'\n", codes[i].name, takt_text_data(&text),
			       codes[i].text);
			wrong++;
		}
		takt_text_release(&text);
	}
	ok(count > 0 && wrong == 0, "%zu codes of %s are what their text says", count, isa_name);
	takt_diag_free(diag);
}

/* The nearest core is the one that is played, or one that has the same model. */
static void test_core(const char *name, double noise)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_identification *result;
	struct takt_model *model = NULL;

	if (takt_model_open(name, NULL, diag, &model) == TAKT_OK) {
		const struct takt_identify_options options = {
			.played = model, .noise = noise, .seed = 1};

		if (takt_identify(&options, diag, &result) == TAKT_OK) {
			const struct takt_identify_core *found = &result->cores[0];

			for (uint32_t i = 0; i < result->core_count; i++)
				if (strcmp(result->cores[i].name, name) == 0)
					found = &result->cores[i];
			ok(found->distance <= result->cores[0].distance && found->distance <= noise,
			   "%s with noise of %.0f %% is at %.1f %%, the nearest is %s", name,
			   100 * noise, 100 * found->distance, result->cores[0].name);
			takt_identification_free(result);
		} else {
			ok(false, "%s: %s", name, takt_diag_text(diag));
		}
	}
	takt_model_close(model);
	takt_diag_free(diag);
}

int main(void)
{
	test_codes("x86-64");
	test_codes("aarch64");
	for (size_t i = 0; i < takt_model_builtin_count(); i++) {
		test_core(takt_model_builtin_name(i), 0);
		test_core(takt_model_builtin_name(i), NOISE);
	}
	return tap_done();
}
