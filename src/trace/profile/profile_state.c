/* SPDX-License-Identifier: MIT */
/* Saves the state of the profile, call stacks and regions to a checkpoint, and loads it. */
#include <string.h>

#include "trace/profile/context.h"
#include "trace/profile/profile.h"

#define PACK(pack, value) takt_pack_bytes(pack, &(value), sizeof(value))
#define NAME_BYTES_MAX ((size_t)1 << 16)

/* Save an array of *count elements, or load it and set *count, which is at most `most`. */
static void pack_array(struct takt_pack *pack, void **array, uint32_t *count, uint32_t most,
		       size_t size_bytes)
{
	uint32_t before = *count;

	takt_pack_count(pack, count, most);
	if (pack->reads && *count > before) {
		*array = takt_xrealloc_zeroed(*array, 0, *count, size_bytes);
	}
	takt_pack_bytes(pack, *array, *count * size_bytes);
}

#define PACK_ARRAY(pack, array, count, most)                                                       \
	pack_array(pack, (void **)&(array), &(count), most, sizeof(*(array)))

static void pack_block(const struct trace_dictionary *dictionary, struct takt_pack *pack,
		       const struct trace_block **block)
{
	uint32_t number = *block ? 1 + (*block)->number : 0;

	takt_pack_count(pack, &number, dictionary->count);
	*block = number ? dictionary->blocks[number - 1] : NULL;
}

/* ---- stacks ---- */

static void pack_frames(const struct trace_dictionary *dictionary, struct context_thread *thread,
			struct takt_pack *pack)
{
	static const struct takt_pack_hole holes[] = {TAKT_PACK_HOLE(struct context_frame, caller)};
	uint32_t depth = thread->depth;

	takt_pack_count(pack, &depth, CONTEXT_FRAMES_MAX);
	TAKT_GROW_ZEROED(thread->frames, depth, thread->capacity);
	thread->depth = depth;
	for (uint32_t i = 0; i < depth; i++) {
		takt_pack_around(pack, &thread->frames[i], sizeof(*thread->frames), holes,
				 TAKT_COUNT_OF(holes));
		pack_block(dictionary, pack, &thread->frames[i].caller);
	}
}

/*
 * Save or load a thread's libtakt-marker regions. The list of regions is loaded later, and the
 * indices are checked then.
 */
static void pack_announced(struct context_thread *thread, struct takt_pack *pack)
{
	bool has = thread->announced != NULL;

	takt_pack_bool(pack, &has);
	if (!has)
		return;
	if (!thread->announced)
		thread->announced = takt_xcalloc(1, sizeof(*thread->announced));
	PACK(pack, *thread->announced);
	if (thread->announced->count > CONTEXT_ANNOUNCED_MAX ||
	    thread->announced->name_bytes >= sizeof(thread->announced->name)) {
		pack->bad = true;
		*thread->announced = (struct context_announced){0};
	}
}

static void pack_threads(struct trace_context *context, struct takt_pack *pack)
{
	uint32_t count = context->thread_capacity;

	takt_pack_count(pack, &count, 2 * TRACE_THREADS_MAX + 16);
	for (uint32_t i = 0; i < count && !pack->bad; i++) {
		struct context_thread *thread = context_thread_of(context, i);

		pack_block(context->dictionary, pack, &thread->last);
		PACK(pack, thread->return_address);
		PACK(pack, thread->leaving);
		pack_announced(thread, pack);
		pack_frames(context->dictionary, thread, pack);
	}
}

/* Save or load functions; their capacity is a power of two, as called() in context.c keeps it. */
static void pack_functions(struct trace_context *context, struct takt_pack *pack)
{
	uint32_t count = context->function_count, capacity = 1;

	takt_pack_count(pack, &count, context->dictionary->function_count);
	while (capacity < count)
		capacity *= 2;
	if (count > context->function_count)
		context->functions =
			takt_xrealloc(context->functions, capacity, sizeof(*context->functions));
	context->function_count = count;
	takt_pack_bytes(pack, context->functions, count * sizeof(*context->functions));
}

/* ---- regions ---- */

static void add_region(struct regions *regions, const char *name, struct region_rule rule,
		       struct takt_pack *pack)
{
	if (rule.kind == REGION_MARKER)
		regions_add(regions, name, rule);
	else if (rule.kind == REGION_ANNOUNCED && rule.begin < MARKER_VALUES)
		regions_announced(regions, (uint32_t)rule.begin, name);
	else
		pack->bad = true;
}

/* Save or load the regions that markers added; the user's are there already. */
static void pack_region_list(struct regions *regions, struct takt_pack *pack)
{
	uint32_t count = regions->count;

	takt_pack_count(pack, &count, TRACE_REGIONS_MAX);
	for (uint32_t i = 0; i < count && !pack->bad; i++) {
		struct region_rule rule = {.kind = REGION_MARKER};
		bool marker = i >= regions->count || regions->rules[i].kind == REGION_MARKER ||
			      regions->rules[i].kind == REGION_ANNOUNCED;
		uint32_t size = 0;
		char *name = NULL;

		takt_pack_bool(pack, &marker);
		if (marker && !pack->reads) {
			rule = regions->rules[i];
			size = (uint32_t)strlen(regions->list[i].name);
			name = takt_arena_copy(&regions->arena, regions->list[i].name, size);
		}
		takt_pack_count(pack, &size, marker ? NAME_BYTES_MAX : 0);
		if (pack->reads)
			name = takt_arena_alloc(&regions->arena, size + (size_t)1, 1);
		takt_pack_bytes(pack, name, size);
		PACK(pack, rule.begin);
		PACK(pack, rule.kind);
		if (i >= regions->count)
			add_region(regions, name, rule, pack);
		PACK(pack, regions->list[i].address);
		PACK(pack, regions->list[i].entries);
	}
}

static void pack_regions(struct regions *regions, struct takt_pack *pack)
{
	pack_region_list(regions, pack);
	takt_pack_count(pack, &regions->node_count, TRACE_REGION_NODES_MAX);
	takt_pack_bytes(pack, regions->nodes, regions->node_count * sizeof(*regions->nodes));
	takt_pack_count(pack, &regions->set_count, UINT16_MAX);
	PACK_ARRAY(pack, regions->sets, regions->set_capacity, UINT16_MAX);
	PACK_ARRAY(pack, regions->set_of_block, regions->block_capacity, UINT32_MAX / 2);
	if (regions->set_count > regions->set_capacity)
		pack->bad = true;
}

/* ---- checking that the loaded parts are consistent ---- */

static bool nodes_fit(const struct trace_context *context)
{
	uint32_t free_slots = 0, size = context->table_size;

	if (context->node_count < 2 || context->node_count > TRACE_NODES_MAX || size == 0 ||
	    (size & (size - 1)))
		return false;
	for (uint32_t i = 1; i < context->node_count; i++)
		if (context->nodes[i].parent >= i ||
		    context->nodes[i].function >= context->dictionary->function_count)
			return false;
	for (uint32_t i = 0; i < size; i++) {
		free_slots += context->table[i] == 0;
		if (context->table[i] >= context->node_count)
			return false;
	}
	return free_slots > 0; /* else a search for a missing node would not end */
}

static bool is_region(const struct regions *regions, uint32_t region)
{
	return region < regions->count || region == REGION_NONE;
}

static bool regions_fit(const struct regions *regions)
{
	if (regions->node_count == 0 || regions->set_count == 0)
		return false;
	for (uint32_t i = 1; i < regions->node_count; i++)
		if (regions->nodes[i].parent >= i || regions->nodes[i].region >= regions->count)
			return false;
	for (uint32_t i = 0; i < regions->set_count; i++) {
		const struct region_set *set = &regions->sets[i];

		if (!takt_are_bools(&set->ends_before, 1, 1) ||
		    !takt_are_bools(&set->ends_after, 1, 1) || set->range_count > REGION_SET_MAX ||
		    !is_region(regions, set->marker))
			return false;
		for (uint32_t j = 0; j < set->range_count; j++)
			if (set->ranges[j] >= regions->count)
				return false;
	}
	for (uint32_t i = 0; i < regions->block_capacity; i++)
		if (regions->set_of_block[i] > regions->set_count)
			return false;
	return true;
}

static bool frame_fits(const struct trace_context *context, const struct context_frame *frame)
{
	return takt_are_bools(&frame->signal, 1, 1) &&
	       frame->function < context->dictionary->function_count &&
	       frame->node < context->node_count && frame->region < context->regions.node_count &&
	       frame->base < context->regions.node_count &&
	       frame->marked < context->regions.node_count &&
	       frame->set < context->regions.set_count;
}

static bool thread_fits(const struct trace_context *context, const struct context_thread *thread)
{
	if (thread->leaving > LEFT_SYSCALL)
		return false;
	for (uint32_t i = 0; i < thread->depth; i++)
		if (!frame_fits(context, &thread->frames[i]))
			return false;
	for (uint32_t i = 0; thread->announced && i < thread->announced->count; i++)
		if (thread->announced->regions[i] >= context->regions.count)
			return false;
	return !thread->announced || thread->announced->node == REGION_NONE ||
	       thread->announced->node < context->regions.node_count;
}

static bool context_fits(const struct trace_context *context)
{
	if (!nodes_fit(context) || !regions_fit(&context->regions))
		return false;
	for (uint32_t i = 0; i < context->thread_capacity; i++)
		if (!thread_fits(context, &context->threads[i]))
			return false;
	for (uint32_t i = 0; i < context->function_count; i++)
		if (!is_region(&context->regions, context->functions[i].region))
			return false;
	return true;
}

static bool edges_fit(const struct trace_profile *profile)
{
	const struct trace_edges *edges = profile->edges;
	uint32_t used = 0;

	if (edges->size & (edges->size - 1))
		return false;
	for (uint32_t i = 0; i < edges->size; i++) {
		used += edges->table[i].count != 0;
		if (edges->table[i].from >= profile->dictionary->count ||
		    edges->table[i].to >= profile->dictionary->count)
			return false;
	}
	return used == edges->count && (edges->size == 0 || used < edges->size);
}

static bool stats_fit(const struct trace_profile *profile)
{
	const struct trace_dictionary *dictionary = profile->dictionary;

	for (uint32_t i = 0; i < dictionary->count; i++) {
		const struct trace_block_stats *stats = dictionary->blocks[i]->stats;

		for (unsigned j = 0; stats && j < 2; j++)
			if (stats->next[j] >= dictionary->count)
				return false;
	}
	return true;
}

static void pack_context(struct trace_context *context, struct takt_pack *pack)
{
	pack_threads(context, pack);
	pack_functions(context, pack);
	PACK(pack, context->node_count);
	PACK_ARRAY(pack, context->nodes, context->node_capacity, 2 * TRACE_NODES_MAX);
	PACK_ARRAY(pack, context->table, context->table_size, 4 * TRACE_NODES_MAX);
	if (context->node_count > context->node_capacity)
		pack->bad = true;
	pack_regions(&context->regions, pack);
}

/* ---- counts ---- */

static void pack_blocks(struct trace_profile *profile, struct takt_pack *pack)
{
	struct trace_dictionary *dictionary = profile->dictionary;

	for (uint32_t i = 0; i < dictionary->count && !pack->bad; i++) {
		struct trace_block *block = dictionary->blocks[i];
		bool noted = block->stats != NULL;

		takt_pack_bool(pack, &noted);
		if (noted && !block->stats)
			profile_make_stats(profile, i);
		if (noted)
			PACK(pack, *block->stats);
	}
}

void takt_trace_profile_pack(struct trace_profile *profile, struct takt_pack *pack)
{
	pack_blocks(profile, pack);
	PACK(pack, profile->edges->count);
	PACK_ARRAY(pack, profile->edges->table, profile->edges->size, 4 * PROFILE_EDGES_MAX);
	PACK_ARRAY(pack, profile->nodes, profile->node_capacity, 4 * TRACE_NODES_MAX);
	takt_pack_bytes(pack, profile->regions, TRACE_REGION_NODES_MAX * sizeof(*profile->regions));
	pack_context(profile->context, pack);
	if (pack->reads && !pack->bad &&
	    !(context_fits(profile->context) && edges_fit(profile) && stats_fit(profile)))
		pack->bad = true;
}
