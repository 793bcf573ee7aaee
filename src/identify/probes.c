/* SPDX-License-Identifier: MIT */
/* The code of the fingerprints. */
#include <string.h>

#include "identify/identify.h"

#define CODE(name, text, bytes) {name, text, (const uint8_t *)bytes, sizeof(bytes) - 1},
#define NOTHING(name, text, bytes)

static const struct identify_code x86_codes[] = {
#define PROBE_X86 CODE
#define PROBE_AARCH64 NOTHING
#include "identify/probes.def"
#undef PROBE_X86
#undef PROBE_AARCH64
};

static const struct identify_code aarch64_codes[] = {
#define PROBE_X86 NOTHING
#define PROBE_AARCH64 CODE
#include "identify/probes.def"
#undef PROBE_X86
#undef PROBE_AARCH64
};

const struct identify_code *identify_codes(const char *isa, size_t *ret_count)
{
	if (strcmp(isa, "x86-64") == 0) {
		*ret_count = TAKT_COUNT_OF(x86_codes);
		return x86_codes;
	}
	if (strcmp(isa, "aarch64") == 0) {
		*ret_count = TAKT_COUNT_OF(aarch64_codes);
		return aarch64_codes;
	}
	*ret_count = 0;
	return NULL;
}
