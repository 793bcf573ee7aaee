/* SPDX-License-Identifier: MIT */
/* Names of events → arguments of perf_event_open(). */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/pmu.h"

#define SYSFS "/sys/bus/event_source/devices"
#define LINE_SIZE 256
#define NAME_SIZE_MAX 200u
#define PFM_MODULE "takt-pfm"
#define PFM_VARIABLES "LIBPFM_"
#define PFM_REFUSED                                                                                \
	"it is not asked, because takt runs with privileges and a variable " PFM_VARIABLES         \
	"… is set"

/* Events that the kernel has on every machine, or maps to the processor's by itself. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} generic[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

static bool find_generic(const char *name, struct pmu_event *event)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(generic); i++) {
		if (takt_compare_nocase(name, generic[i].name, SIZE_MAX) != 0)
			continue;
		event->type = generic[i].type;
		event->config = generic[i].config;
		event->is_core = event->type == PERF_TYPE_HARDWARE;
		return true;
	}
	return false;
}

/* Parse a raw event, "r51bb", with the processor's own code. */
static bool find_raw(const char *name, struct pmu_event *event)
{
	char *end;

	if (name[0] != 'r' || name[1] == '\0' ||
	    strspn(name + 1, "0123456789abcdefABCDEF") != strlen(name + 1))
		return false;
	errno = 0;
	event->type = PERF_TYPE_RAW;
	event->is_core = true;
	event->config = strtoull(name + 1, &end, 16);
	return errno == 0;
}

bool takt_pmu_is_core(const char *name)
{
	return strcmp(name, "cpu") == 0 || takt_string_starts(name, "cpu_") ||
	       takt_string_starts(name, "armv");
}

/* ---- PMU/TERM=VALUE,…/ as the kernel describes it ---- */

/* Put `value` into the bits that a format such as "config:0-7,32-35" names. */
static bool place_value(const char *format, uint64_t value, struct pmu_event *event)
{
	static const char *const names[] = {"config:", "config1:", "config2:"};
	uint64_t *const words[] = {&event->config, &event->config1, &event->config2};

	for (int i = 0; i < 3; i++) {
		size_t size = strlen(names[i]);

		if (strncmp(format, names[i], size) != 0)
			continue;
		for (const char *next = format + size - 1; *next == ':' || *next == ',';) {
			char *end;
			unsigned long low = strtoul(next + 1, &end, 10), high = low;

			if (*end == '-')
				high = strtoul(end + 1, &end, 10);
			if (high > 63 || low > high)
				return false;
			for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
				*words[i] |= (value & 1) << bit;
			next = end;
		}
		return value == 0;
	}
	return false;
}

static bool add_term(const char *device, const char *term, size_t size, struct pmu_event *event)
{
	const char *equals = memchr(term, '=', size);
	size_t name_size = equals ? (size_t)(equals - term) : size;
	char format[LINE_SIZE], *end;
	uint64_t value = 1;

	if (equals) {
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
		if (errno || end != term + size)
			return false;
	}
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"config", "config1", "config2"};
		uint64_t *const words[] = {&event->config, &event->config1, &event->config2};

		if (takt_string_is(names[i], term, name_size)) {
			*words[i] |= value;
			return true;
		}
	}
	if (memchr(term, '/', name_size) || memchr(term, '.', name_size))
		return false;
	return takt_first_line(format, sizeof(format), SYSFS "/%s/format/%.*s", device,
			       (int)name_size, term) == 0 &&
	       place_value(format, value, event);
}

static bool add_terms(const char *device, const char *terms, size_t size, struct pmu_event *event)
{
	while (size) {
		const char *comma = memchr(terms, ',', size);
		size_t own = comma ? (size_t)(comma - terms) : size;

		if (!own || !add_term(device, terms, own, event))
			return false;
		terms += own + (comma != NULL);
		size -= own + (comma != NULL);
	}
	return true;
}

/* Add the terms of a name that the kernel defines in events/NAME of the PMU. */
static bool add_named(const char *device, const char *name, size_t size, struct pmu_event *event)
{
	char terms[LINE_SIZE];

	if (memchr(name, '/', size) || memchr(name, '.', size) || memchr(name, '=', size))
		return false;
	return takt_first_line(terms, sizeof(terms), SYSFS "/%s/events/%.*s", device, (int)size,
			       name) == 0 &&
	       add_terms(device, terms, strlen(terms), event);
}

/*
 * True if an Arm processor has the event. The kernel lists the architecture's common events that
 * the processor has; others would count nothing. Nothing is known about vendor-specific events.
 */
static bool is_implemented(const char *device, const struct pmu_event *event)
{
	uint64_t number = event->config & 0xffff;
	char path[LINE_SIZE], terms[LINE_SIZE];
	struct dirent *entry;
	bool found = false;
	DIR *directory;

	if (!takt_string_starts(device, "armv8") || (number & ~(uint64_t)0x403f))
		return true;
	snprintf(path, sizeof(path), SYSFS "/%s/events", device);
	directory = opendir(path);
	if (!directory)
		return true;
	while (!found && (entry = readdir(directory))) {
		struct pmu_event listed = {0};

		if (entry->d_name[0] == '.')
			continue;
		found = takt_first_line(terms, sizeof(terms), "%s/%s", path, entry->d_name) == 0 &&
			add_terms(device, terms, strlen(terms), &listed) &&
			(listed.config & 0xffff) == number;
	}
	closedir(directory);
	return found;
}

static bool find_device(const char *name, struct pmu_event *event)
{
	const char *slash = strchr(name, '/');
	char device[NAME_SIZE_MAX + 1], line[LINE_SIZE];
	size_t size;

	if (!slash || slash == name || name[0] == '.')
		return false;
	snprintf(device, sizeof(device), "%.*s", (int)(slash - name), name);
	size = strlen(slash + 1);
	if (size && slash[size] == '/')
		size--;
	if (!size || takt_first_line(line, sizeof(line), SYSFS "/%s/type", device) != 0)
		return false;
	event->type = (uint32_t)strtoul(line, NULL, 10);
	event->is_core = takt_pmu_is_core(device);
	if (takt_first_line(line, sizeof(line), SYSFS "/%s/cpumask", device) == 0) {
		event->is_uncore = true;
		event->cpu = (int)strtol(line, NULL, 10);
	}
	return (add_named(device, slash + 1, size, event) ||
		add_terms(device, slash + 1, size, event)) &&
	       is_implemented(device, event);
}

/* ---- libpfm4 ---- */

/*
 * True if the environment, which decides nothing in a process with privileges, would decide
 * something in libpfm4: it replaces the processor by another, and leaves out some of its events.
 */
static bool is_refused(void)
{
	if (!takt_module_trust_of_process().privileged)
		return false;
	for (char **variable = environ; variable && *variable; variable++)
		if (strncmp(*variable, PFM_VARIABLES, sizeof(PFM_VARIABLES) - 1) == 0)
			return true;
	return false;
}

bool takt_pmu_has_pfm(struct takt_diag *diag)
{
	struct takt_text path = {0};
	bool has = false;

	if (is_refused())
		takt_error(diag, "no names of libpfm4: " PFM_REFUSED);
	else
		has = takt_module_find(PFM_MODULE, diag, &path);
	takt_text_release(&path);
	return has;
}

static bool find_pfm(const char *name, struct pmu_event *event, struct takt_diag *diag,
		     const char **ret_reason)
{
	pfm_encode_function encode;
	struct pfm_encoding encoding;
	void *locale, *symbol;

	*ret_reason = PFM_REFUSED;
	if (is_refused())
		return false;
	*ret_reason = "its module is missing";
	symbol = takt_module_symbol(PFM_MODULE, "takt_pfm_encode", diag);
	if (!symbol)
		return false;
	memcpy(&encode, &symbol, sizeof(encode));
	locale = takt_locale_enter(); /* libpfm4 compares names by the locale */
	*ret_reason = encode(name, &encoding);
	takt_locale_leave(locale);
	if (*ret_reason)
		return false;
	event->type = encoding.type;
	event->config = encoding.config;
	event->config1 = encoding.config1;
	event->config2 = encoding.config2;
	event->is_core = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
			 event->type == PERF_TYPE_RAW;
	return true;
}

bool takt_pmu_is_user_only(const char *name)
{
	size_t size = strlen(name);

	return size > 2 && strcmp(name + size - 2, ":u") == 0;
}

enum takt_status takt_pmu_event_find(const char *name, struct takt_arena *arena,
				     struct takt_diag *diag, struct pmu_event *ret_event)
{
	struct pmu_event event = {.name = name};
	const char *reason = "the name is too long";
	char *plain;

	if (strlen(name) > NAME_SIZE_MAX) {
		takt_error(diag, "no event '%.40s…': %s", name, reason);
		return TAKT_NOT_FOUND;
	}
	plain = takt_arena_string(arena, name);
	event.user_only = takt_pmu_is_user_only(plain);
	if (event.user_only)
		plain[strlen(plain) - 2] = '\0';
	if (find_generic(plain, &event) || find_raw(plain, &event) || find_device(plain, &event) ||
	    find_pfm(plain, &event, diag, &reason)) {
		*ret_event = event;
		return TAKT_OK;
	}
	if (strchr(plain, '/')) {
		takt_error(diag, "no event '%s': the kernel knows none of this processor", name);
		takt_note(diag, "what it knows is below " SYSFS);
		return TAKT_NOT_FOUND;
	}
	takt_error(diag, "no event '%s' of this processor (libpfm4: %s)", name, reason);
	takt_note(diag, "events are names of libpfm4, rCODE, PMU/TERM=VALUE,…/, or one of the "
			"kernel's: cycles, instructions, branch-misses, task-clock, page-faults …");
	return TAKT_NOT_FOUND;
}
