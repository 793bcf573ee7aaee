/* SPDX-License-Identifier: MIT */
/*
 * Mnemonic names. They are Zydis's, except that condition codes are spelled as
 * assemblers and compilers print them (je, not jz). Zydis numbers mnemonics in
 * alphabetical order, which the search relies on and a test checks.
 */
#include "isa/mnemonic.h"

#include <string.h>

#include "isa/isa.h"

struct usual_name {
	uint16_t mnemonic;
	const char *name;
};

#define USUAL(condition, name)                                                                     \
	{ZYDIS_MNEMONIC_J##condition, "j" name}, {ZYDIS_MNEMONIC_CMOV##condition, "cmov" name},    \
	{                                                                                          \
		ZYDIS_MNEMONIC_SET##condition, "set" name                                          \
	}

static const struct usual_name usual_names[] = {
	USUAL(Z, "e"),	 USUAL(NZ, "ne"), USUAL(NB, "ae"),
	USUAL(NBE, "a"), USUAL(NL, "ge"), USUAL(NLE, "g"),
};

const char *takt_x86_mnemonic_text(uint16_t mnemonic)
{
	const char *name;

	for (size_t index = 0; index < TAKT_COUNT_OF(usual_names); index++) {
		if (usual_names[index].mnemonic == mnemonic)
			return usual_names[index].name;
	}
	name = ZydisMnemonicGetString((ZydisMnemonic)mnemonic);
	return name;
}

/* Compare as strcmp() does; the text has a length instead of a NUL. */
static int compare(const char *name, const char *text, size_t size_bytes)
{
	int order = strncmp(name, text, size_bytes);

	if (order)
		return order;
	/* The text may hold NULs, at which strncmp() stops. */
	return strnlen(name, size_bytes) < size_bytes ? -1 : name[size_bytes] != '\0';
}

uint16_t takt_x86_mnemonic_parse(const char *text, size_t size_bytes)
{
	unsigned low = ZYDIS_MNEMONIC_INVALID + 1, high = ZYDIS_MNEMONIC_MAX_VALUE + 1;

	for (size_t index = 0; index < TAKT_COUNT_OF(usual_names); index++) {
		if (compare(usual_names[index].name, text, size_bytes) == 0)
			return usual_names[index].mnemonic;
	}
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		int order =
			compare(ZydisMnemonicGetString((ZydisMnemonic)middle), text, size_bytes);

		if (order == 0)
			return (uint16_t)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}
