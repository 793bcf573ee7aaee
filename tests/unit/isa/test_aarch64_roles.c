/* SPDX-License-Identifier: MIT */
/*
 * Who reads and writes what. An access is written location@slot:flags, where m is
 * a value in memory and the flags are r(ead) w(rite) m(erge) a(ddress).
 */
#include "aarch64_rows.h"

struct row {
	int line;
	uint32_t word;
	const char *text, *accesses;
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, 0xaa0103e0, "mov x0, x1", "x0@1:w x1@2:r"},
	{__LINE__, 0x528000a0, "mov w0, #5", "x0@1:w"},
	{__LINE__, 0xf2a00020, "movk x0, #1, lsl #16", "x0@1:rwm"},
	{__LINE__, 0x92800040, "mov x0, #-3", "x0@1:w"},
	{__LINE__, 0x910003e0, "mov x0, sp", "x0@1:w sp@2:r"},
	{__LINE__, 0xaa1f03e0, "mov x0, xzr", "x0@1:w"},
	{__LINE__, 0x8b020020, "add x0, x1, x2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x8b000000, "add x0, x0, x0", "x0@1:w x0@2:r x0@3:r"},
	{__LINE__, 0x91001020, "add x0, x1, #4", "x0@1:w x1@2:r"},
	{__LINE__, 0x91400420, "add x0, x1, #1, lsl #12", "x0@1:w x1@2:r"},
	{__LINE__, 0x8b020c20, "add x0, x1, x2, lsl #3", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x8b224820, "add x0, x1, w2, uxtw #2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x910043ff, "add sp, sp, #16", "sp@1:w sp@2:r"},
	{__LINE__, 0x2b020020, "adds w0, w1, w2", "x0@1:w x1@2:r x2@3:r nzcv@f:w"},
	{__LINE__, 0xcb821420, "sub x0, x1, x2, asr #5", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0xf1000420, "subs x0, x1, #1", "x0@1:w x1@2:r nzcv@f:w"},
	{__LINE__, 0xeb01001f, "cmp x0, x1", "x0@1:r x1@2:r nzcv@f:w"},
	{__LINE__, 0x7100001f, "cmp w0, #0", "x0@1:r nzcv@f:w"},
	{__LINE__, 0xab01001f, "cmn x0, x1", "x0@1:r x1@2:r nzcv@f:w"},
	{__LINE__, 0xf2401c1f, "tst x0, #0xff", "x0@1:r nzcv@f:w"},
	{__LINE__, 0xcb0103e0, "neg x0, x1", "x0@1:w x1@2:r"},
	{__LINE__, 0x9a020020, "adc x0, x1, x2", "x0@1:w x1@2:r x2@3:r nzcv@f:r"},
	{__LINE__, 0xfa020020, "sbcs x0, x1, x2", "x0@1:w x1@2:r x2@3:r nzcv@f:rw"},
	{__LINE__, 0x927c0c20, "and x0, x1, #0xf0", "x0@1:w x1@2:r"},
	{__LINE__, 0x8a220020, "bic x0, x1, x2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x2a220020, "orn w0, w1, w2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0xaa2103e0, "mvn x0, x1", "x0@1:w x1@2:r"},
	{__LINE__, 0xca010020, "eor x0, x1, x1", "x0@1:w x1@2:r x1@3:r"},
	{__LINE__, 0xd37df020, "lsl x0, x1, #3", "x0@1:w x1@2:r"},
	{__LINE__, 0x1ac22420, "lsr w0, w1, w2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x93c11c20, "ror x0, x1, #7", "x0@1:w x1@2:r"},
	{__LINE__, 0xd3431820, "ubfx x0, x1, #3, #4", "x0@1:w x1@2:r"},
	{__LINE__, 0x93407c20, "sxtw x0, w1", "x0@1:w x1@2:r"},
	{__LINE__, 0x53001c20, "uxtb w0, w1", "x0@1:w x1@2:r"},
	{__LINE__, 0xb37d0c20, "bfi x0, x1, #3, #4", "x0@1:rwm x1@2:r"},
	{__LINE__, 0x33031820, "bfxil w0, w1, #3, #4", "x0@1:rwm x1@2:r"},
	{__LINE__, 0x93c22420, "extr x0, x1, x2, #9", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0xdac01020, "clz x0, x1", "x0@1:w x1@2:r"},
	{__LINE__, 0x5ac00020, "rbit w0, w1", "x0@1:w x1@2:r"},
	{__LINE__, 0xdac00c20, "rev x0, x1", "x0@1:w x1@2:r"},
	{__LINE__, 0x9b027c20, "mul x0, x1, x2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x9b020c20, "madd x0, x1, x2, x3", "x0@1:w x1@2:r x2@3:r x3@4:r"},
	{__LINE__, 0x1b028c20, "msub w0, w1, w2, w3", "x0@1:w x1@2:r x2@3:r x3@4:r"},
	{__LINE__, 0x9b227c20, "smull x0, w1, w2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x9bc27c20, "umulh x0, x1, x2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x9ac20820, "udiv x0, x1, x2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x1ac20c20, "sdiv w0, w1, w2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x9ac24c20, "crc32x w0, w1, x2", "x0@1:w x1@2:r x2@3:r"},
	{__LINE__, 0x9a821020, "csel x0, x1, x2, ne", "x0@1:w x1@2:r x2@3:r nzcv@f:r"},
	{__LINE__, 0x9a82b420, "csinc x0, x1, x2, lt", "x0@1:w x1@2:r x2@3:r nzcv@f:r"},
	{__LINE__, 0x1a9f17e0, "cset w0, eq", "x0@1:w nzcv@f:r"},
	{__LINE__, 0xda9f93e0, "csetm x0, hi", "x0@1:w nzcv@f:r"},
	{__LINE__, 0x9a81b420, "cinc x0, x1, ge", "x0@1:w x1@2:r nzcv@f:r"},
	{__LINE__, 0x5a815420, "cneg w0, w1, mi", "x0@1:w x1@2:r nzcv@f:r"},
	{__LINE__, 0xfa411004, "ccmp x0, x1, #4, ne", "x0@1:r x1@2:r nzcv@f:rw"},
	{__LINE__, 0x7a430800, "ccmp w0, #3, #0, eq", "x0@1:r nzcv@f:rw"},
	{__LINE__, 0x14000002, "b 0x1008", ""},
	{__LINE__, 0x54000041, "b.ne 0x1008", "nzcv@f:r"},
	{__LINE__, 0x94000002, "bl 0x1008", "x30@x30:w"},
	{__LINE__, 0xb4000040, "cbz x0, 0x1008", "x0@1:r"},
	{__LINE__, 0x37180040, "tbnz w0, #3, 0x1008", "x0@1:r"},
	{__LINE__, 0xd61f0000, "br x0", "x0@1:r"},
	{__LINE__, 0xd63f0000, "blr x0", "x0@1:r x30@x30:w"},
	{__LINE__, 0xd65f03c0, "ret", "x30@x30:r"},
	{__LINE__, 0xd503201f, "nop", ""},
	{__LINE__, 0xd5033fdf, "isb", ""},
	{__LINE__, 0xd5033f9f, "dsb sy", ""},
	{__LINE__, 0xd5033bbf, "dmb ish", ""},
	{__LINE__, 0xd53b4200, "mrs x0, NZCV", "x0@1:w nzcv@f:r"},
	{__LINE__, 0xd51b4200, "msr NZCV, x0", "x0@2:r nzcv@f:w"},
	{__LINE__, 0xd53b4400, "mrs x0, FPCR", "x0@1:w fpcr@2:r"},
	{__LINE__, 0xd51b4420, "msr FPSR, x0", "fpcr@1:w x0@2:r"},
	{__LINE__, 0xd53bd040, "mrs x0, TPIDR_EL0", "x0@1:w system@2:r"},
	{__LINE__, 0xd503233f, "paciasp", "x30@x30:rw sp@sp:r"},
	{__LINE__, 0xd50323bf, "autiasp", "x30@x30:rw sp@sp:r"},
	{__LINE__, 0xd503245f, "bti c", ""},
	{__LINE__, 0xd4000001, "svc #0", ""},
	{__LINE__, 0x10000040, "adr x0, 0x1008", "x0@1:w"},
	{__LINE__, 0x90000000, "adrp x0, 0x1000", "x0@1:w"},
	{__LINE__, 0xf9400020, "ldr x0, [x1]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xb9400420, "ldr w0, [x1, #4]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xf8626820, "ldr x0, [x1, x2]", "x0@1:w m@2:r x1@b:ra x2@i:ra"},
	{__LINE__, 0xf8627820, "ldr x0, [x1, x2, lsl #3]", "x0@1:w m@2:r x1@b:ra x2@i:ra"},
	{__LINE__, 0xb8625820, "ldr w0, [x1, w2, uxtw #2]", "x0@1:w m@2:r x1@b:ra x2@i:ra"},
	{__LINE__, 0xf862c820, "ldr x0, [x1, w2, sxtw]", "x0@1:w m@2:r x1@b:ra x2@i:ra"},
	{__LINE__, 0xf8408c20, "ldr x0, [x1, #8]!", "x0@1:w m@2:r x1@b:rwa"},
	{__LINE__, 0xf8408420, "ldr x0, [x1], #8", "x0@1:w m@2:r x1@b:rwa"},
	{__LINE__, 0x58000080, "ldr x0, 0x1010", "x0@1:w m@2:r"},
	{__LINE__, 0x39400420, "ldrb w0, [x1, #1]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0x39800020, "ldrsb x0, [x1]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0x79400420, "ldrh w0, [x1, #2]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xb9800420, "ldrsw x0, [x1, #4]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xf85f8020, "ldur x0, [x1, #-8]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0x3dc00420, "ldr q0, [x1, #16]", "v0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xfc408420, "ldr d0, [x1], #8", "v0@1:w m@2:r x1@b:rwa"},
	{__LINE__, 0x7d400020, "ldr h0, [x1]", "v0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xf9000020, "str x0, [x1]", "x0@1:r m@2:w x1@b:ra"},
	{__LINE__, 0x3900003f, "strb wzr, [x1]", "m@2:w x1@b:ra"},
	{__LINE__, 0xf81f0fe0, "str x0, [sp, #-16]!", "x0@1:r m@2:w sp@b:rwa"},
	{__LINE__, 0x3ca26820, "str q0, [x1, x2]", "v0@1:r m@2:w x1@b:ra x2@i:ra"},
	{__LINE__, 0xa9be7bfd, "stp x29, x30, [sp, #-32]!", "x29@1:r x30@2:r m@3:w sp@b:rwa"},
	{__LINE__, 0xa8c27bfd, "ldp x29, x30, [sp], #32", "x29@1:w x30@2:w m@3:r sp@b:rwa"},
	{__LINE__, 0x29400440, "ldp w0, w1, [x2]", "x0@1:w x1@2:w m@3:r x2@b:ra"},
	{__LINE__, 0x69410440, "ldpsw x0, x1, [x2, #8]", "x0@1:w x1@2:w m@3:r x2@b:ra"},
	{__LINE__, 0xad010440, "stp q0, q1, [x2, #32]", "v0@1:r v1@2:r m@3:w x2@b:ra"},
	{__LINE__, 0x6c400440, "ldnp d0, d1, [x2]", "v0@1:w v1@2:w m@3:r x2@b:ra"},
	{__LINE__, 0xc8dffc20, "ldar x0, [x1]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0x089ffc20, "stlrb w0, [x1]", "x0@1:r m@2:w x1@b:ra"},
	{__LINE__, 0xc85f7c20, "ldxr x0, [x1]", "x0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xc8007c41, "stxr w0, x1, [x2]", "x0@1:w x1@2:r m@3:w x2@b:ra"},
	{__LINE__, 0xc87f8440, "ldaxp x0, x1, [x2]", "x0@1:w x1@2:w m@3:r x2@b:ra"},
	{__LINE__, 0xf8200041, "ldadd x0, x1, [x2]", "x0@1:r x1@2:w m@3:rw x2@b:ra"},
	{__LINE__, 0xb820003f, "stadd w0, [x1]", "x0@1:r m@2:rw x1@b:ra"},
	{__LINE__, 0x38e08041, "swpalb w0, w1, [x2]", "x0@1:r x1@2:w m@3:rw x2@b:ra"},
	{__LINE__, 0xc8a07c41, "cas x0, x1, [x2]", "x0@1:rw x1@2:r m@3:rw x2@b:ra"},
	{__LINE__, 0x48207c82, "casp x0, x1, x2, x3, [x4]",
	 "x0@1:rw x1@2:rw x2@3:r x3@4:r m@5:rw x4@b:ra"},
	{__LINE__, 0xf9802000, "prfm pldl1keep, [x0, #64]", "x0@b:ra"},
	{__LINE__, 0x85804820, "ldr z0, [x1, #2, mul vl]", "v0@1:w m@2:r x1@b:ra"},
	{__LINE__, 0xe5800020, "str p0, [x1]", "p0@1:r m@2:w x1@b:ra"},
	{__LINE__, 0x1e604020, "fmov d0, d1", "v0@1:w v1@2:r"},
	{__LINE__, 0x1e6f1000, "fmov d0, #1.50000000", "v0@1:w"},
	{__LINE__, 0x1e2703e0, "fmov s0, wzr", "v0@1:w"},
	{__LINE__, 0x9e660020, "fmov x0, d1", "x0@1:w v1@2:r"},
	{__LINE__, 0x1e622820, "fadd d0, d1, d2", "v0@1:w v1@2:r v2@3:r fpcr@fpcr:r"},
	{__LINE__, 0x1e220820, "fmul s0, s1, s2", "v0@1:w v1@2:r v2@3:r fpcr@fpcr:r"},
	{__LINE__, 0x1f420c20, "fmadd d0, d1, d2, d3", "v0@1:w v1@2:r v2@3:r v3@4:r fpcr@fpcr:r"},
	{__LINE__, 0x1e621820, "fdiv d0, d1, d2", "v0@1:w v1@2:r v2@3:r fpcr@fpcr:r"},
	{__LINE__, 0x1e21c020, "fsqrt s0, s1", "v0@1:w v1@2:r fpcr@fpcr:r"},
	{__LINE__, 0x1e612000, "fcmp d0, d1", "v0@1:r v1@2:r nzcv@f:w fpcr@fpcr:r"},
	{__LINE__, 0x1e202008, "fcmp s0, #0.0", "v0@1:r nzcv@f:w fpcr@fpcr:r"},
	{__LINE__, 0x1e611400, "fccmp d0, d1, #0, ne", "v0@1:r v1@2:r nzcv@f:rw"},
	{__LINE__, 0x1e62cc20, "fcsel d0, d1, d2, gt", "v0@1:w v1@2:r v2@3:r nzcv@f:r"},
	{__LINE__, 0x1e22c020, "fcvt d0, s1", "v0@1:w v1@2:r fpcr@fpcr:r"},
	{__LINE__, 0x9e620020, "scvtf d0, x1", "v0@1:w x1@2:r fpcr@fpcr:r"},
	{__LINE__, 0x1e780020, "fcvtzs w0, d1", "x0@1:w v1@2:r fpcr@fpcr:r"},
	{__LINE__, 0x1e654020, "frintm d0, d1", "v0@1:w v1@2:r fpcr@fpcr:r"},
	{__LINE__, 0x4ea28420, "add v0.4s, v1.4s, v2.4s", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, 0x4e62cc20, "fmla v0.2d, v1.2d, v2.2d", "v0@1:rw v1@2:r v2@3:r fpcr@fpcr:r"},
	{__LINE__, 0x4fa21020, "fmla v0.4s, v1.4s, v2.s[1]", "v0@1:rw v1@2:r v2@3:r fpcr@fpcr:r"},
	{__LINE__, 0x4e629c20, "mul v0.8h, v1.8h, v2.8h", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, 0x4e829420, "sdot v0.4s, v1.16b, v2.16b", "v0@1:rw v1@2:r v2@3:r"},
	{__LINE__, 0x4f435420, "shl v0.2d, v1.2d, #3", "v0@1:w v1@2:r"},
	{__LINE__, 0x6f435420, "sli v0.2d, v1.2d, #3", "v0@1:rwm v1@2:r"},
	{__LINE__, 0x6e211c20, "eor v0.16b, v1.16b, v1.16b", "v0@1:w v1@2:r v1@3:r"},
	{__LINE__, 0x6e621c20, "bsl v0.16b, v1.16b, v2.16b", "v0@1:rw v1@2:r v2@3:r"},
	{__LINE__, 0x6f00e400, "movi v0.2d, #0000000000000000", "v0@1:w"},
	{__LINE__, 0x4f002420, "movi v0.4s, #1, lsl #8", "v0@1:w"},
	{__LINE__, 0x4f00c420, "movi v0.4s, #1, msl #8", "v0@1:w"},
	{__LINE__, 0x4ea11c20, "mov v0.16b, v1.16b", "v0@1:w v1@2:r"},
	{__LINE__, 0x4e0c1c20, "mov v0.s[1], w1", "v0@1:rwm x1@2:r"},
	{__LINE__, 0x6e180420, "mov v0.d[1], v1.d[0]", "v0@1:rwm v1@2:r"},
	{__LINE__, 0x0e073c20, "umov w0, v1.b[3]", "x0@1:w v1@2:r"},
	{__LINE__, 0x4e040c20, "dup v0.4s, w1", "v0@1:w x1@2:r"},
	{__LINE__, 0x4e023820, "zip1 v0.16b, v1.16b, v2.16b", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, 0x4e032020, "tbl v0.16b, { v1.16b, v2.16b }, v3.16b",
	 "v0@1:w v1@2:r v2@2:r v3@3:r"},
	{__LINE__, 0x6e021820, "ext v0.16b, v1.16b, v2.16b, #3", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, 0x0e612820, "xtn v0.4h, v1.4s", "v0@1:w v1@2:r"},
	{__LINE__, 0x4e612820, "xtn2 v0.8h, v1.4s", "v0@1:rwm v1@2:r"},
	{__LINE__, 0x4eb1b820, "addv s0, v1.4s", "v0@1:w v1@2:r"},
	{__LINE__, 0x4e284820, "aese v0.16b, v1.16b", "v0@1:rw v1@2:r"},
	{__LINE__, 0x5e024020, "sha256h q0, q1, v2.4s", "v0@1:rw v1@2:r v2@3:r"},
	{__LINE__, 0x0ee2e020, "pmull v0.1q, v1.1d, v2.1d", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, 0x4c407000, "ld1 { v0.16b }, [x0]", "v0@1:w m@2:r x0@b:ra"},
	{__LINE__, 0x4c40a000, "ld1 { v0.16b, v1.16b }, [x0]", "v0@1:w v1@1:w m@2:r x0@b:ra"},
	{__LINE__, 0x4cdf2800, "ld1 { v0.4s, v1.4s, v2.4s, v3.4s }, [x0], #64",
	 "v0@1:w v1@1:w v2@1:w v3@1:w m@2:r x0@b:rwa"},
	{__LINE__, 0x0d409000, "ld1 { v0.s }[1], [x0]", "v0@1:rwm m@2:r x0@b:ra"},
	{__LINE__, 0x4d40cc00, "ld1r { v0.2d }, [x0]", "v0@1:w m@2:r x0@b:ra"},
	{__LINE__, 0x4cc18400, "ld2 { v0.8h, v1.8h }, [x0], x1",
	 "v0@1:w v1@1:w m@2:r x0@b:rwa x1@i:r"},
	{__LINE__, 0x0d603400, "ld4 { v0.b, v1.b, v2.b, v3.b }[5], [x0]",
	 "v0@1:rwm v1@1:rwm v2@1:rwm v3@1:rwm m@2:r x0@b:ra"},
	{__LINE__, 0x4c9f7c00, "st1 { v0.2d }, [x0], #16", "v0@1:r m@2:w x0@b:rwa"},
	{__LINE__, 0x4c004800, "st3 { v0.4s, v1.4s, v2.4s }, [x0]",
	 "v0@1:r v1@1:r v2@1:r m@2:w x0@b:ra"},
	{__LINE__, 0x04e20020, "add z0.d, z1.d, z2.d", "v0@1:w v1@2:r v2@3:r"},
	{__LINE__, 0x04800020, "add z0.s, p0/m, z0.s, z1.s", "v0@1:rwm p0@2:r v1@4:r"},
	{__LINE__, 0x65e20020, "fmla z0.d, p0/m, z1.d, z2.d", "v0@1:rwm p0@2:r v1@3:r v2@4:r"},
	{__LINE__, 0x05910020, "mov z0.s, p1/z, #1", "v0@1:w p1@2:r"},
	{__LINE__, 0x0420bc20, "movprfx z0, z1", "v0@1:w v1@2:r"},
	{__LINE__, 0x04800040, "add z0.s, p0/m, z0.s, z2.s", "v0@1:rwm p0@2:r v2@4:r"},
	{__LINE__, 0xa5e14000, "ld1d { z0.d }, p0/z, [x0, x1, lsl #3]",
	 "v0@1:w p0@2:r m@3:r x0@b:ra x1@i:ra"},
	{__LINE__, 0xa561a000, "ld1w { z0.d }, p0/z, [x0, #1, mul vl]",
	 "v0@1:w p0@2:r m@3:r x0@b:ra"},
	{__LINE__, 0xa4012000, "ld1rqb { z0.b }, p0/z, [x0, #16]", "v0@1:w p0@2:r m@3:r x0@b:ra"},
	{__LINE__, 0xa5c0e000, "ld3d { z0.d - z2.d }, p0/z, [x0]",
	 "v0@1:w v1@1:w v2@1:w p0@2:r m@3:r x0@b:ra"},
	{__LINE__, 0xe400e000, "st1b { z0.b }, p0, [x0]", "v0@1:r p0@2:r m@3:w x0@b:ra"},
	{__LINE__, 0xc5e1c000, "ld1d { z0.d }, p0/z, [x0, z1.d, lsl #3]",
	 "v0@1:w p0@2:r m@3:r x0@b:ra v1@i:ra"},
	{__LINE__, 0x85614000, "ld1w { z0.s }, p0/z, [x0, z1.s, sxtw #2]",
	 "v0@1:w p0@2:r m@3:r x0@b:ra v1@i:ra"},
	{__LINE__, 0xe5c1a020, "st1d { z0.d }, p0, [z1.d, #8]", "v0@1:r p0@2:r m@3:w v1@b:ra"},
	{__LINE__, 0xa5e16000, "ldff1d { z0.d }, p0/z, [x0, x1, lsl #3]",
	 "v0@1:w p0@2:r m@3:r x0@b:ra x1@i:ra ffr@ffr:rw"},
	{__LINE__, 0x85c00000, "prfb pldl1keep, p0, [x0]", "p0@2:r x0@b:ra"},
	{__LINE__, 0x2598e3e0, "ptrue p0.s", "p0@1:w"},
	{__LINE__, 0x25e11c00, "whilelo p0.d, x0, x1", "p0@1:w x0@2:r x1@3:r nzcv@f:w"},
	{__LINE__, 0x2401a400, "cmpeq p0.b, p1/z, z0.b, z1.b",
	 "p0@1:w p1@2:r v0@3:r v1@4:r nzcv@f:w"},
	{__LINE__, 0x25034440, "and p0.b, p1/z, p2.b, p3.b", "p0@1:w p1@2:r p2@3:r p3@4:r"},
	{__LINE__, 0x2550c020, "ptest p0, p1.b", "p0@1:r p1@2:r nzcv@f:w"},
	{__LINE__, 0x04f0e3e0, "incd x0", "x0@1:rw"},
	{__LINE__, 0x04e1e3e0, "cntd x0, all, mul #2", "x0@1:w"},
	{__LINE__, 0x04215020, "addvl x0, x1, #1", "x0@1:w x1@2:r"},
	{__LINE__, 0x2519f000, "rdffr p0.b", "p0@1:w ffr@ffr:r"},
	{__LINE__, 0x65c02020, "faddv d0, p0, z1.d", "v0@1:w p0@2:r v1@3:r"},
	{__LINE__, 0xd503477f, "smstart", "system@system:w"},
	{__LINE__, 0x80812000, "fmopa za0.s, p0/m, p1/m, z0.s, z1.s",
	 "za@1:rwm p0@2:r p1@3:r v0@4:r v1@5:r"},
	{__LINE__, 0xe09f0000, "ld1w {za0h.s[w12, 0]}, p0/z, [x0]",
	 "za@1:w x12@1:r p0@2:r m@3:r x0@b:ra"},
	{__LINE__, 0xc00800ff, "zero {za}", ""},
	{__LINE__, 0x1d010440, "cpyp [x0]!, [x1]!, x2!",
	 "m@1:w m@2:r x2@3:rw x0@b:rwa x1@b:rwa nzcv@f:w"},
};
/* clang-format on */

static void write_access(const struct takt_insn *insn, const struct takt_access *access,
			 struct takt_text *text)
{
	static const struct {
		uint8_t flag;
		char letter[2];
	} flags[] = {{TAKT_READ, "r"}, {TAKT_WRITE, "w"}, {TAKT_MERGE, "m"}, {TAKT_ADDRESS, "a"}};

	takt_text_add_string(
		text, access->location ? takt_location_name(insn->isa, access->location) : "m");
	takt_text_add_string(text, "@");
	takt_slot_write(insn->isa, access->slot, text);
	takt_text_add_string(text, ":");
	for (size_t i = 0; i < TAKT_COUNT_OF(flags); i++)
		takt_text_add_string(text, access->flags & flags[i].flag ? flags[i].letter : "");
}

static void check(const struct row *row)
{
	struct takt_text text = {0}, accesses = {0};
	uint8_t bytes[4];
	struct takt_insn insn;

	if (!decode_row(row->line, row->word, row->text, bytes, &insn))
		return;
	takt_insn_write(&insn, TAKT_SYNTAX_INTEL, &text);
	tap_is_string(__FILE__, row->line, takt_text_data(&text), row->text, row->text);
	for (unsigned i = 0; i < insn.access_count; i++) {
		takt_text_add_string(&accesses, i ? " " : "");
		write_access(&insn, &insn.accesses[i], &accesses);
	}
	tap_is_string(__FILE__, row->line, takt_text_data(&accesses), row->accesses, row->text);
	takt_text_release(&text);
	takt_text_release(&accesses);
}

/* How much of a register is accessed. */
static void check_sizes(void)
{
	static const struct {
		int line;
		uint32_t word;
		const char *text;
		uint8_t sizes[3];
	} size_rows[] = {
		{__LINE__, 0x0b020020, "add w0, w1, w2", {4, 4, 4}},
		{__LINE__, 0x8b224820, "add x0, x1, w2, uxtw #2", {8, 8, 4}},
		{__LINE__, 0x1e622820, "fadd d0, d1, d2", {8, 8, 8}},
		{__LINE__, 0x4ea28420, "add v0.4s, v1.4s, v2.4s", {16, 16, 16}},
		{__LINE__, 0x0e212800, "xtn v0.8b, v0.8h", {8, 16, 0}},
		{__LINE__, 0xf9400020, "ldr x0, [x1]", {8, 8, 8}},
		{__LINE__, 0x39400020, "ldrb w0, [x1]", {4, 1, 8}},
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(size_rows); i++) {
		uint8_t bytes[4];
		struct takt_insn insn = {0};
		bool fits = takt_decode(&takt_isa_aarch64, word_bytes(size_rows[i].word, bytes), 4,
					0, &insn) == TAKT_OK;

		for (unsigned access = 0; fits && access < insn.access_count && access < 3;
		     access++)
			fits = insn.accesses[access].size_bytes == size_rows[i].sizes[access];
		tap_ok_at(__FILE__, size_rows[i].line, fits, "sizes of %s", size_rows[i].text);
	}
}

int main(void)
{
	if (!can_decode())
		return tap_skip_all(AARCH64_MODULE);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check(&rows[i]);
	check_sizes();
	return tap_done();
}
