/* SPDX-License-Identifier: MIT */
/* Operations whose operands may be taken in any order, by mnemonic. */
#include <string.h>

#include "analyze/chains.h"

enum group { SUM, PRODUCT, MIN, MAX, AND, OR, XOR };

struct operation {
	const char *mnemonic;
	uint8_t operands; /* those that can be the accumulator, as bits */
	uint8_t group;	  /* enum group */
	bool is_floating;
};

#define X(mnemonic, operands, group, floating) {mnemonic, operands, group, floating},
static const struct operation x86_operations[] = {
#define X86
#include "analyze/associative.def"
#undef X86
};
static const struct operation aarch64_operations[] = {
#define AARCH64
#include "analyze/associative.def"
#undef AARCH64
};
#undef X

static const struct operation *find(const struct operation *operations, size_t count,
				    const char *mnemonic)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(operations[i].mnemonic, mnemonic) == 0)
			return &operations[i];
	return NULL;
}

bool takt_insn_accumulates(const struct takt_insn *insn, uint8_t slot, uint8_t *ret_group,
			   bool *ret_is_floating)
{
	struct takt_form form = takt_form_unpack(insn->form);
	const struct operation *operation = NULL;
	const char *mnemonic;

	if (insn->isa != &takt_isa_x86 && insn->isa != &takt_isa_aarch64)
		return false;
	mnemonic = takt_mnemonic_text(insn->isa, form.mnemonic);
	if (insn->isa == &takt_isa_x86)
		operation = find(x86_operations, TAKT_COUNT_OF(x86_operations),
				 mnemonic + (*mnemonic == 'v'));
	else
		operation = find(aarch64_operations, TAKT_COUNT_OF(aarch64_operations), mnemonic);
	if (!operation || slot >= TAKT_FORM_OPERANDS_MAX || !(operation->operands >> slot & 1))
		return false;
	*ret_group = operation->group;
	*ret_is_floating = operation->is_floating;
	return true;
}
