/* SPDX-License-Identifier: MIT */
/* Mnemonics: Zydis's order, which the search needs, and every name back to its number. */
#include <Zydis/Zydis.h>

#include "isa/isa.h"
#include "isa/mnemonic.h"
#include "../tap.h"

int main(void)
{
	unsigned unsorted = 0, lost = 0;

	for (unsigned mnemonic = 1; mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE; mnemonic++) {
		const char *zydis = ZydisMnemonicGetString((ZydisMnemonic)mnemonic);
		const char *text = takt_mnemonic_text(&takt_isa_x86, (uint16_t)mnemonic);

		if (mnemonic > 1)
			unsorted += strcmp(ZydisMnemonicGetString((ZydisMnemonic)(mnemonic - 1)),
					   zydis) >= 0;
		lost += takt_x86_mnemonic_parse(zydis, strlen(zydis)) != mnemonic;
		lost += takt_x86_mnemonic_parse(text, strlen(text)) != mnemonic;
	}
	is_int(unsorted, 0, "mnemonics out of order");
	is_int(lost, 0, "names that are not found again");
	is_string(takt_mnemonic_text(&takt_isa_x86, ZYDIS_MNEMONIC_JZ), "je", "jz is printed");
	is_string(takt_mnemonic_text(&takt_isa_x86, ZYDIS_MNEMONIC_CMOVNBE), "cmova",
		  "cmovnbe is printed");
	is_string(takt_mnemonic_text(&takt_isa_x86, ZYDIS_MNEMONIC_SETNL), "setge",
		  "setnl is printed");
	is_string(takt_mnemonic_text(&takt_isa_x86, UINT16_MAX), "?", "no mnemonic");
	is_int(takt_x86_mnemonic_parse("addx", 3), ZYDIS_MNEMONIC_ADD, "the size ends the name");
	is_int(takt_x86_mnemonic_parse("vaddpsx", 7), 0, "a longer name");
	is_int(takt_x86_mnemonic_parse("", 0), 0, "no name");
	return tap_done();
}
