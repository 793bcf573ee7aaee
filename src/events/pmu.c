/* SPDX-License-Identifier: MIT */
/* The backend `pmu`: whether there are counters. */
#include <dirent.h>

#include "events/backend.h"

#define DEVICES "/sys/bus/event_source/devices"

/* A core's counters: "cpu", "cpu_core", "armv8_pmuv3_0", … */
static bool is_core_pmu(const char *name)
{
	return takt_string_starts(name, "cpu") || takt_string_starts(name, "armv8");
}

static bool has_core_pmu(void)
{
	DIR *directory = opendir(DEVICES);
	bool found = false;

	if (!directory)
		return false;
	for (struct dirent *entry = readdir(directory); entry && !found; entry = readdir(directory))
		found = is_core_pmu(entry->d_name);
	closedir(directory);
	return found;
}

bool takt_pmu_available(struct takt_diag *diag)
{
	if (has_core_pmu()) {
		takt_error(diag, "this takt cannot read the processor's counters yet");
	} else {
		takt_error(diag, "the kernel has no counters of this processor (" DEVICES ")");
		takt_note(diag, "virtual machines have them only if they were given any");
	}
	takt_note(diag, "'--backend=emulate' counts what a program does by running it in qemu");
	return false;
}

enum takt_status takt_pmu_count(char *const *argv, const struct events_plan *plan,
				struct takt_arena *arena, struct takt_diag *diag,
				struct events_counts *ret_counts)
{
	(void)argv;
	(void)plan;
	(void)arena;
	(void)ret_counts;
	takt_pmu_available(diag);
	return TAKT_UNAVAILABLE;
}
