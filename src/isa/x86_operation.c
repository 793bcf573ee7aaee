/* SPDX-License-Identifier: MIT */
/* Operations on integers, by mnemonic, and operands of x86-64 in written order. */
#include <Zydis/Zydis.h>

#include "isa/x86.h"

/* [ZydisMnemonic] its operation; mnemonics that are missing are unknown. */
static const uint8_t operations[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
#define IS(mnemonic, operation) [ZYDIS_MNEMONIC_##mnemonic] = TAKT_OPERATION_##operation
#define FOR_CONDITIONS(name, operation)                                                            \
	IS(name##O, operation), IS(name##NO, operation), IS(name##B, operation),                   \
		IS(name##NB, operation), IS(name##Z, operation), IS(name##NZ, operation),          \
		IS(name##BE, operation), IS(name##NBE, operation), IS(name##S, operation),         \
		IS(name##NS, operation), IS(name##P, operation), IS(name##NP, operation),          \
		IS(name##L, operation), IS(name##NL, operation), IS(name##LE, operation),          \
		IS(name##NLE, operation)
	IS(NOP, NONE),
	IS(ENDBR64, NONE),
	IS(ENDBR32, NONE),
	IS(JMP, NONE),
	FOR_CONDITIONS(J, NONE),
	IS(MOV, MOVE),
	IS(MOVNTI, MOVE),
	IS(MOVZX, MOVE),
	IS(MOVSX, MOVE_SIGNED),
	IS(MOVSXD, MOVE_SIGNED),
	IS(LEA, ADDRESS),
	IS(ADD, ADD),
	IS(ADC, ADD_CARRY),
	IS(SUB, SUBTRACT),
	IS(SBB, SUBTRACT_BORROW),
	IS(CMP, COMPARE),
	IS(INC, INCREMENT),
	IS(DEC, DECREMENT),
	IS(NEG, NEGATE),
	IS(NOT, NOT),
	IS(AND, AND),
	IS(TEST, TEST),
	IS(OR, OR),
	IS(XOR, XOR),
	IS(ANDN, AND_NOT),
	IS(SHL, SHIFT_LEFT),
	IS(SHLX, SHIFT_LEFT),
	IS(SHR, SHIFT_RIGHT),
	IS(SHRX, SHIFT_RIGHT),
	IS(SAR, SHIFT_SIGNED),
	IS(SARX, SHIFT_SIGNED),
	IS(ROL, ROTATE_LEFT),
	IS(ROR, ROTATE_RIGHT),
	IS(RORX, ROTATE_RIGHT),
	IS(IMUL, MULTIPLY),
	IS(MUL, MULTIPLY_WIDE),
	IS(XCHG, EXCHANGE),
	IS(XADD, EXCHANGE_ADD),
	IS(BSWAP, BYTE_SWAP),
	IS(MOVBE, BYTE_SWAP),
	IS(CBW, WIDEN_SIGN),
	IS(CWDE, WIDEN_SIGN),
	IS(CDQE, WIDEN_SIGN),
	IS(CWD, SPREAD_SIGN),
	IS(CDQ, SPREAD_SIGN),
	IS(CQO, SPREAD_SIGN),
	IS(PUSH, PUSH),
	IS(POP, POP),
	IS(LEAVE, LEAVE),
	FOR_CONDITIONS(CMOV, SELECT),
	FOR_CONDITIONS(SET, SET),
	IS(BLSI, ISOLATE_LOWEST),
	IS(BLSR, CLEAR_LOWEST),
	IS(BLSMSK, MASK_LOWEST),
	IS(BZHI, CLEAR_HIGH),
	IS(POPCNT, COUNT_ONES),
	IS(LZCNT, COUNT_LEADING),
	IS(TZCNT, COUNT_TRAILING),
	IS(BT, BIT_TEST),
	IS(BTS, BIT_SET),
	IS(BTR, BIT_RESET),
	IS(BTC, BIT_COMPLEMENT),
#undef FOR_CONDITIONS
#undef IS
};

enum takt_operation takt_x86_operation(const struct takt_insn *insn)
{
	struct takt_form form = takt_form_unpack(insn->form);
	enum takt_operation operation = TAKT_OPERATION_UNKNOWN;

	if (form.mnemonic < TAKT_COUNT_OF(operations))
		operation = (enum takt_operation)operations[form.mnemonic];
	/* The class decides, since movsd and cmpsd are also names of vector instructions. */
	if (insn->insn_class == TAKT_CLASS_STRING)
		return form.flags & (TAKT_FORM_REP | TAKT_FORM_REPNE) ? TAKT_OPERATION_UNKNOWN
								      : TAKT_OPERATION_STRING;
	if (operation == TAKT_OPERATION_MULTIPLY && !form.kinds[1])
		return TAKT_OPERATION_MULTIPLY_WIDE_SIGNED;
	/* A bit in memory may lie outside the operand. */
	if (operation >= TAKT_OPERATION_BIT_TEST && operation <= TAKT_OPERATION_BIT_COMPLEMENT &&
	    insn->memory_count)
		return TAKT_OPERATION_UNKNOWN;
	return operation;
}

static uint8_t find_memory(const struct takt_insn *insn, unsigned slot)
{
	for (uint8_t m = 0; m < insn->memory_count; m++)
		if (insn->memories[m].slot == slot)
			return m;
	return TAKT_MEMORIES_MAX;
}

static struct takt_operand find_register(const struct takt_insn *insn, unsigned slot)
{
	for (unsigned a = 0; a < insn->access_count; a++) {
		const struct takt_access *access = &insn->accesses[a];

		if (access->slot == slot && access->location)
			return (struct takt_operand){.type = TAKT_OPERAND_REGISTER,
						     .location = access->location,
						     .size_bytes = access->size_bytes};
	}
	return (struct takt_operand){.type = TAKT_OPERAND_NONE};
}

void takt_x86_operands(const struct takt_insn *insn,
		       struct takt_operand ret_operands[TAKT_FORM_OPERANDS_MAX])
{
	struct takt_form form = takt_form_unpack(insn->form);

	for (unsigned slot = 0; slot < TAKT_FORM_OPERANDS_MAX; slot++) {
		struct takt_operand *operand = &ret_operands[slot];
		uint8_t kind = form.kinds[slot];

		*operand = (struct takt_operand){.type = TAKT_OPERAND_NONE};
		if (!kind)
			continue;
		if (kind == TAKT_KIND_ONE || (kind >= TAKT_KIND_I8 && kind <= TAKT_KIND_I64)) {
			operand->type = TAKT_OPERAND_IMMEDIATE;
			operand->immediate = kind == TAKT_KIND_ONE ? 1 : insn->immediate;
			operand->size_bytes = insn->immediate_size_bytes;
		} else if (kind >= TAKT_KIND_M8) {
			uint8_t memory = find_memory(insn, slot);

			if (memory == TAKT_MEMORIES_MAX)
				continue;
			operand->type = TAKT_OPERAND_MEMORY;
			operand->memory = memory;
			operand->size_bytes =
				(uint8_t)(insn->memories[memory].size_bytes > 64
						  ? 64
						  : insn->memories[memory].size_bytes);
		} else {
			*operand = find_register(insn, slot);
		}
	}
}
