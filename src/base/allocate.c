/* SPDX-License-Identifier: MIT */
/* Heap allocation, and what happens when memory runs out: takt_set_out_of_memory_handler(). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

static _Atomic(takt_out_of_memory_handler) handler;

static pthread_mutex_t partial_lock = PTHREAD_MUTEX_INITIALIZER;
static struct takt_partial_file *partial_files;

void takt_set_out_of_memory_handler(takt_out_of_memory_handler wanted)
{
	atomic_store(&handler, wanted);
}

/* A forked process leaves its parent's files alone. */
void takt_partial_files_remove(void)
{
	pid_t self = getpid();

	if (pthread_mutex_trylock(&partial_lock))
		return; /* another thread is here already, or changes the list */
	for (struct takt_partial_file *file = partial_files; file; file = file->next)
		if (file->process == self)
			unlink(file->path);
}

void takt_out_of_memory(size_t size_bytes)
{
	takt_out_of_memory_handler wanted = atomic_load(&handler);

	takt_partial_files_remove();
	if (wanted)
		wanted(size_bytes);
	abort();
}

void takt_partial_file_begin(struct takt_partial_file *file, const char *path)
{
	*file = (struct takt_partial_file){.path = path, .process = getpid()};
	pthread_mutex_lock(&partial_lock);
	file->next = partial_files;
	partial_files = file;
	pthread_mutex_unlock(&partial_lock);
}

void takt_partial_file_end(struct takt_partial_file *file)
{
	struct takt_partial_file **link = &partial_files;

	pthread_mutex_lock(&partial_lock);
	while (*link && *link != file)
		link = &(*link)->next;
	if (*link)
		*link = file->next;
	pthread_mutex_unlock(&partial_lock);
}

void *takt_xcalloc(size_t count, size_t size_bytes)
{
	void *memory = calloc(count ? count : 1, size_bytes ? size_bytes : 1);
	size_t total;

	if (!memory)
		takt_out_of_memory(__builtin_mul_overflow(count, size_bytes, &total) ? SIZE_MAX
										     : total);
	return memory;
}

void *takt_xrealloc(void *old, size_t count, size_t size_bytes)
{
	size_t total;
	void *memory;

	if (__builtin_mul_overflow(count, size_bytes, &total))
		takt_out_of_memory(SIZE_MAX);
	memory = realloc(old, total ? total : 1);
	if (!memory)
		takt_out_of_memory(total);
	return memory;
}

size_t takt_capacity(size_t capacity, size_t wanted, size_t most)
{
	size_t larger = capacity < most / 2 ? 2 * capacity : most;

	if (wanted > most)
		takt_out_of_memory(SIZE_MAX);
	larger = larger < 16 && most >= 16 ? 16 : larger;
	return larger < wanted ? wanted : larger;
}

void *takt_xrealloc_zeroed(void *old, size_t old_count, size_t count, size_t size_bytes)
{
	uint8_t *memory = takt_xrealloc(old, count, size_bytes);

	memset(memory + old_count * size_bytes, 0, (count - old_count) * size_bytes);
	return memory;
}

char *takt_xstrdup(const char *text)
{
	size_t size_bytes = strlen(text) + 1;

	return memcpy(takt_xcalloc(size_bytes, 1), text, size_bytes);
}
