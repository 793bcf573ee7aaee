/* SPDX-License-Identifier: MIT */
/* Names of regions, threads, and the regions that each thread has entered. */
#include "marker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "takt/marker.h"

enum { INACTIVE, EMULATED, COUNTERS };

int takt_marker_active;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below */
static struct thread *threads;
static uint32_t thread_count;
static char names[REGIONS_MAX][NAME_SIZE];
static atomic_uint region_count; /* names of regions below this number are complete */
static char *path;
static pid_t owner;
static bool written;

static __thread struct thread *own;
static pthread_key_t ending; /* its destructor closes a thread's counters */

/* ---- begin and end ---- */

static void end_thread(void *thread)
{
	takt_marker_counters_close(thread);
}

static void write_file(void)
{
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	for (uint32_t i = 0; i < region_count; i++)
		for (const struct thread *thread = threads; thread; thread = thread->next)
			if (thread->regions[i].entries)
				takt_marker_counters_write(file, names[i], thread,
							   &thread->regions[i]);
	fclose(file);
}

/* Write the file, once. A child of fork writes nothing, lest it overwrite its parent's file. */
static void finish(void)
{
	pthread_mutex_lock(&mutex);
	if (takt_marker_active == COUNTERS && !written && getpid() == owner)
		write_file();
	written = true;
	pthread_mutex_unlock(&mutex);
}

static void begin(void)
{
	const char *wanted = secure_getenv("TAKT_MARKER");

	owner = getpid();
	if (!wanted || pthread_key_create(&ending, end_thread) != 0)
		return;
	if (strcmp(wanted, "emulate") == 0) {
		takt_marker_active = EMULATED;
	} else if (strcmp(wanted, "pmu") == 0 && secure_getenv("TAKT_MARKER_FILE") &&
		   takt_marker_counters_configure(secure_getenv("TAKT_MARKER_EVENTS"))) {
		path = strdup(secure_getenv("TAKT_MARKER_FILE"));
		takt_marker_active = COUNTERS;
		atexit(finish);
	}
}

void takt_marker_init(void)
{
	pthread_once(&once, begin);
}

/* Programs that do not call takt_marker_init() are counted as well. */
__attribute__((constructor)) static void begin_early(void)
{
	takt_marker_init();
}

void takt_marker_close(void)
{
	finish();
}

/* ---- threads and regions ---- */

static struct thread *own_thread(void)
{
	if (own)
		return own;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	pthread_mutex_lock(&mutex);
	own->number = thread_count++;
	own->next = threads;
	threads = own;
	pthread_mutex_unlock(&mutex);
	if (takt_marker_active == COUNTERS) {
		takt_marker_counters_open(own);
		pthread_setspecific(ending, own);
	}
	return own;
}

static uint32_t find_region(const char *name)
{
	uint32_t count = atomic_load_explicit(&region_count, memory_order_acquire), i = 0;

	while (i < count && strcmp(names[i], name) != 0)
		i++;
	return i < count ? i : REGIONS_MAX;
}

/* Return the number of a region, which is added if it is new; REGIONS_MAX if there is no room. */
static uint32_t add_region(const char *name)
{
	uint32_t region;

	pthread_mutex_lock(&mutex);
	region = find_region(name);
	if (region == REGIONS_MAX && region_count < REGIONS_MAX && *name &&
	    strlen(name) < NAME_SIZE && !strpbrk(name, "\n")) {
		region = region_count;
		strcpy(names[region], name);
		if (takt_marker_active == EMULATED)
			takt_marker_emulated_define(region, name);
		atomic_store_explicit(&region_count, region + 1, memory_order_release);
	}
	pthread_mutex_unlock(&mutex);
	return region;
}

static uint32_t region_of(const char *name)
{
	uint32_t region = find_region(name);

	return region < REGIONS_MAX ? region : add_region(name);
}

void takt_marker_thread_init(void)
{
	if (takt_marker_active)
		own_thread();
}

void takt_marker_register(const char *name)
{
	if (takt_marker_active)
		region_of(name);
}

void takt_marker_start(const char *name)
{
	struct thread *thread = takt_marker_active ? own_thread() : NULL;
	uint32_t region = thread ? region_of(name) : REGIONS_MAX;

	if (region == REGIONS_MAX || thread->regions[region].depth++)
		return;
	thread->regions[region].entries++;
	if (takt_marker_active == EMULATED)
		takt_marker_emulated_start(region);
	else
		takt_marker_counters_start(thread, &thread->regions[region]);
}

void takt_marker_stop(const char *name)
{
	struct thread *thread = takt_marker_active ? own_thread() : NULL;
	uint32_t region = thread ? find_region(name) : REGIONS_MAX;

	if (region == REGIONS_MAX || !thread->regions[region].depth ||
	    --thread->regions[region].depth)
		return;
	if (takt_marker_active == EMULATED)
		takt_marker_emulated_stop(region);
	else
		takt_marker_counters_stop(thread, &thread->regions[region]);
}

void takt_marker_get(const char *name, int *event_count, double *values, double *seconds,
		     int *entries)
{
	const struct thread *thread = takt_marker_active == COUNTERS ? own_thread() : NULL;
	uint32_t region = thread ? find_region(name) : REGIONS_MAX;
	const struct thread_region *found = region < REGIONS_MAX ? &thread->regions[region] : NULL;
	uint32_t room = *event_count > 0 ? (uint32_t)*event_count : 0;
	uint32_t count = found && found->spent ? takt_marker_counters_count() : 0;

	for (uint32_t i = 0; i < room && i < count; i++) {
		const struct reading *spent = &found->spent[i];

		values[i] = spent->running ? (double)spent->value * (double)spent->enabled /
						     (double)spent->running
					   : 0;
	}
	*event_count = (int)(count < room ? count : room);
	*seconds = found ? (double)found->spent_ns * 1e-9 : 0;
	*entries = found ? (int)found->entries : 0;
}
