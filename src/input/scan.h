/* SPDX-License-Identifier: MIT */
/*
 * scan: how long an instruction is and where control goes after it, nothing
 * else. A search for loops passes over whole executables and needs no operands,
 * so it stops Zydis before it works them out: ten million instructions a second.
 */
#ifndef TAKT_INPUT_SCAN_H
#define TAKT_INPUT_SCAN_H

#include <Zydis/Zydis.h>

#include "base/base.h"

enum takt_flow {
	TAKT_FLOW_NEXT,
	TAKT_FLOW_CALL,
	TAKT_FLOW_BRANCH, /* conditional, direct */
	TAKT_FLOW_JUMP,	  /* unconditional, direct */
	TAKT_FLOW_STOP,	  /* return, indirect jump, trap: nothing follows */
};

struct takt_scan {
	ZydisDecoder decoder;
};

struct takt_step {
	uint8_t length_bytes;
	uint8_t flow;		   /* enum takt_flow */
	uint8_t target_size_bytes; /* of the relative target at the end, 0 if none */
	uint8_t rip_index;	   /* of a rip-relative 32-bit displacement, 0 if none */
	int32_t target;		   /* relative to the end of the instruction */
};

void takt_scan_init(struct takt_scan *scan);
/* False if no instruction starts here or it is cut off. */
bool takt_scan_step(const struct takt_scan *scan, const uint8_t *bytes, size_t size_bytes,
		    struct takt_step *ret_step);

#endif
