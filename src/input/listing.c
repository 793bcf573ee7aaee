/* SPDX-License-Identifier: MIT */
/*
 * Reads what disassemblers print: objdump -d, gdb's disassemble and x/i, perf annotate --stdio,
 * llvm-objdump -d. Lines with an address are instructions; all others (source code, headings) are
 * left out. If the bytes are there, they are the code. If not, the instructions are assembled
 * again, each with a label made of its address, and placement.c gives them their sizes.
 * Instructions without an address (objdump --no-addresses) need their bytes.
 */
#include "input/listing.h"

#include <inttypes.h>
#include <string.h>

#include "input/listing_cursor.h"

#define ADDRESS_DIGITS_MAX 16u
/* Without headings, text whose addresses end below this has local labels such as "1:". */
#define LAST_ADDRESS_MIN 16u
/* Digits of an address in front of a function's name. */
#define FUNCTION_DIGITS_MIN 8u

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

/* Read a line of objdump -r; false for other lines and for types that are not applied. */
static bool read_relocation(struct cursor c, struct takt_listed_relocation *ret)
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

/* Read a line of objdump --no-addresses -r; its address is not known. */
static bool read_bare_relocation(struct cursor c, struct takt_listed_relocation *ret)
{
	trim(&c);
	return is_relocation(c) && takt_listed_relocation_read(c.at, (size_t)(c.end - c.at), ret);
}

/* Read a line with an address, and the name that the line gives it; false if it has none. */
static bool read_insn(struct cursor *c, struct takt_listed *ret_listed, struct cursor *ret_name)
{
	struct takt_listed listed = {0};

	if (!read_address(c, &listed.address, ret_name))
		return false;
	listed.size_bytes = read_bytes(c, listed.bytes);
	c->end = find_relocation(*c);
	trim(c);
	listed.kind = c->at < c->end ? TAKT_LISTED_INSN : TAKT_LISTED_BYTES;
	if (!listed.size_bytes && (c->at == c->end || is_relocation(*c)))
		return false;
	*ret_listed = listed;
	return true;
}

/* Read a line of bytes and an instruction without an address; false if it is something else. */
static bool read_bare_insn(struct cursor *c, struct takt_listed *ret_listed)
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

/* Read "<dot>:", the heading of objdump --no-addresses. */
static bool read_bare_function(struct cursor c, struct cursor *ret_name)
{
	trim(&c);
	if (!cut_heading(&c) || c.end - c.at < 2 || *c.at != '<')
		return false;
	*ret_name = (struct cursor){c.at + 1, c.end};
	return true;
}

/* Read "00000000000011b0 <dot>:" or gdb's "Dump of assembler code for function dot:". */
static bool read_function(struct cursor c, struct cursor *ret_name)
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

/* Return the section that a heading of objdump names. */
static bool read_section(struct cursor c, struct cursor *ret_name)
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

static struct cursor line_at(const struct takt_source *source, uint32_t index)
{
	const char *line = source->lines[index];
	struct cursor c = {line, line + strcspn(line, "\n")};

	cut_file_offset(&c, ")");
	return c;
}

/* True for a heading that only disassemblers print. */
static bool is_heading(struct cursor c)
{
	static const char *const marks[] = {"Disassembly of section ",
					    "Dump of assembler code for ",
					    "Source code & Disassembly"};

	for (size_t i = 0; i < TAKT_COUNT_OF(marks); i++)
		if (memmem(c.at, (size_t)(c.end - c.at), marks[i], strlen(marks[i])))
			return true;
	return false;
}

/*
 * Count the lines with addresses, or, if there are headings and no such lines, those with bytes.
 * Return 0 unless headings say that the text is a disassembly, or most lines have addresses, each
 * greater than the one before.
 */
static uint32_t count_insns(const struct takt_source *source, bool *ret_bare)
{
	uint32_t insns = 0, bare = 0, others = 0, headings = 0;
	uint64_t last = 0;
	bool ascends = true;

	for (uint32_t i = 0; i < source->line_count; i++) {
		struct cursor c = line_at(source, i), insn = c, name;
		struct takt_listed_relocation relocation;
		struct takt_listed listed;

		bare += read_bare_insn(&insn, &listed);
		insn = c;
		trim(&c);
		if (is_heading(c))
			headings++;
		else if (read_insn(&insn, &listed, &name)) {
			ascends &= !insns++ || listed.address > last;
			last = listed.address;
		} else if (c.at < c.end && !read_relocation(c, &relocation))
			others++;
	}
	*ret_bare = headings && !insns && bare;
	if (*ret_bare)
		insns = bare;
	if (insns > TAKT_REGION_INSNS_MAX)
		return 0;
	if (*ret_bare)
		return bare;
	if (!headings && (insns < 2 || insns < others || !ascends || last < LAST_ADDRESS_MIN))
		return 0;
	return insns;
}

bool takt_line_is_mark(const char *line)
{
	size_t size = strcspn(line, "\n");

	return memmem(line, size, "OSACA-", 6) || memmem(line, size, "LLVM-MCA-", 9);
}

static const char *copy_cursor(struct takt_arena *arena, struct cursor c)
{
	return takt_arena_copy(arena, c.at, (size_t)(c.end - c.at));
}

/* State of the lines before the one that is read. */
struct reading {
	struct takt_arena *arena;
	uint32_t count;			/* lines with addresses in the whole text */
	const char *section, *function; /* those that the next instruction begins, or NULL */
	uint64_t last;			/* address of the last instruction */
	uint32_t run;			/* number of the run of ascending addresses */
	bool bare;			/* instructions have bytes, but no addresses */
	uint64_t next;			/* address after the last instruction */
};

/* Read an instruction; if lines have no addresses, it follows the one before. */
static bool read_any_insn(struct cursor *c, const struct reading *r, struct takt_listed *ret_listed,
			  struct cursor *ret_name)
{
	if (!r->bare)
		return read_insn(c, ret_listed, ret_name);
	*ret_name = (struct cursor){c->at, c->at};
	if (!read_bare_insn(c, ret_listed))
		return false;
	ret_listed->address = r->section ? 0 : r->next;
	return true;
}

/* Read the relocations of a line, those of the last instruction. */
static void read_relocations(struct takt_source *source, struct cursor c, bool bare)
{
	struct takt_listed_relocation relocation;
	struct cursor part = {find_relocation(c), c.end};

	for (; source->listed_count && part.at < c.end; part.at = part.end) {
		const char *name =
			(const char *)memmem(part.at, (size_t)(c.end - part.at), "R_", 2) + 2;

		part.end = find_relocation((struct cursor){name, c.end});
		if (read_relocation(part, &relocation)) {
			relocation.listed = source->listed_count - 1;
			source->relocations[source->relocation_count++] = relocation;
		} else if (bare && read_bare_relocation(part, &relocation)) {
			takt_listed_relocation_add(source, relocation);
		}
	}
}

static void read_line(struct takt_source *source, uint32_t index, struct reading *r)
{
	struct takt_listed *listed = &source->listed[source->listed_count];
	struct cursor c = line_at(source, index), insn = c, name;

	source->lines[index] = "";
	if (source->listed_count < r->count && read_any_insn(&insn, r, listed, &name)) {
		source->listed_count++;
		if (name.at < name.end)
			r->function = copy_cursor(r->arena, name);
		r->next = listed->address + listed->size_bytes;
		listed->line = index;
		if (r->section || !r->run || listed->address <= r->last)
			r->run++;
		listed->run = r->run;
		listed->section = r->section;
		listed->function = r->function;
		r->section = r->function = NULL;
		r->last = listed->address;
		source->lines[index] = copy_cursor(r->arena, insn);
	} else if (read_section(c, &name)) {
		r->section = copy_cursor(r->arena, name);
	} else if (read_function(c, &name) || (r->bare && read_bare_function(c, &name))) {
		r->function = copy_cursor(r->arena, name);
	} else if (takt_line_is_mark(c.at)) {
		source->lines[index] = copy_cursor(r->arena, c);
	}
	read_relocations(source, c, r->bare);
}

/* Return how many relocations there are at most. */
static size_t count_relocations(const struct takt_source *source)
{
	size_t count = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		struct cursor c = line_at(source, i);

		while ((c.at = find_relocation(c)) < c.end) {
			c.at = (const char *)memmem(c.at, (size_t)(c.end - c.at), "R_", 2) + 2;
			count++;
		}
	}
	return count;
}

bool takt_listing_read(struct takt_source *source, struct takt_arena *arena)
{
	struct reading reading = {.arena = arena};

	reading.count = count_insns(source, &reading.bare);
	if (!reading.count)
		return false;
	source->listed = TAKT_NEW_ARRAY(arena, reading.count, struct takt_listed);
	source->relocations =
		TAKT_NEW_ARRAY(arena, count_relocations(source), struct takt_listed_relocation);
	for (uint32_t i = 0; i < source->line_count; i++)
		read_line(source, i, &reading);
	return true;
}

/* ---- disassemblies that cannot be read -------------------------------------------- */

static bool has_text(struct cursor c, const char *text)
{
	return memmem(c.at, (size_t)(c.end - c.at), text, strlen(text)) != NULL;
}

/* Signs of tools in a text. */
struct signs {
	bool objdump, gdb, stdio2; /* headings of objdump, gdb, and perf annotate --stdio2 */
	bool descends;		   /* an address is less than the one before, in a function */
	bool go; /* "TEXT ·f(SB), NOSPLIT, $0-8", or as 'go tool objdump' has it */
};

/* True for the line that begins a function in the syntax of Go's assembler. */
static bool is_go_function(struct cursor c)
{
	const char *word = memmem(c.at, (size_t)(c.end - c.at), "TEXT", 4);

	if (!word || (word > c.at && !takt_is_blank(word[-1])) || word + 4 >= c.end ||
	    !takt_is_blank(word[4]))
		return false;
	return memmem(word, (size_t)(c.end - word), "(SB)", 4) != NULL;
}

static struct signs find_signs(const struct takt_source *source)
{
	struct signs signs = {0};
	uint64_t last = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		struct cursor c = line_at(source, i), insn = c, name;
		struct takt_listed listed;

		if (skip_text(&c, "Dump of assembler code for ")) {
			signs.gdb = true;
			last = 0;
		} else if (has_text(c, "file format ") &&
			   (has_text(c, "elf64") || has_text(c, "coff") || has_text(c, "mach-o"))) {
			signs.objdump = true;
		} else if (skip_text(&c, "Samples: ") && has_text(c, " of event ")) {
			signs.stdio2 = true;
		} else if (is_go_function(c)) {
			signs.go = true;
		} else if (read_insn(&insn, &listed, &name)) {
			signs.descends |= signs.gdb && listed.address < last;
			last = listed.address;
		}
	}
	return signs;
}

bool takt_listing_refuse(const struct takt_source *source, const char *file, struct takt_diag *diag)
{
	struct signs signs = find_signs(source);
	bool bare;

	if (signs.stdio2) {
		takt_error(diag,
			   "'%s' is from 'perf annotate --stdio2', which leaves out addresses",
			   file);
		takt_note(diag, "use 'perf annotate --stdio'");
		return true;
	}
	if (signs.go) {
		takt_error(diag,
			   "'%s' is in the syntax of Go's assembler, which takt does not read",
			   file);
		takt_note(diag,
			  "build it, and give the object or the program with '--function=NAME', "
			  "or what 'objdump -d' prints of it");
		return true;
	}
	if (signs.descends) {
		takt_error(diag,
			   "'%s' has instructions in the order of the source, not of addresses",
			   file);
		takt_note(diag, "use gdb's 'disassemble /s' instead of '/m'");
		return true;
	}
	if ((!signs.objdump && !signs.gdb) || count_insns(source, &bare))
		return false;
	takt_error(diag, "'%s' is a listing without instructions that have an address or bytes",
		   file);
	takt_note(diag, "%s",
		  signs.gdb ? "gdb's 'disassemble' prints them"
			    : "'objdump -d' prints them, without '--no-addresses'; 'takt analyze' "
			      "also reads the object file itself");
	return true;
}

bool takt_listing_has_bytes(const struct takt_source *source)
{
	for (size_t i = 0; i < source->listed_count; i++)
		if (!source->listed[i].size_bytes)
			return false;
	return source->listed_count > 0;
}

/* ---- without bytes: text for LLVM --------------------------------------------------- */

static const struct takt_listed *find_line(const struct takt_source *source, uint32_t index)
{
	size_t at;

	TAKT_BISECT(at, source->listed_count, source->listed[at].line < index);
	return at < source->listed_count && source->listed[at].line == index ? &source->listed[at]
									     : NULL;
}

/* True if the run has an instruction at the address; addresses ascend within a run. */
static bool is_listed(const struct takt_source *source, uint32_t run, uint64_t address)
{
	const struct takt_listed *listed = source->listed;
	size_t at;

	TAKT_BISECT(at, source->listed_count,
		    listed[at].run < run ||
			    (listed[at].run == run && listed[at].address < address));
	return at < source->listed_count && listed[at].run == run && listed[at].address == address;
}

/* True if an instruction with this beginning jumps to a plain number. */
static bool is_jump(struct cursor c)
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

/* Return the end of an instruction without the comment that a disassembler adds. */
static const char *find_comment(struct cursor c)
{
	const char *slashes = memmem(c.at, (size_t)(c.end - c.at), "//", 2);
	const char *hash = memmem(c.at, (size_t)(c.end - c.at), "# ", 2);
	const char *end = slashes ? slashes : c.end;

	return hash && hash < end ? hash : end;
}

/* Find the number that an instruction leads to: "jne 11e8 <dot+0x18>", "b.ne 0x40". */
static bool find_target(struct cursor c, struct cursor *ret_number, uint64_t *ret_target)
{
	struct cursor number = {0};
	const char *open;
	bool named;

	c.end = find_comment(c);
	trim(&c);
	open = memmem(c.at, (size_t)(c.end - c.at), " <", 2);
	named = open && c.end[-1] == '>';
	number.end = named ? open : c.end;

	for (number.at = number.end; number.at > c.at && is_hex(number.at[-1]);)
		number.at--;
	if (number.at - c.at >= 2 && memcmp(number.at - 2, "0x", 2) == 0)
		number.at -= 2;
	if (number.at <= c.at || !(takt_is_blank(number.at[-1]) || number.at[-1] == ',') ||
	    (!named && !is_jump(c)))
		return false;
	*ret_number = (struct cursor){number.at, c.end};
	skip_text(&number, "0x");
	return skip_hex(&number, ret_target) > 0;
}

bool takt_listing_target(const struct takt_source *source, uint32_t index, uint64_t *ret_target)
{
	struct cursor number;

	return find_target(line_at(source, index), &number, ret_target);
}

void takt_listing_write(const struct takt_source *source, uint32_t index, struct takt_map *labels,
			struct takt_text *text)
{
	const struct takt_listed *listed = find_line(source, index);
	struct cursor c = line_at(source, index), number;
	uint64_t target;

	if (!listed || listed->kind != TAKT_LISTED_INSN)
		return;
	if (listed->function && *listed->function != '.') { /* LLVM has a symbol of ".text" */
		takt_quoted_label_write(labels, listed->function, strlen(listed->function), text);
		takt_text_add_string(text, ";");
	}
	takt_text_printf(text, ".Ltakt_at%u_%" PRIx64 ":", listed->run, listed->address);
	if (!find_target(c, &number, &target)) {
		if (!takt_gnu_intel_write(c.at, (size_t)(c.end - c.at), text))
			takt_text_add(text, c.at, (size_t)(c.end - c.at));
		return;
	}
	takt_text_add(text, c.at, (size_t)(number.at - c.at));
	if (is_listed(source, listed->run, target))
		takt_text_printf(text, ".Ltakt_at%u_%" PRIx64, listed->run, target);
	else
		takt_text_printf(text, "takt_outside_%" PRIx64, target);
}

/* ---- with bytes: an image --------------------------------------------------------------- */

/* An image being made of the bytes of a listing. */
struct building {
	struct takt_code *code;
	uint8_t *bytes;	  /* of all lines, one after the other */
	size_t used;	  /* bytes */
	uint64_t address; /* after the last one */
	uint32_t run;	  /* of the last line */
	struct takt_symbol *symbols;
	const char *section_name;
	size_t comment; /* index of the next comment to place */
};

static void open_section(struct building *b, const struct takt_listed *listed)
{
	struct takt_image *image = &b->code->image;
	struct takt_section *section = &image->sections[image->section_count++];

	if (listed->section || listed->run != b->run)
		b->section_name = listed->section ? listed->section : ".text";
	*section = (struct takt_section){
		.name = b->section_name,
		.bytes = b->bytes + b->used,
		.copy = b->bytes + b->used,
		.address = listed->address,
		.elf_index = image->section_count,
	};
}

static void add_symbol(struct building *b, const char *name)
{
	struct takt_image *image = &b->code->image;
	const struct takt_section *section = &image->sections[image->section_count - 1];

	b->symbols[image->symbol_count++] = (struct takt_symbol){
		.name = name,
		.address = section->address + section->size_bytes,
		.section = image->section_count - 1,
		.is_function = true,
		.is_global = true,
	};
}

/* Place the comments before a line that begin regions, or those that end them, at the end so far.
 */
static void add_labels(struct building *b, uint32_t line, bool begins)
{
	const struct takt_source *source = &b->code->source;
	const struct takt_image *image = &b->code->image;
	const struct takt_section *section;

	if (!image->section_count)
		return;
	section = &image->sections[image->section_count - 1];
	for (size_t i = b->comment; i < source->comment_count; i++) {
		struct takt_shim_result *assembled = &b->code->assembled;

		if (source->comments[i].line > line)
			break;
		if (source->comments[i].begins == begins)
			assembled->labels[assembled->label_count++] = (struct takt_assembled_insn){
				section->elf_index, (uint32_t)section->size_bytes,
				source->comments[i].line};
		b->comment = begins ? i + 1 : b->comment;
	}
}

static void add_bytes(struct building *b, const struct takt_listed *listed)
{
	struct takt_image *image = &b->code->image;
	struct takt_shim_result *assembled = &b->code->assembled;
	struct takt_section *section;

	add_labels(b, listed->line, false);
	if (!image->section_count || listed->run != b->run || listed->address != b->address)
		open_section(b, listed);
	add_labels(b, listed->line, true);
	section = &image->sections[image->section_count - 1];
	b->run = listed->run;
	b->address = listed->address + listed->size_bytes;
	if (listed->function)
		add_symbol(b, listed->function);
	if (listed->kind == TAKT_LISTED_INSN)
		assembled->insns[assembled->insn_count++] = (struct takt_assembled_insn){
			section->elf_index, (uint32_t)section->size_bytes, listed->line + 1};
	memcpy(b->bytes + b->used, listed->bytes, listed->size_bytes);
	b->used += listed->size_bytes;
	section->size_bytes += listed->size_bytes;
}

/* A function extends to the next one or to the end of its section. */
static void settle_sizes(struct takt_symbol *symbols, const struct takt_image *image)
{
	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct takt_section *section = &image->sections[symbols[i].section];
		bool same =
			i + 1 < image->symbol_count && symbols[i + 1].section == symbols[i].section;

		symbols[i].size_bytes =
			(same ? symbols[i + 1].address : section->address + section->size_bytes) -
			symbols[i].address;
	}
}

void takt_listing_image(struct takt_code *code)
{
	const struct takt_source *source = &code->source;
	struct building b = {.code = code};
	size_t count = source->listed_count;

	code->image.sections = TAKT_NEW_ARRAY(&code->arena, count, struct takt_section);
	code->image.section_count = 0;
	code->image.symbol_count = 0;
	b.symbols = TAKT_NEW_ARRAY(&code->arena, count, struct takt_symbol);
	b.bytes = TAKT_NEW_ARRAY(&code->arena, count * INSN_BYTES_MAX, uint8_t);
	code->assembled.insns = takt_xcalloc(count, sizeof(*code->assembled.insns));
	code->assembled.labels =
		takt_xcalloc(2 * source->comment_count, sizeof(*code->assembled.labels));
	for (size_t i = 0; i < count; i++)
		add_bytes(&b, &source->listed[i]);
	add_labels(&b, UINT32_MAX, false);
	add_labels(&b, UINT32_MAX, true);
	settle_sizes(b.symbols, &code->image);
	code->image.symbols = b.symbols;
	code->image.relocatable = true;
	takt_listing_relocate(code);
}
