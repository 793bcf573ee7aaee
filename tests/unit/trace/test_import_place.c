/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "import_fixture.h"

#include "fixture.h"

#define BASE 0x10000000

/* Places a block of one instruction, whose bytes are given; returns where, from the first one. */
static long long place(struct import_places *places, const char *bytes, unsigned size)
{
	struct import_insn insn;
	uint64_t address = 0;

	if (!takt_import_decode(fixture_guest("x86-64"), (const uint8_t *)bytes, size, 0, &insn) ||
	    !takt_import_place(places, &insn, (const uint8_t *)bytes, size, &address))
		return -1;
	return (long long)address - BASE;
}

static void check_rules(void)
{
	struct import_places *places = takt_import_places_new();

	is_int(place(places, "\x75\xfe", 2), 0, "the first one");
	is_int(place(places, "\x75\xfe", 2), 0, "a branch to itself");
	is_int(place(places, "\x75\x10", 2), 2, "something else: behind it");
	is_int(place(places, "\x75\x11", 2), 4, "and so on");
	is_int(place(places, "\x75\x10", 2), 2, "known already");
	is_int(place(places, "\xe8\x10\0\0\0", 5), 6, "not over what is there");
	is_int(place(places, "\x90", 1), 27, "a call's target");
	is_int(place(places, "\xc3", 1), 28, "behind it");
	is_int(place(places, "\xff\xe0", 2), 11, "where the call returns to");
	is_int(place(places, "\xff\xe0", 2), 11, "an indirect jump to itself");
	is_int(place(places, "\x75\x12", 2), 13, "something else");
	is_int(place(places, "\x75\x12", 2), 15, "not within the one before");
	is_int(place(places, "\x75\x12", 2), 13, "but that before it");
	takt_import_places_free(places);
}

/* All different: the space has an end. */
static void check_full(void)
{
	struct import_places *places = takt_import_places_new();
	uint8_t bytes[15] = {0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0xb8}; /* mov rax, i64 */
	struct import_insn insn;
	uint64_t address;
	uint32_t count = 0;

	ok(takt_import_decode(fixture_guest("x86-64"), bytes, sizeof(bytes), 0, &insn), "decoded");
	for (; count < 20u << 20; count++) {
		memcpy(bytes + 7, &count, sizeof(count));
		if (!takt_import_place(places, &insn, bytes, sizeof(bytes), &address))
			break;
	}
	is_int(count, (64 << 20) / sizeof(bytes), "blocks until it is full");
	takt_import_places_free(places);
}

int main(void)
{
	check_rules();
	check_full();
	return tap_done();
}
