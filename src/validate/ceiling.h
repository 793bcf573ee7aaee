/* SPDX-License-Identifier: MIT */
/* Ceilings: what is shared by those who time, write and read them. */
#ifndef TAKT_VALIDATE_CEILING_H
#define TAKT_VALIDATE_CEILING_H

#include "validate/sizes.h"
#include "validate/team.h"

/* Owns all that `result` points to. */
struct ceiling_list {
	struct takt_ceilings result; /* first: what the user has */
	struct takt_arena arena;
	struct takt_ceiling *items;
	const char **notes;
	uint32_t capacity, note_capacity;
};

struct ceiling_list *takt_ceiling_list_new(void);
/* Zeroed, at the end. */
struct takt_ceiling *takt_ceiling_list_add(struct ceiling_list *list);
/* Once, however often it is said. */
void takt_ceiling_list_note(struct ceiling_list *list, const char *text);

#define CEILING_THREADS_MAX 16u /* different numbers of them */

/* What is to be timed, made of the options. */
struct ceiling_plan {
	const struct takt_ceiling_options *options;
	struct ceiling_list *list;
	struct takt_diag *diag;
	uint32_t cpus[KERNEL_CPUS_MAX], cpu_count;
	uint32_t threads[CEILING_THREADS_MAX], thread_count;
	struct kernel_caches caches;
	bool levels[KERNEL_LEVELS];
	bool stopped; /* by the user */
};

/* ceiling_options.c */
TAKT_MUST_CHECK enum takt_status takt_ceiling_plan_init(const struct takt_ceiling_options *options,
							struct ceiling_list *list,
							struct takt_diag *diag,
							struct ceiling_plan *ret_plan);
/*
 * The variants of element `index` of the list of kernels that run here, widest last; returns how
 * many, 0 with *ret_end if there is no such element, or with an error in the plan's diag.
 */
#define CEILING_VARIANTS_MAX 32u
uint32_t takt_ceiling_variants(const struct ceiling_plan *plan, size_t index,
			       struct kernel_request variants[CEILING_VARIANTS_MAX], bool *ret_end);

/* "What the bytes of a loop are, moved between caches" by "bytes read and written". */
double takt_ceiling_traffic(const struct kernel_code *code, bool non_temporal);

/* The words of enum takt_ceiling_kind. */
const char *takt_ceiling_kind_word(enum takt_ceiling_kind kind);

#endif
