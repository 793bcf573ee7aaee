/* SPDX-License-Identifier: MIT */
/*
 * Prefetchers for the next line and for strides, within a page, as cores have them. They see
 * misses and the first use of lines that they brought. The further accesses go on in the same way,
 * the further prefetches run ahead. There is no time here: whoever uses a hierarchy learns which
 * lines an access let be prefetched, and from where, and decides when they arrive.
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
	uint8_t level;

	if (array_find(hierarchy, cache, address))
		return;
	way = array_fill(hierarchy, cache, address, &victim);
	takt_cache_evict(hierarchy, 0, victim);
	level = takt_cache_bring(hierarchy, address);
	way->word |= WORD_PREFETCHED | (uint64_t)level << WORD_FROM_SHIFT;
	hierarchy->fresh[hierarchy->fresh_count++] =
		(struct cache_prefetch){address & cache->line_mask, level};
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

/* Return the step in which prefetches follow an access to data; 0: none do. */
static int64_t find_step(const struct cache_hierarchy *hierarchy, const struct watch *watch,
			 int64_t stride)
{
	int64_t line_bytes = (int64_t)1 << hierarchy->sides[1].cache.line_shift;
	bool regular = hierarchy->stride_prefetch && stride && stride == watch->stride;
	bool upwards = hierarchy->next_line_prefetch && stride > 0 && stride <= 2 * line_bytes;

	if (regular && (!upwards || stride > line_bytes))
		return stride;
	return upwards ? line_bytes : 0;
}

/*
 * Run ahead of an access to data: one step further than before each time that accesses go on in the
 * same way, and two steps at most at once.
 */
static void run_ahead(struct cache_hierarchy *hierarchy, struct watch *watch, uint64_t address,
		      int64_t stride, int64_t step)
{
	int64_t passed = step ? stride / step : 0;
	uint32_t most;

	if (!step || step != watch->step)
		watch->ahead = watch->confirmed = 0;
	watch->step = step;
	if (!step)
		return;
	watch->ahead = passed < watch->ahead ? watch->ahead - (uint32_t)passed : 0;
	watch->confirmed += watch->confirmed < hierarchy->prefetch_lines;
	most = watch->ahead + CACHE_PREFETCHES_MAX;
	most = most < watch->confirmed ? most : watch->confirmed;
	while (watch->ahead < most) {
		uint64_t next = address + (uint64_t)step * ++watch->ahead;

		if (same_page(hierarchy, address, next))
			prefetch_line(hierarchy, CACHE_LOAD, next);
	}
}

void takt_cache_prefetch(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address)
{
	uint64_t line_bytes = (uint64_t)1 << kind_side(hierarchy, kind)->cache.line_shift;

	if (kind != CACHE_FETCH) {
		struct watch *watch = find_watch(hierarchy, address);
		/* A new watch has `last` 0, which is far from its page unless that is page 0. */
		int64_t stride = (int64_t)(address - watch->last);

		run_ahead(hierarchy, watch, address, stride, find_step(hierarchy, watch, stride));
		watch->last = address;
		watch->stride = stride;
	} else if (hierarchy->next_line_prefetch &&
		   same_page(hierarchy, address, address + line_bytes)) {
		prefetch_line(hierarchy, kind, address + line_bytes);
	}
}
