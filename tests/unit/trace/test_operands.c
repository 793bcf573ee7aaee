/* SPDX-License-Identifier: MIT */
/* What is kept of instructions for native runs. */
#include "../tap.h"
#include "trace/native/operands.h"

struct row {
	int line;
	const char *name;
	uint8_t bytes[12];
	unsigned length_bytes, memory_count, flags, addressing, element_bytes, element_count;
};

#define ENDS NATIVE_ENDS_BLOCK
#define REP (NATIVE_REPEATS | NATIVE_ENDS_BLOCK)

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, "nop", {0x90}, 1, 0, 0, 0, 0, 0},
	{__LINE__, "mov rax, [rdi+8]", {0x48, 0x8b, 0x47, 0x08}, 4, 1, 0, 0, 0, 0},
	{__LINE__, "lea: no access", {0x48, 0x8d, 0x47, 0x08}, 4, 0, 0, 0, 0, 0},
	{__LINE__, "prefetcht0: no access", {0x0f, 0x18, 0x0f}, 3, 0, 0, 0, 0, 0},
	{__LINE__, "jmp", {0xeb, 0x00}, 2, 0, ENDS, 0, 0, 0},
	{__LINE__, "ret", {0xc3}, 1, 1, ENDS, 0, 0, 0},
	{__LINE__, "syscall", {0x0f, 0x05}, 2, 0, NATIVE_SYSCALL | ENDS, 0, 0, 0},
	{__LINE__, "int 0x80", {0xcd, 0x80}, 2, 0, NATIVE_SYSCALL | NATIVE_TRAPS | ENDS, 0, 0, 0},
	{__LINE__, "int3", {0xcc}, 1, 0, NATIVE_TRAPS | ENDS, 0, 0, 0},
	{__LINE__, "ud2", {0x0f, 0x0b}, 2, 0, ENDS, 0, 0, 0},
	{__LINE__, "pushfq", {0x9c}, 1, 1, NATIVE_PUSHES_FLAGS, 0, 0, 0},
	{__LINE__, "movsb", {0xa4}, 1, 2, 0, 0, 0, 0},
	{__LINE__, "rep movsb", {0xf3, 0xa4}, 2, 2, REP, 0, 0, 0},
	{__LINE__, "rep stosq", {0xf3, 0x48, 0xab}, 3, 1, REP, 0, 0, 0},
	{__LINE__, "repe cmpsb", {0xf3, 0xa6}, 2, 2, REP | NATIVE_UNTIL_UNEQUAL, 0, 0, 0},
	{__LINE__, "repne scasb", {0xf2, 0xae}, 2, 1, REP | NATIVE_UNTIL_EQUAL, 0, 0, 0},
	{__LINE__, "rep stosd with ecx", {0x67, 0xf3, 0xab}, 3, 1, REP | NATIVE_SHORT_COUNT, 0, 0,
	 0},
	{__LINE__, "rep ret", {0xf3, 0xc3}, 2, 1, ENDS, 0, 0, 0},
	{__LINE__, "pause", {0xf3, 0x90}, 2, 0, 0, 0, 0, 0},
	{__LINE__, "bt [rdi], rax", {0x48, 0x0f, 0xa3, 0x07}, 4, 1, 0, NATIVE_BIT, 8, 0},
	{__LINE__, "bt dword [rdi], 3", {0x0f, 0xba, 0x27, 0x03}, 4, 1, 0, NATIVE_WHOLE, 0, 0},
	{__LINE__, "vpgatherdd ymm0, [rdi+ymm1*4], ymm2", {0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x8f}, 6,
	 1, 0, NATIVE_ELEMENTS2, 4, 8},
	{__LINE__, "vgatherdpd ymm0, [rdi+xmm1*8], ymm2", {0xc4, 0xe2, 0xed, 0x92, 0x04, 0xcf}, 6,
	 1, 0, NATIVE_ELEMENTS2, 8, 4},
	{__LINE__, "vpmaskmovd [rdi], ymm1, ymm2", {0xc4, 0xe2, 0x75, 0x8e, 0x17}, 5, 1, 0,
	 NATIVE_SIGNS, 4, 8},
	{__LINE__, "vmovdqu32 [rdi]{k1}, zmm3", {0x62, 0xf1, 0x7e, 0x49, 0x7f, 0x1f}, 6, 1, 0,
	 NATIVE_RANGE, 4, 16},
	{__LINE__, "vpaddd zmm3{k1}, zmm2, [rdi]", {0x62, 0xf1, 0x6d, 0x49, 0xfe, 0x1f}, 6, 1, 0,
	 NATIVE_MASKED, 4, 16},
	{__LINE__, "vpaddd zmm3, zmm2, [rdi]", {0x62, 0xf1, 0x6d, 0x48, 0xfe, 0x1f}, 6, 1, 0,
	 NATIVE_WHOLE, 0, 0},
	{__LINE__, "vpcompressd [rdi]{k1}, zmm3", {0x62, 0xf2, 0x7d, 0x49, 0x8b, 0x1f}, 6, 1, 0,
	 NATIVE_PACKED, 4, 16},
	{__LINE__, "vpgatherdd zmm4{k2}, [rdi+zmm1*4]",
	 {0x62, 0xf2, 0x7d, 0x4a, 0x90, 0x24, 0x8f}, 7, 1, 0, NATIVE_ELEMENTS, 4, 16},
	{__LINE__, "tileloadd tmm1, [rdi+rax]", {0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x07}, 6, 1, 0,
	 NATIVE_TILE, 0, 0},
	{__LINE__, "xsave [rdi]", {0x0f, 0xae, 0x27}, 3, 1, 0, NATIVE_STATE, 0, 0},
};
/* clang-format on */

int main(void)
{
	struct native_insn insn;

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		bool known = native_insn_decode(row->bytes, sizeof(row->bytes), 0x1000, &insn);

		ok(known && insn.length_bytes == row->length_bytes &&
			   insn.memory_count == row->memory_count && insn.flags == row->flags &&
			   insn.addressing == row->addressing &&
			   insn.element_bytes == row->element_bytes &&
			   insn.element_count == row->element_count,
		   "%d: %s: %u bytes, %u memories, flags %x, addressing %u, %u × %u", row->line,
		   row->name, insn.length_bytes, insn.memory_count, insn.flags, insn.addressing,
		   insn.element_count, insn.element_bytes);
	}
	ok(!native_insn_decode((const uint8_t[]){0x0f, 0x04}, 2, 0x1000, &insn),
	   "an unknown instruction is none");
	return tap_done();
}
