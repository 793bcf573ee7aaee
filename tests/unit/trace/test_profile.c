/* SPDX-License-Identifier: MIT */
/* Counts and cycles that add up, and what is written of them. Also shares.c, result.c. */
#include "program.h"

#include "sim/sim.h"

static const uint64_t records[] = {
	START(0),    RUN(M),	   RUN(M_WORK), RUN(W),	      RUN(W_INTO), RUN(W_LOOP),
	RUN(W_LOOP), RUN(W_OUT),   RUN(W_PIC),	RUN(W_PBACK), RUN(W_LEAF), RUN(L),
	RUN(L_RET),  RUN(W_LBACK), RUN(W_RET),	RUN(M_BACK),  END};

/* Charges each step: as many cycles as it has instructions to retiring, and 2 to memory. */
struct charging {
	struct trace_sink sink; /* first, so that it is one */
	struct trace_profile *profile;
	uint64_t cookies[64];
	struct sim_charges charges[64];
	size_t count;
};

static void on_executed(struct trace_sink *sink, uint32_t thread,
			const struct executed_block *executed)
{
	struct charging *charging = (struct charging *)sink;

	charging->cookies[charging->count] =
		takt_trace_profile_note(charging->profile, thread, executed);
	charging->charges[charging->count] = (struct sim_charges){
		.parts = {[SIM_LOSS_RETIRING] = executed->insn_count * SIM_CYCLE_PARTS,
			  [SIM_LOSS_MEMORY] = 2 * SIM_CYCLE_PARTS},
		.losses = 1u << SIM_LOSS_RETIRING | 1u << SIM_LOSS_MEMORY,
	};
	charging->count++;
}

/* The last instruction of each block has all of its cycles. */
static const uint64_t *last_only(const struct trace_shares *shares, uint32_t block)
{
	static const uint64_t two[] = {0, 1}, three[] = {0, 0, 1};

	(void)shares;
	return block == W_LOOP ? two : block == W_INTO ? three : NULL;
}

static struct takt_trace_profile *run(bool last)
{
	static const struct trace_line lines[] = {{0, 3, "b.c"}, {1, 4, "b.c"}, {2, 0, NULL}};
	static const char *const region = "work";
	const struct takt_trace_options options = {.regions = &region, .region_count = 1};
	const struct trace_shares shares = {last_only};
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
	/* They retire later, and cycles that are nobody's are not lost on anybody. */
	for (size_t i = 0; i < charging.count; i++)
		takt_trace_profile_charge(&profile, charging.cookies[i], &charging.charges[i], 1);
	takt_trace_profile_charge(&profile, 0, &charging.charges[0], 1);
	result = takt_trace_profile_finish(&profile, last ? &shares : NULL, NULL);
	takt_trace_sequencer_release(&sequencer);
	takt_trace_profile_release(&profile);
	takt_trace_dictionary_release(&dictionary);
	return result;
}

static void check_sums(const struct takt_trace_profile *result)
{
	uint64_t blocks = 0, functions = 0, nodes = 0, lines = result->no_line.cycles;

	for (uint32_t i = 0; i < result->block_count; i++)
		blocks += result->blocks[i].weight.cycles;
	for (uint32_t i = 0; i < result->function_count; i++)
		functions += result->functions[i].self.cycles;
	for (uint32_t i = 0; i < result->node_count; i++)
		nodes += result->nodes[i].cycles;
	for (uint32_t i = 0; i < result->line_count; i++)
		lines += result->lines[i].weight.cycles;
	is_int((long long)blocks, 19 + 2 * 15, "cycles of blocks");
	is_int((long long)functions, 19 + 2 * 15, "of functions");
	is_int((long long)nodes, 19 + 2 * 15, "of stacks");
	is_int((long long)lines, 19 + 2 * 15, "of lines");
}

static struct takt_trace_totals totals_of(const struct takt_trace_profile *result)
{
	return (struct takt_trace_totals){
		.guest = "x86-64",
		.all = {.insns = 19,
			.blocks = 15,
			.uops = 20,
			.cycles = 49,
			.losses = {[SIM_LOSS_RETIRING] = 19, [SIM_LOSS_MEMORY] = 30}},
		.distinct_blocks = 14,
		.core = "TEST",
		.settings = "--cache",
		.clock_ghz = 2,
		.profile = result,
	};
}

static void check_text(const struct takt_trace_profile *result)
{
	static const struct {
		enum takt_trace_by by;
		const char *want;
	} rows[] = {
		{TAKT_TRACE_FUNCTION, "             34   69.39                 14   0.41   81.63   "
				      "             1  memory 59 "
				      "%                           work\n"},
		{TAKT_TRACE_LINE, "              2    4.08                  1   0.50  memory 50 %  "
				  "                      "
				  "   b.c:3\n"},
		{TAKT_TRACE_LOOP,
		 "             11   22.45                  6   0.55                3               "
		 " 1  "
		 "      3.67      1  memory 45 %                           work+0x21  b.c:4\n"},
		{TAKT_TRACE_BLOCK,
		 "              8   16.33                  4   0.50                2        4.00   "
		 "   2 "
		 "           401121  memory 50 %                           work+0x21\n"},
	};
	struct takt_trace_totals totals = totals_of(result);

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const struct takt_trace_write_options options = {.by = rows[i].by, .top = 20};
		struct takt_text text = {0};

		takt_write_trace_text(&totals, &options, &text);
		if (!ok(strstr(text.data, rows[i].want) != NULL, "table %zu", i))
			tap_note("text: %s", text.data);
		takt_text_release(&text);
	}
}

/* A program's command is foreign text: control characters and long ones do not reach a terminal. */
static void check_commands(const struct takt_trace_profile *result)
{
	const struct takt_trace_process list[] = {
		{.command = "sh"},
		{.command = "\x1b[31m a command of more than sixty characters, which has to end "
			    "somewhere"},
	};
	const struct takt_trace_write_options options = {.top = 0};
	struct takt_trace_totals totals = totals_of(result);
	struct takt_text text = {0};

	totals.process_list = list;
	totals.process_count = 2;
	takt_write_trace_text(&totals, &options, &text);
	ok(strstr(text.data, "  ?[31m a command of more than sixty characters, which has to…\n") !=
		   NULL,
	   "a command is cleaned and cut");
	takt_text_release(&text);
}

static void check_json(const struct takt_trace_profile *result)
{
	static const char *const wanted[] = {
		"  \"loss_names\": [\"retiring\", \"heavy retiring\", \"fetch latency\", ",
		"  \"loss_level_1\": [\"retiring\", \"retiring\", \"frontend bound\", ",
		"  \"loss_level_2\": [\"light operations\", \"heavy operations\", \"fetch "
		"latency\", ",
		"    \"backend bound\": 30,\n    \"memory bound\": 30,\n",
		"  \"cycles\": 49,\n  \"losses\": [19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		"0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0],\n",
		"    {\"name\": \"leaf\", \"symbol\": \"leaf\", \"file\": \"/bin/program\", "
		"\"address\": \"0x401200\", \"size_bytes\": 256, \"calls\": 1, \"instructions\": "
		"2, "
		"\"cycles\": 6, \"losses\": [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		"0, 0, 0, 0, 4, 0, 0, 0], \"busy_ports\": null, \"total_instructions\": 2, "
		"\"total_cycles\": 6},\n",
		"    {\"function\": 2, \"offset\": 33, \"address\": \"0x401121\", \"length\": 2, "
		"\"bytes\": \"9074fd\", \"executions\": 2, \"instructions\": 4, \"cycles\": 8, "
		"\"losses\": [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, "
		"0, 0, 0], \"busy_ports\": null},\n",
		"    {\"function\": 2, \"offset\": 33, \"address\": \"0x401121\", \"file\": "
		"\"b.c\", \"line\": 4, \"depth\": 1, \"entries\": 1, \"iterations\": 3, "
		"\"instructions\": 6, ",
		"    {\"name\": \"work\", \"entries\": 1, \"instructions\": 16, \"cycles\": 40, "
		"\"losses\": [16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		"24, 0, 0, 0], \"busy_ports\": null}\n",
	};
	struct takt_trace_totals totals = totals_of(result);
	struct takt_text text = {0};

	takt_write_trace_json(&totals, &text);
	for (size_t i = 0; i < TAKT_COUNT_OF(wanted); i++)
		if (!ok(strstr(text.data, wanted[i]) != NULL, "JSON %zu", i))
			tap_note("want: %s", wanted[i]);
	if (tap_failures)
		tap_note("JSON: %s", text.data);
	takt_text_release(&text);
}

static void test_edges(void)
{
	static const uint64_t executed_blocks[] = {
		RUN(W),	     RUN(W_INTO), RUN(W_LOOP), RUN(W_LOOP), RUN(W_OUT),
		RUN(W_INTO), RUN(W_LOOP), RUN(W_OUT),  RUN(W_PIC),  END};
	struct takt_trace_profile *result = program_run_row(executed_blocks, NULL, 0);
	struct takt_text text = {0};

	if (!result)
		return;
	for (uint32_t i = 0; i < result->edge_count; i++)
		takt_text_printf(&text, "%#x %#x %u\n",
				 (unsigned)result->blocks[result->edges[i].from].offset,
				 (unsigned)result->blocks[result->edges[i].to].offset,
				 (unsigned)result->edges[i].count);
	is_string(takt_text_data(&text),
		  "0 0x20 1\n0x20 0x21 2\n0x21 0x21 1\n0x21 0x24 2\n0x24 0x20 1\n0x24 0x26 1\n",
		  "what followed what, how often");
	takt_text_release(&text);
	takt_trace_result_free(result);
}

int main(void)
{
	struct takt_trace_profile *result = run(false), *shared;
	struct takt_text text = {0};

	check_sums(result);
	takt_write_trace_folded(result, &text);
	is_string(text.data, "main 9\nmain;work 34\nmain;work;leaf 6\n", "folded stacks: cycles");
	takt_text_release(&text);
	takt_write_trace_stacks_json(result, &text);
	is_string(
		text.data,
		"{\n  \"unit\": \"cycles\",\n  \"names\": [\n    \"\",\n    \"(other)\",\n    "
		"\"main\",\n    \"work\",\n    \"leaf\"\n  ],\n  \"parents\": [0, 0, 0, 2, 3],\n  "
		"\"functions\": [0, 1, 2, 3, 4],\n  \"costs\": [0, 0, 9, 34, 6]\n}\n",
		"the tree of calls");
	takt_text_release(&text);
	is_int((long long)result->lines[0].weight.cycles, 2, "a line of a block: a third");
	check_text(result);
	check_commands(result);
	check_json(result);
	takt_trace_result_free(result);

	shared = run(true);
	check_sums(shared);
	is_int((long long)shared->lines[0].weight.cycles, 0, "by shares: nothing");
	is_int((long long)shared->lines[0].weight.insns, 1, "but an instruction");
	is_int((long long)shared->loops[0].weight.cycles, 13, "and all to the loop");
	takt_trace_result_free(shared);
	test_edges();
	return tap_done();
}
