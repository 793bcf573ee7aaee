/* SPDX-License-Identifier: MIT */
/* Opening and reading of counters. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "events/pmu.h"

void takt_pmu_attributes_init(struct perf_event_attr *attributes, const struct pmu_event *event,
			      bool user_only)
{
	bool excludes = !event->is_uncore && (user_only || event->user_only);

	*attributes = (struct perf_event_attr){
		.type = event->type,
		.size = sizeof(*attributes),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.exclude_kernel = excludes,
		.exclude_hv = excludes,
	};
}

int takt_pmu_counter_open(const struct pmu_event *event, const struct pmu_place *place,
			  enum pmu_mode mode, bool user_only)
{
	bool whoever = place->task < 0 || event->is_uncore;
	bool on_exec = (mode == PMU_ON_EXEC || mode == PMU_BY_THREAD) && !whoever;
	bool by_thread = mode == PMU_BY_THREAD && !whoever;
	struct perf_event_attr attributes;

	takt_pmu_attributes_init(&attributes, event, user_only);
	attributes.read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	attributes.disabled = attributes.enable_on_exec = on_exec;
	attributes.inherit = !whoever && mode != PMU_OF_THREAD;
	attributes.inherit_stat = by_thread;
	attributes.task = by_thread; /* reports the creation of threads at once */
	attributes.watermark = by_thread;
	attributes.wakeup_watermark = by_thread;
	/* Pinned counters are never multiplexed. */
	attributes.pinned = by_thread || mode == PMU_OF_THREAD;
	return (int)syscall(SYS_perf_event_open, &attributes, whoever ? -1 : place->task,
			    event->is_uncore ? event->cpu : place->cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* ---- telling threads apart ---- */

static uint32_t kind_of(const struct pmu_event *event)
{
	bool is_clock =
		event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						      event->config == PERF_COUNT_SW_TASK_CLOCK);

	if (event->is_core)
		return PERF_TYPE_HARDWARE;
	return is_clock ? UINT32_MAX - (uint32_t)event->config : event->type;
}

static bool are_of_one_kind(const struct pmu_options *options)
{
	for (uint32_t i = 0; i < options->event_count; i++)
		if (options->events[i].is_uncore ||
		    kind_of(&options->events[i]) != kind_of(&options->events[0]))
			return false;
	return true;
}

/* Try the events on this process: reading a pinned counter that did not fit returns nothing. */
static bool fit_at_once(const struct pmu_options *options, uint32_t times)
{
	const struct pmu_place here = {0, -1};
	int descriptors[2 * PMU_EVENTS_MAX];
	uint32_t count = 0;
	bool fit = true;

	for (; fit && count < times * options->event_count; count++) {
		const struct pmu_event *event = &options->events[count % options->event_count];

		descriptors[count] = takt_pmu_counter_open(event, &here, PMU_BY_THREAD, true);
		fit = descriptors[count] >= 0 &&
		      ioctl(descriptors[count], PERF_EVENT_IOC_ENABLE, 0) == 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint64_t words[4];

		fit &= descriptors[i] >= 0 &&
		       read(descriptors[i], words, sizeof(words)) == sizeof(words);
		if (descriptors[i] >= 0)
			close(descriptors[i]);
	}
	return fit;
}

bool takt_pmu_counters_by_thread(const struct pmu_options *options)
{
	return are_of_one_kind(options) &&
	       fit_at_once(options, takt_pmu_ends_are_reported() ? 1 : 2);
}

/* ---- opening ---- */

static void explain(const struct pmu_event *event, int error, struct takt_diag *diag)
{
	switch (error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		takt_error(diag, "'%s' cannot be counted: this machine has no such counter",
			   event->name);
		takt_note(diag, "virtual machines often have none; '--backend=emulate' counts "
				"instructions, memory accesses, branches and more exactly");
		break;
	case EACCES:
	case EPERM:
		takt_error(diag, "'%s' cannot be counted: the kernel does not permit it",
			   event->name);
		takt_note(diag,
			  "as root: sysctl kernel.perf_event_paranoid=%d; or use "
			  "'--backend=emulate'",
			  event->is_uncore ? 0 : 2);
		break;
	case EMFILE:
		takt_error(diag, "'%s' cannot be counted: too many open files", event->name);
		takt_note(diag, "ask for fewer events, or raise the limit by 'ulimit -n'");
		break;
	default:
		takt_error(diag, "'%s' cannot be counted: %s", event->name, strerror(error));
		takt_note(diag, "events of which the processor counts too few at once can be asked "
				"for one group at a time");
		break;
	}
}

/* Open an event at a place. Uncore events are opened only at the first place, and count for all. */
static enum takt_status open_event(const struct pmu_event *event, const struct pmu_place *place,
				   enum pmu_mode mode, struct takt_diag *diag,
				   struct pmu_counters *counters, int *ret_descriptor)
{
	*ret_descriptor = takt_pmu_counter_open(event, place, mode, counters->user_only);
	if (*ret_descriptor < 0 && (errno == EACCES || errno == EPERM) && !counters->user_only &&
	    !event->is_uncore) {
		*ret_descriptor = takt_pmu_counter_open(event, place, mode, true);
		counters->user_only |= *ret_descriptor >= 0;
	}
	if (*ret_descriptor >= 0 || errno == ESRCH) /* ESRCH: that thread has ended */
		return TAKT_OK;
	explain(event, errno, diag);
	return TAKT_UNAVAILABLE;
}

/* Open all events, place by place, which is the order that the kernel's lists have in children. */
static enum takt_status open_all(const struct pmu_options *options, const struct pmu_place *places,
				 enum pmu_mode mode, struct takt_diag *diag,
				 struct pmu_counters *counters)
{
	for (uint32_t place = 0; place < counters->place_count; place++)
		for (uint32_t i = 0; i < counters->event_count; i++) {
			enum takt_status status;

			if (place && options->events[i].is_uncore)
				continue;
			status = open_event(
				&options->events[i], &places[place], mode, diag, counters,
				&counters->descriptors[i * counters->place_count + place]);
			if (status != TAKT_OK)
				return status;
		}
	return TAKT_OK;
}

enum takt_status takt_pmu_counters_open(const struct pmu_options *options,
					const struct pmu_place *places, uint32_t place_count,
					enum pmu_mode mode, struct takt_diag *diag,
					struct pmu_counters *ret_counters)
{
	struct pmu_counters counters = {
		.event_count = options->event_count,
		.place_count = place_count,
		.by_thread = mode == PMU_BY_THREAD,
		.descriptors =
			takt_xcalloc((size_t)options->event_count * place_count, sizeof(int)),
	};
	enum takt_status status;

	memset(counters.descriptors, 0xff,
	       (size_t)counters.event_count * place_count * sizeof(int));
	status = open_all(options, places, mode, diag, &counters);
	if (status != TAKT_OK)
		takt_pmu_counters_close(&counters);
	*ret_counters = counters;
	return status;
}

void takt_pmu_counters_close(struct pmu_counters *counters)
{
	for (uint32_t i = 0; i < counters->event_count * counters->place_count; i++)
		if (counters->descriptors && counters->descriptors[i] >= 0)
			close(counters->descriptors[i]);
	free(counters->descriptors);
	*counters = (struct pmu_counters){0};
}

void takt_pmu_reading_add(struct pmu_reading *sum, const struct pmu_reading *reading,
			  bool by_thread)
{
	sum->value += reading->value;
	sum->running_ns += reading->running_ns;
	sum->enabled_ns += by_thread ? reading->running_ns : reading->enabled_ns;
}

struct pmu_reading takt_pmu_counter_read(int descriptor)
{
	uint64_t words[4] = {0}; /* value, enabled, running, number */

	if (descriptor < 0 || read(descriptor, words, sizeof(words)) != sizeof(words))
		return (struct pmu_reading){0};
	return (struct pmu_reading){words[0], words[1], words[2]};
}

struct pmu_reading takt_pmu_counters_read(const struct pmu_counters *counters, uint32_t event,
					  uint32_t place)
{
	return takt_pmu_counter_read(counters->descriptors[event * counters->place_count + place]);
}

bool takt_pmu_counters_are_kept(const struct pmu_counters *counters)
{
	uint64_t words[4];

	for (uint32_t i = 0; i < counters->event_count * counters->place_count; i++) {
		int descriptor = counters->descriptors[i];

		if (descriptor >= 0 && read(descriptor, words, sizeof(words)) == 0)
			return false;
	}
	return true;
}

struct pmu_reading takt_pmu_counters_sum(const struct pmu_counters *counters, uint32_t event)
{
	struct pmu_reading sum = {0};

	for (uint32_t i = 0; i < counters->place_count; i++) {
		struct pmu_reading reading = takt_pmu_counters_read(counters, event, i);

		takt_pmu_reading_add(&sum, &reading, counters->by_thread);
	}
	return sum;
}
