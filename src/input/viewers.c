/* SPDX-License-Identifier: MIT */
/*
 * Rewrites what is copied from the windows of other programs as a disassembly of objdump, which
 * listing.c reads: Visual Studio's disassembly, Ghidra's listing, VTune's table, and Compiler
 * Explorer's view of linked code without its addresses; and the window of perf annotate as assembly
 * text. Lines keep their numbers.
 */
#include <string.h>

#include "input/listing.h"
#include "input/token.h"

#define ADDRESS_DIGITS_MIN 8u
#define ADDRESS_DIGITS_MAX 16u

/* A part of a line. */
struct part {
	const char *at, *end;
};

static struct part line_part(const struct takt_source *source, uint32_t index)
{
	const char *line = source->lines[index];

	return (struct part){line, line + takt_trimmed_size(line, strcspn(line, "\n"))};
}

static void skip_blanks(struct part *part)
{
	while (part->at < part->end && takt_is_blank(*part->at))
		part->at++;
}

static size_t hex_size(struct part part)
{
	size_t size = 0;

	while (part.at + size < part.end && takt_hex_digit(part.at[size]) >= 0)
		size++;
	return size;
}

static bool has_text(struct part part, const char *text)
{
	return part.at && memmem(part.at, (size_t)(part.end - part.at), text, strlen(text));
}

static bool is_text(struct part part, const char *text)
{
	return (size_t)(part.end - part.at) == strlen(text) &&
	       memcmp(part.at, text, strlen(text)) == 0;
}

static void add(struct takt_text *text, struct part part)
{
	takt_text_add(text, part.at, (size_t)(part.end - part.at));
}

static uint64_t value_of(struct part digits)
{
	uint64_t value = 0;

	for (; digits.at < digits.end; digits.at++)
		value = value << 4 | (unsigned)takt_hex_digit(*digits.at);
	return value;
}

/* ---- columns of addresses and bytes: Visual Studio, Ghidra ---------------------------- */

/* Read an address of 8 to 16 digits and the blanks after it. */
static bool read_address(struct part *part, struct part *ret_address)
{
	size_t digits;

	skip_blanks(part);
	digits = hex_size(*part);
	if (digits < ADDRESS_DIGITS_MIN || digits > ADDRESS_DIGITS_MAX ||
	    part->at + digits == part->end || !takt_is_blank(part->at[digits]))
		return false;
	*ret_address = (struct part){part->at, part->at + digits};
	part->at += digits;
	skip_blanks(part);
	return true;
}

/* Read pairs of digits, which are an instruction's bytes; the part is empty if there are none. */
static struct part read_bytes(struct part *part)
{
	struct part bytes = {part->at, part->at};

	while (hex_size(*part) == 2 && (part->at + 2 == part->end || takt_is_blank(part->at[2]))) {
		part->at += 2;
		bytes.end = part->at;
		skip_blanks(part);
	}
	return bytes;
}

/* Return the digits of "25h" and "0FFh", as Microsoft's programs write numbers, and Ghidra in
 * comments; 0: none. */
static size_t number_size(struct part part)
{
	size_t size = hex_size(part);

	if (!size || *part.at < '0' || *part.at > '9' || part.at + size == part.end ||
	    part.at[size] != 'h')
		return 0;
	return part.at + size + 1 < part.end && takt_is_name_char(part.at[size + 1]) ? 0 : size;
}

/* Write operands with numbers as LLVM reads them. */
static void write_numbers(struct part part, struct takt_text *text)
{
	while (part.at < part.end) {
		struct part word = {part.at, part.at + 1};
		size_t size = number_size(part);

		if (size) {
			takt_text_add_string(text, "0x");
			word.end = part.at + size;
		} else {
			while (takt_is_name_char(*part.at) && word.end < part.end &&
			       takt_is_name_char(*word.end))
				word.end++;
		}
		add(text, word);
		part.at = word.end + (size ? 1 : 0);
	}
}

/* Find the address in "dot+10h (07FF6A5B81010h)" or "[name (07FF6A5B83000h)]". */
static bool find_known_address(struct part part, struct part *ret_name, struct part *ret_address)
{
	const char *open = memmem(part.at, (size_t)(part.end - part.at), " (0", 3);
	struct part number = {open ? open + 2 : part.end, part.end};
	size_t digits = number_size(number);
	const char *bracket;

	if (digits < ADDRESS_DIGITS_MIN)
		return false;
	*ret_name = (struct part){part.at, open};
	bracket = memchr(part.at, '[', (size_t)(open - part.at));
	if (bracket) {
		ret_name->at = bracket + 1;
	} else { /* a target's name, which may have blanks */
		while (ret_name->at < open && !takt_is_blank(*ret_name->at))
			ret_name->at++;
		skip_blanks(ret_name);
	}
	*ret_address = (struct part){number.at, number.at + digits};
	return true;
}

/* Write an instruction of Visual Studio: a target as its address, data relative to rip. */
static void write_studio_insn(struct part part, struct takt_text *text)
{
	struct part name, address, rest;

	if (!find_known_address(part, &name, &address)) {
		write_numbers(part, text);
		return;
	}
	rest = (struct part){address.end + 1, part.end}; /* after "h" */
	if (rest.at < rest.end && *rest.at == ')')
		rest.at++;
	write_numbers((struct part){part.at, name.at}, text);
	if (name.at > part.at && name.at[-1] == '[') {
		takt_text_add_string(text, "rip+");
		takt_plain_name_write(name.at, (size_t)(name.end - name.at), text);
	} else {
		takt_text_add_string(text, "0x");
		add(text, address);
	}
	if (rest.at < rest.end)
		write_numbers(rest, text);
}

/* True for a line that has only bytes: they continue those of the line before. */
static bool is_continued(struct part part)
{
	struct part bytes;

	skip_blanks(&part);
	bytes = read_bytes(&part);
	return bytes.at < bytes.end && part.at == part.end;
}

/* Return a function's name in a line "NAME    XREF[3]: …" of Ghidra; empty if it has none. */
static struct part label_of(struct part part)
{
	struct part name;

	skip_blanks(&part);
	name = (struct part){part.at, part.at};
	while (name.end < part.end && !takt_is_blank(*name.end))
		name.end++;
	if (!has_text((struct part){name.end, part.end}, "XREF[") || has_text(name, "LAB_"))
		return (struct part){part.at, part.at};
	return name;
}

/* Write the bytes of a line and of those that continue it, which become empty. */
static void write_bytes(struct takt_source *source, uint32_t index, struct part bytes,
			struct takt_text *text)
{
	takt_text_add_string(text, "\t");
	add(text, bytes);
	if (bytes.at == bytes.end)
		return;
	for (uint32_t i = index + 1; i < source->line_count; i++) {
		struct part part = line_part(source, i);

		if (!is_continued(part))
			break;
		skip_blanks(&part);
		takt_text_add_string(text, " ");
		add(text, read_bytes(&part));
		source->lines[i] = "";
	}
	takt_text_add_string(text, "\t");
}

static void write_column_line(struct takt_source *source, uint32_t index, struct takt_map *names,
			      struct takt_text *text)
{
	struct part part = line_part(source, index), rest = part, address, bytes, label;

	(void)names;
	if (takt_line_is_mark(source->lines[index])) {
		add(text, part);
		return;
	}
	if (!read_address(&rest, &address)) {
		label = label_of(part);
		if (label.at < label.end)
			takt_text_printf(text, "00000000 <%.*s>:", (int)(label.end - label.at),
					 label.at);
		return;
	}
	bytes = read_bytes(&rest);
	if (rest.at == rest.end)
		return;
	add(text, address);
	takt_text_add_string(text, ":");
	write_bytes(source, index, bytes, text);
	write_studio_insn(rest, text);
}

/* ---- VTune's table ---------------------------------------------------------------------- */

/* Read the columns of a row of VTune: an address, a line of source code, an instruction. */
static bool read_row(struct part part, struct part *ret_address, struct part *ret_insn)
{
	struct part column = part;

	if (part.end - part.at < 3 || memcmp(part.at, "0x", 2) != 0)
		return false;
	column.at += 2;
	column.at += hex_size(column);
	*ret_address = (struct part){part.at, column.at};
	if (column.at == column.end || *column.at++ != '\t')
		return false;
	while (column.at < column.end && takt_is_digit(*column.at))
		column.at++;
	if (column.at == column.end || *column.at++ != '\t')
		return false;
	*ret_insn = column;
	for (ret_insn->end = column.at; ret_insn->end < column.end && *ret_insn->end != '\t';)
		ret_insn->end++;
	return ret_insn->at < ret_insn->end;
}

/* Write an instruction of VTune, whose names of moves and of lea's operand are its own. */
static void write_row_insn(struct part insn, struct takt_text *text)
{
	static const char move[] = "movsdq ", lea[] = " ptr [";
	const char *hit;

	if (insn.end - insn.at > (ptrdiff_t)strlen(move) &&
	    memcmp(insn.at, move, strlen(move)) == 0) {
		takt_text_add_string(text, "movsd ");
		insn.at += strlen(move);
	} else if (memcmp(insn.at, "lea ", 4) == 0 &&
		   (hit = memmem(insn.at, (size_t)(insn.end - insn.at), lea, strlen(lea)))) {
		add(text, (struct part){insn.at, hit + 1});
		insn.at = hit + strlen(lea) - 1;
	}
	add(text, insn);
}

static void write_row(struct takt_source *source, uint32_t index, struct takt_map *names,
		      struct takt_text *text)
{
	struct part part = line_part(source, index), address, insn;

	(void)names;
	if (takt_line_is_mark(source->lines[index])) {
		add(text, part);
	} else if (read_row(part, &address, &insn) && insn.end[-1] != ':') {
		add(text, address);
		takt_text_add_string(text, ":\t");
		write_row_insn(insn, text);
	}
}

/* ---- Compiler Explorer's linked code ------------------------------------------------------ */

/* Find "401146 <scale(double*, int)+0x26>" at the end of a jump or call. */
static bool find_place(struct part part, struct part *ret_number, struct part *ret_name)
{
	const char *open = NULL;
	size_t left;
	struct takt_token word;
	const char *rest = part.at;

	left = (size_t)(part.end - part.at);
	word = takt_token_next(&rest, &left);
	if ((!takt_token_starts(word, "j") && !takt_token_starts(word, "call")) ||
	    part.end[-1] != '>')
		return false;
	open = memmem(rest, left, " <", 2);
	if (!open)
		return false;
	*ret_number = (struct part){rest, open};
	skip_blanks(ret_number);
	*ret_name = (struct part){open + 2, part.end - 1};
	return hex_size(*ret_number) == (size_t)(open - ret_number->at) && open > ret_number->at;
}

static bool is_label(struct part part)
{
	return part.at < part.end && !takt_is_blank(*part.at) && part.end[-1] == ':';
}

/* A name of the text, by its hash. */
struct known_name {
	uint64_t hash;
	size_t number; /* of a label's line, or of a symbol, from 1; 0: no such name */
};

static struct known_name *find_name(struct takt_map *names, struct part name)
{
	uint64_t hash = takt_hash_bytes(name.at, (size_t)(name.end - name.at));

	return takt_map_get(names, hash ? hash : 1);
}

static void list_labels(const struct takt_source *source, struct takt_map *names)
{
	for (uint32_t i = 0; i < source->line_count; i++) {
		struct part part = line_part(source, i);

		if (is_label(part))
			find_name(names, (struct part){part.at, part.end - 1})->number = i + 1;
	}
}

/* Split "f(int)+0x26" into the name and the offset, which is empty for the function itself. */
static struct part split_offset(struct part *name)
{
	const char *plus = name->end;

	while (plus > name->at && takt_hex_digit(plus[-1]) >= 0)
		plus--;
	if (plus - name->at > 3 && memcmp(plus - 3, "+0x", 3) == 0) {
		struct part offset = {plus - 3, name->end};

		name->end = plus - 3;
		return offset;
	}
	return (struct part){name->end, name->end};
}

/* Return the least size of a nop that fills space, by its text; 0: it is something else. */
static unsigned fill_bytes(struct part part)
{
	unsigned bytes = 0;

	skip_blanks(&part);
	while (part.end - part.at > 7 && memcmp(part.at, "data16 ", 7) == 0) {
		part.at += 7;
		bytes++;
	}
	if (part.end - part.at > 3 && memcmp(part.at, "cs ", 3) == 0) {
		part.at += 3;
		bytes += 4; /* and an offset of four bytes */
	}
	if (is_text(part, "xchg   ax,ax"))
		return 2;
	if (part.end - part.at < 4 || memcmp(part.at, "nop ", 4) != 0)
		return is_text(part, "nop");
	return bytes + 3 + has_text(part, "WORD PTR") - has_text(part, "DWORD PTR") +
	       has_text(part, "*1") + has_text(part, "+0x0");
}

/*
 * Write the alignment that a run of nops fills. Their texts do not tell their sizes, since offsets
 * of one and of four bytes look alike; compilers align to 16, or to 8 if that takes too many bytes.
 */
static void write_fill(struct takt_source *source, uint32_t index, struct takt_text *text)
{
	unsigned bytes = 0, one;

	for (uint32_t i = index; i < source->line_count; i++) {
		one = fill_bytes(line_part(source, i));
		if (!one)
			break;
		bytes += one;
		if (i > index)
			source->lines[i] = "";
	}
	takt_text_add_string(text, bytes > 10 ? ".p2align 4" : ".p2align 4,,10; .p2align 3");
}

static void write_linked_line(struct takt_source *source, uint32_t index, struct takt_map *names,
			      struct takt_text *text)
{
	struct part part = line_part(source, index), number, name, offset;

	if (fill_bytes(part) > 1) {
		write_fill(source, index, text);
		return;
	}
	if (!find_place(part, &number, &name)) {
		add(text, part);
		return;
	}
	offset = split_offset(&name);
	add(text, (struct part){part.at, number.at});
	if (find_name(names, name)->number) {
		takt_text_printf(text, "\"%.*s\"", (int)(name.end - name.at), name.at);
		add(text, offset);
	} else {
		takt_text_add_string(text, "takt_outside_");
		add(text, number);
	}
}

/* Find the quoted name and the offset of a target as write_linked_line() has it. */
static bool find_written_target(struct part part, struct part *ret_name, uint64_t *ret_offset)
{
	static const char behind[] = "\"+0x";
	const char *open = memchr(part.at, '"', (size_t)(part.end - part.at));
	const char *close =
		open ? memmem(open + 1, (size_t)(part.end - open - 1), behind, strlen(behind))
		     : NULL;

	if (!close)
		return false;
	*ret_name = (struct part){open + 1, close};
	*ret_offset = value_of((struct part){close + strlen(behind), part.end});
	return true;
}

static bool has_insn(const struct takt_code *code, uint32_t elf_section, uint64_t offset)
{
	const struct takt_assembled_insn *insns = code->assembled.insns;
	size_t at;

	TAKT_BISECT(at, code->assembled.insn_count,
		    insns[at].section < elf_section ||
			    (insns[at].section == elf_section && insns[at].offset < offset));
	return at < code->assembled.insn_count && insns[at].section == elf_section &&
	       insns[at].offset == offset;
}

/* True if an instruction begins at the offset from the label. */
static bool leads_to_insn(const struct takt_code *code, struct takt_map *names, struct part name,
			  uint64_t offset)
{
	const struct takt_image *image = &code->image;
	size_t number = find_name(names, name)->number;
	const struct takt_symbol *symbol;

	if (!number)
		return true;
	symbol = &image->symbols[number - 1];
	return has_insn(code, image->sections[symbol->section].elf_index, symbol->address + offset);
}

/* Check the target of a line, if it has one, and report if it leads between two instructions. */
static bool check_target(const struct takt_code *code, struct takt_map *names, uint32_t index,
			 struct takt_diag *diag)
{
	struct part name;
	uint64_t offset;

	if (!find_written_target(line_part(&code->source, index), &name, &offset) ||
	    leads_to_insn(code, names, name, offset))
		return true;
	takt_error(diag,
		   "'%s' does not have the sizes of its instructions: the jump in line %u leads "
		   "between two",
		   code->image.file, index + 1);
	takt_note(diag, "copy it with addresses, as 'objdump -d' prints them");
	return false;
}

bool takt_viewer_check(const struct takt_code *code, struct takt_diag *diag)
{
	const struct takt_image *image = &code->image;
	struct takt_map names;
	bool good = true;

	if (!code->source.is_linked)
		return true;
	takt_map_init(&names, sizeof(struct known_name), SIZE_MAX);
	for (size_t i = 0; i < image->symbol_count; i++) {
		const char *name = image->symbols[i].name;

		find_name(&names, (struct part){name, name + strlen(name)})->number = i + 1;
	}
	for (uint32_t i = 0; good && i < code->source.line_count; i++)
		good = check_target(code, &names, i, diag);
	takt_map_release(&names);
	return good;
}

/* ---- perf annotate's window --------------------------------------------------------------- */

#define BAR "\xe2\x94\x82"
#define ARROW_BYTES 3u

/* A line of perf after the bar: "1d:   cmp %eax,%ecx" or "    ↑ jle 8". */
struct bar_line {
	struct part label; /* digits of an offset that jumps lead to; may be empty */
	struct part insn;
	uint32_t column; /* of the instruction */
	bool is_sure;	 /* it has an offset or an arrow, which lines of source code do not */
};

/* Return the size of the arrow that perf writes before a jump, call or return; 0: none. */
static size_t arrow_size(struct part part)
{
	static const char *const arrows[] = {"\xe2\x86\x90", "\xe2\x86\x91", "\xe2\x86\x92",
					     "\xe2\x86\x93"};

	for (size_t i = 0; i < TAKT_COUNT_OF(arrows); i++)
		if (part.end - part.at > (ptrdiff_t)ARROW_BYTES &&
		    memcmp(part.at, arrows[i], ARROW_BYTES) == 0)
			return ARROW_BYTES;
	return 0;
}

/* Read what stands after the bar, before which there is only a share; false if there is none. */
static bool read_bar(struct part part, struct part *ret_rest)
{
	const char *bar = memmem(part.at, (size_t)(part.end - part.at), BAR, strlen(BAR));
	static const char word[] = "Percent";

	skip_blanks(&part);
	if (!bar)
		return false;
	if (bar - part.at >= (ptrdiff_t)strlen(word) && memcmp(part.at, word, strlen(word)) == 0)
		part.at += strlen(word);
	while (part.at < bar && (takt_is_digit(*part.at) || strchr(" .,%", *part.at)))
		part.at++;
	*ret_rest = (struct part){bar + strlen(BAR), part.end};
	return part.at == bar;
}

static uint32_t skip_counted(struct part *part)
{
	const char *start = part->at;

	skip_blanks(part);
	return (uint32_t)(part->at - start);
}

static struct bar_line read_bar_line(struct part part)
{
	struct bar_line line = {.column = skip_counted(&part)};
	size_t digits = hex_size(part);

	line.label = (struct part){part.at, part.at};
	if (digits && part.at + digits < part.end && part.at[digits] == ':') {
		line.label.end += digits;
		part.at += digits + 1;
		line.column += (uint32_t)digits + 1 + skip_counted(&part);
		line.is_sure = true;
	}
	if (arrow_size(part)) {
		part.at += ARROW_BYTES;
		line.column += 1 + skip_counted(&part);
		line.is_sure = true;
	}
	line.insn = part;
	return line;
}

/* Write the label of "0000000000401136 <work>:"; false if it is another line. */
static bool write_bar_name(struct part part, struct takt_text *text)
{
	size_t digits;

	skip_blanks(&part);
	digits = hex_size(part);
	part.at += digits;
	if (digits < ADDRESS_DIGITS_MIN || part.end - part.at < 5 ||
	    memcmp(part.at, " <", 2) != 0 || memcmp(part.end - 2, ">:", 2) != 0)
		return false;
	takt_text_printf(text, "\"%.*s\":", (int)(part.end - part.at - 4), part.at + 2);
	return true;
}

/* Write an instruction; a jump's target is an offset, of which the line may have been copied. */
static void write_bar_insn(struct part insn, struct takt_map *names, struct takt_text *text)
{
	struct part target = {insn.end, insn.end};
	struct takt_token word;
	const char *rest = insn.at;
	size_t left = (size_t)(insn.end - insn.at);

	while (target.at > insn.at && takt_hex_digit(target.at[-1]) >= 0)
		target.at--;
	word = takt_token_next(&rest, &left);
	if (target.at == target.end || target.at <= rest ||
	    !(takt_is_blank(target.at[-1]) || target.at[-1] == ',') ||
	    !(takt_token_starts(word, "j") || takt_token_starts(word, "b") ||
	      takt_token_starts(word, "cb") || takt_token_starts(word, "tb") ||
	      takt_token_starts(word, "loop"))) {
		add(text, insn);
		return;
	}
	add(text, (struct part){insn.at, target.at});
	takt_text_add_string(text, find_name(names, target)->number ? ".Lperf_" : "takt_outside_");
	add(text, target);
}

/* Find the instructions' column and the offsets that jumps may lead to. */
static uint32_t survey_bars(const struct takt_source *source, struct takt_map *names)
{
	uint32_t column = UINT32_MAX;
	struct part rest;

	for (uint32_t i = 0; i < source->line_count; i++) {
		struct bar_line line;

		if (!read_bar(line_part(source, i), &rest))
			continue;
		line = read_bar_line(rest);
		if (line.label.at < line.label.end)
			find_name(names, line.label)->number = i + 1;
		if (line.is_sure && column == UINT32_MAX)
			column = line.column;
	}
	return column;
}

/* Rewrite the window; lines of source code stand left or right of the instructions. */
static void rewrite_bars(struct takt_source *source, struct takt_arena *arena)
{
	struct takt_map names;
	struct takt_text text = {0};
	uint32_t column;

	takt_map_init(&names, sizeof(struct known_name), SIZE_MAX);
	column = survey_bars(source, &names);
	for (uint32_t i = 0; i < source->line_count; i++) {
		struct part rest;
		struct bar_line line;

		takt_text_clear(&text);
		if (takt_line_is_mark(source->lines[i])) {
			add(&text, line_part(source, i));
		} else if (read_bar(line_part(source, i), &rest) && !write_bar_name(rest, &text)) {
			line = read_bar_line(rest);
			if (line.label.at < line.label.end)
				takt_text_printf(&text, ".Lperf_%.*s:",
						 (int)(line.label.end - line.label.at),
						 line.label.at);
			if (line.is_sure || line.column == column || column == UINT32_MAX) {
				takt_text_add_string(&text, "\t");
				write_bar_insn(line.insn, &names, &text);
			}
		}
		source->lines[i] =
			takt_arena_copy(arena, takt_text_data(&text), takt_text_size_bytes(&text));
	}
	takt_text_release(&text);
	takt_map_release(&names);
}

/* ---- recognition -------------------------------------------------------------------------- */

struct counts {
	uint32_t columns, rows, places, labels, bars;
	bool ascends;
	uint64_t last;
};

static void count_line(struct part part, struct counts *counts)
{
	struct part rest = part, address, insn, name, behind;

	counts->bars += read_bar(part, &behind);
	if (read_address(&rest, &address) && rest.at < rest.end && *rest.at != '<') {
		uint64_t value = value_of(address);

		counts->ascends &= !counts->columns++ || value > counts->last;
		counts->last = value;
	} else if (read_row(part, &address, &insn)) {
		counts->rows++;
	} else if (part.at < part.end && find_place(part, &address, &name)) {
		counts->places++;
	} else {
		counts->labels += is_label(part);
	}
}

static void rewrite(struct takt_source *source, struct takt_arena *arena,
		    void (*write)(struct takt_source *, uint32_t, struct takt_map *,
				  struct takt_text *))
{
	struct takt_map names;
	struct takt_text text = {0};

	takt_map_init(&names, sizeof(struct known_name), SIZE_MAX);
	list_labels(source, &names);
	for (uint32_t i = 0; i < source->line_count; i++) {
		takt_text_clear(&text);
		write(source, i, &names, &text);
		source->lines[i] =
			takt_arena_copy(arena, takt_text_data(&text), takt_text_size_bytes(&text));
	}
	takt_text_release(&text);
	takt_map_release(&names);
}

void takt_viewer_read(struct takt_source *source, struct takt_arena *arena)
{
	struct counts counts = {.ascends = true};

	for (uint32_t i = 0; i < source->line_count; i++)
		count_line(line_part(source, i), &counts);
	if (counts.bars > 1)
		rewrite_bars(source, arena);
	else if (counts.columns > 1 && counts.ascends)
		rewrite(source, arena, write_column_line);
	else if (counts.rows > 1)
		rewrite(source, arena, write_row);
	else if (counts.places && counts.labels && !counts.columns) {
		rewrite(source, arena, write_linked_line);
		source->is_linked = true;
	}
}
