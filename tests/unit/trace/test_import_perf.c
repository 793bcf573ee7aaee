/* SPDX-License-Identifier: MIT */
#include "import_fixture.h"

#define MAP "prog 1 PERF_RECORD_MMAP2 1/1: [0x555555555000(0x1000) @ %s 08:01 5 0]: r-xp /x/%s\n"

static const struct import_row rows[] = {
	/* 401000 to its jnz, twice; then the call, and to the return. */
	{.line = __LINE__,
	 .text = "# comment\nprog 1 2.5: 1 cycles: 401016 0x401016/0x401010/P/-/-/1 "
		 "0x40100b/0x401014/P/-/-/2  0x401009/0x401000/M/-/-/0/COND/- "
		 "0x401009/0x401000/P/-/-/0 \n\n",
	 .insns = 11,
	 .blocks = 5,
	 .taken = 1,
	 .not_taken = 1},
	/* Two samples: no branch leads from one to the other. */
	{.line = __LINE__,
	 .text = "0x401009/0x401000/P/-/-/1 0x401009/0x401000/P/-/-/1\n"
		 "0x401009/0x40100b/PN/-/-/1 0x401009/0x401000/P/-/-/1\n",
	 .insns = 8,
	 .blocks = 2,
	 .taken = 1,
	 .not_taken = 1},
	/* With the binaries' names. */
	{.line = __LINE__,
	 .text = "0x401009(/a b/x)/0x401000(/x)/P/-/-/1 0x401009(/x)/0x401000(/x)/-/X/A/1\n",
	 .insns = 4,
	 .blocks = 1,
	 .taken = 1},
	/* Runs that cannot be: into nothing, backwards, over a jump, past the branch. */
	{.line = __LINE__,
	 .text = "0x401009/0x401000/P/-/-/1 0x401009/0x401000/P/-/-/1 0x700000/0x401000/P/-/-/1 "
		 "0x401009/0x700000/P/-/-/1\n",
	 .insns = 8,
	 .blocks = 2,
	 .taken = 2,
	 .left_out = 1},
	{.line = __LINE__,
	 .text = "0x401016/0x401000/P/-/-/1 0x401016/0x401000/P/-/-/1\n"
		 "0x401008/0x401000/P/-/-/1 0x401008/0x401000/P/-/-/1\n"
		 "0x401000/0x401009/P/-/-/1 0x401000/0x401009/P/-/-/1\n"
		 "0x401009/0x401000/P/-/-/1 0x401009/0x401007/P/-/-/1\n",
	 .insns = 2,
	 .blocks = 1,
	 .taken = 1,
	 .left_out = 3},
	/* brstackinsn: no binary is needed. */
	{.line = __LINE__,
	 .text = "prog 1 2.5: 1 cycles: 401016\n\tf+4:\n"
		 "\t0000000000501000\tinsn: 48 ff c9\n\t0000000000501003\tinsn: 75 fb \t# PRED 3\n"
		 "\t0000000000501000\tinsn: 48 ff c9\n\t0000000000501003\tinsn: 75 fb \t# PRED 3\n"
		 "prog 1 2.6: 1 cycles: 401016\n\tf:\n\t0000000000501005\tinsn: 90\n",
	 .insns = 5,
	 .blocks = 3,
	 .taken = 1},

	{.line = __LINE__, .text = "0x401009/0x401000/P/-\n", .error = ":1:22: error: this is no"},
	{.line = __LINE__, .text = "0x401009/0x401000/P/-/-x\n", .error = "this is no branch"},
	{.line = __LINE__, .text = "0x401009/0x401000/\n", .error = "this is no branch"},
	{.line = __LINE__,
	 .text = "0x401009/0x12345678123456781/P/-/-\n",
	 .error = ":1:10: error: this"},
	{.line = __LINE__, .text = " 401000\tinsn: 48 ff\n", .error = "these bytes are no"},
	{.line = __LINE__, .text = " 401000\tinsn:\n", .error = "these bytes are no instruction"},
	{.line = __LINE__, .text = "prog 1\n", .error = "has no instructions"},
};

/* A program that can lie anywhere lies where perf says. */
static void check_mapping(void)
{
	uint8_t bytes[512];
	size_t size = fixture_program(bytes, EM_X86_64, ET_DYN);
	struct fixture_file program = fixture_file(bytes, size);
	const char *name = strrchr(program.path, '/') + 1;
	char text[1024];
	struct import_row row = {
		.line = __LINE__, .text = text, .insns = 4, .blocks = 1, .taken = 1};

	/* Offset 0 of the file is there, and its code 120 bytes behind it for 0x1000. */
	snprintf(text, sizeof(text),
		 MAP
		 "0x555555555081/0x555555555078/P/-/-/1 0x555555555081/0x555555555078/P/-/-/1\n",
		 "0", name);
	check_row(&row, TAKT_TRACE_AUTO, program.path);
	row.error = "none of its code";
	row.line = __LINE__;
	snprintf(text, sizeof(text),
		 MAP
		 "0x555555555081/0x555555555078/P/-/-/1 0x555555555081/0x555555555078/P/-/-/1\n",
		 "0", "other");
	check_row(&row, TAKT_TRACE_AUTO, program.path);
	close(program.descriptor);
}

int main(void)
{
	static const struct import_row none = {
		.line = __LINE__,
		.text = "0x401009/0x401000/P/-/-/1 0x401009/0x401000/P/-/-/1\n",
		.error = "--binary=FILE"};
	uint8_t bytes[512];
	size_t size = fixture_program(bytes, EM_X86_64, ET_EXEC);
	struct fixture_file program = fixture_file(bytes, size);

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(&rows[i], TAKT_TRACE_PERF, program.path);
	check_row(&none, TAKT_TRACE_AUTO, NULL);
	check_mapping();
	return tap_done();
}
