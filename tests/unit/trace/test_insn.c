/* SPDX-License-Identifier: MIT */
#include "trace/insn.h"
#include "fixture.h"

static const struct {
	int line;
	const char *guest, *text;
	uint8_t bytes[8], size_bytes;
	uint8_t flow;
	int64_t target; /* relative to the instruction; 0: none */
	bool accesses, certainly;
} rows[] = {
	{__LINE__, "x86-64", "jz", {0x74, 0xfe}, 2, TRACE_FLOW_BRANCH, 0, false, false},
	{__LINE__, "x86-64", "call", {0xe8, 1, 0, 0, 0}, 5, TRACE_FLOW_CALL, 6, true, true},
	{__LINE__, "x86-64", "call rax", {0xff, 0xd0}, 2, TRACE_FLOW_INDIRECT_CALL, 0, true, true},
	{__LINE__, "x86-64", "jmp", {0xeb, 2}, 2, TRACE_FLOW_JUMP, 4, false, false},
	{__LINE__, "x86-64", "jmp rax", {0xff, 0xe0}, 2, TRACE_FLOW_INDIRECT, 0, false, false},
	{__LINE__, "x86-64", "rep ret", {0xf3, 0xc3}, 2, TRACE_FLOW_RETURN, 0, true, true},
	{__LINE__, "x86-64", "ret 8", {0xc2, 8, 0}, 3, TRACE_FLOW_RETURN, 0, true, true},
	{__LINE__, "x86-64", "lea", {0x48, 0x8d, 0x07}, 3, TRACE_FLOW_NEXT, 0, false, false},
	{__LINE__, "x86-64", "movups load", {0x0f, 0x10, 0x07}, 3, TRACE_FLOW_NEXT, 0, true, false},
	{__LINE__, "x86-64", "rep movsb", {0xf3, 0xa4}, 2, TRACE_FLOW_NEXT, 0, true, false},
	{__LINE__, "x86-64", "cut off", {0x48}, 1, TRACE_FLOW_NEXT, 0, false, false},
	{__LINE__,
	 "aarch64",
	 "b.eq -4",
	 {0xe0, 0xff, 0xff, 0x54},
	 4,
	 TRACE_FLOW_BRANCH,
	 -4,
	 false,
	 false},
	{__LINE__, "aarch64", "bl", {2, 0, 0, 0x94}, 4, TRACE_FLOW_CALL, 8, false, false},
	{__LINE__,
	 "aarch64",
	 "ret",
	 {0xc0, 0x03, 0x5f, 0xd6},
	 4,
	 TRACE_FLOW_RETURN,
	 0,
	 false,
	 false},
	{__LINE__,
	 "aarch64",
	 "ldr x0, [x1]",
	 {0x20, 0, 0x40, 0xf9},
	 4,
	 TRACE_FLOW_NEXT,
	 0,
	 true,
	 true},
	{__LINE__,
	 "aarch64",
	 "ldp x0, x1, [sp]",
	 {0xe0, 0x07, 0x40, 0xa9},
	 4,
	 TRACE_FLOW_NEXT,
	 0,
	 true,
	 true},
	{__LINE__, "aarch64", "retaa", {0xff, 0x0b, 0x5f, 0xd6}, 4, TRACE_FLOW_RETURN, 0, false, false},
	{__LINE__, "aarch64", "br x16", {0, 0x02, 0x1f, 0xd6}, 4, TRACE_FLOW_INDIRECT, 0, false, false},
	{__LINE__, "aarch64", "blr x1", {0x20, 0, 0x3f, 0xd6}, 4, TRACE_FLOW_INDIRECT_CALL, 0, false,
	 false},
	{__LINE__, "aarch64", "prfm", {0x20, 0, 0x80, 0xf9}, 4, TRACE_FLOW_NEXT, 0, false, false},
	{__LINE__, "aarch64", "stxr", {0x20, 0x7c, 0x02, 0xc8}, 4, TRACE_FLOW_NEXT, 0, true, false},
	{__LINE__, "aarch64", "add", {0x20, 0, 0x02, 0x8b}, 4, TRACE_FLOW_NEXT, 0, false, false},
	{__LINE__,
	 "riscv64",
	 "beq x0, x0, -4",
	 {0xe3, 0x0e, 0x00, 0xfe},
	 4,
	 TRACE_FLOW_BRANCH,
	 -4,
	 false,
	 false},
	{__LINE__,
	 "riscv64",
	 "jal ra, 2048",
	 {0xef, 0x00, 0x10, 0x00},
	 4,
	 TRACE_FLOW_CALL,
	 2048,
	 false,
	 false},
	{__LINE__,
	 "riscv64",
	 "jalr x0, 0(ra)",
	 {0x67, 0x80, 0x00, 0x00},
	 4,
	 TRACE_FLOW_RETURN,
	 0,
	 false,
	 false},
	{__LINE__, "riscv64", "c.j -2", {0xfd, 0xbf}, 2, TRACE_FLOW_JUMP, -2, false, false},
	{__LINE__, "riscv64", "c.beqz a0, 8", {0x01, 0xc5}, 2, TRACE_FLOW_BRANCH, 8, false, false},
	{__LINE__, "riscv64", "c.jr ra", {0x82, 0x80}, 2, TRACE_FLOW_RETURN, 0, false, false},
	{__LINE__, "riscv64", "c.jr a5", {0x82, 0x87}, 2, TRACE_FLOW_INDIRECT, 0, false, false},
	{__LINE__, "riscv64", "c.jalr a5", {0x82, 0x97}, 2, TRACE_FLOW_INDIRECT_CALL, 0, false, false},
	{__LINE__, "riscv64", "jalr ra, a5", {0xe7, 0x80, 0x07, 0}, 4, TRACE_FLOW_INDIRECT_CALL, 0,
	 false, false},
	{__LINE__, "riscv64", "jal x0, 2048", {0x6f, 0, 0x10, 0}, 4, TRACE_FLOW_JUMP, 2048, false,
	 false},
	{__LINE__,
	 "riscv64",
	 "ld a0, 0(a1)",
	 {0x03, 0xb5, 0x05, 0x00},
	 4,
	 TRACE_FLOW_NEXT,
	 0,
	 true,
	 true},
	{__LINE__,
	 "riscv64",
	 "sd a0, 0(a1)",
	 {0x23, 0xb0, 0xa5, 0x00},
	 4,
	 TRACE_FLOW_NEXT,
	 0,
	 true,
	 true},
	{__LINE__, "riscv64", "c.sdsp ra, 8(sp)", {0x06, 0xe4}, 2, TRACE_FLOW_NEXT, 0, true, true},
	{__LINE__, "riscv64", "c.mv a0, a1", {0x2e, 0x85}, 2, TRACE_FLOW_NEXT, 0, false, false},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct trace_guest *guest = fixture_guest(rows[i].guest);
		uint64_t target = 0x4000;
		enum trace_flow flow =
			trace_insn_flow(guest, rows[i].bytes, rows[i].size_bytes, 0x4000, &target);

		tap_ok_at(__FILE__, rows[i].line, flow == rows[i].flow, "%s: flow %d", rows[i].text,
			  flow);
		if (flow == TRACE_FLOW_BRANCH || flow == TRACE_FLOW_JUMP || flow == TRACE_FLOW_CALL)
			tap_is_int(__FILE__, rows[i].line, (int64_t)(target - 0x4000),
				   rows[i].target, "target");
		for (int certainly = 0; certainly < 2; certainly++)
			tap_ok_at(__FILE__, rows[i].line,
				  trace_insn_accesses(guest, rows[i].bytes, rows[i].size_bytes,
						      0x4000, certainly) ==
					  (certainly ? rows[i].certainly : rows[i].accesses),
				  "%s: accesses memory", rows[i].text);
	}
	return tap_done();
}
