/* SPDX-License-Identifier: MIT */
/* Steps to pipelines, where there is little to a step; the sanitizers look on. */
#include "import_fixture.h"
#include "sim/stream/stream.h"
#include "takt/takt.h"
#include "trace/timing/timing.h"

static const struct takt_model *the_model(void *context, const char *isa)
{
	(void)isa;
	return context;
}

/* String instructions, of which nobody says what they access. */
static void test_strings(struct takt_model *model)
{
	static const char text[] = "f3aa\n90\nf3a4\n90\nf3aa\n90\n";
	const struct takt_trace_core core = {.model = the_model, .context = model};
	const struct takt_trace_options options = {.core = &core};
	const struct takt_trace_import_options kind = {.kind = TAKT_TRACE_HEX, .isa = "x86-64"};
	struct fixture_file file = fixture_file(text, sizeof(text) - 1);
	struct takt_trace_totals *totals = NULL;

	ok(takt_trace_import(file.path, &options, &kind, NULL, &totals) == TAKT_OK && totals,
	   "a text with rep");
	if (totals) {
		is_int((long long)totals->all.insns, 6, "instructions");
		ok(totals->all.cycles > 0, "cycles");
		takt_trace_totals_free(totals);
	}
	close(file.descriptor);
}

/* ---- the op cache between the units of a sample ------------------------------------------- */

static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(EXIT_FAILURE);
}

#define COLUMNS 24u /* blocks 4096 bytes apart, which share the sets of op caches */
#define ROWS 4u	    /* blocks behind each other */
#define BLOCKS (COLUMNS * ROWS)
#define LONGEST 12u
#define STEPS 20000u /* fewer instructions than a sample simulates at its beginning */

struct walked_code {
	struct trace_block blocks[BLOCKS];
	uint8_t lengths[BLOCKS][LONGEST], bytes[BLOCKS][LONGEST * 5];
	uint32_t random;
};

static uint32_t draw(struct walked_code *code, uint32_t below)
{
	code->random = code->random * 1664525 + 1013904223;
	return (code->random >> 16) % below;
}

/* Random instructions; the last is a branch, or the only one a string instruction with rep. */
static void write_block(struct walked_code *code, uint32_t number, uint64_t address)
{
	/* nop; inc eax; mov eax, 1; add ax, 0x1234 */
	static const char *const insns[] = {"\x90", "\xff\xc0", "\xb8\1\0\0\0", "\x66\x05\x34\x12"};
	static const uint8_t lengths[] = {1, 2, 5, 4};
	struct trace_block *block = &code->blocks[number];
	uint8_t *at = code->bytes[number];
	uint32_t count = 1 + draw(code, LONGEST - 1);

	*block = (struct trace_block){.address = address,
				      .number = number,
				      .lengths = code->lengths[number],
				      .bytes = code->bytes[number]};
	block->repeats = number % 7 == 3;
	for (uint32_t i = 0; i < count && !block->repeats; i++) {
		uint32_t kind = draw(code, number % 5 ? 4 : 1);

		memcpy(at, insns[kind], lengths[kind]);
		at += lengths[kind];
		code->lengths[number][block->insn_count++] = lengths[kind];
	}
	memcpy(at, block->repeats ? "\xf3\xa4" : "\x75\xf0", 2);
	code->lengths[number][block->insn_count++] = 2;
	block->end = address + (uint64_t)(at + 2 - code->bytes[number]);
}

static void write_code(struct walked_code *code)
{
	code->random = 1;
	for (uint32_t column = 0; column < COLUMNS; column++) {
		uint64_t address = 0x100000 + column * 4096;

		for (uint32_t row = 0; row < ROWS; row++) {
			write_block(code, column * ROWS + row, address);
			address = code->blocks[column * ROWS + row].end;
		}
	}
}

static void ignore_step(struct trace_sink *sink, uint32_t thread,
			const struct executed_block *executed)
{
	(void)sink;
	(void)thread;
	(void)executed;
}

static void ignore_thread(struct trace_sink *sink, uint32_t thread)
{
	(void)sink;
	(void)thread;
}

static void ignore_syscall(struct trace_sink *sink, uint32_t thread, uint64_t number)
{
	(void)sink;
	(void)thread;
	(void)number;
}

/* Run one block, on occasion not to its end, or a string instruction for several elements. */
static uint32_t walk_block(struct trace_timing *timing, struct walked_code *code, uint32_t number)
{
	const struct trace_block *block = &code->blocks[number];
	bool falls = number % ROWS < ROWS - 1 && draw(code, 2);
	/* Few blocks run often, and the others now and then. */
	uint32_t next = falls ? number + 1 : draw(code, draw(code, 4) ? 20 : BLOCKS);
	struct executed_block executed = {.block = block,
					  .insn_count = block->insn_count,
					  .next_address = code->blocks[next].address};

	if (draw(code, 50) == 0)
		executed.insn_count = (uint16_t)(1 + draw(code, block->insn_count));
	timing->sink.executed(&timing->sink, 0, &executed);
	executed.continues = true;
	if (block->repeats)
		for (uint32_t i = draw(code, 3); i > 0; i--)
			timing->sink.executed(&timing->sink, 0, &executed);
	return next;
}

/* Walk through the code, in detail or as between units; return the timing to look at. */
static void walk(struct trace_timing *timing, const struct takt_model *model, bool skips)
{
	static struct trace_sink ignore = {ignore_step, ignore_syscall, ignore_thread,
					   ignore_thread};
	const struct trace_timing_options options = {
		.model = model, .branch = true, .sample = true, .syscall_sigreturn = UINT32_MAX};
	struct walked_code *code = takt_xcalloc(1, sizeof(*code));
	uint32_t number = 0;

	write_code(code);
	if (takt_trace_timing_init(timing, &options, &ignore, NULL, NULL) != TAKT_OK)
		bail_out("no timing");
	timing->sink.thread_start(&timing->sink, 0);
	if (skips)
		timing->threads[0]->sample = (struct sample){
			.phase = SAMPLE_SKIP, .offset = UINT64_MAX, .stratum = UINT64_MAX};
	for (uint32_t i = 0; i < STEPS; i++)
		number = walk_block(timing, code, number);
	timing->sink.syscall(&timing->sink, 0, 1); /* no string instruction is held back */
	free(code);
}

static uint32_t count_differences(const struct sim_windows *a, const struct sim_windows *b,
				  uint32_t *ret_count)
{
	uint32_t differences = a->number != b->number || a->hit != b->hit;

	*ret_count = 0;
	for (uint32_t i = 0; i < a->sets * SIM_WAYS_MAX; i++) {
		const struct sim_window *one = &a->entries[i], *other = &b->entries[i];

		*ret_count += one->number != 0;
		differences += one->number != other->number || one->used != other->used ||
			       one->lines != other->lines || one->refused != other->refused;
	}
	return differences;
}

/* What is not simulated leaves the op cache as the simulation would have left it. */
static void test_skipped(const char *core)
{
	struct takt_model *model;
	struct trace_timing simulated, skipped;
	uint32_t count;

	if (takt_model_open(core, NULL, NULL, &model) != TAKT_OK)
		bail_out("no core");
	walk(&simulated, model, false);
	walk(&skipped, model, true);
	ok(skipped.simulated_insns == 0 && simulated.simulated_insns > STEPS, "%s: skipped", core);
	is_int(count_differences(&simulated.threads[0]->stream->windows,
				 &skipped.threads[0]->stream->windows, &count),
	       0, "and the op cache is the same");
	ok(count > 15, "which has %u windows", count);
	is_int(skipped.threads[0]->stream->entered, simulated.threads[0]->stream->entered,
	       "and how the next block is entered");
	takt_trace_timing_release(&simulated);
	takt_trace_timing_release(&skipped);
	takt_model_close(model);
}

int main(void)
{
	struct takt_model *model;

	if (takt_model_open("SKL", NULL, NULL, &model) != TAKT_OK)
		bail_out("no core");
	test_strings(model);
	takt_model_close(model);
	test_skipped("SKL");
	test_skipped("ZEN4");
	test_skipped("ICL");
	return tap_done();
}
