/* SPDX-License-Identifier: MIT */
/* Descriptors of counters, and what they say. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "events/pmu.h"

static int open_one(const struct pmu_event *event, const struct pmu_place *place, bool on_exec,
		    bool user_only)
{
	bool whoever = place->task < 0 || event->is_uncore;
	struct perf_event_attr attributes = {
		.type = event->type,
		.size = sizeof(attributes),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID,
		.disabled = on_exec && !whoever,
		.enable_on_exec = on_exec && !whoever,
		.inherit = !whoever,
		.inherit_stat = !whoever,
		.exclude_kernel = user_only || event->user_only,
		.exclude_hv = user_only || event->user_only,
	};

	if (event->is_uncore)
		attributes.exclude_kernel = attributes.exclude_hv = 0;
	return (int)syscall(SYS_perf_event_open, &attributes, whoever ? -1 : place->task,
			    event->is_uncore ? event->cpu : place->cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

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
		takt_note(diag, "as root: sysctl kernel.perf_event_paranoid=%d; or use "
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

/* Of uncore events the first place is for all. */
static enum takt_status open_event(const struct pmu_options *options,
				   const struct pmu_place *places, uint32_t index, bool on_exec,
				   struct takt_diag *diag, struct pmu_counters *counters)
{
	const struct pmu_event *event = &options->events[index];
	uint32_t count = event->is_uncore ? 1 : counters->place_count;

	for (uint32_t i = 0; i < count; i++) {
		int *descriptor = &counters->descriptors[index * counters->place_count + i];

		*descriptor = open_one(event, &places[i], on_exec, counters->user_only);
		if (*descriptor < 0 && (errno == EACCES || errno == EPERM) &&
		    !counters->user_only && !event->is_uncore) {
			*descriptor = open_one(event, &places[i], on_exec, true);
			counters->user_only |= *descriptor >= 0;
		}
		if (*descriptor < 0 && errno == ESRCH)
			continue; /* that thread has ended */
		if (*descriptor < 0) {
			explain(event, errno, diag);
			return TAKT_UNAVAILABLE;
		}
	}
	return TAKT_OK;
}

enum takt_status takt_pmu_counters_open(const struct pmu_options *options,
					const struct pmu_place *places, uint32_t place_count,
					bool on_exec, struct takt_diag *diag,
					struct pmu_counters *ret_counters)
{
	struct pmu_counters counters = {
		.event_count = options->event_count,
		.place_count = place_count,
		.descriptors = takt_xcalloc((size_t)options->event_count * place_count,
					    sizeof(int)),
	};
	enum takt_status status = TAKT_OK;

	memset(counters.descriptors, 0xff,
	       (size_t)counters.event_count * place_count * sizeof(int));
	for (uint32_t i = 0; status == TAKT_OK && i < counters.event_count; i++)
		status = open_event(options, places, i, on_exec, diag, &counters);
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

struct pmu_reading takt_pmu_counters_read(const struct pmu_counters *counters, uint32_t event,
					  uint32_t place)
{
	int descriptor = counters->descriptors[event * counters->place_count + place];
	uint64_t words[4] = {0}; /* value, enabled, running, number */

	if (descriptor < 0 || read(descriptor, words, sizeof(words)) != sizeof(words))
		return (struct pmu_reading){0};
	return (struct pmu_reading){words[0], words[1], words[2]};
}

struct pmu_reading takt_pmu_counters_sum(const struct pmu_counters *counters, uint32_t event)
{
	struct pmu_reading sum = {0};

	for (uint32_t i = 0; i < counters->place_count; i++) {
		struct pmu_reading reading = takt_pmu_counters_read(counters, event, i);

		sum.value += reading.value;
		sum.enabled_ns += reading.enabled_ns;
		sum.running_ns += reading.running_ns;
	}
	return sum;
}
