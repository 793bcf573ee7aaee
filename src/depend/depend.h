/* SPDX-License-Identifier: MIT */
/*
 * depend: the dependence graph of a block. Nodes are (instruction, destination operand)
 * pairs, not instructions: an instruction-level graph gives false chains through address
 * updates and multi-result instructions. An edge carries the latency of its own
 * operand pair and the number of iterations it spans: 0 or 1 through registers, any
 * number through memory.
 */
#ifndef TAKT_DEPEND_H
#define TAKT_DEPEND_H

#include "model/model.h"

/*
 * A value that an instruction produces (a definition); all flag groups of an instruction
 * are one def. An instruction without results (a branch) has a pseudo def with slot
 * TAKT_SLOT_ANY, which takes no time: branches are predicted, so nothing waits for them.
 */
struct takt_def {
	uint32_t insn;
	uint8_t slot;	  /* enum takt_slot of the destination */
	uint8_t location; /* TAKT_LOC_NONE for memory */
};

/*
 * A dependence: def `to` is ready `latency_cycles` after def `from` at the earliest. An edge
 * from no def stands for a live-in register, for memory at a fixed address or, with slot
 * TAKT_SLOT_ANY, for an instruction without any source (mov eax, 5).
 */
struct takt_edge {
	uint32_t from, to;	 /* def indices; from == TAKT_NO_DEF: live-in, ready at 0 */
	uint16_t latency_cycles; /* consumer's latency from this source to this destination */
	uint16_t iterations;	 /* number of iterations between producer and consumer */
	uint8_t source_slot;	 /* operand through which the consumer reads */
	uint8_t location;	 /* location that it reads; TAKT_LOC_NONE: memory */
};

#define TAKT_NO_DEF UINT32_MAX

/* ---- memory -------------------------------------------------------------------- */

/*
 * Kinds of overlap between the bytes that a load reads and those that stores wrote:
 * X(enumerator, word). Only the first kind can be forwarded; with the others, the load waits
 * until the stores are in the cache.
 */
#define TAKT_OVERLAP_LIST(X)                                                                       \
	X(TAKT_OVERLAP_CONTAINED, "contained") /* all bytes come from one store */                 \
	X(TAKT_OVERLAP_WIDER, "wider")	       /* some come from one store, none from others */    \
	X(TAKT_OVERLAP_SPLIT, "split")	       /* they come from several: an edge from each */

enum takt_overlap {
#define X(name, word) name,
	TAKT_OVERLAP_LIST(X)
#undef X
		TAKT_OVERLAP_COUNT
};

const char *takt_overlap_word(enum takt_overlap overlap);

/* A dependence through memory: the load reads bytes that the store was the last to write. */
struct takt_memory_edge {
	uint32_t store, load;	 /* instruction indices */
	uint16_t iterations;	 /* number of iterations between store and load */
	uint16_t latency_cycles; /* store data ready → load result; set in a graph only */
	uint8_t store_memory, load_memory; /* indices into the instructions' memories[] */
	uint8_t store_slot, load_slot;	   /* slots of these memory operands */
	uint8_t overlap;		   /* enum takt_overlap */
};

/* Facts about the addresses of one memory operand. */
struct takt_stream {
	uint32_t insn;
	uint8_t memory;	      /* index into the instruction's memories[] */
	bool known;	      /* the address can be computed; if not, all below is 0 */
	bool strided;	      /* the address moves by the same distance in each iteration */
	int64_t stride_bytes; /* that distance */
	/* Low address bits that are the same whatever the registers held at entry: address ≡
	 * offset_bytes modulo alignment_bytes, a power of two up to 64; 1: nothing known. */
	uint8_t alignment_bytes, offset_bytes;
	bool crossing_known;   /* alignment and stride say how often it crosses a line */
	double crossing_share; /* share of the iterations in which it crosses a line */
};

/*
 * A 4K alias: a load whose address shares its low 12 bits with an earlier store's, but not
 * the rest. Many cores take such a load for a dependent one, so that it waits.
 */
struct takt_alias {
	uint32_t store, load;
	uint16_t iterations;
	uint8_t store_memory, load_memory;
};

/* A register's value when the loop is entered. */
struct takt_entry_value {
	uint8_t location; /* location of a general register */
	uint64_t value;
};

struct takt_memory_options {
	bool loop; /* find dependences on earlier iterations, too */
	/* Number of instructions that can be in flight (rob_entries): a dependence that spans
	 * as many or more cannot matter. 0: 224. */
	uint32_t window_instructions;
	uint32_t seeds; /* number of runs, each with other random values; 0: 2 */
	const struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
	bool streams; /* fill streams and aliases, too, for reports */
};

struct takt_memory_dependences {
	const struct takt_memory_edge *edges; /* by load and its operand; latest store first */
	uint32_t edge_count;
	const struct takt_stream *streams; /* in order of instruction and operand */
	uint32_t stream_count;
	const struct takt_alias *aliases;
	uint32_t alias_count;
};

/*
 * Find which loads read what stores before them wrote, by running the block: general
 * registers and memory start with random 64-bit values (or `entry_values`), integer
 * instructions are computed exactly, every other instruction makes its results unknown, and
 * each byte remembers its last store. The block is repeated until more instructions have run
 * than the window holds. A dependence is kept if it occurs with every seed, in 80 % of the
 * iterations after the first. This is staticdeps (CesASMe, section 3), with bytes instead of
 * words and with several seeds. Where addresses move by constant strides, the same
 * dependences are computed instead of tried out.
 *
 * The result is sound, except by chance: a dependence reported is one for (nearly) all
 * register values at entry. Two addresses that differ for some values are equal for random
 * ones with probability 2⁻⁶⁴ (2⁻³² if both come from 32-bit registers, 2⁻⁸ from bytes) in
 * each pair of iterations, and would have to be equal in most iterations and with every seed.
 * It is complete within the window for addresses computed by integer instructions: the
 * theorem of section 3.5 says that dependences further apart cannot delay anything.
 *
 * Vectors of scalable size are assumed to have 16 bytes, the least: neither code nor core
 * says more. A choice between addresses (cmov, csel) by what registers held at entry is
 * random, so all seeds may happen to choose the same.
 *
 * Never found: dependences between pointers that are equal at entry or point into each
 * other's arrays, unless `entry_values` says so; through addresses out of vector registers,
 * floating point, system instructions, atomic operations or divisions of x86-64; through base
 * registers to which a vector access adds another register; on stores by other blocks;
 * dependences in fewer than 80 % of the iterations, or only after a 32-bit counter wraps;
 * those of repeated string instructions, whose lengths are not known. A store to an unknown
 * address is assumed not to interfere. Data stored before the window is assumed to be in the
 * cache: it makes no load `split`. Entry values say nothing about memory: what is loaded from
 * it is random unless the block stored it.
 */
void takt_memory_dependences_find(const struct takt_block *block,
				  const struct takt_memory_options *options,
				  struct takt_arena *arena,
				  struct takt_memory_dependences *ret_dependences);

/* ---- values along a path (path_values.c) ------------------------------------------ */

/*
 * General registers and flags while instructions of a block run in any order. What neither the
 * instructions nor the values at entry determine is unknown, and so is all memory.
 */
struct takt_path_values;

struct takt_path_values *takt_path_values_new(const struct takt_block *block,
					      const struct takt_entry_value *entry_values,
					      uint32_t entry_value_count, struct takt_arena *arena);
/* Execute the instruction of this index. */
void takt_path_values_run(struct takt_path_values *values, uint32_t insn);
/* Forget the registers that a called function may change. */
void takt_path_values_call(struct takt_path_values *values);
/* Return 1 if the conditional branch is taken, 0 if it is not, -1 if that is unknown. */
int takt_path_values_branch(const struct takt_path_values *values, uint32_t insn);

/* ---- names ------------------------------------------------------------------------- */

/*
 * A name dependence: `to` writes what `from` reads (WAR) or also writes (WAW), and is the first to
 * do so. Renaming removes those through registers; stores write memory in their order anyhow.
 */
struct takt_name_dependence {
	uint32_t from, to;		/* instruction indices */
	uint16_t iterations;		/* number of iterations between them */
	uint8_t location;		/* register; TAKT_LOC_NONE: memory */
	uint8_t from_memory, to_memory; /* indices into the instructions' memories[] */
	bool output;			/* WAW; if not, WAR */
};

struct takt_name_dependences {
	const struct takt_name_dependence *items; /* registers by `from`, then memory */
	uint32_t count;
};

/*
 * Find name dependences, for reports. Flags and the x87 stack are left out. Those through memory
 * are found where both addresses move by the same constant stride, within the window.
 */
void takt_name_dependences_find(const struct takt_block *block,
				const struct takt_memory_options *options, struct takt_arena *arena,
				struct takt_name_dependences *ret_dependences);

/* ---- names: which writers an access waits for on a core ------------------------- */

/*
 * A location consists of one or more parts, each with a last writer: rax may have a part for
 * ah and one for al, where the core renames these separately. The register st(i) is found
 * relative to the top of the x87 stack.
 */

/* Parts are the locations, and the low 16 bits of each general register. */
#define TAKT_PART_LOW TAKT_LOC_COUNT
#define TAKT_PART_COUNT (TAKT_LOC_COUNT + 16u)
#define TAKT_PARTS_MAX 3u /* parts of one access at most: rax, ah, al */

/* The last def of a part so far. */
struct takt_writer {
	uint32_t def;	   /* TAKT_NO_DEF: live-in */
	uint8_t iteration; /* 1 if the def is of the previous iteration, else 0 */
};

struct takt_writers {
	struct takt_writer at[TAKT_PART_COUNT];
	uint8_t x87_top;       /* pushes so far, modulo 8 */
	bool high8_renamed;    /* ah, bh, ch and dh are renamed apart from the rest */
	bool low_renamed;      /* 8- and 16-bit writes do not wait for the old value */
	bool rsp_in_addresses; /* what forms an address needs no offset added to rsp */
	bool rsp_shifted;      /* the stack engine holds an offset to rsp */
	uint16_t rsp_syncs;    /* times the offset was added to rsp since rsp was written */
};

/* Initialise: nothing is written yet. */
void takt_writers_init(struct takt_writers *writers, const struct takt_core_params *params);
/* True if the access waits for the location's old value, even if only to keep a part of it. */
bool takt_access_reads(const struct takt_writers *writers, const struct takt_insn *insn,
		       const struct takt_access *access);
/* Fill `parts` with those that `access` of `insn` reads, and return their number. */
unsigned takt_parts_read(const struct takt_writers *writers, const struct takt_insn *insn,
			 const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX]);
/* Fill `parts` with those that `access` of `insn` writes, and return their number. */
unsigned takt_parts_written(const struct takt_writers *writers, const struct takt_insn *insn,
			    const struct takt_access *access, uint8_t parts[TAKT_PARTS_MAX]);
/* Return the location to which a part belongs. */
uint8_t takt_part_location(uint8_t part);
/*
 * True if the access needs rsp with the stack engine's offset: any but those of push and pop, or,
 * on cores that add the offset in addresses, those that read it for something else than an address
 * or a move.
 */
bool takt_access_syncs_rsp(bool in_addresses, const struct takt_insn *insn,
			   const struct takt_access *access);
/*
 * Return the cycles by which a read of rsp is delayed: before instructions that need its offset
 * can use rsp, the stack engine's offset must be added to it by a µop of one cycle.
 */
unsigned takt_rsp_delay(const struct takt_writers *writers, const struct takt_insn *insn,
			const struct takt_access *access);
/* Enter `def` as the last writer of what `access` writes. */
void takt_writers_set(struct takt_writers *writers, const struct takt_insn *insn,
		      const struct takt_access *access, uint32_t def);
/* True if the core adds this small constant at rename, without latency. */
bool takt_is_renamed_addition(const struct takt_core_params *params, const struct takt_insn *insn);
/* Update the x87 stack's top and the state of rsp, after all accesses of `insn`. */
void takt_writers_step(struct takt_writers *writers, const struct takt_insn *insn);
/* Begin the next iteration: all writers so far become those of the previous iteration. */
void takt_writers_next_iteration(struct takt_writers *writers);

/* ---- loads that are special ------------------------------------------------------ */

/*
 * True for a load into a general register that does nothing else: older cores have a shorter
 * latency from it to the next load's address (uiCA paper, section 4).
 */
bool takt_is_plain_load(const struct takt_insn *insn, const struct takt_timing *timing);

/*
 * Return the cycles by which a load's address is ready later than one of a base and a displacement
 * or of a base and an unscaled index; 0 for what is no load, and for gathers.
 */
uint32_t takt_address_extra_cycles(const struct takt_core_params *params,
				   const struct takt_memory *memory);

/*
 * True if the core renames memory and may do so for this access: one of a general register,
 * not locked. The core's parameters say which of these accesses it serves, by size, by what is
 * done with the value, and by whether there is an index.
 */
bool takt_memory_may_be_renamed(const struct takt_core_params *params, const struct takt_insn *insn,
				const struct takt_memory *memory);

/*
 * True if rename gives the load the register that was stored. Both accesses must be such as
 * takt_memory_may_be_renamed() says, use the same base and index registers, and have the same
 * size and bytes. On some cores this happens only in code that `repeats` itself, on others also
 * in straight-line code, or there only if the base is rsp. Some serve other registers in code that
 * repeats itself, and loads of the first bytes of what was stored. A load that is fused with the
 * operation behind it is not served.
 */
bool takt_memory_edge_is_renamed(const struct takt_model *model, const struct takt_block *block,
				 const struct takt_memory_edge *edge, bool repeats);

/*
 * Return the cycles by which a load that memory renaming serves has its value later, because of the
 * store that it reads: stores of a part of a register on some cores.
 */
uint32_t takt_renamed_store_cycles(const struct takt_core_params *params,
				   const struct takt_insn *insn, const struct takt_memory *memory);

/*
 * Return the cycles by which a load that reads a non-temporal store back (x86's movnt and
 * movdiri) waits longer than after another store; 0 for any other store. Timing rows give the
 * way to memory and back as the latency of the stored operand; the store itself waits for none
 * of it.
 */
uint32_t takt_non_temporal_cycles(const struct takt_insn *insn, const struct takt_timing *timing,
				  uint8_t slot);
/*
 * Return `cycles`, a timing row's latency to or from the memory operand `slot`, limited for a
 * locked operation to its latency from memory to memory, after which the next one follows.
 * Published latencies from or to a register were measured with another load after the operation
 * or another store before it, and one of them waits for the other to end.
 */
uint32_t takt_locked_latency(const struct takt_insn *insn, const struct takt_timing *timing,
			     uint8_t slot, uint32_t cycles);
/* Return a row's latency to the stored operand `slot`, without what only a load that reads a
 * non-temporal store back waits for, and limited for a locked operation as above. */
uint32_t takt_stored_latency(const struct takt_insn *insn, const struct takt_timing *timing,
			     uint8_t source, uint8_t slot);

/*
 * True for rsp + constant by push, pop, call and ret if the stack engine computes it: the result is
 * ready whenever rsp is.
 */
bool takt_access_is_renamed_away(const struct takt_core_params *params,
				 const struct takt_access *access);
/*
 * True if the instruction's result does not depend on the operand that it reads, as of an idiom
 * that sets a register to 0. Addresses and flags count: sbb of a register with itself still waits
 * for the carry.
 */
bool takt_access_is_cut(const struct takt_timing *timing, const struct takt_access *access);
/* True if the row distinguishes the latency from the value in memory from that of the address. */
bool takt_timing_knows_memory(const struct takt_timing *timing, uint8_t slot);

/* True for ldp and stp: their halves are values of their own, of operands 1 and 2. */
bool takt_is_pair(const struct takt_insn *insn);

/*
 * Return the location of an address register that the instruction writes back, such as x1 of
 * `ldr x0, [x1], 8`, or TAKT_LOC_NONE. Its new value depends on nothing but its old value.
 */
uint8_t takt_writeback_location(const struct takt_insn *insn);

/* ---- the graph ----------------------------------------------------------------- */

struct takt_graph {
	const struct takt_def *defs; /* in program order */
	uint32_t def_count;
	const struct takt_edge *edges; /* grouped by `to`, ascending */
	const uint32_t *first_edge;    /* def_count + 1 offsets into edges */
	uint32_t edge_count;
	const struct takt_memory_edge *memory_edges; /* with their latencies */
	uint32_t memory_edge_count;
	struct takt_memory_dependences memory; /* its streams and aliases, if asked for */
	uint32_t insn_count;
};

struct takt_graph_options {
	bool loop;    /* build edges from earlier iterations */
	bool repeats; /* the code runs again and again: a loop, not copies. What
		       * memory renaming then serves has no edge in the graph */
	bool no_memory_dependences;
	const struct takt_entry_value *entry_values;
	uint32_t entry_value_count;
	bool streams; /* fill the streams and aliases of `memory`, for reports */
	bool lean;    /* build only what takt_loop_carried_bound() needs: no edges
		       * from no def, no pseudo defs, no memory_edges */
};

/*
 * Build the dependence graph of a block, in the arena. `timings[i]` belongs to
 * `block->insns[i]`.
 */
void takt_graph_build(const struct takt_model *model, const struct takt_block *block,
		      const struct takt_timing *timings, const struct takt_graph_options *options,
		      struct takt_arena *arena, struct takt_graph *ret_graph);

/* ---- trip counts ------------------------------------------------------------------ */

#define TAKT_TRIPS_UNKNOWN 0u

struct takt_program;

/* A loop, whose block ends in the branch that closes it, with the loops inside. */
struct takt_trip_loop {
	const struct takt_block *block;
	const uint64_t *places;	       /* for each instruction, its address in the program */
	struct takt_trip_loop **inner; /* by address */
	size_t inner_count;
	uint64_t trips; /* result: its iterations each time it is entered, or unknown */
	struct takt_program *program; /* NULL; used while it is run */
};

/*
 * Find the trip counts of all loops inside of `outer`, by running `approach` (NULL: nothing) and
 * three iterations of the outer loop with random registers, several times. A count is known if it
 * is the same each time, and if control always went straight from each loop to the next: a branch
 * that was taken, or whose condition is unknown, makes all counts unknown.
 */
void takt_trips_find(const struct takt_block *approach, struct takt_trip_loop *outer);

#endif
