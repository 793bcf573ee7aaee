/* SPDX-License-Identifier: MIT */
/* Programs of experiments: blocks and steps agree with the code, and simulated times with cores. */
#include <math.h>

#include "learn/program.h"
#include "trace/trace.h"
#include "unit/tap.h"

static const struct {
	const char *text;
	int32_t size;
} programs[] = {{"@chase 64 huge", 8},	 {"@chase 4096 pages", 32},
		{"@parallel", 5},	 {"@ring 16", 6},
		{"@ring 64", 3},	 {"@calls", 5},
		{"@random-branches", 0}, {"@random-branches", 1},
		{"@code", 700},		 {"@code", 3}};

/* Blocks lie in the code, and their instructions decode to the lengths that they say. */
static bool blocks_are_sound(const struct learn_program *program)
{
	bool sound = true;

	for (size_t i = 0; i < program->block_count; i++) {
		const struct program_block *block = &program->blocks[i];
		uint32_t at = block->offset;

		for (uint32_t k = 0; k < block->insn_count; k++) {
			struct takt_insn insn;
			uint8_t length = program->lengths[block->first_length + k];

			sound &= takt_decode(&takt_isa_x86, program->code.bytes + at,
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

	if (learn_program_build(text, size, &arena, &program))
		cycles = learn_program_simulate(&program, model);
	takt_arena_release(&arena);
	return cycles;
}

static void test_times(const struct takt_model *model)
{
	const struct takt_core_params *params = takt_model_params(model);
	double fast = params->load_latency_fast, hit = simulate("@chase 64 huge", 8, model);
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

		if (learn_program_build(programs[i].text, programs[i].size, &arena, &program))
			learn_program_measure(measurer, &program, &timing);
		ok(timing.outcome == LEARN_FAILED ? isnan(timing.cycles)
						  : timing.cycles > 0 && timing.spread >= 0,
		   "%s %d here: %g cycles", programs[i].text, programs[i].size, timing.cycles);
		takt_arena_release(&arena);
	}
	takt_measurer_close(measurer);
}

int main(void)
{
	struct takt_model *model;
	struct takt_arena arena;
	struct learn_program program;

	for (size_t i = 0; i < TAKT_COUNT_OF(programs); i++) {
		takt_arena_init(&arena);
		ok(learn_program_build(programs[i].text, programs[i].size, &arena, &program) &&
			   blocks_are_sound(&program) && steps_are_sound(&program),
		   "%s %d", programs[i].text, programs[i].size);
		takt_arena_release(&arena);
	}
	takt_arena_init(&arena);
	ok(!learn_program_build("@nothing", 3, &arena, &program), "no such program");
	ok(!learn_program_build("@chase 8", 3, &arena, &program), "elements share a line");
	ok(!learn_program_build("@ring 64", 0, &arena, &program), "nothing to jump to");
	takt_arena_release(&arena);
	if (takt_model_open("SKL", NULL, NULL, &model) != TAKT_OK)
		return 1;
	test_times(model);
	takt_model_close(model);
	test_host();
	return tap_done();
}
