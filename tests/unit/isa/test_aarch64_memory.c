/* SPDX-License-Identifier: MIT */
/*
 * Memory operands, written slot:[base+index*scale+displacement]size and r(ead), w(rite) or
 * a(ddress only).
 */
#include "aarch64_rows.h"

struct row {
	int line;
	uint32_t word;
	const char *text, *memories;
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, 0x10000040, "adr x0, 0x1008", "2:[pc+4104]0a"},
	{__LINE__, 0x90000000, "adrp x0, 0x1000", "2:[pc+4096]0a"},
	{__LINE__, 0xf9400020, "ldr x0, [x1]", "2:[x1+0]8r"},
	{__LINE__, 0xb9400420, "ldr w0, [x1, #4]", "2:[x1+4]4r"},
	{__LINE__, 0xf8626820, "ldr x0, [x1, x2]", "2:[x1+x2*1+0]8r"},
	{__LINE__, 0xf8627820, "ldr x0, [x1, x2, lsl #3]", "2:[x1+x2*8+0]8r"},
	{__LINE__, 0xb8625820, "ldr w0, [x1, w2, uxtw #2]", "2:[x1+x2*4+0]4r"},
	{__LINE__, 0xf862c820, "ldr x0, [x1, w2, sxtw]", "2:[x1+x2*1+0]8r"},
	{__LINE__, 0xf8408c20, "ldr x0, [x1, #8]!", "2:[x1+8]8r"},
	{__LINE__, 0xf8408420, "ldr x0, [x1], #8", "2:[x1+0]8r"},
	{__LINE__, 0x58000080, "ldr x0, 0x1010", "2:[pc+4112]8r"},
	{__LINE__, 0x39400420, "ldrb w0, [x1, #1]", "2:[x1+1]1r"},
	{__LINE__, 0x39800020, "ldrsb x0, [x1]", "2:[x1+0]1r"},
	{__LINE__, 0x79400420, "ldrh w0, [x1, #2]", "2:[x1+2]2r"},
	{__LINE__, 0xb9800420, "ldrsw x0, [x1, #4]", "2:[x1+4]4r"},
	{__LINE__, 0xf85f8020, "ldur x0, [x1, #-8]", "2:[x1-8]8r"},
	{__LINE__, 0x3dc00420, "ldr q0, [x1, #16]", "2:[x1+16]16r"},
	{__LINE__, 0xfc408420, "ldr d0, [x1], #8", "2:[x1+0]8r"},
	{__LINE__, 0x7d400020, "ldr h0, [x1]", "2:[x1+0]2r"},
	{__LINE__, 0xf9000020, "str x0, [x1]", "2:[x1+0]8w"},
	{__LINE__, 0x3900003f, "strb wzr, [x1]", "2:[x1+0]1w"},
	{__LINE__, 0xf81f0fe0, "str x0, [sp, #-16]!", "2:[sp-16]8w"},
	{__LINE__, 0x3ca26820, "str q0, [x1, x2]", "2:[x1+x2*1+0]16w"},
	{__LINE__, 0xa9be7bfd, "stp x29, x30, [sp, #-32]!", "3:[sp-32]8w 3:[sp-24]8w"},
	{__LINE__, 0xa8c27bfd, "ldp x29, x30, [sp], #32", "3:[sp+0]8r 3:[sp+8]8r"},
	{__LINE__, 0x29400440, "ldp w0, w1, [x2]", "3:[x2+0]4r 3:[x2+4]4r"},
	{__LINE__, 0x69410440, "ldpsw x0, x1, [x2, #8]", "3:[x2+8]4r 3:[x2+12]4r"},
	{__LINE__, 0xad010440, "stp q0, q1, [x2, #32]", "3:[x2+32]16w 3:[x2+48]16w"},
	{__LINE__, 0x6c400440, "ldnp d0, d1, [x2]", "3:[x2+0]8r 3:[x2+8]8r"},
	{__LINE__, 0xc8dffc20, "ldar x0, [x1]", "2:[x1+0]8r"},
	{__LINE__, 0x089ffc20, "stlrb w0, [x1]", "2:[x1+0]1w"},
	{__LINE__, 0xc85f7c20, "ldxr x0, [x1]", "2:[x1+0]8r"},
	{__LINE__, 0xc8007c41, "stxr w0, x1, [x2]", "3:[x2+0]8w"},
	{__LINE__, 0xc87f8440, "ldaxp x0, x1, [x2]", "3:[x2+0]16r"},
	{__LINE__, 0xf8200041, "ldadd x0, x1, [x2]", "3:[x2+0]8rw"},
	{__LINE__, 0xb820003f, "stadd w0, [x1]", "2:[x1+0]4rw"},
	{__LINE__, 0x38e08041, "swpalb w0, w1, [x2]", "3:[x2+0]1rw"},
	{__LINE__, 0xc8a07c41, "cas x0, x1, [x2]", "3:[x2+0]8rw"},
	{__LINE__, 0x48207c82, "casp x0, x1, x2, x3, [x4]", "5:[x4+0]16rw"},
	{__LINE__, 0xf9802000, "prfm pldl1keep, [x0, #64]", "2:[x0+64]0a"},
	{__LINE__, 0x85804820, "ldr z0, [x1, #2, mul vl]", "2:[x1+32]16r"},
	{__LINE__, 0xe5800020, "str p0, [x1]", "2:[x1+0]2w"},
	{__LINE__, 0x4c407000, "ld1 { v0.16b }, [x0]", "2:[x0+0]16r"},
	{__LINE__, 0x4c40a000, "ld1 { v0.16b, v1.16b }, [x0]", "2:[x0+0]16r 2:[x0+16]16r"},
	{__LINE__, 0x4cdf2800, "ld1 { v0.4s, v1.4s, v2.4s, v3.4s }, [x0], #64", "2:[x0+0]64r"},
	{__LINE__, 0x0d409000, "ld1 { v0.s }[1], [x0]", "2:[x0+0]4r"},
	{__LINE__, 0x4d40cc00, "ld1r { v0.2d }, [x0]", "2:[x0+0]8r"},
	{__LINE__, 0x4cc18400, "ld2 { v0.8h, v1.8h }, [x0], x1", "2:[x0+0]32r"},
	{__LINE__, 0x0d603400, "ld4 { v0.b, v1.b, v2.b, v3.b }[5], [x0]", "2:[x0+0]4r"},
	{__LINE__, 0x4c9f7c00, "st1 { v0.2d }, [x0], #16", "2:[x0+0]16w"},
	{__LINE__, 0x4c004800, "st3 { v0.4s, v1.4s, v2.4s }, [x0]", "2:[x0+0]48w"},
	{__LINE__, 0xa5e14000, "ld1d { z0.d }, p0/z, [x0, x1, lsl #3]", "3:[x0+x1*8+0]16r"},
	{__LINE__, 0xa561a000, "ld1w { z0.d }, p0/z, [x0, #1, mul vl]", "3:[x0+8]8r"},
	{__LINE__, 0xa4012000, "ld1rqb { z0.b }, p0/z, [x0, #16]", "3:[x0+16]16r"},
	{__LINE__, 0xa5c0e000, "ld3d { z0.d - z2.d }, p0/z, [x0]", "3:[x0+0]48r"},
	{__LINE__, 0xe400e000, "st1b { z0.b }, p0, [x0]", "3:[x0+0]16w"},
	{__LINE__, 0xc5e1c000, "ld1d { z0.d }, p0/z, [x0, z1.d, lsl #3]", "3:[x0+v1*8+0]16r"},
	{__LINE__, 0x85614000, "ld1w { z0.s }, p0/z, [x0, z1.s, sxtw #2]", "3:[x0+v1*4+0]16r"},
	{__LINE__, 0xe5c1a020, "st1d { z0.d }, p0, [z1.d, #8]", "3:[v1+8]16w"},
	{__LINE__, 0xa5e16000, "ldff1d { z0.d }, p0/z, [x0, x1, lsl #3]", "3:[x0+x1*8+0]16r"},
	{__LINE__, 0x85c00000, "prfb pldl1keep, p0, [x0]", "3:[x0+0]0a"},
	{__LINE__, 0xe09f0000, "ld1w {za0h.s[w12, 0]}, p0/z, [x0]", "3:[x0+0]16r"},
	{__LINE__, 0x1d010440, "cpyp [x0]!, [x1]!, x2!", "1:[x0+0]0w 2:[x1+0]0r"},
};
/* clang-format on */

static void write_memory(const struct takt_insn *insn, const struct takt_memory *memory,
			 struct takt_text *text)
{
	takt_text_printf(text, "%u:[%s", memory->slot + 1u,
			 memory->rip_relative ? "pc" : takt_location_name(insn->isa, memory->base));
	if (memory->index != TAKT_LOC_NONE)
		takt_text_printf(text, "+%s*%u", takt_location_name(insn->isa, memory->index),
				 memory->scale);
	takt_text_printf(text, "%+lld]%u%s%s%s", (long long)memory->displacement,
			 memory->size_bytes, memory->read ? "r" : "", memory->write ? "w" : "",
			 memory->address_only ? "a" : "");
}

int main(void)
{
	if (!can_decode())
		return tap_skip_all(AARCH64_MODULE);
	for (size_t row = 0; row < TAKT_COUNT_OF(rows); row++) {
		struct takt_text text = {0};
		struct takt_insn insn = {0};
		uint8_t bytes[4];

		if (!decode_row(rows[row].line, rows[row].word, rows[row].text, bytes, &insn))
			continue;
		for (unsigned i = 0; i < insn.memory_count; i++) {
			takt_text_add_string(&text, i ? " " : "");
			write_memory(&insn, &insn.memories[i], &text);
		}
		tap_is_string(__FILE__, rows[row].line, takt_text_data(&text), rows[row].memories,
			      rows[row].text);
		takt_text_release(&text);
	}
	return tap_done();
}
