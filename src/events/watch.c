/* SPDX-License-Identifier: MIT */
/*
 * Counts a few events of one process from outside, for experiments, which a process started by takt
 * runs over and over. Counters are pinned, so they count always or not at all.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "events/events.h"
#include "events/pmu.h"

struct events_watch {
	struct takt_arena arena;
	struct pmu_event *events;
	int *descriptors; /* -1: not open */
	uint32_t count;
};

static int open_counter(const struct pmu_event *event, pid_t process)
{
	struct perf_event_attr attributes;

	takt_pmu_attributes_init(&attributes, event, true);
	attributes.disabled = attributes.pinned = 1;
	return (int)syscall(SYS_perf_event_open, &attributes, process, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static void close_all(struct events_watch *watch)
{
	for (uint32_t i = 0; i < watch->count; i++) {
		if (watch->descriptors[i] >= 0)
			close(watch->descriptors[i]);
		watch->descriptors[i] = -1;
	}
}

bool takt_events_watch_open(struct events_watch *watch, int process)
{
	close_all(watch);
	for (uint32_t i = 0; i < watch->count; i++) {
		watch->descriptors[i] = open_counter(&watch->events[i], process);
		if (watch->descriptors[i] < 0)
			return false;
	}
	return true;
}

bool takt_events_watch_select(struct events_watch *watch, uint32_t first, uint32_t count)
{
	bool fine = true;

	for (uint32_t i = 0; i < watch->count; i++)
		if (i < first || i >= first + count)
			fine &= ioctl(watch->descriptors[i], PERF_EVENT_IOC_DISABLE, 0) == 0;
	for (uint32_t i = first; fine && i < first + count && i < watch->count; i++)
		fine = ioctl(watch->descriptors[i], PERF_EVENT_IOC_ENABLE, 0) == 0;
	return fine;
}

/* A pinned event that got no counter has nothing to read. */
bool takt_events_watch_read(struct events_watch *watch, uint32_t first, uint32_t count,
			    double *ret_values)
{
	for (uint32_t i = first; i < first + count; i++) {
		uint64_t value;

		if (read(watch->descriptors[i], &value, sizeof(value)) != sizeof(value))
			return false;
		ret_values[i] = (double)value;
	}
	return true;
}

/* Try the events on this process. */
static enum takt_status try_all(struct events_watch *watch, struct takt_diag *diag)
{
	for (uint32_t i = 0; i < watch->count; i++) {
		int descriptor = open_counter(&watch->events[i], 0);

		if (descriptor >= 0) {
			close(descriptor);
			continue;
		}
		takt_error(diag, "'%s' cannot be counted: %s", watch->events[i].name,
			   strerror(errno));
		return TAKT_UNAVAILABLE;
	}
	return TAKT_OK;
}

enum takt_status takt_events_watch_new(const struct events_event *const *events, uint32_t count,
				       struct takt_diag *diag, struct events_watch **ret_watch)
{
	struct events_watch *watch = takt_xcalloc(1, sizeof(*watch));
	enum takt_status status = TAKT_OK;

	watch->events = TAKT_NEW_ARRAY(&watch->arena, count, struct pmu_event);
	watch->descriptors = TAKT_NEW_ARRAY(&watch->arena, count, int);
	watch->count = count;
	memset(watch->descriptors, 0xff, count * sizeof(int));
	for (uint32_t i = 0; status == TAKT_OK && i < count; i++) {
		status = takt_pmu_event_find(events[i]->encoding, &watch->arena, diag,
					     &watch->events[i]);
		watch->events[i].name = events[i]->name;
	}
	if (status == TAKT_OK)
		status = try_all(watch, diag);
	if (status == TAKT_OK)
		*ret_watch = watch;
	else
		takt_events_watch_free(watch);
	return status;
}

void takt_events_watch_free(struct events_watch *watch)
{
	if (!watch)
		return;
	close_all(watch);
	takt_arena_release(&watch->arena);
	free(watch);
}
