/* SPDX-License-Identifier: MIT */
/*
 * A library with a constructor, for test_call.c. It reads what its process may still do; with
 * CREATES_FILE it tries to leave something behind.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MISSING 0xbad

void check_capabilities(void);

static unsigned long long capabilities = MISSING;

__attribute__((constructor)) static void construct(void)
{
	char text[4096] = "", *line;
	int file;

#if defined(CREATES_FILE)
	(void)!open("takt-escaped", O_CREAT | O_WRONLY, 0600);
#endif
	file = open("/proc/self/status", O_RDONLY);
	if (file < 0 || read(file, text, sizeof(text) - 1) <= 0)
		return;
	line = strstr(text, "CapEff:");
	if (line)
		capabilities = strtoull(line + 7, NULL, 16);
}

/* The constructor ran, files could be read, and nothing is left of the privileges of root. */
void check_capabilities(void)
{
	if (capabilities != 0)
		abort();
}
