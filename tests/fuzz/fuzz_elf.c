/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an ELF file, in memory and mapped: loops, nested ones and those of lines, a
 * function, a range.
 */
#include "code_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_code_options loops = {.format = TAKT_INPUT_ELF};
	struct takt_code_options nested = {.format = TAKT_INPUT_ELF, .nested = true};
	const struct takt_line_range every = {1, UINT32_MAX};
	struct takt_code_options lines = {
		.format = TAKT_INPUT_ELF, .lines = &every, .line_count = 1};
	struct takt_code_options function = {.format = TAKT_INPUT_ELF, .function = "main"};
	struct takt_code_options whole = {.format = TAKT_INPUT_ELF, .whole = true};
	struct takt_code_options range = {
		.format = TAKT_INPUT_ELF, .range_begin = 0, .range_end = 64};

	open_and_walk(data, size, &loops);
	map_and_walk(data, size, &loops);
	open_and_walk(data, size, &nested);
	open_and_walk(data, size, &lines);
	open_and_walk(data, size, &function);
	open_and_walk(data, size, &whole);
	open_and_walk(data, size, &range);
	return 0;
}
