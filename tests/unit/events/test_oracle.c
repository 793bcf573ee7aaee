/* SPDX-License-Identifier: MIT */
#include "../trace/fixture.h"
#include "events/events.h"

#define RECORD(kind, value) ((uint64_t)(kind) << TRACE_SIZE_SHIFT | (value))
#define BLOCK(number) RECORD(TRACE_KIND_BLOCK, number)
#define SYSCALL(number) RECORD(TRACE_KIND_SYSCALL, number)
#define MARK(operation, value) SYSCALL(MARKER_SYSCALL | (operation) << 16 | (value))
#define START RECORD(TRACE_KIND_START, 0)
#define END RECORD(TRACE_KIND_END, 0)
#define LOAD(insn, address)                                                                        \
	(TRACE_ACCESS | (uint64_t)(insn) << TRACE_INSN_SHIFT | (uint64_t)3 << TRACE_SIZE_SHIFT |   \
	 (address))
#define STORE_BYTE(address) (TRACE_ACCESS | TRACE_STORE | (uint64_t)(address))
#define LOAD_BYTE(address) (TRACE_ACCESS | (uint64_t)(address))

/* Blocks of fixture.h: 0 load, jz; 1 rep movsb; 2 syscall; 3 ret. */
static const struct {
	int line;
	const char *what;
	uint64_t records[16];
	struct oracle_counts want, region;
} rows[] = {
	{__LINE__,
	 "a loop",
	 {START, BLOCK(0), LOAD(0, 64), BLOCK(0), LOAD(0, 72), BLOCK(1), END},
	 {.insns = 4, .loads = 2, .load_bytes = 16, .branches = 2, .conditional = 2, .taken = 1},
	 {0}},
	{__LINE__,
	 "a string instruction is one, its elements are accesses",
	 {START, BLOCK(1), LOAD_BYTE(8), STORE_BYTE(16), BLOCK(1), LOAD_BYTE(9), STORE_BYTE(17),
	  BLOCK(1), BLOCK(2), SYSCALL(1), END},
	 {.insns = 2, .loads = 2, .load_bytes = 2, .stores = 2, .store_bytes = 2, .syscalls = 1},
	 {0}},
	{__LINE__,
	 "a fault before the load",
	 {START, BLOCK(0), BLOCK(3), LOAD(0, 8), END},
	 {.insns = 1, .loads = 1, .load_bytes = 8, .branches = 1},
	 {0}},
	{__LINE__,
	 "a region, and its name",
	 {START, BLOCK(2), MARK(MARKER_NAME, 'r'), MARK(MARKER_DEFINE, 5), MARK(MARKER_START, 5),
	  BLOCK(0), LOAD(0, 8), BLOCK(2), SYSCALL(202), MARK(MARKER_STOP, 5), BLOCK(2), SYSCALL(1),
	  END},
	 {.insns = 5,
	  .loads = 1,
	  .load_bytes = 8,
	  .branches = 1,
	  .conditional = 1,
	  .syscalls = 2,
	  .futexes = 1},
	 {.insns = 3,
	  .loads = 1,
	  .load_bytes = 8,
	  .branches = 1,
	  .conditional = 1,
	  .syscalls = 1,
	  .futexes = 1}},
	{__LINE__,
	 "a region that does not end, but the thread does; and one within itself",
	 {START, MARK(MARKER_START, 5), BLOCK(2), MARK(MARKER_START, 5), BLOCK(2),
	  MARK(MARKER_STOP, 5), BLOCK(2), END},
	 {.insns = 3},
	 {.insns = 3}},
};

static void compare(int line, const struct oracle_counts *got, const struct oracle_counts *want,
		    const char *what)
{
#define X(field, name, unit, origin, text)                                                         \
	if (got->field != want->field)                                                             \
		tap_is_int(__FILE__, line, (long long)got->field, (long long)want->field, name);
	ORACLE_EVENT_LIST(X)
#undef X
	tap_is_int(__FILE__, line, memcmp(got, want, sizeof(*got)), 0, what);
}

static void check_row(size_t index)
{
	static const struct oracle_counts none;
	const struct oracle_options options = {0};
	struct trace_dictionary dictionary;
	struct trace_sequencer sequencer;
	struct oracle *oracle;
	uint8_t blocks[512];
	size_t size = fixture_blocks(blocks), count = 0;

	while (rows[index].records[count++] != END)
		continue;
	takt_trace_dictionary_init(&dictionary, fixture_guest("x86-64"));
	for (size_t at = 0; at < size;)
		at += takt_trace_dictionary_add(&dictionary, blocks + at, size - at);
	oracle = takt_oracle_new(&dictionary, &takt_isa_x86, &options, NULL);
	takt_trace_sequencer_init(&sequencer, &dictionary, takt_oracle_sink(oracle), true);
	ok(takt_trace_sequencer_feed(&sequencer, 0, rows[index].records, count) == count, "taken");
	takt_trace_sequencer_end(&sequencer);
	takt_oracle_finish(oracle);
	compare(rows[index].line, takt_oracle_thread(oracle, 0), &rows[index].want,
		rows[index].what);
	ok(takt_oracle_region_count(oracle) ==
		   (memcmp(&rows[index].region, &none, sizeof(none)) != 0),
	   "regions");
	if (takt_oracle_region_count(oracle)) {
		uint64_t entries;

		compare(rows[index].line, takt_oracle_region(oracle, 0, 0, &entries),
			&rows[index].region, "region");
	}
	takt_trace_sequencer_release(&sequencer);
	takt_oracle_free(oracle);
	takt_trace_dictionary_release(&dictionary);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++)
		check_row(i);
	return tap_done();
}
