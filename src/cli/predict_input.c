/* SPDX-License-Identifier: MIT */
/* CSV lines of blocks. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/predict.h"

#define READ_BYTES ((size_t)1 << 20)
#define LINE_BYTES_MAX ((size_t)64 << 20)

static void *grow(void *old, size_t count, size_t size_bytes)
{
	void *memory = reallocarray(old, count, size_bytes);

	if (!memory)
		abort();
	return memory;
}

bool takt_block_reader_open(const char *path, struct takt_block_reader *ret_reader)
{
	struct takt_block_reader reader = {.descriptor = STDIN_FILENO};

	if (path && strcmp(path, "-") != 0)
		reader.descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (reader.descriptor < 0) {
		takt_say_error("cannot open '%s': %s", path, strerror(errno));
		return false;
	}
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

/* One read more, behind what is left of the data. */
static bool fill(struct takt_block_reader *reader, bool *ret_failed)
{
	ssize_t got;

	if (reader->used)
		memmove(reader->data, reader->data + reader->used, reader->size - reader->used);
	reader->size -= reader->used;
	reader->used = 0;
	if (reader->size > LINE_BYTES_MAX) {
		takt_say_error("line %llu is longer than %zu MiB",
			       (unsigned long long)reader->line + 1, LINE_BYTES_MAX >> 20);
		*ret_failed = true;
		return false;
	}
	if (reader->capacity < reader->size + READ_BYTES) {
		reader->capacity = 2 * (reader->size + READ_BYTES);
		reader->data = grow(reader->data, reader->capacity, 1);
	}
	do
		got = read(reader->descriptor, reader->data + reader->size, READ_BYTES);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		takt_say_error("cannot read blocks: %s", strerror(errno));
		*ret_failed = true;
		return false;
	}
	reader->size += (size_t)got;
	reader->ended = got == 0;
	return true;
}

/* The first column: up to a comma, without blanks and quotes around it. */
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

static bool is_hex(const struct takt_hex_block *block)
{
	for (size_t i = 0; i < block->size; i++)
		if (!isxdigit((unsigned char)block->hex[i]))
			return false;
	return true;
}

static void add_line(struct takt_block_reader *reader, const char *line, size_t size)
{
	struct takt_hex_block block = first_column(line, size);

	reader->line++;
	if ((size && *line == '#') || (!block.size && !memchr(line, ',', size)))
		return;
	block.line = reader->line;
	if (!block.size)
		block.state = TAKT_BLOCK_EMPTY;
	else if (!is_hex(&block))
		block.state = TAKT_BLOCK_NOT_HEX;
	else if (block.size % 2)
		block.state = TAKT_BLOCK_ODD;
	if (!reader->past_header && block.state == TAKT_BLOCK_NOT_HEX) {
		reader->past_header = true;
		return;
	}
	reader->past_header = true;
	if (reader->count == reader->block_capacity) {
		reader->block_capacity = reader->block_capacity ? 2 * reader->block_capacity : 1024;
		reader->blocks = grow(reader->blocks, reader->block_capacity,
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

bool takt_block_reader_next(struct takt_block_reader *reader, bool *ret_failed)
{
	reader->count = 0;
	while (!reader->count && !reader->ended) {
		if (!fill(reader, ret_failed))
			return false;
		split_lines(reader);
	}
	return reader->count > 0;
}
