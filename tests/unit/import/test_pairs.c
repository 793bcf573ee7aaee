/* SPDX-License-Identifier: MIT */
/* Latencies per operand pair: every pair is given back exactly by what is written. */
#include "../tap.h"
#include "import/table.h"

static uint32_t latency_of(const struct takt_import_pairs *pairs, uint8_t source,
			   uint8_t destination, uint32_t *ret_count)
{
	struct takt_latency exceptions[TAKT_IMPORT_PAIRS_MAX];
	struct takt_timing timing = {.latencies = exceptions};

	*ret_count = takt_import_pairs_compress(pairs, exceptions, &timing.latency_default);
	timing.latency_count = (uint8_t)*ret_count;
	return takt_timing_latency(&timing, source, destination);
}

static void test_small(void)
{
	struct takt_import_pairs pairs = {.count = 0};
	uint32_t count;

	is_int(latency_of(&pairs, 0, 0, &count), 1, "no pair: one cycle");
	takt_import_pair_add(&pairs, TAKT_SLOT_1, TAKT_SLOT_1, 3);
	takt_import_pair_add(&pairs, TAKT_SLOT_1, TAKT_SLOT_1, 2);
	is_int(latency_of(&pairs, TAKT_SLOT_1, TAKT_SLOT_1, &count), 3, "the larger figure counts");
	is_int(count, 0, "one latency needs no exception");
	takt_import_pair_add(&pairs, TAKT_SLOT_BASE, TAKT_SLOT_1, 8);
	takt_import_pair_add(&pairs, TAKT_SLOT_INDEX, TAKT_SLOT_1, 8);
	takt_import_pair_add(&pairs, TAKT_SLOT_BASE, TAKT_SLOT_FLAGS, 8);
	is_int(latency_of(&pairs, TAKT_SLOT_INDEX, TAKT_SLOT_1, &count), 8, "address registers");
	is_int(count, 1, "base and index share an exception");
}

/* Pseudo-random tables: compression loses nothing. */
static void test_exact(void)
{
	uint64_t seed = 1;
	unsigned wrong = 0;

	for (unsigned round = 0; round < 2000; round++) {
		struct takt_import_pairs pairs = {.count = 0};
		uint32_t count;

		for (unsigned i = 0; i < 12; i++) {
			seed = takt_hash64(seed + i);
			takt_import_pair_add(&pairs, (uint8_t)(seed % 8), (uint8_t)(seed / 8 % 4),
					     (uint32_t)(seed / 64 % 3));
		}
		for (uint32_t i = 0; i < pairs.count; i++)
			wrong += latency_of(&pairs, pairs.pairs[i].source,
					    pairs.pairs[i].destination,
					    &count) != pairs.pairs[i].cycles;
	}
	is_int(wrong, 0, "every pair of 2000 tables is given back");
}

int main(void)
{
	test_small();
	test_exact();
	return tap_done();
}
