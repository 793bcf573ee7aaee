/* SPDX-License-Identifier: MIT */
/* Analyzes regions on several threads. */
#include <pthread.h>
#include <stdlib.h>

#include "cli/cli.h"

/* Regions take times that differ a lot, so that each thread needs many for all to end together. */
#define REGIONS_PER_THREAD 32

void takt_batch_init(struct takt_batch *batch, size_t thread_count)
{
	batch->thread_count = thread_count;
	batch->capacity = thread_count > 1 ? thread_count * REGIONS_PER_THREAD : 1;
	batch->items = takt_allocate(batch->capacity, sizeof(*batch->items));
	for (size_t i = 0; i < batch->capacity; i++) {
		batch->items[i].analyses =
			takt_allocate(batch->cores->count, sizeof(struct takt_analysis *));
		batch->items[i].diag = takt_diag_new();
	}
}

bool takt_batch_add(struct takt_batch *batch, size_t region)
{
	if (batch->count == batch->capacity)
		return false;
	batch->items[batch->count++].region = region;
	return true;
}

static void analyze(const struct takt_batch *batch, struct takt_batch_item *item)
{
	item->good = true;
	for (size_t i = 0; i < batch->cores->count && item->good; i++)
		item->good =
			takt_analyze(batch->cores->models[i], batch->code, item->region,
				     batch->options, item->diag, &item->analyses[i]) == TAKT_OK;
}

static void *work(void *context)
{
	struct takt_batch *batch = context;
	size_t at;

	while ((at = __atomic_fetch_add(&batch->next, 1, __ATOMIC_RELAXED)) < batch->count)
		analyze(batch, &batch->items[at]);
	return NULL;
}

void takt_batch_run(struct takt_batch *batch)
{
	size_t wanted = batch->count < batch->thread_count ? batch->count : batch->thread_count;
	size_t started = 0;
	pthread_t *threads = takt_allocate(wanted + 1, sizeof(*threads));

	batch->next = 0;
	/* This thread works, too, and alone if there are no others. */
	while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, batch) == 0)
		started++;
	work(batch);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

void takt_batch_clear(struct takt_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct takt_batch_item *item = &batch->items[i];

		for (size_t j = 0; j < batch->cores->count; j++) {
			takt_analysis_free(item->analyses[j]);
			item->analyses[j] = NULL;
		}
		takt_diag_clear(item->diag);
	}
	batch->count = 0;
}

void takt_batch_release(struct takt_batch *batch)
{
	takt_batch_clear(batch);
	for (size_t i = 0; i < batch->capacity; i++) {
		free(batch->items[i].analyses);
		takt_diag_free(batch->items[i].diag);
	}
	free(batch->items);
}
