/* SPDX-License-Identifier: MIT */
/*
 * ISA sets of AArch64 instructions: rules over mnemonics and operand kinds, of which the first
 * that matches counts. LLVM knows the sets, but has no interface for them. The rules were tested
 * over all of LLVM's opcodes: they agree with what it refuses to decode for a processor.
 */
#include <string.h>

#include "isa/aarch64.h"

enum set {
#define X(constant, name) constant,
#include "isa/aarch64_sets.def"
#undef X
};

/* In patterns, * matches any text and ? one character; blanks separate alternatives. */
struct rule {
	const char *names;
	const char *kinds; /* at least one operand has such a kind; NULL: any operands */
	enum set set;
};

/* Rules for instructions without predicates, scalable vectors or matrices. */
static const struct rule plain_rules[] = {
	{"crc32*", NULL, CRC},
	{"aes*", NULL, AES},
	{"pmull pmull2", "v.1q", AES},
	{"sha1* sha256*", NULL, SHA2},
	{"sha512* eor3 bcax rax1 xar", NULL, SHA3},
	{"sm3* sm4*", NULL, SM4},
	{"swpp* ldclrp* ldsetp*", NULL, LSE128},
	{"cas* swp* ldadd* ldclr* ldeor* ldset* ldsmax* ldsmin* ldumax* ldumin* "
	 "stadd* stclr* steor* stset* stsmax* stsmin* stumax* stumin*",
	 NULL, LSE},
	{"ldlar* stllr*", NULL, LOR},
	{"sqrdmlah sqrdmlsh", NULL, RDM},
	{"sdot udot", NULL, DOTPROD},
	{"smmla ummla usmmla sudot usdot", NULL, I8MM},
	{"bfcvt bfcvtn bfcvtn2 bfdot bfmlalb bfmlalt bfmmla", NULL, BF16},
	{"ldapr stlr", "*! [x],*", RCPC3},
	{"ldapur stlur", "b h s d q", RCPC3},
	{"ldap1 stl1 ldiapp stilp", NULL, RCPC3},
	{"ldapr*", NULL, RCPC},
	{"ldapur* stlur*", NULL, RCPC2},
	{"fcadd fcmla", NULL, FCMA},
	{"fjcvtzs", NULL, JSCVT},
	{"*sppc* autia171615 autib171615 pacia171615 pacib171615", NULL, PAUTH_LR},
	/* Names that end in sp, z and 1716 are hints. */
	{"pacda pacdb pacdz? pacia pacib paciz? pacga autda autdb autdz? autia autib autiz? "
	 "xpacd xpaci braa* brab* blraa* blrab* retaa retab eretaa eretab ldraa ldrab",
	 NULL, PAUTH},
	{"cfinv rmif setf8 setf16", NULL, FLAGM},
	{"axflag xaflag", NULL, FLAGM2},
	{"frint32? frint64?", NULL, FRINT},
	{"sb", NULL, SB},
	{"addg subg gmi irg subp subps ldg ldgm stg stgm stgp st2g stzg stzgm stz2g", NULL, MTE},
	{"ld64b st64b*", NULL, LS64},
	{"wfet wfit", NULL, WFXT},
	{"cpye* cpyf* cpym* cpyp* sete* setp* setm* setg*", NULL, MOPS},
	{"bc.cond", NULL, HBC},
	{"abs cnt smax smin umax umin", "w x", CSSC},
	{"ctz", NULL, CSSC},
	{"mrrs msrr sysp", NULL, D128},
	{"rcw*", NULL, THE},
	{"addpt subpt maddpt msubpt", NULL, CPA},
	{"gcs*", NULL, GCS},
	{"tstart tcommit tcancel ttest", NULL, TME},
	{"fmlal fmlal2 fmlsl fmlsl2", "v.2s v.4s", FHM},
	{"f1cvt* f2cvt* bf1cvt* bf2cvt* famax famin fscale luti* fdot fmlal*", NULL, FP8},
	{"fcvtn fcvtn2", "v.8b v.16b", FP8},
	{"fcvt fcvtl* fcvtn fcvtn2 fcvtxn*", NULL, BASE},
	{"f* scvtf ucvtf", "h v.?h v.h[]", FP16},
	{"addpl addvl rdvl cntb cnth cntw cntd incb inch incw incd decb dech decw decd sqinc* "
	 "sqdec* uqinc* uqdec* ctermeq ctermne setffr",
	 NULL, SVE},
	{"addspl addsvl rdsvl zero smst*", NULL, SME},
	{"*", NULL, BASE},
};

static const struct rule scalable_rules[] = {
	{"*", "za* zt*", SME},
	/* Some of the strided lists belong to SME2. No core has one of the two sets alone. */
	{"*", "pn* {p.*", SVE2P1},
	{"ld2q ld3q ld4q st2q st3q st4q", NULL, SVE2P1},
	{"ld2? ld3? ld4? st2? st3? st4?", NULL, SVE},
	{"ld1? st1?", "{z.q}", SVE2P1},
	{"ld1ro?", NULL, SVE_F64MM},
	{"ldnt1s* ldnt1? stnt1?", "[z.*", SVE2},
	{"ldnt1s*", NULL, SVE2},
	{"tbl ext splice", "{z*?2}", SVE2},
	{"sqcvt*n uqcvtn sqrshrn sqrshrun uqrshrn", "{z.?*2}", SVE2P1},
	{"bf?cvt* f?cvt* fcvtnb fmlall?? luti? famax famin", NULL, FP8},
	{"fcvtnt fdot fmlalb fmlalt", "z.b*", FP8},
	{"*", "{z*?2} {z*?4}", SME2},
	{"aes*", NULL, SVE2_AES},
	{"pmullb pmullt", "z.q", SVE2_AES},
	{"bdep bext bgrp", NULL, SVE2_BITPERM},
	{"rax1", NULL, SVE2_SHA3},
	{"sm4*", NULL, SVE2_SM4},
	{"smmla ummla usmmla sudot usdot", NULL, SVE_I8MM},
	{"bfcvt bfcvtnt bfdot bfmlalb bfmlalt bfmmla", NULL, SVE_BF16},
	{"fmmla", "z.s", SVE_F32MM},
	{"fmmla", NULL, SVE_F64MM},
	{"trn? uzp? zip?", "z.q", SVE_F64MM},
	{"addpt subpt madpt mlapt", NULL, CPA},
	{"bfadd bfsub bfmul bfmla bfmls bfmax* bfmin* bfclamp", NULL, SVE_B16B16},
	{"sdot udot", "z.d", SVE},
	{"sdot udot", "z.h*", SVE2P1},
	{"addqv andqv eorqv orqv faddqv fmaxqv fmaxnmqv fminqv fminnmqv smaxqv sminqv umaxqv "
	 "uminqv bfmlslb bfmlslt dupq extq fdot ld1q st1q pext pmov psel revd tblq tbxq uzpq? "
	 "zipq? sclamp uclamp fclamp",
	 NULL, SVE2P1},
	{"mla mls mul smulh umulh", "p/m", SVE},
	{"mul", "i", SVE},
	{"mla mls mul smulh umulh", NULL, SVE2},
	{"sqadd sqsub uqadd uqsub", "p/m", SVE2},
	{"adclb adclt addhnb addhnt addp bcax bsl bsl1n bsl2n cadd cdot cmla eor3 eorbt eortb "
	 "faddp fcvtlt fcvtnt fcvtx fcvtxnt flogb fmaxnmp fmaxp fminnmp fminp fmlalb fmlalt "
	 "fmlslb fmlslt histcnt histseg match nbsl nmatch pmul pmullb pmullt raddhn? rshrn? "
	 "rsubhn? saba* sabdl? sadalp saddl* saddw? sbcl? shadd shrn? shsub* sli smaxp sminp "
	 "smlal? smlsl? smull? sqabs sqcadd sqdml* sqdmul* sqneg sqrdc* sqrdm* sqrsh* sqsh* "
	 "sqsubr sqxt* srhadd sri srsh* srsra sshll? ssra ssubl* ssubw? subhn? suqadd tbx "
	 "uaba* uabdl? uadalp uaddl? uaddw? uhadd uhsub* umaxp uminp umlal? umlsl? umull? "
	 "uqrsh* uqsh* uqsubr uqxt* urecpe urhadd ursh* ursqrte ursra ushll? usqadd usra "
	 "usubl? usubw? whilege whilegt whilehi whilehs whilerw whilewr xar",
	 NULL, SVE2},
	{"*", NULL, SVE},
};

/* ---- patterns ------------------------------------------------------------------------- */

/* True if the pattern, which ends at a blank or with its string, matches all of `text`. */
static bool matches(const char *pattern, const char *text)
{
	for (; *pattern && *pattern != ' '; pattern++, text++) {
		if (*pattern == '*') {
			for (; *text; text++)
				if (matches(pattern + 1, text))
					return true;
			return !pattern[1] || pattern[1] == ' ';
		}
		if (!*text || (*pattern != '?' && *pattern != *text))
			return false;
	}
	return !*text;
}

static bool matches_one(const char *patterns, const char *text)
{
	for (; patterns; patterns = strchr(patterns, ' ')) {
		patterns += *patterns == ' ';
		if (matches(patterns, text))
			return true;
	}
	return false;
}

static bool has_kind(const struct takt_aarch64 *a64, const char *patterns)
{
	for (unsigned i = 0; i < a64->operand_count; i++)
		if (matches_one(patterns, takt_kind_text(a64->operands[i].kind)))
			return true;
	return false;
}

static bool is_scalable(const struct takt_aarch64 *a64)
{
	for (unsigned i = 0; i < a64->operand_count; i++) {
		const char *kind = takt_kind_text(a64->operands[i].kind);

		kind += *kind == '{';
		if (*kind == 'z' || *kind == 'p')
			return true;
	}
	return false;
}

static const struct rule *first_rule(const struct takt_aarch64 *a64, bool scalable,
				     struct takt_aarch64_set_cache *cache)
{
	const struct rule *rules = scalable ? scalable_rules : plain_rules;
	_Atomic uint8_t *cached = &cache->first[a64->mnemonic][scalable];
	unsigned count = atomic_load_explicit(cached, memory_order_relaxed);

	if (count == 0) {
		while (!matches_one(rules[count].names, a64->name))
			count++;
		count++;
		atomic_store_explicit(cached, (uint8_t)count, memory_order_relaxed);
	}
	return &rules[count - 1];
}

uint16_t takt_aarch64_set(const struct takt_aarch64 *a64, struct takt_aarch64_set_cache *cache)
{
	const struct rule *rule = first_rule(a64, is_scalable(a64), cache);

	while (rule->kinds && !has_kind(a64, rule->kinds))
		do
			rule++;
		while (!matches_one(rule->names, a64->name));
	return takt_aarch64_set_number(rule->set);
}
