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

/*
 * Numbers that look random, below 65536: a count whose bits are mixed. The usual recurrence by a
 * multiplication is a chain of dependent instructions, a pattern that nobody planted.
 */
__attribute__((unused)) static uint32_t next_random(uint32_t *state)
{
	uint32_t mixed = *state += 0x9e3779b9u;

	mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
	mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
	return mixed >> 16;
}

#endif
