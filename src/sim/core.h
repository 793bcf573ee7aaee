/* SPDX-License-Identifier: MIT */
/*
 * core: the state of the pipeline and its stages. The in-order stages (front end, rename,
 * retire, commit) are called once a cycle in a fixed order; what happens between rename
 * and retire is decided at rename, because each µop's dispatch depends on older µops
 * only. Times are cycles since the start. Private to sim.
 */
#ifndef TAKT_SIM_CORE_H
#define TAKT_SIM_CORE_H

#include "sim/front_end.h"

#define SIM_ROB_MAX 2048u      /* a power of two above any rob_entries */
#define SIM_WINDOW_CYCLES 8192u /* ports can be reserved so far ahead */
/* Rename waits while more is reserved; an entry reserves less than what is then left. */
#define SIM_RESERVED_CYCLES 2048u
#define SIM_WINDOW_WORDS (SIM_WINDOW_CYCLES / 64u)
#define SIM_SHARED_MAX 64u
#define SIM_BANKS 17u /* sixteenths of a line; and of loads of two lines one a cycle */
#define SIM_HISTORY 8u
#define SIM_SLOTS_SEEN 4u /* a power of two above 2 */
#define SIM_NEVER UINT64_MAX
/* Traces: what was there so long ago has been there for ever. */
#define SIM_PAST 16

/* What a register (part) holds. */
struct sim_value {
	uint64_t ready;
	uint8_t shared;    /* number of the physical register shared by eliminated moves; 0 */
	bool from_load;
	bool dirty;        /* of a high byte: not merged yet */
	bool far;          /* an addition's: for another addition it is ready a cycle earlier */
};

struct sim_rob_slot {
	uint64_t done;
	uint32_t arrived;    /* of traces: from this cycle on it might have been dispatched */
	uint8_t loads, stores;
	bool ends_iteration; /* of traces: an instruction */
	uint8_t late;        /* of traces: enum sim_loss, why it may not be done */
};

struct sim_store {
	uint64_t source_ready; /* what is stored, in its register */
	uint64_t value_ready, address_ready;
	/* Of traces: the store's. Stores renamed: of traces, when its first µop was; before it. */
	uint32_t number, queued;
};

/* Reservations of a port and how many are not yet dispatched. */
struct sim_ports {
	uint64_t reserved[SIM_WINDOW_WORDS][TAKT_PORTS_MAX]; /* a bit for each cycle */
	uint16_t pending[TAKT_PORTS_MAX]; /* now */
	uint16_t at_start[TAKT_PORTS_MAX], before[TAKT_PORTS_MAX]; /* of the cycle; as rules see */
	uint32_t pending_all;
	uint32_t last_used[TAKT_PORTS_MAX]; /* by lowest port of a set: the one it took last */
	uint32_t sets_in_cycle[16];  /* port sets of this cycle's µops (rule 10) */
	uint8_t set_uses[16], set_count;
	uint64_t slot_kinds[SIM_SLOTS_SEEN]; /* of this cycle's last slots (rule 12); 0: none */
	uint64_t furthest;           /* last reserved cycle */
	uint32_t used;               /* mask of the ports that ever were pending */
	/* Loads from an eighth of a cache line: the first, the second of a cycle. */
	uint64_t banks[2][SIM_WINDOW_WORDS][SIM_BANKS];
};

/* Eliminated moves of one class of registers. */
struct sim_moves {
	int32_t capacity;            /* -1: no limit */
	uint8_t references[SIM_SHARED_MAX];
	uint32_t live, eliminated;   /* shared registers; moves eliminated this cycle */
	uint8_t live_before[SIM_HISTORY], eliminated_before[SIM_HISTORY]; /* by cycle */
};

/* The instruction that rename is in the middle of. */
struct sim_context {
	const struct sim_insn *insn;
	uint32_t iteration;
	uint16_t next_slot, next_uop;
	bool eliminated;             /* its move is */
	uint64_t dispatched[SIM_GROUPS_MAX]; /* of each group's µop; 0: not yet */
};

/* How the last request for a port went. */
struct sim_pick {
	uint64_t ready, dispatched; /* ready as the scheduler saw it */
	uint8_t port, unit; /* SIM_PORT_NONE: none */
};

struct sim_events;
struct sim_replay;

struct sim_core {
	const struct sim_program *program;
	const struct takt_core_params *params;
	const struct sim_insn *last_insn;
	bool loop;
	uint64_t cycle;
	struct sim_front_end *front_end;
	struct sim_queue queue;
	struct sim_context context;
	uint32_t slots_owed;         /* of this cycle, to an entry wider than the core */
	/* Cores in order: the cycle of the last dispatch, and slots then renamed too early. */
	uint64_t dispatched_last;
	uint32_t slots_early;
	uint64_t serialized; /* nothing is dispatched before: a serializing instruction's end */
	struct sim_value values[SIM_PART_COUNT];
	bool rsp_shifted;            /* the stack engine holds an offset */
	bool bytes_apart;            /* a value was dirty at some time */
	struct sim_moves moves[2];   /* general, vector */
	struct sim_ports ports;
	struct sim_pick pick;
	uint8_t scheduler_uses[2][TAKT_SCHEDULERS_MAX]; /* in this cycle, by others and by memory */
	enum sim_wait stop;          /* why rename took no more in this cycle; NONE: no µops */
	struct sim_replay *replay;   /* what is known of a trace's instructions, or NULL */
	uint64_t memory_late;        /* of a trace's load: cycles beyond a hit */
	struct sim_events *events;   /* what is to be told of everything, or NULL (events.h) */
	struct sim_rob_slot rob[SIM_ROB_MAX];
	uint32_t rob_head, rob_tail;
	uint32_t loads_in_flight, stores_in_flight, stores_retired;
	uint32_t stores_renamed, stores_committed; /* count on for ever */
	/* Of stores in flight: as their memory operand; of one or two bytes. */
	bool same_line[SIM_ROB_MAX], other_line[SIM_ROB_MAX], narrow[SIM_ROB_MAX];
	uint64_t line_change; /* the next store to another line waits until then */
	/* [store_index * store_ring + iteration % store_ring]; of traces a ring by number */
	struct sim_store *stores;
	uint32_t store_ring;
	uint64_t failed_ready;       /* the last load that could not be forwarded to */
	bool failed_behind;          /* the load at hand waits until that one has retired */
	uint32_t failed_stores;      /* stores before it; of traces by number, else as `queued` */
	uint32_t iterations_renamed, iterations_retired; /* of traces: instructions */
	uint64_t last_retired;       /* cycle at which the last iteration was complete */
};

/* ports.c */
void sim_ports_advance(struct sim_core *core);
/* The first cycle from this one on in which a µop is dispatched; SIM_NEVER: none. */
uint64_t sim_ports_next(const struct sim_core *core);
/* Before the cycle is that much later: what is dispatched until then is gone. */
void sim_ports_skip(struct sim_core *core, uint64_t cycles);
/* Reserves what the µop in this issue slot of the cycle takes once its operands are `ready`,
 * and returns the cycle of dispatch. */
uint64_t sim_ports_dispatch(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			    uint64_t ready);

/* schedulers.c */
/* Whether the scheduler that the µop would be sent to has a place. */
bool sim_scheduler_has_room(struct sim_core *core, const struct sim_uop *uop);
/* Whether each scheduler has places for a whole cycle's slots. */
bool sim_schedulers_take_group(const struct sim_core *core);
/* Sends it there; returns the ports that it has left. */
uint32_t sim_scheduler_choose(struct sim_core *core, const struct sim_uop *uop);

/* rename.c */
void sim_rename(struct sim_core *core);
/* forward.c: when the value of the load at hand is there that is `ready` if the cache has it. */
uint64_t sim_load_ready(struct sim_core *core, const struct sim_memory *memory, uint64_t ready);
/* For so long can a load that could not be forwarded to hold up others that cannot. */
int32_t sim_failed_cycles(const struct takt_core_params *params);
/* Of a block without end: the store as it was renamed in that iteration. */
static inline struct sim_store *sim_store_at(const struct sim_core *core, uint32_t index,
					     uint32_t iteration)
{
	return &core->stores[(size_t)index * core->store_ring + iteration % core->store_ring];
}

/* moves.c */
void sim_moves_init(struct sim_core *core);
void sim_moves_advance(struct sim_core *core);
bool sim_move_try(struct sim_core *core, const struct sim_insn *insn);
/*
 * The register that the instruction at hand copies if it is an eliminated move; SIM_PART_COUNT if
 * it is none, or one that copies more than one (xchg).
 */
unsigned sim_move_copied(const struct sim_core *core);
/* After results are written: `destination` shares the register of `source`. */
void sim_move_share(struct sim_core *core, bool vector, uint8_t source, uint8_t destination);
/* `part` is overwritten. */
void sim_move_forget(struct sim_core *core, struct sim_value *value, bool vector);
/* retire.c */
void sim_retire(struct sim_core *core);
/* After a long time: stores that are retired have been written. */
void sim_commit_all(struct sim_core *core);
/* simulate.c */
struct sim_core *sim_core_new(const struct sim_block *block, const struct sim_options *options,
			      struct sim_code_source *source, struct takt_arena *arena);
/* Everything but replay and front end. */
struct sim_core *sim_core_new_empty(const struct sim_program *program, struct takt_arena *arena);
void sim_core_step(struct sim_core *core);
/* As if so many steps had been made in which nothing was renamed, fetched or retired. */
void sim_core_skip(struct sim_core *core, uint64_t cycles);
/* steady.c */
#define SIM_STEADY_CYCLES 4096u /* a power of two */

struct sim_steady {
	uint32_t outlines[SIM_STEADY_CYCLES]; /* of the last cycles */
	uint32_t renamed[SIM_STEADY_CYCLES];  /* iterations at the end of each */
	uint32_t count, next_look;
	uint32_t repeated_cycles;             /* at least so many must agree */
	uint32_t rob_tail, iterations;        /* a cycle ago */
};

void sim_steady_init(struct sim_steady *steady, const struct sim_core *core);
/* After each cycle: true, with the period, once the state is steady. */
bool sim_steady_look(struct sim_steady *steady, const struct sim_core *core,
		     struct sim_summary *summary);

#endif
