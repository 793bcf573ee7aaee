/* SPDX-License-Identifier: MIT */
/*
 * Any text as hexadecimal digits, and any bytes as raw machine code with IACA markers, of the
 * instruction set that the first byte says.
 */
#include "code_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *isa = take_isa(&data, &size);
	struct takt_code_options hex = {.format = TAKT_INPUT_HEX, .isa = isa};
	struct takt_code_options raw = {.format = TAKT_INPUT_RAW, .isa = isa};

	open_and_walk(data, size, &hex);
	open_and_walk(data, size, &raw);
	return 0;
}
