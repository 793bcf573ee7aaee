/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include "events/oracle.h"

#define TOUCHES_MAX 4

static const struct {
	int line;
	const char *what;
	bool alone; /* the first touch is before there are others */
	struct {
		uint32_t thread;
		uint64_t bytes;
		bool store;
	} touches[TOUCHES_MAX];
	bool shared, truly, falsely;
	uint64_t used[3];
} rows[] = {
	{__LINE__,
	 "one thread",
	 false,
	 {{1, 0xff, true}, {1, 0xf00, false}},
	 false,
	 false,
	 false,
	 {0, 12, 0}},
	{__LINE__,
	 "both read",
	 false,
	 {{1, 0xff, false}, {2, 0xff, false}},
	 false,
	 false,
	 false,
	 {0, 8, 8}},
	{__LINE__,
	 "one writes what the other reads",
	 false,
	 {{1, 0xff, true}, {2, 0x80, false}},
	 true,
	 true,
	 false,
	 {0, 8, 1}},
	{__LINE__,
	 "one writes beside what the other reads",
	 false,
	 {{1, 0xff, true}, {2, 0xff00, false}},
	 true,
	 false,
	 true,
	 {0, 8, 8}},
	{__LINE__,
	 "both write, side by side",
	 false,
	 {{1, 0xff, true}, {2, 0xff00, true}},
	 true,
	 false,
	 true,
	 {0, 8, 8}},
	{__LINE__,
	 "a third reads both",
	 false,
	 {{1, 0xff, true}, {2, 0xff00, true}, {0, 0xffff, false}},
	 true,
	 true,
	 true,
	 {16, 8, 8}},
	{__LINE__,
	 "written by the first while it was alone",
	 true,
	 {{0, 0xffff, true}, {1, 0xff, true}, {2, 0xff00, true}},
	 true,
	 false,
	 true,
	 {16, 8, 8}},
	{__LINE__,
	 "bytes of the first, before and after, are its own once",
	 true,
	 {{0, 0xff, true}, {0, 0xfff, false}},
	 false,
	 false,
	 false,
	 {12, 0, 0}},
};

static void check_row(size_t index)
{
	struct oracle_lines *lines = oracle_lines_new();
	struct oracle_counts counts[3] = {{0}};
	struct oracle_counts *results[] = {&counts[0], &counts[1], &counts[2]};
	const struct oracle_line *shared;
	size_t count;

	for (size_t i = 0; i < TOUCHES_MAX && rows[index].touches[i].bytes; i++) {
		const struct oracle_touch touch = {
			.line = 0x1000,
			.bytes = rows[index].touches[i].bytes,
			.accesses = 1 + i,
			.thread = rows[index].touches[i].thread,
			.block = 9,
			.store = rows[index].touches[i].store,
		};

		if (i == rows[index].alone)
			oracle_lines_begin_sharing(lines);
		oracle_lines_touch(lines, &touch);
	}
	oracle_lines_finish(lines, results);
	shared = oracle_lines_list(lines, &count);
	tap_is_int(__FILE__, rows[index].line, (long long)count, rows[index].shared,
		   rows[index].what);
	if (count) {
		tap_is_int(__FILE__, rows[index].line, shared->truly, rows[index].truly, "truly");
		tap_is_int(__FILE__, rows[index].line, shared->falsely, rows[index].falsely,
			   "falsely");
		ok(shared->address == 0x40000 && shared->users[0].block == 9 &&
			   shared->users[0].accesses >= shared->users[1].accesses,
		   "where, and who most");
	}
	for (size_t i = 0; i < 3; i++) {
		tap_is_int(__FILE__, rows[index].line, (long long)counts[i].line_bytes_used,
			   (long long)rows[index].used[i], "bytes used");
		ok(counts[i].lines_touched == (rows[index].used[i] != 0), "lines touched");
	}
	oracle_lines_free(lines);
}

/* ---- whose pages they are ---- */

static const struct {
	int line;
	const char *what;
	unsigned alone; /* so many touches are before there are others */
	struct {
		uint32_t thread, line_in_page;
		bool store;
	} touches[TOUCHES_MAX];
	uint64_t lines, unplaced, of[3]; /* of thread 1 */
} page_rows[] = {
	{__LINE__, "nobody wrote", 0, {{1, 1, false}, {2, 2, false}}, 0, 0, {0}},
	{__LINE__, "its own", 0, {{1, 1, true}, {1, 2, false}, {1, 2, true}}, 2, 0, {0, 2, 0}},
	{__LINE__, "another's", 0, {{2, 9, true}, {1, 2, false}}, 1, 0, {0, 0, 1}},
	{__LINE__,
	 "written by the first alone, then by others",
	 1,
	 {{0, 63, true}, {1, 2, true}, {2, 2, true}},
	 1,
	 0,
	 {1, 0, 0}},
	{__LINE__,
	 "only read by the first alone",
	 1,
	 {{0, 1, false}, {1, 2, true}},
	 1,
	 0,
	 {0, 1, 0}},
	{__LINE__, "two write beside each other", 0, {{2, 0, true}, {1, 1, true}}, 1, 1, {0}},
	{__LINE__, "another page", 0, {{2, 64, true}, {1, 1, true}}, 1, 0, {0, 1, 0}},
};

static void check_pages(size_t index)
{
	struct oracle_lines *lines = oracle_lines_new();
	struct oracle_counts counts[3] = {{0}};
	struct oracle_counts *results[] = {&counts[0], &counts[1], &counts[2]};
	const struct oracle_placement *placement;
	int line = page_rows[index].line;
	const char *what = page_rows[index].what;

	for (unsigned i = 0; i < TOUCHES_MAX; i++) {
		const struct oracle_touch touch = {
			.line = 0x1000 + page_rows[index].touches[i].line_in_page,
			.bytes = 0xff,
			.accesses = 1,
			.thread = page_rows[index].touches[i].thread,
			.block = 4 + i,
			.store = page_rows[index].touches[i].store,
		};

		if (i == page_rows[index].alone)
			oracle_lines_begin_sharing(lines);
		if (i == 0 || page_rows[index].touches[i].thread)
			oracle_lines_touch(lines, &touch);
	}
	oracle_lines_finish(lines, results);
	placement = oracle_lines_placement(lines, 1);
	ok(placement || !page_rows[index].lines, "%s", what);
	if (placement) {
		tap_is_int(__FILE__, line, (long long)placement->lines,
			   (long long)page_rows[index].lines, what);
		tap_is_int(__FILE__, line, (long long)placement->unplaced,
			   (long long)page_rows[index].unplaced, "not known whose");
		for (unsigned i = 0; i < 3; i++)
			tap_is_int(__FILE__, line, (long long)placement->of[i],
				   (long long)page_rows[index].of[i], "in pages of a thread");
		if (page_rows[index].of[2])
			ok(placement->writer == 4 && placement->user == 5, "by which blocks");
	}
	ok(oracle_lines_placement(lines, 7) == NULL, "no such thread");
	oracle_lines_free(lines);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	for (size_t i = 0; i < TAKT_COUNT_OF(page_rows); i++)
		check_pages(i);
	return tap_done();
}
