/* SPDX-License-Identifier: MIT */
/* Lines of source files, for reports. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sources.h"

#define FILE_BYTES_MAX ((off_t)16 << 20)

/* A file that was asked for, with where its lines begin; of one that cannot be read, none. */
struct takt_source {
	char *path;
	struct takt_file file;
	struct source_line {
		const char *text;
		size_t size_bytes;
	} * lines;
	uint32_t line_count, line_capacity;
	bool is_open;
};

bool takt_source_open(const char *path, struct takt_file *ret_file)
{
	struct stat info;

	return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
	       info.st_size <= FILE_BYTES_MAX && takt_file_open(path, NULL, ret_file) == TAKT_OK;
}

static void find_lines(struct takt_source *source)
{
	struct takt_lines lines;
	struct source_line line;

	takt_lines_init(&lines, source->file.data, source->file.size_bytes);
	while (takt_lines_next(&lines, &line.text, &line.size_bytes)) {
		TAKT_GROW(source->lines, source->line_count + 1, source->line_capacity);
		source->lines[source->line_count++] = line;
	}
}

/* Return the file, which is opened when it is first asked for. */
static const struct takt_source *find_source(struct takt_sources *sources, const char *path)
{
	struct takt_source *source;

	for (uint32_t i = sources->count; i-- > 0;)
		if (strcmp(sources->list[i].path, path) == 0)
			return &sources->list[i];
	TAKT_GROW(sources->list, sources->count + 1, sources->capacity);
	source = &sources->list[sources->count++];
	*source = (struct takt_source){.path = takt_xstrdup(path)};
	source->is_open = takt_source_open(path, &source->file);
	if (source->is_open)
		find_lines(source);
	return source;
}

bool takt_sources_line(struct takt_sources *sources, const char *path, uint32_t line,
		       const char **ret_line, size_t *ret_size_bytes)
{
	const struct takt_source *source = path ? find_source(sources, path) : NULL;

	if (!source || line == 0 || line > source->line_count)
		return false;
	*ret_line = source->lines[line - 1].text;
	*ret_size_bytes = source->lines[line - 1].size_bytes;
	return true;
}

void takt_sources_release(struct takt_sources *sources)
{
	for (uint32_t i = 0; i < sources->count; i++) {
		if (sources->list[i].is_open)
			takt_file_close(&sources->list[i].file);
		free(sources->list[i].lines);
		free(sources->list[i].path);
	}
	free(sources->list);
	*sources = (struct takt_sources){0};
}
