/* SPDX-License-Identifier: MIT */
/*
 * modelc: compiles data/cores and data/timing into the image that the library
 * carries. A build-time program:
 *
 *     modelc DATA-DIRECTORY IMAGE EMBED.c DEPFILE
 *
 * EMBED.c takes the image into .rodata through the assembler, and is written anew
 * with every image, so that the build sees the change. The depfile lists every data
 * file that was read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/draft.h"

/* The library's accessor; this program makes what it would return. */
struct takt_image_bytes takt_image_builtin(void)
{
	return (struct takt_image_bytes){NULL, 0};
}

static bool write_file(const char *path, const void *data, size_t size_bytes)
{
	FILE *file = fopen(path, "wb");
	bool fine = file && fwrite(data, 1, size_bytes, file) == size_bytes;

	if (file && fclose(file) != 0)
		fine = false;
	if (!fine)
		fprintf(stderr, "modelc: cannot write '%s'\n", path);
	return fine;
}

static bool write_embed(const char *path, const char *image)
{
	struct takt_text text = {0};
	bool fine;

	takt_text_printf(
		&text,
		"/* Made by modelc; do not edit. */\n"
		"#include \"model/image.h\"\n"
		"\n"
		"__asm__(\".pushsection .rodata\\n\"\n"
		"	\".balign 64\\n\"\n"
		"	\".globl takt_image_begin\\n\"\n"
		"	\".hidden takt_image_begin\\n\"\n"
		"	\"takt_image_begin:\\n\"\n"
		"	\".incbin \\\"%s\\\"\\n\"\n"
		"	\".globl takt_image_end\\n\"\n"
		"	\".hidden takt_image_end\\n\"\n"
		"	\"takt_image_end:\\n\"\n"
		"	\".byte 0\\n\"\n"
		"	\".popsection\\n\");\n"
		"\n"
		"extern const char takt_image_begin[], takt_image_end[];\n"
		"\n"
		"struct takt_image_bytes takt_image_builtin(void)\n"
		"{\n"
		"	return (struct takt_image_bytes){\n"
		"		takt_image_begin, (size_t)(takt_image_end - takt_image_begin)};\n"
		"}\n",
		image);
	fine = write_file(path, text.data, text.size_bytes);
	takt_text_release(&text);
	return fine;
}

/* Names must be told apart: built-in cores are found by name or alias alone. */
static bool check_names(const struct takt_loader *loader)
{
	for (size_t i = 0; i < loader->core_count; i++) {
		const struct takt_core_draft *core = loader->cores[i];

		for (size_t j = 0; j < loader->core_count; j++) {
			const struct takt_core_draft *other = loader->cores[j];

			if (i == j ||
			    (!takt_string_equal_nocase(core->name, other->name) &&
			     !(other->aliases && takt_words_have(other->aliases, core->name))))
				continue;
			takt_error(loader->diag, "%s: the name '%s' is also one of '%s'",
				   core->text->path, core->name, other->name);
			return false;
		}
	}
	return true;
}

static bool compile(struct takt_loader *loader, struct takt_image_bytes *ret_bytes)
{
	struct takt_loaded_core *loaded;
	bool fine = true;

	if (!takt_loader_open(loader) || !check_names(loader))
		return false;
	loaded = TAKT_NEW_ARRAY(loader->arena, loader->core_count, struct takt_loaded_core);
	for (size_t i = 0; i < loader->core_count; i++)
		fine &= takt_loader_load(loader, loader->cores[i], &loaded[i]);
	return fine &&
	       takt_image_write(loaded, loader->core_count, loader->arena, loader->diag, ret_bytes);
}

int main(int argc, char **argv)
{
	struct takt_arena arena = {0};
	struct takt_text depfile = {0};
	struct takt_diag *diag = takt_diag_new();
	struct takt_loader loader = {.arena = &arena, .diag = diag, .depfile = &depfile};
	struct takt_image_bytes bytes = {NULL, 0};
	bool fine = false;

	if (argc != 5) {
		fprintf(stderr, "usage: modelc DATA-DIRECTORY IMAGE EMBED.c DEPFILE\n");
		return 2;
	}
	loader.dir = argv[1];
	/* The directories too: files may come and go. */
	takt_text_printf(&depfile, "%s %s: %s/cores %s/timing", argv[2], argv[3], argv[1], argv[1]);
	if (compile(&loader, &bytes)) {
		takt_text_add_string(&depfile, "\n");
		fine = write_file(argv[2], bytes.data, bytes.size_bytes) &&
		       write_embed(argv[3], argv[2]) &&
		       write_file(argv[4], depfile.data, depfile.size_bytes);
	}
	fputs(takt_diag_text(diag), stderr);
	takt_image_free(bytes);
	takt_diag_free(diag);
	takt_text_release(&depfile);
	takt_arena_release(&arena);
	return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
