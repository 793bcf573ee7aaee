/* SPDX-License-Identifier: MIT */
/*
 * machine: the state (registers, flags and memory) in which a program runs. Private to
 * depend.
 */
#ifndef TAKT_DEPEND_MACHINE_H
#define TAKT_DEPEND_MACHINE_H

#include "depend/interpreter_block.h"
#include "depend/shadow.h"

struct takt_machine {
	struct takt_value registers[TAKT_GPR_COUNT];
	struct takt_flags flags;
	struct takt_shadow *shadow; /* memory; NULL: stores are not kept, loads are unknown */
};

/* Set registers to random or entry values and flags to unknown; memory is left to the caller. */
void takt_machine_reset(struct takt_machine *machine, uint64_t seed,
			const struct takt_entry_value *entry_values, uint32_t entry_value_count);
/* Compute the addresses of the touches of an instruction, in order. */
void takt_machine_locate(const struct takt_machine *machine, const struct takt_sliced_insn *sliced,
			 struct takt_value ret_addresses[TAKT_MEMORIES_MAX]);

/* Inputs and results of an executed instruction. */
struct takt_outcome {
	struct takt_computation computation;
	struct takt_result result;
	struct takt_flags flags; /* flags before it ran */
};

/* Execute the instruction; the store of its touch m is entered with the writer `writer` + m. */
void takt_machine_execute(struct takt_machine *machine, const struct takt_sliced_insn *sliced,
			  const struct takt_value addresses[TAKT_MEMORIES_MAX], uint32_t writer,
			  struct takt_outcome *ret_outcome);

#endif
