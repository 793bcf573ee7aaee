/* SPDX-License-Identifier: MIT */
/* Finds memory dependences by one run for each seed, and keeps the edges that all runs found. */
#include "depend/memory.h"
#include "depend/streams.h"

#define WINDOW_FALLBACK 224u
#define WINDOW_MAX (1u << 16)
#define SEEDS_FALLBACK 2u
/* Iterations to run at least, so that the share of those with a dependence is meaningful. */
#define ITERATIONS_LEAST 5u

const char *takt_overlap_word(enum takt_overlap overlap)
{
	static const char *const words[] = {
#define X(name, word) [name] = word,
		TAKT_OVERLAP_LIST(X)
#undef X
	};

	return words[overlap];
}

/* ---- state of a run ----------------------------------------------------------------- */

static void make_shadow(struct takt_finder *finder, uint32_t iterations)
{
	size_t granules = 0;

	for (uint32_t s = 0; s < finder->program.sliced_count; s++) {
		const struct takt_sliced_insn *sliced = &finder->program.sliced[s];

		for (unsigned m = 0; m < sliced->touch_count; m++)
			if (sliced->touches[m].write)
				granules += (sliced->touches[m].size_bytes +
					     2 * (TAKT_GRANULE_BYTES - 1)) /
					    TAKT_GRANULE_BYTES;
	}
	takt_shadow_init(&finder->shadow, granules * iterations, finder->arena);
	finder->shadow_iterations = iterations;
}

void takt_finder_start(struct takt_finder *finder, uint64_t seed, uint32_t memory_iterations,
		       struct takt_machine *ret_machine)
{
	const struct takt_memory_options *options = finder->options;

	takt_machine_reset(ret_machine, seed, options->entry_values, options->entry_value_count);
	ret_machine->shadow = NULL;
	if (!memory_iterations)
		return;
	if (finder->shadow_iterations < memory_iterations)
		make_shadow(finder, memory_iterations);
	takt_shadow_clear(&finder->shadow, seed);
	ret_machine->shadow = &finder->shadow;
}

void takt_finder_add_edge(struct takt_finder *finder, const struct takt_memory_edge *edge)
{
	TAKT_GROW_IN(finder->arena, finder->edges, finder->edge_count + 1, finder->edge_capacity);
	finder->edges[finder->edge_count++] = *edge;
}

int takt_finder_compare(const struct takt_finder *finder, const struct takt_memory_edge *left,
			const struct takt_memory_edge *right)
{
	uint64_t left_distance, right_distance;

	if (left->load != right->load)
		return left->load < right->load ? -1 : 1;
	if (left->load_memory != right->load_memory)
		return left->load_memory < right->load_memory ? -1 : 1;
	left_distance = takt_finder_distance(finder, left->store, left->load, left->iterations);
	right_distance = takt_finder_distance(finder, right->store, right->load, right->iterations);
	if (left_distance != right_distance)
		return left_distance < right_distance ? -1 : 1;
	return (int)left->store_memory - (int)right->store_memory;
}

/* ---- runs --------------------------------------------------------------------------- */

static void find_for_seed(struct takt_finder *finder, uint64_t seed)
{
	uint32_t count = takt_track_count(&finder->program);
	struct takt_track *tracks = TAKT_NEW_ARRAY(finder->arena, count, struct takt_track);

	finder->edges = NULL;
	finder->edge_count = finder->edge_capacity = 0;
	if (finder->options->loop && takt_steady_reach(finder, seed, tracks) &&
	    takt_steady_find(finder, tracks, count))
		return;
	finder->edge_count = 0;
	takt_simulation_find(finder, seed);
}

/* Keep of `kept` only what is also among the finder's edges, and return the new count; both
 * lists are in order. */
static uint32_t intersect(const struct takt_finder *finder, struct takt_memory_edge *kept,
			  uint32_t kept_count)
{
	uint32_t count = 0, other = 0;

	for (uint32_t i = 0; i < kept_count; i++) {
		while (other < finder->edge_count &&
		       takt_finder_compare(finder, &finder->edges[other], &kept[i]) < 0)
			other++;
		if (other < finder->edge_count &&
		    takt_finder_compare(finder, &finder->edges[other], &kept[i]) == 0 &&
		    finder->edges[other].overlap == kept[i].overlap)
			kept[count++] = kept[i];
	}
	return count;
}

static bool has_loads_and_stores(const struct takt_block *block)
{
	uint32_t flags = 0;

	for (uint32_t i = 0; i < block->count; i++)
		flags |= block->insns[i].flags;
	return flags & TAKT_INSN_LOADS && flags & TAKT_INSN_STORES;
}

/* Choose the window and how many iterations are run. */
static void plan(struct takt_finder *finder)
{
	uint32_t insns = finder->program.insn_count;

	finder->window = finder->options->window_instructions;
	if (!finder->window)
		finder->window = WINDOW_FALLBACK;
	if (finder->window > WINDOW_MAX)
		finder->window = WINDOW_MAX;
	finder->iterations = 1;
	if (!finder->options->loop)
		return;
	/* The first iteration only settles values from before the loop; the others together
	 * have more instructions than the window. */
	finder->first = 1;
	finder->iterations = 1 + (finder->window + insns - 1) / insns + 1;
	if (finder->iterations < ITERATIONS_LEAST)
		finder->iterations = ITERATIONS_LEAST;
}

void takt_finder_init(const struct takt_block *block, const struct takt_memory_options *options,
		      struct takt_arena *arena, struct takt_finder *ret_finder)
{
	*ret_finder = (struct takt_finder){.block = block, .options = options, .arena = arena};
	takt_program_make(block, options->loop ? TAKT_PROGRAM_LOOP : TAKT_PROGRAM_ONCE, arena,
			  &ret_finder->program);
	plan(ret_finder);
}

void takt_memory_dependences_find(const struct takt_block *block,
				  const struct takt_memory_options *options,
				  struct takt_arena *arena,
				  struct takt_memory_dependences *ret_dependences)
{
	struct takt_finder finder;
	uint32_t seeds = options->seeds ? options->seeds : SEEDS_FALLBACK;
	struct takt_memory_edge *kept;
	uint32_t count;

	*ret_dependences = (struct takt_memory_dependences){0};
	if (!options->streams && !has_loads_and_stores(block))
		return;
	takt_finder_init(block, options, arena, &finder);
	if (options->streams)
		takt_streams_find(&finder, ret_dependences);
	if (!has_loads_and_stores(block))
		return;
	find_for_seed(&finder, 1);
	kept = finder.edges;
	count = finder.edge_count;
	for (uint32_t seed = 2; seed <= seeds && count; seed++) {
		find_for_seed(&finder, seed);
		count = intersect(&finder, kept, count);
	}
	ret_dependences->edges = kept;
	ret_dependences->edge_count = count;
}
