/* SPDX-License-Identifier: MIT */
/* The processor's counters of each thread, read at the begin and end of regions. */
#include "marker.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct perf_event_attr events[EVENTS_MAX];
static uint32_t event_count;

/* Read an event "type:config:config1:config2:flags", hexadecimal; flag 1 excludes the kernel. */
static bool read_event(const char *text, char **ret_end, struct perf_event_attr *event)
{
	uint64_t fields[5];

	for (int i = 0; i < 5; i++) {
		fields[i] = strtoull(text, ret_end, 16);
		if (*ret_end == text || (i < 4 && **ret_end != ':'))
			return false;
		text = *ret_end + 1;
	}
	*event = (struct perf_event_attr){
		.type = (uint32_t)fields[0],
		.size = sizeof(*event),
		.config = fields[1],
		.config1 = fields[2],
		.config2 = fields[3],
		.exclude_kernel = fields[4] & 1,
		.exclude_hv = fields[4] & 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	return true;
}

bool takt_marker_counters_configure(const char *text)
{
	char *end;

	event_count = 0;
	while (text && *text) {
		if (event_count == EVENTS_MAX || !read_event(text, &end, &events[event_count]) ||
		    (*end && *end != ','))
			return false;
		event_count++;
		text = *end ? end + 1 : end;
	}
	return true;
}

uint32_t takt_marker_counters_count(void)
{
	return event_count;
}

void takt_marker_counters_open(struct thread *thread)
{
	for (uint32_t i = 0; i < event_count; i++)
		thread->counters[i] = (int)syscall(SYS_perf_event_open, &events[i], 0, -1, -1,
						   PERF_FLAG_FD_CLOEXEC);
	thread->has_counters = true;
}

void takt_marker_counters_close(struct thread *thread)
{
	for (uint32_t i = 0; thread->has_counters && i < event_count; i++)
		if (thread->counters[i] >= 0)
			close(thread->counters[i]);
	thread->has_counters = false;
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void read_all(const struct thread *thread, struct reading *readings)
{
	for (uint32_t i = 0; i < event_count; i++)
		if (thread->counters[i] < 0 ||
		    read(thread->counters[i], &readings[i], sizeof(*readings)) != sizeof(*readings))
			readings[i] = (struct reading){0};
}

void takt_marker_counters_start(struct thread *thread, struct thread_region *region)
{
	if (!region->begun) {
		region->begun = calloc(2 * event_count + 1, sizeof(*region->begun));
		if (!region->begun)
			return;
		region->spent = region->begun + event_count;
	}
	region->begun_ns = now_ns();
	read_all(thread, region->begun);
}

void takt_marker_counters_stop(struct thread *thread, struct thread_region *region)
{
	struct reading ends[EVENTS_MAX];

	if (!region->begun)
		return;
	read_all(thread, ends);
	for (uint32_t i = 0; i < event_count; i++) {
		region->spent[i].value += ends[i].value - region->begun[i].value;
		region->spent[i].enabled += ends[i].enabled - region->begun[i].enabled;
		region->spent[i].running += ends[i].running - region->begun[i].running;
	}
	region->spent_ns += now_ns() - region->begun_ns;
}

/* Write a region's counts; docs/formats/events.md, "Markers", describes the fields. */
void takt_marker_counters_write(FILE *file, const char *name, const struct thread *thread,
				const struct thread_region *region)
{
	fprintf(file, "%" PRIu32 " %" PRIu64 " %" PRIu64, thread->number, region->entries,
		region->spent_ns);
	for (uint32_t i = 0; i < event_count; i++)
		fprintf(file, " %" PRIu64 ":%" PRIu64 ":%" PRIu64,
			region->spent ? region->spent[i].value : 0,
			region->spent ? region->spent[i].enabled : 0,
			region->spent ? region->spent[i].running : 0);
	fprintf(file, " %s\n", name);
}
