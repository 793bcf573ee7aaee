/* SPDX-License-Identifier: MIT */
/*
 * Modules: parts of takt with heavy dependencies, loaded on first need, and only if nobody but
 * trusted users can write them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#ifndef TAKT_MODULE_DIR
#define TAKT_MODULE_DIR "/usr/local/lib/takt"
#endif
#ifndef TAKT_MODULES_FROM_COMMAND
#define TAKT_MODULES_FROM_COMMAND "../lib/takt"
#endif
#define NOT_INSTALLED "it is not installed beside takt"

/* ---- whom to trust ---------------------------------------------------------- */

/* Find the file this code was loaded from: the library, or the program. */
static bool own_file(char path[PATH_MAX])
{
	static const char anchor; /* an address inside that file */
	Dl_info info;

	/* For a program, dladdr() gives the name as it was typed, perhaps without a path. */
	if (!dladdr(&anchor, &info) || !info.dli_fname || !strchr(info.dli_fname, '/'))
		info.dli_fname = "/proc/self/exe";
	return realpath(info.dli_fname, path);
}

struct takt_module_trust takt_module_trust_of_process(void)
{
	struct takt_module_trust trust = {
		.privileged = getauxval(AT_SECURE) != 0, .user = geteuid(), .installer = 0};
	char path[PATH_MAX];
	struct stat status;

	/* The owner of the file that holds this code could do anything already. */
	if (own_file(path) && stat(path, &status) == 0)
		trust.installer = status.st_uid;
	return trust;
}

/* Return NULL if only trusted users can change the file or folder, else the reason. */
static const char *distrust(const struct takt_module_trust *trust, const struct stat *status)
{
	bool is_folder = S_ISDIR(status->st_mode);

	if (status->st_mode & S_IWOTH)
		return is_folder ? "everybody may write to its folder"
				 : "everybody may write to it";
	if (trust->privileged && (status->st_mode & S_IWGRP) && status->st_gid != 0)
		return is_folder ? "a group may write to its folder, and takt runs with privileges"
				 : "a group may write to it, and takt runs with privileges";
	if (status->st_uid == 0)
		return NULL;
	if (trust->privileged)
		return is_folder
			       ? "its folder does not belong to root, and takt runs with privileges"
			       : "it does not belong to root, and takt runs with privileges";
	if (status->st_uid != trust->user && status->st_uid != trust->installer)
		return is_folder ? "its folder belongs to another user"
				 : "it belongs to another user";
	return NULL;
}

const char *takt_module_distrust(const struct takt_module_trust *trust, const char *path)
{
	char folder[PATH_MAX];
	struct stat status;
	const char *why;

	if (!realpath(path, folder) || stat(folder, &status) != 0)
		return strerror(errno);
	if (!S_ISREG(status.st_mode))
		return "it is no file";
	why = distrust(trust, &status);
	if (why)
		return why;
	*strrchr(folder, '/') = '\0';
	if (stat(*folder ? folder : "/", &status) != 0)
		return strerror(errno);
	return distrust(trust, &status);
}

/* ---- where they are ------------------------------------------------------------- */

/* Make the module's path in that directory; true if there is such a file. */
static bool try_place(const char *directory, const char *sub_directory, const char *name,
		      struct takt_text *path)
{
	takt_text_clear(path);
	takt_text_printf(path, "%s%s/%s.so", directory, sub_directory, name);
	return access(path->data, F_OK) == 0;
}

static bool find_place(const char *name, struct takt_text *path)
{
	/* A module's directories relative to that of the code that loads it: installed, beside the
	 * library and for the command; in the build tree, the same. */
	static const char *const sub_directories[] = {"/takt", ("/" TAKT_MODULES_FROM_COMMAND),
						      "/src/modules", "/../modules"};
	const char *chosen = secure_getenv("TAKT_MODULE_DIR");
	char directory[PATH_MAX];

	if (chosen)
		return try_place(chosen, "", name, path);
	if (own_file(directory)) {
		*strrchr(directory, '/') = '\0';
		for (size_t i = 0; i < TAKT_COUNT_OF(sub_directories); i++)
			if (try_place(directory, sub_directories[i], name, path))
				return true;
	}
	return try_place(TAKT_MODULE_DIR, "", name, path);
}

static void report(struct takt_diag *diag, const char *name, const struct takt_text *path,
		   const char *why)
{
	takt_error(diag, "cannot load the module '%s.so': %s", name, why);
	if (strcmp(why, NOT_INSTALLED) != 0)
		takt_note(diag, "it is '%s'", path->data);
}

bool takt_module_find(const char *name, struct takt_diag *diag, struct takt_text *path)
{
	const struct takt_module_trust trust = takt_module_trust_of_process();
	const char *why = NOT_INSTALLED;

	if (find_place(name, path))
		why = takt_module_distrust(&trust, path->data);
	if (why)
		report(diag, name, path, why);
	return !why;
}

void *takt_module_symbol(const char *name, const char *symbol, struct takt_diag *diag)
{
	struct takt_text path = {0};
	void *handle, *address = NULL;

	if (takt_module_find(name, diag, &path)) {
		handle = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
		address = handle ? dlsym(handle, symbol) : NULL;
		if (!address)
			report(diag, name, &path, dlerror());
	}
	takt_text_release(&path);
	return address;
}
