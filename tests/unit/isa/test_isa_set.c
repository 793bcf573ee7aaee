/* SPDX-License-Identifier: MIT */
/* ISA set names: those of x86-64 are Zydis's in lower case, those of AArch64 follow. */
#include <ctype.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "isa/isa.h"
#include "../tap.h"

int main(void)
{
	unsigned wrong = 0, twice = 0;

	for (uint16_t isa_set = 0; isa_set < takt_isa_set_count(); isa_set++) {
		const char *ours = takt_isa_set_name(isa_set);

		for (uint16_t other = 0; other < isa_set; other++)
			twice += strcmp(ours, takt_isa_set_name(other)) == 0;
		wrong += isa_set <= ZYDIS_ISA_SET_MAX_VALUE
				 ? !takt_string_equal_nocase(
					   ours, ZydisISASetGetString((ZydisISASet)isa_set))
				 : !takt_string_starts(ours, "a64");
		for (; *ours; ours++)
			wrong += isupper((unsigned char)*ours) != 0;
	}
	is_int(wrong, 0, "names that differ");
	is_int(twice, 0, "names that two sets have");
	ok(takt_isa_set_count() < 512, "sets fit into a core's");
	is_string(takt_isa_set_name(ZYDIS_ISA_SET_AVX512BW_128), "avx512bw_128", "avx512bw_128");
	is_string(takt_isa_set_name(ZYDIS_ISA_SET_MAX_VALUE + 1), "a64", "the first of AArch64");
	is_string(takt_isa_set_name(UINT16_MAX), "invalid", "beyond the end");
	return tap_done();
}
