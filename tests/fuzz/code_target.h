/* SPDX-License-Identifier: MIT */
/* Shared by the targets that open code and walk its regions. */
#ifndef TAKT_TESTS_CODE_TARGET_H
#define TAKT_TESTS_CODE_TARGET_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/input.h"

/*
 * Takes the first byte off, whose lowest bit says of which instruction set the rest is. The
 * decoder of AArch64 is loaded with the first such input, and stays.
 */
static inline const char *take_isa(const uint8_t **data, size_t *size)
{
	bool aarch64 = *size && **data & 1;

	if (*size) {
		++*data;
		--*size;
	}
	return aarch64 ? "aarch64" : "x86-64";
}

/* Opens what the options say; on success reads every region and its first line. */
static inline void walk_options(struct takt_code_options options)
{
	struct takt_diag *diag = takt_diag_new();
	struct takt_code *code = NULL;
	volatile unsigned sum = 0; /* keeps the reads */

	if (takt_code_open(&options, diag, &code) == TAKT_OK) {
		for (size_t i = 0; i < takt_code_region_count(code); i++) {
			const struct takt_region *region = takt_code_region(code, i);

			for (size_t at = 0; at < region->size_bytes; at++)
				sum = sum + region->bytes[at];
			takt_code_line(code, i, region->address);
		}
		takt_code_close(code);
	} else if (!takt_diag_error_count(diag)) {
		abort(); /* a failure must say why */
	}
	takt_diag_free(diag);
}

/* Of bytes in memory, whose ends ASan watches. */
static inline void open_and_walk(const uint8_t *data, size_t size,
				 const struct takt_code_options *like)
{
	struct takt_code_options options = *like;

	options.path = "fuzz";
	options.data = data;
	options.data_size_bytes = size;
	walk_options(options);
}

/* Of a file, as the command opens it: mapped, and not to be written to. */
static inline void map_and_walk(const uint8_t *data, size_t size,
				const struct takt_code_options *like)
{
	struct takt_code_options options = *like;
	int file = memfd_create("fuzz", 0);
	char path[64];

	if (file < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	options.path = path;
	if (write(file, data, size) == (ssize_t)size)
		walk_options(options);
	close(file);
}

#endif
