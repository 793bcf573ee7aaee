/* SPDX-License-Identifier: MIT */
/*
 * program: a block in the pipeline's representation, made once: decoder facts, issue slots, µops
 * with their ports, and the values that each waits for. Everything that can be known before the
 * first cycle is decided here; the stages only add and compare. Private to sim.
 */
#ifndef TAKT_SIM_PROGRAM_H
#define TAKT_SIM_PROGRAM_H

#include "sim/sim.h"

#define SIM_GROUPS_MAX 4 /* groups of sources with different latencies; each has a µop */

struct sim_uop {
	uint32_t ports;	     /* mask of the issue ports it may use */
	uint32_t unit_ports; /* mask of pseudo ports (divider …); it occupies one too; 0: none */
	uint16_t unit_cycles;
	bool unit_all;	      /* it occupies all of the units, not one of them */
	uint16_t port_cycles; /* cycles for which it occupies its port, usually 1 */
	uint8_t kind;	      /* enum sim_uop_kind */
	uint8_t group;	/* COMPUTE: group of sources it waits for; SIM_GROUP_ALL: every group */
	uint8_t memory; /* LOAD, STORE_*: index of the memory operand */
	bool joins;	/* shares the issue slot of the µop before (micro-fusion) */
	uint8_t source_count;  /* sources it waits for; not of STORE_DATA */
	uint16_t first_source; /* index among the instruction's sources */
	uint32_t banks;	       /* LOAD: mask of the cache banks it keeps busy; 0: no limit */
	uint16_t schedulers;   /* mask of the schedulers that serve one of its ports */
	uint8_t choice;	       /* enum sim_choice */
	bool branch;	       /* its instruction ends in a control transfer */
};

/* The way to a port for µops that take one port for a cycle. */
enum sim_choice {
	SIM_CHOICE_OTHER, /* it is no such µop */
	SIM_CHOICE_LATE,  /* a port is chosen at dispatch: the one that is free first */
	SIM_CHOICE_ONE,	  /* one port; this and what follows is chosen at rename */
	SIM_CHOICE_TURN,  /* ports for loads, store addresses or store data, which take turns */
	SIM_CHOICE_RULE,  /* by the core's rule */
};

#define SIM_GROUP_ALL 255
#define SIM_HALVES 2u
#define SIM_BANK_SPLIT 16u /* bank of loads that cross a line */

/* A register part (in depend's numbering) that an instruction reads. */
struct sim_source {
	uint8_t part;
	uint8_t group;	      /* COMPUTE's group, or SIM_GROUP_ADDRESS + m: address of operand m */
	uint8_t extra_cycles; /* cycles by which it is needed earlier than the rest of its group */
	bool merges;  /* high byte of a wide read, which must be merged if it was renamed apart */
	bool is_byte; /* the high byte alone: a cycle later unless it was written apart */
};

#define SIM_GROUP_ADDRESS 16
#define SIM_GROUP_UNUSED 64 /* nothing waits for it */

/* A register part that an instruction writes, and the latency from each group's µop. */
struct sim_result {
	uint8_t part;
	bool from_load; /* the value comes straight from a load */
	/* Latency from each group; SIM_NO_LATENCY: it does not depend on the group. */
	uint16_t latency_cycles[SIM_GROUPS_MAX];
};

/* Parts beside those of depend: the value loaded from memory operand m, the value stored to it. */
#define SIM_PART_LOADED TAKT_PART_COUNT
#define SIM_PART_STORED (SIM_PART_LOADED + TAKT_MEMORIES_MAX)
#define SIM_PART_COUNT (SIM_PART_STORED + TAKT_MEMORIES_MAX)

#define SIM_NO_LATENCY UINT16_MAX

enum sim_insn_flag {
	SIM_INSN_BRANCH = 1 << 0,	/* ends in a control transfer */
	SIM_INSN_FUSED = 1 << 1,	/* a macro-fused pair: two instructions, one record */
	SIM_INSN_MAY_FUSE = 1 << 2,	/* its kind fuses with some jumps: the decoder waits for the
					 * next instruction */
	SIM_INSN_LCP = 1 << 3,		/* length-changing prefix */
	SIM_INSN_COMPLEX = 1 << 4,	/* first decoder only */
	SIM_INSN_ENDS_GROUP = 1 << 5,	/* nothing after it is decoded in the same cycle */
	SIM_INSN_MICROCODE = 1 << 6,	/* has slots from the microcode sequencer */
	SIM_INSN_RSP_IMPLICIT = 1 << 7, /* push, pop, call, ret */
	SIM_INSN_RSP_EXPLICIT = 1 << 8, /* needs rsp with the stack engine's offset */
	SIM_INSN_HIGH8_WRITE = 1 << 9,
	SIM_INSN_EXTRA_SLOT = 1 << 10, /* takes two slots of an op cache line: wide immediate */
	SIM_INSN_ZERO = 1 << 11,       /* zero idiom */
	SIM_INSN_MOVE = 1 << 12,       /* may be eliminated at rename */
	SIM_INSN_FORWARDS = 1 << 13,   /* `forwards` is set */
	SIM_INSN_SERIALIZING = 1 << 14,
	SIM_INSN_VECTOR_MOVE = 1 << 15,	 /* of MOVE: between vector registers */
	SIM_INSN_WIDE_MOVE = 1 << 16,	 /* of MOVE: 64 bits */
	SIM_INSN_RSP_SET = 1 << 17,	 /* writes rsp otherwise than push and pop do */
	SIM_INSN_TARGET_FIRST = 1 << 18, /* a cycle predicts no target before its own */
	SIM_INSN_TARGET_LAST = 1 << 19,	 /* a cycle predicts no target after its own */
};

/* Kinds of instruction whose results reach others of the kind earlier than the rest. */
enum sim_forwards {
	SIM_FORWARDS_NONE,
	SIM_FORWARDS_ADDITION, /* of floating-point numbers, a cycle (fp_add_forward_cycles) */
	SIM_FORWARDS_CRYPTO,   /* crypto_leave_cycles */
};

/* One instruction, or a macro-fused pair. */
struct sim_insn {
	uint32_t flags;			    /* enum sim_insn_flag */
	uint32_t insn;			    /* index in the block; for a pair, of the first */
	uint8_t length_bytes;		    /* length of the instruction or the pair */
	uint8_t first_length_bytes;	    /* of the first of a pair; length_bytes if not fused */
	uint8_t forwards;		    /* enum sim_forwards */
	uint8_t opcode_offset_bytes;	    /* offset of the nominal opcode, after the prefixes */
	uint8_t second_opcode_offset_bytes; /* the same for the pair's jump, from its own start */
	uint8_t constant_count;	  /* takt_cache_constants() of both instructions of a pair */
	uint8_t simple_decoders;  /* simple decoders usable in the same cycle; 255: all */
	uint8_t mite_slots;	  /* queue slots from decoders or op cache, ≥ 1 */
	uint16_t microcode_slots; /* queue slots from the microcode sequencer */
	uint16_t issue_slots;	  /* after un-lamination */
	uint8_t latency_loss;	  /* enum sim_loss: what waiting for its result is charged to */
	uint8_t late_cycles; /* of vector computations: store_forward_fail_older_vector_cycles */
	bool plain;	/* one slot, one group of sources, nothing special at rename: most are */
	bool copies;	/* the same, but it is a move of a register without a µop */
	bool merges;	/* one of its sources may have to be merged */
	uint8_t copied; /* part that it copies if it is eliminated; SIM_PART_COUNT: none, or several
			 */
	uint16_t serial_cycles;		 /* of SERIALIZING: least cycles from rename to its end */
	uint32_t uops, sources, results; /* index of the first of each in the program's arrays;
					  * sources are in the order of their groups */
	uint16_t uop_count;
	uint8_t source_count, result_count;
	uint8_t group_count;		    /* groups of sources, ≥ 1 */
	uint8_t group_ends[SIM_GROUPS_MAX]; /* index after the last source of each group */
	uint8_t free_groups;		    /* mask of the groups that no µop waits for */
	/*
	 * Least cycles from the dispatch of group g's µop to that of group 0's; SIM_NO_LATENCY:
	 * group g never delays it.
	 */
	uint16_t lead_cycles[SIM_GROUPS_MAX];
	uint16_t done_cycles[SIM_GROUPS_MAX]; /* dispatch to last result, ≥ 1 */
	uint32_t idle_ports; /* ports that it needs if rename does not do its work (moves,
			      * zero idioms, additions); 0: none */
	uint32_t memories;   /* index of the first in program->memories */
	/* Memory operands, those of them that are stored to, and those whose address goes to a port
	 * for addresses, which lea's and a nop's do not. */
	uint8_t memory_count, store_count, address_count;
};

#define SIM_RENAMED_ANY UINT8_MAX

struct sim_memory {
	uint16_t load_cycles; /* cycles from the address being ready to the value, on a cache hit */
	uint8_t address_cycles; /* of loads: more of these cycles, for a complex address */
	/* Cycles from the store's value being ready to this load's value. */
	uint16_t forward_cycles;
	uint16_t non_temporal_cycles; /* of non-temporal stores: more cycles that a load waits */
	uint32_t banks; /* of loads: mask of the parts of a line that are read; 0: not known */
	/* In code, if `renamed_base` is set: mask of the general registers of its address. */
	uint32_t address_registers;
	uint8_t bytes;
	bool load, store;
	bool fast; /* a cycle less if the base comes straight from a load */
	/* In code: the base register, if memory renaming serves accesses by it; SIM_RENAMED_ANY if
	 * it serves those by any; else 0. */
	uint8_t renamed_base;
	uint8_t renamed_cycles; /* of stores: more cycles that a load waits that is renamed */
	/* Stores only: certainly to the piece of a line of the previous store (sim_commit_bytes),
	 * or certainly to another line. */
	bool same_piece, other_line;
	/* Certainly to two lines, or, of stores, to two such pieces, which costs cycles. */
	bool split_load, split_store;
	uint32_t first_edge, edge_count; /* of loads: memory dependences, in program->edges */
	uint32_t store_index;		 /* of stores: number among the block's stores */
};

/* A load that reads what a store wrote `iterations` iterations before. */
struct sim_memory_edge {
	uint32_t store_index;
	uint32_t iterations;
	bool fails;   /* the store cannot be forwarded: the load waits for the cache */
	bool renamed; /* the load uses the stored register directly (memory renaming) */
};

struct sim_program {
	const struct takt_model *model;
	const struct takt_core_params *params;
	const struct sim_insn *insns;
	uint32_t insn_count;
	const uint64_t
		*addresses; /* of each instruction if the options have it placed, else NULL */
	const struct sim_uop *uops;
	const struct sim_source *sources;
	const struct sim_result *results;
	const struct sim_memory *memories;
	const struct sim_memory_edge *edges;
	/* By part: true if its value can make a difference; NULL for traces. */
	const bool *used;
	uint32_t store_count;	 /* stores in the block */
	uint32_t length_bytes;	 /* length of the block */
	uint32_t slots;		 /* queue slots of one iteration */
	bool in_order;		 /* no µop is dispatched before an older one */
	uint32_t branch_ports;	 /* mask of the ports for branches */
	uint32_t alu_ports;	 /* mask of the ports for µops that rename inserts */
	uint32_t alu_count;	 /* number of these ports */
	uint16_t alu_schedulers; /* mask of the schedulers that serve these ports */
	uint32_t memory_ports;	 /* ports for loads, store addresses and store data */
	const struct takt_scheduler *schedulers; /* of a core that has several */
	uint32_t scheduler_count;
	uint32_t scheduler_least; /* entries of the smallest scheduler */
	/* Ports of the schedulers that share a queue, their entries, and these and the queue's. */
	uint32_t queued_ports, queued_entries, queued_places;
	/* Ports of the two schedulers for memory that take half of a cycle's slots each; or 0. */
	uint32_t half_ports[SIM_HALVES], half_entries;
	bool schedulers_mixed;	      /* some schedulers serve both memory and other ports */
	uint32_t max_distance;	      /* most iterations that a memory dependence reaches back */
	uint32_t non_temporal_cycles; /* largest non_temporal_cycles of a non-temporal store */
};

/* True if what comes after the record, in a block that is a loop, is not next to it in memory. */
static inline bool sim_program_leaves(const struct sim_program *program, uint32_t insn)
{
	const uint64_t *addresses = program->addresses;

	return insn + 1 == program->insn_count ||
	       (addresses &&
		addresses[insn + 1] != addresses[insn] + program->insns[insn].length_bytes);
}

/* Return the bytes of a bank of a cache line. */
uint32_t sim_bank_bytes(const struct takt_core_params *params);
/* Return a mask of the core's schedulers that serve one of the ports. */
uint16_t sim_schedulers_of(const struct sim_program *program, uint32_t ports);

/* Fill in what depends on the core only; the program has no instructions yet. */
void sim_program_init(struct sim_program *program, const struct takt_model *model);
/* Create a program that points into the arena. */
const struct sim_program *sim_program_new(const struct sim_block *source,
					  const struct sim_options *options,
					  struct takt_arena *arena);

/* signature.c: a hash of all that decides how long a block takes on one core. */
struct sim_signature {
	uint64_t words[2];
};

struct sim_signature sim_program_sign(const struct sim_program *program,
				      const struct sim_options *options);

/* flow.c: sources, results and groups of one instruction. */
struct sim_flow {
	struct sim_source sources[TAKT_ACCESSES_MAX * TAKT_PARTS_MAX];
	struct sim_result results[TAKT_ACCESSES_MAX * TAKT_PARTS_MAX];
	unsigned source_count, result_count, group_count;
	uint16_t lead_cycles[SIM_GROUPS_MAX], done_cycles[SIM_GROUPS_MAX];
	struct sim_memory memories[TAKT_MEMORIES_MAX];
	unsigned memory_count;
};

/*
 * Find the sources, results and groups of an instruction with `compute_count` computing µops.
 * `names` gives the parts, and is the state before the instruction.
 */
void sim_flow_find(const struct takt_model *model, const struct takt_insn *insn,
		   const struct takt_timing *timing, const struct takt_writers *names,
		   unsigned compute_count, struct sim_flow *ret_flow);

/* True if the bytes at the address go to more than one aligned piece of `piece_bytes`. */
static inline bool sim_crosses(uint32_t piece_bytes, uint64_t address, uint32_t size_bytes)
{
	return size_bytes <= piece_bytes && address % piece_bytes + size_bytes > piece_bytes;
}

/*
 * lines.c: set `same_piece`, `other_line` and `split_store` of the stores, and `banks` and
 * `split_load` of the loads among `memories`, for copies of the block that follow each other.
 */
void sim_lines_find(const struct sim_block *source, uint32_t pointer_shift_bytes,
		    const struct takt_core_params *params, const struct sim_insn *insns,
		    uint32_t insn_count, struct sim_memory *memories);

/* trim.c: the arrays of a program that is being made. */
struct sim_tables {
	struct sim_insn *insns;
	uint32_t insn_count;
	struct sim_uop *uops;
	struct sim_source *sources;
	struct sim_result *results;
	struct sim_memory *memories;
};

/*
 * Find the parts whose values can make a difference if the block is repeated without end, and
 * remove sources and results that make none, unless it only looks.
 */
void sim_tables_trim(const struct sim_tables *tables, bool only_looks,
		     bool ret_used[SIM_PART_COUNT]);

/* Return the size of the pieces of lines that stores of one cycle share: a power of two. */
uint32_t sim_commit_bytes(const struct takt_core_params *params);

/* True if the core writes a store that crosses a cache line otherwise than others. */
static inline bool sim_splits_cost(const struct takt_core_params *params)
{
	return params->split_store_cycles || params->split_store_commits > 1;
}

/* uops.c: the µops of an instruction by function. */
#define SIM_PORT_CYCLES_MAX 64u	  /* most cycles that a µop may occupy a port */
#define SIM_UNIT_CYCLES_MAX 1024u /* the same for a unit; longer times are reduced to it */
/* Most µops of an instruction; those of longer ones occupy their ports for longer instead. */
#define SIM_UOPS_MAX 96u

struct sim_uops {
	struct sim_uop uops[SIM_UOPS_MAX + 4u];
	unsigned count, compute_count;
	unsigned steps; /* 1 if the last computing µop updates an address register, else 0 */
};

/*
 * Find the µops of an instruction. `branch` is the timing of a fused jump, or NULL. Groups and
 * joins are not set yet.
 */
void sim_uops_find(const struct takt_model *model, const struct takt_insn *insn,
		   const struct takt_timing *timing, const struct takt_timing *branch,
		   struct sim_uops *ret_uops);
/* Give groups to the computing µops, and join the µops in `issue_slots` slots. */
void sim_uops_arrange(struct sim_uops *uops, const struct sim_flow *flow, unsigned issue_slots);

/* insn_record.c: one instruction or fused pair with its µops, sources and results. */
struct sim_record_source {
	/* second: a branch, a nop, or an operation on what the first copies; NULL: no pair */
	const struct takt_insn *insn, *second;
	const struct takt_timing *timing, *second_timing;
	bool no_micro_fusion;
};

struct sim_record {
	/* Without indices in the program's arrays; 0 where nothing is stated. */
	struct sim_insn insn;
	struct sim_uops uops;
	struct sim_flow flow; /* stores are numbered from 0 on */
};

/* Make the record of an instruction or pair; `names` is the state before it. */
void sim_record_make(const struct sim_program *program, const struct sim_record_source *source,
		     const struct takt_writers *names, struct sim_record *ret_record);

#endif
