/* SPDX-License-Identifier: MIT */
/* Shared by the targets that read machine models: a folder of one core and one timing file. */
#ifndef TAKT_TESTS_MODEL_TARGET_H
#define TAKT_TESTS_MODEL_TARGET_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"

static const char good_core[] = "takt core 1\nname F\ntitle fuzz\ntiming f\nsource u published x\n"
				"ports p0 p1\nissue_width 4 u\n";
static const char good_timing[] = "takt timing 1\nname f\nsource u published x\n"
				  "default-source u\nadd r64, r64 | 1*p01 | lat=1\n";

static inline void write_bytes(const char *folder, const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

/* Opens core F from the two files; on success walks it, on failure wants a message. */
static inline void open_model(const void *core, size_t core_size, const void *timing,
			      size_t timing_size)
{
	static char folder[64];
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;

	if (!folder[0]) {
		char sub[80];

		snprintf(folder, sizeof(folder), "/tmp/takt-fuzz-XXXXXX");
		if (!mkdtemp(folder))
			abort();
		snprintf(sub, sizeof(sub), "%s/cores", folder);
		mkdir(sub, 0700);
		snprintf(sub, sizeof(sub), "%s/timing", folder);
		mkdir(sub, 0700);
	}
	write_bytes(folder, "cores/f.core", core, core_size);
	write_bytes(folder, "timing/f.timing", timing, timing_size);
	if (takt_model_open("F", folder, diag, &model) == TAKT_OK) {
		struct takt_text *text = takt_text_new();

		takt_model_write_show(model, "*", text);
		takt_model_write_check(model, text);
		takt_text_free(text);
		takt_model_close(model);
	} else if (!takt_diag_error_count(diag)) {
		abort(); /* a failure must say why */
	}
	takt_diag_free(diag);
}

#endif
