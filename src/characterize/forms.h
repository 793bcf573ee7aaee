/* SPDX-License-Identifier: MIT */
/*
 * Forms to characterise, and code made of them. Instances of a form take registers from two
 * pools: those that are written, which differ from instance to instance, and those that are
 * only read, which are never written. So instances depend on each other through implicit
 * operands alone.
 */
#ifndef TAKT_CHARACTERIZE_FORMS_H
#define TAKT_CHARACTERIZE_FORMS_H

#include "isa/isa.h"

struct probe_form {
	struct takt_sample sample;
	struct takt_insn insn; /* the sample, decoded */
	const char *text;
};

struct probe_forms {
	const struct probe_form *forms; /* those in scope, in the order of opcodes */
	size_t count;
};

/*
 * All forms in scope: 64-bit code without x87, system instructions and control transfer. Lives
 * in the arena.
 */
void takt_probe_forms_find(struct takt_arena *arena, struct probe_forms *ret_forms);
/* NULL if there is none. */
const struct probe_form *takt_probe_form_of(const struct probe_forms *forms, takt_form_key key);
/* By its text, as in timing files; NULL if there is none. */
const struct probe_form *takt_probe_form_named(const struct probe_forms *forms, const char *text);
/*
 * What a form goes by that is masked, rounded as it says, or encoded in another way: the one that is
 * not. NULL if it is none of these.
 */
const struct probe_form *takt_probe_plain_form(const struct probe_forms *forms,
					       const struct probe_form *form);

/* ---- operands ------------------------------------------------------------- */

/* The access to the register of operand `slot`, a mask, flags or an implicit register; or NULL. */
const struct takt_access *takt_probe_access(const struct probe_form *form, unsigned slot);
/* Whether it reads or writes flags: `how` is TAKT_READ or TAKT_WRITE. */
bool takt_probe_accesses_flags(const struct probe_form *form, unsigned how);
/* The explicit memory operand with data, or NULL. */
const struct takt_memory *takt_probe_memory(const struct probe_form *form);
/* Whether the access is of flags, or of a register that the encoding fixes. */
bool takt_probe_is_fixed(const struct probe_form *form, const struct takt_access *access);
/* Whether it both reads and writes such a thing, so that instances wait for each other. */
bool takt_probe_is_chained(const struct probe_form *form);
/* How many instances can have written registers of their own. */
unsigned takt_probe_instances_max(const struct probe_form *form);
/* The operands of instance `index`. */
void takt_probe_instance(const struct probe_form *form, unsigned index,
			 struct takt_choice *ret_choice);

/*
 * The same with one register for all operands that may be the same one. False if that is none, or
 * not all sources.
 */
bool takt_probe_same_instance(const struct probe_form *form, unsigned index,
			      struct takt_choice *ret_choice);

/* ---- code ----------------------------------------------------------------- */

#define PROBE_CODE_MAX 4096

struct probe_code {
	uint8_t bytes[PROBE_CODE_MAX];
	size_t size_bytes;
	uint32_t insn_count;
	bool failed; /* an operand could not be encoded, or there is no room */
};

void takt_probe_code_add(struct probe_code *code, const struct probe_form *form,
			 const struct takt_choice *choice);

/* Registers that no instance takes: for chains and for addresses. */
#define PROBE_BASE (TAKT_LOC_GPR + 14)
#define PROBE_INDEX (TAKT_LOC_GPR + 13)

#endif
