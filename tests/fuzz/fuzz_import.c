/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as foreign machine data: the first says which, 'x' XML, 'a' YAML of AArch64, 'i'
 * and 'b' figures of ibench for x86-64 and AArch64, or else YAML of x86-64.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written must be a timing file. */
static void open_again(const struct takt_text *text, const char *core, const char *name)
{
	static char folder[64];
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;
	char path[96];
	FILE *file;

	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "/tmp/takt-fuzz-XXXXXX");
		if (!mkdtemp(folder))
			abort();
		snprintf(path, sizeof(path), "%s/timing", folder);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/timing/%s.timing", folder, name);
	file = fopen(path, "wb");
	if (!file || fwrite(text->data, 1, text->size_bytes, file) != text->size_bytes ||
	    fclose(file) != 0)
		abort();
	if (takt_model_open(core, folder, diag, &model) != TAKT_OK) {
		fputs(takt_diag_text(diag), stderr);
		abort();
	}
	takt_model_close(model);
	takt_diag_free(diag);
}

static enum takt_import_format format_of(uint8_t byte)
{
	return byte == 'x'		    ? TAKT_IMPORT_UOPS_INFO
	       : byte == 'i' || byte == 'b' ? TAKT_IMPORT_IBENCH
					    : TAKT_IMPORT_OSACA;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const cores[] = {"SKL", "TX2"}, *const names[] = {"skl", "tx2"};
	static struct takt_model *models[2];
	struct takt_diag *diag = takt_diag_new();
	struct takt_text *text = takt_text_new();
	unsigned which = size > 0 && (data[0] == 'a' || data[0] == 'b');
	enum takt_status status;

	if (!models[which] && takt_model_open(cores[which], NULL, diag, &models[which]) != TAKT_OK)
		abort();
	if (size > 0) {
		status = takt_import_bytes(models[which],
					   &(struct takt_import_source){format_of(data[0]), "fuzz",
									NULL, data + 1, size - 1},
					   diag, text);
		if (status == TAKT_OK)
			open_again(text, cores[which], names[which]);
		else if (!takt_diag_error_count(diag) || takt_text_size_bytes(text))
			abort(); /* a failure must say why, and write nothing */
	}
	takt_text_free(text);
	takt_diag_free(diag);
	return 0;
}
