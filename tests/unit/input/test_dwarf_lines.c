/* SPDX-License-Identifier: MIT */
/* Lines of what the system's compiler makes; skipped where there is none. */
#include "fixture.h"

static const char source[] = "int sum(const int *a, int n)\n"
			     "{\n"
			     "	int s = 0;\n"
			     "	for (int i = 0; i < n; i++)\n"
			     "		s += a[i];\n"
			     "	return s;\n"
			     "}\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	(void)argv;\n"
			     "	return sum((const int[]){1, 2}, argc);\n"
			     "}\n";

static bool compile(const char *directory, const char *arguments, const char *output)
{
	char command[512];
	FILE *file;

	snprintf(command, sizeof(command), "%s/kernel.c", directory);
	file = fopen(command, "w");
	if (!file)
		return false;
	fputs(source, file);
	fclose(file);
	snprintf(command, sizeof(command),
		 "cd %s && ${CC:-cc} -O1 -fno-unroll-loops -fno-tree-vectorize %s kernel.c -o %s "
		 "2>/dev/null",
		 directory, arguments, output);
	return system(command) == 0;
}

static void check_lines(const char *path, const char *what)
{
	static const struct takt_line_range ranges[] = {{5, 5}, {1, 3}};
	struct takt_code_options options = {.path = path, .function = "sum"};
	struct opened opened = open_with(&options);
	const struct takt_region *region;
	struct takt_source_line line;

	is_size(opened.count, 1, what);
	if (!opened.count) {
		says(&opened, "a loop");
		close_opened(&opened);
		return;
	}
	region = region_at(&opened, 0);
	line = takt_code_line(opened.code, 0, region->address);
	ok(line.line == 4 || line.line == 5, "line %u", line.line);
	ok(line.file && strstr(line.file, "kernel.c"), "file");
	ok(!line.text, "no text");
	close_opened(&opened);

	options.function = NULL;
	options.lines = ranges;
	options.line_count = 1;
	opened = open_with(&options);
	ok(opened.count == 1 && region_at(&opened, 0)->origin == TAKT_REGION_LOOP &&
		   strcmp(region_at(&opened, 0)->function, "sum") == 0,
	   "%s: the loop around a line", what);
	close_opened(&opened);
	options.whole = true;
	opened = open_with(&options);
	ok(opened.count == 1 && region_at(&opened, 0)->origin == TAKT_REGION_LINES, "%s: a line",
	   what);
	close_opened(&opened);
	options.whole = false;
	options.function = "main";
	opened = open_with(&options);
	ok(opened.status == TAKT_BAD_INPUT && says(&opened, "error: no instruction on line 5"),
	   "%s: a line of another function", what);
	close_opened(&opened);
}

static void check_none(const char *path)
{
	static const struct takt_line_range range = {5, 5};
	struct opened opened = open_with(
		&(struct takt_code_options){.path = path, .lines = &range, .line_count = 1});

	ok(opened.status == TAKT_BAD_INPUT &&
		   says(&opened, "has no line numbers\nnote: compile with -g"),
	   "no debug information");
	close_opened(&opened);
}

static const struct {
	const char *options, *what;
	bool has_lines;
} builds[] = {
	{"-g -c", "object", true},
	{"-g -c -ffunction-sections", "object of many sections", true},
	{"-g -c -gdwarf-4", "DWARF 4", true},
	{"-g -fno-inline", "executable", true},
	{"-c", "object without debug information", false},
};

int main(void)
{
	char directory[] = "/tmp/takt-test-XXXXXX", path[64], command[64];

	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/kernel.o", directory);
	for (size_t i = 0; i < TAKT_COUNT_OF(builds); i++) {
		if (!compile(directory, builds[i].options, "kernel.o"))
			tap_skip(builds[i].what, "no compiler, or it fails");
		else if (builds[i].has_lines)
			check_lines(path, builds[i].what);
		else
			check_none(path);
	}
	snprintf(command, sizeof(command), "rm -r %s", directory);
	ok(system(command) == 0, "the folder is removed");
	return tap_done();
}
