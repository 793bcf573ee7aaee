/* SPDX-License-Identifier: MIT */
/* Runs a program under the processor's counters, with all groups that reveal patterns. */
#include "diagnose/counted.h"

/* Groups in descending order of their value: the last ones are dropped if not all fit. */
static const char *const group_names[] = {
	"BRANCH", "CPI",     "DIVIDE",	    "FLOPS_DP", "FLOPS_SP", "FLOPS", "CYCLE_STALLS",
	"L2",	  "L2CACHE", "FALSE_SHARE", "TMA",	"L3",	    "MEM",   "NUMA",
};

/* True if takt has a model of this machine's core. Other cores have counters, too. */
static bool host_is_known(void)
{
	struct takt_model *model;
	bool is_known;

	if (takt_model_open("host", NULL, NULL, &model) != TAKT_OK)
		return false;
	is_known = !takt_model_doubt(model);
	takt_model_close(model);
	return is_known;
}

static struct takt_count_options count_options(const struct takt_diagnose_options *options)
{
	return (struct takt_count_options){
		.backend = TAKT_COUNT_PMU,
		.open_model = host_is_known() ? options->model : NULL,
		.model_context = options->context,
		.signal = options->signal,
	};
}

struct diagnose_groups takt_diagnose_pmu_groups(const struct takt_diagnose_options *options,
						struct takt_arena *arena)
{
	/*
	 * A group that serves no pattern, but that any core may have; it is used if no other group
	 * can be counted.
	 */
	static const char clock[] = "CLOCK";
	const char **groups = TAKT_NEW_ARRAY(arena, TAKT_COUNT_OF(group_names) + 1, const char *);
	struct takt_count_options count = count_options(options);
	uint32_t group_count = 0;

	count.group_count = 1;
	for (size_t i = 0; i < TAKT_COUNT_OF(group_names); i++) {
		count.groups = &group_names[i];
		if (takt_events_can_count(&count, NULL))
			groups[group_count++] = group_names[i];
	}
	groups[group_count] = clock;
	count.groups = &groups[group_count];
	if (group_count == 0 && takt_events_can_count(&count, NULL))
		group_count++;
	return (struct diagnose_groups){groups, group_count};
}

enum takt_status takt_diagnose_pmu(char *const *argv, char *const *variables,
				   const struct takt_diagnose_options *options,
				   const struct diagnose_groups *groups, struct takt_diag *diag,
				   struct takt_count_result **ret_result)
{
	struct takt_count_options count = count_options(options);
	enum takt_status status = TAKT_UNAVAILABLE;

	if (!groups->count) {
		takt_error(diag, "patterns cannot be found by counters: this machine has none, or "
				 "does not permit their use");
		takt_note(diag, "virtual machines often have none, and "
				"/proc/sys/kernel/perf_event_paranoid has to be 2 or less; "
				"'--backend=emulate' needs none");
		return TAKT_UNAVAILABLE;
	}
	count.groups = groups->names;
	count.variables = variables;
	for (count.group_count = groups->count; count.group_count; count.group_count--) {
		bool last = count.group_count == 1;

		status = takt_count(argv, &count, last ? diag : NULL, ret_result);
		if (status == TAKT_OK)
			break;
	}
	return status;
}
