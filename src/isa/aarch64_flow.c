/* SPDX-License-Identifier: MIT */
/* Control flow of AArch64 from bit patterns (Arm ARM, C4.1): LLVM takes a hundred times as long. */
#include "isa/aarch64.h"

struct pattern {
	uint32_t mask, value;
	uint8_t flow;		  /* enum takt_flow */
	uint8_t lowest_bit, bits; /* field of the distance to the target, in instructions */
};

/* All instructions that change the flow. Calls through a register have no target. */
static const struct pattern patterns[] = {
	{0xfc000000, 0x14000000, TAKT_FLOW_JUMP, 0, 26},   /* b */
	{0xfc000000, 0x94000000, TAKT_FLOW_CALL, 0, 26},   /* bl */
	{0xff000000, 0x54000000, TAKT_FLOW_BRANCH, 5, 19}, /* b.cond, bc.cond */
	{0x7e000000, 0x34000000, TAKT_FLOW_BRANCH, 5, 19}, /* cbz, cbnz */
	{0x7e000000, 0x36000000, TAKT_FLOW_BRANCH, 5, 14}, /* tbz, tbnz */
	{0xfe600000, 0xd6200000, TAKT_FLOW_CALL, 0, 0},	   /* blr, blraa */
	{0xfe000000, 0xd6000000, TAKT_FLOW_STOP, 0, 0},	   /* br, ret, eret */
	{0xffc0001f, 0x5500001f, TAKT_FLOW_STOP, 0, 0},	   /* retaasppc, retabsppc */
	{0xffe0001f, 0xd4200000, TAKT_FLOW_STOP, 0, 0},	   /* brk */
	{0xffe0001f, 0xd4400000, TAKT_FLOW_STOP, 0, 0},	   /* hlt */
	{0xffff0000, 0x00000000, TAKT_FLOW_STOP, 0, 0},	   /* udf */
};

static int32_t distance_bytes(const struct pattern *pattern, uint32_t word)
{
	if (pattern->bits == 0)
		return 0;
	word <<= 32 - pattern->lowest_bit - pattern->bits;
	/* The field counts from the instruction's start, takt from its end. */
	return ((int32_t)word >> (32 - pattern->bits)) * 4 - 4;
}

bool takt_aarch64_flow(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		       struct takt_insn_flow *ret_flow)
{
	uint32_t word;

	(void)isa;
	if (size_bytes < 4)
		return false;
	word = takt_word_at(bytes);
	if (word == 0) /* padding */
		return false;
	*ret_flow = (struct takt_insn_flow){.length_bytes = 4, .flow = TAKT_FLOW_NEXT};
	/* Only the class of branches, and udf, change the flow. */
	if ((word & 0x1c000000) != 0x14000000 && word >> 16 != 0)
		return true;
	for (size_t i = 0; i < TAKT_COUNT_OF(patterns); i++) {
		if ((word & patterns[i].mask) == patterns[i].value) {
			ret_flow->flow = patterns[i].flow;
			ret_flow->target = distance_bytes(&patterns[i], word);
			break;
		}
	}
	return true;
}
