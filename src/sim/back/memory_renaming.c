/* SPDX-License-Identifier: MIT */
/* Sets of loads and stores that met; sets merge as they meet (docs/accuracy-trace.md). */
#include "sim/back/memory_renaming.h"

#define PLACE_FACTOR 0x9e3779b97f4a7c15u

uint32_t sim_renaming_place(uint64_t address, unsigned operand)
{
	return (uint32_t)((address * 2 + operand) * PLACE_FACTOR >> 32);
}

static uint32_t slot_of(uint32_t place)
{
	return place & (SIM_RENAMING_ENTRIES - 1);
}

static uint32_t *latest_of(struct sim_renaming *renaming, uint16_t set)
{
	return &renaming->latest[set & (SIM_RENAMING_ENTRIES - 1)];
}

static struct sim_renaming_entry *claim(struct sim_renaming_entry *entries, uint32_t place)
{
	struct sim_renaming_entry *entry = &entries[slot_of(place)];

	if (entry->place != place)
		*entry = (struct sim_renaming_entry){.place = place};
	return entry;
}

void sim_renaming_store(struct sim_renaming *renaming, uint32_t place, uint32_t number)
{
	const struct sim_renaming_entry *entry = &renaming->stores[slot_of(place)];

	if (entry->place == place && entry->set)
		*latest_of(renaming, entry->set) = number;
}

/* Put a load and a store in one set: the lower of their sets; a new one is named after the load. */
static void join(struct sim_renaming_entry *load, struct sim_renaming_entry *store)
{
	uint16_t set = load->set;

	if (!set || (store->set && store->set < set))
		set = store->set;
	if (!set)
		set = (uint16_t)slot_of(load->place);
	load->set = store->set = set ? set : 1;
}

/* Make the load learn anew, since it did not read the latest store of its set. */
static enum sim_renaming_result forget(struct sim_renaming_entry *load, uint32_t right_least)
{
	bool served = load->right >= right_least;

	load->right = 0;
	return served ? SIM_RENAMING_WRONG : SIM_RENAMING_WAITS;
}

enum sim_renaming_result sim_renaming_load(struct sim_renaming *renaming, uint32_t place,
					   uint32_t store_place, uint32_t store_number,
					   uint32_t right_least)
{
	struct sim_renaming_entry *load = claim(renaming->loads, place);

	if (!load->set || *latest_of(renaming, load->set) != store_number) {
		join(load, claim(renaming->stores, store_place));
		return forget(load, right_least);
	}
	if (load->right >= right_least)
		return SIM_RENAMING_SERVES;
	load->right++;
	return SIM_RENAMING_WAITS;
}

enum sim_renaming_result sim_renaming_other(struct sim_renaming *renaming, uint32_t place,
					    uint32_t store_count, uint32_t stores_max,
					    uint32_t right_least)
{
	struct sim_renaming_entry *load = &renaming->loads[slot_of(place)];

	if (load->place == place && load->set &&
	    store_count - *latest_of(renaming, load->set) <= stores_max)
		return forget(load, right_least);
	return SIM_RENAMING_WAITS;
}
