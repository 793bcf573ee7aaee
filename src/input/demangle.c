/* SPDX-License-Identifier: MIT */
/* Demangles C++ names by the C++ library, which is loaded at run time if it is installed. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"

typedef char *(*demangle_function)(const char *name, char *buffer, size_t *size_bytes,
				   int *ret_status);

const char *takt_demangle(const char *symbol, struct takt_arena *arena)
{
	const char *name = symbol;
	demangle_function demangle = NULL;
	void *library, *found;
	char *buffer;
	int status;

	if (strncmp(symbol, "__Z", 3) == 0) /* as macOS has them */
		symbol++;
	if (strncmp(symbol, "_Z", 2) != 0)
		return name;
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

/*
 * True if a name of C++ as people read it is `wanted`, perhaps with the type of the result in front
 * of it, and with template arguments or parameters after.
 */
static bool is_name_of(const char *name, const char *wanted)
{
	size_t size = strlen(wanted);
	int depth = 0;

	for (const char *at = name; *at && size; at++) {
		if (!depth && (at == name || at[-1] == ' ') && strncmp(at, wanted, size) == 0 &&
		    (!at[size] || strchr("(<", at[size])))
			return true;
		depth += *at == '<' || *at == '(';
		depth -= *at == '>' || *at == ')';
	}
	return false;
}

bool takt_symbol_is_called(const char *symbol, const char *wanted, struct takt_arena *arena)
{
	if (strcmp(symbol, wanted) == 0)
		return true;
	if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "__Z", 3) != 0 && !strchr(symbol, '('))
		return false;
	return is_name_of(takt_demangle(symbol, arena), wanted);
}
