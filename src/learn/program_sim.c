/* SPDX-License-Identifier: MIT */
/* Runs a program in the simulator, with caches and branch predictor, as traces do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/program.h"
#include "trace/timing/timing.h"

#define CODE_ADDRESS UINT64_C(0x400000)
#define DATA_ADDRESS UINT64_C(0x10000000)
#define HUGE_PAGE_BYTES (2 << 20)
#define HEADER_BYTES_MAX (sizeof(struct trace_block_header) + (size_t)17 * TRACE_INSNS_MAX)

static void add_block(struct trace_dictionary *dictionary, const struct learn_program *program,
		      const struct program_block *block)
{
	uint8_t buffer[HEADER_BYTES_MAX] = {0};
	const struct trace_block_header header = {.address = CODE_ADDRESS + block->offset,
						  .size_bytes = block->size_bytes,
						  .insn_count = block->insn_count};

	memcpy(buffer, &header, sizeof(header));
	memcpy(buffer + sizeof(header), program->lengths + block->first_length, block->insn_count);
	memcpy(buffer + sizeof(header) + block->insn_count, program->code.bytes + block->offset,
	       block->size_bytes);
	takt_trace_dictionary_add(dictionary, buffer, sizeof(buffer));
}

static enum trace_outcome outcome_of(const struct trace_block *block, uint64_t next)
{
	if (block->flow == TRACE_FLOW_NEXT)
		return TRACE_NO_BRANCH;
	return next == block->end ? TRACE_NOT_TAKEN : TRACE_TAKEN;
}

/* The sink behind the timing, which has nothing to do. */
static void ignore(struct trace_sink *sink, uint32_t thread, const struct executed_block *executed)
{
	(void)sink;
	(void)thread;
	(void)executed;
}

static void ignore_start(struct trace_sink *sink, uint32_t thread)
{
	(void)sink;
	(void)thread;
}

/* Feed a round of the program. */
static void feed(struct trace_timing *timing, const struct trace_dictionary *dictionary,
		 const struct learn_program *program, const uint64_t *accesses)
{
	for (size_t i = 0; i < program->step_count; i++) {
		const struct program_step *step = &program->steps[i];
		const struct trace_block *block = dictionary->blocks[step->block];
		uint64_t next = dictionary->blocks[step->next]->address;
		const struct executed_block executed = {.block = block,
							.accesses = accesses + step->first_access,
							.access_count = step->access_count,
							.insn_count = block->insn_count,
							.outcome = (uint8_t)outcome_of(block, next),
							.next_address = next};

		timing->sink.executed(&timing->sink, 0, &executed);
	}
}

/* Return the cycles that have passed when the pipeline has emptied. */
static double cycles_of(struct trace_timing *timing)
{
	struct sim_stream *stream = timing->threads[0]->stream;
	struct sim_stream_totals totals;

	takt_sim_stream_drain(stream);
	takt_sim_stream_totals(stream, &totals);
	return (double)totals.cycles;
}

static double run(struct trace_timing *timing, const struct trace_dictionary *dictionary,
		  const struct learn_program *program, const uint64_t *accesses)
{
	double before;

	timing->sink.thread_start(&timing->sink, 0);
	for (uint32_t i = 0; i < program->simulated_warm_rounds; i++)
		feed(timing, dictionary, program, accesses);
	before = cycles_of(timing);
	for (uint32_t i = 0; i < program->simulated_rounds; i++)
		feed(timing, dictionary, program, accesses);
	return (cycles_of(timing) - before) / ((double)program->items * program->simulated_rounds);
}

/* Return the core with pages of the size that the program's data has. */
static struct takt_model *with_pages(const struct takt_model *model, bool huge)
{
	struct takt_core_params params = *takt_model_params(model);
	uint32_t scheduler_count;
	const struct takt_model_change change = {
		.params = &params, .schedulers = takt_model_schedulers(model, &scheduler_count)};

	if (huge)
		params.page_bytes = HUGE_PAGE_BYTES;
	return takt_model_change(model, &change);
}

double learn_program_simulate(const struct learn_program *program, const struct takt_model *model)
{
	const char *isa = program->insns->isa;
	struct takt_model *paged = with_pages(model, program->huge_pages);
	/* A program is short: what a memo could save is less than what its tables cost. */
	const struct trace_timing_options options = {
		.model = paged, .cache = true, .branch = true, .no_memo = true};
	struct trace_sink behind = {.executed = ignore, .thread_start = ignore_start};
	struct trace_dictionary dictionary;
	struct trace_timing timing;
	uint64_t *accesses = takt_xcalloc(program->access_count + 1, sizeof(*accesses));
	double cycles = NAN;

	for (size_t i = 0; i < program->access_count; i++)
		accesses[i] = program->accesses[i] + DATA_ADDRESS;
	takt_trace_dictionary_init(&dictionary, takt_trace_guest_find(isa, strlen(isa)));
	for (size_t i = 0; i < program->block_count; i++)
		add_block(&dictionary, program, &program->blocks[i]);
	if (takt_trace_timing_init(&timing, &options, &behind, NULL, NULL) == TAKT_OK) {
		cycles = run(&timing, &dictionary, program, accesses);
		takt_trace_timing_release(&timing);
	}
	takt_trace_dictionary_release(&dictionary);
	takt_model_close(paged);
	free(accesses);
	return cycles;
}
