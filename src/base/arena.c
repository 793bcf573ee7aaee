/* SPDX-License-Identifier: MIT */
/* Arenas: memory in chunks that double in size and are released together. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define ARENA_ALIGNMENT 16u
#define ARENA_CHUNK_MIN_BYTES ((size_t)8 << 10)
#define ARENA_CHUNK_MAX_BYTES ((size_t)4 << 20)

struct takt_arena_chunk {
	struct takt_arena_chunk *older;
	size_t size_bytes; /* size of `data` */
	_Alignas(ARENA_ALIGNMENT) char data[];
};

void takt_arena_init(struct takt_arena *arena)
{
	*arena = (struct takt_arena){0};
}

static void free_chunks(struct takt_arena_chunk *chunk)
{
	while (chunk) {
		struct takt_arena_chunk *older = chunk->older;

		free(chunk);
		chunk = older;
	}
}

void takt_arena_release(struct takt_arena *arena)
{
	free_chunks(arena->chunks);
	*arena = (struct takt_arena){0};
}

void takt_arena_free_owner(void *owner, size_t arena_offset)
{
	if (!owner)
		return;
	takt_arena_release((struct takt_arena *)(void *)((char *)owner + arena_offset));
	free(owner);
}

void takt_arena_clear(struct takt_arena *arena)
{
	struct takt_arena_chunk *newest = arena->chunks;

	if (!newest)
		return;
	/* Chunks grow, so the newest is the largest, up to single huge allocations. */
	free_chunks(newest->older);
	newest->older = NULL;
	arena->next = newest->data;
	arena->left_bytes = newest->size_bytes;
}

static void add_chunk(struct takt_arena *arena, size_t need_bytes)
{
	size_t size_bytes = ARENA_CHUNK_MIN_BYTES;
	struct takt_arena_chunk *chunk;

	if (arena->chunks && arena->chunks->size_bytes >= ARENA_CHUNK_MIN_BYTES)
		size_bytes = arena->chunks->size_bytes * 2;
	if (size_bytes > ARENA_CHUNK_MAX_BYTES)
		size_bytes = ARENA_CHUNK_MAX_BYTES;
	if (size_bytes < need_bytes)
		size_bytes = need_bytes;
	chunk = malloc(sizeof(*chunk) + size_bytes);
	if (!chunk)
		takt_out_of_memory(size_bytes);
	chunk->older = arena->chunks;
	chunk->size_bytes = size_bytes;
	arena->chunks = chunk;
	arena->next = chunk->data;
	arena->left_bytes = size_bytes;
}

/* Return the bytes of the array, a multiple of the alignment. */
static size_t total_bytes(size_t count, size_t size_bytes)
{
	size_t total;

	if (__builtin_mul_overflow(count, size_bytes, &total) || total > SIZE_MAX / 4)
		takt_out_of_memory(SIZE_MAX);
	return (total + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
}

static void *take(struct takt_arena *arena, size_t total)
{
	void *memory;

	if (total > arena->left_bytes || !arena->next)
		add_chunk(arena, total);
	memory = arena->next;
	arena->next += total;
	arena->left_bytes -= total;
	return memory;
}

void *takt_arena_alloc(struct takt_arena *arena, size_t count, size_t size_bytes)
{
	size_t total = total_bytes(count, size_bytes);

	return memset(take(arena, total), 0, total);
}

void *takt_arena_alloc_unset(struct takt_arena *arena, size_t count, size_t size_bytes)
{
	return take(arena, total_bytes(count, size_bytes));
}

void *takt_arena_grow(struct takt_arena *arena, const void *old, size_t old_count, size_t new_count,
		      size_t size_bytes)
{
	void *memory = takt_arena_alloc(arena, new_count, size_bytes);

	if (old_count)
		memcpy(memory, old, old_count * size_bytes);
	return memory;
}

char *takt_arena_copy(struct takt_arena *arena, const char *text, size_t size_bytes)
{
	char *copy = takt_arena_alloc(arena, size_bytes + 1, 1);

	if (size_bytes)
		memcpy(copy, text, size_bytes);
	return copy;
}

char *takt_arena_string(struct takt_arena *arena, const char *string)
{
	return string ? takt_arena_copy(arena, string, strlen(string)) : NULL;
}

char *takt_arena_vprintf(struct takt_arena *arena, const char *format, va_list args)
{
	struct takt_text text = {0};

	takt_text_vprintf(&text, format, args);
	return takt_text_move(&text, arena);
}

char *takt_arena_printf(struct takt_arena *arena, const char *format, ...)
{
	va_list args;
	char *copy;

	va_start(args, format);
	copy = takt_arena_vprintf(arena, format, args);
	va_end(args);
	return copy;
}
