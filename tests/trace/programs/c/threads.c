/* SPDX-License-Identifier: MIT */
/* argv[1] times, argv[2] threads at once that use memory, an atomic and a lock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long counted;
static long guarded;

static void *work(void *data)
{
	volatile long *own = data;

	for (int i = 0; i < 20000; i++) {
		(*own)++;
		if (i % 100 == 0) {
			atomic_fetch_add(&counted, 1);
			pthread_mutex_lock(&lock);
			guarded++;
			pthread_mutex_unlock(&lock);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, count = argc > 2 ? atoi(argv[2]) : 4;
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	long *cells = calloc((size_t)count, sizeof(*cells));

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < count; i++)
			if (pthread_create(&threads[i], NULL, work, &cells[i]) != 0)
				return 1;
		for (int i = 0; i < count; i++)
			pthread_join(threads[i], NULL);
	}
	return counted == 200L * rounds * count && guarded == counted ? 0 : 2;
}
