/* SPDX-License-Identifier: MIT */
/*
 * A program around the library may have set any locale: what comes out is the same, byte for
 * byte, with decimal commas and with Turkish letters. The locales are made here, in a folder of
 * their own.
 */
#include <ftw.h>
#include <locale.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tap.h"
#include "base/base.h"
#include "takt/takt.h"

static const char x86_code[] = "660f58c1660f59d3ffc875f6";
static const char aarch64_code[] = "fmov d0, #1.50000000\nfadd d0, d0, d1\nfmul d2, d0, d0\n";
static const char core_name[] = "ICL"; /* with the letter that Turkish has two of */

static const char *data_path(const char *name, char path[512])
{
	const char *data = getenv("TAKT_TEST_DATA");

	snprintf(path, 512, "%s/import/data/%s", data ? data : "tests/unit", name);
	return path;
}

static struct takt_model *open_model(const char *name, struct takt_diag *diag)
{
	struct takt_model *model = NULL;

	return takt_model_open(name, NULL, diag, &model) == TAKT_OK ? model : NULL;
}

static void add_analysis(const char *core, const char *isa, const char *code,
			 enum takt_input_format format, struct takt_text *text)
{
	const struct takt_code_options code_options = {.path = "code",
						       .data = code,
						       .data_size_bytes = strlen(code),
						       .isa = isa,
						       .format = format};
	const struct takt_analysis_options options = {.sensitivity = TAKT_SENSITIVITY_NONE};
	const struct takt_write_options write = {.columns = 100};
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = open_model(core, diag);
	struct takt_code *opened = NULL;
	struct takt_analysis *analysis = NULL;

	if (model && takt_code_open(&code_options, diag, &opened) == TAKT_OK &&
	    takt_analyze(model, opened, 0, &options, diag, &analysis) == TAKT_OK) {
		takt_write_analysis_json(analysis, text);
		takt_write_analysis_text(analysis, &write, text);
		takt_analysis_free(analysis);
	}
	takt_text_add_string(text, takt_diag_text(diag));
	if (opened)
		takt_code_close(opened);
	takt_model_close(model);
	takt_diag_free(diag);
}

static void add_import(const char *core, const char *kind, const char *file, struct takt_text *text)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model = open_model(core, diag);
	char path[512], source[600];

	snprintf(source, sizeof(source), "%s:%s", kind, data_path(file, path));
	if (model && takt_model_import(model, source, diag, text) != TAKT_OK)
		takt_text_add_string(text, "not imported\n");
	takt_text_add_string(text, takt_diag_text(diag));
	takt_model_close(model);
	takt_diag_free(diag);
}

/* Everything that prints or reads numbers or letters, as one text. */
static void *write_all(void *context)
{
	struct takt_text *text = context;

	takt_text_printf(text, "%.3f %g %e\n", 0.125, 1e-7, 12345.678);
	takt_text_printf(text, "%.4f\n", takt_strtod("1.5,7", NULL));
	add_analysis(core_name, NULL, x86_code, TAKT_INPUT_HEX, text);
	add_analysis("icl", NULL, x86_code, TAKT_INPUT_HEX, text);
	add_analysis("N1", "aarch64", aarch64_code, TAKT_INPUT_ASSEMBLY, text);
	add_import("SKL", "uops.info", "small.xml", text);
	add_import("SKL", "osaca", "small.yml", text);
	return NULL;
}

static bool is_same_in_thread(const struct takt_text *wanted)
{
	struct takt_text text = {0};
	pthread_t thread;
	bool same;

	if (pthread_create(&thread, NULL, write_all, &text) != 0)
		return false;
	pthread_join(thread, NULL);
	same = strcmp(takt_text_data(&text), takt_text_data(wanted)) == 0;
	takt_text_release(&text);
	return same;
}

static void test_locale(const char *name, const char *charset, const char *folder, bool comma,
			const struct takt_text *wanted)
{
	char command[512], number[16];
	struct takt_text text = {0};

	snprintf(command, sizeof(command), "localedef -i %s -f %s %s/%s.%s >/dev/null 2>&1", name,
		 charset, folder, name, charset);
	(void)!system(command); /* it warns, and may then say that it failed */
	snprintf(command, sizeof(command), "%s.%s", name, charset);
	if (!setlocale(LC_ALL, command)) {
		tap_skip(command, "this machine cannot make it (package locales)");
		return;
	}
	snprintf(number, sizeof(number), "%.1f", 0.5);
	ok(!comma || strcmp(number, "0,5") == 0, "%s is set: %s", command, number);
	write_all(&text);
	ok(strcmp(takt_text_data(&text), takt_text_data(wanted)) == 0,
	   "everything is as in the C locale");
	ok(is_same_in_thread(wanted), "in another thread, too");
	snprintf(number, sizeof(number), "%.1f", 0.5);
	ok(!comma || strcmp(number, "0,5") == 0, "the program keeps its own");
	setlocale(LC_ALL, "C");
	takt_text_release(&text);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

int main(void)
{
	const char *base = getenv("TMPDIR");
	struct takt_text wanted = {0};
	char folder[256];

	snprintf(folder, sizeof(folder), "%s/takt-locale-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(folder))
		abort();
	setenv("LOCPATH", folder, 1);
	write_all(&wanted);
	ok(strstr(takt_text_data(&wanted), "0.125 1e-07 1.234568e+04\n1.5000\n") != NULL,
	   "numbers have points");
	ok(strstr(takt_text_data(&wanted), "\"cycles_per_iteration\"") != NULL,
	   "analyses are there");
	tap_note("%zu bytes, %s", wanted.size_bytes,
		 strstr(takt_text_data(&wanted), "error: ") ? "parts without their module"
							    : "complete");
	test_locale("de_DE", "UTF-8", folder, true, &wanted);
	test_locale("tr_TR", "ISO-8859-9", folder, true, &wanted);
	takt_text_release(&wanted);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
