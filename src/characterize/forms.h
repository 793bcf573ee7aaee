/* SPDX-License-Identifier: MIT */
/*
 * Forms to characterize, and code made of them. Instances of a form take registers from two pools:
 * registers that are written differ from instance to instance, and registers that are only read are
 * never written. So instances depend on each other only through implicit operands.
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
	const struct takt_isa *isa;
	const struct probe_form *forms; /* the forms in scope, sorted by opcode */
	size_t count;
};

/*
 * Return why there are no experiments on a form of x86-64, as a phrase that lives for the whole
 * run; NULL if the form is in scope.
 */
const char *takt_probe_why_no_form(const struct takt_insn *insn);
/*
 * Find all forms of x86-64 in scope: 64-bit code without system instructions, control transfer but
 * jumps that are not taken, and x87 instructions that move the stack or change its state, but with
 * fences, pause, cpuid and reads of the clock. They live in the arena.
 */
void takt_probe_forms_find(struct takt_arena *arena, struct probe_forms *ret_forms);
/*
 * Find all forms of AArch64 in scope: user code without control transfer, exclusive stores,
 * addresses that are written back, and vectors of addresses. None without the module that
 * decodes them.
 */
void takt_probe_aarch64_forms_find(struct takt_arena *arena, struct probe_forms *ret_forms);
/* Find all forms of the instruction set in scope. */
void takt_probe_isa_forms_find(const struct takt_isa *isa, struct takt_arena *arena,
			       struct probe_forms *ret_forms);
/* True if the form is one of AArch64. */
bool takt_probe_is_aarch64(const struct probe_form *form);
/* Return the instruction set of a form. */
const struct takt_isa *takt_probe_isa(const struct probe_form *form);
/* Find the forms that move the x87 stack, which experiments use in pairs. */
void takt_probe_stack_forms_find(struct takt_arena *arena, struct probe_forms *ret_forms);
/* Find a form by its key; NULL if there is none. */
const struct probe_form *takt_probe_form_of(const struct probe_forms *forms, takt_form_key key);
/* Find a form by its text, as in timing files; NULL if there is none. */
const struct probe_form *takt_probe_form_named(const struct probe_forms *forms, const char *text);
/*
 * Return the plain counterpart of a form that is masked, has its own rounding, or is encoded by
 * EVEX: the form without these. NULL if the form is plain itself, or has no such counterpart.
 */
const struct probe_form *takt_probe_plain_form(const struct probe_forms *forms,
					       const struct probe_form *form);

/* ---- operands ------------------------------------------------------------- */

/* True if an operand's kind is one of `first` to `last`, which are those of x86-64. */
bool takt_probe_has_kind(const struct probe_form *form, unsigned first, unsigned last);
/*
 * Return the access to a register by operand `slot`, which may stand for a mask, flags or an
 * implicit register; NULL if there is none.
 */
const struct takt_access *takt_probe_access(const struct probe_form *form, unsigned slot);
/*
 * True if the form is a conditional jump, of which all instances lead to the next instruction. It
 * is not taken while the flags for zero, sign and overflow are clear.
 */
bool takt_probe_is_jump(const struct probe_form *form);
/* True if the form reads or writes flags: `how` is TAKT_READ or TAKT_WRITE. */
bool takt_probe_accesses_flags(const struct probe_form *form, unsigned how);
/* Return the explicit memory operand whose data is accessed; NULL if there is none. */
const struct takt_memory *takt_probe_memory(const struct probe_form *form);
/* True if the access is to flags, or to a register that the encoding fixes. */
bool takt_probe_is_fixed(const struct probe_form *form, const struct takt_access *access);
/* True if the form both reads and writes such a location, so that instances wait for each other. */
bool takt_probe_is_chained(const struct probe_form *form);
/* Return how many instances can have written registers of their own. */
unsigned takt_probe_instances_max(const struct probe_form *form);
/* Choose the operands of instance `index`. */
void takt_probe_instance(const struct probe_form *form, unsigned index,
			 struct takt_choice *ret_choice);

/*
 * Choose operands with one register for all operands that may be equal. False if none may be, or
 * not all sources.
 */
bool takt_probe_same_instance(const struct probe_form *form, unsigned index,
			      struct takt_choice *ret_choice);

/* True if all registers of an AArch64 form but addresses are of one kind. */
bool takt_probe_is_of_one_file(const struct probe_form *form);

/* forms_aarch64.c: implement the functions of the same names for forms of AArch64. */
unsigned takt_probe_aarch64_instances_max(const struct probe_form *form);
void takt_probe_aarch64_instance(const struct probe_form *form, unsigned index,
				 struct takt_choice *ret_choice);

/* ---- code ----------------------------------------------------------------- */

#define PROBE_CODE_MAX 4096

struct probe_code {
	uint8_t bytes[PROBE_CODE_MAX];
	size_t size_bytes;
	uint32_t insn_count;
	bool failed; /* an operand could not be encoded, or the code has no more room */
};

void takt_probe_code_add(struct probe_code *code, const struct probe_form *form,
			 const struct takt_choice *choice);

/* Registers that no instance uses, for chains and for addresses. */
#define PROBE_BASE (TAKT_LOC_GPR + 14)
#define PROBE_INDEX (TAKT_LOC_GPR + 13)
/* The register of the x87 stack that no instance writes. */
#define PROBE_X87_KEPT (TAKT_LOC_X87 + 6)

#endif
