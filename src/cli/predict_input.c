/* SPDX-License-Identifier: MIT */
/* Reads blocks from the lines of a CSV file. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/predict.h"

#define READ_BYTES ((size_t)1 << 20)
#define LINE_BYTES_MAX ((size_t)64 << 20)

bool takt_block_reader_open(const char *path, struct takt_block_reader *ret_reader)
{
	struct takt_block_reader reader = {.descriptor = STDIN_FILENO, .name = "standard input"};

	if (path && strcmp(path, "-") != 0) {
		reader.descriptor = open(path, O_RDONLY | O_CLOEXEC);
		reader.name = path;
	}
	if (reader.descriptor < 0)
		return takt_say_error("cannot open '%s': %s", path, strerror(errno));
	*ret_reader = reader;
	return true;
}

void takt_block_reader_close(struct takt_block_reader *reader)
{
	if (reader->descriptor != STDIN_FILENO)
		close(reader->descriptor);
	free(reader->data);
	free(reader->blocks);
}

/* Append the result of one read() to the unused data. */
static bool fill(struct takt_block_reader *reader, bool *ret_failed)
{
	ssize_t got;

	if (reader->used)
		memmove(reader->data, reader->data + reader->used, reader->size - reader->used);
	reader->size -= reader->used;
	reader->used = 0;
	if (reader->size > LINE_BYTES_MAX) {
		takt_say_error("line %llu of '%s' is longer than %zu MiB",
			       (unsigned long long)reader->line + 1, reader->name,
			       LINE_BYTES_MAX >> 20);
		takt_say_note("a line is one block, in hexadecimal digits");
		*ret_failed = true;
		return false;
	}
	if (reader->capacity < reader->size + READ_BYTES) {
		reader->capacity = 2 * (reader->size + READ_BYTES);
		reader->data = takt_reallocate(reader->data, reader->capacity, 1);
	}
	do
		got = read(reader->descriptor, reader->data + reader->size, READ_BYTES);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		takt_say_error("cannot read '%s': %s", reader->name, strerror(errno));
		*ret_failed = true;
		return false;
	}
	reader->size += (size_t)got;
	reader->ended = got == 0;
	return true;
}

/* Return the first column, without blanks and quotes around it. */
static struct takt_hex_block first_column(const char *line, size_t size)
{
	const char *comma = memchr(line, ',', size);
	const char *end = comma ? comma : line + size;

	while (line < end && (isspace((unsigned char)*line) || *line == '"'))
		line++;
	while (end > line && (isspace((unsigned char)end[-1]) || end[-1] == '"'))
		end--;
	return (struct takt_hex_block){.hex = line, .size = (size_t)(end - line)};
}

/* Count the hexadecimal digits before another character. */
static size_t count_digits(const struct takt_hex_block *block)
{
	size_t count = 0;

	while (count < block->size && isxdigit((unsigned char)block->hex[count]))
		count++;
	return count;
}

static uint8_t digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

void takt_block_bytes(const struct takt_hex_block *block, uint8_t **bytes, size_t *capacity)
{
	size_t size = block->size / 2;

	if (size > *capacity) {
		*capacity = 2 * size;
		*bytes = takt_reallocate(*bytes, *capacity, 1);
	}
	for (size_t i = 0; i < size; i++)
		(*bytes)[i] =
			(uint8_t)(digit(block->hex[2 * i]) << 4 | digit(block->hex[2 * i + 1]));
}

/* True if it can be a column's name: letters, no digits. With digits, it rather is a bad block. */
static bool is_column_name(const struct takt_hex_block *block)
{
	for (size_t i = 0; i < block->size; i++)
		if (!isalpha((unsigned char)block->hex[i]) && !strchr(" _-", block->hex[i]))
			return false;
	return memchr(block->hex, '\0', block->size) == NULL;
}

static void add_line(struct takt_block_reader *reader, const char *line, size_t size)
{
	struct takt_hex_block block = first_column(line, size);

	reader->line++;
	if ((size && *line == '#') || (!block.size && !memchr(line, ',', size)))
		return;
	block.line = reader->line;
	block.text = line;
	block.text_size = size;
	if (!block.size)
		block.state = TAKT_BLOCK_EMPTY;
	else if (count_digits(&block) < block.size)
		block.state = TAKT_BLOCK_NOT_HEX;
	else if (block.size % 2)
		block.state = TAKT_BLOCK_ODD;
	if (!reader->past_header && block.state == TAKT_BLOCK_NOT_HEX && is_column_name(&block)) {
		reader->past_header = true;
		reader->header_line = reader->line;
		return;
	}
	reader->past_header = true;
	reader->block_count++;
	if (reader->count == reader->block_capacity) {
		reader->block_capacity = reader->block_capacity ? 2 * reader->block_capacity : 1024;
		reader->blocks = takt_reallocate(reader->blocks, reader->block_capacity,
						 sizeof(*reader->blocks));
	}
	reader->blocks[reader->count++] = block;
}

static void split_lines(struct takt_block_reader *reader)
{
	const char *next = reader->data, *end = reader->data + reader->size, *newline;

	while ((newline = memchr(next, '\n', (size_t)(end - next)))) {
		add_line(reader, next, (size_t)(newline - next));
		next = newline + 1;
	}
	if (reader->ended && next < end) {
		add_line(reader, next, (size_t)(end - next));
		next = end;
	}
	reader->used = (size_t)(next - reader->data);
}

/* Input is no list of blocks if this many lines or more, a header included, are words... */
#define GARBAGE_LINES_LEAST 2u
/* ...for each line that may be a block; "be" and "a, b" begin lines of prose, too. */
#define GARBAGE_LINES_PER_BLOCK 9u
#define BLOCK_DIGITS_LEAST 4u

/* Refuse input that is no list of blocks at once, instead of each of its lines. */
static bool refuse_garbage(const struct takt_block_reader *reader)
{
	size_t header = reader->header_line ? 1 : 0, words = header, blocks = 0;

	if (!reader->refuses_garbage || !reader->count || reader->block_count > reader->count)
		return true;
	for (size_t i = 0; i < reader->count; i++) {
		bool digits = reader->blocks[i].state != TAKT_BLOCK_NOT_HEX;

		words += !digits;
		blocks += digits && reader->blocks[i].size >= BLOCK_DIGITS_LEAST;
	}
	if (words < GARBAGE_LINES_LEAST || words < GARBAGE_LINES_PER_BLOCK * blocks)
		return true;
	takt_say_error("'%s' is no list of blocks: %zu of its first %zu lines are not in "
		       "hexadecimal digits",
		       reader->name, words, reader->count + header);
	return takt_say_note(
		"a line is a block's bytes, such as 4801c3; 'takt analyze' reads object files "
		"and assembly");
}

bool takt_block_reader_next(struct takt_block_reader *reader, bool *ret_failed)
{
	reader->count = 0;
	while (!reader->count && !reader->ended) {
		if (!fill(reader, ret_failed))
			return false;
		split_lines(reader);
	}
	if (!refuse_garbage(reader)) {
		*ret_failed = true;
		return false;
	}
	return reader->count > 0;
}

/* ---- reporting bad lines ------------------------------------------------------- */

#define BAD_LINES_SHOWN 20u
#define EXCERPT_COLUMNS_MAX 200u

static void write_excerpt(const struct takt_hex_block *block, size_t column)
{
	size_t size =
		block->text_size < EXCERPT_COLUMNS_MAX ? block->text_size : EXCERPT_COLUMNS_MAX;

	fprintf(stderr, "%5llu | ", (unsigned long long)block->line);
	for (size_t i = 0; i < size; i++)
		fputc((unsigned char)block->text[i] < ' ' || (unsigned char)block->text[i] >= 0x7f
			      ? '?'
			      : block->text[i],
		      stderr);
	fputc('\n', stderr);
	if (column && column <= size + 1)
		fprintf(stderr, "      | %*s\n", (int)column, "^");
}

/* Return the column of the line, from 1, at which the block becomes invalid; 0: not known. */
static size_t find_column(const struct takt_hex_block *block)
{
	size_t before = (size_t)(block->hex - block->text);

	if (block->state == TAKT_BLOCK_NOT_HEX)
		return before + count_digits(block) + 1;
	return block->state == TAKT_BLOCK_ODD ? before + block->size : 0;
}

static const struct {
	const char *text, *remedy;
} states[] = {
	[TAKT_BLOCK_GOOD] = {"block that is not machine code",
			     "'takt analyze --hex=BYTES' shows where"},
	[TAKT_BLOCK_EMPTY] = {"block without bytes", "leave the line out, or begin it with '#'"},
	[TAKT_BLOCK_NOT_HEX] = {"block not of hexadecimal digits",
				"a line is a block's bytes, such as 4801c3; what follows a comma "
				"is skipped"},
	[TAKT_BLOCK_ODD] = {"block with half a byte", "a byte is two digits"},
	[TAKT_BLOCK_UNDECODABLE] = {"block that cannot be decoded",
				    "'takt analyze --hex=BYTES' shows where"},
};

const char *takt_block_state_text(enum takt_block_state state)
{
	return states[state].text;
}

void takt_block_say_bad(struct takt_block_reader *reader, const struct takt_hex_block *block,
			const char *reason)
{
	size_t column = find_column(block);

	if (reader->bad_count++ == BAD_LINES_SHOWN)
		takt_say_note("further lines are not shown");
	if (reader->bad_count > BAD_LINES_SHOWN)
		return;
	fprintf(stderr, "%s:%llu:", reader->name, (unsigned long long)block->line);
	if (column)
		fprintf(stderr, "%zu:", column);
	fprintf(stderr, " error: %s\n", reason ? reason : states[block->state].text);
	write_excerpt(block, column);
	if (!(reader->notes_given & 1u << block->state))
		takt_say_note("%s", states[block->state].remedy);
	reader->notes_given |= 1u << block->state;
}

bool takt_block_reader_finish(const struct takt_block_reader *reader)
{
	if (reader->block_count)
		return true;
	takt_say_error("no block in '%s'", reader->name);
	if (reader->header_line)
		takt_say_note("line %llu is taken for a header",
			      (unsigned long long)reader->header_line);
	return takt_say_note("a line is a block's bytes, such as 4801c3");
}
