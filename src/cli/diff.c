/* SPDX-License-Identifier: MIT */
/* takt diff: compares the cycles of two runs of a program, before and after a change. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_docs.h"
#include "cli/trace.h"

#define FUNCTIONS_SHOWN 20
#define PARTS_SHOWN 3
#define ROWS_MAX 1000000
#define SYSCALL_CYCLES_MAX 1000000000L
#define SMALL_SHARE 0.001 /* of the program; the limit does not apply to smaller functions */

/* One of the two sides: a file, or a program to run. */
struct side {
	const char *path;
	char **program; /* ended by NULL */
	struct takt_trace_totals *totals;
	bool is_result; /* the totals are from a file of results; else from a trace */
};

struct limits {
	double total, function; /* in %; negative: none */
};

struct session {
	const struct takt_arguments *arguments;
	struct side before, after;
	enum takt_diff_by by;
	struct limits limits;
	bool allowed[TAKT_DIFFERENCE_COUNT];
	struct takt_diff_write_options write;
	struct takt_diag *diag;
};

/* ---- the command line ---- */

/* Read "2%" or "2". Report errors and return false. */
static bool read_percent(const struct takt_arguments *arguments, unsigned id, double *ret_percent)
{
	const char *value = arguments->values[id];
	char *end;

	*ret_percent = -1;
	if (!value)
		return true;
	*ret_percent = strtod(value, &end);
	if (*end == '%')
		end++;
	if (end != value && *end == '\0' && *ret_percent >= 0 && *ret_percent <= 1e6)
		return true;
	return takt_say_error("'%s' needs a percentage of 0 or more, not '%s'",
			      arguments->typed[id], value);
}

static bool allow(struct session *session, const char *word, size_t size)
{
	for (unsigned i = 0; i < TAKT_DIFFERENCE_COUNT; i++) {
		const char *known = takt_difference_word((enum takt_difference)i);

		if (strlen(known) != size || memcmp(known, word, size) != 0)
			continue;
		session->allowed[i] = true;
		return true;
	}
	takt_say_error("'--allow' knows no '%.*s'", (int)size, word);
	fputs("note: there are", stderr);
	for (unsigned i = 0; i < TAKT_DIFFERENCE_COUNT; i++)
		fprintf(stderr, "%s %s", i ? "," : "",
			takt_difference_word((enum takt_difference)i));
	fputc('\n', stderr);
	return false;
}

/* Read comma-separated words; the option may be given several times. */
static bool read_allowed(struct session *session)
{
	const struct takt_arguments *arguments = session->arguments;

	for (size_t i = 0; i < arguments->given_count; i++) {
		const char *word = arguments->given[i].value;

		if (arguments->given[i].id != OPTION_DIFF_ALLOW)
			continue;
		for (;; word++) {
			size_t size = strcspn(word, ",");

			if (!allow(session, word, size))
				return false;
			word += size;
			if (*word == '\0')
				break;
		}
	}
	return true;
}

static bool read_options(struct session *session)
{
	const struct takt_arguments *arguments = session->arguments;

	session->by = (enum takt_diff_by)takt_arguments_choice(arguments, OPTION_DIFF_BY);
	session->write = (struct takt_diff_write_options){
		.functions = FUNCTIONS_SHOWN,
		.parts = PARTS_SHOWN,
		.code = arguments->values[OPTION_DIFF_CODE] != NULL,
	};
	return read_allowed(session) &&
	       read_percent(arguments, OPTION_DIFF_FAIL_ABOVE, &session->limits.total) &&
	       read_percent(arguments, OPTION_DIFF_FAIL_ABOVE_FUNCTION,
			    &session->limits.function) &&
	       takt_arguments_integer(arguments, OPTION_DIFF_FUNCTIONS, 0, ROWS_MAX,
				      &session->write.functions) &&
	       takt_arguments_integer(arguments, OPTION_DIFF_PARTS, 0, ROWS_MAX,
				      &session->write.parts);
}

/* Assign the operands and the programs after "--" to the two sides, in their order. */
static bool read_sides(struct session *session)
{
	const struct takt_arguments *arguments = session->arguments;
	struct side *sides[2] = {&session->before, &session->after};
	char *none = NULL, **first = arguments->program ? arguments->program : &none;
	char **dashes = first, **second;
	size_t count = 0, wanted;

	while (*dashes && strcmp(*dashes, "---") != 0)
		dashes++;
	second = *dashes ? dashes + 1 : dashes;
	wanted = arguments->operand_count + (dashes > first) + (*second != NULL);
	if (wanted != 2 || (*dashes && !*second)) {
		takt_say_error("%s",
			       wanted > 2 ? "more than two programs or traces to compare"
					  : "two programs or traces are needed for a comparison");
		return takt_say_note("takt diff OLD NEW, takt diff OLD -- PROGRAM, or takt diff -- "
				     "PROGRAM --- PROGRAM");
	}
	for (size_t i = 0; i < arguments->operand_count; i++)
		sides[count++]->path = arguments->operands[i];
	if (dashes > first)
		sides[count++]->program = first;
	if (*second)
		sides[count++]->program = second;
	*dashes = NULL;
	return true;
}

/* ---- traces ---- */

/* The request to trace a side. */
struct wanted {
	struct takt_trace_options options;
	struct takt_trace_core core;
	struct takt_core_request request;
};

static bool read_core(struct session *session, struct wanted *wanted)
{
	const char *const *values = session->arguments->values;
	bool cache = values[OPTION_DIFF_CACHE] != NULL, branch = values[OPTION_DIFF_BRANCH] != NULL;
	*wanted = (struct wanted){
		.options = {.profile = true,
			    .insns = takt_arguments_html(session->arguments, OPTION_DIFF_FORMAT)},
		.core =
			{
				.model = takt_core_open_requested,
				.context = &wanted->request,
				.cache = cache,
				.branch = branch,
				.sample = values[OPTION_DIFF_SAMPLE] != NULL,
				.seed = 1,
			},
		.request =
			{
				.arch = values[OPTION_DIFF_ARCH],
				.model_dir = values[OPTION_DIFF_MODEL],
				.diag = session->diag,
			},
	};
	if (!values[OPTION_DIFF_COUNT_ONLY])
		wanted->options.core = &wanted->core;
	return takt_arguments_integer(session->arguments, OPTION_DIFF_SEED, 0, LONG_MAX,
				      &wanted->core.seed) &&
	       takt_arguments_integer(session->arguments, OPTION_DIFF_SYSCALL_CYCLES, 1,
				      SYSCALL_CYCLES_MAX, &wanted->core.syscall_cycles) &&
	       takt_arguments_integer(session->arguments, OPTION_DIFF_LAYOUTS, 2, TAKT_LAYOUTS_MAX,
				      &wanted->core.layouts) &&
	       takt_ideal_read(values[OPTION_DIFF_IDEAL], cache, branch, &wanted->core.ideal) &&
	       takt_layouts_are_possible(session->arguments, OPTION_DIFF_LAYOUTS,
					 values[OPTION_DIFF_SAMPLE] ||
							 values[OPTION_DIFF_COUNT_ONLY]
						 ? "'--sample' and '--count-only'"
						 : NULL);
}

/* Check that the program succeeded: one that fails does not do the work to be compared. */
static bool ended_well(const struct session *session, const struct side *side)
{
	struct takt_text *text;

	if (side->totals->signal && !session->allowed[TAKT_DIFFERS_KILLED]) {
		text = takt_text_new();
		takt_trace_write_killed(side->totals, text);
		takt_say_error("'%s' was %s", side->program[0], takt_text_data(text));
		takt_text_free(text);
		return false;
	}
	if (side->totals->signal || !side->totals->exit_status ||
	    session->allowed[TAKT_DIFFERS_STATUS])
		return true;
	return takt_say_error("'%s' ended with exit status %d", side->program[0],
			      side->totals->exit_status);
}

static bool trace_side(struct session *session, struct side *side)
{
	static const struct takt_trace_import_options log = {.kind = TAKT_TRACE_LOG};
	struct wanted wanted;
	enum takt_status status;

	if (!read_core(session, &wanted))
		return false;
	status = side->program ? takt_trace_run(side->program, &wanted.options, session->diag,
						&side->totals)
			       : takt_trace_import(side->path, &wanted.options, &log, session->diag,
						   &side->totals);
	takt_model_close(wanted.request.model);
	return status == TAKT_OK && (!side->program || ended_well(session, side));
}

/* Note options of the simulation that change nothing, since both sides are results. */
static void note_unused(const struct session *session)
{
	static const unsigned simulated[] = {
		OPTION_DIFF_ARCH,  OPTION_DIFF_MODEL,	       OPTION_DIFF_IDEAL,
		OPTION_DIFF_CACHE, OPTION_DIFF_SAMPLE,	       OPTION_DIFF_LAYOUTS,
		OPTION_DIFF_SEED,  OPTION_DIFF_SYSCALL_CYCLES, OPTION_DIFF_COUNT_ONLY,
	};

	for (size_t i = 0; i < TAKT_COUNT_OF(simulated); i++)
		if (session->arguments->values[simulated[i]])
			takt_say_note("'%s' changes nothing: the cycles of a result are those "
				      "that it was written with",
				      session->arguments->typed[simulated[i]]);
}

/* Report a program in place of a trace, and how programs are compared. */
static bool is_program(const char *path)
{
	/* A file that cannot be read is reported by whoever reads it as a trace. */
	const char *kind = takt_program_kind(path);

	if (!kind)
		return false;
	takt_say_error("'%s' is a %s, and takt diff compares runs of programs", path, kind);
	takt_say_note("takt diff -- OLD [ARGUMENT]… --- NEW [ARGUMENT]… runs two programs and "
		      "compares them");
	if (strcmp(kind, "program") == 0)
		takt_say_note("takt analyze FILE says how many cycles the loops of a file take");
	return true;
}

static bool open_side(struct session *session, struct side *side)
{
	if (side->path && is_program(side->path))
		return false;
	side->is_result = side->path && takt_trace_is_result(side->path);
	if (!side->is_result)
		return trace_side(session, side);
	return takt_trace_result_open(side->path, session->diag, &side->totals) == TAKT_OK;
}

static void close_side(struct side *side)
{
	if (side->is_result)
		takt_trace_result_close(side->totals);
	else
		takt_trace_totals_free(side->totals);
}

/* ---- limits ---- */

static double growth(uint64_t before, uint64_t after)
{
	if (before == 0)
		return after ? HUGE_VAL : 0;
	return 100 * ((double)after - (double)before) / (double)before;
}

static bool holds(double grown, double limit, const char *what, const char *by)
{
	if (limit < 0 || grown <= limit)
		return true;
	return takt_say_error("%s takes %.2f %% more %s than before, and the limit is %g %%", what,
			      grown, by, limit);
}

/*
 * Check the whole program. Over layouts, a change that is not certain to be above the limit passes,
 * since another draw might have it below; a message says that the interval is too wide for the
 * limit.
 */
static bool keep_total(const struct session *session, const struct takt_diff *diff, const char *by)
{
	uint64_t before = takt_diff_total(diff, diff->before);
	double grown = growth(before, takt_diff_total(diff, diff->after));
	double limit = session->limits.total, half = 0;
	bool over_layouts =
		diff->by == TAKT_DIFF_CYCLES && (diff->before->layouts || diff->after->layouts);

	if (over_layouts && before)
		half = 100 * diff->half_width_cycles / (double)before;
	if (limit >= 0 && half > limit)
		takt_say_note("these layouts tell changes of %.2f %% and more, which is above the "
			      "limit of %g %%: more of them tell smaller ones",
			      half, limit);
	else if (limit >= 0 && grown > limit && grown - half <= limit)
		takt_say_note("the change of %.2f %% ± %.2f %% may be above the limit of %g %%: "
			      "more layouts would tell",
			      grown, half, limit);
	return grown - half <= limit || holds(grown, limit, "the program", by);
}

static bool keep_limits(const struct session *session, const struct takt_diff *diff)
{
	const char *by = diff->by == TAKT_DIFF_CYCLES ? "cycles" : "instructions";
	uint64_t before = takt_diff_total(diff, diff->before);
	bool kept = keep_total(session, diff, by);

	for (uint32_t i = 0; i < diff->function_count; i++) {
		const struct takt_diff_function *function = &diff->functions[i];
		uint64_t old =
			function->before ? takt_diff_figure(diff, &function->before->self) : 0;

		if (function->after && (double)old >= SMALL_SHARE * (double)before && old)
			kept &= holds(growth(old, takt_diff_figure(diff, &function->after->self)),
				      session->limits.function, function->after->name, by);
	}
	return kept;
}

/* ---- result and comparability ---- */

static bool report(const struct session *session, const struct takt_diff *diff)
{
	const char *path = session->arguments->values[OPTION_DIFF_REPORT];
	struct takt_text *text = takt_text_new();
	bool ran = session->before.program || session->after.program, fine;

	if (takt_arguments_html(session->arguments, OPTION_DIFF_FORMAT))
		takt_diff_page(diff, &session->write, text);
	else if (takt_arguments_choice(session->arguments, OPTION_DIFF_FORMAT) == 0)
		takt_write_diff_text(diff, &session->write, text);
	else
		takt_write_diff_json(diff, text);
	fine = takt_output_report(path, ran, text);
	takt_text_free(text);
	return fine;
}

/* True if a difference is allowed; two programs on one command line may differ in their names. */
static bool is_meant(const struct session *session, unsigned difference)
{
	return session->allowed[difference] || (difference == TAKT_DIFFERS_PROGRAM &&
						session->before.program && session->after.program);
}

/* Report all differences that prevent a comparison, and how to compare nevertheless. */
static bool is_comparable(const struct session *session)
{
	struct takt_text *what = takt_text_new();
	char words[256] = "";
	size_t size = 0;

	for (unsigned i = 0; i < TAKT_DIFFERENCE_COUNT; i++) {
		const char *word = takt_difference_word((enum takt_difference)i);

		takt_text_clear(what);
		if (is_meant(session, i) ||
		    !takt_diff_differs(session->before.totals, session->after.totals, session->by,
				       (enum takt_difference)i, what))
			continue;
		takt_say_error("the two cannot be compared: %s", takt_text_data(what));
		/* The buffer has room for all words. */
		size += (size_t)snprintf(words + size, sizeof(words) - size, "%s%s",
					 size ? "," : "", word);
	}
	if (size)
		takt_say_note("'--allow=%s' compares them nevertheless", words);
	takt_text_free(what);
	return size == 0;
}

static int compare(struct session *session)
{
	struct takt_diff *diff;
	bool fine;

	if (!open_side(session, &session->before) || !open_side(session, &session->after))
		return TAKT_EXIT_BAD;
	if (session->before.is_result && session->after.is_result)
		note_unused(session);
	if (!is_comparable(session))
		return TAKT_EXIT_USAGE;
	if (takt_diff_new(session->before.totals, session->after.totals, session->by, session->diag,
			  &diff) != TAKT_OK)
		return TAKT_EXIT_BAD;
	fine = report(session, diff);
	fine &= keep_limits(session, diff);
	takt_diff_free(diff);
	return fine ? TAKT_EXIT_FINE : TAKT_EXIT_BAD;
}

int takt_diff_main(struct takt_arguments *arguments)
{
	struct session session = {.arguments = arguments};
	int status;

	takt_arguments_take_format(arguments, OPTION_DIFF_FORMAT, OPTION_DIFF_REPORT);
	if (!read_options(&session) || !read_core(&session, &(struct wanted){0}) ||
	    !read_sides(&session))
		return TAKT_EXIT_USAGE;
	session.diag = takt_diag_new();
	status = compare(&session);
	takt_say_diag(session.diag);
	close_side(&session.before);
	close_side(&session.after);
	takt_diag_free(session.diag);
	return status;
}
