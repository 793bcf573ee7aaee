/* SPDX-License-Identifier: MIT */
/* Demangles C++ names by the C++ library, which is loaded at run time if it is installed. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

typedef char *(*demangle_function)(const char *name, char *buffer, size_t *size_bytes,
				   int *ret_status);

const char *takt_trace_demangle(const char *symbol, struct takt_arena *arena)
{
	const char *name = symbol;
	demangle_function demangle = NULL;
	void *library, *found;
	char *buffer;
	int status;

	if (strncmp(symbol, "_Z", 2) != 0)
		return symbol;
	/* The library stays loaded, as modules do. */
	library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	found = library ? dlsym(library, "__cxa_demangle") : NULL;
	if (found) {
		memcpy(&demangle, &found, sizeof(demangle));
		buffer = demangle(symbol, NULL, NULL, &status);
		if (buffer)
			name = takt_arena_string(arena, buffer);
		free(buffer);
	}
	return name;
}
