/* SPDX-License-Identifier: MIT */
/* Any text as hexadecimal digits, and any bytes as raw machine code with IACA markers. */
#include "code_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct takt_code_options hex = {.format = TAKT_INPUT_HEX};
	struct takt_code_options raw = {.format = TAKT_INPUT_RAW};

	open_and_walk(data, size, &hex);
	open_and_walk(data, size, &raw);
	return 0;
}
