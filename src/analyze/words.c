/* SPDX-License-Identifier: MIT */
/* Names that depend on the instruction set: of registers waited for, and of stall causes. */
#include "analyze/prepared.h"

#define NAMES_OF(letter)                                                                           \
	{                                                                                          \
		letter "mm0", letter "mm1", letter "mm2", letter "mm3", letter "mm4",              \
			letter "mm5", letter "mm6", letter "mm7", letter "mm8", letter "mm9",      \
			letter "mm10", letter "mm11", letter "mm12", letter "mm13", letter "mm14", \
			letter "mm15", letter "mm16", letter "mm17", letter "mm18", letter "mm19", \
			letter "mm20", letter "mm21", letter "mm22", letter "mm23", letter "mm24", \
			letter "mm25", letter "mm26", letter "mm27", letter "mm28", letter "mm29", \
			letter "mm30", letter "mm31",                                              \
	}

static const char x86_vectors[3][TAKT_LOC_MASK - TAKT_LOC_VECTOR][6] = {
	NAMES_OF("x"),
	NAMES_OF("y"),
	NAMES_OF("z"),
};

const char *takt_value_name(const struct takt_insn *reader, uint8_t location)
{
	uint32_t size_bytes = 0;

	if (location == TAKT_LOC_NONE)
		return "memory";
	if (reader->isa != &takt_isa_x86 || !takt_location_is_vector(location))
		return takt_location_name(reader->isa, location);
	for (uint32_t i = 0; i < reader->access_count; i++)
		if (reader->accesses[i].location == location &&
		    reader->accesses[i].size_bytes > size_bytes)
			size_bytes = reader->accesses[i].size_bytes;
	return x86_vectors[size_bytes > 32   ? 2
			   : size_bytes > 16 ? 1
					     : 0][location - TAKT_LOC_VECTOR];
}

const char *takt_cause_word(const struct takt_isa *isa, enum sim_stall cause)
{
	return cause == SIM_STALL_PREDECODE && isa != &takt_isa_x86 ? "fetch"
								    : takt_stall_word(cause);
}

const char *takt_cause_text(const struct takt_isa *isa, enum sim_stall cause)
{
	return cause == SIM_STALL_PREDECODE && isa != &takt_isa_x86 ? "instruction fetch"
								    : takt_stall_text(cause);
}
