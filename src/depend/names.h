/* SPDX-License-Identifier: MIT */
/*
 * Names: which writers an access waits for on this core. A location is one or more
 * parts, each with a last writer: rax may have a part for ah and one for al, where the
 * core renames these apart. Turns st(i) by the stack top. Private to depend.
 */
#ifndef TAKT_DEPEND_NAMES_H
#define TAKT_DEPEND_NAMES_H

#include "depend/depend.h"

/* Parts are the locations, and the low 16 bits of each general register. */
#define TAKT_PART_LOW TAKT_LOC_COUNT
#define TAKT_PART_COUNT (TAKT_LOC_COUNT + 16u)
#define TAKT_PARTS_MAX 3u /* of an access: rax, ah, al */

/* The last def of a part so far; `iteration` 1 if it was the one before. */
struct takt_writer {
	uint32_t def; /* TAKT_NO_DEF: live-in */
	uint8_t iteration;
};

struct takt_writers {
	struct takt_writer at[TAKT_PART_COUNT];
	uint8_t x87_top; /* pushes so far, modulo 8 */
	bool high8_renamed;
	bool low_renamed;   /* 8- and 16-bit writes do not wait for the old value */
	bool rsp_shifted;   /* the stack engine holds an offset to rsp */
	uint16_t rsp_syncs; /* times it was added in since rsp was written */
};

/* Nothing is written yet. */
void takt_writers_init(struct takt_writers *writers, const struct takt_core_params *params);
/* Whether the access waits for what was there, be it to keep a part of it. */
bool takt_access_reads(const struct takt_writers *writers, const struct takt_insn *insn,
		       const struct takt_access *access);
/* The parts that `access` of `insn` reads; returns how many. */
unsigned takt_parts_read(const struct takt_writers *writers, const struct takt_insn *insn,
			 const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX]);
/* The parts that `access` of `insn` writes; returns how many. */
unsigned takt_parts_written(const struct takt_writers *writers, const struct takt_insn *insn,
			    const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX]);
/* The location a part belongs to. */
uint8_t takt_part_location(uint8_t part);
/*
 * Cycles by which a read of rsp is late: to be used by others than push and pop, the
 * stack engine's offset must first be added in, which a µop of one cycle does.
 */
unsigned takt_rsp_delay(const struct takt_writers *writers, const struct takt_access *access);
/* Enters `def` as the writer of what `access` writes. */
void takt_writers_set(struct takt_writers *writers, const struct takt_insn *insn,
		      const struct takt_access *access, uint32_t def);
/* Whether the core does this addition of a small constant at rename, at no latency. */
bool takt_is_renamed_addition(const struct takt_core_params *params, const struct takt_insn *insn);
/* After all accesses of `insn`: the x87 stack has turned, rsp has shifted. */
void takt_writers_step(struct takt_writers *writers, const struct takt_insn *insn);
/* The writers at the start of the next iteration: those at the end of this one. */
void takt_writers_next_iteration(struct takt_writers *writers);

#endif
