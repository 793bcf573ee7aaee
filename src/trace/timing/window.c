/* SPDX-License-Identifier: MIT */
/* Records a part of a thread's run, and makes a timeline of it. */
#include <inttypes.h>

#include "analyze/analyze.h"
#include "trace/timing/timing.h"

#define LEAD_INSNS 1024u /* also recorded before the window: its instructions depend on them */

static void decode(struct trace_timing *timing, const struct sim_code_block *block,
		   struct takt_insn *insns)
{
	const struct timing_translated *translated = &timing->translated[block->number];
	const struct trace_block *from = timing->window.dictionary->blocks[translated->number];
	struct takt_vector_use use;

	timing_decode(takt_model_isa(timing->options.model), from, insns);
	timing_vectors_apply(timing, insns, from->insn_count, translated->vectors, &use);
}

static void make_timeline(struct trace_timing *timing, const struct sim_trace *trace,
			  const struct sim_window_insn *insns, uint32_t count,
			  struct takt_arena *arena)
{
	const struct takt_trace_window *wanted = &timing->window.wanted;
	struct takt_insn *decoded = TAKT_NEW_ARRAY(arena, TRACE_INSNS_MAX, struct takt_insn);
	struct takt_insn *all = TAKT_NEW_ARRAY(arena, count, struct takt_insn);
	bool *fused = TAKT_NEW_ARRAY(arena, count, bool);
	const struct sim_code_block *last = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (insns[i].block != last)
			decode(timing, insns[i].block, decoded);
		last = insns[i].block;
		all[i] = decoded[insns[i].insn];
		fused[i] = insns[i].fused;
	}
	timing->window.timeline = takt_timeline_of(&(struct takt_recorded){
		.model = timing->options.model,
		.insns = all,
		.fused = fused,
		.insn_count = count,
		.trace = trace,
		.title = takt_arena_printf(arena, "thread %u from instruction %" PRIu64 " on",
					   wanted->thread, wanted->from),
	});
}

void timing_window_finish(struct trace_timing *timing, struct sim_stream *stream)
{
	const struct sim_window_insn *insns;
	struct takt_arena arena;
	struct sim_trace trace;
	uint32_t count;

	if (timing->window.timeline || !timing->window.begun)
		return;
	takt_arena_init(&arena);
	takt_sim_stream_window(stream, &arena, &trace, &insns, &count);
	if (trace.slot_count)
		make_timeline(timing, &trace, insns, count, &arena);
	takt_arena_release(&arena);
}

void timing_window_execute(struct trace_timing *timing, struct sim_stream *stream,
			   const struct sim_stream_step *executed)
{
	struct trace_window *window = &timing->window;
	uint64_t from = window->wanted.from;

	if (!window->begun && window->fed + executed->insn_count + LEAD_INSNS > from) {
		takt_sim_stream_record(stream, from > window->fed ? from - window->fed : 0,
				       window->wanted.count);
		window->begun = true;
	}
	window->fed += executed->insn_count;
}
