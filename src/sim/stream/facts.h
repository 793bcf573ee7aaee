/* SPDX-License-Identifier: MIT */
/*
 * facts: turns the addresses of a trace, in program order, into the facts that a core needs about
 * them (stream_source.h). Private to sim.
 */
#ifndef TAKT_SIM_FACTS_H
#define TAKT_SIM_FACTS_H

#include "sim/back/memory_renaming.h"
#include "sim/stream/stream_source.h"

#define SIM_STORED_SETS 1024u /* sets and ways are powers of two */
#define SIM_STORED_WAYS 4u
#define SIM_MISSED_LINES 1024u /* lines on their way that are remembered, a power of two */
#define SIM_PREFETCHED_ITEMS                                                                       \
	4096u		 /* a line that was prefetched this many items ago has arrived             \
			  */
#define SIM_STORES 2048u /* stores that a load can refer to, a power of two */

#define SIM_PIECE_BYTES 8u
#define SIM_GENERAL_REGISTERS (TAKT_LOC_HIGH8 - TAKT_LOC_GPR)

/* Pieces of eight aligned bytes, with the last store to each byte. */
struct sim_stored_set {
	/* By way: the piece's address over 8, shifted, and a mask of what its last store wrote. */
	uint64_t keys[SIM_STORED_WAYS];
	uint32_t stores[SIM_STORED_WAYS][SIM_PIECE_BYTES]; /* by byte; 0: none */
};

struct sim_facts {
	const struct sim_program *program;
	struct sim_stored_set stored[SIM_STORED_SETS];
	struct {
		uint64_t address;
		uint32_t item;	     /* item_count at the store */
		uint32_t registers;  /* of its address, as in sim_memory */
		uint32_t place;	     /* identifies the store's operand in the code
				      * (sim_renaming_place()) */
		uint8_t base, bytes; /* for memory renaming: as in sim_memory */
	} stores[SIM_STORES];
	struct sim_renaming renaming;
	/* Where memory renaming learns, but serves at once what has not been written since. */
	bool tracks_registers;
	uint32_t written[SIM_GENERAL_REGISTERS]; /* by register: item_count when it was written */
	uint32_t bank_bytes;
	uint32_t store_count;	  /* numbers given to stores */
	uint32_t item_count;	  /* records so far */
	uint32_t misrenamed_item; /* item_count at the last load that was misrenamed; 0: none */
	struct {
		uint64_t line; /* number of the line, from 1 on; 0: none */
		uint32_t item; /* item whose load missed it last, or let it be prefetched */
		uint32_t from; /* enum sim_line */
	} missed[SIM_MISSED_LINES];
	uint64_t last_store; /* address of the store before; UINT64_MAX: none, or it was split */
};

void sim_facts_init(struct sim_facts *facts, const struct sim_program *program);
/* Note the registers that an instruction writes. */
void sim_facts_write(struct sim_facts *facts, const struct sim_insn *insn);
/*
 * Fill in the facts of a record that ran, from its accesses in order, and the prefetches that
 * these caused. Each memory operand has facts of at most one load and one store: further accesses
 * are added to the last.
 */
void sim_facts_find(struct sim_facts *facts, const struct sim_insn *insn,
		    const struct sim_stream_access *accesses, uint32_t access_count,
		    const struct sim_stream_prefetch *prefetches, struct sim_dynamic *dynamic);

#endif
