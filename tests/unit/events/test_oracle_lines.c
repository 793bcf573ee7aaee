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

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	return tap_done();
}
