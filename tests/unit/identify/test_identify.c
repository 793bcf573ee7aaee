/* SPDX-License-Identifier: MIT */
/* Each core is recognized by its own simulated timings, also with noise; fingerprints decode. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
			tap_note("%s: '%s', not '%s'", codes[i].name, takt_text_data(&text),
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

static void write_core(const char *dir, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cores", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cores/mine.core", dir);
	file = fopen(path, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* A core of the user's directory is compared, and is the nearest if it is played. */
static void test_directory(void)
{
	char dir[] = "/tmp/takt-identify-XXXXXX", path[256];
	struct takt_diag *diag = takt_diag_new();
	struct takt_identification *result;
	struct takt_model *model = NULL;

	if (!mkdtemp(dir))
		return;
	write_core(dir, "takt core 1\nname MINE\nbase SKX\nsource e estimated test\n"
			"load_latency_int 9 e\nissue_width 2 e\n");
	if (ok(takt_model_open("MINE", dir, diag, &model) == TAKT_OK, "a core of a directory%s",
	       takt_diag_text(diag))) {
		const struct takt_identify_options options = {.model_dir = dir, .played = model};

		if (ok(takt_identify(&options, diag, &result) == TAKT_OK, "it is played")) {
			is_string(result->cores[0].name, "MINE", "and the nearest");
			ok(result->cores[0].distance == 0 && result->cores[1].distance > 0.01,
			   "no other core is as near");
			is_string(result->obstacle, "", "there is no obstacle");
			takt_identification_free(result);
		}
	}
	takt_model_close(model);
	takt_diag_free(diag);
	snprintf(path, sizeof(path), "%s/cores/mine.core", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/cores", dir);
	rmdir(path);
	rmdir(dir);
}

/* Without descriptors nothing can be measured; features alone say which cores are possible. */
static void test_obstacle(void)
{
	struct rlimit limit, none;
	struct takt_text text = {0};
	struct takt_diag *diag = takt_diag_new();
	struct takt_identification *result;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){3, limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	if (ok(takt_identify(NULL, diag, &result) == TAKT_OK, "a host that cannot be measured")) {
		bool ruled_out = false, sorted = true;

		for (uint32_t i = 0; i < result->core_count; i++) {
			sorted = sorted && !(ruled_out && !*result->cores[i].contradiction && i);
			ruled_out = ruled_out || (i && *result->cores[i].contradiction);
		}
		ok(*result->obstacle && result->measured_count == 0, "it is said: %s",
		   result->obstacle);
		ok(takt_diag_error_count(diag) == 1, "with the cause: %s", takt_diag_text(diag));
		ok(result->core_count > 1 && isnan(result->cores[0].distance) && sorted,
		   "the cores that the features allow come first");
		takt_write_identification(result, TAKT_FORMAT_TEXT, &text);
		ok(strstr(takt_text_data(&text), "no timings: ") &&
			   strstr(takt_text_data(&text), "taken, ") &&
			   !strstr(takt_text_data(&text), "nan"),
		   "the report has the reason and the cores");
		takt_text_release(&text);
		takt_identification_free(result);
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	takt_diag_free(diag);
}

int main(void)
{
	test_directory();
	test_obstacle();
	test_codes("x86-64");
	test_codes("aarch64");
	for (size_t i = 0; i < takt_model_builtin_count(); i++) {
		test_core(takt_model_builtin_name(i), 0);
		test_core(takt_model_builtin_name(i), NOISE);
	}
	return tap_done();
}
