/* SPDX-License-Identifier: MIT */
/*
 * How fast the simulator is: stream-speed CORE FILE.csv (hex blocks in the first column).
 * The blocks one by one, as loops until they are steady; and as a program that runs
 * them in random order, some much more often than others, with loads and stores all over,
 * cache misses and mispredicted branches. Instructions per second of processor time, best of
 * several runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/prepared.h"

#define BLOCK_BYTES_MAX 1024u
#define BLOCKS_MAX 20000u
#define STEPS 100000u
#define RUNS 5u
#define ACCESSES_MAX 64u /* of a block */

struct block {
	struct takt_block code;
	struct sim_code_block *made;
};

struct bench {
	const struct takt_model *model;
	struct takt_arena arena;
	struct block *blocks;
	uint32_t count;
	uint64_t seed;
	struct sim_stream_step *prepared;
	uint64_t insns;
};

static double processor_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static uint32_t random_below(struct bench *bench, uint32_t end)
{
	bench->seed = bench->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((bench->seed >> 33) % end);
}

/* ---- blocks ------------------------------------------------------------------------------ */

static size_t read_hex(const char *line, uint8_t *bytes)
{
	size_t size = 0;
	unsigned byte;

	while (size < BLOCK_BYTES_MAX && sscanf(line + 2 * size, "%2x", &byte) == 1)
		bytes[size++] = (uint8_t)byte;
	return size;
}

static void read_blocks(struct bench *bench, FILE *file)
{
	static char line[1 << 16];
	uint64_t address = 0x400000;

	bench->blocks = TAKT_NEW_ARRAY(&bench->arena, BLOCKS_MAX, struct block);
	while (bench->count < BLOCKS_MAX && fgets(line, sizeof(line), file)) {
		uint8_t *bytes = takt_arena_alloc(&bench->arena, BLOCK_BYTES_MAX, 1);
		size_t size = read_hex(line, bytes);
		struct takt_block *code = &bench->blocks[bench->count].code;

		if (!size ||
		    takt_decode_block(takt_model_isa(bench->model),
				      &(struct takt_code_bytes){bytes, size, address, "", NULL},
				      &bench->arena, NULL, code) != TAKT_OK)
			continue;
		address += size;
		bench->count++;
	}
}

/* ---- loops --------------------------------------------------------------------------------- */

static void simulate_loops(struct bench *bench)
{
	const struct sim_options options = {.loop = true};
	uint64_t insns = 0;
	double seconds = 0;

	for (uint32_t i = 0; i < bench->count; i++) {
		struct takt_prepared prepared = {.model = bench->model,
						 .block = bench->blocks[i].code};
		struct takt_arena arena = {0};
		struct sim_summary summary;
		double start;

		takt_prepared_set_mode(&prepared, TAKT_MODE_LOOP);
		takt_prepared_run(&prepared, &arena);
		start = processor_seconds();
		takt_prepared_simulate(&prepared, &options, &arena, &summary);
		seconds += processor_seconds() - start;
		insns += (uint64_t)summary.simulated_iterations * prepared.block.count;
		takt_arena_release(&arena);
	}
	printf("loops: %.2f million instructions/s\n", (double)insns / seconds * 1e-6);
}

/* ---- a program ------------------------------------------------------------------------------ */

/* Half to a stack of a few lines, others anywhere in 256 KiB; few miss. */
static struct sim_stream_access make_access(struct bench *bench, uint32_t insn, bool store,
					    uint16_t bytes)
{
	uint32_t luck = random_below(bench, 1000);
	uint64_t address = luck < 500 ? 0x7f0000000000u + 8 * random_below(bench, 64)
				      : 0x10000000u + 8 * (uint64_t)random_below(bench, 1 << 15);

	return (struct sim_stream_access){
		.address = address,
		.insn = (uint16_t)insn,
		.size_bytes = (uint8_t)(bytes && bytes <= 64 ? bytes : 8),
		.store = store,
		.extra_cycles = luck == 999  ? 250
				: luck > 995 ? 40
				: luck > 970 ? 10
					     : 0,
	};
}

static void make_accesses(struct bench *bench, const struct takt_block *code,
			  struct sim_stream_step *step)
{
	struct sim_stream_access accesses[ACCESSES_MAX], *copy;

	for (uint32_t i = 0; i < code->count; i++)
		for (unsigned m = 0; m < code->insns[i].memory_count; m++) {
			const struct takt_memory *memory = &code->insns[i].memories[m];

			if (memory->address_only || step->access_count + 2 > ACCESSES_MAX)
				continue;
			if (memory->read)
				accesses[step->access_count++] =
					make_access(bench, i, false, memory->size_bytes);
			if (memory->write)
				accesses[step->access_count++] =
					make_access(bench, i, true, memory->size_bytes);
		}
	copy = TAKT_NEW_ARRAY(&bench->arena, step->access_count, struct sim_stream_access);
	memcpy(copy, accesses, step->access_count * sizeof(*copy));
	step->accesses = copy;
}

/* A few blocks in a row, several times; the first are chosen most. */
static void make_program(struct bench *bench)
{
	uint32_t count = 0;

	bench->prepared = TAKT_NEW_ARRAY(&bench->arena, STEPS, struct sim_stream_step);
	while (count < STEPS) {
		double luck = random_below(bench, 1 << 20) / (double)(1 << 20);
		uint32_t first = (uint32_t)(luck * luck * luck * luck * bench->count);
		uint32_t length = 1 + random_below(bench, 6), times = 1 + random_below(bench, 20);

		if (first + length > bench->count)
			continue;
		for (uint32_t i = 0; i < length * times && count < STEPS; i++) {
			struct block *block = &bench->blocks[first + i % length];
			struct sim_stream_step *step = &bench->prepared[count++];

			*step = (struct sim_stream_step){
				.block = block->made,
				.insn_count = block->code.count,
				.taken = i % length + 1 == length,
				.mispredicted = random_below(bench, 25) == 0,
			};
			make_accesses(bench, &block->code, step);
			bench->insns += block->code.count;
		}
	}
}

static void simulate_program(struct bench *bench)
{
	const struct sim_stream_options options = {
		.misses_max = 12, .memory_cycles = 200, .memory_line_cycles = 6};
	struct sim_code *code = takt_sim_code_new(bench->model);
	struct sim_stream_totals totals = {0};
	double best = 0;

	for (uint32_t i = 0; i < bench->count; i++)
		bench->blocks[i].made =
			takt_sim_code_add(code, bench->blocks[i].code.insns->address,
					  bench->blocks[i].code.insns, bench->blocks[i].code.count);
	make_program(bench);
	for (uint32_t run = 0; run < RUNS; run++) {
		double start = processor_seconds(), seconds;
		struct sim_stream *stream = takt_sim_stream_new(code, &options);

		for (uint32_t i = 0; i < STEPS; i++)
			takt_sim_stream_step(stream, &bench->prepared[i]);
		takt_sim_stream_drain(stream);
		seconds = processor_seconds() - start;
		takt_sim_stream_totals(stream, &totals);
		takt_sim_stream_free(stream);
		if (!run || seconds < best)
			best = seconds;
	}
	printf("program: %.2f million instructions/s, %.2f cycles each",
	       (double)bench->insns / best * 1e-6, (double)totals.cycles / (double)totals.insns);
#define X(name, text, top_down, limit)                                                             \
	printf(", %s %.0f %%", text,                                                               \
	       100 * (double)totals.losses[name] / (double)totals.cycles / SIM_CYCLE_PARTS);
	SIM_LOSS_LIST(X)
#undef X
	printf("\n");
	takt_sim_code_free(code);
}

int main(int argc, char **argv)
{
	struct bench bench = {.seed = 1};
	struct takt_model *model;
	FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;

	if (!file || takt_model_open(argv[1], NULL, NULL, &model) != TAKT_OK) {
		fprintf(stderr, "usage: stream-speed CORE FILE.csv\n");
		return 2;
	}
	bench.model = model;
	read_blocks(&bench, file);
	fclose(file);
	if (bench.count) {
		simulate_loops(&bench);
		simulate_program(&bench);
	}
	takt_arena_release(&bench.arena);
	takt_model_close(model);
	return 0;
}
