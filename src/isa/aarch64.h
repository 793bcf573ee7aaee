/* SPDX-License-Identifier: MIT */
/*
 * aarch64: declarations shared by the files that turn LLVM's records into instructions. The
 * record lists the registers that are read and written; the printed text gives the operands
 * as people write them. Private to isa.
 */
#ifndef TAKT_ISA_AARCH64_H
#define TAKT_ISA_AARCH64_H

#include <stdatomic.h>

#include "isa/functions.h"
#include "isa/llvm.h"

#define TAKT_AARCH64_OPERANDS_MAX 8	     /* further operands are dropped */
#define TAKT_AARCH64_MNEMONICS_MAX (1 << 11) /* limit of a form key's mnemonic field */
/* Assumed bytes of a scalable vector: the smallest and most common size; code does not fix it. */
#define TAKT_AARCH64_VECTOR_BYTES 16
#define TAKT_AARCH64_SP (TAKT_LOC_GPR + 31)

enum takt_aarch64_modifier {
	TAKT_AARCH64_PLAIN,
	TAKT_AARCH64_LSL,
	TAKT_AARCH64_SHIFT, /* any other shift */
	TAKT_AARCH64_SIGNED_EXTEND,
	TAKT_AARCH64_ZERO_EXTEND,
	TAKT_AARCH64_MULTIPLE,
	TAKT_AARCH64_VECTOR_LENGTHS,
};

/* A set of locations. Those of AArch64 are below 128. */
struct takt_aarch64_locations {
	uint64_t words[2];
};

struct takt_aarch64_operand {
	uint8_t kind;	  /* enum takt_operand_kind */
	uint8_t modifier; /* enum takt_aarch64_modifier of the register, or of the index */
	uint8_t amount;
	uint8_t count;	       /* number of registers */
	uint8_t size_bytes;    /* size of each register, or of its element */
	uint8_t element_bytes; /* element size of vectors, 0 if the text does not say */
	bool is_address, is_updated, is_element, is_merging, is_zero, is_label;
	bool has_immediate;
	uint8_t base, index; /* registers of an address; a post-index increment is an index, too */
	struct takt_aarch64_locations registers; /* without those of an address */
	int64_t immediate;
};

struct takt_aarch64 {
	const struct takt_llvm_insn *llvm;
	const uint8_t *locations; /* [LLVM's location] enum takt_location */
	const char *name;	  /* mnemonic as in forms */
	uint16_t mnemonic;
	uint8_t operand_count;
	struct takt_aarch64_operand operands[TAKT_AARCH64_OPERANDS_MAX];
};

/* One plus the first rule that fits a mnemonic, 0 if not known yet: see aarch64_set.c. */
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

/* Return the slot of an operand; those beyond the form's last share its slot. */
static inline unsigned takt_aarch64_slot(unsigned index)
{
	return index < TAKT_FORM_OPERANDS_MAX ? index : TAKT_FORM_OPERANDS_MAX - 1;
}

/* aarch64_text.c: read mnemonic and operands from the text of `llvm`, which is set already. */
void takt_aarch64_read_text(struct takt_aarch64 *a64);

/* aarch64_form.c */
uint16_t takt_aarch64_mnemonic_parse(const char *text, size_t size_bytes);
const char *takt_aarch64_mnemonic_text(uint16_t mnemonic);
takt_form_key takt_aarch64_form(const struct takt_aarch64 *a64);

/* aarch64_roles.c: add accesses except those to values in memory. */
void takt_aarch64_set_roles(const struct takt_aarch64 *a64, struct takt_insn *insn);
void takt_aarch64_add_access(struct takt_insn *insn, unsigned location, unsigned slot,
			     unsigned flags, unsigned size_bytes);

/* aarch64_memory.c: add memories, and the accesses to their values. */
void takt_aarch64_set_memories(const struct takt_aarch64 *a64, struct takt_insn *insn);

/* aarch64_class.c */
enum takt_insn_class takt_aarch64_class(const struct takt_aarch64 *a64,
					const struct takt_insn *insn);

/* aarch64_set.c: find the ISA set; needs name and operands. */
uint16_t takt_aarch64_set(const struct takt_aarch64 *a64, struct takt_aarch64_set_cache *cache);

/* isa_set.c: return the number of a set by its index in aarch64_sets.def. */
uint16_t takt_aarch64_set_number(unsigned index);

/* aarch64.c: make instructions of LLVM's opcodes, as the functions of struct takt_llvm_api do. */
uint32_t takt_aarch64_opcode_count(void); /* 0 if there is no module */
int takt_aarch64_opcode_sample(uint32_t opcode, uint32_t variant, uint8_t ret_bytes[16]);

/* aarch64_samples.c: implements takt_sample_encode(). */
size_t takt_aarch64_sample_encode(const struct takt_sample *sample,
				  const struct takt_choice *choice,
				  uint8_t ret_bytes[TAKT_X86_LENGTH_MAX]);

/* aarch64_flow.c */
bool takt_aarch64_flow(const struct takt_isa *isa, const uint8_t *bytes, size_t size_bytes,
		       struct takt_insn_flow *ret_flow);

#endif
