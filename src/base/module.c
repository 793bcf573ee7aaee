/* SPDX-License-Identifier: MIT */
/* Modules: parts of takt with heavy dependencies, loaded on first need. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

#ifndef TAKT_MODULE_DIR
#define TAKT_MODULE_DIR "/usr/local/lib/takt"
#endif

/* The directory of the file this code was loaded from: the library, or the program. */
static bool own_directory(char path[PATH_MAX])
{
	static const char anchor; /* lies in the file asked for */
	Dl_info info;
	char *slash;

	/* A program's own name may be without a path, as it was typed. */
	if (!dladdr(&anchor, &info) || !info.dli_fname || !strchr(info.dli_fname, '/'))
		info.dli_fname = "/proc/self/exe";
	if (!realpath(info.dli_fname, path))
		return false;
	slash = strrchr(path, '/');
	*slash = '\0';
	return true;
}

/* Whether there is such a file; `path` says which. */
static bool try_place(const char *directory, const char *sub_directory, const char *name,
		      struct takt_text *path)
{
	takt_text_clear(path);
	takt_text_printf(path, "%s%s/%s.so", directory, sub_directory, name);
	return access(path->data, R_OK) == 0;
}

bool takt_module_find(const char *name, struct takt_text *path)
{
	/* Where a module may lie relative to the code that wants it: installed beside the
	 * library, and the build tree. */
	static const char *const sub_directories[] = {"/takt", "/../lib/takt", "/src/modules"};
	const char *chosen = getenv("TAKT_MODULE_DIR");
	char directory[PATH_MAX];

	if (chosen)
		return try_place(chosen, "", name, path);
	if (own_directory(directory))
		for (size_t i = 0; i < TAKT_COUNT_OF(sub_directories); i++)
			if (try_place(directory, sub_directories[i], name, path))
				return true;
	return try_place(TAKT_MODULE_DIR, "", name, path);
}

void *takt_module_symbol(const char *name, const char *symbol, struct takt_diag *diag)
{
	const char *why = "it is not installed beside takt";
	struct takt_text path = {0};
	void *handle = NULL, *address;

	if (takt_module_find(name, &path)) {
		handle = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
		if (!handle)
			why = dlerror();
	}
	address = handle ? dlsym(handle, symbol) : NULL;
	if (!address)
		takt_error(diag, "cannot load the module '%s.so': %s", name, why);
	takt_text_release(&path);
	return address;
}
