/* SPDX-License-Identifier: MIT */
/* Options of `takt trace` as requests, for a run, a log or an import. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "cli/command_docs.h"
#include "cli/trace.h"

#define SYSCALL_CYCLES_MAX 1000000000L
#define WINDOW_USUAL 64
#define WINDOW_MOST 4096
#define MILLIONS_MAX 1000000000L

static bool read_core(const struct takt_arguments *arguments, struct takt_trace_wanted *wanted)
{
	const char *const *values = arguments->values;
	bool cache = values[OPTION_TRACE_CACHE] != NULL;
	bool branch = values[OPTION_TRACE_BRANCH] != NULL;
	struct takt_trace_core *core = &wanted->core;

	*core = (struct takt_trace_core){
		.model = takt_core_open_requested,
		.context = &wanted->request,
		.cache = cache,
		.branch = branch,
		.sample = values[OPTION_TRACE_SAMPLE] != NULL,
		.seed = 1,
		.no_memo = values[OPTION_TRACE_NO_MEMO] != NULL,
	};
	if (!values[OPTION_TRACE_COUNT_ONLY])
		wanted->options.core = core;
	return takt_arguments_integer(arguments, OPTION_TRACE_SYSCALL_CYCLES, 1, SYSCALL_CYCLES_MAX,
				      &core->syscall_cycles) &&
	       takt_arguments_integer(arguments, OPTION_TRACE_SEED, 0, LONG_MAX, &core->seed) &&
	       takt_arguments_integer(arguments, OPTION_TRACE_MEMO_CHECK, 1, INT_MAX,
				      &core->memo_check) &&
	       takt_arguments_integer(arguments, OPTION_TRACE_LAYOUTS, 2, TAKT_LAYOUTS_MAX,
				      &core->layouts) &&
	       takt_ideal_read(values[OPTION_TRACE_IDEAL], cache, branch, &core->ideal);
}

static bool read_checkpoint(const struct takt_arguments *arguments,
			    struct takt_trace_options *options)
{
	if (!takt_arguments_integer(arguments, OPTION_TRACE_CHECKPOINT_EVERY, 1, MILLIONS_MAX,
				    &options->checkpoint_insns))
		return false;
	options->checkpoint_insns *= 1000000;
	if (options->checkpoint_path && !arguments->operand_count) {
		takt_say_error("'--checkpoint' is for logs");
		return takt_say_note("write one with '-o FILE', and give that to takt trace");
	}
	if (options->checkpoint_insns && !options->checkpoint_path) {
		takt_say_error("'--checkpoint-every' needs '--checkpoint=FILE', the file to write");
		return takt_say_note("add '--checkpoint=FILE'");
	}
	return true;
}

/* Read a window of instructions: FROM or FROM:COUNT. */
static bool read_window(const struct takt_arguments *arguments, struct takt_trace_wanted *wanted)
{
	const char *value = arguments->values[OPTION_TRACE_TIMELINE];
	unsigned long long from, count = WINDOW_USUAL;
	uint32_t thread = 0;
	char *end;

	if (!takt_arguments_integer(arguments, OPTION_TRACE_TIMELINE_THREAD, 0, INT_MAX, &thread))
		return false;
	if (!value)
		return true;
	errno = 0;
	from = strtoull(value, &end, 10);
	if (*end == ':')
		count = strtoull(end + 1, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || !count || count > WINDOW_MOST) {
		takt_say_error("'--timeline=%s' is not FROM or FROM:COUNT", value);
		return takt_say_note("FROM and COUNT are numbers of instructions; COUNT is 1 to %d",
				     WINDOW_MOST);
	}
	if (!wanted->options.core || wanted->core.sample || wanted->options.checkpoint_path) {
		takt_say_error("a timeline needs a core that simulates all, in one go");
		return takt_say_note("leave out '--count-only', '--sample' and '--checkpoint'");
	}
	wanted->window = (struct takt_trace_window){thread, (uint32_t)count, from};
	wanted->options.window = &wanted->window;
	return true;
}

bool takt_layouts_are_possible(const struct takt_arguments *arguments, unsigned id,
			       const char *excluded)
{
	if (!arguments->values[id] || !excluded)
		return true;
	return takt_say_error("'%s' excludes %s", arguments->typed[id], excluded);
}

bool takt_trace_backend_is_fine(const struct takt_arguments *arguments)
{
	const char *const *values = arguments->values;

	if (!values[OPTION_TRACE_BACKEND])
		return true;
	if (!arguments->program)
		return takt_say_error("'--backend' is for programs, and a FILE is read");
	if (values[OPTION_TRACE_CHECK] &&
	    takt_arguments_choice(arguments, OPTION_TRACE_BACKEND) == TAKT_TRACE_BACKEND_NATIVE)
		return takt_say_error(
			"'--check' compares with qemu's count, and '--backend=native' has "
			"none");
	return true;
}

#define FUNCTIONS_MOST 4 /* breakpoints that a processor has */
#define WINDOW_INSNS 10000
#define WINDOW_GAP_MS 100

/* Read INSNS:MS, which is optional. */
static bool read_windows(const char *value, struct takt_trace_parts *parts)
{
	unsigned long insns = WINDOW_INSNS, gap = WINDOW_GAP_MS;
	char *end = (char *)(uintptr_t)value;

	errno = 0;
	if (*value) {
		insns = strtoul(value, &end, 10);
		if (*end == ':')
			gap = strtoul(end + 1, &end, 10);
	}
	if (*end || errno || *value == '-' || !insns || insns > 1000000000 || !gap ||
	    gap > 1000000) {
		takt_say_error("'--windows=%s' is not INSTRUCTIONS or INSTRUCTIONS:MILLISECONDS",
			       value);
		return takt_say_note(
			"both are above 0; instructions are at most 10^9, milliseconds 10^6");
	}
	parts->window_insns = (uint32_t)insns;
	parts->gap_ms = (uint32_t)gap;
	return true;
}

/* Read which parts of a native run are traced, if not all of it. */
static bool read_parts(const struct takt_arguments *arguments, struct takt_trace_wanted *wanted)
{
	const char *const *values = arguments->values;
	const char *option = values[OPTION_TRACE_STEP] ? "step" : "windows";
	uint32_t count;

	if (!values[OPTION_TRACE_STEP] && !values[OPTION_TRACE_WINDOWS])
		return true;
	count = (uint32_t)takt_arguments_all(arguments, OPTION_TRACE_STEP, wanted->functions);
	if (wanted->options.backend != TAKT_TRACE_BACKEND_NATIVE) {
		takt_say_error("'--%s' is for programs on the processor itself", option);
		takt_say_note("add '--backend=native'");
	} else if (values[OPTION_TRACE_STEP] && values[OPTION_TRACE_WINDOWS]) {
		takt_say_error("'--step' and '--windows' exclude each other");
	} else if (values[OPTION_TRACE_OUTPUT]) {
		takt_say_error("'--%s' excludes '--output': a log has whole programs", option);
	} else if (count > FUNCTIONS_MOST) {
		takt_say_error("'--step' was given %u times, and a processor has four breakpoints",
			       count);
	} else if (!values[OPTION_TRACE_WINDOWS] ||
		   read_windows(values[OPTION_TRACE_WINDOWS], &wanted->parts)) {
		wanted->parts.functions = wanted->functions;
		wanted->parts.function_count = count;
		wanted->options.parts = &wanted->parts;
		return true;
	}
	return false;
}

static bool sensitivity_is_possible(const struct takt_arguments *arguments)
{
	static const unsigned others[] = {OPTION_TRACE_COUNT_ONLY, OPTION_TRACE_LAYOUTS,
					  OPTION_TRACE_TIMELINE, OPTION_TRACE_CHECKPOINT};

	return takt_arguments_exclude(arguments, OPTION_TRACE_SENSITIVITY, others,
				      TAKT_COUNT_OF(others));
}

/* Report options that would be ignored. */
static bool all_have_effect(const struct takt_arguments *arguments)
{
	static const unsigned timeline[] = {OPTION_TRACE_TIMELINE};
	static const unsigned of_timeline[] = {OPTION_TRACE_TIMELINE_THREAD,
					       OPTION_TRACE_TIMELINE_FORMAT,
					       OPTION_TRACE_TIMELINE_OUTPUT};
	static const unsigned random[] = {OPTION_TRACE_SAMPLE, OPTION_TRACE_LAYOUTS};
	static const unsigned of_core[] = {OPTION_TRACE_IDEAL, OPTION_TRACE_SYSCALL_CYCLES,
					   OPTION_TRACE_NO_MEMO, OPTION_TRACE_SAMPLE,
					   OPTION_TRACE_MEMO_CHECK};
	static const unsigned memo_check[] = {OPTION_TRACE_MEMO_CHECK};
	bool fine =
		takt_arguments_need(arguments, OPTION_TRACE_SEED, random, TAKT_COUNT_OF(random)) &&
		takt_arguments_exclude(arguments, OPTION_TRACE_NO_MEMO, memo_check,
				       TAKT_COUNT_OF(memo_check)) &&
		takt_arguments_exclude(arguments, OPTION_TRACE_COUNT_ONLY, of_core,
				       TAKT_COUNT_OF(of_core));

	for (size_t i = 0; i < TAKT_COUNT_OF(of_timeline) && fine; i++)
		fine = takt_arguments_need(arguments, of_timeline[i], timeline,
					   TAKT_COUNT_OF(timeline));
	return fine;
}

static bool dependences_are_possible(const struct takt_arguments *arguments)
{
	static const unsigned others[] = {OPTION_TRACE_BLOCKS_ONLY, OPTION_TRACE_CHECKPOINT};

	return takt_arguments_exclude(arguments, OPTION_TRACE_DEPENDENCES, others,
				      TAKT_COUNT_OF(others));
}

bool takt_trace_wanted_read(const struct takt_arguments *arguments, struct takt_diag *diag,
			    struct takt_trace_wanted *wanted)
{
	const char *const *values = arguments->values;

	*wanted = (struct takt_trace_wanted){
		.request =
			{
				.arch = values[OPTION_TRACE_ARCH],
				.model_dir = values[OPTION_TRACE_MODEL],
				.diag = diag,
			},
		.options = {
			.profile = !values[OPTION_TRACE_NO_PROFILE],
			.insns = values[OPTION_TRACE_ANNOTATE] ||
				 takt_arguments_html(arguments, OPTION_TRACE_FORMAT),
			.sensitivity = values[OPTION_TRACE_SENSITIVITY] != NULL,
			.dependences = values[OPTION_TRACE_DEPENDENCES] != NULL,
			.regions = wanted->regions,
			.blocks_only = values[OPTION_TRACE_BLOCKS_ONLY] != NULL,
			.no_children = values[OPTION_TRACE_NO_CHILDREN] != NULL,
			.check = values[OPTION_TRACE_CHECK] != NULL,
			.backend = (uint32_t)takt_arguments_choice(arguments, OPTION_TRACE_BACKEND),
			.log_path = values[OPTION_TRACE_OUTPUT],
			.checkpoint_path = values[OPTION_TRACE_CHECKPOINT],
			.signal = &takt_trace_signal,
		}};
	wanted->options.region_count =
		(uint32_t)takt_arguments_all(arguments, OPTION_TRACE_REGION, wanted->regions);
	return takt_layouts_are_possible(
		       arguments, OPTION_TRACE_LAYOUTS,
		       values[OPTION_TRACE_SAMPLE] || values[OPTION_TRACE_COUNT_ONLY] ||
				       values[OPTION_TRACE_TIMELINE] ||
				       values[OPTION_TRACE_CHECKPOINT]
			       ? "'--sample', '--count-only', '--timeline' and '--checkpoint'"
			       : NULL) &&
	       all_have_effect(arguments) && dependences_are_possible(arguments) &&
	       sensitivity_is_possible(arguments) && read_checkpoint(arguments, &wanted->options) &&
	       read_core(arguments, wanted) && read_window(arguments, wanted) &&
	       read_parts(arguments, wanted);
}
