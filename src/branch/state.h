/* SPDX-License-Identifier: MIT */
/*
 * The state of a predictor: one block of memory, whose arrays follow the structure at the
 * offsets given in it. Private to branch.
 */
#ifndef TAKT_BRANCH_STATE_H
#define TAKT_BRANCH_STATE_H

#include "branch/branch.h"

#define TABLES_MAX 12
#define PATH_RING 1024 /* a power of two, and more than the longest history */

/*
 * The history of taken branches. Each branch is a digit, a hash of its address and its target;
 * sums[] holds, after each branch, the number that all digits so far make to the base PATH_BASE,
 * modulo 2^64. The number that only the last few digits make follows from two of these sums by
 * one multiplication.
 */
struct path {
	uint64_t sums[PATH_RING];
	uint32_t now; /* index of the last branch in sums[] */
	uint32_t table_count;
	uint32_t lengths[TABLES_MAX]; /* history length of each table, in branches */
	uint64_t powers[TABLES_MAX];  /* PATH_BASE to the power of that length */
};

#define PATH_BASE 0x9e3779b97f4a7c15u

/* The index of an entry in a table, and the tag that distinguishes it from others there. */
struct table_key {
	uint32_t slot;
	uint16_t tag;
};

struct direction_entry {
	uint16_t tag;
	int8_t counter; /* -4 … 3; 0 and more predict taken */
	uint8_t useful; /* 0 … 3 */
};

struct directions {
	size_t base, tables; /* int8_t[]; struct direction_entry[table_count][] */
	uint32_t base_entries, table_entries;
	uint64_t half_mask;	 /* bit of the address that chooses a half of each table; or 0 */
	uint32_t half_entries;	 /* entries of a half, or of the whole table */
	int32_t trust_alternate; /* if 0 or more, the alternate overrides a new entry */
	int32_t pressure;	 /* useful entries met by allocations, less free ones */
};

/* An entry of a branch target buffer; within a set, the most recently used one comes first. */
struct target_entry {
	uint64_t address, target; /* of the branch; address 0: the entry is free */
};

struct target_level {
	size_t entries; /* struct target_entry[sets][ways] */
	uint32_t sets, ways;
	bool by_line; /* the cache line selects the set, not the whole address */
};

#define TARGET_LEVELS 3

struct targets {
	struct target_level levels[TARGET_LEVELS]; /* entries evicted from one go to the next */
	uint32_t late_cycles[TARGET_LEVELS + 1];   /* of a target from each level, or from none */
};

struct indirect_entry {
	uint64_t target;
	uint16_t tag;
	uint8_t confidence; /* 0 … 3 */
	uint8_t useful;	    /* 0, 1 */
	uint32_t reserved;
};

struct indirect {
	size_t tables; /* struct indirect_entry[table_count][] */
	uint32_t table_entries;
};

struct return_stack {
	size_t addresses; /* uint64_t[], a ring */
	uint32_t entries, top, depth;
};

/* An entry of the next-target table: the taken branch `expected` follows the one `before`. */
struct next_target_entry {
	uint64_t before, expected;
	uint32_t confirmed; /* 1 if the entry was right the last time, else 0 */
	uint32_t reserved;
};

struct next_targets {
	size_t table; /* struct next_target_entry[] */
	uint32_t entries;
	uint32_t late_cycles[2]; /* by `confirmed` of an entry that was wrong */
	uint64_t before;	 /* twice the address of the previous taken branch */
	uint32_t varies;	 /* that branch has several targets: it is indirect */
};

/* An indirect branch that is the first or the second of a pair; `target` is its only one so far. */
struct known_target_entry {
	uint64_t start, address; /* where the pair begins, and of the branch */
	uint64_t target;	 /* TARGET_VARIES: there were several */
};

#define TARGET_VARIES UINT64_MAX

struct known_targets {
	size_t table;	 /* struct known_target_entry[] */
	uint64_t start;	 /* address from which the pair of taken branches is predicted */
	uint32_t second; /* the next taken branch is the second of its pair */
	uint32_t known;	 /* the last taken branch is indirect, and its target was known */
	uint32_t entries;
};

struct branch_predictor {
	size_t bytes;
	uint64_t shape; /* a hash of all sizes, to compare predictors */
	struct branch_counts counts;
	uint32_t random; /* a shift register; never 0 */
	struct path path;
	struct directions directions;
	struct targets targets;
	struct indirect indirect;
	struct return_stack returns;
	struct next_targets next_targets;
	struct known_targets known_targets;
};

static inline void *branch_array(struct branch_predictor *predictor, size_t offset)
{
	return (char *)predictor + offset;
}

/* Return a number below `count` that depends on the upper half of `hash`. */
static inline uint32_t branch_slot(uint64_t hash, uint32_t count)
{
	return (uint32_t)(((hash >> 32) * count) >> 32);
}

/* Return the key of the branch at `address` after a history of the table's length. */
static inline struct table_key path_key(const struct path *path, uint32_t table, uint64_t address,
					uint32_t entries)
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

/* Choose the table to allocate in: at random sometimes the one after `first`, so that not all
 * branches compete for the same entries. */
static inline uint32_t branch_first_choice(struct branch_predictor *predictor, uint32_t first)
{
	uint32_t bit = predictor->random & 1;

	predictor->random = predictor->random >> 1 ^ (bit ? 0xa3000000u : 0);
	return (predictor->random & 3) == 0 && first + 1 < predictor->path.table_count ? first + 1
										       : first;
}

/* Predict whether the branch will be taken, then learn whether it was. */
bool takt_directions_next(struct branch_predictor *predictor, uint64_t address, bool taken);

/*
 * Return the level that knows the branch, or TARGET_LEVELS, and the target that it gives, or 0.
 * Then enter the branch in the first level, with `target`.
 */
uint32_t takt_targets_find(struct branch_predictor *predictor, uint64_t address, uint64_t target,
			   uint64_t *ret_target);

/* Predict an indirect branch's target (`otherwise` if no table has it), then learn the real one. */
uint64_t takt_indirect_next(struct branch_predictor *predictor, uint64_t address,
			    uint64_t otherwise, uint64_t target);

/* Return the cycles by which the target of a taken branch is late because the next-target table
 * expected another branch, then learn this one. */
uint32_t takt_next_target_update(struct branch_predictor *predictor, const struct branch *branch);

/* Note in known_targets whether the target of a taken branch was known, then learn it. */
void takt_known_target_update(struct branch_predictor *predictor, const struct branch *branch);

#endif
