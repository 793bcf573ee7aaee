/* SPDX-License-Identifier: MIT */
/*
 * A team: processes, one on each of some processors, that run a kernel at the same time. What
 * they run is machine code of ours; all the same each of them may do nothing but compute and
 * look at the clock.
 */
#ifndef TAKT_VALIDATE_TEAM_H
#define TAKT_VALIDATE_TEAM_H

#include "validate/kernel.h"

#define TEAM_ROUNDS_MAX 128u

enum team_kind { TEAM_STREAMS, TEAM_CHASE, TEAM_BOUNCE };

struct team_job {
	enum team_kind kind;
	const struct kernel_code *code; /* not of BOUNCE, as all below */
	uint64_t stream_bytes;		/* of each stream, a multiple of the code's step */
	uint32_t stream_count;
	bool huge_pages, single;
	uint64_t window_bytes; /* of each stream in a repetition; the next one goes on
				* behind it; 0: all. A chase begins somewhere else. */
	double round_seconds;  /* at least */
	uint32_t rounds;       /* undisturbed, if that can be had in ROUNDS_MAX */
	const uint32_t *cpus;
	uint32_t cpu_count; /* members; BOUNCE: 2 */
};

struct team_round {
	double seconds; /* from the first one's start to the last one's end */
	double hertz;	/* of the slowest processor, by a chain of additions before and after */
	bool disturbed; /* a processor did something else, or was slower than in other rounds */
};

struct team_result {
	struct team_round rounds[TEAM_ROUNDS_MAX];
	uint32_t round_count;
	uint64_t repeats; /* of the kernel in each; of BOUNCE: of a line there and back */
	double huge_part; /* of the memory that did come in huge pages */
};

/* UNAVAILABLE if processes cannot be locked in, pinned, or do not come to an end. */
TAKT_MUST_CHECK enum takt_status takt_team_run(const struct team_job *job, struct takt_diag *diag,
					       struct team_result *ret_result);

/* ---- between team.c and team_member.c ---- */

#define TEAM_MEMBERS_MAX KERNEL_CPUS_MAX

struct team_member_round {
	double start_seconds, end_seconds;
	double hertz;
	uint64_t switches; /* of context, that it did not ask for */
};

struct team_member {
	double huge_part;
	struct team_member_round rounds[TEAM_ROUNDS_MAX];
};

/* In memory that all have. */
struct team_shared {
	uint32_t arrived, failed; /* `failed`: enum team_failure */
	uint32_t round_count;	  /* that were run; nonzero once it is enough */
	uint64_t repeats;
	_Alignas(128) uint64_t line; /* that is bounced */
	_Alignas(128) struct team_member members[];
};

enum team_failure { TEAM_FINE, TEAM_NO_MEMORY, TEAM_NO_CPU, TEAM_NO_SANDBOX };

/* From fork() to the end of a member. `chain`: of additions. */
__attribute__((noreturn)) void takt_team_member_run(const struct team_job *job,
						    const struct kernel_code *chain,
						    struct team_shared *shared, uint32_t index);

/* team_sandbox.c: nothing but clock_gettime, getrusage, sched_yield and the end is left. */
bool takt_team_sandbox_enter(void);

#endif
