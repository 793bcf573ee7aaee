/* SPDX-License-Identifier: MIT */
/*
 * aarch64: what the files that make an instruction out of LLVM's have in common. LLVM says
 * which registers are read and written, its text says what people call the operands.
 * Private to isa.
 */
#ifndef TAKT_ISA_AARCH64_H
#define TAKT_ISA_AARCH64_H

#include <stdatomic.h>

#include "isa/functions.h"
#include "isa/llvm.h"

#define TAKT_AARCH64_OPERANDS_MAX 8 /* further ones are part of the last */
#define TAKT_AARCH64_MNEMONICS_MAX (1 << 11) /* what fits into a form key */
/* Bytes of a scalable vector. Code does not say; this is the least, and the most common. */
#define TAKT_AARCH64_VECTOR_BYTES 16
#define TAKT_AARCH64_SP (TAKT_LOC_GPR + 31)

enum takt_aarch64_modifier {
	TAKT_AARCH64_PLAIN,
	TAKT_AARCH64_LSL,
	TAKT_AARCH64_SHIFT, /* any other */
	TAKT_AARCH64_SIGNED_EXTEND,
	TAKT_AARCH64_ZERO_EXTEND,
	TAKT_AARCH64_MULTIPLE,
	TAKT_AARCH64_VECTOR_LENGTHS,
};

/* A set of locations: those of AArch64 are below 128. */
struct takt_aarch64_locations {
	uint64_t words[2];
};

struct takt_aarch64_operand {
	uint8_t kind;	  /* enum takt_operand_kind */
	uint8_t modifier; /* enum takt_aarch64_modifier: of the register, or of the index */
	uint8_t amount;
	uint8_t count;	       /* registers, 0 for none */
	uint8_t size_bytes;    /* of each register, or of the element of it */
	uint8_t element_bytes; /* of vectors, 0 if the text does not say */
	bool is_address, is_updated, is_element, is_merging, is_zero, is_label;
	bool has_immediate;
	bool is_narrow_index;
	uint8_t base, index; /* of addresses; index may be what is added afterwards */
	struct takt_aarch64_locations registers; /* other than those of an address */
	int64_t immediate;
};

struct takt_aarch64 {
	const struct takt_llvm_insn *llvm;
	const uint8_t *locations; /* of LLVM's */
	const char *name;	  /* of the mnemonic, as forms have it */
	uint16_t mnemonic;
	uint8_t operand_count;
	struct takt_aarch64_operand operands[TAKT_AARCH64_OPERANDS_MAX];
};

/* The first rule for a mnemonic, so that few have to be tried; 0 at first: see aarch64_set.c. */
struct takt_aarch64_set_cache {
	_Atomic uint8_t first[TAKT_AARCH64_MNEMONICS_MAX][2];
};

static inline bool takt_aarch64_has(const struct takt_aarch64_locations *set, unsigned location)
{
	return location < 128 && (set->words[location / 64] >> location % 64 & 1);
}

static inline bool takt_aarch64_is_vector(unsigned location)
{
	return location >= TAKT_LOC_VECTOR && location < TAKT_LOC_X87;
}

/* Slot of the n-th operand; those beyond the form's last share its slot. */
static inline unsigned takt_aarch64_slot(unsigned index)
{
	return index < TAKT_FORM_OPERANDS_MAX ? index : TAKT_FORM_OPERANDS_MAX - 1;
}

/* aarch64_text.c: operands out of the text, `llvm` being set. */
void takt_aarch64_read_text(struct takt_aarch64 *a64);

/* aarch64_form.c */
uint16_t takt_aarch64_mnemonic_parse(const char *text, size_t size_bytes);
const char *takt_aarch64_mnemonic_text(uint16_t mnemonic);
takt_form_key takt_aarch64_form(const struct takt_aarch64 *a64);

/* aarch64_roles.c: accesses but those to values in memory. */
void takt_aarch64_set_roles(const struct takt_aarch64 *a64, struct takt_insn *insn);
void takt_aarch64_add_access(struct takt_insn *insn, unsigned location, unsigned slot,
			     unsigned flags, unsigned size_bytes);

/* aarch64_memory.c: memories, and the accesses to their values. */
void takt_aarch64_set_memories(const struct takt_aarch64 *a64, struct takt_insn *insn);

/* aarch64_class.c */
enum takt_insn_class takt_aarch64_class(const struct takt_aarch64 *a64,
					const struct takt_insn *insn);

/* aarch64_set.c: the ISA set, once name and operands are known. */
uint16_t takt_aarch64_set(const struct takt_aarch64 *a64, struct takt_aarch64_set_cache *cache);

/* isa_set.c: number of a set of aarch64_sets.def. */
uint16_t takt_aarch64_set_number(unsigned index);

/* aarch64_step.c */
bool takt_aarch64_step(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		       struct takt_step *ret_step);

#endif
