/* SPDX-License-Identifier: MIT */
/* pattern: false-sharing */
/* Counters of two threads side by side; mended: each in a line of its own. */
#include "team.h"

#define TURNS 200000

#ifdef MENDED
static struct {
	_Alignas(64) volatile uint64_t value;
} counters[TEAM];
#else
_Alignas(64) static struct {
	volatile uint64_t value;
} counters[TEAM];
#endif

static void *work(void *argument)
{
	intptr_t own = (intptr_t)argument;

	for (int i = 0; i < TURNS; i++)
		if (i % 3 != own)
			counters[own].value++;
	return NULL;
}

int main(void)
{
	run_team(work);
	return counters[0].value + counters[1].value == 0;
}
