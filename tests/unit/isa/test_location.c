/* SPDX-License-Identifier: MIT */
/* Names of locations and slots. */
#include "isa/x86.h"
#include "../tap.h"

static uint8_t parse(const char *name)
{
	uint8_t slot = 255;

	return takt_slot_parse(&takt_isa_x86, name, strlen(name), &slot) ? slot : 255;
}

int main(void)
{
	struct takt_text text = {0};
	unsigned lost = 0, nameless = 0;

	for (unsigned location = 0; location < TAKT_LOC_COUNT; location++)
		nameless += takt_location_name(&takt_isa_x86, (uint8_t)location) == NULL;
	is_int(nameless, 0, "locations without a name");
	for (unsigned slot = 0; slot < TAKT_SLOT_COUNT; slot++) {
		/* None, and numbers that x86-64 has no register for. */
		if (slot == TAKT_SLOT_IMPLICIT + TAKT_LOC_NONE)
			continue;
		if (slot >= TAKT_SLOT_IMPLICIT &&
		    !takt_x86_location_name(&takt_isa_x86, (uint8_t)(slot - TAKT_SLOT_IMPLICIT)))
			continue;
		takt_text_clear(&text);
		takt_slot_write(&takt_isa_x86, (uint8_t)slot, &text);
		lost += parse(text.data) != slot;
	}
	is_int(lost, 0, "slots that do not come back");
	is_string(takt_location_name(&takt_isa_x86, TAKT_LOC_GPR), "rax", "rax");
	is_string(takt_location_name(&takt_isa_x86, TAKT_LOC_RSP), "rsp", "rsp");
	is_string(takt_location_name(&takt_isa_x86, TAKT_LOC_HIGH8 + 3), "bh", "bh");
	is_string(takt_location_name(&takt_isa_x86, TAKT_LOC_VECTOR + 3), "v3", "v3");
	is_string(takt_location_name(&takt_isa_x86, TAKT_LOC_SYSTEM), "system", "system");
	is_string(takt_location_name(&takt_isa_x86, 255), "?", "no location");
	is_int(parse("1"), TAKT_SLOT_1, "1");
	is_int(parse("5"), TAKT_SLOT_5, "5");
	is_int(parse("k"), TAKT_SLOT_MASK, "k");
	is_int(parse("k1"), TAKT_SLOT_IMPLICIT + TAKT_LOC_MASK + 1, "k1");
	is_int(parse("xmm0"), TAKT_SLOT_IMPLICIT + TAKT_LOC_VECTOR, "xmm0");
	is_int(parse("xmm31"), TAKT_SLOT_IMPLICIT + TAKT_LOC_VECTOR + 31, "xmm31");
	is_int(parse("xmm32"), 255, "xmm32");
	is_int(parse("6"), 255, "6");
	is_int(parse("none"), 255, "none");
	is_int(parse(""), 255, "an empty name");
	takt_text_release(&text);
	return tap_done();
}
