/* SPDX-License-Identifier: MIT */
/* Reads and writes the messages of a log that hold files, functions and source lines. */
#include <string.h>

#include "trace/log/log_names.h"

#define MESSAGE_BYTES ((size_t)1 << 20) /* a message may exceed this by one entry or block */
#define SOURCE_BYTES_MAX 1000u		/* length of a source file's name; a block may have 512 */

/* ---- reading ---- */

const char *log_read_files(struct trace_dictionary *dictionary, const uint8_t *data,
			   size_t size_bytes)
{
	char path[LOG_PATH_BYTES_MAX + 1];
	struct log_file entry;

	while (size_bytes) {
		size_t size;

		if (size_bytes < sizeof(entry))
			return "a file in this frame is cut off";
		memcpy(&entry, data, sizeof(entry));
		size = sizeof(entry);
		if (entry.path_bytes == 0 || entry.path_bytes > LOG_PATH_BYTES_MAX ||
		    entry.build_id_bytes > TRACE_BUILD_ID_MAX)
			return "a file in this frame is invalid";
		size += trace_padded((size_t)entry.path_bytes + entry.build_id_bytes);
		if (size > size_bytes)
			return "a file in this frame is cut off";
		memcpy(path, data + sizeof(entry), entry.path_bytes);
		path[entry.path_bytes] = '\0';
		takt_trace_dictionary_add_file(
			dictionary, &(struct trace_file){
					    .path = path,
					    .build_id = data + sizeof(entry) + entry.path_bytes,
					    .build_id_bytes = entry.build_id_bytes,
				    });
		data += size;
		size_bytes -= size;
	}
	return NULL;
}

const char *log_read_functions(struct trace_dictionary *dictionary, const uint8_t *data,
			       size_t size_bytes)
{
	char name[UINT16_MAX + 1];
	struct log_function entry;

	while (size_bytes) {
		size_t size;

		if (size_bytes < sizeof(entry))
			return "a function in this frame is cut off";
		memcpy(&entry, data, sizeof(entry));
		size = sizeof(entry) + trace_padded(entry.name_bytes);
		if (size > size_bytes)
			return "a function in this frame is cut off";
		if (entry.name_bytes == 0 || entry.file >= dictionary->file_count)
			return "a function in this frame is invalid";
		memcpy(name, data + sizeof(entry), entry.name_bytes);
		name[entry.name_bytes] = '\0';
		takt_trace_dictionary_add_function(
			dictionary, &(struct trace_function){
					    .name = name,
					    .file_offset = entry.file_offset,
					    .size_bytes = entry.size_bytes,
					    .file = entry.file,
					    .made_up = (entry.flags & LOG_MADE_UP) != 0,
				    });
		data += size;
		size_bytes -= size;
	}
	return NULL;
}

/* Return the strings of a message, in the arena, or NULL if they are invalid. */
static const char **read_strings(struct trace_dictionary *dictionary,
				 const struct log_lines *header, const char *data)
{
	const char **strings;
	size_t at = 0;

	if (header->string_count > header->strings_bytes)
		return NULL;
	strings = TAKT_NEW_ARRAY(&dictionary->arena, header->string_count, const char *);
	for (uint32_t i = 0; i < header->string_count; i++) {
		size_t size = strnlen(data + at, header->strings_bytes - at);

		if (at + size == header->strings_bytes)
			return NULL;
		strings[i] = takt_arena_copy(&dictionary->arena, data + at, size);
		at += size + 1;
	}
	return strings;
}

/* Read the rows of one block at the start of `rows`. Return NULL, or the error as text. */
static const char *read_block_lines(struct trace_dictionary *dictionary,
				    const struct log_lines *header, const char *const *strings,
				    const struct log_line *rows, size_t count)
{
	struct trace_block *block;
	struct trace_line *lines;

	if (rows[0].block >= dictionary->count)
		return "a line in this frame is of no block";
	block = dictionary->blocks[rows[0].block];
	if (count > block->insn_count || block->lines)
		return "a block in this frame has too many lines";
	lines = TAKT_NEW_ARRAY(&dictionary->arena, count, struct trace_line);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].insn >= block->insn_count ||
		    rows[i].insn < (i ? rows[i - 1].insn + 1 : 0) ||
		    (rows[i].line && rows[i].file >= header->string_count))
			return "a line in this frame is invalid";
		lines[i] = (struct trace_line){rows[i].insn, rows[i].line,
					       rows[i].line ? strings[rows[i].file] : NULL};
	}
	block->lines = lines;
	block->line_count = (uint16_t)count;
	return NULL;
}

const char *log_read_lines(struct trace_dictionary *dictionary, const uint8_t *data,
			   size_t size_bytes)
{
	struct log_line rows[TRACE_INSNS_MAX + 1];
	struct log_lines header;
	const char **strings;
	size_t at = sizeof(header);

	if (size_bytes < sizeof(header))
		return "the message is too short";
	memcpy(&header, data, sizeof(header));
	if (header.strings_bytes > size_bytes - at || header.strings_bytes % 8 != 0 ||
	    (size_bytes - at - header.strings_bytes) % sizeof(rows[0]) != 0)
		return "the message's size is not that of its lines";
	strings = read_strings(dictionary, &header, (const char *)data + at);
	if (!strings)
		return "a string in this frame is cut off";
	at += header.strings_bytes;
	while (at < size_bytes) {
		size_t count = 0;
		const char *wrong;

		while (count <= TRACE_INSNS_MAX && at + count * sizeof(rows[0]) < size_bytes) {
			memcpy(&rows[count], data + at + count * sizeof(rows[0]), sizeof(rows[0]));
			if (rows[count].block != rows[0].block)
				break;
			count++;
		}
		wrong = read_block_lines(dictionary, &header, strings, rows, count);
		if (wrong)
			return wrong;
		at += count * sizeof(rows[0]);
	}
	return NULL;
}

/* ---- writing ---- */

static void pad(struct takt_text *text)
{
	takt_text_pad(text, '\0', trace_padded(text->size_bytes) - text->size_bytes);
}

void log_write_files(const struct trace_dictionary *dictionary, uint32_t *next,
		     struct takt_text *text)
{
	for (; *next < dictionary->file_count && text->size_bytes < MESSAGE_BYTES; ++*next) {
		const struct trace_file *file = &dictionary->files[*next];
		const struct log_file entry = {(uint32_t)strlen(file->path), file->build_id_bytes};

		takt_text_add(text, (const char *)&entry, sizeof(entry));
		takt_text_add(text, file->path, entry.path_bytes);
		takt_text_add(text, (const char *)file->build_id, file->build_id_bytes);
		pad(text);
	}
}

void log_write_functions(const struct trace_dictionary *dictionary, uint32_t *next,
			 struct takt_text *text)
{
	for (; *next < dictionary->function_count && text->size_bytes < MESSAGE_BYTES; ++*next) {
		const struct trace_function *function = &dictionary->functions[*next];
		size_t size = strlen(function->name);
		const struct log_function entry = {
			.file_offset = function->file_offset,
			.size_bytes = function->size_bytes,
			.file = function->file,
			.name_bytes = (uint16_t)(size < UINT16_MAX ? size : UINT16_MAX),
			.flags = function->made_up ? LOG_MADE_UP : 0,
		};

		takt_text_add(text, (const char *)&entry, sizeof(entry));
		takt_text_add(text, function->name, entry.name_bytes);
		pad(text);
	}
}

/* Source file names of a message. A block has few of them, mostly those of the block before. */
struct strings {
	const char *last[16]; /* recently numbered names, by a hash of the pointer */
	uint32_t number[16], count;
	struct takt_text text;
};

static uint32_t string_number(struct strings *strings, const char *string)
{
	size_t slot = takt_hash64((uintptr_t)string) % TAKT_COUNT_OF(strings->last);

	if (strings->last[slot] != string) {
		strings->last[slot] = string;
		strings->number[slot] = strings->count++;
		takt_text_add(&strings->text, string, strnlen(string, SOURCE_BYTES_MAX));
		takt_text_add(&strings->text, "", 1);
	}
	return strings->number[slot];
}

void log_write_lines(const struct trace_dictionary *dictionary, uint32_t *next,
		     struct takt_text *text)
{
	struct strings strings = {0};
	struct takt_text rows = {0};
	struct log_lines header;

	for (;
	     *next < dictionary->count && rows.size_bytes + strings.text.size_bytes < MESSAGE_BYTES;
	     ++*next) {
		const struct trace_block *block = dictionary->blocks[*next];

		for (uint32_t i = 0; i < block->line_count; i++) {
			const struct trace_line *line = &block->lines[i];
			const struct log_line row = {
				.block = *next,
				.insn = line->insn,
				.file = line->file ? string_number(&strings, line->file) : 0,
				.line = line->line,
			};

			takt_text_add(&rows, (const char *)&row, sizeof(row));
		}
	}
	pad(&strings.text);
	header = (struct log_lines){strings.count, (uint32_t)strings.text.size_bytes};
	if (rows.size_bytes) {
		takt_text_add(text, (const char *)&header, sizeof(header));
		takt_text_add(text, strings.text.data, strings.text.size_bytes);
		takt_text_add(text, rows.data, rows.size_bytes);
	}
	takt_text_release(&strings.text);
	takt_text_release(&rows);
}
