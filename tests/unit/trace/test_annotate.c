/* SPDX-License-Identifier: MIT */
/* The code of a trace with what each instruction cost, and a profile's largest rows. */
#include "program.h"

#include "sim/sim.h"

/* Charges each execution 4 cycles to memory. */
struct charging {
	struct trace_sink sink; /* first, so that it is one */
	struct trace_profile *profile;
};

static void on_executed(struct trace_sink *sink, uint32_t thread,
			const struct executed_block *executed)
{
	struct charging *charging = (struct charging *)sink;
	const struct sim_charges charges = {.parts = {[SIM_LOSS_MEMORY] = 4 * SIM_CYCLE_PARTS},
					    .losses = 1u << SIM_LOSS_MEMORY};

	takt_trace_profile_charge(charging->profile,
				  takt_trace_profile_note(charging->profile, thread, executed),
				  &charges, 1);
}

static struct takt_trace_profile *run(bool insns)
{
	static const uint64_t records[] = {START(0),	RUN(W),	    RUN(W_INTO), RUN(W_LOOP),
					   RUN(W_LOOP), RUN(W_OUT), RUN(W_PIC),	 RUN(W_PBACK),
					   RUN(W_LEAF), RUN(L),	    RUN(L_RET),	 RUN(W_LBACK),
					   RUN(W_RET),	END};
	static const struct trace_line lines[] = {{0, 3, "b.c"}, {1, 4, "b.c"}, {2, 0, NULL}};
	const struct takt_trace_options options = {.insns = insns};
	struct takt_trace_profile *result;
	struct trace_dictionary dictionary;
	struct trace_profile profile;
	struct trace_sequencer sequencer;
	struct charging charging = {.sink = {.executed = on_executed}, .profile = &profile};

	program_load(&dictionary);
	dictionary.blocks[W_INTO]->lines = lines;
	dictionary.blocks[W_INTO]->line_count = 3;
	ok(takt_trace_profile_init(&profile, &dictionary, &options, NULL) == TAKT_OK, "a profile");
	takt_trace_sequencer_init(&sequencer, &dictionary, &charging.sink, false);
	takt_trace_sequencer_feed(&sequencer, 0, records, TAKT_COUNT_OF(records));
	takt_trace_sequencer_end(&sequencer);
	result = takt_trace_profile_finish(&profile, NULL, NULL);
	takt_trace_sequencer_release(&sequencer);
	takt_trace_profile_release(&profile);
	takt_trace_dictionary_release(&dictionary);
	return result;
}

static struct takt_trace_totals totals_of(const struct takt_trace_profile *profile)
{
	return (struct takt_trace_totals){
		.guest = "x86-64", .core = "TEST", .all = {.cycles = 52}, .profile = profile};
}

static void test_annotation(const struct takt_trace_profile *profile)
{
	const struct takt_trace_totals totals = totals_of(profile);
	struct takt_annotation *annotation = takt_annotate(&totals, 10), *one;
	const struct takt_annotated_function *work = &annotation->functions[0];
	struct takt_text text = {0};
	uint64_t cycles = 0, ends = 0;

	is_int(annotation->function_count, 2, "functions");
	is_string(work->name, "work", "the most expensive one is the first");
	for (uint32_t i = 0; i < work->insn_count; i++) {
		cycles += work->insns[i].cycles;
		ok(!i || work->insns[i].offset >= ends, "by address, each once");
		ends = work->insns[i].offset + 1;
		if (work->insns[i].offset == 0x21)
			takt_text_printf(&text, "%s, %u runs, %s:%u%s", work->insns[i].text,
					 (unsigned)work->insns[i].executions, work->insns[i].file,
					 work->insns[i].line,
					 work->insns[i].begins_block ? ", a block" : "");
	}
	is_int((long long)cycles, (long long)profile->functions[work->function].self.cycles,
	       "cycles add up to the function's");
	/* W_INTO falls into the nop at which W_LOOP begins. */
	is_string(text.data, "nop, 3 runs, b.c:4, a block", "an instruction of two blocks");
	takt_text_release(&text);
	one = takt_annotate(&totals, 1);
	is_int(one->function_count, 1, "no more than are wanted");
	is_int(one->left_out, 1, "and the others are counted");
	takt_annotation_free(one);
	takt_write_annotation_text(annotation, &text);
	ok(strstr(text.data, "\ncode of work, ") != NULL, "text of a function");
	ok(strstr(text.data, "b.c:4\n") != NULL, "a line whose file cannot be read");
	takt_text_release(&text);
	takt_write_annotation_json(annotation, &text);
	ok(strstr(text.data, "\"executions\": 3, \"cycles\": ") != NULL, "JSON");
	takt_text_release(&text);
	takt_annotation_free(annotation);
}

static void test_largest(const struct takt_trace_profile *profile)
{
	const struct takt_trace_totals totals = totals_of(profile);
	struct takt_text all = {0}, whole = {0}, few = {0};
	unsigned rows = 0;

	takt_write_trace_json(&totals, &all);
	takt_write_trace_largest_json(&totals, 1000, &whole);
	is_string(whole.data, all.data, "all rows");
	takt_write_trace_largest_json(&totals, 2, &few);
	for (const char *at = few.data; (at = strstr(at, "\"bytes\": ")); at++)
		rows++;
	is_int(rows, 2, "two blocks");
	ok(strstr(few.data, "\"offset\": 33, ") != NULL, "the most expensive one is kept");
	takt_text_release(&few);
	takt_text_release(&whole);
	takt_text_release(&all);
}

int main(void)
{
	struct takt_trace_profile *profile = run(true);
	struct takt_trace_profile *plain = run(false);
	const struct takt_trace_totals totals = totals_of(plain);

	test_annotation(profile);
	test_largest(profile);
	ok(takt_annotate(&totals, 10) == NULL, "none of a profile without instructions");
	takt_trace_result_free(plain);
	takt_trace_result_free(profile);
	return tap_done();
}
