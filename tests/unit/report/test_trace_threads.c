/* SPDX-License-Identifier: MIT */
/* Tables of threads and programs: their rows, and the columns that only some traces have. */
#include "../tap.h"
#include "report/trace.h"

static struct takt_trace_counts threads[] = {
	{.insns = 1500, .cycles = 1000, .blocks = 20, .loads = 7, .stores = 3, .syscalls = 2},
	{.insns = 12},
};

static struct takt_trace_process programs[] = {
	{.command = "sh -c work",
	 .begin = TAKT_TRACE_BEGIN_START,
	 .end = TAKT_TRACE_END_SIGNAL,
	 .thread_count = 1,
	 .counts = {.insns = 1234567, .cycles = 5}},
	{.command = "work",
	 .begin = TAKT_TRACE_BEGIN_FORK,
	 .end = TAKT_TRACE_END_EXIT,
	 .exit_status = 3,
	 .thread_count = 2},
};

static void test_threads(void)
{
	struct takt_trace_totals totals = {
		.core = "CORE", .threads = threads, .thread_count = TAKT_COUNT_OF(threads)};
	struct takt_text text = {0};

	takt_trace_print_threads(&totals, &text);
	ok(strstr(text.data, "\n     0              1,000    1.50              1,500 ") &&
		   strstr(text.data, "\n     1                  0    0.00                 12 "),
	   "a thread has its number, cycles, instructions per cycle and instructions");
	totals.core = NULL;
	takt_text_clear(&text);
	takt_trace_print_threads(&totals, &text);
	ok(!strstr(text.data, "cycles") && strstr(text.data, "loads"),
	   "without a core there are no cycles");
	totals.blocks_only = true;
	takt_text_clear(&text);
	takt_trace_print_threads(&totals, &text);
	ok(!strstr(text.data, "loads") && strstr(text.data, "system calls"),
	   "with blocks alone there are no loads");
	takt_text_release(&text);
}

static void test_programs(void)
{
	struct takt_trace_totals totals = {.core = "CORE", .process_list = programs};
	struct takt_text text = {0};

	totals.process_count = 1;
	takt_trace_print_programs(&totals, &text);
	ok(text.size_bytes == 0, "one program has no table");
	totals.process_count = TAKT_COUNT_OF(programs);
	takt_trace_print_programs(&totals, &text);
	ok(strstr(text.data,
		  "\n      0  start                          5          1,234,567        1"
		  "  killed     sh -c work\n") &&
		   strstr(text.data, "\n      1  fork of 0 ") &&
		   strstr(text.data, "        2  exit 3     work\n"),
	   "a program has how it began and ended, its figures and its command");
	takt_text_release(&text);
}

int main(void)
{
	test_threads();
	test_programs();
	return tap_done();
}
