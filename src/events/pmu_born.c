/* SPDX-License-Identifier: MIT */
/*
 * Counters of each thread's own, besides the inherited ones, where the kernel does not report what
 * threads had counted when they ended. They are opened when the kernel reports the thread's
 * creation, so that its first moments are missing, and can be read when it has ended.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "events/pmu.h"

struct pmu_born {
	const struct pmu_options *options;
	bool user_only;
	struct born_thread {
		pid_t thread;
		int *descriptors; /* descriptors by event; NULL: the thread had ended */
	} * threads;
	uint32_t count, capacity;
};

/* ---- test whether they are needed ---- */

/*
 * Fork a child on one CPU that forks a child of its own once it may continue. When both take turns,
 * the kernel may swap their counters, and then reports the first one's end instead of the second
 * one's.
 */
static pid_t fork_pair(int cpu, int go)
{
	pid_t child = fork();
	cpu_set_t set;
	char byte;

	if (child != 0)
		return child;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0 || read(go, &byte, 1) != 1)
		_exit(1);
	child = fork();
	if (child > 0)
		takt_wait(child, NULL);
	_exit(child < 0);
}

/* Let the children continue and end; false if they failed. */
static bool let_end(pid_t child, int go)
{
	int status = -1;

	if (write(go, "", 1) != 1)
		return false;
	return takt_wait(child, &status) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool has_read_record(const struct perf_event_mmap_page *page, size_t page_bytes)
{
	const uint8_t *data = (const uint8_t *)page + page_bytes;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = 0;

	while (at + sizeof(struct perf_event_header) <= head && head <= page_bytes) {
		struct perf_event_header header;

		memcpy(&header, data + at, sizeof(header));
		if (header.type == PERF_RECORD_READ)
			return true;
		if (header.size < sizeof(header))
			break; /* cannot happen */
		at += header.size;
	}
	return false;
}

/*
 * True if the kernel reports the end of a child that waits for `go`; also true, the normal case, if
 * this cannot be tested.
 */
static bool reports_end_of(pid_t child, int cpu, int go)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = 1,
		.inherit_stat = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int descriptor = (int)syscall(SYS_perf_event_open, &attributes, child, cpu, -1,
				      PERF_FLAG_FD_CLOEXEC);
	bool reported = true;
	void *page;

	if (descriptor < 0)
		return reported;
	page = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (page != MAP_FAILED) {
		reported = !let_end(child, go) || has_read_record(page, page_bytes);
		munmap(page, 2 * page_bytes);
	}
	close(descriptor);
	return reported;
}

bool takt_pmu_ends_are_reported(void)
{
	int cpu = sched_getcpu(), go[2];
	bool reported = true;
	pid_t child;

	if (cpu < 0 || pipe2(go, O_CLOEXEC) < 0)
		return reported;
	child = fork_pair(cpu, go[0]);
	if (child > 0) {
		reported = reports_end_of(child, cpu, go[1]);
		if (waitpid(child, NULL, WNOHANG) == 0) { /* it still waits */
			kill(child, SIGKILL);
			takt_wait(child, NULL);
		}
	}
	close(go[0]);
	close(go[1]);
	return reported;
}

/* ---- threads ---- */

struct pmu_born *takt_pmu_born_new(const struct pmu_options *options, bool user_only)
{
	struct pmu_born *born = takt_xcalloc(1, sizeof(*born));

	born->options = options;
	born->user_only = user_only;
	return born;
}

static void close_all(int *descriptors, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		close(descriptors[i]);
	free(descriptors);
}

void takt_pmu_born_free(struct pmu_born *born)
{
	if (!born)
		return;
	for (uint32_t i = 0; i < born->count; i++)
		if (born->threads[i].descriptors)
			close_all(born->threads[i].descriptors, born->options->event_count);
	free(born->threads);
	free(born);
}

/* Open counters of all events for a thread; NULL if one fails. */
static int *open_all(const struct pmu_born *born, pid_t thread)
{
	const struct pmu_place place = {thread, -1};
	uint32_t count = born->options->event_count;
	int *descriptors = takt_xcalloc(count, sizeof(*descriptors));

	for (uint32_t i = 0; i < count; i++) {
		descriptors[i] = takt_pmu_counter_open(&born->options->events[i], &place,
						       PMU_OF_THREAD, born->user_only);
		if (descriptors[i] < 0) {
			close_all(descriptors, i);
			return NULL;
		}
	}
	return descriptors;
}

void takt_pmu_born_add(struct pmu_born *born, pid_t thread)
{
	for (uint32_t i = 0; i < born->count; i++)
		if (born->threads[i].thread == thread)
			return;
	TAKT_GROW(born->threads, born->count + 1, born->capacity);
	born->threads[born->count++] = (struct born_thread){thread, open_all(born, thread)};
}

struct pmu_row *takt_pmu_born_rows(const struct pmu_born *born, struct takt_arena *arena,
				   uint32_t *ret_count, uint64_t *ret_lost)
{
	struct pmu_row *rows = TAKT_NEW_ARRAY(arena, born->count, struct pmu_row);
	uint32_t events = born->options->event_count;

	*ret_count = 0;
	*ret_lost = 0;
	for (uint32_t i = 0; i < born->count; i++) {
		const struct born_thread *thread = &born->threads[i];
		struct pmu_row *row = &rows[*ret_count];

		if (!thread->descriptors) {
			++*ret_lost;
			continue;
		}
		++*ret_count;
		*row = (struct pmu_row){
			.thread = thread->thread,
			.readings = TAKT_NEW_ARRAY(arena, events, struct pmu_reading),
		};
		for (uint32_t k = 0; k < events; k++)
			row->readings[k] = takt_pmu_counter_read(thread->descriptors[k]);
	}
	return rows;
}
