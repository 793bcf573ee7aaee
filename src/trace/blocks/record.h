/* SPDX-License-Identifier: MIT */
/*
 * record: trace records, eight bytes each, that say what a thread did. They are the same in shared
 * memory and in logs (docs/formats/traces.md). Standard C only: the plugin includes this.
 *
 *	63 62 | 61 … 53 | 52    | 51 … 48 | 47 … 0
 *	0  1  | insn    | store | size    | address     a memory access
 *	0  0  | 0 … 0           | kind    | value       any other record
 */
#ifndef TAKT_TRACE_RECORD_H
#define TAKT_TRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_ACCESS ((uint64_t)1 << 62)
#define TRACE_STORE ((uint64_t)1 << 52)
#define TRACE_INSN_SHIFT 53
#define TRACE_INSN_MAX 511
#define TRACE_SIZE_SHIFT 48
#define TRACE_VALUE_MASK (((uint64_t)1 << 48) - 1)

/* Kinds of record other than accesses, each with the meaning of its value. */
enum trace_kind {
	TRACE_KIND_NONE,
	TRACE_KIND_BLOCK,   /* a block begins: its number */
	TRACE_KIND_SYSCALL, /* a system call: its number */
	TRACE_KIND_START,   /* a thread begins: its number in the order of creation, from 0 */
	TRACE_KIND_END,	    /* the thread has ended */
	TRACE_KIND_BREAK,   /* a gap in the trace: the address where the block went, or 0 */
	TRACE_KIND_COUNT
};

/* Sizes of accesses in bytes, by the code in the record; unused codes are 0. */
static const uint8_t trace_size_bytes[16] = {1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 10};

#define TRACE_SIZE_8 3u /* codes c from here to SIZE_64: (c - 2) × 8 bytes, for joined pieces */
#define TRACE_SIZE_64 10u
#define TRACE_SIZE_10 11u

static inline uint64_t trace_record(enum trace_kind kind, uint64_t value)
{
	return (uint64_t)kind << TRACE_SIZE_SHIFT | (value & TRACE_VALUE_MASK);
}

static inline bool trace_is_access(uint64_t record)
{
	return record >> 62 == 1;
}

static inline uint32_t trace_insn(uint64_t record)
{
	return (uint32_t)(record >> TRACE_INSN_SHIFT) & TRACE_INSN_MAX;
}

static inline bool trace_is_store(uint64_t record)
{
	return (record & TRACE_STORE) != 0;
}

static inline uint32_t trace_size(uint64_t record)
{
	return trace_size_bytes[record >> TRACE_SIZE_SHIFT & 15];
}

/* Return the lower 48 bits; an address is their sign-extension. */
static inline uint64_t trace_value(uint64_t record)
{
	return record & TRACE_VALUE_MASK;
}

/* ---- blocks, as the plugin registers them and logs hold them ---- */

enum trace_block_flag {
	TRACE_BLOCK_REPEATS = 1 << 0, /* ends in a string instruction with rep */
};

/* Followed by the length of each instruction, then their bytes; padded to 8 bytes. */
struct trace_block_header {
	uint64_t address;
	uint32_t size_bytes;  /* size of all instructions */
	uint16_t insn_count;  /* 1 … 512 */
	uint16_t flags;	      /* enum trace_block_flag */
	uint64_t file_offset; /* offset of the first byte in the file */
	uint32_t file;	      /* number of the file that contains it; 0: none */
	uint32_t function;    /* number of the function it begins in; 0: none, or unknown */
};

/* Return the size of what the plugin and logs hold in words of 8 bytes. */
static inline size_t trace_padded(size_t size_bytes)
{
	return (size_bytes + 7) / 8 * 8;
}

/* Return the size of a block with its header. */
static inline size_t trace_block_bytes(const struct trace_block_header *header)
{
	return sizeof(*header) + trace_padded((size_t)header->insn_count + header->size_bytes);
}

#endif
