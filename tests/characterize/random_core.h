/* SPDX-License-Identifier: MIT */
/* Cores that no one built: ports, what uses them, and latencies at random. */
#ifndef TAKT_TESTS_RANDOM_CORE_H
#define TAKT_TESTS_RANDOM_CORE_H

#include <stdbool.h>
#include <stdint.h>

#define RANDOM_CORE_NAME "RANDOM"

/* Writes the files of core RANDOM into this directory, which holds nothing yet. */
bool random_core_write(const char *directory, uint64_t seed);
/* Removes them, and the directory. */
void random_core_remove(const char *directory);

#endif
