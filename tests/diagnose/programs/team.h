/* SPDX-License-Identifier: MIT */
/* Two threads that do the same on different data. */
#ifndef TEAM_H
#define TEAM_H

#include <pthread.h>
#include <stdint.h>

#define TEAM 2

/* Results go here, so that nothing is left out. */
static volatile double sink;

__attribute__((unused)) static void run_team(void *(*work)(void *))
{
	pthread_t threads[TEAM];

	for (intptr_t i = 0; i < TEAM; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < TEAM; i++)
		pthread_join(threads[i], NULL);
}

/* The compiler cannot know what is in memory. */
#define KEEP(memory) __asm__ volatile("" : : "r"(memory) : "memory")

/* Numbers that look random, below 65536. */
__attribute__((unused)) static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16; /* lower bits repeat soon */
}

#endif
