/* SPDX-License-Identifier: MIT */
/* Names of locations and slots, as reports and data files write them. */
#include <string.h>

#include "isa/x86.h"

#define VECTORS 32u

/* clang-format off */
static const char *const location_names[TAKT_LOC_COUNT] = {
	[TAKT_LOC_NONE] = "none",
	[TAKT_LOC_GPR] = "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	[TAKT_LOC_HIGH8] = "ah", "ch", "dh", "bh",
	[TAKT_LOC_VECTOR] = "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
	"v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
	"v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
	"v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
	[TAKT_LOC_MASK] = "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
	[TAKT_LOC_X87] = "st0", "st1", "st2", "st3", "st4", "st5", "st6", "st7",
	[TAKT_LOC_CF] = "cf",
	[TAKT_LOC_OF] = "of",
	[TAKT_LOC_SZAP] = "szap",
	[TAKT_LOC_DF] = "df",
	[TAKT_LOC_MXCSR] = "mxcsr",
	[TAKT_LOC_X87_STATUS] = "x87status",
	[TAKT_LOC_TILE] = "tmm0", "tmm1", "tmm2", "tmm3", "tmm4", "tmm5", "tmm6", "tmm7",
	[TAKT_LOC_SYSTEM] = "system",
};
/* clang-format on */

const char *takt_x86_location_name(const struct takt_isa *isa, uint8_t location)
{
	(void)isa;
	return location < TAKT_LOC_COUNT ? location_names[location] : NULL;
}

/* Slots other than the operands and the implicit registers. */
static const char *const slot_names[TAKT_SLOT_IMPLICIT] = {
	[TAKT_SLOT_1] = "1",
	"2",
	"3",
	"4",
	"5",
	[TAKT_SLOT_MASK] = "k",
	[TAKT_SLOT_BASE] = "b",
	[TAKT_SLOT_INDEX] = "i",
	[TAKT_SLOT_STACK] = "s",
	[TAKT_SLOT_FLAGS] = "f",
};

void takt_slot_write(const struct takt_isa *isa, uint8_t slot, struct takt_text *text)
{
	unsigned location = slot - (unsigned)TAKT_SLOT_IMPLICIT;

	if (slot < TAKT_SLOT_IMPLICIT)
		takt_text_add_string(text, slot_names[slot]);
	else if (isa == &takt_isa_x86 && takt_location_is_vector(location))
		takt_text_printf(text, "xmm%u", location - TAKT_LOC_VECTOR);
	else
		takt_text_add_string(text, takt_location_name(isa, (uint8_t)location));
}

static bool is_name(const char *candidate, const char *name, size_t size_bytes)
{
	return candidate && takt_string_is(candidate, name, size_bytes);
}

bool takt_slot_parse(const struct takt_isa *isa, const char *name, size_t size_bytes,
		     uint8_t *ret_slot)
{
	for (unsigned slot = 0; slot < TAKT_SLOT_IMPLICIT; slot++) {
		if (is_name(slot_names[slot], name, size_bytes)) {
			*ret_slot = (uint8_t)slot;
			return true;
		}
	}
	if (isa == &takt_isa_x86 && size_bytes > 3 && memcmp(name, "xmm", 3) == 0) {
		const char *const *vectors = &location_names[TAKT_LOC_VECTOR];

		for (unsigned index = 0; index < VECTORS; index++) {
			if (is_name(vectors[index] + 1, name + 3, size_bytes - 3)) {
				*ret_slot = (uint8_t)(TAKT_SLOT_IMPLICIT + TAKT_LOC_VECTOR + index);
				return true;
			}
		}
	}
	for (unsigned location = TAKT_LOC_NONE + 1; location < TAKT_LOC_COUNT; location++) {
		if (is_name(isa->functions->location_name(isa, (uint8_t)location), name,
			    size_bytes)) {
			*ret_slot = (uint8_t)(TAKT_SLOT_IMPLICIT + location);
			return true;
		}
	}
	return false;
}
