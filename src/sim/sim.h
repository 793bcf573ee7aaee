/* SPDX-License-Identifier: MIT */
/*
 * sim: the pipeline. The in-order half (fetch to rename, retire) goes cycle by cycle;
 * the out-of-order half is resolved at rename: a µop's dispatch is the first cycle its
 * port is free after its operands are ready, and since µops are renamed in program
 * order, that is what an oldest-first scheduler picks. See ARCHITECTURE.md.
 */
#ifndef TAKT_SIM_H
#define TAKT_SIM_H

#include "depend/depend.h"

struct sim_options {
	bool loop;                /* the block ends in a branch to its start; else copies follow */
	uint32_t alignment_bytes; /* of the block's start in its 64-byte line */
	bool no_memory_dependences;
};

#endif
