/* SPDX-License-Identifier: MIT */
/*
 * facts: turns the addresses of a trace, in program order, into what a core must know of
 * them (replay.h). Private to sim.
 */
#ifndef TAKT_SIM_FACTS_H
#define TAKT_SIM_FACTS_H

#include "sim/renaming.h"
#include "sim/replay.h"

#define SIM_STORED_SETS 1024u /* both powers of two */
#define SIM_STORED_WAYS 4u
#define SIM_MISSED_LINES 256u /* that are told of, a power of two */
#define SIM_STORES 2048u      /* that a load can be told of, a power of two */

/* Eight aligned bytes: by the last store to any of them, and the last before to others. */
struct sim_stored {
	uint64_t key;        /* their address over 8, shifted, and the masks of both */
	uint32_t last, older;
};

struct sim_facts {
	const struct sim_program *program;
	struct sim_stored stored[SIM_STORED_SETS][SIM_STORED_WAYS];
	struct {
		uint64_t address;
		uint32_t place;     /* in the code */
		uint8_t base, bytes; /* of memory renaming: as in sim_memory */
	} stores[SIM_STORES];
	struct sim_renaming renaming;
	uint32_t bank_bytes;
	uint32_t store_count; /* numbers given */
	uint32_t item_count;  /* records so far */
	struct {
		uint64_t line; /* its number, from 1 on; 0: none */
		uint32_t item; /* whose load missed it last */
	} missed[SIM_MISSED_LINES];
	uint64_t last_line;   /* of the store before */
};

void sim_facts_init(struct sim_facts *facts, const struct sim_program *program);
/*
 * Fills the facts of a record that ran, from its accesses in order. Of each memory operand
 * there is at most one load and one store of which something is known: accesses beyond add
 * to the last.
 */
void sim_facts_find(struct sim_facts *facts, const struct sim_insn *insn,
		    const struct sim_stream_access *accesses, uint32_t access_count,
		    struct sim_dynamic *dynamic);

#endif
