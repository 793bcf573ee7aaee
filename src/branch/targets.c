/* SPDX-License-Identifier: MIT */
/* Branch target buffers, and tables of indirect branches' targets by history. */
#include "branch/state.h"

#define LINE_SHIFT 6

static struct target_entry *find_set(struct branch_predictor *predictor,
				     const struct target_level *level, uint64_t address)
{
	struct target_entry *entries = branch_array(predictor, level->entries);

	uint64_t set = level->by_line ? (address >> LINE_SHIFT) % level->sets
				      : branch_slot(address * PATH_BASE, level->sets);

	return entries + (size_t)set * level->ways;
}

/*
 * Insert the entry as the first of the set. Return the branch's former entry or, if there is
 * none, the last entry, which is evicted.
 */
static struct target_entry put_first(struct target_entry *set, uint32_t ways,
				     struct target_entry entry)
{
	uint64_t address = entry.address;

	for (uint32_t way = 0; way < ways; way++) {
		struct target_entry former = set[way];

		set[way] = entry;
		entry = former;
		if (former.address == address)
			break;
	}
	return entry;
}

/* Remove the branch from the second or third level, and return its level, or TARGET_LEVELS. */
static uint32_t take(struct branch_predictor *predictor, uint64_t address, uint64_t *ret_target)
{
	for (uint32_t i = 1; i < TARGET_LEVELS; i++) {
		const struct target_level *level = &predictor->targets.levels[i];
		struct target_entry *set = find_set(predictor, level, address);
		uint32_t way = 0;

		while (way < level->ways && set[way].address != address)
			way++;
		if (way == level->ways)
			continue;
		*ret_target = set[way].target;
		for (; way + 1 < level->ways; way++)
			set[way] = set[way + 1];
		set[way] = (struct target_entry){0};
		return i;
	}
	return TARGET_LEVELS;
}

uint32_t takt_targets_find(struct branch_predictor *predictor, uint64_t address, uint64_t target,
			   uint64_t *ret_target)
{
	const struct target_level *level = predictor->targets.levels;
	struct target_entry entry = put_first(find_set(predictor, level, address), level->ways,
					      (struct target_entry){address, target});
	uint32_t place;

	if (entry.address == address) {
		*ret_target = entry.target;
		return 0;
	}
	*ret_target = 0;
	place = take(predictor, address, ret_target);
	for (uint32_t i = 1; i < TARGET_LEVELS && entry.address != 0; i++) {
		level = &predictor->targets.levels[i];
		entry = put_first(find_set(predictor, level, entry.address), level->ways, entry);
	}
	return place;
}

#define CONFIDENCE_MAX 3

/* Enter the target in place of the first entry that is not useful; if all are, mark all as not
 * useful instead. */
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
