/* SPDX-License-Identifier: MIT */
/* Classes of AArch64 instructions. */
#include "aarch64_rows.h"

struct row {
	int line;
	uint32_t word;
	const char *text, *insn_class;
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, 0xaa0103e0, "mov x0, x1", "move"},
	{__LINE__, 0x92800040, "mov x0, #-3", "move"},
	{__LINE__, 0x8b020020, "add x0, x1, x2", "int"},
	{__LINE__, 0x91400420, "add x0, x1, #1, lsl #12", "int"},
	{__LINE__, 0x910043ff, "add sp, sp, #16", "int"},
	{__LINE__, 0xf1000420, "subs x0, x1, #1", "int"},
	{__LINE__, 0xab01001f, "cmn x0, x1", "int"},
	{__LINE__, 0x9a020020, "adc x0, x1, x2", "int"},
	{__LINE__, 0x8a220020, "bic x0, x1, x2", "int"},
	{__LINE__, 0xca010020, "eor x0, x1, x1", "int"},
	{__LINE__, 0x93c11c20, "ror x0, x1, #7", "int"},
	{__LINE__, 0x53001c20, "uxtb w0, w1", "int"},
	{__LINE__, 0x93c22420, "extr x0, x1, x2, #9", "int"},
	{__LINE__, 0xdac00c20, "rev x0, x1", "int"},
	{__LINE__, 0x1b028c20, "msub w0, w1, w2, w3", "int-mul"},
	{__LINE__, 0x9ac20820, "udiv x0, x1, x2", "int-div"},
	{__LINE__, 0x9a821020, "csel x0, x1, x2, ne", "int"},
	{__LINE__, 0xda9f93e0, "csetm x0, hi", "int"},
	{__LINE__, 0xfa411004, "ccmp x0, x1, #4, ne", "int"},
	{__LINE__, 0x54000041, "b.ne 0x1008", "branch"},
	{__LINE__, 0x37180040, "tbnz w0, #3, 0x1008", "branch"},
	{__LINE__, 0xd65f03c0, "ret", "branch"},
	{__LINE__, 0xd5033f9f, "dsb sy", "system"},
	{__LINE__, 0xd51b4200, "msr NZCV, x0", "system"},
	{__LINE__, 0xd53bd040, "mrs x0, TPIDR_EL0", "system"},
	{__LINE__, 0xd503245f, "bti c", "nop"},
	{__LINE__, 0x90000000, "adrp x0, 0x1000", "int"},
	{__LINE__, 0xf8626820, "ldr x0, [x1, x2]", "move"},
	{__LINE__, 0xf862c820, "ldr x0, [x1, w2, sxtw]", "move"},
	{__LINE__, 0x58000080, "ldr x0, 0x1010", "move"},
	{__LINE__, 0x79400420, "ldrh w0, [x1, #2]", "move"},
	{__LINE__, 0x3dc00420, "ldr q0, [x1, #16]", "move"},
	{__LINE__, 0xf9000020, "str x0, [x1]", "move"},
	{__LINE__, 0x3ca26820, "str q0, [x1, x2]", "move"},
	{__LINE__, 0x29400440, "ldp w0, w1, [x2]", "move"},
	{__LINE__, 0x6c400440, "ldnp d0, d1, [x2]", "move"},
	{__LINE__, 0xc85f7c20, "ldxr x0, [x1]", "move"},
	{__LINE__, 0xf8200041, "ldadd x0, x1, [x2]", "int"},
	{__LINE__, 0xc8a07c41, "cas x0, x1, [x2]", "int"},
	{__LINE__, 0x85804820, "ldr z0, [x1, #2, mul vl]", "move"},
	{__LINE__, 0x1e6f1000, "fmov d0, #1.50000000", "move"},
	{__LINE__, 0x1e622820, "fadd d0, d1, d2", "fp-add"},
	{__LINE__, 0x1e621820, "fdiv d0, d1, d2", "fp-div"},
	{__LINE__, 0x1e202008, "fcmp s0, #0.0", "fp-add"},
	{__LINE__, 0x1e22c020, "fcvt d0, s1", "convert"},
	{__LINE__, 0x1e654020, "frintm d0, d1", "convert"},
	{__LINE__, 0x4fa21020, "fmla v0.4s, v1.4s, v2.s[1]", "fp-mul"},
	{__LINE__, 0x4f435420, "shl v0.2d, v1.2d, #3", "vec-int"},
	{__LINE__, 0x6e621c20, "bsl v0.16b, v1.16b, v2.16b", "vec-int"},
	{__LINE__, 0x4f00c420, "movi v0.4s, #1, msl #8", "move"},
	{__LINE__, 0x6e180420, "mov v0.d[1], v1.d[0]", "vec-shuffle"},
	{__LINE__, 0x4e023820, "zip1 v0.16b, v1.16b, v2.16b", "vec-shuffle"},
	{__LINE__, 0x0e612820, "xtn v0.4h, v1.4s", "vec-int"},
	{__LINE__, 0x4e284820, "aese v0.16b, v1.16b", "crypto"},
	{__LINE__, 0x4c407000, "ld1 { v0.16b }, [x0]", "move"},
	{__LINE__, 0x0d409000, "ld1 { v0.s }[1], [x0]", "move"},
	{__LINE__, 0x0d603400, "ld4 { v0.b, v1.b, v2.b, v3.b }[5], [x0]", "move"},
	{__LINE__, 0x04e20020, "add z0.d, z1.d, z2.d", "vec-int"},
	{__LINE__, 0x05910020, "mov z0.s, p1/z, #1", "move"},
	{__LINE__, 0xa5e14000, "ld1d { z0.d }, p0/z, [x0, x1, lsl #3]", "move"},
	{__LINE__, 0xa5c0e000, "ld3d { z0.d - z2.d }, p0/z, [x0]", "move"},
	{__LINE__, 0x85614000, "ld1w { z0.s }, p0/z, [x0, z1.s, sxtw #2]", "gather"},
	{__LINE__, 0x85c00000, "prfb pldl1keep, p0, [x0]", "move"},
	{__LINE__, 0x2401a400, "cmpeq p0.b, p1/z, z0.b, z1.b", "vec-int"},
	{__LINE__, 0x04f0e3e0, "incd x0", "int"},
	{__LINE__, 0x2519f000, "rdffr p0.b", "mask"},
	{__LINE__, 0x80812000, "fmopa za0.s, p0/m, p1/m, z0.s, z1.s", "fp-mul"},
	{__LINE__, 0x1d010440, "cpyp [x0]!, [x1]!, x2!", "string"},
};
/* clang-format on */

int main(void)
{
	if (!can_decode())
		return tap_skip_all(AARCH64_MODULE);
	for (size_t row = 0; row < TAKT_COUNT_OF(rows); row++) {
		struct takt_insn insn = {0};
		uint8_t bytes[4];

		if (!decode_row(rows[row].line, rows[row].word, rows[row].text, bytes, &insn))
			continue;
		tap_is_string(__FILE__, rows[row].line,
			      takt_class_word((enum takt_insn_class)insn.insn_class),
			      rows[row].insn_class, rows[row].text);
	}
	return tap_done();
}
