/* SPDX-License-Identifier: MIT */
/*
 * Names: which location an access really means on this core. Turns st(i) by the stack
 * top, and joins ah to rax on cores that do not rename it apart. Private to depend.
 */
#ifndef TAKT_DEPEND_NAMES_H
#define TAKT_DEPEND_NAMES_H

#include "depend/depend.h"

/* The last def of every location so far; `iteration` 1 if it was the one before. */
struct takt_writer {
	uint32_t def; /* TAKT_NO_DEF: live-in */
	uint8_t iteration;
};

struct takt_writers {
	struct takt_writer at[TAKT_LOC_COUNT];
	uint8_t x87_top;      /* pushes so far, modulo 8 */
	bool high8_renamed;
};

/* The location `access` of `insn` reads, or writes. */
uint8_t takt_location_read(const struct takt_writers *writers, const struct takt_insn *insn,
			   const struct takt_access *access);
uint8_t takt_location_written(const struct takt_writers *writers, const struct takt_insn *insn,
			      const struct takt_access *access);
/* The high byte that an access of this width to a general register also covers, or LOC_NONE. */
uint8_t takt_location_high8(const struct takt_writers *writers, uint8_t location,
			    uint8_t size_bytes);
/* Enters `def` as the writer of what `access` writes. */
void takt_writers_set(struct takt_writers *writers, const struct takt_insn *insn,
		      const struct takt_access *access, uint32_t def);
/* After all accesses of `insn`: the x87 stack has turned. */
void takt_writers_step(struct takt_writers *writers, const struct takt_insn *insn);
/* The writers at the start of the next iteration: those at the end of this one. */
void takt_writers_next_iteration(struct takt_writers *writers);

#endif
