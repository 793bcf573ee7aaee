/* SPDX-License-Identifier: MIT */
/*
 * Loops inside of loops: which one is around which, and regions of the code that an outer loop has
 * besides the loops inside.
 */
#include <stdlib.h>

#include "input/code.h"

/* Loops of one function that are compared with each other; more are taken for not nested. */
#define LOOPS_MAX 4096u
/*
 * Levels of loops inside of a nest. Each is analyzed with those inside, recursively; code that
 * people write has few.
 */
#define LEVELS_MAX 8u

static uint64_t length(const struct takt_found_loop *loop)
{
	return loop->extent.end - loop->extent.begin;
}

/* Shorter loops come first, so that a loop is after all loops inside. */
static int compare_lengths(const void *left, const void *right)
{
	const struct takt_found_loop *a = left, *b = right;

	if (length(a) != length(b))
		return length(a) < length(b) ? -1 : 1;
	return a->extent.begin < b->extent.begin ? -1 : a->extent.begin > b->extent.begin;
}

static bool is_inside(const struct takt_found_loop *inner, const struct takt_found_loop *outer)
{
	return inner->extent.begin > outer->extent.begin && inner->extent.end < outer->extent.end;
}

static void link_loops(struct takt_found_loop *loops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t outer = i + 1;

		while (outer < count && !is_inside(&loops[i], &loops[outer]))
			outer++;
		loops[i].outer = outer < count ? outer : TAKT_NO_REGION;
		if (outer < count && loops[outer].levels <= loops[i].levels)
			loops[outer].levels = loops[i].levels + 1;
	}
}

/* The loops directly inside another, by address. */
struct inner_list {
	const struct takt_found_loop **loops;
	size_t count;
};

TAKT_ORDER_POINTERS(compare_begins, struct takt_found_loop, TAKT_UP(extent.begin));

/* List the loops directly inside loop `index`. The caller frees the list. */
static struct inner_list list_inner(const struct takt_found_loop *loops, size_t index)
{
	struct inner_list list = {.loops = takt_xcalloc(index + 1, sizeof(*list.loops))};

	for (size_t i = 0; i < index; i++)
		if (loops[i].outer == index)
			list.loops[list.count++] = &loops[i];
	qsort(list.loops, list.count, sizeof(*list.loops), compare_begins);
	return list;
}

/* Set the regions inside of a nest, and the nest around them. */
static void set_inner(struct takt_code *code, size_t nest, const struct inner_list *list)
{
	size_t *regions = TAKT_NEW_ARRAY(&code->arena, list->count, size_t), count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->loops[i]->region == TAKT_NO_REGION)
			continue;
		regions[count++] = list->loops[i]->region;
		code->entries[list->loops[i]->region].outer = nest;
	}
	code->entries[nest].region.inner = regions;
	code->entries[nest].region.inner_count = count;
}

/* Append what is left of a span without the loops. */
static size_t subtract(struct takt_span span, const struct inner_list *list,
		       struct takt_span *ret_left)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count && span.begin < span.end; i++) {
		struct takt_span extent = list->loops[i]->extent;

		if (extent.end <= span.begin || extent.begin >= span.end)
			continue;
		if (extent.begin > span.begin)
			ret_left[count++] = (struct takt_span){span.begin, extent.begin};
		span.begin = extent.end;
	}
	if (span.begin < span.end)
		ret_left[count++] = span;
	return count;
}

/* Make a region of a loop without the loops inside. */
static void add_nest(struct takt_code *code, uint32_t section, struct takt_found_loop *loops,
		     size_t index)
{
	struct takt_found_loop *loop = &loops[index];
	size_t before = code->entry_count;
	struct inner_list list;
	struct takt_span *spans;
	struct takt_region_request request = {
		.origin = TAKT_REGION_NEST,
		.section = section,
		.name = takt_arena_printf(&code->arena, "%s without loops inside",
					  takt_place_name(code, section, loop->extent.begin)),
	};

	list = list_inner(loops, index);
	spans = takt_xcalloc(loop->span_count + list.count, sizeof(*spans));
	for (size_t i = 0; i < loop->span_count; i++)
		request.span_count += subtract(loop->spans[i], &list, spans + request.span_count);
	request.spans = spans;
	/* An outer loop with more instructions than a region may have gets none. */
	if (request.span_count)
		(void)takt_region_add(code, &request, NULL);
	free(spans);
	if (code->entry_count > before) {
		loop->region = before;
		code->entries[before].approach = loop->approach;
		set_inner(code, before, &list);
	}
	free(list.loops);
}

/* Remove loops with the head of a shorter one: that is one loop with several ways back. */
static size_t drop_same_heads(struct takt_found_loop *loops, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool known = false;

		for (size_t j = 0; j < kept && !known; j++)
			known = loops[j].extent.begin == loops[i].extent.begin;
		if (!known)
			loops[kept++] = loops[i];
	}
	return kept;
}

void takt_nests_add(struct takt_code *code, uint32_t section, struct takt_found_loop *loops,
		    size_t count)
{
	if (count > LOOPS_MAX)
		return;
	qsort(loops, count, sizeof(*loops), compare_lengths);
	count = drop_same_heads(loops, count);
	link_loops(loops, count);
	for (size_t i = 0; i < count; i++)
		if (loops[i].span_count && loops[i].levels <= LEVELS_MAX)
			add_nest(code, section, loops, i);
	for (size_t i = 0; i < count; i++) {
		const struct takt_found_loop *loop = &loops[i];

		if (loop->region != TAKT_NO_REGION && loop->outer != TAKT_NO_REGION &&
		    loops[loop->outer].region == TAKT_NO_REGION)
			code->entries[loop->region].region.outer =
				takt_place_name(code, section, loops[loop->outer].extent.begin);
	}
}
