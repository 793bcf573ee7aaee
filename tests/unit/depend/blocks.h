/* SPDX-License-Identifier: MIT */
/* Blocks from hexadecimal digits, with their timings and graph. */
#ifndef TAKT_TESTS_DEPEND_BLOCKS_H
#define TAKT_TESTS_DEPEND_BLOCKS_H

#include "../model/fixture.h"
#include "bounds/bounds.h"

static inline struct takt_block make_isa_block(const struct takt_isa *isa, const char *hex,
					       struct takt_arena *arena)
{
	size_t size = strlen(hex) / 2;
	uint8_t *bytes = TAKT_NEW_ARRAY(arena, size, uint8_t);
	struct takt_block block;

	for (size_t i = 0; i < size; i++) {
		unsigned value = 0;

		sscanf(hex + 2 * i, "%2x", &value);
		bytes[i] = (uint8_t)value;
	}
	if (takt_decode_block(isa, &(struct takt_code_bytes){bytes, size, 0x1000, "test", NULL},
			      arena, NULL, &block) != TAKT_OK) {
		printf("Bail out! '%s' does not decode\n", hex);
		exit(EXIT_FAILURE);
	}
	return block;
}

static inline struct takt_block make_block(const char *hex, struct takt_arena *arena)
{
	return make_isa_block(&takt_isa_x86, hex, arena);
}

static inline struct takt_graph make_graph(const struct takt_model *model,
					   const struct takt_block *block,
					   struct takt_graph_options options,
					   struct takt_arena *arena)
{
	struct takt_timing_storage *storage =
		TAKT_NEW_ARRAY(arena, block->count, struct takt_timing_storage);
	struct takt_timing *timings = TAKT_NEW_ARRAY(arena, block->count, struct takt_timing);
	struct takt_graph graph;

	for (uint32_t i = 0; i < block->count; i++)
		takt_model_timing(model, &block->insns[i], &storage[i], &timings[i]);
	takt_graph_build(model, block, timings, &options, arena, &graph);
	return graph;
}

/* A loop, and the loop-carried bound that its graph is to have, in cycles. */
struct bound_row {
	int line;
	const char *hex;
	double loop_carried;
	const char *what;
};

static inline void check_bounds(const struct takt_model *model, const struct bound_row *rows,
				size_t count)
{
	struct takt_arena arena = {0};

	for (size_t i = 0; model && i < count; i++) {
		struct takt_block block = make_block(rows[i].hex, &arena);
		struct takt_graph graph = make_graph(
			model, &block, (struct takt_graph_options){.loop = true}, &arena);
		double got = takt_loop_carried_bound(&graph, &arena);

		tap_ok_at(__FILE__, rows[i].line, fabs(got - rows[i].loop_carried) < 1e-9,
			  "%s: got %g, want %g", rows[i].what, got, rows[i].loop_carried);
		takt_arena_clear(&arena);
	}
	takt_arena_release(&arena);
}

#endif
