/* SPDX-License-Identifier: MIT */
/* Forms of AArch64 instructions: mnemonics, and the kinds of the written operands. */
#include <stdlib.h>
#include <string.h>

#include "isa/aarch64.h"

static const char *const mnemonics[] = {
#define X(text) text,
#include "isa/aarch64_mnemonics.def"
#undef X
};

_Static_assert(TAKT_COUNT_OF(mnemonics) < TAKT_AARCH64_MNEMONICS_MAX,
	       "mnemonics fit into a form key");

struct word {
	const char *text;
	size_t size_bytes;
};

static int compare_word(const void *key, const void *element)
{
	const struct word *word = key;
	const char *text = *(const char *const *)element;
	int order = strncmp(word->text, text, word->size_bytes);

	return order ? order : -(text[word->size_bytes] != '\0');
}

/* Return the mnemonic with the condition of a branch replaced: b.eq becomes b.cond. */
static struct word without_condition(struct word word)
{
	if (word.size_bytes == 4 && memcmp(word.text, "b.", 2) == 0)
		return (struct word){"b.cond", 6};
	if (word.size_bytes == 5 && memcmp(word.text, "bc.", 3) == 0)
		return (struct word){"bc.cond", 7};
	return word;
}

uint16_t takt_aarch64_mnemonic_parse(const char *text, size_t size_bytes)
{
	struct word word = without_condition((struct word){text, size_bytes});
	const char *const *found = bsearch(&word, mnemonics, TAKT_COUNT_OF(mnemonics),
					   sizeof(*mnemonics), compare_word);

	return found ? (uint16_t)(found - mnemonics + 1) : 0;
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
