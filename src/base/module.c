/* SPDX-License-Identifier: MIT */
/* Modules: parts of takt with heavy dependencies, loaded on first need. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

#ifndef TAKT_MODULE_DIR
#define TAKT_MODULE_DIR "/usr/local/lib/takt"
#endif

/* The directory of the object this code is part of: the library, or the program. */
static bool own_directory(struct takt_text *text)
{
	static const char anchor; /* lies in the object asked for */
	Dl_info info;
	const char *slash;

	if (!dladdr(&anchor, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	takt_text_add(text, info.dli_fname, (size_t)(slash - info.dli_fname));
	return true;
}

static void *try_open(const char *directory, const char *sub_directory, const char *name,
		      struct takt_text *why)
{
	struct takt_text path;
	void *handle = NULL;

	takt_text_init(&path);
	takt_text_printf(&path, "%s%s/%s.so", directory, sub_directory, name);
	if (access(path.data, R_OK) == 0) {
		handle = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
		if (!handle) {
			takt_text_clear(why);
			takt_text_add_string(why, dlerror());
		}
	}
	takt_text_release(&path);
	return handle;
}

void *takt_module_symbol(const char *name, const char *symbol, struct takt_diag *diag)
{
	/* Where a module may lie relative to the code that wants it: installed beside the
	 * library, and the places of the build tree. */
	static const char *const sub_directories[] = {"/takt", "", "/..", "/../.."};
	const char *chosen = getenv("TAKT_MODULE_DIR");
	struct takt_text directory = {0}, why = {0};
	void *handle = NULL, *address;

	if (chosen) {
		handle = try_open(chosen, "", name, &why);
	} else {
		if (own_directory(&directory))
			for (size_t i = 0; !handle && i < TAKT_COUNT_OF(sub_directories); i++)
				handle = try_open(directory.data, sub_directories[i], name, &why);
		if (!handle)
			handle = try_open(TAKT_MODULE_DIR, "", name, &why);
	}
	address = handle ? dlsym(handle, symbol) : NULL;
	if (!address)
		takt_error(diag, "cannot load the module '%s.so': %s", name,
			   why.size_bytes ? why.data : "it is not installed beside takt");
	takt_text_release(&directory);
	takt_text_release(&why);
	return address;
}
