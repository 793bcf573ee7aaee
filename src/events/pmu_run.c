/* SPDX-License-Identifier: MIT */
/* Counts a program, a process or CPUs from start to end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/pmu.h"

/* Interval at which new threads are looked for, and counts of ended ones read. */
#define LOOK_MILLISECONDS 20
#define THREADS_MAX 65536u
#define PATH_SIZE 64

struct run {
	const struct pmu_options *options;
	struct takt_arena *arena;
	struct takt_diag *diag;
	struct pmu_counters counters;
	struct pmu_threads *threads;
	pid_t child; /* 0: none, or it has ended */
	pid_t main_thread;
	int go, failed; /* ends of the pipes to and from the child */
	char *marker_path;
	struct takt_partial_file partial; /* the same, if memory runs out */
	pid_t *pinned; /* threads that were pinned, in the order they were seen */
	uint32_t pinned_count;
	double begin_seconds, reported_seconds;
	struct pmu_reading *reported; /* readings already reported on the timeline */
};

/* ---- the program ---- */

static void be_program(char *const *argv, char *const *variables, int go, int failed)
{
	static const int defaults[] = {SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ};
	char byte;
	int error;

	for (size_t i = 0; i < TAKT_COUNT_OF(defaults); i++)
		signal(defaults[i], SIG_DFL);
	if (read(go, &byte, 1) == 1)
		execvpe(argv[0], argv, variables);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static char **environment(const struct run *run)
{
	const char *settings[] = {"TAKT_MARKER=pmu", NULL, NULL};

	if (!run->marker_path)
		return takt_environment_make(run->options->variables, NULL, 0, run->arena);
	settings[1] = takt_arena_printf(run->arena, "TAKT_MARKER_EVENTS=%s",
					takt_pmu_markers_events(run->options, false, run->arena));
	settings[2] = takt_arena_printf(run->arena, "TAKT_MARKER_FILE=%s", run->marker_path);
	return takt_environment_make(run->options->variables, settings, TAKT_COUNT_OF(settings),
				     run->arena);
}

/* Fork the program, which waits for start_program(). */
static enum takt_status fork_program(struct run *run, char *const *argv)
{
	/* Made before fork(): the child must not allocate memory. */
	char **variables = environment(run);
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) < 0) {
		takt_error(run->diag, "cannot make a pipe: %s", strerror(errno));
		return TAKT_UNAVAILABLE;
	}
	if (pipe2(failed, O_CLOEXEC) < 0) {
		takt_error(run->diag, "cannot make a pipe: %s", strerror(errno));
		close(go[0]);
		close(go[1]);
		return TAKT_UNAVAILABLE;
	}
	run->child = run->main_thread = fork();
	if (run->child == 0) {
		close(go[1]);
		close(failed[0]);
		be_program(argv, variables, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	run->go = go[1];
	run->failed = failed[0];
	if (run->child > 0)
		return TAKT_OK;
	takt_error(run->diag, "cannot make a process: %s", strerror(errno));
	return TAKT_UNAVAILABLE;
}

static enum takt_status start_program(struct run *run, const char *name)
{
	int error = 0;
	bool went = write(run->go, "", 1) == 1;

	close(run->go);
	run->go = -1;
	if (went && takt_read(run->failed, &error, sizeof(error)) != sizeof(error))
		return TAKT_OK; /* the pipe was closed by exec(): the program runs */
	takt_error(run->diag, "cannot run '%s': %s", name, strerror(error ? error : EPIPE));
	return TAKT_NOT_FOUND;
}

/* ---- CPUs and threads to count ---- */

static uint32_t configured_cpus(void)
{
	long count = sysconf(_SC_NPROCESSORS_CONF);

	return count > 0 ? (uint32_t)count : 1;
}

static bool is_online(uint32_t cpu)
{
	char state[8];

	takt_first_line(state, sizeof(state), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return *state != '0';
}

static enum takt_status check_cpus(const struct run *run)
{
	for (uint32_t i = 0; i < run->options->cpu_count; i++) {
		int cpu = run->options->cpus[i];

		if ((uint32_t)cpu < configured_cpus() && is_online((uint32_t)cpu))
			continue;
		takt_error(run->diag, "this machine has no CPU %d", cpu);
		takt_note(run->diag, "/sys/devices/system/cpu/online says which it has");
		return TAKT_NOT_FOUND;
	}
	return TAKT_OK;
}

/* Return one place per CPU: only then does the kernel report the counts of threads. */
static struct pmu_place *places_of_cpus(struct run *run, pid_t task, uint32_t *ret_count)
{
	const struct pmu_options *options = run->options;
	bool chosen = options->per_cpu && options->cpu_count;
	uint32_t count = chosen ? options->cpu_count : configured_cpus();
	struct pmu_place *places = TAKT_NEW_ARRAY(run->arena, count, struct pmu_place);

	*ret_count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (chosen || is_online(i))
			places[(*ret_count)++] =
				(struct pmu_place){task, chosen ? options->cpus[i] : (int)i};
	return places;
}

/* List the threads of a process, at most `most`. */
static uint32_t list_threads(pid_t process, pid_t *threads, uint32_t most)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	uint32_t count = 0;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
	directory = opendir(path);
	if (!directory)
		return 0;
	while (count < most && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			threads[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
	closedir(directory);
	return count;
}

static struct pmu_place *places_of_process(struct run *run, uint32_t *ret_count)
{
	pid_t *threads = TAKT_NEW_ARRAY(run->arena, THREADS_MAX, pid_t);
	uint32_t count = list_threads(run->options->attach, threads, THREADS_MAX);
	struct pmu_place *places = TAKT_NEW_ARRAY(run->arena, count, struct pmu_place);

	for (uint32_t i = 0; i < count; i++)
		places[i] = (struct pmu_place){threads[i], -1};
	*ret_count = count;
	return places;
}

static enum takt_status open_counters(struct run *run)
{
	const struct pmu_options *options = run->options;
	const struct pmu_place anywhere = {run->child, -1};
	const struct pmu_place *places = &anywhere;
	enum pmu_mode mode = PMU_AS_IT_RUNS;
	enum takt_status status;
	uint32_t count = 1;

	if (options->per_cpu)
		places = places_of_cpus(run, -1, &count);
	else if (options->attach)
		places = places_of_process(run, &count);
	else
		mode = takt_pmu_counters_by_thread(options) ? PMU_BY_THREAD : PMU_ON_EXEC;
	if (mode == PMU_BY_THREAD)
		places = places_of_cpus(run, run->child, &count);
	if (count == 0) {
		takt_error(run->diag, "there is no process %d", (int)options->attach);
		return TAKT_NOT_FOUND;
	}
	status = takt_pmu_counters_open(options, places, count, mode, run->diag, &run->counters);
	if (status == TAKT_OK && mode == PMU_BY_THREAD)
		run->threads = takt_pmu_threads_new(options, &run->counters);
	return status;
}

/* ---- while it runs ---- */

static bool is_pinned(const struct pmu_options *options)
{
	return options->cpu_count && !options->per_cpu && !options->attach;
}

static bool was_pinned(const struct run *run, pid_t thread)
{
	for (uint32_t i = run->pinned_count; i-- > 0;)
		if (run->pinned[i] == thread)
			return true;
	return false;
}

/* Pin threads in the order they are seen, which is nearly that of their creation. */
static void pin_threads(struct run *run)
{
	const struct pmu_options *options = run->options;
	pid_t threads[256];
	uint32_t count;

	if (!is_pinned(options))
		return;
	count = list_threads(run->child, threads, TAKT_COUNT_OF(threads));
	for (uint32_t i = 0; i < count && run->pinned_count < THREADS_MAX; i++) {
		cpu_set_t set;

		if (was_pinned(run, threads[i]))
			continue;
		CPU_ZERO(&set);
		CPU_SET((size_t)options->cpus[run->pinned_count % options->cpu_count], &set);
		sched_setaffinity(threads[i], sizeof(set), &set);
		run->pinned[run->pinned_count++] = threads[i];
	}
}

/* Pin the program before it begins, so that it never runs elsewhere. */
static enum takt_status pin_program(struct run *run)
{
	cpu_set_t set;

	if (!is_pinned(run->options))
		return TAKT_OK;
	pin_threads(run);
	if (sched_getaffinity(run->child, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1 &&
	    CPU_ISSET((size_t)run->options->cpus[0], &set))
		return TAKT_OK;
	takt_error(run->diag, "the program cannot be pinned to CPU %d", run->options->cpus[0]);
	takt_note(run->diag, "a cpuset may not have it: 'taskset -p $$' shows what may be used");
	return TAKT_UNAVAILABLE;
}

static void read_sums(const struct run *run, struct pmu_reading *readings)
{
	for (uint32_t i = 0; i < run->options->event_count; i++)
		readings[i] = takt_pmu_counters_sum(&run->counters, i);
}

/* Report to the timeline what was counted since the last report. */
static void report_timeline(struct run *run, double time)
{
	struct pmu_reading readings[PMU_EVENTS_MAX], differences[PMU_EVENTS_MAX];

	read_sums(run, readings);
	for (uint32_t i = 0; i < run->options->event_count; i++)
		differences[i] = (struct pmu_reading){
			readings[i].value - run->reported[i].value,
			readings[i].enabled_ns - run->reported[i].enabled_ns,
			readings[i].running_ns - run->reported[i].running_ns,
		};
	memcpy(run->reported, readings, run->options->event_count * sizeof(readings[0]));
	run->options->timeline(run->options->context, differences,
			       run->reported_seconds - run->begin_seconds,
			       time - run->reported_seconds);
	run->reported_seconds = time;
}

/* True if anything was counted since the last report. */
static bool is_left(const struct run *run)
{
	bool left = false;

	for (uint32_t i = 0; i < run->options->event_count; i++)
		left |= takt_pmu_counters_sum(&run->counters, i).value != run->reported[i].value;
	return left;
}

static void look(struct run *run)
{
	double time = takt_now_seconds();

	takt_pmu_threads_drain(run->threads);
	pin_threads(run);
	if (run->options->interval_seconds > 0 &&
	    time - run->reported_seconds >= run->options->interval_seconds)
		report_timeline(run, time);
}

/* Wait until the child ends; a signal that takt gets is forwarded to it. */
static void wait_program(struct run *run, struct pmu_result *result)
{
	pid_t ended;
	int status = 0, descriptor = (int)syscall(SYS_pidfd_open, run->child, 0);

	while ((ended = waitpid(run->child, &status, WNOHANG)) == 0 ||
	       (ended < 0 && errno == EINTR)) {
		look(run);
		if (run->options->signal && *run->options->signal) {
			kill(run->child, *run->options->signal);
			*run->options->signal = 0;
		}
		takt_pmu_threads_wait(run->threads, descriptor, LOOK_MILLISECONDS);
	}
	if (descriptor >= 0)
		close(descriptor);
	result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	run->child = 0;
}

/*
 * Wait until the attached process ends, even if its parent has not collected its exit status. With
 * `per_cpu`, wait until a signal stops the count.
 */
static void wait_attached(struct run *run)
{
	int descriptor = (int)syscall(SYS_pidfd_open, run->options->attach, 0);
	struct pollfd ending = {descriptor, POLLIN, 0};
	bool per_cpu = run->options->per_cpu;

	while (per_cpu || kill(run->options->attach, 0) == 0 || errno == EPERM) {
		if (run->options->signal && *run->options->signal)
			break;
		look(run);
		if (poll(&ending, 1, LOOK_MILLISECONDS) > 0)
			break;
	}
	if (descriptor >= 0)
		close(descriptor);
}

/* ---- results ---- */

static struct pmu_reading *new_readings(struct run *run)
{
	return TAKT_NEW_ARRAY(run->arena, run->options->event_count, struct pmu_reading);
}

TAKT_ORDER(compare_threads, struct pmu_row, TAKT_UP(thread));

/*
 * Subtract what another thread, which has ended, counted: the rest is the main thread's. Times are
 * meaningless afterwards.
 */
static void subtract(struct pmu_row *main_row, const struct pmu_row *other, uint32_t events)
{
	for (uint32_t i = 0; i < events; i++) {
		struct pmu_reading *rest = &main_row->readings[i];
		uint64_t value = other->readings[i].value;

		rest->value -= value < rest->value ? value : rest->value;
	}
}

static struct pmu_row *find_thread(struct pmu_row *rows, uint32_t count, pid_t thread)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].thread == thread)
			return &rows[i];
	return NULL;
}

/*
 * Find the thread that the rest of the sum belongs to: the main thread, which the kernel does not
 * report; or, if it does because threads have swapped their counters, another thread that it does
 * not report.
 */
static void settle_rest(struct pmu_row *rest, struct pmu_row *rows, uint32_t count,
			pid_t main_thread)
{
	struct pmu_row *main_row = find_thread(rows, count, main_thread);
	struct pmu_reading *readings = rest->readings;

	if (!main_row || main_row->unreported)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].unreported) {
			rest->readings = main_row->readings;
			rows[i].readings = readings;
			rows[i].unreported = false;
			return;
		}
}

/*
 * Append the rows of threads, in the order of the kernel's ids, which is that of creation unless
 * the ids have wrapped around.
 */
static void add_threads(struct run *run, struct pmu_result *result)
{
	uint32_t count, number = 1, events = run->options->event_count;
	struct pmu_row *rows =
		takt_pmu_threads_rows(run->threads, run->arena, &count, &result->lost_rows);
	struct pmu_row *main_row;

	if (!run->threads)
		return;
	result->late_rows = takt_pmu_threads_are_late(run->threads);
	qsort(rows, count, sizeof(*rows), compare_threads);
	result->rows =
		takt_arena_grow(run->arena, result->rows, 1, count + 2, sizeof(result->rows[0]));
	main_row = &result->rows[result->row_count++];
	*main_row = (struct pmu_row){.seconds = NAN, .readings = new_readings(run)};
	memcpy(main_row->readings, result->rows[0].readings, events * sizeof(struct pmu_reading));
	for (uint32_t i = 0; i < count; i++)
		if (!rows[i].unreported)
			subtract(main_row, &rows[i], events);
	settle_rest(main_row, rows, count, run->main_thread);
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].thread == run->main_thread)
			continue;
		if (rows[i].unreported) {
			result->lost_rows++;
			continue;
		}
		rows[i].number = number++;
		rows[i].seconds = NAN;
		result->rows[result->row_count++] = rows[i];
	}
}

static void add_places(struct run *run, struct pmu_result *result)
{
	uint32_t count = run->counters.place_count;

	result->rows =
		takt_arena_grow(run->arena, result->rows, 1, count + 1, sizeof(result->rows[0]));
	for (uint32_t place = 0; place < count; place++) {
		struct pmu_row *row = &result->rows[result->row_count++];

		*row = (struct pmu_row){
			.number = run->options->per_cpu && run->options->cpu_count
					  ? (uint32_t)run->options->cpus[place]
					  : place,
			.seconds = NAN,
			.readings = new_readings(run),
		};
		for (uint32_t i = 0; i < run->options->event_count; i++)
			row->readings[i] = takt_pmu_counters_read(&run->counters, i, place);
	}
}

static enum takt_status add_markers(struct run *run, struct pmu_result *result)
{
	struct takt_file file;
	enum takt_status status;

	if (!run->marker_path || takt_file_open(run->marker_path, NULL, &file) != TAKT_OK)
		return TAKT_OK;
	status = takt_pmu_markers_read(run->marker_path,
				       (struct takt_word){(const char *)file.data, file.size_bytes},
				       run->options->event_count, run->arena, run->diag, result);
	takt_file_close(&file);
	return status;
}

static enum takt_status finish(struct run *run, struct pmu_result *result)
{
	double time = takt_now_seconds();

	if (run->options->interval_seconds > 0 && is_left(run))
		report_timeline(run, time);
	result->seconds = time - run->begin_seconds;
	result->user_only = run->counters.user_only;
	result->robbed = !takt_pmu_counters_are_kept(&run->counters);
	result->rows = TAKT_NEW(run->arena, struct pmu_row);
	result->rows[0] =
		(struct pmu_row){.seconds = result->seconds, .readings = new_readings(run)};
	result->row_count = 1;
	read_sums(run, result->rows[0].readings);
	if (run->options->per_cpu || run->options->attach)
		add_places(run, result);
	else
		add_threads(run, result);
	return add_markers(run, result);
}

static enum takt_status run_all(struct run *run, char *const *argv, struct pmu_result *result)
{
	enum takt_status status = check_cpus(run);

	if (status == TAKT_OK && argv)
		status = fork_program(run, argv);
	if (status == TAKT_OK)
		status = open_counters(run);
	if (status != TAKT_OK)
		return status;
	run->begin_seconds = run->reported_seconds = takt_now_seconds();
	if (argv) {
		status = pin_program(run);
		if (status == TAKT_OK)
			status = start_program(run, argv[0]);
		if (status != TAKT_OK)
			return status;
		wait_program(run, result);
	} else {
		wait_attached(run);
	}
	return finish(run, result);
}

static void make_marker_path(struct run *run)
{
	const char *directory = secure_getenv("TMPDIR");
	char *path = takt_arena_printf(run->arena, "%s/takt-marker-XXXXXX",
				       directory && *directory ? directory : "/tmp");
	int descriptor = mkstemp(path);

	if (descriptor < 0)
		return;
	close(descriptor);
	run->marker_path = path;
	takt_partial_file_begin(&run->partial, path);
}

enum takt_status takt_pmu_run(char *const *argv, const struct pmu_options *options,
			      struct takt_arena *arena, struct takt_diag *diag,
			      struct pmu_result *ret_result)
{
	struct run run = {.options = options, .arena = arena, .diag = diag, .go = -1, .failed = -1};
	enum takt_status status;

	*ret_result = (struct pmu_result){0};
	run.reported = new_readings(&run);
	run.pinned = TAKT_NEW_ARRAY(arena, THREADS_MAX, pid_t);
	if (argv && !options->per_cpu)
		make_marker_path(&run);
	status = run_all(&run, argv, ret_result);
	if (run.go >= 0)
		close(run.go); /* the child, if it still waits, then ends */
	if (run.failed >= 0)
		close(run.failed);
	if (run.child > 0)
		takt_wait(run.child, NULL);
	if (run.marker_path)
		unlink(run.marker_path);
	takt_partial_file_end(&run.partial);
	takt_pmu_threads_free(run.threads);
	takt_pmu_counters_close(&run.counters);
	return status;
}
