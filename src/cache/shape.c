/* SPDX-License-Identifier: MIT */
/* Shapes of caches: reads them from a core's parameters, and checks that they are possible. */
#include "cache/hierarchy.h"

#define KB ((uint64_t)1024)
#define LINE_BYTES_MAX 4096u
#define PAGE_BYTES_MIN 4096u
#define PAGE_BYTES_MAX (1u << 30)
#define ENTRIES_MAX ((uint64_t)1 << 25) /* ways of all arrays together: 384 MB */

static uint32_t positive(int32_t value)
{
	return value > 0 ? (uint32_t)value : 0;
}

bool takt_cache_shape(const struct takt_model *model, struct cache_shape *ret_shape)
{
	const struct takt_core_params *params = takt_model_params(model);
	uint32_t line_bytes = positive(params->cache_line_bytes);

	if (params->l1d_kb == 0)
		return false;
	*ret_shape = (struct cache_shape){
		.l1i = {positive(params->l1i_kb) * KB, positive(params->l1i_ways), line_bytes},
		.l1d = {positive(params->l1d_kb) * KB, positive(params->l1d_ways), line_bytes},
		.l2 = {positive(params->l2_kb) * KB, positive(params->l2_ways), line_bytes},
		.l3 = {positive(params->l3_kb) * KB, positive(params->l3_ways), line_bytes},
		.itlb = {positive(params->itlb_entries), positive(params->itlb_ways)},
		.dtlb = {positive(params->dtlb_entries), positive(params->dtlb_ways)},
		.stlb = {positive(params->stlb_entries), positive(params->stlb_ways)},
		.page_bytes = positive(params->page_bytes),
		.next_line_prefetch = params->next_line_prefetch != 0,
		.stride_prefetch = params->stride_prefetch != 0,
		.prefetch_lines = positive(params->prefetch_lines),
		/* Intel's cores gather in their line fill buffers; others have buffers apart. */
		.gathering_lines = positive(params->line_fill_buffers),
	};
	return true;
}

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* Lay out an array of `entries` lines or pages of `entry_bytes` each; 0: there is none. */
static bool lay_out(uint64_t entries, uint32_t ways, uint32_t entry_bytes, uint64_t *next_way,
		    struct array *ret_array)
{
	if (entries == 0)
		return true;
	if (ways == 0 || ways > WAYS_MAX || entries % ways || entries > ENTRIES_MAX - *next_way)
		return false;
	*ret_array = (struct array){
		.first = *next_way,
		.sets = entries / ways,
		.line_mask = ~(uint64_t)(entry_bytes - 1),
		.ways = ways,
		.line_shift = (uint8_t)__builtin_ctz(entry_bytes),
		.odd_sets = !is_power_of_two(entries / ways),
	};
	*next_way += entries;
	return true;
}

static bool lay_out_level(const struct cache_level *level, uint64_t *next_way,
			  struct array *ret_array)
{
	if (level->size_bytes == 0)
		return true;
	return is_power_of_two(level->line_bytes) && level->line_bytes >= LINE_BYTES_MIN &&
	       level->line_bytes <= LINE_BYTES_MAX && level->size_bytes % level->line_bytes == 0 &&
	       lay_out(level->size_bytes / level->line_bytes, level->ways, level->line_bytes,
		       next_way, ret_array);
}

/* True if no level's lines are smaller than those of the level before. */
static bool lines_grow(const struct cache_shape *shape)
{
	const struct cache_level *levels[] = {&shape->l2, &shape->l3};
	uint32_t line_bytes = shape->l1i.line_bytes;

	if (shape->l1d.line_bytes > line_bytes)
		line_bytes = shape->l1d.line_bytes;
	for (size_t i = 0; i < TAKT_COUNT_OF(levels); i++) {
		if (levels[i]->size_bytes == 0)
			continue;
		if (levels[i]->line_bytes < line_bytes)
			return false;
		line_bytes = levels[i]->line_bytes;
	}
	return true;
}

bool takt_cache_shape_arrays(const struct cache_shape *shape, struct array ret_arrays[ARRAY_COUNT],
			     uint64_t *ret_ways)
{
	uint32_t page = shape->page_bytes;
	struct array arrays[ARRAY_COUNT] = {0};
	uint64_t ways = WAYS_OWN;

	if (shape->l1i.size_bytes == 0 || shape->l1d.size_bytes == 0 || !lines_grow(shape) ||
	    !is_power_of_two(page) || page < PAGE_BYTES_MIN || page > PAGE_BYTES_MAX)
		return false;
	if (!lay_out_level(&shape->l1i, &ways, &arrays[ARRAY_L1I]) ||
	    !lay_out_level(&shape->l1d, &ways, &arrays[ARRAY_L1D]) ||
	    !lay_out_level(&shape->l2, &ways, &arrays[ARRAY_L2]) ||
	    !lay_out_level(&shape->l3, &ways, &arrays[ARRAY_L3]) ||
	    !lay_out(shape->itlb.entries, shape->itlb.ways, page, &ways, &arrays[ARRAY_ITLB]) ||
	    !lay_out(shape->dtlb.entries, shape->dtlb.ways, page, &ways, &arrays[ARRAY_DTLB]) ||
	    !lay_out(shape->stlb.entries, shape->stlb.ways, page, &ways, &arrays[ARRAY_STLB]))
		return false;
	memcpy(ret_arrays, arrays, sizeof(arrays));
	*ret_ways = ways;
	return true;
}

bool takt_cache_shape_is_possible(const struct cache_shape *shape)
{
	struct array arrays[ARRAY_COUNT];
	uint64_t ways;

	return takt_cache_shape_arrays(shape, arrays, &ways);
}
