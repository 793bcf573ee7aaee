/* SPDX-License-Identifier: MIT */
/*
 * Mnemonic names. They are Zydis's, except that condition codes are spelled as
 * assemblers and compilers print them (je, not jz). Zydis numbers mnemonics in
 * alphabetical order, which the search relies on and a test checks.
 */
#include "isa/mnemonic.h"

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
	for (size_t index = 0; index < TAKT_COUNT_OF(usual_names); index++) {
		if (usual_names[index].mnemonic == mnemonic)
			return usual_names[index].name;
	}
	return ZydisMnemonicGetString((ZydisMnemonic)mnemonic);
}

uint16_t takt_x86_mnemonic_parse(const char *text, size_t size_bytes)
{
	unsigned found;

	for (size_t index = 0; index < TAKT_COUNT_OF(usual_names); index++) {
		if (takt_string_is(usual_names[index].name, text, size_bytes))
			return usual_names[index].mnemonic;
	}
	TAKT_BISECT(found, ZYDIS_MNEMONIC_MAX_VALUE + 1u,
		    found == ZYDIS_MNEMONIC_INVALID ||
			    takt_compare_text(ZydisMnemonicGetString((ZydisMnemonic)found), text,
					      size_bytes) < 0);
	return found <= ZYDIS_MNEMONIC_MAX_VALUE &&
			       takt_string_is(ZydisMnemonicGetString((ZydisMnemonic)found), text,
					      size_bytes)
		       ? (uint16_t)found
		       : 0;
}
