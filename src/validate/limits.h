/* SPDX-License-Identifier: MIT */
/*
 * The machine's limits: declarations shared by the code that measures, writes and reads
 * them.
 */
#ifndef TAKT_VALIDATE_LIMITS_H
#define TAKT_VALIDATE_LIMITS_H

#include "validate/ptt.h"
#include "validate/sizes.h"
#include "validate/team.h"

/* A list of limits; it owns all that `result` points to. */
struct limit_list {
	struct takt_machine_limits result; /* first, since the user has a pointer to it */
	struct takt_arena arena;
	struct takt_machine_limit *items;
	const char **notes;
	uint32_t capacity, note_capacity;
};

struct limit_list *takt_limit_list_new(void);
/* Append a zeroed limit. */
struct takt_machine_limit *takt_limit_list_add(struct limit_list *list);
/* Append a note, unless the list has it already. */
void takt_limit_list_note(struct limit_list *list, const char *text);

#define LIMIT_THREADS_MAX 16u /* different numbers of threads */
#define LIMIT_FILES_MAX 64u   /* elements of the list of kernels that may be files */

/* Measurements that the options select. */
struct limit_plan {
	const struct takt_machine_limits_options *options;
	struct limit_list *list;
	struct takt_diag *diag;
	uint32_t cpus[KERNEL_CPUS_MAX], cpu_count;
	uint32_t threads[LIMIT_THREADS_MAX], thread_count;
	struct kernel_caches caches;
	bool levels[KERNEL_LEVELS];
	/* Kernels of files, by the index of their element in the list of kernels. */
	struct kernel_file *files[LIMIT_FILES_MAX];
	bool stopped; /* the user stopped the measurement */
};

/* limits_options.c */
TAKT_MUST_CHECK enum takt_status
takt_limit_plan_init(const struct takt_machine_limits_options *options, struct limit_list *list,
		     struct takt_diag *diag, struct limit_plan *ret_plan);
/*
 * Find the variants of element `index` of the list of kernels that run here, widest last. Returns
 * their number; 0 with *ret_end if there is no such element, or 0 with an error in the plan's diag.
 */
#define LIMIT_VARIANTS_MAX 32u
uint32_t takt_limit_variants(struct limit_plan *plan, size_t index,
			     struct kernel_request variants[LIMIT_VARIANTS_MAX], bool *ret_end);

/* Return the ratio of bytes that a loop moves between caches to bytes that it reads and writes. */
double takt_limit_traffic(const struct kernel_code *code, bool non_temporal);

/* Return the word for a kind of limit. */
const char *takt_limit_kind_word(enum takt_limit_kind kind);

#endif
