/* SPDX-License-Identifier: MIT */
/* Predicts the cycles of blocks, on several threads. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cli/predict.h"

/* Fewer blocks are not worth a thread. */
#define BLOCKS_PER_THREAD_LEAST 64
/* Blocks that a thread takes at a time: few, since hard blocks often follow each other. */
#define BLOCKS_TAKEN 16

struct work {
	size_t core_count;
	struct takt_hex_block *blocks;
	size_t count;
	double *cycles;
	atomic_size_t next; /* the first block that no thread has taken */
};

struct worker {
	struct takt_predictor *const *predictors; /* one for each core */
	struct work *work;
	bool has_thread;
	pthread_t thread;
};

static void predict_block(struct takt_predictor *const *predictors, struct work *work, size_t i,
			  const uint8_t *bytes)
{
	struct takt_hex_block *block = &work->blocks[i];
	double *cycles = work->cycles + i * work->core_count;
	size_t failed = 0;

	for (size_t c = 0; c < work->core_count; c++) {
		if (takt_predict(predictors[c], bytes, block->size / 2, &cycles[c]) == TAKT_OK)
			continue;
		cycles[c] = NAN;
		failed++;
	}
	if (failed == work->core_count)
		block->state = TAKT_BLOCK_UNDECODABLE;
}

static void *predict_some(void *context)
{
	struct worker *worker = context;
	struct work *work = worker->work;
	uint8_t *bytes = NULL;
	size_t capacity = 0, begin;

	while ((begin = atomic_fetch_add(&work->next, BLOCKS_TAKEN)) < work->count) {
		for (size_t i = begin; i < begin + BLOCKS_TAKEN && i < work->count; i++) {
			if (work->blocks[i].state != TAKT_BLOCK_GOOD)
				continue;
			takt_block_bytes(&work->blocks[i], &bytes, &capacity);
			predict_block(worker->predictors, work, i, bytes);
		}
	}
	free(bytes);
	return NULL;
}

void takt_blocks_predict(struct takt_predictor *const *predictors, size_t thread_count,
			 size_t core_count, struct takt_hex_block *blocks, size_t count,
			 double *cycles)
{
	size_t threads = count / BLOCKS_PER_THREAD_LEAST + 1;
	struct work work = {
		.core_count = core_count, .blocks = blocks, .count = count, .cycles = cycles};
	struct worker *workers;

	if (threads > thread_count)
		threads = thread_count;
	workers = takt_allocate(threads, sizeof(*workers));
	for (size_t i = 0; i < threads; i++) {
		workers[i].predictors = predictors + i * core_count;
		workers[i].work = &work;
		workers[i].has_thread = false;
		/* The last worker is this thread; without others it does all the work. */
		if (i + 1 < threads)
			workers[i].has_thread = !pthread_create(&workers[i].thread, NULL,
								predict_some, &workers[i]);
	}
	predict_some(&workers[threads - 1]);
	for (size_t i = 0; i < threads; i++)
		if (workers[i].has_thread)
			pthread_join(workers[i].thread, NULL);
	free(workers);
}
