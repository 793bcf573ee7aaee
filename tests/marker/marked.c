/* SPDX-License-Identifier: MIT */
/* A program with regions: nested, entered again, recursive, in two threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#ifdef USE_LIKWID
#include <likwid-marker.h>
#define INIT LIKWID_MARKER_INIT
#define START(region) LIKWID_MARKER_START(region)
#define STOP(region) LIKWID_MARKER_STOP(region)
#define CLOSE LIKWID_MARKER_CLOSE
#else
#include <takt/marker.h>
#define INIT TAKT_MARKER_INIT
#define START(region) TAKT_MARKER_START(region)
#define STOP(region) TAKT_MARKER_STOP(region)
#define CLOSE TAKT_MARKER_CLOSE
#endif

static void turns(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		__asm__ volatile("" ::: "memory");
}

static void recurse(int depth)
{
	START("recursive");
	if (depth)
		recurse(depth - 1);
	STOP("recursive");
}

static void *work(void *argument)
{
	uint64_t count = *(const uint64_t *)argument;

	START("outer");
	for (int i = 0; i < 3; i++) {
		START("inner part");
		turns(count);
		STOP("inner part");
	}
	STOP("outer");
	return NULL;
}

int main(void)
{
	uint64_t counts[2] = {100000, 200000};
	pthread_t other;

	INIT;
	pthread_create(&other, NULL, work, &counts[1]);
	pthread_join(other, NULL);
	work(&counts[0]);
	recurse(4);
	STOP("never begun");
	CLOSE;
	puts("done");
	return 0;
}
