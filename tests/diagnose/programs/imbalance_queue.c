/* SPDX-License-Identifier: MIT */
/* pattern: imbalance */
/* Tasks whose cost differs, shared out by number; mended: by cost. */
#include "team.h"

#define TASKS 64

static int costs[TASKS];
static volatile uint32_t results[TASKS];

static void do_task(int task)
{
	uint32_t state = (uint32_t)task, sums[4] = {0};

	for (int i = 0; i < costs[task]; i++)
		for (int j = 0; j < 4; j++)
			sums[j] ^= (state + (uint32_t)(i * (j + 3))) >> j;
	results[task] = sums[0] + sums[1] + sums[2] + sums[3];
}

static void *work(void *argument)
{
	intptr_t thread = (intptr_t)argument;

#ifdef MENDED
	for (int task = (int)thread; task < TASKS; task += TEAM)
		do_task(task);
#else
	for (int task = 0; task < TASKS / TEAM; task++)
		do_task(task + (int)thread * TASKS / TEAM);
#endif
	return NULL;
}

int main(void)
{
	for (int i = 0; i < TASKS; i++)
		costs[i] = i < TASKS / 2 ? 20000 : 2000;
	run_team(work);
	return 0;
}
