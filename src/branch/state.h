/* SPDX-License-Identifier: MIT */
/*
 * What a predictor knows: one block of memory, whose arrays lie behind the structure at the
 * offsets given in it.
 */
#ifndef TAKT_BRANCH_STATE_H
#define TAKT_BRANCH_STATE_H

#include "branch/branch.h"

#define TABLES_MAX 12
#define PATH_RING 1024 /* a power of two, and more than the longest history */

/*
 * Where control came along: the taken branches, each as a number made of its address and its
 * target. sums[n] is that of the last n of them as digits of a number to the base PATH_BASE,
 * modulo 2^64, from which the number of the last few alone follows by one multiplication.
 */
struct path {
	uint64_t sums[PATH_RING];
	uint32_t now;                  /* place of the last one */
	uint32_t table_count;
	uint32_t lengths[TABLES_MAX];  /* how many branches a table's keys are made of */
	uint64_t powers[TABLES_MAX];   /* PATH_BASE to the power of that */
};

#define PATH_BASE 0x9e3779b97f4a7c15u

/* Says where in a table something is, and what tells it from others there. */
struct table_key {
	uint32_t slot;
	uint16_t tag;
};

struct direction_entry {
	uint16_t tag;
	int8_t counter;  /* -4 … 3; taken: 0 and more */
	uint8_t useful;  /* 0 … 3 */
};

struct directions {
	size_t base, tables;          /* int8_t[]; struct direction_entry[table_count][] */
	uint32_t base_entries, table_entries;
	int32_t trust_alternate;      /* rather than a new entry: 0 and more */
	int32_t pressure;             /* allocations that failed, less those that did not */
};

/* By address; of a set the last used first. */
struct target_entry {
	uint64_t address, target; /* address 0: free */
};

struct target_level {
	size_t entries;               /* struct target_entry[sets][ways] */
	uint32_t sets, ways;
	bool by_line;        /* sets are of cache lines, not of addresses */
};

#define TARGET_LEVELS 3

struct targets {
	struct target_level levels[TARGET_LEVELS]; /* what falls out of one goes to the next */
	uint32_t late_cycles[TARGET_LEVELS + 1];   /* out of each; out of none */
};

struct indirect_entry {
	uint64_t target;
	uint16_t tag;
	uint8_t confidence; /* 0 … 3 */
	uint8_t useful;     /* 0, 1 */
	uint32_t reserved;
};

struct indirect {
	size_t tables;                /* struct indirect_entry[table_count][] */
	uint32_t table_entries;
};

struct return_stack {
	size_t addresses;             /* uint64_t[], a ring */
	uint32_t entries, top, depth;
};

/* By the address of a taken branch. */
struct follower_entry {
	uint64_t before, expected;
	uint32_t sure;                /* 0, 1 */
	uint32_t reserved;
};

struct followers {
	size_t table;                 /* struct follower_entry[] */
	uint32_t entries;
	uint32_t late_cycles[2];      /* if another was expected; if it was expected surely */
	uint64_t before;              /* the taken branch before, twice its address */
	uint32_t varies;              /* its target does */
};

struct branch_predictor {
	size_t bytes;
	uint64_t shape; /* a hash of all sizes */
	struct branch_counts counts;
	uint32_t random; /* a shift register; never 0 */
	struct path path;
	struct directions directions;
	struct targets targets;
	struct indirect indirect;
	struct return_stack returns;
	struct followers followers;
};

static inline void *branch_array(struct branch_predictor *predictor, size_t offset)
{
	return (char *)predictor + offset;
}

/* A number below `count` that depends on the upper half of `hash`. */
static inline uint32_t branch_slot(uint64_t hash, uint32_t count)
{
	return (uint32_t)(((hash >> 32) * count) >> 32);
}

/* Of the branch at `address` behind a history as long as the table's. */
static inline struct table_key path_key(const struct path *path, uint32_t table,
					uint64_t address, uint32_t entries)
{
	uint32_t before = (path->now - path->lengths[table]) % PATH_RING;
	uint64_t hash = path->sums[path->now] - path->sums[before] * path->powers[table] +
			address * 0xc2b2ae3d27d4eb4fu;

	return (struct table_key){branch_slot(hash, entries), (uint16_t)(hash >> 16)};
}

static inline void path_add(struct path *path, uint64_t address, uint64_t target)
{
	uint64_t step = address * 0x9fb21c651e98df25u + target * 0xd6e8feb86659fd93u;
	uint64_t sum = path->sums[path->now] * PATH_BASE + (step ^ step >> 32);

	path->now = (path->now + 1) % PATH_RING;
	path->sums[path->now] = sum;
}

/* Which table a branch gets an entry in: not always the first, lest all want the same ones. */
static inline uint32_t branch_first_choice(struct branch_predictor *predictor, uint32_t first)
{
	uint32_t bit = predictor->random & 1;

	predictor->random = predictor->random >> 1 ^ (bit ? 0xa3000000u : 0);
	return (predictor->random & 3) == 0 && first + 1 < predictor->path.table_count ? first + 1
										       : first;
}

/* Says whether the branch will be taken, then learns whether it was. */
bool takt_directions_next(struct branch_predictor *predictor, uint64_t address, bool taken);

/*
 * The level that knows the branch, or TARGET_LEVELS, and what it says, or 0. Then the first
 * level knows it, and that it goes to `target`.
 */
uint32_t takt_targets_find(struct branch_predictor *predictor, uint64_t address, uint64_t target,
			   uint64_t *ret_target);

/* Says where a branch will go, then learns; `otherwise` if the tables do not know. */
uint64_t takt_indirect_next(struct branch_predictor *predictor, uint64_t address,
			    uint64_t otherwise, uint64_t target);

/* Says how much later the taken branch's target comes because it was not expected; learns it. */
uint32_t takt_followers_next(struct branch_predictor *predictor, const struct branch *branch);

#endif
