/* SPDX-License-Identifier: MIT */
/* uops_info: translates uops.info's names of instructions and operands to forms and slots. */
#ifndef TAKT_IMPORT_UOPS_INFO_H
#define TAKT_IMPORT_UOPS_INFO_H

#include "import/table.h"

#define TAKT_UOPS_INFO_OPERANDS_MAX 24u
#define TAKT_NO_SLOT                                                                               \
	250 /* slot of operands that takt does not track: rip, msr, write mask k0                  \
	     */

enum takt_uops_info_type {
	TAKT_UOPS_INFO_REGISTER,
	TAKT_UOPS_INFO_MEMORY,
	TAKT_UOPS_INFO_ADDRESS, /* "agen": an address that is not accessed */
	TAKT_UOPS_INFO_IMMEDIATE,
	TAKT_UOPS_INFO_BRANCH,
	TAKT_UOPS_INFO_FLAGS,
};

/* An <operand>; latencies name it by its number. */
struct takt_uops_info_operand {
	uint32_t number;
	uint16_t width_bits;
	uint8_t type;	 /* enum takt_uops_info_type */
	bool suppressed; /* not written in assembly */
	char name[8];	 /* first register of its list */
	char base[8];	 /* of suppressed memory: the address register */
	/* Set by takt_uops_info_form(). Memory has all three. */
	uint8_t slot, base_slot, index_slot;
};

/* An <instruction>: one variant. */
struct takt_uops_info_insn {
	char string[128], iform[96], agen[16];
	bool masked, zeroing, zero_immediate;
	bool any_prefix; /* data of takt: repne makes a form even where it has no effect */
	struct takt_uops_info_operand operands[TAKT_UOPS_INFO_OPERANDS_MAX];
	uint32_t operand_count;
};

/*
 * Find the form of the variant and the slots of its operands; 0, with the reason, if takt has no
 * such form. `*ret_rank` orders the encodings of one form: assemblers choose the lowest.
 */
takt_form_key takt_uops_info_form(struct takt_uops_info_insn *insn, uint32_t *ret_rank,
				  const char **ret_reason);

/*
 * Convert latencies from and to memory, measured through a store and a load, to those of the load
 * and of the store alone. To be called when the table has all rows.
 */
void takt_uops_info_split_round_trips(struct takt_import_table *table);

#endif
