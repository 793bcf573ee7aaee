/* SPDX-License-Identifier: MIT */
/*
 * Counts of each thread when it ends: the kernel reports them for inherited events (inherit_stat),
 * by records in memory shared with it, one for each event and CPU. Where it does not, it at least
 * reports threads that are created.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events/pmu.h"

#define PAGES 16u /* pages of each ring; a power of two */

struct ring {
	struct perf_event_mmap_page *page; /* NULL: none */
	size_t size_bytes;
};

struct pmu_threads {
	const struct pmu_counters *counters;
	struct pmu_born *born; /* NULL: the kernel reports final counts */
	struct pollfd *polls;  /* by place, and one for the end of the run */
	struct ring *rings;    /* rings by place */
	uint64_t *numbers;     /* the kernel's id of each descriptor's event */
	struct thread_row {
		pid_t thread;
		bool reported;		      /* the kernel reported its counts */
		struct pmu_reading *readings; /* readings by event, then by place */
	} * rows;
	uint32_t count, capacity;
	uint64_t lost;
};

/* A record of final counts as the kernel writes it for events with our read_format. */
struct ended {
	struct perf_event_header header;
	uint32_t process, thread;
	uint64_t value, enabled_ns, running_ns, number;
};

struct forked {
	struct perf_event_header header;
	uint32_t process, parent_process, thread, parent_thread;
	uint64_t time;
};

struct lost {
	struct perf_event_header header;
	uint64_t number, count;
};

static bool open_ring(struct pmu_threads *threads, uint32_t place)
{
	const struct pmu_counters *counters = threads->counters;
	long page_bytes = sysconf(_SC_PAGESIZE);
	struct ring *ring = &threads->rings[place];
	void *memory;
	int first = -1;

	ring->size_bytes = (size_t)page_bytes * (PAGES + 1);
	for (uint32_t i = 0; i < counters->event_count; i++) {
		int descriptor = counters->descriptors[i * counters->place_count + place];

		if (descriptor < 0)
			continue;
		if (ioctl(descriptor, PERF_EVENT_IOC_ID,
			  &threads->numbers[i * counters->place_count + place]) < 0)
			return false;
		if (first >= 0) {
			if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, first) < 0)
				return false;
			continue;
		}
		memory = mmap(NULL, ring->size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			      descriptor, 0);
		if (memory == MAP_FAILED)
			return false;
		ring->page = memory;
		first = descriptor;
	}
	return true;
}

struct pmu_threads *takt_pmu_threads_new(const struct pmu_options *options,
					 const struct pmu_counters *counters)
{
	struct pmu_threads *threads = takt_xcalloc(1, sizeof(*threads));

	threads->counters = counters;
	threads->rings = takt_xcalloc(counters->place_count, sizeof(*threads->rings));
	threads->polls = takt_xcalloc(counters->place_count + 1u, sizeof(*threads->polls));
	threads->numbers = takt_xcalloc((size_t)counters->event_count * counters->place_count,
					sizeof(*threads->numbers));
	for (uint32_t i = 0; i < counters->place_count; i++)
		if (!open_ring(threads, i)) {
			takt_pmu_threads_free(threads);
			return NULL;
		}
	for (uint32_t i = 0; i < counters->place_count; i++)
		threads->polls[i] = (struct pollfd){counters->descriptors[i], POLLIN, 0};
	if (!takt_pmu_ends_are_reported())
		threads->born = takt_pmu_born_new(options, counters->user_only);
	return threads;
}

void takt_pmu_threads_free(struct pmu_threads *threads)
{
	if (!threads)
		return;
	for (uint32_t i = 0; i < threads->counters->place_count; i++)
		if (threads->rings[i].page)
			munmap(threads->rings[i].page, threads->rings[i].size_bytes);
	for (uint32_t i = 0; i < threads->count; i++)
		free(threads->rows[i].readings);
	takt_pmu_born_free(threads->born);
	free(threads->rows);
	free(threads->polls);
	free(threads->rings);
	free(threads->numbers);
	free(threads);
}

/* ---- records ---- */

static struct thread_row *row_of(struct pmu_threads *threads, pid_t thread)
{
	const struct pmu_counters *counters = threads->counters;

	for (uint32_t i = threads->count; i-- > 0;)
		if (threads->rows[i].thread == thread)
			return &threads->rows[i];
	TAKT_GROW(threads->rows, threads->count + 1, threads->capacity);
	threads->rows[threads->count] = (struct thread_row){
		.thread = thread,
		.readings = takt_xcalloc((size_t)counters->event_count * counters->place_count,
					 sizeof(struct pmu_reading)),
	};
	return &threads->rows[threads->count++];
}

static void note_end(struct pmu_threads *threads, uint32_t place, const struct ended *ended)
{
	const struct pmu_counters *counters = threads->counters;

	for (uint32_t i = place; i < counters->event_count * counters->place_count;
	     i += counters->place_count) {
		struct thread_row *row;

		if (threads->numbers[i] != ended->number)
			continue;
		row = row_of(threads, (pid_t)ended->thread);
		row->reported = true;
		row->readings[i] =
			(struct pmu_reading){ended->value, ended->enabled_ns, ended->running_ns};
	}
}

static void note_begin(struct pmu_threads *threads, const struct forked *forked)
{
	if (threads->born)
		takt_pmu_born_add(threads->born, (pid_t)forked->thread);
	else
		row_of(threads, (pid_t)forked->thread);
}

/* A record, of which at least the header was copied. */
union record {
	struct perf_event_header header;
	struct ended ended;
	struct forked forked;
	struct lost lost;
};

static void take_record(struct pmu_threads *threads, uint32_t place, const union record *record)
{
	size_t size_bytes = record->header.size;

	if (record->header.type == PERF_RECORD_READ && size_bytes >= sizeof(record->ended))
		note_end(threads, place, &record->ended);
	else if (record->header.type == PERF_RECORD_FORK && size_bytes >= sizeof(record->forked))
		note_begin(threads, &record->forked);
	else if (record->header.type == PERF_RECORD_LOST && size_bytes >= sizeof(record->lost))
		threads->lost += record->lost.count;
}

/* Copy bytes out of the ring, which may wrap around. */
static void copy_out(const struct ring *ring, uint64_t at, void *target, size_t size_bytes)
{
	size_t page_bytes = ring->size_bytes / (PAGES + 1), room = page_bytes * PAGES;
	const uint8_t *data = (const uint8_t *)ring->page + page_bytes;
	size_t offset = (size_t)(at % room);
	size_t before = size_bytes < room - offset ? size_bytes : room - offset;

	memcpy(target, data + offset, before);
	memcpy((uint8_t *)target + before, data, size_bytes - before);
}

static void drain_ring(struct pmu_threads *threads, uint32_t place)
{
	struct ring *ring = &threads->rings[place];
	uint64_t head, tail;

	if (!ring->page)
		return;
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	tail = ring->page->data_tail;
	while (tail < head) {
		union record record = {.header = {0}};

		copy_out(ring, tail, &record.header, sizeof(record.header));
		if (record.header.size < sizeof(record.header))
			break; /* cannot happen */
		copy_out(ring, tail, &record,
			 record.header.size < sizeof(record) ? record.header.size : sizeof(record));
		take_record(threads, place, &record);
		tail += record.header.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

void takt_pmu_threads_drain(struct pmu_threads *threads)
{
	for (uint32_t i = 0; threads && i < threads->counters->place_count; i++)
		drain_ring(threads, i);
}

void takt_pmu_threads_wait(struct pmu_threads *threads, int ending, int milliseconds)
{
	struct pollfd alone = {ending, POLLIN, 0}, *polls = &alone;
	uint32_t count = 0;

	if (threads) {
		polls = threads->polls;
		count = threads->counters->place_count;
		polls[count] = alone;
	}
	poll(polls, count + 1, milliseconds);
	for (uint32_t i = 0; i < count; i++)
		if (polls[i].revents & (POLLHUP | POLLERR))
			polls[i].fd = -1; /* no more records will come */
}

bool takt_pmu_threads_are_late(const struct pmu_threads *threads)
{
	return threads && threads->born;
}

static struct pmu_reading *sums_of(const struct pmu_threads *threads, const struct thread_row *row,
				   struct takt_arena *arena)
{
	const struct pmu_counters *counters = threads->counters;
	struct pmu_reading *sums = TAKT_NEW_ARRAY(arena, counters->event_count, struct pmu_reading);

	for (uint32_t i = 0; i < counters->event_count; i++)
		for (uint32_t k = 0; k < counters->place_count; k++)
			takt_pmu_reading_add(&sums[i],
					     &row->readings[i * counters->place_count + k],
					     counters->by_thread);
	return sums;
}

struct pmu_row *takt_pmu_threads_rows(struct pmu_threads *threads, struct takt_arena *arena,
				      uint32_t *ret_count, uint64_t *ret_lost)
{
	struct pmu_row *rows;

	*ret_count = 0;
	*ret_lost = 0;
	if (!threads)
		return NULL;
	takt_pmu_threads_drain(threads);
	if (threads->born) {
		rows = takt_pmu_born_rows(threads->born, arena, ret_count, ret_lost);
		*ret_lost += threads->lost;
		return rows;
	}
	rows = TAKT_NEW_ARRAY(arena, threads->count, struct pmu_row);
	for (uint32_t i = 0; i < threads->count; i++)
		rows[i] = (struct pmu_row){
			.thread = threads->rows[i].thread,
			.unreported = !threads->rows[i].reported,
			.readings = sums_of(threads, &threads->rows[i], arena),
		};
	*ret_count = threads->count;
	*ret_lost = threads->lost;
	return rows;
}
