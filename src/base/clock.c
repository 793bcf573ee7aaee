/* SPDX-License-Identifier: MIT */
/* A monotonic clock, for deadlines and progress. */
#include <time.h>

#include "base/base.h"

double takt_now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
