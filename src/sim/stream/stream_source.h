/* SPDX-License-Identifier: MIT */
/*
 * replay: what a core needs to know about instructions that ran, one by one in program order.
 * Addresses have been turned into facts that hold wherever and whenever the code runs: which
 * earlier store wrote what a load reads, whether a store stays in the line of the one before.
 * Private to sim.
 */
#ifndef TAKT_SIM_REPLAY_H
#define TAKT_SIM_REPLAY_H

#include "sim/back/store_bypass.h"
#include "sim/core.h"

#define SIM_AHEAD_CYCLES 8u /* most cycles that branch prediction is ahead of fetch */

enum sim_fact_flag {
	SIM_FACT_STORED = 1 << 0,     /* a recent store, `store`, wrote what is loaded */
	SIM_FACT_FAILS = 1 << 1,      /* that store did not write all of it: forwarding fails */
	SIM_FACT_RENAMED = 1 << 2,    /* memory renaming can serve it */
	SIM_FACT_SAME_PIECE = 1 << 3, /* to the piece of a line of the store before */
	SIM_FACT_OTHER_LINE = 1 << 4,
	SIM_FACT_SPLIT = 1 << 5, /* the access goes to two lines; of stores, or pieces of a line */
	/* Bits from here on: whose line it uses, if `line_back` is not 0 (enum sim_line). */
	SIM_FACT_LINE_SHIFT = 6,
};

/* Access or prefetch that brings a line from beyond the first level. */
enum sim_line {
	SIM_LINE_LOAD,	   /* a load that missed it */
	SIM_LINE_PREFETCH, /* the first prefetch that an access caused; the others follow */
	SIM_LINE_STORE = SIM_LINE_PREFETCH + SIM_PREFETCHES_MAX,
};

#define SIM_BANKS_ALL (((uint32_t)1 << SIM_BANKS) - 1)

/* Facts about one memory operand. Stores are numbered in program order, modulo 2^32. */
struct sim_fact {
	uint32_t store;
	uint16_t load_cycles, store_cycles; /* cycles beyond a hit */
	uint8_t flags;			    /* enum sim_fact_flag */
	uint8_t older_stores;	 /* FAILS: `store` and up to this many stores before it wrote
				  * the value */
	uint16_t line_back;	 /* an access this many items before lets the line come; 0: none */
	uint32_t banks : 23;	 /* mask, as in sim_memory */
	uint32_t misrenamed : 1; /* memory renaming gave the load a wrong value */
	/* Levels from which the lines come that the access lets be prefetched: two bits each. */
	uint32_t prefetches : 8;
};

enum sim_dynamic_flag {
	SIM_DYNAMIC_TAKEN = 1 << 0,
	SIM_DYNAMIC_MISSED = 1 << 1, /* mispredicted */
	SIM_DYNAMIC_AFTER_MISS = 1 << 2,
	SIM_DYNAMIC_CACHED = 1 << 3, /* in the op cache */
	SIM_DYNAMIC_FUSED = 1 << 4,  /* two instructions */
};

/* An item: a record that ran. */
struct sim_dynamic {
	uint64_t address;
	uint32_t record;
	uint32_t step;	       /* number of the execution of a block */
	uint32_t first_store;  /* number of its first store */
	uint32_t extra_cycles; /* cycles that it takes in addition */
	uint16_t insn;	       /* index in the block */
	uint16_t late_cycles;  /* cycles by which its fetch is late */
	uint8_t flags;	       /* enum sim_dynamic_flag */
	struct sim_fact facts[TAKT_MEMORIES_MAX];
};

/* Accesses that miss L1: when they begin and end, and how many at once. */
#define SIM_MISSES 512u /* accesses that are remembered */
#define SIM_TRANSFER_WORDS 64u

struct sim_misses {
	uint32_t most; /* most under way at once; 0: no limit */
	uint32_t memory_cycles, line_cycles;
	uint32_t level_cycles[SIM_LEVELS_MAX];
	struct {
		uint64_t begin, end;
		uint32_t item; /* item whose access lets the line come, but for stores */
		uint8_t line;  /* enum sim_line */
	} under_way[SIM_MISSES];
	uint32_t count;
	uint64_t transfers[SIM_TRANSFER_WORDS]; /* a bit for the time of each line from memory */
	uint64_t transfer_word;			/* word in which the present is */
};

/*
 * The source of a trace, in the core's arena. Items are numbered from 0 on, modulo 2^32, as the
 * `iteration` of queue entries.
 */
struct sim_replay {
	struct sim_code_source source; /* first member, so that pointers can be converted */
	struct sim_core *core;
	struct sim_dynamic *dynamics; /* ring of mask + 1 items */
	uint32_t mask;
	uint32_t next, tail; /* numbers of the next item for the front end, and of the next
			      * to be fed */
	uint64_t open;	     /* cycle for which the next item is predicted; NEVER: not
			      * before a branch has executed */
	uint32_t part;	     /* parts of a cycle, in branch_targets, predicted beyond `open` */
	uint64_t taken;	     /* address of the last taken branch */
	uint64_t line;	     /* line in which the item before began, from 1 on; 0: that was
			      * a taken branch */
	uint32_t store_mask; /* mask of the ring core->stores */
	struct sim_misses misses;
	struct sim_bypass bypass;
	uint64_t commit_cycles[SIM_ROB_MAX]; /* of stores in flight: cycles in which their lines
					      * arrive */
	uint16_t store_cycles[SIM_ROB_MAX];  /* cycles from retirement until then */
	uint32_t store_items[SIM_ROB_MAX];   /* item that lets the line be prefetched */
	uint8_t store_lines[SIM_ROB_MAX];    /* which of its lines (enum sim_line); 0: none */
};

/* Create a replay without a ring of items. */
struct sim_replay *sim_replay_new(struct sim_core *core, struct takt_arena *arena);

static inline struct sim_dynamic *sim_dynamic(const struct sim_replay *replay, uint32_t number)
{
	return &replay->dynamics[number & replay->mask];
}

/* Return when prediction has come as far as the next item: late items begin with a whole cycle. */
static inline uint64_t sim_replay_open(const struct sim_replay *replay)
{
	uint32_t late = sim_dynamic(replay, replay->next)->late_cycles;

	return replay->open + late + (late > 0 && replay->part > 0);
}

/* Return the operand's store as it was renamed; NULL if its value is in the cache by now. */
const struct sim_store *sim_replay_store(const struct sim_core *core, uint32_t number);
/* store_forwarding.c: return when a load has the value that a store forwards to it; 0: none does.
 */
uint64_t sim_load_stored(struct sim_core *core, const struct sim_memory *memory,
			 const struct sim_fact *fact);
/* store_forwarding.c: the counterpart of sim_load_ready() for a trace. */
uint64_t sim_traced_load_ready(struct sim_core *core, const struct sim_memory *memory,
			       const struct sim_fact *fact, uint64_t ready);
/* Note that a mispredicted branch was renamed, and executes at the end of cycle `done` - 1. */
void sim_replay_resolve(struct sim_core *core, uint64_t done);
/*
 * Return the additional cycles of an item's load, or of a store, that misses and begins at `start`.
 */
uint64_t sim_replay_load_miss(struct sim_core *core, uint64_t start, uint32_t cycles,
			      uint32_t item);
uint64_t sim_replay_store_miss(struct sim_core *core, uint64_t start, uint32_t cycles);
/* Let the lines come that the current item's access, which begins at `start`, causes to be
 * prefetched. */
void sim_replay_prefetch(struct sim_core *core, uint64_t start, const struct sim_fact *fact);
/* Return the additional cycles that an access waits for a line that the item lets come. */
uint64_t sim_replay_coming(const struct sim_core *core, uint64_t start, uint32_t item,
			   uint8_t line);
static inline uint8_t sim_fact_line(const struct sim_fact *fact)
{
	return fact->flags >> SIM_FACT_LINE_SHIFT;
}

#endif
