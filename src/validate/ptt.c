/* SPDX-License-Identifier: MIT */
/*
 * Reads kernels of likwid-bench. A function of assembly surrounds the file's instructions: it
 * translates the arguments of a kernel of takt to those that LIKWID's kernels expect, and repeats.
 *
 *	a kernel of takt	rdi rsi rdx rcx: streams, r8: bytes, r9: repetitions
 *	a kernel of LIKWID	rdi: elements, rsi rdx rcx r8: streams
 */
#include <string.h>

#include "validate/ptt.h"

#define STREAM_ELEMENT_MAX 65536u
#define INCREMENT_MAX 4096u

struct ptt_reader {
	struct takt_reader reader;
	struct takt_ptt ptt;
	/* The file's instructions, translated, each on the line that it has in the file. */
	struct takt_text body;
	uint32_t body_line; /* line that the body's end is on */
	bool has_loop, has_increment, has_bytes;
};

static const char *const general_registers[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8",
						"r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const stream_registers[KERNEL_STREAMS_MAX] = {"rsi", "rdx", "rcx", "r8"};

/*
 * The constants of a kernel are in the frame, where rbp leads to: SCALAR and ISCALAR, whose type
 * is that of the file, and SSCALAR.
 */
static const struct {
	const char *name, *place;
} constants[] = {{"SCALAR", "rbp-128"}, {"SSCALAR", "rbp-64"}, {"ISCALAR", "rbp-192"}};

/* Go to the current line of the file in the body. */
static void begin_line(struct ptt_reader *ptt)
{
	for (; ptt->body_line < ptt->reader.lines.number; ptt->body_line++)
		takt_text_add_string(&ptt->body, "\n");
}

static bool ends_line(const struct takt_text *text)
{
	return !text->size_bytes || text->data[text->size_bytes - 1] == '\n';
}

/* ---- the header --------------------------------------------------------------------- */

static bool read_number(struct ptt_reader *ptt, uint32_t least, uint32_t most, uint32_t *ret_number)
{
	struct takt_word word = takt_reader_word(&ptt->reader);

	if (!takt_word_number(word, most, ret_number) || *ret_number < least)
		return takt_reader_error(&ptt->reader, word, "expected a number from %u to %u",
					 least, most);
	word = takt_reader_word(&ptt->reader);
	return !word.size || takt_reader_error(&ptt->reader, word, "expected the end of the line");
}

static bool read_type(struct ptt_reader *ptt)
{
	struct takt_word word = takt_reader_word(&ptt->reader);

	ptt->ptt.single = takt_word_is(word, "SINGLE");
	ptt->ptt.element_bytes = takt_word_is(word, "DOUBLE") ? 8 : 4;
	return ptt->ptt.element_bytes == 8 || ptt->ptt.single || takt_word_is(word, "INT") ||
	       takt_reader_error(&ptt->reader, word, "expected SINGLE, DOUBLE or INT");
}

/* Read a line of the header; *ret_known is false if it is none. */
static bool read_header_line(struct ptt_reader *ptt, struct takt_word first, bool *ret_known)
{
	/* Counts of instructions, which the kernel's code shows as well. */
	static const char *const ignored[] = {"DESC",	     "LOADS",	   "STORES", "BRANCHES",
					      "INSTR_CONST", "INSTR_LOOP", "UOPS"};

	*ret_known = true;
	for (size_t i = 0; i < TAKT_COUNT_OF(ignored); i++)
		if (takt_word_is(first, ignored[i]))
			return true;
	if (takt_word_is(first, "STREAMS"))
		return read_number(ptt, 1, KERNEL_STREAMS_MAX, &ptt->ptt.streams);
	if (takt_word_is(first, "TYPE"))
		return read_type(ptt);
	if (takt_word_is(first, "FLOPS"))
		return read_number(ptt, 0, STREAM_ELEMENT_MAX, &ptt->ptt.flops);
	if (takt_word_is(first, "BYTES")) {
		ptt->has_bytes = true;
		return read_number(ptt, 0, STREAM_ELEMENT_MAX, &ptt->ptt.bytes);
	}
	if (takt_word_is(first, "LOOP") || takt_word_is(first, "INC")) {
		if (ptt->has_loop || ptt->has_increment)
			return takt_reader_error(&ptt->reader, first, "a second LOOP or INC");
		ptt->has_loop = takt_word_is(first, "LOOP");
		ptt->has_increment = !ptt->has_loop;
		if (ptt->has_loop) {
			/* Padding is on a line of its own: takt takes the whole line for it. */
			takt_text_add_string(&ptt->body, ends_line(&ptt->body) ? "xor rax, rax"
									       : "; xor rax, rax");
			begin_line(ptt);
			takt_text_add_string(&ptt->body, ".p2align 6; .Ltakt_trip:");
		}
		return read_number(ptt, 1, INCREMENT_MAX, &ptt->ptt.increment);
	}
	*ret_known = false;
	return true;
}

/* ---- instructions ------------------------------------------------------------------- */

static bool is_name_character(char c)
{
	return takt_is_alnum(c) || c == '_' || c == '.' || c == '$';
}

/* Find what a numbered name stands for: GPR3, FPR1, STR0, ARG1. False: it is no such name. */
static bool find_numbered(struct ptt_reader *ptt, struct takt_word word, bool *ret_fine)
{
	struct takt_text *text = &ptt->body;
	struct takt_word number = {word.data + 3, word.size - 3};
	uint32_t index = 0;

	*ret_fine = true;
	if (word.size < 4 || !takt_word_number(number, 99, &index))
		return false;
	if (memcmp(word.data, "GPR", 3) == 0 && index >= 1 &&
	    index <= TAKT_COUNT_OF(general_registers))
		takt_text_add_string(text, general_registers[index - 1]);
	else if (memcmp(word.data, "FPR", 3) == 0 && index >= 1 && index <= 16)
		takt_text_printf(text, "xmm%u", index - 1);
	else if (memcmp(word.data, "STR", 3) == 0 && index < ptt->ptt.streams)
		takt_text_add_string(text, stream_registers[index]);
	else if (memcmp(word.data, "ARG", 3) == 0 && index >= 1 && index <= ptt->ptt.streams + 1)
		takt_text_add_string(text, index == 1 ? "rdi" : stream_registers[index - 2]);
	else if (memcmp(word.data, "GPR", 3) == 0 || memcmp(word.data, "FPR", 3) == 0 ||
		 memcmp(word.data, "STR", 3) == 0 || memcmp(word.data, "ARG", 3) == 0)
		*ret_fine = takt_reader_error(&ptt->reader, word, "there is no '%.*s'",
					      TAKT_PRINTED(word));
	else
		return false;
	return true;
}

/* Find a constant; "rip+" before it is dropped, since it is relative to the frame here. */
static bool find_constant(struct ptt_reader *ptt, struct takt_word word)
{
	struct takt_text *text = &ptt->body;

	for (size_t i = 0; i < TAKT_COUNT_OF(constants); i++) {
		size_t size = text->size_bytes;

		if (!takt_word_is(word, constants[i].name))
			continue;
		while (size && (text->data[size - 1] == ' ' || text->data[size - 1] == '+'))
			size--;
		if (size >= 4 && takt_compare_nocase(text->data + size - 3, "rip", 3) == 0 &&
		    !is_name_character(text->data[size - 4]))
			text->size_bytes = size - 3;
		takt_text_add_string(text, constants[i].place);
		return true;
	}
	return false;
}

/* Translate an instruction, a label or a directive, the current line. */
static bool read_instruction(struct ptt_reader *ptt, struct takt_word first)
{
	struct takt_text *text = &ptt->body;
	const char *line = ptt->reader.line, *end = line + ptt->reader.size;
	size_t prefix = first.size && *first.data == 'v';

	if (first.size > 5 + prefix && memcmp(first.data + prefix, "movnt", 5) == 0)
		ptt->ptt.non_temporal = true;
	begin_line(ptt);
	while (line < end) {
		struct takt_word word = {line, 0};
		bool fine;

		while (line + word.size < end && is_name_character(line[word.size]))
			word.size++;
		line += word.size ? word.size : 1;
		if (!word.size)
			takt_text_add(text, word.data, 1);
		else if (find_numbered(ptt, word, &fine)) {
			if (!fine)
				return false;
		} else if (!find_constant(ptt, word)) {
			takt_text_add(text, word.data, word.size);
		}
	}
	return true;
}

/* ---- the function ------------------------------------------------------------------- */

/* Fill `bytes` of the frame at `place` with a constant of 4 or 8 bytes. */
static void fill_constant(const char *place, const char *value, unsigned size_bytes,
			  struct takt_text *text)
{
	takt_text_printf(text, "mov rax, %s; ", value);
	for (unsigned at = 0; at < 64; at += size_bytes)
		takt_text_printf(text, "mov [%s+%u], %s; ", place, at,
				 size_bytes == 8 ? "rax" : "eax");
}

static void write_begin(const struct takt_ptt *ptt, struct takt_text *text)
{
	static const char *const saved[] = {"rdi", "rsi", "rdx", "rcx"};

	takt_text_add_string(text, ".intel_syntax noprefix; .text; "
				   "push rbp; push rbx; push r12; push r13; push r14; push r15; "
				   "mov rax, rsp; sub rsp, 512; and rsp, -64; lea rbp, [rsp+256]; "
				   "mov [rbp+8], rax; mov [rbp+16], r9; ");
	for (uint32_t i = 0; i < ptt->streams; i++)
		takt_text_printf(text, "mov [rbp+%u], %s; ", 24 + 8 * i, saved[i]);
	takt_text_printf(text, "shr r8, %u; mov [rbp+64], r8; ", ptt->element_bytes == 8 ? 3 : 2);
	if (ptt->element_bytes == 8)
		fill_constant("rbp-128", "0x3ff0000000000000", 8, text);
	else
		fill_constant("rbp-128", ptt->single ? "0x3f800000" : "1", 4, text);
	fill_constant("rbp-64", "0x3f800000", 4, text);
	fill_constant("rbp-192", "1", 4, text);
	takt_text_add_string(text, ".Ltakt_repeat:; ");
	for (uint32_t i = 0; i < ptt->streams; i++)
		takt_text_printf(text, "mov %s, [rbp+%u]; ", stream_registers[i], 24 + 8 * i);
	takt_text_add_string(text, "mov rdi, [rbp+64]; ");
}

/*
 * Write the function around the file's lines: before its first line, which is one of the header,
 * and after its last one, so that the assembler's messages name the file's lines.
 */
static void write_function(struct ptt_reader *ptt)
{
	struct takt_text *text = &ptt->ptt.assembly;

	write_begin(&ptt->ptt, text);
	takt_text_add(text, takt_text_data(&ptt->body), ptt->body.size_bytes);
	if (ptt->has_loop)
		takt_text_printf(text, "; add rax, %u; cmp rax, rdi; jl .Ltakt_trip",
				 ptt->ptt.increment);
	takt_text_add_string(text, "; dec qword ptr [rbp+16]; jnz .Ltakt_repeat; "
				   "mov rsp, [rbp+8]; pop r15; pop r14; pop r13; pop r12; "
				   "pop rbx; pop rbp; ret\n");
}

/* ---- files -------------------------------------------------------------------------- */

static bool read_lines(struct ptt_reader *ptt)
{
	while (takt_reader_line(&ptt->reader)) {
		struct takt_word first = takt_reader_word(&ptt->reader);
		bool known;

		if (!read_header_line(ptt, first, &known) ||
		    (!known && !read_instruction(ptt, first)))
			return false;
	}
	return true;
}

static bool is_complete(struct ptt_reader *ptt)
{
	const char *missing = !ptt->ptt.streams			   ? "STREAMS"
			      : !ptt->ptt.element_bytes		   ? "TYPE"
			      : !ptt->has_bytes			   ? "BYTES"
			      : !ptt->ptt.increment		   ? "LOOP"
			      : !ptt->ptt.bytes && !ptt->ptt.flops ? "BYTES or FLOPS above 0"
								   : NULL;

	if (!missing)
		return true;
	takt_error(ptt->reader.diag, "'%s' has no %s", ptt->reader.path, missing);
	takt_note(ptt->reader.diag, "files of likwid-bench begin with STREAMS, TYPE, FLOPS and "
				    "BYTES, and have LOOP or INC before or after instructions");
	return false;
}

enum takt_status takt_ptt_read(const void *data, size_t size_bytes, const char *path,
			       struct takt_diag *diag, struct takt_ptt *ret_ptt)
{
	struct ptt_reader ptt = {.body_line = 1};
	struct takt_arena arena = {0};
	bool fine;

	takt_text_init(&ptt.body);
	takt_text_init(&ptt.ptt.assembly);
	takt_reader_init(&ptt.reader, path, data, size_bytes, &arena, diag);
	fine = read_lines(&ptt) && is_complete(&ptt);
	if (fine) {
		write_function(&ptt);
		*ret_ptt = ptt.ptt;
	}
	takt_text_release(&ptt.body);
	takt_arena_release(&arena);
	return fine ? TAKT_OK : TAKT_BAD_INPUT;
}

void takt_ptt_release(struct takt_ptt *ptt)
{
	takt_text_release(&ptt->assembly);
}
