/* SPDX-License-Identifier: MIT */
/* Programs of experiments: blocks and steps agree with the code, and simulated times with cores. */
#include <math.h>

#include "learn/program.h"
#include "trace/trace.h"
#include "unit/isa/aarch64_rows.h"
#include "unit/tap.h"

static const struct {
	const char *text;
	int32_t size;
} programs[] = {{"@chase 64 huge", 8},	 {"@chase 4096 pages", 32},
		{"@parallel", 5},	 {"@ring 16", 6},
		{"@ring 64", 3},	 {"@calls", 5},
		{"@indirect", 1},	 {"@indirect", 4},
		{"@returns", 1},	 {"@returns", 3},
		{"@random-branches", 0}, {"@random-branches", 1},
		{"@code", 700},		 {"@code", 3}};

static const struct {
	const char *name;
	const struct takt_isa *isa;
} sets[] = {{"x86-64", &takt_isa_x86}, {"aarch64", &takt_isa_aarch64}};

/* Blocks lie in the code, and their instructions decode to the lengths that they say. */
static bool blocks_are_sound(const struct learn_program *program, const struct takt_isa *isa)
{
	bool sound = true;

	for (size_t i = 0; i < program->block_count; i++) {
		const struct program_block *block = &program->blocks[i];
		uint32_t at = block->offset;

		for (uint32_t k = 0; k < block->insn_count; k++) {
			struct takt_insn insn;
			uint8_t length = program->lengths[block->first_length + k];

			sound &= takt_decode(isa, program->code.bytes + at,
					     program->code.size_bytes - at, at, &insn) == TAKT_OK &&
				 insn.length_bytes == length;
			at += length;
		}
		sound &= at == block->offset + block->size_bytes;
	}
	return sound;
}

/* Each step leads to the step behind it, the last one to the first, and accesses are in the data.
 */
static bool steps_are_sound(const struct learn_program *program)
{
	bool sound = program->step_count > 0;

	for (size_t i = 0; i < program->step_count; i++) {
		const struct program_step *step = &program->steps[i];
		size_t behind = (i + 1) % program->step_count;

		sound &= step->next == program->steps[behind].block &&
			 step->block < program->block_count &&
			 step->first_access + step->access_count <= program->access_count;
	}
	for (size_t i = 0; i < program->access_count; i++)
		sound &= trace_value(program->accesses[i]) + 8 <= program->data_bytes;
	for (size_t i = 0; i < program->pointer_count; i++)
		sound &= program->pointers[i].at + 8 <= program->data_bytes &&
			 program->pointers[i].target + 8 <= program->data_bytes;
	return sound && program->start < program->data_bytes + !program->data_bytes;
}

static double simulate(const char *text, int32_t size, const struct takt_model *model)
{
	struct takt_arena arena = {0};
	struct learn_program program;
	double cycles = NAN;

	if (learn_program_build(takt_model_isa_name(model), text, size, &arena, &program))
		cycles = learn_program_simulate(&program, model);
	takt_arena_release(&arena);
	return cycles;
}

static void test_times(const struct takt_model *model)
{
	const struct takt_core_params *params = takt_model_params(model);
	double fast =
		params->load_latency_fast ? params->load_latency_fast : params->load_latency_int;
	double hit = simulate("@chase 64 huge", 8, model);
	double page = simulate("@chase 4096 pages", 1800, model);

	ok(fabs(hit - fast) < 0.3, "a hit takes %.2f cycles of %.0f", hit, fast);
	ok(fabs(simulate("@chase 512 huge", 100 * 32, model) - hit - params->l3_extra_cycles) < 1,
	   "in the third level, %d more", params->l3_extra_cycles);
	ok(page > hit + params->page_walk_cycles && page < hit + params->page_walk_cycles + 40,
	   "page walks: %.2f", page);
	ok(simulate("@random-branches", 1, model) >
		   simulate("@random-branches", 0, model) + params->mispredict_cycles / 3.0,
	   "random branches take longer");
	ok(simulate("@calls", params->return_stack_entries + 4, model) >
		   simulate("@calls", params->return_stack_entries, model) + 0.3,
	   "calls beyond the return stack take longer");
}

/* A program ends on this host, too; its time is one of this host's, or there is none. */
static void test_host(void)
{
	const struct takt_measure_options options = {.time_limit_seconds = 2};
	struct takt_measurer *measurer;

	if (takt_measurer_open(&options, NULL, &measurer) != TAKT_OK) {
		tap_skip("programs on this host", "nothing can be measured here");
		return;
	}
	for (size_t i = 0; i < TAKT_COUNT_OF(programs); i++) {
		struct takt_arena arena = {0};
		struct learn_program program;
		struct learn_timing timing = {.cycles = NAN};

		if (learn_program_build(TAKT_HOST_ISA, programs[i].text, programs[i].size, &arena,
					&program))
			learn_program_measure(measurer, &program, &timing);
		ok(timing.outcome == LEARN_FAILED ? isnan(timing.cycles)
						  : timing.cycles > 0 && timing.spread >= 0,
		   "%s %d here: %g cycles", programs[i].text, programs[i].size, timing.cycles);
		takt_arena_release(&arena);
	}
	takt_measurer_close(measurer);
}

static void test_core(const char *name)
{
	struct takt_model *model;

	if (takt_model_open(name, NULL, NULL, &model) != TAKT_OK) {
		ok(false, "%s is a core", name);
		return;
	}
	test_times(model);
	takt_model_close(model);
}

static void test_set(size_t set)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(programs); i++) {
		struct takt_arena arena = {0};
		struct learn_program program;

		ok(learn_program_build(sets[set].name, programs[i].text, programs[i].size, &arena,
				       &program) &&
			   blocks_are_sound(&program, sets[set].isa) && steps_are_sound(&program),
		   "%s: %s %d", sets[set].name, programs[i].text, programs[i].size);
		takt_arena_release(&arena);
	}
}

int main(void)
{
	struct takt_arena arena = {0};
	struct learn_program program;

	test_set(0);
	if (can_decode())
		test_set(1);
	ok(!learn_program_build("x86-64", "@nothing", 3, &arena, &program), "no such program");
	ok(!learn_program_build("x86-64", "@chase 8", 3, &arena, &program),
	   "elements share a line");
	ok(!learn_program_build("x86-64", "@ring 64", 0, &arena, &program), "nothing to jump to");
	ok(!learn_program_build("riscv64", "@ring 64", 3, &arena, &program), "no instructions");
	takt_arena_release(&arena);
	test_core("SKL");
	if (can_decode())
		test_core("N1");
	else
		tap_skip("programs of AArch64", AARCH64_MODULE);
	test_host();
	return tap_done();
}
