/* SPDX-License-Identifier: MIT */
/*
 * Checks whether two traces are comparable: whether all but the program's code is the same, so
 * that a difference is due to the code.
 */
#include <inttypes.h>
#include <string.h>

#include "trace/trace.h"

static const char *const words[] = {
#define X(name, word) word,
	TAKT_DIFFERENCE_LIST(X)
#undef X
};

const char *takt_difference_word(enum takt_difference difference)
{
	return words[difference];
}

static const char *or_none(const char *word)
{
	return word && *word ? word : "none";
}

static bool are_same(const char *before, const char *after)
{
	return strcmp(before ? before : "", after ? after : "") == 0;
}

static void say_two(struct takt_text *text, const char *what, const char *before, const char *after)
{
	takt_text_printf(text, "%s: %s before, %s after", what, before, after);
}

/* ---- one function for each kind of difference: true, with a text, if they differ ---- */

static bool isas_differ(const struct takt_trace_totals *before,
			const struct takt_trace_totals *after, struct takt_text *text)
{
	if (are_same(before->guest, after->guest))
		return false;
	say_two(text, "instruction sets", or_none(before->guest), or_none(after->guest));
	return true;
}

static bool programs_differ(const struct takt_trace_totals *before,
			    const struct takt_trace_totals *after, struct takt_text *text)
{
	const char *names[2];

	if (!before->command_count || !after->command_count)
		return false;
	names[0] = takt_path_name(before->command[0]);
	names[1] = takt_path_name(after->command[0]);
	if (strcmp(names[0], names[1]) == 0)
		return false;
	say_two(text, "programs", names[0], names[1]);
	return true;
}

static void write_arguments(const struct takt_trace_totals *totals, struct takt_text *text)
{
	takt_text_add_string(text, "'");
	for (uint32_t i = 1; i < totals->command_count; i++)
		takt_text_printf(text, "%s%s", i > 1 ? " " : "", totals->command[i]);
	takt_text_add_string(text, "'");
}

static bool arguments_differ(const struct takt_trace_totals *before,
			     const struct takt_trace_totals *after, struct takt_text *text)
{
	bool same = before->command_count == after->command_count;

	if (!before->command_count || !after->command_count)
		return false;
	for (uint32_t i = 1; same && i < before->command_count; i++)
		same = strcmp(before->command[i], after->command[i]) == 0;
	if (same)
		return false;
	takt_text_add_string(text, "arguments: ");
	write_arguments(before, text);
	takt_text_add_string(text, " before, ");
	write_arguments(after, text);
	takt_text_add_string(text, " after");
	return true;
}

static bool cores_differ(const struct takt_trace_totals *before,
			 const struct takt_trace_totals *after, struct takt_text *text)
{
	if (!are_same(before->core, after->core)) {
		say_two(text, "cores", or_none(before->core), or_none(after->core));
		return true;
	}
	if (!before->core_digest || !after->core_digest ||
	    before->core_digest == after->core_digest)
		return false;
	takt_text_printf(text, "cores: the data of %s are not the same before and after",
			 before->core);
	return true;
}

/* Return the option that leaves the same out of the model as this trace did. */
static const char *ideal_option(const struct takt_trace_totals *totals)
{
	if (totals->models_caches)
		return totals->models_branches ? "" : "--ideal=branches ";
	return totals->models_branches ? "--ideal=caches " : "--ideal=caches,branches ";
}

/* Write the options that matter; those of sampling do not, as cycles are estimates of the same. */
static void write_options(const struct takt_trace_totals *totals, bool timed,
			  struct takt_text *text)
{
	takt_text_add_string(text, "'");
	if (timed)
		takt_text_printf(text, "%s--syscall-cycles=%u", ideal_option(totals),
				 totals->syscall_cycles);
	if (timed && totals->layouts)
		takt_text_printf(text, " --layouts=%" PRIu32 " --seed=%" PRIu64,
				 totals->layouts->count, totals->layouts->seed);
	if (totals->blocks_only)
		takt_text_printf(text, "%s--blocks-only", timed ? " " : "");
	if (totals->seen)
		takt_text_printf(text, "%s--%s", timed || totals->blocks_only ? " " : "",
				 totals->seen->window_insns ? "windows" : "step");
	takt_text_add_string(text, "'");
}

static bool layouts_differ(const struct takt_trace_layouts *before,
			   const struct takt_trace_layouts *after)
{
	if (!before || !after)
		return before || after;
	return before->count != after->count || before->seed != after->seed;
}

/* Windows of either size stand for the same program. */
static bool parts_differ(const struct takt_trace_seen *before, const struct takt_trace_seen *after)
{
	if (!before || !after)
		return before || after;
	return !before->window_insns != !after->window_insns;
}

static bool options_differ(const struct takt_trace_totals *before,
			   const struct takt_trace_totals *after, bool timed,
			   struct takt_text *text)
{
	if ((!timed || (before->models_caches == after->models_caches &&
			before->models_branches == after->models_branches &&
			before->syscall_cycles == after->syscall_cycles &&
			!layouts_differ(before->layouts, after->layouts))) &&
	    before->blocks_only == after->blocks_only && !parts_differ(before->seen, after->seen))
		return false;
	takt_text_add_string(text, "options: ");
	write_options(before, timed, text);
	takt_text_add_string(text, " before, ");
	write_options(after, timed, text);
	takt_text_add_string(text, " after");
	return true;
}

static bool versions_differ(const struct takt_trace_totals *before,
			    const struct takt_trace_totals *after, struct takt_text *text)
{
	if (!before->version || !after->version || are_same(before->version, after->version))
		return false;
	say_two(text, "versions of takt", before->version, after->version);
	return true;
}

static bool was_killed(const struct takt_trace_totals *before,
		       const struct takt_trace_totals *after, struct takt_text *text)
{
	if (!before->signal && !after->signal)
		return false;
	takt_text_printf(text, "the program was killed by %s",
			 takt_signal_name(before->signal ? before->signal : after->signal));
	takt_text_add_string(text, !after->signal    ? " before"
				   : !before->signal ? " after"
						     : " before and after");
	return true;
}

static bool statuses_differ(const struct takt_trace_totals *before,
			    const struct takt_trace_totals *after, struct takt_text *text)
{
	if (before->signal || after->signal || before->exit_status == after->exit_status)
		return false;
	takt_text_printf(text, "exit statuses: %d before, %d after", before->exit_status,
			 after->exit_status);
	return true;
}

static const char *why_partial(const struct takt_trace_totals *totals)
{
	return totals->stopped_by     ? "its reading was stopped"
	       : totals->became_other ? "the program replaced itself by another one (exec)"
	       : totals->left_out     ? "some of the code was left out"
				      : NULL;
}

static bool is_partial(const struct takt_trace_totals *before,
		       const struct takt_trace_totals *after, struct takt_text *text)
{
	const char *why[2] = {why_partial(before), why_partial(after)};

	if (!why[0] && !why[1])
		return false;
	takt_text_printf(text, "not all of the program is there %s: %s",
			 why[0] ? "before" : "after", why[0] ? why[0] : why[1]);
	return true;
}

bool takt_diff_differs(const struct takt_trace_totals *before,
		       const struct takt_trace_totals *after, enum takt_diff_by by,
		       enum takt_difference difference, struct takt_text *text)
{
	bool timed = by == TAKT_DIFF_CYCLES;

	switch (difference) {
	case TAKT_DIFFERS_ISA:
		return isas_differ(before, after, text);
	case TAKT_DIFFERS_PROGRAM:
		return programs_differ(before, after, text);
	case TAKT_DIFFERS_ARGUMENTS:
		return arguments_differ(before, after, text);
	case TAKT_DIFFERS_CORE:
		return timed && cores_differ(before, after, text);
	case TAKT_DIFFERS_OPTIONS:
		return options_differ(before, after, timed && before->core && after->core, text);
	case TAKT_DIFFERS_VERSION:
		return versions_differ(before, after, text);
	case TAKT_DIFFERS_KILLED:
		return was_killed(before, after, text);
	case TAKT_DIFFERS_STATUS:
		return statuses_differ(before, after, text);
	case TAKT_DIFFERS_PARTIAL:
		return is_partial(before, after, text);
	case TAKT_DIFFERENCE_COUNT:
		break;
	}
	return false;
}

bool takt_diff_write_unknown(const struct takt_trace_totals *totals, enum takt_diff_by by,
			     struct takt_text *text)
{
	const struct {
		bool missing;
		const char *name;
	} rows[] = {
		{!totals->version, "the version of takt"},
		{!totals->command, "the command line"},
		{by == TAKT_DIFF_CYCLES && totals->core && !totals->core_digest,
		 "which data the core had"},
	};
	bool any = false;

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		if (!rows[i].missing)
			continue;
		takt_text_printf(text, "%s%s", any ? ", " : "", rows[i].name);
		any = true;
	}
	return any;
}
