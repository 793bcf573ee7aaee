/* SPDX-License-Identifier: MIT */
/*
 * Predicts whether branches are taken (TAGE): a base table of counters by address, and tables of
 * tagged counters by address and ever longer histories. The table with the longest history that
 * knows the branch decides. A mispredicted branch gets an entry with a longer history.
 */
#include "branch/state.h"

#define COUNTER_MAX 3
#define COUNTER_MIN (-4)
#define USEFUL_MAX 3
#define TRUST_MAX 7
#define PRESSURE_MAX 1024
#define NO_TABLE (-1)

/* Predictions of the tables for one branch. */
struct opinion {
	struct direction_entry *entries[TABLES_MAX]; /* the branch's entry in each table */
	int8_t *base;
	int32_t provider, alternate; /* tables of the two longest histories, or NO_TABLE */
	bool provided, alternative;  /* their predictions, or the base table's */
	bool fresh;		     /* the provider's entry is new and has not proved useful */
};

static int8_t moved(int8_t counter, bool up)
{
	return (int8_t)(up ? counter + (counter < COUNTER_MAX) : counter - (counter > COUNTER_MIN));
}

static bool entry_says(const struct opinion *opinion, int32_t table)
{
	return (table == NO_TABLE ? *opinion->base : opinion->entries[table]->counter) >= 0;
}

/* Return the number of the highest bit set, or NO_TABLE. */
static int32_t last_bit(uint32_t bits)
{
	return bits == 0 ? NO_TABLE : 31 - __builtin_clz(bits);
}

static void look_up(struct branch_predictor *predictor, uint64_t address, struct opinion *opinion)
{
	struct directions *directions = &predictor->directions;
	struct direction_entry *table = branch_array(predictor, directions->tables);
	int8_t *base = branch_array(predictor, directions->base);
	uint32_t known = 0; /* mask of the tables that know the branch */
	/* Branches whose address has that bit use the other half of each table. */
	uint32_t half = address & directions->half_mask ? directions->half_entries : 0;

	opinion->base = base + branch_slot(address * PATH_BASE, directions->base_entries);
	for (uint32_t i = 0; i < predictor->path.table_count; i++) {
		struct table_key key =
			path_key(&predictor->path, i, address, directions->half_entries);

		opinion->entries[i] = &table[half + key.slot];
		known |= (uint32_t)(opinion->entries[i]->tag == key.tag) << i;
		table += directions->table_entries;
	}
	opinion->provider = last_bit(known);
	opinion->alternate = known == 0 ? NO_TABLE : last_bit(known & ~(1u << opinion->provider));
	opinion->provided = entry_says(opinion, opinion->provider);
	opinion->alternative = entry_says(opinion, opinion->alternate);
	opinion->fresh = false;
	if (opinion->provider != NO_TABLE) {
		const struct direction_entry *entry = opinion->entries[opinion->provider];

		opinion->fresh = !entry->useful && (entry->counter == 0 || entry->counter == -1);
	}
}

/* Make all entries less useful, so that new branches can replace some. */
static void age(struct branch_predictor *predictor)
{
	struct directions *directions = &predictor->directions;
	struct direction_entry *entries = branch_array(predictor, directions->tables);
	size_t count = (size_t)directions->table_entries * predictor->path.table_count;

	for (size_t i = 0; i < count; i++)
		entries[i].useful >>= 1;
	directions->pressure = 0;
}

/* Allocate an entry in a table of a longer history, in place of one that is not useful. */
static void allocate(struct branch_predictor *predictor, const struct opinion *opinion,
		     uint64_t address, bool taken)
{
	struct directions *directions = &predictor->directions;
	uint32_t first = branch_first_choice(predictor, (uint32_t)(opinion->provider + 1));

	for (uint32_t i = first; i < predictor->path.table_count; i++) {
		struct direction_entry *entry = opinion->entries[i];

		if (entry->useful == 0) {
			*entry = (struct direction_entry){
				.tag = path_key(&predictor->path, i, address, 1).tag,
				.counter = taken ? 0 : -1,
			};
			if (directions->pressure > 0)
				directions->pressure--;
			return;
		}
		directions->pressure++;
	}
	if (directions->pressure >= PRESSURE_MAX)
		age(predictor);
}

static void learn_from_provider(struct directions *directions, const struct opinion *opinion,
				bool taken)
{
	/* look_up() has set the entries of all tables. NOLINTNEXTLINE(clang-analyzer-core.*) */
	struct direction_entry *entry = opinion->entries[opinion->provider];
	bool right = opinion->provided == taken;

	if (opinion->provided != opinion->alternative) {
		if (opinion->fresh && right && directions->trust_alternate > -TRUST_MAX - 1)
			directions->trust_alternate--;
		if (opinion->fresh && !right && directions->trust_alternate < TRUST_MAX)
			directions->trust_alternate++;
		if (right && entry->useful < USEFUL_MAX)
			entry->useful++;
		if (!right && entry->useful > 0)
			entry->useful--;
	}
	entry->counter = moved(entry->counter, taken);
	if (entry->useful > 0)
		return;
	if (opinion->alternate == NO_TABLE)
		*opinion->base = moved(*opinion->base, taken);
	else
		opinion->entries[opinion->alternate]->counter =
			moved(opinion->entries[opinion->alternate]->counter, taken);
}

bool takt_directions_next(struct branch_predictor *predictor, uint64_t address, bool taken)
{
	struct directions *directions = &predictor->directions;
	struct opinion opinion;
	bool prediction;

	look_up(predictor, address, &opinion);
	prediction = opinion.fresh && directions->trust_alternate >= 0 ? opinion.alternative
								       : opinion.provided;
	/* If a fresh entry was right but overridden, it may still earn trust: no entry with a
	 * longer history is needed. */
	if (prediction != taken && !(opinion.fresh && opinion.provided == taken))
		allocate(predictor, &opinion, address, taken);
	if (opinion.provider == NO_TABLE)
		*opinion.base = moved(*opinion.base, taken);
	else
		learn_from_provider(directions, &opinion, taken);
	return prediction;
}
