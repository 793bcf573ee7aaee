/* SPDX-License-Identifier: MIT */
/* What prefetchers bring, when, and what they leave alone. */
#include "accesses.h"

#define SHAPE(next_line, stride)                                                                   \
	{                                                                                          \
		.l1i = {8192, 8, 64}, .l1d = {8192, 8, 64}, .l2 = {65536, 8, 64},                  \
		.page_bytes = 4096, .next_line_prefetch = next_line, .stride_prefetch = stride     \
	}

static const struct cache_shape next_line = SHAPE(true, false), stride = SHAPE(false, true);
static const struct cache_shape both = SHAPE(true, true), neither = SHAPE(false, false);
/* A prefetch into the set of the line in use. */
static const struct cache_shape one_way = {
	.l1i = {64, 1, 64}, .l1d = {64, 1, 64}, .page_bytes = 4096, .next_line_prefetch = true};

/* Prefetches run ahead by up to four lines. */
static const struct cache_shape four = {.l1i = {8192, 8, 64},
					.l1d = {8192, 8, 64},
					.page_bytes = 4096,
					.next_line_prefetch = true,
					.stride_prefetch = true,
					.prefetch_lines = 4};

static const struct {
	int line;
	const char *what;
	const struct cache_shape *shape;
	const char *accesses, *results;
	unsigned prefetches, useful;
} rows[] = {
	{__LINE__, "none", &neither, "L1000 L1040 L1080 L10c0 F2000 F2040", "3 3 3 3 3 3", 0, 0},
	{__LINE__, "next line: once data is used upwards", &next_line, "L1000 L1040 L1080 L10c0",
	 "3 3 0p3 0p3", 3, 2},
	{__LINE__, "next line: bytes", &next_line, "L1000 L1020 L1040 L1060 L1080 L10a0 L1090",
	 "3 0 3 0 0p3 0 0", 2, 1},
	{__LINE__, "next line: at once for code", &next_line, "F1000 F1004 F1040 F1044 F1080",
	 "3 0 0p3 0 0p3", 3, 2},
	{__LINE__, "next line: not behind the page", &next_line, "F1f80 F1fc0 F2000", "3 0p3 3", 2,
	 1},
	{__LINE__, "next line: not for data used downwards", &next_line, "L10c0 L1080 L1040 L1000",
	 "3 3 3 3", 0, 0},
	{__LINE__, "next line: not for data here and there", &next_line, "L1000 L1400 L1440 L1080",
	 "3 3 3 3", 1, 0},
	{__LINE__, "from the second level", &next_line, "F1080 L1000 L1040 L1080", "3 3 3 0p1", 3,
	 1},
	{__LINE__, "stride: the third of the same", &stride, "L1000 L1100 L1200 L1300 L1400",
	 "3 3 3 0p3 0p3", 3, 2},
	{__LINE__, "stride: downwards", &stride, "L1800 L1740 L1680 L15c0 L1500", "3 3 3 0p3 0p3",
	 3, 2},
	{__LINE__, "stride: no multiple of a line", &stride, "L1000 L1060 L10c0 L1120 L1180",
	 "3 3 3 0p3 0p3", 3, 2},
	{__LINE__, "stride: pages apart", &stride,
	 "L1000 L2000 L1100 L2040 L1200 L2080 L1300 L20c0", "3 3 3 3 3 3 0p3 0p3", 4, 2},
	{__LINE__, "stride: not behind the page", &stride, "L1d00 L1e00 L1f00 L2000", "3 3 3 3", 0,
	 0},
	{__LINE__, "stride: not if it changes", &stride, "L1000 L1100 L1300 L1400 L1600",
	 "3 3 3 3 3", 0, 0},
	{__LINE__, "stride: not of code", &stride, "F1000 F1100 F1200 F1300", "3 3 3 3", 0, 0},
	{__LINE__, "both", &both, "L1000 L1040 L1080 L10c0", "3 3 0p3 0p3", 3, 2},
	{__LINE__, "what is there is not brought", &both, "L10c0 L1000 L1040 L1080 L10c0",
	 "3 3 3 0p3 0", 1, 1},
	{__LINE__, "a store uses it too, and only the first use tells", &next_line,
	 "L1000 L1040 S1080 L1080", "3 3 0p3 0", 2, 1},
	{__LINE__, "the second line runs two ahead, the fourth four", &four,
	 "L1000 L1040 L1080 L10c0 L1100", "3 3 0p3 0p3 0p3", 7, 3},
	{__LINE__, "not behind the page, however far ahead", &four, "L1ec0 L1f00 L1f40 L1f80 L1fc0",
	 "3 3 0p3 0p3 0p3", 3, 3},
	{__LINE__, "a jump begins anew", &four, "L1000 L1040 L1080 L1800 L1840", "3 3 0p3 3 3", 4,
	 1},
	{__LINE__, "strides run ahead, too", &four, "L1000 L1100 L1200 L1300 L1400",
	 "3 3 3 0p3 0p3", 5, 2},
	{__LINE__, "the line in use gives way to the next", &one_way, "F0 F0 F40", "3 3 0p3", 3, 1},
};

static void test_dirty(void)
{
	struct cache_hierarchy *hierarchy = takt_cache_new(&one_way);
	struct takt_text results = {0};

	accesses_run(hierarchy, "S0 S40 L0", &results);
	is_string(takt_text_data(&results), "3 3 3", "data");
	is_int((long long)takt_cache_counts(hierarchy)->write_backs[0], 2,
	       "a dirty line is written back for a prefetch too");
	takt_text_release(&results);
	free(hierarchy);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct cache_hierarchy *hierarchy = takt_cache_new(rows[i].shape);
		const struct cache_counts *counts = takt_cache_counts(hierarchy);
		struct takt_text results = {0};

		accesses_run(hierarchy, rows[i].accesses, &results);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&results), rows[i].results,
			      rows[i].what);
		tap_is_int(__FILE__, rows[i].line, (long long)counts->prefetches,
			   rows[i].prefetches, "prefetches");
		tap_is_int(__FILE__, rows[i].line, (long long)counts->useful_prefetches,
			   rows[i].useful, "of use");
		takt_text_release(&results);
		free(hierarchy);
	}
	test_dirty();
	return tap_done();
}
