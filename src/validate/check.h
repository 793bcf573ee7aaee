/* SPDX-License-Identifier: MIT */
/* Kernels run under a backend, and what they counted beside what they had to. */
#ifndef TAKT_VALIDATE_CHECK_H
#define TAKT_VALIDATE_CHECK_H

#include "validate/program.h"
#include "validate/sizes.h"
#include "validate/trust.h"

struct check {
	const struct takt_validation_options *options;
	struct trust_list *list;
	struct takt_diag *diag;
	enum kernel_isa isa;
	struct kernel_caches caches;
	bool levels[KERNEL_LEVELS];
	struct kernel_request *requests;
	uint32_t request_count;
	bool small;
	struct kernel_request reader; /* of programs whose threads are not the same */
	char path[256]; /* of the program at hand */
	struct takt_partial_file partial; /* the same, if memory runs out */
	bool stopped;	/* by the user */
};

/* How a run is to be looked at. */
struct check_how {
	bool lines;  /* distinct and shared ones */
	bool caches; /* modelled */
};

struct check_run {
	struct oracle_counts threads[PROGRAM_THREADS_MAX];
	uint32_t thread_count;
};

/* The events, by their place in struct oracle_counts. */
struct check_event {
	const char *name;
	size_t offset;
	uint32_t origin;
};

#define CHECK_EVENT_MAX 64u
extern const struct check_event takt_check_events[];
extern const size_t takt_check_event_count;
uint64_t takt_check_value(const struct oracle_counts *counts, size_t event);

/* Writes the program and runs it; false if all is to end. `what` is for progress. */
bool takt_check_run(struct check *check, const struct program *program, const struct check_how *how,
		    const char *what, struct check_run *ret_run);

/* Each false if all is to end. */
bool takt_check_counts(struct check *check, const struct kernel_request *request);
bool takt_check_volumes(struct check *check, const struct kernel_request *request,
			enum kernel_level level);
bool takt_check_sharing(struct check *check);
bool takt_check_order(struct check *check);
bool takt_check_imbalance(struct check *check);
bool takt_check_pmu(struct check *check);
bool takt_check_program(struct check *check);

/*
 * Two threads, of which one writes to lines and the other reads as many, and share some:
 * CHECK_RATES numbers of lines, each greater than the one before. `offset` of what is read from
 * what is written.
 */
#define CHECK_RATES 9u
extern const uint32_t takt_check_rates[CHECK_RATES];
TAKT_MUST_CHECK enum takt_status takt_check_make_order(struct check *check, uint32_t rate,
						       uint64_t offset, uint64_t repeats,
						       struct program *ret_program);

/* Streams that a kernel reads or writes. */
uint32_t takt_check_touched(const struct kernel_code *code);
/* Of those, the ones whose lines are in caches; all, if there is none. */
uint32_t takt_check_cached(const struct kernel_code *code);
/* Lines of an event like "L1_LINES_IN" in a repetition over data in `level`. */
double takt_check_volume(const struct check *check, const struct kernel_code *code,
			 const struct program *program, const char *event, enum kernel_level level);
/* Of kernels whose streams are all that they touch. */
bool takt_check_has_volumes(const struct check *check, const struct kernel_request *request);

#endif
