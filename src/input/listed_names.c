/* SPDX-License-Identifier: MIT */
/*
 * Instructions as llvm-objdump --symbolize-operands prints them: jumps whose operand is a name in
 * angle brackets, and operands relative to rip, which it leaves out but for their name. Labels
 * "<L0>:", "<L1>:" begin anew in each function, in any order; other names are those of functions.
 */
#include <inttypes.h>
#include <string.h>

#include "input/listed_line.h"

/* A function, or a label in one; the key is a hash of its name, and of the function for labels. */
struct named_place {
	uint64_t key, index; /* index: in takt_source.listed */
};

struct names {
	struct takt_source *source;
	struct takt_arena *arena;
	struct takt_map places;
};

static uint64_t key_of_function(const char *name, size_t size_bytes)
{
	uint64_t hash = takt_hash_bytes(name, size_bytes);

	return hash ? hash : 1;
}

static uint64_t key_of_label(uint64_t function, uint32_t label)
{
	uint64_t words[2] = {function, label};

	return key_of_function((const char *)words, sizeof(words));
}

static void add_place(struct names *n, uint64_t key, size_t index)
{
	struct named_place *place = takt_map_get(&n->places, key);

	place->index = index;
}

/* Return the index of the first instruction of the function that an instruction is in. */
static uint64_t function_of(const struct takt_source *source, size_t index, uint64_t last)
{
	return source->listed[index].function || source->listed[index].section ? index : last;
}

static void find_places(struct names *n)
{
	const struct takt_source *source = n->source;
	uint64_t function = 0;

	for (size_t i = 0; i < source->listed_count; i++) {
		const struct takt_listed *listed = &source->listed[i];

		function = function_of(source, i, function);
		if (listed->function)
			add_place(n, key_of_function(listed->function, strlen(listed->function)),
				  i);
		if (listed->label)
			add_place(n, key_of_label(function, listed->label - 1), i);
	}
}

/* An instruction that ends in a name. */
struct named_insn {
	struct cursor before, name, after; /* text before " <", the name, text after ">" */
};

/* Find the name in "jne <L2>" and "leaq , %rax <x+0x8>"; false if there is none. */
static bool find_name(struct cursor c, struct named_insn *ret)
{
	const char *open = memchr(c.at, '<', (size_t)(c.end - c.at));
	const char *close = open ? memchr(open, '>', (size_t)(c.end - open)) : NULL;
	struct cursor after;

	if (!close || open == c.at || !takt_is_blank(open[-1]))
		return false;
	*ret = (struct named_insn){{c.at, open}, {open + 1, close}, {close + 1, c.end}};
	trim(&ret->before);
	after = ret->after;
	trim(&after);
	return ret->before.at < ret->before.end &&
	       (after.at == after.end || *after.at == '#' || *after.at == '/');
}

static struct named_insn without_name(struct cursor c)
{
	const char *comment = memmem(c.at, (size_t)(c.end - c.at), "# ", 2);
	const char *end = comment ? comment : c.end;
	struct named_insn insn = {{c.at, end}, {end, end}, {end, c.end}};

	trim(&insn.before);
	return insn;
}

static struct cursor operands_of(struct cursor insn)
{
	if (skip_text(&insn, "bnd ") || skip_text(&insn, "notrack "))
		skip_blanks(&insn);
	while (insn.at < insn.end && !takt_is_blank(*insn.at))
		insn.at++;
	return insn;
}

/* True for a jump whose target is the name: it has no operand, or one more is missing. */
static bool is_named_jump(struct cursor before)
{
	struct cursor operands = operands_of(before);

	return takt_listed_is_jump(before) && before.end[-1] != '*' &&
	       (operands.at == operands.end || before.end[-1] == ',');
}

/* Return the place of the operand that is missing among those between commas, or NULL. */
static const char *find_hole(struct cursor operands)
{
	for (;;) {
		const char *comma = memchr(operands.at, ',', (size_t)(operands.end - operands.at));
		struct cursor one = {operands.at, comma ? comma : operands.end};

		trim(&one);
		if (one.at == one.end || (one.end - one.at == 1 && *one.at == '*') ||
		    (one.end - one.at > 4 && memcmp(one.end - 4, " ptr", 4) == 0))
			return one.end;
		if (!comma)
			break;
		operands.at = comma + 1;
	}
	return NULL;
}

/* True for words in AT&T syntax that are no instruction by themselves; the PLT has the first. */
static bool needs_operand(struct cursor insn)
{
	static const char *const words[] = {"pushq", "incl", "incq", "decl", "decq"};

	for (size_t i = 0; i < TAKT_COUNT_OF(words); i++)
		if ((size_t)(insn.end - insn.at) == strlen(words[i]) &&
		    memcmp(insn.at, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* Intel syntax has sizes, or operands without '%', '$' and '*'. */
static bool is_intel_syntax(struct cursor operands)
{
	size_t size = (size_t)(operands.end - operands.at);

	return memmem(operands.at, size, " ptr", 4) != NULL ||
	       (size && !memchr(operands.at, '%', size) && !memchr(operands.at, '$', size) &&
		!memchr(operands.at, '*', size));
}

/*
 * Write an instruction with its operand relative to rip, which llvm-objdump --symbolize-operands
 * leaves out: "leaq , %rcx <f+0x25>", "mov eax, dword ptr <x>", and without a name "leaq , %rcx",
 * which may be any place.
 */
static bool write_relative(const struct named_insn *insn, uint32_t line, struct takt_text *text)
{
	struct cursor operands = operands_of(insn->before);
	const char *hole = find_hole(operands);
	bool is_intel = is_intel_syntax(operands);

	if (!hole || (insn->name.at == insn->name.end && operands.at == operands.end &&
		      !needs_operand(insn->before)))
		return false;
	takt_text_add(text, insn->before.at, (size_t)(hole - insn->before.at));
	takt_text_add_string(text, is_intel ? " [rip + " : " ");
	if (insn->name.at < insn->name.end)
		takt_plain_name_write(insn->name.at, (size_t)(insn->name.end - insn->name.at),
				      text);
	else
		takt_text_printf(text, "takt_unnamed_%u", line);
	takt_text_add_string(text, is_intel ? "]" : "(%rip)");
	takt_text_add(text, hole, (size_t)(insn->before.end - hole));
	takt_text_add(text, insn->after.at, (size_t)(insn->after.end - insn->after.at));
	return true;
}

static const struct takt_listed *find_place(const struct names *n, uint64_t function,
					    const struct takt_listed *from, struct cursor name)
{
	const struct named_place *place = NULL;
	const struct takt_listed *to;
	uint32_t label;

	if (takt_listed_label_name(name, &label))
		place = takt_map_find(&n->places, key_of_label(function, label));
	if (!place)
		place = takt_map_find(&n->places,
				      key_of_function(name.at, (size_t)(name.end - name.at)));
	to = place ? &n->source->listed[place->index] : NULL;
	return to && to->run == from->run ? to : NULL;
}

static void write_jump(const struct named_insn *insn, const struct takt_listed *to,
		       struct takt_text *text)
{
	struct cursor name = insn->name;

	takt_text_add(text, insn->before.at, (size_t)(name.at - 1 - insn->before.at));
	if (to) {
		takt_text_printf(text, "0x%" PRIx64 " ", to->address);
		takt_text_add(text, name.at - 1, (size_t)(name.end - name.at) + 2);
	} else {
		takt_plain_name_write(name.at, (size_t)(name.end - name.at), text);
	}
}

static void resolve(struct names *n, uint64_t function, const struct takt_listed *listed)
{
	struct cursor c = takt_listed_line(n->source, listed->line);
	struct takt_text text = {0};
	struct named_insn insn;
	bool is_written = true;

	if (listed->kind != TAKT_LISTED_INSN)
		return;
	if (!find_name(c, &insn))
		insn = without_name(c);
	if (insn.name.at < insn.name.end && is_named_jump(insn.before))
		write_jump(&insn, find_place(n, function, listed, insn.name), &text);
	else
		is_written = write_relative(&insn, listed->line + 1, &text);
	if (is_written)
		n->source->lines[listed->line] =
			takt_arena_copy(n->arena, text.data, text.size_bytes);
	takt_text_release(&text);
}

void takt_listed_names_resolve(struct takt_source *source, struct takt_arena *arena)
{
	struct names n = {.source = source, .arena = arena};
	uint64_t function = 0;

	takt_map_init(&n.places, sizeof(struct named_place), SIZE_MAX);
	find_places(&n);
	for (size_t i = 0; i < source->listed_count; i++) {
		function = function_of(source, i, function);
		resolve(&n, function, &source->listed[i]);
	}
	takt_map_release(&n.places);
}
