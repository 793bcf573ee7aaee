/* SPDX-License-Identifier: MIT */
#include "import_fixture.h"

static const struct import_row rows[] = {
	{.line = __LINE__,
	 .text = "==12== Lackey\nI  00401000,3\n L 1fff000700,8\nI  00401003,4\nI  00401007,2\n"
		 "I  00401009,2\nI  00401000,3\n L 1fff000708,8\nI  00401003,4\nI  00401007,2\n"
		 "I  00401009,2\nI  0040100b,5\n S 1fff0006f8,8\nI  00401014,2\n S 1000,1\n"
		 "I  00401014,2\n S 1001,1\nI  00401014,2\nI  00401016,1\n L 1fff0006f8,8\n"
		 "I  00401010,2\n\n--12-- said\n",
	 .insns = 12,
	 .blocks = 6,
	 .taken = 1,
	 .not_taken = 1,
	 .loads = 3,
	 .stores = 3,
	 .repeats = 2,
	 .syscalls = 1},
	{.line = __LINE__,
	 .text = "I  401007,2\nI  401009,2\nI  58000000,5\n L 10,4\nI  401003,4\n",
	 .insns = 3,
	 .blocks = 2,
	 .left_out = 1},
	/* A modified place is a load and a store. */
	{.line = __LINE__,
	 .text = "I  00401007,2\n M 1fff000700,4\n",
	 .insns = 1,
	 .blocks = 1,
	 .loads = 1,
	 .stores = 1},

	{.line = __LINE__, .text = "I  401000,4\n", .error = ":1:4: error: the binary has no"},
	{.line = __LINE__, .text = "I  401001,3\n", .error = "the binary has no instruction"},
	{.line = __LINE__, .text = "I  401017,1\n", .error = "the binary has no instruction"},
	{.line = __LINE__, .text = "I  401000,3\n L 0,0\n", .error = ":2:4: error: no access"},
	{.line = __LINE__, .text = "I  401000,3\nhello\n", .error = ":2:1: error: neither"},
	{.line = __LINE__, .text = "I  401000,3 \n", .error = "neither an instruction"},
	{.line = __LINE__, .text = "I  401000\n", .error = "neither an instruction"},
	{.line = __LINE__, .text = "I  500000,3\n", .error = "none of its code is in a binary"},
	{.line = __LINE__, .text = " L 500000,3\n", .error = "has no instructions"},
};

int main(void)
{
	static const struct import_row none = {
		.line = __LINE__, .text = "I  401000,3\n", .error = "--binary=FILE"};
	uint8_t bytes[512];
	size_t size = fixture_program(bytes, EM_X86_64, ET_EXEC);
	struct fixture_file program = fixture_file(bytes, size);

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(&rows[i], TAKT_TRACE_LACKEY, program.path);
	check_row(&none, TAKT_TRACE_AUTO, NULL);
	return tap_done();
}
