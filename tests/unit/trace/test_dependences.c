/* SPDX-License-Identifier: MIT */
/* Which loads read what which stores wrote, and how far apart they are. */
#include "program.h"

#include "trace/depend/dependences.h"

#define SIZE_1 0u
#define SIZE_2 1u
#define ACCESS(insn, kind, size, address)                                                          \
	(TRACE_ACCESS | (uint64_t)(insn) << TRACE_INSN_SHIFT | (kind) |                            \
	 (uint64_t)(size) << TRACE_SIZE_SHIFT | (address))
#define LOAD(insn, size, address) ACCESS(insn, 0, size, address)
#define STORE(insn, size, address) ACCESS(insn, TRACE_STORE, size, address)

static const struct takt_trace_dependences *observe(const uint64_t *records, size_t count,
						    uint32_t pages_max)
{
	static const struct trace_sink nothing = {.executed = NULL};
	const struct takt_trace_dependences *result;
	struct trace_dependences dependences;
	struct trace_dictionary dictionary;
	struct trace_sequencer sequencer;
	struct trace_sink sink = nothing;

	program_load(&dictionary);
	takt_trace_dependences_init(&dependences, &sink);
	if (pages_max)
		dependences.pages_max = pages_max;
	takt_trace_sequencer_init(&sequencer, &dictionary, &dependences.sink, true);
	ok(takt_trace_sequencer_feed(&sequencer, 0, records, count) == count, "records are read");
	takt_trace_sequencer_end(&sequencer);
	result = takt_trace_dependences_finish(&dependences, &dictionary);
	takt_trace_sequencer_release(&sequencer);
	takt_trace_dependences_release(&dependences);
	takt_trace_dictionary_release(&dictionary);
	return result;
}

/* A block that is a loop: x[i] = x[i - 2]. */
static void check_loop(void)
{
	uint64_t records[64] = {START(0)};
	const struct takt_trace_dependences *found;
	size_t count = 1;

	for (uint64_t i = 0; i < 6; i++) {
		records[count++] = RUN(W_LOOP);
		records[count++] = LOAD(0, TRACE_SIZE_8, 0x7000 + 8 * i);
		records[count++] = STORE(1, TRACE_SIZE_8, 0x7010 + 8 * i);
	}
	records[count++] = END;
	found = observe(records, count, 0);
	is_int((long long)found->loads, 6, "loads");
	is_int((long long)found->fed_loads, 4, "those that read what the loop stored");
	if (is_int(found->row_count, 1, "one pair")) {
		const struct takt_trace_dependence *row = &found->rows[0];

		ok(row->is_loop && row->iterations == 2 && row->count == 4 && row->whole == 4,
		   "two iterations apart, four times");
		/* Two instructions an iteration, less the place of the store behind the load. */
		is_int((long long)row->least_insns, 3, "least distance");
		is_near(row->mean_insns, 3, "mean distance");
		is_string(row->store.function, "work", "function");
		is_int((long long)row->store.offset, 0x22, "offset of the store");
		is_int((long long)row->load.offset, 0x21, "offset of the load");
		is_int((long long)row->load.address, PROGRAM_BASE + 0x1121, "address");
	}
	takt_trace_dependences_free(found);
}

/* Bytes of several stores, of one, and of none. */
static void check_bytes(void)
{
	static const uint64_t records[] = {START(0),
					   RUN(M),
					   STORE(0, TRACE_SIZE_8, 0x7000),
					   RUN(W_INTO),
					   STORE(0, SIZE_2, 0x7006),
					   STORE(1, SIZE_1, 0x7007),
					   LOAD(2, SIZE_2, 0x7004),
					   RUN(W_LOOP),
					   LOAD(0, TRACE_SIZE_8, 0x7000),
					   LOAD(1, TRACE_SIZE_8, 0x6ffc),
					   RUN(W_OUT),
					   LOAD(0, TRACE_SIZE_8, 0x8000),
					   END};
	/* Loads that each store feeds, and those that read nothing else. */
	static const struct {
		uint64_t store, load;
		int whole, is_loop;
	} wanted[] = {
		{0x1000, 0x1122, 1, 0},
		{0x1000, 0x1121, 0, 0},
		{0x1120, 0x1121, 0, 1},
		{0x1121, 0x1121, 0, 1},
	};
	const struct takt_trace_dependences *found = observe(records, TAKT_COUNT_OF(records), 0);

	is_int((long long)found->loads, 4, "loads");
	is_int((long long)found->fed_loads, 3, "loads of bytes that were stored");
	for (size_t i = 0; i < TAKT_COUNT_OF(wanted); i++) {
		bool is_there = false;

		for (uint32_t k = 0; k < found->row_count; k++)
			is_there =
				is_there ||
				(found->rows[k].store.address == PROGRAM_BASE + wanted[i].store &&
				 found->rows[k].load.address == PROGRAM_BASE + wanted[i].load &&
				 (int)found->rows[k].whole == wanted[i].whole &&
				 found->rows[k].is_loop == (wanted[i].is_loop != 0));
		ok(is_there, "pair %zu", i);
	}
	takt_trace_dependences_free(found);
}

/* A distance beyond what is remembered is not known, and a program may use too much memory. */
static void check_limits(void)
{
	static uint64_t records[3 * DEPENDENCES_RECENT + 16];
	const struct takt_trace_dependences *found;
	size_t count = 0;

	records[count++] = START(0);
	records[count++] = RUN(W_LOOP);
	records[count++] = STORE(0, TRACE_SIZE_8, 0x7000);
	for (uint32_t i = 0; i < DEPENDENCES_RECENT; i++) {
		records[count++] = RUN(W_LOOP);
		records[count++] = STORE(0, TRACE_SIZE_8, 0x7008);
	}
	records[count++] = LOAD(0, TRACE_SIZE_8, 0x7000);
	records[count++] = END;
	found = observe(records, count, 0);
	if (is_int(found->row_count, 1, "a pair far apart"))
		ok(!found->rows[0].is_loop && found->rows[0].least_insns == 128, "how far");
	takt_trace_dependences_free(found);

	count = 0;
	records[count++] = START(0);
	records[count++] = RUN(W_LOOP);
	records[count++] = STORE(0, TRACE_SIZE_8, 0x7000);
	records[count++] = STORE(0, TRACE_SIZE_8, 0x8000);
	records[count++] = LOAD(1, TRACE_SIZE_8, 0x7000);
	records[count++] = LOAD(1, TRACE_SIZE_8, 0x8000);
	records[count++] = END;
	found = observe(records, count, 1);
	is_int((long long)found->left_out, 1, "a store that is not followed");
	is_int((long long)found->fed_loads, 1, "the other is");
	takt_trace_dependences_free(found);
}

int main(void)
{
	check_loop();
	check_bytes();
	check_limits();
	return tap_done();
}
