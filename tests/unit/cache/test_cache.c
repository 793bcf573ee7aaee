/* SPDX-License-Identifier: MIT */
/* Accesses by hand: order of replacement, sets, levels, write-backs, crossings, translations. */
#include "accesses.h"
#include "cache/hierarchy.h"

/* Sets by bits 6 and 7 … */
static const struct cache_shape sets = {
	.l1i = {256, 1, 64}, .l1d = {512, 2, 64}, .page_bytes = 4096};
/* … one set … */
static const struct cache_shape four = {
	.l1i = {256, 4, 64}, .l1d = {256, 4, 64}, .page_bytes = 4096};
/* … three of them … */
static const struct cache_shape three = {
	.l1i = {192, 1, 64}, .l1d = {192, 1, 64}, .page_bytes = 4096};
/* … and levels of one, two and four lines. */
static const struct cache_shape levels = {.l1i = {64, 1, 64},
					  .l1d = {64, 1, 64},
					  .l2 = {128, 2, 64},
					  .l3 = {256, 4, 64},
					  .page_bytes = 4096};
static const struct cache_shape outer = {
	.l1i = {64, 1, 64}, .l1d = {64, 1, 64}, .l3 = {256, 4, 64}, .page_bytes = 4096};
static const struct cache_shape together = {.l1i = {64, 1, 64},
					    .l1d = {256, 4, 64},
					    .l3 = {128, 2, 64},
					    .page_bytes = 4096,
					    .crossing_together = true};
static const struct cache_shape apart = {
	.l1i = {64, 1, 64}, .l1d = {256, 4, 64}, .l3 = {128, 2, 64}, .page_bytes = 4096};
static const struct cache_shape wide = {
	.l1i = {64, 1, 64}, .l1d = {128, 1, 64}, .l2 = {512, 2, 128}, .page_bytes = 4096};
static const struct cache_shape pages = {.l1i = {4096, 1, 64},
					 .l1d = {65536, 16, 64},
					 .itlb = {1, 1},
					 .dtlb = {2, 2},
					 .stlb = {4, 4},
					 .page_bytes = 4096};
static const struct cache_shape walks = {
	.l1i = {4096, 1, 64}, .l1d = {65536, 16, 64}, .dtlb = {2, 1}, .page_bytes = 8192};

static const struct {
	int line;
	const char *what;
	const struct cache_shape *shape;
	const char *accesses, *results;
	const char *write_backs; /* out of each level */
} rows[] = {
	{__LINE__, "one line", &sets, "L1000 L103f S1020 L1040", "3 0 0 3", "0 0 0"},
	{__LINE__, "the line used longest ago gives way", &four, "L0 L40 L80 Lc0 L0 L100 L0 L40",
	 "3 3 3 3 0 3 0 3", "0 0 0"},
	{__LINE__, "any use counts", &four, "L0 L40 L80 Lc0 S0 L41 L100 L0 L40 Lc0 L80",
	 "3 3 3 3 0 0 3 0 0 0 3", "0 0 0"},
	{__LINE__, "sets by the bits above the line", &sets,
	 "L0 L40 L80 Lc0 L100 L140 L0 L200 L100 L40", "3 3 3 3 3 3 0 3 3 0", "0 0 0"},
	{__LINE__, "a number of sets that is no power of two", &three,
	 "L0 L40 L80 L0 Lc0 L40 L80 L0", "3 3 3 0 3 0 0 3", "0 0 0"},
	{__LINE__, "fetches have a cache of their own", &sets, "F0 L0 F0 F100 L0 F0", "3 3 0 3 0 3",
	 "0 0 0"},
	{__LINE__, "a line is in all levels", &levels,
	 "L0 L40 L0 L80 L40 L0 L40 Lc0 L100 L140 L0 L40", "3 3 1 3 2 2 1 3 3 3 2 3", "0 0 0"},
	{__LINE__, "further levels serve both", &levels, "F0 L0 L40 F80 L0", "3 1 3 3 2", "0 0 0"},
	{__LINE__, "without a second level", &outer, "L0 L40 L0", "3 3 2", "0 0 0"},
	{__LINE__, "a dirty line goes to the next level", &levels, "S0 L40", "3 3", "1 0 0"},
	{__LINE__, "and from there on", &levels, "S0 L40 L80", "3 3 3", "1 1 0"},
	{__LINE__, "to memory at last", &levels, "S0 L40 L80 Lc0 L100", "3 3 3 3 3", "1 1 1"},
	{__LINE__, "a clean one is forgotten", &levels, "L0 L40 L80 Lc0 L100", "3 3 3 3 3",
	 "0 0 0"},
	{__LINE__, "clean once it is written back", &levels, "S0 L40 L0 L40", "3 3 1 1", "1 0 0"},
	{__LINE__, "a load brings it, a store dirties it", &levels, "L0 S0 L40", "3 0 3", "1 0 0"},
	{__LINE__, "what is used in the first level ages in the second", &levels, "S0 F40 F80 L40",
	 "3 3 3 1", "1 1 0"},
	{__LINE__, "a line's end", &sets, "L3c+4 L3d+4 L40 L0+0", "3 3x 0 0", "0 0 0"},
	{__LINE__, "the farther line of two", &levels, "L0 L40 L1c0 L3c+8", "3 3 3 2x", "0 0 0"},
	{__LINE__, "both become dirty", &levels, "S3c+8 L80 Lc0", "3x 3 3", "2 2 0"},
	{__LINE__, "more than two lines", &sets, "L20+256 L0 L100", "3x 0 0", "0 0 0"},
	{__LINE__, "the last line of all", &sets, "Lfffffffffffffffc+16 Lffffffffffffffff L0",
	 "3 0 3", "0 0 0"},
	/* Line 0 is in the first level. The other level has it still if it was asked for it. */
	{__LINE__, "each for itself", &apart, "L0 L80 L3c+8 F0", "3 3 3x 3", "0 0 0"},
	{__LINE__, "together", &together, "L0 L80 L3c+8 F0", "3 3 3x 2", "0 0 0"},
	{__LINE__, "together, the second there", &together, "L40 L80 Lc0 L3c+8 F40", "3 3 3 3x 2",
	 "0 0 0"},
	{__LINE__, "wider lines behind", &wide, "L0 L40 L80 Lc0 S0 L80 L0", "3 1 3 1 1 1 1",
	 "1 0 0"},
	{__LINE__, "translations: first level, second, none", &pages,
	 "L0 L1000 L2000 L1000 L0 L3000 L4000 L1000", "3w 3w 3w 0 0t 3w 3w 0w", "0 0 0"},
	{__LINE__, "a page longest not used gives way", &pages, "L0 L1000 L0 L2000 L0 L1000",
	 "3w 3w 0 3w 0 0t", "0 0 0"},
	{__LINE__, "fetches and data share the second level", &pages, "L1000 F1000 F2000 L2000",
	 "3w 3t 3w 3t", "0 0 0"},
	{__LINE__, "two pages, the worse", &pages, "L0 L1000 L2000 L3000 Lffc+8 Lffc+8 L2ffc+8",
	 "3w 3w 3w 3w 3xt 0x 3xt", "0 0 0"},
	{__LINE__, "larger pages, sets, no second level", &walks,
	 "L0 L1000 L2000 F0 L4000 L0 L2000", "3w 3 3w 3 3w 0w 0", "0 0 0"},
};

static const struct cache_shape host_like = {.l1i = {4096, 8, 64},
					     .l1d = {6144, 12, 64},
					     .l2 = {32768, 16, 64},
					     .l3 = {66240, 15, 64},
					     .itlb = {16, 4},
					     .dtlb = {24, 6},
					     .stlb = {48, 12},
					     .page_bytes = 4096,
					     .next_line_prefetch = true,
					     .stride_prefetch = true};

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

/* Sums up what accesses tell, and whether the rest of the hierarchy's counts agree. */
static void run_random(struct cache_hierarchy *hierarchy, uint64_t seed, uint32_t count,
		       struct cache_counts *counts)
{
	for (uint32_t i = 0; i < count; i++) {
		enum cache_kind kind = (enum cache_kind)(random_next(&seed) % 3);
		uint64_t near = random_next(&seed) % 2 ? 2048 : 1 << 18;
		struct cache_result result;

		takt_cache_access(hierarchy, kind, random_next(&seed) % near,
				  1 + (uint32_t)random_next(&seed) % 64, &result);
		counts->accesses[kind]++;
		for (int level = 0; level < result.level; level++)
			counts->misses[kind][level]++;
		counts->tlb_misses[kind] += result.tlb_miss;
		counts->page_walks[kind] += result.page_walk;
	}
}

static void test_counts(void)
{
	struct cache_hierarchy *hierarchy = takt_cache_new(&host_like);
	const struct cache_counts *counts = takt_cache_counts(hierarchy);
	struct cache_counts sums = {0};

	run_random(hierarchy, 1, 200000, &sums);
	ok(memcmp(sums.accesses, counts->accesses, sizeof(sums.accesses)) == 0, "accesses");
	ok(memcmp(sums.misses, counts->misses, sizeof(sums.misses)) == 0, "misses");
	ok(memcmp(sums.tlb_misses, counts->tlb_misses, sizeof(sums.tlb_misses)) == 0,
	   "translations of the second level");
	ok(memcmp(sums.page_walks, counts->page_walks, sizeof(sums.page_walks)) == 0, "page walks");
	ok(sums.misses[CACHE_LOAD][0] > sums.misses[CACHE_LOAD][1] &&
		   sums.misses[CACHE_LOAD][1] > sums.misses[CACHE_LOAD][2] &&
		   sums.misses[CACHE_LOAD][2] > 0 && sums.tlb_misses[CACHE_LOAD] > 0 &&
		   sums.page_walks[CACHE_LOAD] > 0 && counts->useful_prefetches > 0 &&
		   counts->write_backs[2] > 0,
	   "of all there are some");
	ok(counts->useful_prefetches <= counts->prefetches, "not more used than prefetched");
	ok(counts->write_backs[0] >= counts->write_backs[1] &&
		   counts->write_backs[1] >= counts->write_backs[2],
	   "not more is written back than was dirty");
	free(hierarchy);
}

/* Bytes written away and read back go on as if nothing had been. */
static void test_checkpoint(void)
{
	struct cache_hierarchy *first = takt_cache_new(&host_like), *second;
	struct cache_counts ignored = {0};
	size_t bytes = takt_cache_bytes(first);

	run_random(first, 1, 50000, &ignored);
	second = malloc(bytes);
	memcpy(second, first, bytes);
	run_random(first, 2, 50000, &ignored);
	run_random(second, 2, 50000, &ignored);
	ok(memcmp(first, second, bytes) == 0, "checkpoint: the same in every byte");
	free(first);
	free(second);
}

/* Uses numbered anew in between change nothing that follows. */
static void test_renumber(void)
{
	struct cache_hierarchy *first = takt_cache_new(&host_like);
	struct cache_hierarchy *second = takt_cache_new(&host_like);
	struct cache_counts ignored = {0};

	for (uint64_t seed = 0; seed < 20; seed++) {
		run_random(first, seed, 3000, &ignored);
		second->clock = UINT32_MAX - 1000; /* as if there had been so many */
		run_random(second, seed, 3000, &ignored);
	}
	ok(second->clock < 1u << 20, "uses were numbered anew: %u", second->clock);
	ok(memcmp(takt_cache_counts(first), takt_cache_counts(second), sizeof(ignored)) == 0,
	   "and all counts are the same");
	free(first);
	free(second);
}

/* What is remembered of lines and translations, and accesses without a result, change nothing. */
static void test_remembered(void)
{
	struct cache_hierarchy *touched = takt_cache_new(&host_like);
	struct cache_hierarchy *forgetful = takt_cache_new(&host_like);
	uint64_t seed = 1, fast = 0;

	for (uint32_t i = 0; i < 200000; i++) {
		enum cache_kind kind = (enum cache_kind)(random_next(&seed) % 3);
		uint64_t near = random_next(&seed) % 4 ? 1024 : 1 << 18;
		uint64_t address = random_next(&seed) % near;
		uint32_t bytes = 1 + (uint32_t)random_next(&seed) % 64;
		struct cache_result result;

		memset(forgetful->sides[0].memos, 0, sizeof(forgetful->sides[0].memos));
		memset(forgetful->sides[1].memos, 0, sizeof(forgetful->sides[1].memos));
		memset(forgetful->sides[0].pages, 0, sizeof(forgetful->sides[0].pages));
		memset(forgetful->sides[1].pages, 0, sizeof(forgetful->sides[1].pages));
		takt_cache_access(forgetful, kind, address, bytes, &result);
		takt_cache_touch(touched, kind, address, bytes);
		fast += result.lines == 2 && !result.level && !result.tlb_miss;
	}
	ok(fast > 10000, "%llu accesses hit two lines", (unsigned long long)fast);
	ok(memcmp(takt_cache_counts(touched), takt_cache_counts(forgetful),
		  sizeof(struct cache_counts)) == 0,
	   "all counts are the same if nothing is remembered");
	free(touched);
	free(forgetful);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct cache_hierarchy *hierarchy = takt_cache_new(rows[i].shape);
		const uint64_t *write_backs = takt_cache_counts(hierarchy)->write_backs;
		struct takt_text results = {0}, written = {0};

		accesses_run(hierarchy, rows[i].accesses, &results);
		takt_text_printf(&written, "%u %u %u", (unsigned)write_backs[0],
				 (unsigned)write_backs[1], (unsigned)write_backs[2]);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&results), rows[i].results,
			      rows[i].what);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&written), rows[i].write_backs,
			      "write-backs");
		takt_text_release(&results);
		takt_text_release(&written);
		free(hierarchy);
	}
	test_counts();
	test_checkpoint();
	test_renumber();
	test_remembered();
	return tap_done();
}
