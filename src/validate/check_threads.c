/* SPDX-License-Identifier: MIT */
/* Checks with two threads: lines that both write, and work that is distributed unevenly. */
#include <stdlib.h>

#include "validate/check.h"

#define SHARED_LINES 64u
#define ROWS 32u

/*
 * Check sharing. Both threads write eight bytes of each of some lines: the same bytes, others in
 * the same lines, or bytes in lines of their own. How often each thread gets a line depends on
 * chance; that they share it does not.
 */
bool takt_check_sharing(struct check *check)
{
	static const struct {
		const char *name;
		uint64_t offset;
		bool shared, falsely;
	} layouts[] = {
		{"touch: same bytes", 0, true, false},
		{"touch: same lines", 8, true, true},
		{"touch: own lines", (uint64_t)SHARED_LINES * TAKT_LINE_BYTES, false, false},
	};
	const struct check_how how = {.lines = true};
	const uint64_t stream_bytes = (uint64_t)SHARED_LINES * TAKT_LINE_BYTES;
	struct program program = {
		.thread_count = 2, .pitch_bytes = 0, .data_bytes = 2 * stream_bytes};

	if (takt_kernel_request("touch", check->isa, check->diag, &program.request) != TAKT_OK)
		return false;
	for (size_t i = 0; i < TAKT_COUNT_OF(layouts); i++) {
		struct check_run run;

		program.threads[0] =
			(struct program_thread){.stream_bytes = stream_bytes, .repeats = 100};
		program.threads[1] = program.threads[0];
		program.threads[1].offset = layouts[i].offset;
		if (!takt_check_run(check, &program, &how, layouts[i].name, &run))
			return false;
		for (uint32_t k = 0; k < 2; k++) {
			ADD_CASE(check, .event = "SHARED_LINES_WRITTEN", .kernel = layouts[i].name,
				 .level = "", .thread = k,
				 .expected = layouts[i].shared ? SHARED_LINES : 0,
				 .counted = (double)run.threads[k].shared_lines,
				 .scale = SHARED_LINES);
			ADD_CASE(check, .event = "FALSELY_SHARED_LINES", .kernel = layouts[i].name,
				 .level = "", .thread = k,
				 .expected = layouts[i].falsely ? SHARED_LINES : 0,
				 .counted = (double)run.threads[k].falsely_shared_lines,
				 .scale = SHARED_LINES);
		}
	}
	return true;
}

/* ---- lines shared at known rates ---- */

#define ORDER_LINES 64u

const uint32_t takt_check_rates[CHECK_RATES] = {0, 1, 2, 4, 8, 16, 32, 48, ORDER_LINES};

enum takt_status takt_check_make_order(struct check *check, uint32_t rate, uint64_t offset,
				       uint64_t repeats, struct program *ret_program)
{
	const uint64_t bytes = (uint64_t)ORDER_LINES * TAKT_LINE_BYTES;
	struct program program = {.thread_count = 2, .data_bytes = 2 * bytes};

	if (takt_kernel_request("touch", check->isa, check->diag, &program.request) != TAKT_OK ||
	    takt_kernel_request("cl_load", check->isa, check->diag, &check->reader) != TAKT_OK)
		return TAKT_NOT_FOUND;
	program.threads[0] =
		(struct program_thread){(ORDER_LINES - rate) * (uint64_t)TAKT_LINE_BYTES + offset,
					bytes, repeats, &check->reader};
	program.threads[1] = (struct program_thread){0, bytes, repeats, NULL};
	*ret_program = program;
	return TAKT_OK;
}

/* Check counts of shared lines: one thread reads what the other one writes, or bytes beside it. */
static bool check_order(struct check *check, bool falsely)
{
	const char *event = falsely ? "FALSELY_SHARED_LINES" : "SHARED_LINES_WRITTEN";
	const char *name = falsely ? "touch and cl_load: same lines" : "touch and cl_load";
	const struct check_how how = {.lines = true};

	for (size_t i = 0; i < CHECK_RATES; i++) {
		double rate = takt_check_rates[i], sum = 0;
		struct program program;
		struct check_run run;

		if (takt_check_make_order(check, takt_check_rates[i], falsely ? 8 : 0, 100,
					  &program) != TAKT_OK ||
		    !takt_check_run(check, &program, &how, name, &run))
			return false;
		for (uint32_t k = 0; k < 2; k++) {
			double shared = (double)run.threads[k].shared_lines;
			double falsely_shared = (double)run.threads[k].falsely_shared_lines;

			ADD_CASE(check, .event = "SHARED_LINES_WRITTEN", .kernel = name,
				 .level = "", .thread = k, .expected = rate, .counted = shared,
				 .scale = ORDER_LINES);
			ADD_CASE(check, .event = "FALSELY_SHARED_LINES", .kernel = name,
				 .level = "", .thread = k, .expected = falsely ? rate : 0,
				 .counted = falsely_shared, .scale = ORDER_LINES);
			sum += falsely ? falsely_shared : shared;
		}
		takt_trust_list_sample(check->list, event, rate, sum);
	}
	return true;
}

bool takt_check_order(struct check *check)
{
	return check_order(check, false) && check_order(check, true);
}

/*
 * Check a product of a triangular matrix and a vector, with half of the rows for each of two
 * threads: the counts of each thread, and so their ratio, which is near 3.
 */
bool takt_check_imbalance(struct check *check)
{
	const struct check_how how = {.lines = false};
	struct kernel_code *code;
	struct oracle_counts each[2][2];
	struct check_run runs[2];
	struct program program = {.thread_count = 2};
	uint64_t step;
	bool fine = true;

	if (takt_kernel_request("triangle", check->isa, check->diag, &program.request) != TAKT_OK)
		return false;
	code = takt_xcalloc(1, sizeof(*code));
	takt_kernel_emit(&program.request, code);
	step = code->trip_bytes;
	/* The data are the packed rows of the matrix, then the vector, then the result. */
	program.pitch_bytes = step * 2 * ROWS * (2 * ROWS + 1) * 2;
	program.data_bytes = 3 * program.pitch_bytes;
	for (uint32_t twice = 0; fine && twice < 2; twice++) {
		uint64_t rows = ROWS << twice;

		for (uint32_t k = 0; k < 2; k++) {
			program.threads[k] = (struct program_thread){
				.offset = k * rows * 8,
				.stream_bytes = step * (1 + k * rows),
				.repeats = rows,
			};
			takt_kernel_expect(code, program.threads[k].stream_bytes, rows,
					   &each[twice][k]);
		}
		fine = takt_check_run(check, &program, &how, "triangle", &runs[twice]);
	}
	for (size_t i = 0; fine && i < takt_check_event_count; i++)
		for (uint32_t k = 0; k < 2; k++) {
			uint64_t expected =
				takt_check_value(&each[1][k], i) - takt_check_value(&each[0][k], i);
			uint64_t counted = takt_check_value(&runs[1].threads[k], i) -
					   takt_check_value(&runs[0].threads[k], i);

			if (takt_check_events[i].origin == TAKT_COUNTED && expected)
				ADD_CASE(check, .event = takt_check_events[i].name,
					 .kernel = "triangle", .level = "", .thread = k,
					 .expected = (double)expected, .counted = (double)counted,
					 .scale = 1);
		}
	free(code);
	return fine;
}
