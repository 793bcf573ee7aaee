/* SPDX-License-Identifier: MIT */
/*
 * Analyzes regions on several threads. The caller gets the results in the order of the regions,
 * and analyzes regions itself while the next one is not ready.
 */
#include <stdlib.h>

#include "cli/cli.h"

/*
 * Regions take times that differ a lot, so that others are analyzed while one with a long time is
 * waited for: at most this many of each thread.
 */
#define REGIONS_PER_THREAD 64

static void analyze(const struct takt_batch *batch, struct takt_batch_item *item)
{
	item->good = false;
	for (size_t i = 0; i < batch->cores->count; i++) {
		enum takt_status status =
			takt_analyze(batch->cores->models[i], batch->code, item->region,
				     batch->options, item->diags[i], &item->analyses[i]);

		item->good |= status == TAKT_OK;
		if (status == TAKT_OK || status == TAKT_BAD_INPUT)
			continue;
		item->good = false;
		return;
	}
}

/* True if a region is left that no thread has taken, and an item is free for it. */
static bool can_take(const struct takt_batch *batch)
{
	return batch->taken < batch->region_count &&
	       batch->taken < batch->given_back + batch->capacity;
}

/* Analyze the next region. The lock is held before and after that. */
static void take(struct takt_batch *batch)
{
	size_t index = batch->taken++;
	struct takt_batch_item *item = &batch->items[index % batch->capacity];

	item->region = batch->regions[index];
	pthread_mutex_unlock(&batch->lock);
	analyze(batch, item);
	pthread_mutex_lock(&batch->lock);
	item->is_ready = true;
	pthread_cond_signal(&batch->ready);
}

static void *work(void *context)
{
	struct takt_batch *batch = context;

	pthread_mutex_lock(&batch->lock);
	while (!batch->stops && batch->taken < batch->region_count) {
		if (can_take(batch))
			take(batch);
		else
			pthread_cond_wait(&batch->room, &batch->lock);
	}
	pthread_mutex_unlock(&batch->lock);
	return NULL;
}

void takt_batch_begin(struct takt_batch *batch, size_t thread_count)
{
	size_t helpers = thread_count - 1;

	batch->capacity = thread_count > 1 ? thread_count * REGIONS_PER_THREAD : 1;
	batch->items = takt_allocate(batch->capacity, sizeof(*batch->items));
	for (size_t i = 0; i < batch->capacity; i++) {
		batch->items[i] = (struct takt_batch_item){.is_ready = false};
		batch->items[i].analyses =
			takt_allocate(batch->cores->count, sizeof(struct takt_analysis *));
		batch->items[i].diags =
			takt_allocate(batch->cores->count, sizeof(struct takt_diag *));
		for (size_t c = 0; c < batch->cores->count; c++)
			batch->items[i].diags[c] = takt_diag_new();
	}
	pthread_mutex_init(&batch->lock, NULL);
	pthread_cond_init(&batch->ready, NULL);
	pthread_cond_init(&batch->room, NULL);
	batch->threads = takt_allocate(helpers + 1, sizeof(*batch->threads));
	/* The caller's thread works alone if there are no others. */
	while (batch->thread_count < helpers &&
	       pthread_create(&batch->threads[batch->thread_count], NULL, work, batch) == 0)
		batch->thread_count++;
}

const struct takt_batch_item *takt_batch_next(struct takt_batch *batch)
{
	struct takt_batch_item *item = &batch->items[batch->given_back % batch->capacity];

	pthread_mutex_lock(&batch->lock);
	while (!item->is_ready) {
		if (can_take(batch))
			take(batch);
		else
			pthread_cond_wait(&batch->ready, &batch->lock);
	}
	pthread_mutex_unlock(&batch->lock);
	return item;
}

/* Free the results of an item. */
static void clear(const struct takt_batch *batch, struct takt_batch_item *item)
{
	for (size_t i = 0; i < batch->cores->count; i++) {
		takt_analysis_free(item->analyses[i]);
		item->analyses[i] = NULL;
		takt_diag_clear(item->diags[i]);
	}
	item->is_ready = false;
}

void takt_batch_give_back(struct takt_batch *batch)
{
	clear(batch, &batch->items[batch->given_back % batch->capacity]);
	pthread_mutex_lock(&batch->lock);
	batch->given_back++;
	pthread_cond_signal(&batch->room);
	pthread_mutex_unlock(&batch->lock);
}

void takt_batch_end(struct takt_batch *batch)
{
	pthread_mutex_lock(&batch->lock);
	batch->stops = true;
	pthread_cond_broadcast(&batch->room);
	pthread_mutex_unlock(&batch->lock);
	for (size_t i = 0; i < batch->thread_count; i++)
		pthread_join(batch->threads[i], NULL);
	for (size_t i = 0; i < batch->capacity; i++) {
		clear(batch, &batch->items[i]);
		free(batch->items[i].analyses);
		for (size_t c = 0; c < batch->cores->count; c++)
			takt_diag_free(batch->items[i].diags[c]);
		free(batch->items[i].diags);
	}
	pthread_cond_destroy(&batch->room);
	pthread_cond_destroy(&batch->ready);
	pthread_mutex_destroy(&batch->lock);
	free(batch->threads);
	free(batch->items);
}
