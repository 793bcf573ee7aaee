/* SPDX-License-Identifier: MIT */
/*
 * Finds name dependences: writes that must not overtake an earlier read (WAR) or write (WAW) of the
 * same place. Through registers, the next writer of each location; through memory, the next store
 * to bytes of an access, where both addresses move by the same constant stride.
 */
#include "depend/memory.h"

struct list {
	const struct takt_block *block;
	const struct takt_memory_options *options;
	struct takt_arena *arena;
	struct takt_name_dependence *items;
	uint32_t count, capacity;
};

static void add(struct list *list, const struct takt_name_dependence *dependence)
{
	TAKT_GROW_IN(list->arena, list->items, list->count + 1, list->capacity);
	list->items[list->count++] = *dependence;
}

/* ---- registers ---------------------------------------------------------------------------- */

/* True for registers that code names; flags and states that it does not name are left out. */
static bool is_named(uint8_t location)
{
	return location >= TAKT_LOC_GPR && !takt_location_is_x87(location);
}

static uint8_t uses_of(const struct takt_insn *insn, uint8_t location)
{
	uint8_t uses = 0;

	for (unsigned i = 0; i < insn->access_count; i++)
		if (insn->accesses[i].location == location)
			uses |= insn->accesses[i].flags & (TAKT_READ | TAKT_WRITE);
	return uses;
}

/* Find the next instruction after `from` that writes the location, `from` itself last. */
static bool find_writer(const struct list *list, uint32_t from, uint8_t location,
			struct takt_name_dependence *dependence)
{
	uint32_t count = list->block->count, end = list->options->loop ? from + count + 1 : count;

	for (uint32_t i = from + 1; i < end; i++) {
		if (!(uses_of(&list->block->insns[i % count], location) & TAKT_WRITE))
			continue;
		dependence->to = i % count;
		dependence->iterations = (uint16_t)(i / count);
		return true;
	}
	return false;
}

/* True if an access before this one of the same instruction names the location. */
static bool is_repeated(const struct takt_insn *insn, unsigned access)
{
	for (unsigned i = 0; i < access; i++)
		if (insn->accesses[i].location == insn->accesses[access].location)
			return true;
	return false;
}

static void find_in_registers(struct list *list, uint32_t from)
{
	const struct takt_insn *insn = &list->block->insns[from];

	for (unsigned i = 0; i < insn->access_count; i++) {
		uint8_t location = insn->accesses[i].location, uses = uses_of(insn, location);
		/* An instruction that reads and writes a location overwrites it itself. */
		struct takt_name_dependence dependence = {
			.from = from, .location = location, .output = uses & TAKT_WRITE};

		if (uses && is_named(location) && !is_repeated(insn, i) &&
		    find_writer(list, from, location, &dependence))
			add(list, &dependence);
	}
}

/* ---- memory ------------------------------------------------------------------------------- */

/*
 * Return after how many iterations the store first touches bytes of the access; UINT32_MAX if it
 * does not within the window.
 */
static uint32_t iterations_between(const struct takt_finder *finder,
				   const struct takt_track *access, const struct takt_track *store)
{
	uint32_t from = finder->program.sliced[access->sliced].insn;
	uint32_t to = finder->program.sliced[store->sliced].insn;
	int64_t access_bytes = takt_touch_of(finder, access)->size_bytes;
	int64_t store_bytes = takt_touch_of(finder, store)->size_bytes;
	uint64_t apart = store->address.bits - access->address.bits;

	if (store->stride != access->stride)
		return UINT32_MAX;
	for (uint32_t i = to <= from; takt_finder_distance(finder, from, to, i) < finder->window;
	     i++) {
		int64_t offset = (int64_t)(apart + store->stride * i);

		if (offset < access_bytes && offset > -store_bytes)
			return i;
	}
	return UINT32_MAX;
}

static void find_overwriter(struct list *list, const struct takt_finder *finder,
			    const struct takt_track *access, const struct takt_track *tracks,
			    uint32_t track_count)
{
	uint32_t from = finder->program.sliced[access->sliced].insn;
	struct takt_name_dependence best = {.from = from,
					    .from_memory = access->touch,
					    .output = takt_touch_of(finder, access)->write};
	uint64_t best_distance = UINT64_MAX;

	for (uint32_t t = 0; t < track_count; t++) {
		uint32_t to = finder->program.sliced[tracks[t].sliced].insn, iterations;
		uint64_t distance;

		if (!takt_touch_of(finder, &tracks[t])->write || !tracks[t].address.known)
			continue;
		iterations = iterations_between(finder, access, &tracks[t]);
		if (iterations == UINT32_MAX)
			continue;
		distance = takt_finder_distance(finder, from, to, iterations);
		if (distance >= best_distance)
			continue;
		best_distance = distance;
		best.to = to;
		best.to_memory = tracks[t].touch;
		best.iterations = (uint16_t)iterations;
	}
	if (best_distance != UINT64_MAX)
		add(list, &best);
}

/* Find those of one choice of random values at entry. */
static void find_in_memory(struct list *list, struct takt_finder *finder, uint64_t seed)
{
	uint32_t count = takt_track_count(&finder->program);
	struct takt_track *tracks = TAKT_NEW_ARRAY(list->arena, count, struct takt_track);

	if (!takt_steady_reach(finder, seed, tracks))
		return;
	for (uint32_t t = 0; t < count; t++)
		if (tracks[t].address.known)
			find_overwriter(list, finder, &tracks[t], tracks, count);
}

static bool is_same(const struct takt_name_dependence *left,
		    const struct takt_name_dependence *right)
{
	return left->from == right->from && left->to == right->to &&
	       left->from_memory == right->from_memory && left->to_memory == right->to_memory &&
	       left->iterations == right->iterations;
}

static void add_common(struct list *list, const struct list *first, const struct list *second)
{
	for (uint32_t i = 0; i < first->count; i++)
		for (uint32_t j = 0; j < second->count; j++)
			if (is_same(&first->items[i], &second->items[j])) {
				add(list, &first->items[i]);
				break;
			}
}

void takt_name_dependences_find(const struct takt_block *block,
				const struct takt_memory_options *options, struct takt_arena *arena,
				struct takt_name_dependences *ret_dependences)
{
	struct list list = {.block = block, .options = options, .arena = arena};
	struct list first = list, second = list;

	for (uint32_t i = 0; i < block->count; i++)
		find_in_registers(&list, i);
	if (options->loop) {
		struct takt_finder finder;

		takt_finder_init(block, options, arena, &finder);
		/* Dependences that do not hold for all values are by chance, as among true ones. */
		find_in_memory(&first, &finder, 1);
		find_in_memory(&second, &finder, 2);
		add_common(&list, &first, &second);
	}
	ret_dependences->items = list.items;
	ret_dependences->count = list.count;
}
