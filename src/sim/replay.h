/* SPDX-License-Identifier: MIT */
/*
 * replay: what a core needs to know of instructions that ran, one by one in program order.
 * Addresses have been turned into facts that hold wherever and whenever it runs: which
 * store before wrote what a load reads, whether a store stays in the line of the one
 * before. Private to sim.
 */
#ifndef TAKT_SIM_REPLAY_H
#define TAKT_SIM_REPLAY_H

#include "sim/core.h"

#define SIM_AHEAD_CYCLES 8u /* so far prediction is ahead of fetch at most */

enum sim_fact_flag {
	SIM_FACT_STORED = 1 << 0,     /* a store not long ago wrote what is loaded: `store` */
	SIM_FACT_FAILS = 1 << 1,      /* not all of it */
	SIM_FACT_RENAMED = 1 << 2,    /* memory renaming can serve it */
	SIM_FACT_SAME_LINE = 1 << 3,  /* as the store before */
	SIM_FACT_OTHER_LINE = 1 << 4,
	SIM_FACT_SPLIT = 1 << 5,      /* it crosses a line */
};

/* Of one memory operand. Stores are numbered in program order, modulo 2^32. */
struct sim_fact {
	uint32_t store;
	uint16_t load_cycles, store_cycles; /* beyond a hit */
	uint8_t flags;               /* enum sim_fact_flag */
	uint8_t older_stores;        /* FAILS: `store` and those so far back wrote it */
	uint16_t line_back;          /* so many items before, a load missed the line; 0: none did */
	uint32_t banks;              /* as in sim_memory */
};

enum sim_dynamic_flag {
	SIM_DYNAMIC_TAKEN = 1 << 0,
	SIM_DYNAMIC_MISSED = 1 << 1, /* mispredicted */
	SIM_DYNAMIC_AFTER_MISS = 1 << 2,
	SIM_DYNAMIC_CACHED = 1 << 3, /* in the op cache */
};

/* A record that ran. */
struct sim_dynamic {
	uint64_t address;
	uint32_t record;
	uint32_t step;               /* number */
	uint32_t first_store;        /* number */
	uint32_t extra_cycles;       /* that it takes */
	uint16_t insn;               /* of the block */
	uint16_t late_cycles;        /* that its fetch takes */
	uint8_t flags;               /* enum sim_dynamic_flag */
	struct sim_fact facts[TAKT_MEMORIES_MAX];
};

/* Accesses that are not in L1: when, and how many at once. */
#define SIM_MISSES 512u      /* remembered */
#define SIM_TRANSFER_WORDS 64u

struct sim_misses {
	uint32_t most;               /* under way; 0: no limit */
	uint32_t memory_cycles, line_cycles;
	struct {
		uint64_t begin, end;
		uint32_t item;       /* a load's */
		bool load;
	} under_way[SIM_MISSES];
	uint32_t count;
	uint64_t transfers[SIM_TRANSFER_WORDS]; /* a bit for the time of each line from memory */
	uint64_t transfer_word;      /* in which the present is */
};

/* Is in the core's arena. Items are numbered from 0 on, modulo 2^32, as queue entries'
 * `iteration`. */
struct sim_replay {
	struct sim_code_source source; /* first, so that it is one */
	struct sim_core *core;
	struct sim_dynamic *dynamics; /* a ring of mask + 1 */
	uint32_t mask;
	uint32_t next, tail;         /* to be handed to the front end; to be fed */
	uint64_t open;               /* predicted for this cycle; NEVER: once a branch is executed */
	uint32_t part;               /* of a cycle's branch_targets, passed beyond `open` */
	uint64_t taken;              /* address of the last taken branch */
	uint64_t line;               /* from 1 on, in which the item before began; 0: it branched */
	uint32_t restarted;          /* cycle in which what follows it can be dispatched first */
	uint32_t store_mask;         /* of core->stores */
	struct sim_misses misses;
	uint64_t commit_cycles[SIM_ROB_MAX]; /* of stores in flight: when their lines arrive */
	uint16_t store_cycles[SIM_ROB_MAX];  /* which takes so long from retirement on */
	bool split[SIM_ROB_MAX];     /* they go to two lines */
	uint64_t writes_from;        /* the cache is busy with one of them until this cycle */
};

/* Without a ring of items. */
struct sim_replay *sim_replay_new(struct sim_core *core, struct takt_arena *arena);

static inline struct sim_dynamic *sim_dynamic(const struct sim_replay *replay, uint32_t number)
{
	return &replay->dynamics[number & replay->mask];
}

/* When prediction has come as far as the next item: what is late begins with a whole cycle. */
static inline uint64_t sim_replay_open(const struct sim_replay *replay)
{
	uint32_t late = sim_dynamic(replay, replay->next)->late_cycles;

	return replay->open + late + (late > 0 && replay->part > 0);
}

/* The operand's store as it was renamed; NULL if it is in the cache by now. */
const struct sim_store *sim_replay_store(const struct sim_core *core, uint32_t number);
/* forward.c: as sim_load_ready(), of a trace. */
uint64_t sim_traced_load_ready(struct sim_core *core, const struct sim_memory *memory,
			       const struct sim_fact *fact, uint64_t ready);
/* A branch that was mispredicted has been renamed, and is executed at the end of `done` - 1. */
void sim_replay_resolve(struct sim_core *core, uint64_t done);
/* How long the load of an item takes in addition if it begins at `start`; a store. */
uint64_t sim_replay_load_miss(struct sim_core *core, uint64_t start, uint32_t cycles,
			      uint32_t item);
uint64_t sim_replay_store_miss(struct sim_core *core, uint64_t start, uint32_t cycles);
/* How long a load waits in addition for the line that the item's load missed. */
uint64_t sim_replay_coming(const struct sim_core *core, uint64_t start, uint32_t item);

#endif
