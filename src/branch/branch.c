/* SPDX-License-Identifier: MIT */
/* Makes a predictor, restores its state, and combines its parts' predictions to a verdict. */
#include "branch/state.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

#define ENTRIES_MAX (1 << 20) /* of any table: a user may have set the parameters */
#define WAYS_MAX 64

static uint32_t within(int32_t value, uint32_t least, uint32_t most)
{
	if (value < 0 || (uint32_t)value < least)
		return least;
	return (uint32_t)value > most ? most : (uint32_t)value;
}

/* Set history lengths in geometric progression, no two of them the same. */
static void set_up_path(struct path *path, const struct takt_core_params *params)
{
	uint32_t shortest = within(params->branch_history_shortest, 1, PATH_RING - TABLES_MAX - 1);
	uint32_t longest =
		within(params->branch_history_longest, shortest, PATH_RING - TABLES_MAX - 1);
	double ratio = (double)longest / shortest;

	path->table_count = within(params->branch_tables, 0, TABLES_MAX);
	for (uint32_t i = 0; i < path->table_count; i++) {
		double share = path->table_count > 1 ? (double)i / (path->table_count - 1) : 1;
		uint32_t length = (uint32_t)(shortest * pow(ratio, share) + 0.5);

		if (i > 0 && length <= path->lengths[i - 1])
			length = path->lengths[i - 1] + 1;
		path->lengths[i] = length;
		path->powers[i] = 1;
		for (uint32_t k = 0; k < length; k++)
			path->powers[i] *= PATH_BASE;
	}
}

static size_t reserve(struct branch_predictor *predictor, size_t count, size_t size)
{
	size_t offset = predictor->bytes;

	predictor->bytes += (count * size + 15) / 16 * 16;
	return offset;
}

static void set_up_targets(struct branch_predictor *shape, const struct takt_core_params *params)
{
	const int32_t entries[] = {params->branch_target_entries,
				   params->branch_target_second_entries,
				   params->branch_target_third_entries};
	const int32_t cycles[] = {0, params->branch_target_second_cycles,
				  params->branch_target_third_cycles, params->branch_decode_cycles};

	for (int i = 0; i <= TARGET_LEVELS; i++)
		shape->targets.late_cycles[i] = within(cycles[i], 0, UINT16_MAX);
	for (int i = 0; i < TARGET_LEVELS; i++) {
		struct target_level *level = &shape->targets.levels[i];
		uint32_t count = within(entries[i], i == 0, ENTRIES_MAX);

		level->by_line = i == 0 && params->branch_target_line_ways > 0;
		level->ways = within(level->by_line ? params->branch_target_line_ways
						    : params->branch_target_ways,
				     1, WAYS_MAX);
		if (level->ways > count)
			level->ways = count; /* if this is 0, there are no sets either */
		level->sets = count > 0 ? count / level->ways : 0;
		level->entries = reserve(shape, (size_t)level->sets * level->ways,
					 sizeof(struct target_entry));
	}
}

static void set_up_next_targets(struct branch_predictor *shape,
				const struct takt_core_params *params)
{
	struct next_targets *next_targets = &shape->next_targets;

	next_targets->entries = within(params->branch_next_target_entries, 0, ENTRIES_MAX);
	next_targets->late_cycles[false] = within(params->branch_next_target_cycles, 0, UINT16_MAX);
	next_targets->late_cycles[true] =
		within(params->branch_next_target_confirmed_cycles, 0, UINT16_MAX);
	next_targets->table =
		reserve(shape, next_targets->entries, sizeof(struct next_target_entry));
}

static void set_up_known_targets(struct branch_predictor *shape,
				 const struct takt_core_params *params)
{
	struct known_targets *known_targets = &shape->known_targets;

	known_targets->entries = within(params->branch_known_target_entries, 0, ENTRIES_MAX);
	known_targets->table =
		reserve(shape, known_targets->entries, sizeof(struct known_target_entry));
}

/* Return a hash that is the same for two predictors if each can restore the other's state. */
static uint64_t hash_shape(const struct branch_predictor *shape)
{
	const struct path *path = &shape->path;
	const struct targets *targets = &shape->targets;
	uint64_t hash = path->table_count;

	for (uint32_t i = 0; i < path->table_count; i++)
		hash = hash * PATH_BASE + path->lengths[i];
	hash = hash * PATH_BASE + shape->directions.base_entries;
	hash = hash * PATH_BASE + shape->directions.table_entries;
	hash = hash * PATH_BASE + shape->directions.half_mask;
	hash = hash * PATH_BASE + shape->indirect.table_entries;
	hash = hash * PATH_BASE + shape->returns.entries;
	hash = hash * PATH_BASE + shape->next_targets.entries;
	hash = hash * PATH_BASE + shape->known_targets.entries;
	for (int i = 0; i < TARGET_LEVELS; i++) {
		hash = hash * PATH_BASE + targets->levels[i].sets;
		hash = hash * PATH_BASE + targets->levels[i].ways;
		hash = hash * PATH_BASE + targets->late_cycles[i + 1];
	}
	return hash;
}

static void set_up_halves(struct directions *directions, int32_t bit)
{
	directions->half_entries = directions->table_entries;
	if (bit <= 0 || bit > 63 || directions->table_entries < 2)
		return;
	directions->half_mask = (uint64_t)1 << bit;
	directions->half_entries = directions->table_entries / 2;
}

/* Set all sizes and the offsets of the arrays. */
static void set_up(struct branch_predictor *shape, const struct takt_core_params *params)
{
	size_t tables;

	shape->bytes = (sizeof(*shape) + 15) / 16 * 16;
	set_up_path(&shape->path, params);
	tables = shape->path.table_count;
	shape->random = 1;
	shape->directions.base_entries = within(params->branch_base_entries, 1, ENTRIES_MAX);
	shape->directions.table_entries = within(params->branch_table_entries, 1, ENTRIES_MAX);
	set_up_halves(&shape->directions, params->branch_half_bit);
	shape->directions.base = reserve(shape, shape->directions.base_entries, sizeof(int8_t));
	shape->directions.tables = reserve(shape, tables * shape->directions.table_entries,
					   sizeof(struct direction_entry));
	set_up_targets(shape, params);
	if (tables > 0)
		shape->indirect.table_entries =
			within(params->branch_indirect_entries, 0, ENTRIES_MAX) / (uint32_t)tables;
	shape->indirect.tables = reserve(shape, tables * shape->indirect.table_entries,
					 sizeof(struct indirect_entry));
	shape->returns.entries = within(params->return_stack_entries, 0, ENTRIES_MAX);
	shape->returns.addresses = reserve(shape, shape->returns.entries, sizeof(uint64_t));
	set_up_next_targets(shape, params);
	set_up_known_targets(shape, params);
	shape->shape = hash_shape(shape);
}

struct branch_predictor *takt_branch_new(const struct takt_core_params *params)
{
	struct branch_predictor shape = {0}, *predictor;
	int8_t *base;

	set_up(&shape, params);
	predictor = takt_xcalloc(1, shape.bytes);
	*predictor = shape;
	base = branch_array(predictor, predictor->directions.base);
	for (uint32_t i = 0; i < predictor->directions.base_entries; i++)
		base[i] = -1; /* branches never seen before are predicted not taken */
	return predictor;
}

size_t takt_branch_bytes(const struct branch_predictor *predictor)
{
	return predictor->bytes;
}

bool takt_branch_restore(struct branch_predictor *predictor, const void *block, size_t bytes)
{
	const size_t header = sizeof(*predictor);
	struct branch_predictor saved;

	if (bytes != predictor->bytes)
		return false;
	memcpy(&saved, block, header);
	if (saved.shape != predictor->shape || saved.random == 0 || saved.path.now >= PATH_RING ||
	    saved.returns.depth > predictor->returns.entries ||
	    (saved.returns.top > 0 && saved.returns.top >= predictor->returns.entries))
		return false;
	/* Sizes and offsets are never taken from the block. */
	predictor->counts = saved.counts;
	predictor->random = saved.random;
	predictor->path.now = saved.path.now;
	memcpy(predictor->path.sums, saved.path.sums, sizeof(saved.path.sums));
	predictor->directions.trust_alternate = saved.directions.trust_alternate;
	predictor->directions.pressure = saved.directions.pressure;
	predictor->returns.top = saved.returns.top;
	predictor->returns.depth = saved.returns.depth;
	predictor->next_targets.before = saved.next_targets.before;
	predictor->next_targets.varies = saved.next_targets.varies;
	predictor->known_targets.start = saved.known_targets.start;
	predictor->known_targets.second = saved.known_targets.second != 0;
	predictor->known_targets.known = saved.known_targets.known != 0;
	memcpy((char *)predictor + header, (const char *)block + header, bytes - header);
	return true;
}

const struct branch_counts *takt_branch_counts(const struct branch_predictor *predictor)
{
	return &predictor->counts;
}

bool takt_branch_target_known(const struct branch_predictor *predictor)
{
	return predictor->known_targets.known;
}

static void push_return(struct branch_predictor *predictor, uint64_t address)
{
	struct return_stack *returns = &predictor->returns;
	uint64_t *addresses = branch_array(predictor, returns->addresses);

	if (returns->entries == 0)
		return;
	returns->top = returns->top + 1 < returns->entries ? returns->top + 1 : 0;
	addresses[returns->top] = address;
	if (returns->depth < returns->entries)
		returns->depth++;
}

/* Predict a return's target; if the stack is empty, as for other indirect branches. */
static uint64_t pop_return(struct branch_predictor *predictor, const struct branch *branch,
			   uint64_t known)
{
	struct return_stack *returns = &predictor->returns;
	const uint64_t *addresses = branch_array(predictor, returns->addresses);
	uint64_t address;

	if (returns->depth == 0)
		return takt_indirect_next(predictor, branch->address, known, branch->next);
	address = addresses[returns->top];
	returns->depth--;
	returns->top = returns->top > 0 ? returns->top - 1 : returns->entries - 1;
	return address;
}

/* Predict the target of a taken branch. */
static uint64_t predict_target(struct branch_predictor *predictor, const struct branch *branch,
			       uint64_t known)
{
	switch (branch->kind) {
	case BRANCH_CONDITIONAL:
	case BRANCH_JUMP:
	case BRANCH_CALL:
		return branch->next; /* the decoder finds the target at the latest */
	case BRANCH_INDIRECT:
	case BRANCH_INDIRECT_CALL:
		return takt_indirect_next(predictor, branch->address, known, branch->next);
	case BRANCH_RETURN:
		return pop_return(predictor, branch, known);
	}
	return known;
}

static enum branch_verdict judge(struct branch_predictor *predictor, const struct branch *branch,
				 uint32_t *ret_late_cycles)
{
	bool right = true;
	uint64_t known, target;
	uint32_t place, unexpected;

	if (branch->kind == BRANCH_CONDITIONAL)
		right = takt_directions_next(predictor, branch->address, branch->taken) ==
			branch->taken;
	if (!branch->taken)
		return right ? BRANCH_PREDICTED : BRANCH_MISSED;
	place = takt_targets_find(predictor, branch->address, branch->next, &known);
	target = predict_target(predictor, branch, known);
	if (branch->kind == BRANCH_CALL || branch->kind == BRANCH_INDIRECT_CALL)
		push_return(predictor, branch->end);
	path_add(&predictor->path, branch->address, branch->next);
	unexpected = takt_next_target_update(predictor, branch);
	takt_known_target_update(predictor, branch);
	if (!right || target != branch->next)
		return BRANCH_MISSED;
	*ret_late_cycles = predictor->targets.late_cycles[place];
	if (place == 0)
		*ret_late_cycles += unexpected;
	return *ret_late_cycles > 0 ? BRANCH_LATE : BRANCH_PREDICTED;
}

enum branch_verdict takt_branch_next(struct branch_predictor *predictor,
				     const struct branch *branch, uint32_t *ret_late_cycles)
{
	struct branch_counts *counts = &predictor->counts;
	enum branch_verdict verdict = judge(predictor, branch, ret_late_cycles);

	counts->branches[branch->kind]++;
	counts->missed[branch->kind] += verdict == BRANCH_MISSED;
	counts->late += verdict == BRANCH_LATE;
	return verdict;
}
