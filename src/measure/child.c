/* SPDX-License-Identifier: MIT */
/* Starts, commands and ends the child; see child.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/host.h"

#define BASE_LOWEST 0x200000000000u /* out of the way of programs, libraries, shadow memory */
#define BASE_HIGHEST 0x500000000000u
/* Predictors hash low address bits; the same ones each time make results repeatable. */
#define BASE_ALIGNMENT ((uint64_t)1 << 24)
/* End of a process's address space, if /proc does not give it. */
#if defined(__aarch64__)
#define USER_END ((uint64_t)1 << 48)
#else
#define USER_END ((uint64_t)0x7ffffffff000u)
#endif
/* Least distance of RESULTS from the code: operands relative to the code cannot reach it. */
#define RESULTS_DISTANCE ((uint64_t)1 << 33)
#define START_TRIES 8
#define START_SECONDS 10.0
#define WAIT_SLICE_NANOSECONDS 5000000 /* time until the death of the child is noticed */

_Static_assert(sizeof(struct takt_child_control) <= TAKT_CHILD_CONTROL_BYTES, "it has its place");
_Static_assert(sizeof(struct takt_child_results) <= TAKT_CHILD_RESULTS_BYTES, "it has its place");

static int compare_ranges(const void *left, const void *right)
{
	const struct takt_child_range *a = left, *b = right;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* ---- starting ------------------------------------------------------------- */

static void find_system_ranges(struct takt_child *child)
{
	FILE *file = fopen("/proc/self/maps", "re");
	struct takt_child_range range;
	char line[512];
	uint64_t end = USER_END;
	bool whole;

	child->system_count = 0;
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &range.begin, &range.end) != 2 ||
		    range.end >> 63) /* [vsyscall] */
			continue;
		end = range.end;
		if (strstr(line, "[v") && child->system_count < TAKT_CHILD_SYSTEM_RANGES)
			child->system[child->system_count++] = range;
	}
	whole = file && feof(file);
	if (file)
		fclose(file);
	/* The end of a list read in part would be too low and leave memory mapped: without a whole
	 * list, everything is unmapped. */
	child->user_end = whole ? end : USER_END;
	if (!whole)
		child->system_count = 0;
}

/* List for the runner what to unmap: everything but the layout and the kernel's mappings. */
static void list_unmaps(struct takt_child *child)
{
	struct takt_child_results *results = child->results;
	struct takt_child_range keep[TAKT_CHILD_SYSTEM_RANGES + 3];
	size_t count = child->system_count;
	uint64_t begin = 0;

	memcpy(keep, child->system, count * sizeof(*keep));
	keep[count++] = (struct takt_child_range){child->base, child->base + TAKT_CHILD_BYTES};
	if (TAKT_CHILD_RESULTS_HIDDEN)
		keep[count++] = (struct takt_child_range){
			child->results_base, child->results_base + TAKT_CHILD_RESULTS_BYTES};
	keep[count++] = (struct takt_child_range){child->user_end, child->user_end};
	qsort(keep, count, sizeof(*keep), compare_ranges);
	results->page_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (keep[i].begin > begin) {
			uint64_t *pair = results->pages + 2 * (size_t)results->page_count++;

			pair[0] = begin;
			pair[1] = keep[i].begin;
		}
		begin = keep[i].end;
	}
}

static uint64_t random_address(uint64_t alignment)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		number = (uint64_t)(uintptr_t)&number; /* the stack's address is random, too */
	number = takt_hash64(number) % (BASE_HIGHEST - BASE_LOWEST);
	return (BASE_LOWEST + number) & ~(alignment - 1);
}

static void choose_addresses(struct takt_child *child)
{
	uint64_t distance;

	child->base = random_address(BASE_ALIGNMENT);
	child->results_base = child->base + TAKT_CHILD_RESULTS;
	if (!TAKT_CHILD_RESULTS_HIDDEN)
		return;
	do {
		child->results_base = random_address(TAKT_PAGE_BYTES);
		distance = child->results_base > child->base ? child->results_base - child->base
							     : child->base - child->results_base;
	} while (distance < RESULTS_DISTANCE);
}

/* Clear all memory that the previous child could write, so that nothing is left of its block. */
static void clear_memory(struct takt_child *child)
{
	memset(child->view + TAKT_CHILD_RESULTS, 0, TAKT_CHILD_RESULTS_BYTES);
	memset(child->view + TAKT_CHILD_STACK, 0, TAKT_CHILD_STACK_BYTES);
	memset(child->view + TAKT_CHILD_PAGES, 0, (size_t)TAKT_CHILD_PAGE_COUNT * TAKT_PAGE_BYTES);
}

/* Attach the counters and let the process go on. It waits for this before it locks itself in,
 * after which no other process may inspect it. */
static void open_counters(struct takt_child *child)
{
	child->is_counted = child->counters->open(child->counters->context, child->pid);
	__atomic_store_n(&child->control->hold, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, &child->control->hold, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void start(struct takt_child *child)
{
	pid_t parent = getpid();

	choose_addresses(child);
	clear_memory(child);
	child->commands = 0;
	child->exit_code = child->killed_by = 0;
	child->control->command = 0;
	child->results->self = child->results_base;
	list_unmaps(child);
	child->control->hold = child->counters != NULL;
	child->pid = fork();
	if (child->pid == 0)
		takt_child_enter(child, parent);
	if (child->pid < 0)
		child->pid = 0;
	else if (child->counters)
		open_counters(child);
}

void takt_child_kill(struct takt_child *child)
{
	if (child->pid == 0)
		return;
	kill(child->pid, SIGKILL);
	takt_wait(child->pid, NULL);
	child->pid = 0;
}

/* ---- commanding ------------------------------------------------------------ */

static void wait_while(uint32_t *word, uint32_t value)
{
	static const struct timespec slice = {0, WAIT_SLICE_NANOSECONDS};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &slice, NULL, 0);
}

/* True if the process has ended; `child` then says how. */
static bool has_died(struct takt_child *child)
{
	int status = 0;
	pid_t pid = waitpid(child->pid, &status, WNOHANG);

	if (pid == 0 || (pid < 0 && errno == EINTR))
		return false;
	child->pid = 0;
	child->killed_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	child->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	return true;
}

static enum takt_child_end wait_for(struct takt_child *child, double time_limit_seconds)
{
	struct takt_child_results *results = child->results;
	double deadline = takt_now_seconds() + time_limit_seconds;
	uint32_t reply;

	for (;;) {
		reply = __atomic_load_n(&results->reply, __ATOMIC_ACQUIRE);
		if (reply == child->commands)
			break;
		wait_while(&results->reply, reply);
		if (__atomic_load_n(&results->reply, __ATOMIC_ACQUIRE) == child->commands)
			break;
		if (has_died(child))
			return TAKT_CHILD_KILLED;
		if (takt_now_seconds() > deadline)
			return TAKT_CHILD_LATE;
	}
	switch (__atomic_load_n(&results->end, __ATOMIC_ACQUIRE)) {
	case TAKT_CHILD_DONE:
		return TAKT_CHILD_DONE;
	case TAKT_CHILD_SIGNAL:
		return TAKT_CHILD_SIGNAL;
	default: /* the block has overwritten it */
		return TAKT_CHILD_KILLED;
	}
}

static enum takt_child_end command(struct takt_child *child, double time_limit_seconds)
{
	struct takt_child_control *control = child->control;
	enum takt_child_end end;

	if (child->pid == 0)
		start(child);
	if (child->pid == 0)
		return TAKT_CHILD_KILLED;
	child->commands++;
	child->results->end = TAKT_CHILD_RUNNING;
	__atomic_store_n(&control->command, child->commands, __ATOMIC_RELEASE);
	syscall(SYS_futex, &control->command, FUTEX_WAKE, 1, NULL, NULL, 0);
	end = wait_for(child, time_limit_seconds);
	if (end != TAKT_CHILD_DONE)
		takt_child_kill(child);
	return end;
}

enum takt_child_end takt_child_command(struct takt_child *child, double time_limit_seconds)
{
	enum takt_child_end end = command(child, time_limit_seconds);

	/* Try again if the random addresses of a new child were taken. */
	for (int i = 0; i < START_TRIES && end == TAKT_CHILD_KILLED &&
			child->exit_code == TAKT_CHILD_EXIT_TAKEN;
	     i++)
		end = command(child, time_limit_seconds);
	return end;
}

/* ---- opening --------------------------------------------------------------- */

int takt_descriptor_raise(int descriptor)
{
	int raised;

	if (descriptor < 0 || descriptor > STDERR_FILENO)
		return descriptor;
	raised = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(descriptor);
	return raised;
}

static bool make_memory(struct takt_child *child)
{
	void *view;

	child->memfd = takt_descriptor_raise(
		memfd_create("takt-measure", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	if (child->memfd < 0)
		return false;
	if (ftruncate(child->memfd, TAKT_CHILD_MEMFD_BYTES) != 0 ||
	    fcntl(child->memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		return false;
	view = mmap(NULL, TAKT_CHILD_MEMFD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, child->memfd,
		    0);
	if (view == MAP_FAILED)
		return false;
	child->view = view;
	child->control = (struct takt_child_control *)(void *)(child->view + TAKT_CHILD_CONTROL);
	child->results = (struct takt_child_results *)(void *)(child->view + TAKT_CHILD_RESULTS);
	return true;
}

/* Give a first, empty command, to find out whether the system allows the sandbox. */
static bool try_to_start(struct takt_child *child)
{
	child->control->run_count = child->control->repeat = 0;
	return takt_child_command(child, START_SECONDS) == TAKT_CHILD_DONE;
}

enum takt_status takt_child_open(const struct takt_child_options *options, struct takt_diag *diag,
				 struct takt_child *ret_child)
{
	struct takt_child child = {.options = *options, .memfd = -1, .namespaces = {-1, -1, -1}};
	struct takt_runner runner;

	takt_host_runner(&runner);
	if (runner.size_bytes == 0) {
		takt_error(diag, "blocks cannot be measured on this processor");
		takt_note(diag, "it works on x86-64 and AArch64; predictions work everywhere");
		return TAKT_UNAVAILABLE;
	}
	if (!make_memory(&child)) {
		takt_error(diag, "no memory for the measuring process: %s", strerror(errno));
		takt_child_close(&child);
		return TAKT_UNAVAILABLE;
	}
	takt_namespaces_open(child.namespaces);
	find_system_ranges(&child);
	assert(runner.size_bytes <= TAKT_CHILD_RUNNER_BYTES);
	memcpy(child.view, runner.bytes, runner.size_bytes);
	if (!try_to_start(&child)) {
		takt_error(diag, "the sandbox to measure in cannot be set up (%s %d)",
			   child.killed_by ? "killed by signal" : "exit code",
			   child.killed_by ? child.killed_by : child.exit_code);
		takt_note(diag, "it needs seccomp, close_range and memfd_create; containers may "
				"forbid them");
		takt_child_close(&child);
		return TAKT_UNAVAILABLE;
	}
	*ret_child = child;
	return TAKT_OK;
}

void takt_child_close(struct takt_child *child)
{
	takt_child_kill(child);
	if (child->view)
		munmap(child->view, TAKT_CHILD_MEMFD_BYTES);
	if (child->memfd >= 0)
		close(child->memfd);
	takt_namespaces_close(child->namespaces);
	*child = (struct takt_child){.memfd = -1, .namespaces = {-1, -1, -1}};
}
