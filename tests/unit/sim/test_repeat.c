/* SPDX-License-Identifier: MIT */
/*
 * States that recur: once one is said to be there again, the core goes on to repeat itself, to the
 * cycle, for a long time; and every part of the core that is changed makes the state another one.
 */
#include "kernel.h"
#include "sim/front/fetch.h"
#include "sim/repeat.h"

#define CYCLES_MAX 20000u /* until a state recurs */
#define PERIODS 40u	  /* that have to be alike */

static const char *const cores[] = {"SNB", "HSW", "SKL", "ICL", "SPR", "ZEN2", "ZEN4", "ZEN5"};

static const struct {
	int line;
	const char *hex;
	const char *what;
} blocks[] = {
	{__LINE__, "4801d8", "add rax, rbx"},
	{__LINE__, "8b453485c0", "a load and a test, of 5 bytes"},
	{__LINE__, "480fafc04889c14889c890", "imul, and moves there and back"},
	{__LINE__, "488b0a4989d14885c94889ca", "a pointer, moved"},
	{__LINE__, "88dc01c1", "merges of a high byte"},
	{__LINE__, "504883c408", "push; add rsp, 8"},
	{__LINE__, "48ffc048ffc048ffc048ffc0", "additions at rename"},
	{__LINE__, "66053412660534129090", "length-changing prefixes"},
	{__LINE__, "48890648030648890f", "a load from a store"},
	{__LINE__, "8806480306", "failed forwarding"},
	{__LINE__, "48f7f14889d831d248ffc149ffc875ef", "a division in a loop"},
	{__LINE__, "488b06480107480fafd848891e4885c075ec", "loads and stores in a loop"},
	{__LINE__, "49ffc875fb", "a loop of one pair"},
	{__LINE__, "0fa249ffc875f9", "a serializing instruction"},
	{__LINE__, "c5fb58c1c5fb59c1c5f351c149ffc875ef", "additions, and a root"},
};

struct run {
	struct sim_kernel *kernel;
	struct takt_arena arena;
	struct sim_loop_source source;
	struct sim_core *core;
	struct sim_steady steady;
	struct sim_repeat repeat;
};

static struct run *run_new(const char *core, const char *hex)
{
	struct run *run = takt_xcalloc(1, sizeof(*run));
	struct sim_options options = {0};

	run->kernel = kernel_from_hex(core, hex);
	options.loop = run->kernel->loop;
	run->core = sim_core_new(sim_program_new(&run->kernel->block, &options, &run->arena),
				 &options, &run->source.source, &run->arena);
	sim_loop_source_init(&run->source, run->core->program, &options);
	sim_steady_init(&run->steady, run->core);
	sim_repeat_init(&run->repeat, run->core);
	return run;
}

static void run_free(struct run *run)
{
	kernel_free(run->kernel);
	takt_arena_release(&run->arena);
	free(run);
}

/* Simulate until a state recurs. */
static bool find(struct run *run, struct sim_period *ret_period)
{
	struct sim_summary summary;

	while (run->core->cycle < CYCLES_MAX) {
		sim_steady_look(&run->steady, run->core, &summary);
		if (sim_repeat_look(&run->repeat, run->core, sim_steady_outline(&run->steady),
				    ret_period))
			return true;
		sim_core_step(run->core);
	}
	return false;
}

/* Count the periods that are not like the first. */
static uint32_t count_others(struct run *run, const struct sim_period *period)
{
	uint32_t others = 0;

	for (uint32_t i = 0; i < PERIODS; i++) {
		uint32_t iterations = run->core->iterations_renamed;

		for (uint32_t cycle = 0; cycle < period->cycles; cycle++)
			sim_core_step(run->core);
		others += run->core->iterations_renamed - iterations != period->iterations;
	}
	return others;
}

static void test_repeats(void)
{
	for (size_t b = 0; b < TAKT_COUNT_OF(blocks); b++) {
		uint32_t found = 0, others = 0;

		for (size_t c = 0; c < TAKT_COUNT_OF(cores); c++) {
			struct run *run = run_new(cores[c], blocks[b].hex);
			struct sim_period period;

			if (find(run, &period)) {
				found++;
				others += count_others(run, &period);
			}
			run_free(run);
		}
		tap_ok_at(__FILE__, blocks[b].line, found > 0, "%s: a state recurs on %u cores",
			  blocks[b].what, found);
		tap_is_int(__FILE__, blocks[b].line, others, 0, "periods that are not alike");
	}
}

/* Out of the loop buffer, no part but it goes on: what the others would take next is no state. */
static void test_loop_buffer(void)
{
	static const char *const buffered[] = {"SNB", "HSW", "ICL"};

	for (size_t c = 0; c < TAKT_COUNT_OF(buffered); c++) {
		struct run *run = run_new(buffered[c], "480fafc049ffc875f7");
		struct sim_period period = {.iterations = 0};

		ok(find(run, &period), "%s: a state of a loop in the loop buffer recurs",
		   buffered[c]);
		is_int(run->core->front_end->path, SIM_PATH_LOOP_BUFFER, "which it came out of");
		is_int(count_others(run, &period), 0, "periods that are not alike");
		run_free(run);
	}
}

/* ---- what belongs to the state ------------------------------------------------------------- */

static void change_value(struct sim_core *core)
{
	core->values[TAKT_LOC_GPR].ready += 100;
}

static void change_flag(struct sim_core *core)
{
	core->values[TAKT_LOC_GPR].from_load ^= 1;
}

static void change_port(struct sim_core *core)
{
	core->ports.pending[__builtin_ctz(core->ports.used)]++;
}

static void change_reservation(struct sim_core *core)
{
	uint64_t cycle = core->cycle + 3;

	core->ports.reserved[cycle / 64 % SIM_WINDOW_WORDS][__builtin_ctz(core->ports.used)] ^=
		(uint64_t)1 << cycle % 64;
}

static void change_turn(struct sim_core *core)
{
	core->ports.last_used[2] ^= 1;
}

static void change_rob(struct sim_core *core)
{
	core->rob[core->rob_head % SIM_ROB_MAX].done += 1000;
}

static void change_loads(struct sim_core *core)
{
	core->loads_in_flight++;
}

static void change_retired_stores(struct sim_core *core)
{
	core->stores_retired++;
}

static void change_store(struct sim_core *core)
{
	sim_store_at(core, 0, core->context.iteration)->value_ready += 1000;
}

static void change_moves(struct sim_core *core)
{
	core->moves[0].live++;
}

static void change_rsp(struct sim_core *core)
{
	core->rsp_shifted ^= 1;
}

static void change_owed(struct sim_core *core)
{
	core->slots_owed++;
}

static void change_queue(struct sim_core *core)
{
	core->queue.head--;
}

static void change_next(struct sim_core *core)
{
	core->front_end->next.insn ^= 1;
}

static void change_predecoder(struct sim_core *core)
{
	core->front_end->predecoder.head--;
}

static void change_stall(struct sim_core *core)
{
	core->front_end->predecoder.stall++;
}

static void change_microcode(struct sim_core *core)
{
	core->front_end->microcode.stall++;
}

static const struct {
	void (*change)(struct sim_core *core);
	const char *what;
} changes[] = {
	{change_value, "when a value is ready"},
	{change_flag, "a value from a load"},
	{change_port, "what waits at a port"},
	{change_reservation, "a reservation"},
	{change_turn, "which port's turn it is"},
	{change_rob, "when a slot is done"},
	{change_loads, "loads in flight"},
	{change_retired_stores, "retired stores"},
	{change_store, "a stored value"},
	{change_moves, "eliminated moves"},
	{change_rsp, "the stack engine"},
	{change_owed, "slots of a cycle"},
	{change_queue, "the queue"},
	{change_next, "the next instruction"},
	{change_predecoder, "the predecoder's queue"},
	{change_stall, "a stall of the predecoder"},
	{change_microcode, "the sequencer"},
};

/* A state that recurs does not once a part of it is changed. */
static void test_parts(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(changes); i++) {
		struct run *run = run_new("SKL", "48890648030648890f");
		struct sim_period period, again;
		uint32_t outline;

		if (!find(run, &period)) {
			ok(false, "no state recurs");
			return;
		}
		outline = sim_steady_outline(&run->steady);
		ok(sim_repeat_look(&run->repeat, run->core, outline, &again), "as it was");
		changes[i].change(run->core);
		ok(!sim_repeat_look(&run->repeat, run->core, outline, &again), "%s",
		   changes[i].what);
		run_free(run);
	}
}

int main(void)
{
	test_repeats();
	test_loop_buffer();
	test_parts();
	return tap_done();
}
