/* SPDX-License-Identifier: MIT */
/* Non-temporal stores: buffers that gather them by line, and lines that were in the caches. */
#include "accesses.h"

/* Three levels of one, two and four lines, and two buffers. */
static const struct cache_shape levels = {.l1i = {64, 1, 64},
					  .l1d = {64, 1, 64},
					  .l2 = {128, 2, 64},
					  .l3 = {256, 4, 64},
					  .page_bytes = 4096,
					  .gathering_lines = 2};
static const struct cache_shape outer = {
	.l1i = {64, 1, 64}, .l1d = {64, 1, 64}, .l3 = {256, 4, 64}, .page_bytes = 4096};
static const struct cache_shape wide = {
	.l1i = {64, 1, 64}, .l1d = {128, 1, 64}, .l2 = {512, 2, 128}, .page_bytes = 4096};
static const struct cache_shape pages = {.l1i = {4096, 1, 64},
					 .l1d = {65536, 16, 64},
					 .dtlb = {1, 1},
					 .stlb = {4, 4},
					 .page_bytes = 4096};

static const struct {
	int line;
	const char *what;
	const struct cache_shape *shape;
	const char *accesses, *results;
	const char *counts; /* non-temporal lines, written back out of each level */
} rows[] = {
	{__LINE__, "a line by four stores is written once", &levels, "P0+16 P10+16 P20+16 P30+16",
	 "3 0 0 0", "1: 0 0 0"},
	{__LINE__, "and comes into no cache", &levels, "P0+64 L0", "3 3", "1: 0 0 0"},
	{__LINE__, "what is in the caches stays", &levels, "L0 L40 P80+64 L40 L0", "3 3 3 0 1",
	 "1: 0 0 0"},
	{__LINE__, "two lines in turn have a buffer each", &levels, "P0+32 P40+32 P20+32 P60+32",
	 "3 3 0 0", "2: 0 0 0"},
	{__LINE__, "three have not", &levels, "P0+32 P40+32 P80+32 P20+32 P60+32 Pa0+32",
	 "3 3 3 3 3 3", "6: 0 0 0"},
	{__LINE__, "a complete line frees its buffer", &levels, "P0+32 P40+64 P80+64 P20+32",
	 "3 3 3 0", "3: 0 0 0"},
	{__LINE__, "a complete line written again is written twice", &levels, "P0+64 P0+64", "3 3",
	 "2: 0 0 0"},
	{__LINE__, "any number of buffers", &outer, "P0 P40 P80 Pc0 P100 P140 P1 P41 P81 Pc1",
	 "3 3 3 3 3 3 0 0 0 0", "6: 0 0 0"},
	{__LINE__, "a clean line leaves the caches", &levels, "L0 P0+64 L0", "3 3 3", "1: 0 0 0"},
	{__LINE__, "a dirty one is written back before", &levels, "S0 P0+64 L0", "3 3 3",
	 "1: 1 1 1"},
	{__LINE__, "from the level that has it", &levels, "S0 L40 P0+64 L0", "3 3 3 3", "1: 1 1 1"},
	{__LINE__, "without a second level", &outer, "S0 P0+64", "3 3", "1: 1 0 1"},
	{__LINE__, "a line cached in between begins anew", &levels, "P0+32 L0 P20+32", "3 3 3",
	 "2: 0 0 0"},
	{__LINE__, "stored to in between, too", &levels, "P0+32 S0 P20+32", "3 3 3", "2: 1 1 1"},
	{__LINE__, "a line's end", &levels, "P38+16 P40+8", "3x 0", "2: 0 0 0"},
	{__LINE__, "wider lines behind lose all", &wide, "L0 L40 P0+64 L40 L80", "3 1 3 0 3",
	 "1: 0 0 0"},
	{__LINE__, "translations as of any store", &pages, "P0 P1000 P0 Pffc+8", "3w 3w 0t 3xt",
	 "3: 0 0 0"},
	{__LINE__, "nothing", &levels, "P0+0", "0", "0: 0 0 0"},
};

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct cache_hierarchy *hierarchy = takt_cache_new(rows[i].shape);
		const struct cache_counts *counts = takt_cache_counts(hierarchy);
		struct takt_text results = {0}, written = {0};

		accesses_run(hierarchy, rows[i].accesses, &results);
		takt_text_printf(&written, "%u: %u %u %u", (unsigned)counts->non_temporal_lines,
				 (unsigned)counts->write_backs[0], (unsigned)counts->write_backs[1],
				 (unsigned)counts->write_backs[2]);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&results), rows[i].results,
			      rows[i].what);
		tap_is_string(__FILE__, rows[i].line, takt_text_data(&written), rows[i].counts,
			      "counts");
		takt_text_release(&results);
		takt_text_release(&written);
		free(hierarchy);
	}
	return tap_done();
}
