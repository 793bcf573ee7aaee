/* SPDX-License-Identifier: MIT */
/*
 * Ceilings, the machine's limits: declarations shared by the code that measures, writes and reads
 * them.
 */
#ifndef TAKT_VALIDATE_CEILING_H
#define TAKT_VALIDATE_CEILING_H

#include "validate/sizes.h"
#include "validate/team.h"

/* A list of ceilings; it owns all that `result` points to. */
struct ceiling_list {
	struct takt_machine_limits result; /* first, since the user has a pointer to it */
	struct takt_arena arena;
	struct takt_machine_limit *items;
	const char **notes;
	uint32_t capacity, note_capacity;
};

struct ceiling_list *takt_ceiling_list_new(void);
/* Append a zeroed ceiling. */
struct takt_machine_limit *takt_ceiling_list_add(struct ceiling_list *list);
/* Append a note, unless the list has it already. */
void takt_ceiling_list_note(struct ceiling_list *list, const char *text);

#define CEILING_THREADS_MAX 16u /* different numbers of threads */

/* What to measure, according to the options. */
struct ceiling_plan {
	const struct takt_machine_limits_options *options;
	struct ceiling_list *list;
	struct takt_diag *diag;
	uint32_t cpus[KERNEL_CPUS_MAX], cpu_count;
	uint32_t threads[CEILING_THREADS_MAX], thread_count;
	struct kernel_caches caches;
	bool levels[KERNEL_LEVELS];
	bool stopped; /* the user stopped the measurement */
};

/* limits_options.c */
TAKT_MUST_CHECK enum takt_status
takt_ceiling_plan_init(const struct takt_machine_limits_options *options, struct ceiling_list *list,
		       struct takt_diag *diag, struct ceiling_plan *ret_plan);
/*
 * Find the variants of element `index` of the list of kernels that run here, widest last. Returns
 * their number; 0 with *ret_end if there is no such element, or 0 with an error in the plan's diag.
 */
#define CEILING_VARIANTS_MAX 32u
uint32_t takt_ceiling_variants(const struct ceiling_plan *plan, size_t index,
			       struct kernel_request variants[CEILING_VARIANTS_MAX], bool *ret_end);

/* Return the ratio of bytes that a loop moves between caches to bytes that it reads and writes. */
double takt_ceiling_traffic(const struct kernel_code *code, bool non_temporal);

/* Return the word for a kind of ceiling. */
const char *takt_ceiling_kind_word(enum takt_limit_kind kind);

#endif
