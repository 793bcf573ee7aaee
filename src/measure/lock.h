/* SPDX-License-Identifier: MIT */
/* lock: what a child that runs strangers' code may use, and which system calls it has. */
#ifndef TAKT_MEASURE_LOCK_H
#define TAKT_MEASURE_LOCK_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct takt_limit {
	int resource; /* RLIMIT_… */
	uint64_t most;
};

/* Sets all; true if every one could be set. */
bool takt_limits_set(const struct takt_limit *limits, size_t count);
/* Gives up all capabilities. */
void takt_capabilities_drop(void);
/* Installs the filter for good. */
bool takt_filter_install(struct sock_filter *filter, size_t count);

#endif
