/* SPDX-License-Identifier: MIT */
/* A record of four instructions on an invented core, with one of everything. */
#ifndef TAKT_TESTS_REPORT_FIXTURE_H
#define TAKT_TESTS_REPORT_FIXTURE_H

#include "takt/takt.h"

static const struct takt_analysis_insn fixture_insns[] = {
	{.address = 0x40,
	 .length_bytes = 5,
	 .line = 12,
	 .file = "k.s",
	 .text = "vmovsd (%rax), %xmm0",
	 .form = "vmovsd xmm, m64",
	 .note = "",
	 .uops = 1,
	 .slots = 1,
	 .latency_cycles = 6,
	 .cp_cycles = 6,
	 .on_critical_path = true,
	 .port_cycles = {0, 0, 0.5, 0.5},
	 .origin = TAKT_ORIGIN_PUBLISHED},
	{.address = 0x45,
	 .length_bytes = 4,
	 .line = 13,
	 .file = "k.s",
	 .text = "vaddsd %xmm0, %xmm1, %xmm1",
	 .form = "vaddsd xmm, xmm, xmm",
	 .note = "",
	 .uops = 1,
	 .slots = 1,
	 .latency_cycles = 4,
	 .cp_cycles = 4,
	 .lcd_cycles = 4,
	 .stall_cycles = 3.5,
	 .on_critical_path = true,
	 .on_loop_carried = true,
	 .port_cycles = {0.25, 0.75},
	 .origin = TAKT_ORIGIN_INFERRED},
	{.address = 0x49,
	 .length_bytes = 4,
	 .line = 14,
	 .file = "k.s",
	 .text = "frob \"%rax\"",
	 .form = "frob r64",
	 .note = "fused with next",
	 .slots = 1,
	 .latency_cycles = 1,
	 .origin = TAKT_ORIGIN_ESTIMATED,
	 .unknown = true},
	{.address = 0x4d,
	 .length_bytes = 2,
	 .line = 15,
	 .file = "k.s",
	 .text = "jne .L3",
	 .form = "jne rel",
	 .note = "fused with previous",
	 .uops = 1,
	 .stall_cycles = 0.5,
	 .port_cycles = {0.75, 0.25},
	 .origin = TAKT_ORIGIN_PUBLISHED},
};

static const uint32_t fixture_members[] = {1};
static const double fixture_latencies[] = {4};
static const struct takt_recurrence fixture_cycles[] = {
	{.cycles_per_iteration = 4,
	 .iterations = 1,
	 .location = "xmm1",
	 .members = fixture_members,
	 .latencies_cycles = fixture_latencies,
	 .member_count = 1},
};
static const struct takt_dependence fixture_dependences[] = {
	{.from = 0, .to = 1, .location = "xmm0", .latency_cycles = 4, .on_critical_path = true},
	{.from = 1,
	 .to = 1,
	 .iterations = 1,
	 .location = "xmm1",
	 .latency_cycles = 4,
	 .on_loop_carried = true},
};
static const struct takt_memory_dependence fixture_memory[] = {
	{.from = 2, .to = 0, .iterations = 1, .latency_cycles = 5, .overlap = "contained"},
};
static const uint32_t fixture_adder[] = {1}, fixture_jump[] = {3};
static const double fixture_adder_cycles[] = {3.5}, fixture_jump_cycles[] = {0.5};
static const struct takt_stall fixture_waits[] = {
	{.cause = "latency",
	 .text = "latency of instructions",
	 .port = "",
	 .cycles = 3.5,
	 .insns = fixture_adder,
	 .insn_cycles = fixture_adder_cycles,
	 .insn_count = 1},
	{.cause = "port",
	 .text = "a port that other µops keep busy",
	 .port = "p0",
	 .cycles = 0.5,
	 .insns = fixture_jump,
	 .insn_cycles = fixture_jump_cycles,
	 .insn_count = 1},
};
static const struct takt_relaxation fixture_relaxations[] = {
	{.what = "half the latency of fp-add (4 to 2 cycles)",
	 .advice = "recurrent",
	 .cycles = 2,
	 .insns = fixture_adder,
	 .insn_count = 1},
	{.what = "one more port like p0",
	 .advice = "",
	 .cycles = 3.5,
	 .insns = fixture_jump,
	 .insn_count = 1},
	{.what = "a wider front end", .advice = "", .cycles = 4},
};
static const struct takt_code_change fixture_changes[] = {
	{.what = "4 accumulators instead of 1",
	 .how = "write them",
	 .cycles = 1,
	 .insns = fixture_adder,
	 .insn_count = 1},
};
static const char *const fixture_bottlenecks[] = {
	"loop-carried dependence through xmm1: 4.00 cycles per iteration over vaddsd at line 13",
};
static const char *const fixture_notes[] = {
	"1 of 4 instructions use class defaults (estimated): 'frob r64'",
};

static inline struct takt_analysis fixture_analysis(void)
{
	return (struct takt_analysis){
		.arch = "TOY",
		.arch_title = "an invented core",
		.isa = "x86-64",
		.region_name = "kernel+0x40",
		.mode = TAKT_MODE_LOOP,
		.unroll_factor = 1,
		.cycles_per_iteration = 4,
		.limit = "loop-carried dependence",
		.bounds = {.ports_cycles = 1,
			   .fixed_ports_cycles = 1.25,
			   .front_end_cycles = 1.5,
			   .front_end_part = "decoders",
			   .issue_cycles = 0.75,
			   .loop_carried_cycles = 4,
			   .critical_path_cycles = 10},
		.issue_slots = 3,
		.issue_width = 4,
		.simulated_cycles = 4,
		.simulated_period = 2,
		.alignment_bytes = 48,
		.stalls = fixture_waits,
		.stall_count = 2,
		.changes = fixture_changes,
		.change_count = 1,
		.relaxations = fixture_relaxations,
		.relaxation_count = 3,
		.port_count = 6,
		.port_names = {"p0", "p1", "p2", "p3", "p4", "d0"},
		.port_pseudo = {[5] = true},
		.port_cycles = {1, 1, 0.5, 0.5},
		.insns = fixture_insns,
		.insn_count = 4,
		.recurrences = fixture_cycles,
		.recurrence_count = 1,
		.dependences = fixture_dependences,
		.dependence_count = 2,
		.memory_dependences = fixture_memory,
		.memory_dependence_count = 1,
		.bottlenecks = fixture_bottlenecks,
		.bottleneck_count = 1,
		.notes = fixture_notes,
		.note_count = 1,
	};
}

#endif
