/* SPDX-License-Identifier: MIT */
/* A learnt model that is installed is this machine's core, until its folder is removed. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "isa/cpu.h"
#include "model/model.h"
#include "unit/tap.h"

#if defined(__aarch64__)
#define BASE "N1"
#define ISA "isa aarch64\n"
#else
#define BASE "SKX"
#define ISA ""
#endif

static char folder[] = "/tmp/takt-learnt-XXXXXX";

static void write_file(const char *path, const char *text)
{
	char whole[256];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", folder, path);
	file = fopen(whole, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* Open a core; return what decided, or the messages after an error. */
static const char *open_core(const char *name, const char *dir, char core[64])
{
	static char by[512];
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;

	*core = '\0';
	snprintf(by, sizeof(by), "its name");
	if (takt_model_open(name, dir, diag, &model) == TAKT_OK) {
		const struct takt_recognition *recognition = takt_model_recognition(model);

		snprintf(core, 64, "%s", takt_model_name(model));
		if (recognition)
			snprintf(by, sizeof(by), "%s", recognition->by);
		takt_model_close(model);
	} else {
		snprintf(by, sizeof(by), "%s", takt_diag_text(diag));
	}
	takt_diag_free(diag);
	return by;
}

static enum takt_status install(const char *name, struct takt_text *path)
{
	struct takt_diag *diag = takt_diag_new();
	enum takt_status status;
	char dir[64];

	snprintf(dir, sizeof(dir), "%s/from", folder);
	status = takt_learnt_install(dir, name, diag, path);
	if (status != TAKT_OK)
		tap_note("%s", takt_diag_text(diag));
	takt_diag_free(diag);
	return status;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	return remove(path);
}

static bool is_there(const char *dir, const char *name)
{
	struct takt_text path = {0};
	struct stat status;
	bool there;

	takt_text_printf(&path, "%s/%s", dir, name);
	there = stat(path.data, &status) == 0;
	takt_text_release(&path);
	return there;
}

static void make_source(void)
{
	static const char *const folders[] = {"from", "from/cores", "from/timing"};

	for (size_t i = 0; i < TAKT_COUNT_OF(folders); i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
		mkdir(path, 0700);
	}
	write_file("from/cores/mine.core", "takt core 1\nname MINE\nbase MIDDLE\n" ISA);
	write_file("from/cores/middle.core",
		   "takt core 1\nname MIDDLE\nbase " BASE "\n" ISA "timing middle\n");
	write_file("from/cores/other.core", "takt core 1\nname OTHER\nbase " BASE "\n" ISA);
	write_file("from/timing/middle.timing", "takt timing 1\nname middle\n" ISA);
	write_file("from/cores/bad.core", "takt core 1\nname BAD\nbase NOWHERE\n");
}

/* With a model installed in `dir`: it is the host, and is found by its name. */
static void test_use(const char *dir, const char *before)
{
	char core[64], record[256];
	FILE *file;

	is_string(open_core("host", NULL, core), "learnt model", "host is the learnt model");
	is_string(core, "MINE", "by its name");
	is_string(open_core("mine", NULL, core), "its name", "it can be named");
	is_string(core, "MINE", "in any case");
	ok(is_there(dir, "cores/middle.core") && is_there(dir, "timing/middle.timing") &&
		   !is_there(dir, "cores/other.core"),
	   "what it inherits from is there, nothing else");
	setenv("TAKT_CPUID", "/dev/null", 1);
	ok(strcmp(open_core("host", NULL, core), "learnt model") != 0,
	   "not if another processor's answers are taken");
	unsetenv("TAKT_CPUID");
	snprintf(record, sizeof(record), "%s/host", dir);
	file = fopen(record, "w");
	if (file) {
		fputs("takt-learnt 1\nprocessor another\ncore MINE\n", file);
		fclose(file);
	}
	open_core("host", NULL, core);
	is_string(core, before, "a damaged file does not count");
}

int main(void)
{
	const struct takt_cpuid this_processor = {NULL, 0};
	struct takt_text first = {0}, second = {0}, none = {0};
	char before[64], core[64];
	struct takt_cpu cpu;

	if (!takt_cpu_read(&this_processor, &cpu) || !mkdtemp(folder)) {
		tap_skip("learnt models", "this processor does not say what it is");
		return tap_done();
	}
	setenv("XDG_DATA_HOME", folder, 1);
	setenv("XDG_CACHE_HOME", folder, 1);
	unsetenv("TAKT_CPUID");
	make_source();
	open_core("host", NULL, before);
	ok(install("NOTHING", &none) == TAKT_BAD_INPUT, "a core that is not there");
	ok(install("BAD", &none) == TAKT_BAD_INPUT, "a core that cannot be opened");
	ok(!is_there(folder, "takt/learnt"), "nothing is left behind");
	ok(install("OTHER", &first) == TAKT_OK, "a core is installed");
	ok(install("MINE", &second) == TAKT_OK, "another one in its place");
	is_string(takt_text_data(&first), takt_text_data(&second), "in the same folder");
	test_use(takt_text_data(&second), before);
	ok(install("MINE", &none) == TAKT_OK, "installed again");
	write_file("from/cores/mine.core", "damaged");
	open_core("host", NULL, core);
	is_string(core, "MINE", "the folder that it came from does not matter any more");
	takt_text_release(&first);
	takt_text_release(&second);
	takt_text_release(&none);
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return tap_done();
}
