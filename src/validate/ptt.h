/* SPDX-License-Identifier: MIT */
/*
 * Kernels in the format of likwid-bench (.ptt files): a header of figures, instructions that run
 * once, and those of a loop. The text becomes one function of assembly, which is called as the
 * kernels of kernel.h are.
 */
#ifndef TAKT_VALIDATE_PTT_H
#define TAKT_VALIDATE_PTT_H

#include "validate/kernel.h"

/* A file that was read, with what it says of each element of its streams. */
struct takt_ptt {
	uint32_t streams;	/* 1 to KERNEL_STREAMS_MAX */
	uint32_t element_bytes; /* 8, or 4 of SINGLE and INT */
	bool single;
	bool non_temporal;     /* it has non-temporal stores */
	uint32_t flops, bytes; /* floating-point operations and bytes of one element */
	uint32_t increment;    /* elements of one trip of the loop */
	struct takt_text assembly;
};

/*
 * Read a file's text. The result is released by takt_ptt_release(); on failure there is nothing to
 * release.
 */
TAKT_MUST_CHECK enum takt_status takt_ptt_read(const void *data, size_t size_bytes,
					       const char *path, struct takt_diag *diag,
					       struct takt_ptt *ret_ptt);
void takt_ptt_release(struct takt_ptt *ptt);

/* A kernel of a file, ready to run. */
struct kernel_file {
	char name[KERNEL_NAME_MAX]; /* the file's name without its folder */
	bool single;
	struct kernel_code code;
};

/* Read and assemble a file. Returns UNAVAILABLE where the kernels of files do not run. */
TAKT_MUST_CHECK enum takt_status takt_kernel_file_open(const char *path, struct takt_diag *diag,
						       struct kernel_file *ret_file);

#endif
