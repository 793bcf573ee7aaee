/* SPDX-License-Identifier: MIT */
/* Runs kernels under a backend, and compares what was counted with what must be counted. */
#ifndef TAKT_VALIDATE_CHECK_H
#define TAKT_VALIDATE_CHECK_H

#include "validate/kernel_elf.h"
#include "validate/sizes.h"
#include "trust/trust.h"

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
	/* Kernel of the second thread, in programs whose threads differ. */
	struct kernel_request reader;
	char path[256];			  /* path of the current program */
	struct takt_partial_file partial; /* that file, to be removed even if memory runs out */
	bool stopped;			  /* the user stopped the validation */
};

/* Events that the oracle observes in a run. */
struct check_how {
	bool lines;  /* distinct and shared lines */
	bool caches; /* modelled caches */
};

struct check_run {
	struct oracle_counts threads[PROGRAM_THREADS_MAX];
	uint32_t thread_count;
};

/* An event, by the offset of its count in struct oracle_counts. */
struct check_event {
	const char *name;
	size_t offset;
	uint32_t origin;
};

extern const struct check_event takt_check_events[];
extern const size_t takt_check_event_count;
uint64_t takt_check_value(const struct oracle_counts *counts, size_t event);

/*
 * Write the program to a file and run it; false if the validation must end. `what` is shown as
 * progress.
 */
bool takt_check_run(struct check *check, const struct program *program, const struct check_how *how,
		    const char *what, struct check_run *ret_run);

/* Add a case: the members of a struct takt_trust_case. */
#define ADD_CASE(check, ...)                                                                       \
	takt_trust_list_case((check)->list, &(const struct takt_trust_case){__VA_ARGS__})

/* The checks. Each returns false if the validation must end. */
bool takt_check_counts(struct check *check, const struct kernel_request *request);
bool takt_check_volumes(struct check *check, const struct kernel_request *request,
			enum kernel_level level);
bool takt_check_sharing(struct check *check);
bool takt_check_order(struct check *check);
bool takt_check_imbalance(struct check *check);
bool takt_check_pmu(struct check *check);
bool takt_check_program(struct check *check);

/*
 * Make a program of two threads, of which one writes to lines and the other reads as many; the
 * numbers of lines that they share are takt_check_rates, CHECK_RATES ascending numbers. `offset` is
 * the distance in bytes from what is written to what is read.
 */
#define CHECK_RATES 9u
extern const uint32_t takt_check_rates[CHECK_RATES];
TAKT_MUST_CHECK enum takt_status takt_check_make_order(struct check *check, uint32_t rate,
						       uint64_t offset, uint64_t repeats,
						       struct program *ret_program);

/* Return the number of those streams whose lines are in caches; all, if there is none. */
uint32_t takt_check_cached(const struct kernel_code *code);
/*
 * Return the lines that an event like "L1_LINES_IN" counts in one repetition over data in `level`.
 */
double takt_check_volume(const struct check *check, const struct kernel_code *code,
			 const struct program *program, const char *event, enum kernel_level level);
/* True for kernels that touch nothing but their streams. */
bool takt_check_has_volumes(const struct check *check, const struct kernel_request *request);

#endif
