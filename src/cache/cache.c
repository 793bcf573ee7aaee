/* SPDX-License-Identifier: MIT */
/* An access through TLBs and cache levels. */

#include "cache/hierarchy.h"

#define PAGE_ADDRESS_BITS ((UINT64_C(1) << 48) - 1) /* bits of an address that name its page */

static void init_side(struct side *side, const struct array *cache, const struct array *tlb,
		      uint64_t page_mask)
{
	side->cache = *cache;
	side->tlb = *tlb;
	side->page_mask = tlb->ways ? page_mask : 0;
}

struct cache_hierarchy *takt_cache_new(const struct cache_shape *shape)
{
	struct array arrays[ARRAY_COUNT];
	struct cache_hierarchy *hierarchy;
	uint64_t ways;
	size_t bytes;

	if (!takt_cache_shape_arrays(shape, arrays, &ways))
		return NULL; /* see takt_cache_shape_is_possible() */
	bytes = sizeof(*hierarchy) + ways * sizeof(hierarchy->ways[0]);
	hierarchy = takt_xcalloc(1, bytes);
	hierarchy->bytes = bytes;
	hierarchy->page_mask = PAGE_ADDRESS_BITS & ~(uint64_t)(shape->page_bytes - 1);
	init_side(&hierarchy->sides[0], &arrays[ARRAY_L1I], &arrays[ARRAY_ITLB],
		  hierarchy->page_mask);
	init_side(&hierarchy->sides[1], &arrays[ARRAY_L1D], &arrays[ARRAY_DTLB],
		  hierarchy->page_mask);
	hierarchy->levels[1] = arrays[ARRAY_L2];
	hierarchy->levels[2] = arrays[ARRAY_L3];
	hierarchy->stlb = arrays[ARRAY_STLB];
	hierarchy->ways[WAY_FREE].word = WORD_VALID;
	hierarchy->next_line_prefetch = shape->next_line_prefetch;
	hierarchy->stride_prefetch = shape->stride_prefetch;
	hierarchy->prefetch_lines = shape->prefetch_lines ? shape->prefetch_lines : 1;
	hierarchy->gathering_count = GATHERING_MAX;
	if (shape->gathering_lines && shape->gathering_lines < GATHERING_MAX)
		hierarchy->gathering_count = shape->gathering_lines;
	hierarchy->crossing_together = shape->crossing_together;
	return hierarchy;
}

size_t takt_cache_bytes(const struct cache_hierarchy *hierarchy)
{
	return hierarchy->bytes;
}

/* True if the ways that a side remembers are ways. */
static bool memos_fit(const struct cache_hierarchy *hierarchy, const struct side *side)
{
	uint64_t count = (hierarchy->bytes - sizeof(*hierarchy)) / sizeof(hierarchy->ways[0]);

	for (size_t i = 0; i < MEMOS; i++)
		if (side->memos[i].line >= count || side->memos[i].page >= count)
			return false;
	return true;
}

bool takt_cache_restore(struct cache_hierarchy *hierarchy, const void *block, size_t bytes)
{
	const size_t header = sizeof(*hierarchy);
	struct cache_hierarchy saved;

	if (bytes != hierarchy->bytes)
		return false;
	memcpy(&saved, block, header);
	if (!memos_fit(hierarchy, &saved.sides[0]) || !memos_fit(hierarchy, &saved.sides[1]))
		return false;
	/* Sizes and places are never taken from the block. */
	hierarchy->clock = saved.clock;
	for (size_t i = 0; i < TAKT_COUNT_OF(saved.sides); i++) {
		memcpy(hierarchy->sides[i].memos, saved.sides[i].memos,
		       sizeof(saved.sides[i].memos));
		memset(hierarchy->sides[i].pages, 0, sizeof(hierarchy->sides[i].pages));
	}
	memcpy(hierarchy->watches, saved.watches, sizeof(saved.watches));
	memcpy(hierarchy->gathering, saved.gathering, sizeof(saved.gathering));
	hierarchy->gathered = saved.gathered;
	hierarchy->counts = saved.counts;
	memcpy(hierarchy->ways, (const char *)block + header, bytes - header);
	return true;
}

const struct cache_prefetch *takt_cache_prefetched(const struct cache_hierarchy *hierarchy)
{
	return hierarchy->fresh;
}

const struct cache_counts *takt_cache_counts(const struct cache_hierarchy *hierarchy)
{
	return &hierarchy->counts;
}

/* ---- stamps ---------------------------------------------------------------------- */

static void renumber_set(struct way *set, uint32_t ways)
{
	uint32_t ranks[WAYS_MAX];

	for (uint32_t i = 0; i < ways; i++) {
		ranks[i] = set[i].used != 0;
		for (uint32_t j = 0; j < ways; j++)
			ranks[i] += set[j].used && set[j].used < set[i].used;
	}
	for (uint32_t i = 0; i < ways; i++)
		set[i].used = ranks[i];
}

void takt_cache_renumber(struct cache_hierarchy *hierarchy)
{
	const struct array *arrays[ARRAY_COUNT] = {
		&hierarchy->sides[0].cache, &hierarchy->sides[1].cache, &hierarchy->levels[1],
		&hierarchy->levels[2],	    &hierarchy->sides[0].tlb,	&hierarchy->sides[1].tlb,
		&hierarchy->stlb,
	};

	for (size_t i = 0; i < ARRAY_COUNT; i++)
		for (uint64_t set = 0; set < arrays[i]->sets; set++)
			renumber_set(&hierarchy->ways[arrays[i]->first + set * arrays[i]->ways],
				     arrays[i]->ways);
	hierarchy->clock = WAYS_MAX;
}

/* ---- levels beyond the first ---------------------------------------------------- */

void takt_cache_evict(struct cache_hierarchy *hierarchy, uint8_t level, uint64_t word)
{
	if (!(word & WORD_DIRTY))
		return;
	hierarchy->counts.write_backs[level]++;
	for (uint8_t next = level + 1; next < CACHE_LEVELS_MAX; next++) {
		struct way *way = array_find(hierarchy, &hierarchy->levels[next], word);

		if (way) {
			way->word |= WORD_DIRTY;
			return;
		}
		if (hierarchy->levels[next].ways)
			hierarchy->counts.write_backs[next]++;
	}
}

uint8_t takt_cache_bring(struct cache_hierarchy *hierarchy, uint64_t address)
{
	for (uint8_t level = 1; level < CACHE_LEVELS_MAX; level++) {
		const struct array *array = &hierarchy->levels[level];
		struct way *way;
		uint64_t victim;

		if (!array->ways)
			continue;
		if (array_use(hierarchy, array, address, &way, &victim))
			return level;
		takt_cache_evict(hierarchy, level, victim);
	}
	return CACHE_MEMORY;
}

/* ---- an access -------------------------------------------------------------------- */

struct way *takt_cache_translate(struct cache_hierarchy *hierarchy, struct side *side,
				 uint64_t address, struct cache_result *result)
{
	uint32_t *page = &side->pages[(address >> side->tlb.line_shift) % PAGE_MEMOS];
	struct way *way = &hierarchy->ways[*page], *second;
	uint64_t victim;
	bool found;

	if (!side->tlb.ways)
		return &hierarchy->ways[WAY_FREE];
	if (way_has(way, (address & side->tlb.line_mask) | WORD_VALID)) {
		way->used = next_use(hierarchy);
		return way;
	}
	found = array_use(hierarchy, &side->tlb, address, &way, &victim);
	*page = (uint32_t)(way - hierarchy->ways);
	if (found)
		return way;
	if (hierarchy->stlb.ways &&
	    array_use(hierarchy, &hierarchy->stlb, address, &second, &victim))
		result->tlb_miss = true;
	else
		result->page_walk = true;
	return way;
}

/* Use the line in the first level, and return the way that has it from now on. */
static struct way *use_line(struct cache_hierarchy *hierarchy, enum cache_kind kind,
			    uint64_t address, struct cache_result *result, bool *ret_hit)
{
	struct way *way;
	uint64_t victim;

	*ret_hit = array_use(hierarchy, &kind_side(hierarchy, kind)->cache, address, &way, &victim);
	takt_cache_evict(hierarchy, 0, victim);
	if (way->word & WORD_PREFETCHED) {
		result->prefetched = true;
		result->prefetched_from = way->word >> WORD_FROM_SHIFT & 3;
		way->word &= ~(uint64_t)WORD_STATE | WORD_VALID | WORD_DIRTY;
		hierarchy->counts.useful_prefetches++;
	}
	if (kind == CACHE_STORE)
		way->word |= WORD_DIRTY;
	return way;
}

/* Use all lines of the bytes from `first` to `last`, and return the way of the last line. */
static struct way *use_lines(struct cache_hierarchy *hierarchy, enum cache_kind kind,
			     uint64_t first, uint64_t last, struct cache_result *result)
{
	const struct array *cache = &kind_side(hierarchy, kind)->cache;
	uint64_t start = first & cache->line_mask;
	uint64_t count = ((last - start) >> cache->line_shift) + 1;
	uint64_t brought = 0; /* number of lines that have been brought, or need not be */
	struct way *way = NULL;
	bool missed = false;

	result->lines = count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
	for (uint64_t i = 0; i < count; i++) {
		bool hit;

		way = use_line(hierarchy, kind, start + (i << cache->line_shift), result, &hit);
		missed = !hit || (missed && hierarchy->crossing_together);
		if (!hierarchy->crossing_together)
			brought = i;
		for (; missed && brought <= i; brought++) {
			uint64_t lacking = start + (brought << cache->line_shift);
			uint8_t level = takt_cache_bring(hierarchy, lacking);

			if (level > result->level)
				result->level = level;
		}
	}
	return way;
}

static void count_misses(struct cache_hierarchy *hierarchy, enum cache_kind kind,
			 const struct cache_result *result)
{
	struct cache_counts *counts = &hierarchy->counts;

	counts->misses[kind][0] += result->level > 0;
	for (uint8_t i = 1; i < result->level; i++)
		counts->misses[kind][i] += hierarchy->levels[i].ways > 0;
	counts->tlb_misses[kind] += result->tlb_miss;
	counts->page_walks[kind] += result->page_walk;
}

static struct memo *find_memo(struct side *side, uint64_t address)
{
	return &side->memos[(address >> side->cache.line_shift) % MEMOS];
}

__attribute__((noinline)) static void access_fully(struct cache_hierarchy *hierarchy,
						   enum cache_kind kind, uint64_t first,
						   uint64_t last, struct cache_result *ret_result)
{
	struct side *side = kind_side(hierarchy, kind);
	struct cache_result result = {0};
	struct way *page, *line;

	if (last - first >= CACHE_ACCESS_BYTES_MAX)
		last = first + CACHE_ACCESS_BYTES_MAX - 1;
	if (last < first)
		last = UINT64_MAX;
	page = takt_cache_translate(hierarchy, side, first, &result);
	if ((first ^ last) & hierarchy->page_mask)
		page = takt_cache_translate(hierarchy, side, last, &result);
	result.tlb_miss &= !result.page_walk;
	line = use_lines(hierarchy, kind, first, last, &result);
	*find_memo(side, last) = (struct memo){(uint32_t)(line - hierarchy->ways),
					       (uint32_t)(page - hierarchy->ways)};
	count_misses(hierarchy, kind, &result);
	hierarchy->fresh_count = 0;
	if (result.level || result.prefetched)
		takt_cache_prefetch(hierarchy, kind, last);
	result.prefetches = hierarchy->fresh_count;
	*ret_result = result;
}

/* Return 0 if the way has the line of this address, and it is no unused prefetched one. */
static inline uint64_t line_differs(const struct side *side, const struct way *way,
				    uint64_t address)
{
	return (way->word & ~(uint64_t)WORD_DIRTY) ^
	       ((address & side->cache.line_mask) | WORD_VALID);
}

static inline uint64_t page_differs(const struct side *side, const struct way *way,
				    uint64_t address)
{
	return way->word ^ ((address & side->page_mask) | WORD_VALID);
}

/*
 * Access two lines of a page that are in the remembered ways, as the translation is. False if they
 * are not, and nothing is done. Much code has instructions in two lines.
 */
static bool cross_remembered(struct cache_hierarchy *hierarchy, enum cache_kind kind,
			     uint64_t first, uint64_t last)
{
	struct side *side = kind_side(hierarchy, kind);
	const struct memo *memos[] = {find_memo(side, first), find_memo(side, last)};
	struct way *lines[] = {&hierarchy->ways[memos[0]->line], &hierarchy->ways[memos[1]->line]};
	struct way *page = &hierarchy->ways[memos[1]->page];
	uint64_t apart = (last & side->cache.line_mask) - (first & side->cache.line_mask);

	if (apart != UINT64_C(1) << side->cache.line_shift || (first ^ last) & side->page_mask ||
	    line_differs(side, lines[0], first) || line_differs(side, lines[1], last) ||
	    page_differs(side, page, last))
		return false;
	page->used = next_use(hierarchy);
	for (size_t i = 0; i < TAKT_COUNT_OF(lines); i++) {
		lines[i]->used = next_use(hierarchy);
		lines[i]->word |= kind == CACHE_STORE ? WORD_DIRTY : 0;
	}
	return true;
}

/*
 * Make an access whose lines and translation are still in the remembered ways. Return the number of
 * lines, or 0 if they are not, and nothing is done.
 */
static inline uint8_t access_remembered(struct cache_hierarchy *hierarchy, enum cache_kind kind,
					uint64_t address, uint64_t last)
{
	struct side *side = kind_side(hierarchy, kind);
	const struct memo *memo = find_memo(side, address);
	struct way *line = &hierarchy->ways[memo->line], *page = &hierarchy->ways[memo->page];

	if ((address ^ last) & side->cache.line_mask)
		return cross_remembered(hierarchy, kind, address, last) ? 2 : 0;
	if (line_differs(side, line, address) | page_differs(side, page, address))
		return 0;
	line->used = page->used = next_use(hierarchy);
	line->word |= kind == CACHE_STORE ? WORD_DIRTY : 0;
	return 1;
}

void takt_cache_access(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		       uint32_t size_bytes, struct cache_result *ret_result)
{
	uint64_t last = address + size_bytes - (size_bytes != 0);
	uint8_t lines = access_remembered(hierarchy, kind, address, last);

	hierarchy->counts.accesses[kind]++;
	if (lines)
		*ret_result = (struct cache_result){.lines = lines};
	else
		access_fully(hierarchy, kind, address, last, ret_result);
}

void takt_cache_touch(struct cache_hierarchy *hierarchy, enum cache_kind kind, uint64_t address,
		      uint32_t size_bytes)
{
	uint64_t last = address + size_bytes - (size_bytes != 0);
	struct cache_result result;

	hierarchy->counts.accesses[kind]++;
	if (!access_remembered(hierarchy, kind, address, last))
		access_fully(hierarchy, kind, address, last, &result);
}
