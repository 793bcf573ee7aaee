/* SPDX-License-Identifier: MIT */
/* Parts of data files that differ between instruction sets: names, addresses, conditions. */
#include <string.h>

#include "model/image.h"

const struct takt_isa *takt_isa_of_name(const char *name)
{
	static const struct takt_isa *const sets[] = {&takt_isa_x86, &takt_isa_aarch64};

	for (size_t i = 0; i < TAKT_COUNT_OF(sets); i++)
		if (strcmp(sets[i]->name, name) == 0)
			return sets[i];
	return NULL;
}

/* ---- addresses ---------------------------------------------------------------- */

/* True if forms write the kind in brackets, as they do for AArch64's addresses. */
static bool is_bracketed(uint8_t kind)
{
	struct takt_form form = {.is_foreign = true, .kinds = {kind}};
	struct takt_text text = {0};
	const char *blank;
	bool bracketed;

	takt_form_write(&takt_isa_aarch64, takt_form_pack(&form), &text);
	blank = strchr(text.data, ' ');
	bracketed = blank && blank[1] == '[';
	takt_text_release(&text);
	return bracketed;
}

static bool is_address(const struct takt_form *form, unsigned operand)
{
	enum takt_operand_kind kind = (enum takt_operand_kind)form->kinds[operand];

	if (form->is_foreign)
		return kind != TAKT_KIND_NONE && is_bracketed(form->kinds[operand]);
	return takt_kind_is_memory(kind) || (kind >= TAKT_KIND_A_B && kind <= TAKT_KIND_A_RIP);
}

unsigned takt_form_address_operand(takt_form_key key)
{
	struct takt_form form = takt_form_unpack(key);

	for (unsigned i = 0; i < TAKT_FORM_OPERANDS_MAX; i++)
		if (is_address(&form, i))
			return i + 1;
	return 0;
}

/* ---- conditions ----------------------------------------------------------------- */

#define CONDITIONS 16u
#define SPELLINGS 4u

/* Spellings of conditions by code; the first is the one that is written. */
static const char *const x86_conditions[CONDITIONS][SPELLINGS] = {
	{"o"},	      {"no"},	    {"b", "c", "nae"}, {"ae", "nc", "nb"},
	{"e", "z"},   {"ne", "nz"}, {"be", "na"},      {"a", "nbe"},
	{"s"},	      {"ns"},	    {"p", "pe"},       {"np", "po"},
	{"l", "nge"}, {"ge", "nl"}, {"le", "ng"},      {"g", "nle"},
};

static const char *const aarch64_conditions[CONDITIONS][SPELLINGS] = {
	{"eq"}, {"ne"}, {"hs", "cs"}, {"lo", "cc"}, {"mi"}, {"pl"}, {"vs"}, {"vc"},
	{"hi"}, {"ls"}, {"ge"},	      {"lt"},	    {"gt"}, {"le"}, {"al"}, {"nv"},
};

static const char *const *spellings(const struct takt_isa *isa, unsigned condition)
{
	return isa == &takt_isa_x86 ? x86_conditions[condition] : aarch64_conditions[condition];
}

const char *takt_condition_word(const struct takt_isa *isa, unsigned condition)
{
	return condition < CONDITIONS ? spellings(isa, condition)[0] : "?";
}

bool takt_condition_parse(const struct takt_isa *isa, const char *text, size_t size_bytes,
			  uint16_t *conditions)
{
	if (size_bytes == 1 && *text == '*') {
		*conditions = UINT16_MAX;
		return true;
	}
	for (unsigned i = 0; i < CONDITIONS; i++) {
		const char *const *words = spellings(isa, i);

		for (unsigned j = 0; j < SPELLINGS && words[j]; j++) {
			if (!takt_string_is(words[j], text, size_bytes))
				continue;
			*conditions |= (uint16_t)(1u << i);
			return true;
		}
	}
	return false;
}
