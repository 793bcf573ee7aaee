/* SPDX-License-Identifier: MIT */
/* Finds the pieces of code that are moved together, and draws their places. */
#include "trace/timing/layouts.h"

#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

#define PAGE_BYTES 4096u
#define PAGE_LINES (PAGE_BYTES / TAKT_LINE_BYTES)
#define PAGE_SHIFT 12
#define NAME_SHIFT 48 /* bits of an address from here on distinguish pieces in the same lines */
#define DRAWN_PAGES (1u << 24)
#define ADDRESSES_MAX (1u << 22) /* different addresses of blocks */
/*
 * Compilers that optimize align functions to 16 bytes, and GCC loops to 8 at least. Whether the
 * code is aligned is not asked: by chance it is, and a change elsewhere would seem to make a
 * difference.
 */
#define FUNCTION_ALIGNMENT 16u
#define LOOP_ALIGNMENT 8u

/* A piece of code, from its begin to the next piece of the function. */
struct piece {
	uint64_t begin;
	uint64_t key;	    /* what its places depend on, beside the seed and the layout */
	uint32_t alignment; /* bytes that its places are multiples of */
};

/* A place in a function where a piece begins. */
struct head {
	uint64_t address;
	uint32_t piece;
};

struct placed_function {
	uint64_t key;
	uint32_t version;   /* changes with the pieces */
	struct head *heads; /* by address */
	uint32_t count, capacity;
};

/* The piece that a block was found to be in, when its function had this version. */
struct placed_block {
	uint32_t piece, version;
};

/* The block that ran last of those that begin at an address. */
struct placed_address {
	uint64_t key; /* address + 1 */
	uint64_t block;
};

struct trace_layouts {
	const struct trace_dictionary *dictionary;
	uint32_t count;
	uint64_t seed;
	struct piece *pieces; /* 0: code that is not moved */
	uint32_t piece_count, piece_capacity;
	struct layout_shift *shifts; /* [piece * count + layout] */
	uint32_t shift_capacity;
	struct placed_function *functions; /* by number */
	uint32_t function_capacity;
	struct placed_block *blocks; /* by number */
	uint32_t block_capacity;
	uint64_t *loops; /* by thread: where the last branch led back to; 0: nowhere */
	uint32_t loop_capacity;
	struct takt_map addresses;
	/* Pieces of the blocks that run next and after the block that was noted last. */
	uint32_t next_piece, behind_piece;
};

/* ---- random numbers ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return takt_hash64(hash ^ takt_hash64(value + 1));
}

/* Return the rank of layout `layout` in an order of all layouts that `key` determines. */
static uint32_t rank_of(uint64_t key, uint32_t layout, uint32_t count)
{
	uint64_t own = mix(key, layout);
	uint32_t rank = 0;

	for (uint32_t other = 0; other < count; other++) {
		uint64_t theirs = mix(key, other);

		rank += theirs < own || (theirs == own && other < layout);
	}
	return rank;
}

/* Draw the offset of a piece in its page: evenly spread in the line, any line. */
static uint64_t draw_offset(const struct trace_layouts *layouts, uint64_t key, uint32_t alignment,
			    uint32_t layout)
{
	uint32_t places = TAKT_LINE_BYTES / alignment;
	uint64_t rank = rank_of(key, layout, layouts->count);
	uint64_t place = (mix(key, 'p') + rank * places / layouts->count) % places;
	uint64_t line = mix(mix(key, 'l'), layout) % PAGE_LINES;

	return line * TAKT_LINE_BYTES + place * alignment;
}

static struct layout_shift draw(const struct trace_layouts *layouts, const struct piece *piece,
				uint32_t layout)
{
	uint64_t key = mix(layouts->seed, piece->key), name = piece->key >> NAME_SHIFT;
	uint64_t offset = draw_offset(layouts, key, piece->alignment, layout);
	uint64_t drawn = mix(mix(key, 'd'), layout) % DRAWN_PAGES;
	uint64_t page = piece->begin & ~(uint64_t)(PAGE_BYTES - 1);

	return (struct layout_shift){
		.fetch = (page | offset) - piece->begin + (name << NAME_SHIFT),
		.code = (drawn << PAGE_SHIFT | offset) - piece->begin + (name << NAME_SHIFT),
	};
}

/* ---- pieces ---- */

static uint32_t add_piece(struct trace_layouts *layouts, struct piece piece)
{
	uint32_t number = layouts->piece_count++;

	TAKT_GROW(layouts->pieces, layouts->piece_count, layouts->piece_capacity);
	layouts->pieces[number] = piece;
	TAKT_GROW(layouts->shifts, (size_t)layouts->piece_count * layouts->count,
		  layouts->shift_capacity);
	for (uint32_t i = 0; i < layouts->count; i++)
		layouts->shifts[(size_t)number * layouts->count + i] =
			number ? draw(layouts, &piece, i) : (struct layout_shift){0};
	return number;
}

/* Return the number of heads at or before the address. */
static uint32_t count_heads(const struct placed_function *function, uint64_t address)
{
	uint32_t count;

	TAKT_BISECT(count, function->count, function->heads[count].address <= address);
	return count;
}

static void add_head(struct trace_layouts *layouts, struct placed_function *function,
		     const struct piece *piece)
{
	uint32_t at = count_heads(function, piece->begin);

	TAKT_GROW(function->heads, function->count + 1, function->capacity);
	memmove(function->heads + at + 1, function->heads + at,
		(function->count - at) * sizeof(*function->heads));
	function->heads[at] = (struct head){piece->begin, add_piece(layouts, *piece)};
	function->count++;
	function->version++;
}

static uint64_t function_begin(const struct trace_layouts *layouts, const struct trace_block *block)
{
	const struct trace_function *function = &layouts->dictionary->functions[block->function];

	return block->address - (block->file_offset - function->file_offset);
}

/* Return the function of a block; its first piece begins where it does. */
static struct placed_function *function_of(struct trace_layouts *layouts,
					   const struct trace_block *block)
{
	const char *name = layouts->dictionary->functions[block->function].name;
	struct placed_function *function;
	uint64_t begin = function_begin(layouts, block);

	TAKT_GROW_ZEROED(layouts->functions, block->function + 1, layouts->function_capacity);
	function = &layouts->functions[block->function];
	if (function->count)
		return function;
	function->key = name ? takt_hash_bytes(name, strlen(name)) : 0;
	add_head(layouts, function, &(struct piece){begin, function->key, FUNCTION_ALIGNMENT});
	return function;
}

/* Return what tells a loop's beginning from others of its function, wherever it is. */
static uint64_t loop_key(const struct trace_layouts *layouts,
			 const struct placed_function *function, const struct trace_block *block)
{
	const struct takt_trace_block code = {
		.address = block->address,
		.size_bytes = (uint32_t)(block->end - block->address),
		.bytes = block->bytes,
	};
	uint64_t key =
		mix(function->key, takt_trace_code_hash(layouts->dictionary->guest->name, &code));

	/* Loops that begin with the same code are told apart by the order of their discovery. */
	for (uint32_t i = 0; i < function->count; i++)
		if (layouts->pieces[function->heads[i].piece].key == key) {
			key = mix(key, 'n');
			i = 0;
		}
	return key;
}

/* Begin a piece at the block, at which a loop begins, unless one does already. */
static void add_loop(struct trace_layouts *layouts, const struct trace_block *block)
{
	struct placed_function *function = function_of(layouts, block);
	uint32_t before = count_heads(function, block->address);

	if (before && function->heads[before - 1].address == block->address)
		return;
	add_head(layouts, function,
		 &(struct piece){block->address, loop_key(layouts, function, block),
				 LOOP_ALIGNMENT});
}

/* ---- what runs ---- */

static void place_block(struct trace_layouts *layouts, const struct trace_block *block)
{
	struct placed_function *function = function_of(layouts, block);
	struct placed_block *placed = &layouts->blocks[block->number];
	uint32_t before = count_heads(function, block->address);

	placed->version = function->version;
	placed->piece = before ? function->heads[before - 1].piece : 0;
}

static void note_address(struct trace_layouts *layouts, const struct trace_block *block)
{
	struct placed_address *entry = takt_map_get(&layouts->addresses, block->address + 1);

	if (entry)
		entry->block = block->number;
}

static bool leads_back(const struct executed_block *executed)
{
	const struct trace_block *block = executed->block;

	return (block->flow == TRACE_FLOW_BRANCH || block->flow == TRACE_FLOW_JUMP) &&
	       !executed->diverted && executed->next_address &&
	       executed->next_address == block->target && block->target < block->end;
}

/* Return the piece of the block that begins at an address; 0 if none ran yet. */
static uint32_t piece_at(const struct trace_layouts *layouts, uint64_t address)
{
	const struct placed_address *entry = takt_map_find(&layouts->addresses, address + 1);

	return entry ? layouts->blocks[entry->block].piece : 0;
}

void trace_layouts_note(struct trace_layouts *layouts, uint32_t thread,
			const struct executed_block *executed)
{
	const struct trace_block *block = executed->block;

	TAKT_GROW_ZEROED(layouts->loops, thread + 1, layouts->loop_capacity);
	TAKT_GROW_ZEROED(layouts->blocks, block->number + 1, layouts->block_capacity);
	if (block->function && layouts->loops[thread] == block->address)
		add_loop(layouts, block);
	layouts->loops[thread] = leads_back(executed) ? executed->next_address : 0;
	if (block->function && !layouts->blocks[block->number].version)
		note_address(layouts, block);
	if (block->function &&
	    layouts->blocks[block->number].version != function_of(layouts, block)->version)
		place_block(layouts, block);
	layouts->next_piece = piece_at(layouts, executed->next_address);
	layouts->behind_piece =
		block->flow == TRACE_FLOW_CALL || block->flow == TRACE_FLOW_INDIRECT_CALL
			? piece_at(layouts, block->end)
			: layouts->blocks[block->number].piece;
}

uint32_t trace_layouts_piece(const struct trace_layouts *layouts, const struct trace_block *block)
{
	return layouts->blocks[block->number].piece;
}

struct layout_shift trace_layouts_shift(const struct trace_layouts *layouts, uint32_t piece,
					uint32_t layout)
{
	return layouts->shifts[(size_t)piece * layouts->count + layout];
}

uint64_t trace_layouts_next(const struct trace_layouts *layouts, uint32_t layout)
{
	return trace_layouts_shift(layouts, layouts->next_piece, layout).code;
}

uint64_t trace_layouts_behind(const struct trace_layouts *layouts, uint32_t layout)
{
	return trace_layouts_shift(layouts, layouts->behind_piece, layout).code;
}

uint64_t trace_layouts_data(const struct trace_layouts *layouts, bool stack, uint32_t layout)
{
	uint64_t key = mix(mix(layouts->seed, stack ? 's' : 'h'), 0);

	return mix(key, layout) % PAGE_LINES * TAKT_LINE_BYTES;
}

/* ---- all of it ---- */

struct trace_layouts *trace_layouts_new(const struct trace_dictionary *dictionary, uint32_t count,
					uint64_t seed)
{
	struct trace_layouts *layouts = takt_xcalloc(1, sizeof(*layouts));

	layouts->dictionary = dictionary;
	layouts->count = count;
	layouts->seed = seed;
	takt_map_init(&layouts->addresses, sizeof(struct placed_address), ADDRESSES_MAX);
	add_piece(layouts, (struct piece){0, 0, 1});
	return layouts;
}

void trace_layouts_free(struct trace_layouts *layouts)
{
	if (!layouts)
		return;
	for (uint32_t i = 0; i < layouts->function_capacity; i++)
		free(layouts->functions[i].heads);
	free(layouts->functions);
	free(layouts->pieces);
	free(layouts->shifts);
	free(layouts->blocks);
	free(layouts->loops);
	takt_map_release(&layouts->addresses);
	free(layouts);
}
