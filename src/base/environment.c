/* SPDX-License-Identifier: MIT */
/* Environments for child processes, which never change this process's own, and programs in PATH. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

extern char **environ;

static bool is_set_by(const char *variable, const char *const *settings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strcspn(settings[i], "=") + 1;

		if (strncmp(variable, settings[i], size) == 0)
			return true;
	}
	return false;
}

char **takt_environment_make(char *const *from, const char *const *settings, size_t setting_count,
			     struct takt_arena *arena)
{
	size_t count = 0, kept = 0;
	char **made;

	if (!from)
		from = environ;
	while (from && from[count])
		count++;
	made = TAKT_NEW_ARRAY(arena, count + setting_count + 1, char *);
	for (size_t i = 0; i < count; i++)
		if (!is_set_by(from[i], settings, setting_count))
			made[kept++] = from[i];
	for (size_t i = 0; i < setting_count; i++)
		made[kept++] = takt_arena_string(arena, settings[i]);
	return made;
}

static bool is_program(const char *path)
{
	struct stat status;

	return access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

const char *takt_program_find(const char *name, struct takt_arena *arena)
{
	const char *folder = secure_getenv("PATH");

	if (strchr(name, '/'))
		return name;
	for (folder = folder ? folder : PATH_DEFAULT;; folder++) {
		size_t size = strcspn(folder, ":");
		const char *path = takt_arena_printf(arena, "%.*s/%s", size ? (int)size : 1,
						     size ? folder : ".", name);

		if (is_program(path))
			return path;
		folder += size;
		if (*folder == '\0')
			return NULL;
	}
}

bool takt_program_exists(const char *name)
{
	struct takt_arena arena = {0};
	bool exists = takt_program_find(name, &arena) != NULL;

	takt_arena_release(&arena);
	return exists;
}
