/* SPDX-License-Identifier: MIT */
/* Control flow of AArch64, which needs no module. Targets count from the instruction's end. */
#include "aarch64_rows.h"

static const struct {
	int line;
	uint32_t word;
	const char *text;
	uint8_t flow;
	int32_t target;
} rows[] = {
	{__LINE__, 0x14000002, "b .+8", TAKT_FLOW_JUMP, 4},
	{__LINE__, 0x16000000, "b .-0x8000000", TAKT_FLOW_JUMP, -0x8000004},
	{__LINE__, 0x17ffffff, "b .-4", TAKT_FLOW_JUMP, -8},
	{__LINE__, 0x94000001, "bl .+4", TAKT_FLOW_CALL, 0},
	{__LINE__, 0x97ffffff, "bl .-4", TAKT_FLOW_CALL, -8},
	{__LINE__, 0x54000041, "b.ne .+8", TAKT_FLOW_BRANCH, 4},
	{__LINE__, 0x54ffffe1, "b.ne .-4", TAKT_FLOW_BRANCH, -8},
	{__LINE__, 0x54000051, "bc.ne .+8", TAKT_FLOW_BRANCH, 4},
	{__LINE__, 0x34000040, "cbz w0, .+8", TAKT_FLOW_BRANCH, 4},
	{__LINE__, 0xb5ffffe0, "cbnz x0, .-4", TAKT_FLOW_BRANCH, -8},
	{__LINE__, 0x36180040, "tbz w0, #3, .+8", TAKT_FLOW_BRANCH, 4},
	{__LINE__, 0xb7ffffe0, "tbnz x0, #63, .-4", TAKT_FLOW_BRANCH, -8},
	{__LINE__, 0xd61f0000, "br x0", TAKT_FLOW_STOP, 0},
	{__LINE__, 0xd71f0801, "braa x0, x1", TAKT_FLOW_STOP, 0},
	{__LINE__, 0xd63f0000, "blr x0", TAKT_FLOW_CALL, 0},
	{__LINE__, 0xd73f0801, "blraa x0, x1", TAKT_FLOW_CALL, 0},
	{__LINE__, 0xd65f03c0, "ret", TAKT_FLOW_STOP, 0},
	{__LINE__, 0xd65f0bff, "retaa", TAKT_FLOW_STOP, 0},
	{__LINE__, 0xd69f03e0, "eret", TAKT_FLOW_STOP, 0},
	{__LINE__, 0xd4200000, "brk #0", TAKT_FLOW_STOP, 0},
	{__LINE__, 0xd4400000, "hlt #0", TAKT_FLOW_STOP, 0},
	{__LINE__, 0x00000001, "udf #1", TAKT_FLOW_STOP, 0},
	{__LINE__, 0xd4000001, "svc #0", TAKT_FLOW_NEXT, 0},
	{__LINE__, 0xd503201f, "nop", TAKT_FLOW_NEXT, 0},
	{__LINE__, 0xf9400020, "ldr x0, [x1]", TAKT_FLOW_NEXT, 0},
	{__LINE__, 0x58000080, "ldr x0, .+16", TAKT_FLOW_NEXT, 0},
	{__LINE__, 0x10000040, "adr x0, .+8", TAKT_FLOW_NEXT, 0},
	{__LINE__, 0x8b020020, "add x0, x1, x2", TAKT_FLOW_NEXT, 0},
	{__LINE__, 0x4ea28420, "add v0.4s, v1.4s, v2.4s", TAKT_FLOW_NEXT, 0},
	{__LINE__, 0x1e622820, "fadd d0, d1, d2", TAKT_FLOW_NEXT, 0},
};

/* The quick way and LLVM say the same of all the branches there are. */
static void check_random_branches(void)
{
	uint64_t state = 1;
	unsigned branches = 0, wrong = 0;

	for (unsigned i = 0; i < 50000; i++) {
		struct takt_insn insn;
		struct takt_insn_flow step;
		uint8_t bytes[4];
		bool is_direct;

		state = takt_hash64(state + i);
		word_bytes(((uint32_t)state & ~0x1c000000u) | 0x14000000, bytes);
		if (takt_decode(&takt_isa_aarch64, bytes, 4, 0, &insn) != TAKT_OK ||
		    !takt_insn_flow_decode(&takt_isa_aarch64, bytes, 4, &step))
			continue;
		is_direct = insn.branch_target != 0 || step.target != 0;
		branches += is_direct;
		wrong += is_direct && insn.branch_target != (uint64_t)((int64_t)step.target + 4);
		wrong += is_direct &&
			 !!(insn.flags & TAKT_INSN_CONDITIONAL) != (step.flow == TAKT_FLOW_BRANCH);
	}
	ok(branches > 10000 && wrong == 0, "%u of %u branches go elsewhere", wrong, branches);
}

int main(void)
{
	uint8_t bytes[4];
	struct takt_insn_flow step;

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		bool decodes = takt_insn_flow_decode(&takt_isa_aarch64,
						     word_bytes(rows[i].word, bytes), 4, &step);

		tap_ok_at(__FILE__, rows[i].line,
			  decodes && step.length_bytes == 4 && step.flow == rows[i].flow &&
				  step.target == rows[i].target && step.target_size_bytes == 0,
			  "%s: flow %u, target %d", rows[i].text, step.flow, step.target);
	}
	ok(!takt_insn_flow_decode(&takt_isa_aarch64, word_bytes(0, bytes), 4, &step),
	   "zeros are padding");
	ok(!takt_insn_flow_decode(&takt_isa_aarch64, bytes, 3, &step), "three bytes are too few");
	if (can_decode())
		check_random_branches();
	else
		tap_skip("random branches", AARCH64_MODULE);
	return tap_done();
}
