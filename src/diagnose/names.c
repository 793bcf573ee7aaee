/* SPDX-License-Identifier: MIT */
#include "diagnose/diagnose.h"

const char *takt_diagnose_variable(const struct diagnose_seen *seen, uint64_t address,
				   uint64_t size_bytes, struct takt_arena *arena)
{
	(void)seen, (void)address, (void)size_bytes, (void)arena;
	return NULL;
}
