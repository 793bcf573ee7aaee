/* SPDX-License-Identifier: MIT */
/* Forms of AArch64 instructions: mnemonics, and the kinds of the written operands. */
#include <string.h>

#include "isa/aarch64.h"

static const char *const mnemonics[] = {
#define X(text) text,
#include "isa/aarch64_mnemonics.def"
#undef X
};

_Static_assert(TAKT_COUNT_OF(mnemonics) < TAKT_AARCH64_MNEMONICS_MAX,
	       "mnemonics fit into a form key");

/* Return the mnemonic with the condition of a branch replaced: b.eq becomes b.cond. */
static struct takt_word without_condition(struct takt_word word)
{
	if (word.size == 4 && memcmp(word.data, "b.", 2) == 0)
		return (struct takt_word){"b.cond", 6};
	if (word.size == 5 && memcmp(word.data, "bc.", 3) == 0)
		return (struct takt_word){"bc.cond", 7};
	return word;
}

uint16_t takt_aarch64_mnemonic_parse(const char *text, size_t size_bytes)
{
	struct takt_word word = without_condition((struct takt_word){text, size_bytes});
	size_t found;

	TAKT_BISECT(found, TAKT_COUNT_OF(mnemonics),
		    takt_compare_text(mnemonics[found], word.data, word.size) < 0);
	return found < TAKT_COUNT_OF(mnemonics) && takt_word_is(word, mnemonics[found])
		       ? (uint16_t)(found + 1)
		       : 0;
}

const char *takt_aarch64_mnemonic_text(uint16_t mnemonic)
{
	return mnemonic > 0 && mnemonic <= TAKT_COUNT_OF(mnemonics) ? mnemonics[mnemonic - 1]
								    : NULL;
}

takt_form_key takt_aarch64_form(const struct takt_aarch64 *a64)
{
	struct takt_form form = {.is_foreign = true, .mnemonic = a64->mnemonic};

	for (unsigned i = 0; i < a64->operand_count && i < TAKT_FORM_OPERANDS_MAX; i++)
		form.kinds[i] = a64->operands[i].kind;
	return takt_form_pack(&form);
}
