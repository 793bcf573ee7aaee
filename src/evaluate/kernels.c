/* SPDX-License-Identifier: MIT */
/* Lists the benchmarks: kernels × variants × compilers × optimization options. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/evaluate.h"

#define AXES_MAX 8
#define VARIANTS_MAX 4096 /* of one kernel */
#define HEAD_LINES 40	  /* of a kernel file, among which its variants are looked for */

/* No loop may become a call of memset() or the like: a callee's code is not the kernel's. */
static const struct evaluate_compiler compilers[] = {
	{"gcc", {"-fno-tree-loop-distribute-patterns"}},
	{"clang", {"-fno-builtin-memset", "-fno-builtin-memcpy", "-fno-builtin-memmove"}},
};

static const struct evaluate_strategy strategies[] = {
	{"O1", {"-O1"}},
	{"O2", {"-O2"}},
	{"O3", {"-O3"}},
	{"O3-scalar", {"-O3", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"}},
	{"O3-avx2", {"-O3", "-mavx2", "-mfma"}},
	/* All of the machine's features but those that qemu does not execute. */
	{"O3-native", {"-O3", "-march=native", "-mno-avx512f", "-mno-avxvnni"}},
};

struct axis {
	const char *name, *values; /* "TILE", "0,8": neither ends with NUL */
	size_t name_bytes, values_bytes, count;
};

struct kernel {
	const char *name, *path;
	struct axis axes[AXES_MAX];
	size_t axis_count, variant_count;
};

static bool read_axis(const char *word, size_t size, struct axis *ret_axis)
{
	const char *equals = memchr(word, '=', size);

	if (!equals || equals == word || equals + 1 == word + size)
		return false;
	*ret_axis = (struct axis){.name = word,
				  .name_bytes = (size_t)(equals - word),
				  .values = equals + 1,
				  .count = 1};
	ret_axis->values_bytes = size - ret_axis->name_bytes - 1;
	for (size_t i = 0; i < ret_axis->values_bytes; i++)
		ret_axis->count += ret_axis->values[i] == ',';
	return true;
}

/* Read the words after "VARIANTS:". */
static bool read_axes(const char *line, size_t size, struct kernel *kernel)
{
	const char *end = line + size;

	while (line < end) {
		size_t word = 0;

		while (line < end && *line == ' ')
			line++;
		while (line + word < end && line[word] != ' ')
			word++;
		if (word == 0 || *line == '*') /* the end of the comment */
			break;
		if (kernel->axis_count == AXES_MAX ||
		    !read_axis(line, word, &kernel->axes[kernel->axis_count]))
			return false;
		kernel->variant_count *= kernel->axes[kernel->axis_count++].count;
		if (kernel->variant_count > VARIANTS_MAX)
			return false;
		line += word;
	}
	return true;
}

static bool read_variants(const struct takt_file *file, struct takt_arena *arena,
			  struct kernel *kernel)
{
	static const char word[] = "VARIANTS:";
	struct takt_lines lines;
	const char *line;
	size_t size;

	takt_lines_init(&lines, file->data, file->size_bytes);
	while (takt_lines_next(&lines, &line, &size) && lines.number <= HEAD_LINES) {
		const char *found = memmem(line, size, word, strlen(word));

		if (!found)
			continue;
		size -= (size_t)(found - line) + strlen(word);
		return read_axes(takt_arena_copy(arena, found + strlen(word), size), size, kernel);
	}
	return true;
}

static enum takt_status read_kernel(const char *path, struct takt_arena *arena,
				    struct takt_diag *diag, struct kernel *ret_kernel)
{
	const char *name = takt_path_name(path);
	struct takt_file file;
	enum takt_status status = takt_file_open(path, diag, &file);

	if (status != TAKT_OK)
		return status;
	*ret_kernel = (struct kernel){.name = takt_arena_copy(arena, name, strlen(name) - 2),
				      .path = takt_arena_string(arena, path),
				      .variant_count = 1};
	if (!read_variants(&file, arena, ret_kernel)) {
		takt_error(diag, "%s: the variants are invalid", path);
		takt_note(diag, "write 'VARIANTS: NAME=A,B …', up to %d names and %d combinations",
			  AXES_MAX, VARIANTS_MAX);
		status = TAKT_BAD_INPUT;
	}
	takt_file_close(&file);
	return status;
}

/* Append the axis's value at `index` as an option, such as "-DTILE=8". */
static void add_option(const struct axis *axis, size_t index, struct takt_text *text)
{
	const char *value = axis->values, *end = axis->values + axis->values_bytes;
	size_t size = 0;

	while (index-- > 0)
		value = (const char *)memchr(value, ',', (size_t)(end - value)) + 1;
	while (value + size < end && value[size] != ',')
		size++;
	takt_text_printf(text, "%s-D%.*s=%.*s", text->size_bytes ? " " : "", (int)axis->name_bytes,
			 axis->name, (int)size, value);
}

static const char *options_of(const struct kernel *kernel, size_t variant, struct takt_arena *arena)
{
	struct takt_text text = {0};

	for (size_t i = 0; i < kernel->axis_count; i++) {
		add_option(&kernel->axes[i], variant % kernel->axes[i].count, &text);
		variant /= kernel->axes[i].count;
	}
	return takt_text_move(&text, arena);
}

static struct evaluate_benchmark benchmark_at(const struct kernel *kernel, size_t index,
					      struct takt_arena *arena)
{
	const size_t strategy_count = TAKT_COUNT_OF(strategies);
	size_t ways = TAKT_COUNT_OF(compilers) * strategy_count;

	return (struct evaluate_benchmark){.kernel = kernel->name,
					   .source = kernel->path,
					   .options = options_of(kernel, index / ways, arena),
					   .compiler = &compilers[index % ways / strategy_count],
					   .strategy = &strategies[index % strategy_count]};
}

static size_t add_benchmarks(const struct kernel *kernel, size_t number, bool small,
			     struct takt_arena *arena, struct evaluate_benchmark *ret_benchmarks)
{
	size_t count = kernel->variant_count * TAKT_COUNT_OF(compilers) * TAKT_COUNT_OF(strategies);

	/* One of each kernel; the multiplier spreads them over compilers and options. */
	if (small) {
		if (ret_benchmarks)
			*ret_benchmarks = benchmark_at(kernel, number * 31 % count, arena);
		return 1;
	}
	for (size_t i = 0; ret_benchmarks && i < count; i++)
		ret_benchmarks[i] = benchmark_at(kernel, i, arena);
	return count;
}

static bool is_c_file(const char *name)
{
	return strlen(name) > 2 && takt_string_ends(name, ".c");
}

static int is_kernel(const struct dirent *entry)
{
	return is_c_file(entry->d_name) && strcmp(entry->d_name, "run.c") != 0;
}

/* Read all kernels of the folder. */
static enum takt_status read_folder(const struct takt_evaluation *evaluation,
				    struct takt_arena *arena, struct takt_diag *diag,
				    struct kernel **ret_kernels, size_t *ret_count)
{
	struct dirent **entries;
	int found = scandir(evaluation->kernels, &entries, is_kernel, alphasort);
	enum takt_status status = TAKT_OK;
	struct kernel *kernels;

	if (found < 0) {
		takt_error(diag, "%s: %s", evaluation->kernels, strerror(errno));
		takt_note(diag, "'--kernels=DIR' says where the kernels are");
		return TAKT_BAD_INPUT;
	}
	kernels = TAKT_NEW_ARRAY(arena, (size_t)found, struct kernel);
	for (int i = 0; i < found; i++) {
		if (status == TAKT_OK)
			status = read_kernel(takt_arena_printf(arena, "%s/%s", evaluation->kernels,
							       entries[i]->d_name),
					     arena, diag, &kernels[i]);
		free(entries[i]);
	}
	free(entries);
	*ret_kernels = kernels;
	*ret_count = (size_t)found;
	return status;
}

/* Read the one kernel that the user named. */
static enum takt_status read_file(const struct takt_evaluation *evaluation,
				  struct takt_arena *arena, struct takt_diag *diag,
				  struct kernel **ret_kernels, size_t *ret_count)
{
	if (!is_c_file(evaluation->kernel)) {
		takt_error(diag, "'%s' is no C file", evaluation->kernel);
		takt_note(diag,
			  "a kernel's file ends in '.c' and includes kernel.h, which says what "
			  "else it has");
		return TAKT_BAD_INPUT;
	}
	*ret_kernels = TAKT_NEW(arena, struct kernel);
	*ret_count = 1;
	return read_kernel(evaluation->kernel, arena, diag, *ret_kernels);
}

enum takt_status takt_kernels_list(struct takt_evaluation *evaluation, struct takt_diag *diag,
				   struct evaluate_benchmark **ret_benchmarks, size_t *ret_count)
{
	struct takt_arena *arena = &evaluation->arena;
	struct kernel *kernels;
	size_t kernel_count, count = 0;
	enum takt_status status;

	status = evaluation->kernel ? read_file(evaluation, arena, diag, &kernels, &kernel_count)
				    : read_folder(evaluation, arena, diag, &kernels, &kernel_count);
	if (status != TAKT_OK)
		return status;
	for (size_t i = 0; i < kernel_count; i++)
		count += add_benchmarks(&kernels[i], i, evaluation->small, arena, NULL);
	*ret_benchmarks = TAKT_NEW_ARRAY(arena, count, struct evaluate_benchmark);
	*ret_count = 0;
	for (size_t i = 0; i < kernel_count; i++)
		*ret_count += add_benchmarks(&kernels[i], i, evaluation->small, arena,
					     *ret_benchmarks + *ret_count);
	return TAKT_OK;
}
