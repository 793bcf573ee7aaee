/* SPDX-License-Identifier: MIT */
/* Compiles a source file by the user's own command, into an object file that is read at once. */
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

static bool compile(const char *source, char *const *command, size_t word_count, char *object)
{
	char **words = takt_allocate(word_count + ADDED_WORDS, sizeof(*words));
	const char *const added[] = {"-g", "-c", "-o", object, source};
	int status;

	memcpy(words, command, word_count * sizeof(*words));
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

static bool read_object(const char *path, struct takt_compiled *ret_compiled)
{
	struct takt_compiled compiled = {0};
	FILE *file = fopen(path, "rbe");
	bool fine = file && read_all(file, &compiled);

	if (file)
		fclose(file);
	if (fine) {
		*ret_compiled = compiled;
		return true;
	}
	takt_say_error("the compiler left no object file");
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
