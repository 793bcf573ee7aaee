/* SPDX-License-Identifier: MIT */
/*
 * threads COUNT TURNS: so many threads, the main one with them, of which the first executes TURNS
 * turns of 2 instructions, the second one twice as many, and so on. Says of each on which
 * processors it was and on which it may be.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 8
#define PIECES 64 /* of the work: between them a thread looks where it is */

static struct thread {
	pthread_t thread;
	long turns;
	unsigned long began_on, was_on, may_be_on;
} threads[THREADS_MAX];

static unsigned long here(void)
{
	return 1ul << sched_getcpu();
}

static void *work(void *argument)
{
	struct thread *own = argument;
	cpu_set_t set;

	own->began_on = own->was_on = here();
	for (int i = 0; i < PIECES; i++) {
		long turns = own->turns / PIECES;

		__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
		own->was_on |= here();
	}
	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < 64; i++)
		own->may_be_on |= (unsigned long)(CPU_ISSET(i, &set) != 0) << i;
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;

	if (count < 1 || count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		threads[i].turns = (i + 1) * atol(argv[2]);
	for (int i = 1; i < count; i++)
		if (pthread_create(&threads[i].thread, NULL, work, &threads[i]))
			return 1;
	work(&threads[0]);
	for (int i = 1; i < count; i++)
		pthread_join(threads[i].thread, NULL);
	for (int i = 0; i < count; i++)
		printf("thread %d: began on %#lx, was on %#lx, may be on %#lx\n", i,
		       threads[i].began_on, threads[i].was_on, threads[i].may_be_on);
	return 0;
}
