/* SPDX-License-Identifier: MIT */
#include "depend/names.h"

#define X87_REGISTERS 8u

static bool is_x87(const struct takt_insn *insn, uint8_t location)
{
	/* mm registers share these locations but do not turn with the stack. */
	return insn->flags & TAKT_INSN_X87 && location >= TAKT_LOC_X87 &&
	       location < TAKT_LOC_X87 + X87_REGISTERS;
}

static bool is_high8(uint8_t location)
{
	return location >= TAKT_LOC_HIGH8 && location < TAKT_LOC_VECTOR;
}

/* st(i) counted from the top → register counted from the top at the block's start. */
static uint8_t turn(uint8_t location, unsigned top)
{
	return (uint8_t)(TAKT_LOC_X87 +
			 (location - TAKT_LOC_X87 + X87_REGISTERS - top % X87_REGISTERS) %
				 X87_REGISTERS);
}

static uint8_t join_high8(const struct takt_writers *writers, uint8_t location)
{
	if (is_high8(location) && !writers->high8_renamed)
		return (uint8_t)(location - TAKT_LOC_HIGH8 + TAKT_LOC_GPR);
	return location;
}

uint8_t takt_location_read(const struct takt_writers *writers, const struct takt_insn *insn,
			   const struct takt_access *access)
{
	if (is_x87(insn, access->location))
		return turn(access->location, writers->x87_top);
	return join_high8(writers, access->location);
}

uint8_t takt_location_written(const struct takt_writers *writers, const struct takt_insn *insn,
			      const struct takt_access *access)
{
	/* What pushes writes in terms of the new top (isa.h). */
	if (is_x87(insn, access->location))
		return turn(access->location,
			    writers->x87_top +
				    (insn->x87_top_delta < 0 ? (unsigned)-insn->x87_top_delta : 0));
	return join_high8(writers, access->location);
}

uint8_t takt_location_high8(const struct takt_writers *writers, uint8_t location,
			    uint8_t size_bytes)
{
	if (writers->high8_renamed && size_bytes > 1 && location >= TAKT_LOC_GPR &&
	    location < TAKT_LOC_GPR + 4)
		return (uint8_t)(location - TAKT_LOC_GPR + TAKT_LOC_HIGH8);
	return TAKT_LOC_NONE;
}

void takt_writers_set(struct takt_writers *writers, const struct takt_insn *insn,
		      const struct takt_access *access, uint32_t def)
{
	uint8_t location = takt_location_written(writers, insn, access);
	uint8_t high8 = takt_location_high8(writers, location, access->size_bytes);

	writers->at[location] = (struct takt_writer){def, 0};
	if (high8)
		writers->at[high8] = (struct takt_writer){def, 0};
}

void takt_writers_step(struct takt_writers *writers, const struct takt_insn *insn)
{
	if (insn->x87_top_delta)
		writers->x87_top = (uint8_t)((writers->x87_top + X87_REGISTERS * 2u -
					      (unsigned)(insn->x87_top_delta + 8)) %
					     X87_REGISTERS);
}

void takt_writers_next_iteration(struct takt_writers *writers)
{
	struct takt_writer turned[X87_REGISTERS];

	for (unsigned i = 0; i < TAKT_LOC_COUNT; i++)
		if (writers->at[i].def != TAKT_NO_DEF)
			writers->at[i].iteration = 1;
	/* The next iteration counts st(i) from where the stack is now. */
	for (unsigned i = 0; i < X87_REGISTERS; i++)
		turned[i] = writers->at[turn((uint8_t)(TAKT_LOC_X87 + i), writers->x87_top)];
	for (unsigned i = 0; i < X87_REGISTERS; i++)
		writers->at[TAKT_LOC_X87 + i] = turned[i];
	writers->x87_top = 0;
}
