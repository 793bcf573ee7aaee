/* SPDX-License-Identifier: MIT */
/*
 * A team: processes, one on each of several processors, that run a kernel at the same time. They
 * run machine code that takt generated; even so, a sandbox permits each of them nothing but to
 * compute and to read the clock.
 */
#ifndef TAKT_VALIDATE_TEAM_H
#define TAKT_VALIDATE_TEAM_H

#include "validate/kernel.h"

#define TEAM_ROUNDS_MAX 128u

enum team_kind { TEAM_STREAMS, TEAM_CHASE, TEAM_BOUNCE };

struct team_job {
	enum team_kind kind;
	/* Code to run; unused by TEAM_BOUNCE, as are the stream fields below. */
	const struct kernel_code *code;
	uint64_t stream_bytes; /* size of each stream, a multiple of the code's step */
	uint32_t stream_count;
	bool huge_pages, single;
	/*
	 * Bytes of each stream in a repetition, the next of which continues after them; 0: the
	 * whole stream. A chase begins somewhere else each time.
	 */
	uint64_t window_bytes;
	double round_seconds; /* least duration of a round */
	/* Wanted number of undisturbed rounds, of at most TEAM_ROUNDS_MAX in all. */
	uint32_t rounds;
	const uint32_t *cpus;
	uint32_t cpu_count; /* number of members; TEAM_BOUNCE: 2 */
};

struct team_round {
	double seconds; /* time from the first member's start to the last one's end */
	/*
	 * Frequency of the slowest processor, from a chain of additions before and after the round.
	 */
	double hertz;
	bool disturbed; /* a processor did other work, or was slower than in other rounds */
};

struct team_result {
	struct team_round rounds[TEAM_ROUNDS_MAX];
	uint32_t round_count;
	/* Repetitions of the kernel in each round; of TEAM_BOUNCE: round trips of a line. */
	uint64_t repeats;
	double huge_part; /* share of the memory that is in huge pages */
};

/* Run a team. Returns UNAVAILABLE if its processes cannot be sandboxed or pinned, or do not end. */
TAKT_MUST_CHECK enum takt_status takt_team_run(const struct team_job *job, struct takt_diag *diag,
					       struct team_result *ret_result);

/* ---- between team.c and team_member.c ---- */

struct team_member_round {
	double start_seconds, end_seconds;
	double hertz;
	uint64_t switches; /* involuntary context switches */
};

struct team_member {
	double huge_part;
	struct team_member_round rounds[TEAM_ROUNDS_MAX];
};

/* Memory shared by all members. */
struct team_shared {
	uint32_t arrived, failed; /* members that have arrived; `failed` is an enum team_failure */
	uint32_t round_count; /* number of rounds that were run; nonzero once there are enough */
	uint64_t repeats;
	_Alignas(128) uint64_t line; /* line that is bounced between two members */
	_Alignas(128) struct team_member members[];
};

enum team_failure { TEAM_FINE, TEAM_NO_MEMORY, TEAM_NO_CPU, TEAM_NO_SANDBOX };

/* Do all the work of a member after fork(), then end. `chain` is a chain of additions. */
__attribute__((noreturn)) void takt_team_member_run(const struct team_job *job,
						    const struct kernel_code *chain,
						    struct team_shared *shared, uint32_t index);

/*
 * team_sandbox.c: permit this process no system calls but clock_gettime, getrusage, sched_yield and
 * exit.
 */
bool takt_team_sandbox_enter(void);

#endif
