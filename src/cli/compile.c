/* SPDX-License-Identifier: MIT */
/* Compiles a source file by the user's own command, into an object file that is read at once. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

#define PATH_SIZE 4096
#define ADDED_WORDS 6 /* "-g", "-c", "-o", the object, the source and the end */

extern char **environ;

/* Run a command; return its exit status, 128 and more for a signal, or -1 if it did not run. */
static int run(char *const *words)
{
	pid_t child;
	int status, cause = posix_spawnp(&child, words[0], NULL, NULL, words, environ);

	if (cause) {
		takt_say_error("cannot run '%s': %s", words[0], strerror(cause));
		return -1;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : TAKT_EXIT_SIGNALLED + WTERMSIG(status);
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* Refuse an option with which a compiler makes no machine code. */
static bool makes_code(const char *word)
{
	static const char *const others[] = {
		"-E", "--preprocess", "-M", "-MM", "--dependencies", "-fsyntax-only", "-###"};

	if (!is_one_of(word, others, TAKT_COUNT_OF(others)))
		return true;
	takt_say_error("with '%s' the compiler makes no machine code", word);
	return takt_say_note("leave out '%s'", word);
}

/*
 * True for words that would make something else of the source than an object file: text, code for
 * the linker to optimize, or the source once more.
 */
static bool is_left_out(const char *word, const char *source)
{
	static const char *const others[] = {"-S", "--assemble", "-emit-llvm"};

	return is_one_of(word, others, TAKT_COUNT_OF(others)) || strncmp(word, "-flto", 5) == 0 ||
	       strcmp(word, source) == 0;
}

/* Copy the words of a command that stay; return their number, or 0, reported. */
static size_t choose_words(const char *source, char *const *command, size_t word_count,
			   char **words)
{
	size_t count = 0;

	for (size_t i = 0; i < word_count; i++) {
		if (!makes_code(command[i]))
			return 0;
		if (!i || !is_left_out(command[i], source))
			words[count++] = command[i];
	}
	return count;
}

static bool compile(const char *source, char *const *command, size_t word_count, char *object)
{
	char **words = takt_allocate(word_count + ADDED_WORDS, sizeof(*words));
	const char *const added[] = {"-g", "-c", "-o", object, source};
	int status;

	word_count = choose_words(source, command, word_count, words);
	if (!word_count) {
		free(words);
		return false;
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(added); i++)
		words[word_count + i] = (char *)(uintptr_t)added[i];
	status = run(words);
	free(words);
	if (status > 0) {
		takt_say_error("'%s' did not compile '%s': exit status %d", command[0], source,
			       status);
		takt_say_note("it is called with '-g -c -o OBJECT %s' added", source);
	}
	return status == 0;
}

static bool read_all(FILE *file, struct takt_compiled *compiled)
{
	struct stat info;

	if (fstat(fileno(file), &info) != 0 || info.st_size <= 0)
		return false;
	compiled->size_bytes = (size_t)info.st_size;
	compiled->data = takt_allocate(compiled->size_bytes, 1);
	return fread(compiled->data, 1, compiled->size_bytes, file) == compiled->size_bytes;
}

static bool is_elf(const struct takt_compiled *compiled)
{
	return compiled->size_bytes >= SELFMAG && memcmp(compiled->data, ELFMAG, SELFMAG) == 0;
}

static bool read_object(const char *path, struct takt_compiled *ret_compiled)
{
	struct takt_compiled compiled = {0};
	FILE *file = fopen(path, "rbe");
	bool fine = file && read_all(file, &compiled);

	if (file)
		fclose(file);
	if (fine && is_elf(&compiled)) {
		*ret_compiled = compiled;
		return true;
	}
	if (fine) {
		takt_say_error("the compiler made no ELF object");
		takt_say_note("for another system than Linux, let it write assembly text "
			      "('-S -o FILE'), and give FILE");
	} else {
		takt_say_error("the compiler left no object file");
		takt_say_note("it is to make one with '-c -o OBJECT'");
	}
	free(compiled.data);
	return false;
}

bool takt_compile(const char *source, char *const *command, size_t word_count,
		  struct takt_compiled *ret_compiled)
{
	const char *folder = getenv("TMPDIR");
	char object[PATH_SIZE];
	bool fine;
	int made;

	snprintf(object, sizeof(object), "%s/takt-XXXXXX.o", folder && *folder ? folder : "/tmp");
	made = mkostemps(object, 2, O_CLOEXEC);
	if (made < 0)
		return takt_say_error("cannot make '%s': %s", object, strerror(errno));
	close(made);
	fine = compile(source, command, word_count, object) && read_object(object, ret_compiled);
	unlink(object);
	return fine;
}
