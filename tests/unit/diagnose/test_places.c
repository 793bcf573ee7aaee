/* SPDX-License-Identifier: MIT */
#include "../tap.h"

#include "diagnose/diagnose.h"

/* Function 1: 0x100 before; 0x110 outer { 0x120 inner; 0x130 }; 0x140 after. Function 2: 0x200. */
static struct diagnose_block blocks[] = {
	{.address = 0x100,
	 .end = 0x110,
	 .function = 1,
	 .runs = 1,
	 .cycles = 1,
	 .counts = {.insns = 4}},
	{.address = 0x110,
	 .end = 0x120,
	 .function = 1,
	 .runs = 10,
	 .cycles = 20,
	 .counts = {.insns = 4}},
	{.address = 0x120,
	 .end = 0x130,
	 .target = 0x120,
	 .function = 1,
	 .runs = 100,
	 .cycles = 300,
	 .counts = {.insns = 4, .branches = 1}},
	{.address = 0x130,
	 .end = 0x140,
	 .target = 0x110,
	 .function = 1,
	 .runs = 10,
	 .cycles = 30,
	 .counts = {.insns = 4}},
	{.address = 0x140,
	 .end = 0x150,
	 .target = 0x200,
	 .function = 1,
	 .runs = 1,
	 .cycles = 2,
	 .counts = {.insns = 4}},
	/* Back to another function: no loop. */
	{.address = 0x200,
	 .end = 0x210,
	 .target = 0x140,
	 .function = 2,
	 .runs = 1,
	 .cycles = 5,
	 .counts = {.insns = 4}},
};

static struct diagnose_access accesses[] = {
	{.address = 0x124,
	 .place = 1,
	 .counts = {.count = 100,
		    .bytes = 800,
		    .misses = {100, 50, 10},
		    .strides = {0, 0, 0, 75, 25}}},
};

int main(void)
{
	struct diagnose_seen seen = {
		.blocks = blocks,
		.block_count = TAKT_COUNT_OF(blocks),
		.accesses = accesses,
		.access_count = TAKT_COUNT_OF(accesses),
	};
	const struct diagnose_place *inner, *outer;
	struct takt_model *model;

	if (!ok(takt_model_open("SKL", NULL, NULL, &model) == TAKT_OK, "a core"))
		return tap_done();
	seen.model = model;
	takt_diagnose_find_places(&seen);
	inner = &seen.places[blocks[2].place];
	outer = &seen.places[blocks[1].place];
	ok(inner->loop && inner->begin == 0x120 && inner->counts.insns == 400, "the inner loop");
	ok(outer->loop && outer->begin == 0x110 && outer->counts.insns == 80 &&
		   blocks[3].place == blocks[1].place,
	   "the outer one, without the inner");
	ok(blocks[0].place == blocks[4].place && !seen.places[blocks[0].place].loop &&
		   seen.places[blocks[0].place].cycles == 3,
	   "what is in no loop is the function's");
	ok(blocks[5].place != blocks[4].place, "functions are apart");
	ok(accesses[0].place == blocks[2].place && inner->bytes == 800, "an access is its block's");
	ok(inner->miss_strides[STRIDE_FAR] == 75 && inner->miss_strides[STRIDE_ERRATIC] == 25,
	   "misses by strides");
	ok(inner == seen.places, "the hottest is first");
	takt_arena_release(&seen.arena);
	takt_model_close(model);
	return tap_done();
}
