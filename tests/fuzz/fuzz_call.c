/* SPDX-License-Identifier: MIT */
/* Any bytes as an object whose function is to be called: loaded and relocated, not run. */
#include "measure/call.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct takt_file file = {.data = data, .size_bytes = size};
	struct takt_call_error error = {"", ""};
	struct takt_call_object object = {0};

	if (takt_call_object_load(&file, "f", &error, &object)) {
		/* The function lies in what was loaded. */
		if (object.entry - (uint64_t)(uintptr_t)object.memory > object.size_bytes)
			__builtin_trap();
		takt_call_object_unload(&object);
	} else if (!error.text[0]) {
		__builtin_trap(); /* a failure has a reason */
	}
	return 0;
}
