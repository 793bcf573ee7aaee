/* SPDX-License-Identifier: MIT */
/* Instructions to steps. */
#include "import_fixture.h"

#include "fixture.h"

struct run {
	struct trace_dictionary dictionary;
	struct trace_sequencer sequencer;
	struct import_builder builder;
	struct fixture_sink sink;
};

static void start(struct run *run)
{
	*run = (struct run){.sink = FIXTURE_SINK};
	takt_trace_dictionary_init(&run->dictionary, fixture_guest("x86-64"));
	takt_trace_sequencer_init(&run->sequencer, &run->dictionary, &run->sink.sink, true);
	takt_import_builder_init(&run->builder, &run->sequencer, NULL, false);
}

static void end(struct run *run)
{
	ok(takt_import_finish(&run->builder), "finished");
	takt_import_builder_release(&run->builder);
	takt_trace_sequencer_release(&run->sequencer);
	takt_trace_dictionary_release(&run->dictionary);
}

static bool add(struct run *run, uint64_t address, const char *bytes, size_t size)
{
	struct import_insn insn;

	return takt_import_decode(run->builder.guest, (const uint8_t *)bytes, size, address,
				  &insn) &&
	       insn.length == size && takt_import_add_insn(&run->builder, &insn);
}

static void check_steps(struct run *run)
{
	start(run);
	for (unsigned i = 0; i < 2; i++) {
		add(run, 0x1000, "\x48\x8b\x07", 3);
		takt_import_add_access(&run->builder, 0x7000, 8, false);
		add(run, 0x1003, "\x74\xfb", 2);
	}
	add(run, 0x1005, "\xf3\xa4", 2);
	takt_import_add_access(&run->builder, 0x8000, 1, false);
	takt_import_add_access(&run->builder, 0x9000, 1, true);
	add(run, 0x1005, "\xf3\xa4", 2);
	add(run, 0x1007, "\x0f\x05", 2);
	add(run, 0x1009, "\x75\x05", 2);
	takt_import_add_break(&run->builder, 0x1010);
	add(run, 0x1000, "\x48\x8b\x07", 3);
	takt_import_add_access(&run->builder, 0xffff800000000000, 100, false);
	end(run);
	is_string(run->sink.text,
		  "0:start\n0:0/2 taken l8@7000\n0:0/2 not-taken l8@7000\n"
		  "0:1/1 l1@8000 s1@9000\n0:1/1 continues\n0:2/1\n0:syscall 281474976710655\n"
		  "0:3/1 taken\n0:4/1 l64@800000000000 l32@800000000040 l4@800000000060\n0:end\n",
		  "steps");
}

/* Straight code is cut where a block's greatest length is. */
static void check_long(struct run *run)
{
	start(run);
	for (unsigned i = 0; i < 2 * TRACE_INSNS_MAX + 1; i++)
		add(run, 0x1000 + i, "\x90", 1);
	end(run);
	is_string(run->sink.text, "0:start\n0:0/512\n0:1/512\n0:2/1\n0:end\n", "long");
	is_int(run->dictionary.count, 3, "blocks");
}

/* Many blocks, found again. */
static void check_many(struct run *run)
{
	unsigned fine = 0;

	start(run);
	run->sequencer.sink->executed = NULL;
	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned i = 0; i < 5000; i++)
			fine += add(run, 0x100000 + 16 * i, "\xc3", 1);
	end(run);
	is_int(fine, 10000, "added");
	is_int((long long)run->sequencer.dictionary->count, 5000, "blocks");
}

static void check_refused(struct run *run)
{
	unsigned count = 0;

	start(run);
	ok(!takt_import_add_access(&run->builder, 0, 8, false), "an access before all");
	add(run, 0, "\x90", 1);
	ok(!takt_import_add_access(&run->builder, 0, 0, false), "of no bytes");
	ok(!takt_import_add_access(&run->builder, UINT64_C(1) << 47, 1, false), "at no address");
	while (count < 100000 && takt_import_add_access(&run->builder, count, 1, true))
		count++;
	is_int(count, 32768, "accesses of a block");
	ok(!add(run, 1, "\x06", 1), "no instruction");
	end(run);
}

int main(void)
{
	static struct run run; /* large */

	check_steps(&run);
	check_long(&run);
	check_many(&run);
	check_refused(&run);
	return tap_done();
}
