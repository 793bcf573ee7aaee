/* SPDX-License-Identifier: MIT */
/*
 * depend: who waits for whom. Nodes are (instruction, destination operand), not
 * instructions: an instruction-level graph gives false chains through address
 * updates and multi-result instructions. An edge carries the latency of its own
 * operand pair and the number of iterations it spans: 0 or 1 through registers, any
 * number through memory.
 */
#ifndef TAKT_DEPEND_H
#define TAKT_DEPEND_H

#include "model/model.h"

/*
 * A value an instruction produces; its flag groups are one. An instruction without
 * results (a branch) ends in a pseudo def, slot TAKT_SLOT_ANY, which takes no time:
 * branches are predicted, nothing waits for them.
 */
struct takt_def {
	uint32_t insn;
	uint8_t slot;      /* enum takt_slot of the destination */
	uint8_t location;  /* LOC_NONE for memory */
};

/*
 * `def` of the producer is ready → `def` of the consumer, `latency_cycles` later. From
 * no def: a live-in register, memory at a fixed address, or, with slot TAKT_SLOT_ANY,
 * nothing at all (mov eax, 5).
 */
struct takt_edge {
	uint32_t from, to;       /* def indices; from == TAKT_NO_DEF: live-in, ready at 0 */
	uint16_t latency_cycles; /* consumer's latency from this source to this destination */
	uint16_t iterations;     /* apart */
	uint8_t source_slot;     /* through which operand the consumer reads */
	uint8_t location;        /* through which location; LOC_NONE: memory */
};

#define TAKT_NO_DEF UINT32_MAX

/* ---- memory -------------------------------------------------------------------- */

/*
 * How the bytes that a load reads lie to those that stores wrote: X(enumerator, word).
 * Only the first kind can be forwarded; others wait until the stores are in the cache.
 */
#define TAKT_OVERLAP_LIST(X)                                                          \
	X(TAKT_OVERLAP_CONTAINED, "contained") /* all come from one store */          \
	X(TAKT_OVERLAP_WIDER, "wider")         /* some are of one store, none of others */ \
	X(TAKT_OVERLAP_SPLIT, "split")         /* of several stores: an edge from each */

enum takt_overlap {
#define X(name, word) name,
	TAKT_OVERLAP_LIST(X)
#undef X
	TAKT_OVERLAP_COUNT
};

const char *takt_overlap_word(enum takt_overlap overlap);

/* The load reads bytes that the store wrote last. */
struct takt_memory_edge {
	uint32_t store, load;     /* instruction indices */
	uint16_t iterations;      /* apart */
	uint16_t latency_cycles;  /* store data ready → load result; set in a graph only */
	uint8_t store_memory, load_memory; /* indices into their memories[] */
	uint8_t store_slot, load_slot;     /* slots of these */
	uint8_t overlap;          /* enum takt_overlap */
};

/* What is known of the addresses of one memory operand. */
struct takt_stream {
	uint32_t insn;
	uint8_t memory;           /* index into its memories[] */
	bool known;               /* the address can be computed; all else is 0 if not */
	bool strided;             /* it moves by the same distance in each iteration */
	int64_t stride_bytes;     /* that distance */
	/* Its low bits are the same whatever the registers held at entry: address ≡
	 * offset_bytes modulo alignment_bytes, a power of two up to 64; 1: nothing known. */
	uint8_t alignment_bytes, offset_bytes;
	bool crossing_known;      /* alignment and stride say how often it crosses a line */
	double crossing_share;    /* of iterations in which it does */
};

/*
 * A load whose address has the low 12 bits of a store's before it, but not the rest: such
 * a load is taken for a dependent one by many cores, and waits.
 */
struct takt_alias {
	uint32_t store, load;
	uint16_t iterations;
	uint8_t store_memory, load_memory;
};

/* A register's value when the loop is entered. */
struct takt_entry_value {
	uint8_t location;         /* of a general register */
	uint64_t value;
};

struct takt_memory_options {
	bool loop;                /* dependences on earlier iterations too */
	/* Instructions that can be in flight: a dependence that spans as many or more
	 * cannot matter (rob_entries). 0: 224. */
	uint32_t window_instructions;
	uint32_t seeds;           /* runs with other random values; 0: 2 */
	const struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
	bool streams;             /* fill streams and aliases too, for reports */
};

struct takt_memory_dependences {
	const struct takt_memory_edge *edges; /* by load and its operand; latest store first */
	uint32_t edge_count;
	const struct takt_stream *streams;    /* by instruction and operand */
	uint32_t stream_count;
	const struct takt_alias *aliases;
	uint32_t alias_count;
};

/*
 * Finds which loads read what stores before them wrote, by running the block: general
 * registers and memory start with random 64-bit values (or `entry_values`), integer
 * instructions are computed exactly, everything else makes its results unknown, and
 * each byte remembers its last store. The block is repeated until more than the window
 * is in flight; what occurs in 80 % of the iterations but the first, with every seed, is
 * kept. This is staticdeps (CesASMe, section 3), with bytes for words and several seeds.
 * Where addresses move by constant strides, the same is computed instead of tried out.
 *
 * Sound, but for chance: a dependence reported is one for (nearly) all register values
 * at entry. Two addresses that differ for some values are equal for random ones with
 * probability 2⁻⁶⁴ (2⁻³² if both come from 32-bit registers, 2⁻⁸ from bytes) in each pair
 * of iterations, and would have to be so in most and with every seed.
 * Complete within the window for addresses computed by integer instructions: the
 * theorem of section 3.5 says that dependences further apart cannot delay anything.
 *
 * Vectors of scalable size are taken to have 16 bytes, the least: neither code nor core
 * says more. A choice between addresses (cmov, csel) by what registers held at entry is
 * one of chance, so each seed may choose alike.
 *
 * Missed, always: pointers that are equal at entry or point into each other's arrays,
 * unless `entry_values` says so; addresses out of vector registers, floating point,
 * system instructions, atomic operations or divisions of x86-64; base registers that a
 * vector access steps on by another register; stores by other blocks; dependences in
 * fewer than 80 % of the iterations, or only after a 32-bit counter wraps; repeated
 * string instructions, whose lengths are not known. A store to an unknown address is
 * taken not to interfere. What was stored before the window is taken to be in the cache:
 * it makes no load `split`. Entry values say nothing of memory: what is loaded from it is
 * random unless the block stored it.
 */
void takt_memory_dependences_find(const struct takt_block *block,
				  const struct takt_memory_options *options,
				  struct takt_arena *arena,
				  struct takt_memory_dependences *ret_dependences);

/* ---- names: which writers an access waits for on a core ------------------------- */

/*
 * A location is one or more parts, each with a last writer: rax may have a part for ah and
 * one for al, where the core renames these apart. Turns st(i) by the stack top.
 */

/* Parts are the locations, and the low 16 bits of each general register. */
#define TAKT_PART_LOW TAKT_LOC_COUNT
#define TAKT_PART_COUNT (TAKT_LOC_COUNT + 16u)
#define TAKT_PARTS_MAX 3u /* of an access: rax, ah, al */

/* The last def of a part so far; `iteration` 1 if it was the one before. */
struct takt_writer {
	uint32_t def; /* TAKT_NO_DEF: live-in */
	uint8_t iteration;
};

struct takt_writers {
	struct takt_writer at[TAKT_PART_COUNT];
	uint8_t x87_top; /* pushes so far, modulo 8 */
	bool high8_renamed;
	bool low_renamed;   /* 8- and 16-bit writes do not wait for the old value */
	bool rsp_shifted;   /* the stack engine holds an offset to rsp */
	uint16_t rsp_syncs; /* times it was added in since rsp was written */
};

/* Nothing is written yet. */
void takt_writers_init(struct takt_writers *writers, const struct takt_core_params *params);
/* Whether the access waits for what was there, be it to keep a part of it. */
bool takt_access_reads(const struct takt_writers *writers, const struct takt_insn *insn,
		       const struct takt_access *access);
/* The parts that `access` of `insn` reads; returns how many. */
unsigned takt_parts_read(const struct takt_writers *writers, const struct takt_insn *insn,
			 const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX]);
/* The parts that `access` of `insn` writes; returns how many. */
unsigned takt_parts_written(const struct takt_writers *writers, const struct takt_insn *insn,
			    const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX]);
/* The location a part belongs to. */
uint8_t takt_part_location(uint8_t part);
/*
 * Cycles by which a read of rsp is late: to be used by others than push and pop, the
 * stack engine's offset must first be added in, which a µop of one cycle does.
 */
unsigned takt_rsp_delay(const struct takt_writers *writers, const struct takt_access *access);
/* Enters `def` as the writer of what `access` writes. */
void takt_writers_set(struct takt_writers *writers, const struct takt_insn *insn,
		      const struct takt_access *access, uint32_t def);
/* Whether the core does this addition of a small constant at rename, at no latency. */
bool takt_is_renamed_addition(const struct takt_core_params *params, const struct takt_insn *insn);
/* After all accesses of `insn`: the x87 stack has turned, rsp has shifted. */
void takt_writers_step(struct takt_writers *writers, const struct takt_insn *insn);
/* The writers at the start of the next iteration: those at the end of this one. */
void takt_writers_next_iteration(struct takt_writers *writers);

/* ---- loads that are special ------------------------------------------------------ */

/*
 * A load and nothing else, into a general register: older cores have a short path from it
 * to the next load's address (uiCA paper, section 4).
 */
bool takt_is_plain_load(const struct takt_insn *insn, const struct takt_timing *timing);

/*
 * Whether the core renames memory, and this access is one that it may do that with: a general
 * register's, not locked, with a base register. Which of them a core serves, by their size, by
 * what is done with the value, and with an index or not, its parameters say.
 */
bool takt_memory_may_be_renamed(const struct takt_core_params *params,
				const struct takt_insn *insn, const struct takt_memory *memory);

/*
 * Whether the load takes over the register that was stored, at rename: both such accesses
 * through one base register, all bytes of one store; in code that `repeats` itself, on some
 * cores in any, or in any if the base is rsp.
 */
bool takt_memory_edge_is_renamed(const struct takt_core_params *params,
				 const struct takt_block *block,
				 const struct takt_memory_edge *edge, bool repeats);

/*
 * Stores past the caches (x86's movnt and movdiri). Rows give the way to memory and back as the
 * latency of what is stored; the store waits for nothing of it, but a load that reads it back
 * waits for all: so many cycles more than for another store. 0 of any other store.
 */
uint32_t takt_past_cycles(const struct takt_insn *insn, const struct takt_timing *timing,
			  uint8_t slot);
/*
 * `cycles` of a row, of an instruction's way to or from memory, by its operand `slot`. A locked
 * operation takes no longer than from memory to memory, where the next one follows: what was
 * published of the way from a register or to one was measured with another load behind or another
 * store before it, which wait for the operation's end, or it for them.
 */
uint32_t takt_locked_latency(const struct takt_insn *insn, const struct takt_timing *timing,
			     uint8_t slot, uint32_t cycles);
/* A row's latency to the stored operand `slot`, less those past the caches and of a locked one. */
uint32_t takt_stored_latency(const struct takt_insn *insn, const struct takt_timing *timing,
			     uint8_t source, uint8_t slot);

/* ldp and stp: their halves are values of their own, of operands 1 and 2. */
bool takt_is_pair(const struct takt_insn *insn);

/*
 * x1 of `ldr x0, [x1], 8`: a written address register that steps on waits for nothing but
 * itself. TAKT_LOC_NONE if there is none.
 */
uint8_t takt_step_location(const struct takt_insn *insn);

/* ---- the graph ----------------------------------------------------------------- */

struct takt_graph {
	const struct takt_def *defs;   /* in program order */
	uint32_t def_count;
	const struct takt_edge *edges; /* grouped by `to`, ascending */
	const uint32_t *first_edge;    /* def_count + 1 offsets into edges */
	uint32_t edge_count;
	const struct takt_memory_edge *memory_edges; /* with latencies */
	uint32_t memory_edge_count;
	struct takt_memory_dependences memory;       /* its streams and aliases, if asked for */
	uint32_t insn_count;
};

struct takt_graph_options {
	bool loop;                  /* build edges from the previous iteration */
	bool repeats;               /* the code runs again and again: a loop, not copies. What
				     * memory renaming then serves has no edge in the graph */
	bool no_memory_dependences;
	const struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
	bool streams;               /* fill `memory` with them, for reports */
	bool lean;                  /* only what takt_loop_carried_bound() needs: no edges from
				     * no def, no pseudo defs, no memory_edges */
};

/*
 * `timings[i]` belongs to `block->insns[i]`. The graph lives in the arena.
 */
void takt_graph_build(const struct takt_model *model, const struct takt_block *block,
		      const struct takt_timing *timings, const struct takt_graph_options *options,
		      struct takt_arena *arena, struct takt_graph *ret_graph);

#endif
