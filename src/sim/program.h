/* SPDX-License-Identifier: MIT */
/*
 * program: a block as the pipeline sees it, made once: decoder facts, issue slots, µops
 * with their ports, and which value each waits for. Everything that can be known before
 * the first cycle is decided here; the stages only add and compare. Private to sim.
 */
#ifndef TAKT_SIM_PROGRAM_H
#define TAKT_SIM_PROGRAM_H

#include "sim/sim.h"

#define SIM_GROUPS_MAX 4 /* of sources with different latencies, one µop for each */

struct sim_uop {
	uint32_t ports;       /* issue ports it may use */
	uint32_t unit_ports;  /* pseudo ports (divider …), one of which it occupies too; 0: none */
	uint16_t unit_cycles;
	bool unit_all;        /* not one of the units, but all of them */
	uint16_t port_cycles; /* that it occupies its port, usually 1 */
	uint8_t kind;         /* enum sim_uop_kind */
	uint8_t group;        /* COMPUTE: of sources it waits for, SIM_GROUP_ALL: every one */
	uint8_t memory;       /* LOAD, STORE_*: index of the memory operand */
	bool joins;           /* shares the issue slot of the µop before (micro-fusion) */
	uint8_t source_count; /* that it waits for; not of STORE_DATA */
	uint16_t first_source; /* of the instruction's */
	uint32_t banks;       /* LOAD: of the cache that it keeps busy, if that matters; a mask */
	uint16_t schedulers;  /* that serve one of its ports; a mask */
	uint16_t reserved;
};

#define SIM_GROUP_ALL 255
#define SIM_BANK_SPLIT 16u /* that of loads which cross a line */

/* A part (depend's names) that an instruction reads. */
struct sim_source {
	uint8_t part;
	uint8_t group;   /* of COMPUTE sources; SIM_GROUP_ADDRESS + m: of memory operand m */
	uint8_t extra_cycles; /* it is needed so much earlier than the rest of its group */
	bool merges;     /* a wide read of what has a byte renamed apart */
	bool is_byte;    /* that byte alone: a cycle later unless it was written apart */
};

#define SIM_GROUP_ADDRESS 16
#define SIM_GROUP_UNUSED 64 /* nothing waits for it */

/* A part that an instruction writes, and the latency from each group's µop. */
struct sim_result {
	uint8_t part;
	bool from_load;      /* straight out of a load */
	uint16_t latency_cycles[SIM_GROUPS_MAX]; /* SIM_NO_LATENCY: does not depend on it */
};

/* Beside the parts of depend: what memory operand m gave, and what is stored to it. */
#define SIM_PART_LOADED TAKT_PART_COUNT
#define SIM_PART_STORED (SIM_PART_LOADED + TAKT_MEMORIES_MAX)
#define SIM_PART_COUNT (SIM_PART_STORED + TAKT_MEMORIES_MAX)

#define SIM_NO_LATENCY UINT16_MAX

enum sim_insn_flag {
	SIM_INSN_BRANCH = 1 << 0,       /* ends in a control transfer */
	SIM_INSN_FUSED = 1 << 1,        /* a macro-fused pair: two instructions, one record */
	SIM_INSN_MAY_FUSE = 1 << 2,     /* its kind fuses with some jumps: the decoder waits for
					 * the next instruction */
	SIM_INSN_LCP = 1 << 3,          /* length-changing prefix */
	SIM_INSN_COMPLEX = 1 << 4,      /* first decoder only */
	SIM_INSN_ENDS_GROUP = 1 << 5,   /* nothing is decoded beside it after it */
	SIM_INSN_MICROCODE = 1 << 6,    /* has slots out of the microcode sequencer */
	SIM_INSN_RSP_IMPLICIT = 1 << 7, /* push, pop, call, ret */
	SIM_INSN_RSP_EXPLICIT = 1 << 8,
	SIM_INSN_HIGH8_WRITE = 1 << 9,
	SIM_INSN_EXTRA_SLOT = 1 << 10,  /* takes two slots of an op cache line: wide immediate */
	SIM_INSN_ZERO = 1 << 11,        /* zero idiom */
	SIM_INSN_MOVE = 1 << 12,        /* may be eliminated at rename */
	SIM_INSN_FORWARDS = 1 << 13,    /* adds, and other additions have the result earlier */
	SIM_INSN_SERIALIZING = 1 << 14,
	SIM_INSN_VECTOR_MOVE = 1 << 15, /* of MOVE: between vector registers */
	SIM_INSN_WIDE_MOVE = 1 << 16,   /* of MOVE: of 64 bits */
};

/* One instruction, or a macro-fused pair. */
struct sim_insn {
	uint32_t flags;               /* enum sim_insn_flag */
	uint32_t insn;                /* index in the block; of the first of a pair */
	uint8_t length_bytes;         /* together */
	uint8_t first_length_bytes;   /* of the first; equal to length_bytes if not fused */
	uint8_t opcode_offset_bytes;  /* of the nominal opcode, behind the prefixes */
	uint8_t second_opcode_offset_bytes; /* of the pair's jump, from its own start */
	uint8_t constant_count;       /* displacements and immediates, of both of a pair */
	uint8_t simple_decoders;      /* usable beside it; 255: all */
	uint8_t mite_slots;           /* queue slots out of decoders or op cache, ≥ 1 */
	uint16_t microcode_slots;     /* queue slots out of the microcode sequencer */
	uint16_t issue_slots;         /* after un-lamination */
	uint16_t serial_cycles;       /* of SERIALIZING: rename to its end, at least */
	uint32_t uops, sources, results; /* first of each in the program's arrays; sources are in
					  * the order of their groups */
	uint16_t uop_count;
	uint8_t source_count, result_count;
	uint8_t group_count;          /* of sources, ≥ 1 */
	uint8_t group_ends[SIM_GROUPS_MAX]; /* behind the last source of each */
	uint8_t free_groups;          /* mask of those that no µop waits for */
	/* Group g can delay the µop of group 0 from so many cycles before it on;
	 * SIM_NO_LATENCY: never. */
	uint16_t lead_cycles[SIM_GROUPS_MAX];
	uint16_t done_cycles[SIM_GROUPS_MAX]; /* dispatch to last result, ≥ 1 */
	uint32_t idle_ports;          /* that it had if rename did not do its work: of moves,
				       * zero idioms, additions; 0 of anything else */
	uint32_t memories;            /* first, in program->memories */
	uint8_t memory_count, store_count; /* memory operands; those that are stored to */
};

struct sim_memory {
	uint16_t load_cycles;    /* address ready to value, cache hit */
	uint16_t forward_cycles; /* store's value ready to this load's value */
	uint16_t past_cycles;    /* of stores past the caches: that a load of it waits longer */
	uint32_t banks;          /* of loads: parts of a line, as a mask; 0: not known */
	uint8_t bytes;
	bool load, store;
	bool fast;               /* a cycle less if the base comes straight from a load */
	uint8_t renamed_base;    /* of code: memory renaming may serve it; its base register */
	/* Of stores: to the line of the store before, certainly to another; or neither. */
	bool same_line, other_line;
	uint32_t first_edge, edge_count; /* of loads: in program->edges, memory dependences */
	uint32_t store_index;    /* of stores: numbers the block's stores */
};

/* A load reads what a store wrote `iterations` before. */
struct sim_memory_edge {
	uint32_t store_index;
	uint32_t iterations;
	bool fails;   /* cannot be forwarded: waits for the cache */
	bool renamed; /* the load takes over the register that was stored */
};

struct sim_program {
	const struct takt_model *model;
	const struct takt_core_params *params;
	const struct sim_insn *insns;
	uint32_t insn_count;
	const struct sim_uop *uops;
	const struct sim_source *sources;
	const struct sim_result *results;
	const struct sim_memory *memories;
	const struct sim_memory_edge *edges;
	uint32_t store_count;         /* in the block */
	uint32_t length_bytes;        /* of the block */
	uint32_t slots;               /* queue slots of one iteration */
	bool in_order;                /* no µop is dispatched before an older one */
	uint32_t alu_ports;           /* for µops that rename inserts */
	uint32_t alu_count;           /* how many these are */
	uint16_t alu_schedulers;      /* that serve them */
	uint32_t memory_ports;        /* loads, store addresses, store data */
	const struct takt_scheduler *schedulers; /* of a core that has several */
	uint32_t scheduler_count;
	uint32_t scheduler_least;     /* entries of the smallest */
	bool schedulers_mixed;        /* some serve memory and other ports */
	uint32_t port_count;
	uint32_t max_distance;        /* iterations back that an edge reaches */
	uint32_t past_cycles;         /* the longest way past the caches to a load */
};

/* Of a cache line's banks. */
uint32_t sim_bank_bytes(const struct takt_core_params *params);
/* Those of the core's schedulers that serve one of the ports: a mask. */
uint16_t sim_schedulers_of(const struct sim_program *program, uint32_t ports);

/* All that is the core's; no instructions yet. */
void sim_program_init(struct sim_program *program, const struct takt_model *model);
/* The program points into the arena. */
const struct sim_program *sim_program_new(const struct sim_block *source,
					  const struct sim_options *options,
					  struct takt_arena *arena);

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
 * `compute_count` µops compute; `names` gives the parts, and is the state before the
 * instruction.
 */
void sim_flow_find(const struct takt_model *model, const struct takt_insn *insn,
		   const struct takt_timing *timing, const struct takt_writers *names,
		   unsigned compute_count, struct sim_flow *ret_flow);

/*
 * lines.c: sets `same_line` and `other_line` of the stores and `banks` of the loads among
 * `memories`, for copies of the block that follow each other.
 */
void sim_lines_find(const struct takt_block *block, uint32_t pointer_shift_bytes,
		    uint32_t bank_bytes, const struct sim_insn *insns, uint32_t insn_count,
		    struct sim_memory *memories);

/* uops.c: the µops of an instruction by what they do. */
#define SIM_PORT_CYCLES_MAX 64u    /* that a µop may keep a port */
#define SIM_UNIT_CYCLES_MAX 1024u  /* or a unit; what takes longer is taken for that */
#define SIM_UOPS_MAX 96u /* of an instruction; longer ones occupy their ports instead */

struct sim_uops {
	struct sim_uop uops[SIM_UOPS_MAX + 4u];
	unsigned count, compute_count;
	unsigned steps; /* 1 if the last to compute steps an address register on, else 0 */
};

/* `branch` is the timing of a fused jump, or NULL. Groups and joins are not set yet. */
void sim_uops_find(const struct takt_model *model, const struct takt_insn *insn,
		   const struct takt_timing *timing, const struct takt_timing *branch,
		   struct sim_uops *ret_uops);
/* Gives groups to the computing µops and joins them in `issue_slots` slots. */
void sim_uops_arrange(struct sim_uops *uops, const struct sim_flow *flow, unsigned issue_slots);

/* record.c: one instruction, or a fused pair, with all that belongs to it. */
struct sim_record_source {
	const struct takt_insn *insn, *branch; /* NULL: no pair */
	const struct takt_timing *timing, *branch_timing;
	bool no_micro_fusion;
};

struct sim_record {
	struct sim_insn insn; /* no places in the program's arrays yet; 0 where nothing is said */
	struct sim_uops uops;
	struct sim_flow flow; /* stores are numbered from 0 on */
};

/* `names` is the state before the instruction. */
void sim_record_make(const struct sim_program *program, const struct sim_record_source *source,
		     const struct takt_writers *names, struct sim_record *ret_record);

#endif
