/* SPDX-License-Identifier: MIT */
/* Sizes of data that fit one level of the caches, and the processors that threads run on. */
#ifndef TAKT_VALIDATE_SIZES_H
#define TAKT_VALIDATE_SIZES_H

#include "validate/kernel.h"

enum kernel_level { KERNEL_L1, KERNEL_L2, KERNEL_L3, KERNEL_MEM, KERNEL_LEVELS };

extern const char *const takt_kernel_level_names[KERNEL_LEVELS];

struct kernel_caches {
	uint64_t bytes[KERNEL_MEM];   /* size of each level; 0: there is no such level */
	uint32_t sharers[KERNEL_MEM]; /* processors that share one cache; at least 1 */
	uint64_t memory_bytes;	      /* memory that may be used; 0: unlimited */
	bool known;
	uint32_t line_bytes;
	int error; /* errno if the system refused to say; then nothing else is valid */
};

/* Parse a list of levels: "L1,MEM"; NULL: all. */
TAKT_MUST_CHECK enum takt_status takt_kernel_levels_read(const char *list, struct takt_diag *diag,
							 bool ret_levels[KERNEL_LEVELS]);

/* Find the caches of a processor as the system describes them, or those of a model. */
void takt_kernel_caches_host(uint32_t cpu, struct kernel_caches *ret_caches);
void takt_kernel_caches_model(const struct takt_model *model, struct kernel_caches *ret_caches);

/*
 * Return the bytes for each of `threads` threads such that all data of all threads are in `level`,
 * and none in a level before; 0 if there are no such data, with the reason in *ret_reason.
 */
uint64_t takt_kernel_level_bytes(const struct kernel_caches *caches, enum kernel_level level,
				 uint32_t threads, const char **ret_reason);

/*
 * List the processors that this process may use, those of different cores first. Returns their
 * number; 0 if the system would not say.
 */
#define KERNEL_CPUS_MAX 1024u
uint32_t takt_kernel_cpus(uint32_t cpus[KERNEL_CPUS_MAX]);

#endif
