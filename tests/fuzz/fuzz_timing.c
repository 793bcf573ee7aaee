/* SPDX-License-Identifier: MIT */
/* Any bytes as a timing file. */
#include "model_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)good_timing;
	open_model(good_core, sizeof(good_core) - 1, data, size);
	return 0;
}
