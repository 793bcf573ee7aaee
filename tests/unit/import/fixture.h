/* SPDX-License-Identifier: MIT */
/* Shared by the import tests: imports that are run, and their rows found again. */
#ifndef TAKT_TESTS_IMPORT_FIXTURE_H
#define TAKT_TESTS_IMPORT_FIXTURE_H

#include <sys/stat.h>
#include <unistd.h>

#include "../tap.h"
#include "import/table.h"

struct import_run {
	struct takt_model *model;
	struct takt_diag *diag;
	struct takt_text *text;
	enum takt_status status;
};

static inline struct import_run import_begin(const char *core)
{
	struct import_run run = {.diag = takt_diag_new(), .text = takt_text_new()};

	if (takt_model_open(core, NULL, run.diag, &run.model) != TAKT_OK)
		abort();
	return run;
}

static inline void import_end(struct import_run *run)
{
	takt_model_close(run->model);
	takt_diag_free(run->diag);
	takt_text_free(run->text);
}

static inline const char *import_text(const struct import_run *run)
{
	return takt_text_size_bytes(run->text) ? takt_text_data(run->text) : "";
}

/* A file beside the tests. */
static inline struct import_run import_file(const char *core, const char *kind, const char *name,
					    const char *after)
{
	struct import_run run = import_begin(core);
	struct takt_text source = {0};

	takt_text_printf(&source, "%s:%s/import/data/%s%s", kind, getenv("TAKT_TEST_DATA"), name,
			 after);
	run.status = takt_model_import(run.model, source.data, run.diag, run.text);
	takt_text_release(&source);
	return run;
}

static inline struct import_run import_bytes(const char *core, enum takt_import_format format,
					     const void *data, size_t size_bytes)
{
	struct import_run run = import_begin(core);

	run.status = takt_import_bytes(
		run.model, &(struct takt_import_source){format, "x", NULL, data, size_bytes},
		run.diag, run.text);
	return run;
}

/* Skips the whole program where the module was not built. */
static inline bool import_unavailable(enum takt_import_format format)
{
	struct import_run run = import_bytes("SKL", format, " ", 1);
	bool unavailable = run.status == TAKT_UNAVAILABLE;

	import_end(&run);
	if (unavailable)
		tap_skip_all("takt-import.so is not there");
	return unavailable;
}

/* Looks for "form | µops | attributes", whatever the blanks between. */
static inline bool import_has_row(const struct import_run *run, const char *row)
{
	const char *line = import_text(run);
	char squeezed[512];

	while (line && *line) {
		size_t size = 0;

		for (; *line && *line != '\n' && size < sizeof(squeezed) - 2; line++) {
			if (*line == '|' && size && squeezed[size - 1] != ' ')
				squeezed[size++] = ' ';
			if (*line != ' ' || (size && squeezed[size - 1] != ' '))
				squeezed[size++] = *line;
		}
		squeezed[size] = '\0';
		if (strcmp(squeezed, row) == 0)
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	tap_note("no such row in: %s", import_text(run));
	return false;
}

/* The text as timing file of its core: does a model open with it? */
static inline bool import_loads(const struct import_run *run, const char *core, const char *timing)
{
	char folder[] = "/tmp/takt-test-import-XXXXXX", path[128];
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;
	bool loads;
	FILE *file;

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/timing", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/timing/%s.timing", folder, timing);
	file = fopen(path, "w");
	if (!file || fputs(import_text(run), file) < 0 || fclose(file) != 0)
		abort();
	loads = takt_model_open(core, folder, diag, &model) == TAKT_OK;
	if (loads)
		takt_model_close(model);
	else
		tap_note("does not load: %s", takt_diag_text(diag));
	takt_diag_free(diag);
	unlink(path);
	snprintf(path, sizeof(path), "%s/timing", folder);
	rmdir(path);
	rmdir(folder);
	return loads;
}

/* One hostile input and the errors it must give. */
struct import_case {
	int line;
	const char *what, *data;
	size_t size_bytes; /* 0: a string */
	const char *error, *note;
};

static inline void import_check_error(const struct import_case *row, struct import_run *run)
{
	const char *text = takt_diag_text(run->diag);
	bool good = run->status == TAKT_BAD_INPUT && takt_diag_error_count(run->diag) == 1 &&
		    strstr(text, row->error) && (!row->note || strstr(text, row->note)) &&
		    takt_text_size_bytes(run->text) == 0;

	tap_ok_at(__FILE__, row->line, good, "%s", row->what);
	if (!good)
		tap_note("messages: %s", text);
}

#endif
