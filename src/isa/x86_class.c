/* SPDX-License-Identifier: MIT */
/*
 * Coarse classes of x86 instructions, for the defaults of forms that no table has. Zydis's
 * category decides where it can; vector arithmetic is classified by the stem of its mnemonic.
 */
#include <string.h>

#include "isa/x86.h"

const char *takt_class_word(enum takt_insn_class insn_class)
{
	static const char *const words[TAKT_CLASS_COUNT] = {
#define X(name, text) [name] = text,
		TAKT_CLASS_LIST(X)
#undef X
	};

	return (unsigned)insn_class < TAKT_CLASS_COUNT ? words[insn_class] : "?";
}

/*
 * Stems after an optional "v"; the first that fits decides. Integer products count
 * as fp-mul: cores compute them in the same units, with about the same latency.
 */
static const struct stem {
	const char *text;
	uint8_t insn_class;
} stems[] = {
	/* Integer operations: the rest of p… is plain arithmetic. */
	{"pmadd", TAKT_CLASS_FP_MUL},
	{"pmul", TAKT_CLASS_FP_MUL},
	{"pdp", TAKT_CLASS_FP_MUL},
	{"pshuf", TAKT_CLASS_VEC_SHUFFLE},
	{"punpck", TAKT_CLASS_VEC_SHUFFLE},
	{"pack", TAKT_CLASS_VEC_SHUFFLE},
	{"palignr", TAKT_CLASS_VEC_SHUFFLE},
	{"perm", TAKT_CLASS_VEC_SHUFFLE},
	{"pperm", TAKT_CLASS_VEC_SHUFFLE},
	{"pbroadcast", TAKT_CLASS_VEC_SHUFFLE},
	{"pinsr", TAKT_CLASS_VEC_SHUFFLE},
	{"pextr", TAKT_CLASS_VEC_SHUFFLE},
	{"pmovsx", TAKT_CLASS_VEC_SHUFFLE},
	{"pmovzx", TAKT_CLASS_VEC_SHUFFLE},
	{"pmov", TAKT_CLASS_CONVERT},
	{"pclmul", TAKT_CLASS_CRYPTO},
	{"pcompress", TAKT_CLASS_VEC_SHUFFLE},
	{"pexpand", TAKT_CLASS_VEC_SHUFFLE},
	{"pslldq", TAKT_CLASS_VEC_SHUFFLE},
	{"psrldq", TAKT_CLASS_VEC_SHUFFLE},
	{"pf2i", TAKT_CLASS_CONVERT},
	{"pi2f", TAKT_CLASS_CONVERT},
	{"pfrcp", TAKT_CLASS_FP_MUL},
	{"pfrsq", TAKT_CLASS_FP_MUL},
	{"pfmul", TAKT_CLASS_FP_MUL},
	{"pf", TAKT_CLASS_FP_ADD},
	{"p", TAKT_CLASS_VEC_INT},
	/* Moves of data between lanes. */
	{"shuf", TAKT_CLASS_VEC_SHUFFLE},
	{"unpck", TAKT_CLASS_VEC_SHUFFLE},
	{"insert", TAKT_CLASS_VEC_SHUFFLE},
	{"extr", TAKT_CLASS_VEC_SHUFFLE},
	{"broadcast", TAKT_CLASS_VEC_SHUFFLE},
	{"align", TAKT_CLASS_VEC_SHUFFLE},
	{"compress", TAKT_CLASS_VEC_SHUFFLE},
	{"expand", TAKT_CLASS_VEC_SHUFFLE},
	{"movsh", TAKT_CLASS_VEC_SHUFFLE},
	{"movsl", TAKT_CLASS_VEC_SHUFFLE},
	{"movdd", TAKT_CLASS_VEC_SHUFFLE},
	{"movhl", TAKT_CLASS_VEC_SHUFFLE},
	{"movlh", TAKT_CLASS_VEC_SHUFFLE},
	{"mov", TAKT_CLASS_MOVE},
	{"maskmov", TAKT_CLASS_MOVE},
	{"lddqu", TAKT_CLASS_MOVE},
	/* Floating-point operations: the rest adds, compares or rounds. */
	{"fm", TAKT_CLASS_FP_MUL},
	{"fn", TAKT_CLASS_FP_MUL},
	{"fcm", TAKT_CLASS_FP_MUL},
	{"mul", TAKT_CLASS_FP_MUL},
	{"dp", TAKT_CLASS_FP_MUL},
	{"4f", TAKT_CLASS_FP_MUL},
	{"rcp", TAKT_CLASS_FP_MUL},
	{"rsqrt", TAKT_CLASS_FP_MUL},
	{"scalef", TAKT_CLASS_FP_MUL},
	{"div", TAKT_CLASS_FP_DIV},
	{"sqrt", TAKT_CLASS_FP_DIV},
	{"cvt", TAKT_CLASS_CONVERT},
	{"blend", TAKT_CLASS_VEC_INT},
	{"and", TAKT_CLASS_VEC_INT},
	{"or", TAKT_CLASS_VEC_INT},
	{"xor", TAKT_CLASS_VEC_INT},
	{"test", TAKT_CLASS_VEC_INT},
	{"mpsadbw", TAKT_CLASS_VEC_INT},
	{"dbpsadbw", TAKT_CLASS_VEC_INT},
	{"aes", TAKT_CLASS_CRYPTO},
	{"sha", TAKT_CLASS_CRYPTO},
	{"gf2p8", TAKT_CLASS_CRYPTO},
};

static enum takt_insn_class vector_class(const struct takt_x86 *x86)
{
	const char *name = ZydisMnemonicGetString(x86->insn.mnemonic);

	if (*name == 'v')
		name++;
	for (size_t index = 0; index < TAKT_COUNT_OF(stems); index++) {
		if (*stems[index].text == *name &&
		    strncmp(stems[index].text, name, strlen(stems[index].text)) == 0)
			return (enum takt_insn_class)stems[index].insn_class;
	}
	return TAKT_CLASS_FP_ADD;
}

static enum takt_insn_class integer_class(const struct takt_x86 *x86)
{
	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MUL:
	case ZYDIS_MNEMONIC_IMUL:
	case ZYDIS_MNEMONIC_MULX:
	case ZYDIS_MNEMONIC_CRC32:
		return TAKT_CLASS_INT_MUL;
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return TAKT_CLASS_INT_DIV;
	case ZYDIS_MNEMONIC_MOV:
		return takt_x86_has_register(x86, TAKT_KIND_SREG, TAKT_KIND_DR) ? TAKT_CLASS_SYSTEM
										: TAKT_CLASS_MOVE;
	default:
		return TAKT_CLASS_INT;
	}
}

static enum takt_insn_class misc_class(const struct takt_x86 *x86)
{
	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_LEAVE:
	case ZYDIS_MNEMONIC_XLAT:
	case ZYDIS_MNEMONIC_CRC32: /* Zydis puts these under SSE */
	case ZYDIS_MNEMONIC_POPCNT:
		return integer_class(x86);
	case ZYDIS_MNEMONIC_VZEROALL:
	case ZYDIS_MNEMONIC_VZEROUPPER:
		return TAKT_CLASS_VEC_INT;
	default:
		return TAKT_CLASS_SYSTEM;
	}
}

enum takt_insn_class takt_x86_class(const struct takt_x86 *x86)
{
	bool vector = takt_x86_has_register(x86, TAKT_KIND_MM, TAKT_KIND_ZMM);

	if (takt_x86_is_nop(x86))
		return TAKT_CLASS_NOP;
	switch ((int)x86->insn.meta.category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_BMI1:
	case ZYDIS_CATEGORY_BMI2:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_CONVERT:
		return vector ? vector_class(x86) : integer_class(x86);
	case ZYDIS_CATEGORY_ADOX_ADCX:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_FLAGOP:
	case ZYDIS_CATEGORY_LZCNT:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_SEMAPHORE:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_TBM:
		return TAKT_CLASS_INT;
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_MOVDIR:
		return TAKT_CLASS_MOVE;
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
		return TAKT_CLASS_BRANCH;
	case ZYDIS_CATEGORY_KMASK:
		return TAKT_CLASS_MASK;
	case ZYDIS_CATEGORY_X87_ALU:
	case ZYDIS_CATEGORY_FCMOV:
		return TAKT_CLASS_X87;
	case ZYDIS_CATEGORY_AES:
	case ZYDIS_CATEGORY_VAES:
	case ZYDIS_CATEGORY_SHA:
	case ZYDIS_CATEGORY_GFNI:
	case ZYDIS_CATEGORY_PCLMULQDQ:
	case ZYDIS_CATEGORY_VPCLMULQDQ:
		return TAKT_CLASS_CRYPTO;
	case ZYDIS_CATEGORY_GATHER:
	case ZYDIS_CATEGORY_AVX2GATHER:
	case ZYDIS_CATEGORY_SCATTER:
		return TAKT_CLASS_GATHER;
	case ZYDIS_CATEGORY_STRINGOP:
		return TAKT_CLASS_STRING;
	default:
		return vector ? vector_class(x86) : misc_class(x86);
	}
}
