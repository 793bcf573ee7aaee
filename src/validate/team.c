/* SPDX-License-Identifier: MIT */
/*
 * The parent of a team: starts its members, waits for them, and finds rounds that were disturbed.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "validate/team.h"

#define TIME_LIMIT_SECONDS 120.0
#define POLL_NANOSECONDS 5000000
#define SLOWER                                                                                     \
	1.03 /* a round this many times slower than the best one's frequency was disturbed         \
	      */

static size_t shared_size(uint32_t members)
{
	return sizeof(struct team_shared) + members * sizeof(struct team_member);
}

static void make_chain(struct kernel_code *code)
{
	struct kernel_request request;
	enum takt_status status = takt_kernel_request("chain", KERNEL_HOST, NULL, &request);

	assert(status == TAKT_OK);
	(void)status;
	takt_kernel_emit(&request, code);
	takt_kernel_emit_return(code);
}

static void end_members(const pid_t *members, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (members[i] > 0) {
			kill(members[i], SIGKILL);
			takt_wait(members[i], NULL);
		}
}

/* Wait for the members; true if all ended by themselves. */
static bool wait_for_members(pid_t *members, uint32_t count)
{
	const struct timespec pause = {0, POLL_NANOSECONDS};
	double waited = 0;
	uint32_t left = count;

	while (left && waited < TIME_LIMIT_SECONDS) {
		for (uint32_t i = 0; i < count; i++) {
			int status;

			if (members[i] <= 0 || waitpid(members[i], &status, WNOHANG) != members[i])
				continue;
			members[i] = 0;
			left--;
			if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
				return false;
		}
		if (left)
			nanosleep(&pause, NULL);
		waited += POLL_NANOSECONDS * 1e-9;
	}
	return left == 0;
}

static bool start_members(const struct team_job *job, struct team_shared *shared, pid_t *members)
{
	struct kernel_code chain = {.size_bytes = 0};

	make_chain(&chain);
	for (uint32_t i = 0; i < job->cpu_count; i++) {
		members[i] = fork();
		if (members[i] == 0)
			takt_team_member_run(job, &chain, shared, i);
		if (members[i] < 0)
			return false;
	}
	return true;
}

/* ---- results ---- */

static void join_rounds(const struct team_job *job, const struct team_shared *shared,
			struct team_result *result)
{
	for (uint32_t i = 0; i < result->round_count; i++) {
		struct team_round *round = &result->rounds[i];
		double start = 0, stop = 0;

		for (uint32_t k = 0; k < job->cpu_count; k++) {
			const struct team_member_round *one = &shared->members[k].rounds[i];

			if (k == 0 || one->start_seconds < start)
				start = one->start_seconds;
			if (k == 0 || one->end_seconds > stop)
				stop = one->end_seconds;
			if (k == 0 || one->hertz < round->hertz)
				round->hertz = one->hertz;
			round->disturbed = round->disturbed || one->switches;
		}
		round->seconds = stop - start;
	}
}

static void find_disturbed(struct team_result *result)
{
	double best = 0;

	for (uint32_t i = 0; i < result->round_count; i++)
		if (result->rounds[i].hertz > best)
			best = result->rounds[i].hertz;
	for (uint32_t i = 0; i < result->round_count; i++)
		if (result->rounds[i].hertz * SLOWER < best)
			result->rounds[i].disturbed = true;
}

static enum takt_status report_failure(const struct team_shared *shared, bool started,
				       struct takt_diag *diag)
{
	static const char *const texts[] = {
		[TEAM_FINE] = "did not come to its end",
		[TEAM_NO_MEMORY] = "got no memory",
		[TEAM_NO_CPU] = "could not be pinned to its processor",
		[TEAM_NO_SANDBOX] = "could not be locked in (seccomp)",
	};

	if (!started)
		takt_error(diag, "cannot start a process: %s", strerror(errno));
	else
		takt_error(diag, "a process that times kernels %s",
			   texts[shared->failed <= TEAM_NO_SANDBOX ? shared->failed : 0]);
	takt_note(diag, "fewer threads, or smaller levels (--levels), may be possible");
	return TAKT_UNAVAILABLE;
}

enum takt_status takt_team_run(const struct team_job *job, struct takt_diag *diag,
			       struct team_result *ret_result)
{
	size_t size_bytes = shared_size(job->cpu_count);
	struct team_shared *shared = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct team_result result = {.round_count = 0};
	enum takt_status status = TAKT_OK;
	pid_t *members;
	bool started, fine;

	assert(job->rounds && job->rounds <= TEAM_ROUNDS_MAX && job->cpu_count);
	if (shared == MAP_FAILED) {
		takt_error(diag, "no memory for a team of processes: %s", strerror(errno));
		return TAKT_UNAVAILABLE;
	}
	members = takt_xcalloc(job->cpu_count, sizeof(*members));
	started = start_members(job, shared, members);
	fine = started && wait_for_members(members, job->cpu_count) && !shared->failed &&
	       shared->round_count && shared->round_count <= TEAM_ROUNDS_MAX;
	if (fine) {
		result.round_count = shared->round_count;
		join_rounds(job, shared, &result);
		find_disturbed(&result);
		result.repeats = shared->repeats;
		result.huge_part = shared->members[0].huge_part;
		*ret_result = result;
	} else {
		status = report_failure(shared, started, diag);
		end_members(members, job->cpu_count);
	}
	free(members);
	munmap(shared, size_bytes);
	return status;
}
