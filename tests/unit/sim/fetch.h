/* SPDX-License-Identifier: MIT */
/* The front end alone, before a consumer that takes so many µops every cycle. */
#ifndef TAKT_TESTS_SIM_FETCH_H
#define TAKT_TESTS_SIM_FETCH_H

#include "sim/front/fetch.h"
#include "unit/tap.h"

/* A core with everything off that can be; tests change what they are about. */
__attribute__((unused)) static struct takt_core_params plain_params(void)
{
	return (struct takt_core_params){
		.fetch_bytes = 16,
		.predecode_width = 5,
		.predecode_delay_cycles = 3,
		.length_change_cycles = 3,
		.instruction_queue_entries = 25,
		.decode_width = 4,
		.fuse_last_decoder = 1,
		.op_cache_width = 6,
		.op_cache_window_bytes = 32,
		.op_cache_line_slots = 6,
		.op_cache_window_lines = 3,
		.op_cache_lines_per_cycle = 2,
		.op_cache_change_costs = 1,
		.queue_entries = 64,
		.loop_buffer_copies = 11111111,
		.issue_width = 4,
		.microcode_width = 4,
		.microcode_switch_cycles = 2,
		.microcode_decode_cycles = 1,
	};
}

#define FETCH_INSNS_MAX 64

struct fetch_run {
	struct takt_core_params params;
	struct sim_insn insns[FETCH_INSNS_MAX];
	uint32_t count;
	bool loop;
	uint32_t alignment_bytes;
	enum sim_path path; /* where the last µops came from */
};

/* A one-µop instruction. */
__attribute__((unused)) static struct sim_insn *fetch_add(struct fetch_run *run, uint8_t length,
							  uint32_t flags)
{
	struct sim_insn *insn = &run->insns[run->count++];

	*insn = (struct sim_insn){
		.flags = flags,
		.length_bytes = length,
		.first_length_bytes = flags & SIM_INSN_FUSED ? (uint8_t)(length - 2) : length,
		.simple_decoders = 255,
		.mite_slots = 1,
		.issue_slots = 1,
	};
	return insn;
}

__attribute__((unused)) static void fetch_add_many(struct fetch_run *run, uint32_t count,
						   uint8_t length)
{
	for (uint32_t i = 0; i < count; i++)
		fetch_add(run, length, 0);
}

static uint32_t consume(struct sim_queue *queue, uint32_t width, uint32_t *iteration)
{
	uint32_t ended = 0;

	for (; width > 0 && queue->head != queue->tail; width--) {
		struct sim_queue_entry entry =
			queue->entries[queue->head++ % SIM_QUEUE_ENTRIES_MAX];

		ended += entry.iteration != *iteration;
		*iteration = entry.iteration;
		if (entry.break_after)
			break;
	}
	return ended;
}

#define FETCH_CYCLES 4000u

/* Cycles per iteration, far from the start. */
__attribute__((unused)) static double fetch_cycles(struct fetch_run *run, uint32_t consumer_width)
{
	struct takt_arena arena = {0};
	struct sim_program program = {
		.params = &run->params, .insns = run->insns, .insn_count = run->count};
	struct sim_options options = {.loop = run->loop, .alignment_bytes = run->alignment_bytes};
	struct sim_loop_source source;
	struct sim_queue *queue = takt_arena_alloc(&arena, 1, sizeof(*queue));
	struct sim_front_end *front_end;
	uint32_t iteration = 0, first = 0, cycle_first = 0, cycle_last = 0, last = 0;

	for (uint32_t i = 0; i < run->count; i++) {
		program.length_bytes += run->insns[i].length_bytes;
		program.slots += (uint32_t)run->insns[i].mite_slots + run->insns[i].microcode_slots;
	}
	queue->capacity = (uint32_t)run->params.queue_entries;
	sim_loop_source_init(&source, &program, &options);
	front_end = sim_front_end_new(&program, &options, &source.source, &arena);
	for (uint32_t cycle = 0; cycle < FETCH_CYCLES; cycle++) {
		if (consume(queue, consumer_width, &iteration)) {
			if (cycle < FETCH_CYCLES / 4)
				first = iteration, cycle_first = cycle;
			last = iteration, cycle_last = cycle;
		}
		sim_front_end_cycle(front_end, queue);
	}
	run->path = front_end->path;
	takt_arena_release(&arena);
	return last == first ? INFINITY : (double)(cycle_last - cycle_first) / (last - first);
}

/* The first and the last iteration counted may be cut differently: six of the 3,000 cycles counted.
 */
__attribute__((unused)) static void is_about(const char *file, int line, double got, double want,
					     const char *what)
{
	tap_ok_at(file, line, fabs(got - want) <= .002 * want, "%s: got %g, want %g", what, got,
		  want);
}

#endif
