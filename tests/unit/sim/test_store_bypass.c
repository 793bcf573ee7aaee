/* SPDX-License-Identifier: MIT */
/* Loads that run ahead of stores whose addresses are not known yet. */
#include <math.h>

#include "feed.h"

#define STEPS 4096u

/*
 * mov rdx, rax; eight add rdx, 0; mov [r10 + rdx], rsi; mov rbx, [r8 + rax]; and rbx, 0;
 * and rdx, 0; lea rax, [rbx + rdx]: the address of the store is known eight cycles after that of
 * the load, and both lead to those of the next iteration.
 */
static const char late[] = "4889c24883c2004883c2004883c2004883c2004883c2004883c2004883c2004883c200"
			   "49893412498b1c004883e3004883e200488d0413";
/* The same with add rax, 0 twice instead: the load comes after the address of the store. */
static const char early[] = "4889c24883c0004883c00049893412498b1c004883e3004883e200488d0413";

/* mov rdx, rax and no addition: both addresses are known in the same cycle. */
static const char together[] = "4889c249893412498b1c004883e3004883e200488d0413";
/* movzx ecx, cl; add [r8 + rcx], rsi. */
static const char counts[] = "0fb6c949013408";

/* A copy of the block, at this address; 0: itself. */
static struct sim_code_block *copy_of(struct feed *feed, uint64_t address)
{
	return address ? takt_sim_code_add(feed->code, address, feed->kernel->prepared.block.insns,
					   feed->kernel->prepared.block.count)
		       : feed->block;
}

/* Let iteration `i` of a block run, with two accesses. */
static void iterate(struct feed *feed, struct sim_code_block *block,
		    const struct sim_stream_access accesses[2], uint32_t i)
{
	const struct sim_stream_step step = {.block = block,
					     .insn_count = feed->block->insn_count,
					     .accesses = accesses,
					     .access_count = 2,
					     .cookie = i};

	takt_sim_stream_step(feed->stream, &step);
}

/* End the feed; return the cycles of an iteration of its second half. */
static double end(struct feed *feed)
{
	double cycles;

	takt_sim_stream_drain(feed->stream);
	cycles = (double)(feed->before_parts - feed->middle_parts) / SIM_CYCLE_PARTS /
		 (double)(STEPS / 2 - 1);
	feed_free(feed);
	return cycles;
}

/*
 * Cycles of an iteration if every `period`-th loads what it stores; 0: none does. If `other` is an
 * address, every other iteration runs a copy of the block there.
 */
static double cycles_of(const char *core, const char *hex, uint32_t period, uint32_t leads,
			uint64_t other)
{
	struct feed *feed = feed_new(core, hex, NULL);
	struct sim_code_block *blocks[2] = {feed->block, copy_of(feed, other)};
	uint16_t store = (uint16_t)(1 + leads);

	feed->middle = STEPS / 2;
	for (uint32_t i = 0; i < STEPS; i++) {
		uint64_t loaded = 0x2000 + i * 7 % 256 * 8;
		bool meets = period && i % period == period - 1;
		const struct sim_stream_access accesses[] = {
			{.address = meets ? loaded : 0x4000 + i * 5 % 256 * 8,
			 .insn = store,
			 .size_bytes = 8,
			 .store = true},
			{.address = loaded, .insn = (uint16_t)(store + 1), .size_bytes = 8},
		};

		iterate(feed, blocks[i % 2], accesses, i);
	}
	return end(feed);
}

/* Cycles of an iteration that adds to a counter, if every `run` iterations it is another one. */
static double count_cycles(const char *core, uint32_t run)
{
	struct feed *feed = feed_new(core, counts, NULL);

	feed->middle = STEPS / 2;
	for (uint32_t i = 0; i < STEPS; i++) {
		uint64_t counter = 0x2000 + i / run * 8;
		const struct sim_stream_access accesses[] = {
			{.address = counter, .insn = 1, .size_bytes = 8},
			{.address = counter, .insn = 1, .size_bytes = 8, .store = true},
		};

		iterate(feed, feed->block, accesses, i);
	}
	return end(feed);
}

static double late_cycles(const char *core, uint32_t period)
{
	return cycles_of(core, late, period, 8, 0);
}

static const struct takt_core_params *params_of(const char *core)
{
	static struct takt_core_params params;
	struct feed *feed = feed_new(core, early, NULL);

	params = *feed->stream->core->params;
	feed_free(feed);
	return &params;
}

/* Ten additions and the like, or what the load waits for: 9 of the address, 4 to load, and two. */
static void check_loop(const char *core)
{
	const struct takt_core_params *params = params_of(core);
	double waits = 9 + params->store_bypass_wait_cycles + 4 + 2;
	double executions = params->store_bypass_wait_executions;
	double flush = params->store_bypass_flush_cycles + 9 + 4 + 2 - 10;
	double period = 128, cost;

	ok(flush > 0 && executions > 0, "%s: loads run ahead wrongly", core);
	ok(fabs(late_cycles(core, 0) - 10) < .5, "none meets a store: got %g, want 10",
	   late_cycles(core, 0));
	ok(fabs(late_cycles(core, 8) - waits) < 1, "one in eight: got %g, want %g for all",
	   late_cycles(core, 8), waits);
	cost = (late_cycles(core, (uint32_t)period) - late_cycles(core, 0)) * period;
	ok(fabs(cost / (flush + executions * (waits - 10)) - 1) < .1,
	   "one in %g costs %g cycles, want %g to begin anew and %g to wait", period, cost, flush,
	   executions * (waits - 10));
}

/*
 * In a run of 64 additions to one counter, the core learns that the load takes over what was
 * stored, and the end of the run costs as much as a load that ran ahead. A run of 8 is too short.
 */
static void check_renaming(const char *core)
{
	const struct takt_core_params *params = params_of(core);
	double cost = (count_cycles(core, 64) - count_cycles(core, STEPS)) * 64;

	ok(count_cycles(core, 8) < 1.5, "%s: runs of 8 overlap: got %g", core,
	   count_cycles(core, 8));
	ok(cost > params->store_bypass_flush_cycles && cost < 2 * params->store_bypass_flush_cycles,
	   "the end of a run of 64 costs %g, want %d and what does not overlap", cost,
	   params->store_bypass_flush_cycles);
}

int main(void)
{
	check_loop("ZEN4");
	check_loop("ZEN5");
	check_renaming("ZEN4");
	check_renaming("ZEN5");
	ok(cycles_of("ZEN4", together, 64, 0, 0) > cycles_of("ZEN4", together, 0, 0, 0) + 1,
	   "in the same cycle, loads of ZEN4 run ahead: got %g and %g",
	   cycles_of("ZEN4", together, 64, 0, 0), cycles_of("ZEN4", together, 0, 0, 0));
	ok(cycles_of("ZEN5", together, 64, 0, 0) < cycles_of("ZEN5", together, 0, 0, 0) + .1,
	   "those of ZEN5 do not: got %g and %g", cycles_of("ZEN5", together, 64, 0, 0),
	   cycles_of("ZEN5", together, 0, 0, 0));
	ok(fabs(cycles_of("ZEN4", early, 0, 2, 0) - cycles_of("ZEN4", early, 64, 2, 0)) < .1,
	   "a load that comes after the address of the store costs nothing: got %g and %g",
	   cycles_of("ZEN4", early, 0, 2, 0), cycles_of("ZEN4", early, 64, 2, 0));
	/* Those of copies whose places in the code have the same last six bits. */
	ok(fabs(cycles_of("ZEN4", late, 7, 8, 0x3c80) - late_cycles("ZEN4", 7)) < 1,
	   "loads that meet stores in turn are both remembered: got %g, want %g",
	   cycles_of("ZEN4", late, 7, 8, 0x3c80), late_cycles("ZEN4", 7));
	ok(late_cycles("SKL", 64) < late_cycles("SKL", 0) + .2,
	   "nor does any where the core has no such cycles: got %g and %g", late_cycles("SKL", 0),
	   late_cycles("SKL", 64));
	return tap_done();
}
