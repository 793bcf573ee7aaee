/* SPDX-License-Identifier: MIT */
/* Branch target buffers, and the tables of where indirect branches go by history. */
#include "branch/state.h"

#include <string.h>

static struct target_entry *find_set(struct branch_predictor *predictor,
				     const struct target_level *level, uint64_t address)
{
	struct target_entry *entries = branch_array(predictor, level->entries);

	return entries + (size_t)branch_slot(address * PATH_BASE, level->sets) * level->ways;
}

/* Makes `entry` the first of the set; `place` is free. */
static void put_first(struct target_entry *set, uint32_t place, struct target_entry entry)
{
	memmove(set + 1, set, place * sizeof(*set));
	set[0] = entry;
}

/* The way with the address, or `ways`. */
static uint32_t find_way(const struct target_entry *set, uint32_t ways, uint64_t address)
{
	uint32_t way = 0;

	while (way < ways && set[way].address != address)
		way++;
	return way;
}

/* Puts the branch into a level; what falls out goes to the next one, and so on. */
static void put(struct branch_predictor *predictor, uint32_t first, struct target_entry entry)
{
	for (uint32_t i = first; i < TARGET_LEVELS && entry.address != 0; i++) {
		const struct target_level *level = &predictor->targets.levels[i];
		struct target_entry *set, fallen;

		if (level->sets == 0)
			continue;
		set = find_set(predictor, level, entry.address);
		fallen = set[level->ways - 1];
		put_first(set, level->ways - 1, entry);
		entry = fallen;
	}
}

/* Takes the branch out of a level behind the first. */
static uint32_t take(struct branch_predictor *predictor, uint64_t address, uint64_t *ret_target)
{
	for (uint32_t i = 1; i < TARGET_LEVELS; i++) {
		const struct target_level *level = &predictor->targets.levels[i];
		struct target_entry *set;
		uint32_t way;

		if (level->sets == 0)
			continue;
		set = find_set(predictor, level, address);
		way = find_way(set, level->ways, address);
		if (way == level->ways)
			continue;
		*ret_target = set[way].target;
		memmove(set + way, set + way + 1, (level->ways - way - 1) * sizeof(*set));
		set[level->ways - 1] = (struct target_entry){0};
		return i;
	}
	return TARGET_LEVELS;
}

uint32_t takt_targets_find(struct branch_predictor *predictor, uint64_t address, uint64_t target,
			   uint64_t *ret_target)
{
	const struct target_level *level = &predictor->targets.levels[0];
	struct target_entry *set = find_set(predictor, level, address);
	uint32_t way = find_way(set, level->ways, address), place;

	if (way < level->ways) {
		*ret_target = set[way].target;
		put_first(set, way, (struct target_entry){address, target});
		return 0;
	}
	*ret_target = 0;
	place = take(predictor, address, ret_target);
	put(predictor, 0, (struct target_entry){address, target});
	return place;
}

#define CONFIDENCE_MAX 3

/* One that may be replaced gets the target. */
static void allocate(struct indirect_entry *const *entries, const uint16_t *tags, uint32_t first,
		     uint32_t count, uint64_t target)
{
	for (uint32_t i = first; i < count; i++) {
		if (entries[i]->useful == 0) {
			*entries[i] = (struct indirect_entry){.target = target, .tag = tags[i]};
			return;
		}
	}
	for (uint32_t i = first; i < count; i++)
		entries[i]->useful = 0;
}

static void learn(struct indirect_entry *entry, uint64_t target, uint64_t alternative)
{
	if (entry->target == target) {
		if (entry->confidence < CONFIDENCE_MAX)
			entry->confidence++;
		if (alternative != target)
			entry->useful = 1;
	} else if (entry->confidence > 0) {
		entry->confidence--;
	} else {
		entry->target = target;
		entry->useful = 0;
	}
}

uint64_t takt_indirect_next(struct branch_predictor *predictor, uint64_t address,
			    uint64_t otherwise, uint64_t target)
{
	struct indirect_entry *table = branch_array(predictor, predictor->indirect.tables);
	uint32_t size = predictor->indirect.table_entries, count = predictor->path.table_count;
	struct indirect_entry *entries[TABLES_MAX], *provider = NULL;
	uint64_t alternative = otherwise, prediction;
	uint16_t tags[TABLES_MAX];
	uint32_t longer = 0;

	if (size == 0)
		return otherwise;
	for (uint32_t i = 0; i < count; i++, table += size) {
		struct table_key key = path_key(&predictor->path, i, address, size);

		entries[i] = &table[key.slot];
		tags[i] = key.tag;
		if (entries[i]->tag != key.tag || entries[i]->target == 0)
			continue;
		if (provider != NULL)
			alternative = provider->target;
		provider = entries[i];
		longer = i + 1;
	}
	prediction = provider != NULL && (provider->confidence > 0 || alternative == 0)
			     ? provider->target
			     : alternative;
	if (prediction != target && (provider == NULL || provider->target != target))
		allocate(entries, tags, branch_first_choice(predictor, longer), count, target);
	if (provider != NULL)
		learn(provider, target, alternative);
	return prediction;
}
