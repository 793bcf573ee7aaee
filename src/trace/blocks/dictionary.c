/* SPDX-License-Identifier: MIT */
/* The dictionary: blocks, files and functions by number. */
#include <stdlib.h>
#include <string.h>

#include "trace/blocks/insn.h"
#include "trace/blocks/record.h"
#include "trace/trace.h"

void takt_trace_dictionary_init(struct trace_dictionary *dictionary,
				const struct trace_guest *guest)
{
	*dictionary =
		(struct trace_dictionary){.guest = guest, .file_count = 1, .function_count = 1};
	takt_arena_init(&dictionary->arena);
}

void takt_trace_dictionary_release(struct trace_dictionary *dictionary)
{
	free(dictionary->blocks);
	free(dictionary->files);
	free(dictionary->functions);
	takt_arena_release(&dictionary->arena);
}

/* ---- files and functions ---- */

uint32_t takt_trace_dictionary_add_file(struct trace_dictionary *dictionary,
					const struct trace_file *file)
{
	struct takt_arena *arena = &dictionary->arena;

	TAKT_GROW_ZEROED(dictionary->files, dictionary->file_count + 1, dictionary->file_capacity);
	dictionary->files[dictionary->file_count] = (struct trace_file){
		.path = takt_arena_string(arena, file->path),
		.build_id = (const uint8_t *)takt_arena_copy(arena, (const char *)file->build_id,
							     file->build_id_bytes),
		.build_id_bytes = file->build_id_bytes,
	};
	return dictionary->file_count++;
}

uint32_t takt_trace_dictionary_add_function(struct trace_dictionary *dictionary,
					    const struct trace_function *function)
{
	struct trace_function *added;

	TAKT_GROW_ZEROED(dictionary->functions, dictionary->function_count + 1,
			 dictionary->function_capacity);
	added = &dictionary->functions[dictionary->function_count];
	*added = *function;
	added->name = takt_arena_string(&dictionary->arena, function->name);
	return dictionary->function_count++;
}

/* ---- adding blocks ---- */

static bool lengths_agree(const struct trace_block_header *header, const uint8_t *lengths)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < header->insn_count; i++) {
		if (lengths[i] == 0 || lengths[i] > 16)
			return false;
		sum += lengths[i];
	}
	return sum == header->size_bytes;
}

size_t takt_trace_block_size(const uint8_t *data, size_t size_bytes)
{
	struct trace_block_header header;
	size_t size;

	if (size_bytes < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	if (header.insn_count == 0 || header.insn_count > TRACE_INSNS_MAX ||
	    header.size_bytes > 16 * TRACE_INSNS_MAX)
		return 0;
	size = trace_block_bytes(&header);
	return size <= size_bytes && lengths_agree(&header, data + sizeof(header)) ? size : 0;
}

size_t takt_trace_dictionary_add(struct trace_dictionary *dictionary, const uint8_t *data,
				 size_t size_bytes)
{
	size_t size = takt_trace_block_size(data, size_bytes);
	struct trace_block_header header;
	struct trace_block *block;
	uint8_t last;
	char *copy;

	if (size == 0)
		return 0;
	memcpy(&header, data, sizeof(header));
	if (header.file >= dictionary->file_count || header.function >= dictionary->function_count)
		return 0;
	block = TAKT_NEW(&dictionary->arena, struct trace_block);
	copy = takt_arena_copy(&dictionary->arena, (const char *)data + sizeof(header),
			       (size_t)header.insn_count + header.size_bytes);
	*block = (struct trace_block){
		.address = header.address,
		.end = header.address + header.size_bytes,
		.lengths = (const uint8_t *)copy,
		.bytes = (const uint8_t *)copy + header.insn_count,
		.number = dictionary->count,
		.insn_count = header.insn_count,
		.repeats = (header.flags & TRACE_BLOCK_REPEATS) != 0,
		.file = header.file,
		.function = header.function,
		.file_offset = header.file_offset,
		.entry = header.function &&
			 dictionary->functions[header.function].file_offset == header.file_offset,
	};
	last = block->lengths[block->insn_count - 1];
	block->flow = (uint8_t)trace_insn_flow(dictionary->guest,
					       block->bytes + (header.size_bytes - last), last,
					       block->end - last, &block->target);
	TAKT_GROW(dictionary->blocks, dictionary->count + 1, dictionary->capacity);
	dictionary->blocks[dictionary->count++] = block;
	return size;
}

uint64_t takt_trace_insn_address(const struct trace_block *block, uint32_t insn)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < insn; i++)
		address += block->lengths[i];
	return address;
}

/* ---- which instructions access memory ---- */

uint32_t takt_trace_block_next_access(const struct trace_dictionary *dictionary,
				      const struct trace_block *block, int after)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < block->insn_count; i++) {
		if ((int)i > after && trace_insn_accesses(dictionary->guest,
							  block->bytes + (address - block->address),
							  block->lengths[i], address, false))
			return i;
		address += block->lengths[i];
	}
	return block->insn_count;
}

int takt_trace_block_last_access(const struct trace_dictionary *dictionary,
				 struct trace_block *block)
{
	uint64_t address = block->address;

	if (block->known)
		return block->last_access;
	block->known = true;
	block->last_access = -1;
	for (uint32_t i = 0; i < block->insn_count; i++) {
		if (trace_insn_accesses(dictionary->guest,
					block->bytes + (address - block->address),
					block->lengths[i], address, true))
			block->last_access = (int16_t)i;
		address += block->lengths[i];
	}
	return block->last_access;
}
