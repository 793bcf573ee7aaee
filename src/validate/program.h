/* SPDX-License-Identifier: MIT */
/* Kernels as programs for Linux, made of nothing else: no library, no start-up but registers. */
#ifndef TAKT_VALIDATE_PROGRAM_H
#define TAKT_VALIDATE_PROGRAM_H

#include "validate/kernel.h"

#define PROGRAM_THREADS_MAX 8u

/* What a thread does: the first one makes all others before. */
struct program_thread {
	uint64_t offset; /* of its streams from the data's begin */
	uint64_t stream_bytes, repeats;
	const struct kernel_request *request; /* NULL: the program's */
};

struct program {
	struct kernel_request request;
	struct program_thread threads[PROGRAM_THREADS_MAX];
	uint32_t thread_count;
	uint64_t pitch_bytes; /* from a stream to the next one */
	uint64_t data_bytes;  /* all of it: zeros, or pointers in the order that they lie in */
};

#define KERNEL_STREAM_BYTES_MAX ((uint64_t)1 << 36)

/* One thread through `stream_bytes` of each stream, rounded to whole trips and lines. */
void takt_kernel_program_make(const struct kernel_request *request, const struct kernel_code *code,
			      uint64_t stream_bytes, uint64_t repeats, struct program *ret_program);
/* An executable file. */
TAKT_MUST_CHECK enum takt_status
takt_kernel_program_write(const struct program *program, const char *path, struct takt_diag *diag);

#endif
