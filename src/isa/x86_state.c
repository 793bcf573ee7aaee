/* SPDX-License-Identifier: MIT */
/*
 * Accesses of x86-64 instructions to state that is no operand: flag groups, MXCSR, the x87
 * stack and status, and the register files that some instructions save, restore or clear.
 */
#include "isa/x86.h"

/* ---- flags ------------------------------------------------------------ */

#define SZAP_BITS (ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_PF)

static const struct flag_group {
	uint32_t bits;
	uint8_t location;
} flag_groups[] = {
	{ZYDIS_CPUFLAG_CF, TAKT_LOC_CF},
	{ZYDIS_CPUFLAG_OF, TAKT_LOC_OF},
	{SZAP_BITS, TAKT_LOC_SZAP},
	{ZYDIS_CPUFLAG_DF, TAKT_LOC_DF},
};

struct flag_roles {
	uint32_t read, written;
	bool maybe; /* the write is conditional */
};

static bool is_shift(const struct takt_x86 *x86)
{
	return x86->insn.meta.category == ZYDIS_CATEGORY_SHIFT ||
	       x86->insn.meta.category == ZYDIS_CATEGORY_ROTATE;
}

/* True for a shift by an immediate of zero, which leaves the flags alone. */
static bool is_zero_shift(const struct takt_x86 *x86)
{
	unsigned mask = x86->insn.operand_width == 64 ? 63 : 31;
	const ZydisDecodedOperand *count;

	if (!is_shift(x86))
		return false;
	count = &x86->operands[x86->insn.operand_count_visible - 1];
	return count->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && (count->imm.value.u & mask) == 0;
}

/* True if the flags are written conditionally: a count in cl, or that of rep, may be zero. */
static bool is_conditional(const struct takt_x86 *x86)
{
	for (unsigned index = x86->insn.operand_count; index-- > x86->insn.operand_count_visible;) {
		const ZydisDecodedOperand *operand = &x86->operands[index];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operand->reg.value == ZYDIS_REGISTER_RFLAGS)
			return operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE;
	}
	return false;
}

static struct flag_roles flag_roles(const struct takt_x86 *x86)
{
	const ZydisAccessedFlags *flags = x86->insn.cpu_flags;
	struct flag_roles roles = {
		.read = flags->tested,
		.written = flags->modified | flags->set_0 | flags->set_1 | flags->undefined,
		.maybe = is_conditional(x86),
	};

	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_BT: /* bt… keep the undefined flags on every core */
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTS:
		roles.written = ZYDIS_CPUFLAG_CF;
		break;
	case ZYDIS_MNEMONIC_VPTEST: /* these clear the flags that Zydis leaves out */
	case ZYDIS_MNEMONIC_VTESTPD:
	case ZYDIS_MNEMONIC_VTESTPS:
		roles.written = ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_OF | SZAP_BITS;
		break;
	default:
		break;
	}
	if (is_zero_shift(x86))
		roles.read = roles.written = 0;
	return roles;
}

static void add_flags(const struct takt_x86 *x86, struct takt_insn *insn)
{
	struct flag_roles roles = flag_roles(x86);

	for (size_t index = 0; index < TAKT_COUNT_OF(flag_groups); index++) {
		const struct flag_group *group = &flag_groups[index];
		uint32_t written = roles.written & group->bits;
		unsigned flags = roles.read & group->bits ? TAKT_READ : 0;

		if (written)
			flags |= TAKT_WRITE;
		if (written && (written != group->bits || roles.maybe))
			flags |= TAKT_READ | TAKT_MERGE;
		if (flags)
			takt_insn_add_access(insn, group->location, TAKT_SLOT_FLAGS,
					     flags | TAKT_HIDDEN, 1);
	}
}

/* ---- MXCSR ------------------------------------------------------------ */

/*
 * True for arithmetic that rounds or flushes denormals, which reads MXCSR; Zydis does not
 * say so. These are the exception classes that can raise SIMD floating-point exceptions.
 */
static bool reads_mxcsr(const struct takt_x86 *x86)
{
	switch ((int)x86->insn.meta.exception_class) {
	case ZYDIS_EXCEPTION_CLASS_SSE2:
	case ZYDIS_EXCEPTION_CLASS_SSE3:
	case ZYDIS_EXCEPTION_CLASS_AVX2:
	case ZYDIS_EXCEPTION_CLASS_AVX3:
	case ZYDIS_EXCEPTION_CLASS_AVX11:
	case ZYDIS_EXCEPTION_CLASS_E2:
	case ZYDIS_EXCEPTION_CLASS_E3:
	case ZYDIS_EXCEPTION_CLASS_E11:
		return true;
	default:
		return false;
	}
}

/* ---- x87 -------------------------------------------------------------- */

static int x87_top_delta(ZydisMnemonic mnemonic)
{
	switch ((int)mnemonic) {
	case ZYDIS_MNEMONIC_FLD:
	case ZYDIS_MNEMONIC_FILD:
	case ZYDIS_MNEMONIC_FBLD:
	case ZYDIS_MNEMONIC_FLD1:
	case ZYDIS_MNEMONIC_FLDL2E:
	case ZYDIS_MNEMONIC_FLDL2T:
	case ZYDIS_MNEMONIC_FLDLG2:
	case ZYDIS_MNEMONIC_FLDLN2:
	case ZYDIS_MNEMONIC_FLDPI:
	case ZYDIS_MNEMONIC_FLDZ:
	case ZYDIS_MNEMONIC_FPTAN:
	case ZYDIS_MNEMONIC_FSINCOS:
	case ZYDIS_MNEMONIC_FXTRACT:
	case ZYDIS_MNEMONIC_FDECSTP:
		return -1;
	case ZYDIS_MNEMONIC_FSTP:
	case ZYDIS_MNEMONIC_FSTPNCE:
	case ZYDIS_MNEMONIC_FISTP:
	case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_FBSTP:
	case ZYDIS_MNEMONIC_FADDP:
	case ZYDIS_MNEMONIC_FSUBP:
	case ZYDIS_MNEMONIC_FSUBRP:
	case ZYDIS_MNEMONIC_FMULP:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FCOMP:
	case ZYDIS_MNEMONIC_FCOMIP:
	case ZYDIS_MNEMONIC_FUCOMP:
	case ZYDIS_MNEMONIC_FUCOMIP:
	case ZYDIS_MNEMONIC_FICOMP:
	case ZYDIS_MNEMONIC_FFREEP:
	case ZYDIS_MNEMONIC_FPATAN:
	case ZYDIS_MNEMONIC_FYL2X:
	case ZYDIS_MNEMONIC_FYL2XP1:
	case ZYDIS_MNEMONIC_FINCSTP:
		return 1;
	case ZYDIS_MNEMONIC_FCOMPP:
	case ZYDIS_MNEMONIC_FUCOMPP:
		return 2;
	default:
		return 0;
	}
}

/*
 * Return the access to the x87 status. In Zydis every x87 instruction writes the status word,
 * which would serialize all x87 code. Only accesses that an instruction may wait for are kept:
 * comparisons and control-word loads write it, stores of the status or control word read it.
 */
static unsigned x87_status_flags(const struct takt_x86 *x86)
{
	const uint32_t conditions = ZYDIS_FPUFLAG_C0 | ZYDIS_FPUFLAG_C2 | ZYDIS_FPUFLAG_C3;

	switch ((int)x86->insn.mnemonic) {
	case ZYDIS_MNEMONIC_FNSTSW:
	case ZYDIS_MNEMONIC_FNSTCW:
	case ZYDIS_MNEMONIC_FNSTENV:
		return TAKT_READ;
	case ZYDIS_MNEMONIC_FNSAVE:
		return TAKT_READ | TAKT_WRITE;
	case ZYDIS_MNEMONIC_FLDCW:
	case ZYDIS_MNEMONIC_FNCLEX:
		return TAKT_READ | TAKT_WRITE | TAKT_MERGE; /* each writes half of the state */
	default:
		return x86->insn.fpu_flags->modified & conditions ? TAKT_WRITE : 0;
	}
}

static void add_x87(const struct takt_x86 *x86, struct takt_insn *insn)
{
	unsigned flags = x87_status_flags(x86);

	insn->x87_top_delta = (int8_t)x87_top_delta(x86->insn.mnemonic);
	if (flags)
		takt_insn_add_access(insn, TAKT_LOC_X87_STATUS,
				     TAKT_SLOT_IMPLICIT + TAKT_LOC_X87_STATUS, flags | TAKT_HIDDEN,
				     2);
}

/* ---- whole register files --------------------------------------------- */

static void add_locations(struct takt_insn *insn, unsigned first, unsigned count, unsigned flags,
			  unsigned size_bytes)
{
	for (unsigned location = first; location < first + count; location++)
		takt_insn_add_access(insn, location, TAKT_SLOT_IMPLICIT + location,
				     flags | TAKT_HIDDEN, size_bytes);
}

/* Add the registers of save and restore: fxsave reads all x87 and vector registers. */
static void add_state(const struct takt_x86 *x86, struct takt_insn *insn)
{
	ZydisInstructionAttributes attributes = x86->insn.attributes;
	unsigned x87 = 0, vectors = 0;

	if (attributes & ZYDIS_ATTRIB_FPU_STATE_CR)
		x87 |= TAKT_READ;
	if (attributes & ZYDIS_ATTRIB_FPU_STATE_CW)
		x87 |= TAKT_WRITE;
	if (attributes & ZYDIS_ATTRIB_XMM_STATE_CR)
		vectors |= TAKT_READ;
	if (attributes & ZYDIS_ATTRIB_XMM_STATE_CW)
		vectors |= TAKT_WRITE;
	/* vzeroupper keeps all low halves, and on no core does an instruction wait for it. */
	if (x86->insn.mnemonic == ZYDIS_MNEMONIC_VZEROUPPER)
		vectors = 0;
	if (vectors) {
		bool avx = x86->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX;

		add_locations(insn, TAKT_LOC_VECTOR, 16, vectors, avx ? 32 : 16);
		if (!avx)
			add_locations(insn, TAKT_LOC_MXCSR, 1, vectors, 4);
	}
	if (x87) {
		/* fninit and emms empty the stack but leave the values. */
		if (vectors || x86->insn.operand_count_visible > 0)
			add_locations(insn, TAKT_LOC_X87, 8, x87, 10);
		add_locations(insn, TAKT_LOC_X87_STATUS, 1, x87, 2);
	}
}

void takt_x86_add_state_roles(const struct takt_x86 *x86, struct takt_insn *insn)
{
	const ZydisInstructionAttributes files =
		ZYDIS_ATTRIB_FPU_STATE_CR | ZYDIS_ATTRIB_FPU_STATE_CW | ZYDIS_ATTRIB_XMM_STATE_CR |
		ZYDIS_ATTRIB_XMM_STATE_CW;

	if (x86->insn.attributes & ZYDIS_ATTRIB_CPUFLAG_ACCESS)
		add_flags(x86, insn);
	if (reads_mxcsr(x86))
		takt_insn_add_access(insn, TAKT_LOC_MXCSR, TAKT_SLOT_IMPLICIT + TAKT_LOC_MXCSR,
				     TAKT_READ | TAKT_HIDDEN, 4);
	if (takt_x86_is_x87(x86))
		add_x87(x86, insn);
	if (x86->insn.attributes & files)
		add_state(x86, insn);
}
