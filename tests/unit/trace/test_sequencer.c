/* SPDX-License-Identifier: MIT */
#include "fixture.h"

/* As trace_record() makes them, but constant. */
#define RECORD(kind, value) ((uint64_t)(kind) << TRACE_SIZE_SHIFT | (value))
#define BLOCK(number) RECORD(TRACE_KIND_BLOCK, number)
#define START(number) RECORD(TRACE_KIND_START, number)
#define END RECORD(TRACE_KIND_END, 0)
#define LOAD(insn, address)                                                                        \
	(TRACE_ACCESS | (uint64_t)(insn) << TRACE_INSN_SHIFT | (uint64_t)3 << TRACE_SIZE_SHIFT |   \
	 (address))

static const struct {
	int line;
	const char *what;
	uint64_t records[16];
	size_t count, taken;
	const char *want;
} rows[] = {
	{__LINE__,
	 "a branch taken and not taken, with its loads",
	 {START(0), BLOCK(0), LOAD(0, 8), BLOCK(0), LOAD(0, 16), BLOCK(1), END},
	 7,
	 7,
	 "0:start\n0:0/2 taken l8@8\n0:0/2 not-taken l8@10\n0:1/0 interrupted\n0:end\n"},
	{__LINE__,
	 "a string instruction goes on",
	 {START(0), BLOCK(1), LOAD(0, 8), BLOCK(1), LOAD(0, 9), BLOCK(1), BLOCK(2)},
	 7,
	 7,
	 "0:start\n0:1/1 l8@8\n0:1/1 continues l8@9\n0:1/1 continues\n0:2/1\n0:end\n"},
	{__LINE__,
	 "a fault before the load: what is behind it did not run",
	 {START(0), BLOCK(0), BLOCK(3), LOAD(0, 8)},
	 4,
	 4,
	 "0:start\n0:0/0 interrupted\n0:3/1 l8@8\n0:end\n"},
	{__LINE__,
	 "a return without its load faulted",
	 {START(0), BLOCK(3), BLOCK(0), LOAD(0, 8), BLOCK(1)},
	 5,
	 5,
	 "0:start\n0:3/0 interrupted\n0:0/2 not-taken l8@8\n0:1/0 interrupted\n0:end\n"},
	{__LINE__,
	 "a signal after a block: it is complete, its branch unknown",
	 {START(0), BLOCK(0), LOAD(0, 8), BLOCK(2)},
	 4,
	 4,
	 "0:start\n0:0/2 l8@8\n0:2/1\n0:end\n"},
	{__LINE__,
	 "a system call completes its block",
	 {START(0), BLOCK(2), RECORD(TRACE_KIND_SYSCALL, 60)},
	 3,
	 3,
	 "0:start\n0:2/1\n0:syscall 60\n0:end\n"},
	{__LINE__, "nothing after the end", {START(0), END, START(0)}, 3, 2, "0:start\n0:end\n"},
	{__LINE__, "nothing before the start", {BLOCK(0)}, 1, 0, ""},
	{__LINE__, "no such block", {START(0), BLOCK(4)}, 2, 1, "0:start\n0:end\n"},
	{__LINE__,
	 "an access of no instruction is not the block's, nor are those behind it",
	 {START(0), BLOCK(0), LOAD(0, 8), LOAD(2, 0), LOAD(1, 0), BLOCK(2)},
	 6,
	 6,
	 "0:start\n0:0/2 l8@8\n0:2/1\n0:end\n"},
	{__LINE__, "an access of no block", {START(0), LOAD(0, 0)}, 2, 1, "0:start\n0:end\n"},
	{__LINE__,
	 "an access of no size",
	 {START(0), BLOCK(2), LOAD(0, 0) | (uint64_t)15 << TRACE_SIZE_SHIFT},
	 3,
	 2,
	 "0:start\n0:2/1\n0:end\n"},
	{__LINE__, "another thread's start", {START(1)}, 1, 0, ""},
	{__LINE__, "an unknown kind", {START(0), (uint64_t)9 << 48}, 2, 1, "0:start\n0:end\n"},
};

/* All at once, or one by one: the steps are the same. */
static void check_row(size_t index, bool singly)
{
	struct fixture_sink sink = FIXTURE_SINK;
	struct trace_dictionary dictionary;
	struct trace_sequencer sequencer;
	uint8_t blocks[512];
	size_t size = fixture_blocks(blocks), taken = 0;

	takt_trace_dictionary_init(&dictionary, fixture_guest("x86-64"));
	for (size_t at = 0; at < size;)
		at += takt_trace_dictionary_add(&dictionary, blocks + at, size - at);
	takt_trace_sequencer_init(&sequencer, &dictionary, &sink.sink, true);
	if (singly)
		while (taken < rows[index].count &&
		       takt_trace_sequencer_feed(&sequencer, 0, rows[index].records + taken, 1))
			taken++;
	else
		taken = takt_trace_sequencer_feed(&sequencer, 0, rows[index].records,
						  rows[index].count);
	takt_trace_sequencer_end(&sequencer);
	tap_is_string(__FILE__, rows[index].line, sink.text, rows[index].want, rows[index].what);
	if (!singly)
		tap_is_int(__FILE__, rows[index].line, (long long)taken,
			   (long long)rows[index].taken, "records taken");
	takt_trace_sequencer_release(&sequencer);
	takt_trace_dictionary_release(&dictionary);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		check_row(i, false);
		/* After an end, single records are refused as well, but later. */
		if (rows[i].taken == rows[i].count)
			check_row(i, true);
	}
	return tap_done();
}
