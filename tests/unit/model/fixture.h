/* SPDX-License-Identifier: MIT */
/* A model directory made for a test, and instructions from bytes. */
#ifndef TAKT_TESTS_MODEL_FIXTURE_H
#define TAKT_TESTS_MODEL_FIXTURE_H

#include <sys/stat.h>
#include <unistd.h>

#include "model/model.h"
#include "../tap.h"

#define FIXTURE_FILES_MAX 32

struct fixture {
	char *dir;
	char *files[FIXTURE_FILES_MAX];
	int count;
	struct takt_arena arena;
	struct takt_diag *diag;
};

/* The start of every core file here, six lines, and of every timing file, four. */
#define CORE_HEAD_AS(name)                                                                         \
	"takt core 1\nname " name "\nsource e estimated test\ndefault-source e\n"                  \
	"ports p0 p1 p2 d0\npseudo d0 divider\n"
#define CORE_HEAD CORE_HEAD_AS("T")
#define TIMING_HEAD "takt timing 1\nname t\nsource e estimated test\ndefault-source e\n"

static inline void fixture_open(struct fixture *fixture)
{
	const char *base = getenv("TMPDIR");

	memset(fixture, 0, sizeof(*fixture));
	fixture->dir =
		takt_arena_printf(&fixture->arena, "%s/takt-model-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(fixture->dir))
		abort();
	mkdir(takt_arena_printf(&fixture->arena, "%s/cores", fixture->dir), 0700);
	mkdir(takt_arena_printf(&fixture->arena, "%s/timing", fixture->dir), 0700);
	fixture->diag = takt_diag_new();
}

static inline void fixture_write(struct fixture *fixture, const char *name, const char *text)
{
	char *path = takt_arena_printf(&fixture->arena, "%s/%s", fixture->dir, name);
	FILE *file = fopen(path, "w");

	if (!file || fixture->count == FIXTURE_FILES_MAX)
		abort();
	fputs(text, file);
	fclose(file);
	fixture->files[fixture->count++] = path;
}

static inline void fixture_clear(struct fixture *fixture)
{
	for (int i = 0; i < fixture->count; i++)
		unlink(fixture->files[i]);
	fixture->count = 0;
	takt_diag_clear(fixture->diag);
}

static inline void fixture_close(struct fixture *fixture)
{
	fixture_clear(fixture);
	rmdir(takt_arena_printf(&fixture->arena, "%s/cores", fixture->dir));
	rmdir(takt_arena_printf(&fixture->arena, "%s/timing", fixture->dir));
	rmdir(fixture->dir);
	takt_diag_free(fixture->diag);
	takt_arena_release(&fixture->arena);
}

/* Closes a fixture and its core. That the core was opened is a test, too: NULL if not. */
static inline void fixture_end(struct fixture *fixture, struct takt_model *model)
{
	ok(model != NULL, "the fixture opens");
	if (model)
		takt_model_close(model);
	fixture_close(fixture);
}

/* NULL if the core cannot be opened; the diagnostics are in the fixture. */
static inline struct takt_model *fixture_model(struct fixture *fixture, const char *name)
{
	struct takt_model *model = NULL;

	if (takt_model_open(name, fixture->dir, fixture->diag, &model) != TAKT_OK)
		return NULL;
	return model;
}

/* A core T with these lines after CORE_HEAD and these rows after TIMING_HEAD. */
static inline struct takt_model *fixture_core(struct fixture *fixture, const char *core_lines,
					      const char *rows)
{
	struct takt_text text = {0};
	struct takt_model *model;

	fixture_clear(fixture);
	takt_text_printf(&text, "%stiming t\n%s", CORE_HEAD, core_lines);
	fixture_write(fixture, "cores/t.core", text.data);
	takt_text_clear(&text);
	takt_text_printf(&text, "%s%s", TIMING_HEAD, rows);
	fixture_write(fixture, "timing/t.timing", text.data);
	takt_text_release(&text);
	model = fixture_model(fixture, "T");
	if (!model)
		tap_note("%s", takt_diag_text(fixture->diag));
	return model;
}

/* An instruction from hexadecimal digits. */
static inline struct takt_insn fixture_insn(const char *hex)
{
	static uint8_t bytes[64][16];
	static unsigned turn;
	uint8_t *data = bytes[turn++ % 64];
	struct takt_insn insn = {0};
	size_t size = 0;
	unsigned byte;
	int used;

	while (size < 16 && sscanf(hex, "%2x%n", &byte, &used) == 1) {
		data[size++] = (uint8_t)byte;
		hex += used;
	}
	if (takt_decode(&takt_isa_x86, data, size, 0x1000, &insn) != TAKT_OK) {
		printf("Bail out! fixture does not decode\n");
		exit(EXIT_FAILURE);
	}
	return insn;
}

#endif
