/* SPDX-License-Identifier: MIT */
/*
 * Runs each kernel twice, the second time with twice as many repetitions: the difference of the
 * counts is known exactly.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/check.h"

#define REPEATS 10u
#define TRIPS 8u

const struct check_event takt_check_events[] = {
#define X(field, name, unit, origin, what)                                                         \
	{name, offsetof(struct oracle_counts, field), TAKT_##origin},
	ORACLE_EVENT_LIST(X)
#undef X
};

const size_t takt_check_event_count = TAKT_COUNT_OF(takt_check_events);

uint64_t takt_check_value(const struct oracle_counts *counts, size_t event)
{
	uint64_t value;

	memcpy(&value, (const char *)counts + takt_check_events[event].offset, sizeof(value));
	return value;
}

/* ---- a run ---- */

static void look(void *context, const struct oracle *oracle,
		 const struct trace_dictionary *dictionary)
{
	struct check_run *run = context;

	(void)dictionary;
	run->thread_count = takt_oracle_thread_count(oracle);
	for (uint32_t i = 0; i < run->thread_count && i < PROGRAM_THREADS_MAX; i++)
		run->threads[i] = *takt_oracle_thread(oracle, i);
}

static bool report_end(struct check *check, const char *what, const struct program *program,
		       const struct check_run *run, const struct takt_trace_totals *totals)
{
	if (totals->signal)
		takt_error(check->diag, "kernel %s ended by signal %d", what, totals->signal);
	else if (totals->exit_status)
		takt_error(check->diag, "kernel %s ended with status %d", what,
			   totals->exit_status);
	else if (run->thread_count != program->thread_count)
		takt_error(check->diag, "kernel %s had %u %s instead of %u", what,
			   run->thread_count, takt_noun(run->thread_count, "thread", "threads"),
			   program->thread_count);
	else
		return true;
	takt_note(check->diag, "the emulator may lack its instructions; '--kernels' names others");
	return false;
}

bool takt_check_run(struct check *check, const struct program *program, const struct check_how *how,
		    const char *what, struct check_run *ret_run)
{
	static const struct takt_trace_options trace;
	struct check_run run = {.thread_count = 0};
	struct emulate_options options = {
		.oracle = {.lines = how->lines}, .trace = &trace, .look = look, .context = &run};
	char *argv[] = {check->path, NULL};
	struct takt_trace_totals *totals;
	bool fine;

	if (check->options->progress && !check->options->progress(check->options->context, what)) {
		check->stopped = true;
		return false;
	}
	if (how->caches)
		options.oracle.model = check->options->model;
	if (takt_kernel_program_write(program, check->path, check->diag) != TAKT_OK ||
	    takt_emulate(argv, &options, check->diag, &totals) != TAKT_OK)
		return false;
	fine = report_end(check, what, program, &run, totals);
	takt_trace_totals_free(totals);
	if (fine)
		*ret_run = run;
	return fine;
}

/* ---- one thread ---- */

static bool run_twice(struct check *check, struct program *program, const struct check_how *how,
		      const char *what, struct check_run runs[2])
{
	if (!takt_check_run(check, program, how, what, &runs[0]))
		return false;
	program->threads[0].repeats *= 2;
	return takt_check_run(check, program, how, what, &runs[1]);
}

static bool is_event(size_t event, const char *name)
{
	return strcmp(takt_check_events[event].name, name) == 0;
}

/*
 * True if the kernel's operations touch exactly its streams; for other operations, the touched data
 * are not derived.
 */
static bool touches_all(const struct kernel *kernel)
{
	for (size_t i = 0; i < kernel->op_count; i++)
		if (kernel->ops[i].kind >= KERNEL_CHAIN && kernel->ops[i].kind != KERNEL_ATOMIC)
			return false;
	return true;
}

/* Return the number of streams that a kernel reads or writes. */
static uint32_t touched_streams(const struct kernel_code *code)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		count += code->reads[i] || code->writes[i];
	return count;
}

/*
 * True if a stream leaves the caches: a non-temporal store evicts a line even if it was read
 * before.
 */
static bool leaves(const struct kernel_code *code, uint32_t stream)
{
	return code->non_temporal && code->writes[stream];
}

uint32_t takt_check_cached(const struct kernel_code *code)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++)
		count += (code->reads[i] || code->writes[i]) && !leaves(code, i);
	return count ? count : touched_streams(code);
}

/* Add the cases about distinct lines, which are counted over the whole run. */
static void add_lines(struct check *check, const struct kernel_code *code,
		      const struct program *program, const char *name, const struct check_run *run)
{
	const struct kernel_request *request = &program->request;
	uint64_t lines = touched_streams(code) * program->threads[0].stream_bytes / TAKT_LINE_BYTES;
	bool halves = request->kernel->ops[0].kind == KERNEL_LOAD_HALF;
	uint64_t used = request->kernel->by_line ? lines * 8 : lines * TAKT_LINE_BYTES;

	if (!touches_all(request->kernel))
		return;
	if (halves) /* half of B, one of the two streams, is not used */
		used -= program->threads[0].stream_bytes / 2;
	ADD_CASE(check, .event = "LINES_TOUCHED", .kernel = name, .level = "",
		 .expected = (double)lines, .counted = (double)run->threads[0].lines_touched,
		 .scale = 1);
	ADD_CASE(check, .event = "LINE_BYTES_USED", .kernel = name, .level = "",
		 .expected = (double)used, .counted = (double)run->threads[0].line_bytes_used,
		 .scale = 1);
}

bool takt_check_counts(struct check *check, const struct kernel_request *request)
{
	const struct check_how how = {.lines = true};
	struct kernel_code *code = takt_xcalloc(1, sizeof(*code));
	struct oracle_counts expected;
	struct check_run runs[2];
	struct program program;
	char name[KERNEL_NAME_MAX];
	bool fine;

	takt_kernel_name(request, name);
	takt_kernel_emit(request, code);
	takt_kernel_program_make(request, code, (uint64_t)code->trip_bytes * TRIPS, REPEATS,
				 &program);
	takt_kernel_expect(code, program.threads[0].stream_bytes, REPEATS, &expected);
	fine = run_twice(check, &program, &how, name, runs);
	for (size_t i = 0; fine && i < takt_check_event_count; i++) {
		uint64_t counted = takt_check_value(&runs[1].threads[0], i) -
				   takt_check_value(&runs[0].threads[0], i);

		if (takt_check_events[i].origin != TAKT_COUNTED || is_event(i, "LINES_TOUCHED") ||
		    is_event(i, "LINE_BYTES_USED"))
			continue;
		ADD_CASE(check, .event = takt_check_events[i].name, .kernel = name, .level = "",
			 .expected = (double)takt_check_value(&expected, i),
			 .counted = (double)counted, .scale = (double)expected.insns);
	}
	if (fine)
		add_lines(check, code, &program, name, &runs[1]);
	free(code);
	return fine;
}

/* ---- volumes ---- */

/*
 * Return the cache of an event like "L1_LINES_IN", and whether it counts lines that come in;
 * KERNEL_LEVELS: no such event.
 */
static enum kernel_level event_cache(const char *event, bool *ret_in)
{
	*ret_in = strcmp(event + 2, "_LINES_IN") == 0;
	if (event[0] != 'L' || (!*ret_in && strcmp(event + 2, "_LINES_OUT") != 0))
		return KERNEL_LEVELS;
	return (enum kernel_level)(event[1] - '1');
}

/*
 * Return the lines that an event counts. Data in a level pass through all levels before it in each
 * repetition: every line that is read or written comes in, and every line that was written goes
 * out. A line of non-temporal stores comes in only if it is read, from memory whatever the level,
 * and passes no cache on its way out.
 */
double takt_check_volume(const struct check *check, const struct kernel_code *code,
			 const struct program *program, const char *event, enum kernel_level level)
{
	uint64_t lines = program->threads[0].stream_bytes / check->caches.line_bytes;
	bool in, non_temporal = strcmp(event, "NT_LINES") == 0;
	enum kernel_level cache = event_cache(event, &in);
	uint32_t streams = 0;

	for (uint32_t i = 0; i < KERNEL_STREAMS_MAX; i++) {
		if (leaves(code, i))
			streams += in ? code->reads[i] : non_temporal || cache == KERNEL_L3;
		else if (cache < level && !non_temporal)
			streams += in ? code->reads[i] || code->writes[i] : code->writes[i];
	}
	return (double)(lines * streams);
}

static void add_volumes(struct check *check, const struct kernel_code *code,
			const struct program *program, enum kernel_level level, const char *name,
			const struct check_run runs[2])
{
	uint64_t lines = program->threads[0].stream_bytes / check->caches.line_bytes;

	for (size_t i = 0; i < takt_check_event_count; i++) {
		const char *event = takt_check_events[i].name;
		bool in;
		enum kernel_level cache = event_cache(event, &in);
		bool non_temporal = strcmp(event, "NT_LINES") == 0;
		uint64_t counted = takt_check_value(&runs[1].threads[0], i) -
				   takt_check_value(&runs[0].threads[0], i);

		if (non_temporal || (cache < KERNEL_MEM && check->caches.bytes[cache]))
			ADD_CASE(check, .event = event, .kernel = name,
				 .level = takt_kernel_level_names[level],
				 .expected = takt_check_volume(check, code, program, event, level),
				 .counted = (double)counted,
				 .scale = (double)(touched_streams(code) * lines));
	}
}

bool takt_check_volumes(struct check *check, const struct kernel_request *request,
			enum kernel_level level)
{
	const struct check_how how = {.caches = true};
	struct kernel_code *code;
	struct check_run runs[2];
	struct program program;
	char name[KERNEL_NAME_MAX], note[160];
	const char *reason;
	uint64_t bytes = takt_kernel_level_bytes(&check->caches, level, 1, &reason);
	uint32_t streams;
	bool fine;

	if (!bytes) {
		snprintf(note, sizeof(note), "no volumes of data in %s: %s",
			 takt_kernel_level_names[level], reason);
		takt_trust_list_note(check->list, note);
		return true;
	}
	code = takt_xcalloc(1, sizeof(*code));
	takt_kernel_name(request, name);
	takt_kernel_emit(request, code);
	streams = takt_check_cached(code);
	takt_kernel_program_make(request, code, bytes / streams, 1, &program);
	fine = run_twice(check, &program, &how, name, runs);
	if (fine)
		add_volumes(check, code, &program, level, name, runs);
	free(code);
	return fine;
}
