/* SPDX-License-Identifier: MIT */
/* What the front end brings repeats itself; hostile parameters do no harm. */
#include "fetch.h"

#define CYCLES 400u

/* After how many cycles what comes repeats itself; 0: it does not. */
static uint32_t period_of(struct fetch_run *run)
{
	static uint32_t brought[CYCLES];
	struct takt_arena arena = {0};
	struct sim_program program = {
		.params = &run->params, .insns = run->insns, .insn_count = run->count};
	struct sim_options options = {.loop = run->loop};
	struct sim_queue *queue = takt_arena_alloc(&arena, 1, sizeof(*queue));
	struct sim_loop_source source;
	struct sim_front_end *front_end;
	uint32_t period;

	queue->capacity = 64;
	sim_loop_source_init(&source, &program, &options);
	front_end = sim_front_end_new(&program, &options, &source.source, &arena);
	for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
		queue->head = queue->tail; /* whatever comes is taken at once */
		sim_front_end_cycle(front_end, queue);
		brought[cycle] = queue->tail - queue->head;
	}
	takt_arena_release(&arena);
	for (period = 1; period < CYCLES / 4; period++) {
		uint32_t same = 0;

		while (same < CYCLES / 2 &&
		       brought[CYCLES - 1 - same] == brought[CYCLES - 1 - same - period])
			same++;
		if (same == CYCLES / 2)
			return period;
	}
	return 0;
}

static void test_periods(void)
{
	struct fetch_run straight = {.params = plain_params()};
	struct fetch_run loop = {.params = plain_params(), .loop = true};

	fetch_add_many(&straight, 4, 4);
	is_int(period_of(&straight), 1, "64 bytes of straight-line code, 16 a cycle");
	straight.insns[3].flags = SIM_INSN_LCP;
	ok(period_of(&straight) > 0, "with prefixes");
	fetch_add_many(&loop, 7, 3);
	fetch_add(&loop, 2, SIM_INSN_BRANCH);
	is_int(period_of(&loop), 2, "a loop of eight out of the op cache");
	loop.params.op_cache_width = 0;
	ok(period_of(&loop) > 0, "out of the decoders");
	loop.insns[2].flags |= SIM_INSN_MICROCODE;
	loop.insns[2].microcode_slots = 9;
	ok(period_of(&loop) > 0, "with microcode");
}

static void test_hostile(int32_t value)
{
	for (unsigned loop = 0; loop < 2; loop++) {
		struct fetch_run run = {.loop = loop};

#define X(name, unit, fallback, help) run.params.name = value;
#include "model/params.def"
#undef X
		run.params.queue_entries = value <= 0 ? 1 : value > 1000 ? 1000 : value;
		fetch_add(&run, 4, SIM_INSN_MAY_FUSE)->mite_slots = 255;
		fetch_add(&run, 15, SIM_INSN_LCP)->mite_slots = 4;
		run.insns[1].microcode_slots = 3;
		fetch_add(&run, 8, SIM_INSN_FUSED | SIM_INSN_BRANCH);
		ok(isfinite(fetch_cycles(&run, 1000)), "%s, every parameter %d",
		   loop ? "loop" : "copies", value);
	}
}

int main(void)
{
	test_periods();
	test_hostile(-1);
	test_hostile(0);
	test_hostile(1);
	test_hostile(2);
	test_hostile(INT32_MAX);
	return tap_done();
}
