/* SPDX-License-Identifier: MIT */
/* Any bytes as a core file. */
#include "model_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)good_core;
	open_model(data, size, good_timing, sizeof(good_timing) - 1);
	return 0;
}
