/* SPDX-License-Identifier: MIT */
/* Growable text. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

void takt_text_init(struct takt_text *text)
{
	*text = (struct takt_text){0};
}

void takt_text_release(struct takt_text *text)
{
	free(text->data);
	*text = (struct takt_text){0};
}

struct takt_text *takt_text_new(void)
{
	return takt_xcalloc(1, sizeof(struct takt_text));
}

void takt_text_free(struct takt_text *text)
{
	if (!text)
		return;
	takt_text_release(text);
	free(text);
}

char *takt_text_move(struct takt_text *text, struct takt_arena *arena)
{
	char *copy = takt_arena_copy(arena, text->data, text->size_bytes);

	takt_text_release(text);
	return copy;
}

const char *takt_text_data(const struct takt_text *text)
{
	return text->data ? text->data : "";
}

size_t takt_text_size_bytes(const struct takt_text *text)
{
	return text->size_bytes;
}

void takt_text_clear(struct takt_text *text)
{
	text->size_bytes = 0;
	if (text->data)
		text->data[0] = '\0';
}

/* Make room for `more` bytes and the NUL. */
static void reserve(struct takt_text *text, size_t more)
{
	size_t need = text->size_bytes + more + 1;
	size_t capacity = text->capacity_bytes ? text->capacity_bytes : 64;

	if (need <= text->capacity_bytes)
		return;
	while (capacity < need)
		capacity *= 2;
	text->data = takt_xrealloc(text->data, capacity, 1);
	text->capacity_bytes = capacity;
}

void takt_text_add(struct takt_text *text, const char *data, size_t size_bytes)
{
	reserve(text, size_bytes);
	if (size_bytes)
		memcpy(text->data + text->size_bytes, data, size_bytes);
	text->size_bytes += size_bytes;
	text->data[text->size_bytes] = '\0';
}

void takt_text_add_string(struct takt_text *text, const char *string)
{
	takt_text_add(text, string, strlen(string));
}

void takt_text_vprintf(struct takt_text *text, const char *format, va_list args)
{
	va_list again;
	int size;

	va_copy(again, args);
	reserve(text, 63);
	size = takt_vsnprintf(text->data + text->size_bytes,
			      text->capacity_bytes - text->size_bytes, format, args);
	assert(size >= 0);
	if ((size_t)size >= text->capacity_bytes - text->size_bytes) {
		reserve(text, (size_t)size);
		takt_vsnprintf(text->data + text->size_bytes,
			       text->capacity_bytes - text->size_bytes, format, again);
	}
	va_end(again);
	text->size_bytes += (size_t)size;
}

void takt_text_printf(struct takt_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	takt_text_vprintf(text, format, args);
	va_end(args);
}

void takt_text_pad(struct takt_text *text, char fill, size_t count)
{
	reserve(text, count);
	memset(text->data + text->size_bytes, fill, count);
	text->size_bytes += count;
	text->data[text->size_bytes] = '\0';
}

const char *takt_noun(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

void takt_text_count(struct takt_text *text, uint64_t count, const char *one, const char *many)
{
	takt_text_printf(text, "%" PRIu64 " %s", count, takt_noun(count, one, many));
}
