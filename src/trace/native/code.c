/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a program by address, as qemu would cut them: up to a branch, a system call, a
 * string instruction with rep, the end of the page, or the greatest number of instructions. Code
 * that may have changed since is compared with what it was: after each system call that changes
 * mappings, and at each execution if the program can write to it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "trace/native/native.h"

#define PAGE_BYTES 4096u
#define INSN_BYTES_MAX 15u
#define BLOCKS_MAX ((size_t)1 << 22) /* addresses at which blocks begin */
#define WINDOW_BYTES (PAGE_BYTES + 16u)

/* A known address. */
struct known_address {
	uint64_t key;
	struct native_block *block;
};

void native_program_init(struct native_program *program, struct feed_area *area, uint32_t slot,
			 pid_t process)
{
	*program = (struct native_program){
		.area = area,
		.feed = &area->slots[slot],
		.process = process,
		.generation = 1,
		.mappings = {.stale = true},
	};
	takt_map_init(&program->blocks, sizeof(struct known_address), BLOCKS_MAX);
}

static void free_block(struct native_block *block)
{
	while (block) {
		struct native_block *older = block->older;

		free(block->bytes);
		free(block->insns);
		free(block);
		block = older;
	}
}

void native_program_release(struct native_program *program)
{
	struct known_address *known = NULL;

	while ((known = takt_map_next(&program->blocks, known)) != NULL)
		free_block(known->block);
	takt_map_release(&program->blocks);
	free(program->mappings.items);
}

/* ---- reading code ---- */

/* Read up to `size_bytes` of the program's memory, and return how many could be read. */
static size_t read_memory(pid_t process, uint64_t address, void *data, size_t size_bytes)
{
	struct iovec here = {data, size_bytes};
	struct iovec there[2] = {{(void *)(uintptr_t)address, size_bytes}};
	size_t left = PAGE_BYTES - address % PAGE_BYTES;
	ssize_t got;

	/* A transfer ends before the first part that cannot be read as a whole. */
	if (size_bytes > left) {
		there[0].iov_len = left;
		there[1].iov_base = (void *)(uintptr_t)(address + left);
		there[1].iov_len = size_bytes - left;
	}
	got = process_vm_readv(process, &here, 1, there, size_bytes > left ? 2 : 1, 0);
	return got > 0 ? (size_t)got : 0;
}

/* Decode up to the end of the block. Instructions of an unknown kind have one byte. */
static void decode(const uint8_t *bytes, size_t size_bytes, uint64_t address, uint32_t count_max,
		   struct native_block *block)
{
	uint64_t page_end = (address / PAGE_BYTES + 1) * PAGE_BYTES;
	uint32_t capacity = 0, at = 0;
	struct native_insn insn = {0};

	while (block->insn_count < count_max && at < size_bytes && address + at < page_end) {
		bool known = native_insn_decode(bytes + at, size_bytes - at, address + at, &insn);

		if (!known)
			insn = (struct native_insn){.length_bytes = 1, .flags = NATIVE_ENDS_BLOCK};
		if (at && (!known || address + at + insn.length_bytes > page_end))
			break;
		TAKT_GROW(block->insns, block->insn_count + 1u, capacity);
		block->insns[block->insn_count++] = insn;
		at += insn.length_bytes;
		if (insn.flags & NATIVE_ENDS_BLOCK)
			break;
	}
	block->size_bytes = at;
	block->repeats = (insn.flags & NATIVE_REPEATS) != 0;
}

/* Tell takt of a block. */
static void publish(struct native_program *program, struct native_block *block,
		    const struct native_mapping *mapping)
{
	struct trace_block_header header = {
		.address = block->address,
		.size_bytes = block->size_bytes,
		.insn_count = block->insn_count,
		.flags = block->repeats ? TRACE_BLOCK_REPEATS : 0,
		.file = mapping ? mapping->file : 0,
	};
	uint8_t entry[sizeof(header) + TRACE_INSNS_MAX + WINDOW_BYTES + 8];
	size_t size = sizeof(header);

	if (header.file)
		header.file_offset = block->address - mapping->begin + mapping->offset;
	memcpy(entry, &header, sizeof(header));
	for (uint32_t i = 0; i < block->insn_count; i++)
		entry[size++] = block->insns[i].length_bytes;
	memcpy(entry + size, block->bytes, block->size_bytes);
	size += block->size_bytes;
	while (size % 8)
		entry[size++] = 0;
	native_dictionary_add(program->area, program->feed, entry, size);
}

static struct native_block *make_block(struct native_program *program, uint64_t address,
				       uint32_t count_max)
{
	const struct native_mapping *mapping;
	uint8_t bytes[WINDOW_BYTES];
	size_t wanted = PAGE_BYTES - address % PAGE_BYTES + INSN_BYTES_MAX;
	size_t size = read_memory(program->process, address, bytes, wanted);
	struct native_block *block;

	if (!size)
		return NULL;
	native_mappings_update(&program->mappings, program->process, program->feed);
	mapping = native_mappings_find(&program->mappings, address);
	block = takt_xcalloc(1, sizeof(*block));
	block->address = address;
	block->number = program->block_count++;
	block->generation = program->generation;
	block->changeable = !mapping || mapping->changeable;
	decode(bytes, size, address, count_max, block);
	block->bytes = takt_xcalloc(1, block->size_bytes);
	memcpy(block->bytes, bytes, block->size_bytes);
	publish(program, block, mapping);
	return block;
}

/* ---- finding blocks ---- */

static bool is_same(const struct native_program *program, const struct native_block *block,
		    uint32_t at, uint32_t size_bytes)
{
	uint8_t bytes[WINDOW_BYTES];

	return read_memory(program->process, block->address + at, bytes, size_bytes) ==
		       size_bytes &&
	       memcmp(bytes, block->bytes + at, size_bytes) == 0;
}

const struct native_block *native_block_find(struct native_program *program, uint64_t address)
{
	struct known_address *known = takt_map_get(&program->blocks, address | (uint64_t)1 << 63);
	struct native_block *block;

	if (!known)
		return NULL;
	for (block = known->block; block; block = block->older) {
		if (block->generation == program->generation && !block->changeable)
			return block;
		if (!is_same(program, block, 0, block->size_bytes))
			continue;
		block->generation = program->generation;
		return block;
	}
	block = make_block(program, address, TRACE_INSNS_MAX);
	if (block) {
		block->older = known->block;
		known->block = block;
	}
	return block;
}

const struct native_block *native_block_single(struct native_program *program, uint64_t address)
{
	struct known_address *known = takt_map_get(&program->blocks, address | (uint64_t)1 << 63);
	struct native_block *block = known ? make_block(program, address, 1) : NULL;

	if (!block)
		return NULL;
	block->older = known->block;
	known->block = block;
	return block;
}

bool native_block_holds(const struct native_program *program, const struct native_block *block,
			uint64_t address, uint32_t insn)
{
	if (!block->changeable && block->generation == program->generation)
		return true;
	return is_same(program, block, (uint32_t)(address - block->address),
		       block->insns[insn].length_bytes);
}
