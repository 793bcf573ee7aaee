/* SPDX-License-Identifier: MIT */
/* Predicts the cycles of blocks, on several threads. */
#include <pthread.h>
#include <stdlib.h>

#include "cli/predict.h"

/* Fewer blocks are not worth a thread. */
#define BLOCKS_PER_THREAD_LEAST 64

struct slice {
	struct takt_predictor *const
		*predictors; /* one for each core; NULL: no thread to wait for */
	size_t core_count;
	struct takt_hex_block *blocks;
	size_t count;
	double *cycles;
	pthread_t thread;
};

static void *predict_slice(void *context)
{
	struct slice *slice = context;
	uint8_t *bytes = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < slice->count; i++) {
		struct takt_hex_block *block = &slice->blocks[i];

		if (block->state != TAKT_BLOCK_GOOD)
			continue;
		takt_block_bytes(block, &bytes, &capacity);
		for (size_t c = 0; c < slice->core_count; c++)
			if (takt_predict(slice->predictors[c], bytes, block->size / 2,
					 &slice->cycles[i * slice->core_count + c]) != TAKT_OK)
				block->state = TAKT_BLOCK_UNDECODABLE;
	}
	free(bytes);
	return NULL;
}

void takt_blocks_predict(struct takt_predictor *const *predictors, size_t thread_count,
			 size_t core_count, struct takt_hex_block *blocks, size_t count,
			 double *cycles)
{
	size_t threads = count / BLOCKS_PER_THREAD_LEAST + 1;
	struct slice *slices;

	if (threads > thread_count)
		threads = thread_count;
	slices = takt_allocate(threads, sizeof(*slices));
	for (size_t i = 0; i < threads; i++) {
		size_t begin = count * i / threads, end = count * (i + 1) / threads;

		slices[i] = (struct slice){.predictors = predictors + i * core_count,
					   .core_count = core_count,
					   .blocks = blocks + begin,
					   .count = end - begin,
					   .cycles = cycles + begin * core_count};
		/* The last slice runs on this thread, as does one that got no thread. */
		if (i + 1 == threads ||
		    pthread_create(&slices[i].thread, NULL, predict_slice, &slices[i]) != 0) {
			predict_slice(&slices[i]);
			slices[i].predictors = NULL;
		}
	}
	for (size_t i = 0; i < threads; i++)
		if (slices[i].predictors)
			pthread_join(slices[i].thread, NULL);
	free(slices);
}
