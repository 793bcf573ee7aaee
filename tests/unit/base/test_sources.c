/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <unistd.h>

#include "../tap.h"
#include "base/sources.h"

int main(void)
{
	char path[] = "/tmp/takt-sources-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct takt_sources sources = {0};
	const char *line = NULL;
	size_t size = 0;

	fputs("one\n\ntwo and more\nlast", file);
	fclose(file);
	ok(takt_sources_line(&sources, path, 3, &line, &size), "a line");
	is_int((long long)size, 12, "its size");
	ok(strncmp(line, "two and more", size) == 0, "its text");
	ok(takt_sources_line(&sources, path, 2, &line, &size) && size == 0, "an empty line");
	ok(takt_sources_line(&sources, path, 4, &line, &size) && size == 4, "the last line");
	ok(!takt_sources_line(&sources, path, 5, &line, &size), "no line behind it");
	ok(!takt_sources_line(&sources, path, 0, &line, &size), "no line 0");
	ok(!takt_sources_line(&sources, "/tmp", 1, &line, &size), "a directory has no lines");
	ok(!takt_sources_line(&sources, "/nonexistent", 1, &line, &size), "nor has a missing file");
	ok(!takt_sources_line(&sources, "-", 1, &line, &size), "standard input is not read");
	ok(!takt_sources_line(&sources, NULL, 1, &line, &size), "no file");
	takt_sources_release(&sources);
	is_int(sources.count, 0, "released");
	unlink(path);
	return tap_done();
}
