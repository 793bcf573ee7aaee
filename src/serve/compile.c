/* SPDX-License-Identifier: MIT */
/*
 * Compiles source code that a browser sends. The compiler is one of a list, is started without a
 * shell, with flags that name no file, in a new folder, without the user's environment, and with
 * limits of time, memory and output.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/serve.h"

#if defined(__aarch64__)
#define HOST_ISA "aarch64"
#else
#define HOST_ISA "x86-64"
#endif
#define FLAGS_MAX 64
#define FIXED_WORDS 12
#define MESSAGE_BYTES_MAX ((size_t)64 << 10)
#define OBJECT_BYTES_MAX ((size_t)64 << 20)
#define MEMORY_BYTES_MAX ((rlim_t)2 << 30)
#define FOLDERS_OPEN_MAX 16
#define NOT_STARTED 127 /* exit status of a child that did not become the compiler */
#define NAME_MAX_BYTES 64
#define PATH_BYTES 128

static const struct {
	const char *name, *language, *source, *isa;
} compilers[] = {
	{"gcc", "c", "code.c", HOST_ISA},
	{"clang", "c", "code.c", HOST_ISA},
	{"g++", "c++", "code.cpp", HOST_ISA},
	{"clang++", "c++", "code.cpp", HOST_ISA},
	{"aarch64-linux-gnu-gcc", "c", "code.c", "aarch64"},
	{"aarch64-linux-gnu-g++", "c++", "code.cpp", "aarch64"},
	{"riscv64-linux-gnu-gcc", "c", "code.c", "riscv64"},
	{"riscv64-linux-gnu-g++", "c++", "code.cpp", "riscv64"},
	{"x86_64-linux-gnu-gcc", "c", "code.c", "x86-64"},
	{"x86_64-linux-gnu-g++", "c++", "code.cpp", "x86-64"},
};

/* ---- what there is -------------------------------------------------------------- */

static bool is_installed(const char *name)
{
	const char *path = secure_getenv("PATH");
	struct takt_text file = {0};
	bool found = false;

	while (path && *path && !found) {
		size_t size = strcspn(path, ":");

		takt_text_release(&file);
		takt_text_printf(&file, "%.*s/%s", (int)size, path, name);
		found = path[0] == '/' && access(file.data, X_OK) == 0;
		path += size + (path[size] == ':');
	}
	takt_text_release(&file);
	return found;
}

void takt_serve_compilers_write(struct takt_json *json)
{
	takt_json_open_array(json, "compilers");
	for (size_t i = 0; i < TAKT_COUNT_OF(compilers); i++) {
		if (!is_installed(compilers[i].name))
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

static bool is_in(const char *word, size_t size, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == size && strncmp(*list, word, size) == 0)
			return true;
	return false;
}

/* True if the text has only letters, digits and these other characters. */
static bool is_value(const char *text, const char *others)
{
	struct takt_word word = {text, strlen(text)};

	return takt_word_is_name(word, others);
}

/* "-ffast-math", "-fno-…", "-ffp-contract=fast": those that change how code is generated. */
static bool is_code_flag(const char *name)
{
	static const char *const names[] = {"aggressive-loop-optimizations",
					    "align-functions",
					    "align-jumps",
					    "align-loops",
					    "associative-math",
					    "asynchronous-unwind-tables",
					    "builtin",
					    "cf-protection",
					    "common",
					    "delete-null-pointer-checks",
					    "exceptions",
					    "fast-math",
					    "finite-math-only",
					    "fp-contract",
					    "gcse",
					    "inline",
					    "inline-functions",
					    "ivopts",
					    "math-errno",
					    "modulo-sched",
					    "omit-frame-pointer",
					    "openmp",
					    "openmp-simd",
					    "peel-loops",
					    "pic",
					    "PIC",
					    "pie",
					    "PIE",
					    "plt",
					    "prefetch-loop-arrays",
					    "reciprocal-math",
					    "rename-registers",
					    "rounding-math",
					    "rtti",
					    "schedule-insns",
					    "schedule-insns2",
					    "semantic-interposition",
					    "signed-zeros",
					    "slp-vectorize",
					    "split-loops",
					    "stack-protector",
					    "strict-aliasing",
					    "trapping-math",
					    "tree-loop-distribution",
					    "tree-loop-vectorize",
					    "tree-slp-vectorize",
					    "tree-vectorize",
					    "unroll-all-loops",
					    "unroll-loops",
					    "unsafe-math-optimizations",
					    "vect-cost-model",
					    "vectorize",
					    "wrapv",
					    "zero-upper-regs",
					    NULL};
	size_t size;

	if (strncmp(name, "no-", 3) == 0)
		name += 3;
	size = strcspn(name, "=");
	return is_in(name, size, names) && (!name[size] || is_value(name + size + 1, "-"));
}

bool takt_serve_flag_allowed(const char *word)
{
	static const char *const levels[] = {"", "0", "1", "2", "3", "s", "g", "z", "fast", NULL};
	static const char *const plain[] = {"-g", "-w", "-pthread", "-ansi", NULL};

	if (strlen(word) > NAME_MAX_BYTES * 2)
		return false;
	if (is_in(word, strlen(word), plain))
		return true;
	if (strncmp(word, "-O", 2) == 0)
		return is_in(word + 2, strlen(word + 2), levels);
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

/* Split the flags into words behind those that there are. */
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

static bool write_source(const char *path, const void *source, size_t size_bytes)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool fine = file >= 0;

	while (fine && size_bytes) {
		ssize_t size = write(file, source, size_bytes);

		fine = size > 0;
		if (fine) {
			source = (const char *)source + size;
			size_bytes -= (size_t)size;
		}
	}
	if (file >= 0)
		fine = close(file) == 0 && fine;
	return fine;
}

/* Read a file whole, or nothing of one that is larger than `most`. */
static bool read_whole(const char *path, size_t most, char **ret_data, size_t *ret_size)
{
	struct takt_file file;
	struct stat info;

	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (size_t)info.st_size > most ||
	    takt_file_open(path, NULL, &file) != TAKT_OK)
		return false;
	*ret_data = takt_xcalloc(file.size_bytes + 1, 1);
	*ret_size = file.size_bytes;
	memcpy(*ret_data, file.data, file.size_bytes);
	takt_file_close(&file);
	return true;
}

/* Become the compiler, with less memory than this process may have; never returns. */
static void become(char *const *words, char *const *environment, const char *messages)
{
	int input = open("/dev/null", O_RDONLY), output = open(messages, O_WRONLY | O_CREAT, 0600);
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0)
		_exit(NOT_STARTED);
	if (limit.rlim_cur > MEMORY_BYTES_MAX)
		limit.rlim_cur = MEMORY_BYTES_MAX;
	if (setrlimit(RLIMIT_AS, &limit) != 0 || dup2(input, STDIN_FILENO) < 0 ||
	    dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		_exit(NOT_STARTED);
	execvpe(words[0], words, environment);
	_exit(NOT_STARTED);
}

/* Run the compiler with its messages in a file; return its status, or -1 if it did not run. */
static int run(char *const *words, const char *messages, const char *folder)
{
	const char *path = secure_getenv("PATH");
	struct takt_text path_setting = {0}, folder_setting = {0};
	int status = -1;
	pid_t child;
	char *environment[4] = {NULL, NULL, NULL, NULL}, locale[] = "LC_ALL=C";

	takt_text_printf(&path_setting, "PATH=%s", path ? path : "/usr/bin:/bin");
	takt_text_printf(&folder_setting, "TMPDIR=%s", folder);
	environment[0] = path_setting.data;
	environment[1] = folder_setting.data;
	environment[2] = locale;
	child = fork();
	if (child == 0)
		become(words, environment, messages);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	takt_text_release(&path_setting);
	takt_text_release(&folder_setting);
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) != NOT_STARTED
		       ? WEXITSTATUS(status)
		       : -1;
}

static bool make_folder(struct serve_object *object)
{
	const char *parent = secure_getenv("TMPDIR");
	char *path;
	struct takt_text template = {0};
	bool fine;

	takt_text_printf(&template, "%s/takt-XXXXXX", parent && *parent ? parent : "/tmp");
	path = mkdtemp(template.data);
	fine = path && strlen(path) < sizeof(object->folder);
	if (fine)
		memcpy(object->folder, path, strlen(path) + 1);
	else if (path)
		rmdir(path);
	takt_text_release(&template);
	return fine;
}

static void add_messages(const char *path, struct takt_text *messages)
{
	char *data;
	size_t size;

	if (!read_whole(path, OBJECT_BYTES_MAX, &data, &size))
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
	struct takt_arena arena;
	size_t count = 0;
	bool fine;
	int status;

	takt_arena_init(&arena);
	snprintf(source_path, sizeof(source_path), "%s/%s", object->folder,
		 compilers[compiler].source);
	snprintf(object_path, sizeof(object_path), "%s/code.o", object->folder);
	snprintf(message_path, sizeof(message_path), "%s/messages", object->folder);
	words[count++] =
		takt_arena_copy(&arena, compilers[compiler].name, strlen(compilers[compiler].name));
	fine = add_flags(flags, &arena, diag, words, &count);
	words[count++] = debug;
	words[count++] = only;
	words[count++] = to;
	words[count++] = object_path;
	words[count++] = source_path;
	status = fine ? run(words, message_path, object->folder) : -1;
	takt_arena_release(&arena);
	if (!fine)
		return false;
	add_messages(message_path, messages);
	fine = status == 0 &&
	       read_whole(object_path, OBJECT_BYTES_MAX, &object->data, &object->size_bytes);
	if (!fine)
		takt_error(diag,
			   status < 0 ? "%s did not end by itself: it took too long or needs "
					"too much memory"
				      : "%s did not compile the code",
			   compilers[compiler].name);
	return fine;
}

bool takt_serve_compile(const char *compiler, const char *flags, const void *source,
			size_t size_bytes, struct takt_diag *diag, struct takt_text *messages,
			struct serve_object *ret_object)
{
	char path[PATH_BYTES];

	for (size_t i = 0; i < TAKT_COUNT_OF(compilers); i++) {
		if (strcmp(compilers[i].name, compiler) != 0)
			continue;
		if (!make_folder(ret_object)) {
			takt_error(diag, "cannot make a folder for temporary files: %s",
				   strerror(errno));
			return false;
		}
		snprintf(path, sizeof(path), "%s/%s", ret_object->folder, compilers[i].source);
		if (!write_source(path, source, size_bytes)) {
			takt_error(diag, "cannot write the source code: %s", strerror(errno));
			return false;
		}
		return compile(i, flags, diag, messages, ret_object);
	}
	takt_error(diag, "no compiler '%.60s'", compiler);
	return false;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	(void)remove(path);
	return 0;
}

void takt_serve_remove_folder(const char *path)
{
	if (*path)
		(void)nftw(path, remove_entry, FOLDERS_OPEN_MAX, FTW_DEPTH | FTW_PHYS);
}

void takt_serve_object_release(struct serve_object *object)
{
	takt_serve_remove_folder(object->folder);
	free(object->data);
	*object = (struct serve_object){.data = NULL};
}
