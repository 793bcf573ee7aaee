/* SPDX-License-Identifier: MIT */
/* Decodes instructions for their accesses: which operands, masks and indices they have. */
#include "trace/native/operands.h"

#include <string.h>

/* ---- names ---- */

/*
 * Return the size of a vector's elements, which the end of the mnemonic names. Names that begin
 * with vp are of integers: vpcompressd has no scalar of type sd.
 */
static uint8_t element_size(const char *mnemonic)
{
	static const struct {
		const char *end;
		uint8_t size_bytes;
	} names[] = {
		{"ps", 4}, {"ss", 4}, {"pd", 8}, {"sd", 8}, {"ph", 2}, {"sh", 2}, {"16", 2},
		{"32", 4}, {"64", 8}, {"8", 1},	 {"b", 1},  {"w", 2},  {"d", 4},  {"q", 8},
	};
	size_t first = takt_string_starts(mnemonic, "vp") && !takt_string_starts(mnemonic, "vperm")
			       ? 6
			       : 0;

	for (size_t i = first; i < TAKT_COUNT_OF(names); i++)
		if (takt_string_ends(mnemonic, names[i].end))
			return names[i].size_bytes;
	return 8;
}

/* ---- the parts of an instruction ---- */

static uint8_t location_in(const struct takt_insn *insn, unsigned slot)
{
	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].slot == slot && insn->accesses[i].location != TAKT_LOC_NONE)
			return insn->accesses[i].location;
	return TAKT_LOC_NONE;
}

static uint16_t operand_size(const struct takt_form *form, unsigned operand)
{
	return takt_kind_size_bytes((enum takt_operand_kind)form->kinds[operand]);
}

static uint16_t index_vector_size(const struct takt_form *form)
{
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		switch ((int)form->kinds[i]) {
		case TAKT_KIND_MXMM:
			return 16;
		case TAKT_KIND_MYMM:
			return 32;
		case TAKT_KIND_MZMM:
			return 64;
		default:
			break;
		}
	return 0;
}

/* Set how a gather or scatter finds its elements. */
static void set_elements(const struct takt_insn *insn, const struct takt_form *form,
			 const char *mnemonic, struct native_insn *made)
{
	const char *kind = strstr(mnemonic, "gather");
	uint16_t vector = 0, indices = index_vector_size(form);

	if (kind)
		kind += strlen("gather");
	else if ((kind = strstr(mnemonic, "scatter")) != NULL)
		kind += strlen("scatter");
	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (form->kinds[i] == TAKT_KIND_XMM || form->kinds[i] == TAKT_KIND_YMM ||
		    form->kinds[i] == TAKT_KIND_ZMM)
			vector = operand_size(form, i);
	made->element_bytes = element_size(mnemonic);
	made->index_bytes = kind && *kind == 'q' ? 8 : 4;
	made->element_count = (uint8_t)(indices / made->index_bytes);
	if (vector && vector / made->element_bytes < made->element_count)
		made->element_count = (uint8_t)(vector / made->element_bytes);
	made->mask = location_in(insn, TAKT_SLOT_MASK);
	made->addressing = NATIVE_ELEMENTS;
	if (!made->mask) {
		made->mask = location_in(insn, TAKT_SLOT_1 + 2);
		made->addressing = NATIVE_ELEMENTS2;
	}
}

static void set_masked(const struct takt_insn *insn, const char *mnemonic, struct native_insn *made)
{
	made->mask = location_in(insn, TAKT_SLOT_MASK);
	made->element_bytes = element_size(mnemonic);
	made->element_count = (uint8_t)(made->memories[0].size_bytes / made->element_bytes);
	if (strstr(mnemonic, "compress") || strstr(mnemonic, "expand"))
		made->addressing = NATIVE_PACKED;
	else
		made->addressing =
			takt_string_starts(mnemonic, "vmov") ? NATIVE_RANGE : NATIVE_MASKED;
}

/* Set the register that has the bit's number, if it is in one. */
static void set_bit(const struct takt_insn *insn, struct native_insn *made)
{
	for (unsigned i = 0; i < insn->access_count; i++) {
		const struct takt_access *access = &insn->accesses[i];

		if (access->slot != TAKT_SLOT_1 + 1 || access->location == TAKT_LOC_NONE)
			continue;
		made->addressing = NATIVE_BIT;
		made->mask = access->location;
		made->element_bytes = access->size_bytes;
	}
}

static bool is_bit_operation(const char *mnemonic)
{
	return takt_string_starts(mnemonic, "bt") && (mnemonic[2] == '\0' || mnemonic[3] == '\0');
}

static void set_addressing(const struct takt_insn *insn, struct native_insn *made)
{
	struct takt_form form = takt_form_unpack(insn->form);
	const char *mnemonic = takt_mnemonic_text(insn->isa, form.mnemonic);

	if (takt_location_is_vector(made->memories[0].index)) {
		set_elements(insn, &form, mnemonic, made);
	} else if (takt_string_starts(mnemonic, "tileload") ||
		   takt_string_starts(mnemonic, "tilestore")) {
		made->addressing = NATIVE_TILE;
		made->mask = location_in(insn, takt_string_starts(mnemonic, "tileload")
						       ? TAKT_SLOT_1
						       : TAKT_SLOT_1 + 1);
	} else if (takt_string_starts(mnemonic, "vmaskmovp") ||
		   takt_string_starts(mnemonic, "vpmaskmov")) {
		made->addressing = NATIVE_SIGNS;
		made->mask = location_in(insn, TAKT_SLOT_1 + 1);
		made->element_bytes = element_size(mnemonic);
		made->element_count = (uint8_t)(made->memories[0].size_bytes / made->element_bytes);
	} else if (takt_string_starts(mnemonic, "xsave") ||
		   takt_string_starts(mnemonic, "xrstor")) {
		made->addressing = NATIVE_STATE;
	} else if (is_bit_operation(mnemonic)) {
		set_bit(insn, made);
	} else if (form.flags & TAKT_FORM_K) {
		set_masked(insn, mnemonic, made);
	} else if (takt_string_starts(mnemonic, "xlat")) {
		made->memories[0].index = TAKT_LOC_GPR; /* al alone */
		made->memories[0].scale = 1;
		made->element_bytes = 1;
	}
}

static void set_memories(const struct takt_insn *insn, struct native_insn *made)
{
	for (unsigned i = 0; i < insn->memory_count; i++) {
		const struct takt_memory *memory = &insn->memories[i];

		if (memory->address_only || (!memory->read && !memory->write))
			continue;
		made->memories[made->memory_count++] = (struct native_memory){
			.displacement = memory->displacement,
			.size_bytes = memory->size_bytes,
			.base = memory->base,
			.index = memory->index,
			.scale = memory->scale,
			.segment = memory->segment,
			.address_size_bytes = memory->address_size_bytes,
			.read = memory->read,
			.write = memory->write,
		};
	}
}

/* ---- kinds of instruction ----------- */

static bool is_string(uint8_t opcode)
{
	return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf) ||
	       (opcode >= 0x6c && opcode <= 0x6f);
}

/* Return the flags of a string instruction with rep; 0 for all other instructions. */
static unsigned repeat_flags(const struct takt_insn *insn)
{
	uint8_t opcode = insn->bytes[insn->opcode_offset_bytes], prefix = 0;
	unsigned flags = NATIVE_REPEATS;

	if (insn->insn_class != TAKT_CLASS_STRING && insn->insn_class != TAKT_CLASS_SYSTEM)
		return 0;
	for (unsigned i = 0; i < insn->opcode_offset_bytes; i++) {
		if (insn->bytes[i] == 0xf2 || insn->bytes[i] == 0xf3)
			prefix = insn->bytes[i];
		if (insn->bytes[i] == 0x67)
			flags |= NATIVE_SHORT_COUNT;
		if (insn->bytes[i] == 0x0f)
			return 0;
	}
	if (!prefix || !is_string(opcode))
		return 0;
	if ((opcode & 0xfe) == 0xa6 || (opcode & 0xfe) == 0xae)
		flags |= prefix == 0xf2 ? NATIVE_UNTIL_EQUAL : NATIVE_UNTIL_UNEQUAL;
	return flags;
}

static unsigned flags_of(const struct takt_insn *insn)
{
	const uint8_t *bytes = insn->bytes;
	unsigned opcode = bytes[insn->opcode_offset_bytes];
	unsigned flags = repeat_flags(insn);
	bool second_map = insn->opcode_offset_bytes && bytes[insn->opcode_offset_bytes - 1] == 0x0f;

	if (flags || insn->flags & TAKT_INSN_BRANCH)
		flags |= NATIVE_ENDS_BLOCK;
	if (insn->insn_class != TAKT_CLASS_SYSTEM && insn->insn_class != TAKT_CLASS_INT &&
	    insn->insn_class != TAKT_CLASS_MOVE)
		return flags;
	if (second_map && (opcode == 0x05 || opcode == 0x34))
		flags |= NATIVE_SYSCALL | NATIVE_ENDS_BLOCK;
	if (second_map && (opcode == 0x0b || opcode == 0xb9 || opcode == 0xff))
		flags |= NATIVE_ENDS_BLOCK; /* ud2, ud1, ud0 */
	if (!second_map && (opcode == 0xcc || opcode == 0xcd || opcode == 0xf1 || opcode == 0xf4))
		flags |= NATIVE_TRAPS | NATIVE_ENDS_BLOCK;
	if (opcode == 0xcd && (uint8_t)insn->immediate == 0x80)
		flags |= NATIVE_SYSCALL;
	if (!second_map && opcode == 0x9c)
		flags |= NATIVE_PUSHES_FLAGS;
	return flags;
}

bool native_insn_decode(const uint8_t *bytes, size_t size_bytes, uint64_t address,
			struct native_insn *ret_insn)
{
	struct takt_insn insn;

	if (takt_decode(&takt_isa_x86, bytes, size_bytes, address, &insn) != TAKT_OK)
		return false;
	*ret_insn = (struct native_insn){
		.length_bytes = insn.length_bytes,
		.flags = (uint8_t)flags_of(&insn),
	};
	set_memories(&insn, ret_insn);
	if (ret_insn->memory_count)
		set_addressing(&insn, ret_insn);
	/* The instruction leave reads where rbp points before it moves rsp there. */
	if (takt_insn_operation(&insn) == TAKT_OPERATION_LEAVE)
		ret_insn->memories[0].base = TAKT_LOC_GPR + 5;
	return true;
}

bool native_insn_needs_state(const struct native_insn *insn)
{
	switch ((enum native_addressing)insn->addressing) {
	case NATIVE_MASKED:
	case NATIVE_RANGE:
	case NATIVE_PACKED:
	case NATIVE_SIGNS:
	case NATIVE_ELEMENTS:
	case NATIVE_ELEMENTS2:
	case NATIVE_TILE:
		return true;
	case NATIVE_WHOLE:
	case NATIVE_BIT:
	case NATIVE_STATE:
		break;
	}
	return false;
}
