/* SPDX-License-Identifier: MIT */
/* Implements takt_diff_new(): finds what changed from one trace to another. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/profile/profile.h"
#include "trace/trace.h"

struct diff {
	struct takt_diff result; /* first, so that callers get a pointer to it */
	struct takt_arena arena;
};

uint64_t takt_diff_figure(const struct takt_diff *diff, const struct takt_trace_weight *weight)
{
	return diff->by == TAKT_DIFF_CYCLES ? weight->cycles : weight->insns;
}

uint64_t takt_diff_total(const struct takt_diff *diff, const struct takt_trace_totals *totals)
{
	return diff->by == TAKT_DIFF_CYCLES ? totals->all.cycles : totals->all.insns;
}

static uint64_t distance(uint64_t left, uint64_t right)
{
	return left < right ? right - left : left - right;
}

/* ---- functions ---- */

/* Compare two texts; NULL sorts last. */
static int compare_texts(const char *left, size_t left_size, const char *right, size_t right_size)
{
	size_t common = left_size < right_size ? left_size : right_size;
	int order;

	if (!left || !right)
		return !left - !right;
	order = memcmp(left, right, common);
	if (order)
		return order;
	return left_size < right_size ? -1 : left_size > right_size;
}

/* A function that has no partner yet. */
struct candidate {
	const struct takt_trace_function *function;
	uint32_t index;
	const char *name, *file;
	size_t name_size, file_size; /* characters that are compared; later rounds compare fewer */
};

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = compare_texts(a->name, a->name_size, b->name, b->name_size);

	if (!order)
		order = compare_texts(a->file, a->file_size, b->file, b->file_size);
	return order;
}

static int compare_whole(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = compare_candidates(left, right);

	if (!order && a->function->address != b->function->address)
		order = a->function->address < b->function->address ? -1 : 1;
	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

/* Rounds in which functions are matched, from strict to lax. */
enum match_round {
	ROUND_NAME_AND_FILE,
	ROUND_NAME,
	ROUND_NAME_WITHOUT_SUFFIX, /* foo.constprop.0 is foo */
	ROUND_COUNT
};

/*
 * Return the size of a name without the suffix of a clone that GCC makes of a whole function. A
 * `.cold` or `.part` stays, as it is a piece of a function.
 */
static size_t size_without_suffix(const char *name)
{
	static const char *const suffixes[] = {".constprop.", ".isra.", ".lto_priv."};
	size_t size = strlen(name);

	for (size_t i = 0; i < TAKT_COUNT_OF(suffixes); i++) {
		const char *found = strstr(name, suffixes[i]);

		if (found && found != name && (size_t)(found - name) < size)
			size = (size_t)(found - name);
	}
	return size;
}

/*
 * Set the name and file that a round compares. Code without symbols is matched by its file alone,
 * since the names that takt made up for it hold addresses.
 */
static void set_key(struct candidate *candidate, enum match_round round)
{
	candidate->name = candidate->function->symbol;
	candidate->file = takt_path_name(candidate->function->file);
	if (round != ROUND_NAME_AND_FILE && candidate->name)
		candidate->file = NULL;
	candidate->name_size = !candidate->name ? 0
			       : round == ROUND_NAME_WITHOUT_SUFFIX
				       ? size_without_suffix(candidate->name)
				       : strlen(candidate->name);
	candidate->file_size = candidate->file ? strlen(candidate->file) : 0;
}

struct candidates {
	struct candidate *items;
	uint32_t count;
};

static void sort_candidates(struct candidates *candidates, enum match_round round)
{
	for (uint32_t i = 0; i < candidates->count; i++)
		set_key(&candidates->items[i], round);
	if (candidates->count)
		qsort(candidates->items, candidates->count, sizeof(candidates->items[0]),
		      compare_whole);
}

/* Pair functions with equal keys, and remove them from the candidates. */
static void match_round(struct candidates sides[2], enum match_round round, uint32_t *partners)
{
	uint32_t i = 0, j = 0, left[2] = {0};
	struct candidate *before = sides[0].items, *after = sides[1].items;

	sort_candidates(&sides[0], round);
	sort_candidates(&sides[1], round);
	while (i < sides[0].count || j < sides[1].count) {
		int order = i == sides[0].count	  ? 1
			    : j == sides[1].count ? -1
						  : compare_candidates(&before[i], &after[j]);

		if (order < 0)
			before[left[0]++] = before[i++];
		else if (order > 0)
			after[left[1]++] = after[j++];
		else
			partners[before[i++].index] = after[j++].index;
	}
	sides[0].count = left[0];
	sides[1].count = left[1];
}

static struct candidates all_candidates(const struct takt_trace_profile *profile,
					struct takt_arena *arena)
{
	struct candidates candidates = {
		TAKT_NEW_ARRAY(arena, profile->function_count, struct candidate),
		profile->function_count};

	for (uint32_t i = 0; i < candidates.count; i++)
		candidates.items[i] =
			(struct candidate){&profile->functions[i], i, NULL, NULL, 0, 0};
	return candidates;
}

/* ---- blocks ---- */

TAKT_ORDER_POINTERS(compare_blocks, struct takt_trace_block, TAKT_UP(function), TAKT_UP(offset),
		    TAKT_UP(size_bytes), (a > b) - (a < b));

/* Return the blocks of each function, sorted by offset and size. */
static struct trace_block_list *sort_blocks(const struct takt_trace_profile *profile,
					    struct takt_arena *arena)
{
	struct trace_block_list *lists =
		TAKT_NEW_ARRAY(arena, profile->function_count, struct trace_block_list);
	const struct takt_trace_block **blocks =
		TAKT_NEW_ARRAY(arena, profile->block_count, const struct takt_trace_block *);

	for (uint32_t i = 0; i < profile->block_count; i++)
		blocks[i] = &profile->blocks[i];
	if (profile->block_count)
		qsort(blocks, profile->block_count, sizeof(blocks[0]), compare_blocks);
	for (uint32_t i = 0; i < profile->block_count; i++) {
		struct trace_block_list *list = &lists[blocks[i]->function];

		if (!list->count)
			list->blocks = &blocks[i];
		list->count++;
	}
	return lists;
}

/* The parts of a function, as they are found. */
struct part_list {
	struct takt_diff *diff;
	const struct trace_block_list *lists; /* two: before and after */
	struct takt_diff_part *parts;
	uint32_t count;
};

static void add_part(struct part_list *list, bool same, uint32_t before, uint32_t before_end,
		     uint32_t after, uint32_t after_end)
{
	struct takt_diff_part *part = &list->parts[list->count];

	*part = (struct takt_diff_part){
		.same = same,
		.before = list->lists[0].blocks ? list->lists[0].blocks + before : NULL,
		.before_count = before_end - before,
		.after = list->lists[1].blocks ? list->lists[1].blocks + after : NULL,
		.after_count = after_end - after,
	};
	assert((part->before || !part->before_count) && (part->after || !part->after_count));
	for (uint32_t i = 0; i < part->before_count; i++)
		profile_add_weight(&part->before_weight, &part->before[i]->weight);
	for (uint32_t i = 0; i < part->after_count; i++)
		profile_add_weight(&part->after_weight, &part->after[i]->weight);
	if (takt_diff_figure(list->diff, &part->before_weight) !=
	    takt_diff_figure(list->diff, &part->after_weight))
		list->count++;
}

static uint64_t part_change(const struct takt_diff *diff, const struct takt_diff_part *part)
{
	return distance(takt_diff_figure(diff, &part->before_weight),
			takt_diff_figure(diff, &part->after_weight));
}

static uint64_t first_offset(const struct takt_diff_part *part)
{
	return part->after_count ? part->after[0]->offset : part->before[0]->offset;
}

static int compare_parts(const void *left, const void *right, void *context)
{
	const struct takt_diff_part *a = left, *b = right;
	uint64_t change_a = part_change(context, a), change_b = part_change(context, b);

	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	return first_offset(a) < first_offset(b) ? -1 : first_offset(a) > first_offset(b);
}

static void find_parts(struct diff *diff, const struct trace_block_list lists[2],
		       struct takt_diff_function *function)
{
	const char *guests[2] = {diff->result.before->guest, diff->result.after->guest};
	struct part_list list = {.diff = &diff->result, .lists = lists};
	uint32_t *matches = TAKT_NEW_ARRAY(&diff->arena, lists[0].count, uint32_t);
	uint32_t before = 0, after = 0;

	takt_trace_blocks_match(guests, lists, &diff->arena, matches);
	/* At most one part for each block, one for the blocks before it, and one at the end. */
	list.parts =
		TAKT_NEW_ARRAY(&diff->arena, (size_t)2 * lists[0].count + 1, struct takt_diff_part);
	for (uint32_t i = 0; i < lists[0].count; i++) {
		if (matches[i] == TRACE_NO_MATCH)
			continue;
		add_part(&list, false, before, i, after, matches[i]);
		add_part(&list, true, i, i + 1, matches[i], matches[i] + 1);
		before = i + 1;
		after = matches[i] + 1;
	}
	add_part(&list, false, before, lists[0].count, after, lists[1].count);
	if (list.count)
		qsort_r(list.parts, list.count, sizeof(list.parts[0]), compare_parts,
			&diff->result);
	function->parts = list.parts;
	function->part_count = list.count;
}

/* ---- all of it ---- */

static uint64_t function_change(const struct takt_diff *diff,
				const struct takt_diff_function *function)
{
	static const struct takt_trace_weight none;

	return distance(takt_diff_figure(diff, function->before ? &function->before->self : &none),
			takt_diff_figure(diff, function->after ? &function->after->self : &none));
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct takt_diff_function *a = left, *b = right;
	uint64_t change_a = function_change(context, a), change_b = function_change(context, b);
	const struct takt_trace_function *of_a = a->after ? a->after : a->before;
	const struct takt_trace_function *of_b = b->after ? b->after : b->before;
	int order;

	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	order = strcmp(of_a->name, of_b->name);
	return order ? order : of_a->address < of_b->address ? -1 : of_a->address > of_b->address;
}

/* The functions that find_functions() collects. */
struct function_list {
	struct diff *diff;
	struct takt_diff_function *functions;
	uint32_t count;
	const struct takt_trace_profile *profiles[2];
	const struct trace_block_list *lists[2]; /* blocks of each function */
};

static void add_function(struct function_list *list, uint32_t before, uint32_t after)
{
	struct takt_diff_function *function = &list->functions[list->count];
	struct trace_block_list lists[2] = {{0}};

	if (before != TRACE_NO_MATCH) {
		function->before = &list->profiles[0]->functions[before];
		lists[0] = list->lists[0][before];
	}
	if (after != TRACE_NO_MATCH) {
		function->after = &list->profiles[1]->functions[after];
		lists[1] = list->lists[1][after];
	}
	find_parts(list->diff, lists, function);
	if (function->part_count || function_change(&list->diff->result, function))
		list->count++;
	else
		*function = (struct takt_diff_function){0};
}

static void find_functions(struct diff *diff)
{
	const struct takt_trace_profile *before = diff->result.before->profile;
	const struct takt_trace_profile *after = diff->result.after->profile;
	struct candidates sides[2] = {all_candidates(before, &diff->arena),
				      all_candidates(after, &diff->arena)};
	uint32_t *partners = TAKT_NEW_ARRAY(&diff->arena, before->function_count, uint32_t);
	struct function_list list = {
		.diff = diff,
		.functions = TAKT_NEW_ARRAY(&diff->arena,
					    (size_t)before->function_count + after->function_count,
					    struct takt_diff_function),
		.profiles = {before, after},
		.lists = {sort_blocks(before, &diff->arena), sort_blocks(after, &diff->arena)},
	};

	for (uint32_t i = 0; i < before->function_count; i++)
		partners[i] = TRACE_NO_MATCH;
	for (int round = 0; round < ROUND_COUNT; round++)
		match_round(sides, (enum match_round)round, partners);
	for (uint32_t i = 0; i < before->function_count; i++)
		add_function(&list, i, partners[i]);
	for (uint32_t i = 0; i < sides[1].count; i++)
		add_function(&list, TRACE_NO_MATCH, sides[1].items[i].index);
	if (list.count)
		qsort_r(list.functions, list.count, sizeof(list.functions[0]), compare_functions,
			&diff->result);
	diff->result.functions = list.functions;
	diff->result.function_count = list.count;
}

/* Set the figure to compare by; report an error if only one of the two traces has cycles. */
static enum takt_status choose_figure(struct takt_diff *diff, enum takt_diff_by by,
				      struct takt_diag *diag)
{
	bool has[2] = {diff->before->core != NULL, diff->after->core != NULL};

	diff->by = has[0] ? by : TAKT_DIFF_INSNS;
	if (by == TAKT_DIFF_INSNS || has[0] == has[1])
		return TAKT_OK;
	takt_error(diag, "only the %s of the two has cycles", has[0] ? "older" : "newer");
	takt_note(diag, "trace both with '--arch=CORE', or compare '--by=instructions'");
	return TAKT_BAD_INPUT;
}

static bool same_layouts(const struct takt_trace_layouts *before,
			 const struct takt_trace_layouts *after)
{
	return before && after && before->count == after->count && before->seed == after->seed;
}

static double layouts_half_width(const struct takt_trace_layouts *layouts)
{
	return layouts ? takt_trace_layouts_error(layouts->cycles, NULL, layouts->count, NULL) : 0;
}

/*
 * Return the half width of the difference of means over layouts. Two versions of a program in the
 * same layouts are compared in pairs; else the errors are independent.
 */
static double layouts_error(const struct takt_trace_layouts *before,
			    const struct takt_trace_layouts *after)
{
	if (same_layouts(before, after))
		return takt_trace_layouts_error(after->cycles, before->cycles, after->count, NULL);
	return hypot(layouts_half_width(before), layouts_half_width(after));
}

/* Return the half width of the difference; the errors of two samples are independent. */
static double half_width(const struct takt_diff *diff)
{
	const struct takt_trace_sample *before = diff->before->sample, *after = diff->after->sample;

	if (diff->by != TAKT_DIFF_CYCLES)
		return 0;
	if (diff->before->layouts || diff->after->layouts)
		return layouts_error(diff->before->layouts, diff->after->layouts);
	return hypot(before ? before->half_width_cycles : 0, after ? after->half_width_cycles : 0);
}

enum takt_status takt_diff_new(const struct takt_trace_totals *before,
			       const struct takt_trace_totals *after, enum takt_diff_by by,
			       struct takt_diag *diag, struct takt_diff **ret_diff)
{
	struct diff *diff = takt_xcalloc(1, sizeof(*diff));
	enum takt_status status;

	diff->result.before = before;
	diff->result.after = after;
	status = choose_figure(&diff->result, by, diag);
	if (status != TAKT_OK) {
		takt_diff_free(&diff->result);
		return status;
	}
	diff->result.half_width_cycles = half_width(&diff->result);
	if (before->profile && after->profile)
		find_functions(diff);
	*ret_diff = &diff->result;
	return TAKT_OK;
}

void takt_diff_free(struct takt_diff *diff)
{
	TAKT_FREE_OWNER(struct diff, diff);
}
