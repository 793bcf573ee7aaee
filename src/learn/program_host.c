/* SPDX-License-Identifier: MIT */
/* Runs a program on this host, in the sandboxed process that measures machine code. */
#include <math.h>
#include <string.h>

#include "learn/program.h"

#define ROUNDS 5u
/* Data that translations of the first level cover, so that the size of pages does not matter. */
#define SMALL_DATA_BYTES (256u << 10)
#define PLACEMENTS 2u /* processes that time a program whose data is large */
#define ATTEMPTS 4u   /* of a timing that other load disturbs */

#if defined(__x86_64__) || defined(__aarch64__)

/* Write entry, body and exit. */
static void write_code(const struct learn_program *program, struct learn_code *code)
{
	const struct program_insns *insns = program->insns;

	/* The body begins at a line, as it does in the simulator. */
	while (code->size_bytes + insns->entry_bytes < TAKT_LINE_BYTES)
		learn_code_add(code, insns->nop, insns->unit_bytes);
	learn_code_add(code, insns->entry, insns->entry_bytes);
	learn_code_add(code, program->code.bytes, program->code.size_bytes);
	memcpy(code->bytes + TAKT_LINE_BYTES + program->exit, insns->leave, insns->leave_bytes);
}

/* Measure the code in a process of its own, again if other load disturbs it. */
static void measure(struct takt_measurer *measurer, const struct learn_program *program,
		    const struct learn_code *code, uint64_t seed, struct takt_measurement *result)
{
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		const struct takt_code measured = {
			.bytes = code->bytes,
			.size_bytes = code->size_bytes,
			.data_bytes = program->data_bytes,
			.start = program->start,
			.pointers = program->pointers,
			.pointer_count = program->pointer_count,
			.huge_pages = program->huge_pages,
			.needs_huge_pages =
				program->huge_pages && program->data_bytes > SMALL_DATA_BYTES,
			.turns = program->turns * program->rounds,
			.seed = seed + i,
			.warm_up = program->warm_rounds / program->rounds,
			.least_rounds = ROUNDS};

		takt_measure_code(measurer, &measured, result);
		if (result->status == TAKT_MEASURE_OK || !(result->cycles > 0))
			break;
	}
}

void learn_program_measure(struct takt_measurer *measurer, const struct learn_program *program,
			   struct learn_timing *ret_timing)
{
	struct learn_code code = {.arena = program->arena};
	double items = (double)program->items * program->rounds, least = INFINITY, most = 0;
	unsigned placements = program->data_bytes > SMALL_DATA_BYTES ? PLACEMENTS : 1;

	write_code(program, &code);
	*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_GOOD};
	/* Each process has other physical memory: times that depend on it are not the core's. */
	for (unsigned i = 0; i < placements; i++) {
		struct takt_measurement result = {.cycles = NAN};

		measure(measurer, program, &code, program->seed + (uint64_t)i * ATTEMPTS, &result);
		if (!(result.cycles > 0)) {
			*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_FAILED};
			return;
		}
		least = fmin(least, result.cycles / items);
		most = fmax(most, result.cycles / items);
		ret_timing->spread = fmax(ret_timing->spread, result.spread);
		if (result.status == TAKT_MEASURE_DISTURBED)
			ret_timing->outcome = LEARN_DISTURBED;
	}
	ret_timing->cycles = (least + most) / 2;
	ret_timing->spread = fmax(ret_timing->spread, (most - least) / ret_timing->cycles);
}

#else

void learn_program_measure(struct takt_measurer *measurer, const struct learn_program *program,
			   struct learn_timing *ret_timing)
{
	(void)measurer;
	(void)program;
	*ret_timing = (struct learn_timing){.cycles = NAN, .outcome = LEARN_FAILED};
}

#endif
