/* SPDX-License-Identifier: MIT */
/* Non-temporal stores. */
#include "cache/hierarchy.h"

/* Evict the line from one level, writing it back if it is dirty. True if it was there. */
static bool drop(struct cache_hierarchy *hierarchy, const struct array *array, uint8_t level,
		 uint64_t address)
{
	struct way *way = array->ways ? array_find(hierarchy, array, address) : NULL;
	uint64_t word;

	if (!way)
		return false;
	word = way->word;
	*way = (struct way){0};
	takt_cache_evict(hierarchy, level, word);
	return true;
}

static bool drop_line(struct cache_hierarchy *hierarchy, uint64_t address)
{
	bool found = drop(hierarchy, &kind_side(hierarchy, CACHE_STORE)->cache, 0, address);

	for (uint8_t level = 1; level < CACHE_LEVELS_MAX; level++)
		found = drop(hierarchy, &hierarchy->levels[level], level, address) || found;
	return found;
}

/* Return the line's buffer, or the least recently used one. */
static struct gathering *find_buffer(struct cache_hierarchy *hierarchy, uint64_t line)
{
	struct gathering *oldest = hierarchy->gathering;

	for (uint32_t i = 0; i < hierarchy->gathering_count; i++) {
		if (hierarchy->gathering[i].line == line)
			return &hierarchy->gathering[i];
		if (hierarchy->gathering[i].used < oldest->used)
			oldest = &hierarchy->gathering[i];
	}
	return oldest;
}

/* Gather a store to one line. True if the line got a buffer anew: it had none, or it was cached
 * since its last store, so that the buffer's content no longer counts. */
static bool gather(struct cache_hierarchy *hierarchy, uint64_t address, uint64_t bytes)
{
	const struct array *cache = &kind_side(hierarchy, CACHE_STORE)->cache;
	uint64_t line = (address & cache->line_mask) | WORD_VALID;
	bool was_cached = drop_line(hierarchy, address);
	struct gathering *buffer = find_buffer(hierarchy, line);
	bool begins = buffer->line != line || was_cached;

	if (begins)
		*buffer = (struct gathering){.line = line};
	buffer->used = ++hierarchy->gathered;
	buffer->bytes += bytes;
	if (buffer->bytes >> cache->line_shift)
		*buffer = (struct gathering){0};
	hierarchy->counts.non_temporal_lines += begins;
	return begins;
}

void takt_cache_write_non_temporal(struct cache_hierarchy *hierarchy, uint64_t address,
				   uint32_t size_bytes, struct cache_result *ret_result)
{
	struct side *side = kind_side(hierarchy, CACHE_STORE);
	uint64_t line_bytes = (uint64_t)1 << side->cache.line_shift;
	uint64_t left = size_bytes < CACHE_ACCESS_BYTES_MAX ? size_bytes : CACHE_ACCESS_BYTES_MAX;
	struct cache_result result = {0};

	takt_cache_translate(hierarchy, side, address, &result);
	if (left && (address ^ (address + left - 1)) & hierarchy->page_mask)
		takt_cache_translate(hierarchy, side, address + left - 1, &result);
	result.tlb_miss &= !result.page_walk;
	while (left) {
		uint64_t bytes = line_bytes - (address & (line_bytes - 1));

		bytes = bytes < left ? bytes : left;
		if (gather(hierarchy, address, bytes))
			result.level = CACHE_MEMORY;
		if (result.lines < UINT8_MAX)
			result.lines++;
		address += bytes;
		left -= bytes;
	}
	hierarchy->counts.accesses[CACHE_STORE]++;
	hierarchy->counts.tlb_misses[CACHE_STORE] += result.tlb_miss;
	hierarchy->counts.page_walks[CACHE_STORE] += result.page_walk;
	*ret_result = result;
}
