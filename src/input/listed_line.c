/* SPDX-License-Identifier: MIT */
/*
 * Reads one line of what a disassembler printed: percentages, an address, a name, arrows, bytes, an
 * instruction and relocations, or a heading.
 */
#include "input/listed_line.h"

#include <string.h>

#define ADDRESS_DIGITS_MAX 16u
/* Digits of an address in front of a function's name. */
#define FUNCTION_DIGITS_MIN 8u
/* Largest number of a label in a function, about. */
#define LABELS_MAX 100000000u

/*
 * Skip the percentages, or the numbers of samples, in front of a line of perf annotate, up to the
 * colon after them.
 */
static bool skip_percents(struct cursor *c)
{
	struct cursor try = *c;
	const char *begin;

	do {
		skip_blanks(&try);
		begin = try.at;
		while (try.at < try.end && (takt_is_digit(*try.at) || *try.at == '.'))
			try.at++;
	} while (try.at > begin && try.at < try.end && takt_is_blank(*try.at));
	if (try.at > begin || !skip_text(&try, ":") || (try.at < try.end && *try.at != ' '))
		return false;
	*c = try;
	return true;
}

/* Skip " (File Offset: 0x40)", which objdump -F prints behind names. */
static void skip_file_offset(struct cursor *c)
{
	struct cursor try = *c;
	uint64_t offset;

	if (skip_text(&try, " (File Offset: 0x") && skip_hex(&try, &offset) && skip_text(&try, ")"))
		*c = try;
}

/*
 * Skip "<+12>" or "<main+12>", which gdb and objdump --prefix-addresses print after an address.
 * False if there is none.
 */
static bool skip_offset(struct cursor *c, struct cursor *ret_name)
{
	const char *close;

	skip_blanks(c);
	close = c->at < c->end && *c->at == '<' ? memchr(c->at, '>', (size_t)(c->end - c->at))
						: NULL;
	if (!close)
		return false;
	*ret_name = (struct cursor){c->at + 1, close};
	c->at = close + 1;
	skip_file_offset(c);
	return true;
}

/* Skip the arrows that objdump --visualize-jumps draws between address and instruction. */
static void skip_arrows(struct cursor *c)
{
	struct cursor try = *c;

	skip_blanks(&try);
	if (try.at == try.end || !strchr("/\\|", *try.at))
		return;
	while (try.at < try.end && strchr("/\\|-+>X \t", *try.at) &&
	       (*try.at != 'X' || try.at + 1 == try.end || strchr("/\\|-+>X \t", try.at[1])))
		try.at++;
	*c = try;
}

/* Read an address; *ret_name is the function that begins here, if the line says so, or empty. */
static bool read_address(struct cursor *c, uint64_t *ret_address, struct cursor *ret_name)
{
	struct cursor name = {c->at, c->at};
	bool has_offset;
	size_t digits;

	skip_percents(c);
	skip_blanks(c);
	skip_text(c, "=>");
	skip_blanks(c);
	skip_text(c, "0x");
	digits = skip_hex(c, ret_address);
	if (!digits || digits > ADDRESS_DIGITS_MAX)
		return false;
	has_offset = skip_offset(c, &name);
	*ret_name = (struct cursor){c->at, c->at};
	if (skip_text(c, ":")) {
		if (c->at < c->end && !takt_is_blank(*c->at))
			return false;
		skip_arrows(c);
		return true;
	}
	/* objdump --prefix-addresses: "0000000000001040 <f> dec    %rax" */
	if (!has_offset || digits < FUNCTION_DIGITS_MIN || c->at == c->end ||
	    !takt_is_blank(*c->at))
		return false;
	if (!memchr(name.at, '+', (size_t)(name.end - name.at)))
		*ret_name = name;
	return true;
}

/* Read the bytes of an instruction: pairs of digits, or a word of AArch64, of eight. */
static uint8_t read_bytes(struct cursor *c, uint8_t bytes[INSN_BYTES_MAX])
{
	uint8_t count = 0;
	uint64_t number;

	for (;;) {
		struct cursor try = *c;
		size_t digits;

		skip_blanks(&try);
		digits = skip_hex(&try, &number);
		if (try.at < try.end && !takt_is_blank(*try.at))
			return count;
		if (digits == 8 && !count) {
			for (; count < 4; count++)
				bytes[count] = (uint8_t)(number >> 8 * count);
			*c = try;
			return count;
		}
		if (digits != 2 || count == INSN_BYTES_MAX)
			return count;
		bytes[count++] = (uint8_t)number;
		*c = try;
	}
}

bool takt_listed_relocation_line(struct cursor c, struct takt_listed_relocation *ret)
{
	struct cursor name;
	uint64_t address;

	if (!read_address(&c, &address, &name))
		return false;
	trim(&c);
	if (!is_relocation(c) || !takt_listed_relocation_read(c.at, (size_t)(c.end - c.at), ret))
		return false;
	ret->address = address;
	return true;
}

bool takt_listed_bare_relocation_line(struct cursor c, struct takt_listed_relocation *ret)
{
	trim(&c);
	return is_relocation(c) && takt_listed_relocation_read(c.at, (size_t)(c.end - c.at), ret);
}

/* True for what gdb and objdump print after an address whose bytes they cannot read. */
static bool is_message(struct cursor c)
{
	static const char *const begins[] = {"Cannot access memory at address ", "Address 0x"};

	for (size_t i = 0; i < TAKT_COUNT_OF(begins); i++) {
		struct cursor try = c;

		if (skip_text(&try, begins[i]))
			return true;
	}
	return false;
}

bool takt_listed_insn_line(struct cursor *c, struct takt_listed *ret_listed,
			   struct cursor *ret_name)
{
	struct takt_listed listed = {0};

	if (!read_address(c, &listed.address, ret_name))
		return false;
	listed.size_bytes = read_bytes(c, listed.bytes);
	c->end = find_relocation(*c);
	trim(c);
	listed.kind = c->at < c->end ? TAKT_LISTED_INSN : TAKT_LISTED_BYTES;
	if (!listed.size_bytes && (c->at == c->end || is_relocation(*c) || is_message(*c)))
		return false;
	*ret_listed = listed;
	return true;
}

bool takt_listed_bare_insn_line(struct cursor *c, struct takt_listed *ret_listed)
{
	struct takt_listed listed = {0};
	struct cursor try = *c;

	if (try.at == try.end || !takt_is_blank(*try.at))
		return false;
	skip_arrows(&try);
	listed.size_bytes = read_bytes(&try, listed.bytes);
	if (!listed.size_bytes)
		return false;
	try.end = find_relocation(try);
	trim(&try);
	if (try.at < try.end && takt_is_digit(*try.at))
		return false;
	listed.kind = try.at < try.end ? TAKT_LISTED_INSN : TAKT_LISTED_BYTES;
	*ret_listed = listed;
	*c = try;
	return true;
}

/* Leave out what objdump -F adds behind a name, in front of `after`: " (File Offset: 0x40)". */
static bool cut_file_offset(struct cursor *c, const char *after)
{
	static const char words[] = "> (File Offset: 0x";
	size_t length = sizeof(words) - 1;
	const char *mark = memmem(c->at, (size_t)(c->end - c->at), words, length);
	struct cursor rest = {mark ? mark + length : c->end, c->end};
	uint64_t offset;

	if (!mark || !skip_hex(&rest, &offset) || !skip_text(&rest, after))
		return false;
	skip_blanks(&rest);
	if (rest.at < rest.end && *rest.at != '\r')
		return false;
	c->end = mark + 1;
	return true;
}

/* Leave out the end of a heading, behind the name in "<dot>:" and "<dot> (File Offset: 0x40):". */
static bool cut_heading(struct cursor *c)
{
	if (cut_file_offset(c, "):"))
		c->end--;
	else if (c->end - c->at >= 2 && memcmp(c->end - 2, ">:", 2) == 0)
		c->end -= 2;
	else
		return false;
	return true;
}

bool takt_listed_bare_function_line(struct cursor c, struct cursor *ret_name)
{
	trim(&c);
	if (!cut_heading(&c) || c.end - c.at < 2 || *c.at != '<')
		return false;
	*ret_name = (struct cursor){c.at + 1, c.end};
	return true;
}

bool takt_listed_function_line(struct cursor c, struct cursor *ret_name)
{
	struct cursor name, number;
	uint64_t address;

	skip_percents(&c);
	trim(&c);
	name = c;
	if (skip_text(&name, "Dump of assembler code for function ")) {
		name.end -= name.end > name.at && name.end[-1] == ':';
		*ret_name = name;
		return name.end > name.at;
	}
	if (!cut_heading(&c))
		return false;
	name.at = memmem(c.at, (size_t)(c.end - c.at), " <", 2);
	if (!name.at)
		return false;
	number = (struct cursor){name.at, name.at};
	while (number.at > c.at && is_hex(number.at[-1]))
		number.at--;
	*ret_name = (struct cursor){name.at + 2, c.end};
	return skip_hex(&number, &address) >= FUNCTION_DIGITS_MIN && ret_name->end > ret_name->at;
}

bool takt_listed_label_name(struct cursor name, uint32_t *ret_number)
{
	uint32_t number = 0;

	if (!skip_text(&name, "L") || name.at == name.end)
		return false;
	for (; name.at < name.end; name.at++) {
		if (!takt_is_digit(*name.at) || number > LABELS_MAX / 10)
			return false;
		number = 10 * number + (uint32_t)(*name.at - '0');
	}
	*ret_number = number;
	return true;
}

bool takt_listed_label_line(struct cursor c, uint32_t *ret_number)
{
	struct cursor name;

	return takt_listed_bare_function_line(c, &name) && takt_listed_label_name(name, ret_number);
}

bool takt_listed_section_line(struct cursor c, struct cursor *ret_name)
{
	skip_percents(&c);
	skip_blanks(&c);
	if (!skip_text(&c, "Disassembly of section "))
		return false;
	trim(&c);
	c.end -= c.end > c.at && c.end[-1] == ':';
	*ret_name = c;
	return true;
}

struct cursor takt_listed_line(const struct takt_source *source, uint32_t index)
{
	const char *line = source->lines[index];
	struct cursor c = {line, line + strcspn(line, "\n")};

	cut_file_offset(&c, ")");
	return c;
}

bool takt_listed_heading_line(struct cursor c)
{
	static const char *const marks[] = {"Disassembly of section ",
					    "Dump of assembler code for ",
					    "Source code & Disassembly"};

	for (size_t i = 0; i < TAKT_COUNT_OF(marks); i++)
		if (memmem(c.at, (size_t)(c.end - c.at), marks[i], strlen(marks[i])))
			return true;
	return false;
}

bool takt_listed_is_jump(struct cursor c)
{
	size_t size = (size_t)(c.end - c.at);
	struct takt_token word = takt_token_next(&c.at, &size);

	if (takt_token_is(word, "bnd") || takt_token_is(word, "notrack"))
		word = takt_token_next(&c.at, &size);
	return takt_token_starts(word, "j") || takt_token_starts(word, "call") ||
	       takt_token_starts(word, "loop") || takt_token_is(word, "b") ||
	       takt_token_is(word, "bl") || takt_token_starts(word, "b.") ||
	       takt_token_starts(word, "cb") || takt_token_starts(word, "tb");
}
