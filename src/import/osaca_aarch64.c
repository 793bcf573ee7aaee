/* SPDX-License-Identifier: MIT */
/*
 * Finds the forms of OSACA's AArch64 entries. OSACA says less than a form: "v" with the shape of
 * its elements but not their number, and addresses with wildcards. Each operand stands for several
 * kinds, and of all combinations those are taken that the core has a row for.
 */
#include <string.h>

#include "import/osaca.h"

#define KINDS_MAX 12u
#define COMBINATIONS_MAX 4096u

/* Kinds that an operand stands for, as forms write them. */
struct choices {
	const char *kinds[KINDS_MAX];
	unsigned count;
};

static void add(struct choices *choices, const char *kind)
{
	if (choices->count < KINDS_MAX)
		choices->kinds[choices->count++] = kind;
}

static const char *text_of(const struct takt_yaml_node *node, const char *key)
{
	const char *text = takt_yaml_text(takt_yaml_get(node, key));

	return text ? text : "";
}

static bool is_any(const char *text)
{
	return strcmp(text, "*") == 0;
}

/* ---- operands ----------------------------------------------------------------------- */

static void add_vectors(const char *shape, struct choices *choices)
{
	static const struct {
		char shape;
		const char *kinds[3];
	} shapes[] = {{'b', {"v.16b", "v.8b", "v.b[]"}},
		      {'h', {"v.8h", "v.4h", "v.h[]"}},
		      {'s', {"v.4s", "v.2s", "v.s[]"}},
		      {'d', {"v.2d", "v.1d", "v.d[]"}}};

	for (size_t i = 0; i < TAKT_COUNT_OF(shapes); i++)
		for (size_t k = 0; k < TAKT_COUNT_OF(shapes[i].kinds); k++)
			if (is_any(shape) || takt_to_lower(*shape) == shapes[i].shape)
				add(choices, shapes[i].kinds[k]);
}

/* Add the kinds of a scalable vector or a predicate with elements of a shape: z.d, p.b. */
static void add_scalable(char prefix, const char *shape, struct choices *choices)
{
	static const char *const kinds[] = {"z.b", "z.h", "z.s", "z.d", "p.b", "p.h", "p.s", "p.d"};

	for (size_t i = 0; i < TAKT_COUNT_OF(kinds); i++)
		if (kinds[i][0] == prefix &&
		    (is_any(shape) || takt_to_lower(*shape) == kinds[i][2]))
			add(choices, kinds[i]);
	if (!*shape || is_any(shape))
		add(choices, prefix == 'z' ? "z" : "p");
}

static void add_register(const struct takt_yaml_node *node, struct choices *choices)
{
	static const char *const scalars[] = {"w", "x", "b", "h", "s", "d", "q"};
	const char *prefix = text_of(node, "prefix"), *shape = text_of(node, "shape");
	const char *predication = text_of(node, "predication");

	for (size_t i = 0; i < TAKT_COUNT_OF(scalars); i++)
		if (is_any(prefix) || takt_compare_nocase(prefix, scalars[i], 2) == 0)
			add(choices, scalars[i]);
	if (takt_to_lower(*prefix) == 'v')
		add_vectors(shape, choices);
	else if (takt_to_lower(*prefix) == 'z')
		add_scalable('z', shape, choices);
	if (takt_to_lower(*prefix) != 'p')
		return;
	if (is_any(predication) || takt_to_lower(*predication) == 'm')
		add(choices, "p/m");
	if (is_any(predication) || takt_to_lower(*predication) == 'z')
		add(choices, "p/z");
	if (!*predication || is_any(predication))
		add_scalable('p', shape, choices);
}

/* The parts that an address may have: a wildcard permits one, and does not demand it. */
struct address {
	bool any_offset, any_index;
	bool offset, index, pre, post, any_pre, any_post;
};

static void add_memory(const struct takt_yaml_node *node, struct choices *choices)
{
	const char *offset = text_of(node, "offset"), *index = text_of(node, "index");
	const char *pre = text_of(node, "pre_indexed"), *post = text_of(node, "post_indexed");
	const struct takt_yaml_node *post_node = takt_yaml_get(node, "post_indexed");
	struct address address = {
		.any_offset = is_any(offset),
		.any_index = is_any(index),
		.offset = *offset != '\0',
		.index = *index != '\0',
		.pre = takt_to_lower(*pre) == 't',
		.post = takt_to_lower(*post) == 't' || (post_node && post_node->first),
		.any_pre = is_any(pre),
		.any_post = is_any(post),
	};

	if (address.post || address.any_post) {
		add(choices, "[x], i");
		add(choices, "[x], x");
	}
	if (address.pre || address.any_pre) {
		add(choices, "[x, i]!");
		add(choices, "[x]!");
	}
	if (address.post || address.pre)
		return;
	if ((!address.offset || address.any_offset) && (!address.index || address.any_index))
		add(choices, "[x]");
	if (address.offset && (!address.index || address.any_index)) {
		add(choices, "[x, i]");
		add(choices, "[x, i mul vl]");
	}
	if (address.index && (!address.offset || address.any_offset)) {
		add(choices, "[x, x]");
		add(choices, "[x, x lsl]");
		add(choices, "[x, x sxtx]");
		add(choices, "[x, w sxtw]");
		add(choices, "[x, w uxtw]");
	}
}

/* List the kinds that an operand stands for; none if takt has no such operand. */
static void list_choices(const struct takt_yaml_node *node, struct choices *choices)
{
	const char *class = text_of(node, "class");

	*choices = (struct choices){.count = 0};
	if (strcmp(class, "register") == 0)
		add_register(node, choices);
	else if (strcmp(class, "memory") == 0)
		add_memory(node, choices);
	else if (strcmp(class, "immediate") == 0)
		add(choices, "i");
	else if (strcmp(class, "identifier") == 0)
		add(choices, "label");
	else if (strcmp(class, "condition") == 0)
		add(choices, "cond");
	else if (strcmp(class, "prfop") == 0)
		add(choices, "op");
}

/* ---- combinations ------------------------------------------------------------------- */

/* Write the mnemonic in lower case; conditional branches have one form for all conditions. */
static void write_mnemonic(const char *name, bool is_branch, struct takt_text *text)
{
	static const char *const conditions[] = {"eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl",
						 "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"};
	const char *rest = name[0] && name[1] == '.' ? name + 2 : name[0] ? name + 1 : "";

	if (is_branch && takt_to_lower(name[0]) == 'b')
		for (size_t i = 0; i < TAKT_COUNT_OF(conditions); i++)
			if (takt_compare_nocase(rest, conditions[i], 3) == 0) {
				takt_text_add_string(text, "b.cond");
				return;
			}
	for (; *name; name++) {
		char c = takt_to_lower(*name);

		takt_text_add(text, &c, 1);
	}
}

/* Return the form of a text if the core has a row for exactly that, else 0. */
static takt_form_key find_form(const struct takt_model *model, const struct takt_text *text)
{
	struct takt_insn insn = {.isa = takt_model_isa(model)};
	struct takt_timing_storage storage;
	struct takt_timing timing;
	const char *error;
	size_t error_index;

	insn.form = takt_form_parse(insn.isa, takt_text_data(text), text->size_bytes, &error_index,
				    &error);
	if (!insn.form)
		return 0;
	takt_model_timing(model, &insn, &storage, &timing);
	return timing.match == TAKT_MATCH_ROW ? insn.form : 0;
}

size_t takt_osaca_forms_aarch64(const struct takt_model *model, const char *mnemonic,
				const struct takt_yaml_node *operands, takt_form_key *ret_forms,
				const char **ret_reason)
{
	struct choices choices[TAKT_FORM_OPERANDS_MAX];
	size_t combinations = 1, found = 0;
	unsigned count = 0;
	struct takt_text text = {0};

	*ret_reason = "operands that takt has no kind for";
	for (const struct takt_yaml_node *node = operands ? operands->first : NULL; node;
	     node = node->next) {
		if (count == TAKT_FORM_OPERANDS_MAX)
			return 0;
		list_choices(node, &choices[count]);
		combinations *= choices[count].count;
		if (!choices[count++].count || combinations > COMBINATIONS_MAX)
			return 0;
	}
	for (size_t number = 0; number < combinations && found < TAKT_OSACA_FORMS_MAX; number++) {
		size_t left = number;
		takt_form_key form;

		takt_text_release(&text);
		takt_text_init(&text);
		write_mnemonic(mnemonic, count == 1 && strcmp(choices[0].kinds[0], "label") == 0,
			       &text);
		for (unsigned i = 0; i < count; i++) {
			takt_text_printf(&text, "%s%s", i ? ", " : " ",
					 choices[i].kinds[left % choices[i].count]);
			left /= choices[i].count;
		}
		form = find_form(model, &text);
		if (form)
			ret_forms[found++] = form;
	}
	takt_text_release(&text);
	*ret_reason = "a form that the core has no row for";
	return found;
}
