/* SPDX-License-Identifier: MIT */
/* Of a row's latency to memory: what the store takes, and what a load of it waits for. */
#include "blocks.h"

static const struct {
	int line;
	const char *hex;
	uint32_t non_temporal_cycles, from_register, from_address;
	const char *what;
} rows[] = {
	{__LINE__, "480fc307", 299, 1, 1, "movnti [rdi], rax"},
	{__LINE__, "0f2b07", 499, 1, 1, "movntps [rdi], xmm0: the address counts for no more"},
	{__LINE__, "0fe707", 0, 1, 1, "movntq [rdi], mm0: no longer than other stores"},
	{__LINE__, "488907", 0, 7, 8, "mov [rdi], rax keeps what its row says"},
};

int main(void)
{
	struct takt_arena arena = {0};
	struct fixture fixture;
	struct takt_model *model;

	fixture_open(&fixture);
	model = fixture_core(&fixture, "compose store | 1*p1 | lat=1\ndefault int | 1*p0 | lat=1\n",
			     "movnti m64, r64 | 1*p1 | lat=300\n"
			     "movntps m128, xmm | 1*p1 | lat=500,a>1:520\n"
			     "movntq m64, mm | 1*p1 | lat=1\n"
			     "mov m64, r64 | 1*p1 | lat=7,a>1:8\n");
	for (size_t i = 0; model && i < TAKT_COUNT_OF(rows); i++) {
		struct takt_block block = make_block(rows[i].hex, &arena);
		struct takt_timing_storage storage;
		struct takt_timing timing;

		takt_model_timing(model, block.insns, &storage, &timing);
		tap_is_int(__FILE__, rows[i].line,
			   takt_non_temporal_cycles(block.insns, &timing, TAKT_SLOT_1),
			   rows[i].non_temporal_cycles, rows[i].what);
		tap_is_int(__FILE__, rows[i].line,
			   takt_stored_latency(block.insns, &timing, TAKT_SLOT_1 + 1, TAKT_SLOT_1),
			   rows[i].from_register, "from the register");
		tap_is_int(__FILE__, rows[i].line,
			   takt_stored_latency(block.insns, &timing, TAKT_SLOT_BASE, TAKT_SLOT_1),
			   rows[i].from_address, "from the address");
		takt_arena_clear(&arena);
	}
	fixture_end(&fixture, model);
	takt_arena_release(&arena);
	return tap_done();
}
