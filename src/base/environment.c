/* SPDX-License-Identifier: MIT */
/* Environments for child processes. This process's own environment is never changed. */
#include <string.h>
#include <unistd.h>

#include "base/base.h"

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
