/* SPDX-License-Identifier: MIT */
/*
 * Kernels as Linux programs that contain nothing else: no library, and no start-up code but for
 * setting registers.
 */
#ifndef TAKT_VALIDATE_PROGRAM_H
#define TAKT_VALIDATE_PROGRAM_H

#include "validate/kernel.h"

#define PROGRAM_THREADS_MAX 8u

/* The work of a thread. The first thread creates all others before it does its own. */
struct program_thread {
	uint64_t offset; /* offset of its streams from the start of the data */
	uint64_t stream_bytes, repeats;
	const struct kernel_request *request; /* kernel of the thread; NULL: the program's */
};

struct program {
	struct kernel_request request;
	struct program_thread threads[PROGRAM_THREADS_MAX];
	uint32_t thread_count;
	uint64_t pitch_bytes; /* distance from one stream to the next */
	uint64_t data_bytes;  /* size of all data: zeros, or pointers in address order */
};

#define KERNEL_STREAM_BYTES_MAX ((uint64_t)1 << 36)

/*
 * Make a program of one thread that processes `stream_bytes` of each stream, rounded to whole trips
 * and lines.
 */
void takt_kernel_program_make(const struct kernel_request *request, const struct kernel_code *code,
			      uint64_t stream_bytes, uint64_t repeats, struct program *ret_program);
/* Write the program as an executable file. */
TAKT_MUST_CHECK enum takt_status
takt_kernel_program_write(const struct program *program, const char *path, struct takt_diag *diag);

#endif
