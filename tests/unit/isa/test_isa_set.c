/* SPDX-License-Identifier: MIT */
/* ISA set names are Zydis's in lower case. */
#include <ctype.h>

#include <Zydis/Zydis.h>

#include "isa/isa.h"
#include "../tap.h"

int main(void)
{
	unsigned wrong = 0;

	is_int(takt_isa_set_count(), ZYDIS_ISA_SET_MAX_VALUE + 1, "as many as Zydis has");
	for (uint16_t isa_set = 0; isa_set < takt_isa_set_count(); isa_set++) {
		const char *ours = takt_isa_set_name(isa_set);
		const char *zydis = ZydisISASetGetString((ZydisISASet)isa_set);

		wrong += !takt_string_equal_nocase(ours, zydis);
		for (; *ours; ours++)
			wrong += isupper((unsigned char)*ours) != 0;
	}
	is_int(wrong, 0, "names that differ");
	is_string(takt_isa_set_name(ZYDIS_ISA_SET_AVX512BW_128), "avx512bw_128", "avx512bw_128");
	is_string(takt_isa_set_name(UINT16_MAX), "invalid", "beyond the end");
	return tap_done();
}
