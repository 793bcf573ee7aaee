/* SPDX-License-Identifier: MIT */
/* Shapes that are refused, and those of the cores, which are not. */
#include "base/base.h"
#include "cache/cache.h"
#include "../tap.h"

#define L1 .l1i = {32768, 8, 64}, .l1d = {49152, 12, 64}
#define SHAPE(...)                                                                                 \
	{                                                                                          \
		.page_bytes = 4096, __VA_ARGS__                                                    \
	}

static const struct {
	int line;
	const char *what;
	struct cache_shape shape;
	bool good;
} rows[] = {
	{__LINE__, "first level alone", SHAPE(L1), true},
	{__LINE__, "a number of sets that is no power of two",
	 SHAPE(L1, .l3 = {33554432 / 8 * 11, 11, 64}), true},
	{__LINE__, "one set of many", SHAPE(L1, .dtlb = {64, 64}), true},
	{__LINE__, "wider lines behind", SHAPE(L1, .l2 = {1 << 20, 8, 128}), true},
	{__LINE__, "larger pages", {L1, .page_bytes = 65536}, true},
	{__LINE__, "nothing", SHAPE(.l2 = {0}), false},
	{__LINE__, "no data cache", SHAPE(.l1i = {32768, 8, 64}), false},
	{__LINE__, "no instruction cache", SHAPE(.l1d = {32768, 8, 64}), false},
	{__LINE__, "no ways", SHAPE(L1, .l2 = {1 << 20, 0, 64}), false},
	{__LINE__, "no ways of translations", SHAPE(L1, .itlb = {64, 0}), false},
	{__LINE__, "too many ways", SHAPE(L1, .l2 = {1 << 20, 1 << 14, 64}), false},
	{__LINE__, "ways that do not divide", SHAPE(L1, .l2 = {1 << 20, 12, 64}), false},
	{__LINE__, "more ways than translations", SHAPE(L1, .stlb = {4, 8}), false},
	{__LINE__, "no line", SHAPE(L1, .l2 = {1 << 20, 8, 0}), false},
	{__LINE__, "a line that is no power of two", SHAPE(L1, .l2 = {96 * 1024, 8, 96}), false},
	{__LINE__, "a short line", SHAPE(.l1i = {32768, 8, 16}, .l1d = {32768, 8, 16}), false},
	{__LINE__, "a long line", SHAPE(L1, .l2 = {1 << 20, 8, 8192}), false},
	{__LINE__, "narrower lines behind", SHAPE(L1, .l2 = {1 << 20, 8, 32}), false},
	{__LINE__, "a part of a line", SHAPE(L1, .l2 = {(1 << 20) + 32, 8, 64}), false},
	{__LINE__, "all memory", SHAPE(L1, .l3 = {(uint64_t)1 << 40, 16, 64}), false},
	{__LINE__, "more than all", SHAPE(L1, .l3 = {~(uint64_t)63, 1, 64}), false},
	{__LINE__, "as many together",
	 SHAPE(L1, .l2 = {(uint64_t)1 << 30, 16, 64}, .l3 = {(uint64_t)1 << 30, 16, 64}), false},
	{__LINE__, "no page", {L1, .page_bytes = 0}, false},
	{__LINE__, "a small page", {L1, .page_bytes = 2048}, false},
	{__LINE__, "a page that is no power of two", {L1, .page_bytes = 12288}, false},
};

/* Latencies grow with the distance. */
static void test_latencies(const char *name, const struct takt_core_params *params)
{
	ok(params->l2_extra_cycles > 0 && params->memory_extra_cycles > params->l2_extra_cycles,
	   "%s: memory is farther than the second level", name);
	ok(params->l3_kb == 0 || (params->l3_extra_cycles > params->l2_extra_cycles &&
				  params->memory_extra_cycles > params->l3_extra_cycles),
	   "%s: the third level lies between", name);
	ok(params->transfer_cycles > params->l2_extra_cycles,
	   "%s: another core's line is farther than the second level", name);
	ok(params->transfer_far_cycles == 0 ||
		   params->transfer_far_cycles > params->transfer_cycles,
	   "%s: other complexes are farther than the own", name);
	ok(params->line_fill_buffers > 0 && params->memory_line_cycles > 0, "%s: limits", name);
	ok(params->stlb_extra_cycles > 0 && params->page_walk_cycles > params->stlb_extra_cycles,
	   "%s: translations", name);
}

static void test_core(const char *name)
{
	struct takt_diag *diag = takt_diag_new();
	struct cache_hierarchy *hierarchy;
	struct cache_shape shape;
	struct takt_model *model;

	if (!ok(takt_model_open(name, NULL, diag, &model) == TAKT_OK, "%s opens", name) ||
	    !ok(takt_cache_shape(model, &shape), "%s: has caches", name))
		return;
	hierarchy = takt_cache_new(&shape);
	ok(hierarchy, "%s: and they can be built", name);
	ok(shape.l2.size_bytes > shape.l1d.size_bytes &&
		   (!shape.l3.size_bytes || shape.l3.size_bytes > shape.l2.size_bytes),
	   "%s: levels grow", name);
	ok(shape.itlb.entries && shape.dtlb.entries && shape.stlb.entries > shape.dtlb.entries,
	   "%s: second-level translations", name);
	test_latencies(name, takt_model_params(model));
	free(hierarchy);
	takt_model_close(model);
	takt_diag_free(diag);
}

static void test_settings(void)
{
	static const struct takt_setting bad[] = {{"l1d_ways", "-1"},
						  {"l2_ways", "0"},
						  {"cache_line_bytes", "60"},
						  {"page_bytes", "6000"}};
	static const struct takt_setting none = {"l1d_kb", "0"};
	struct takt_diag *diag = takt_diag_new();
	struct takt_model *model, *changed;
	struct cache_shape shape;

	if (!ok(takt_model_open("SKL", NULL, diag, &model) == TAKT_OK, "opens"))
		return;
	for (size_t i = 0; i < TAKT_COUNT_OF(bad); i++) {
		if (!ok(takt_model_set(model, &bad[i], 1, diag, &changed) == TAKT_OK, "set"))
			continue;
		ok(takt_cache_shape(changed, &shape) && !takt_cache_new(&shape), "%s=%s: refused",
		   bad[i].name, bad[i].value);
		takt_model_close(changed);
	}
	if (ok(takt_model_set(model, &none, 1, diag, &changed) == TAKT_OK, "set")) {
		ok(!takt_cache_shape(changed, &shape), "no data cache: nothing is known");
		takt_model_close(changed);
	}
	takt_model_close(model);
	takt_diag_free(diag);
}

int main(void)
{
	for (size_t i = 0; i < TAKT_COUNT_OF(rows); i++) {
		struct cache_hierarchy *hierarchy = takt_cache_new(&rows[i].shape);

		tap_ok_at(__FILE__, rows[i].line, (hierarchy != NULL) == rows[i].good, "%s: %s",
			  rows[i].what, rows[i].good ? "built" : "refused");
		free(hierarchy);
	}
	for (size_t i = 0; i < takt_model_builtin_count(); i++)
		test_core(takt_model_builtin_name(i));
	test_settings();
	return tap_done();
}
