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

#include "input/listed_line.h"

/* Without headings, text whose addresses end below this has local labels such as "1:". */
#define LAST_ADDRESS_MIN 16u

/*
 * Count the lines with addresses, or, if there are headings and no such lines, those with bytes.
 * Return 0 unless headings say that the text is a disassembly, or most lines have addresses, each
 * greater than the one before, and these are too large for local labels or have names: "0x4
 * <f+4>:".
 */
static uint32_t count_insns(const struct takt_source *source, bool *ret_bare)
{
	uint32_t insns = 0, bare = 0, others = 0, headings = 0;
	uint64_t last = 0;
	bool ascends = true, named = false;

	for (uint32_t i = 0; i < source->line_count; i++) {
		struct cursor c = takt_listed_line(source, i), insn = c, name;
		struct takt_listed_relocation relocation;
		struct takt_listed listed;

		bare += takt_listed_bare_insn_line(&insn, &listed);
		insn = c;
		trim(&c);
		if (takt_listed_heading_line(c))
			headings++;
		else if (takt_listed_insn_line(&insn, &listed, &name)) {
			ascends &= !insns++ || listed.address > last;
			last = listed.address;
			named |= memmem(c.at, (size_t)(insn.at - c.at), ">:", 2) != NULL;
		} else if (c.at < c.end && !takt_listed_relocation_line(c, &relocation))
			others++;
	}
	*ret_bare = headings && !insns && bare;
	if (*ret_bare)
		insns = bare;
	if (insns > TAKT_REGION_INSNS_MAX)
		return 0;
	if (*ret_bare)
		return bare;
	if (!headings &&
	    (insns < 2 || insns < others || !ascends || (last < LAST_ADDRESS_MIN && !named)))
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
	uint32_t label;			/* the one that the next instruction has; 0: none */
	bool bare;			/* instructions have bytes, but no addresses */
	bool after_blank;		/* the line before is empty */
	uint64_t next;			/* address after the last instruction */
};

/* Read an instruction; if lines have no addresses, it follows the one before. */
static bool read_any_insn(struct cursor *c, const struct reading *r, struct takt_listed *ret_listed,
			  struct cursor *ret_name)
{
	if (!r->bare)
		return takt_listed_insn_line(c, ret_listed, ret_name);
	*ret_name = (struct cursor){c->at, c->at};
	if (!takt_listed_bare_insn_line(c, ret_listed))
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
		if (takt_listed_relocation_line(part, &relocation)) {
			relocation.listed = source->listed_count - 1;
			source->relocations[source->relocation_count++] = relocation;
		} else if (bare && takt_listed_bare_relocation_line(part, &relocation)) {
			takt_listed_relocation_add(source, relocation);
		}
	}
}

/*
 * Read a label inside a function. In front of a function, whose heading may look the same without
 * an address, there is an empty line.
 */
static bool read_label(struct cursor c, struct reading *r)
{
	uint32_t number;

	if ((r->bare && r->after_blank) || !takt_listed_label_line(c, &number))
		return false;
	r->label = number + 1;
	return true;
}

static void read_line(struct takt_source *source, uint32_t index, struct reading *r)
{
	struct takt_listed *listed = &source->listed[source->listed_count];
	struct cursor c = takt_listed_line(source, index), insn = c, name;

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
		listed->label = r->label;
		r->section = r->function = NULL;
		r->label = 0;
		r->last = listed->address;
		source->lines[index] = copy_cursor(r->arena, insn);
	} else if (takt_listed_section_line(c, &name)) {
		r->section = copy_cursor(r->arena, name);
		source->is_macho |= skip_text(&name, "__TEXT,");
	} else if (read_label(c, r)) {
		; /* kept for the next instruction */
	} else if (takt_listed_function_line(c, &name) ||
		   (r->bare && takt_listed_bare_function_line(c, &name))) {
		r->function = copy_cursor(r->arena, name);
	} else if (takt_line_is_mark(c.at)) {
		source->lines[index] = copy_cursor(r->arena, c);
	}
	read_relocations(source, c, r->bare);
	trim(&c);
	r->after_blank = c.at == c.end;
}

/* Return how many relocations there are at most. */
static size_t count_relocations(const struct takt_source *source)
{
	size_t count = 0;

	for (uint32_t i = 0; i < source->line_count; i++) {
		struct cursor c = takt_listed_line(source, i);

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
	if (!takt_listing_has_bytes(source))
		takt_listed_names_resolve(source, arena);
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
		struct cursor c = takt_listed_line(source, i), insn = c, name;
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
		} else if (takt_listed_insn_line(&insn, &listed, &name)) {
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
			    : "'objdump -d' prints them, without '--no-addresses' or "
			      "'--no-leading-addr'; 'takt analyze' "
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
	    (!named && !takt_listed_is_jump(c)))
		return false;
	*ret_number = (struct cursor){number.at, c.end};
	skip_text(&number, "0x");
	return skip_hex(&number, ret_target) > 0;
}

bool takt_listing_target(const struct takt_source *source, uint32_t index, uint64_t *ret_target)
{
	struct cursor number;

	return find_target(takt_listed_line(source, index), &number, ret_target);
}

void takt_listing_write(const struct takt_source *source, uint32_t index, struct takt_map *labels,
			struct takt_text *text)
{
	const struct takt_listed *listed = find_line(source, index);
	struct cursor c = takt_listed_line(source, index), number;
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
