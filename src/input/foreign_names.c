/* SPDX-License-Identifier: MIT */
/*
 * Replaces names that no assembler takes: those that tools print for people. Labels go into quotes,
 * so that regions keep the name. Operands become plain names, because their targets are not there.
 */
#include <string.h>

#include "input/listing.h"
#include "input/token.h"

/* A part of a line. */
struct extent {
	size_t begin, end;
};

static bool is_plain_char(char c)
{
	return (takt_is_name_char(c) && c != '-') || c == '@' || c == '?';
}

void takt_plain_name_write(const char *name, size_t size_bytes, struct takt_text *text)
{
	if (size_bytes && takt_is_digit(*name))
		takt_text_add_string(text, "_");
	for (size_t i = 0; i < size_bytes; i++) {
		bool fits = takt_is_name_char(name[i]) && name[i] != '-' && name[i] != '$';

		takt_text_add(text, fits ? &name[i] : "_", 1);
	}
}

struct known_label {
	uint64_t hash, known;
};

void takt_labels_init(struct takt_map *labels)
{
	takt_map_init(labels, sizeof(struct known_label), SIZE_MAX);
}

void takt_quoted_label_write(struct takt_map *labels, const char *name, size_t size_bytes,
			     struct takt_text *text)
{
	uint64_t hash = takt_hash_bytes(name, size_bytes);
	struct known_label *label = takt_map_get(labels, hash ? hash : 1);

	if (label->known)
		return;
	label->known = 1;
	takt_text_add_string(text, "\"");
	for (size_t i = 0; i < size_bytes; i++)
		takt_text_add(text, name[i] == '"' || name[i] == '\\' ? "'" : &name[i], 1);
	takt_text_add_string(text, "\":");
}

static bool is_plain(const char *name, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++)
		if (!is_plain_char(name[i]))
			return false;
	return true;
}

/* Find a label at the beginning of a line that has nothing else, such as "f(int, char*):". */
static bool find_label(const char *line, size_t size_bytes, size_t *ret_size)
{
	size_t size = takt_trimmed_size(line, size_bytes);

	if (size < 2 || line[size - 1] != ':' || takt_is_blank(*line) || strchr("\"#/;.", *line) ||
	    is_plain(line, size - 1))
		return false;
	*ret_size = size - 1;
	return true;
}

/* Find the operand of a call or jump to a name: not through a register or memory. */
static bool find_callee(const char *line, size_t size_bytes, struct extent *ret_name)
{
	const char *rest = line;
	size_t left = size_bytes;
	struct takt_token mnemonic = takt_token_next(&rest, &left);

	if (takt_token_is(mnemonic, "bnd") || takt_token_is(mnemonic, "notrack"))
		mnemonic = takt_token_next(&rest, &left);
	if (!takt_token_starts(mnemonic, "call") && !takt_token_starts(mnemonic, "j") &&
	    !takt_token_is(mnemonic, "bl") && !takt_token_is(mnemonic, "b"))
		return false;
	if (left && *rest == ':') /* the label "jacobi:" is no jump */
		return false;
	while (left && takt_is_blank(*rest)) {
		rest++;
		left--;
	}
	if (!left || strchr("*[%.\"0123456789", *rest) || memchr(rest, '[', left) ||
	    memchr(rest, '%', left))
		return false;
	*ret_name = (struct extent){size_bytes - left, size_bytes};
	return true;
}

/* Find the operand of a table's entry, such as ".quad typeinfo name for F". */
static bool find_entry(const char *line, size_t size_bytes, struct extent *ret_name)
{
	const char *rest = line;
	size_t left = size_bytes;

	if (!takt_token_is(takt_token_next(&rest, &left), ".quad"))
		return false;
	while (left && takt_is_blank(*rest)) {
		rest++;
		left--;
	}
	*ret_name = (struct extent){size_bytes - left, size_bytes};
	return left && !strchr("-(0123456789", *rest) && !memchr(rest, ',', left);
}

/* Find the name after "OFFSET FLAT:", without an offset after it. */
static bool find_flat(const char *line, size_t size_bytes, struct extent *ret_name)
{
	static const char flat[] = "OFFSET FLAT:";
	const char *hit = memmem(line, size_bytes, flat, strlen(flat));
	size_t end = size_bytes;

	if (!hit)
		return false;
	while (end && takt_is_digit(line[end - 1]))
		end--;
	end = end && (line[end - 1] == '+' || line[end - 1] == '-') ? end - 1 : size_bytes;
	*ret_name = (struct extent){(size_t)(hit - line) + strlen(flat), end};
	return ret_name->begin < end;
}

/* Return the offset after the mnemonic of a line and the blanks after it. */
static size_t operands_begin(const char *line, size_t size_bytes)
{
	const char *rest = line;
	size_t left = size_bytes;

	takt_token_next(&rest, &left);
	while (left && takt_is_blank(*rest)) {
		rest++;
		left--;
	}
	return size_bytes - left;
}

/* Return what is after "PTR" in an operand of Intel syntax, in either case; NULL: it has none. */
static const char *behind_pointer(const char *line, size_t size_bytes)
{
	static const char pointer[] = "ptr ";

	for (size_t i = 0; i + strlen(pointer) <= size_bytes; i++)
		if (takt_compare_nocase(line + i, pointer, strlen(pointer)) == 0)
			return line + i + strlen(pointer);
	return NULL;
}

/* Find the name before "[rip" or "(%rip)", which begins after the operand before it. */
static bool find_rip_name(const char *line, size_t size_bytes, struct extent *ret_name)
{
	const char *intel = memmem(line, size_bytes, "[rip", 4);
	const char *att = memmem(line, size_bytes, "(%rip)", 6), *behind = NULL;
	size_t begin = operands_begin(line, size_bytes), end;

	if (!intel && !att)
		return false;
	end = (size_t)((intel ? intel : att) - line);
	if (begin >= end)
		return false;
	if (intel)
		behind = behind_pointer(line, end);
	if (!behind && (intel || line[begin] == '%' || line[begin] == '$'))
		behind = memchr(line + begin, ',', end - begin);
	if (behind && *behind == ',')
		behind++;
	if (behind)
		begin = (size_t)(behind - line);
	while (begin < end && takt_is_blank(line[begin]))
		begin++;
	*ret_name = (struct extent){begin, end};
	return begin < end;
}

/* True for an offset in front of a name or instead of one: "16+foo", "8". */
static bool is_sum(const char *name, size_t size_bytes)
{
	for (size_t i = 0; i < size_bytes; i++)
		if (!is_plain_char(name[i]) && name[i] != '+' && name[i] != '-')
			return false;
	return true;
}

static bool is_beyond_ascii(char c)
{
	return (unsigned char)c >= 0x80;
}

/* True if a directive has letters beyond ASCII outside of quotes. */
static bool is_foreign_directive(const char *line, size_t size_bytes)
{
	bool is_quoted = false;
	size_t blanks = 0;

	while (blanks < size_bytes && takt_is_blank(line[blanks]))
		blanks++;
	if (blanks == size_bytes || line[blanks] != '.')
		return false;
	for (size_t at = blanks; at < size_bytes; at++) {
		is_quoted ^= line[at] == '"';
		if (!is_quoted && is_beyond_ascii(line[at]))
			return true;
	}
	return false;
}

/* Put names with such letters into quotes, as in ".globl größe" by gcc. */
static void write_directive(const char *line, size_t size_bytes, struct takt_text *text)
{
	bool is_quoted = false;

	for (size_t at = 0, begin = 0; at < size_bytes; begin = at) {
		bool quotes = false;

		while (!is_quoted && at < size_bytes &&
		       (is_plain_char(line[at]) || is_beyond_ascii(line[at])))
			quotes |= is_beyond_ascii(line[at++]);
		if (at == begin)
			is_quoted ^= line[at++] == '"';
		takt_text_add_string(text, quotes ? "\"" : "");
		takt_text_add(text, line + begin, at - begin);
		takt_text_add_string(text, quotes ? "\"" : "");
	}
}

bool takt_foreign_names_write(struct takt_map *labels, const char *line, size_t size_bytes,
			      struct takt_text *text)
{
	const char *comment = memchr(line, '#', size_bytes);
	size_t size = comment ? (size_t)(comment - line) : size_bytes, label;
	struct extent name;

	size = takt_trimmed_size(line, size);
	if (size && find_label(line, size, &label)) {
		takt_quoted_label_write(labels, line, label, text);
		return true;
	}
	if (is_foreign_directive(line, size)) {
		write_directive(line, size, text);
		return true;
	}
	if ((!find_callee(line, size, &name) && !find_entry(line, size, &name) &&
	     !find_flat(line, size, &name) && !find_rip_name(line, size, &name)) ||
	    is_sum(line + name.begin, name.end - name.begin))
		return false;
	takt_text_add(text, line, name.begin);
	takt_plain_name_write(line + name.begin, name.end - name.begin, text);
	takt_text_add(text, line + name.end, size - name.end);
	return true;
}
