/* SPDX-License-Identifier: MIT */
#include "../tap.h"
#include "validate/sizes.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

static const struct kernel_caches usual = {
	{32 * KIB, 1 * MIB, 32 * MIB}, {1, 1, 8}, 0, true, 64, 0};
static const struct kernel_caches no_l3 = {{32 * KIB, 1 * MIB, 0}, {1, 4, 1}, 0, true, 64, 0};
static const struct kernel_caches tight = {
	{32 * KIB, 1 * MIB, 32 * MIB}, {1, 1, 8}, 40 * MIB, true, 64, 0};
static const struct kernel_caches close_by = {{32 * KIB, 40 * KIB, 0}, {1, 1, 1}, 0, true, 64, 0};
static const struct kernel_caches unknown = {{0, 0, 0}, {1, 1, 1}, 0, false, 64, 0};

static const struct {
	int line;
	const struct kernel_caches *caches;
	enum kernel_level level;
	uint32_t threads;
	uint64_t bytes;
} rows[] = {
	{__LINE__, &usual, KERNEL_L1, 1, 16 * KIB},
	{__LINE__, &usual, KERNEL_L2, 1, 128 * KIB}, /* four times L1 */
	{__LINE__, &usual, KERNEL_L3, 1, 4 * MIB},
	{__LINE__, &usual, KERNEL_L3, 8, 2 * MIB}, /* of an eighth */
	{__LINE__, &usual, KERNEL_L3, 32, 2 * MIB},
	{__LINE__, &usual, KERNEL_MEM, 1, 64 * MIB},
	{__LINE__, &usual, KERNEL_MEM, 8, 8 * MIB},
	{__LINE__, &no_l3, KERNEL_L3, 1, 0},
	{__LINE__, &no_l3, KERNEL_L2, 4, 128 * KIB},
	{__LINE__, &no_l3, KERNEL_MEM, 1, 64 * MIB},
	{__LINE__, &tight, KERNEL_MEM, 1, 0},
	{__LINE__, &close_by, KERNEL_L2, 1, 0},
	{__LINE__, &unknown, KERNEL_L1, 1, 0},
	{__LINE__, &unknown, KERNEL_MEM, 1, 64 * MIB},
};

static void check_levels(void)
{
	struct takt_diag *diag = takt_diag_new();
	bool levels[KERNEL_LEVELS];

	ok(takt_kernel_levels_read(NULL, diag, levels) == TAKT_OK && levels[0] && levels[3], "all");
	ok(takt_kernel_levels_read("", diag, levels) == TAKT_OK && !levels[0] && !levels[3],
	   "none");
	ok(takt_kernel_levels_read("MEM,L2", diag, levels) == TAKT_OK && !levels[0] && levels[1] &&
		   levels[3],
	   "two");
	ok(takt_kernel_levels_read("L1,L4", diag, levels) == TAKT_BAD_INPUT, "no L4");
	is_string(takt_diag_text(diag),
		  "error: no level 'L4' of memory\nnote: levels are L1, L2, L3 and MEM\n", "text");
	takt_diag_free(diag);
}

int main(void)
{
	uint32_t cpus[KERNEL_CPUS_MAX];

	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		const char *reason;

		tap_is_int(__FILE__, rows[i].line,
			   (long long)takt_kernel_level_bytes(rows[i].caches, rows[i].level,
							      rows[i].threads, &reason),
			   (long long)rows[i].bytes, "bytes");
	}
	check_levels();
	ok(takt_kernel_cpus(cpus) >= 1, "a processor");
	return tap_done();
}
