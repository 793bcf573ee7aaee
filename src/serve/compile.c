/* SPDX-License-Identifier: MIT */
/*
 * Compiles source code that a browser sends. The compiler is one of a list, and gets flags that
 * name no file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "serve/serve.h"

#define FLAGS_MAX 64
#define FIXED_WORDS 12
#define MESSAGE_BYTES_MAX ((size_t)64 << 10)
#define OBJECT_BYTES_MAX ((size_t)64 << 20)
#define NAME_MAX_BYTES 64
#define PATH_BYTES 128

static const struct {
	const char *name, *language, *source, *isa;
} compilers[] = {
	{"gcc", "c", "code.c", TAKT_HOST_ISA},
	{"clang", "c", "code.c", TAKT_HOST_ISA},
	{"g++", "c++", "code.cpp", TAKT_HOST_ISA},
	{"clang++", "c++", "code.cpp", TAKT_HOST_ISA},
	{"aarch64-linux-gnu-gcc", "c", "code.c", "aarch64"},
	{"aarch64-linux-gnu-g++", "c++", "code.cpp", "aarch64"},
	{"riscv64-linux-gnu-gcc", "c", "code.c", "riscv64"},
	{"riscv64-linux-gnu-g++", "c++", "code.cpp", "riscv64"},
	{"x86_64-linux-gnu-gcc", "c", "code.c", "x86-64"},
	{"x86_64-linux-gnu-g++", "c++", "code.cpp", "x86-64"},
};

/* ---- compilers that are installed ----------------------------------------------- */

void takt_serve_compilers_write(struct takt_json *json)
{
	takt_json_open_array(json, "compilers");
	for (size_t i = 0; i < TAKT_COUNT_OF(compilers); i++) {
		if (!takt_program_exists(compilers[i].name))
			continue;
		takt_json_open_row(json);
		takt_json_string(json, "name", compilers[i].name);
		takt_json_string(json, "language", compilers[i].language);
		takt_json_string(json, "isa", compilers[i].isa);
		takt_json_close_row(json);
	}
	takt_json_close_array(json);
}

/* ---- flags ------------------------------------------------------------------------- */

/* True if `words`, which are separated by blanks, have this one. */
static bool is_in(const char *word, size_t size, const char *words)
{
	for (; *words; words += strspn(words, " ")) {
		size_t length = strcspn(words, " ");

		if (length == size && memcmp(words, word, size) == 0)
			return true;
		words += length;
	}
	return false;
}

/* True if the text has only letters, digits and these other characters. */
static bool is_value(const char *text, const char *others)
{
	struct takt_word word = {text, strlen(text)};

	return takt_word_is_name(word, others);
}

/* Options "-f" that change how code is generated, such as "-ffast-math", without "no-". */
static const char code_flags[] =
	"aggressive-loop-optimizations align-functions align-jumps align-loops "
	"associative-math asynchronous-unwind-tables builtin cf-protection common "
	"delete-null-pointer-checks exceptions fast-math finite-math-only fp-contract gcse "
	"inline inline-functions ivopts math-errno modulo-sched omit-frame-pointer openmp "
	"openmp-simd peel-loops pic PIC pie PIE plt prefetch-loop-arrays reciprocal-math "
	"rename-registers rounding-math rtti schedule-insns schedule-insns2 "
	"semantic-interposition signed-zeros slp-vectorize split-loops stack-protector "
	"strict-aliasing trapping-math tree-loop-distribution tree-loop-vectorize "
	"tree-slp-vectorize tree-vectorize unroll-all-loops unroll-loops "
	"unsafe-math-optimizations vect-cost-model vectorize wrapv zero-upper-regs";

/* True for "fast-math", "no-math-errno" or "fp-contract=fast". */
static bool is_code_flag(const char *name)
{
	size_t size;

	if (strncmp(name, "no-", 3) == 0)
		name += 3;
	size = strcspn(name, "=");
	return is_in(name, size, code_flags) && (!name[size] || is_value(name + size + 1, "-"));
}

bool takt_serve_flag_allowed(const char *word)
{
	if (strlen(word) / 2 > NAME_MAX_BYTES)
		return false;
	if (is_in(word, strlen(word), "-g -w -pthread -ansi"))
		return true;
	if (strncmp(word, "-O", 2) == 0)
		return !word[2] || is_in(word + 2, strlen(word + 2), "0 1 2 3 s g z fast");
	if (strncmp(word, "-std=", 5) == 0)
		return is_value(word + 5, "+");
	if (strncmp(word, "-D", 2) == 0)
		return word[2] && is_value(word + 2, "_=.+-");
	if (strncmp(word, "-W", 2) == 0) /* "-Wa,…" and its kin pass options on */
		return is_value(word + 2, "-+") && word[2];
	/* "-mllvm" passes on what follows; a value with a slash would be a file. */
	if (strncmp(word, "-m", 2) == 0 && word[2] && strcmp(word, "-mllvm") != 0)
		return is_value(word + 2, "-+=._");
	return strncmp(word, "-f", 2) == 0 && is_code_flag(word + 2);
}

/* Split the flags into words, and add these to those of the list. */
static bool add_flags(const char *flags, struct takt_arena *arena, struct takt_diag *diag,
		      char **words, size_t *word_count)
{
	size_t count = 0;

	while (flags && *flags) {
		size_t size = strcspn(flags, " ");
		char *word = takt_arena_copy(arena, flags, size);

		flags += size + (flags[size] == ' ');
		if (!size)
			continue;
		if (!takt_serve_flag_allowed(word)) {
			takt_error(diag, "the compiler's flag '%.100s' is not allowed here", word);
			takt_note(diag, "flags for optimization, for the instruction set, for "
					"warnings and -D are");
			return false;
		}
		if (++count > FLAGS_MAX) {
			takt_error(diag, "more than %d flags", FLAGS_MAX);
			return false;
		}
		words[(*word_count)++] = word;
	}
	return true;
}

/* ---- the run ------------------------------------------------------------------------ */

static void add_messages(const char *path, struct takt_text *messages)
{
	char *data;
	size_t size;

	if (!takt_serve_file_read(path, OBJECT_BYTES_MAX, &data, &size))
		return;
	takt_text_add(messages, data, size < MESSAGE_BYTES_MAX ? size : MESSAGE_BYTES_MAX);
	free(data);
}

/* Compile in the object's folder. */
static bool compile(size_t compiler, const char *flags, struct takt_diag *diag,
		    struct takt_text *messages, struct serve_object *object)
{
	char object_path[PATH_BYTES], source_path[PATH_BYTES], message_path[PATH_BYTES];
	char *words[FLAGS_MAX + FIXED_WORDS] = {NULL};
	char debug[] = "-g", only[] = "-c", to[] = "-o";
	struct takt_arena arena = {0};
	size_t count = 0;
	bool fine;
	int status;

	snprintf(source_path, sizeof(source_path), "%s/%s", object->folder,
		 compilers[compiler].source);
	snprintf(object_path, sizeof(object_path), "%s/code.o", object->folder);
	snprintf(message_path, sizeof(message_path), "%s/messages", object->folder);
	words[count++] = takt_arena_string(&arena, compilers[compiler].name);
	fine = add_flags(flags, &arena, diag, words, &count);
	words[count++] = debug;
	words[count++] = only;
	words[count++] = to;
	words[count++] = object_path;
	words[count++] = source_path;
	status = fine ? takt_serve_program_run(&(struct serve_program){
				.words = words, .output = message_path, .folder = object->folder})
		      : -1;
	takt_arena_release(&arena);
	if (!fine)
		return false;
	add_messages(message_path, messages);
	fine = status == 0 && takt_serve_file_read(object_path, OBJECT_BYTES_MAX, &object->data,
						   &object->size_bytes);
	if (!fine)
		takt_error(diag,
			   status < 0 ? "%s did not end by itself: it took too long or needs "
					"too much memory"
				      : "%s did not compile the code",
			   compilers[compiler].name);
	return fine;
}

bool takt_serve_compile(const char *compiler, const char *flags, struct takt_word source,
			struct takt_diag *diag, struct takt_text *messages,
			struct serve_object *ret_object)
{
	char path[PATH_BYTES];

	for (size_t i = 0; i < TAKT_COUNT_OF(compilers); i++) {
		if (strcmp(compilers[i].name, compiler) != 0)
			continue;
		if (!takt_serve_folder_make(ret_object->folder, sizeof(ret_object->folder))) {
			takt_error(diag, "cannot make a folder for temporary files: %s",
				   strerror(errno));
			return false;
		}
		snprintf(path, sizeof(path), "%s/%s", ret_object->folder, compilers[i].source);
		if (!takt_serve_file_write(path, source.data, source.size)) {
			takt_error(diag, "cannot write the source code: %s", strerror(errno));
			return false;
		}
		return compile(i, flags, diag, messages, ret_object);
	}
	takt_error(diag, "no compiler '%.60s'", compiler);
	return false;
}

void takt_serve_object_release(struct serve_object *object)
{
	takt_serve_remove_folder(object->folder);
	free(object->data);
	*object = (struct serve_object){.data = NULL};
}
