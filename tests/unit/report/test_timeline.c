/* SPDX-License-Identifier: MIT */
/* The timeline's writers on records made by hand. */
#include "../tap.h"
#include "report/report.h"

static const struct takt_analysis_insn insns[] = {
	{.text = "addq\t%rax, %rbx", .slots = 1, .note = ""},
	{.text = "an instruction whose text is much too long for a column of any report",
	 .slots = 1,
	 .note = ""},
	{.text = "jne .L4", .slots = 0, .note = "fused with previous"},
};

static const struct takt_timeline_slot slots[] = {
	{.insn = 0, .uop_count = 1, .queued = 0, .renamed = 1, .done = 6, .retired = 6},
	{.insn = 1,
	 .first_uop = 1,
	 .uop_count = 2,
	 .queued = 0,
	 .renamed = 2,
	 .done = 90,
	 .retired = 91},
	{.insn = 0,
	 .iteration = 1,
	 .first_uop = 3,
	 .queued = 3,
	 .renamed = 4,
	 .done = 5,
	 .retired = 91},
};

static const struct takt_timeline_fetch fetches[] = {
	{"op cache", 0, 0},
	{"decoders", 0, 0},
	{"decoders", 0, 1},
};

static const struct takt_timeline_uop uops[] = {
	{.kind = "compute",
	 .slot = 0,
	 .port = 1,
	 .unit = TAKT_NO_PORT,
	 .ready = 4,
	 .dispatched = 5,
	 .done = 6,
	 .source = TAKT_NO_INDEX,
	 .location = "",
	 .store = TAKT_NO_INDEX},
	{.kind = "load",
	 .slot = 1,
	 .port = 0,
	 .unit = TAKT_NO_PORT,
	 .ready = 6,
	 .dispatched = 6,
	 .done = 11,
	 .source = 0,
	 .location = "rbx",
	 .store = TAKT_NO_INDEX},
	{.kind = "compute",
	 .slot = 1,
	 .port = 1,
	 .unit = TAKT_NO_PORT,
	 .ready = 11,
	 .dispatched = 13,
	 .done = 90,
	 .source = 1,
	 .location = "memory",
	 .store = TAKT_NO_INDEX},
};

static struct takt_timeline_cycle cycles[92];

static const struct takt_analysis analysis = {.arch = "ANY",
					      .region_name = "here",
					      .port_count = 2,
					      .port_names = {"p0", "p1"},
					      .insns = insns,
					      .insn_count = 3};

static struct takt_timeline timeline = {.analysis = &analysis,
					.iterations = 2,
					.slots = slots,
					.slot_count = 3,
					.fetches = fetches,
					.uops = uops,
					.uop_count = 3,
					.cycles = cycles,
					.cycle_count = 92};

static bool has(const struct takt_text *text, const char *wanted)
{
	return strstr(takt_text_data(text), wanted) != NULL;
}

/* The text's widest line; a character of several bytes counts as one. */
static uint32_t widest(const char *text)
{
	uint32_t most = 0, width = 0;

	for (; *text; text++) {
		width = *text == '\n' ? 0 : width + ((*text & 0xc0) != 0x80);
		most = width > most ? width : most;
	}
	return most;
}

static void test_text(void)
{
	struct takt_write_options narrow = {.columns = 60};
	struct takt_text *text = takt_text_new();

	takt_write_timeline_text(&timeline, &narrow, text);
	ok(has(text, "[0,0] p1 Qr==*1R"), "stages of an instruction");
	ok(has(text, "p0 Q.r===0eeee---"), "its µops have rows");
	ok(has(text, "p1 Q.r========**1eee"), "that wait for their ports");
	ok(has(text, "[1,0]    ff:Qr---"), "no µop, no port; it is fetched first");
	ok(has(text, "<- rbx of [0,0]"), "what it waits for");
	ok(!has(text, "memory of"), "but not for its own load");
	ok(!has(text, "\t"), "tabs become blanks");
	ok(has(text, "\n         20 "), "a ruler for each strip");
	ok(widest(takt_text_data(text)) <= 60, "fits the width");
	takt_text_clear(text);
	takt_write_timeline_text(&timeline, &(struct takt_write_options){.columns = 200}, text);
	ok(has(text, "report + jne .L4"), "a fused jump stands with the one before");
	takt_text_free(text);
}

static void test_empty(void)
{
	const struct takt_timeline empty = {.analysis = &analysis};
	struct takt_text *text = takt_text_new();

	takt_write_timeline_text(&empty, NULL, text);
	ok(has(text, "too long"), "says that nothing fits");
	takt_text_clear(text);
	takt_write_timeline_konata(&empty, text);
	is_string(takt_text_data(text), "Kanata\t0004\nC=\t0\n", "an empty log");
	takt_text_clear(text);
	takt_write_timeline_perfetto(&empty, text);
	ok(has(text, "\"traceEvents\": ["), "an empty trace");
	takt_text_free(text);
}

static uint32_t count(const struct takt_text *text, const char *start)
{
	uint32_t found = 0;

	for (const char *at = takt_text_data(text); (at = strstr(at, start)); at++)
		found++;
	return found;
}

static void test_konata(void)
{
	struct takt_text *text = takt_text_new();

	takt_write_timeline_konata(&timeline, text);
	is_int(count(text, "\nI\t"), 3, "rows");
	is_int(count(text, "\nR\t"), 3, "all retire");
	is_int(count(text, "\nS\t"), count(text, "\nE\t"), "what starts ends");
	ok(has(text, "W\t1\t0\t0\n"), "a wake-up");
	ok(has(text, "S\t2\t0\tF\n") && has(text, "S\t2\t0\tDc\n"), "fetch and decode");
	ok(has(text, "L\t0\t0\t[0,0] addq %rax, %rbx\n"), "a label without tabs");
	takt_text_free(text);
}

static void test_perfetto(void)
{
	struct takt_text *text = takt_text_new();

	takt_write_timeline_perfetto(&timeline, text);
	is_int(count(text, "\"ph\": \"b\""), count(text, "\"ph\": \"e\""), "what begins ends");
	is_int(count(text, "\"ph\": \"s\""), 2, "arrows");
	ok(has(text, "\"ts\": 13, \"dur\": 1"), "a slice on a port");
	is_int(count(text, "\"name\": \"fetch and predecode\""), 2, "one slot is fetched first");
	is_int(count(text, "\"name\": \"decode\""), 2, "and decoded");
	ok(has(text, "addq\\t%rax"), "strings are escaped");
	takt_text_free(text);
}

int main(void)
{
	for (size_t c = 0; c < sizeof(cycles) / sizeof(*cycles); c++)
		cycles[c] = (struct takt_timeline_cycle){"queue empty", "op cache"};
	test_text();
	test_empty();
	test_konata();
	test_perfetto();
	return tap_done();
}
