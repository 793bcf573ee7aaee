/* SPDX-License-Identifier: MIT */
/*
 * Prefetchers for the next line and for strides, within a page, as cores have them. They see
 * misses and the first use of lines that they brought. Since there is no time, prefetched lines
 * always arrive in time.
 */
#include "cache/hierarchy.h"

static bool same_page(const struct cache_hierarchy *hierarchy, uint64_t a, uint64_t b)
{
	return ((a ^ b) & hierarchy->page_mask) == 0;
}

/* Prefetch the line into the first level, unless it is there. */
static void prefetch_line(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address)
{
	const struct array *cache = &kind_side(hierarchy, kind)->cache;
	struct way *way;
	uint64_t victim;

	if (array_find(hierarchy, cache, address))
		return;
	array_use(hierarchy, cache, address, &way, &victim);
	takt_cache_evict(hierarchy, 0, victim);
	way->word |= WORD_PREFETCHED | (uint64_t)takt_cache_bring(hierarchy, address)
					       << WORD_FROM_SHIFT;
	hierarchy->counts.prefetches++;
}

/* Return the watch for this address's page; if it was for another page, it starts again. */
static struct watch *find_watch(struct cache_hierarchy *hierarchy, uint64_t address)
{
	const uint64_t golden = 0x9e3779b97f4a7c15; /* spreads pages that are powers of two apart */
	uint64_t page = address & hierarchy->page_mask;
	struct watch *watch = &hierarchy->watches[page * golden >> (64 - WATCHES_BITS)];

	if (watch->page != (page | WORD_VALID))
		*watch = (struct watch){.page = page | WORD_VALID};
	return watch;
}

void takt_cache_prefetch(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address)
{
	uint64_t line_bytes = (uint64_t)1 << kind_side(hierarchy, kind)->cache.line_shift;
	bool upwards = true, regular = false;
	int64_t stride = 0;

	if (kind != CACHE_FETCH) {
		struct watch *watch = find_watch(hierarchy, address);

		/* A new watch has `last` 0, which is far from its page unless that is page 0. */
		stride = (int64_t)(address - watch->last);
		upwards = stride > 0 && stride <= (int64_t)(2 * line_bytes);
		regular = stride && stride == watch->stride;
		watch->last = address;
		watch->stride = stride;
	}
	if (hierarchy->next_line_prefetch && upwards &&
	    same_page(hierarchy, address, address + line_bytes))
		prefetch_line(hierarchy, kind, address + line_bytes);
	if (hierarchy->stride_prefetch && regular &&
	    same_page(hierarchy, address, address + (uint64_t)stride))
		prefetch_line(hierarchy, kind, address + (uint64_t)stride);
}
