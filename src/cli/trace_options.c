/* SPDX-License-Identifier: MIT */
/* What a run, a log and an import are asked for. */
#include <limits.h>

#include "cli/command_docs.h"
#include "cli/trace.h"

#define SYSCALL_CYCLES_MAX 1000000000L

static bool read_core(const struct takt_arguments *arguments, struct takt_trace_wanted *wanted)
{
	const char *const *values = arguments->values;
	long syscall_cycles = 0, seed = 1;

	if (!takt_arguments_integer(arguments, OPTION_TRACE_SYSCALL_CYCLES, 1, SYSCALL_CYCLES_MAX,
				    &syscall_cycles) ||
	    !takt_arguments_integer(arguments, OPTION_TRACE_SEED, 0, LONG_MAX, &seed))
		return false;
	wanted->core = (struct takt_trace_core){
		.model = takt_core_open_requested,
		.context = &wanted->request,
		.cache = values[OPTION_TRACE_CACHE] != NULL,
		.branch = values[OPTION_TRACE_BRANCH] != NULL,
		.sample = values[OPTION_TRACE_SAMPLE] != NULL,
		.seed = (uint64_t)seed,
		.syscall_cycles = (uint32_t)syscall_cycles,
	};
	if (!values[OPTION_TRACE_COUNT_ONLY])
		wanted->options.core = &wanted->core;
	return true;
}

bool takt_trace_wanted_read(const struct takt_arguments *arguments, struct takt_diag *diag,
			    struct takt_trace_wanted *wanted)
{
	const char *const *values = arguments->values;

	*wanted = (struct takt_trace_wanted){
		.request = {
			.arch = values[OPTION_TRACE_ARCH],
			.model_dir = values[OPTION_TRACE_MODEL],
			.diag = diag,
		},
		.options = {
			.profile = !values[OPTION_TRACE_NO_PROFILE],
			.regions = wanted->regions,
			.blocks_only = values[OPTION_TRACE_BLOCKS_ONLY] != NULL,
			.check = values[OPTION_TRACE_CHECK] != NULL,
			.log_path = values[OPTION_TRACE_OUTPUT],
			.send_to = values[OPTION_TRACE_SEND],
			.token_path = values[OPTION_TRACE_TOKEN_FILE],
			.signal = &takt_trace_signal,
		}};
	for (size_t i = 0; i < arguments->given_count; i++)
		if (arguments->given[i].id == OPTION_TRACE_REGION)
			wanted->regions[wanted->options.region_count++] =
				arguments->given[i].value;
	return read_core(arguments, wanted);
}
