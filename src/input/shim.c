/* SPDX-License-Identifier: MIT */
/* Finding and loading the LLVM shim. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/code.h"

#define SHIM_NAME "takt-llvm.so"
#define SHIM_ENTRY "takt_shim_assemble"
#define SHIM_VARIABLE "TAKT_LLVM_SHIM"

/* Where to look, relative to the directory of the program or library takt is in. */
static const char *const places[] = {
	"%s/" SHIM_NAME,
	"%s/takt/" SHIM_NAME,
#ifdef TAKT_SHIM_DIR
	TAKT_SHIM_DIR "/" SHIM_NAME,
#endif
	"%s/../lib/takt/" SHIM_NAME,
};

/* The directory of the file this code was loaded from; false if it is not known. */
static bool find_home(char path[PATH_MAX])
{
	char *slash;
	union {
		enum takt_status (*function)(const struct takt_code_options *, struct takt_diag *,
					     struct takt_code **);
		void *address;
	} here = {.function = takt_code_open};
	Dl_info info;
	ssize_t size;

	if (dladdr(here.address, &info) && info.dli_fname && strchr(info.dli_fname, '/')) {
		if (!realpath(info.dli_fname, path))
			return false;
	} else {
		size = readlink("/proc/self/exe", path, PATH_MAX - 1);
		if (size < 0)
			return false;
		path[size] = '\0';
	}
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return slash != NULL;
}

static takt_shim_assemble_function load(const char *path)
{
	union {
		void *address;
		takt_shim_assemble_function function;
	} entry = {0};
	void *library;

	/* It stays loaded: LLVM does not survive being unloaded. */
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (library)
		entry.address = dlsym(library, SHIM_ENTRY);
	return entry.function;
}

static void report(const char *file, const char *path, struct takt_diag *diag)
{
	const char *reason = path ? dlerror() : NULL;

	if (path)
		takt_error(diag, "cannot load '%s', which assembles '%s': %s", path, file,
			   reason ? reason : "it is not takt's");
	else
		takt_error(diag, "'%s' is assembly text, and '%s', which assembles it, is not "
				 "installed",
			   file, SHIM_NAME);
	takt_note(diag, "install takt's LLVM module and LLVM 19 (Debian: libllvm19), or give the "
			"object file instead of the text");
}

takt_shim_assemble_function takt_shim_load(const char *file, struct takt_diag *diag)
{
	const char *path = getenv(SHIM_VARIABLE), *found = NULL;
	takt_shim_assemble_function function;
	char home[PATH_MAX];
	struct takt_text text;

	if (path) {
		function = load(path);
		if (!function)
			report(file, path, diag);
		return function;
	}
	if (!find_home(home))
		home[0] = '\0';
	takt_text_init(&text);
	for (size_t i = 0; i < TAKT_COUNT_OF(places) && !found; i++) {
		const char *rest = strncmp(places[i], "%s", 2) == 0 ? places[i] + 2 : places[i];

		takt_text_clear(&text);
		takt_text_printf(&text, "%s%s", rest == places[i] ? "" : home, rest);
		if (access(takt_text_data(&text), R_OK) == 0)
			found = takt_text_data(&text);
	}
	function = found ? load(found) : NULL;
	if (!function)
		report(file, found, diag);
	takt_text_release(&text);
	return function;
}
