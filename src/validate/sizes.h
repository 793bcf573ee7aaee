/* SPDX-License-Identifier: MIT */
/* Which data are in which level of the caches, and on which processors threads run. */
#ifndef TAKT_VALIDATE_SIZES_H
#define TAKT_VALIDATE_SIZES_H

#include "validate/kernel.h"

enum kernel_level { KERNEL_L1, KERNEL_L2, KERNEL_L3, KERNEL_MEM, KERNEL_LEVELS };

extern const char *const takt_kernel_level_names[KERNEL_LEVELS];

struct kernel_caches {
	uint64_t bytes[KERNEL_MEM];   /* of each level; 0: there is none */
	uint32_t sharers[KERNEL_MEM]; /* processors that have one together; at least 1 */
	uint64_t memory_bytes;	      /* that may be used; 0: any */
	bool known;
	uint32_t line_bytes;
	int error; /* an errno: the system would not say; then nothing else counts */
};

/* "L1,MEM"; NULL: all. */
TAKT_MUST_CHECK enum takt_status takt_kernel_levels_read(const char *list, struct takt_diag *diag,
							 bool ret_levels[KERNEL_LEVELS]);

/* By what the system says of a processor. */
void takt_kernel_caches_host(uint32_t cpu, struct kernel_caches *ret_caches);
void takt_kernel_caches_model(const struct takt_model *model, struct kernel_caches *ret_caches);

/*
 * Bytes for one of `threads` threads such that all data of all are in `level`, and none in a
 * level before; 0 if there are no such data, with why in *ret_reason.
 */
uint64_t takt_kernel_level_bytes(const struct kernel_caches *caches, enum kernel_level level,
				 uint32_t threads, const char **ret_reason);

/* Processors this process may use: those of different cores first. Returns how
 * many; 0 if the system would not say. */
#define KERNEL_CPUS_MAX 1024u
uint32_t takt_kernel_cpus(uint32_t cpus[KERNEL_CPUS_MAX]);

#endif
