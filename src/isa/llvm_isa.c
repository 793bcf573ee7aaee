/* SPDX-License-Identifier: MIT */
/* Instruction sets that LLVM alone decodes, and finding a set by name. */
#include <string.h>

#include "isa/functions.h"

enum takt_status takt_isa_find(const char *name, struct takt_diag *diag,
			       const struct takt_isa **ret_isa)
{
	static const struct takt_isa *const sets[] = {&takt_isa_x86, &takt_isa_aarch64};

	for (size_t i = 0; i < TAKT_COUNT_OF(sets); i++) {
		if (strcmp(name, sets[i]->name) == 0) {
			*ret_isa = sets[i];
			return TAKT_OK;
		}
	}
	takt_error(diag, "unknown instruction set '%s'", name);
	return TAKT_NOT_FOUND;
}
