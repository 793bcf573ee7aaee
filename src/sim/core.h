/* SPDX-License-Identifier: MIT */
/*
 * core: the state of the pipeline and its stages. The in-order stages (front end, rename, retire,
 * commit) are called once a cycle in a fixed order; what happens between rename and retire is
 * decided at rename, because each µop's dispatch depends on older µops only. Times are cycles since
 * the start. Private to sim.
 */
#ifndef TAKT_SIM_CORE_H
#define TAKT_SIM_CORE_H

#include <string.h>

#include "sim/front/front_end.h"

#define SIM_ROB_MAX 2048u	/* a power of two above any rob_entries */
#define SIM_WINDOW_CYCLES 8192u /* cycles ahead that ports can be reserved for */
/* Rename waits while more cycles are reserved; an entry reserves less than what is then left. */
#define SIM_RESERVED_CYCLES 2048u
#define SIM_LOAD_PORTS_MAX 4u
#define SIM_LOAD_WAITS_MAX 16u /* largest load_port_blocked */
#define SIM_WINDOW_WORDS (SIM_WINDOW_CYCLES / 64u)
#define SIM_SHARED_MAX 64u
/* Sixteenths of a line, and one for loads that cross a line: one of these is dispatched a cycle. */
#define SIM_BANKS 17u
#define SIM_HISTORY 8u
#define SIM_SLOTS_SEEN 4u /* a power of two above 2 */
#define SIM_NEVER UINT64_MAX
/* Traces: cycles after which a value counts as ready for ever, so that states can be compared. */
#define SIM_STALE_CYCLES 16

/* The value of a register (part). */
struct sim_value {
	uint64_t ready;
	uint8_t shared; /* physical register shared by eliminated moves; 0: none */
	bool from_load;
	bool dirty;  /* of a high byte: not merged yet */
	uint8_t far; /* enum sim_forwards: it is ready earlier for instructions of that kind */
	/* Cycles for which its µop waited for an ALU, while those that need it were awake. */
	uint8_t waited;
};

/*
 * Return for how many cycles those that need the value, renamed so that they arrive in cycle
 * `arrival`, are awake before it is ready.
 */
static inline uint64_t sim_value_waited(const struct sim_value *value, uint64_t arrival)
{
	uint64_t after = value->ready > arrival ? value->ready - arrival : 0;

	return value->waited < after ? value->waited : after;
}

struct sim_rob_slot {
	uint64_t done;
	uint8_t loads, stores;
	bool ends_iteration; /* of traces: the slot ends an instruction */
	/*
	 * The reason (enum sim_loss) why it is not done when all older ones are; RETIRING if it is
	 * done by then. Used for traces only.
	 */
	uint8_t late;
};

struct sim_store {
	uint64_t source_ready; /* cycle in which the stored register's value is ready */
	uint64_t value_ready, address_ready;
	/*
	 * number: of traces, the store's. queued: of traces, the count of stores renamed when the
	 * store's first µop was; else the count before it.
	 */
	uint32_t number, queued;
	/* All that is older is done, and the stores before it could have been written. */
	uint64_t older_done;
};

/* Reservations of the ports, and how many of them are not yet dispatched. */
struct sim_ports {
	uint16_t pending[TAKT_PORTS_MAX]; /* µops not yet dispatched, now */
	/* The same at the start of the cycle, and as the rules of choice see it. */
	uint16_t at_start[TAKT_PORTS_MAX], before[TAKT_PORTS_MAX];
	uint32_t pending_all;
	uint32_t last_used[TAKT_PORTS_MAX]; /* by lowest port of a set: the port it took last */
	uint32_t sets_in_cycle[16];	    /* port sets of this cycle's µops (rule 10) */
	uint8_t set_uses[16], set_count;
	/* Kinds of this cycle's last slots (rule 12); 0: none. */
	uint64_t slot_kinds[SIM_SLOTS_SEEN];
	uint64_t furthest;  /* last reserved cycle */
	uint32_t used;	    /* mask of the ports for which a µop is pending */
	uint32_t reserving; /* mask of the ports and units that were ever reserved */
	/* Words of the rings below that are cleared so far; SIM_WINDOW_WORDS: all. */
	uint32_t words_cleared;
	uint64_t clear_until; /* what is reserved before this cycle, and not after, is cleared */
	uint64_t reserved[SIM_WINDOW_WORDS][TAKT_PORTS_MAX]; /* a bit for each cycle */
	uint64_t any[SIM_WINDOW_WORDS]; /* a bit for each cycle in which a port is reserved */
	/*
	 * Cycles in which a load reads a bank of the cache line: the first load of a cycle, and the
	 * last that the bank can serve.
	 */
	uint64_t banks[2][SIM_WINDOW_WORDS][SIM_BANKS];
	/* Cycles in which a scheduler for half of the slots has lost its second pick. */
	uint64_t lost[SIM_WINDOW_WORDS][SIM_HALVES];
};

/* State of move elimination for one class of registers. */
struct sim_moves {
	int32_t capacity; /* -1: no limit */
	uint8_t references[SIM_SHARED_MAX];
	uint32_t live, eliminated; /* shared registers; moves eliminated in this cycle */
	uint8_t live_before[SIM_HISTORY], eliminated_before[SIM_HISTORY]; /* by cycle */
};

/* The instruction that rename is working on. */
struct sim_context {
	const struct sim_insn *insn;
	uint32_t iteration;
	uint16_t next_slot, next_uop;
	bool eliminated;		     /* it is a move that was eliminated */
	uint8_t waited;			     /* as in the values that it makes */
	uint64_t dispatched[SIM_GROUPS_MAX]; /* cycle of dispatch of each group's µop; 0: not yet */
};

/* Outcome of the last request for a port. */
struct sim_pick {
	uint64_t ready, dispatched; /* ready: as the scheduler saw it */
	uint8_t port, unit;	    /* SIM_PORT_NONE: none */
};

struct sim_events;
struct sim_replay;

struct sim_core {
	const struct sim_program *program;
	const struct takt_core_params *params;
	const struct sim_insn *last_insn;
	bool loop;
	uint64_t cycle;
	/*
	 * The cycle that stands for all earlier ones in a trace: what was ready before it counts as
	 * ready then. Set anew in each cycle.
	 */
	uint64_t stale_horizon;
	struct sim_front_end *front_end;
	struct sim_context context;
	uint32_t slots_owed; /* slots of this cycle that belong to an entry wider than the core */
	/* In-order cores: the cycle of the last dispatch, and the slots dispatched in it. */
	uint64_t dispatched_last;
	uint32_t slots_early;
	uint64_t serialized; /* nothing is dispatched before this cycle: the end of a serializing
			      * instruction */
	struct sim_value values[SIM_PART_COUNT];
	bool rsp_shifted;	   /* the stack engine holds an offset to rsp */
	uint32_t dirty_count;	   /* values that are dirty */
	struct sim_moves moves[2]; /* general and vector registers */
	struct sim_pick pick;
	/* µops sent to each scheduler in this cycle: those not for memory, and those for memory. */
	uint8_t scheduler_uses[2][TAKT_SCHEDULERS_MAX];
	struct sim_queue_exit {
		uint64_t cycle; /* it may lie in the past: then nothing is known */
		uint32_t
			left; /* µops that leave before it, from the present on, for queued ports */
	} queue_exit;
	/* The scheduler that was found for a µop, as long as pending_all is what it was then. */
	const struct sim_uop *found_for;
	uint32_t found, found_pending;
	/*
	 * The scheduler for what loads or stores in the first half of the slots; the last cycle in
	 * which something did, and how much in its first half.
	 */
	uint32_t half_first, half_sent;
	uint64_t half_cycle;
	uint32_t half_try; /* which it is if something loads or stores in this cycle */
	/* A scheduler has room in this cycle while pending_all is less; 0: not known. */
	uint32_t room_until[TAKT_SCHEDULERS_MAX];
	enum sim_stall stop;	   /* why rename stopped in this cycle; NONE: no µops */
	struct sim_replay *replay; /* facts about a trace's instructions, or NULL */
	enum sim_loss load_loss;   /* of a trace's load: what it waits for */
	uint64_t done_last;	   /* of a trace: cycle in which all that was renamed is done */
	uint32_t heavy_slots; /* slots renamed in this cycle of instructions that have several */
	struct sim_events *events; /* record of every µop, or NULL (events.h) */
	uint32_t rob_head, rob_tail;
	uint32_t loads_in_flight, stores_in_flight, stores_retired;
	uint32_t stores_renamed, stores_committed; /* counters that are never reset */
	uint64_t line_change; /* a store to another line is not written before this cycle */
	/* The cycle after the last one in which collected stores are written to the cache. */
	uint64_t pieces_written;
	uint64_t writes_from; /* the cache is busy with a split store until this cycle */
	/* [store_index * store_ring + iteration % store_ring]; of traces a ring, by number. */
	struct sim_store *stores;
	uint32_t store_ring;
	/* By port for loads: when loads that wait there for a store's data leave, latest first. */
	uint64_t load_waits[SIM_LOAD_PORTS_MAX][SIM_LOAD_WAITS_MAX];
	uint64_t failed_ready;	/* the last load that failed forwarding has its value */
	bool failed_behind;	/* the current load waits until that load has retired */
	uint32_t failed_stores; /* stores before that load; of traces by number, else as `queued` */
	/*
	 * With store_forward_fail_older_cycles: cycle in which all that was renamed is done, and
	 * the count of stores renamed when that last rose.
	 */
	uint64_t older_done;
	uint32_t older_stores;
	uint32_t iterations_renamed, iterations_retired; /* of traces: instructions */
	uint64_t last_retired; /* cycle in which the last iteration was complete */
	struct sim_ports ports;
	struct sim_queue queue;
	/* From here on nothing need be cleared: it is written before it is read. */
	struct sim_rob_slot rob[SIM_ROB_MAX];
	/*
	 * Stores in flight only, as in their memory operand; narrow: of one or two bytes; split:
	 * they go to two lines, which costs cycles.
	 */
	bool same_piece[SIM_ROB_MAX], other_line[SIM_ROB_MAX], narrow[SIM_ROB_MAX];
	bool split[SIM_ROB_MAX];
};

/* Clear a word of the rings: its cycles are over, or have not been reserved yet. */
static inline void sim_ports_clear(struct sim_ports *ports, unsigned word)
{
	memset(ports->reserved[word], 0, sizeof(ports->reserved[word]));
	memset(ports->banks[0][word], 0, sizeof(ports->banks[0][word]));
	memset(ports->banks[1][word], 0, sizeof(ports->banks[1][word]));
	memset(ports->lost[word], 0, sizeof(ports->lost[word]));
	ports->any[word] = 0;
}

/* Return the issue slots that this queue entry carries: the instruction's, shared out evenly. */
static inline unsigned sim_entry_slots(const struct sim_insn *insn, unsigned slot)
{
	unsigned entries = insn->mite_slots + (unsigned)insn->microcode_slots;

	if (entries == insn->issue_slots)
		return 1; /* most are, and divisions are slow */
	return insn->issue_slots * (slot + 1) / entries - insn->issue_slots * slot / entries;
}

/* ports.c */
void sim_ports_advance(struct sim_core *core);
/* Return the first cycle from this one on in which a µop is dispatched; SIM_NEVER: none. */
uint64_t sim_ports_next(const struct sim_core *core);
/*
 * Reserve what the µop in this issue slot of the cycle takes once its operands are `ready`, and
 * return the cycle of dispatch.
 */
uint64_t sim_ports_dispatch(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
			    uint64_t ready);
/*
 * The same for a load that crosses a cache line: it takes all units of its kind in one cycle, or,
 * without units, its port in two cycles. Return the cycle of the first access.
 */
uint64_t sim_ports_dispatch_twice(struct sim_core *core, const struct sim_uop *uop, uint32_t slot,
				  uint64_t ready);

/* schedulers.c */
/* True if the scheduler that the µop would be sent to has a free entry. */
bool sim_scheduler_has_room(struct sim_core *core, const struct sim_uop *uop);
/* True if each scheduler has free entries for a whole cycle's slots. */
bool sim_schedulers_take_group(const struct sim_core *core);
/*
 * Send the µop to a scheduler, and return the ports that remain for it. `ready` is put off until
 * the µop has left the queue in front of it.
 */
uint32_t sim_scheduler_choose(struct sim_core *core, const struct sim_uop *uop, uint64_t *ready);

/*
 * Choose which scheduler takes the first half of the cycle's slots, and which the second. True if
 * they have room for all that may be renamed in the cycle, of which so many slots are taken.
 */
bool sim_halves_have_room(struct sim_core *core, uint32_t slots);
/* Return which of the two takes what loads or stores in this slot. */
unsigned sim_half_of(struct sim_core *core, uint32_t slot);
/* Return which of the two takes the first half of the slots next, if none has become too full. */
static inline uint32_t sim_half_next(const struct sim_core *core)
{
	return core->half_first ^ (2 * core->half_sent >= (uint32_t)core->params->issue_width);
}

/* rename.c */
void sim_rename(struct sim_core *core);
/* store_forwarding.c: return when the current load has its value: `ready` if it comes from the
 * cache. */
uint64_t sim_load_ready(struct sim_core *core, const struct sim_memory *memory, uint64_t ready);
/* Return how many cycles a load that failed forwarding can hold up others that fail. */
int32_t sim_failed_cycles(const struct takt_core_params *params);
/* Return the store as it was renamed in that iteration of a looping block. */
static inline struct sim_store *sim_store_at(const struct sim_core *core, uint32_t index,
					     uint32_t iteration)
{
	return &core->stores[(size_t)index * core->store_ring + iteration % core->store_ring];
}

/* move_elimination.c */
void sim_moves_init(struct sim_core *core);
void sim_moves_advance(struct sim_core *core);
bool sim_move_try(struct sim_core *core, const struct sim_insn *insn);
/*
 * Return the register that the current instruction copies if it is an eliminated move;
 * SIM_PART_COUNT if it is none, or copies more than one (xchg).
 */
static inline unsigned sim_move_copied(const struct sim_core *core)
{
	return core->context.eliminated ? core->context.insn->copied : SIM_PART_COUNT;
}
/* Let `destination` share the register of `source`; called after results are written. */
void sim_move_share(struct sim_core *core, bool vector, uint8_t source, uint8_t destination);
/* Release the shared register of a value that is overwritten. */
void sim_move_forget(struct sim_core *core, struct sim_value *value, bool vector);
/* retire.c */
void sim_retire(struct sim_core *core);
/* Mark all retired stores as written, after a long time. */
void sim_commit_all(struct sim_core *core);
/* simulate.c */
struct sim_core *sim_core_new(const struct sim_program *program, const struct sim_options *options,
			      struct sim_code_source *source, struct takt_arena *arena);
/* Create a core without replay and front end. */
struct sim_core *sim_core_new_empty(const struct sim_program *program, struct takt_arena *arena);
void sim_core_step(struct sim_core *core);
/* Advance by a number of cycles in which nothing is renamed, fetched or retired. */
void sim_core_skip(struct sim_core *core, uint64_t cycles);
/* steady.c */
#define SIM_STEADY_CYCLES 4096u /* a power of two */

struct sim_steady {
	uint32_t outlines[SIM_STEADY_CYCLES]; /* hashes of the last cycles' buffer states */
	uint32_t renamed[SIM_STEADY_CYCLES];  /* iterations renamed at the end of each cycle */
	uint32_t count, next_look;
	uint32_t repeated_cycles;      /* cycles that must agree at least */
	uint32_t rob_tail, iterations; /* values of a cycle ago */
};

void sim_steady_init(struct sim_steady *steady, const struct sim_core *core);
/* Note the cycle that has ended; true, with the period, once the state is steady. */
bool sim_steady_look(struct sim_steady *steady, const struct sim_core *core,
		     struct sim_summary *summary);
/*
 * Return the least part of a period in which the same is renamed, of whole iterations: ports may
 * take turns for much longer.
 */
uint32_t sim_steady_part(const struct sim_steady *steady, uint32_t period, uint32_t iterations);
/* Return the hash of the last cycle that was looked at. */
static inline uint32_t sim_steady_outline(const struct sim_steady *steady)
{
	return steady->outlines[(steady->count - 1) % SIM_STEADY_CYCLES];
}

#endif
