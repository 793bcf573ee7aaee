/* SPDX-License-Identifier: MIT */
/* ISA sets of AArch64 instructions: what LLVM 19 says that they need, and which cores have. */
#include "aarch64_rows.h"
#include "model/model.h"

struct row {
	int line;
	uint32_t word;
	const char *text, *set;
};

/* clang-format off */
static const struct row rows[] = {
	{__LINE__, 0x1ac34041, "crc32b w1, w2, w3", "a64-crc"},
	{__LINE__, 0x4e284841, "aese v1.16b, v2.16b", "a64-aes"},
	{__LINE__, 0x0ee3e041, "pmull v1.1q, v2.1d, v3.1d", "a64-aes"},
	{__LINE__, 0x0e23e041, "pmull v1.8h, v2.8b, v3.8b", "a64"},
	{__LINE__, 0x5e280841, "sha1h s1, s2", "a64-sha2"},
	{__LINE__, 0x5e034041, "sha256h q1, q2, v3.4s", "a64-sha2"},
	{__LINE__, 0xf8e20061, "ldaddal x2, x1, [x3]", "a64-lse"},
	{__LINE__, 0x48227c24, "casp x2, x3, x4, x5, [x1]", "a64-lse"},
	{__LINE__, 0x19228061, "swpp x1, x2, [x3]", "a64-lse128"},
	{__LINE__, 0xc8df7c41, "ldlar x1, [x2]", "a64-lor"},
	{__LINE__, 0x6e838441, "sqrdmlah v1.4s, v2.4s, v3.4s", "a64-rdm"},
	{__LINE__, 0x1ee32841, "fadd h1, h2, h3", "a64-fp16"},
	{__LINE__, 0x0e431441, "fadd v1.4h, v2.4h, v3.4h", "a64-fp16"},
	{__LINE__, 0x1ee60021, "fmov w1, h1", "a64-fp16"},
	{__LINE__, 0x9ec20021, "scvtf h1, x1, #64", "a64-fp16"},
	{__LINE__, 0x1ee30c41, "fcsel h1, h2, h3, eq", "a64-fp16"},
	{__LINE__, 0x1e232841, "fadd s1, s2, s3", "a64"},
	{__LINE__, 0x1ee24041, "fcvt s1, h2", "a64"},
	{__LINE__, 0x0e217841, "fcvtl v1.4s, v2.4h", "a64"},
	{__LINE__, 0x0e216841, "fcvtn v1.4h, v2.4s", "a64"},
	{__LINE__, 0x0e43f441, "fcvtn v1.8b, v2.4h, v3.4h", "a64-fp8"},
	{__LINE__, 0x4e839441, "sdot v1.4s, v2.16b, v3.16b", "a64-dotprod"},
	{__LINE__, 0x0f830041, "fmlal v1.2s, v2.2h, v3.h[0]", "a64-fhm"},
	{__LINE__, 0x0fc30041, "fmlalb v1.8h, v2.16b, v3.b[0]", "a64-fp8"},
	{__LINE__, 0xce031041, "eor3 v1.16b, v2.16b, v3.16b, v4.16b", "a64-sha3"},
	{__LINE__, 0xce638041, "sha512h q1, q2, v3.2d", "a64-sha3"},
	{__LINE__, 0xcec08441, "sm4e v1.4s, v2.4s", "a64-sm4"},
	{__LINE__, 0xce431041, "sm3ss1 v1.4s, v2.4s, v3.4s, v4.4s", "a64-sm4"},
	{__LINE__, 0xf8bfc041, "ldapr x1, [x2]", "a64-rcpc"},
	{__LINE__, 0xd9c00822, "ldapr x2, [x1], #8", "a64-rcpc3"},
	{__LINE__, 0xd9401041, "ldapur x1, [x2, #1]", "a64-rcpc2"},
	{__LINE__, 0x1dc01821, "ldapur q1, [x1, #1]", "a64-rcpc3"},
	{__LINE__, 0xc89ffc41, "stlr x1, [x2]", "a64"},
	{__LINE__, 0xd9800822, "stlr x2, [x1, #-8]!", "a64-rcpc3"},
	{__LINE__, 0x6e83c441, "fcmla v1.4s, v2.4s, v3.4s, #0", "a64-fcma"},
	{__LINE__, 0x2e43e441, "fcadd v1.4h, v2.4h, v3.4h, #90", "a64-fcma"},
	{__LINE__, 0x1e7e0021, "fjcvtzs w1, d1", "a64-jscvt"},
	{__LINE__, 0xdac10041, "pacia x1, x2", "a64-pauth"},
	{__LINE__, 0xdac133e1, "autiza x1", "a64-pauth"},
	{__LINE__, 0xd65f0bff, "retaa", "a64-pauth"},
	{__LINE__, 0xf8200441, "ldraa x1, [x2]", "a64-pauth"},
	{__LINE__, 0xd503233f, "paciasp", "a64"},
	{__LINE__, 0x5500001f, "retaasppc 0x0", "a64-pauth-lr"},
	{__LINE__, 0xba000420, "rmif x1, #0, #0", "a64-flagm"},
	{__LINE__, 0xd500405f, "axflag", "a64-flagm2"},
	{__LINE__, 0x1e68c041, "frint32x d1, d2", "a64-frint"},
	{__LINE__, 0x4e839c41, "usdot v1.4s, v2.16b, v3.16b", "a64-i8mm"},
	{__LINE__, 0x6e43fc41, "bfdot v1.4s, v2.8h, v3.8h", "a64-bf16"},
	{__LINE__, 0xd50330ff, "sb", "a64-sb"},
	{__LINE__, 0x9ac31041, "irg x1, x2, x3", "a64-mte"},
	{__LINE__, 0xf83fd022, "ld64b x2, [x1]", "a64-ls64"},
	{__LINE__, 0xd5031001, "wfet x1", "a64-wfxt"},
	{__LINE__, 0x1d020461, "cpyp [x1]!, [x2]!, x3!", "a64-mops"},
	{__LINE__, 0x19c30441, "setp [x1]!, x2!, x3", "a64-mops"},
	{__LINE__, 0x54000010, "bc.eq 0x0", "a64-hbc"},
	{__LINE__, 0xdac02041, "abs x1, x2", "a64-cssc"},
	{__LINE__, 0x5ee0b841, "abs d1, d2", "a64"},
	{__LINE__, 0x11c00041, "smax w1, w2, #0", "a64-cssc"},
	{__LINE__, 0xdac01841, "ctz x1, x2", "a64-cssc"},
	{__LINE__, 0xd5600002, "mrrs x2, x3, S0_0_C0_C0_0", "a64-d128"},
	{__LINE__, 0x19210862, "rcwcas x1, x2, [x3]", "a64-the"},
	{__LINE__, 0x9b631041, "maddpt x1, x2, x3, x4", "a64-cpa"},
	{__LINE__, 0xd91f0c41, "gcsstr x1, [x2]", "a64-gcs"},
	{__LINE__, 0xd4600000, "tcancel #0", "a64-tme"},
	{__LINE__, 0xc0080000, "zero {}", "a64-sme"},
	{__LINE__, 0x8b030041, "add x1, x2, x3", "a64"},
	{__LINE__, 0xd4000001, "svc #0", "a64"},
	{__LINE__, 0x54000000, "b.eq 0x0", "a64"},
	{__LINE__, 0x3cc00421, "ldr q1, [x1], #0", "a64"},
	{__LINE__, 0x4c000821, "st4 { v1.4s, v2.4s, v3.4s, v4.4s }, [x1]", "a64"},
	{__LINE__, 0x65c08441, "fadd z1.d, p1/m, z1.d, z2.d", "a64-sve"},
	{__LINE__, 0xa5e24421, "ld1d { z1.d }, p1/z, [x1, x2, lsl #3]", "a64-sve"},
	{__LINE__, 0x04225001, "addvl x1, x2, #0", "a64-sve"},
	{__LINE__, 0x2518e001, "ptrue p1.b, pow2", "a64-sve"},
	{__LINE__, 0x25e21c21, "whilelo p1.d, x1, x2", "a64-sve"},
	{__LINE__, 0x25e21021, "whilege p1.d, x1, x2", "a64-sve2"},
	{__LINE__, 0x25225c32, "whilelo { p2.b, p3.b }, x1, x2", "a64-sve2p1"},
	{__LINE__, 0xe5226421, "st2w { z1.s, z2.s }, p1, [x1, x2, lsl #2]", "a64-sve"},
	{__LINE__, 0xa5a20421, "ld1rod { z1.d }, p1/z, [x1, x2, lsl #3]", "a64-sve-f64mm"},
	{__LINE__, 0xa0026022, "ld1d { z2.d, z3.d }, pn8/z, [x1, x2, lsl #3]", "a64-sve2p1"},
	{__LINE__, 0xa5028421, "ld1w { z1.q }, p1/z, [x1, x2, lsl #2]", "a64-sve2p1"},
	{__LINE__, 0x05233041, "tbl z1.b, { z2.b }, z3.b", "a64-sve"},
	{__LINE__, 0x05242841, "tbl z1.b, { z2.b, z3.b }, z4.b", "a64-sve2"},
	{__LINE__, 0x04900441, "mul z1.s, p1/m, z1.s, z2.s", "a64-sve"},
	{__LINE__, 0x25b0c001, "mul z1.s, z1.s, #0", "a64-sve"},
	{__LINE__, 0x44a3f841, "mul z1.s, z2.s, z3.s[0]", "a64-sve2"},
	{__LINE__, 0x04231041, "sqadd z1.b, z2.b, z3.b", "a64-sve"},
	{__LINE__, 0x44188441, "sqadd z1.b, p1/m, z1.b, z2.b", "a64-sve2"},
	{__LINE__, 0x44e30041, "sdot z1.d, z2.h, z3.h[0]", "a64-sve"},
	{__LINE__, 0x4483c841, "sdot z1.s, z2.h, z3.h[0]", "a64-sve2p1"},
	{__LINE__, 0x45039841, "smmla z1.s, z2.b, z3.b", "a64-sve-i8mm"},
	{__LINE__, 0x64634041, "bfdot z1.s, z2.h, z3.h[0]", "a64-sve-bf16"},
	{__LINE__, 0x64a3e441, "fmmla z1.s, z2.s, z3.s", "a64-sve-f32mm"},
	{__LINE__, 0x64e3e441, "fmmla z1.d, z2.d, z3.d", "a64-sve-f64mm"},
	{__LINE__, 0x4522e041, "aese z1.b, z1.b, z2.b", "a64-sve2-aes"},
	{__LINE__, 0x45036841, "pmullb z1.q, z2.d, z3.d", "a64-sve2-aes"},
	{__LINE__, 0x45c36841, "pmullb z1.d, z2.s, z3.s", "a64-sve2"},
	{__LINE__, 0x4503b441, "bdep z1.b, z2.b, z3.b", "a64-sve2-bitperm"},
	{__LINE__, 0x4523f441, "rax1 z1.d, z2.d, z3.d", "a64-sve2-sha3"},
	{__LINE__, 0x4523e041, "sm4e z1.s, z1.s, z2.s", "a64-sve2-sm4"},
	{__LINE__, 0x04a03441, "xar z1.d, z1.d, z2.d, #64", "a64-sve2"},
	{__LINE__, 0x45228821, "match p1.b, p2/z, z1.b, z2.b", "a64-sve2"},
	{__LINE__, 0xe5812441, "stnt1d { z1.d }, p1, [z2.d, x1]", "a64-sve2"},
	{__LINE__, 0xe590e421, "stnt1d { z1.d }, p1, [x1]", "a64-sve"},
	{__LINE__, 0x64a32441, "fclamp z1.s, z2.s, z3.s", "a64-sve2p1"},
	{__LINE__, 0xc1a4b002, "smax { z2.s, z3.s }, { z2.s, z3.s }, { z4.s, z5.s }", "a64-sme2"},
	{__LINE__, 0xc1e41c40, "bfadd za.h[w8, 0, vgx2], { z2.h, z3.h }", "a64-sme"},
	{__LINE__, 0x650a3c41, "fcvtnt z1.b, { z2.s, z3.s }", "a64-fp8"},
	{__LINE__, 0x81a24421, "fmopa za1.s, p1/m, p2/m, z1.h, z2.h", "a64-sme"},
	{__LINE__, 0xd503437f, "smstart sm", "a64-sme"},
	{__LINE__, 0xc0cc0041, "luti2 z1.b, zt0, z2[0]", "a64-sme"},
};
/* clang-format on */

static bool supports(const char *core, uint32_t word)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model;
	uint8_t bytes[4];
	struct takt_insn insn;
	bool supported = false;

	if (takt_decode(&takt_isa_aarch64, word_bytes(word, bytes), 4, ROW_ADDRESS, &insn) ==
		    TAKT_OK &&
	    takt_model_open(core, NULL, diag, &model) == TAKT_OK) {
		supported = takt_model_supports(model, &insn);
		takt_model_close(model);
	}
	takt_diag_free(diag);
	return supported;
}

static void test_cores(void)
{
	static const uint32_t add = 0x8b030041, ldaddal = 0xf8e20061, fadd_z = 0x65c08441,
			      whilege = 0x25e21021, fmopa = 0x81a24421;

	ok(supports("a72", add), "A72 has the base");
	ok(!supports("a72", ldaddal), "but no atomics");
	ok(supports("n1", ldaddal), "N1 has them");
	ok(!supports("n1", fadd_z), "but no SVE");
	ok(supports("a64fx", fadd_z), "A64FX has it");
	ok(!supports("a64fx", whilege), "but no SVE2");
	ok(supports("v2", whilege), "V2 has it");
	ok(!supports("v2", fmopa), "but no SME");
}

int main(void)
{
	if (!can_decode())
		return tap_skip_all(AARCH64_MODULE);
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		uint8_t bytes[4];
		struct takt_insn insn;

		if (takt_decode(&takt_isa_aarch64, word_bytes(rows[i].word, bytes), 4, ROW_ADDRESS,
				&insn) == TAKT_OK)
			tap_is_string(__FILE__, rows[i].line, takt_isa_set_name(insn.isa_set),
				      rows[i].set, rows[i].text);
		else
			tap_ok_at(__FILE__, rows[i].line, false, "%s decodes", rows[i].text);
	}
	test_cores();
	return tap_done();
}
