/* SPDX-License-Identifier: MIT */
/* Runs a kernel that was made a shared library: run FILE check, or run FILE REPEATS. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	union {
		void *address;
		void (*run)(void);
		int (*check)(void);
	} kernel, check;
	long repeats;

	if (!library) {
		fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "usage: run FILE check|REPEATS");
		return 2;
	}
	kernel.address = dlsym(library, "kernel");
	check.address = dlsym(library, "kernel_check");
	if (!kernel.address || !check.address)
		return 2;
	repeats = strcmp(argv[2], "check") == 0 ? 2 : strtol(argv[2], NULL, 10);
	while (repeats-- > 0)
		kernel.run();
	return strcmp(argv[2], "check") == 0 ? check.check() : 0;
}
