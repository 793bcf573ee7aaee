/* SPDX-License-Identifier: MIT */
/*
 * Programs counted by events that need no counters of the processor: page faults of memory
 * that is touched, time of threads. Skipped where perf_event_open() is not permitted.
 */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "events/pmu.h"

/* A shell that touches nothing, and one that lets others do it. */
static char *const quick[] = {(char *)(uintptr_t) "true", NULL};
static char *const fails[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			      (char *)(uintptr_t) "true & true & wait; sleep 0.1; exit 7", NULL};
static char *const killed[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			       (char *)(uintptr_t) "kill -9 $$", NULL};
static char *const missing[] = {(char *)(uintptr_t) "/no/such/program", NULL};

struct intervals {
	int count;
	uint64_t sum;
};

static void count_interval(void *context, const struct pmu_reading *readings, double begin_seconds,
			   double seconds)
{
	struct intervals *intervals = context;

	intervals->count += begin_seconds >= 0 && seconds > 0;
	intervals->sum += readings[0].value;
}

static bool permitted(struct pmu_options *options, struct takt_arena *arena)
{
	struct takt_diag *diag = takt_diag_new();
	struct pmu_result result;
	bool fine = takt_pmu_run(quick, options, arena, diag, &result) == TAKT_OK;

	if (!fine)
		tap_note("perf_event_open: %s", takt_diag_text(diag));
	takt_diag_free(diag);
	return fine;
}

static void test_program(struct pmu_options *options, struct takt_arena *arena)
{
	struct intervals *intervals = options->context;
	struct pmu_result result;
	uint64_t sum[2] = {0};

	*intervals = (struct intervals){0};
	if (!ok(takt_pmu_run(fails, options, arena, NULL, &result) == TAKT_OK, "runs"))
		return;
	is_int(result.exit_status, 7, "exit status");
	ok(result.rows[0].readings[0].value > 10, "page faults");
	ok(result.rows[0].readings[1].value > 10, "small page faults");
	ok(result.seconds > 0, "seconds");
	ok(intervals->count > 1 && intervals->sum == result.rows[0].readings[0].value,
	   "the timeline adds up to the whole");
	if (result.row_count == 1) {
		tap_skip("threads", "the kernel offers no memory for them");
		return;
	}
	is_int(result.row_count, 5, "all, the shell, its three children");
	for (uint32_t i = 1; i < result.row_count; i++)
		for (int event = 0; event < 2; event++)
			sum[event] += result.rows[i].readings[event].value;
	ok(sum[0] == result.rows[0].readings[0].value && sum[1] == result.rows[0].readings[1].value,
	   "are all there is");
}

/* Events of several kinds are not told by thread. */
static void test_mixed(struct pmu_options *options, struct takt_arena *arena)
{
	struct pmu_result result;

	if (!ok(takt_pmu_run(fails, options, arena, NULL, &result) == TAKT_OK, "mixed"))
		return;
	is_int(result.row_count, 1, "mixed: the whole");
	ok(result.rows[0].readings[0].value > 10 && result.rows[0].readings[0].value < 100000,
	   "mixed: page faults");
	ok(result.rows[0].readings[2].value > 100000, "mixed: time");
}

static void test_ends(struct pmu_options *options, struct takt_arena *arena)
{
	struct takt_diag *diag = takt_diag_new();
	struct pmu_result result;

	ok(takt_pmu_run(killed, options, arena, NULL, &result) == TAKT_OK && result.signal == 9,
	   "a signal");
	ok(takt_pmu_run(missing, options, arena, diag, &result) == TAKT_NOT_FOUND &&
		   strstr(takt_diag_text(diag), "/no/such/program"),
	   "no such program");
	takt_diag_free(diag);
}

static void test_cpus(struct pmu_options options, struct takt_arena *arena)
{
	struct pmu_result result;

	options.per_cpu = true;
	if (takt_pmu_run(quick, &options, arena, NULL, &result) != TAKT_OK) {
		tap_skip("CPUs", "not permitted");
		return;
	}
	ok(result.row_count >= 2 && isnan(result.rows[1].seconds), "CPUs");
}

/* A process that ends while it is counted, and whose end its parent does not ask for. */
static void test_attached(struct pmu_options options, struct takt_arena *arena)
{
	struct pmu_result result;
	pid_t child = fork();

	if (child == 0) {
		usleep(50000);
		_exit(0);
	}
	options.attach = child;
	ok(child > 0 && takt_pmu_run(NULL, &options, arena, NULL, &result) == TAKT_OK &&
		   result.row_count == 2,
	   "attached until it ends");
	waitpid(child, NULL, 0);
	ok(takt_pmu_run(NULL, &options, arena, NULL, &result) == TAKT_NOT_FOUND, "no such process");
}

static void test_pinned(struct pmu_options options, struct takt_arena *arena)
{
	static char *const asks[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
				     (char *)(uintptr_t) "exit $(nproc)", NULL};
	int cpu = sched_getcpu(), none = 100000;
	struct pmu_result result;

	options.cpus = &cpu;
	options.cpu_count = 1;
	ok(takt_pmu_run(asks, &options, arena, NULL, &result) == TAKT_OK && result.exit_status == 1,
	   "pinned before it begins");
	options.cpus = &none;
	ok(takt_pmu_run(asks, &options, arena, NULL, &result) == TAKT_NOT_FOUND, "no such CPU");
}

/* Threads with counters of their own, as on kernels that do not tell of their ends. */
static void test_born(const struct pmu_options *options, struct takt_arena *arena)
{
	struct pmu_born *born = takt_pmu_born_new(options, true);
	struct pmu_row *rows;
	uint32_t count;
	uint64_t lost;
	int go[2];
	pid_t child;
	char byte;

	if (!ok(pipe(go) == 0, "a pipe"))
		return;
	child = fork();
	if (child == 0) {
		volatile char *memory;

		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		memory = malloc(1 << 20);
		for (int i = 0; memory && i < 1 << 20; i += 4096)
			memory[i] = 1;
		_exit(0);
	}
	takt_pmu_born_add(born, child);
	takt_pmu_born_add(born, child);
	ok(write(go[1], "", 1) == 1 && waitpid(child, NULL, 0) == child, "a child");
	rows = takt_pmu_born_rows(born, arena, &count, &lost);
	ok(count == 1 && lost == 0 && rows[0].thread == child && rows[0].readings[0].value > 0,
	   "what it did can be read when it has ended");
	takt_pmu_born_free(born);
	born = takt_pmu_born_new(options, true);
	takt_pmu_born_add(born, child);
	takt_pmu_born_rows(born, arena, &count, &lost);
	ok(count == 0 && lost == 1, "one that had ended is missing");
	takt_pmu_born_free(born);
	close(go[0]);
	close(go[1]);
}

int main(void)
{
	struct intervals intervals = {0};
	struct takt_arena arena = {0};
	struct pmu_event events[3];
	struct pmu_options options = {
		.events = events,
		.event_count = 2,
		.interval_seconds = 0.001,
		.timeline = count_interval,
		.context = &intervals,
	};

	if (!ok(takt_pmu_event_find("page-faults", &arena, NULL, &events[0]) == TAKT_OK &&
			takt_pmu_event_find("minor-faults", &arena, NULL, &events[1]) == TAKT_OK &&
			takt_pmu_event_find("task-clock", &arena, NULL, &events[2]) == TAKT_OK,
		"events"))
		return tap_done();
	if (!permitted(&options, &arena)) {
		tap_skip("programs", "perf_event_open is not permitted");
	} else {
		test_program(&options, &arena);
		options.event_count = 3;
		test_mixed(&options, &arena);
		test_ends(&options, &arena);
		test_cpus(options, &arena);
		options.event_count = 2;
		test_attached(options, &arena);
		test_pinned(options, &arena);
		test_born(&options, &arena);
	}
	takt_arena_release(&arena);
	return tap_done();
}
