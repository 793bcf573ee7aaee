/* SPDX-License-Identifier: MIT */
/* Instructions whose result is one register plus a constant, and plain exchanges. */
#include <Zydis/Zydis.h>

#include "isa/x86.h"

static uint8_t written_register(const struct takt_insn *insn, unsigned slot)
{
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->slot == slot && access->flags & TAKT_WRITE && access->size_bytes == 8 &&
		    takt_location_is_gpr(access->location))
			return access->location;
	}
	return TAKT_LOC_NONE;
}

static uint8_t read_register(const struct takt_insn *insn, unsigned slot)
{
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].slot == slot && insn->accesses[i].flags & TAKT_READ &&
		    insn->accesses[i].size_bytes == 8)
			return insn->accesses[i].location;
	return TAKT_LOC_NONE;
}

bool takt_x86_is_affine(const struct takt_insn *insn, struct takt_affine *ret_affine)
{
	struct takt_affine affine = {.destination = written_register(insn, TAKT_SLOT_1)};
	const struct takt_memory *memory = insn->memories;

	if (!affine.destination)
		return false;
	affine.source = affine.destination;
	switch ((int)takt_form_unpack(insn->form).mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (!(insn->flags & TAKT_INSN_HAS_IMM))
			return false;
		affine.addend = insn->immediate;
		if (takt_form_unpack(insn->form).mnemonic == ZYDIS_MNEMONIC_SUB)
			affine.addend = (int64_t) - (uint64_t)affine.addend;
		affine.immediate_add = true;
		break;
	case ZYDIS_MNEMONIC_INC:
		affine.addend = 1;
		affine.immediate_add = true;
		break;
	case ZYDIS_MNEMONIC_DEC:
		affine.addend = -1;
		affine.immediate_add = true;
		break;
	case ZYDIS_MNEMONIC_MOV:
		affine.source = read_register(insn, TAKT_SLOT_1 + 1);
		if (!affine.source || affine.source >= TAKT_LOC_HIGH8)
			return false;
		break;
	case ZYDIS_MNEMONIC_LEA:
		if (memory->index || memory->rip_relative || !memory->base ||
		    memory->address_size_bytes != 8)
			return false;
		affine.source = memory->base;
		affine.addend = memory->displacement;
		affine.immediate_add = true;
		break;
	default:
		return false;
	}
	*ret_affine = affine;
	return true;
}

bool takt_insn_is_exchange(const struct takt_insn *insn)
{
	int mnemonic = takt_form_unpack(insn->form).mnemonic;

	return insn->isa == &takt_isa_x86 &&
	       (mnemonic == ZYDIS_MNEMONIC_XCHG || mnemonic == ZYDIS_MNEMONIC_FXCH) &&
	       !insn->memory_count;
}
