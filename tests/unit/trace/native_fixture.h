/* SPDX-License-Identifier: MIT */
/* A feed that nobody reads, of which this process is the program. */
#ifndef TAKT_TESTS_NATIVE_FIXTURE_H
#define TAKT_TESTS_NATIVE_FIXTURE_H

#include <sys/mman.h>
#include <unistd.h>

#include "../tap.h"
#include "trace/native/native.h"

static inline struct feed_area *new_area(void)
{
	struct feed_area *area = mmap(NULL, sizeof(*area), PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		abort();
	area->takt = getppid();
	area->follows = true;
	area->next_number = 1;
	return area;
}

#endif
